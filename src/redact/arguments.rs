//! Finds secrets in the arguments of a command. Contract D13.

use std::ops::Range;

use super::scan::{self, Place};
use super::shell;
use super::words::{is_long_header, is_secret_name};

/// What an option has as its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// All of it is secret, in the same argument or in the next.
    Whole,
    /// The same, in the same argument only.
    Attached,
    /// `user:password`; what has no colon is a user, and the program asks for the password.
    Pair,
    /// The value of a header whose name was an argument of its own; its scheme may be one, too.
    Header,
    /// `name=value`; what has no equals sign is the name of a file.
    Cookie,
}

/// Options whose name does not tell: what they hold is known by the program that stands before them.
const OPTIONS: &[(&str, &str, Form)] = &[
    ("curl", "-u", Form::Pair),
    ("curl", "--user", Form::Pair),
    ("curl", "-U", Form::Pair),
    ("curl", "--proxy-user", Form::Pair),
    ("curl", "-E", Form::Pair),
    ("curl", "--cert", Form::Pair),
    ("curl", "-b", Form::Cookie),
    ("curl", "--pass", Form::Whole),
    ("http", "-a", Form::Pair),
    ("https", "-a", Form::Pair),
    ("mariadb", "-p", Form::Attached),
    ("mysql", "-p", Form::Attached),
    ("mysqldump", "-p", Form::Attached),
    ("redis-cli", "-a", Form::Whole),
    ("sshpass", "-p", Form::Whole),
];

/// Programs whose `-c` takes the line of a shell.
const SHELLS: &[&str] = &["sh", "ash", "bash", "busybox", "dash", "fish", "ksh", "su", "zsh"];

/// Letters that may stand before one of these in the same argument, as in `curl -fsSu user:pass`: those of curl without
/// a value of their own.
const SWITCHES: &[u8] = b"#01246GIJLNORSfgijklnpqsv";

/// Which of the programs of [`OPTIONS`] have been seen.
#[derive(Clone, Copy, Default)]
struct Programs(u32);

impl Programs {
    fn see(&mut self, word: &str) {
        let base = base(word);
        for (i, (program, ..)) in OPTIONS.iter().enumerate() {
            self.0 |= u32::from(base == *program) << i;
        }
    }

    fn options(self) -> impl Iterator<Item = (&'static str, Form)> {
        OPTIONS
            .iter()
            .enumerate()
            .filter(move |(i, _)| self.0 & (1 << i) != 0)
            .map(|(_, (_, name, form))| (*name, *form))
    }
}

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// For each argument the ranges of its secrets. Ranges may overlap: a part of a secret that may turn up by itself has its
/// own.
pub(super) fn secrets(args: &[String]) -> Vec<Vec<Range<usize>>> {
    let mut expected = None;
    let mut programs = Programs::default();
    let (mut has_shell, mut is_script) = (false, false);
    let mut found = Vec::with_capacity(args.len());
    for arg in args {
        let mut ranges = Vec::new();
        // What begins with two hyphens is the next option, unless it is a key in its armour.
        let is_value = !arg.starts_with("--") || arg.starts_with("-----");
        match expected.take().filter(|_| is_value) {
            Some(Form::Header) if scan::is_scheme(arg) => expected = Some(Form::Whole),
            Some(form) => ranges.extend(of_form(arg, 0, form)),
            None => {
                expected = option(arg, programs, &mut ranges);
                if is_script || !whole(arg, 0, &mut ranges) {
                    ranges.extend(scan::secrets(arg, Place::Argument));
                    inner_programs(arg, &mut ranges);
                    if !is_json(arg) {
                        shell::extend(arg, &mut ranges);
                    }
                }
                if expected.is_none() && !is_script && awaits_value(arg) {
                    expected = Some(Form::Header);
                }
                programs.see(arg);
            }
        }
        // `sh -c`, `bash -lc`, `su -c`: the next argument is the line of a shell.
        has_shell |= SHELLS.contains(&base(arg));
        is_script = has_shell && arg.starts_with('-') && !arg.starts_with("--") && arg.len() < 6 && arg.ends_with('c');
        found.push(ranges);
    }
    found
}

/// What of an argument from `start` on is secret.
fn of_form(arg: &str, start: usize, form: Form) -> Option<Range<usize>> {
    let value = &arg[start..];
    match form {
        Form::Whole | Form::Attached | Form::Header => Some(start..arg.len()),
        Form::Pair => value.find(':').map(|colon| start + colon + 1..arg.len()),
        Form::Cookie => value.contains('=').then_some(start..arg.len()),
    }
}

/// Looks at an argument as an option: masks the value in it, or says of which form the next argument is.
fn option(arg: &str, programs: Programs, ranges: &mut Vec<Range<usize>>) -> Option<Form> {
    if !arg.starts_with('-') {
        return None;
    }
    if let Some(form) = program_option(arg, programs, ranges) {
        return Some(form);
    }
    let name = arg.split('=').next().unwrap_or(arg);
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    let is_secret = is_name && is_secret_name(name);
    if name.len() == arg.len() {
        return is_secret.then_some(Form::Whole);
    }
    let start = name.len() + 1;
    if is_secret {
        ranges.push(start..arg.len());
    } else if is_name {
        whole(arg, start, ranges);
    }
    None
}

/// The same for the options that are known by their program.
fn program_option(arg: &str, programs: Programs, ranges: &mut Vec<Range<usize>>) -> Option<Form> {
    for (option, form) in programs.options() {
        let start = match arg.strip_prefix(option) {
            Some("") => arg.len(),
            Some(rest) if option.starts_with("--") && rest.starts_with('=') => option.len() + 1,
            _ if option.starts_with("--") || arg.starts_with("--") => continue,
            _ => match short_value(arg, option) {
                Some(start) => start,
                None => continue,
            },
        };
        match form {
            _ if start < arg.len() => ranges.extend(of_form(arg, start, form)),
            Form::Whole | Form::Pair | Form::Header | Form::Cookie => return Some(form),
            // In the line of a shell it may begin with a quote: `-p'a b'`.
            Form::Attached => ranges.push(start..start),
        }
    }
    None
}

/// Where in `-su user:pass` or `-uuser:pass` the value begins; `option` is `-u`.
fn short_value(arg: &str, option: &str) -> Option<usize> {
    let letter = option.chars().nth(1)?;
    let at = arg.find(letter)?;
    arg[1..at].bytes().all(|b| SWITCHES.contains(&b)).then_some(at + letter.len_utf8())
}

/// `NAME=value` or `Name: value` that is all of the argument from `start` on: all of the value is secret, spaces and all.
/// Says whether it was one.
fn whole(arg: &str, start: usize, ranges: &mut Vec<Range<usize>>) -> bool {
    let text = &arg[start..];
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']');
    let (name, rest) = text.split_at(text.find(|c| !is_part(c)).unwrap_or(0));
    let Some(separator) = rest.chars().next().filter(|c| matches!(c, '=' | ':')) else { return false };
    let value = rest[1..].trim_start_matches(['=', ' ']);
    let is_path = separator == ':' && (value.starts_with("//") || value.starts_with(':'));
    if !is_secret_name(name) || is_path || value.is_empty() {
        return false;
    }
    let start = arg.len() - value.len();
    let length = if separator == '=' { scan::query_length(value) } else { value.len() };
    ranges.push(start..start + length);
    scan::parts(&value[..length], is_long_header(name), start, ranges);
    let rest = start + length;
    let others = scan::secrets(&arg[rest..], Place::Argument);
    ranges.extend(others.into_iter().map(|range| range.start + rest..range.end + rest));
    true
}

/// Whether the secret comes with the next argument, since nobody quoted the header: `-H Authorization: Bearer x`.
fn awaits_value(arg: &str) -> bool {
    let Some((name, value)) = arg.rsplit_once(':') else { return arg == "Bearer" };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let name = &name[name.trim_end_matches(is_part).len()..];
    (value.is_empty() || scan::is_scheme(value)) && is_secret_name(name)
}

/// Whether quotes in an argument are those of JSON and not of a shell.
fn is_json(arg: &str) -> bool {
    let inner = arg.trim_start().strip_prefix(['{', '[']).map(str::trim_start);
    inner.is_some_and(|inner| inner.starts_with(['"', '{', '[']))
}

/// The secrets of command lines in what a command printed, as `set -x` of a shell prints them.
pub(super) fn printed(text: &str, ranges: &mut Vec<Range<usize>>) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut found = Vec::new();
        // Most lines have no option at all.
        if line.contains(" -") {
            inner_programs(line, &mut found);
            shell::extend(line, &mut found);
        }
        ranges.extend(found.into_iter().map(|range| range.start + start..range.end + start));
        start += line.len();
    }
}

/// `curl -u user:pass` and the like in the line of a shell.
fn inner_programs(arg: &str, ranges: &mut Vec<Range<usize>>) {
    if !arg.contains([' ', '\t', '\n']) {
        return;
    }
    let is_border = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '|' | '&' | '(' | ')' | '`');
    let mut expected = None;
    let mut programs = Programs::default();
    let mut at = 0;
    while at < arg.len() {
        let rest = &arg[at..];
        if rest.starts_with("\\\n") {
            at += 2; // The line goes on.
            continue;
        }
        let mut inner = Vec::new();
        let (word, length) = match scan::quote(rest).filter(|_| expected.is_some()) {
            Some((open, close)) => {
                let length = scan::quoted_length(&rest[open..], close);
                (open..open + length, (open + length + close.len()).min(rest.len()))
            }
            None => {
                let length = rest.find(is_border).unwrap_or(rest.len());
                (0..length, length)
            }
        };
        if length == 0 {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let (start, word) = (at + word.start, &rest[word]);
        at += length;
        match expected {
            Some(form) => {
                inner.extend(of_form(word, 0, form));
                let goes_on = arg[at..].starts_with(|c: char| matches!(c, '"' | '\'') || !is_border(c));
                if !inner.is_empty() || !goes_on {
                    expected = None;
                }
            }
            None if word.starts_with('-') => expected = program_option(word, programs, &mut inner),
            None => {}
        }
        programs.see(word);
        ranges.extend(inner.into_iter().map(|range| range.start + start..range.end + start));
    }
}
