//! What counts as success, what is tried again, what is not.

use crate::cli::spec::{Group, Opt, Repeats, Spec, Value};

/// Verdicts.
pub(in crate::cli) const VERDICTS: Group = Group {
    title: "Verdicts",
    options: &[
        Spec::value(Opt::RetryOnExit, "retry-on-exit", "LIST", Value::Exits, "these exit statuses are retryable")
            .repeats(Repeats::AddUp)
            .brief()
            .more(
                "LIST is `75,111`, ranges `1-10`, names of sysexits.h (`EX_TEMPFAIL`). A status also matches death by a \
                 signal as a shell reports it: 137 is KILL. Once a retry rule or a preset is given, a failure that no \
                 rule names is permanent; a timeout stays retryable.",
            ),
        Spec::value(Opt::FailOnExit, "fail-on-exit", "LIST", Value::Exits, "these exit statuses are permanent")
            .repeats(Repeats::AddUp)
            .brief()
            .more("Naming only what is permanent leaves the rest as it is: retryable."),
        Spec::value(
            Opt::SucceedOnExit,
            "succeed-on-exit",
            "LIST",
            Value::Exits,
            "these exit statuses are success, besides 0",
        )
        .repeats(Repeats::AddUp)
        .more(
            "`retry` then exits 0. It looks at real exits only: never at death by a signal or a command that was not \
             started. `--succeed-on-exit 1-255 --retry-on-exit 0` runs a command until it fails.",
        ),
        Spec::value(
            Opt::RetryOnSignal,
            "retry-on-signal",
            "LIST",
            Value::Signals,
            "death by one of these signals is retryable",
        )
        .repeats(Repeats::AddUp)
        .more("By name or number: `KILL`, `SIGSEGV`, 11. A retry rule, as `--retry-on-exit` is."),
        Spec::value(
            Opt::FailOnSignal,
            "fail-on-signal",
            "LIST",
            Value::Signals,
            "death by one of these signals is permanent",
        )
        .repeats(Repeats::AddUp),
        Spec::switch(Opt::FailOnTimeout, "fail-on-timeout", "a timed-out attempt is permanent"),
        Spec::value(
            Opt::RetryOnOutput,
            "retry-on-output",
            "RE",
            Value::Text,
            "an attempt that prints a matching line is retryable",
        )
        .repeats(Repeats::AddUp)
        .more(
            "Whatever its exit status. The regular expression looks at each line of stdout and of stderr (at its first \
             64 KiB). Both then pass through `retry`, so the command sees a pipe, not a terminal. A retry rule, as \
             `--retry-on-exit` is.",
        ),
        Spec::value(
            Opt::FailOnOutput,
            "fail-on-output",
            "RE",
            Value::Text,
            "an attempt that prints a matching line is permanent",
        )
        .repeats(Repeats::AddUp)
        .more("Whatever its exit status. It beats every retry rule."),
        Spec::value(
            Opt::UntilOutput,
            "until-output",
            "RE",
            Value::Text,
            "retryable until a line matches, even if it exits 0",
        )
        .repeats(Repeats::AddUp)
        .more("Where a line matched, the exit status decides as ever. Of several expressions one match is enough."),
        Spec::value(Opt::Preset, "preset", "NAME", Value::Preset, "what the statuses of a common tool mean")
            .repeats(Repeats::Once)
            .brief()
            .more(
                "`retryctl preset list` names them, `retryctl preset show NAME` prints the rules and where each comes \
                 from. The options above are looked at first; what no rule names is permanent.",
            ),
    ],
};
