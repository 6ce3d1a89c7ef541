//! How often, after which delays, and for how long.

use crate::cli::spec::{Environment, Group, Opt, Spec, Value};

/// Attempts and delays.
pub(in crate::cli) const ATTEMPTS: Group = Group {
    title: "Attempts and delays",
    options: &[
        Spec::value(
            Opt::MaxTries,
            "max-tries",
            "N",
            Value::Number,
            "attempts in all, at least 1, or unlimited",
        )
        .short('n')
        .default("6")
        .brief()
        .more(
            "The first one counts: 6 are one attempt and at most five retries. An unlimited run without `--max-elapsed` never ends while its command fails, so it never \
                 alerts anyone; it says so once.",
        ),
        Spec::value(Opt::Base, "base", "DUR", Value::Duration, "scale of the delays").default("1s").brief().more(
            "A duration is a number with ms, s, m, h or d, fractions and sums allowed: `500ms`, `1.5m`, `1h30m`, `2d`. \
             A bare number is seconds. With the defaults the ceilings are 2, 4, 8, 16 and 32 s: six attempts never \
             wait more than 62 s in all.",
        ),
        Spec::value(Opt::Cap, "cap", "DUR", Value::Duration, "largest ceiling of a delay").default("5m").brief().more(
            "Nothing is ever added beyond it, but what a server asks for by Retry-After (see `--retry-after-max`). It \
             does not apply to `--delays`.",
        ),
        Spec::value(Opt::Factor, "factor", "F", Value::Number, "growth of the exponential backoff, at least 1")
            .default("2"),
        Spec::value(
            Opt::Backoff,
            "backoff",
            "SHAPE",
            Value::Choice(&["exponential", "linear", "constant"]),
            "how the ceiling grows: exponential, linear or constant",
        )
        .default("exponential")
        .more(
            "The ceiling after the n-th failed attempt is base * factor^n (exponential), base * n (linear) or base \
             (constant), and at most the cap.",
        ),
        Spec::value(Opt::Delays, "delays", "LIST", Value::Text, "the delays themselves: 1s,5s,30s,5m").brief().more(
            "The last one repeats. They are waited as they stand; with `--jitter` they are the ceilings. Excludes \
                 `--base`, `--factor` and `--backoff`; `--cap` does not apply.",
        ),
        Spec::value(
            Opt::Jitter,
            "jitter",
            "KIND",
            Value::Choice(&["full", "equal", "decorrelated", "none"]),
            "how a delay is drawn: full, equal, decorrelated or none",
        )
        .default("full; none with --delays")
        .more(
            "full: uniform between 0 and the ceiling, so that clients that failed together do not come back together. \
             equal: half the ceiling, and a uniform part of the other half. decorrelated: uniform between the base and \
             three times the previous delay, at most the cap; goes with the exponential backoff only. none: the \
             ceiling itself.",
        ),
        Spec::value(Opt::Splay, "splay", "DUR", Value::Duration, "random wait before the first attempt, up to DUR")
            .default("0")
            .more(
                "For jobs that start in the same second on many machines. The window of `--max-elapsed` opens after \
                 it.",
            ),
        Spec::value(Opt::MaxElapsed, "max-elapsed", "DUR", Value::Duration, "no attempt begins after this time")
            .default("none")
            .brief()
            .more(
                "Counted from the start of the first attempt, which always runs. A delay that would end at or after it \
                 is not begun: the run ends there. Only `--timeout` ends an attempt that hangs: with it no attempt \
                 outlasts the window, without it an attempt is never cut.",
            ),
        Spec::value(
            Opt::ResetAfter,
            "reset-after",
            "DUR",
            Value::Duration,
            "an attempt that ran this long starts the count anew",
        )
        .default("none")
        .more(
            "For tunnels and consumers (`ssh -N`, the reader of a queue): when such an attempt fails at last, it is \
             number 1 of a new count of tries and delays. RETRY_ATTEMPT and the record go on counting.",
        ),
        Spec::value(Opt::Seed, "seed", "N", Value::Number, "make the random draws repeatable")
            .environment(Environment::No)
            .more(
                "For tests, and for `--plan`, which then shows the very delays of such a run. Otherwise the operating \
                 system gives the seed; runs with the same one come back at the same instant.",
            ),
    ],
};

/// The time limit of an attempt.
pub(in crate::cli) const LIMITS: Group = Group {
    title: "Time limit and signals",
    options: &[
        Spec::value(Opt::Timeout, "timeout", "DUR", Value::Duration, "limit of one attempt; 0 means none")
            .short('t')
            .default("none")
            .brief()
            .more(
                "When it passes, `--signal` goes to the process group of the attempt, and KILL after `--kill-after`. \
                 Before another attempt starts, every descendant of this one is gone. A timed-out attempt is retryable \
                 (see `--fail-on-timeout`); a run that ends with one exits 124, or 137 if it took KILL.",
            ),
        Spec::value(Opt::Signal, "signal", "SIG", Value::Signal, "first signal of the time limit")
            .short('s')
            .default("TERM")
            .more("A name with or without SIG, or a number."),
        Spec::value(Opt::KillAfter, "kill-after", "DUR", Value::Duration, "time from that signal to KILL")
            .short('k')
            .default("10s")
            .more(
                "After a signal that `retry` was sent and passed on, KILL follows only where this option is given: \
                 whoever sent the signal has a grace of his own.",
            ),
        Spec::switch(Opt::Foreground, "foreground", "keep the command in the process group of retry").more(
            "So it can read the terminal and gets its signals. This is so anyway where `retry` has a controlling \
             terminal. Signals then go to the command, not to the group, which holds the rest of a script.",
        ),
        Spec::switch(Opt::PreserveStatus, "preserve-status", "after a timeout exit as the command did").more(
            "As in timeout(1), instead of 124 or 137. A 0 becomes 1: `retry` never exits 0 for a run that did not \
             succeed.",
        ),
    ],
};
