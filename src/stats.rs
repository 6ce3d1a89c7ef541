//! What the metrics of all jobs say together: rates, retries, errors. Contract W9, W10.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use crate::metrics::figures::{Figures, RunEnd};
use crate::metrics::{self, exposition};

/// The figures of one job, read for a person.
#[derive(Clone, Debug, PartialEq)]
pub struct JobStats {
    /// Its name.
    pub name: String,
    /// What was counted.
    pub figures: Figures,
}

impl JobStats {
    /// Runs that ended.
    pub fn runs(&self) -> u64 {
        self.figures.total_runs()
    }

    /// The part of runs that succeeded at their first attempt, 0 to 1; `None` before a run ended.
    pub fn first_rate(&self) -> Option<f64> {
        self.rate(&[RunEnd::FirstTry])
    }

    /// The part of runs that succeeded in the end, 0 to 1.
    pub fn final_rate(&self) -> Option<f64> {
        self.rate(&[RunEnd::FirstTry, RunEnd::AfterRetry])
    }

    /// Attempts beyond the first, for each run.
    pub fn retries_per_run(&self) -> Option<f64> {
        let retries: u64 = self.figures.attempts[1..].iter().flatten().sum();
        (self.runs() > 0).then(|| retries as f64 / self.runs() as f64)
    }

    /// Failed attempts by class of error, the commonest first.
    pub fn errors(&self) -> Vec<(String, u64)> {
        let mut errors: BTreeMap<&str, u64> = BTreeMap::new();
        for ((class, _), count) in &self.figures.failures {
            *errors.entry(class).or_default() += count;
        }
        let mut errors: Vec<(String, u64)> =
            errors.into_iter().map(|(class, count)| (class.to_owned(), count)).collect();
        errors.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        errors
    }

    /// When a run last ended well, in seconds since 1970; `None` if none ever did.
    pub fn last_success_at(&self) -> Option<f64> {
        self.figures.last.map(|last| last.success_at).filter(|at| *at > 0.0)
    }

    /// How much of what first attempts fail is hidden by retries: the final rate less the first, 0 to 1.
    pub fn hidden(&self) -> Option<f64> {
        Some(self.final_rate()? - self.first_rate()?)
    }

    fn rate(&self, ends: &[RunEnd]) -> Option<f64> {
        let good: u64 = ends.iter().map(|end| self.figures.runs[*end as usize]).sum();
        (self.runs() > 0).then(|| good as f64 / self.runs() as f64)
    }
}

/// A class of error over all jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorStats {
    /// `exit_75`, `timeout`, …
    pub class: String,
    /// Failed attempts in all.
    pub failures: u64,
    /// The same by job, the most first.
    pub jobs: Vec<(String, u64)>,
}

/// The failures of all jobs by class of error, the commonest first.
pub fn by_error(jobs: &[JobStats]) -> Vec<ErrorStats> {
    let mut classes: BTreeMap<String, Vec<(String, u64)>> = BTreeMap::new();
    for job in jobs {
        for (class, count) in job.errors() {
            classes.entry(class).or_default().push((job.name.clone(), count));
        }
    }
    let mut all: Vec<ErrorStats> = classes
        .into_iter()
        .map(|(class, mut jobs)| {
            jobs.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            ErrorStats { class, failures: jobs.iter().map(|(_, count)| count).sum(), jobs }
        })
        .collect();
    all.sort_by_key(|error| std::cmp::Reverse(error.failures));
    all
}

/// What the errors of a job look like (W10).
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// Nearly all failures are of this class: something that the job needs is down.
    OneClass(String),
    /// So many classes, and none stands out: the fault is in the job.
    Varied(usize),
}

/// Fewer failures than this say nothing.
const ENOUGH_FAILURES: u64 = 10;

/// Looks for a pattern in the errors of a job, with the same thresholds as the shipped alerts.
pub fn pattern(job: &JobStats) -> Option<Pattern> {
    let errors = job.errors();
    let total: u64 = errors.iter().map(|(_, count)| count).sum();
    let (class, most) = errors.first()?;
    if total < ENOUGH_FAILURES {
        None
    } else if *most as f64 > 0.8 * total as f64 {
        Some(Pattern::OneClass(class.clone()))
    } else if errors.len() >= 3 && (*most as f64) < 0.5 * total as f64 {
        Some(Pattern::Varied(errors.len()))
    } else {
        None
    }
}

/// What a metrics directory holds.
#[derive(Debug, Default)]
pub struct Found {
    /// The jobs, by name.
    pub jobs: Vec<JobStats>,
    /// The names of files of ours that cannot be read.
    pub unreadable: Vec<String>,
}

/// Reads the files of all jobs in a metrics directory.
///
/// # Errors
/// The directory cannot be read.
pub fn read(dir: &Path) -> io::Result<Found> {
    let mut found = Found::default();
    for entry in std::fs::read_dir(dir)? {
        let name = entry?.file_name();
        let Some(name) = name.to_str().filter(|name| name.starts_with("retry_") && name.ends_with(".prom")) else {
            continue;
        };
        match metrics::read(&dir.join(name)).ok().flatten().and_then(|text| exposition::parse(&text)) {
            Some((job, figures)) => found.jobs.push(JobStats { name: job, figures }),
            None => found.unreadable.push(name.to_owned()),
        }
    }
    found.jobs.sort_by(|a, b| a.name.cmp(&b.name));
    found.unreadable.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn job(name: &str, failures: &[(&str, u64)]) -> JobStats {
        let failures = failures.iter().map(|(class, count)| (((*class).to_owned(), false), *count));
        JobStats { name: name.into(), figures: Figures { failures: failures.collect(), ..Figures::default() } }
    }

    #[test]
    fn the_first_rate_and_the_final_rate_differ_by_what_retries_hide() {
        let mut stats = job("sync", &[]);
        assert_eq!((stats.first_rate(), stats.hidden(), stats.retries_per_run()), (None, None, None));
        stats.figures.runs = [70, 20, 0, 10, 0, 0, 0];
        stats.figures.count_attempt(2, 0, None, Duration::ZERO);
        assert_eq!((stats.first_rate(), stats.final_rate()), (Some(0.7), Some(0.9)));
        assert_eq!(stats.retries_per_run(), Some(0.01));
        assert!(stats.hidden().is_some_and(|hidden| (hidden - 0.2).abs() < 1e-9));
    }

    #[test]
    fn a_job_that_never_ended_well_has_no_last_success() {
        let mut stats = job("sync", &[]);
        assert_eq!(stats.last_success_at(), None);
        stats.figures.count_run(RunEnd::Exhausted, 100.0, 6, 75, Duration::ZERO);
        assert_eq!(stats.last_success_at(), None);
        stats.figures.count_run(RunEnd::AfterRetry, 200.0, 2, 0, Duration::ZERO);
        assert_eq!(stats.last_success_at(), Some(200.0));
    }

    #[test]
    fn of_a_directory_the_files_of_jobs_are_read_in_the_order_of_their_names() {
        let dir = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| std::fs::write(dir.path().join(file), text).unwrap();
        let mut figures = Figures::default();
        figures.count_run(RunEnd::FirstTry, 1.0, 1, 0, Duration::ZERO);
        write("retry_2.prom", &exposition::render("a", &figures));
        write("retry_1.prom", &exposition::render("b", &Figures::default()));
        write("retry_torn.prom", "retry_runs_total{");
        for foreign in ["node.prom", "retry_1.prom.lock", "retry_notes.txt"] {
            write(foreign, &exposition::render("foreign", &figures));
        }
        let found = read(dir.path()).unwrap();
        let jobs: Vec<_> = found.jobs.iter().map(|job| (job.name.as_str(), job.runs())).collect();
        assert_eq!((jobs, found.unreadable), (vec![("a", 1), ("b", 0)], vec!["retry_torn.prom".to_owned()]));
        assert!(read(&dir.path().join("nowhere")).is_err());
    }

    #[test]
    fn errors_are_gathered_over_jobs_the_commonest_first() {
        let jobs = [job("a", &[("exit_7", 2), ("timeout", 1)]), job("b", &[("exit_7", 5)])];
        let errors = by_error(&jobs);
        assert_eq!(errors[0].class, "exit_7");
        assert_eq!((errors[0].failures, errors[0].jobs.clone()), (7, vec![("b".into(), 5), ("a".into(), 2)]));
        assert_eq!(errors[1].failures, 1);
    }

    #[test]
    fn one_class_is_told_from_many() {
        assert_eq!(pattern(&job("few", &[("exit_7", 9)])), None);
        assert_eq!(pattern(&job("api", &[("exit_7", 9), ("timeout", 1)])), Some(Pattern::OneClass("exit_7".into())));
        assert_eq!(pattern(&job("messy", &[("a", 4), ("b", 4), ("c", 4)])), Some(Pattern::Varied(3)));
        assert_eq!(pattern(&job("two", &[("a", 6), ("b", 6)])), None);
        assert_eq!(pattern(&job("four fifths", &[("a", 8), ("b", 2)])), None);
        assert_eq!(pattern(&job("half", &[("a", 6), ("b", 3), ("c", 3)])), None);
        assert_eq!(pattern(&job("none", &[])), None);
    }
}
