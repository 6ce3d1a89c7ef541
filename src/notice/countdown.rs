//! The wait on a terminal: one line that counts down in place and leaves the plain line behind. Contract W4.
//!
//! This is the one wait that wakes up by itself, once a second at most, and only while somebody looks at it.

use std::fmt::Write;
use std::time::Duration;

use super::texts::Number;
use crate::duration::human;

/// The bytes that begin a new line of a terminal of `columns`, unless the cursor stands at the beginning of one. What a command
/// prints on a terminal does not pass through us, and may end within a line; asking the terminal where it stands would take
/// from its input. As many blanks as there are columns end on the next line then, and only then.
pub fn fresh_line(columns: usize) -> String {
    format!("{}\r\x1b[K", " ".repeat(columns))
}

/// A line that is being drawn.
#[derive(Clone, Debug)]
pub struct Countdown {
    /// What is counted down to, from the longest form to the shortest; each takes the time left.
    forms: [String; 4],
    /// Columns that the last drawing took; 0 before the first.
    drawn: usize,
    /// What the last drawing said and on how many columns, so that nothing is drawn twice.
    said: Option<(String, usize)>,
}

impl Countdown {
    /// One for the wait after a failed attempt; `failed` is its whole message without the wait, and `outcome` what it
    /// came to.
    pub fn new(of: Number, failed: &str, outcome: &str) -> Countdown {
        let Number { attempt, of: most, .. } = of;
        let number = most.map_or_else(|| attempt.to_string(), |most| format!("{attempt}/{most}"));
        Countdown {
            forms: [
                format!("retry: {failed}; next attempt in "),
                format!("retry: {number} failed: {outcome}; next in "),
                format!("retry: {number} {outcome}; "),
                format!("{number}: "),
            ],
            drawn: 0,
            said: None,
        }
    }

    /// The bytes that show the time left on a terminal of `columns`; empty if that would change nothing.
    pub fn draw(&mut self, left: Duration, columns: usize) -> String {
        // Whole seconds, rounded up: 0 is never shown while there is something to wait for.
        let left = human(Duration::from_secs(left.as_secs() + u64::from(left.subsec_nanos() > 0)));
        // The last column stays free: a character there makes some terminals wrap.
        let room = columns.saturating_sub(1).max(8);
        let fits = |form: &&String| form.chars().count() + left.len() <= room;
        let form = self.forms.iter().find(fits).unwrap_or(&self.forms[3]);
        let text: String = format!("{form}{left}").chars().take(room).collect();
        if self.said.as_ref().is_some_and(|said| *said == (text.clone(), columns)) {
            return String::new();
        }
        let mut out = self.erase(columns);
        let _ = write!(out, "\x1b[2m{text}\x1b[0m");
        self.drawn = text.chars().count();
        self.said = Some((text, columns));
        out
    }

    /// The bytes that take the line away again, on a terminal of `columns`; the cursor is then where the line began.
    pub fn erase(&mut self, columns: usize) -> String {
        // A terminal that became narrower has folded the line: it began some rows further up.
        let rows = self.drawn.saturating_sub(1).checked_div(columns).unwrap_or(0);
        let was_shown = std::mem::take(&mut self.drawn) > 0;
        self.said = None;
        match (was_shown, rows) {
            (false, _) => String::new(),
            (true, 0) => "\r\x1b[K".into(),
            (true, rows) => format!("\r\x1b[{rows}A\x1b[J"),
        }
    }

    /// Whether something of it stands on the terminal.
    pub fn is_shown(&self) -> bool {
        self.drawn > 0
    }

    /// After how long the line says something else: the longer the wait, the coarser its words.
    pub fn next_change(left: Duration) -> Duration {
        let unit: u64 = match left.as_secs() {
            0..3_600 => 1,
            3_600..86_400 => 60,
            _ => 3_600,
        };
        let since = Duration::new(left.as_secs() % unit, left.subsec_nanos());
        if since.is_zero() { Duration::from_secs(unit) } else { since }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn countdown() -> Countdown {
        let of = Number { attempt: 2, tries: 2, of: Some(6) };
        Countdown::new(of, "attempt 2 of 6 failed: exit status 75 (retryable)", "exit status 75")
    }

    fn at(columns: usize) -> String {
        let drawn = countdown().draw(Duration::from_millis(11_400), columns);
        drawn.strip_prefix("\x1b[2m").unwrap().strip_suffix("\x1b[0m").unwrap().to_owned()
    }

    #[test]
    fn the_line_says_what_there_is_room_for() {
        let longest = "retry: attempt 2 of 6 failed: exit status 75 (retryable); next attempt in 12 s";
        assert_eq!(at(80), longest);
        assert_eq!(at(longest.len() + 1), longest);
        assert_eq!(at(longest.len()), "retry: 2/6 failed: exit status 75; next in 12 s");
        assert_eq!(at(40), "retry: 2/6 exit status 75; 12 s");
        assert_eq!(at(20), "2/6: 12 s");
    }

    #[test]
    fn no_drawing_is_as_wide_as_the_terminal() {
        for columns in 9..200 {
            assert!(at(columns).chars().count() < columns, "{columns}");
        }
    }

    #[test]
    fn a_drawing_that_would_say_the_same_is_not_made() {
        let mut countdown = countdown();
        assert_ne!(countdown.draw(Duration::from_millis(11_400), 80), "");
        assert_eq!(countdown.draw(Duration::from_millis(11_001), 80), "");
        assert!(countdown.draw(Duration::from_millis(11_000), 80).starts_with("\r\x1b[K"));
    }

    #[test]
    fn a_line_that_a_narrower_terminal_folded_is_taken_away_whole() {
        let mut countdown = countdown();
        countdown.draw(Duration::from_secs(12), 80);
        assert_eq!(countdown.erase(40), "\r\x1b[1A\x1b[J");
        assert_eq!(countdown.erase(40), "", "what is gone is not taken away twice");
    }

    #[test]
    fn the_line_changes_when_a_whole_second_or_minute_is_left() {
        assert_eq!(Countdown::next_change(Duration::from_millis(3_200)), Duration::from_millis(200));
        assert_eq!(Countdown::next_change(Duration::from_secs(3)), Duration::from_secs(1));
        assert_eq!(Countdown::next_change(Duration::from_secs(7_230)), Duration::from_secs(30));
    }
}
