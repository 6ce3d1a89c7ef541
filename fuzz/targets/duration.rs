//! A duration that is read is read back from what it prints.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retry::duration;

fuzz_target!(|text: &str| {
    if let Ok(read) = duration::parse(text) {
        assert_eq!(duration::parse(&duration::exact(read)).ok(), Some(read));
        let _ = (duration::human(read), duration::millis(read));
    }
});
