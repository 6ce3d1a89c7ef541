//! Letters replayed one after the other, the oldest first. Contract D33, D34.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::one;
use super::terms::Terms;
use crate::child;
use crate::ctl::discard;
use crate::ctl::files::Letters;
use crate::ctl::world::{Failed, HELD, NONE_SUCH, World};
use crate::dead_letter::fold::{Letter, State};
use crate::duration;
use crate::exit_status::ExitStatus;
use crate::machine::Ending;
use crate::notice::{countdown, surroundings};
use crate::record::Action;
use crate::signal::Signal;
use crate::sys::poll::Still;
use crate::sys::signals;
use crate::sys::wait::Wait;
use crate::timestamp;

/// The letters of one call of `replay`.
pub struct Batch {
    letters: Letters,
    terms: Terms,
    wait: Wait,
    /// The ids that are to be run, in order.
    queue: Vec<Box<str>>,
    /// The ids that the newest of their group stands for.
    superseded: Vec<Box<str>>,
    index: HashMap<Box<str>, usize>,
    tally: Tally,
}

/// How far it is.
#[derive(Default)]
struct Tally {
    succeeded: usize,
    failed: usize,
    /// What could not be run as it was; counts as failed.
    not_run: usize,
    /// What others hold, or have run or put away meanwhile, or what is not to be run yet.
    passed_over: usize,
    /// Failed ones since the last success.
    in_a_row: usize,
}

/// What became of one letter.
enum Done {
    Succeeded,
    Failed,
    /// A signal ended it, and with it everything; this program dies of it too, unless the command handled it (R31).
    Interrupted(Option<Signal>),
    NotRun(String),
    Held,
    Closed(State),
    NotYet(u64),
}

impl Batch {
    /// A batch of the letters of these indices.
    pub fn new(letters: Letters, terms: Terms, wait: Wait, chosen: &[usize], superseded: &[usize]) -> Batch {
        let id = |at: &usize| letters.folded.letters[*at].id.clone();
        let (queue, superseded) = (chosen.iter().map(id).collect(), superseded.iter().map(id).collect());
        let mut batch =
            Batch { letters, terms, wait, queue, superseded, index: HashMap::new(), tally: Tally::default() };
        batch.make_index();
        batch
    }

    /// Runs them and gives the exit status (D31); `refused` letters could not even be taken in.
    ///
    /// # Errors
    /// The one letter that was named is held or no longer open; the file cannot be written.
    pub fn run(mut self, refused: usize, world: &mut World<'_>) -> Result<u8, Failed> {
        let began = Instant::now();
        self.tally.not_run = refused;
        let queue = std::mem::take(&mut self.queue);
        let is_batch = queue.len() > 1 || !self.superseded.is_empty();
        let (mut ended_by, mut next_start, mut stopped) = (None, None, None);
        for (at, id) in queue.iter().enumerate() {
            if let Some(due) = next_start
                && let Some(signal) = child::wait_delay(&mut self.wait, due, &mut Still)
            {
                ended_by = Some(signal);
                break;
            }
            let due = self.terms.interval.map(|interval| self.wait.now().saturating_add(interval));
            if is_batch {
                self.wait.signals.spare_next(Signal::INT);
            }
            let done = self.replay(id, is_batch, world)?;
            let was_spared = is_batch && self.wait.signals.take_spared();
            // What was not begun does not count for the rate.
            if matches!(done, Done::Succeeded | Done::Failed) {
                next_start = due;
            }
            match done {
                Done::Succeeded => {
                    (self.tally.succeeded, self.tally.in_a_row) = (self.tally.succeeded + 1, 0);
                    self.discard_superseded(id, world)?;
                }
                Done::Failed => {
                    (self.tally.failed, self.tally.in_a_row) = (self.tally.failed + 1, self.tally.in_a_row + 1);
                }
                Done::Interrupted(signal) => {
                    self.tally.failed += 1;
                    ended_by = signal;
                    stopped = Some("interrupted".to_owned());
                    break;
                }
                Done::NotRun(why) => {
                    self.tally.not_run += 1;
                    world.say(&format!("cannot replay {id}: {why}"));
                }
                Done::Held if !is_batch => return Err(Failed::new(HELD, format!("letter {id} is being replayed"))),
                Done::Closed(state) if !is_batch => {
                    let state = state.name().replace('_', " ");
                    return Err(Failed::new(NONE_SUCH, format!("letter {id} is {state}")));
                }
                Done::Held => self.pass_over(&format!("letter {id} is being replayed by another"), world),
                Done::Closed(state) => self.pass_over(&format!("letter {id} is {} by now", state.name()), world),
                Done::NotYet(ms) => {
                    let at = timestamp::format(std::time::UNIX_EPOCH + Duration::from_millis(ms));
                    self.pass_over(&format!("letter {id} is not to be run before {at}"), world);
                }
            }
            if is_batch && world.can_ask {
                self.tell_progress(queue.len() - at - 1, began, world);
            }
            stopped = match self.tally.in_a_row {
                _ if was_spared => Some("stopped by Ctrl-C".to_owned()),
                1 if is_batch && self.tally.succeeded == 0 => Some("the first replay failed".to_owned()),
                row if is_batch && row >= self.terms.stop_after => Some(format!("{row} replays failed in a row")),
                _ => None,
            };
            if stopped.is_some() {
                break;
            }
        }
        if is_batch || refused > 0 {
            self.sum_up(queue.len(), stopped.as_deref(), began, world);
        }
        if let Some(signal) = ended_by {
            let _ = world.out.flush();
            signals::die_of(signal);
        }
        Ok(u8::from(self.tally.failed + self.tally.not_run > 0))
    }

    /// Takes one letter, looks at it again under the lock, runs it, records both ends, gives it back.
    fn replay(&mut self, id: &str, is_batch: bool, world: &mut World<'_>) -> Result<Done, Failed> {
        let Some(at) = self.index.get(id).copied() else { return Ok(Done::NotRun("it is gone".into())) };
        let file = self.letters.folded.letters[at].file;
        match self.letters.locks[file].take(id) {
            Ok(true) => {}
            Ok(false) => return Ok(Done::Held),
            Err(errno) => return Ok(Done::NotRun(format!("it cannot be held: {errno}"))),
        }
        let done = self.replay_held(id, is_batch, world);
        self.letters.locks[file].give_back(id);
        done
    }

    fn replay_held(&mut self, id: &str, is_batch: bool, world: &mut World<'_>) -> Result<Done, Failed> {
        self.look_again(id, world)?;
        let Some(at) = self.index.get(id).copied() else { return Ok(Done::NotRun("it is gone".into())) };
        let letter = self.letters.folded.letters[at].clone();
        if let Some(done) = self.keeps_from_running(&letter, is_batch) {
            return Ok(done);
        }
        let line = self.letters.line(&letter)?;
        let prepared = match one::prepare(&letter, &line, &self.terms) {
            Ok(prepared) => prepared,
            Err(why) => return Ok(Done::NotRun(why)),
        };
        if !prepared.unknown.is_empty() {
            let names = prepared.unknown.join(", ");
            world.say(&format!("letter {id} was made by a later version; passed over of its policy: {names}"));
        }
        let mut started = prepared.started();
        let number = started.replay.as_ref().map_or(1, |replay| replay.number);
        discard::append(&self.letters, letter.file, &mut started, world)?;
        let mut noted = Ok(());
        let mut note = |mut event| noted = discard::append(&self.letters, letter.file, &mut event, world);
        let ended = prepared.run(&mut self.wait, is_batch, &mut note);
        noted?;
        match ended {
            Ok(finished) => Ok(match (finished.ending, finished.status) {
                (Ending::Succeeded, _) => Done::Succeeded,
                (Ending::Interrupted { .. }, ExitStatus::Die(signal)) => Done::Interrupted(Some(signal)),
                (Ending::Interrupted { .. }, ExitStatus::Code(_)) => Done::Interrupted(None),
                _ => Done::Failed,
            }),
            Err(why) => {
                discard::append(&self.letters, letter.file, &mut one::not_begun(id, number, &why), world)?;
                Ok(Done::NotRun(why))
            }
        }
    }

    fn look_again(&mut self, id: &str, world: &World<'_>) -> Result<(), Failed> {
        if self.letters.look_again(id, world)? {
            self.make_index();
        }
        Ok(())
    }

    fn make_index(&mut self) {
        let letters = self.letters.folded.letters.iter().enumerate();
        self.index = letters.map(|(at, letter)| (letter.id.clone(), at)).collect();
    }

    fn keeps_from_running(&self, letter: &Letter, is_batch: bool) -> Option<Done> {
        let now_ms = timestamp::millis(std::time::SystemTime::now());
        match letter.state {
            State::InDoubt if !self.terms.in_doubt => Some(Done::NotRun(
                "it is in doubt: a replay began, and nobody knows what it did; --in-doubt runs it again".into(),
            )),
            State::Poison if !self.terms.poison => {
                Some(Done::NotRun(format!("{} replays of it failed; --poison runs it again", letter.failed_replays)))
            }
            State::Dead | State::InDoubt | State::Poison => {
                letter.not_before_ms.filter(|ms| is_batch && *ms > now_ms).map(Done::NotYet)
            }
            State::Replaying | State::Replayed | State::Discarded => Some(Done::Closed(letter.state)),
        }
    }

    /// The newest of a group has succeeded: the others need not be run.
    fn discard_superseded(&mut self, by: &str, world: &mut World<'_>) -> Result<(), Failed> {
        let group_of = |id: &str| self.index.get(id).map(|at| self.letters.folded.letters[*at].group);
        let group = group_of(by);
        let (out, left) = std::mem::take(&mut self.superseded).into_iter().partition(|id| group_of(id) == group);
        self.superseded = left;
        let out: Vec<Box<str>> = out;
        for id in out {
            let Some(letter) = self.index.get(&id).map(|at| &self.letters.folded.letters[*at]) else { continue };
            let file = letter.file;
            if !self.letters.locks[file].take(&id).unwrap_or(false) {
                continue; // Somebody replays it: let them.
            }
            self.look_again(&id, world)?;
            let is_open = self.index.get(&id).is_some_and(|at| self.letters.folded.letters[*at].state.is_open());
            if is_open {
                let reason = Some(format!("superseded by {by}"));
                discard::record(&self.letters, file, Action::Discarded, &id, reason, world)?;
            }
            self.letters.locks[file].give_back(&id);
        }
        Ok(())
    }

    fn pass_over(&mut self, why: &str, world: &mut World<'_>) {
        self.tally.passed_over += 1;
        world.say(&format!("passed over: {why}"));
    }

    fn tell_progress(&self, left: usize, began: Instant, world: &mut World<'_>) {
        let done = self.tally.succeeded + self.tally.failed;
        let rate = done as f64 / began.elapsed().as_secs_f64().max(0.001);
        let rate = if rate >= 1.0 { format!("{rate:.1}/s") } else { format!("{:.1}/min", rate * 60.0) };
        // What the command printed on the terminal may have ended within a line.
        if let Some(columns) = surroundings::columns_to_draw_on(world.environment, rustix::stdio::stderr()) {
            let _ = world.err.write_all(countdown::fresh_line(columns).as_bytes());
        }
        world.say(&format!("{} done, {} failed, {left} left, {rate}", self.tally.succeeded, self.failed()));
    }

    fn failed(&self) -> usize {
        self.tally.failed + self.tally.not_run
    }

    fn sum_up(&self, all: usize, stopped: Option<&str>, began: Instant, world: &mut World<'_>) {
        let tally = &self.tally;
        let mut parts = vec![format!("{} replayed", tally.succeeded), format!("{} failed", tally.failed)];
        if tally.not_run > 0 {
            parts.push(format!("{} could not be run", tally.not_run));
        }
        if tally.passed_over > 0 {
            parts.push(format!("{} passed over", tally.passed_over));
        }
        let left = all.saturating_sub(tally.succeeded + tally.failed + tally.not_run + tally.passed_over);
        if left > 0 {
            parts.push(format!("{left} not begun"));
        }
        let why = stopped.map(|why| format!(": {why}")).unwrap_or_default();
        let took = duration::human(began.elapsed());
        world.say(&format!("{} in {took}{why}", parts.join(", ")));
    }
}
