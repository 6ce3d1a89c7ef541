//! `retryctl stats`: what the metrics of the jobs say, for people. Contract W9, W10.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use super::columns::{self, Column, Side};
use super::files::{Letters, Use};
use super::list;
use super::world::{CANNOT_WRITE, Failed, NONE_SUCH, World, reason};
use crate::cli::settings::Settings;
use crate::cli::spec::Opt;
use crate::dead_letter::fold::State;
use crate::metrics::letters::{self, Gauges};
use crate::notice::escape;
use crate::stats::{self, ErrorStats, JobStats, Pattern};
use crate::timestamp;

/// How to have something to look at.
const HOW: &str = "run jobs with --metrics-dir DIR, or set RETRY_DEFAULT_METRICS_DIR at the top of the crontab";
/// From this part of the runs on it is said that retries hide something.
const HIDES: f64 = 0.1;
/// How wide a bar is, in columns.
const BAR: usize = 5;

/// Prints one row for each job, or for each class of error; writes the gauges of dead letters beside the metrics.
pub fn run(settings: &Settings<'_>, world: &mut World<'_>) -> Result<u8, Failed> {
    let by_error = settings.choice(Opt::StatsBy, |word| match word {
        "job" => Some(false),
        "error" => Some(true),
        _ => None,
    })?;
    let as_json = settings.choice(Opt::StatsFormat, |word| match word {
        "json" => Some(true),
        "table" => Some(false),
        _ => None,
    })?;
    let Some(dir) = settings.one(Opt::StatsDir).map(|setting| PathBuf::from(setting.value)) else {
        return Err(Failed::new(NONE_SUCH, format!("nothing is counted yet: {HOW}")));
    };
    let found = stats::read(&dir)
        .map_err(|error| Failed::new(NONE_SUCH, format!("cannot read {}: {}", dir.display(), reason(&error))))?;
    for name in &found.unreadable {
        world.say(&format!("passed over {}: it is not a file of metrics", dir.join(name).display()));
    }
    let gauges = gauges(settings, world)?;
    match (as_json.unwrap_or(false), by_error.unwrap_or(false)) {
        (true, false) => world.print_json(&json_of_jobs(&found.jobs, &gauges))?,
        (true, true) => world.print_json(&json_of_errors(&found.jobs))?,
        (false, _) if found.jobs.is_empty() => {
            world.say(&format!("no job has been counted in {} yet: {HOW}", dir.display()));
        }
        (false, false) => table_of_jobs(&found.jobs, &gauges, world)?,
        (false, true) => table_of_errors(&found.jobs, world)?,
    }
    write_gauges(&dir, &gauges)
}

/// The letters by job and state; those of a default file that cannot be read are left out with a word.
fn gauges(settings: &Settings<'_>, world: &mut World<'_>) -> Result<Gauges, Failed> {
    let mut gauges = Gauges::new();
    let letters = match Letters::read(settings, world, Use::Look) {
        Ok(letters) => letters,
        Err(failed) if !settings.all(Opt::File).is_empty() => return Err(failed),
        Err(failed) => {
            world.report(failed);
            return Ok(gauges);
        }
    };
    for letter in &letters.folded.letters {
        for state in State::ALL {
            gauges.entry((letter.job.to_string(), state.name())).or_default();
        }
        let gauge = gauges.entry((letter.job.to_string(), letter.state.name())).or_default();
        gauge.oldest_ms = if gauge.count == 0 { letter.at_ms } else { gauge.oldest_ms.min(letter.at_ms) };
        gauge.count += 1;
    }
    Ok(gauges)
}

fn open_letters(gauges: &Gauges, job: &str) -> u64 {
    let is_open = |state: &str| state.parse::<State>().is_ok_and(State::is_open);
    gauges.iter().filter(|((name, state), _)| name == job && is_open(state)).map(|(_, gauge)| gauge.count).sum()
}

/// Somebody who only looks may not be allowed to write there; a job of the crontab that cannot must say so.
fn write_gauges(dir: &Path, gauges: &Gauges) -> Result<u8, Failed> {
    match letters::write(dir, gauges) {
        Ok(()) => Ok(0),
        Err(_) if is_terminal() => Ok(0),
        Err(error) => {
            let message = format!("cannot write the gauges of dead letters to {}: {}", dir.display(), reason(&error));
            Err(Failed::new(CANNOT_WRITE, message))
        }
    }
}

fn is_terminal() -> bool {
    rustix::termios::isatty(rustix::stdio::stdout())
}

fn instant(seconds: f64) -> Option<String> {
    let at = UNIX_EPOCH.checked_add(Duration::try_from_secs_f64(seconds).ok()?)?;
    Some(timestamp::format(at))
}

fn json_of_jobs(jobs: &[JobStats], gauges: &Gauges) -> Value {
    let rows = jobs.iter().map(|job| {
        let mut row =
            json!({ "name": job.name, "runs": job.runs(), "open_dead_letters": open_letters(gauges, &job.name) });
        let fields = [
            ("first_attempt_success_rate", job.first_rate().map(Value::from)),
            ("final_success_rate", job.final_rate().map(Value::from)),
            ("retries_per_run", job.retries_per_run().map(Value::from)),
            ("commonest_error", job.errors().first().map(|(class, _)| Value::from(class.as_str()))),
            ("last_success_at", job.last_success_at().and_then(instant).map(Value::from)),
            ("last_run_at", job.figures.last.and_then(|last| instant(last.at)).map(Value::from)),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                row[name] = value;
            }
        }
        row["errors"] = job.errors().into_iter().map(|(class, count)| (class, Value::from(count))).collect();
        row
    });
    json!({ "jobs": rows.collect::<Vec<_>>() })
}

fn json_of_errors(jobs: &[JobStats]) -> Value {
    let errors = stats::by_error(jobs);
    let total: u64 = errors.iter().map(|error| error.failures).sum();
    let rows = errors.into_iter().map(|ErrorStats { class, failures, jobs }| {
        let jobs: BTreeMap<String, u64> = jobs.into_iter().collect();
        json!({ "error": class, "failures": failures, "share": failures as f64 / total.max(1) as f64, "jobs": jobs })
    });
    json!({ "errors": rows.collect::<Vec<_>>() })
}

/// `100 %`, and beside it a bar on a terminal. Only what is whole is called 100 %.
fn percent(part: Option<f64>) -> String {
    let Some(part) = part else { return "-".into() };
    let rounded = (part * 100.0).round();
    let shown = if part < 1.0 && rounded == 100.0 { 99.0 } else { rounded };
    let number = format!("{shown:>3} %");
    if is_terminal() { format!("{number} {}", bar(part)) } else { number }
}

/// A bar of so many eighths of its width.
fn bar(part: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (part.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

fn table_of_jobs(jobs: &[JobStats], gauges: &Gauges, world: &mut World<'_>) -> Result<(), Failed> {
    let now = world.now_ms();
    let rows: Vec<Vec<String>> = jobs
        .iter()
        .map(|job| {
            let since = |at: f64| list::age(now.saturating_sub((at * 1000.0) as u64));
            vec![
                escape::line(&job.name),
                job.runs().to_string(),
                percent(job.first_rate()),
                percent(job.final_rate()),
                job.retries_per_run().map_or("-".into(), |retries| format!("{retries:.1}")),
                job.errors().first().map_or("-".into(), |(class, _)| escape::line(class)),
                open_letters(gauges, &job.name).to_string(),
                job.last_success_at().map_or("never".into(), |at| format!("{} ago", since(at))),
            ]
        })
        .collect();
    let column = |title, side| Column { title, side, limit: 20 };
    let mut columns = [
        column("JOB", Side::Left),
        column("RUNS", Side::Right),
        column("FIRST TRY", Side::Left),
        column("IN THE END", Side::Left),
        column("RETRIES", Side::Right),
        column("ERROR", Side::Left),
        column("LETTERS", Side::Right),
        column("SUCCESS", Side::Left),
    ];
    // Names take what the figures leave of the line.
    let widest = |at: usize| rows.iter().map(|row| columns::display_width(&row[at])).max().unwrap_or(0);
    let figures: usize = (1..columns.len()).map(|at| widest(at).max(columns[at].title.len()) + 2).sum();
    columns[0].limit = world.width.saturating_sub(figures).max(8);
    columns::print_rows(world.out, &columns, &rows, world.width)?;
    let hiding = jobs.iter().filter_map(|job| Some((job, job.hidden().filter(|hidden| *hidden >= HIDES)?)));
    let lines: Vec<String> = hiding
        .map(|(job, hidden)| {
            let name = escape::line(&job.name);
            format!("{name}: retries hid a failure in {:.0} % of its runs\n", hidden * 100.0)
        })
        .collect();
    print_notes(&lines, world)
}

fn table_of_errors(jobs: &[JobStats], world: &mut World<'_>) -> Result<(), Failed> {
    let errors = stats::by_error(jobs);
    let total: u64 = errors.iter().map(|error| error.failures).sum();
    let rows: Vec<Vec<String>> = errors
        .iter()
        .map(|error| {
            let jobs: Vec<String> =
                error.jobs.iter().map(|(name, count)| format!("{} ({count})", escape::line(name))).collect();
            vec![
                escape::line(&error.class),
                error.failures.to_string(),
                percent(Some(error.failures as f64 / total.max(1) as f64)),
                jobs.join(", "),
            ]
        })
        .collect();
    if rows.is_empty() {
        world.out.write_all(b"no attempt has failed\n")?;
        return Ok(());
    }
    let column = |title, side| Column { title, side, limit: 24 };
    let columns = [
        column("ERROR", Side::Left),
        column("FAILURES", Side::Right),
        column("SHARE", Side::Left),
        column("JOBS", Side::Left),
    ];
    columns::print_rows(world.out, &columns, &rows, world.width)?;
    let lines = jobs.iter().filter_map(|job| {
        let name = escape::line(&job.name);
        Some(match stats::pattern(job)? {
            Pattern::OneClass(class) => {
                format!("{name}: nearly always {}: what it depends on may be down\n", escape::line(&class))
            }
            Pattern::Varied(classes) => format!("{name}: fails in {classes} ways: the fault may be its own\n"),
        })
    });
    print_notes(&lines.collect::<Vec<_>>(), world)
}

/// What the figures mean, below the table.
fn print_notes(lines: &[String], world: &mut World<'_>) -> Result<(), Failed> {
    if !lines.is_empty() {
        world.out.write_all(b"\n")?;
    }
    for line in lines {
        world.out.write_all(line.as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_the_part() {
        assert_eq!(bar(0.0), "");
        assert_eq!(bar(0.5), "██▌");
        assert_eq!(bar(1.0), "█████");
        assert_eq!(bar(7.0), "█████");
    }

    #[test]
    fn only_what_is_whole_is_called_a_hundred_percent() {
        assert_eq!(percent(Some(1.0)), "100 %");
        assert_eq!(percent(Some(0.999)), " 99 %");
        assert_eq!(percent(Some(0.0)), "  0 %");
        assert_eq!(percent(None), "-");
    }
}
