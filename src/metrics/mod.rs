//! Metrics of a job for the Prometheus textfile collector: one file, added to under a lock, replaced whole. Contract W8.

pub mod exposition;
pub mod figures;
pub mod letters;
pub mod place;
pub mod recorder;

use std::fmt;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use figures::Figures;

/// How long a lock is waited for while nothing moves.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long it is waited for while others visibly go on writing.
const PATIENCE_IN_A_QUEUE: Duration = Duration::from_secs(10);
/// The mode of a metrics file: the collector runs as somebody else.
const MODE: Mode = Mode::from_raw_mode(0o644);

/// Why the figures of a run were not written, or that they were with a loss. Worded as what cannot be done, and why.
#[derive(Debug)]
pub enum Trouble {
    /// A file could not be written.
    Io(PathBuf, io::Error),
    /// Another process held the lock for too long.
    Locked(PathBuf),
    /// The file holds the figures of another job: two names met in one file.
    Foreign(PathBuf),
    /// What was there could not be read; it was put aside under this name and the counting began anew.
    Unreadable(PathBuf),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Io(path, error) => {
                write!(f, "cannot write metrics to {}: ", path.display())?;
                match error.raw_os_error() {
                    Some(number) => write!(f, "{}", crate::outcome::Errno(number)),
                    None => write!(f, "{error}"),
                }
            }
            Trouble::Locked(path) => {
                write!(f, "metrics of this run are not counted: {} is locked by another process", path.display())
            }
            Trouble::Foreign(path) => {
                write!(f, "metrics of this run are not counted: {} belongs to another job", path.display())
            }
            Trouble::Unreadable(aside) => {
                write!(f, "metrics begin anew: what was there cannot be read and is now {}", aside.display())
            }
        }
    }
}

/// Adds figures to those of a job in a directory. Takes one lock, one read, one write and one rename, however many runs
/// came before. Nothing is synced to the disk: a collector reads what the kernel has.
///
/// # Errors
/// [`Trouble`]; after `Unreadable` the figures were added all the same.
pub fn add(dir: &Path, job: &str, more: &Figures) -> Result<(), Trouble> {
    let files = place::files(dir, job);
    // Held until it is dropped, which is after the rename.
    let lock = open_lock(&files.lock).map_err(|e| Trouble::Io(files.lock.clone(), e.into()))?;
    take(&lock, &files.metrics).map_err(|()| Trouble::Locked(files.metrics.clone()))?;

    let mut unreadable = None;
    let mut all = match read(&files.metrics) {
        Ok(None) => Figures::default(),
        Ok(Some(text)) => match exposition::parse(&text) {
            Some((name, all)) if name == job => all,
            Some(_) => return Err(Trouble::Foreign(files.metrics)),
            None => {
                let aside = files.metrics.with_extension("prom.unreadable");
                std::fs::rename(&files.metrics, &aside).map_err(|e| Trouble::Io(files.metrics.clone(), e))?;
                unreadable = Some(aside);
                Figures::default()
            }
        },
        Err(error) => return Err(Trouble::Io(files.metrics, error)),
    };
    all.add(more);
    replace(&files.metrics, &files.temporary, &exposition::render(job, &all))
        .map_err(|e| Trouble::Io(files.metrics, e))?;
    unreadable.map_or(Ok(()), |aside| Err(Trouble::Unreadable(aside)))
}

/// Puts a text in the place of a file, mode 0644 whatever the umask, through a temporary file beside it. The caller is
/// the only one that uses the temporary name.
///
/// # Errors
/// Whatever a step says; the file is then as it was.
pub fn replace(file: &Path, temporary: &Path, text: &str) -> io::Result<()> {
    let mut out = match create(temporary) {
        // What a killed writer left, or a link that somebody put there: never written through.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            std::fs::remove_file(temporary)?;
            create(temporary)?
        }
        created => created?,
    };
    // Room that is there already: without it a rename over another file makes ext4 write the data out at once, which takes
    // longer than all the rest. A power cut may then cost the file, as it may cost any that is not synced.
    let _ = rustix::fs::fallocate(&out, rustix::fs::FallocateFlags::empty(), 0, text.len() as u64);
    let written = out.write_all(text.as_bytes()).and_then(|()| std::fs::rename(temporary, file));
    if written.is_err() {
        let _ = std::fs::remove_file(temporary);
    }
    written
}

/// A new file of mode 0644.
fn create(path: &Path) -> io::Result<std::fs::File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let file = rustix::fs::open(path, flags, MODE)?;
    if rustix::fs::fstat(&file)?.st_mode & 0o7777 != MODE.as_raw_mode() {
        rustix::fs::fchmod(&file, MODE)?;
    }
    Ok(file.into())
}

/// The text of a file, or `None` if there is none. Bytes that are no text make it unreadable, not an error. Others may
/// write in the directory: no link is followed, and no FIFO waited for.
///
/// # Errors
/// Those of open(2) and read(2).
pub fn read(file: &Path) -> io::Result<Option<String>> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    match rustix::fs::open(file, flags, Mode::empty()) {
        Ok(fd) => {
            let mut bytes = Vec::with_capacity(8 * 1024);
            std::fs::File::from(fd).take(1024 * 1024).read_to_end(&mut bytes)?;
            Ok(Some(String::from_utf8(bytes).unwrap_or_default()))
        }
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Opens the lock file and makes it if need be. Others may run the same job as somebody else: the mode does not follow
/// the umask, and reading is enough to lock.
fn open_lock(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    loop {
        match rustix::fs::open(path, flags, Mode::empty()) {
            Err(Errno::NOENT) => {}
            opened => return opened,
        }
        match rustix::fs::open(path, flags | OFlags::CREATE | OFlags::EXCL, MODE) {
            Err(Errno::EXIST) => {}
            Ok(lock) => {
                rustix::fs::fchmod(&lock, MODE)?;
                return Ok(lock);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Takes the lock. There is no flock(2) with a time limit that needs no signal, so it is asked for again and again, at
/// growing distances that differ from process to process.
fn take(lock: &OwnedFd, metrics: &Path) -> Result<(), ()> {
    let begun = Instant::now();
    let mut moved_at = begun;
    let mut seen = None;
    let mut pause = Duration::from_micros(200 + u64::from(std::process::id() % 16) * 50);
    loop {
        match rustix::fs::flock(lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(()),
            Err(Errno::WOULDBLOCK | Errno::INTR) => {}
            Err(_) => return Err(()),
        }
        let state = rustix::fs::stat(metrics).ok().map(|stat| (stat.st_ino, stat.st_mtime, stat.st_mtime_nsec));
        let now = Instant::now();
        if seen != Some(state) {
            seen = Some(state);
            moved_at = now;
        }
        if now - moved_at >= PATIENCE || now - begun >= PATIENCE_IN_A_QUEUE {
            return Err(());
        }
        std::thread::sleep(pause);
        pause = (pause * 3 / 2).min(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn one_run() -> Figures {
        let mut figures = Figures::default();
        figures.count_attempt(1, 0, None, Duration::from_millis(1));
        figures.count_run(figures::RunEnd::FirstTry, 1.0, 1, 0, Duration::from_millis(1));
        figures
    }

    #[test]
    fn what_many_add_at_once_adds_up() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| (0..10).for_each(|_| add(dir.path(), "job", &one_run()).unwrap()));
            }
        });
        let text = std::fs::read_to_string(dir.path().join("retry_job.prom")).unwrap();
        assert_eq!(exposition::parse(&text).unwrap().1.total_runs(), 160);
    }

    #[test]
    fn the_file_is_readable_by_everybody_and_nothing_but_the_lock_stays_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        add(dir.path(), "job", &one_run()).unwrap();
        let mode = std::fs::metadata(dir.path().join("retry_job.prom")).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o644);
        let mut names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [".retry_job.lock", "retry_job.prom"]);
    }

    #[test]
    fn a_lock_that_nobody_lets_go_is_given_up() {
        let dir = tempfile::tempdir().unwrap();
        let lock = open_lock(&place::files(dir.path(), "job").lock).unwrap();
        rustix::fs::flock(&lock, FlockOperation::LockExclusive).unwrap();
        assert!(matches!(add(dir.path(), "job", &one_run()), Err(Trouble::Locked(_))));
    }

    #[test]
    fn what_cannot_be_read_is_put_aside_and_the_counting_begins_anew() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("retry_job.prom");
        std::fs::write(&file, b"\xff\0nothing").unwrap();
        assert!(matches!(add(dir.path(), "job", &one_run()), Err(Trouble::Unreadable(_))));
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(exposition::parse(&text).unwrap().1.total_runs(), 1);
        assert!(dir.path().join("retry_job.prom.unreadable").exists());
    }

    #[test]
    fn a_link_in_the_place_of_the_temporary_file_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let victim = dir.path().join("victim");
        std::fs::write(&victim, "precious").unwrap();
        std::os::unix::fs::symlink(&victim, place::files(dir.path(), "job").temporary).unwrap();
        add(dir.path(), "job", &one_run()).unwrap();
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
    }
}
