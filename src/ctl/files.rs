//! The files that a verb works on, open and folded. Contract D4, D30, D31.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use super::world::{CANNOT_CREATE, CANNOT_WRITE, Failed, NONE_SUCH, World, reason};
use crate::cli::settings::Settings;
use crate::cli::spec::Opt;
use crate::cli::usage_error::UsageError;
use crate::dead_letter::fold::{self, Folded, Letter};
use crate::dead_letter::lock::Locks;
use crate::dead_letter::open::{self, Trust, Unfit};
use crate::dead_letter::place::{self, Place};
use crate::dead_letter::scan::{self, Lines};
use crate::dead_letter::summary::{self, Reading};
use crate::shell_word;

/// The letters of all files.
pub struct Letters {
    /// The files that are there, as they were named or found.
    pub places: Vec<Place>,
    /// What they hold.
    pub folded: Folded,
    /// Who holds which letter, a lock file for each file.
    pub locks: Vec<Locks>,
    /// Up to where each file was read after the fold.
    looked: Vec<u64>,
    /// The letters that the lines read since then are about; an empty name is about any.
    news: HashSet<Box<str>>,
}

/// The files that were named by `--file`, else the one that `retry` would use.
///
/// # Errors
/// No file was named, and there is no default.
pub fn places(settings: &Settings<'_>, world: &World<'_>) -> Result<Vec<Place>, Failed> {
    let named = settings.all(Opt::File);
    // A replay works in other directories.
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    if let Some(empty) = named.iter().find(|setting| setting.value.is_empty()) {
        return Err(UsageError::value(empty, "expected the path of a file").into());
    }
    if !named.is_empty() {
        return Ok(named.into_iter().map(|setting| Place::named(absolute(PathBuf::from(setting.value)))).collect());
    }
    let is_root = rustix::process::geteuid().is_root();
    match place::find(None, is_root, world.environment) {
        Ok(place) => Ok(vec![Place { path: absolute(place.path), ..place }]),
        Err(_) => Err(Failed::new(NONE_SUCH, "no dead-letter file: HOME is not set; name one with --file")),
    }
}

/// What a failure to open a file comes to.
pub fn unfit(unfit: &Unfit, world: &World<'_>) -> Failed {
    let status = if unfit.is_missing() { NONE_SUCH } else { CANNOT_WRITE };
    match unfit {
        // D4: root may not run what others wrote, but is told who may.
        Unfit::Foreign { path, owner } if rustix::process::geteuid().is_root() => {
            let line = String::from_utf8_lossy(&shell_word::line(&world.args)).into_owned();
            Failed::new(status, format!("{unfit}; as that user: {} retryctl {line}", become_owner(path, *owner)))
        }
        Unfit::Refused { step: "create", .. } => Failed::new(CANNOT_CREATE, unfit.to_string()),
        Unfit::Refused { .. }
        | Unfit::Link(_)
        | Unfit::NotAFile(_)
        | Unfit::Foreign { .. }
        | Unfit::Writable { .. } => Failed::new(status, unfit.to_string()),
    }
}

/// What root puts before a command that the owner of a file has to run.
fn become_owner(path: &Path, owner: u32) -> String {
    become_owner_of_real(&path.canonicalize().unwrap_or_default(), owner)
}

/// The same of a path without links.
///
/// The user of a unit with DynamicUser= lives only while a unit with that name of a user does, and systemd keeps everybody else out of
/// the state directories of such users (systemd.exec(5)).
fn become_owner_of_real(path: &Path, owner: u32) -> String {
    let state = path.strip_prefix("/var/lib/private").ok().and_then(Path::parent);
    match state.and_then(|state| Some((state, state.iter().next()?))) {
        Some((state, user)) => format!(
            "systemd-run -qP -p DynamicUser=yes -p User={} -p StateDirectory={}",
            shell_word::to_paste(user),
            shell_word::to_paste(state),
        ),
        None => format!("sudo -u '#{owner}'"),
    }
}

/// A file that cannot be read.
pub fn unread(path: &Path, error: &std::io::Error) -> Failed {
    Failed::new(CANNOT_WRITE, format!("cannot read {}: {}", path.display(), reason(error)))
}

/// Whether a path still leads to an open file.
pub fn is_current(file: &File, path: &Path) -> bool {
    match (rustix::fs::fstat(file), rustix::fs::lstat(path)) {
        (Ok(open), Ok(now)) => (open.st_dev, open.st_ino) == (now.st_dev, now.st_ino),
        _ => false,
    }
}

/// What a verb is going to do with the letters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Look at them.
    Look,
    /// Change or run them.
    Change,
}

impl Letters {
    /// Opens the files of a verb and folds them. A default file that is not there is as good as an empty one; lines
    /// that cannot be read are told of, once a file.
    ///
    /// # Errors
    /// A file that was named is not there; a file is unfit (D4) or cannot be read.
    pub fn read(settings: &Settings<'_>, world: &mut World<'_>, purpose: Use) -> Result<Letters, Failed> {
        let letters = Letters::of(places(settings, world)?, world, purpose)?;
        letters.tell_of_skipped(world);
        Ok(letters)
    }

    /// The same for places that are known.
    ///
    /// # Errors
    /// As above.
    pub fn of(wanted: Vec<Place>, world: &World<'_>, purpose: Use) -> Result<Letters, Failed> {
        let trust = match purpose {
            Use::Look => Trust::OwnerOrRootLooks,
            Use::Change => Trust::OwnerAlone,
        };
        let (mut places, mut files, mut locks) = (Vec::new(), Vec::new(), Vec::new());
        for place in wanted {
            match open::for_reading(&place.path, trust) {
                Ok(file) => {
                    locks.push(match purpose {
                        Use::Look => Locks::to_look(&place.path),
                        Use::Change => Locks::to_hold(&place.path).map_err(|error| unfit(&error, world))?,
                    });
                    files.push(file);
                    places.push(place);
                }
                Err(error) if error.is_missing() && !place.is_named() => {}
                Err(error) => return Err(unfit(&error, world)),
            }
        }
        let held = |file: usize, id: &str| locks.get(file).is_some_and(|locks: &Locks| locks.is_held(id));
        let folded = fold::fold(files, held)
            .map_err(|error| Failed::new(CANNOT_WRITE, format!("cannot read the letters: {}", reason(&error))))?;
        let looked = folded.ends.clone();
        Ok(Letters { places, folded, locks, looked, news: HashSet::new() })
    }

    /// Folds the files anew if they have news of this letter, or are others by now. Says whether it did. To be asked for
    /// when the letter is held: what was known of it before may be long ago. Each new line is read once, however many
    /// letters are asked for.
    ///
    /// # Errors
    /// A file is gone, unfit, or cannot be read.
    pub fn look_again(&mut self, id: &str, world: &World<'_>) -> Result<bool, Failed> {
        let mut are_current = true;
        for (file, place) in self.places.iter().enumerate() {
            are_current &= is_current(&self.folded.files[file], &place.path);
            let trouble = |error: std::io::Error| unread(&place.path, &error);
            let open = self.folded.files[file].try_clone().map_err(trouble)?;
            let mut lines = Lines::from(open, self.looked[file]).map_err(trouble)?;
            while let Some(line) = lines.next().map_err(trouble)? {
                match summary::read(&line) {
                    Reading::Letter(head) => self.news.insert(Box::from(&*head.id)),
                    Reading::Event(head) => self.news.insert(Box::from(&*head.reference)),
                    Reading::Unreadable(_) if line.ended => self.news.insert(Box::default()),
                    Reading::Nothing | Reading::Unreadable(_) => false,
                };
                if line.ended {
                    self.looked[file] = line.offset + line.length + 1;
                }
            }
        }
        let has_news = !are_current || self.news.contains(id) || self.news.contains("");
        if has_news {
            self.refold(world)?;
        }
        Ok(has_news)
    }

    /// Opens the files anew and folds them anew; the locks stay, for to open their file again would give them up.
    ///
    /// # Errors
    /// A file is gone, unfit, or cannot be read.
    pub fn refold(&mut self, world: &World<'_>) -> Result<(), Failed> {
        let mut files = Vec::new();
        for place in &self.places {
            files.push(open::for_reading(&place.path, Trust::OwnerAlone).map_err(|error| unfit(&error, world))?);
        }
        let held = |file: usize, id: &str| self.locks[file].is_held(id);
        self.folded = fold::fold(files, held)
            .map_err(|error| Failed::new(CANNOT_WRITE, format!("cannot read the letters: {}", reason(&error))))?;
        self.looked.clone_from(&self.folded.ends);
        self.news.clear();
        Ok(())
    }

    /// Folds another file with the others, to look at it only: none of its letters can be held.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn join(&mut self, file: File, place: Place) -> Result<(), Failed> {
        let mut files = std::mem::take(&mut self.folded).files;
        files.push(file);
        let held = |file: usize, id: &str| self.locks.get(file).is_some_and(|locks| locks.is_held(id));
        self.folded = fold::fold(files, held).map_err(|error| unread(&place.path, &error))?;
        self.places.push(place);
        Ok(())
    }

    /// The line of a letter, read again.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn line(&self, letter: &Letter) -> Result<Vec<u8>, Failed> {
        scan::read_again(&self.folded.files[letter.file], letter.offset, letter.length)
            .map_err(|error| unread(&self.places[letter.file].path, &error))
    }

    /// What root puts before a command that runs a letter, where its file belongs to neither root nor who asks: only its owner may (D4).
    pub fn become_owner(&self, letter: &Letter) -> Option<String> {
        let owner = rustix::fs::fstat(&self.folded.files[letter.file]).ok()?.st_uid;
        let is_another = owner != 0 && owner != rustix::process::geteuid().as_raw();
        is_another.then(|| become_owner(&self.places[letter.file].path, owner))
    }

    /// The letters that somebody has to do something about.
    pub fn open(&self) -> impl Iterator<Item = &Letter> {
        self.folded.letters.iter().filter(|letter| letter.state.is_open())
    }

    fn tell_of_skipped(&self, world: &mut World<'_>) {
        let count = self.folded.skipped_count;
        if count == 0 {
            return;
        }
        let lines = if count == 1 { "1 line".into() } else { format!("{count} lines") };
        // Of those that are known by number the first say which files they stand in.
        let spoiled: HashSet<usize> = self.folded.skipped.iter().map(|skipped| skipped.file).collect();
        let places =
            || self.places.iter().enumerate().filter(|(file, _)| spoiled.contains(file)).map(|(_, place)| place);
        let files: Vec<String> = places().map(|place| place.path.display().to_string()).collect();
        let named = places().filter_map(Place::for_a_line_to_paste);
        let options: String = named.map(|path| format!(" --file {}", shell_word::to_paste(path))).collect();
        world.say(&format!("passed over {lines} of {}: retryctl dead-letter verify{options}", files.join(", ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_of_a_unit_is_somebody_only_in_a_unit() {
        let become_owner = |path| become_owner_of_real(Path::new(path), 61_970);
        let unit = "systemd-run -qP -p DynamicUser=yes -p User=report -p StateDirectory=report";
        assert_eq!(become_owner("/var/lib/private/report/dead-letter.jsonl"), unit);
        assert_eq!(
            become_owner("/var/lib/private/report/a b/x.jsonl"),
            format!("{}'report/a b'", &unit[..unit.len() - 6])
        );
        for path in ["/var/lib/report/dead-letter.jsonl", "/var/lib/private/dead-letter.jsonl", "/var/lib/private", ""]
        {
            assert_eq!(become_owner(path), "sudo -u '#61970'", "{path}");
        }
    }
}
