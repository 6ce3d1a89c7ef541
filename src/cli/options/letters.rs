//! The options of `retryctl`: which letters, how they are shown, how they are run again.

use crate::cli::spec::{Environment, Group, Opt, Repeats, Spec, Value};

const fn choice(opt: Opt, long: &'static str, words: &'static [&'static str], help: &'static str) -> Spec {
    Spec::value(opt, long, "WORD", Value::Choice(words), help).environment(Environment::No)
}

const fn choices(opt: Opt, long: &'static str, words: &'static [&'static str], help: &'static str) -> Spec {
    Spec::value(opt, long, "WORD,...", Value::Choices(words), help).repeats(Repeats::AddUp).environment(Environment::No)
}

const fn value(opt: Opt, long: &'static str, metavar: &'static str, value: Value, help: &'static str) -> Spec {
    Spec::value(opt, long, metavar, value, help).environment(Environment::No)
}

const fn switch(opt: Opt, long: &'static str, help: &'static str) -> Spec {
    Spec::switch(opt, long, help).environment(Environment::No)
}

/// The states of a letter. Contract D23.
const STATES: &[&str] = &["dead", "replaying", "in_doubt", "replayed", "discarded", "poison"];

/// Which letters.
pub(in crate::cli) const FILTERS: Group = Group {
    title: "Which letters",
    options: &[
        switch(Opt::All, "all", "every open letter that is neither in doubt nor poison"),
        value(Opt::LetterJob, "job", "JOB", Value::Text, "of this job"),
        choices(Opt::State, "state", STATES, "in these states")
            .default("those that are open: dead, in_doubt and poison"),
        value(Opt::Since, "since", "DUR", Value::Duration, "younger than this"),
        value(Opt::Until, "until", "DUR", Value::Duration, "older than this"),
        value(Opt::Exit, "exit", "LIST", Value::Exits, "whose last exit status is one of these")
            .repeats(Repeats::AddUp)
            .more("Statuses, ranges and names as for `retry --retry-on-exit`."),
        choice(
            Opt::Ending,
            "ending",
            &["permanent", "exhausted", "deadline", "retry_after_too_long", "interrupted"],
            "that ended so",
        ),
        value(Opt::Grep, "grep", "RE", Value::Text, "whose job, arguments or error text match"),
        value(Opt::File, "file", "FILE", Value::File, "this dead-letter file; may be repeated")
            .repeats(Repeats::AddUp)
            .default("the one that retry would use"),
        switch(Opt::Yes, "yes", "do not ask")
            .more("Changing more than one letter, and any purge, asks first on a terminal and needs this elsewhere."),
    ],
};

/// How they are shown.
pub(in crate::cli) const SHOW: Group = Group {
    title: "What is shown",
    options: &[
        choice(Opt::ListFormat, "format", &["table", "jsonl", "ids"], "table, jsonl or ids").default("table").more(
            "The table has letters of the same job, arguments and directory in one row with a count; the others give \
             each letter.",
        ),
        value(Opt::Count, "count", "N", Value::Number, "only the newest N").short('n'),
        switch(Opt::Reveal, "reveal", "show secrets, recorded variables and stored input"),
        switch(Opt::Json, "json", "print the record as JSON"),
        switch(Opt::Shell, "shell", "print a line for the shell that runs the command as it was run")
            .more("Directory, variables and arguments, quoted. Without `--reveal` it has no secrets and will not run."),
        choice(Opt::LetterStatsBy, "by", &["job", "ending", "exit"], "count by job, ending or exit").default("job"),
        choice(Opt::StatsFormat, "format", &["table", "json"], "table or json").default("table"),
        value(Opt::Warn, "warn", "N", Value::Number, "warning from this many open letters on").default("1"),
        value(Opt::Crit, "crit", "N", Value::Number, "critical from this many open letters on").default("10"),
        value(Opt::MaxAge, "max-age", "DUR", Value::Duration, "critical if the oldest open letter is older"),
        Spec::value(Opt::StatsDir, "metrics-dir", "DIR", Value::Directory, "where runs are counted; needed")
            .more("RETRY_DEFAULT_METRICS_DIR says it too."),
        choice(Opt::StatsBy, "by", &["job", "error"], "by job, or by class of error across jobs").default("job").more(
            "One class that spikes is a dependency that is down; varied errors of one job are a fault of the job.",
        ),
    ],
};

/// How they are run again, or put away.
pub(in crate::cli) const REPLAY: Group = Group {
    title: "Running again",
    options: &[
        value(Opt::ReplayTries, "max-tries", "N", Value::Number, "attempts of each replay").default("as recorded"),
        value(Opt::Rate, "rate", "N/UNIT", Value::Text, "at most so many replays: 2/s, 10/m or 100/h"),
        value(Opt::StopAfter, "stop-after", "N", Value::Number, "stop after N failed replays in a row")
            .default("3")
            .more("The first letter of a batch is a probe: if it fails, the batch stops there."),
        switch(Opt::NewestOfGroup, "newest", "run only the newest of each group, discard the rest").more(
            "A group has the same job, arguments and directory: a job that runs each minute need not be run 2,880 \
             times after a weekend. The rest is discarded once the newest has succeeded.",
        ),
        switch(Opt::InDoubt, "in-doubt", "also letters whose replay was cut off")
            .more("Nobody knows what that replay did before it was killed."),
        switch(Opt::Poison, "poison", "also letters of which three replays failed"),
        switch(Opt::DryRun, "dry-run", "say what would be run, and run nothing"),
        switch(Opt::OtherHost, "other-host", "also letters that another host wrote"),
        switch(Opt::ChangedInput, "changed-input", "also if the input file is no longer as it was"),
        value(Opt::ReplayStdin, "stdin", "FILE", Value::File, "give this file as input; null is /dev/null")
            .default("as recorded"),
        value(Opt::EnvFile, "env-file", "FILE", Value::File, "set the variables in FILE, NAME=VALUE a line"),
        value(Opt::Reason, "reason", "TEXT", Value::Text, "why, for the record"),
        value(Opt::OlderThan, "older-than", "DUR", Value::Duration, "purge what is older; needed"),
        choices(
            Opt::PurgeState,
            "state",
            &["dead", "in_doubt", "replayed", "discarded", "poison", "all"],
            "purge letters in these states, or all",
        )
        .default("replayed,discarded"),
    ],
};
