//! The one report of a run that failed under `--output on-failure`. Contract S12.
//!
//! What the attempts printed stands behind a bar, with control characters escaped: it cannot pass for a line of the
//! report, nor move the cursor through it.

use super::texts::{self, Letter};
use super::{Row, escape};
use crate::duration::human;
use crate::timestamp;

/// The bar before each line of output.
const BAR: &str = "  | ";

/// The first lines: what happened, and what was run. `end` is the end line without the way on.
pub fn head(job: &str, end: &str, command: &str) -> String {
    format!("retry: {}: {}\ncommand: {}\n", escape::line(job), escape::line(end), escape::line(command))
}

/// The line above an attempt's output.
pub fn attempt(row: &Row) -> String {
    let Row { of, started_at, outcome, verdict, took, .. } = row;
    let (number, at, took) = (texts::number(*of), timestamp::format(*started_at), human(*took));
    format!("{number} at {at}, {took}: {outcome} ({verdict})\n")
}

/// The line that stands for attempts that the report does not show.
pub fn left_out(attempts: u64) -> String {
    format!("… {}, not kept …\n", texts::counted_as(attempts, "more attempt"))
}

/// The line that stands for output that was not kept.
pub fn missing(bytes: u64) -> String {
    format!("  … {} more, not kept …\n", texts::counted_as(bytes, "byte"))
}

/// The last line: the letter and the way on.
pub fn tail(letter: Option<Letter>) -> String {
    letter.map_or_else(String::new, |letter| {
        format!("dead letter {}; to run it again: {}\n", letter.id, texts::replay_command(letter))
    })
}

/// Output as the report shows it: each line behind the bar, the last one with its newline.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for line in text.split_inclusive('\n') {
        // What a terminal writes as its newline is one; a carriage return alone would go back over the line.
        let line = line.strip_suffix("\r\n").or(line.strip_suffix('\n')).unwrap_or(line);
        out.push_str(BAR);
        out.push_str(&escape::lines(line));
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_line_stands_behind_the_bar_and_cannot_act() {
        assert_eq!(quoted("one\r\n::error::x\n\x1b[2J\rtwo"), "  | one\n  | ::error::x\n  | \\x1b[2J\\rtwo\n");
        assert_eq!(quoted("\n\n"), "  | \n  | \n");
        assert_eq!(quoted(""), "");
        assert_eq!(quoted("\r"), "  | \\r\n");
    }

    #[test]
    fn what_is_not_kept_is_counted_in_words_that_agree() {
        assert_eq!(
            (left_out(1), missing(1)),
            ("… 1 more attempt, not kept …\n".into(), "  … 1 byte more, not kept …\n".into())
        );
        assert_eq!(left_out(2), "… 2 more attempts, not kept …\n");
    }

    proptest! {
        #[test]
        fn every_line_of_any_output_stands_behind_the_bar(text in any::<String>()) {
            let quoted = quoted(&text);
            prop_assert!(quoted.is_empty() || quoted.ends_with('\n'));
            prop_assert!(quoted.split_terminator('\n').all(|line| line.starts_with(BAR)));
        }
    }
}
