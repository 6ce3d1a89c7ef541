//! Response headers are recognised in any bytes, and little of them is kept.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retry::http_headers::HttpHeaders;
use std::time::SystemTime;

fuzz_target!(|bytes: &[u8]| {
    let mut headers = HttpHeaders::new();
    for line in bytes.split(|b| *b == b'\n') {
        headers.line(line);
    }
    if let Some(response) = headers.into_last() {
        assert!((200..=999).contains(&response.status));
        assert!(response.retry_after.as_ref().is_none_or(|value| value.len() <= 1024));
        let _ = response.asked(SystemTime::UNIX_EPOCH);
    }
});
