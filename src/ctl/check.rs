//! `retryctl dead-letter check`: open letters as monitoring plugins report a number. Contract D31.

use std::time::Duration;

use super::files::{Letters, Use};
use super::filter;
use super::world::{Failed, World};
use crate::cli::settings::Settings;
use crate::cli::spec::Opt;
use crate::cli::usage_error::UsageError;
use crate::dead_letter::fold::State;
use crate::duration;

/// The status of a plugin that cannot tell.
const UNKNOWN: u8 = 3;

/// Prints one line with performance data; 0, 1, 2, or 3 where it cannot tell.
pub fn run(settings: &Settings<'_>, world: &mut World<'_>) -> Result<u8, Failed> {
    match judge(settings, world) {
        Ok(status) => Ok(status),
        Err(failed) => unknown(&failed, world),
    }
}

/// What a plugin prints that cannot tell; for wrong usage too, whose status elsewhere is 64.
///
/// # Errors
/// The output cannot be written.
pub fn unknown(failed: &Failed, world: &mut World<'_>) -> Result<u8, Failed> {
    let why = failed.message.as_deref().unwrap_or("the output was closed");
    // What stands behind a bar would be performance data.
    let why = crate::notice::escape::line(why).replace('|', "¦");
    writeln!(world.out, "DEAD LETTERS UNKNOWN: {why}")?;
    world.out.flush()?;
    Ok(UNKNOWN)
}

fn judge(settings: &Settings<'_>, world: &mut World<'_>) -> Result<u8, Failed> {
    let warn = number(settings, Opt::Warn)?.unwrap_or(1);
    let crit = number(settings, Opt::Crit)?.unwrap_or(10);
    let max_age_ms = filter::age(settings, Opt::MaxAge)?;
    let letters = Letters::read(settings, world, Use::Look)?;
    let of = |state: State| letters.open().filter(|letter| letter.state == state).count();
    let (open, in_doubt, poison) = (letters.open().count(), of(State::InDoubt), of(State::Poison));
    let oldest_ms = letters.open().map(|letter| world.now_ms().saturating_sub(letter.at_ms)).max();
    let is_too_old = max_age_ms.zip(oldest_ms).is_some_and(|(limit, oldest)| oldest >= limit);
    let (status, word) = match open {
        open if open >= crit || is_too_old => (2, "CRITICAL"),
        open if open >= warn => (1, "WARNING"),
        _ => (0, "OK"),
    };
    write!(world.out, "DEAD LETTERS {word}: {open} open")?;
    for (count, state) in [(in_doubt, "in doubt"), (poison, "poison")] {
        if count > 0 {
            write!(world.out, ", {count} {state}")?;
        }
    }
    if let Some(oldest) = oldest_ms {
        write!(world.out, ", oldest {}", duration::human(Duration::from_millis(oldest)))?;
    }
    let limit_s = max_age_ms.map(|limit| (limit / 1000).to_string()).unwrap_or_default();
    let oldest_s = oldest_ms.unwrap_or(0) / 1000;
    writeln!(
        world.out,
        " | open={open};{warn};{crit};0 oldest={oldest_s}s;;{limit_s};0 in_doubt={in_doubt};;;0 poison={poison};;;0"
    )?;
    Ok(status)
}

fn number(settings: &Settings<'_>, opt: Opt) -> Result<Option<usize>, UsageError> {
    let Some(setting) = settings.one(opt) else { return Ok(None) };
    match setting.text()?.parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) => Err(UsageError::value(&setting, "expected a number of letters")),
    }
}
