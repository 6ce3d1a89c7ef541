//! A metrics file that is read is read back from what it prints.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retry::metrics::exposition;

fuzz_target!(|text: &str| {
    if let Some((name, figures)) = exposition::parse(text) {
        let again = exposition::render(&name, &figures);
        assert!(exposition::parse(&again).is_some(), "{again}");
    }
});
