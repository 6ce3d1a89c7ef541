//! What a Retry-After asks for is whole seconds and never more than the longest wait.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retry::retry_after::{self, LONGEST};
use std::time::{Duration, SystemTime};

fuzz_target!(|given: (u32, Option<u32>, &str)| {
    let (now, date, value) = given;
    let at = |seconds: u32| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.into());
    match retry_after::parse(value, date.map(at), at(now)) {
        Ok(asked) => assert!(asked <= LONGEST && asked.subsec_nanos() == 0),
        Err(ignored) => assert!(ignored.to_string().len() < 1000),
    }
});
