//! `retryctl dead-letter discard` and `restore`: by an event; nothing is deleted.

use std::collections::HashMap;

use super::ask;
use super::files::{Letters, Use};
use super::filter::Filter;
use super::ids;
use super::world::{CANNOT_WRITE, Failed, HELD, NONE_SUCH, USAGE, World};
use crate::cli::settings::Settings;
use crate::cli::spec::Opt;
use crate::dead_letter::file::DeadLetterFile;
use crate::dead_letter::fold::State;
use crate::record::{Action, Event};
use crate::run::origin;

/// Puts open letters away.
pub fn discard(settings: &Settings<'_>, world: &mut World<'_>) -> Result<u8, Failed> {
    let filter = Filter::read(settings)?;
    let letters = Letters::read(settings, world, Use::Change)?;
    let is_by_filter = settings.switch(Opt::All)? || Filter::was_given(settings);
    let chosen = match (settings.operands.is_empty(), is_by_filter) {
        (false, false) => {
            let named = ids::find_all(&letters.folded.letters, &settings.operands)?;
            for at in &named {
                let letter = &letters.folded.letters[*at];
                must_be(letter.state.is_open(), &letter.id, letter.state)?;
            }
            named
        }
        (true, true) => {
            let mut selected = filter.select(&letters, world)?;
            // `--all` alone leaves what deserves a second thought, as in a replay.
            let is_careful = settings.switch(Opt::All)? && settings.one(Opt::State).is_none();
            selected.retain(|at| match letters.folded.letters[*at].state {
                State::Dead => true,
                State::InDoubt | State::Poison => !is_careful,
                State::Replaying | State::Replayed | State::Discarded => false,
            });
            selected
        }
        (false, true) => return Err(Failed::new(USAGE, "ids and filters cannot be given together")),
        (true, false) => return Err(Failed::new(USAGE, "which letters? expected ids, a filter, or --all")),
    };
    let reason = settings.one(Opt::Reason).map(|reason| reason.value.to_string_lossy().into_owned());
    change(letters, &chosen, Action::Discarded, reason, settings, world)
}

/// Makes discarded letters open again.
pub fn restore(settings: &Settings<'_>, world: &mut World<'_>) -> Result<u8, Failed> {
    let letters = Letters::read(settings, world, Use::Change)?;
    let chosen = ids::find_all(&letters.folded.letters, &settings.operands)?;
    for at in &chosen {
        let letter = &letters.folded.letters[*at];
        must_be(letter.state == State::Discarded, &letter.id, letter.state)?;
    }
    change(letters, &chosen, Action::Restored, None, settings, world)
}

/// 75 for a letter that a replay holds, 66 for one in another wrong state.
pub fn must_be(it_is: bool, id: &str, state: State) -> Result<(), Failed> {
    match (it_is, state) {
        (true, _) => Ok(()),
        (false, State::Replaying) => Err(Failed::new(HELD, format!("letter {id} is being replayed"))),
        (false, state) => Err(Failed::new(NONE_SUCH, format!("letter {id} is {}", state.name().replace('_', " ")))),
    }
}

fn change(
    mut letters: Letters,
    chosen: &[usize],
    action: Action,
    reason: Option<String>,
    settings: &Settings<'_>,
    world: &mut World<'_>,
) -> Result<u8, Failed> {
    let (verb, done) = match action {
        Action::Restored => ("restore", "restored"),
        _ => ("discard", "discarded"),
    };
    if chosen.len() > 1 {
        ask::whether(&format!("{verb} {} letters", chosen.len()), settings, world)?;
    }
    let ids: Vec<(usize, Box<str>)> =
        chosen.iter().map(|at| &letters.folded.letters[*at]).map(|letter| (letter.file, letter.id.clone())).collect();
    let is_wanted = |state: State| if action == Action::Restored { state == State::Discarded } else { state.is_open() };
    let (mut changed, mut now) = (0, HashMap::new());
    for (file, id) in &ids {
        // Held while it is changed, so that no replay begins in between, and looked at again: the question may have stood
        // for long, and to restore what was replayed meanwhile would run it twice.
        let state = match letters.locks[*file].take(id).unwrap_or(true) {
            false => Some(State::Replaying),
            true => {
                if letters.look_again(id, world)? {
                    now = letters.folded.letters.iter().map(|letter| (letter.id.clone(), letter.state)).collect();
                }
                now.get(id).copied()
            }
        };
        if state.is_none_or(is_wanted) {
            record(&letters, *file, action, id, reason.clone(), world)?;
            changed += 1;
        }
        letters.locks[*file].give_back(id);
        match state.filter(|state| !is_wanted(*state)) {
            Some(state) if ids.len() == 1 => must_be(false, id, state)?,
            Some(state) => world.say(&format!("passed over: letter {id} is {state} by now")),
            None => {}
        }
    }
    match &*ids {
        [(_, one)] => writeln!(world.out, "{done} {one}")?,
        _ if changed == 1 => writeln!(world.out, "{done} 1 letter")?,
        _ => writeln!(world.out, "{done} {changed} letters")?,
    }
    Ok(0)
}

/// Appends an event that says no more than what happened, and why.
pub fn record(
    letters: &Letters,
    file: usize,
    action: Action,
    id: &str,
    reason: Option<String>,
    world: &mut World<'_>,
) -> Result<(), Failed> {
    let mut event = Event::new(action, id, std::time::SystemTime::now());
    event.event.reason = reason;
    append(letters, file, &mut event, world)
}

/// Appends an event to the file of its letter, with who does it.
pub fn append(letters: &Letters, file: usize, event: &mut Event, world: &mut World<'_>) -> Result<(), Failed> {
    (event.user, event.host) = (origin::user(), origin::host());
    let (file, warnings) =
        DeadLetterFile::open(&letters.places[file]).map_err(|error| Failed::new(CANNOT_WRITE, error.to_string()))?;
    world.warn(warnings);
    let warnings = file.append(&event.to_line()).map_err(|lost| Failed::new(CANNOT_WRITE, lost.to_string()))?;
    world.warn(warnings);
    Ok(())
}
