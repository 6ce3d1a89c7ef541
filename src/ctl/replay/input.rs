//! The input of a replay: what the run had, byte for byte, or none at all. Contract D12.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use super::terms::Terms;
use crate::ctl::world::reason;
use crate::record::Input;
use crate::timestamp;

/// Opens the input of a replay.
///
/// # Errors
/// Why the letter cannot be run as it was.
pub fn open(input: Option<&Input>, terms: &Terms) -> Result<File, String> {
    match &terms.stdin {
        Some(word) if word == "null" => return null(),
        Some(path) => return at(Path::new(path)),
        None => {}
    }
    let Some(input) = input else { return null() };
    match &*input.kind {
        "null" | "not_read" => null(),
        "stored" => stored(match (&input.b64, &input.text) {
            (Some(bytes), _) => &bytes.0,
            (None, Some(text)) => text.as_bytes(),
            (None, None) => return Err("its input is not in the letter; --stdin gives another".into()),
        }),
        "file" => file(input, terms.changed_input),
        "not_stored" => Err("its input was not stored; --stdin gives another".into()),
        kind => Err(format!("its input is of a kind that this version does not know: {kind}; --stdin gives another")),
    }
}

fn null() -> Result<File, String> {
    at(Path::new("/dev/null"))
}

fn at(path: &Path) -> Result<File, String> {
    File::open(path).map_err(|error| format!("cannot open {}: {}", path.display(), reason(&error)))
}

/// A file in memory, which reads as a pipe does, and can be put back for a second attempt.
fn stored(bytes: &[u8]) -> Result<File, String> {
    let put = || -> std::io::Result<File> {
        #[cfg(target_os = "linux")]
        let mut file = File::from(rustix::fs::memfd_create(c"retry-stdin", rustix::fs::MemfdFlags::CLOEXEC)?);
        #[cfg(not(target_os = "linux"))]
        let mut file = tempfile::tempfile()?;
        file.write_all(bytes)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    };
    put().map_err(|error| format!("cannot hold its input: {}", reason(&error)))
}

fn file(input: &Input, changed_is_fine: bool) -> Result<File, String> {
    let path = match (&input.path_b64, &input.path) {
        (Some(bytes), _) => OsString::from_vec(bytes.0.clone()),
        (None, Some(text)) => OsString::from(text),
        (None, None) => return Err("its input is not in the letter; --stdin gives another".into()),
    };
    let mut file = at(Path::new(&path))?;
    let trouble = |error: std::io::Error| format!("cannot use {}: {}", Path::new(&path).display(), reason(&error));
    let now = file.metadata().map_err(trouble)?;
    if !changed_is_fine {
        let nanos = u32::try_from(now.mtime_nsec()).unwrap_or(0);
        let mtime = UNIX_EPOCH + Duration::new(u64::try_from(now.mtime()).unwrap_or(0), nanos);
        let is_same = input.device.is_none_or(|device| device == now.dev())
            && input.inode.is_none_or(|inode| inode == now.ino())
            && input.size_bytes.is_none_or(|size| size == now.len())
            && input.mtime.as_deref().is_none_or(|text| text == timestamp::exact(mtime));
        if !is_same {
            return Err(format!(
                "input changed: {} is not as it was; --changed-input runs it nevertheless",
                display(&path)
            ));
        }
    }
    file.seek(SeekFrom::Start(input.offset.unwrap_or(0))).map_err(trouble)?;
    Ok(file)
}

fn display(path: &OsStr) -> String {
    String::from_utf8_lossy(path.as_bytes()).into_owned()
}
