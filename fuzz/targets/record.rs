//! A record that is read is read back from the line it makes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retry::record::Record;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(record) = serde_json::from_slice::<Record>(bytes) {
        let line = record.to_line();
        assert!(!line.contains(&b'\n'));
        let again: Record = serde_json::from_slice(&line).expect("a line is JSON");
        assert_eq!(again.to_line(), line);
    }
});
