//! A run: the machine and the real world. The loop itself is three lines: attempt, wait, finish.

mod environment;
mod hints;
mod hooks;
mod identity;
mod letter;
pub mod origin;
mod story;
mod streams;
mod telling;

use std::ffi::CString;
use std::fmt;
use std::time::{Duration, SystemTime};

use crate::child::{self, Attempted, Report};
use crate::dead_letter::open::Unfit;
use crate::draws::Draws;
use crate::exit_status::ExitStatus;
use crate::job::{Job, Verbosity};
use crate::machine::{DelaySource, Ending, Event, Machine, Step};
use crate::metrics::recorder::Recorder;
use crate::notice::texts::{self, Number};
use crate::notice::{Notices, Wait as Waiting};
use crate::observer::{Learnt, Observation};
use crate::outcome::{Errno, Outcome};
use crate::policy::{Facts, Judgement, Lost, Reason, Verdict};
use crate::record::{self, Record};
use crate::record_file;
use crate::redact::Redactor;
use crate::signal::Signal;
use crate::sys::spawn::{Group, Start, c_strings};
use crate::sys::wait::Wait;

pub use identity::Identity;

use hints::HintFile;
use letter::LetterBox;
use story::Story;
use streams::{Patience, Streams};

/// The real world that a run acts in.
pub struct World<'a> {
    /// Signals, clock and timer.
    pub wait: &'a mut Wait,
    /// The environment as this program was given it.
    pub environment: &'a [CString],
    /// Where the command stands among process groups.
    pub group: Group,
    /// Gets the record of the run when it has ended and its letter is written, before any hook: a replay notes there
    /// how it went.
    pub note: &'a mut dyn FnMut(&Record),
}

/// What a run came to.
#[derive(Debug)]
pub struct Finished {
    /// How the program ends for it.
    pub status: ExitStatus,
    /// Why it stopped.
    pub ending: Ending,
}

/// Why a run did not begin; nothing was started.
#[derive(Debug)]
pub enum CannotBegin {
    /// A dead-letter file that was named is unfit (D2).
    DeadLetter(Unfit),
    /// Standard input cannot be what was asked for.
    Stdin(String),
}

impl From<Unfit> for CannotBegin {
    fn from(unfit: Unfit) -> CannotBegin {
        CannotBegin::DeadLetter(unfit)
    }
}

impl fmt::Display for CannotBegin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CannotBegin::DeadLetter(unfit) => unfit.fmt(f),
            CannotBegin::Stdin(why) => f.write_str(why),
        }
    }
}

/// Runs a job to its end.
///
/// # Errors
/// Why it did not begin.
pub fn run<'a>(job: &'a Job, world: World<'a>, identity: Identity) -> Result<Finished, CannotBegin> {
    let mut letters = LetterBox::new(job, &identity);
    let warnings = letters.open_named()?;
    let observation = Observation::new(job, &|name| environment::variable(world.environment, name))
        .expect("the expressions of a job were found to be valid");
    let mut run = Run {
        notices: telling::voice(job, &identity, world.environment),
        metrics: job.metrics_dir.clone().map(|dir| Recorder::new(dir, &job.name)),
        is_metrics_trouble_told: false,
        redactor: None,
        streams: Streams::open(job, hints::observed(&observation)).map_err(CannotBegin::Stdin)?,
        machine: Machine::new(job.limits.clone(), job.rules.clone()),
        draws: job.seed.map_or_else(|| Draws::fresh(identity::entropy()), Draws::seeded),
        zero: world.wait.now(),
        story: Story::default(),
        letters,
        group: world.group,
        argv: c_strings(&job.command),
        observation,
        is_preset_warned: false,
        job,
        world,
        identity,
    };
    run.warn_all(&warnings);
    if let Some(advice) = run.observation.advice() {
        run.say(Verbosity::Quiet, || advice.to_owned());
    }
    if let Some(preset) = run.observation.preset_of_another() {
        run.say(Verbosity::Verbose, || texts::preset_of_another(preset.name, &job.name));
    }
    Ok(run.go_on())
}

struct Run<'a> {
    job: &'a Job,
    world: World<'a>,
    identity: Identity,
    machine: Machine,
    draws: Draws,
    /// The reading of the clock when the run began.
    zero: Duration,
    story: Story,
    streams: Streams,
    letters: LetterBox,
    group: Group,
    argv: Vec<CString>,
    /// What is to be learnt from each attempt.
    observation: Observation,
    /// The one warning of P1 was given.
    is_preset_warned: bool,
    /// What people see.
    notices: Notices,
    /// What is counted, if it is.
    metrics: Option<Recorder>,
    is_metrics_trouble_told: bool,
    /// Made when it is first needed: most runs show nothing.
    redactor: Option<Redactor>,
}

impl Run<'_> {
    fn go_on(&mut self) -> Finished {
        let mut step = self.decide(Event::Begin);
        loop {
            step = match step {
                Step::Run { attempt, timeout } => self.attempt(attempt, timeout),
                Step::Sleep { delay, ceiling, source } => self.sleep(Waiting { delay, ceiling, source }),
                Step::Stop(ending) => return self.finish(ending),
            };
        }
    }

    fn now(&self) -> Duration {
        self.world.wait.now().saturating_sub(self.zero)
    }

    fn decide(&mut self, event: Event) -> Step {
        self.machine.next(event, self.draws.next())
    }

    /// Runs one attempt, judges it and says so.
    fn attempt(&mut self, attempt: u32, timeout: Option<Duration>) -> Step {
        let hint_file = self.hint_file();
        let told =
            environment::Told { attempt, last: self.story.last(), hint_file: hint_file.as_ref().map(HintFile::path) };
        let env = environment::of_attempt(self.world.environment, self.job, &self.identity, told);
        self.tell_start(timeout);
        let start = Start { argv: &self.argv, env: &env, group: self.group };
        let ending = &self.job.ending;
        let limits = child::Limits {
            timeout,
            signal: ending.signal,
            grace: ending.grace,
            grace_when_interrupted: ending.grace_after_forwarding,
            sweep: true,
        };
        let began_at = SystemTime::now();
        let mut observer = self.observation.begin();
        let is_last = self.machine.is_last_attempt();
        let report = match self.streams.attempt(self.world.wait, &start, &limits, is_last, &mut observer) {
            Attempted::Ended(report) => report,
            Attempted::Interrupted(signal) => return self.decide(Event::Caught { signal, during: None }),
        };
        let file = hint_file.as_ref().map(HintFile::read);
        let learnt = observer.end(report.outcome, file.as_deref(), SystemTime::now());
        let mut facts = self.facts_of(&report, &learnt);
        if !report.unkillable.is_empty() {
            self.say(Verbosity::Quiet, || texts::unkillable(&report.unkillable));
        }
        let signal = self.settle(&mut facts, report.interrupted);
        let event = match report.interrupted {
            Some(signal) => Event::Caught { signal, during: Some(facts.clone()) },
            None => Event::Ended { at: self.now(), took: report.took, facts: facts.clone() },
        };
        let mut step = self.decide(event);
        if let (Some(signal), None) = (signal, report.interrupted) {
            step = self.decide(Event::Caught { signal, during: None });
        }
        let judgement = self.machine.judgement().expect("an attempt that ended was judged");
        self.warn_of(&learnt, judgement);
        self.story.attempt_ended(attempt, began_at, &report, facts, judgement);
        self.tell_attempt(began_at, &report, judgement, step);
        step
    }

    /// What is known of an attempt before what it printed has been delivered.
    fn facts_of(&self, report: &Report, learnt: &Learnt) -> Facts {
        let lost_output = self.streams.has_lost_output().then_some(Lost::Output);
        let sigpipe = matches!(report.outcome, Outcome::Signaled(Signal::PIPE) | Outcome::Exited(141));
        Facts {
            reader_gone: sigpipe && self.streams.is_reader_gone(),
            output: learnt.output,
            hint: learnt.hint.clone(),
            preset: learnt.preset,
            unkillable: !report.unkillable.is_empty(),
            lost: lost_output.or(self.streams.broken_input().map(|_| Lost::InputEnd)),
            ..Facts::only(report.outcome)
        }
    }

    /// Delivers what the attempt printed, and notes what could not be. Returns the signal that ended the delivery.
    fn settle(&mut self, facts: &mut Facts, interrupted: Option<Signal>) -> Option<Signal> {
        let is_success = self.job.rules.judge(facts).verdict == Verdict::Success;
        let patience = interrupted.map_or(Patience::Endless, |_| Patience::Short);
        let fence = self.fence_off(is_success);
        let signal = self.streams.settle(is_success, self.world.wait, patience);
        self.end_fence(fence);
        if self.streams.has_lost_output() {
            facts.lost = Some(Lost::Output);
            if let Some(why) = self.streams.lost_output() {
                self.say(Verbosity::Quiet, || why);
            }
        } else if let Some(why) = self.streams.broken_input() {
            if self.job.rules.judge(facts).reason == Reason::InputBroken {
                self.say(Verbosity::Quiet, || why);
            }
        } else if let Some(why) = self.streams.lost_input() {
            facts.lost = Some(Lost::Input);
            if self.job.rules.judge(facts).reason == Reason::InputLost {
                self.say(Verbosity::Quiet, || why);
            }
        }
        signal
    }

    fn hint_file(&mut self) -> Option<HintFile> {
        if !self.job.hints.file {
            return None;
        }
        match HintFile::new() {
            Ok(file) => Some(file),
            Err(error) => {
                self.say(Verbosity::Quiet, || texts::no_hint_file(&error));
                None
            }
        }
    }

    /// Warns of hints that say nothing where something was to hear in them (S33), and once a run of text that a preset
    /// lacked where the preset decided (P1).
    fn warn_of(&mut self, learnt: &Learnt, judgement: Judgement) {
        let waits = judgement.verdict == Verdict::Retryable && self.job.limits.heed_retry_after;
        if let Some(ignored) = learnt.ignored.as_ref().filter(|_| waits) {
            self.say(Verbosity::Quiet, || texts::retry_after_ignored(ignored));
        }
        if let Some(value) = learnt.unclear.as_ref().filter(|_| judgement.verdict != Verdict::Success) {
            self.say(Verbosity::Quiet, || texts::hint_unclear(value));
        }
        let is_new = judgement.reason == Reason::Preset && !self.is_preset_warned;
        if let Some(warning) = learnt.preset_warning.as_ref().filter(|_| is_new) {
            self.is_preset_warned = true;
            self.say(Verbosity::Quiet, || warning.clone());
        }
    }

    /// Waits, unless a signal ends the run. What hooks take of the time counts as waited.
    fn sleep(&mut self, waiting: Waiting) -> Step {
        let since = self.world.wait.now();
        let until = since.saturating_add(waiting.delay);
        self.story.delayed(waiting.delay, waiting.source);
        let mut signal = None;
        if waiting.source == DelaySource::Splay {
            self.notices.splaying(&mut self.streams, waiting);
        } else {
            self.before_a_retry();
            signal = self.call_on_retry(waiting.delay);
        }
        while signal.is_none() {
            let now = self.world.wait.now();
            // Only a terminal that shows the time left is drawn anew in between.
            let change = self.notices.count_down(&mut self.streams, until.saturating_sub(now));
            let next = change.map_or(until, |change| now.saturating_add(change).min(until));
            signal = child::wait_delay(self.world.wait, next, &mut self.streams.delivery());
            if next >= until {
                break;
            }
        }
        self.notices.settle(&mut self.streams);
        let waited = self.world.wait.now().saturating_sub(since);
        if let Some(metrics) = &mut self.metrics {
            metrics.waited(waiting.source, waited);
        }
        match signal {
            Some(signal) => self.decide(Event::Caught { signal, during: None }),
            None => {
                let at = self.now();
                self.decide(Event::Woke { at })
            }
        }
    }

    fn before_a_retry(&mut self) {
        if self.story.attempts() == 1 {
            let warnings = self.letters.open_default();
            self.warn_all(&warnings);
        }
        // A run that never ends would never be counted (W8).
        if self.job.limits.max_tries.is_none() {
            self.write_metrics();
        }
    }

    /// Record, metrics, words, hooks: a kill in between loses nothing that came before (D40).
    fn finish(&mut self, ending: Ending) -> Finished {
        let elapsed = self.now();
        let last = self.story.last();
        let status = match (last, self.story.own_outcome()) {
            (Some(Outcome::TimedOut { .. }), Some(own)) if self.job.ending.preserve_status => {
                ExitStatus::of_timeout(ending, own)
            }
            _ => ExitStatus::of(ending, last),
        };
        let not_before = self.machine.not_before().map(|at| SystemTime::now() + at.saturating_sub(elapsed));
        let mut record = self.story.record(self.job, &self.identity, ending, status, elapsed, not_before);
        let is_letter = self.leaves_a_letter(ending);
        let is_reported = self.job.letters.report.is_some();
        let is_replay = self.identity.replay.is_some();
        if (is_letter && self.letters.is_wanted()) || is_replay || self.hooks_want_a_record() || is_reported {
            self.complete(&mut record);
        }
        let mut is_saved = false;
        if is_letter && self.letters.is_wanted() {
            let (is_posted, warnings) = self.letters.post(&record);
            is_saved = is_posted;
            self.warn_all(&warnings);
            if !is_saved {
                let line = record.without_details().to_masked_line(self.redactor());
                self.notices.letter_not_saved(&mut self.streams, &String::from_utf8_lossy(&line));
            }
            if let Some(metrics) = &mut self.metrics {
                metrics.letter(is_saved);
            }
        }
        (self.world.note)(&record);
        self.write_report(&record);
        if let Some(metrics) = &mut self.metrics {
            metrics.run(ending, self.story.attempts(), status.shell_status(), elapsed);
        }
        self.write_metrics();
        self.tell_end(ending, status, elapsed, is_saved);
        self.call_at_the_end(&record, ending, status, is_saved);
        // Whoever reads our messages gets them, unless a signal says that nobody will (S17).
        self.streams.deliver(self.world.wait, patience_after(ending));
        Finished { status, ending }
    }

    /// D15: the same record for every run, masked unless it is to be whole.
    fn write_report(&mut self, record: &Record) {
        let letters = &self.job.letters;
        let Some(path) = &letters.report else { return };
        let record = Record { kind: record::RUN.into(), ..record.clone() };
        let line = if letters.report_full { record.to_line() } else { record.to_masked_line(self.redactor()) };
        if let Err(error) = record_file::replace(path, &line) {
            let why = Errno::of(&error);
            self.notices.lost(&mut self.streams, &format!("cannot write the report {}: {why}", path.display()));
        }
    }

    /// Adds what a letter has besides the story.
    fn complete(&mut self, record: &mut Record) {
        record.stdin = Some(self.streams.input());
        record.stderr = self.streams.stderr();
        story::add_message(record);
        story::add_surroundings(record, self.world.environment, &self.job.letters.record_env);
    }

    /// Writes what was counted; trouble is told once.
    fn write_metrics(&mut self) {
        let Some(metrics) = &mut self.metrics else { return };
        if let Err(trouble) = metrics.flush()
            && !std::mem::replace(&mut self.is_metrics_trouble_told, true)
        {
            self.notices.lost(&mut self.streams, &trouble.to_string());
        }
    }

    /// C28: a run that had failed before TERM or HUP ended it leaves a letter; Ctrl-C leaves none.
    fn leaves_a_letter(&self, ending: Ending) -> bool {
        match ending {
            Ending::Succeeded => false,
            Ending::Permanent | Ending::Exhausted | Ending::Deadline | Ending::RetryAfterTooLong => true,
            Ending::Interrupted { signal, during_attempt } => {
                let before = self.story.attempts() - u32::from(during_attempt);
                before > 0 && matches!(signal, Signal::TERM | Signal::HUP)
            }
        }
    }

    fn number(&self) -> Number {
        let (tries, of) = self.machine.tries();
        Number { attempt: self.machine.attempt(), tries, of }
    }

    fn warn_all(&mut self, warnings: &[String]) {
        for warning in warnings {
            self.notices.lost(&mut self.streams, warning);
        }
    }

    /// Says one line, if that much is to be said.
    fn say(&mut self, from: Verbosity, text: impl FnOnce() -> String) {
        match from {
            Verbosity::Silent | Verbosity::Quiet => self.notices.lost(&mut self.streams, &text()),
            Verbosity::Normal => self.notices.warning(&mut self.streams, &text()),
            Verbosity::Verbose | Verbosity::Debug => self.notices.detail(&mut self.streams, from, text),
        }
    }
}

/// A signal that has ended the run is not to be sent twice because nobody reads what we say of it.
fn patience_after(ending: Ending) -> Patience {
    match ending {
        Ending::Interrupted { .. } => Patience::Short,
        Ending::Succeeded | Ending::Permanent | Ending::Exhausted | Ending::Deadline | Ending::RetryAfterTooLong => {
            Patience::Endless
        }
    }
}
