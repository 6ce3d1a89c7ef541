//! Any bytes are a hint file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retry::hint_file::Told;
use std::time::SystemTime;

fuzz_target!(|bytes: &[u8]| {
    let told = Told::read(bytes);
    let _ = told.asked(SystemTime::UNIX_EPOCH);
    assert!(told.error.is_none_or(|error| !error.is_empty() && error.chars().count() <= 1000));
});
