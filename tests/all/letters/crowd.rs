//! Many writers at once, and writers and purges that are killed at any instant. Contract D21, D22.
//!
//! The counts are small; RETRY_TEST_LETTERS (letters a writer) and RETRY_TEST_KILLS (instants) raise them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::{FILE, acknowledged, letter_ctl};
use crate::harness::{Place, Running};

fn count(variable: &str, default: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The ids of the letters in some files; panics on a line that holds two of them, on a NUL, and on a line that is neither
/// JSON nor the beginning of a letter.
fn found(place: &Place, files: &[PathBuf]) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for file in files.iter().filter(|file| file.exists()) {
        let bytes = std::fs::read(file).unwrap();
        assert!(!bytes.contains(&0), "a NUL in {}", file.display());
        let text = String::from_utf8(bytes).unwrap();
        for line in text.lines().filter(|line| !line.is_empty()) {
            assert_eq!(line.matches("{\"v\":1,").count(), 1, "glued or foreign: {line}");
            if let Ok(record) = serde_json::from_str::<serde_json::Value>(line) {
                ids.extend(record["id"].as_str().map(str::to_owned));
            }
        }
    }
    assert!(place.path().exists());
    ids
}

/// An instant within so many microseconds, different at each call, the same in each run of the test.
fn instants(most: u64) -> impl FnMut() -> Duration {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Duration::from_micros((state >> 33) % most)
    }
}

fn kill_after(running: Running, instant: Duration) -> crate::harness::Ended {
    std::thread::sleep(instant);
    // It may have ended by itself: then nothing is left to kill, and it is not reaped yet, so nobody else is hit.
    let pid = Pid::from_raw(running.pid()).expect("a process id");
    let _ = kill_process(pid, Signal::KILL);
    running.wait()
}

#[test]
fn sixty_four_writers_lose_nothing_while_others_rename_and_purge_the_file() {
    let place = Place::new();
    let each = count("RETRY_TEST_LETTERS", 3);
    let writers: Vec<Running> = (0..64)
        .map(|_| {
            let line = "retry -q -n1 --dead-letter letters -- sh -c 'echo some words >&2; exit 1'";
            place.bash(&format!("for i in $(seq {each}); do {line}; done; true")).start()
        })
        .collect();
    let mut files = vec![place.file(FILE)];
    let mut wait = instants(40_000);
    for round in 0..6 {
        std::thread::sleep(wait());
        let old = place.file(&format!("rotated.{round}"));
        if std::fs::rename(place.file(FILE), &old).is_ok() {
            files.push(old);
        }
        std::thread::sleep(wait());
        letter_ctl(&place, &["purge", "--older-than=0", "--yes"]).run();
    }
    let said: String = writers.into_iter().map(|writer| writer.wait().err()).collect();
    let saved: BTreeSet<String> = acknowledged(&said).into_iter().collect();
    let found = found(&place, &files);
    println!("acknowledged {}, found {}", saved.len(), found.len());
    assert_eq!(saved.len(), 64 * each, "{said}");
    assert!(saved.is_subset(&found), "lost: {:?}", saved.difference(&found).collect::<Vec<_>>());
}

#[test]
fn a_writer_killed_at_any_instant_leaves_nothing_unfenced_and_loses_nothing_acknowledged() {
    let place = Place::new();
    let mut instant = instants(60_000);
    let mut saved = BTreeSet::new();
    let argument = "x".repeat(100_000);
    let args: Vec<&str> = ["-q", "-n1", "--dead-letter", FILE, "false"].into_iter().chain([&*argument; 8]).collect();
    let size = || std::fs::metadata(place.file(FILE)).map_or(0, |metadata| metadata.len());
    for round in 0..count("RETRY_TEST_KILLS", 60) {
        let before = size();
        let mut running = place.retry(&args).start();
        // By turns at any instant, and in the very write: as soon as the file has grown.
        let wait = if round % 2 == 0 { instant() } else { Duration::ZERO };
        while round % 2 == 1 && size() == before && running.child.try_wait().unwrap().is_none() {}
        saved.extend(acknowledged(&kill_after(running, wait).err()));
    }
    // The next one fences what the last one left.
    saved.extend(acknowledged(&place.retry(["-q", "-n1", "--dead-letter", FILE, "false"]).run().err()));
    let found = found(&place, &[place.file(FILE)]);
    let torn = place.read(FILE).lines().filter(|line| !line.is_empty() && !line.ends_with('}')).count();
    println!("acknowledged {}, found {}, torn and fenced {torn}", saved.len(), found.len());
    assert!(saved.is_subset(&found) && !saved.is_empty());
    assert!(place.read(FILE).ends_with("}\n"));
}

#[test]
fn a_purge_killed_at_any_instant_loses_no_open_letter() {
    let place = Place::new();
    let mut text = String::new();
    let mut open = BTreeSet::new();
    for i in 0..400 {
        let id = format!("LETTER{i:04}");
        let filling = "x".repeat(2000);
        text += &format!(
            "{{\"v\":1,\"kind\":\"dead_letter\",\"id\":\"{id}\",\"@timestamp\":\"2020-01-01T00:00:00.000Z\",\"process\":{{\"args\":[\"{filling}\"]}}}}\n"
        );
        if i % 2 == 0 {
            text +=
                &format!("{{\"v\":1,\"kind\":\"event\",\"ref\":\"{id}\",\"event\":{{\"action\":\"discarded\"}}}}\n");
        } else {
            open.insert(id);
        }
    }
    let mut instant = instants(25_000);
    for _ in 0..count("RETRY_TEST_KILLS", 30) {
        place.write(FILE, &text);
        std::fs::set_permissions(place.file(FILE), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        kill_after(letter_ctl(&place, &["purge", "--older-than=1d", "--yes"]).start(), instant());
        assert!(open.is_subset(&found(&place, &[place.file(FILE)])));
    }
    // What a killed one left behind is in nobody's way.
    assert_eq!(letter_ctl(&place, &["purge", "--older-than=1d", "--yes"]).run().code(), 0);
    assert_eq!(found(&place, &[place.file(FILE)]), open);
    assert!(!place.file("letters.purge").exists());
}
