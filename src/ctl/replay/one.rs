//! One replay: prepared, run through the ordinary loop, and recorded. Contract D32.

use std::ffi::{CString, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::time::SystemTime;

use super::input;
use super::terms::{self, Terms};
use crate::cli::spec::Opt;
use crate::cli::table;
use crate::config;
use crate::ctl::world::reason;
use crate::dead_letter::fold::Letter;
use crate::job::Job;
use crate::record::{self, Action, Event, Record, Replay};
use crate::run::{self, Finished, Identity, origin};
use crate::sys::entry;
use crate::sys::spawn::Group;
use crate::sys::umask;
use crate::sys::wait::Wait;

/// A letter that can be run.
pub struct Prepared {
    job: Job,
    identity: Identity,
    directory: PathBuf,
    umask: Option<u32>,
    input: File,
    environment: Vec<CString>,
    /// Options of the recorded policy that this version does not know.
    pub unknown: Vec<String>,
}

/// Makes a letter ready to be run, without an effect.
///
/// # Errors
/// Why it cannot be run as it was (D31).
pub fn prepare(letter: &Letter, line: &[u8], terms: &Terms) -> Result<Prepared, String> {
    let record: Record = serde_json::from_slice(line).map_err(|error| format!("it cannot be read whole: {error}"))?;
    // Whatever a file may have become under its readers, another command is never run for this one.
    if record.id != *letter.id {
        return Err("the file was changed where it stood".into());
    }
    if record.redacted {
        return Err("it was written without its secrets and cannot be run".into());
    }
    if record.host.name != origin::host().name && !terms.other_host {
        return Err(format!("it is of another host ({}); --other-host runs it here", record.host.name));
    }
    let environment = environment(&record, terms)?;
    let (job, unknown) = job(&record, terms, &environment)?;
    let input = input::open(record.stdin.as_ref(), terms)?;
    let directory = match record.process.working_directory_b64 {
        Some(bytes) => PathBuf::from(OsString::from_vec(bytes.0)),
        None => PathBuf::from(record.process.working_directory),
    };
    // It may have been deleted under the run: then nobody knows where else it could do what it did.
    if directory.as_os_str().is_empty() {
        return Err("the directory that it ran in is not known".into());
    }
    let metadata = std::fs::metadata(&directory)
        .map_err(|error| format!("cannot enter {}: {}", directory.display(), reason(&error)))?;
    if !metadata.is_dir() {
        return Err(format!("cannot enter {}: not a directory", directory.display()));
    }
    Ok(Prepared {
        job,
        identity: Identity {
            id: letter.id.to_string(),
            key: record.idempotency_key,
            replay: Some(letter.replays.saturating_add(1)),
        },
        directory,
        umask: u32::from_str_radix(&record.umask, 8).ok().filter(|mask| *mask <= 0o777),
        input,
        environment,
        unknown,
    })
}

/// Today's environment, in it what was recorded, and above all what `--env-file` says.
fn environment(record: &Record, terms: &Terms) -> Result<Vec<CString>, String> {
    let mut set = terms.env.clone();
    for (name, text) in &record.env {
        let value = match record.env_b64.get(name) {
            Some(bytes) => OsString::from_vec(bytes.0.clone()),
            None => OsString::from(text),
        };
        let entry = terms::entry(name, &value).ok_or_else(|| format!("its variable {name:?} is none"))?;
        if !set.iter().any(|other| terms::name_of(other) == name.as_bytes()) {
            set.push(entry);
        }
    }
    let mut environment = entry::environment();
    environment.retain(|entry| !set.iter().any(|other| terms::name_of(other) == terms::name_of(entry)));
    environment.extend(set);
    Ok(environment)
}

fn job(record: &Record, terms: &Terms, environment: &[CString]) -> Result<(Job, Vec<String>), String> {
    let command = record::args_of(&record.process);
    if command.is_empty() || command.iter().any(|arg| arg.as_encoded_bytes().contains(&0)) {
        return Err("it holds no command that can be run".into());
    }
    let lookup = |name: &str| {
        let entry = environment.iter().find(|entry| terms::name_of(entry) == name.as_bytes())?;
        entry.as_bytes().get(name.len() + 1..).map(|value| OsString::from_vec(value.to_vec()))
    };
    let (mut settings, unknown) = config::settings_of_policy(&record.retry.policy, &lookup);
    settings.push(table::spec(Opt::Job), OsString::from(&record.job));
    if let Some(tries) = &terms.max_tries {
        settings.push(table::spec(Opt::MaxTries), tries.clone());
    }
    let job = config::job(command, &settings).map_err(|error| format!("its policy cannot be read: {error}"))?;
    Ok((job, unknown))
}

impl Prepared {
    /// The event that says that the replay begins.
    pub fn started(&self) -> Event {
        let mut event = Event::new(Action::ReplayStarted, &self.identity.id, SystemTime::now());
        event.replay = Some(Replay { number: self.number(), ..Replay::default() });
        event
    }

    /// Runs it in its directory, with its mask and its input, and comes back. `note` gets the event that says how it
    /// ended, before any hook is called.
    ///
    /// # Errors
    /// Why it did not begin.
    pub fn run(self, wait: &mut Wait, is_in_batch: bool, note: &mut dyn FnMut(Event)) -> Result<Finished, String> {
        let (number, id) = (self.number(), self.identity.id.clone());
        let here = File::open(".").map_err(|error| format!("cannot keep this directory: {}", reason(&error)))?;
        rustix::stdio::dup2_stdin(&self.input).map_err(|errno| format!("cannot give it its input: {errno}"))?;
        rustix::process::chdir(&self.directory)
            .map_err(|errno| format!("cannot enter {}: {}", self.directory.display(), reason(&errno.into())))?;
        let umask = self.umask.map(umask::set);
        let group = if is_in_batch { Group::Own } else { Group::choose(self.job.ending.foreground) };
        let mut note = |record: &Record| note(ended_event(&id, number, record));
        let world = run::World { wait, environment: &self.environment, group, note: &mut note };
        let ended = run::run(&self.job, world, self.identity);
        if let Some(umask) = umask {
            umask::set(umask);
        }
        rustix::process::fchdir(&here).map_err(|errno| format!("cannot come back: {errno}"))?;
        ended.map_err(|cannot| cannot.to_string())
    }

    fn number(&self) -> u64 {
        self.identity.replay.unwrap_or(1).into()
    }
}

/// The event that says how a replay ended.
fn ended_event(id: &str, number: u64, record: &Record) -> Event {
    let has_succeeded = record.retry.ending == "succeeded";
    let action = if has_succeeded { Action::ReplaySucceeded } else { Action::ReplayFailed };
    let mut event = Event::new(action, id, SystemTime::now());
    event.error.clone_from(&record.error);
    event.replay = Some(Replay {
        number,
        ending: Some(record.retry.ending.clone()),
        attempts: Some(record.retry.attempts),
        exit_code: record.retry.exit_code,
        elapsed_ms: Some(record.retry.elapsed_ms),
        not_before: record.retry.not_before.clone(),
    });
    event
}

/// The event for a replay that was begun in the file and could not be run after all.
pub fn not_begun(id: &str, number: u64, why: &str) -> Event {
    let mut event = Event::new(Action::ReplayFailed, id, SystemTime::now());
    event.event.reason = Some(why.to_owned());
    // Nothing ran: that does not make it poison.
    event.replay = Some(Replay { number, ending: Some("interrupted".into()), ..Replay::default() });
    event
}
