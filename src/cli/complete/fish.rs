//! Completions for fish.

use std::fmt::Write as _;

use super::{IDS, ORIGIN, about_noun, exits, names, nouns, options_of, presets, signals, value};
use crate::cli::spec::{Spec, Takes, Value};
use crate::cli::table;
use crate::cli::verbs::{SHORT_FOR_DEAD_LETTER, VERBS};

/// The file for `retry`.
pub fn retry() -> String {
    let valued: Vec<String> =
        table::options(table::RETRY).filter(|spec| matches!(spec.takes, Takes::Value(_))).flat_map(names).collect();
    let letters: String = table::options(table::RETRY)
        .filter(|spec| matches!(spec.takes, Takes::Value(_)))
        .filter_map(|s| s.short)
        .collect();
    let mut text = format!("# fish completion for retry(1)\n# {ORIGIN}\n\n");
    let _ = write!(
        text,
        r#"# Prints the words of the wrapped command, if it has begun.
function __retry_command
    set -l words (commandline -opc) (commandline -ct)
    set -e words[1]
    while set -q words[1]
        switch $words[1]
            case --
                set -e words[1]
                break
            case {valued} '-[qv]*[{letters}]'
                set -e words[1]
            case '-?*'
            case '*'
                break
        end
        set -e words[1]
    end
    string join -- \n $words
end

# Whether the word at hand still belongs to retry: the command has not begun, or begins here.
function __retry_at_options
    set -l command (__retry_command)
    test (count $command) -le 1
    and not contains -- -- (commandline -opc)
end

# Completes the wrapped command.
function __retry_complete_command
    set -l command (__retry_command)
    set -q command[1]
    and complete "--do-complete=$command"
end

complete -c retry -f
complete -c retry -x -a '(__retry_complete_command)'
"#,
        valued = valued.join(" "),
    );
    for spec in table::options(table::RETRY) {
        option(&mut text, "retry", "__retry_at_options", spec);
    }
    text
}

/// The file for `retryctl`.
pub fn retryctl() -> String {
    let mut text = format!("# fish completion for retryctl(1)\n# {ORIGIN}\n\n");
    let _ = write!(
        text,
        r#"# Whether the verb is this one.
function __retryctl_verb
    set -l words (commandline -opc)
    set -e words[1]
    test "$words[1]" = {SHORT_FOR_DEAD_LETTER}
    and set words[1] dead-letter
    string match -q -- "$argv *" "$words "
end

# Whether the verb still lacks a word after these.
function __retryctl_after
    test (count (commandline -opc)) -eq (math (count $argv) + 1)
    and begin
        not set -q argv[1]
        or __retryctl_verb $argv
    end
end

complete -c retryctl -f
"#,
    );
    for noun in nouns() {
        let _ = writeln!(text, "complete -c retryctl -n __retryctl_after -a {noun} -d {}", quoted(about_noun(noun)));
    }
    let _ = writeln!(
        text,
        "complete -c retryctl -n __retryctl_after -a {SHORT_FOR_DEAD_LETTER} -d 'short for dead-letter'"
    );
    for spec in table::CTL_ABOUT.options {
        option(&mut text, "retryctl", "", spec);
    }
    for verb in VERBS {
        let name = verb.name();
        text.push('\n');
        if let [noun, word] = verb.words {
            let _ =
                writeln!(text, "complete -c retryctl -n '__retryctl_after {noun}' -a {word} -d {}", quoted(verb.help));
        }
        let when = format!("'__retryctl_verb {name}'");
        for spec in options_of(verb).iter().filter(|spec| table::CTL_ABOUT.options.iter().all(|a| a.opt != spec.opt)) {
            option(&mut text, "retryctl", &when, spec);
        }
        if verb.takes_ids() {
            let _ = writeln!(text, "complete -c retryctl -n {when} -a '({IDS})'");
        } else if verb.operands == "NAME" {
            let _ = writeln!(text, "complete -c retryctl -n '__retryctl_after {name}' -a '{}'", presets().join(" "));
        }
    }
    text
}

/// One option, offered where the condition holds.
fn option(text: &mut String, program: &str, when: &str, spec: &Spec) {
    let _ = write!(text, "complete -c {program}");
    if !when.is_empty() {
        let _ = write!(text, " -n {when}");
    }
    if let Some(letter) = spec.short {
        let _ = write!(text, " -s {letter}");
    }
    if !spec.long.is_empty() {
        let _ = write!(text, " -l {}", spec.long);
    }
    let needed = if matches!(spec.takes, Takes::Maybe(_)) { "" } else { "-x " };
    match value(spec) {
        None => {}
        Some(Value::Choice(words)) => {
            let _ = write!(text, " {needed}-a '{}'", words.join(" "));
        }
        Some(Value::Preset) => {
            let _ = write!(text, " -x -a '{}'", presets().join(" "));
        }
        Some(Value::Signal) => {
            let _ = write!(text, " -x -a '{}'", signals().join(" "));
        }
        Some(Value::Choices(words)) => list(text, words.iter()),
        Some(Value::Exits) => list(text, exits().iter()),
        Some(Value::Signals) => list(text, signals().iter()),
        Some(Value::Variables) => text.push_str(" -x -a '(__fish_append , (set -nx))'"),
        Some(Value::File) => text.push_str(" -r -F"),
        Some(Value::Directory) => text.push_str(" -x -a '(__fish_complete_directories)'"),
        Some(Value::Shell) => text.push_str(" -x -a '(__fish_complete_command)'"),
        Some(Value::Number | Value::Duration | Value::Size | Value::Text) => text.push_str(" -x"),
    }
    let _ = writeln!(text, " -d {}", quoted(spec.help));
}

/// Words with commas between them.
fn list(text: &mut String, words: impl Iterator<Item = impl AsRef<str>>) {
    let words: Vec<String> = words.map(|word| word.as_ref().to_owned()).collect();
    let _ = write!(text, " -x -a '(__fish_append , {})'", words.join(" "));
}

/// Text in single quotes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
