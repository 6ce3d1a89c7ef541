//! Bytes in a record: text for the eye, and base64 where text cannot hold them. Contract D11.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Process;

/// Bytes that stand in a record as base64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base64(pub Vec<u8>);

impl Serialize for Base64 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Base64, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        STANDARD.decode(text.as_bytes()).map(Base64).map_err(|_| serde::de::Error::custom("not base64"))
    }
}

/// Gives bytes as text, with replacement characters where they are not UTF-8, and then the bytes themselves too.
pub fn text_and_twin(bytes: &[u8]) -> (String, Option<Base64>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), None),
        Err(_) => (String::from_utf8_lossy(bytes).into_owned(), Some(Base64(bytes.to_vec()))),
    }
}

/// Gives arguments as text, and all of them as base64 too if one of them is not UTF-8.
pub fn encode_args<A: AsRef<OsStr>>(args: &[A]) -> (Vec<String>, Option<Vec<Base64>>) {
    let all_text = args.iter().all(|arg| arg.as_ref().to_str().is_some());
    let text = args.iter().map(|arg| arg.as_ref().to_string_lossy().into_owned()).collect();
    let twin = || args.iter().map(|arg| Base64(arg.as_ref().as_bytes().to_vec())).collect();
    (text, (!all_text).then(twin))
}

/// Gives the arguments of a record back, byte for byte.
pub fn args_of(process: &Process) -> Vec<OsString> {
    match &process.args_b64 {
        Some(args) => args.iter().map(|arg| OsString::from_vec(arg.0.clone())).collect(),
        None => process.args.iter().map(OsString::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn text_that_is_no_utf_8_has_its_bytes_beside_it(bytes: Vec<u8>) {
            let (text, twin) = text_and_twin(&bytes);
            prop_assert_eq!(&text, &String::from_utf8_lossy(&bytes));
            prop_assert_eq!(twin.map_or(text.into_bytes(), |twin| twin.0), bytes);
        }

        #[test]
        fn text_that_is_utf_8_stands_alone(text: String) {
            prop_assert_eq!(text_and_twin(text.as_bytes()), (text, None));
        }

        #[test]
        fn arguments_come_back_byte_for_byte(args: Vec<Vec<u8>>) {
            let args: Vec<OsString> = args.into_iter().map(OsString::from_vec).collect();
            let (text, twin) = encode_args(&args);
            let process = Process { args: text, args_b64: twin, ..Process::default() };
            let line = serde_json::to_string(&process).unwrap();
            let read: Process = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(args_of(&read), args);
        }
    }
}
