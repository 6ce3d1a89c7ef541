//! What the exit statuses of common tools mean. Contract 6-presets, P1 to P5.

mod listener;
mod table;

use std::ffi::{OsStr, OsString};

use crate::code_set::ExitSet;
use crate::policy::Verdict;

pub use self::listener::{Listener, Said, patterns};
pub use self::table::PRESETS;

/// Everything that is known of one tool.
#[derive(Debug)]
pub struct Preset {
    /// Its name, as `--preset` takes it.
    pub name: &'static str,
    /// The base names of the commands it is for.
    pub commands: &'static [&'static str],
    /// Statuses that are retryable whatever was printed.
    pub retry: ExitSet,
    /// Statuses that are success besides 0.
    pub success: ExitSet,
    /// What is looked for in what the tool prints, where its status alone says nothing.
    pub texts: &'static [Texts],
    /// Statuses that mean an HTTP status, which then decides.
    pub http: Option<Http>,
    /// Statuses after which the other side may have acted all the same (P5).
    pub ambiguous: ExitSet,
    /// Whether the tool speaks the language of the user, so that texts are known in English only.
    pub translated: bool,
    /// Options that silence it, so that no text can be there.
    pub silencers: &'static [&'static str],
    /// A text that says nothing, where the tool does not say more.
    pub empty_words: Option<EmptyWords>,
    /// What is said at the start of a run, where it applies.
    pub advice: Option<Advice>,
    /// How sure it is: A the tool's documents call it transient or permanent, B a documented meaning in our reading,
    /// C observed, D inferred.
    pub sureness: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What else there is to know; may be empty.
    pub note: &'static str,
    /// How to turn off the tool's own retries, since loops multiply (P4); empty if it has none.
    pub own_retries: &'static str,
}

/// Texts that decide what some statuses mean.
#[derive(Debug)]
pub struct Texts {
    /// The statuses in question.
    pub on: ExitSet,
    /// What they mean once one of the texts was seen. Of several, a permanent one wins.
    pub verdict: Verdict,
    /// Where they are looked for.
    pub from: From,
    /// Each a piece of a line, in any case of letters; `#` stands for a digit.
    pub any_of: &'static [&'static str],
}

/// Where a tool prints what tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// On standard error.
    Stderr,
    /// On either stream.
    Either,
}

/// How an HTTP status decides.
#[derive(Debug)]
pub struct Http {
    /// The statuses of the command that mean one.
    pub on: ExitSet,
    /// How the tool names it in an error; `###` stands for it.
    pub named: &'static str,
    /// What makes it visible.
    pub cure: &'static str,
}

/// What a tool says of every failure alike.
#[derive(Debug)]
pub struct EmptyWords {
    /// The text.
    pub text: &'static str,
    /// Options with which it says more.
    pub unless: &'static [&'static str],
    /// What makes it say more.
    pub cure: &'static str,
}

/// What of a tool's messages can be there at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hearing {
    /// They come in English.
    pub english: bool,
    /// An option keeps the tool from saying anything.
    pub silenced: bool,
    /// An option makes it say more than its empty words.
    pub talkative: bool,
    /// They do not pass through us.
    pub blind: bool,
}

impl Hearing {
    /// Everything that is said is heard and understood.
    pub const WHOLE: Hearing = Hearing { english: true, silenced: false, talkative: true, blind: false };
}

/// A mistake that makes a preset worthless, and what to do about it.
#[derive(Debug)]
pub struct Advice {
    /// Whether the command line makes it.
    pub applies: fn(&CommandLine<'_>) -> bool,
    /// The warning.
    pub text: &'static str,
}

/// A command with its environment, as advice looks at it.
pub struct CommandLine<'a> {
    args: Vec<&'a str>,
    variable: &'a dyn Fn(&str) -> Option<OsString>,
}

impl<'a> CommandLine<'a> {
    /// The command and its arguments, and how a variable of its environment is read.
    pub fn new(command: &'a [OsString], variable: &'a dyn Fn(&str) -> Option<OsString>) -> CommandLine<'a> {
        CommandLine { args: command.iter().filter_map(|arg| arg.to_str()).collect(), variable }
    }

    /// Whether one of the arguments is this, or begins with it and an equals sign.
    pub fn has(&self, option: &str) -> bool {
        self.args.iter().any(|arg| *arg == option || arg.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')))
    }

    /// Whether one of the arguments contains this.
    pub fn mentions(&self, text: &str) -> bool {
        self.args.iter().any(|arg| arg.contains(text))
    }

    /// Whether a letter stands among short options, as the `f` of `-fsS`. `flags` are those without a value: behind another
    /// letter stands its value, in which this one means nothing.
    pub fn has_letter(&self, letter: char, flags: &str) -> bool {
        self.args.iter().any(|arg| {
            let letters = arg.strip_prefix('-').unwrap_or_default();
            letters.find(letter).is_some_and(|at| letters[..at].chars().all(|c| flags.contains(c)))
        })
    }

    /// Whether a variable of the environment has this value.
    pub fn variable_is(&self, name: &str, value: &str) -> bool {
        (self.variable)(name).is_some_and(|found| found == value)
    }

    /// Whether messages come in English: by LC_ALL, LC_MESSAGES, LANG in this order, and LANGUAGE where it counts.
    pub fn speaks_english(&self) -> bool {
        let set = |name: &str| (self.variable)(name).filter(|value| !value.is_empty());
        let Some(locale) = set("LC_ALL").or_else(|| set("LC_MESSAGES")).or_else(|| set("LANG")) else { return true };
        let is = |value: &OsStr, names: &[&str]| {
            let value = value.to_string_lossy();
            let word = value.split(['.', '_', '@', ':']).next().unwrap_or_default();
            names.iter().any(|name| word.eq_ignore_ascii_case(name))
        };
        // gettext(3): LANGUAGE goes first, but not in the C locale.
        if is(&locale, &["C", "POSIX"]) {
            return true;
        }
        is(&set("LANGUAGE").unwrap_or(locale), &["C", "POSIX", "en"])
    }
}

impl Preset {
    /// The preset of a name.
    pub fn named(name: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| preset.name == name).copied()
    }

    /// What is wrong with a name that no preset has: the one that was nearly typed, or all of them.
    pub fn unknown(name: &str) -> String {
        let distance = |preset: &&Preset| strsim::damerau_levenshtein(name, preset.name);
        let near = PRESETS.iter().min_by_key(|preset| distance(preset));
        match near.filter(|near| distance(near) <= 2) {
            Some(near) => format!("there is no such preset; is it {}?", near.name),
            None => {
                let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
                format!("expected one of {}", names.join(", "))
            }
        }
    }

    /// Whether a command is the tool: by its base name, also with a version behind it (`python3.11`, `pip3`).
    pub fn is_for(&self, command: &OsStr) -> bool {
        let command = command.to_string_lossy();
        let base = command.rsplit('/').next().unwrap_or_default();
        self.commands.is_empty()
            || self.commands.iter().any(|name| {
                base.strip_prefix(name).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
            })
    }

    /// Whether what the tool prints on standard error is to be read.
    pub fn reads_stderr(&self) -> bool {
        !self.texts.is_empty() || self.http.is_some()
    }

    /// Whether what it prints on standard output is to be read as well.
    pub fn reads_stdout(&self) -> bool {
        self.texts.iter().any(|texts| texts.from == From::Either)
    }

    /// What of the tool's messages can be there, by the command line; `blind` where they do not pass through us.
    pub fn hearing(&self, line: &CommandLine<'_>, blind: bool) -> Hearing {
        Hearing {
            english: line.speaks_english(),
            silenced: self.silencers.iter().any(|option| line.has(option)),
            talkative: self.empty_words.as_ref().is_none_or(|words| words.unless.iter().any(|option| line.has(option))),
            blind,
        }
    }

    /// What is to be said once, before the first attempt.
    pub fn advice_for(&self, line: &CommandLine<'_>) -> Option<&'static str> {
        self.advice.as_ref().filter(|advice| (advice.applies)(line)).map(|advice| advice.text)
    }
}

#[cfg(test)]
mod tests;
