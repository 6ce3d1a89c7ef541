//! Replays and lists where a person sits: on a terminal, which script(1) makes.

use super::{mend, state, until_ok};
use crate::harness::{Cli, Ended, Place};

/// Runs a line on a terminal of 80 columns; the input is what is typed.
fn on_terminal(place: &Place, line: &str, typed: &str) -> Cli {
    let line = format!("stty cols 80; {line}");
    place.program("script", ["-q", "-e", "-c", &line, "/dev/null"]).env("TERM", "xterm").input(typed)
}

/// What was printed, without what the terminal adds.
fn text(ended: &Ended) -> String {
    ended.out().replace('\r', "")
}

#[test]
fn a_batch_asks_first_and_tells_how_far_it_is() {
    let place = Place::new();
    let ids: Vec<String> = (0..3).map(|n| until_ok(&place, &[], &format!("printf 'ran {n}'"))).collect();
    mend(&place);
    let line = "retryctl dl replay --all --file letters";
    let refused = on_terminal(&place, line, "n\n").run();
    assert!(text(&refused).contains("replay 3 letters? [y/N] "), "{}", text(&refused));
    assert!(text(&refused).contains("retryctl: nothing was changed"), "{}", text(&refused));
    assert_eq!(refused.code(), 1);
    assert!(ids.iter().all(|id| state(&place, id) == "dead"));
    let ended = on_terminal(&place, line, "y\n").run();
    for part in ["1 done, 0 failed, 2 left, ", "3 done, 0 failed, 0 left, ", "3 replayed, 0 failed in "] {
        assert!(text(&ended).contains(part), "{part:?} is not in {}", text(&ended));
    }
    let fresh = format!("ran 2{}\x1b[Kretryctl: 3 done, ", " ".repeat(80));
    assert!(text(&ended).contains(&fresh), "it begins on a line of its own: {}", text(&ended));
    assert_eq!(ended.code(), 0);
}

#[test]
fn the_table_has_colours_on_a_terminal_alone_and_only_where_they_are_wanted() {
    let place = Place::new();
    until_ok(&place, &[], "true");
    let list = |line: &str, place: &Place| text(&on_terminal(place, line, "").run());
    assert!(list("retryctl dl list --file letters", &place).contains("\x1b[1mID "));
    assert!(!list("NO_COLOR=1 retryctl dl list --file letters", &place).contains('\x1b'));
    assert!(!list("retryctl dl list --file letters | cat", &place).contains('\x1b'));
}
