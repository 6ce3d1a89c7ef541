//! The letters of one file or several, each in its one state. Contract D22, D23.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::rc::Rc;
use std::str::FromStr;

use super::scan::Lines;
use super::summary::{self, EventHead, Fault, LetterHead, Reading};
use crate::record::Action;
use crate::timestamp;

/// After so many failed replays a letter is poison.
const POISONED_BY: u32 = 3;

/// The state of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Its run ended badly, and that is all.
    Dead,
    /// A replay runs.
    Replaying,
    /// A replay began, and nobody knows how it ended.
    InDoubt,
    /// A replay ended well.
    Replayed,
    /// Somebody did not want it.
    Discarded,
    /// It would be dead, but 3 replays or more failed.
    Poison,
}

impl State {
    /// All of them.
    pub const ALL: [State; 6] =
        [State::Dead, State::InDoubt, State::Poison, State::Replaying, State::Replayed, State::Discarded];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            State::Dead => "dead",
            State::Replaying => "replaying",
            State::InDoubt => "in_doubt",
            State::Replayed => "replayed",
            State::Discarded => "discarded",
            State::Poison => "poison",
        }
    }

    /// Whether somebody has still to do something about it.
    pub fn is_open(self) -> bool {
        match self {
            State::Dead | State::InDoubt | State::Poison => true,
            State::Replaying | State::Replayed | State::Discarded => false,
        }
    }
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for State {
    type Err = ();

    fn from_str(name: &str) -> Result<State, ()> {
        State::ALL.into_iter().find(|state| state.name() == name).ok_or(())
    }
}

/// One letter: what lists, filters and counts need. The rest is read again from the file.
#[derive(Clone, Debug)]
pub struct Letter {
    /// Its id.
    pub id: Box<str>,
    /// Which of the files it stands in.
    pub file: usize,
    /// Where its line begins.
    pub offset: u64,
    /// How long its line is.
    pub length: u64,
    /// When its run ended, in milliseconds since 1970; 0 where the line does not say.
    pub at_ms: u64,
    /// The job's name.
    pub job: Rc<str>,
    /// Equal for letters of the same job, arguments and directory.
    pub group: u64,
    /// How many attempts the run made.
    pub attempts: u64,
    /// How the run ended.
    pub ending: Rc<str>,
    /// The last exit status.
    pub exit_code: Option<u8>,
    /// The last signal.
    pub signal: Option<Rc<str>>,
    /// The kind of the last failure.
    pub error: Rc<str>,
    /// Not to be replayed before, in milliseconds since 1970.
    pub not_before_ms: Option<u64>,
    /// How many replays began.
    pub replays: u32,
    /// How many of them failed, those not counted that somebody interrupted.
    pub failed_replays: u32,
    /// Its state.
    pub state: State,
}

/// A line that was passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Which of the files.
    pub file: usize,
    /// The number of the line, from 1.
    pub number: u64,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What the files hold together.
#[derive(Debug, Default)]
pub struct Folded {
    /// The letters, by the end of their runs.
    pub letters: Vec<Letter>,
    /// The first lines that could not be read.
    pub skipped: Vec<Skipped>,
    /// How many there were in all.
    pub skipped_count: u64,
    /// The open files, for reading lines again.
    pub files: Vec<File>,
    /// Up to where each was read.
    pub ends: Vec<u64>,
}

/// How many faulty lines are kept by number.
const SKIPPED_KEPT: usize = 1000;

/// Folds the lines of these files by id. `held` says whether a process holds the letter of this file and id, for
/// letters whose replay began and did not end.
///
/// # Errors
/// A file cannot be read.
pub fn fold(files: Vec<File>, held: impl Fn(usize, &str) -> bool) -> io::Result<Folded> {
    let mut folded = Folded::default();
    let mut courses: HashMap<Box<str>, Course> = HashMap::new();
    let mut words = Words::default();
    for (index, file) in files.into_iter().enumerate() {
        let mut lines = Lines::new(file)?;
        while let Some(line) = lines.next()? {
            match summary::read(&line) {
                Reading::Nothing => {}
                Reading::Letter(head) => {
                    let course = courses.entry(Box::from(&*head.id)).or_default();
                    // The same letter may stand in two places: a writer without the lock wrote it twice (D20).
                    if course.letter.is_none() {
                        course.letter = Some(words.letter(&head, index, line.offset, line.length));
                    }
                }
                Reading::Event(head) => match courses.get_mut(&*head.reference) {
                    Some(course) => course.take(&head),
                    None => courses.entry(Box::from(&*head.reference)).or_default().take(&head),
                },
                Reading::Unreadable(fault) => {
                    folded.skipped_count += 1;
                    if folded.skipped.len() < SKIPPED_KEPT {
                        folded.skipped.push(Skipped { file: index, number: line.number, fault });
                    }
                }
            }
        }
        folded.ends.push(lines.end());
        folded.files.push(lines.into_file());
    }
    folded.letters.reserve_exact(courses.values().filter(|course| course.letter.is_some()).count());
    folded.letters.extend(courses.into_iter().filter_map(|(id, course)| course.into_letter(id, &held)));
    folded.letters.sort_unstable_by_key(|letter| (letter.at_ms, letter.file, letter.offset));
    Ok(folded)
}

/// What the lines read so far say of one id.
#[derive(Default)]
struct Course {
    letter: Option<Letter>,
    standing: Standing,
    replays: u32,
    failed_replays: u32,
    /// What the last failed replay said; the outer `None` where there was none.
    not_before_ms: Option<Option<u64>>,
}

/// The state, but for who holds it.
#[derive(Clone, Copy, Default)]
enum Standing {
    #[default]
    Dead,
    Started,
    Replayed,
    Discarded,
}

impl Course {
    fn take(&mut self, head: &EventHead<'_>) {
        self.standing = match head.action {
            Action::ReplayStarted => {
                self.replays += 1;
                Standing::Started
            }
            Action::ReplaySucceeded => Standing::Replayed,
            Action::ReplayFailed => {
                if head.ending.as_deref() != Some("interrupted") {
                    self.failed_replays += 1;
                }
                self.not_before_ms = Some(instant(head.not_before.as_deref()));
                Standing::Dead
            }
            Action::Discarded => Standing::Discarded,
            Action::Restored => Standing::Dead,
        };
    }

    fn into_letter(self, id: Box<str>, held: impl Fn(usize, &str) -> bool) -> Option<Letter> {
        let mut letter = self.letter?;
        letter.state = match self.standing {
            Standing::Dead if self.failed_replays >= POISONED_BY => State::Poison,
            Standing::Dead => State::Dead,
            Standing::Started if held(letter.file, &id) => State::Replaying,
            Standing::Started => State::InDoubt,
            Standing::Replayed => State::Replayed,
            Standing::Discarded => State::Discarded,
        };
        letter.id = id;
        letter.replays = self.replays;
        letter.failed_replays = self.failed_replays;
        if let Some(not_before_ms) = self.not_before_ms {
            letter.not_before_ms = not_before_ms;
        }
        Some(letter)
    }
}

/// Words that many letters share, each once in memory.
#[derive(Default)]
struct Words(HashSet<Rc<str>>);

impl Words {
    fn one(&mut self, word: &str) -> Rc<str> {
        match self.0.get(word) {
            Some(known) => Rc::clone(known),
            None => {
                let new: Rc<str> = Rc::from(word);
                self.0.insert(Rc::clone(&new));
                new
            }
        }
    }

    fn letter(&mut self, head: &LetterHead<'_>, file: usize, offset: u64, length: u64) -> Letter {
        let mut hasher = DefaultHasher::new();
        (&head.job, head.command).hash(&mut hasher);
        Letter {
            id: Box::default(),
            file,
            offset,
            length,
            at_ms: instant(Some(&head.timestamp)).unwrap_or(0),
            job: self.one(&head.job),
            group: hasher.finish(),
            attempts: head.attempts,
            ending: self.one(&head.ending),
            exit_code: head.exit_code,
            signal: head.signal.as_deref().map(|signal| self.one(signal)),
            error: self.one(&head.error),
            not_before_ms: instant(head.not_before.as_deref()),
            replays: 0,
            failed_replays: 0,
            state: State::Dead,
        }
    }
}

fn instant(text: Option<&str>) -> Option<u64> {
    text.and_then(timestamp::parse).map(timestamp::millis)
}

#[cfg(test)]
mod tests;
