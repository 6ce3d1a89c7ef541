//! A signal that is read is read back from its name.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retry::signal::Signal;

fuzz_target!(|text: &str| {
    if let Ok(signal) = text.parse::<Signal>() {
        assert_eq!(signal.to_string().parse(), Ok(signal));
        assert_eq!(Signal::from_number(signal.number()), Some(signal));
    }
});
