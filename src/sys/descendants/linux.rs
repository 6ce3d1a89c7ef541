//! Descendants on Linux, found through /proc.
//!
//! As a child subreaper this process becomes the parent of every descendant whose own parent has died. So each living
//! descendant hangs below a direct child of ours; killing those makes their children ours, each death is told by a
//! SIGCHLD, and when no direct child is left nothing is. No polling, and no race with a process that forks meanwhile.

use std::fs;

use crate::signal::Signal;
use crate::sys::{reap, send};

/// A process that cannot be mistaken for a later one with the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// The process id.
    pub pid: i32,
    /// When it started, in the kernel's ticks since boot.
    started: u64,
}

impl Process {
    /// The process that has this id now.
    fn now(pid: i32) -> Option<Process> {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        Some(Process { pid, started: stat_field(&stat, 22)?.parse().ok()? })
    }

    /// Sends KILL, to its whole group at once where that can only be of the attempt.
    ///
    /// A process that forks and ends again and again is always gone before a signal to it alone arrives; no fork escapes
    /// the one to a group. A session other than ours was begun by a descendant, so nobody else's process is in its groups;
    /// and a child that only we reap pins the number of its group.
    pub fn kill(&self) {
        let stat = fs::read(format!("/proc/{}/stat", self.pid)).unwrap_or_default();
        let field = |number| stat_field(&stat, number).and_then(|field| field.parse::<i32>().ok());
        // SAFETY: no pointers.
        let own_session = unsafe { libc::getsid(0) };
        if let (Some(parent), Some(group), Some(session)) = (field(4), field(5), field(6))
            && parent == own_pid()
            && ![0, own_session].contains(&session)
            && group > 1
        {
            send::send_group(group, Signal::KILL);
        }
        self.send(Signal::KILL);
    }

    /// Sends a signal to this very process.
    pub fn send(&self, signal: Signal) {
        // SAFETY: no pointers.
        let handle = unsafe { libc::syscall(libc::SYS_pidfd_open, self.pid, 0) };
        // With the handle held the id may pass to another process, but the signal then goes nowhere.
        if Process::now(self.pid) == Some(*self) {
            // SAFETY: the handle is ours; a null siginfo is what kill(2) would send.
            unsafe {
                if handle < 0 {
                    libc::kill(self.pid, signal.number());
                } else {
                    libc::syscall(libc::SYS_pidfd_send_signal, handle, signal.number(), 0, 0);
                }
            }
        }
        if let Ok(fd @ 0..) = i32::try_from(handle) {
            // SAFETY: the handle is ours.
            unsafe { libc::close(fd) };
        }
    }
}

/// A field of /proc/PID/stat by its number in proc(5), from 3: the name before them may hold anything.
fn stat_field(stat: &[u8], number: usize) -> Option<&str> {
    let after = stat.iter().rposition(|byte| *byte == b')')? + 1;
    std::str::from_utf8(&stat[after..]).ok()?.split_ascii_whitespace().nth(number - 3)
}

/// The children of a process, threads' children included.
fn children(pid: i32) -> Vec<i32> {
    let mut found = Vec::new();
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return found };
    for thread in threads.flatten() {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(list) => found.extend(list.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok())),
            // A kernel without CONFIG_PROC_CHILDREN, or a thread that has gone.
            Err(_) if thread.path().join("stat").exists() => return children_by_parent(pid),
            Err(_) => {}
        }
    }
    found
}

/// The same by asking every process for its parent.
fn children_by_parent(parent: i32) -> Vec<i32> {
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = all.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let is_child = |pid: &i32| {
        fs::read(format!("/proc/{pid}/stat"))
            .is_ok_and(|stat| stat_field(&stat, 4).and_then(|field| field.parse().ok()) == Some(parent))
    };
    pids.filter(is_child).collect()
}

fn own_pid() -> i32 {
    i32::try_from(std::process::id()).expect("a process id fits")
}

/// Whether a signal could be handled by a process: it has a handler, ignores it, or blocks it to take it in its own time.
/// False means that the signal ends it. Where that cannot be told, it could.
pub fn could_handle(pid: i32, signal: Signal) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) else { return true };
    ["SigBlk:", "SigIgn:", "SigCgt:"].iter().any(|field| {
        let line = status.lines().find_map(|line| line.strip_prefix(field));
        line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .is_none_or(|mask| mask & (1 << (signal.number() - 1)) != 0)
    })
}

/// Makes this process the one to which orphaned descendants fall.
pub fn become_subreaper() {
    // SAFETY: no pointers.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
}

/// Whether orphans fall to this process: it is PID 1, or a subreaper.
pub fn is_reaper() -> bool {
    let mut subreaper: libc::c_int = 0;
    // SAFETY: the kernel writes one int.
    unsafe { libc::prctl(libc::PR_GET_CHILD_SUBREAPER, &raw mut subreaper) };
    subreaper != 0 || own_pid() == 1
}

/// Whether /proc shows this process under the id that it has for itself: after `unshare --pid` it may be that of another
/// namespace, whose numbers mean other processes here.
fn is_proc_ours() -> bool {
    fs::read_link("/proc/self").is_ok_and(|own| own.to_str() == Some(&own_pid().to_string()))
}

/// What tells the descendants of one attempt from everything else that hangs below this process.
#[derive(Debug)]
pub struct Family {
    /// Whether /proc shows this process's own namespace.
    can_see: bool,
    /// Our children when the attempt started: spared, with all that hangs below them.
    before: Vec<Process>,
    /// The child that is the attempt, and its process group if it leads one.
    child: i32,
    leads_group: bool,
    /// `RETRY_ID=…` and `RETRY_ATTEMPT=…` as the attempt got them.
    marks: Vec<Vec<u8>>,
    /// Who was seen to belong to it.
    known: Vec<Process>,
}

impl Family {
    /// Looks at what is there before an attempt; the marks are the entries of its environment that no other attempt has.
    pub fn expect(marks: Vec<Vec<u8>>) -> Family {
        let can_see = is_proc_ours();
        let before = if can_see && reap::has_children() { children(own_pid()) } else { Vec::new() };
        let before = before.into_iter().filter_map(Process::now).collect();
        Family { can_see, before, child: 0, leads_group: false, marks, known: Vec::new() }
    }

    /// The attempt has started.
    pub fn born(&mut self, child: i32, leads_group: bool) {
        self.child = child;
        self.leads_group = leads_group;
    }

    /// Whether descendants can be seen at all.
    pub fn can_see(&self) -> bool {
        self.can_see
    }

    /// The living descendants of the attempt, the child itself not among them. Orphans that have ended are reaped.
    pub fn living(&mut self) -> Vec<Process> {
        let mut living = Vec::new();
        // One that ended after our children were listed has left its own to us, and they are not on that list.
        while self.can_see && self.list(&mut living) && living.is_empty() {}
        for process in &living {
            if !self.known.contains(process) {
                self.known.push(*process);
            }
        }
        living
    }

    /// Adds the living descendants that are found now. Whether an orphan was reaped meanwhile.
    fn list(&self, living: &mut Vec<Process>) -> bool {
        let mut has_reaped = false;
        // Our own list is whole: only we reap from it.
        for pid in children(own_pid()) {
            if pid == self.child {
                self.descend(pid, living);
            } else if reap::reap(pid).is_some() {
                has_reaped = true;
            } else {
                let Some(process) = Process::now(pid) else { continue };
                if self.is_ours(process) {
                    living.push(process);
                    self.descend(pid, living);
                }
            }
        }
        has_reaped
    }

    /// Adds everything below a process.
    fn descend(&self, pid: i32, living: &mut Vec<Process>) {
        let mut parents = vec![pid];
        while let Some(parent) = parents.pop() {
            for child in children(parent) {
                let Some(process) = Process::now(child).filter(|process| !living.contains(process)) else { continue };
                living.push(process);
                parents.push(child);
            }
        }
    }

    /// Whether a child of ours belongs to the attempt. An orphan whose origin cannot be told is spared.
    fn is_ours(&self, process: Process) -> bool {
        if self.before.contains(&process) {
            return false;
        }
        // Nobody was there before who could have left it.
        self.before.is_empty()
            || self.known.contains(&process)
            || (self.leads_group && send::group_of(process.pid) == self.child)
            || self.is_marked(process.pid)
    }

    /// Whether its environment is that of the attempt.
    fn is_marked(&self, pid: i32) -> bool {
        let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else { return false };
        !self.marks.is_empty()
            && self.marks.iter().all(|mark| environment.split(|byte| *byte == 0).any(|entry| entry == mark))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_stat_is_found_behind_a_name_with_spaces_and_brackets() {
        let stat = b"12 (a) b) R 7 12 12 0";
        assert_eq!(stat_field(stat, 3), Some("R"));
        assert_eq!(stat_field(stat, 4), Some("7"));
        assert_eq!(stat_field(stat, 99), None);
    }

    #[test]
    fn a_process_is_known_by_its_start_too() {
        let own = Process::now(own_pid()).unwrap();
        assert_eq!(Process::now(own_pid()), Some(own));
        assert_ne!(Process { started: own.started + 1, ..own }, own);
    }

    #[test]
    fn both_ways_of_finding_children_agree() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        assert!(children(own_pid()).contains(&pid));
        assert!(children_by_parent(own_pid()).contains(&pid));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
