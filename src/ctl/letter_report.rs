//! A letter as a report for a person: what ran, where, how often, how each attempt went, and how to run it again.

use std::io;
use std::time::Duration;

use serde_json::{Map, Value};

use super::columns;
use super::list;
use super::world::World;
use crate::dead_letter::fold::Letter;
use crate::dead_letter::place::Place;
use crate::duration;
use crate::notice::{escape, texts};
use crate::record::{Attempt, Record};
use crate::redact::Redactor;
use crate::shell_word;
use crate::timestamp;

/// What is told of.
pub struct Told<'a> {
    /// What the fold knows.
    pub letter: &'a Letter,
    /// What the line says.
    pub record: &'a Record,
    /// What happened to it.
    pub events: &'a [Map<String, Value>],
    /// What hides the secrets; `None` with `--reveal`.
    pub redactor: Option<&'a Redactor>,
    /// The file it stands in.
    pub place: &'a Place,
    /// What makes root the user to whom that belongs, where only they may run the letter.
    pub become_owner: Option<String>,
}

impl Told<'_> {
    fn text(&self, text: &str) -> String {
        escape::line(&self.unescaped(text))
    }

    fn unescaped(&self, text: &str) -> String {
        self.redactor.map_or_else(|| text.to_owned(), |redactor| redactor.text(text))
    }
}

/// Prints the report.
///
/// # Errors
/// The output cannot be written.
pub fn print(told: &Told<'_>, world: &mut World<'_>) -> io::Result<()> {
    let (bold, dim, plain) = if world.has_colour { ("\x1b[1m", "\x1b[2m", "\x1b[0m") } else { ("", "", "") };
    writeln!(world.out, "{bold}Dead letter {}{plain}\n", told.letter.id)?;
    for (name, value) in facts(told, world.now_ms()) {
        writeln!(world.out, "  {dim}{name:<10}{plain} {value}")?;
    }
    let history: Vec<&Attempt> = told.record.retry.history.iter().collect();
    if !history.is_empty() {
        writeln!(world.out, "\n{bold}Attempts{plain}")?;
        attempts(&history, world)?;
    }
    if let Some(stderr) = told.record.stderr.as_ref().filter(|stderr| !stderr.tail.is_empty()) {
        let extent = if stderr.truncated {
            format!(" (the last {} of {} bytes)", stderr.tail.len(), stderr.total_bytes)
        } else {
            String::new()
        };
        writeln!(world.out, "\n{bold}Standard error{plain}{extent}")?;
        for line in told.unescaped(&stderr.tail).lines() {
            writeln!(world.out, "  {dim}|{plain} {}", escape::line(line))?;
        }
    }
    if !told.events.is_empty() {
        writeln!(world.out, "\n{bold}Since then{plain}")?;
        for event in told.events {
            writeln!(world.out, "  {}", happened(told, event))?;
        }
    }
    if told.letter.state.is_open() {
        let file = told.place.for_a_line_to_paste();
        let file = file.map(|path| format!(" --file {}", shell_word::to_paste(path))).unwrap_or_default();
        let become_owner = told.become_owner.as_ref().map(|words| format!("{words} ")).unwrap_or_default();
        let line = format!("{become_owner}retryctl dead-letter replay{file} {}", told.letter.id);
        writeln!(world.out, "\n{bold}To run it again{plain}\n  {line}")?;
    }
    Ok(())
}

fn facts(told: &Told<'_>, now_ms: u64) -> Vec<(&'static str, String)> {
    let (letter, record) = (told.letter, told.record);
    let ago = match now_ms.saturating_sub(letter.at_ms) / 1000 {
        0 => "just now".into(),
        seconds => format!("{} ago", duration::human(Duration::from_secs(seconds))),
    };
    let command = match told.redactor {
        Some(redactor) => shell_word::line(redactor.args()),
        None => shell_word::line(crate::record::args_of(&record.process)),
    };
    let mut facts = vec![
        ("job", escape::line(&record.job)),
        ("state", state(letter)),
        ("when", format!("{}, {ago}", moment(&record.timestamp))),
        ("command", escape::line(&String::from_utf8_lossy(&command))),
    ];
    let retry = &record.retry;
    let tries = match retry.max_tries {
        Some(max_tries) => format!("{} of {}", retry.attempts, texts::counted_as(max_tries, "attempt")),
        None => texts::counted_as(retry.attempts, "attempt"),
    };
    let span = |ms: u64| duration::human(Duration::from_millis(ms));
    let mut add =
        |name, value: Option<String>| facts.extend(value.filter(|v| !v.is_empty()).map(|value| (name, value)));
    add("directory", Some(told.text(&record.process.working_directory)));
    let waited =
        if retry.waited_ms > 0 { format!(", {} of them waiting", span(retry.waited_ms)) } else { String::new() };
    add("ended", Some(format!("{} after {tries} in {}{waited}", escape::line(&retry.ending), span(retry.elapsed_ms))));
    add("outcome", Some(list::outcome(letter)));
    add("error", record.error.as_ref().and_then(|error| error.message.as_ref()).map(|message| told.text(message)));
    add("not before", retry.not_before.as_ref().map(|instant| moment(instant)));
    add(
        "http",
        record.http.as_ref().map(|http| {
            let status = http.status_code.map(|status| format!("status {status}"));
            let asked = http.retry_after.as_ref().map(|asked| format!("Retry-After: {}", told.text(asked)));
            status.into_iter().chain(asked).collect::<Vec<_>>().join(", ")
        }),
    );
    add(
        "input",
        record.stdin.as_ref().map(|input| match &*input.kind {
            "null" => "none: /dev/null".into(),
            "not_read" => "none was read".into(),
            "file" => {
                told.text(&format!("{} from byte {}", input.path.as_deref().unwrap_or("?"), input.offset.unwrap_or(0)))
            }
            "stored" => format!("stored, {}", texts::counted_as(input.total_bytes.unwrap_or(0), "byte")),
            _ => "not stored: it cannot be replayed as it was".into(),
        }),
    );
    if told.redactor.is_none() {
        if let Some(text) = record.stdin.as_ref().and_then(|input| input.text.as_ref()) {
            add("", Some(columns::cut(&escape::line(text), 200)));
        }
        for (name, value) in &record.env {
            add("env", Some(escape::line(&format!("{name}={value}"))));
        }
    } else if !record.env.is_empty() {
        let names: Vec<&str> = record.env.keys().map(String::as_str).collect();
        add("env", Some(format!("{} (--reveal shows them)", escape::line(&names.join(", ")))));
    }
    let user = record.user.name.as_ref().unwrap_or(&record.user.id);
    let origin = record.origin.as_ref().map(|origin| format!(", from {}", origin.kind)).unwrap_or_default();
    add("who", Some(escape::line(&format!("{user} on {}{origin}", record.host.name))));
    add("page", record.origin.as_ref().and_then(|origin| origin.run_url.as_ref()).map(|url| told.text(url)));
    add("key", Some(told.text(&record.idempotency_key)).filter(|key| **key != *letter.id));
    facts
}

fn state(letter: &Letter) -> String {
    let word = letter.state.name().replace('_', " ");
    match (letter.replays, letter.failed_replays) {
        (0, _) => word,
        (1, 0) => format!("{word}, 1 replay"),
        (replays, 0) => format!("{word}, {replays} replays"),
        (replays, failed) => format!("{word}, {failed} of {replays} replays failed"),
    }
}

/// `2026-01-31 23:59:59 UTC`, or the text as it stands if it is no instant.
fn moment(text: &str) -> String {
    match timestamp::parse(text) {
        Some(_) if text.len() >= 19 => format!("{} {} UTC", &text[..10], &text[11..19]),
        _ => escape::line(text),
    }
}

/// One attempt a line: its number, its time of day, what it came to, how long it took, and a bar of that and of the
/// delay after it, all bars on one scale.
fn attempts(history: &[&Attempt], world: &mut World<'_>) -> io::Result<()> {
    let span = |ms: u64| duration::human(Duration::from_millis(ms));
    let delay = |attempt: &Attempt| match (attempt.delay_ms, attempt.delay_source.as_deref()) {
        (None, _) => String::new(),
        (Some(ms), Some("retry_after")) => format!("+ {} as asked", span(ms)),
        (Some(ms), _) => format!("+ {}", span(ms)),
    };
    let number = history.iter().map(|a| a.attempt.to_string().len()).max().unwrap_or(1);
    let outcome = history.iter().map(|a| columns::display_width(&came_to(a))).max().unwrap_or(0);
    let took = history.iter().map(|a| span(a.duration_ms).len()).max().unwrap_or(0);
    let waited = history.iter().map(|a| delay(a).len()).max().unwrap_or(0);
    let room = world.width.saturating_sub(2 + number + 2 + 8 + 2 + outcome + 2 + took + 2 + waited + 2).clamp(8, 40);
    let longest = history.iter().map(|a| a.duration_ms.saturating_add(a.delay_ms.unwrap_or(0))).max().unwrap_or(0);
    let mut next = 1;
    for attempt in history {
        if attempt.attempt > next {
            let left_out = texts::counted_as(attempt.attempt - next, "attempt");
            writeln!(world.out, "  {:>number$}  {left_out} in between", "…")?;
        }
        next = attempt.attempt.saturating_add(1);
        let at = attempt.started_at.get(11..19).unwrap_or("").to_owned();
        let bar =
            bar(attempt.duration_ms, '█', longest, room) + &bar(attempt.delay_ms.unwrap_or(0), '░', longest, room);
        let line = format!(
            "  {:>number$}  {:8}  {:outcome$}  {:>took$}  {:waited$}  {bar}",
            attempt.attempt,
            escape::line(&at),
            came_to(attempt),
            span(attempt.duration_ms),
            delay(attempt),
        );
        writeln!(world.out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn bar(ms: u64, sign: char, longest: u64, room: usize) -> String {
    if ms == 0 || longest == 0 {
        return String::new();
    }
    let share = u128::from(ms) * room as u128 / u128::from(longest);
    sign.to_string().repeat(usize::try_from(share).unwrap_or(room).clamp(1, room))
}

fn came_to(attempt: &Attempt) -> String {
    match (attempt.error.as_deref(), attempt.exit_code, &attempt.signal) {
        (Some("timeout"), _, _) => "timed out".into(),
        (Some("spawn"), _, _) => "not started".into(),
        (Some("output"), Some(0), _) => "refused by output".into(),
        (_, Some(status), _) => format!("exit {status}"),
        (_, None, Some(signal)) => escape::line(signal),
        (_, None, None) => escape::line(&attempt.verdict),
    }
}

/// `2026-01-31 23:59:59 UTC  replay 1 failed (exhausted): exit 75 after 6 attempts, by root`
fn happened(told: &Told<'_>, event: &Map<String, Value>) -> String {
    let at = |path: &str| event.get(path.split('/').next()?)?.get(path.split('/').nth(1)?);
    let word = |path: &str| at(path).and_then(Value::as_str).unwrap_or_default();
    let when = moment(event.get("@timestamp").and_then(Value::as_str).unwrap_or_default());
    let number = at("replay/number").and_then(Value::as_u64).map(|n| format!(" {n}")).unwrap_or_default();
    let mut text = match word("event/action") {
        "replay_started" => format!("replay{number} began"),
        "replay_succeeded" => format!("replay{number} succeeded"),
        "replay_failed" => format!("replay{number} failed ({})", word("replay/ending")),
        action => action.to_owned(),
    };
    if let Some(status) = at("replay/exit_code").and_then(Value::as_u64).filter(|status| *status != 0) {
        text += &format!(": exit {status}");
    }
    if let Some(attempts) = at("replay/attempts").and_then(Value::as_u64) {
        text += &format!(", {attempts} attempt{}", if attempts == 1 { "" } else { "s" });
    }
    if !word("event/reason").is_empty() {
        text += &format!(": {}", word("event/reason"));
    }
    let who = if word("user/name").is_empty() { word("user/id") } else { word("user/name") };
    if !who.is_empty() {
        text += &format!(", by {who}");
    }
    format!("{when}  {}", told.text(&text))
}
