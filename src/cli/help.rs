//! Help and version, as text for stdout. Contract R5.

use std::fmt::Write as _;

use super::spec::{Opt, Spec, Takes};
use super::table;
use super::verbs::{VERBS, VerbSpec};

/// How wide a line of help may be.
const WIDTH: usize = 80;
/// Where the text of `--help` begins.
const INDENT: usize = 10;

/// `retry 1.2.3`, with a newline.
pub fn version(program: &str) -> String {
    format!("{program} {}\n", env!("CARGO_PKG_VERSION"))
}

/// `retry -h`: one screen.
pub fn brief() -> String {
    let mut text = String::from(
        "retry runs a command again until it succeeds, and never exits 0 for a failure.\n\n\
         Usage: retry [OPTIONS] [--] COMMAND [ARG]...\n\n\
         Example: retry -n 5 -t 30s --preset curl -- curl -fsS https://example.org/\n\n",
    );
    for spec in table::options(table::RETRY).filter(|spec| spec.brief) {
        let _ = write!(text, "{:<28}{}", heading(spec), spec.help);
        if !["", "none"].contains(&spec.default) && spec.opt != Opt::DeadLetter && spec.opt != Opt::Plan {
            let _ = write!(text, " [{}]", spec.default);
        }
        text.push('\n');
    }
    text.push_str("\nAfter a failure: retryctl dead-letter list. All else: man retry\n");
    text
}

/// `retry --help`: every option, by purpose.
pub fn full() -> String {
    let mut text = String::from("Usage: retry [OPTIONS] [--] COMMAND [ARG]...\n\n");
    wrap(
        &mut text,
        0,
        "Runs COMMAND until it succeeds, at most 6 times, and waits between the attempts for a random time below a \
         ceiling that doubles. Exits as COMMAND did at last, and never 0 if that was a failure. Options end at the \
         first operand or at `--`; what follows reaches COMMAND as it is.",
    );
    for group in table::RETRY {
        let _ = writeln!(text, "\n{}:", group.title);
        group.options.iter().for_each(|spec| entry(&mut text, spec));
    }
    text.push('\n');
    wrap(
        &mut text,
        0,
        "Options have defaults in the environment, RETRY_DEFAULT_ and the name in capitals: RETRY_DEFAULT_MAX_TRIES=8, \
         RETRY_DEFAULT_FAIL_ON_TIMEOUT=true. Exit status: 0 success; the command's own; 128+N if signal N ended it; \
         124 timed out (137 after KILL); 125 retry itself failed; 126 not executable; 127 not found; 1 the command \
         exited 0 but that counts as a failure. See also: man retry, retryctl --help.",
    );
    text
}

/// `retryctl -h` and `retryctl --help`.
pub fn ctl() -> String {
    let mut text = String::from(
        "retryctl looks after what runs of retry leave behind: dead letters, metrics.\n\n\
         Usage: retryctl VERB [OPTIONS] [OPERAND]...\n\n",
    );
    for verb in VERBS {
        let _ = writeln!(text, "  {:<20} {}", verb.name(), verb.help);
    }
    text.push_str("\nOptions of a verb: retryctl VERB --help. dl is short for dead-letter.\n");
    text
}

/// `retryctl VERB --help`.
pub fn ctl_verb(verb: &VerbSpec) -> String {
    let mut text = format!("Usage: retryctl {}", verb.name());
    if !verb.options.is_empty() {
        text.push_str(" [OPTIONS]");
    }
    if !verb.operands.is_empty() {
        let _ = write!(text, " {}", verb.operands);
    }
    let mut about = verb.help.to_owned();
    if let Some(first) = about.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text.push_str("\n\n");
    wrap(&mut text, 0, &format!("{about}. {}", verb.more));
    text.push_str("\nOptions:\n");
    verb.options.iter().map(|opt| table::spec(*opt)).for_each(|spec| entry(&mut text, spec));
    table::CTL_ABOUT.options.iter().for_each(|spec| entry(&mut text, spec));
    text
}

/// `  -n, --max-tries N`.
fn heading(spec: &Spec) -> String {
    let mut text = match spec.short {
        Some(letter) if spec.long.is_empty() => format!("  -{letter}"),
        Some(letter) => format!("  -{letter}, --{}", spec.long),
        None => format!("      --{}", spec.long),
    };
    match spec.takes {
        Takes::Nothing => {}
        Takes::Value(_) => text.extend([" ", spec.metavar]),
        Takes::Maybe(_) => text.extend(["[=", spec.metavar, "]"]),
    }
    text
}

/// One option of `--help`.
fn entry(text: &mut String, spec: &Spec) {
    text.push_str(&heading(spec));
    text.push('\n');
    let mut about = spec.help.to_owned();
    if !spec.default.is_empty() {
        let _ = write!(about, " [default: {}]", spec.default);
    }
    wrap(text, INDENT, &about);
    for sentences in [spec.more, &spec.untold_choices()] {
        if !sentences.is_empty() {
            wrap(text, INDENT, sentences);
        }
    }
}

/// Adds words in lines of at most WIDTH, each indented; backquotes, which mark code for the manual, are left out.
fn wrap(text: &mut String, indent: usize, words: &str) {
    let mut column = 0;
    for word in words.split_whitespace() {
        let word: String = word.chars().filter(|c| *c != '`').collect();
        let width = word.chars().count();
        if column > 0 && column + 1 + width > WIDTH {
            text.push('\n');
            column = 0;
        }
        if column == 0 {
            text.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else {
            text.push(' ');
            column += 1;
        }
        text.push_str(&word);
        column += width;
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brief_help_fits_one_screen() {
        let text = brief();
        // The 24th line of a screen is the prompt that follows.
        assert!(text.lines().count() < 24, "{} lines:\n{text}", text.lines().count());
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }

    #[test]
    fn full_help_has_every_option_in_lines_of_80() {
        let text = full();
        for spec in table::options(table::RETRY) {
            assert!(text.contains(&heading(spec)), "{}", spec.name());
        }
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }

    #[test]
    fn each_verb_explains_its_options() {
        for verb in VERBS {
            let text = ctl_verb(verb);
            assert!(verb.options.iter().all(|opt| text.contains(&heading(table::spec(*opt)))), "{text}");
        }
        assert!(ctl().lines().count() <= 24 && ctl().lines().all(|line| line.chars().count() <= WIDTH), "{}", ctl());
    }
}
