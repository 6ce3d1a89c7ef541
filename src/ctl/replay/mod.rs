//! `retryctl dead-letter replay`: running letters again. Contract D32 to D34.

mod batch;
mod import;
mod input;
mod one;
mod terms;

use std::collections::HashSet;

use super::files::{Letters, Use};
use super::filter::Filter;
use super::world::{CANNOT_WRITE, Failed, USAGE, World, reason};
use super::{ask, discard, ids};
use crate::cli::settings::Settings;
use crate::cli::spec::Opt;
use crate::dead_letter::fold::State;
use crate::notice::escape;
use crate::shell_word;
use crate::sys::wait::Wait;

use batch::Batch;
use terms::Terms;

/// Replays the letters that are named, that pass the filters, or that come on standard input.
pub fn run(settings: &Settings<'_>, world: &mut World<'_>) -> Result<u8, Failed> {
    let mut terms = Terms::read(settings)?;
    let filter = Filter::read(settings)?;
    let from_stdin = settings.operands.iter().any(|operand| operand == "-");
    let by_filter = settings.switch(Opt::All)? || Filter::was_given(settings);
    let (letters, chosen, refused) = match (from_stdin, settings.operands.is_empty(), by_filter) {
        (true, _, true) => return Err(Failed::new(USAGE, "- and filters cannot be given together")),
        (true, _, false) if settings.operands.len() > 1 => {
            return Err(Failed::new(USAGE, "- and ids cannot be given together"));
        }
        (true, _, false) => {
            if !settings.switch(Opt::Yes)? {
                return Err(Failed::new(USAGE, "replay - runs what it reads: it needs --yes"));
            }
            import::from_stdin(&terms, settings, world)?
        }
        (false, false, true) => return Err(Failed::new(USAGE, "ids and filters cannot be given together")),
        (false, true, false) => return Err(Failed::new(USAGE, "which letters? expected ids, a filter, --all, or -")),
        (false, false, false) => {
            let letters = Letters::read(settings, world, Use::Change)?;
            let chosen = ids::find_all(&letters.folded.letters, &settings.operands)?;
            for at in &chosen {
                let letter = &letters.folded.letters[*at];
                discard::must_be(letter.state.is_open(), &letter.id, letter.state)?;
            }
            (letters, chosen, 0)
        }
        (false, true, true) => {
            let letters = Letters::read(settings, world, Use::Change)?;
            // A state that is asked for by name needs no switch of its own.
            let named = settings.words(Opt::State)?;
            terms.in_doubt |= named.contains(&State::InDoubt.name());
            terms.poison |= named.contains(&State::Poison.name());
            let selected = filter.select(&letters, world)?;
            let chosen = pass_over(&letters, selected, &terms, world);
            (letters, chosen, 0)
        }
    };
    let (chosen, superseded) = if terms.newest { newest(&letters, chosen) } else { (chosen, Vec::new()) };
    if terms.dry_run {
        return dry_run(&letters, &chosen, &superseded, world);
    }
    if chosen.is_empty() && refused == 0 && world.can_ask {
        world.say("there is nothing to replay");
    }
    if chosen.len() + superseded.len() > 1 {
        let more = if superseded.is_empty() { String::new() } else { format!(" and discard {}", superseded.len()) };
        ask::whether(&format!("replay {} letters{more}", chosen.len()), settings, world)?;
    }
    world.out.flush()?;
    let wait = Wait::begin()
        .map_err(|error| Failed::new(CANNOT_WRITE, format!("cannot wait for signals: {}", reason(&error))))?;
    Batch::new(letters, terms, wait, &chosen, &superseded).run(refused, world)
}

/// Of letters that were not named one by one those that can be run without a second thought; says what it leaves.
fn pass_over(letters: &Letters, selected: Vec<usize>, terms: &Terms, world: &mut World<'_>) -> Vec<usize> {
    let (mut in_doubt, mut poison) = (0, 0);
    let mut chosen = selected;
    chosen.retain(|at| match letters.folded.letters[*at].state {
        State::Dead => true,
        State::InDoubt => {
            in_doubt += usize::from(!terms.in_doubt);
            terms.in_doubt
        }
        State::Poison => {
            poison += usize::from(!terms.poison);
            terms.poison
        }
        State::Replaying | State::Replayed | State::Discarded => false,
    });
    let letters = |count: usize| if count == 1 { "1 letter".into() } else { format!("{count} letters") };
    if in_doubt > 0 {
        let words =
            format!("passed over {} in doubt: nobody knows what the replay that was cut off did", letters(in_doubt));
        world.say(&format!("{words}; --in-doubt runs them"));
    }
    if poison > 0 {
        world.say(&format!("passed over {}, of which 3 replays failed; --poison runs them", letters(poison)));
    }
    chosen
}

/// Of each group the newest, and the others.
fn newest(letters: &Letters, chosen: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
    let mut groups = HashSet::new();
    let (mut newest, mut others): (Vec<usize>, Vec<usize>) =
        chosen.into_iter().rev().partition(|at| groups.insert(letters.folded.letters[*at].group));
    newest.reverse();
    others.reverse();
    (newest, others)
}

fn dry_run(letters: &Letters, chosen: &[usize], superseded: &[usize], world: &mut World<'_>) -> Result<u8, Failed> {
    let mask = super::shown::Mask::read(false, world);
    for (verb, indices) in [("replay", chosen), ("discard", superseded)] {
        for at in indices {
            let letter = &letters.folded.letters[*at];
            let line = letters.line(letter)?;
            let record: crate::record::Record = serde_json::from_slice(&line).unwrap_or_default();
            let redactor = mask.redactor_of(&record);
            let command = redactor.map(|redactor| shell_word::line(redactor.args())).unwrap_or_default();
            let command = escape::line(&String::from_utf8_lossy(&command));
            writeln!(world.out, "{verb} {} {}: {command}", letter.id, escape::line(&letter.job))?;
        }
    }
    Ok(0)
}
