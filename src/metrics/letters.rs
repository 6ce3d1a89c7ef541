//! The gauges of open and closed dead letters, in a file of their own that `retryctl stats` alone writes. Contract W8.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::path::Path;

use super::exposition::escape_label;

/// The letters of one job in one state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gauge {
    /// How many.
    pub count: u64,
    /// When the run of the oldest ended, in milliseconds since 1970; of no letter 0.
    pub oldest_ms: u64,
}

/// Gauges by job and state.
pub type Gauges = BTreeMap<(String, &'static str), Gauge>;

const COUNT: &str = "retry_dead_letters";
const OLDEST: &str = "retry_dead_letter_oldest_timestamp_seconds";

/// The text of the file.
pub fn render(gauges: &Gauges) -> String {
    let mut out = String::new();
    let labels = |(name, state): &(String, &str)| format!("name=\"{}\",state=\"{state}\"", escape_label(name));
    let _ = write!(out, "# HELP {COUNT} Dead letters by state.\n# TYPE {COUNT} gauge\n");
    for (key, gauge) in gauges {
        let _ = writeln!(out, "{COUNT}{{{}}} {}", labels(key), gauge.count);
    }
    let _ = write!(out, "# HELP {OLDEST} When the run of the oldest letter ended.\n# TYPE {OLDEST} gauge\n");
    for (key, gauge) in gauges.iter().filter(|(_, gauge)| gauge.count > 0) {
        let _ = writeln!(out, "{OLDEST}{{{}}} {}", labels(key), gauge.oldest_ms as f64 / 1000.0);
    }
    out
}

/// Writes the file of a metrics directory anew.
///
/// # Errors
/// Whatever a step says; the file is then as it was.
pub fn write(dir: &Path, gauges: &Gauges) -> io::Result<()> {
    // No lock: two that write at once write the same, each under a name of its own until the rename.
    let temporary = dir.join(format!(".retryctl_dead_letters.{}.tmp", std::process::id()));
    super::replace(&dir.join("retryctl_dead_letters.prom"), &temporary, &render(gauges))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_without_letters_has_a_count_and_no_age() {
        let mut gauges = Gauges::new();
        gauges.insert(("a\"b".into(), "dead"), Gauge { count: 2, oldest_ms: 1_500 });
        gauges.insert(("a\"b".into(), "poison"), Gauge::default());
        let text = render(&gauges);
        assert!(text.contains("retry_dead_letters{name=\"a\\\"b\",state=\"dead\"} 2\n"), "{text}");
        assert!(text.contains("retry_dead_letters{name=\"a\\\"b\",state=\"poison\"} 0\n"), "{text}");
        assert!(text.contains("_seconds{name=\"a\\\"b\",state=\"dead\"} 1.5\n"), "{text}");
        assert!(!text.contains("_seconds{name=\"a\\\"b\",state=\"poison\"}"), "{text}");
    }
}
