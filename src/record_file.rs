//! One record in a file of its own, replaced as a whole: `--report`. Contract D15.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

/// Writes one line to a file that readers find either as it was or as it is to be: a new file of mode 0600 beside it, and
/// a rename.
///
/// # Errors
/// The system refused a step; the file is as it was.
pub fn replace(path: &Path, line: &[u8]) -> io::Result<()> {
    let mut name = OsString::from(path);
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = PathBuf::from(name);
    // What an earlier process of this number left behind is nobody's.
    match std::fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::open(&temporary, flags, Mode::RUSR | Mode::WUSR)?);
    let written =
        file.write_all(line).and_then(|()| file.write_all(b"\n")).and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to tell of.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_file_is_replaced_as_a_whole_and_for_its_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("report.json");
        std::fs::write(&path, "a longer text than the next").unwrap();
        replace(&path, b"{}").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{}\n");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_directory_in_its_place_is_an_error_and_nothing_is_left() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("report")).unwrap();
        assert!(replace(&dir.path().join("report"), b"{}").is_err());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
