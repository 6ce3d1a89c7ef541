//! On what terms letters are replayed: the options of `replay`.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use crate::cli::settings::{Setting, Settings};
use crate::cli::spec::Opt;
use crate::cli::usage_error::UsageError;
use crate::ctl::world::{Failed, USAGE, reason};

/// The options of `replay`.
#[derive(Debug)]
pub struct Terms {
    /// `--max-tries`, for the recorded one.
    pub max_tries: Option<OsString>,
    /// From one start to the next, at the least.
    pub interval: Option<Duration>,
    /// After so many failed replays in a row a batch stops.
    pub stop_after: usize,
    /// Of each group only the newest is run.
    pub newest: bool,
    /// Letters in doubt are run, too.
    pub in_doubt: bool,
    /// Poison is run, too.
    pub poison: bool,
    /// Nothing is run.
    pub dry_run: bool,
    /// Letters of other machines are run, too.
    pub other_host: bool,
    /// Files that have changed are good enough as input.
    pub changed_input: bool,
    /// `--stdin`, for the recorded input.
    pub stdin: Option<OsString>,
    /// The variables of `--env-file`, as `NAME=value`.
    pub env: Vec<CString>,
}

impl Terms {
    /// Reads them.
    ///
    /// # Errors
    /// A value is none; the file of variables cannot be read.
    pub fn read(settings: &Settings<'_>) -> Result<Terms, Failed> {
        let max_tries = settings.one(Opt::ReplayTries);
        if let Some(setting) = &max_tries {
            let text = setting.text()?;
            if text != "unlimited" && !text.parse::<u32>().is_ok_and(|number| number > 0) {
                return Err(UsageError::value(setting, "expected a number from 1 on, or unlimited").into());
            }
        }
        let stop_after = match settings.one(Opt::StopAfter) {
            None => 3,
            Some(setting) => match setting.text()?.parse() {
                Ok(number) if number > 0 => number,
                _ => return Err(UsageError::value(&setting, "expected a number from 1 on").into()),
            },
        };
        Ok(Terms {
            max_tries: max_tries.map(|setting| setting.value),
            interval: settings.one(Opt::Rate).map(|setting| interval(&setting)).transpose()?,
            stop_after,
            newest: settings.switch(Opt::NewestOfGroup)?,
            in_doubt: settings.switch(Opt::InDoubt)?,
            poison: settings.switch(Opt::Poison)?,
            dry_run: settings.switch(Opt::DryRun)?,
            other_host: settings.switch(Opt::OtherHost)?,
            changed_input: settings.switch(Opt::ChangedInput)?,
            stdin: settings.one(Opt::ReplayStdin).map(|setting| setting.value),
            env: settings
                .one(Opt::EnvFile)
                .map(|setting| variables(Path::new(&setting.value)))
                .transpose()?
                .unwrap_or_default(),
        })
    }
}

/// `10/m` is one in 6 s.
fn interval(setting: &Setting) -> Result<Duration, UsageError> {
    let wrong = || UsageError::value(setting, "expected a number a unit, such as 2/s, 10/m or 100/h");
    let (number, unit) = setting.text()?.split_once('/').ok_or_else(wrong)?;
    let span = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return Err(wrong()),
    };
    match number.parse::<u32>() {
        Ok(number) if number > 0 => Ok(Duration::from_secs(span) / number),
        _ => Err(wrong()),
    }
}

/// `NAME=value` a line; empty lines and those that begin with `#` are passed over, one pair of quotes around a value is
/// taken off, and nothing is expanded.
fn variables(path: &Path) -> Result<Vec<CString>, Failed> {
    let bytes = std::fs::read(path)
        .map_err(|error| Failed::new(USAGE, format!("cannot read {}: {}", path.display(), reason(&error))))?;
    let mut variables = Vec::new();
    for (number, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let wrong = || {
            let words = format!("{}:{}: expected NAME=value", path.display(), number + 1);
            Failed::new(USAGE, words)
        };
        let at = line.iter().position(|b| *b == b'=').filter(|at| *at > 0).ok_or_else(wrong)?;
        let (name, value) = (&line[..at], &line[at + 1..]);
        if name.iter().any(|b| !b.is_ascii_alphanumeric() && *b != b'_') {
            return Err(wrong());
        }
        let value = match value {
            [b'"', inner @ .., b'"'] | [b'\'', inner @ .., b'\''] => inner,
            bare => bare,
        };
        variables.push(CString::new([name, b"=", value].concat()).map_err(|_| wrong())?);
    }
    Ok(variables)
}

/// The name of an entry of an environment.
pub fn name_of(entry: &CString) -> &[u8] {
    let bytes = entry.as_bytes();
    bytes.split(|b| *b == b'=').next().unwrap_or(bytes)
}

/// An entry of an environment; `None` where it could not be one.
pub fn entry(name: &str, value: &std::ffi::OsStr) -> Option<CString> {
    let is_name = !name.is_empty() && !name.contains('=');
    is_name.then(|| CString::new([name.as_bytes(), b"=", value.as_bytes()].concat()).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_variables_is_read_as_other_tools_read_it() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "# c\n\nA=1\nB=\"x y\"\n C='z'\nD=\"\nE=a=b\n").unwrap();
        let read = variables(file.path()).unwrap();
        let expected = ["A=1", "B=x y", "C=z", "D=\"", "E=a=b"];
        assert!(read.iter().map(|entry| entry.to_str().unwrap()).eq(expected));
        std::fs::write(file.path(), "A=1\nnonsense\n").unwrap();
        assert!(variables(file.path()).unwrap_err().message.unwrap().ends_with(":2: expected NAME=value"));
    }
}
