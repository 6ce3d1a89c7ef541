//! What the environment says about who reads our messages. Looked at once, before the first of them.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use rustix::fd::BorrowedFd;

/// Where a run finds itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Stderr is the systemd journal (W6).
    pub journal: bool,
    /// Stderr is a terminal on which lines may be drawn anew: W4 without NO_COLOR and TERM=dumb. One that does not say how
    /// wide it is (a serial line, one that an expect script opened) is none: nobody knows where a line ends there.
    pub can_redraw: bool,
    /// `GITHUB_ACTIONS=true`.
    pub github: bool,
    /// `GITLAB_CI` is set.
    pub gitlab: bool,
    /// `$GITHUB_STEP_SUMMARY`.
    pub step_summary: Option<PathBuf>,
    /// `$GITHUB_OUTPUT`.
    pub step_output: Option<PathBuf>,
    /// The job of the run around this one; `None` if there is none (R42).
    pub outer_job: Option<String>,
}

impl Surroundings {
    /// Reads the variables through `var` and looks at the descriptor that messages go to.
    pub fn look(var: impl Fn(&str) -> Option<OsString>, stderr: BorrowedFd) -> Surroundings {
        let is = |name: &str, value: &str| var(name).is_some_and(|set| set == OsStr::new(value));
        let some = |name: &str| var(name).filter(|set| !set.is_empty());
        Surroundings {
            journal: some("JOURNAL_STREAM").is_some_and(|stream| is_stream(&stream, stderr)),
            can_redraw: columns_to_draw_on(&var, stderr).is_some(),
            github: is("GITHUB_ACTIONS", "true"),
            gitlab: some("GITLAB_CI").is_some(),
            step_summary: some("GITHUB_STEP_SUMMARY").map(PathBuf::from),
            step_output: some("GITHUB_OUTPUT").map(PathBuf::from),
            outer_job: var("RETRY_ID").and_then(|_| var("RETRY_JOB")).map(|job| job.to_string_lossy().into_owned()),
        }
    }
}

/// How wide a terminal is on which lines may be drawn anew; `None` where they may not.
pub fn columns_to_draw_on(var: impl Fn(&str) -> Option<OsString>, stderr: BorrowedFd) -> Option<usize> {
    let some = |name: &str| var(name).filter(|set| !set.is_empty());
    // no-color.org: present and not empty, whatever it says.
    let plain = some("NO_COLOR").is_some() || some("TERM").is_none_or(|term| term == OsStr::new("dumb"));
    if plain { None } else { columns(stderr) }
}

/// How wide a terminal is; `None` of one that does not say, and of what is none.
pub fn columns(stderr: BorrowedFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stderr).ok()?;
    (size.ws_col > 0).then_some(size.ws_col.into())
}

/// systemd.exec(5): `$JOURNAL_STREAM` is `device:inode` of the journal's socket, and is inherited by programs whose
/// stderr goes elsewhere; only the comparison tells.
fn is_stream(named: &OsStr, stderr: BorrowedFd) -> bool {
    rustix::fs::fstat(stderr).is_ok_and(|stat| named == OsStr::new(&format!("{}:{}", stat.st_dev, stat.st_ino)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn the_journal_is_taken_for_ours_only_where_device_and_inode_agree() {
        let file = tempfile::tempfile().unwrap();
        let stat = rustix::fs::fstat(&file).unwrap();
        let look = |stream: String| {
            Surroundings::look(|name| (name == "JOURNAL_STREAM").then(|| stream.clone().into()), file.as_fd()).journal
        };
        assert!(look(format!("{}:{}", stat.st_dev, stat.st_ino)));
        assert!(!look(format!("{}:{}", stat.st_dev, stat.st_ino + 1)));
        assert!(!look("nonsense".into()));
    }
}
