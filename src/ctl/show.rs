//! `retryctl dead-letter show`: everything about a letter.

use serde_json::{Map, Value};

use super::files::{Letters, Use};
use super::letter_report::{self, Told};
use super::shown::Mask;
use super::world::{CANNOT_WRITE, Failed, World, reason};
use super::{ids, shell_line};
use crate::cli::settings::Settings;
use crate::cli::spec::Opt;
use crate::dead_letter::fold::Letter;
use crate::dead_letter::scan::Lines;
use crate::record::Record;

/// Shows the letters that are named, as reports, as JSON, or as lines to paste.
pub fn run(settings: &Settings<'_>, world: &mut World<'_>) -> Result<u8, Failed> {
    let (as_json, as_shell) = (settings.switch(Opt::Json)?, settings.switch(Opt::Shell)?);
    let mask = Mask::read(settings.switch(Opt::Reveal)?, world);
    let letters = Letters::read(settings, world, Use::Look)?;
    let chosen = ids::find_all(&letters.folded.letters, &settings.operands)?;
    for (count, at) in chosen.into_iter().enumerate() {
        let letter = &letters.folded.letters[at];
        let line = letters.line(letter)?;
        if as_json {
            let mut events = events(&letters, letter)?;
            let mut value = mask.value(&line, &mut events).unwrap_or_default();
            value.insert("state".into(), letter.state.name().into());
            value.insert("events".into(), events.into());
            world.print_json(&value)?;
            continue;
        }
        let record: Record = serde_json::from_slice(&line).map_err(|error| {
            let words = format!("letter {} cannot be read whole ({error}): see show --json", letter.id);
            Failed::new(CANNOT_WRITE, words)
        })?;
        if as_shell {
            let line = shell_line::of(&record, &mask);
            world.out.write_all(&line)?;
            continue;
        }
        if count > 0 {
            writeln!(world.out)?;
        }
        let redactor = mask.redactor_of(&record);
        let told = Told {
            letter,
            record: &record,
            events: &events(&letters, letter)?,
            redactor: redactor.as_ref(),
            place: &letters.places[letter.file],
            become_owner: letters.become_owner(letter),
        };
        letter_report::print(&told, world)?;
    }
    Ok(0)
}

/// What happened to a letter, in the order of its file.
fn events(letters: &Letters, letter: &Letter) -> Result<Vec<Map<String, Value>>, Failed> {
    let mut events = Vec::new();
    let finder = memchr::memmem::Finder::new(letter.id.as_bytes());
    for (file, place) in letters.folded.files.iter().zip(&letters.places) {
        let unreadable =
            |error| Failed::new(CANNOT_WRITE, format!("cannot read {}: {}", place.path.display(), reason(&error)));
        let mut lines = Lines::new(file.try_clone().map_err(unreadable)?).map_err(unreadable)?;
        while let Some(line) = lines.next().map_err(unreadable)? {
            if finder.find(line.bytes).is_none() {
                continue;
            }
            let Ok(event) = serde_json::from_slice::<Map<String, Value>>(line.bytes) else { continue };
            if event.get("ref").and_then(Value::as_str) == Some(&letter.id) {
                events.push(event);
            }
        }
    }
    Ok(events)
}
