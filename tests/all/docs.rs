//! What is generated and committed is what the code generates: manuals, completions.
//!
//! `RETRY_BLESS=1 cargo test --test all docs::` writes the files instead of comparing them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::needs::have;
use retry::cli::complete::{bash, fish, zsh};
use retry::cli::man;
use retry::cli::parse;
use retry::cli::spec::Spec;
use retry::cli::table;

/// The day that the manuals bear: that of the last change of their prose.
const DATE: &str = "2026-11-30";

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Compares a committed file with what the code makes of it now.
#[track_caller]
fn is_committed(path: &str, generated: &str) {
    let file = project(path);
    if std::env::var_os("RETRY_BLESS").is_some() {
        std::fs::create_dir_all(file.parent().expect("a file stands in a directory")).expect("a directory can be made");
        std::fs::write(&file, generated).expect("the file can be written");
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    if let Some((n, (is, should))) =
        committed.lines().zip(generated.lines()).enumerate().find(|(_, (is, should))| is != should)
    {
        panic!(
            "{path}, line {}:\n  is      {is}\n  becomes {should}\nRETRY_BLESS=1 cargo test --test all docs::",
            n + 1
        );
    }
    assert_eq!(committed.len(), generated.len(), "{path}: RETRY_BLESS=1 cargo test --test all docs::");
}

/// Runs a program that checks a file; where it is not installed there is nothing to check with.
fn passes(program: &str, args: &[&str], path: &str) {
    if !have(program) {
        return;
    }
    let output = Command::new(program).args(args).arg(project(path)).output().expect("it can be started");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success() && said.is_empty(), "{program} {path}: {}\n{said}", output.status);
}

fn page(name: &str) -> String {
    let prose = std::fs::read_to_string(project(&format!("man/{name}.md"))).expect("the prose stands beside the page");
    man::render(name, DATE, &prose)
}

#[test]
fn the_manual_of_retry_is_what_the_table_says() {
    is_committed("man/retry.1", &page("retry"));
    passes("mandoc", &["-T", "lint", "-W", "style"], "man/retry.1");
}

#[test]
fn the_manual_of_retryctl_is_what_the_table_says() {
    is_committed("man/retryctl.1", &page("retryctl"));
    passes("mandoc", &["-T", "lint", "-W", "style"], "man/retryctl.1");
}

#[test]
fn the_completions_for_bash_are_what_the_table_says() {
    for (path, text) in [("completions/retry.bash", bash::retry()), ("completions/retryctl.bash", bash::retryctl())] {
        is_committed(path, &text);
        passes("bash", &["-n"], path);
    }
}

#[test]
fn the_completions_for_zsh_are_what_the_table_says() {
    for (path, text) in [("completions/_retry", zsh::retry()), ("completions/_retryctl", zsh::retryctl())] {
        is_committed(path, &text);
        passes("zsh", &["-n"], path);
    }
}

#[test]
fn the_completions_for_fish_are_what_the_table_says() {
    for (path, text) in [("completions/retry.fish", fish::retry()), ("completions/retryctl.fish", fish::retryctl())] {
        is_committed(path, &text);
        passes("fish", &["-n"], path);
    }
}

/// Options of other programs that the manuals show.
const OF_OTHERS: &[&str] = &["--data-binary", "--headers", "--raw"];

#[test]
fn every_option_that_the_prose_names_is_one() {
    let known: Vec<String> =
        table::options(table::RETRY).chain(table::options(table::RETRYCTL)).map(Spec::name).collect();
    for name in ["retry", "retryctl"] {
        let prose =
            std::fs::read_to_string(project(&format!("man/{name}.md"))).expect("the prose stands beside the page");
        for word in prose.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(|word| word.len() > 2) {
            if word.starts_with("--") && !OF_OTHERS.contains(&word) {
                assert!(known.iter().any(|option| option == word), "man/{name}.md names {word}");
            }
        }
    }
}

#[test]
fn what_the_manual_runs_is_understood() {
    let mut lines = 0;
    for name in ["retry", "retryctl"] {
        let prose =
            std::fs::read_to_string(project(&format!("man/{name}.md"))).expect("the prose stands beside the page");
        // A line that ends with a backslash goes on in the next.
        for line in prose.replace(" \\\n", " ").lines().filter_map(|line| line.strip_prefix("    ")) {
            let line = line.trim_start();
            // Whatever stands in quotes is one word; what a pipe, a comment or a redirection begins is not ours.
            let script = format!("set -f; words() {{ printf '%s\\0' \"$@\"; }}; words {line}");
            if line.contains('[') || !(line.starts_with("retry ") || line.starts_with("retryctl ")) {
                continue;
            }
            let cut =
                script.split(" |").next().expect("a first part").split(" >").next().expect("a first part").to_owned();
            let words = Command::new("sh").args(["-c", &cut]).output().expect("sh runs").stdout;
            let words: Vec<std::ffi::OsString> = words
                .split(|byte| *byte == 0)
                .filter(|word| !word.is_empty())
                .skip(1)
                .map(|word| String::from_utf8_lossy(word).into_owned().into())
                .collect();
            let asked = match line.starts_with("retry ") {
                true => parse::retry(words, &|_| None).map(drop),
                false => parse::retryctl(words, &|_| None).1.map(drop),
            };
            if let Err(error) = asked {
                panic!("{line}: {error}");
            }
            lines += 1;
        }
    }
    assert!(lines > 15, "{lines}");
}
