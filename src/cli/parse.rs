//! From argv to settings. Contract R2, R3.

use std::ffi::{OsStr, OsString};

use lexopt::{Arg, Parser};

use super::settings::{Lookup, Settings};
use super::spec::{Environment, Opt, Repeats, Spec, Takes};
use super::table;
use super::usage_error::{UsageError, nearest, one_of, quoted};
use super::verbs::{SHORT_FOR_DEAD_LETTER, VERBS, VerbSpec};

/// What a command line asks for.
pub enum Asked<'a> {
    /// `-h`.
    BriefHelp,
    /// `--help`.
    Help,
    /// `--version`.
    Version,
    /// The work itself.
    Work(Settings<'a>),
}

/// Reads the arguments of `retry`, without its own name. Options end at the first operand or at `--`.
///
/// # Errors
/// An unknown option, one without its value, one that may not be repeated, or no command (unless `--plan`).
pub fn retry<'a>(args: Vec<OsString>, environment: Lookup<'a>) -> Result<Asked<'a>, UsageError> {
    let mut settings = Settings::new(environment);
    let mut line = Parser::from_args(args);
    loop {
        match line.next().map_err(unread)? {
            Some(Arg::Value(command)) => {
                settings.operands.push(command);
                settings.operands.extend(line.raw_args().map_err(unread)?);
                break;
            }
            Some(option) => {
                let (spec, written) = find(table::options(table::RETRY), &option, "retry --help")?;
                if let Some(asked) = take(&mut line, spec, written, &mut settings)? {
                    return Ok(asked);
                }
            }
            None => break,
        }
    }
    match settings.operands.first() {
        Some(command) if command.is_empty() => Err(UsageError::new("the command is empty: expected its name or path")),
        None if settings.on_line(Opt::Plan).is_none() => {
            Err(UsageError::new("no command given: expected retry [OPTIONS] [--] COMMAND [ARG]..., see retry -h"))
        }
        _ => Ok(Asked::Work(settings)),
    }
}

/// Reads the arguments of `retryctl`, without its own name: a verb, then its options and operands in any order.
///
/// The verb is there as soon as it is known, also with an error and with a call for help: `check` has an exit status
/// of its own for wrong usage (D31).
pub fn retryctl<'a>(
    args: Vec<OsString>,
    environment: Lookup<'a>,
) -> (Option<&'static VerbSpec>, Result<Asked<'a>, UsageError>) {
    let mut verb = None;
    let asked = verb_line(args, environment, &mut verb);
    (verb, asked)
}

fn verb_line<'a>(
    args: Vec<OsString>,
    environment: Lookup<'a>,
    verb: &mut Option<&'static VerbSpec>,
) -> Result<Asked<'a>, UsageError> {
    let mut settings = Settings::new(environment);
    let mut words: Vec<String> = Vec::new();
    // Options may stand before the verb that says what they mean: they are read when the verb is known.
    let mut line = Parser::from_args(verb_first(args));
    while let Some(arg) = line.next().map_err(unread)? {
        match (arg, *verb) {
            (Arg::Value(operand), Some(_)) => settings.operands.push(operand),
            (Arg::Value(word), None) => {
                let word = word.to_string_lossy().into_owned();
                words.push(if words.is_empty() && word == SHORT_FOR_DEAD_LETTER { "dead-letter".into() } else { word });
                *verb = find_verb(&words)?;
            }
            // What it means, only a verb could say.
            (option, None) if all_options().any(|spec| is_named(spec, &option)) => break,
            (option, verb) => {
                let (options, place) = match verb {
                    Some(verb) => (verb.options, format!("retryctl {} --help", verb.name())),
                    None => ([].as_slice(), String::from("retryctl --help")),
                };
                let specs = options.iter().map(|opt| table::spec(*opt)).chain(table::CTL_ABOUT.options);
                let (spec, written) = find(specs, &option, &place)?;
                if let Some(asked) = take(&mut line, spec, written, &mut settings)? {
                    return Ok(asked);
                }
            }
        }
    }
    match verb {
        None => find_verb(&words).and(Err(match words.first() {
            Some(noun) => UsageError::new(format!("{noun} needs a verb: expected {}", one_of(&verbs_of(noun)))),
            None => UsageError::new("no verb given: expected retryctl VERB, see retryctl --help"),
        })),
        Some(verb) => operands_fit(verb, &settings.operands).map(|()| Asked::Work(settings)),
    }
}

/// The arguments with the words of the verb before the options that stood before them, as in `dl --file F list`. Only
/// options of some verb are passed over; whether they are of this one is found out when they are read.
fn verb_first(args: Vec<OsString>) -> Vec<OsString> {
    let takes_next = |arg: &str| match arg.strip_prefix("--") {
        Some(long) => all_options().any(|spec| spec.long == long && matches!(spec.takes, Takes::Value(_))),
        None => all_options().any(|spec| {
            let short = arg.strip_prefix('-').and_then(|rest| rest.strip_prefix(spec.short?));
            short == Some("") && matches!(spec.takes, Takes::Value(_))
        }),
    };
    let (mut words, mut options): (Vec<OsString>, Vec<OsString>) = (Vec::new(), Vec::new());
    let mut rest = args.into_iter();
    while words.len() < 2 && !VERBS.iter().any(|verb| words == verb.words) {
        let Some(arg) = rest.next() else { break };
        match arg.to_str() {
            Some("--") => {
                options.push(arg);
                break;
            }
            Some(text) if text.len() > 1 && text.starts_with('-') => {
                let has_value = takes_next(text);
                options.push(arg);
                options.extend(if has_value { rest.next() } else { None });
            }
            _ => words.push(arg),
        }
    }
    words.into_iter().chain(options).chain(rest).collect()
}

/// The options of all verbs.
fn all_options() -> impl Iterator<Item = &'static Spec> {
    VERBS.iter().flat_map(|verb| verb.options).map(|opt| table::spec(*opt))
}

fn is_named(spec: &Spec, option: &Arg<'_>) -> bool {
    match option {
        Arg::Short(letter) => spec.short == Some(*letter),
        Arg::Long(name) => spec.long == *name,
        Arg::Value(_) => false,
    }
}

/// How an option was written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    Long,
    Short,
}

/// Finds the option that was typed. Abbreviations are no option, but the error names the whole.
fn find(
    mut specs: impl Iterator<Item = &'static Spec> + Clone,
    option: &Arg<'_>,
    help: &str,
) -> Result<(&'static Spec, Written), UsageError> {
    let (typed, likely) = match option {
        Arg::Short(letter) => {
            if let Some(spec) = specs.find(|spec| spec.short == Some(*letter)) {
                return Ok((spec, Written::Short));
            }
            (format!("-{letter}"), None)
        }
        Arg::Long(name) => {
            if let Some(spec) = specs.clone().find(|spec| spec.long == *name && !name.is_empty()) {
                return Ok((spec, Written::Long));
            }
            let known = specs.map(|spec| spec.long).filter(|long| !long.is_empty());
            let elsewhere = OTHER_TOOLS.iter().find(|(other, ours)| other == name && known.clone().any(|k| k == *ours));
            (format!("--{name}"), elsewhere.map(|(_, ours)| *ours).or_else(|| nearest(name, known)))
        }
        Arg::Value(_) => unreachable!("operands are taken before options are looked for"),
    };
    let advice = match likely {
        Some(long) => format!("did you mean --{long}?"),
        None => format!("see {help}"),
    };
    Err(UsageError::new(format!("unknown option {}: {advice}", quoted(OsStr::new(&typed)))))
}

/// How other tools of the kind call what we have.
const OTHER_TOOLS: &[(&str, &str)] = &[
    ("attempts", "max-tries"),
    ("max-attempts", "max-tries"),
    ("max-retries", "max-tries"),
    ("max_attempts", "max-tries"),
    ("retries", "max-tries"),
    ("retry", "max-tries"),
    ("times", "max-tries"),
    ("tries", "max-tries"),
    ("delay", "base"),
    ("initial-delay", "base"),
    ("min", "base"),
    ("retry-delay", "base"),
    ("sleep", "base"),
    ("wait", "base"),
    ("interval", "delays"),
    ("max", "cap"),
    ("max-delay", "cap"),
    ("multiplier", "factor"),
    ("deadline", "max-elapsed"),
    ("max-time", "max-elapsed"),
    ("retry-max-time", "max-elapsed"),
    ("total-timeout", "max-elapsed"),
    ("per-try-timeout", "timeout"),
    ("on-fail", "on-failure"),
    ("until", "until-output"),
    ("dlq", "dead-letter"),
    ("silent", "quiet"),
    ("dry-run", "plan"),
];

/// Takes the value of an option, or answers a call for help.
fn take<'a>(
    line: &mut Parser,
    spec: &'static Spec,
    written: Written,
    settings: &mut Settings<'a>,
) -> Result<Option<Asked<'a>>, UsageError> {
    // After a letter other letters may follow (`-qv`): only a long name can have a value that may be left out.
    let attached = match (spec.takes, written) {
        (Takes::Nothing | Takes::Maybe(_), Written::Long) => line.optional_value(),
        (Takes::Nothing | Takes::Maybe(_), Written::Short) | (Takes::Value(_), _) => None,
    };
    let value = match (spec.takes, attached) {
        (Takes::Nothing, Some(_)) if spec.environment == Environment::No => {
            return Err(UsageError::new(format!("{} takes no value", spec.name())));
        }
        (Takes::Nothing | Takes::Maybe(_), Some(value)) => value,
        (Takes::Nothing, None) => "true".into(),
        (Takes::Maybe(_), None) => spec.default.into(),
        (Takes::Value(_), _) => line.value().map_err(|_| {
            let name = spec.name();
            UsageError::new(format!("{name} needs a value: expected {name} {}", spec.metavar))
        })?,
    };
    match spec.opt {
        Opt::BriefHelp => return Ok(Some(Asked::BriefHelp)),
        Opt::Help => return Ok(Some(Asked::Help)),
        Opt::Version => return Ok(Some(Asked::Version)),
        _ => {}
    }
    if spec.repeats == Repeats::Once && settings.on_line(spec.opt).is_some() {
        return Err(UsageError::new(format!("{} given twice: expected one", spec.name())));
    }
    settings.push(spec, value);
    Ok(None)
}

/// What lexopt itself refuses: a value where none can be (`-q=x`).
fn unread(error: lexopt::Error) -> UsageError {
    match error {
        lexopt::Error::UnexpectedValue { option, .. } => UsageError::new(format!("{option} takes no value")),
        other => UsageError::new(other.to_string()),
    }
}

/// The verb that these words name; none yet, if another word is needed.
fn find_verb(words: &[String]) -> Result<Option<&'static VerbSpec>, UsageError> {
    if let Some(verb) = VERBS.iter().find(|verb| verb.words == words) {
        return Ok(Some(verb));
    }
    if let [word] = words
        && let Some(verb) = VERBS.iter().find(|verb| verb.words.get(1) == Some(&word.as_str()))
    {
        let text = format!("retryctl has no verb {}: did you mean {}?", quoted(OsStr::new(word)), verb.name());
        return Err(UsageError::new(text));
    }
    let (word, place, candidates) = match words {
        [] => return Ok(None),
        [noun] if !verbs_of(noun).is_empty() => return Ok(None),
        [word] => {
            let mut nouns: Vec<&str> = VERBS.iter().map(|verb| verb.words[0]).collect();
            nouns.dedup();
            (word, "retryctl", nouns)
        }
        [noun, word, ..] => (word, noun.as_str(), verbs_of(noun)),
    };
    let likely = match nearest(word, candidates.iter().copied()) {
        Some(other) => format!("did you mean {other}?"),
        None => format!("expected {}", one_of(&candidates)),
    };
    Err(UsageError::new(format!("{place} has no verb {}: {likely}", quoted(OsStr::new(word)))))
}

/// The second words of the verbs that begin with this one.
fn verbs_of(noun: &str) -> Vec<&'static str> {
    VERBS.iter().filter(|verb| verb.words.len() == 2 && verb.words[0] == noun).map(|verb| verb.words[1]).collect()
}

/// Whether a verb got as many operands as it takes.
fn operands_fit(verb: &VerbSpec, operands: &[OsString]) -> Result<(), UsageError> {
    let name = verb.name();
    match (verb.operands, operands) {
        ("", [extra, ..]) => {
            Err(UsageError::new(format!("{name} takes no operand: {} is one too many", quoted(extra))))
        }
        ("NAME", [_, extra, ..]) => {
            Err(UsageError::new(format!("{name} takes one {}: {} is one too many", verb.operands, quoted(extra))))
        }
        ("NAME" | "ID...", []) => {
            Err(UsageError::new(format!("{name} needs an operand: expected retryctl {name} {}", verb.operands)))
        }
        _ => Ok(()),
    }
}
