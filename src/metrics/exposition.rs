//! The text of a metrics file: Prometheus's exposition format, written whole and read back. Contract W8.
//!
//! The file is the state: what a run adds is added to what the file says, so there is no second store to disagree
//! with it. HELP texts never vary: node_exporter drops a family whose files describe it differently.

use std::fmt::Write;

use super::figures::{ATTEMPTS, BUCKETS, Figures, LastRun, RESULTS, RunEnd, SOURCES};

/// A family: its name, its type, and what it says about itself.
struct Family(&'static str, &'static str, &'static str);

const RUNS: Family = Family("retry_runs_total", "counter", "Runs that ended, by how they ended.");
const ATTEMPTS_TOTAL: Family =
    Family("retry_attempts_total", "counter", "Attempts that ended, by their number in the run and their result.");
const FAILURES: Family = Family("retry_failures_total", "counter", "Failed attempts by class of error and by verdict.");
const DURATION: Family = Family("retry_attempt_duration_seconds", "histogram", "How long attempts took.");
const DELAY: Family = Family("retry_delay_seconds_total", "counter", "Time waited before attempts, by its source.");
const LAST_RUN: Family = Family("retry_last_run_timestamp_seconds", "gauge", "When the last run ended.");
const LAST_SUCCESS: Family =
    Family("retry_last_success_timestamp_seconds", "gauge", "When a run last ended well; 0 if none ever did.");
const LAST_ATTEMPTS: Family = Family("retry_last_run_attempts", "gauge", "Attempts of the last run.");
const LAST_EXIT: Family = Family("retry_last_run_exit_code", "gauge", "Exit status of the last run.");
const LAST_DURATION: Family = Family("retry_last_run_duration_seconds", "gauge", "How long the last run took.");
const LETTERS: Family = Family("retry_dead_letters_written_total", "counter", "Dead letters written.");
const LETTERS_LOST: Family =
    Family("retry_dead_letter_write_failures_total", "counter", "Dead letters that could not be written.");

/// Escapes the value of a label: backslash, quote and newline (exposition format).
pub fn escape_label(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out
}

/// Begins a family: its HELP and TYPE lines.
fn head(out: &mut String, family: &Family) {
    let Family(name, kind, help) = family;
    let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
}

/// Writes a whole file for the job of this name.
pub fn render(name: &str, figures: &Figures) -> String {
    let mut out = String::with_capacity(6 * 1024);
    let name = escape_label(name);
    let label = format!("name=\"{name}\"");
    let one = |out: &mut String, family: &Family, value: &dyn std::fmt::Display| {
        head(out, family);
        let _ = writeln!(out, "{}{{{label}}} {value}", family.0);
    };

    head(&mut out, &RUNS);
    for (end, count) in RunEnd::ALL.iter().zip(figures.runs) {
        let _ = writeln!(out, "{}{{{label},ending=\"{}\"}} {count}", RUNS.0, end.label());
    }
    head(&mut out, &ATTEMPTS_TOTAL);
    for (attempt, row) in ATTEMPTS.iter().zip(figures.attempts) {
        for (result, count) in RESULTS.iter().zip(row) {
            let _ = writeln!(out, "{}{{{label},attempt=\"{attempt}\",result=\"{result}\"}} {count}", ATTEMPTS_TOTAL.0);
        }
    }
    if !figures.failures.is_empty() {
        head(&mut out, &FAILURES);
        for ((error, permanent), count) in &figures.failures {
            let verdict = RESULTS[if *permanent { 2 } else { 1 }];
            let error = escape_label(error);
            let _ = writeln!(out, "{}{{{label},error=\"{error}\",verdict=\"{verdict}\"}} {count}", FAILURES.0);
        }
    }
    head(&mut out, &DURATION);
    let mut below = 0u64;
    for (bound, count) in BUCKETS.iter().zip(figures.durations) {
        below = below.saturating_add(count);
        let _ = writeln!(out, "{}_bucket{{{label},le=\"{bound}\"}} {below}", DURATION.0);
    }
    below = below.saturating_add(figures.durations[BUCKETS.len()]);
    let _ = writeln!(out, "{}_bucket{{{label},le=\"+Inf\"}} {below}", DURATION.0);
    let _ = writeln!(out, "{}_sum{{{label}}} {}", DURATION.0, figures.duration_sum);
    let _ = writeln!(out, "{}_count{{{label}}} {below}", DURATION.0);
    head(&mut out, &DELAY);
    for (source, seconds) in SOURCES.iter().zip(figures.delays) {
        let _ = writeln!(out, "{}{{{label},source=\"{source}\"}} {seconds}", DELAY.0);
    }
    if let Some(last) = figures.last {
        one(&mut out, &LAST_RUN, &last.at);
        one(&mut out, &LAST_SUCCESS, &last.success_at);
        one(&mut out, &LAST_ATTEMPTS, &last.attempts);
        one(&mut out, &LAST_EXIT, &last.exit_code);
        one(&mut out, &LAST_DURATION, &last.duration);
    }
    one(&mut out, &LETTERS, &figures.letters_written);
    one(&mut out, &LETTERS_LOST, &figures.letters_failed);
    out
}

/// One sample of a file: its series' name, its labels in order, its value as text.
struct Sample<'a> {
    name: &'a str,
    labels: Vec<(&'a str, String)>,
    value: &'a str,
}

impl Sample<'_> {
    fn label(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_str())
    }

    fn number(&self) -> Option<u64> {
        self.value.parse().ok()
    }

    fn float(&self) -> Option<f64> {
        self.value.parse().ok().filter(|v: &f64| v.is_finite())
    }
}

/// Reads one line that is no comment: `name{a="b",c="d"} value`.
fn sample(line: &str) -> Option<Sample<'_>> {
    let open = line.find('{')?;
    let (name, mut rest) = (&line[..open], &line[open + 1..]);
    let mut labels = Vec::new();
    while !rest.starts_with('}') {
        let equals = rest.find("=\"")?;
        let label = &rest[..equals];
        let mut value = String::new();
        let mut chars = rest[equals + 2..].char_indices();
        let end = loop {
            match chars.next()? {
                (at, '"') => break at,
                (_, '\\') => value.push(match chars.next()?.1 {
                    'n' => '\n',
                    other => other,
                }),
                (_, c) => value.push(c),
            }
        };
        labels.push((label, value));
        rest = &rest[equals + 2 + end + 1..];
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    Some(Sample { name, labels, value: rest[1..].trim() })
}

/// Reads a file that [`render`] wrote: the job's name and its figures. `None` if it is no such file, or torn.
/// Series it does not know are left out.
pub fn parse(text: &str) -> Option<(String, Figures)> {
    let mut figures = Figures::default();
    let mut name = None;
    let mut complete = false;
    let mut cumulated = [0u64; 11];
    let mut last = LastRun::default();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let sample = sample(line)?;
        let label = |label| sample.label(label);
        match &name {
            None => name = Some(label("name")?.to_owned()),
            Some(known) if Some(known.as_str()) != label("name") => return None,
            Some(_) => {}
        }
        let place = |labels: &[&str], value: &str| labels.iter().position(|known| *known == value);
        match sample.name {
            n if n == RUNS.0 => {
                let end = RunEnd::ALL.iter().position(|end| Some(end.label()) == label("ending"));
                if let Some(end) = end {
                    figures.runs[end] = sample.number()?;
                }
            }
            n if n == ATTEMPTS_TOTAL.0 => {
                let at = (place(&ATTEMPTS, label("attempt")?), place(&RESULTS, label("result")?));
                if let (Some(row), Some(column)) = at {
                    figures.attempts[row][column] = sample.number()?;
                }
            }
            n if n == FAILURES.0 => {
                let key = (label("error")?.to_owned(), label("verdict")? == RESULTS[2]);
                figures.failures.insert(key, sample.number()?);
            }
            n if n.strip_suffix("_bucket") == Some(DURATION.0) => {
                let bound = label("le")?;
                let at = match bound {
                    "+Inf" => Some(BUCKETS.len()),
                    bound => BUCKETS.iter().position(|known| Some(*known) == bound.parse().ok()),
                };
                if let Some(at) = at {
                    cumulated[at] = sample.number()?;
                }
            }
            n if n.strip_suffix("_sum") == Some(DURATION.0) => figures.duration_sum = sample.float()?,
            n if n == DELAY.0 => {
                if let Some(source) = place(&SOURCES, label("source")?) {
                    figures.delays[source] = sample.float()?;
                }
            }
            n if n == LAST_RUN.0 => {
                last.at = sample.float()?;
                figures.last = Some(last);
            }
            n if n == LAST_SUCCESS.0 => last.success_at = sample.float()?,
            n if n == LAST_ATTEMPTS.0 => last.attempts = sample.number()?,
            n if n == LAST_EXIT.0 => last.exit_code = sample.number()?,
            n if n == LAST_DURATION.0 => last.duration = sample.float()?,
            n if n == LETTERS.0 => figures.letters_written = sample.number()?,
            n if n == LETTERS_LOST.0 => {
                figures.letters_failed = sample.number()?;
                complete = true;
            }
            _ => {}
        }
    }
    if figures.last.is_some() {
        figures.last = Some(last);
    }
    let mut below = 0;
    for (count, upto) in figures.durations.iter_mut().zip(cumulated) {
        *count = upto.saturating_sub(below);
        below = upto;
    }
    (complete && text.ends_with('\n')).then_some((name?, figures))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::Duration;

    proptest! {
        #[test]
        fn a_file_is_read_back_as_it_was_written(
            name in "\\PC{0,20}|[\\\\\"\n{},=]{0,8}",
            attempts in proptest::collection::vec((1u64..20, 0usize..3, 0u64..100_000_000, "[a-z_0-9]{1,9}"), 0..20),
            end in 0usize..7,
            at in 0.0..2e9f64,
            ended: bool,
            letters: [u64; 2],
        ) {
            let [letters_written, letters_failed] = letters;
            let mut figures = Figures { letters_written, letters_failed, ..Figures::default() };
            for (attempt, result, millis, error) in attempts {
                let error = (result > 0).then_some(error);
                figures.count_attempt(attempt, result, error, Duration::from_millis(millis));
                figures.count_delay(result, Duration::from_millis(millis));
            }
            if ended {
                figures.count_run(RunEnd::ALL[end], at, 3, 75, Duration::from_millis(1));
            }
            let text = render(&name, &figures);
            prop_assert_eq!(parse(&text), Some((name, figures)));
        }

        #[test]
        fn a_torn_file_is_never_taken_for_a_whole_one(cut in 0usize..5000) {
            let mut figures = Figures::default();
            figures.count_attempt(1, 2, Some("exit_1".into()), Duration::from_millis(3));
            figures.count_run(RunEnd::Permanent, 5.0, 1, 1, Duration::from_millis(3));
            let text = render("job", &figures);
            let cut = cut.min(text.len() - 1);
            prop_assert_eq!(parse(&text[..cut]), None);
        }

        #[test]
        fn no_text_makes_the_reader_fail(text in "[a-z_{}=\",\\\\ 0-9\n#+]{0,80}") {
            let _ = parse(&text);
        }
    }

    #[test]
    fn what_a_later_version_counts_besides_is_left_out() {
        let mut figures = Figures::default();
        figures.count_attempt(1, 2, Some("exit_1".into()), Duration::from_millis(3));
        let text = render("job", &figures);
        let later = [
            r#"retry_moons_total{name="job"} 1"#,
            r#"retry_runs_total{name="job",ending="lost"} 1"#,
            r#"retry_attempts_total{name="job",attempt="0",result="success"} 1"#,
            r#"retry_attempts_total{name="job",attempt="1",result="maybe"} 1"#,
            r#"retry_attempt_duration_seconds_bucket{name="job",le="0.7"} 1"#,
            r#"retry_delay_seconds_total{name="job",source="moon"} 1"#,
        ];
        let later = later.join("\n");
        assert_eq!(parse(&format!("{later}\n\n{text}{later}\n")), Some(("job".into(), figures)));
    }

    #[test]
    fn a_file_of_two_jobs_or_with_what_is_no_number_is_none_of_ours() {
        let text = render("job", &Figures::default());
        assert!(parse(&text).is_some());
        for (ours, theirs) in [
            (r#"retry_runs_total{name="job",ending="permanent"} 0"#, r#"retry_runs_total{name="other",ending="x"} 0"#),
            (
                r#"retry_runs_total{name="job",ending="permanent"} 0"#,
                r#"retry_runs_total{name="job",ending="permanent"} -1"#,
            ),
            (r#"source="splay"} 0"#, r#"source="splay"} NaN"#),
            (r#"source="splay"} 0"#, r#"source="splay"} inf"#),
        ] {
            assert_eq!(parse(&text.replace(ours, theirs)), None, "{theirs}");
        }
    }

    #[test]
    fn each_family_is_announced_once_before_its_first_series() {
        let mut figures = Figures::default();
        figures.count_attempt(1, 2, Some("exit_1".into()), Duration::from_millis(3));
        figures.count_run(RunEnd::Permanent, 5.0, 1, 1, Duration::from_millis(3));
        let text = render("job", &figures);
        let mut announced = Vec::new();
        for line in text.lines() {
            if let Some(family) = line.strip_prefix("# TYPE ") {
                let name = family.split(' ').next().unwrap();
                assert!(!announced.contains(&name) && text.contains(&format!("# HELP {name} ")), "{line}");
                announced.push(name);
            } else if !line.starts_with('#') {
                assert!(announced.last().is_some_and(|name| line.starts_with(name)), "{line}");
            }
        }
        assert_eq!(announced.len(), 12);
    }

    #[test]
    fn every_ending_result_and_attempt_stands_there_from_the_first_run_on() {
        let text = render("job", &Figures::default());
        let count = |start: &str| text.lines().filter(|line| line.starts_with(start) && line.ends_with(" 0")).count();
        assert_eq!(count("retry_runs_total{name=\"job\""), 7);
        assert_eq!(count("retry_attempts_total{name=\"job\""), 30);
        assert_eq!(count("retry_delay_seconds_total{name=\"job\""), 3);
    }
}
