//! The ends of children: looked at without reaping, and reaped.

use crate::outcome::Outcome;
use crate::signal::Signal;

fn wait(pid: i32, flags: libc::c_int) -> Option<Outcome> {
    let id = libc::id_t::try_from(pid).ok()?;
    loop {
        // SAFETY: all-zero is a valid siginfo to be filled in.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: the siginfo is valid for the call.
        if unsafe { libc::waitid(libc::P_PID, id, &raw mut info, libc::WEXITED | flags) } != 0 {
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
        return Some(match info.si_code {
            libc::CLD_EXITED => Outcome::Exited((status & 0xff) as u8),
            _ => Outcome::Signaled(Signal::from_number(status).unwrap_or(Signal::KILL)),
        });
    }
}

/// How a child ended, if it has; it stays a zombie, which pins its process id and its process group.
pub fn peek(pid: i32) -> Option<Outcome> {
    wait(pid, libc::WNOHANG | libc::WNOWAIT)
}

/// Reaps a child if it has ended. Returns how.
pub fn reap(pid: i32) -> Option<Outcome> {
    wait(pid, libc::WNOHANG)
}
