//! What `retry` says, to whom, and what it starts at the end.

use crate::cli::spec::{Environment, Group, Opt, Repeats, Spec, Value};

/// Messages and metrics.
pub(in crate::cli) const MESSAGES: Group = Group {
    title: "Messages and metrics",
    options: &[
        Spec::switch(Opt::Quiet, "quiet", "say only errors and the end of a bad run")
            .short('q')
            .repeats(Repeats::AddUp)
            .brief()
            .more("Given twice, nothing but a dead letter that could not be saved."),
        Spec::switch(Opt::Verbose, "verbose", "say when each attempt starts and ends")
            .short('v')
            .repeats(Repeats::AddUp)
            .brief()
            .more("Given twice, also which rule decided, and why."),
        Spec::value(
            Opt::LogFormat,
            "log-format",
            "FORMAT",
            Value::Choice(&["text", "json"]),
            "text, or json: one object a line",
        )
        .default("text")
        .more("The events are `attempt_finished`, `waiting` and `finished`, with the field names of the record."),
        Spec::value(Opt::LogFile, "log-file", "FILE", Value::File, "append messages to FILE instead of stderr"),
        Spec::value(
            Opt::Ci,
            "ci",
            "SYSTEM",
            Value::Choice(&["auto", "github", "gitlab", "none"]),
            "groups and annotations of a CI system",
        )
        .default("auto")
        .more("auto looks for GITHUB_ACTIONS=true and GITLAB_CI. A run whose first attempt succeeds says nothing."),
        Spec::value(
            Opt::CiOutput,
            "ci-output",
            "PREFIX",
            Value::Text,
            "set step outputs whose names start with PREFIX",
        )
        .more("`PREFIXattempts`, `PREFIXexit_code` and `PREFIXending`, in the file that GITHUB_OUTPUT names. Letters, digits, `_` and `-`."),
        Spec::value(
            Opt::MetricsDir,
            "metrics-dir",
            "DIR",
            Value::Directory,
            "count runs for Prometheus in DIR/retry_JOB.prom",
        )
        .more("For the textfile collector of node_exporter. `retryctl stats` reads the same files."),
    ],
};

/// Hooks.
pub(in crate::cli) const HOOKS: Group = Group {
    title: "Hooks",
    options: &[
        Spec::value(Opt::OnRetry, "on-retry", "CMD", Value::Shell, "run CMD before each delay")
            .environment(Environment::OutermostRun)
            .more(
                "By `sh -c`, with the record on stdin and RETRY_ENDING, RETRY_EXIT, RETRY_ATTEMPTS, RETRY_DELAY_MS and \
                 RETRY_DEAD_LETTER_ID set where they are known. Its stdout goes to stderr. A hook that fails is one \
                 warning and changes nothing.",
            ),
        Spec::value(Opt::OnFailure, "on-failure", "CMD", Value::Shell, "run CMD after a run that ended badly")
            .environment(Environment::OutermostRun),
        Spec::value(Opt::OnSuccess, "on-success", "CMD", Value::Shell, "run CMD after a run that succeeded")
            .environment(Environment::OutermostRun),
        Spec::value(Opt::HookTimeout, "hook-timeout", "DUR", Value::Duration, "limit of one hook")
            .default("30s")
            .environment(Environment::OutermostRun),
        Spec::value(
            Opt::HookRecord,
            "hook-record",
            "HOW",
            Value::Choice(&["redacted", "full"]),
            "whether hooks get secrets: redacted or full",
        )
        .default("redacted")
        .environment(Environment::OutermostRun),
    ],
};
