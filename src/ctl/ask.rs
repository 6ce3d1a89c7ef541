//! Asking before something is changed. Contract D30.

use std::io::BufRead;

use super::world::{Failed, USAGE, World};
use crate::cli::settings::Settings;
use crate::cli::spec::Opt;

/// Asks on a terminal whether to go on; elsewhere `--yes` has to say so beforehand.
///
/// # Errors
/// Nobody can be asked, and `--yes` was not given (64); the answer was no (1).
pub fn whether(question: &str, settings: &Settings<'_>, world: &mut World<'_>) -> Result<(), Failed> {
    if settings.switch(Opt::Yes)? {
        return Ok(());
    }
    if !world.can_ask {
        return Err(Failed::new(USAGE, format!("to {question} needs --yes where nobody can be asked")));
    }
    world.out.flush()?;
    let _ = write!(world.err, "{question}? [y/N] ").and_then(|()| world.err.flush());
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    match (read, answer.trim()) {
        (Ok(_), "y" | "Y" | "yes") => Ok(()),
        _ => Err(Failed::new(1, "nothing was changed")),
    }
}
