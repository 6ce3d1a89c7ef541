//! `retryctl dead-letter purge`: the one verb that rewrites the file.

use std::time::Duration;

use super::ask;
use super::files::{self, Letters, Use};
use super::filter;
use super::world::{CANNOT_WRITE, Failed, USAGE, World};
use crate::cli::settings::Settings;
use crate::cli::spec::Opt;
use crate::dead_letter::fold::State;
use crate::dead_letter::purge::{self, Purged};
use crate::duration;

/// Deletes what is old and closed, in each file.
pub fn run(settings: &Settings<'_>, world: &mut World<'_>) -> Result<u8, Failed> {
    let Some(limit_ms) = filter::age(settings, Opt::OlderThan)? else {
        return Err(Failed::new(USAGE, "how old? expected --older-than DUR, such as --older-than 30d"));
    };
    let states = states(settings)?;
    let names: Vec<&str> = states.iter().map(|state| state.name()).collect();
    let age = duration::human(Duration::from_millis(limit_ms));
    ask::whether(&format!("delete letters older than {age} that are {}", names.join(" or ")), settings, world)?;
    for place in files::places(settings, world)? {
        let letters = Letters::of(vec![place.clone()], world, Use::Change)?;
        if letters.places.is_empty() {
            continue; // A default file that is not there.
        }
        let before_ms = world.now_ms().saturating_sub(limit_ms);
        let Purged { letters: count, bytes_before, bytes_after } =
            purge::purge(&place.path, letters.folded, &letters.locks[0], &states, before_ms)
                .map_err(|error| Failed::new(CANNOT_WRITE, error.to_string()))?;
        let letters = if count == 1 { "letter" } else { "letters" };
        writeln!(
            world.out,
            "{}: deleted {count} {letters}, {} KiB of {} KiB are left",
            place.path.display(),
            bytes_after.div_ceil(1024),
            bytes_before.div_ceil(1024)
        )?;
    }
    Ok(0)
}

fn states(settings: &Settings<'_>) -> Result<Vec<State>, Failed> {
    let words = settings.words(Opt::PurgeState)?;
    if words.is_empty() {
        return Ok(vec![State::Replayed, State::Discarded]);
    }
    if words.contains(&"all") {
        // What is being replayed is not old, whatever its age.
        return Ok(State::ALL.into_iter().filter(|state| *state != State::Replaying).collect());
    }
    Ok(words.iter().filter_map(|word| word.parse().ok()).collect())
}
