//! A new process that becomes a command, with everything as this program was given it (contract C2).
//!
//! An own clone and exec, because std's Command empties the signal mask and resets SIGPIPE in the child, and would open
//! closed descriptors. The child shares our memory and we stand still until it has become the command (as vfork does): that
//! costs the same however big this process is, and an error of exec comes back through a variable. Everything that needs memory
//! is prepared before; the child makes system calls only, with all our signals blocked until its last step.

mod pid_variable;
mod search;

#[cfg(all(target_os = "linux", not(retry_portable)))]
use std::ffi::c_void;
use std::ffi::{CStr, CString, c_char, c_int};
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::ptr;

use super::signals::Signals;
use crate::outcome::{Errno, StartStep};
use pid_variable::PidVariable;
use search::candidates;

/// Where a child stands among process groups (contract C10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// In the group of this program: the terminal's Ctrl-C and Ctrl-Z reach both.
    Shared,
    /// In a new group that it leads.
    Own,
}

impl Group {
    /// A group of its own where there is no controlling terminal and `--foreground` was not given.
    pub fn choose(foreground: bool) -> Group {
        if foreground || super::terminal::is_controlling() { Group::Shared } else { Group::Own }
    }
}

/// What to start.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// The command and its arguments; the first names the program, searched in the PATH of `env` unless it holds a slash.
    pub argv: &'a [CString],
    /// The whole environment, as `NAME=value`. `LISTEN_PID` and `WATCHDOG_PID` that hold our process id become the child's
    /// (contract R40).
    pub env: &'a [CString],
    /// Its process group.
    pub group: Group,
}

/// The shell that runs a file without `#!`, as execvp does (contract C1).
const SHELL: &CStr = c"/bin/sh";

/// What the child needs, all of it prepared. It lives in the parent's frame while the child uses it.
struct Plan<'a> {
    signals: &'a Signals,
    files: Vec<*const c_char>,
    argv: Vec<*const c_char>,
    /// `/bin/sh`, the file, the arguments: the file's place is 1.
    shell_argv: Vec<*const c_char>,
    env: Vec<*const c_char>,
    pid_variables: Vec<PidVariable>,
    stdio: [Option<RawFd>; 3],
    group: Group,
    #[cfg(all(target_os = "linux", not(retry_portable)))]
    parent: i32,
    /// What the child reports: the step that failed, and its errno; 0 while nothing has.
    failed: Option<(StartStep, c_int)>,
}

/// The last error of a system call.
fn errno() -> c_int {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

impl Plan<'_> {
    /// The child: becomes the command or returns, having noted why not.
    ///
    /// # Safety
    /// Must run in a child that shares or copies the parent's memory while the parent stands still.
    unsafe fn become_command(&mut self) {
        // SAFETY: system calls on plain numbers and on pointers that the plan keeps alive.
        unsafe {
            #[cfg(all(target_os = "linux", not(retry_portable)))]
            {
                // Contract C26. The parent may be gone already, and 0 is a parent outside our pid namespace.
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                if ![0, self.parent].contains(&libc::getppid()) {
                    libc::_exit(libc::SIGKILL + 128);
                }
            }
            if self.group == Group::Own {
                libc::setpgid(0, 0);
            }
            if let Err(errno) = self.arrange_stdio() {
                self.failed = Some((StartStep::Fork, errno));
                return;
            }
            if !self.pid_variables.is_empty() {
                let pid = libc::getpid();
                self.pid_variables.iter_mut().for_each(|variable| variable.write(pid));
            }
            // The last step: from here a signal finds the child as it would find the command itself.
            self.signals.restore_in_child();
            let errno = self.exec();
            self.failed = Some((StartStep::Exec, errno));
        }
    }

    /// Puts the descriptors where the command will find them.
    unsafe fn arrange_stdio(&mut self) -> Result<(), c_int> {
        // A source among 0, 1 and 2 moves out of the way first, lest an earlier target overwrite it.
        for (target, source) in (0..).zip(&mut self.stdio) {
            if let Some(fd) = source.filter(|fd| *fd <= 2 && *fd != target) {
                // SAFETY: no pointers.
                let moved = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 3) };
                if moved < 0 {
                    return Err(errno());
                }
                *source = Some(moved);
            }
        }
        for (target, source) in (0..).zip(self.stdio) {
            let Some(fd) = source else { continue };
            // SAFETY: no pointers.
            let done = unsafe { if fd == target { libc::fcntl(fd, libc::F_SETFD, 0) } else { libc::dup2(fd, target) } };
            if done < 0 {
                return Err(errno());
            }
        }
        Ok(())
    }

    /// Tries each file, as execvp(3) does. Returns the error that counts.
    unsafe fn exec(&mut self) -> c_int {
        let mut denied = false;
        let mut last = libc::ENOENT;
        for at in 0..self.files.len() {
            let file = self.files[at];
            // SAFETY: all three are C strings and null-ended arrays of them, alive in the parent's frame.
            unsafe { libc::execve(file, self.argv.as_ptr(), self.env.as_ptr()) };
            last = errno();
            if last == libc::ENOEXEC {
                self.shell_argv[1] = file;
                // SAFETY: as above.
                unsafe { libc::execve(SHELL.as_ptr(), self.shell_argv.as_ptr(), self.env.as_ptr()) };
                return errno();
            }
            match last {
                libc::EACCES => denied = true,
                libc::ENOENT | libc::ENOTDIR | libc::ESTALE | libc::ENODEV | libc::ETIMEDOUT => {}
                other => return other,
            }
        }
        if denied { libc::EACCES } else { last }
    }
}

#[cfg(all(target_os = "linux", not(retry_portable)))]
extern "C" fn enter(plan: *mut c_void) -> c_int {
    // SAFETY: the parent passes its plan and stands still.
    unsafe { (*plan.cast::<Plan>()).become_command() };
    // SAFETY: ends the child; nothing of the parent's runs, no destructor either.
    unsafe { libc::_exit(127) }
}

/// The size of the child's stack: it makes a few system calls. Generous, because a debug build is.
#[cfg(all(target_os = "linux", not(retry_portable)))]
const STACK: usize = 64 * 1024;

/// Makes the child. Returns its pid, or the errno.
#[cfg(all(target_os = "linux", not(retry_portable)))]
fn branch(plan: &mut Plan) -> Result<i32, c_int> {
    let mut stack: Vec<u128> = Vec::with_capacity(STACK / size_of::<u128>());
    // SAFETY: the end of the allocation, aligned to 16 by its type.
    let top = unsafe { stack.as_mut_ptr().add(stack.capacity()) };
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: CLONE_VFORK keeps this frame, with stack and plan, alive until the child has become the command or ended. The
    // child has no handler to run, for its signals are blocked, and ends in `enter`.
    let pid = unsafe { libc::clone(enter, top.cast(), flags, ptr::from_mut(plan).cast()) };
    if pid < 0 { Err(errno()) } else { Ok(pid) }
}

/// The same where no memory can be shared: a fork, and a pipe that closes on exec and brings the error back.
#[cfg(not(all(target_os = "linux", not(retry_portable))))]
fn branch(plan: &mut Plan) -> Result<i32, c_int> {
    let mut ends = [-1; 2];
    // SAFETY: the array takes two descriptors, which are ours to close.
    unsafe {
        if libc::pipe(ends.as_mut_ptr()) != 0 {
            return Err(errno());
        }
        ends.iter().for_each(|fd| {
            libc::fcntl(*fd, libc::F_SETFD, libc::FD_CLOEXEC);
        });
    }
    plan.signals.hold();
    // SAFETY: the child makes async-signal-safe calls only, and ends.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // SAFETY: this is the child, which has a copy of the parent's memory.
        unsafe {
            plan.become_command();
            let (step, errno) = plan.failed.unwrap_or((StartStep::Exec, 0));
            let report = [c_int::from(step == StartStep::Fork), errno];
            libc::write(ends[1], report.as_ptr().cast(), size_of_val(&report));
            libc::_exit(127);
        }
    }
    let forked = if pid < 0 { Err(errno()) } else { Ok(pid) };
    plan.signals.release();
    let mut report = [0 as c_int; 2];
    // SAFETY: the descriptors are ours; the buffer is valid for its length.
    unsafe {
        libc::close(ends[1]);
        if forked.is_ok() {
            let size = size_of_val(&report);
            let read = loop {
                let read = libc::read(ends[0], report.as_mut_ptr().cast(), size);
                if read >= 0 || errno() != libc::EINTR {
                    break read;
                }
            };
            if usize::try_from(read) == Ok(size) {
                let step = if report[0] == 0 { StartStep::Exec } else { StartStep::Fork };
                plan.failed = Some((step, report[1]));
            }
        }
        libc::close(ends[0]);
    }
    forked
}

/// Starts a command. `stdio` says what becomes its descriptors 0, 1 and 2; `None` leaves what is there.
///
/// # Errors
/// The step that failed and why (contract C1). A child that could not become the command is reaped.
pub fn spawn(start: &Start, stdio: [Option<RawFd>; 3], signals: &Signals) -> Result<i32, (StartStep, Errno)> {
    let not_found = Err((StartStep::Exec, Errno(libc::ENOENT)));
    let Some(name) = start.argv.first() else { return not_found };
    let own_pid = std::process::id();
    let own_pid_text = own_pid.to_string();
    let files = candidates(name, start.env);
    let mut pid_variables = Vec::new();
    // Where the entries end that stay as they are, the child's own follow.
    let mut env: Vec<*const c_char> = Vec::with_capacity(start.env.len() + 1);
    for entry in start.env {
        match PidVariable::of(entry, &own_pid_text) {
            Some(variable) => pid_variables.push(variable),
            None => env.push(entry.as_ptr()),
        }
    }
    env.extend(pid_variables.iter().map(|variable| variable.text.as_ptr().cast::<c_char>()));
    env.push(ptr::null());
    let arguments = || start.argv[1..].iter().map(|argument| argument.as_ptr());
    let null = std::iter::once(ptr::null());
    let mut plan = Plan {
        signals,
        argv: std::iter::once(name.as_ptr()).chain(arguments()).chain(null.clone()).collect(),
        shell_argv: [SHELL.as_ptr(), ptr::null()].into_iter().chain(arguments()).chain(null).collect(),
        files: files.iter().map(|file| file.as_ptr()).collect(),
        env,
        pid_variables,
        stdio,
        group: start.group,
        #[cfg(all(target_os = "linux", not(retry_portable)))]
        parent: i32::try_from(own_pid).expect("a process id fits"),
        failed: None,
    };
    let pid = branch(&mut plan).map_err(|errno| (StartStep::Fork, Errno(errno)))?;
    // The child wrote it behind the compiler's back.
    // SAFETY: a plain read of our own variable.
    let failed = unsafe { ptr::read_volatile(&raw const plan.failed) };
    match failed {
        None => Ok(pid),
        Some((step, errno)) => {
            // SAFETY: no status is asked for.
            while unsafe { libc::waitpid(pid, ptr::null_mut(), 0) } < 0 && self::errno() == libc::EINTR {}
            Err((step, Errno(errno)))
        }
    }
}

/// Makes the C strings of an argument list or an environment, which come from C and so hold no zero.
pub fn c_strings<S: AsRef<std::ffi::OsStr>>(items: impl IntoIterator<Item = S>) -> Vec<CString> {
    items.into_iter().filter_map(|item| CString::new(item.as_ref().as_bytes()).ok()).collect()
}
