//! `--output live` and `inherit`: who has which descriptor, in which order, and what stays behind. Contract S10, S13, S14.

use crate::harness::Place;

#[test]
fn live_stdout_is_the_very_file_and_stderr_passes_byte_for_byte() {
    let place = Place::new();
    let script = "retry -n 1 -- sh -c 'readlink /proc/self/fd/1; readlink /proc/$$/fd/2 >kind; printf \"a\\377\\0b\" >&2' >out 2>err; \
        cat out; cut -c 1-5 kind; od -An -tx1 err";
    let out = format!("{}\npipe:\n 61 ff 00 62\n", place.file("out").display());
    place.bash(script).run().is(0, &out, "");
}

#[test]
fn inherit_gives_both_as_they_are_and_the_letter_has_no_error_text() {
    let place = Place::new();
    let script = "retry -q -n 1 --output inherit --dead-letter d -- sh -c 'readlink /proc/self/fd/1; echo gone >&2; readlink /proc/$$/fd/2 >&2; exit 3' \
        >out 2>err; echo $?; head -n 2 err; grep -c '\"stderr\"' d || :";
    let out = format!("3\ngone\n{}\n0\n", place.file("err").display());
    place.bash(script).run().is(0, &out, "");
}

#[test]
fn two_streams_into_one_file_keep_their_order_when_an_attempt_fails_and_when_it_succeeds() {
    let place = Place::new();
    place.write(
        "alternate",
        "i=0\nwhile [ $i -lt 25000 ]; do echo $i; echo $i >&2; i=$((i+1)); done\ntest $RETRY_ATTEMPT = 2\n",
    );
    place.write("want", (0..25_000).map(|i| format!("{i}\n{i}\n")).collect::<String>().repeat(2));
    for into in [">out", ">>out", "| cat >out"] {
        let script = format!("{{ retry -qq -n 2 --base 0 -- sh alternate 2>&1; }} {into}; cmp out want && rm out");
        place.bash(&script).run().is(0, "", "");
    }
}

#[test]
fn two_openings_of_one_file_stay_two() {
    let place = Place::new();
    // Each has a place of its own, so the second overwrites the first, as without retry.
    let script = "retry -n 1 -- sh -c 'echo abcdef; echo x >&2' >both 2>both; cat both";
    place.bash(script).run().is(0, "x\ncdef\n", "");
}

#[test]
fn a_descendant_left_behind_is_heard_later_and_lives() {
    let place = Place::new();
    for (mode, both) in [("live", ""), ("live", "2>&1"), ("final", "2>&1")] {
        // The descendant waits for the end of retry before it writes, then shows that it lives on.
        let job = "(read x <go; echo late; echo late >&2; echo alive >&2; echo done >done) & echo hi >&2";
        let script = format!(
            "mkfifo go; retry -n 1 --output {mode} -- sh -c '{job}' >out {both} 2>err; echo $?; echo >go; until test -e done; do :; done; \
             until test $(cat out err | wc -l) = 4; do :; done; cat out err | sort; rm -f go done out err"
        );
        let script = if both.is_empty() { script } else { script.replace(">out 2>&1 2>err", ">out 2>&1; : >err") };
        place.bash(&script).run().is(0, "0\nalive\nhi\nlate\nlate\n", "");
    }
}

#[test]
fn what_a_descendant_writes_on_does_not_delay_the_end() {
    let place = Place::new();
    // It floods stderr for ever, until its reader is gone.
    let script = "{ retry -n 1 -- sh -c 'yes >&2 & echo $! >pid'; echo $? >status; } 2>&1 >/dev/null | { until test -s status; do head -c 100000 >/dev/null; done; }; \
        cat status; p=$(cat pid); while kill -0 $p 2>/dev/null; do :; done";
    place.bash(script).run().is(0, "0\n", "");
}

#[test]
fn what_stays_behind_holds_nothing_but_its_two_ends() {
    let place = Place::new();
    // It is found by its stdout, which is our stderr, and is given the time to become what it is to be.
    let script = "mkfifo go; exec 8>lock; retry -n 1 -- sh -c '(read x <go; echo x >&2) & :' 2>err; \
        holds() { for p in /proc/[0-9]*; do test \"$(readlink $p/fd/1)\" = \"$PWD/err\" && test \"$(echo $(ls $p/fd))\" = '0 1' && \
        test $(readlink $p/cwd) = / && return; done; return 1; }; until holds; do :; done; echo >go";
    place.bash(script).run().is(0, "", "");
}

#[test]
fn an_error_on_stdout_fails_the_run_and_one_on_stderr_changes_nothing() {
    let place = Place::new();
    for mode in ["live", "final", "inherit"] {
        let ended = place.bash(&format!("retry -n 1 --output {mode} -- echo x >/dev/full")).run();
        assert_ne!(ended.code(), 0, "{mode}");
        place
            .bash(&format!("retry -n 1 --output {mode} -- sh -c 'echo x >&2; echo y' 2>/dev/full"))
            .run()
            .is(0, "y\n", "");
        place
            .bash(&format!("retry -q -n 2 --base 0 --output {mode} -- sh -c 'echo x >&2; exit 3' 2>/dev/full"))
            .run()
            .is(3, "", "");
    }
    // Both in one pipe of ours: the command does not notice, so retry does.
    assert_ne!(place.bash("retry -n 1 -- echo x >/dev/full 2>&1").run().code(), 0);
    // Endless, unless it is told.
    let ended = place.bash("retry -n 3 --base 0 --until-output never -- yes 2>&1 >/dev/full").run();
    let said = "retry: cannot write to standard output: no space left on device\n";
    assert_eq!((ended.code(), ended.out().lines().next()), (141, said.lines().next()));
}

#[test]
fn closed_streams_stay_closed() {
    let place = Place::new();
    let script = "for m in live inherit final on-failure; do \
        retry -n 1 --output $m -- sh -c 'test -e /proc/$$/fd/1 || echo 1 closed >>seen; echo x' >&-; echo $? >>seen; \
        retry -n 1 --output $m -- sh -c 'test -e /proc/$$/fd/2 || echo 2 closed >>seen' 2>&-; echo $? >>seen; \
        retry -n 1 --output $m -- sh -c 'exit 3' <&- >&- 2>&-; echo $? >>seen; done";
    place.bash(script).run();
    // sh's echo fails on its closed stdout, with status 1 or 2 by shell.
    let seen = place.read("seen").replace("\n2\n2 closed", "\n1\n2 closed");
    assert_eq!(seen.matches("1 closed\n").count() + seen.matches("2 closed\n").count(), 8, "{seen}");
    assert_eq!(seen.matches("\n3\n").count(), 4, "{seen}");
}
