//! What was asked for: by options, or else by the environment, which is looked at only when it matters. Contract R4.

use std::ffi::OsString;

use super::spec::{Environment, Opt, Repeats, Spec};
use super::table;
use super::usage_error::UsageError;

/// Where a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The command line.
    Line,
    /// A variable `RETRY_DEFAULT_…`.
    Environment,
}

/// One option with its value.
#[derive(Clone, Debug)]
pub struct Setting {
    /// What is known about the option.
    pub spec: &'static Spec,
    /// Where the value comes from.
    pub origin: Origin,
    /// The value; of a switch `true` or `false`; of an option whose value was left out, its default.
    pub value: OsString,
}

/// How a variable of the environment is looked up.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// All that was asked for, with the operands.
pub struct Settings<'a> {
    line: Vec<Setting>,
    environment: Lookup<'a>,
    inside_a_run: bool,
    is_policy_settled: bool,
    /// What stands after the options: the command of `retry`, the ids of a verb.
    pub operands: Vec<OsString>,
}

impl<'a> Settings<'a> {
    /// Nothing asked for yet. Inside another run (`RETRY_ID` is set) what is that run's affair is not looked at.
    pub fn new(environment: Lookup<'a>) -> Settings<'a> {
        let inside_a_run = environment("RETRY_ID").is_some();
        Settings { line: Vec::new(), environment, inside_a_run, is_policy_settled: false, operands: Vec::new() }
    }

    /// The same for a run whose policy is recorded: what the record does not name has its default, whatever today's
    /// environment says (D32).
    pub fn of_a_record(environment: Lookup<'a>) -> Settings<'a> {
        Settings { is_policy_settled: true, ..Settings::new(environment) }
    }

    /// Adds one from the command line.
    pub fn push(&mut self, spec: &'static Spec, value: OsString) {
        self.line.push(Setting { spec, origin: Origin::Line, value });
    }

    /// Whether another run is around this one.
    pub fn inside_a_run(&self) -> bool {
        self.inside_a_run
    }

    /// What the command line says about an option: the last, where it stands more than once.
    pub fn on_line(&self, opt: Opt) -> Option<&Setting> {
        self.line.iter().rev().find(|setting| setting.spec.opt == opt)
    }

    /// Of several options the one that stands last on the command line.
    pub fn last_on_line(&self, opts: &[Opt]) -> Option<&Setting> {
        self.line.iter().rev().find(|setting| opts.contains(&setting.spec.opt))
    }

    /// Everything that the command line says, in its order.
    pub fn line(&self) -> &[Setting] {
        &self.line
    }

    /// What the environment says about an option that it may give.
    pub fn in_environment(&self, opt: Opt) -> Option<Setting> {
        let spec = table::spec(opt);
        let allowed = match spec.environment {
            Environment::Yes | Environment::OutermostRun if self.is_policy_settled && table::is_policy(opt) => false,
            Environment::Yes => true,
            Environment::OutermostRun => !self.inside_a_run,
            Environment::No => false,
        };
        let value = if allowed { (self.environment)(&spec.variable()) } else { None };
        value.map(|value| Setting { spec, origin: Origin::Environment, value })
    }

    /// The value of an option: the last on the command line, else the environment's.
    pub fn one(&self, opt: Opt) -> Option<Setting> {
        self.on_line(opt).cloned().or_else(|| self.in_environment(opt))
    }

    /// All values of an option that adds up, the environment's first where both count.
    pub fn all(&self, opt: Opt) -> Vec<Setting> {
        let line = || self.line.iter().filter(|setting| setting.spec.opt == opt).cloned();
        let environment = match table::spec(opt).repeats {
            Repeats::AddToEnvironment => self.in_environment(opt),
            Repeats::LastWins | Repeats::AddUp | Repeats::Once if line().next().is_none() => self.in_environment(opt),
            Repeats::LastWins | Repeats::AddUp | Repeats::Once => None,
        };
        environment.into_iter().chain(line()).collect()
    }

    /// Whether a switch is on.
    ///
    /// # Errors
    /// If its value is neither true nor false.
    pub fn switch(&self, opt: Opt) -> Result<bool, UsageError> {
        self.one(opt).map_or(Ok(false), |setting| truth(&setting))
    }

    /// How often a switch that adds up was given.
    ///
    /// # Errors
    /// If a value of it is neither true nor false.
    pub fn count(&self, opt: Opt) -> Result<usize, UsageError> {
        let mut count = 0;
        for setting in self.all(opt) {
            // `--quiet=false` takes back what came before it.
            count = if truth(&setting)? { count + 1 } else { 0 };
        }
        Ok(count)
    }

    /// The value of an option with a choice of words, read by `word`.
    ///
    /// # Errors
    /// If it is none of them.
    pub fn choice<T>(&self, opt: Opt, word: impl Fn(&str) -> Option<T>) -> Result<Option<T>, UsageError> {
        let Some(setting) = self.one(opt) else { return Ok(None) };
        match setting.value.to_str().and_then(word) {
            Some(value) => Ok(Some(value)),
            None => Err(UsageError::choice(&setting)),
        }
    }

    /// All words of an option with a list of them, in order, checked against its table.
    ///
    /// # Errors
    /// If one is not in the table.
    pub fn words(&self, opt: Opt) -> Result<Vec<&'static str>, UsageError> {
        let mut words = Vec::new();
        for setting in self.all(opt) {
            for item in setting.text()?.split(',') {
                let known = setting.spec.choices().iter().find(|choice| **choice == item);
                words.push(*known.ok_or_else(|| {
                    let alone = Setting { value: item.into(), ..setting.clone() };
                    UsageError::choice(&alone)
                })?);
            }
        }
        Ok(words)
    }

    /// The value of an option as a type reads it, `expected` being what an error says after the colon.
    ///
    /// # Errors
    /// If the type cannot read it.
    pub fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(&self, opt: Opt) -> Result<Option<T>, UsageError> {
        let Some(setting) = self.one(opt) else { return Ok(None) };
        setting.text()?.parse().map(Some).map_err(|error| UsageError::value(&setting, error))
    }
}

/// What the value of a switch says.
fn truth(setting: &Setting) -> Result<bool, UsageError> {
    match setting.value.to_str() {
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        _ => Err(UsageError::value(setting, "expected true or false")),
    }
}
