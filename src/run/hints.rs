//! What an attempt gives to learn: the file in which it may leave hints (S31), and the bytes that its observer is fed.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::identity;
use crate::capture::{self, Observed, Stream};
use crate::hint_file;
use crate::observer::{Observation, Observer, Source};

/// The hint file of one attempt: empty and of mode 0600 when it begins, removed when this is dropped.
#[derive(Debug)]
pub(super) struct HintFile {
    path: PathBuf,
}

impl HintFile {
    /// Makes one in TMPDIR.
    pub(super) fn new() -> io::Result<HintFile> {
        // The command may change its directory before it writes.
        let directory = std::path::absolute(std::env::temp_dir())?;
        let [a, b, c, d, e, f, g, h, ..] = identity::entropy();
        let path = directory.join(format!("retry-hint.{:016x}", u64::from_ne_bytes([a, b, c, d, e, f, g, h])));
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        Ok(HintFile { path })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What stands in it, at most 64 KiB; nothing where it is gone or no file any more.
    ///
    /// It is opened anew, because the command may have put another file in its place, and without waiting, because that
    /// may be a FIFO.
    pub(super) fn read(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut options = OpenOptions::new();
        let opened =
            options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC).open(self.path());
        if let Ok(file) = opened
            && file.metadata().is_ok_and(|metadata| metadata.is_file())
        {
            // What cannot be read is no hint.
            let _ = file.take(hint_file::LONGEST as u64).read_to_end(&mut bytes);
        }
        bytes
    }
}

impl Drop for HintFile {
    /// What the command put in its place goes with it, a file of any kind or an empty directory; what stands in a directory
    /// is not ours to remove.
    fn drop(&mut self) {
        // The command may have removed it.
        let _ = std::fs::remove_file(&self.path).or_else(|_| std::fs::remove_dir(&self.path));
    }
}

/// Which streams somebody looks at.
pub(super) fn observed(observation: &Observation) -> Observed {
    match (observation.reads_stdout(), observation.reads_stderr()) {
        (true, _) => Observed::Both,
        (false, true) => Observed::Stderr,
        (false, false) => Observed::Nothing,
    }
}

impl capture::Observer for Observer<'_> {
    fn observe(&mut self, stream: Stream, bytes: &[u8]) {
        let from = match stream {
            Stream::Stdout => Source::Stdout,
            Stream::Stderr => Source::Stderr,
            Stream::Both => Source::Both,
        };
        self.feed(from, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_file_is_private_empty_and_gone_afterwards() {
        use std::os::unix::fs::MetadataExt;
        let file = HintFile::new().unwrap();
        let path = file.path().to_path_buf();
        let metadata = std::fs::metadata(&path).unwrap();
        assert_eq!((metadata.mode() & 0o7777, metadata.len()), (0o600, 0));
        std::fs::write(&path, "retry=no\n").unwrap();
        assert_eq!(file.read(), b"retry=no\n");
        drop(file);
        assert!(!path.exists());
    }

    #[test]
    fn what_is_no_file_any_more_is_no_hint() {
        let file = HintFile::new().unwrap();
        std::fs::remove_file(file.path()).unwrap();
        assert_eq!(file.read(), b"");
        std::os::unix::fs::symlink("/etc/passwd", file.path()).unwrap();
        assert_eq!(file.read(), b"");
    }

    #[test]
    fn a_directory_in_its_place_goes_too_unless_something_stands_in_it() {
        for inside in [None, Some("data")] {
            let file = HintFile::new().unwrap();
            let path = file.path().to_path_buf();
            std::fs::remove_file(&path).unwrap();
            std::fs::create_dir(&path).unwrap();
            inside.iter().for_each(|name| std::fs::write(path.join(name), "theirs").unwrap());
            assert_eq!(file.read(), b"");
            drop(file);
            assert_eq!(path.exists(), inside.is_some());
            let _ = std::fs::remove_dir_all(&path);
        }
    }

    #[test]
    fn of_a_long_file_the_first_64_kib_are_read() {
        let file = HintFile::new().unwrap();
        std::fs::write(file.path(), vec![b'x'; hint_file::LONGEST + 10]).unwrap();
        assert_eq!(file.read().len(), hint_file::LONGEST);
    }
}
