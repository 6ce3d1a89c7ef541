//! Any file folds, and each letter stands there once.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retry::dead_letter::fold;
use std::collections::HashSet;
use std::fs::File;
use std::io::{Seek, Write};

fuzz_target!(|bytes: &[u8]| {
    let memory = rustix::fs::memfd_create("letters", rustix::fs::MemfdFlags::CLOEXEC).expect("a file in memory");
    let mut file = File::from(memory);
    file.write_all(bytes).and_then(|()| file.rewind()).expect("memory can be written");
    let folded = fold::fold(vec![file], |_, _| false).expect("memory can be read");
    let ids: HashSet<&str> = folded.letters.iter().map(|letter| &*letter.id).collect();
    assert_eq!(ids.len(), folded.letters.len());
});
