//! What there is to know about one option: its names, its value, its repeats, its words of help.

/// Names an option of either program.
///
/// `BriefHelp` is `-h` and `Help` is `--help`: they print different things. What `retryctl` alone has begins at `All`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each variant is its long name; the table says what it means.
#[rustfmt::skip]
pub enum Opt {
    MaxTries, Base, Cap, Factor, Backoff, Delays, Jitter, Splay, MaxElapsed, ResetAfter, Seed,
    Timeout, Signal, KillAfter, Foreground, PreserveStatus,
    RetryOnExit, FailOnExit, SucceedOnExit, RetryOnSignal, FailOnSignal, FailOnTimeout,
    RetryOnOutput, FailOnOutput, UntilOutput, Preset,
    Stdin, StdinMax, Output,
    Hints, RetryAfterMax, IgnoreRetryAfter,
    DeadLetter, NoDeadLetter, Job, IdempotencyKey, RecordEnv, RecordStdin, Redact, Report, ReportFull,
    Quiet, Verbose, LogFormat, LogFile, Ci, CiOutput, MetricsDir,
    OnRetry, OnFailure, OnSuccess, HookTimeout, HookRecord,
    Plan, BriefHelp, Help, Version,
    All, LetterJob, State, Since, Until, Exit, Ending, Grep, Newest, File, Yes,
    ListFormat, Count, Reveal, Json, Shell,
    ReplayTries, Rate, StopAfter, NewestOfGroup, InDoubt, Poison, DryRun, OtherHost, ChangedInput, ReplayStdin, EnvFile,
    Reason, OlderThan, PurgeState, LetterStatsBy, StatsFormat, Warn, Crit, MaxAge, StatsBy, StatsDir,
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: it is a switch; `=true` and `=false` are understood where the environment may set it.
    Nothing,
    /// A value, in the next argument or after `=`.
    Value(Value),
    /// A value after `=`, or none.
    Maybe(Value),
}

/// The kind of a value, for completions and for what an error says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A count or another number.
    Number,
    /// A time, such as `1h30m`.
    Duration,
    /// A number of bytes, such as `64K`.
    Size,
    /// Free text.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Some of these words, with commas.
    Choices(&'static [&'static str]),
    /// The path of a file.
    File,
    /// The path of a directory.
    Directory,
    /// Exit statuses with commas.
    Exits,
    /// One signal.
    Signal,
    /// Signals with commas.
    Signals,
    /// The name of a preset.
    Preset,
    /// A line for `sh -c`.
    Shell,
    /// Names of variables, with commas.
    Variables,
}

/// What an option given twice means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// The last one wins (R4).
    LastWins,
    /// They add up (R20); the command line replaces what the environment says.
    AddUp,
    /// They add up, also to what the environment says: what hides secrets is never replaced by accident.
    AddToEnvironment,
    /// A second one is an error (P2).
    Once,
}

/// Whether `RETRY_DEFAULT_…` may give the option. Contract R4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Environment {
    /// It may.
    Yes,
    /// Not inside another run, whose affair it is.
    OutermostRun,
    /// Never.
    No,
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Which it is.
    pub opt: Opt,
    /// Its long name without hyphens; empty for `-h`.
    pub long: &'static str,
    /// Its letter, if it has one.
    pub short: Option<char>,
    /// What it takes.
    pub takes: Takes,
    /// How its value is called in help; empty for a switch.
    pub metavar: &'static str,
    /// What holds without it; empty where that is nothing.
    pub default: &'static str,
    /// What giving it twice means.
    pub repeats: Repeats,
    /// Whether the environment may give it.
    pub environment: Environment,
    /// Whether `-h` shows it.
    pub brief: bool,
    /// Its meaning in one line: lower case, no full stop.
    pub help: &'static str,
    /// What else there is to say, in sentences; code stands in backquotes.
    pub more: &'static str,
}

impl Spec {
    /// A switch.
    pub const fn switch(opt: Opt, long: &'static str, help: &'static str) -> Spec {
        Spec {
            opt,
            long,
            short: None,
            takes: Takes::Nothing,
            metavar: "",
            default: "",
            repeats: Repeats::LastWins,
            environment: Environment::Yes,
            brief: false,
            help,
            more: "",
        }
    }

    /// An option with a value.
    pub const fn value(opt: Opt, long: &'static str, metavar: &'static str, value: Value, help: &'static str) -> Spec {
        let mut spec = Spec::switch(opt, long, help);
        spec.takes = Takes::Value(value);
        spec.metavar = metavar;
        spec
    }

    /// Makes the value optional: `--plan`, `--plan=json`.
    pub const fn maybe(mut self) -> Spec {
        if let Takes::Value(value) = self.takes {
            self.takes = Takes::Maybe(value);
        }
        self
    }

    /// Gives it a letter.
    pub const fn short(mut self, letter: char) -> Spec {
        self.short = Some(letter);
        self
    }

    /// Says what holds without it.
    pub const fn default(mut self, text: &'static str) -> Spec {
        self.default = text;
        self
    }

    /// Says what giving it twice means.
    pub const fn repeats(mut self, repeats: Repeats) -> Spec {
        self.repeats = repeats;
        self
    }

    /// Says whether the environment may give it.
    pub const fn environment(mut self, environment: Environment) -> Spec {
        self.environment = environment;
        self
    }

    /// Shows it in `-h`.
    pub const fn brief(mut self) -> Spec {
        self.brief = true;
        self
    }

    /// Adds the rest of its documentation.
    pub const fn more(mut self, text: &'static str) -> Spec {
        self.more = text;
        self
    }

    /// Whether it is a switch.
    pub fn is_switch(&self) -> bool {
        self.takes == Takes::Nothing
    }

    /// `--timeout`, or `-h` where there is no long name.
    pub fn name(&self) -> String {
        match self.short {
            Some(letter) if self.long.is_empty() => format!("-{letter}"),
            _ => format!("--{}", self.long),
        }
    }

    /// `RETRY_DEFAULT_TIMEOUT`.
    pub fn variable(&self) -> String {
        format!("RETRY_DEFAULT_{}", self.long.replace('-', "_").to_ascii_uppercase())
    }

    /// The words to choose from, if that is what the value is.
    pub fn choices(&self) -> &'static [&'static str] {
        match self.takes {
            Takes::Value(Value::Choice(words) | Value::Choices(words))
            | Takes::Maybe(Value::Choice(words) | Value::Choices(words)) => words,
            _ => &[],
        }
    }
}

impl Spec {
    /// The words to choose from where the texts do not name them all, as a sentence; else nothing.
    pub fn untold_choices(&self) -> String {
        let told = |word: &&str| self.help.contains(*word) || self.more.contains(*word);
        if self.choices().iter().all(told) { String::new() } else { format!("Words: {}.", self.choices().join(", ")) }
    }
}

/// Options for one purpose.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// What the purpose is.
    pub title: &'static str,
    /// The options.
    pub options: &'static [Spec],
}
