//! `retryctl dead-letter stats`: how many letters, how old, of what.

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Map, Value};

use super::columns::{self, Column, Side};
use super::files::{Letters, Use};
use super::list;
use super::world::{Failed, World};
use crate::cli::settings::Settings;
use crate::cli::spec::Opt;
use crate::dead_letter::fold::{Letter, State};
use crate::notice::escape;
use crate::timestamp;

/// What letters are counted by.
#[derive(Clone, Copy)]
enum By {
    Job,
    Ending,
    Exit,
}

/// The letters of one job, ending or exit status.
#[derive(Default)]
struct Count {
    of_state: [u64; State::ALL.len()],
    oldest_open_ms: Option<u64>,
    newest_ms: u64,
}

impl Count {
    fn add(&mut self, letter: &Letter) {
        let at = State::ALL.iter().position(|state| *state == letter.state).expect("every state is one of all");
        self.of_state[at] += 1;
        self.newest_ms = self.newest_ms.max(letter.at_ms);
        if letter.state.is_open() {
            self.oldest_open_ms = Some(self.oldest_open_ms.map_or(letter.at_ms, |oldest| oldest.min(letter.at_ms)));
        }
    }

    fn open(&self) -> u64 {
        State::ALL.iter().zip(self.of_state).filter(|(state, _)| state.is_open()).map(|(_, count)| count).sum()
    }
}

/// Prints one row for each job, ending or status, and one for all.
pub fn run(settings: &Settings<'_>, world: &mut World<'_>) -> Result<u8, Failed> {
    let by = settings.choice(Opt::LetterStatsBy, |word| match word {
        "job" => Some(By::Job),
        "ending" => Some(By::Ending),
        "exit" => Some(By::Exit),
        _ => None,
    })?;
    let as_json = settings.choice(Opt::StatsFormat, |word| match word {
        "json" => Some(true),
        "table" => Some(false),
        _ => None,
    })?;
    let by = by.unwrap_or(By::Job);
    let letters = Letters::read(settings, world, Use::Look)?;
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut all = Count::default();
    for letter in &letters.folded.letters {
        all.add(letter);
        let outcome;
        let key = match by {
            By::Job => &*letter.job,
            By::Ending => &*letter.ending,
            By::Exit => {
                outcome = list::outcome(letter);
                &outcome
            }
        };
        match counts.get_mut(key) {
            Some(count) => count.add(letter),
            None => counts.entry(key.to_owned()).or_default().add(letter),
        }
    }
    let mut rows: Vec<(String, Count)> = counts.into_iter().collect();
    rows.sort_by(|(one, a), (other, b)| b.open().cmp(&a.open()).then_with(|| one.cmp(other)));
    if as_json.unwrap_or(false) {
        let groups: Vec<_> = rows.iter().map(|(name, count)| json(Some(name), count)).collect();
        let mut whole = json(None, &all);
        whole.insert("groups".into(), groups.into());
        whole.insert("unreadable_lines".into(), letters.folded.skipped_count.into());
        world.print_json(&whole)?;
        return Ok(0);
    }
    let title = match by {
        By::Job => "JOB",
        By::Ending => "ENDED",
        By::Exit => "LAST ATTEMPT",
    };
    table(title, &rows, &all, world)
}

fn json(name: Option<&str>, count: &Count) -> Map<String, Value> {
    let mut fields = Map::new();
    if let Some(name) = name {
        fields.insert("name".into(), name.into());
    }
    fields.insert("open".into(), count.open().into());
    for (state, count) in State::ALL.iter().zip(count.of_state) {
        fields.insert(state.name().into(), count.into());
    }
    let instant = |ms: u64| timestamp::format(UNIX_EPOCH + Duration::from_millis(ms));
    if let Some(oldest) = count.oldest_open_ms {
        fields.insert("oldest_open_at".into(), instant(oldest).into());
    }
    if count.newest_ms > 0 {
        fields.insert("newest_at".into(), instant(count.newest_ms).into());
    }
    fields
}

fn table(title: &'static str, rows: &[(String, Count)], all: &Count, world: &mut World<'_>) -> Result<u8, Failed> {
    let now_ms = world.now_ms();
    let number = |count: u64| if count == 0 { String::new() } else { count.to_string() };
    let age = |ms: Option<u64>| ms.map(|ms| list::age(now_ms.saturating_sub(ms))).unwrap_or_default();
    let row = |name: &str, count: &Count| {
        let mut cells = vec![escape::line(name), count.open().to_string()];
        // Where no letter is in doubt or poison, open says all that dead would say.
        cells.extend(count.of_state[1..].iter().map(|count| number(*count)));
        cells.push(age(count.oldest_open_ms));
        cells.push(age((count.newest_ms > 0).then_some(count.newest_ms)));
        cells
    };
    let mut cells: Vec<Vec<String>> = rows.iter().map(|(name, count)| row(name, count)).collect();
    if rows.len() != 1 {
        cells.push(row("all", all));
    }
    let right = |title| Column { title, side: Side::Right, limit: 20 };
    let columns = [
        Column { title, side: Side::Left, limit: (world.width / 3).max(20) },
        right("OPEN"),
        right("IN DOUBT"),
        right("POISON"),
        right("REPLAYING"),
        right("REPLAYED"),
        right("DISCARDED"),
        right("OLDEST"),
        Column { title: "NEWEST", side: Side::Right, limit: 6 },
    ];
    columns::print_rows(world.out, &columns, &cells, world.width)?;
    Ok(0)
}
