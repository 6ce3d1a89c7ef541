//! The one report of a run that failed under `--output on-failure`. Contract S12.
//!
//! What the attempts printed stands behind a bar, with control characters escaped: it cannot pass for a line of the
//! report, nor move the cursor through it.

use super::Attempt;
use super::escape;
use super::texts::{self, Letter};
use crate::duration::human;
use crate::timestamp;

/// The bar before each line of output.
const BAR: &str = "  | ";

/// The first lines: what happened, and what was run. `end` is the end line without the way on.
pub fn head(job: &str, end: &str, command: &str) -> String {
    format!("retry: {}: {}\ncommand: {}\n", escape::line(job), escape::line(end), escape::line(command))
}

/// The line above an attempt's output.
pub fn attempt(attempt: &Attempt) -> String {
    format!(
        "{} at {}, {}: {} ({})\n",
        texts::number(attempt.of),
        timestamp::format(attempt.started_at),
        human(attempt.took),
        attempt.outcome,
        texts::counted(attempt.judgement)
    )
}

/// The line that stands for attempts that the report does not show.
pub fn left_out(attempts: u64) -> String {
    format!("… {attempts} more attempts, not kept …\n")
}

/// The line that stands for output that was not kept.
pub fn missing(bytes: u64) -> String {
    format!("  … {bytes} bytes more, not kept …\n")
}

/// The last line: the letter and the way on.
pub fn tail(letter: Option<Letter>) -> String {
    letter.map_or_else(String::new, |letter| {
        format!("dead letter {}; to run it again: {}\n", letter.id, texts::replay_command(letter))
    })
}

/// Output on its way into the report: bytes in pieces, lines behind the bar out.
#[derive(Debug, Default)]
pub struct Quoted {
    inside_line: bool,
    /// The beginning of a character whose end is in the next piece.
    part: Vec<u8>,
    /// A carriage return whose newline may be in the next piece.
    held_return: bool,
}

impl Quoted {
    /// Takes a piece and gives what it adds to the report.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.part.extend_from_slice(bytes);
        let rest = self.part.split_off(whole_characters(&self.part));
        let text = String::from_utf8_lossy(&self.part).into_owned();
        self.part = rest;
        self.quote(&text)
    }

    /// Ends the output: the last line gets its newline.
    pub fn end(&mut self) -> String {
        let text = String::from_utf8_lossy(&std::mem::take(&mut self.part)).into_owned();
        let mut out = self.quote(&text);
        if std::mem::take(&mut self.held_return) {
            self.put(&mut out, "\\r");
        }
        if std::mem::take(&mut self.inside_line) {
            out.push('\n');
        }
        out
    }

    fn quote(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 16);
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            // What a terminal writes as its newline is one; alone it would go back over the line.
            if std::mem::take(&mut self.held_return) && first != '\n' {
                self.put(&mut out, "\\r");
            }
            match first {
                '\n' => {
                    self.put(&mut out, "\n");
                    self.inside_line = false;
                    rest = &rest[1..];
                }
                '\r' => {
                    self.held_return = true;
                    rest = &rest[1..];
                }
                _ => {
                    let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
                    let piece = escape::lines(&rest[..end]);
                    self.put(&mut out, &piece);
                    rest = &rest[end..];
                }
            }
        }
        out
    }

    fn put(&mut self, out: &mut String, text: &str) {
        if !self.inside_line {
            out.push_str(BAR);
            self.inside_line = true;
        }
        out.push_str(text);
    }
}

/// How many bytes of a text are whole characters, or can never become one: all but the beginning of one at the end.
fn whole_characters(bytes: &[u8]) -> usize {
    let begins_one =
        |at: &usize| std::str::from_utf8(&bytes[*at..]).is_err_and(|e| e.valid_up_to() == 0 && e.error_len().is_none());
    // At most three bytes can be such a beginning.
    (bytes.len().saturating_sub(3)..bytes.len()).find(begins_one).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quoted(pieces: &[&[u8]]) -> String {
        let mut quoted = Quoted::default();
        let mut out: String = pieces.iter().map(|piece| quoted.push(piece)).collect();
        out.push_str(&quoted.end());
        out
    }

    #[test]
    fn each_line_stands_behind_the_bar_and_cannot_act() {
        assert_eq!(quoted(&[b"one\r\n::error::x\n\x1b[2J\rtwo"]), "  | one\n  | ::error::x\n  | \\x1b[2J\\rtwo\n");
        assert_eq!(quoted(&[b"\n\n"]), "  | \n  | \n");
        assert_eq!(quoted(&[b""]), "");
        assert_eq!(quoted(&[b"\r"]), "  | \\r\n");
    }

    proptest! {
        #[test]
        fn where_the_pieces_are_cut_changes_nothing(
            bytes: Vec<u8>,
            text in ".{0,20}",
            cuts in proptest::collection::vec(0usize..64, 0..6),
        ) {
            let bytes = [text.as_bytes(), &bytes, text.as_bytes()].concat();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            cuts.push(bytes.len());
            let mut pieces = Vec::new();
            let mut from = 0;
            for cut in cuts {
                pieces.push(&bytes[from..cut]);
                from = cut;
            }
            let whole = quoted(&[&bytes]);
            prop_assert_eq!(quoted(&pieces), whole.clone());
            for line in whole.lines() {
                prop_assert!(line.starts_with(BAR));
            }
        }
    }
}
