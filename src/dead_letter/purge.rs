//! Taking old letters out of the file: a new file, and a rename. Contract D22, "purge".
//!
//! The bulk is copied without the lock. Under it, only what was appended in between is copied before the rename, so
//! that writers wait for an instant. Whatever cannot be read is kept, byte for byte.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::fold::{self, Folded, State};
use super::lock::Locks;
use super::scan::Lines;
use super::summary::{self, EventHead, Reading};
use crate::outcome;
use crate::timestamp;

/// The name under which a purge holds its place beside the letters: no letter can have it.
const PURGE: &str = "";
/// How long it waits for the writers.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often it begins anew where a letter that was to go is changed meanwhile.
const TRIES: usize = 10;

/// What a purge did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purged {
    /// How many letters are gone.
    pub letters: usize,
    /// The size of the file before.
    pub bytes_before: u64,
    /// And after.
    pub bytes_after: u64,
}

/// Why a purge changed nothing.
#[derive(Debug)]
pub enum NotPurged {
    /// Another one is at work.
    Busy(PathBuf),
    /// Writers never let go of the lock, or letters were changed again and again.
    Contended(PathBuf),
    /// The system refused a step.
    Io(&'static str, PathBuf, io::Error),
}

impl fmt::Display for NotPurged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotPurged::Busy(path) => write!(f, "cannot purge {}: another purge is at work", path.display()),
            NotPurged::Contended(path) => write!(f, "cannot purge {}: it is in use; try again", path.display()),
            NotPurged::Io(step, path, error) => {
                let errno = error.raw_os_error().map(outcome::Errno);
                let why = errno.map_or_else(|| error.to_string(), |errno| errno.to_string());
                write!(f, "cannot {step} {}: {why}", path.display())
            }
        }
    }
}

/// Takes the letters of these states out of the file whose run ended at this instant or before, with their events; so
/// old events too whose letter is not there, unless it may be one that cannot be read. `folded` is what the file held
/// when it was read.
///
/// # Errors
/// Nothing was changed.
pub fn purge(
    path: &Path,
    folded: Folded,
    locks: &Locks,
    states: &[State],
    before_ms: u64,
) -> Result<Purged, NotPurged> {
    if !locks.take(PURGE).map_err(|errno| NotPurged::Io("lock", path.to_owned(), errno.into()))? {
        return Err(NotPurged::Busy(path.to_owned()));
    }
    let mut folded = folded;
    for _ in 0..TRIES {
        let (file, known) = (folded.files.remove(0), folded.ends[0]);
        let doomed: HashSet<&str> = folded
            .letters
            .iter()
            .filter(|letter| states.contains(&letter.state) && letter.at_ms <= before_ms)
            .map(|letter| &*letter.id)
            .collect();
        let known_ids = (folded.skipped_count == 0).then(|| folded.letters.iter().map(|letter| &*letter.id).collect());
        let mut temporary = OsString::from(path);
        temporary.push(".purge");
        let temporary = PathBuf::from(temporary);
        let job = Purge { path, temporary, known, doomed, known_ids, before_ms };
        if let Some(purged) = job.run(file)? {
            locks.give_back(PURGE);
            return Ok(purged);
        }
        // It was rotated, or a letter that was to go was changed: what is to go is another question now.
        let file = File::open(path).map_err(|error| NotPurged::Io("open", path.to_owned(), error))?;
        folded = fold::fold(vec![file], |_, id| locks.is_held(id))
            .map_err(|error| NotPurged::Io("read", path.to_owned(), error))?;
    }
    Err(NotPurged::Contended(path.to_owned()))
}

struct Purge<'a> {
    path: &'a Path,
    temporary: PathBuf,
    /// Up to where the file was folded: what stands behind may have saved a doomed letter.
    known: u64,
    doomed: HashSet<&'a str>,
    /// The letters of the file; none where it has lines that may be letters and cannot be read.
    known_ids: Option<HashSet<&'a str>>,
    /// Up to when what happened is old.
    before_ms: u64,
}

/// What was copied without the lock.
struct Copied {
    /// How many letters were left out.
    letters: usize,
    /// Up to where the old file was read.
    up_to: u64,
    /// The letters that are not there and whose events were left out.
    orphans: HashSet<Box<str>>,
}

impl Purge<'_> {
    /// One try; `None` if the ground moved under it.
    fn run(&self, old: File) -> Result<Option<Purged>, NotPurged> {
        let creating = |error| NotPurged::Io("create", self.temporary.clone(), error);
        // What a killed purge left, or what somebody put there: nothing is ever written into a file that is not ours.
        match std::fs::remove_file(&self.temporary) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(creating(error)),
            _ => {}
        }
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let new = rustix::fs::open(&self.temporary, flags, Mode::RUSR | Mode::WUSR)
            .map(File::from)
            .map_err(|errno| creating(errno.into()))?;
        let ended = self.copy_and_rename(&old, &new);
        if !matches!(ended, Ok(Some(_))) {
            // The place is ours while we hold it, so this removes nobody else's; a failure leaves a file that the next
            // purge overwrites.
            let _ = std::fs::remove_file(&self.temporary);
        }
        ended
    }

    fn copy_and_rename(&self, old: &File, new: &File) -> Result<Option<Purged>, NotPurged> {
        let reading = |error| NotPurged::Io("read", self.path.to_owned(), error);
        let writing = |error| NotPurged::Io("write", self.temporary.clone(), error);
        keep_access(old, new).map_err(writing)?;
        let copied = self.copy_what_stays(old, new)?;
        new.sync_data().map_err(writing)?;
        self.lock(old)?;
        let before = old.metadata().map_err(reading)?;
        if !self.is_current(old).map_err(reading)? || self.tail_touches_doomed(old, &copied).map_err(reading)? {
            return Ok(None);
        }
        copy_range(old, copied.up_to, before.len(), new).map_err(writing)?;
        new.sync_data().map_err(writing)?;
        // Writers find the new file locked until it has everything.
        rustix::fs::flock(new, FlockOperation::LockExclusive).map_err(|errno| writing(errno.into()))?;
        std::fs::rename(&self.temporary, self.path)
            .map_err(|error| NotPurged::Io("replace", self.path.to_owned(), error))?;
        // A writer that could not get the lock in time may have appended to the old file up to the rename (D20).
        let after = old.metadata().map_err(reading)?;
        copy_range(old, before.len(), after.len(), new).map_err(writing)?;
        new.sync_data().map_err(writing)?;
        if let Some(directory) = self.path.parent() {
            let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
            let _ = File::open(directory).and_then(|directory| directory.sync_all());
        }
        let bytes_after = new.metadata().map_err(writing)?.len();
        Ok(Some(Purged { letters: copied.letters, bytes_before: before.len(), bytes_after }))
    }

    /// Copies all whole lines but those of doomed letters; says what it left out, and up to where it read.
    fn copy_what_stays(&self, old: &File, new: &File) -> Result<Copied, NotPurged> {
        let reading = |error| NotPurged::Io("read", self.path.to_owned(), error);
        let writing = |error| NotPurged::Io("write", self.temporary.clone(), error);
        let mut out = BufWriter::with_capacity(1 << 20, new);
        let (mut gone, mut orphans): (HashSet<&str>, HashSet<Box<str>>) = Default::default();
        let mut copied = 0;
        let mut lines = Lines::new(old.try_clone().map_err(reading)?).map_err(reading)?;
        while let Some(line) = lines.next().map_err(reading)? {
            if !line.ended || line.offset + line.length >= self.known {
                break;
            }
            copied = line.offset + line.length + 1;
            let is_doomed = match summary::read(&line) {
                Reading::Letter(head) => {
                    let doomed = self.doomed.get(&*head.id).copied();
                    gone.extend(doomed);
                    doomed.is_some()
                }
                Reading::Event(head) if self.doomed.contains(&*head.reference) => true,
                Reading::Event(head) if self.is_orphan(&head) => {
                    orphans.insert(Box::from(&*head.reference));
                    true
                }
                Reading::Event(_) => false,
                Reading::Nothing => true,
                Reading::Unreadable(_) => false,
            };
            if is_doomed {
                continue;
            }
            if line.too_long {
                out.flush().map_err(writing)?;
                copy_range(old, line.offset, copied, new).map_err(writing)?;
                continue;
            }
            out.write_all(line.bytes).and_then(|()| out.write_all(b"\n")).map_err(writing)?;
        }
        out.flush().map_err(writing)?;
        Ok(Copied { letters: gone.len(), up_to: copied, orphans })
    }

    /// Whether an event is old and of a letter that went before it was written.
    fn is_orphan(&self, head: &EventHead<'_>) -> bool {
        let is_known = self.known_ids.as_ref().is_none_or(|known| known.contains(&*head.reference));
        !is_known && timestamp::parse(&head.timestamp).is_some_and(|at| timestamp::millis(at) <= self.before_ms)
    }

    fn lock(&self, old: &File) -> Result<(), NotPurged> {
        let until = Instant::now() + PATIENCE;
        loop {
            match rustix::fs::flock(old, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(()),
                Err(Errno::WOULDBLOCK) if Instant::now() < until => std::thread::sleep(Duration::from_millis(1)),
                Err(Errno::WOULDBLOCK) => return Err(NotPurged::Contended(self.path.to_owned())),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(NotPurged::Io("lock", self.path.to_owned(), errno.into())),
            }
        }
    }

    fn is_current(&self, old: &File) -> io::Result<bool> {
        let opened = rustix::fs::fstat(old)?;
        let now = match rustix::fs::lstat(self.path) {
            Ok(now) => now,
            Err(Errno::NOENT) => return Ok(false),
            Err(errno) => return Err(errno.into()),
        };
        Ok((now.st_dev, now.st_ino) == (opened.st_dev, opened.st_ino))
    }

    /// Whether something was said of a doomed letter after the copy: a replay began, it was restored, it came back.
    fn tail_touches_doomed(&self, old: &File, copied: &Copied) -> io::Result<bool> {
        let mut lines = Lines::from(old.try_clone()?, copied.up_to)?;
        while let Some(line) = lines.next()? {
            let touches = match summary::read(&line) {
                Reading::Letter(head) => self.doomed.contains(&*head.id) || copied.orphans.contains(&*head.id),
                Reading::Event(head) => self.doomed.contains(&*head.reference),
                Reading::Nothing | Reading::Unreadable(_) => false,
            };
            if touches {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Gives the new file the group and the permissions of the old one: monitoring may read it as a member of the group. Where
/// the group cannot be given, its permissions are not given to another.
fn keep_access(old: &File, new: &File) -> io::Result<()> {
    let (was, is) = (rustix::fs::fstat(old)?, rustix::fs::fstat(new)?);
    let group = rustix::process::Gid::from_raw(was.st_gid);
    let is_same = was.st_gid == is.st_gid || rustix::fs::fchown(new, None, Some(group)).is_ok();
    let kept = if is_same { 0o755 } else { 0o700 };
    rustix::fs::fchmod(new, Mode::from_raw_mode(was.st_mode & kept))?;
    Ok(())
}

fn copy_range(old: &File, mut from: u64, to: u64, mut new: &File) -> io::Result<()> {
    let mut buffer = vec![0; 256 << 10];
    while from < to {
        let want = usize::try_from(to - from).unwrap_or(usize::MAX).min(buffer.len());
        let read = old.read_at(&mut buffer[..want], from)?;
        if read == 0 {
            break;
        }
        new.write_all(&buffer[..read])?;
        from += read as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn line(id: &str, at: &str) -> String {
        format!(
            "{{\"v\":1,\"kind\":\"dead_letter\",\"id\":\"{id}\",\"@timestamp\":\"{at}\",\"process\":{{\"args\":[]}}}}\n"
        )
    }

    fn discarded(id: &str) -> String {
        format!("{{\"v\":1,\"kind\":\"event\",\"ref\":\"{id}\",\"event\":{{\"action\":\"discarded\"}}}}\n")
    }

    #[test]
    fn what_is_old_and_closed_goes_and_all_else_stays_byte_for_byte() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("letters");
        let (old, young) = ("2020-01-01T00:00:00Z", "2990-01-01T00:00:00Z");
        let stays =
            [line("OPEN", old), "not json\n".into(), "{\"v\":2}\n".into(), line("YOUNG", young), discarded("YOUNG")];
        let goes = [line("GONE", old), discarded("GONE"), "\n".into()];
        let torn = "{\"v\":1,\"ki";
        let text = [&*stays[0], &goes[0], &stays[1], &goes[1], &stays[2], &goes[2], &stays[3], &stays[4], torn];
        fs::write(&path, text.concat()).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let folded = fold::fold(vec![File::open(&path).unwrap()], |_, _| false).unwrap();
        let locks = Locks::to_hold(&path).unwrap();
        let states = [State::Discarded, State::Replayed];
        let purged = purge(&path, folded, &locks, &states, 1_600_000_000_000).unwrap();
        assert_eq!(purged.letters, 1);
        assert_eq!(fs::read_to_string(&path).unwrap(), stays.concat() + torn);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "the letters and their lock file");
    }

    fn purged(text: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("letters");
        fs::write(&path, text).unwrap();
        let folded = fold::fold(vec![File::open(&path).unwrap()], |_, _| false).unwrap();
        let locks = Locks::to_hold(&path).unwrap();
        purge(&path, folded, &locks, &[State::Discarded], 1_600_000_000_000).unwrap();
        fs::read_to_string(&path).unwrap()
    }

    #[test]
    fn an_old_event_whose_letter_is_not_there_goes_unless_it_may_be_one_that_cannot_be_read() {
        let of = |at: &str| discarded("GONE").replace("\"ref\"", &format!("\"@timestamp\":\"{at}\",\"ref\""));
        let (old, young, timeless) = (of("2020-01-01T00:00:00Z"), of("2990-01-01T00:00:00Z"), discarded("GONE"));
        let open = line("OPEN", "2020-01-01T00:00:00Z");
        assert_eq!(purged(&[&*old, &open, &young, &timeless].concat()), [&*open, &young, &timeless].concat());
        let later = "{\"v\":2,\"kind\":\"dead_letter\",\"id\":\"GONE\"}\n".to_owned() + &old;
        assert_eq!(purged(&later), later);
    }

    #[test]
    fn a_letter_that_was_restored_meanwhile_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("letters");
        let restored = discarded("GONE").replace("discarded", "restored");
        let before = line("GONE", "2020-01-01T00:00:00Z") + &discarded("GONE");
        fs::write(&path, &before).unwrap();
        let folded = fold::fold(vec![File::open(&path).unwrap()], |_, _| false).unwrap();
        fs::write(&path, before.clone() + &restored).unwrap();
        let locks = Locks::to_hold(&path).unwrap();
        purge(&path, folded, &locks, &[State::Discarded], u64::MAX).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), before + &restored);
    }
}
