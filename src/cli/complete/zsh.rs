//! Completions for zsh.

use std::fmt::Write as _;

use super::{IDS, ORIGIN, about_noun, exits, names, nouns, options_of, presets, signals, value};
use crate::cli::spec::{Opt, Repeats, Spec, Takes, Value};
use crate::cli::table;
use crate::cli::verbs::{SHORT_FOR_DEAD_LETTER, VERBS};

/// The file for `retry`.
pub fn retry() -> String {
    let mut text = format!("#compdef retry\n# {ORIGIN}\n\n_arguments -s -S -A '-*' \\\n");
    for spec in table::options(table::RETRY) {
        argument(&mut text, spec, "    ");
    }
    text.push_str("    '(-)1:command: _command_names -e' \\\n    '*::arguments: _normal'\n");
    text
}

/// The file for `retryctl`.
pub fn retryctl() -> String {
    let mut text = format!("#compdef retryctl\n# {ORIGIN}\n\n");
    let _ = write!(
        text,
        "_retryctl_letters() {{\n    local -a ids\n    ids=(${{(f)\"$({IDS})\"}})\n    \
         _describe -t letters 'dead letter' ids\n}}\n\n"
    );
    text.push_str("_retryctl() {\n    local curcontext=$curcontext state line\n    local -a words_of\n");
    text.push_str("    if (( CURRENT == 2 )); then\n        words_of=(\n");
    for noun in nouns() {
        let _ = writeln!(text, "            '{noun}:{}'", about_noun(noun));
    }
    let _ = writeln!(text, "            '{SHORT_FOR_DEAD_LETTER}:short for dead-letter'\n        )");
    text.push_str(
        "        _describe -t verbs verb words_of\n        _arguments --help --version\n        return\n    fi\n",
    );
    let _ = writeln!(text, "    local verb=$words[2]\n    [[ $verb == {SHORT_FOR_DEAD_LETTER} ]] && verb=dead-letter");
    text.push_str("    case $verb in\n");
    for noun in nouns() {
        let verbs: Vec<_> = VERBS.iter().filter(|verb| verb.words[0] == noun && verb.words.len() == 2).collect();
        if verbs.is_empty() {
            continue;
        }
        let _ = writeln!(text, "        {noun})\n            if (( CURRENT == 3 )); then\n                words_of=(");
        for verb in verbs {
            let _ = writeln!(text, "                    '{}:{}'", verb.words[1], escaped(verb.help));
        }
        text.push_str(
            "                )\n                _describe -t verbs verb words_of\n                return\n            \
             fi\n            verb=\"$verb $words[3]\"\n            shift 2 words\n            (( CURRENT -= 2 ))\n            \
             ;;\n",
        );
    }
    text.push_str("        *)\n            shift words\n            (( CURRENT-- ))\n            ;;\n    esac\n    case $verb in\n");
    for verb in VERBS {
        let _ = writeln!(text, "        '{}')\n            _arguments -s -S \\", verb.name());
        for spec in options_of(verb) {
            argument(&mut text, spec, "                ");
        }
        let operands = match verb.operands {
            "" => "'*: :_message \"no operand\"'".to_owned(),
            "NAME" => format!("'1:preset:({})'", presets().join(" ")),
            _ => "'*:dead letter:_retryctl_letters'".to_owned(),
        };
        let _ = writeln!(text, "                {operands}\n            ;;");
    }
    text.push_str("    esac\n}\n\n_retryctl \"$@\"\n");
    text
}

/// One specification for `_arguments`.
fn argument(text: &mut String, spec: &Spec, indent: &str) {
    let names = names(spec);
    let many = !matches!(spec.repeats, Repeats::LastWins | Repeats::Once);
    let alone = matches!(spec.opt, Opt::BriefHelp | Opt::Help | Opt::Version);
    let exclude = match (alone, many) {
        (true, _) => "(- *)".to_owned(),
        (false, true) => "*".to_owned(),
        (false, false) => format!("({})", names.join(" ")),
    };
    let mark = |name: &str| match spec.takes {
        Takes::Nothing => name.to_owned(),
        Takes::Value(_) if name.starts_with("--") => format!("{name}="),
        Takes::Value(_) => format!("{name}+"),
        Takes::Maybe(_) => format!("{name}=-"),
    };
    let action = value(spec).map(|value| {
        let colons = if matches!(spec.takes, Takes::Maybe(_)) { "::" } else { ":" };
        format!("{colons}{}:{}", escaped(spec.metavar), action(value))
    });
    for name in &names {
        let _ = writeln!(
            text,
            "{indent}'{exclude}{}[{}]{}' \\",
            mark(name),
            escaped(spec.help),
            action.as_deref().unwrap_or_default()
        );
    }
}

/// How a value is completed.
fn action(value: Value) -> String {
    match value {
        Value::Choice(words) => format!("({})", words.join(" ")),
        Value::Choices(words) => format!("_sequence compadd - {}", words.join(" ")),
        Value::Preset => format!("({})", presets().join(" ")),
        Value::Exits => format!("_sequence compadd - {}", exits().join(" ")),
        Value::Signal => format!("({})", signals().join(" ")),
        Value::Signals => format!("_sequence compadd - {}", signals().join(" ")),
        Value::Variables => "_sequence _parameters -g \"*export*\"".into(),
        Value::File => "_files".into(),
        Value::Directory => "_files -/".into(),
        Value::Shell => "_cmdstring".into(),
        Value::Number | Value::Duration | Value::Size | Value::Text => " ".into(),
    }
}

/// Text within a specification in single quotes.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "'\\''").replace('[', "\\[").replace(']', "\\]").replace(':', "\\:")
}
