//! Where the metrics of a job stand: names that are safe in a directory shared with others. Contract W8.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// The longest job name that becomes part of a file name as it is, in bytes.
const LONGEST: usize = 120;

/// The three files of one job: what the collector reads, what is written before it is renamed, what is locked.
/// Only the first ends in `.prom`, for the collector reads whatever does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// `DIR/retry_<job>.prom`.
    pub metrics: PathBuf,
    /// `DIR/.retry_<job>.tmp`: touched only under the lock, so one name is enough and none is ever left to gather.
    pub temporary: PathBuf,
    /// `DIR/.retry_<job>.lock`: never removed, for a lock on a removed file holds nobody.
    pub lock: PathBuf,
}

/// The files of the job of this name in a directory.
pub fn files(dir: &Path, job: &str) -> Files {
    let stem = stem(job);
    Files {
        metrics: dir.join(format!("retry_{stem}.prom")),
        temporary: dir.join(format!(".retry_{stem}.tmp")),
        lock: dir.join(format!(".retry_{stem}.lock")),
    }
}

/// A job's name made safe for a file name: letters, digits, `_`, `-` and `.` stay; wherever a character changed, eight
/// hex digits of a hash of the whole name follow, so that two names never share a file.
pub fn stem(job: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if !job.is_empty() && job.len() <= LONGEST && job.chars().all(is_safe) {
        return job.to_owned();
    }
    let mut stem: String = job.chars().map(|c| if is_safe(c) { c } else { '_' }).take(LONGEST).collect();
    stem.push('-');
    for byte in Sha256::digest(job.as_bytes()).iter().take(4) {
        stem.push_str(&format!("{byte:02x}"));
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_plain_name_stays_as_it_is() {
        assert_eq!(stem("nightly-backup_2.db"), "nightly-backup_2.db");
    }

    #[test]
    fn names_that_differ_only_in_what_is_unsafe_have_files_of_their_own() {
        let stems: Vec<String> = ["a/b", "a b", "a_b", "a\nb", "ä", "ö", ""].iter().map(|job| stem(job)).collect();
        for (i, one) in stems.iter().enumerate() {
            assert!(!stems[..i].contains(one), "{one}");
        }
    }

    proptest! {
        #[test]
        fn any_name_gives_one_component_that_a_directory_takes(job in ".{0,400}") {
            let files = files(Path::new("/m"), &job);
            let name = files.metrics.file_name().unwrap().to_str().unwrap().to_owned();
            prop_assert_eq!(files.metrics.parent(), Some(Path::new("/m")));
            prop_assert!(name.len() < 200 && name.starts_with("retry_") && name.ends_with(".prom"));
            prop_assert!(!files.temporary.to_str().unwrap().ends_with(".prom"));
            prop_assert!(!files.lock.to_str().unwrap().ends_with(".prom"));
        }
    }
}
