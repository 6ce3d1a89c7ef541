//! The verbs of `retryctl`, and which options each takes.

use super::spec::Opt;

/// A verb of `retryctl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each variant is its words; the table says what it does.
pub enum Verb {
    LetterList,
    LetterShow,
    LetterReplay,
    LetterDiscard,
    LetterRestore,
    LetterPurge,
    LetterStats,
    LetterCheck,
    LetterVerify,
    LetterPath,
    Stats,
    PresetList,
    PresetShow,
}

/// What there is to know about a verb.
#[derive(Clone, Copy, Debug)]
pub struct VerbSpec {
    /// Which it is.
    pub verb: Verb,
    /// How it is written: `["dead-letter", "list"]`.
    pub words: &'static [&'static str],
    /// Its operands, as a synopsis shows them; empty if it takes none.
    pub operands: &'static str,
    /// What it does in one line: lower case, no full stop.
    pub help: &'static str,
    /// What else there is to say, in sentences; code stands in backquotes.
    pub more: &'static str,
    /// The options it takes, besides help and version.
    pub options: &'static [Opt],
}

impl VerbSpec {
    /// `dead-letter list`.
    pub fn name(&self) -> String {
        self.words.join(" ")
    }

    /// Whether letters are named by id among its operands.
    pub fn takes_ids(&self) -> bool {
        self.operands.contains("ID")
    }
}

/// `dl` is short for `dead-letter`.
pub const SHORT_FOR_DEAD_LETTER: &str = "dl";

/// The options before the filters that choose letters, these, and those after them.
macro_rules! with_filters {
    ([$($before:expr),*] [$($after:expr),*]) => {
        &[
            $($before,)*
            Opt::LetterJob, Opt::State, Opt::Since, Opt::Until, Opt::Exit, Opt::Ending, Opt::Grep,
            $($after,)*
        ]
    };
}

/// Every verb.
pub static VERBS: &[VerbSpec] = &[
    VerbSpec {
        verb: Verb::LetterList,
        words: &["dead-letter", "list"],
        operands: "",
        help: "list open letters, oldest first",
        more: "Id, age, job, attempts, how the run ended and its last error. Letters of the same job, arguments and \
               directory are one row with a count.",
        options: with_filters!([] [Opt::Count, Opt::ListFormat, Opt::Reveal, Opt::File]),
    },
    VerbSpec {
        verb: Verb::LetterShow,
        words: &["dead-letter", "show"],
        operands: "ID...",
        help: "show all that is known of a letter",
        more: "Secrets are hidden unless `--reveal` is given. An id may be shortened to any unique beginning or end of \
               4 characters or more.",
        options: &[Opt::Json, Opt::Shell, Opt::Reveal, Opt::File],
    },
    VerbSpec {
        verb: Verb::LetterReplay,
        words: &["dead-letter", "replay"],
        operands: "[ID...|-]",
        help: "run letters again",
        more: "With fresh attempts, under the recorded policy, with the recorded arguments, directory, umask and input, \
               today's environment and what was recorded of the old one, and the same RETRY_IDEMPOTENCY_KEY. Letters \
               are named by id, by `--all` or by filters; `-` reads records from standard input and needs `--yes`. A \
               batch runs the oldest first.",
        options: with_filters!([Opt::All] [
            Opt::ReplayTries, Opt::Rate, Opt::StopAfter, Opt::NewestOfGroup, Opt::InDoubt, Opt::Poison, Opt::DryRun,
            Opt::OtherHost, Opt::ChangedInput, Opt::ReplayStdin, Opt::EnvFile, Opt::Yes, Opt::File
        ]),
    },
    VerbSpec {
        verb: Verb::LetterDiscard,
        words: &["dead-letter", "discard"],
        operands: "[ID...]",
        help: "put letters away that need no replay",
        more: "Nothing is deleted: `restore` brings them back, `purge` deletes them in time.",
        options: with_filters!([Opt::All] [Opt::Reason, Opt::Yes, Opt::File]),
    },
    VerbSpec {
        verb: Verb::LetterRestore,
        words: &["dead-letter", "restore"],
        operands: "ID...",
        help: "make discarded letters open again",
        more: "",
        options: &[Opt::Yes, Opt::File],
    },
    VerbSpec {
        verb: Verb::LetterPurge,
        words: &["dead-letter", "purge"],
        operands: "",
        help: "delete old letters that are replayed or discarded",
        more: "The only verb that rewrites the file. What is open, and what it cannot read, is kept, unless `--state` \
               names it.",
        options: &[Opt::OlderThan, Opt::PurgeState, Opt::Yes, Opt::File],
    },
    VerbSpec {
        verb: Verb::LetterStats,
        words: &["dead-letter", "stats"],
        operands: "",
        help: "count letters: how many, how old, of what",
        more: "",
        options: &[Opt::LetterStatsBy, Opt::StatsFormat, Opt::File],
    },
    VerbSpec {
        verb: Verb::LetterCheck,
        words: &["dead-letter", "check"],
        operands: "",
        help: "for monitoring: exit 0, 1 or 2 by their number",
        more: "Prints one line with performance data, as monitoring plugins do. 3 stands for wrong usage, or a file \
               that was named and is missing.",
        options: &[Opt::Warn, Opt::Crit, Opt::MaxAge, Opt::File],
    },
    VerbSpec {
        verb: Verb::LetterVerify,
        words: &["dead-letter", "verify"],
        operands: "",
        help: "name the lines that cannot be read",
        more: "Exits 65 if there are any.",
        options: &[Opt::File],
    },
    VerbSpec {
        verb: Verb::LetterPath,
        words: &["dead-letter", "path"],
        operands: "",
        help: "print the file that would be used",
        more: "",
        options: &[Opt::File],
    },
    VerbSpec {
        verb: Verb::Stats,
        words: &["stats"],
        operands: "",
        help: "per job: runs, success rates, commonest error",
        more: "From the files that `retry --metrics-dir` writes, and the dead letters, whose numbers it adds to them. Where the first rate falls and the second does not, \
               retries are hiding something.",
        options: &[Opt::StatsDir, Opt::StatsBy, Opt::StatsFormat, Opt::File],
    },
    VerbSpec {
        verb: Verb::PresetList,
        words: &["preset", "list"],
        operands: "",
        help: "name the presets",
        more: "",
        options: &[],
    },
    VerbSpec {
        verb: Verb::PresetShow,
        words: &["preset", "show"],
        operands: "NAME",
        help: "print the rules of a preset and where they come from",
        more: "",
        options: &[],
    },
];
