//! What is kept of a run: its dead letter, its report, and its names.

use crate::cli::spec::{Environment, Group, Opt, Repeats, Spec, Value};

/// Dead letters.
pub(in crate::cli) const RECORDS: Group = Group {
    title: "Dead letters and records",
    options: &[
        Spec::value(Opt::DeadLetter, "dead-letter", "FILE", Value::File, "where the record of a run that failed goes")
            .default("see FILES in the manual")
            .brief()
            .more(
                "One line of JSON is appended, with all that is needed to understand the failure and to run the command \
                 again: `retryctl dead-letter list`, `show`, `replay`. A file named here that cannot be opened is an \
                 error before the first attempt.",
            ),
        Spec::switch(Opt::NoDeadLetter, "no-dead-letter", "keep no record"),
        Spec::value(Opt::Job, "job", "NAME", Value::Text, "name of the job in records, metrics and messages")
            .default("the command's base name")
            .environment(Environment::No),
        Spec::value(
            Opt::IdempotencyKey,
            "idempotency-key",
            "KEY",
            Value::Text,
            "RETRY_IDEMPOTENCY_KEY for every attempt and replay",
        )
        .default("the run's id")
        .environment(Environment::No)
        .more("For a command that may have acted although it failed: the other side can recognise the second request."),
        Spec::value(
            Opt::RecordEnv,
            "record-env",
            "NAME,...",
            Value::Variables,
            "variables that a replay needs",
        )
        .repeats(Repeats::AddUp)
        .more("PATH, HOME, LANG, LC_ALL and TZ are recorded anyway. Values are shown only by `retryctl ... --reveal`."),
        Spec::value(Opt::RecordStdin, "record-stdin", "SIZE", Value::Size, "how much input a dead letter may hold")
            .default("64K")
            .more("A longer input, or one whose end was not seen, is not stored, and the letter says so."),
        Spec::value(Opt::Redact, "redact", "RE", Value::Text, "hide what matches wherever a run is shown")
            .repeats(Repeats::AddToEnvironment)
            .more(
                "Besides what looks like a secret by its name or place (`--password=...`, `scheme://user:...@`, \
                 `Authorization:`). The dead-letter file itself, of mode 0600, holds the real arguments.",
            ),
        Spec::value(Opt::Report, "report", "FILE", Value::File, "write the record of every run, good or bad")
            .environment(Environment::OutermostRun)
            .more("Replaces FILE (mode 0600) by one JSON object, redacted, so that CI can upload it."),
        Spec::switch(Opt::ReportFull, "report-full", "do not redact the report"),
    ],
};
