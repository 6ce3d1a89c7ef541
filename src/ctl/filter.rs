//! Which letters a verb is about: by job, state, age, exit status, ending and text.

use regex_lite::Regex;

use super::files::Letters;
use super::world::{Failed, World};
use crate::cli::settings::Settings;
use crate::cli::spec::Opt;
use crate::cli::usage_error::UsageError;
use crate::code_set::ExitSet;
use crate::dead_letter::fold::{Letter, State};
use crate::duration;
use crate::record::Record;
use crate::signal::Signal;

/// The filters of `list`, `replay` and `discard`; without any, every open letter.
#[derive(Default)]
pub struct Filter {
    job: Option<String>,
    states: Option<Vec<State>>,
    younger_than_ms: Option<u64>,
    older_than_ms: Option<u64>,
    exit: Option<ExitSet>,
    ending: Option<String>,
    grep: Option<Regex>,
    newest: Option<usize>,
}

/// The options that make a filter.
const OPTIONS: [Opt; 7] = [Opt::LetterJob, Opt::State, Opt::Since, Opt::Until, Opt::Exit, Opt::Ending, Opt::Grep];

impl Filter {
    /// Reads the filters from the options of a verb.
    ///
    /// # Errors
    /// A value is none.
    pub fn read(settings: &Settings<'_>) -> Result<Filter, UsageError> {
        let states = settings.words(Opt::State)?;
        let mut filter = Filter {
            job: settings.one(Opt::LetterJob).map(|job| job.value.to_string_lossy().into_owned()),
            states: (!states.is_empty()).then(|| states.iter().filter_map(|name| name.parse().ok()).collect()),
            younger_than_ms: age(settings, Opt::Since)?,
            older_than_ms: age(settings, Opt::Until)?,
            ..Filter::default()
        };
        if let Some(ending) = settings.one(Opt::Ending) {
            let word = ending.value.to_string_lossy().into_owned();
            if !ending.spec.choices().contains(&&*word) {
                return Err(UsageError::choice(&ending));
            }
            filter.ending = Some(word);
        }
        for list in settings.all(Opt::Exit) {
            let set: ExitSet = list.text()?.parse().map_err(|error| UsageError::value(&list, error))?;
            filter.exit.get_or_insert_default().extend(set);
        }
        if let Some(grep) = settings.one(Opt::Grep) {
            let regex = Regex::new(grep.text()?).map_err(|error| UsageError::value(&grep, error))?;
            filter.grep = Some(regex);
        }
        if let Some(count) = settings.one(Opt::Count) {
            let number = count.text()?.parse().ok().filter(|number| *number > 0);
            filter.newest = Some(number.ok_or_else(|| UsageError::value(&count, "expected a number from 1 on"))?);
        }
        Ok(filter)
    }

    /// Whether a filter was given at all.
    pub fn was_given(settings: &Settings<'_>) -> bool {
        OPTIONS.iter().any(|opt| settings.on_line(*opt).is_some())
    }

    /// The indices of the letters that pass, oldest first.
    ///
    /// # Errors
    /// A line cannot be read again, to look for text in it.
    pub fn select(&self, letters: &Letters, world: &World<'_>) -> Result<Vec<usize>, Failed> {
        let now_ms = world.now_ms();
        let mut selected = Vec::new();
        for (index, letter) in letters.folded.letters.iter().enumerate() {
            if self.passes(letter, now_ms) && self.has_text(letters, letter)? {
                selected.push(index);
            }
        }
        if let Some(newest) = self.newest {
            selected.drain(..selected.len().saturating_sub(newest));
        }
        Ok(selected)
    }

    fn passes(&self, letter: &Letter, now_ms: u64) -> bool {
        let age_ms = now_ms.saturating_sub(letter.at_ms);
        self.states.as_ref().map_or(letter.state.is_open(), |states| states.contains(&letter.state))
            && self.job.as_ref().is_none_or(|job| **job == *letter.job)
            && self.ending.as_ref().is_none_or(|ending| **ending == *letter.ending)
            && self.younger_than_ms.is_none_or(|limit| age_ms <= limit)
            && self.older_than_ms.is_none_or(|limit| age_ms >= limit)
            && self.exit.is_none_or(|set| status(letter).is_some_and(|status| set.contains(status)))
    }

    fn has_text(&self, letters: &Letters, letter: &Letter) -> Result<bool, Failed> {
        let Some(regex) = &self.grep else { return Ok(true) };
        if regex.is_match(&letter.job) {
            return Ok(true);
        }
        // What the fold could read, this may not: then there is no text to find.
        let Ok(record) = serde_json::from_slice::<Record>(&letters.line(letter)?) else { return Ok(false) };
        let error = record.error.and_then(|error| error.message).unwrap_or_default();
        let tail = record.stderr.map(|stderr| stderr.tail).unwrap_or_default();
        Ok(regex.is_match(&record.process.args.join(" ")) || regex.is_match(&error) || regex.is_match(&tail))
    }
}

/// The last exit status as a shell shows it: of a death by signal 128 + its number.
pub fn status(letter: &Letter) -> Option<u8> {
    let of_signal = || letter.signal.as_ref()?.parse::<Signal>().ok().map(Signal::shell_status);
    letter.exit_code.or_else(of_signal)
}

/// The value of an option in milliseconds.
pub fn age(settings: &Settings<'_>, opt: Opt) -> Result<Option<u64>, UsageError> {
    let Some(setting) = settings.one(opt) else { return Ok(None) };
    let limit = duration::parse(setting.text()?).map_err(|error| UsageError::value(&setting, error))?;
    Ok(Some(duration::millis(limit)))
}
