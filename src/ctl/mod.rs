//! The verbs of `retryctl`, one file each. Contract D30, D31.

mod ask;
mod check;
mod columns;
mod discard;
mod files;
mod filter;
mod ids;
mod letter_report;
mod letter_stats;
mod list;
mod path;
mod preset;
mod purge;
mod replay;
mod shell_line;
mod show;
mod shown;
mod stats;
mod verify;
pub mod world;

use crate::cli::settings::Settings;
use crate::cli::usage_error::UsageError;
use crate::cli::verbs::{Verb, VerbSpec};
use world::{Failed, World};

/// Does what a verb says and gives the exit status.
pub fn run(verb: Verb, settings: &Settings<'_>, world: &mut World<'_>) -> u8 {
    let ended = match verb {
        Verb::LetterList => list::run(settings, world),
        Verb::LetterShow => show::run(settings, world),
        Verb::LetterDiscard => discard::discard(settings, world),
        Verb::LetterRestore => discard::restore(settings, world),
        Verb::LetterPurge => purge::run(settings, world),
        Verb::LetterStats => letter_stats::run(settings, world),
        Verb::LetterCheck => check::run(settings, world),
        Verb::LetterVerify => verify::run(settings, world),
        Verb::LetterPath => path::run(settings, world),
        Verb::PresetList => preset::list(world),
        Verb::PresetShow => preset::show(settings, world),
        Verb::LetterReplay => replay::run(settings, world),
        Verb::Stats => stats::run(settings, world),
    };
    let ended = ended.and_then(|status| world.out.flush().map(|()| status).map_err(Failed::from));
    ended.unwrap_or_else(|failed| world.report(failed))
}

/// Says what is wrong with a command line; `check` does so as monitoring wants it (D31).
pub fn misused(verb: Option<&VerbSpec>, error: UsageError, world: &mut World<'_>) -> u8 {
    let failed = Failed::from(error);
    match verb.map(|verb| verb.verb) {
        Some(Verb::LetterCheck) => check::unknown(&failed, world).unwrap_or_else(|failed| world.report(failed)),
        _ => world.report(failed),
    }
}
