//! Lists of exit statuses and of signals are read back from what they print.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retry::code_set::{ExitSet, SignalSet};

fuzz_target!(|text: &str| {
    if let Ok(set) = text.parse::<ExitSet>() {
        assert!(!set.is_empty());
        assert_eq!(set.to_string().parse(), Ok(set));
    }
    if let Ok(set) = text.parse::<SignalSet>() {
        assert!(!set.is_empty());
        assert_eq!(set.to_string().parse(), Ok(set));
    }
});
