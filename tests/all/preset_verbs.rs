//! `retryctl preset list` and `preset show`. Contract P4, P5.

use crate::harness::Place;

#[test]
fn list_names_each_preset_with_its_statuses() {
    let ended = Place::new().retryctl(["preset", "list"]).run();
    assert_eq!((ended.code(), ended.err().as_str()), (0, ""));
    let out = ended.out();
    assert_eq!(out.lines().next().unwrap().split_whitespace().next(), Some("PRESET"));
    for name in ["sysexits", "curl", "wget", "git", "psql", "borg", "ansible"] {
        assert!(out.lines().any(|line| line.starts_with(name)), "{name} in {out}");
    }
    assert!(out.ends_with("\nC: seen when the tool was run\n"), "{out}");
}

#[test]
fn show_prints_rules_source_sureness_and_how_to_turn_off_own_retries() {
    let ended = Place::new().retryctl(["preset", "show", "wget"]).run();
    ended.is(
        0,
        "wget
  for             wget
  retryable       4
  by HTTP status  8: retryable for 408, 425, 429 and 5xx but 501 and 505, else permanent
                  without a status: retryable with a warning; leave out -q, or add -S
  permanent       all else
  ambiguous       4, and every timeout: the other side may have acted all the same; an idempotency
                  key (RETRY_IDEMPOTENCY_KEY) lets it tell
  own retries     it tries 20 times by itself: -t 1, and -T for a silent server
  note            Hears Retry-After in the headers that -S prints.
  sure            B, C
                  B: the tool's documents say what it means; what follows from that is our reading
                  C: seen when the tool was run
  source          wget(1), EXIT STATUS; seen with wget 1.21
",
        "",
    );
}

#[test]
fn a_name_that_no_preset_has_is_answered_with_the_right_one() {
    let place = Place::new();
    place.retryctl(["preset", "show", "crul"]).run().is(
        64,
        "",
        "retryctl: \"crul\": there is no such preset; is it curl?\n",
    );
    place.retry(["--preset", "crul", "--", "true"]).run().is(
        125,
        "",
        "retry: invalid value 'crul' for --preset: there is no such preset; is it curl?\n",
    );
}
