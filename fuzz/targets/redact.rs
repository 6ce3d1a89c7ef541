//! Arguments stay as many as they are, and a secret among them is shown nowhere, whatever stands around it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retry::redact::Redactor;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

const SECRET: &str = "Zq9Xk2Lm7Pw4";

fuzz_target!(|bytes: &[u8]| {
    let mut args: Vec<OsString> = bytes.split(|b| *b == 0).map(|arg| OsString::from_vec(arg.to_vec())).collect();
    args.extend(["--password".into(), SECRET.into(), format!("log-{SECRET}.txt").into()]);
    let extra = [regex_lite::Regex::new("[0-9]{4}").expect("it is valid")];
    let redactor = Redactor::new(&args, &extra);
    assert_eq!(redactor.args().len(), args.len());
    assert!(redactor.args().iter().all(|arg| !arg.contains(SECRET)), "{:?}", redactor.args());
    let text = String::from_utf8_lossy(bytes);
    let shown = redactor.text(&format!("{text}{SECRET}{text}"));
    assert!(!shown.contains(SECRET), "{shown}");
});
