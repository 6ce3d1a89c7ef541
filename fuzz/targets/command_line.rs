//! Any command line and any variable is a job or one line that says what would be right.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retry::cli::parse::{self, Asked};
use retry::config;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

fuzz_target!(|bytes: &[u8]| {
    let args: Vec<OsString> = bytes.split(|b| *b == 0).map(|arg| OsString::from_vec(arg.to_vec())).collect();
    let value = args.first().cloned();
    let environment =
        |name: &str| value.clone().filter(|_| name == "RETRY_DEFAULT_TIMEOUT" || name == "RETRY_DEFAULT_QUIET");
    let said = |text: String| assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
    match parse::retry(args.clone(), &environment) {
        Ok(Asked::Work(settings)) => {
            if let Err(error) = config::work(settings) {
                said(error.to_string());
            }
        }
        Ok(Asked::BriefHelp | Asked::Help | Asked::Version) => {}
        Err(error) => said(error.to_string()),
    }
    if let (_, Err(error)) = parse::retryctl(args, &environment) {
        said(error.to_string());
    }
});
