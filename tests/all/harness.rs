//! A run of one of the programs in an empty directory, with a clean environment, its three streams and its end.
//!
//! `retry(["-n", "2", "--", "false"]).run().is(1, "", "retry: …\n")` compares all three exactly, so silence is asserted too.
//! A fence of 60 s stands against hanging; no test measures time with it.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Where the built `retry` stands.
pub const RETRY: &str = env!("CARGO_BIN_EXE_retry");
/// Where the built `retryctl` stands.
pub const RETRYCTL: &str = env!("CARGO_BIN_EXE_retryctl");
/// How long anything may take before a test is taken to hang.
pub const FENCE: Duration = Duration::from_secs(60);

/// An empty directory for one test; HOME, TMPDIR and the working directory of its runs. Gone when dropped.
pub struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    /// Makes a new one.
    pub fn new() -> Place {
        Place { dir: tempfile::Builder::new().prefix("retry-test.").tempdir().expect("a temporary directory") }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The text of a file in it.
    pub fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&std::fs::read(self.file(name)).unwrap_or_else(|e| panic!("{name}: {e}"))).into_owned()
    }

    /// The same; empty while the file is not there.
    pub fn read_or_empty(&self, name: &str) -> String {
        if self.file(name).exists() { self.read(name) } else { String::new() }
    }

    /// Writes a file in it.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.file(name), text).expect("a file can be written");
        self.file(name)
    }

    /// A command for `retry` here.
    pub fn retry<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Cli {
        self.program(RETRY, args)
    }

    /// A command for `retryctl` here.
    pub fn retryctl<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Cli {
        self.program(RETRYCTL, args)
    }

    /// A bash script here, in which `retry` and `retryctl` are the built ones.
    pub fn bash(&self, script: &str) -> Cli {
        self.program("bash", ["-c", script])
    }

    /// Any program here.
    pub fn program<A: AsRef<OsStr>>(&self, program: impl AsRef<OsStr>, args: impl IntoIterator<Item = A>) -> Cli {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.path()).env_clear();
        let beside = Path::new(RETRY).parent().expect("a program stands in a directory");
        let mut path = OsString::from(beside);
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        // Root's default file is the machine's own: no test writes there.
        command.env("XDG_STATE_HOME", self.file("state"));
        command.env("PATH", path).env("HOME", self.path()).env("TMPDIR", self.path()).env("LC_ALL", "C");
        // Whatever ignores or blocks signals around the tests (nohup, a shell's background job) is not part of them.
        // SAFETY: signal(2) and sigprocmask(2) are safe to call between fork and exec; the set is initialised before use.
        unsafe {
            command.pre_exec(|| {
                for signal in 1..=libc::SIGRTMAX() {
                    libc::signal(signal, libc::SIG_DFL);
                }
                let mut none: libc::sigset_t = std::mem::zeroed();
                libc::sigemptyset(&raw mut none);
                libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
                Ok(())
            });
        }
        Cli { command, input: None, stdin_set: false }
    }
}

/// A command that has not run yet.
pub struct Cli {
    command: Command,
    input: Option<Vec<u8>>,
    stdin_set: bool,
}

impl Cli {
    /// Sets a variable of the environment, which is otherwise PATH, HOME, TMPDIR, XDG_STATE_HOME and LC_ALL=C.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Cli {
        self.command.env(name, value);
        self
    }

    /// Removes a variable.
    pub fn env_remove(mut self, name: &str) -> Cli {
        self.command.env_remove(name);
        self
    }

    /// Another working directory.
    pub fn dir(mut self, dir: impl AsRef<Path>) -> Cli {
        self.command.current_dir(dir);
        self
    }

    /// Gives these bytes on a pipe as standard input; without it the input is /dev/null.
    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Cli {
        self.input = Some(bytes.into());
        self
    }

    /// Gives this file or descriptor as standard input.
    pub fn stdin(mut self, stdio: impl Into<Stdio>) -> Cli {
        self.command.stdin(stdio);
        self.stdin_set = true;
        self
    }

    /// The command itself, for what this harness has no word for.
    pub fn command(&mut self) -> &mut Command {
        &mut self.command
    }

    /// Starts it with pipes on stdout and stderr and does not wait.
    pub fn start(mut self) -> Running {
        if !self.stdin_set {
            self.command.stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() });
        }
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().expect("the program can be started");
        if let (Some(bytes), Some(mut stdin)) = (self.input, child.stdin.take()) {
            // A program that reads nothing closes its input: not the test's concern.
            std::thread::spawn(move || stdin.write_all(&bytes));
        }
        Running { child }
    }

    /// Runs it to its end.
    pub fn run(self) -> Ended {
        self.start().wait()
    }
}

/// A command that runs.
pub struct Running {
    /// The process.
    pub child: Child,
}

impl Running {
    /// Its process id.
    pub fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).expect("a process id fits")
    }

    /// Sends it a signal.
    pub fn kill(&self, signal: i32) {
        // SAFETY: kill(2) touches no memory; the child is not reaped while this value lives.
        assert_eq!(unsafe { libc::kill(self.pid(), signal) }, 0, "kill({}, {signal})", self.pid());
    }

    /// Waits for its end and takes what it printed.
    pub fn wait(mut self) -> Ended {
        let out = self.child.stdout.take().map(gather);
        let err = self.child.stderr.take().map(gather);
        let status = fenced(&mut self.child);
        let text = |stream: Option<std::thread::JoinHandle<Vec<u8>>>| {
            stream.map(|s| s.join().expect("the reader ends")).unwrap_or_default()
        };
        Ended { status, stdout: text(out), stderr: text(err) }
    }
}

/// Waits for the end of a child, for FENCE at most.
pub fn fenced(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status;
        }
        if start.elapsed() > FENCE {
            let _ = child.kill();
            panic!("still running after {FENCE:?}: {child:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until something holds, for FENCE at most.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < FENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn gather(mut stream: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

/// What a command came to.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub status: ExitStatus,
    /// What it printed on stdout.
    pub stdout: Vec<u8>,
    /// What it printed on stderr.
    pub stderr: Vec<u8>,
}

impl Ended {
    /// Its exit status; a death by signal is 1000 + its number, so that it equals no exit.
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| 1000 + self.status.signal().expect("no status, so a signal"))
    }

    /// Stdout as text.
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Stderr as text.
    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Compares status, stdout and stderr exactly.
    #[track_caller]
    pub fn is(&self, code: i32, stdout: &str, stderr: &str) {
        assert_eq!((self.code(), self.out().as_str(), self.err().as_str()), (code, stdout, stderr));
    }

    /// Compares status and stdout exactly; what stderr says is not this test's concern.
    #[track_caller]
    pub fn gives(&self, code: i32, stdout: &str) {
        assert_eq!((self.code(), self.out().as_str()), (code, stdout), "stderr: {}", self.err());
    }
}
