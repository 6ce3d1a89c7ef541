//! Finding the letter that a shortened id means. Contract D30.

use std::ffi::{OsStr, OsString};

use super::world::{Failed, NONE_SUCH, USAGE};
use crate::dead_letter::fold::Letter;

/// The least that may be typed of an id.
const SHORTEST: usize = 4;

/// The index of the one letter whose id is this, or begins or ends so, in either case.
///
/// # Errors
/// Too short (64), none (66), or more than one (64).
pub fn find(letters: &[Letter], typed: &OsStr) -> Result<usize, Failed> {
    let text = typed.to_string_lossy();
    if let Some(index) = letters.iter().position(|letter| letter.id.eq_ignore_ascii_case(&text)) {
        return Ok(index);
    }
    if text.len() < SHORTEST {
        let words = format!("{text:?} is too short for an id: expected {SHORTEST} characters or more");
        return Err(Failed::new(USAGE, words));
    }
    let mut fitting = letters.iter().enumerate().filter(|(_, letter)| fits(&letter.id, &text));
    match (fitting.next(), fitting.next()) {
        (None, _) => Err(Failed::new(NONE_SUCH, format!("no letter {text}"))),
        (Some((index, _)), None) => Ok(index),
        (Some((_, one)), Some((_, other))) => {
            let more = fitting.count();
            let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
            Err(Failed::new(USAGE, format!("{text} is not unique: {}, {}{rest}", one.id, other.id)))
        }
    }
}

fn fits(id: &str, typed: &str) -> bool {
    let (id, typed) = (id.as_bytes(), typed.as_bytes());
    id.len() >= typed.len()
        && (id[..typed.len()].eq_ignore_ascii_case(typed) || id[id.len() - typed.len()..].eq_ignore_ascii_case(typed))
}

/// The indices of all letters that are named, each once, in the order of the letters.
///
/// # Errors
/// As [`find`].
pub fn find_all<'a>(letters: &[Letter], typed: impl IntoIterator<Item = &'a OsString>) -> Result<Vec<usize>, Failed> {
    let mut found = typed.into_iter().map(|id| find(letters, id)).collect::<Result<Vec<usize>, Failed>>()?;
    found.sort_unstable();
    found.dedup();
    Ok(found)
}
