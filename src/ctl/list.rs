//! `retryctl dead-letter list`: a table for people, lines for scripts.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::columns::{self, Column, Side};
use super::files::{Letters, Use};
use super::filter::{self, Filter};
use super::shown::{Head, Mask};
use super::world::{Failed, World};
use crate::cli::settings::Settings;
use crate::cli::spec::Opt;
use crate::dead_letter::fold::{Letter, State};
use crate::notice::escape;

/// How many characters of the end of an id the table has; a typed id may be as short as 4.
const SUFFIX: usize = 8;

/// The form of the list.
#[derive(Clone, Copy)]
enum Format {
    Table,
    Jsonl,
    Ids,
}

/// Lists the letters that pass the filters, oldest first.
pub fn run(settings: &Settings<'_>, world: &mut World<'_>) -> Result<u8, Failed> {
    let format = settings.choice(Opt::ListFormat, |word| match word {
        "table" => Some(Format::Table),
        "jsonl" => Some(Format::Jsonl),
        "ids" => Some(Format::Ids),
        _ => None,
    })?;
    let filter = Filter::read(settings)?;
    let mask = Mask::read(settings.switch(Opt::Reveal)?, world);
    let letters = Letters::read(settings, world, Use::Look)?;
    let selected = filter.select(&letters, world)?;
    match format.unwrap_or(Format::Table) {
        Format::Table => table(&letters, &selected, &mask, world)?,
        Format::Jsonl => {
            for index in selected {
                let letter = &letters.folded.letters[index];
                let Some(mut record) = mask.value(&letters.line(letter)?, &mut []) else { continue };
                record.insert("state".into(), letter.state.name().into());
                record.insert("replays".into(), letter.replays.into());
                world.print_json(&record)?;
            }
        }
        Format::Ids => {
            for index in selected {
                writeln!(world.out, "{}", letters.folded.letters[index].id)?;
            }
        }
    }
    Ok(0)
}

/// Letters of one row: the same job, arguments, directory and state.
struct Row {
    newest: usize,
    oldest_ms: u64,
    count: usize,
}

fn table(letters: &Letters, selected: &[usize], mask: &Mask, world: &mut World<'_>) -> Result<(), Failed> {
    let mut rows: Vec<Row> = Vec::new();
    let mut row_of: HashMap<(u64, State), usize> = HashMap::new();
    for index in selected {
        let letter = &letters.folded.letters[*index];
        let at = *row_of.entry((letter.group, letter.state)).or_insert_with(|| {
            rows.push(Row { newest: *index, oldest_ms: letter.at_ms, count: 0 });
            rows.len() - 1
        });
        rows[at].newest = *index;
        rows[at].count += 1;
    }
    let suffix = suffix_length(letters, &rows);
    let has_states = rows.iter().any(|row| letters.folded.letters[row.newest].state != State::Dead);
    let now_ms = world.now_ms();
    let cell = |row: usize, column: usize| -> Result<String, Failed> {
        let row = &rows[row];
        let letter = &letters.folded.letters[row.newest];
        Ok(match column {
            0 => letter.id[letter.id.len().saturating_sub(suffix)..].to_owned(),
            1 => ages(now_ms, letter.at_ms, row.oldest_ms),
            2 if row.count > 1 => row.count.to_string(),
            3 if has_states => letter.state.name().to_owned(),
            2 | 3 => String::new(),
            4 => escape::line(&letter.job),
            5 => letter.attempts.to_string(),
            6 => ending(letter),
            _ => last_error(letter, &Head::read(&letters.line(letter)?, mask)),
        })
    };
    let job = (world.width / 5).clamp(12, 40);
    let left = |title, limit| Column { title, side: Side::Left, limit };
    let right = |title, limit| Column { title, side: Side::Right, limit };
    let columns = [
        left("ID", 64),
        left("AGE", 12),
        right("N", 8),
        left("STATE", 9),
        left("JOB", job),
        right("TRIES", 8),
        left("ENDED", 12),
        left("LAST ERROR", 0),
    ];
    let colour = |row: usize| match letters.folded.letters[rows[row].newest].state {
        State::Poison => "\x1b[31m",
        State::InDoubt => "\x1b[33m",
        State::Replaying | State::Replayed | State::Discarded => "\x1b[2m",
        State::Dead => "",
    };
    let colours = world.has_colour.then_some(&colour as &dyn Fn(usize) -> &'static str);
    columns::print(world.out, &columns, rows.len(), world.width, colours, cell)
}

/// 8, or as much as keeps all rows apart.
fn suffix_length(letters: &Letters, rows: &[Row]) -> usize {
    let mut seen = HashSet::new();
    let are_apart = rows.iter().all(|row| {
        let id = &letters.folded.letters[row.newest].id;
        seen.insert(&id[id.len().saturating_sub(SUFFIX)..])
    });
    if are_apart { SUFFIX } else { usize::MAX }
}

fn ages(now_ms: u64, newest_ms: u64, oldest_ms: u64) -> String {
    let (newest, oldest) = (age(now_ms.saturating_sub(newest_ms)), age(now_ms.saturating_sub(oldest_ms)));
    if newest == oldest { newest } else { format!("{newest}-{oldest}") }
}

/// An age in one figure: `12s`, `5m`, `3h`, `40d`.
pub fn age(millis: u64) -> String {
    let seconds = Duration::from_millis(millis).as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

fn ending(letter: &Letter) -> String {
    // The one word that would push the error off the line.
    if &*letter.ending == "retry_after_too_long" { "retry_after".into() } else { escape::line(&letter.ending) }
}

/// `exit 75: could not connect`, `SIGKILL`, `timed out`, `not started: …`.
fn last_error(letter: &Letter, head: &Head) -> String {
    let what = outcome(letter);
    match &head.message {
        Some(message) if what.is_empty() => escape::line(message),
        Some(message) => format!("{what}: {}", escape::line(message)),
        None => what,
    }
}

/// What the last attempt came to, in a word or two.
pub fn outcome(letter: &Letter) -> String {
    match (&*letter.error, letter.exit_code, &letter.signal) {
        ("timeout", _, _) => "timed out".into(),
        ("spawn", _, _) => "not started".into(),
        ("output", Some(0), _) => "refused by output".into(),
        (_, Some(status), _) => format!("exit {status}"),
        (_, None, Some(signal)) => escape::line(signal),
        (kind, None, None) => {
            filter::status(letter).map_or_else(|| escape::line(kind), |status| format!("exit {status}"))
        }
    }
}
