//! The command's standard input and output, and what it can say about its own failure.

use crate::cli::spec::{Group, Opt, Repeats, Spec, Value};

/// Streams.
pub(in crate::cli) const STREAMS: Group = Group {
    title: "Streams",
    options: &[
        Spec::value(
            Opt::Stdin,
            "stdin",
            "HOW",
            Value::Choice(&["auto", "inherit", "replay", "null"]),
            "what each attempt finds on standard input",
        )
        .default("auto")
        .more(
            "auto: the same input each time: a file is rewound to where it stood, a pipe or socket is replayed; a \
             terminal or device is inherited. inherit: whatever the attempt before left. replay: what attempts have \
             read is kept and given again; nothing is read that no attempt has read. null: /dev/null, for the body of \
             a `while read` loop.",
        ),
        Spec::value(Opt::StdinMax, "stdin-max", "SIZE", Value::Size, "how much input is kept for later attempts")
            .default("1G")
            .more(
                "Bytes, or a number with K, M, G or T (powers of 1024). Up to 1 MiB is in memory, the rest in an \
                 unlinked file in TMPDIR. When more was read, the running attempt goes on, but no other can follow.",
            ),
        Spec::value(
            Opt::Output,
            "output",
            "HOW",
            Value::Choice(&["live", "inherit", "final", "on-failure"]),
            "live, inherit, final or on-failure",
        )
        .default("live")
        .brief()
        .more(
            "live: passed on at once. inherit: the same, but nothing passes through `retry`, so a dead letter has no \
             error text. final: for pipelines: stdout of the attempt that succeeded, whole, or nothing; what failed \
             attempts printed goes to stderr. on-failure: for cron: nothing at all if the run succeeds, else one \
             report of all attempts on stderr.",
        ),
    ],
};

/// Hints.
pub(in crate::cli) const HINTS: Group = Group {
    title: "Hints",
    options: &[
        Spec::value(
            Opt::Hints,
            "hints",
            "KIND,...",
            Value::Choices(&["http", "file"]),
            "learn from the command's output, or from a file",
        )
        .repeats(Repeats::AddUp)
        .more(
            "http: the status and Retry-After of HTTP response headers in either stream, as `curl -i`, `curl -v` or \
             `wget -S` print them; both streams then pass through `retry`. file: the command may write to \
             RETRY_HINT_FILE: a number of seconds or a date, header lines (`curl -D \"$RETRY_HINT_FILE\"`), or lines \
             `retry-after=120`, `retry=no`, `retry=yes`, `error=TEXT`.",
        ),
        Spec::value(
            Opt::RetryAfterMax,
            "retry-after-max",
            "DUR",
            Value::Duration,
            "longest wait that a server may ask for",
        )
        .default("1h")
        .more("Asked for more, the run ends at once, and the dead letter says when to try again."),
        Spec::switch(Opt::IgnoreRetryAfter, "ignore-retry-after", "wait as without a hint"),
    ],
};
