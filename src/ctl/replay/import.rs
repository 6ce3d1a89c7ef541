//! Letters from standard input: taken into the local file before the first is run. Contract "replay -".

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, Read, Write};

use serde_json::{Map, Value};

use super::terms::Terms;
use crate::cli::settings::Settings;
use crate::ctl::files::{self, Letters, Use};
use crate::ctl::world::{CANNOT_CREATE, CANNOT_WRITE, Failed, World, reason};
use crate::dead_letter::file::DeadLetterFile;
use crate::dead_letter::fold::State;
use crate::dead_letter::place::{Origin, Place};
use crate::dead_letter::scan::{LONGEST, Line};
use crate::dead_letter::summary::{self, Reading};
use crate::record::Record;
use crate::run::origin;

/// What `list` and `show` add to a record.
const ADDED: [&str; 3] = ["state", "replays", "events"];

/// Reads records, appends those that the file does not have, and gives the letters, those to be run, and how many were
/// refused. A letter that has been replayed or discarded here is passed over: a queue that delivers twice is no reason
/// to run twice.
///
/// # Errors
/// Standard input cannot be read, or the file cannot be written.
pub fn from_stdin(
    terms: &Terms,
    settings: &Settings<'_>,
    world: &mut World<'_>,
) -> Result<(Letters, Vec<usize>, usize), Failed> {
    let mut place = files::places(settings, world)?.into_iter().next().expect("there is a file, named or found");
    let mut keep = if terms.dry_run {
        place.origin = Origin::Account; // It need not be there, and is not made.
        Keep::Aside(tempfile::tempfile()?)
    } else {
        let (file, warnings) =
            DeadLetterFile::open(&place).map_err(|error| Failed::new(CANNOT_CREATE, error.to_string()))?;
        world.warn(warnings);
        Keep::InFile(file)
    };
    // D4, before anything that stands in the file is added to.
    let known = Letters::of(vec![place.clone()], world, Use::Change)?;
    let mut have: HashSet<Box<str>> = known.folded.letters.iter().map(|letter| letter.id.clone()).collect();
    let (mut wanted, mut refused) = (Vec::new(), 0);
    let mut input = std::io::stdin().lock();
    let mut number = 0u64;
    loop {
        let mut line = Vec::new();
        let read = (&mut input).take(LONGEST as u64 + 1).read_until(b'\n', &mut line);
        if read.map_err(|error| unread(&error))? == 0 {
            break;
        }
        number += 1;
        if line.len() > LONGEST && !line.ends_with(b"\n") {
            let rest = input.skip_until(b'\n');
            rest.map_err(|error| unread(&error))?;
        }
        match letter_of(&line, terms) {
            Ok(None) => {}
            Ok(Some(Taken { id, line })) => {
                if have.insert(id.clone()) {
                    keep.take(line, world)?;
                }
                wanted.push(id);
            }
            Err(why) => {
                refused += 1;
                world.say(&format!("standard input, line {number}: {why}"));
            }
        }
    }
    let mut letters = known;
    match keep {
        Keep::InFile(_) => letters.refold(world)?,
        Keep::Aside(file) => letters.join(file, Place::named("standard input"))?,
    }
    let wanted: HashSet<Box<str>> = wanted.into_iter().collect();
    let mut chosen = Vec::new();
    for (at, letter) in letters.folded.letters.iter().enumerate() {
        if !wanted.contains(&letter.id) {
            continue;
        }
        match letter.state {
            State::Replayed | State::Discarded => {
                world.say(&format!("passed over: letter {} is {}", letter.id, letter.state));
            }
            State::Dead | State::InDoubt | State::Poison | State::Replaying => chosen.push(at),
        }
    }
    Ok((letters, chosen, refused))
}

/// Where the letters that come in are kept.
enum Keep {
    /// In the local file.
    InFile(DeadLetterFile),
    /// Beside it, where nothing is to be run.
    Aside(File),
}

impl Keep {
    fn take(&mut self, mut line: Vec<u8>, world: &mut World<'_>) -> Result<(), Failed> {
        match self {
            Keep::InFile(file) => {
                let warnings = file.append(&line).map_err(|lost| Failed::new(CANNOT_WRITE, lost.to_string()))?;
                world.warn(warnings);
            }
            Keep::Aside(file) => {
                line.push(b'\n');
                file.write_all(&line)?;
            }
        }
        Ok(())
    }
}

fn unread(error: &std::io::Error) -> Failed {
    Failed::new(CANNOT_WRITE, format!("cannot read standard input: {}", reason(error)))
}

/// A letter that came in: its id, and its line as it goes into the file.
struct Taken {
    id: Box<str>,
    line: Vec<u8>,
}

/// Takes a letter out of a line; `None` for an empty line.
fn letter_of(line: &[u8], terms: &Terms) -> Result<Option<Taken>, String> {
    let bytes = line.trim_ascii();
    let line = Line { bytes, offset: 0, length: 0, number: 0, ended: true, too_long: bytes.len() > LONGEST };
    let id = match summary::read(&line) {
        Reading::Nothing => return Ok(None),
        Reading::Letter(head) => Box::from(&*head.id),
        Reading::Event(_) => return Err("an event, not a dead letter".into()),
        Reading::Unreadable(fault) => return Err(fault.to_string()),
    };
    let record: Record = serde_json::from_slice(bytes).map_err(|error| format!("cannot be read whole: {error}"))?;
    if record.redacted {
        return Err(format!("letter {id} was written without its secrets and cannot be run"));
    }
    if record.host.name != origin::host().name && !terms.other_host {
        return Err(format!("letter {id} is of another host ({}); --other-host runs it here", record.host.name));
    }
    let mut value: Map<String, Value> = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if ADDED.iter().any(|name| value.remove(*name).is_some()) || bytes.contains(&b'\n') {
        let line = serde_json::to_vec(&value).map_err(|error| error.to_string())?;
        return Ok(Some(Taken { id, line }));
    }
    Ok(Some(Taken { id, line: bytes.to_vec() }))
}
