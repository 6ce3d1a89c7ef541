//! The ends of children: looked at without reaping, and reaped.

use crate::outcome::Outcome;
use crate::signal::Signal;

/// One child, or any.
#[derive(Clone, Copy)]
enum Which {
    Child(i32),
    InGroup(i32),
    Any,
}

/// What there is among the children that were asked for.
enum Found {
    /// One that has ended: its process id and how.
    Ended(i32, Outcome),
    /// Some, and all of them live.
    Living,
    /// None.
    Nobody,
}

fn wait(which: Which, flags: libc::c_int) -> Found {
    let (kind, id) = match which {
        Which::Child(pid) => (libc::P_PID, pid),
        Which::InGroup(group) => (libc::P_PGID, group),
        Which::Any => (libc::P_ALL, 0),
    };
    let id = libc::id_t::try_from(id).expect("process ids are positive");
    loop {
        // SAFETY: all-zero is a valid siginfo to be filled in.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: the siginfo is valid for the call.
        if unsafe { libc::waitid(kind, id, &raw mut info, libc::WEXITED | libc::WNOHANG | flags) } != 0 {
            if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted {
                continue;
            }
            return Found::Nobody;
        }
        // SAFETY: waitid has filled it in, or left it zero when no child has ended.
        let (found, status) = unsafe { (info.si_pid(), info.si_status()) };
        if found == 0 {
            return Found::Living;
        }
        let outcome = match info.si_code {
            libc::CLD_EXITED => Outcome::Exited((status & 0xff) as u8),
            _ => Outcome::Signaled(Signal::from_number(status).unwrap_or(Signal::KILL)),
        };
        return Found::Ended(found, outcome);
    }
}

fn end_of(pid: i32, flags: libc::c_int) -> Option<Outcome> {
    match wait(Which::Child(pid), flags) {
        Found::Ended(_, outcome) => Some(outcome),
        Found::Living | Found::Nobody => None,
    }
}

/// How a child ended, if it has; it stays a zombie, which pins its process id and its process group.
pub fn peek(pid: i32) -> Option<Outcome> {
    end_of(pid, libc::WNOWAIT)
}

/// Reaps a child if it has ended. Returns how.
pub fn reap(pid: i32) -> Option<Outcome> {
    end_of(pid, 0)
}

/// Reaps every child that has ended, but for one whose end is still to be looked at (contract C27). While that one is a
/// zombie those behind it may stay; its attempt is about to end.
pub fn reap_all(but: Option<i32>) {
    while let Found::Ended(pid, _) = wait(Which::Any, libc::WNOWAIT) {
        if Some(pid) == but {
            return;
        }
        reap(pid);
    }
}

/// Whether this process has children at all, ended ones included. One call, where a look into /proc takes a dozen.
pub fn has_children() -> bool {
    !matches!(wait(Which::Any, libc::WNOWAIT), Found::Nobody)
}

/// Reaps those children in a process group that have ended. Whether others are left, which then pin the group's id.
pub fn is_group_left(group: i32) -> bool {
    loop {
        match wait(Which::InGroup(group), 0) {
            Found::Ended(..) => {}
            Found::Living => return true,
            Found::Nobody => return false,
        }
    }
}
