//! One tool on trial: it is run under its preset, once for each situation, and the verdict and its exit status are noted.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use crate::harness::Place;
use crate::loopback::{Answer, Refusing, Server, http};
use crate::needs::skipped;

/// What a preset makes of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Success,
    Retryable,
    Permanent,
}

/// What the other side does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    Answers200,
    Answers404,
    Answers429,
    Answers503,
    Refuses,
    /// Closes the connection before anything is answered.
    Closes,
    /// Resets the connection before anything is answered.
    Cuts,
    /// Closes it in the middle of the answer.
    Drops,
    /// Resets it in the middle of the answer.
    Resets,
    KeepsSilent,
}

impl Other {
    fn words(self) -> &'static str {
        match self {
            Other::Answers200 => "answers 200",
            Other::Answers404 => "answers 404",
            Other::Answers429 => "answers 429",
            Other::Answers503 => "answers 503",
            Other::Refuses => "refuses the connection",
            Other::Closes => "closes without an answer",
            Other::Cuts => "resets without an answer",
            Other::Drops => "closes in the middle of the answer",
            Other::Resets => "resets in the middle of the answer",
            Other::KeepsSilent => "keeps silent",
        }
    }
}

/// What most clients of HTTP make of the other side.
pub const OF_HTTP: [(Other, Verdict); 7] = [
    (Other::Answers200, Verdict::Success),
    (Other::Answers404, Verdict::Permanent),
    (Other::Answers429, Verdict::Retryable),
    (Other::Answers503, Verdict::Retryable),
    (Other::Refuses, Verdict::Retryable),
    (Other::Closes, Verdict::Retryable),
    (Other::KeepsSilent, Verdict::Retryable),
];

/// The same of those that look whether an answer was whole.
pub const OF_TRANSFER: [(Other, Verdict); 9] = [
    (Other::Answers200, Verdict::Success),
    (Other::Answers404, Verdict::Permanent),
    (Other::Answers429, Verdict::Retryable),
    (Other::Answers503, Verdict::Retryable),
    (Other::Refuses, Verdict::Retryable),
    (Other::Closes, Verdict::Retryable),
    (Other::Drops, Verdict::Retryable),
    (Other::Resets, Verdict::Retryable),
    (Other::KeepsSilent, Verdict::Retryable),
];

/// The document that says what was seen.
fn document() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/presets.md")
}

static WRITING: Mutex<()> = Mutex::new(());

/// A tool on trial.
pub struct Trial {
    /// Its directory, with nothing but what the test puts there.
    pub place: Place,
    preset: &'static str,
    version: String,
    env: Vec<(String, String)>,
    limit: Option<&'static str>,
    rows: Vec<String>,
}

impl Trial {
    /// Puts a tool on trial; `None`, with a line that says so, where it is not on this machine.
    pub fn of(preset: &'static str, program: &str, version: &[&str]) -> Option<Trial> {
        let output = Command::new(program).args(version).stdin(Stdio::null()).output();
        let text = match output {
            Ok(output) if output.status.success() => [output.stdout, output.stderr].concat(),
            Ok(_) | Err(_) => {
                skipped(format_args!("there is no {program} on this machine that runs"));
                return None;
            }
        };
        let text = String::from_utf8_lossy(&text).into_owned();
        let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
        let number =
            text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.').map(|word| word.trim_start_matches('v'));
        let number =
            number.into_iter().find(is_number).unwrap_or("of unknown version").trim_end_matches('.').to_owned();
        let version = format!("{program} {number}");
        Some(Trial { place: Place::new(), preset, version, env: vec![], limit: None, rows: vec![] })
    }

    /// Sets a variable for all that follows.
    pub fn env(&mut self, name: &str, value: &str) {
        self.env.push((name.to_owned(), value.to_owned()));
    }

    /// Ends what takes longer, for tools whose own retries cannot be turned off; `None` ends nothing.
    pub fn limit(&mut self, limit: Option<&'static str>) {
        self.limit = limit;
    }

    /// Says of what was seen last that its status differs from one time to the next.
    pub fn or(&mut self, other: &str) {
        let row = self.rows.last_mut().expect("something was seen");
        let cells: Vec<&str> = row.split(" | ").collect();
        *row = format!("{} | {other} | {}", cells[0], cells[2]);
    }

    /// Runs the command once and holds the verdict against what is expected.
    #[track_caller]
    pub fn see(&mut self, situation: &str, expected: Verdict, command: &[impl AsRef<str> + std::fmt::Debug]) {
        let fixed = ["-n", "1", "--no-dead-letter", "--ignore-retry-after", "--preset", self.preset];
        let limit: Vec<&str> = self.limit.iter().flat_map(|limit| ["--timeout", limit]).collect();
        let command = command.iter().map(AsRef::as_ref);
        let mut cli = self.place.retry(fixed.into_iter().chain(limit).chain(["--"]).chain(command.clone()));
        for (name, value) in &self.env {
            cli = cli.env(name, value);
        }
        let ended = cli.run();
        let err = ended.err();
        let last = err.lines().rev().find(|line| line.starts_with("retry: gave up")).unwrap_or_default();
        let verdict = match ended.code() {
            0 => Verdict::Success,
            _ if last.contains("(exhausted)") => Verdict::Retryable,
            _ if last.contains("(permanent") => Verdict::Permanent,
            code => panic!("{:?} gives {code}: {err}", command.collect::<Vec<_>>()),
        };
        assert_eq!(verdict, expected, "{} {situation}\n{}\n{err}", self.version, ended.out());
        let word = match verdict {
            Verdict::Success => "success",
            Verdict::Retryable => "retryable",
            Verdict::Permanent => "permanent",
        };
        let status = if last.contains(": timed out") { "time limit".to_owned() } else { ended.code().to_string() };
        self.rows.push(format!("| {situation} | {status} | {word} |"));
    }

    /// Sees what becomes of each of these situations; `command` is given the port of the other side.
    #[track_caller]
    pub fn see_all(
        &mut self,
        ok: &(impl Fn(&str) -> Answer + Clone + Send + Sync + 'static),
        command: &dyn Fn(u16) -> Vec<String>,
        expected: &[(Other, Verdict)],
    ) {
        for (other, verdict) in expected {
            let (ok, refusing) = (ok.clone(), Refusing::new());
            let answer = match other {
                Other::Answers200 => None,
                Other::Answers404 => Some(http(404, &["Content-Type: text/plain"])),
                Other::Answers429 => Some(http(429, &["Retry-After: 7"])),
                Other::Answers503 => Some(http(503, &["Content-Type: text/plain"])),
                Other::Closes | Other::Refuses => Some(Answer::Closed),
                Other::Cuts => Some(Answer::Cut),
                Other::Drops => Some(Answer::Dropped),
                Other::Resets => Some(Answer::Reset),
                Other::KeepsSilent => Some(Answer::Silent),
            };
            let answer = Arc::new(answer);
            let server = Server::new(move |request, _| answer.as_ref().clone().unwrap_or_else(|| ok(request)));
            let port = if *other == Other::Refuses { refusing.port } else { server.port };
            self.see(other.words(), *verdict, &command(port));
        }
    }

    /// Compares what was seen with the document, or writes it there.
    pub fn finish(self) {
        let (begin, end) = (format!("<!-- seen: {} -->\n", self.preset), "<!-- end -->".to_owned());
        let rows = self.rows.join("\n");
        let section = format!(
            "Seen with {}:\n\n| the other side | exit status | verdict |\n|---|---|---|\n{rows}\n",
            self.version
        );
        let _writing = WRITING.lock();
        let text = std::fs::read_to_string(document()).expect("docs/presets.md can be read");
        let start = text.find(&begin).unwrap_or_else(|| panic!("docs/presets.md has no {begin}")) + begin.len();
        let length = text[start..].find(&end).expect("a section ends");
        let stands = &text[start..start + length];
        if std::env::var_os("RETRY_BLESS").is_some() {
            let new = format!("{}{section}{}", &text[..start], &text[start + length..]);
            std::fs::write(document(), new).expect("docs/presets.md can be written");
        } else if stands.starts_with(&format!("Seen with {}:", self.version)) {
            assert_eq!(stands, section, "docs/presets.md differs; RETRY_BLESS=1 writes it anew");
        } else {
            eprintln!("not compared: docs/presets.md was written with another version than {}", self.version);
        }
    }
}

/// Text as the arguments of a command.
pub fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}
