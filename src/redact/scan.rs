//! Finds secrets inside a string: in addresses, assignments, headers and options. Contract D13.

use std::ops::Range;

use super::words::{is_long_header, is_secret_name};

/// How far back from its separator a name is read, in bytes.
const LONGEST_NAME: usize = 128;

/// A part of an argument from this length on is masked in texts by itself too.
const LONG_PART: usize = 6;

/// What kind of string is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Inside an argument, which may be the line of a shell: `--token V` is an option with its value.
    Argument,
    /// Output or a message, where `--token` may be a word of a sentence.
    Text,
}

/// The secrets in a string, as ranges of bytes on borders of characters, in no order.
pub(super) fn secrets(text: &str, place: Place) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    addresses(text, &mut found);
    named(text, &mut found);
    bearers(text, &mut found);
    options(text, place, &mut found);
    found
}

/// `scheme://user:pass@`: what stands between the first colon and the last @ of an authority; where there is no password,
/// the user, for it may be a token.
///
/// Each address reaches to the next one at most, so that a string of many is read once.
fn addresses(text: &str, found: &mut Vec<Range<usize>>) {
    let starts: Vec<usize> = text.match_indices("://").map(|(at, _)| at + 3).collect();
    for (i, start) in starts.iter().enumerate() {
        let limit = starts.get(i + 1).map_or(text.len(), |next| next - 3);
        let rest = &text[*start..limit];
        let is_end = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '<' | '>' | '`');
        let rest = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        let secret = match rest.find([':', '/', '?', '#', '@', '[']) {
            Some(colon) if rest[colon..].starts_with(':') => password(rest, colon),
            _ => user(&text[..*start - 3], rest),
        };
        found.extend(secret.map(|range| start + range.start..start + range.end));
    }
}

/// The password of an address whose user ends at this colon.
fn password(rest: &str, colon: usize) -> Option<Range<usize>> {
    let password = &rest[colon + 1..];
    let authority = authority(password);
    // A slash that was not escaped may be the password's, but not where the colon is that of a port.
    let is_port = authority.bytes().all(|b| b.is_ascii_digit());
    let end = authority.rfind('@').or_else(|| if is_port { None } else { password.rfind('@') })?;
    // `https://TOKEN:@host`, `https://TOKEN:x-oauth-basic@host`.
    let start = if matches!(&password[..end], "" | "x-oauth-basic") { 0 } else { colon + 1 };
    Some(start..colon + 1 + end)
}

/// What is secret of an address whose user has no password, or an @ of its own: `https://TOKEN@host`,
/// `https://me@home:password@host`. Only where HTTP is spoken is a user alone known to be a token; of a database it is a plain
/// name, which would then be masked in every message too.
fn user(before: &str, rest: &str) -> Option<Range<usize>> {
    let end = authority(rest).rfind('@')?;
    let may_be_token = rest[..end] != *"git" && ["http", "https"].iter().any(|scheme| before.ends_with(scheme));
    match rest[..end].find(':') {
        Some(colon) => Some(colon + 1..end),
        None => may_be_token.then_some(0..end),
    }
}

fn authority(rest: &str) -> &str {
    &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())]
}

/// `NAME=value`, `name: value`, `"name": "value"` and query parameters.
fn named(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let separator = at;
        at += 1;
        if !matches!(bytes[separator], b'=' | b':') {
            continue;
        }
        let Some(name) = Name::before(text, separator) else { continue };
        if !is_secret_name(name.text) {
            continue;
        }
        let Some(value) = value_after(text, separator, &name) else { continue };
        at = at.max(value.end);
        if is_long_header(name.text) {
            parts(&text[value.clone()], true, value.start, found);
        }
        // Each text of a list may turn up by itself.
        if name.is_quoted {
            let texts = text[value.clone()].split(['"', '\'']).filter(|text| text.len() >= LONG_PART);
            let start = |item: &str| item.as_ptr() as usize - text.as_ptr() as usize;
            found.extend(texts.map(|item| start(item)..start(item) + item.len()));
        }
        found.push(value);
    }
}

/// Parts of a value that may turn up by themselves: the token behind `Bearer`, the values of a Cookie header, the first
/// word of what may be the line of a shell after all.
pub(super) fn parts(value: &str, is_long_header: bool, start: usize, ranges: &mut Vec<Range<usize>>) {
    let words = value.split([' ', ';', ',']).take(if is_long_header { usize::MAX } else { 1 });
    for word in words {
        let at = start + word.as_ptr() as usize - value.as_ptr() as usize;
        let assigned = word.find('=').map_or(0, |equals| equals + 1);
        for from in [0, assigned] {
            if word.len() - from >= LONG_PART && !is_scheme(word) {
                ranges.push(at + from..at + word.len());
            }
        }
    }
}

/// Whether a word is the scheme of a header's value, and the secret comes after it.
pub(super) fn is_scheme(word: &str) -> bool {
    ["bearer", "basic", "digest", "negotiate"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// `Bearer eyJhbGciOi...` without the name of a header; not the `bearer token` of a sentence.
fn bearers(text: &str, found: &mut Vec<Range<usize>>) {
    const WORD: &str = "bearer";
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(next) = memchr::memchr2(b'b', b'B', &bytes[at..]) {
        let begin = at + next;
        let end = begin + WORD.len();
        at = begin + 1;
        let begins = begin == 0 || !bytes[begin - 1].is_ascii_alphanumeric();
        if !begins || !bytes.get(begin..end).is_some_and(|word| word.eq_ignore_ascii_case(WORD.as_bytes())) {
            continue;
        }
        let start = end + gap(&text[end..]);
        let value = start..start + word_length(&text[start..]);
        at = value.end;
        let is_prose = text[value.clone()].bytes().all(|b| b.is_ascii_lowercase() || b".,:".contains(&b));
        if start > end && !is_prose {
            found.push(value);
        }
    }
}

/// A name that stands before a separator.
struct Name<'a> {
    text: &'a str,
    /// Whether it has quotes of its own, as in JSON.
    is_quoted: bool,
    /// The quote that opens right before it, which then holds the value too: `"X-Token: a b"`.
    inside: Option<u8>,
}

impl Name<'_> {
    fn before(text: &str, separator: usize) -> Option<Name<'_>> {
        let bytes = text.as_bytes();
        let is_colon = bytes[separator] == b':';
        let floor = separator.saturating_sub(LONGEST_NAME);
        let mut end = separator;
        // `NAME+=value` of a shell, `NAME?=value` of make.
        if !is_colon && end > floor && matches!(bytes[end - 1], b'+' | b'?') {
            end -= 1;
        }
        let separator = end;
        while end > floor && matches!(bytes[end - 1], b' ' | b'\t') {
            end -= 1;
        }
        let had_space = end < separator;
        let is_quoted = end > floor && matches!(bytes[end - 1], b'"' | b'\'');
        while is_quoted && end > floor && matches!(bytes[end - 1], b'"' | b'\'' | b'\\') {
            end -= 1;
        }
        let is_part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'[' | b']');
        let mut start = end;
        while start > floor && is_part(bytes[start - 1]) {
            start -= 1;
        }
        // `word : x` and `[ $TOKEN = x ]` are prose and shell; `name = value` is an assignment.
        if start == end || (had_space && is_colon && !is_quoted) {
            return None;
        }
        let before = start.checked_sub(1).map(|before| bytes[before]);
        let inside = before.filter(|b| !is_quoted && matches!(b, b'"' | b'\''));
        Some(Name { text: &text[start..end], is_quoted, inside })
    }
}

/// The range of the value of a secret name; none where there is no value.
fn value_after(text: &str, separator: usize, name: &Name<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_colon = bytes[separator] == b':';
    let mut start = separator + 1;
    // A path of a program's own names, or the scheme of an address.
    if is_colon && (bytes.get(start) == Some(&b':') || text[start..].starts_with("//")) {
        return None;
    }
    // `:=`, `==` and `=>` separate as well.
    while matches!(bytes.get(start), Some(b'=' | b'>')) {
        start += 1;
    }
    let spaces = bytes[start..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let had_space = bytes.get(separator.wrapping_sub(1)).is_some_and(|b| matches!(b, b' ' | b'\t'));
    // `TOKEN= command` is an empty value; `token = value` is not.
    if is_colon || name.is_quoted || had_space {
        start += spaces;
    }
    // `u'text'` and `b'bytes'` of Python, `$'text'` of a shell; where the name has no quotes, `b"` may end a word.
    let is_mark = |b: &u8| (name.is_quoted && b"ubrfUBRF".contains(b)) || *b == b'$';
    let marks = bytes[start..].iter().take(2).take_while(|b| is_mark(b)).count();
    if matches!(bytes.get(start + marks), Some(b'\'' | b'"')) {
        start += marks;
    }
    if name.is_quoted && is_list_of_texts(&text[start..]) {
        let list = &text[start + 1..];
        return Some(start + 1..start + 1 + list.find(']').unwrap_or(list.len()));
    }
    let rest = &text[start..];
    // Each of these reads no further than the value it finds, so that a long text is read once.
    let length = match quote(rest) {
        Some((open, close)) => {
            start += open;
            quoted_length(&text[start..], close)
        }
        None if name.is_quoted && rest.starts_with(['{', '[']) => return None,
        None if name.is_quoted => rest.find([',', '}', ']', '\n', '"', '\'']).unwrap_or(rest.len()),
        None => match name.inside {
            Some(inside) => query_length(&rest[..quoted_length(rest, &[inside])]),
            None if is_colon && is_long_header(name.text) => rest.find(['\n', '\r', '"', '\'']).unwrap_or(rest.len()),
            // `authorization=Bearer x`
            None if is_colon || is_long_header(name.text) => match word_length(rest) {
                length if is_scheme(&rest[..length]) => {
                    let next = length + gap(&rest[length..]);
                    next + word_length(&rest[next..])
                }
                length => length,
            },
            None => word_length(rest),
        },
    };
    // One of nothing counts too: an empty quote may be followed by the rest of the word.
    Some(start..start + length)
}

/// Whether a value is a list of texts, as JSON has them.
fn is_list_of_texts(rest: &str) -> bool {
    rest.strip_prefix('[').is_some_and(|list| list.trim_start().starts_with(['"', '\'']))
}

/// The quote that a value begins with, as its length and what closes it. An escaped one is closed by an escaped one.
pub(super) fn quote(value: &str) -> Option<(usize, &[u8])> {
    let bytes = value.as_bytes();
    let escapes = bytes.iter().take_while(|b| **b == b'\\').count();
    matches!(bytes.get(escapes), Some(b'"' | b'\'')).then(|| (escapes + 1, &bytes[..escapes + 1]))
}

/// The length of what stands before the closing quote; everything where none closes.
pub(super) fn quoted_length(rest: &str, close: &[u8]) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at..].starts_with(close) {
            return at;
        }
        at += if bytes[at] == b'\\' && close == b"\"" { 2 } else { 1 };
    }
    bytes.len()
}

/// The length up to an `&` that begins another parameter; everything where there is none.
pub(super) fn query_length(rest: &str) -> usize {
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'[' | b']' | b'%');
    let bytes = rest.as_bytes();
    let mut at = 0;
    while let Some(next) = bytes[at..].iter().position(|b| *b == b'&') {
        let begins = at + next;
        let name = bytes[begins + 1..].iter().take_while(|b| is_name(b)).count();
        if name > 0 && bytes.get(begins + 1 + name) == Some(&b'=') {
            return begins;
        }
        at = begins + 1 + name;
    }
    bytes.len()
}

/// The length of a word as a shell or a query ends it.
pub(super) fn word_length(rest: &str) -> usize {
    let mut escaped = false;
    let mut is_command = rest.starts_with("$(");
    for (at, c) in rest.char_indices() {
        let ends = match c {
            _ if escaped => false,
            '\n' | '\r' => true,
            _ if is_command => {
                is_command = c != ')';
                false
            }
            '"' | '\'' | ';' | '&' | '|' | ')' | '<' | '>' | '`' => true,
            _ => c.is_whitespace(),
        };
        if ends {
            return at;
        }
        escaped = c == '\\' && !escaped;
    }
    rest.len()
}

/// The length of the blanks between two words, and of what lets a line go on in the next.
fn gap(rest: &str) -> usize {
    let blanks = |rest: &str| rest.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let length = blanks(rest);
    match rest[length..].strip_prefix("\\\n") {
        Some(next) => length + 2 + blanks(next),
        None => length,
    }
}

/// What comes after the name of an option in a sentence, which is not its value.
const PROSE: &[&str] = &[
    "and", "are", "argument", "can", "cannot", "expects", "flag", "for", "from", "has", "in", "instead", "is", "may",
    "missing", "must", "needs", "not", "of", "on", "option", "or", "requires", "should", "to", "value", "was", "with",
];

/// `--token V` in the line of a shell, or in what it printed of one.
fn options(text: &str, place: Place, found: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while let Some(next) = text[at..].find("--") {
        let start = at + next;
        let begins =
            text[..start].chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '\'' | '('));
        let name = &text[start..];
        let name =
            &name[..name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(name.len())];
        at = start + name.len();
        let gap = gap(&text[at..]);
        if !begins || gap == 0 || !is_secret_name(name) {
            continue;
        }
        let mut from = at + gap;
        let rest = &text[from..];
        let length = match quote(rest) {
            Some((open, close)) => {
                from += open;
                quoted_length(&text[from..], close)
            }
            None if rest.starts_with("--") => continue,
            None => word_length(rest),
        };
        at = from + length;
        let is_prose = place == Place::Text && PROSE.contains(&text[from..at].trim_end_matches(['.', ',', ':']));
        // An empty quote counts too: the rest of its word may follow.
        if !is_prose {
            found.push(from..at);
        }
    }
}
