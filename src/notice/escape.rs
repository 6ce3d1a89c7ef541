//! Text from elsewhere made harmless: no control character of a child, a file name or a job moves anybody's cursor.

use std::fmt::Write;

/// Whether a character does something to a terminal rather than standing for itself: C0 and C1 controls, DEL, and the
/// marks that turn the direction of writing, with which a text can be made to read as another.
pub fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Replaces what acts by what can be seen: `\t`, `\n`, `\r`, `\xNN`, `\u{NNNN}`. One line stays one line.
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        push(&mut out, c);
    }
    out
}

/// The same for text of several lines: newlines and tabs stay.
pub fn lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            c => push(&mut out, c),
        }
    }
    out
}

/// JSON that acts on no terminal: what its writer leaves as it is becomes `\uNNNN`, which reads the same. `json` is one
/// text of JSON, in which such characters stand within strings only.
pub fn json(json: String) -> String {
    // DEL, and what the C1 controls and the marks begin with.
    let bytes = json.as_bytes();
    if memchr::memchr3(0x7f, 0xc2, 0xe2, bytes).is_none() && memchr::memchr(0xd8, bytes).is_none() {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            // Writing to a String cannot fail.
            c if acts(c) => drop(write!(out, "\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

fn push(out: &mut String, c: char) {
    // Writing to a String cannot fail.
    let _ = match c {
        '\t' => out.write_str("\\t"),
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        c if acts(c) && u32::from(c) < 0x100 => write!(out, "\\x{:02x}", u32::from(c)),
        c if acts(c) => write!(out, "\\u{{{:x}}}", u32::from(c)),
        c => out.write_char(c),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_would_act_on_a_terminal_is_shown_instead() {
        assert_eq!(
            line("a\x1b]52;c;x\x07\r\n\u{9b}2J\u{202e}\u{61c}é"),
            "a\\x1b]52;c;x\\x07\\r\\n\\x9b2J\\u{202e}\\u{61c}é"
        );
        assert_eq!(json("\"\u{61c}\"".into()), "\"\\u061c\"");
        assert_eq!(json("\"\u{7f}\u{9b}\u{200e}é\"".into()), "\"\\u007f\\u009b\\u200eé\"");
        assert_eq!(line("a\tb"), "a\\tb");
        assert_eq!(lines("a\tb\nc\r\x1b"), "a\tb\nc\\r\\x1b");
    }

    proptest! {
        #[test]
        fn nothing_that_acts_is_left(text in any::<String>()) {
            prop_assert!(!line(&text).chars().any(acts));
            let written = json(serde_json::to_string(&text).unwrap());
            prop_assert!(!written.chars().any(acts));
            prop_assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text.clone());
            prop_assert!(!lines(&text).chars().any(|c| acts(c) && c != '\n' && c != '\t'));
        }
    }
}
