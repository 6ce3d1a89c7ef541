//! A size that is read is read back from what it prints.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retry::size;

fuzz_target!(|text: &str| {
    if let Ok(read) = size::parse(text) {
        assert_eq!(size::parse(&size::exact(read)).ok(), Some(read));
    }
});
