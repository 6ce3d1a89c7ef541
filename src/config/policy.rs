//! The policy of a run: its effective options by long name, as its record keeps them and a replay reads them back. Contract D10, D32.

use std::collections::BTreeMap;

use crate::backoff::{Backoff, Jitter, Shape};
use crate::cli::settings::{Lookup, Settings};
use crate::cli::table;
use crate::job::{Job, OutputMode, StdinMode};
use crate::record::Setting;
use crate::{duration, size};

/// The options that change a verdict, a delay, a limit, a signal or a stream, with the values that this job has.
///
/// Values that hold without an option are there too: a replay by a later version with other defaults runs as the run did.
pub(super) fn of(job: &Job) -> BTreeMap<String, Setting> {
    let mut policy = Policy(BTreeMap::new());
    let (limits, rules) = (&job.limits, &job.rules);
    policy.set("max-tries", limits.max_tries.map_or_else(|| "unlimited".into(), |tries| tries.to_string()));
    let backoff = &limits.backoff;
    match &backoff.shape {
        Shape::Schedule(delays) => {
            policy.set("delays", delays.iter().map(|d| duration::exact(*d)).collect::<Vec<_>>().join(","));
        }
        Shape::Exponential { factor } => {
            policy.grown("exponential", backoff);
            policy.set("factor", factor.to_string());
        }
        Shape::Linear => policy.grown("linear", backoff),
        Shape::Constant => policy.grown("constant", backoff),
    }
    policy.set("jitter", jitter_word(backoff.jitter).into());
    policy.duration("splay", (!limits.splay.is_zero()).then_some(limits.splay));
    policy.duration("max-elapsed", limits.max_elapsed);
    policy.duration("reset-after", limits.reset_after);
    policy.duration("timeout", limits.timeout);
    policy.set("signal", job.ending.signal.to_string());
    policy.duration("kill-after", job.ending.grace_after_forwarding);
    policy.switch("foreground", job.ending.foreground);
    policy.switch("preserve-status", job.ending.preserve_status);
    policy.list("retry-on-exit", rules.retry_exit.to_string());
    policy.list("fail-on-exit", rules.fail_exit.to_string());
    policy.list("succeed-on-exit", rules.succeed_exit.to_string());
    policy.list("retry-on-signal", rules.retry_signal.to_string());
    policy.list("fail-on-signal", rules.fail_signal.to_string());
    policy.switch("fail-on-timeout", rules.fail_on_timeout);
    policy.all("retry-on-output", &job.output_rules.retry);
    policy.all("fail-on-output", &job.output_rules.fail);
    policy.all("until-output", &job.output_rules.until);
    policy.all("preset", job.preset.as_slice());
    policy.set("stdin", stdin_word(job.streams.stdin).into());
    policy.set("stdin-max", size::exact(job.streams.stdin_max));
    policy.set("record-stdin", size::exact(job.streams.record_stdin));
    policy.set("output", output_word(job.streams.output).into());
    let hints = [("http", job.hints.http), ("file", job.hints.file)];
    policy.list("hints", hints.iter().filter(|(_, on)| *on).map(|(word, _)| *word).collect::<Vec<_>>().join(","));
    policy.set("retry-after-max", duration::exact(limits.retry_after_max));
    policy.switch("ignore-retry-after", !limits.heed_retry_after);
    // Not needed for the run, but for whatever shows the letter later (D13).
    policy.all("redact", &job.letters.redact);
    policy.0
}

/// Settings that say what a recorded policy says, as if it had been typed; `environment` gives what is no policy.
///
/// Names that no option has are returned: a letter of a later version may hold them.
pub fn settings_of_policy<'a>(
    policy: &BTreeMap<String, Setting>,
    environment: Lookup<'a>,
) -> (Settings<'a>, Vec<String>) {
    let mut settings = Settings::of_a_record(environment);
    let mut unknown = Vec::new();
    for (name, value) in policy {
        let spec = table::options(table::RETRY).find(|spec| spec.long == *name && !name.is_empty());
        let values = match value {
            Setting::One(value) => std::slice::from_ref(value),
            Setting::Many(values) => values,
        };
        match spec {
            Some(spec) => values.iter().for_each(|value| settings.push(spec, value.into())),
            None => unknown.push(name.clone()),
        }
    }
    (settings, unknown)
}

struct Policy(BTreeMap<String, Setting>);

impl Policy {
    fn set(&mut self, name: &str, value: String) {
        self.0.insert(name.into(), Setting::One(value));
    }

    fn grown(&mut self, shape: &str, backoff: &Backoff) {
        self.set("base", duration::exact(backoff.base));
        self.set("cap", duration::exact(backoff.cap));
        self.set("backoff", shape.into());
    }

    fn list(&mut self, name: &str, list: String) {
        if !list.is_empty() {
            self.set(name, list);
        }
    }

    fn duration(&mut self, name: &str, value: Option<std::time::Duration>) {
        if let Some(value) = value {
            self.set(name, duration::exact(value));
        }
    }

    fn switch(&mut self, name: &str, on: bool) {
        if on {
            self.set(name, "true".into());
        }
    }

    fn all(&mut self, name: &str, values: &[String]) {
        match values {
            [] => {}
            [one] => self.set(name, one.clone()),
            many => {
                self.0.insert(name.into(), Setting::Many(many.to_vec()));
            }
        }
    }
}

fn jitter_word(jitter: Jitter) -> &'static str {
    match jitter {
        Jitter::Full => "full",
        Jitter::Equal => "equal",
        Jitter::Decorrelated => "decorrelated",
        Jitter::None => "none",
    }
}

fn stdin_word(mode: StdinMode) -> &'static str {
    match mode {
        StdinMode::Auto => "auto",
        StdinMode::Inherit => "inherit",
        StdinMode::Replay => "replay",
        StdinMode::Null => "null",
    }
}

fn output_word(mode: OutputMode) -> &'static str {
    match mode {
        OutputMode::Live => "live",
        OutputMode::Inherit => "inherit",
        OutputMode::Final => "final",
        OutputMode::OnFailure => "on-failure",
    }
}
