//! The options themselves, one file a purpose.

pub(super) mod attempts;
pub(super) mod letters;
pub(super) mod records;
pub(super) mod reporting;
pub(super) mod streams;
pub(super) mod verdicts;

use super::spec::{Environment, Group, Opt, Spec, Value};

/// What runs nothing.
pub(super) const ABOUT: Group = Group {
    title: "The plan and help",
    options: &[
        Spec::value(
            Opt::Plan,
            "plan",
            "FORMAT",
            Value::Choice(&["text", "json"]),
            "print the schedule and run nothing",
        )
        .maybe()
        .default("text")
        .environment(Environment::No)
        .brief()
        .more(
            "For each attempt the ceiling of the delay after it, the mean and the running worst case; then the \
                 totals, and whether `--max-elapsed` cuts the schedule. The code is that of a run, with an invented \
                 clock. No command is needed. `--plan=json` prints the same as JSON.",
        ),
        BRIEF_HELP,
        HELP,
        VERSION,
    ],
};

/// The same for `retryctl`.
pub const CTL_ABOUT: Group = Group { title: "Help", options: &[BRIEF_HELP, HELP, VERSION] };

const BRIEF_HELP: Spec =
    Spec::switch(Opt::BriefHelp, "", "print one screen of help and exit").short('h').environment(Environment::No);
const HELP: Spec = Spec::switch(Opt::Help, "help", "print all options and exit").environment(Environment::No).brief();
const VERSION: Spec =
    Spec::switch(Opt::Version, "version", "print the version and exit").short('V').environment(Environment::No);
