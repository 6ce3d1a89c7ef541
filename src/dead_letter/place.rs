//! Which file holds the dead letters. Contract D1.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The name of the file in a directory that was found.
const FILE_NAME: &str = "dead-letter.jsonl";

/// How a file was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was named, by an option or by `RETRY_DEFAULT_DEAD_LETTER`.
    Named,
    /// By the environment of a service or of a desktop: STATE_DIRECTORY, XDG_STATE_HOME.
    Environment,
    /// It is the account's own: root's, or the one below HOME.
    Account,
}

/// A file that was found; nothing is said about whether it exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where it is.
    pub path: PathBuf,
    /// How it was found.
    pub origin: Origin,
}

/// No file was named, and there is nothing that a default could be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoHome;

impl std::fmt::Display for NoHome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no place for dead letters: HOME is not set; name a file with --dead-letter")
    }
}

impl Place {
    /// A file that was named.
    pub fn named(path: impl Into<PathBuf>) -> Place {
        Place { path: path.into(), origin: Origin::Named }
    }

    /// Whether it was named, so that a fault of it is an error and not a warning (D2).
    pub fn is_named(&self) -> bool {
        self.origin == Origin::Named
    }

    /// What a line to paste needs, so that it works from anywhere: the file, unless it is the account's own (W2).
    pub fn for_a_line_to_paste(&self) -> Option<&Path> {
        (self.origin != Origin::Account).then_some(&*self.path)
    }
}

/// Finds the file. `named` is the option's value, which stands before the environment; `variable` looks variables up.
///
/// Empty variables count as unset, and a relative XDG_STATE_HOME is ignored, as its specification wants it.
///
/// # Errors
/// HOME is not set and nothing else says where.
pub fn find(
    named: Option<&OsStr>,
    is_root: bool,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Place, NoHome> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(path) = named.map(OsStr::to_owned).or_else(|| set("RETRY_DEFAULT_DEAD_LETTER")) {
        return Ok(Place::named(path));
    }
    if let Some(list) = set("STATE_DIRECTORY") {
        let first = list.as_bytes().split(|b| *b == b':').next().unwrap_or_default();
        let path = Path::new(OsStr::from_bytes(first)).join(FILE_NAME);
        return Ok(Place { path, origin: Origin::Environment });
    }
    if let Some(home) = set("XDG_STATE_HOME").map(PathBuf::from).filter(|home| home.is_absolute()) {
        return Ok(Place { path: home.join("retry").join(FILE_NAME), origin: Origin::Environment });
    }
    let directory = match (is_root, set("HOME")) {
        (true, _) => PathBuf::from("/var/lib/retry"),
        (false, Some(home)) => Path::new(&home).join(".local/state/retry"),
        (false, None) => return Err(NoHome),
    };
    Ok(Place { path: directory.join(FILE_NAME), origin: Origin::Account })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(named: Option<&str>, is_root: bool, env: &[(&str, &str)]) -> Result<(String, Origin), NoHome> {
        let variable = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
        find(named.map(OsStr::new), is_root, variable)
            .map(|place| (place.path.to_str().unwrap().to_owned(), place.origin))
    }

    #[test]
    fn the_first_that_is_set_is_taken() {
        let mut env = vec![
            ("RETRY_DEFAULT_DEAD_LETTER", "/v"),
            ("STATE_DIRECTORY", "/s1:/s2"),
            ("XDG_STATE_HOME", "/x"),
            ("HOME", "/h"),
        ];
        let mut take = |named: Option<&str>| {
            let answer = found(named, false, &env).unwrap();
            if named.is_none() {
                env.remove(0);
            }
            answer
        };
        assert_eq!(take(Some("o")), ("o".into(), Origin::Named));
        assert_eq!(take(None), ("/v".into(), Origin::Named));
        assert_eq!(take(None), ("/s1/dead-letter.jsonl".into(), Origin::Environment));
        assert_eq!(take(None), ("/x/retry/dead-letter.jsonl".into(), Origin::Environment));
        assert_eq!(take(None), ("/h/.local/state/retry/dead-letter.jsonl".into(), Origin::Account));
    }

    #[test]
    fn root_has_a_place_of_its_own_and_needs_no_home() {
        assert_eq!(found(None, true, &[]), Ok(("/var/lib/retry/dead-letter.jsonl".into(), Origin::Account)));
        assert_eq!(found(None, false, &[]), Err(NoHome));
    }

    #[test]
    fn what_is_empty_or_a_relative_state_home_is_not_set() {
        let env = [("RETRY_DEFAULT_DEAD_LETTER", ""), ("XDG_STATE_HOME", "x"), ("HOME", "/h")];
        assert_eq!(found(None, false, &env).unwrap().1, Origin::Account);
    }
}
