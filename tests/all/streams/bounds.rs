//! Memory is bounded whatever passes. Contract S15.

use crate::harness::Place;

/// The largest resident size that `retry` had, in KiB, as a child of it wrote it to `peak`.
pub fn peak_kib(place: &Place) -> u64 {
    let line = place.read("peak");
    line.split_ascii_whitespace().nth(1).and_then(|kib| kib.parse().ok()).unwrap_or_else(|| panic!("no figure: {line}"))
}

const PEAK: &str = "grep VmHWM /proc/$PPID/status >peak";

#[test]
fn a_flood_on_each_way_stays_below_sixteen_mebibytes() {
    for mode in ["live", "final", "on-failure"] {
        let place = Place::new();
        let script = format!("head -c 100M /dev/zero; head -c 100M /dev/zero >&2; {PEAK}");
        place.bash(&format!("retry --output {mode} -- sh -c '{script}' 2>&1 | wc -c >count")).run().is(0, "", "");
        assert!(peak_kib(&place) < 16 * 1024, "{mode}: {}", place.read("peak"));
        let passed = if mode == "on-failure" { "0\n" } else { "209715200\n" };
        assert_eq!(place.read("count"), passed, "{mode}");
    }
}

#[test]
fn a_flood_that_is_looked_at_stays_below_sixteen_mebibytes() {
    let place = Place::new();
    // One line without an end.
    let script = format!("head -c 100M /dev/zero; {PEAK}");
    let ended = place.bash(&format!("retry --until-output nothing -n 1 -q -- sh -c '{script}' | wc -c")).run();
    assert_eq!(ended.out(), "104857600\n");
    assert!(peak_kib(&place) < 16 * 1024, "{}", place.read("peak"));
}

#[test]
fn a_reader_that_goes_ends_an_endless_command() {
    let place = Place::new();
    // Through the child's own descriptor, and through us.
    place.bash("retry -qq --no-dead-letter -- yes | head -n 1").run().is(0, "y\n", "");
    place.bash("retry -qq --no-dead-letter -- yes 2>&1 | head -n 1").run().is(0, "y\n", "");
    place.bash("retry -qq --no-dead-letter -- sh -c 'yes >&2' 2>&1 >/dev/null | head -n 1").run().is(0, "y\n", "");
}

#[test]
fn a_reader_that_has_gone_makes_death_by_sigpipe_permanent() {
    let place = Place::new();
    for both in ["", "2>&1"] {
        let script = format!(
            "{{ retry -qq --no-dead-letter -n 3 --base 0 -- sh -c 'echo n >>n; exec yes' {both}; echo $? >status; }} | head -n 1; \
             until test -s status; do :; done; cat status; wc -l <n; rm n status"
        );
        place.bash(&script).run().is(0, "y\n141\n1\n", "");
    }
}
