//! Any bytes in the file: no verb crashes, and none hangs.

use proptest::prelude::*;

use super::{FILE, letter_ctl};
use crate::harness::Place;

/// The letter that is spoiled.
const LETTER: &str = r#"{"v":1,"kind":"dead_letter","id":"01KAAAAXYZW","@timestamp":"2026-01-01T00:00:00.000Z","job":"j","idempotency_key":"k","process":{"args":["a","b"],"working_directory":"/","exit_code":7},"error":{"type":"exit_code","message":"m"},"stderr":{"tail":"t","total_bytes":1,"truncated":false},"stdin":{"kind":"stored","text":"x","total_bytes":1},"http":{"status_code":503},"env":{"A":"b"},"umask":"0022","retry":{"ending":"exhausted","attempts":1,"max_tries":1,"elapsed_ms":1,"waited_ms":1,"not_before":"2026-01-01T00:00:00.000Z","policy":{"max-tries":"1"},"history":[{"attempt":1,"started_at":"2026-01-01T00:00:00.000Z","duration_ms":3,"exit_code":7,"verdict":"retryable","delay_ms":1,"delay_source":"backoff"}]},"host":{"name":"h"},"user":{"id":"0"}}"#;

/// Values of the wrong kind, too long, too deep, or just odd.
fn odd() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        Just("-1".to_owned()),
        Just("1e999".to_owned()),
        Just("18446744073709551616".to_owned()),
        Just("\"\\ud800\"".to_owned()),
        Just("\"é\\u0000\\u001b[2J\"".to_owned()),
        Just(format!("\"{}\"", "日".repeat(5000))),
        Just("[".repeat(5000)),
        Just("[[1],{}]".to_owned()),
        Just("{\"a\":{}}".to_owned()),
        "[ -~]{0,20}",
    ]
}

/// A letter in which one value is replaced, some bytes are spoiled, or which breaks off.
fn spoiled() -> impl Strategy<Value = Vec<u8>> {
    let values: Vec<usize> = LETTER.match_indices(':').map(|(at, _)| at + 1).collect();
    let replaced = (proptest::sample::select(values), odd()).prop_map(|(at, value)| {
        let rest = &LETTER[at..];
        let end = rest.find([',', '}']).unwrap_or(rest.len());
        format!("{}{value}{}", &LETTER[..at], &rest[end..]).into_bytes()
    });
    let flipped = proptest::collection::vec((0..LETTER.len(), any::<u8>()), 1..4).prop_map(|spots| {
        let mut bytes = LETTER.as_bytes().to_vec();
        spots.into_iter().for_each(|(at, byte)| bytes[at] = byte);
        bytes
    });
    let cut = (0..LETTER.len()).prop_map(|at| LETTER.as_bytes()[..at].to_vec());
    prop_oneof![4 => replaced, 2 => flipped, 1 => cut, 1 => any::<Vec<u8>>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 25, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_verb_crashes(lines in proptest::collection::vec(spoiled(), 1..8)) {
        let place = Place::new();
        place.write(FILE, lines.join(&b'\n'));
        std::fs::set_permissions(place.file(FILE), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let verbs: [&[&str]; 9] = [
            &["list"],
            &["list", "--format=jsonl", "--grep=x"],
            &["show", "01KAAAAXYZW"],
            &["show", "--json", "01KAAAAXYZW"],
            &["show", "--shell", "--reveal", "01KAAAAXYZW"],
            &["stats", "--by=exit"],
            &["verify"],
            &["replay", "--all", "--dry-run"],
            &["purge", "--older-than=0", "--yes"],
        ];
        for verb in verbs {
            let ended = letter_ctl(&place, verb).run();
            prop_assert!([0, 1, 64, 65, 66, 74].contains(&ended.code()), "{verb:?}: {} {}", ended.code(), ended.err());
        }
    }
}
