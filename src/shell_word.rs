//! A word quoted for the shell, so that a line can be pasted.

use std::os::unix::ffi::OsStrExt;

/// Quotes a word for sh(1): bare where that is safe, else in single quotes. Bytes that are not UTF-8 stay as they are.
pub fn quote(word: impl AsRef<std::ffi::OsStr>) -> Vec<u8> {
    let bytes = word.as_ref().as_bytes();
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_./:=@%+,".contains(b);
    // A bare `=` in the first word would be an assignment, and `~` expands: neither is worth a rule of its own.
    if !bytes.is_empty() && bytes.iter().all(plain) && !bytes.contains(&b'=') {
        return bytes.to_vec();
    }
    let mut quoted = vec![b'\''];
    for byte in bytes {
        match byte {
            b'\'' => quoted.extend_from_slice(b"'\\''"),
            byte => quoted.push(*byte),
        }
    }
    quoted.push(b'\'');
    quoted
}

/// The same as one line of text that acts on no terminal: where there is more than letters, signs and blanks, printf(1)
/// makes the word when the line is run. Newlines at the end of a word are lost then.
pub fn to_paste(word: impl AsRef<std::ffi::OsStr>) -> String {
    let is_seen = |c: char| c.is_alphanumeric() || c.is_ascii_graphic() || c == ' ';
    let word = word.as_ref();
    match word.to_str() {
        Some(text) if text.chars().all(is_seen) => String::from_utf8_lossy(&quote(word)).into_owned(),
        _ => {
            let octal = |byte: &u8| match byte {
                byte if byte.is_ascii_alphanumeric() || b"_./ ".contains(byte) => char::from(*byte).to_string(),
                byte => format!("\\{byte:03o}"),
            };
            let made: String = word.as_bytes().iter().map(octal).collect();
            format!("\"$(printf '{made}')\"")
        }
    }
}

/// Words as one line, each quoted, with a space between.
pub fn line<W: AsRef<std::ffi::OsStr>>(words: impl IntoIterator<Item = W>) -> Vec<u8> {
    let words: Vec<Vec<u8>> = words.into_iter().map(quote).collect();
    words.join(&b' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    #[test]
    fn a_plain_word_stays_bare_and_others_are_quoted() {
        assert_eq!(to_paste("/usr/bin/x-1.2"), "/usr/bin/x-1.2");
        assert_eq!(to_paste(""), "''");
        assert_eq!(to_paste("it's"), r"'it'\''s'");
        assert_eq!(to_paste("A=b"), "'A=b'");
        assert_eq!(to_paste("/Größe x"), "'/Größe x'");
        assert_eq!(to_paste("/a\n\x1b!%"), r#""$(printf '/a\012\033\041\045')""#);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn sh_reads_the_very_words(words in proptest::collection::vec(proptest::collection::vec(1u8.., 0..12), 1..6)) {
            let words: Vec<OsString> = words.into_iter().map(OsString::from_vec).collect();
            let mut script = b"printf '%s\\0' ".to_vec();
            script.extend_from_slice(&line(&words));
            let out = std::process::Command::new("sh").arg("-c").arg(OsString::from_vec(script)).output().unwrap();
            let mut expected = Vec::new();
            words.iter().for_each(|word| { expected.extend_from_slice(word.as_bytes()); expected.push(0); });
            prop_assert_eq!(out.stdout, expected);
        }

        #[test]
        fn sh_reads_what_is_pasted(word in proptest::collection::vec(1u8.., 0..12)) {
            let word: Vec<u8> = [word, b"x".to_vec()].concat();
            let line = format!("printf %s {}", to_paste(OsString::from_vec(word.clone())));
            prop_assert!(!line.chars().any(char::is_control));
            let out = std::process::Command::new("sh").arg("-c").arg(line).output().unwrap();
            prop_assert_eq!(out.stdout, word);
        }
    }
}
