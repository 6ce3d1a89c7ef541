//! A run: the machine and the real world. The loop itself is three lines: attempt, wait, finish.

mod environment;
mod hints;
mod identity;
mod letter;
pub mod origin;
mod story;
mod streams;

use std::ffi::CString;
use std::fmt;
use std::time::{Duration, SystemTime};

use crate::capture::Observed;
use crate::child::{self, Attempted, Report};
use crate::dead_letter::open::Unfit;
use crate::draws::Draws;
use crate::exit_status::ExitStatus;
use crate::job::{Job, Verbosity};
use crate::machine::{DelaySource, Ending, Event, Machine, Step};
use crate::notice::texts::{self, BadEnd, Number};
use crate::observer::{Learnt, Observation};
use crate::outcome::{Errno, Outcome};
use crate::policy::{Facts, Judgement, Lost, Reason, Verdict};
use crate::record::Record;
use crate::signal::Signal;
use crate::sys::spawn::{Group, Start, c_strings};
use crate::sys::wait::Wait;

pub use identity::Identity;

use hints::HintFile;
use letter::LetterBox;
use story::Story;
use streams::{Patience, Streams};

/// The real world that a run acts in.
#[derive(Debug)]
pub struct World<'a> {
    /// Signals, clock and timer.
    pub wait: &'a mut Wait,
    /// The environment as this program was given it.
    pub environment: &'a [CString],
    /// Where the command stands among process groups.
    pub group: Group,
}

/// What a run came to.
#[derive(Debug)]
pub struct Finished {
    /// How the program ends for it.
    pub status: ExitStatus,
    /// Why it stopped.
    pub ending: Ending,
    /// All there is to say about it.
    pub record: Record,
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
pub fn run(job: &Job, world: World<'_>, identity: Identity) -> Result<Finished, CannotBegin> {
    let mut letters = LetterBox::new(job, &identity);
    let warnings = letters.open_named()?;
    let observation = Observation::new(job, &|name| environment::variable(world.environment, name))
        .expect("the expressions of a job were found to be valid");
    let mut run = Run {
        streams: Streams::open(job, observed(&observation)).map_err(CannotBegin::Stdin)?,
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
}

impl Run<'_> {
    fn go_on(&mut self) -> Finished {
        let mut step = self.decide(Event::Begin);
        loop {
            step = match step {
                Step::Run { attempt, timeout } => self.attempt(attempt, timeout),
                Step::Sleep { delay, source, .. } => self.sleep(delay, source),
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
        let start = Start { argv: &self.argv, env: &env, group: self.group };
        let ending = &self.job.ending;
        let limits = child::Limits {
            timeout,
            signal: ending.signal,
            grace: ending.grace,
            grace_when_interrupted: ending.grace_after_forwarding,
            sweep: true,
        };
        self.say(Verbosity::Verbose, || texts::attempt_starts(self.number(), timeout, &self.job.name));
        let began_at = SystemTime::now();
        let mut observer = self.observation.begin();
        let is_last = self.machine.is_last_attempt();
        let report = match self.streams.attempt(self.world.wait, &start, &limits, is_last, &mut observer) {
            Attempted::Ended(report) => report,
            Attempted::Interrupted(signal) => return self.decide(Event::Caught { signal, during: None }),
        };
        let file = hint_file.as_ref().map(HintFile::read);
        let learnt = observer.end(report.outcome, file.as_deref(), SystemTime::now());
        self.warn_of(&learnt);
        let mut facts = self.facts_of(&report, learnt);
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
        self.story.attempt_ended(attempt, began_at, &report, facts, judgement);
        self.tell(&report, judgement, step);
        step
    }

    /// What is known of an attempt before what it printed has been delivered.
    fn facts_of(&self, report: &Report, learnt: Learnt) -> Facts {
        let sigpipe = matches!(report.outcome, Outcome::Signaled(Signal::PIPE) | Outcome::Exited(141));
        Facts {
            reader_gone: sigpipe && self.streams.is_reader_gone(),
            output: learnt.output,
            hint: learnt.hint,
            preset: learnt.preset,
            unkillable: !report.unkillable.is_empty(),
            lost: self.streams.lost_output().map(|_| Lost::Output),
            ..Facts::only(report.outcome)
        }
    }

    /// Delivers what the attempt printed, and notes what could not be. Returns the signal that ended the delivery.
    fn settle(&mut self, facts: &mut Facts, interrupted: Option<Signal>) -> Option<Signal> {
        let is_success = self.job.rules.judge(facts).verdict == Verdict::Success;
        let patience = interrupted.map_or(Patience::Endless, |_| Patience::Short);
        let signal = self.streams.settle(is_success, self.world.wait, patience);
        if let Some(errno) = self.streams.lost_output() {
            facts.lost = Some(Lost::Output);
            // That nobody reads any more is no news to whoever stopped reading.
            if errno != libc::EPIPE {
                self.say(Verbosity::Quiet, || format!("cannot write to standard output: {}", Errno(errno)));
            }
        } else if let Some(why) = self.streams.lost_input() {
            facts.lost = Some(Lost::Input);
            if self.job.rules.judge(facts).reason == Reason::InputLost {
                self.say(Verbosity::Quiet, || why);
            }
        }
        signal
    }

    fn hint_file(&self) -> Option<HintFile> {
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

    /// Warns of hints that say nothing, and once a run of text that a preset lacked (P1).
    fn warn_of(&mut self, learnt: &Learnt) {
        if let Some(ignored) = &learnt.ignored {
            self.say(Verbosity::Quiet, || texts::retry_after_ignored(ignored));
        }
        if let Some(value) = &learnt.unclear {
            self.say(Verbosity::Quiet, || texts::hint_unclear(value));
        }
        if let Some(warning) = learnt.preset_warning.as_ref().filter(|_| !self.is_preset_warned) {
            self.is_preset_warned = true;
            self.say(Verbosity::Quiet, || warning.clone());
        }
    }

    fn tell(&mut self, report: &Report, judgement: Judgement, step: Step) {
        let number = self.number();
        self.say(Verbosity::Debug, || texts::decided(number, judgement));
        match (judgement.verdict, step) {
            (Verdict::Success, _) => {
                self.say(Verbosity::Verbose, || texts::attempt_succeeded(number, report.outcome, report.took));
            }
            (Verdict::Retryable | Verdict::Permanent, Step::Sleep { delay, source, .. }) => {
                let took = (self.job.notices.verbosity >= Verbosity::Verbose).then_some(report.took);
                self.say(Verbosity::Normal, || {
                    texts::attempt_failed(number, report.outcome, judgement, took, Some((delay, source)))
                });
            }
            // The end of the run says it in its own line.
            (Verdict::Retryable | Verdict::Permanent, Step::Run { .. } | Step::Stop(_)) => {}
        }
    }

    /// Waits, unless a signal ends the run.
    fn sleep(&mut self, delay: Duration, source: DelaySource) -> Step {
        self.story.delayed(delay, source);
        if source != DelaySource::Splay {
            self.before_a_retry();
        }
        let until = self.world.wait.now().saturating_add(delay);
        match child::wait_delay(self.world.wait, until, &mut self.streams.delivery()) {
            Some(signal) => self.decide(Event::Caught { signal, during: None }),
            None => {
                let at = self.now();
                self.decide(Event::Woke { at })
            }
        }
    }

    fn before_a_retry(&mut self) {
        if self.story.attempts() > 1 {
            return;
        }
        let limits = &self.job.limits;
        if limits.max_tries.is_none() && limits.max_elapsed.is_none() {
            self.say(Verbosity::Normal, texts::unlimited);
        }
        let warnings = self.letters.open_default();
        self.warn_all(&warnings);
    }

    /// Record, then words: a kill in between loses nothing.
    fn finish(&mut self, ending: Ending) -> Finished {
        let elapsed = self.now();
        let last = self.story.last();
        let status = match (last, self.story.own_outcome()) {
            (Some(Outcome::TimedOut { .. }), Some(own)) if self.job.ending.preserve_status => {
                ExitStatus::of(ending, Some(own))
            }
            _ => ExitStatus::of(ending, last),
        };
        let not_before = self.machine.not_before().map(|at| SystemTime::now() + at.saturating_sub(elapsed));
        let mut record = self.story.record(self.job, &self.identity, ending, status, elapsed, not_before);
        let mut saved = false;
        if self.leaves_a_letter(ending) && self.letters.is_wanted() {
            record.stdin = Some(self.streams.input());
            record.stderr = self.streams.stderr();
            story::add_message(&mut record);
            story::add_surroundings(&mut record, self.world.environment, &self.job.letters.record_env);
            let (is_saved, warnings) = self.letters.post(&record);
            saved = is_saved;
            self.warn_all(&warnings);
            if !saved {
                self.say(Verbosity::Silent, || texts::letter_not_saved(&letter::in_a_log(&record)));
            }
        }
        if ending == Ending::Succeeded {
            if self.story.attempts() > 1 {
                self.say(Verbosity::Normal, || texts::succeeded(self.number(), elapsed));
            }
        } else {
            let end = BadEnd {
                ending,
                attempts: self.story.attempts(),
                elapsed,
                outcome: last,
                judgement: self.machine.judgement(),
                asked: self.story.asked(),
            };
            let letter = saved.then(|| self.letters.reference(&record.id));
            self.say(Verbosity::Quiet, || texts::gave_up(end, letter));
        }
        Finished { status, ending, record }
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

    fn warn_all(&self, warnings: &[String]) {
        for warning in warnings {
            self.say(Verbosity::Quiet, || warning.clone());
        }
    }

    /// Says one line, if that much is to be said.
    fn say(&self, from: Verbosity, text: impl FnOnce() -> String) {
        if self.job.notices.verbosity >= from {
            crate::sys::standard::say(&format!("retry: {}\n", text()));
        }
    }
}

/// Which streams somebody looks at.
fn observed(observation: &Observation) -> Observed {
    match (observation.reads_stdout(), observation.reads_stderr()) {
        (true, _) => Observed::Both,
        (false, true) => Observed::Stderr,
        (false, false) => Observed::Nothing,
    }
}
