//! An instant that is read is read back from what it prints.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retry::timestamp;

fuzz_target!(|text: &str| {
    if let Some(at) = timestamp::parse(text) {
        let _ = timestamp::millis(at);
        assert_eq!(timestamp::parse(&timestamp::exact(at)), Some(at));
        assert!(timestamp::parse(&timestamp::format(at)).is_some());
    }
});
