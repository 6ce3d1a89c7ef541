//! The ends of children: looked at without reaping, and reaped.

use crate::outcome::Outcome;
use crate::signal::Signal;

/// One child, or any.
#[derive(Clone, Copy)]
enum Which {
    Child(i32),
    Any,
}

/// The process id and the end of a child that has ended.
fn wait(which: Which, flags: libc::c_int) -> Option<(i32, Outcome)> {
    let (kind, id) = match which {
        Which::Child(pid) => (libc::P_PID, libc::id_t::try_from(pid).ok()?),
        Which::Any => (libc::P_ALL, 0),
    };
    loop {
        // SAFETY: all-zero is a valid siginfo to be filled in.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: the siginfo is valid for the call.
        if unsafe { libc::waitid(kind, id, &raw mut info, libc::WEXITED | libc::WNOHANG | flags) } != 0 {
            if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted {
                continue;
            }
            return None;
        }
        // SAFETY: waitid has filled it in, or left it zero when no child has ended.
        let (found, status) = unsafe { (info.si_pid(), info.si_status()) };
        if found == 0 {
            return None;
        }
        let outcome = match info.si_code {
            libc::CLD_EXITED => Outcome::Exited((status & 0xff) as u8),
            _ => Outcome::Signaled(Signal::from_number(status).unwrap_or(Signal::KILL)),
        };
        return Some((found, outcome));
    }
}

/// How a child ended, if it has; it stays a zombie, which pins its process id and its process group.
pub fn peek(pid: i32) -> Option<Outcome> {
    wait(Which::Child(pid), libc::WNOWAIT).map(|(_, outcome)| outcome)
}

/// Reaps a child if it has ended. Returns how.
pub fn reap(pid: i32) -> Option<Outcome> {
    wait(Which::Child(pid), 0).map(|(_, outcome)| outcome)
}

/// Reaps every child that has ended, but for one whose end is still to be looked at (contract C27). While that one is a
/// zombie those behind it may stay; its attempt is about to end.
pub fn reap_all(but: Option<i32>) {
    while let Some((pid, _)) = wait(Which::Any, libc::WNOWAIT) {
        if Some(pid) == but {
            return;
        }
        reap(pid);
    }
}
