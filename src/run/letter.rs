//! Where a run puts its dead letter: opened before the first attempt if it was named, else when that has failed. Contract D1 to D4.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Identity;
use crate::dead_letter::file::{DeadLetterFile, Warning};
use crate::dead_letter::open::Unfit;
use crate::dead_letter::place::{self, Place};
use crate::job::Job;
use crate::notice::texts::Letter;
use crate::record::Record;

/// The way of a letter into its file.
#[derive(Debug)]
pub(super) struct LetterBox {
    state: State,
    /// Warnings that were given already: each once a run.
    said: Vec<String>,
    /// The file, where a line that replays the letter has to name it (W2).
    paste: Option<PathBuf>,
}

#[derive(Debug)]
enum State {
    /// No letter is wanted: it was turned off, or this is the replay of one.
    Off,
    /// Nothing has been opened yet.
    Closed(Place),
    /// It can be appended to.
    Open(DeadLetterFile),
    /// There is no place for it, and why.
    Nowhere(String),
}

impl LetterBox {
    pub(super) fn new(job: &Job, identity: &Identity) -> LetterBox {
        if job.letters.off || identity.replay.is_some() {
            return LetterBox { state: State::Off, said: Vec::new(), paste: None };
        }
        let is_root = rustix::process::geteuid().is_root();
        // The reader of options has looked at this variable already.
        let variable = |name: &str| -> Option<OsString> {
            if name == "RETRY_DEFAULT_DEAD_LETTER" { None } else { std::env::var_os(name) }
        };
        let (state, paste) = match place::find(job.letters.file.as_deref().map(AsRef::as_ref), is_root, variable) {
            Ok(place) => {
                // The line is pasted elsewhere than here.
                let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
                let paste = place.for_a_line_to_paste().map(absolute);
                (State::Closed(place), paste)
            }
            Err(nowhere) => (State::Nowhere(nowhere.to_string()), None),
        };
        LetterBox { state, said: Vec::new(), paste }
    }

    /// Whether a letter is wanted at all.
    pub(super) fn is_wanted(&self) -> bool {
        !matches!(self.state, State::Off)
    }

    /// Opens a file that was named; returns warnings.
    ///
    /// # Errors
    /// It cannot be appended to (D2).
    pub(super) fn open_named(&mut self) -> Result<Vec<String>, Unfit> {
        match &self.state {
            State::Closed(place) if place.is_named() => {
                let (file, warnings) = DeadLetterFile::open(place)?;
                self.state = State::Open(file);
                Ok(self.unsaid(warnings))
            }
            State::Off | State::Closed(_) | State::Open(_) | State::Nowhere(_) => Ok(Vec::new()),
        }
    }

    /// Opens a default file, now that an attempt has failed; returns warnings, one of them if it cannot be opened.
    pub(super) fn open_default(&mut self) -> Vec<String> {
        if let State::Closed(place) = &self.state {
            match DeadLetterFile::open(place) {
                Ok((file, warnings)) => {
                    self.state = State::Open(file);
                    return self.unsaid(warnings);
                }
                Err(unfit) => self.state = State::Nowhere(unfit.to_string()),
            }
        }
        match &self.state {
            State::Nowhere(why) => {
                let warning = format!("no dead letter can be kept: {why}");
                self.once(vec![warning])
            }
            State::Off | State::Closed(_) | State::Open(_) => Vec::new(),
        }
    }

    /// Appends the letter. Says whether it is saved, and what there is to warn of.
    pub(super) fn post(&mut self, record: &Record) -> (bool, Vec<String>) {
        let mut warnings = self.open_default();
        let State::Open(file) = &self.state else { return (false, warnings) };
        match file.append(&record.to_line()) {
            Ok(more) => {
                warnings.extend(self.unsaid(more));
                (true, warnings)
            }
            Err(lost) => {
                warnings.push(lost.to_string());
                (false, warnings)
            }
        }
    }

    /// How a message names a letter that was saved.
    pub(super) fn reference<'a>(&'a self, id: &'a str) -> Letter<'a> {
        Letter { id, file: self.paste.as_deref() }
    }

    fn unsaid(&mut self, warnings: Vec<Warning>) -> Vec<String> {
        self.once(warnings.iter().map(ToString::to_string).collect())
    }

    fn once(&mut self, mut warnings: Vec<String>) -> Vec<String> {
        warnings.retain(|warning| !self.said.contains(warning));
        self.said.extend(warnings.iter().cloned());
        warnings
    }
}
