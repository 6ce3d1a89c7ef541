//! What to run and how: plain values, made from options without an effect.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::machine::Limits;
use crate::policy::Rules;
use crate::record::Setting;
use crate::signal::Signal;

/// One job: a command and everything that was said about running it.
#[derive(Clone, Debug)]
pub struct Job {
    /// The command and its arguments; never empty.
    pub command: Vec<OsString>,
    /// Its name in records, metrics and messages (R41).
    pub name: String,
    /// `--idempotency-key`.
    pub idempotency_key: Option<String>,
    /// How often, how long, how far apart.
    pub limits: Limits,
    /// What its outcomes mean.
    pub rules: Rules,
    /// The name of its preset, which stands in the table of presets.
    pub preset: Option<String>,
    /// What is looked for in its output.
    pub output_rules: OutputPatterns,
    /// How an attempt is ended.
    pub ending: AttemptEnding,
    /// What it reads and where what it prints goes.
    pub streams: Streams,
    /// Which hints are heard.
    pub hints: Hints,
    /// What happens to its records.
    pub letters: Letters,
    /// What is said about it, and where.
    pub notices: NoticeSettings,
    /// What is called at its turns.
    pub hooks: Hooks,
    /// `--metrics-dir`.
    pub metrics_dir: Option<PathBuf>,
    /// `--seed`.
    pub seed: Option<u64>,
    /// The effective options that a replay needs, by long name (D10, D32): a string, or a list where they add up.
    pub policy: BTreeMap<String, Setting>,
}

/// Regular expressions over lines of output, as they were typed and found to be valid. Contract S20.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutputPatterns {
    /// `--retry-on-output`.
    pub retry: Vec<String>,
    /// `--fail-on-output`.
    pub fail: Vec<String>,
    /// `--until-output`.
    pub until: Vec<String>,
}

/// How an attempt is ended by its time limit or by a signal.
#[derive(Clone, Debug, PartialEq)]
pub struct AttemptEnding {
    /// The first signal of the time limit.
    pub signal: Signal,
    /// From the time limit's signal to KILL.
    pub grace: Duration,
    /// From a forwarded signal to KILL: only where `--kill-after` was given (C20).
    pub grace_after_forwarding: Option<Duration>,
    /// `--foreground`: the child stays in our process group (C10).
    pub foreground: bool,
    /// `--preserve-status`: a time limit leaves the command's own status, as in timeout(1).
    pub preserve_status: bool,
}

/// Where an attempt's standard input comes from. Contract S1 to S4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StdinMode {
    /// By its kind: a pipe or socket is replayed, a file put back, all else inherited.
    Auto,
    /// What `retry` has, as it is.
    Inherit,
    /// What was read once is given again.
    Replay,
    /// /dev/null.
    Null,
}

/// Where an attempt's output goes. Contract S10 to S12.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputMode {
    /// As it comes, stderr through us.
    Live,
    /// As it comes, nothing through us.
    Inherit,
    /// Only that of the attempt that succeeds.
    Final,
    /// Only when the run fails, as one report.
    OnFailure,
}

/// Standard input, output and error.
#[derive(Clone, Debug, PartialEq)]
pub struct Streams {
    /// `--stdin`.
    pub stdin: StdinMode,
    /// The most that is kept for later attempts, in bytes.
    pub stdin_max: u64,
    /// The most that a dead letter stores of the input, in bytes.
    pub record_stdin: u64,
    /// `--output`.
    pub output: OutputMode,
}

/// Which hints are heard. Contract S30, S31.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// `--hints http`.
    pub http: bool,
    /// `--hints file`.
    pub file: bool,
}

/// What happens to the records of a run. Contract D1, D12, D13, D15.
#[derive(Clone, Debug, Default)]
pub struct Letters {
    /// `--dead-letter` or its variable; `None` is the default place.
    pub file: Option<PathBuf>,
    /// `--no-dead-letter`.
    pub off: bool,
    /// `--record-env`.
    pub record_env: Vec<String>,
    /// `--redact`, valid expressions.
    pub redact: Vec<String>,
    /// `--report`.
    pub report: Option<PathBuf>,
    /// `--report-full`.
    pub report_full: bool,
}

/// How much is said. Contract W3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// `-qq`: nothing but a letter that could not be saved.
    Silent,
    /// `-q`: errors of `retry` itself, the end of a bad run, what was lost.
    Quiet,
    /// Failed attempts, and the end where there was one.
    Normal,
    /// `-v`: each attempt's start and end.
    Verbose,
    /// `-vv`: why each rule decided.
    Debug,
}

/// The form of messages. Contract W5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// One object a line.
    Json,
}

/// Which continuous integration's marks are printed. Contract W7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ci {
    /// By the environment.
    Auto,
    /// GitHub Actions.
    Github,
    /// GitLab CI.
    Gitlab,
    /// None.
    None,
}

/// What is said about a run, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct NoticeSettings {
    /// `-q`, `-v`.
    pub verbosity: Verbosity,
    /// `--log-format`.
    pub format: LogFormat,
    /// `--log-file`.
    pub log_file: Option<PathBuf>,
    /// `--ci`.
    pub ci: Ci,
    /// `--ci-output`.
    pub ci_output: Option<String>,
}

/// Whether a hook gets the record with or without its secrets. Contract D40.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookRecord {
    /// Secrets masked.
    Redacted,
    /// As in the dead letter.
    Full,
}

/// What is called at the turns of a run. Contract D40.
#[derive(Clone, Debug, PartialEq)]
pub struct Hooks {
    /// `--on-retry`.
    pub on_retry: Option<OsString>,
    /// `--on-failure`.
    pub on_failure: Option<OsString>,
    /// `--on-success`.
    pub on_success: Option<OsString>,
    /// The limit of each call.
    pub timeout: Duration,
    /// What they get as standard input.
    pub record: HookRecord,
}
