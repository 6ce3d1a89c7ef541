//! The marks of continuous integration: GitHub's workflow commands and summary, GitLab's sections. Contract W7.
//!
//! All of it is text made from values; nothing that a child printed is in it but through an escape.

use std::fmt::Write;

use super::texts::{self, Number};
use super::{Row, escape};
use crate::duration::human;
use crate::machine::DelaySource;

/// Whose marks are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// GitHub Actions.
    Github,
    /// GitLab CI.
    Gitlab,
}

/// Escapes the text of a workflow command (actions/toolkit, `escapeData`).
pub fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command (actions/toolkit, `escapeProperty`).
pub fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// `::warning title=…::…` or `::error title=…::…`, one line.
pub fn annotation(kind: &str, title: &str, text: &str) -> String {
    format!("::{kind} title={}::{}\n", property(title), data(text))
}

/// Takes the older form of a command out of a line of ours, `##[name]`, which the runner sees anywhere in a line
/// (actions/runner, `ActionCommand.TryParse`). `number_sign` is written for one `#` of it.
pub fn without_commands(line: &str, number_sign: &str) -> String {
    line.replace("##[", &format!("#{number_sign}["))
}

/// Opens the fold of an attempt. `unix` is the time in seconds; `id` is the run's.
pub fn open(host: Host, of: Number, id: &str, unix: u64) -> String {
    let title = texts::number(of);
    match host {
        Host::Github => format!("::group::retry: {title}\n"),
        Host::Gitlab => format!("\x1b[0Ksection_start:{unix}:{}\r\x1b[0Kretry: {title}\n", section(id, of)),
    }
}

/// Closes it.
pub fn close(host: Host, of: Number, id: &str, unix: u64) -> String {
    match host {
        Host::Github => "::endgroup::\n".into(),
        Host::Gitlab => format!("\x1b[0Ksection_end:{unix}:{}\r\x1b[0K\n", section(id, of)),
    }
}

/// A name that no other section of the job's log has.
fn section(id: &str, of: Number) -> String {
    format!("retry_{id}_{}", of.attempt)
}

/// What stands before and after text of the child that we print again, so that no line of it is taken for a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    /// The line before.
    pub open: String,
    /// The line after.
    pub close: String,
}

impl Fence {
    /// A fence with this token, which nobody must be able to guess: whoever knows it can end it.
    pub fn new(token: [u8; 16]) -> Fence {
        let token = token.iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        Fence { open: format!("::stop-commands::{token}\n"), close: format!("::{token}::\n") }
    }
}

/// The table for `$GITHUB_STEP_SUMMARY`. `left_out` attempts between the rows are not in it.
pub fn summary(job: &str, end: &str, rows: &[Row], left_out: u64) -> String {
    let mut out = format!("### retry: {}: {}\n\n", cell(job), cell(end));
    out.push_str("| attempt | outcome | counts as | took | then waited |\n|--:|---|---|--:|--:|\n");
    let mut last = 0;
    for row in rows {
        if row.of.attempt > last + 1 && left_out > 0 {
            let _ = writeln!(out, "| … | {left_out} more | | | |");
        }
        last = row.of.attempt;
        let next = row.next.map_or_else(String::new, |(delay, source)| match source {
            DelaySource::RetryAfter => format!("{} (Retry-After)", human(delay)),
            DelaySource::Backoff | DelaySource::Splay => human(delay),
        });
        let (outcome, verdict, took) = (cell(&row.outcome), cell(&row.verdict), human(row.took));
        let _ = writeln!(out, "| {} | {outcome} | {verdict} | {took} | {next} |", row.of.attempt);
    }
    out.push('\n');
    out
}

/// Text for a cell of a Markdown table: what Markdown or HTML would take for its own is escaped.
fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escape::line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '#' | '~' | '!' | '@' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// The lines for `$GITHUB_OUTPUT`.
pub fn outputs(prefix: &str, attempts: u32, exit_code: u8, ending: &str) -> String {
    format!("{prefix}attempts={attempts}\n{prefix}exit_code={exit_code}\n{prefix}ending={ending}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::{Duration, UNIX_EPOCH};

    fn nth(attempt: u32) -> Number {
        Number { attempt, tries: attempt, of: Some(6) }
    }

    #[test]
    fn a_fold_is_opened_and_closed_in_the_manner_of_each() {
        assert_eq!(open(Host::Github, nth(2), "01J", 7), "::group::retry: attempt 2 of 6\n");
        assert_eq!(close(Host::Github, nth(2), "01J", 7), "::endgroup::\n");
        assert_eq!(
            open(Host::Gitlab, nth(2), "01J", 7),
            "\x1b[0Ksection_start:7:retry_01J_2\r\x1b[0Kretry: attempt 2 of 6\n"
        );
        assert_eq!(close(Host::Gitlab, nth(2), "01J", 9), "\x1b[0Ksection_end:9:retry_01J_2\r\x1b[0K\n");
    }

    #[test]
    fn an_annotation_is_escaped_as_the_toolkit_does() {
        assert_eq!(annotation("error", "a:b,c%", "50%\r\nx:y"), "::error title=a%3Ab%2Cc%25::50%25%0D%0Ax:y\n");
    }

    #[test]
    fn the_summary_is_a_table_that_no_name_can_break() {
        let row = Row {
            of: nth(1),
            started_at: UNIX_EPOCH,
            outcome: "exit status 75".into(),
            verdict: "retryable".into(),
            took: Duration::from_millis(1_200),
            next: Some((Duration::from_millis(812), DelaySource::Backoff)),
        };
        assert_eq!(
            summary("a|b\n<c>", "succeeded on attempt 2 of 6 after 3 s", &[row], 0),
            "### retry: a\\|b\\\\n&lt;c>: succeeded on attempt 2 of 6 after 3 s\n\n\
             | attempt | outcome | counts as | took | then waited |\n|--:|---|---|--:|--:|\n\
             | 1 | exit status 75 | retryable | 1.2 s | 812 ms |\n\n"
        );
    }

    proptest! {
        #[test]
        fn no_annotation_is_more_than_one_line(title in any::<String>(), text in any::<String>()) {
            let line = annotation("warning", &title, &text);
            prop_assert_eq!(line.matches(['\n', '\r']).count(), 1);
        }
    }
}
