//! From what was typed to what it means here: options and environment in, a job or a plan out. No effects.

mod policy;
mod values;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::backoff::{Backoff, Jitter, Shape};
use crate::cli::settings::{Origin, Settings};
use crate::cli::spec::Opt;
use crate::cli::usage_error::UsageError;
use crate::code_set::{ExitSet, SignalSet};
use crate::job::{
    AttemptEnding, Ci, Hints, HookRecord, Hooks, Job, Letters, LogFormat, NoticeSettings, OutputMode, OutputPatterns,
    StdinMode, Streams, Verbosity,
};
use crate::machine::Limits;
use crate::policy::Rules;
use crate::redact::{self, Redactor};
use crate::signal::Signal;

pub use policy::settings_of_policy;

/// The forms that `--plan` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanFormat {
    /// A table.
    Text,
    /// One JSON object.
    Json,
}

/// What the options ask for.
#[derive(Debug)]
pub enum Work {
    /// A run.
    Run(Box<Job>),
    /// Its schedule.
    Plan(Limits, Option<u64>, PlanFormat),
}

/// Makes the work from the settings, which it uses up.
///
/// # Errors
/// A value that its option cannot take, or options that exclude each other (R3).
pub fn work(mut settings: Settings<'_>) -> Result<Work, UsageError> {
    let command = std::mem::take(&mut settings.operands);
    let format = settings.choice(Opt::Plan, |word| match word {
        "text" => Some(PlanFormat::Text),
        "json" => Some(PlanFormat::Json),
        _ => None,
    })?;
    let job = job(command, &settings)?;
    Ok(match format {
        Some(format) => Work::Plan(job.limits, job.seed, format),
        None => Work::Run(Box::new(job)),
    })
}

/// Makes a job: `command` under these settings.
///
/// # Errors
/// A value that its option cannot take, or options that exclude each other (R3).
pub fn job(command: Vec<OsString>, settings: &Settings<'_>) -> Result<Job, UsageError> {
    let rules = rules(settings)?;
    let mut job = Job {
        name: name(&command, settings)?,
        idempotency_key: values::text(settings, Opt::IdempotencyKey)?,
        limits: limits(settings)?,
        preset: values::preset(settings)?,
        output_rules: OutputPatterns {
            retry: values::expressions(settings, Opt::RetryOnOutput)?,
            fail: values::expressions(settings, Opt::FailOnOutput)?,
            until: values::expressions(settings, Opt::UntilOutput)?,
        },
        ending: attempt_ending(settings)?,
        streams: streams(settings)?,
        hints: hints(settings)?,
        letters: letters(settings)?,
        notices: notices(settings)?,
        hooks: hooks(settings)?,
        metrics_dir: values::path(settings, Opt::MetricsDir)?,
        seed: values::seed(settings)?,
        policy: BTreeMap::new(),
        command,
        rules,
    };
    job.rules.preset = job.preset.is_some();
    job.rules.retry_on_output = !job.output_rules.retry.is_empty();
    job.policy = policy::of(&job);
    Ok(job)
}

/// R41: `--job`, else the command's base name.
fn name(command: &[OsString], settings: &Settings<'_>) -> Result<String, UsageError> {
    if let Some(name) = values::text(settings, Opt::Job)? {
        return Ok(name);
    }
    let mut command = command.first().cloned().unwrap_or_default();
    // `retry TOKEN=x command` runs nothing, but the name of a job is shown everywhere (D13).
    if redact::may_hold_secret(&command) {
        command = Redactor::new(&[command], &[]).args()[0].clone().into();
    }
    let base = Path::new(&command).file_name().unwrap_or(&command);
    Ok(String::from_utf8_lossy(base.as_bytes()).into_owned())
}

fn limits(settings: &Settings<'_>) -> Result<Limits, UsageError> {
    Ok(Limits {
        max_tries: values::max_tries(settings)?,
        backoff: backoff(settings)?,
        splay: values::duration(settings, Opt::Splay)?.unwrap_or_default(),
        max_elapsed: values::duration(settings, Opt::MaxElapsed)?,
        // 0 means none, as in timeout(1).
        timeout: values::duration(settings, Opt::Timeout)?.filter(|limit| !limit.is_zero()),
        reset_after: values::duration(settings, Opt::ResetAfter)?,
        retry_after_max: values::duration(settings, Opt::RetryAfterMax)?.unwrap_or(Duration::from_secs(3600)),
        heed_retry_after: !settings.switch(Opt::IgnoreRetryAfter)?,
    })
}

fn backoff(settings: &Settings<'_>) -> Result<Backoff, UsageError> {
    let jitter = settings.choice(Opt::Jitter, |word| match word {
        "full" => Some(Jitter::Full),
        "equal" => Some(Jitter::Equal),
        "decorrelated" => Some(Jitter::Decorrelated),
        "none" => Some(Jitter::None),
        _ => None,
    })?;
    let shape = shape(settings, jitter == Some(Jitter::Decorrelated) && settings.on_line(Opt::Jitter).is_some())?;
    let is_scheduled = matches!(shape, Shape::Schedule(_));
    // Neither is needed by every shape, but what is typed must be right all the same (R3).
    if settings.on_line(Opt::Cap).is_some() {
        values::duration(settings, Opt::Cap)?;
    }
    if settings.on_line(Opt::Factor).is_some() {
        values::factor(settings)?;
    }
    let jitter = match jitter {
        Some(Jitter::Decorrelated) if !matches!(shape, Shape::Exponential { .. }) => {
            let setting = settings.one(Opt::Jitter).expect("decorrelated is never the default");
            let is_shape_typed = settings.last_on_line(&[Opt::Delays, Opt::Backoff]).is_some();
            if setting.origin == Origin::Line || !is_shape_typed {
                let why = "it goes with --backoff exponential only; expected full, equal or none";
                return Err(UsageError::value(&setting, why));
            }
            None
        }
        jitter => jitter,
    };
    let (base, cap) = if is_scheduled {
        (Duration::from_secs(1), Duration::from_secs(300))
    } else {
        (
            values::duration(settings, Opt::Base)?.unwrap_or(Duration::from_secs(1)),
            values::duration(settings, Opt::Cap)?.unwrap_or(Duration::from_secs(300)),
        )
    };
    let jitter = jitter.unwrap_or(if is_scheduled { Jitter::None } else { Jitter::Full });
    Ok(Backoff { base, cap, shape, jitter })
}

/// How the ceilings grow. Options that exclude each other are an error on the command line; a variable gives way to what the
/// line says (R4), also to a jitter that goes with the exponential backoff alone.
fn shape(settings: &Settings<'_>, needs_exponential: bool) -> Result<Shape, UsageError> {
    let schedule = match (settings.on_line(Opt::Delays), settings.last_on_line(&[Opt::Base, Opt::Factor, Opt::Backoff]))
    {
        (Some(delays), Some(other)) => {
            return Err(UsageError::conflict(other, delays, "--delays is the whole schedule"));
        }
        (None, Some(_)) => None,
        (None, None) if needs_exponential => None,
        (Some(_), None) | (None, None) => values::delays(settings)?,
    };
    if let Some(delays) = schedule {
        return Ok(Shape::Schedule(delays));
    }
    let word = if needs_exponential && settings.on_line(Opt::Backoff).is_none() {
        None
    } else {
        settings.choice(Opt::Backoff, |word| match word {
            "exponential" | "linear" | "constant" => Some(word.to_owned()),
            _ => None,
        })?
    };
    match word.as_deref() {
        Some("linear") => Ok(Shape::Linear),
        Some("constant") => Ok(Shape::Constant),
        _ => Ok(Shape::Exponential { factor: values::factor(settings)? }),
    }
}

fn rules(settings: &Settings<'_>) -> Result<Rules, UsageError> {
    let exits = |opt| -> Result<ExitSet, UsageError> { values::union(settings, opt, ExitSet::extend) };
    let signals = |opt| -> Result<SignalSet, UsageError> { values::union(settings, opt, SignalSet::extend) };
    Ok(Rules {
        fail_exit: exits(Opt::FailOnExit)?,
        retry_exit: exits(Opt::RetryOnExit)?,
        succeed_exit: exits(Opt::SucceedOnExit)?,
        fail_signal: signals(Opt::FailOnSignal)?,
        retry_signal: signals(Opt::RetryOnSignal)?,
        fail_on_timeout: settings.switch(Opt::FailOnTimeout)?,
        retry_on_output: false,
        preset: false,
    })
}

fn attempt_ending(settings: &Settings<'_>) -> Result<AttemptEnding, UsageError> {
    let grace = values::duration(settings, Opt::KillAfter)?;
    Ok(AttemptEnding {
        signal: settings.parsed(Opt::Signal)?.unwrap_or(Signal::TERM),
        grace: grace.unwrap_or(Duration::from_secs(10)),
        grace_after_forwarding: grace,
        foreground: settings.switch(Opt::Foreground)?,
        preserve_status: settings.switch(Opt::PreserveStatus)?,
    })
}

fn streams(settings: &Settings<'_>) -> Result<Streams, UsageError> {
    let stdin = settings.choice(Opt::Stdin, |word| match word {
        "auto" => Some(StdinMode::Auto),
        "inherit" => Some(StdinMode::Inherit),
        "replay" => Some(StdinMode::Replay),
        "null" => Some(StdinMode::Null),
        _ => None,
    })?;
    let output = settings.choice(Opt::Output, |word| match word {
        "live" => Some(OutputMode::Live),
        "inherit" => Some(OutputMode::Inherit),
        "final" => Some(OutputMode::Final),
        "on-failure" => Some(OutputMode::OnFailure),
        _ => None,
    })?;
    Ok(Streams {
        stdin: stdin.unwrap_or(StdinMode::Auto),
        stdin_max: values::size(settings, Opt::StdinMax)?.unwrap_or(1 << 30),
        record_stdin: values::size(settings, Opt::RecordStdin)?.unwrap_or(64 << 10),
        output: output.unwrap_or(OutputMode::Live),
    })
}

fn hints(settings: &Settings<'_>) -> Result<Hints, UsageError> {
    let words = settings.words(Opt::Hints)?;
    Ok(Hints { http: words.contains(&"http"), file: words.contains(&"file") })
}

fn letters(settings: &Settings<'_>) -> Result<Letters, UsageError> {
    // Of the two the last on the line wins; a file that is named there also overrules the variable that turns letters off.
    let named = settings.last_on_line(&[Opt::DeadLetter, Opt::NoDeadLetter]);
    let off = match named {
        Some(setting) if setting.spec.opt == Opt::DeadLetter => false,
        Some(_) | None => settings.switch(Opt::NoDeadLetter)?,
    };
    let record_env: Vec<String> = values::names(settings, Opt::RecordEnv)?;
    Ok(Letters {
        file: if off { None } else { values::path(settings, Opt::DeadLetter)? },
        off,
        record_env,
        redact: values::expressions(settings, Opt::Redact)?,
        report: values::path(settings, Opt::Report)?,
        report_full: settings.switch(Opt::ReportFull)?,
    })
}

fn notices(settings: &Settings<'_>) -> Result<NoticeSettings, UsageError> {
    // Of -q and -v the one that is typed last says in which direction; the other is forgotten.
    let loud = settings.last_on_line(&[Opt::Quiet, Opt::Verbose]).map(|setting| setting.spec.opt);
    let (quiet, verbose) = match loud {
        Some(Opt::Quiet) => (settings.count(Opt::Quiet)?, 0),
        Some(_) => (0, settings.count(Opt::Verbose)?),
        None => (settings.count(Opt::Quiet)?, settings.count(Opt::Verbose)?),
    };
    let verbosity = match (quiet, verbose) {
        (2.., _) => Verbosity::Silent,
        (1, _) => Verbosity::Quiet,
        (0, 0) => Verbosity::Normal,
        (0, 1) => Verbosity::Verbose,
        (0, 2..) => Verbosity::Debug,
    };
    let format = settings.choice(Opt::LogFormat, |word| match word {
        "text" => Some(LogFormat::Text),
        "json" => Some(LogFormat::Json),
        _ => None,
    })?;
    let ci = settings.choice(Opt::Ci, |word| match word {
        "auto" => Some(Ci::Auto),
        "github" => Some(Ci::Github),
        "gitlab" => Some(Ci::Gitlab),
        "none" => Some(Ci::None),
        _ => None,
    })?;
    Ok(NoticeSettings {
        verbosity,
        format: format.unwrap_or(LogFormat::Text),
        log_file: values::path(settings, Opt::LogFile)?,
        ci: ci.unwrap_or(Ci::Auto),
        ci_output: values::name_start(settings, Opt::CiOutput)?,
    })
}

fn hooks(settings: &Settings<'_>) -> Result<Hooks, UsageError> {
    let line = |opt| settings.one(opt).map(|setting| setting.value).filter(|value| !value.is_empty());
    let record = settings.choice(Opt::HookRecord, |word| match word {
        "redacted" => Some(HookRecord::Redacted),
        "full" => Some(HookRecord::Full),
        _ => None,
    })?;
    Ok(Hooks {
        on_retry: line(Opt::OnRetry),
        on_failure: line(Opt::OnFailure),
        on_success: line(Opt::OnSuccess),
        timeout: values::duration(settings, Opt::HookTimeout)?.unwrap_or(Duration::from_secs(30)),
        record: record.unwrap_or(HookRecord::Redacted),
    })
}

/// A path that a setting gives, as it stands.
fn to_path(value: OsString) -> PathBuf {
    PathBuf::from(value)
}

#[cfg(test)]
mod tests;
