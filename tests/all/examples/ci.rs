//! The steps of GitHub Actions and GitLab CI, run under bash as their runners run them, with the runners' variables.

use super::{fails_until, stand_in, text, with_stand_ins};
use crate::harness::{Cli, Place};

/// The block of `run: |`, or the line of `run:`, in the step of this name.
fn step(name: &str) -> String {
    let text = text("github-actions.yml");
    let step = text.split("- name: ").find(|step| step.starts_with(name)).expect("a step of that name");
    let mut lines = step.lines().skip_while(|line| !line.trim_start().starts_with("run: "));
    let start = lines.next().expect("the step runs something");
    if !start.ends_with(" |") {
        return start.trim_start().replacen("run: ", "", 1) + "\n";
    }
    let indent = start.len() - start.trim_start().len() + 2;
    lines
        .take_while(|line| line.trim().is_empty() || line.starts_with(&" ".repeat(indent)))
        .map(|line| format!("{}\n", line.get(indent..).unwrap_or("")))
        .collect()
}

/// The variables of `env:` in the step of this name, with what `outputs` (the text of $GITHUB_OUTPUT) has for each.
fn variables(name: &str, outputs: &str) -> Vec<(String, String)> {
    let text = text("github-actions.yml");
    let step = text.split("- name: ").find(|step| step.starts_with(name)).expect("a step of that name");
    let output = |name: &str| outputs.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    let taken = step.lines().filter_map(|line| {
        let (variable, rest) = line.trim().split_once(": ${{ steps.deploy.outputs.")?;
        Some((variable.to_owned(), output(rest.trim_end_matches(" }}")).unwrap_or_default().to_owned()))
    });
    taken.collect()
}

/// A step as the runner of GitHub runs one that names no shell: a file under `bash -e`.
fn github(place: &Place, script: &str) -> Cli {
    place.write("step.sh", script);
    let cli = with_stand_ins(place, "bash", &["-e", "step.sh"]);
    cli.env("CI", "true")
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_OUTPUT", place.write("output", ""))
        .env("GITHUB_STEP_SUMMARY", place.write("summary", ""))
        .env("GITHUB_SERVER_URL", "https://github.example.org")
        .env("GITHUB_REPOSITORY", "shop/web")
        .env("GITHUB_RUN_ID", "42")
}

fn deploy(place: &Place, script: &str) {
    let file = stand_in(place, "deploy.sh", script);
    std::fs::rename(file, place.file("deploy.sh")).expect("it moves");
}

#[test]
fn the_install_step_unpacks_the_archive_into_usr_local() {
    let place = Place::new();
    stand_in(&place, "sudo", "exec \"$@\"");
    stand_in(&place, "tar", "echo \"$@\"");
    let args = "-xzf tools/retry-x86_64-linux.tar.gz -C /usr/local --strip-components=1\n";
    github(&place, &step("Install retry")).run().is(0, args, "");
}

#[test]
fn a_github_step_that_needed_retries_says_so_in_log_summary_and_outputs() {
    let place = Place::new();
    deploy(&place, &fails_until(2, 75, "echo deployed to $1"));
    let ended = github(&place, &step("Deploy")).run();
    ended.gives(0, "deployed to production\n");
    assert!(ended.err().contains("::group::"), "{}", ended.err());
    assert!(ended.err().contains("::warning title="), "{}", ended.err());
    assert_eq!(place.read("output"), "deploy_attempts=2\ndeploy_exit_code=0\ndeploy_ending=succeeded\n");
    assert!(place.read("summary").contains('|'), "a table: {}", place.read("summary"));
    let report: serde_json::Value = serde_json::from_str(&place.read("deploy-report.json")).expect("a report");
    assert_eq!(report["origin"]["run_url"], "https://github.example.org/shop/web/actions/runs/42");

    let told = variables("Tell how it went", &place.read("output"))
        .iter()
        .fold(github(&place, &step("Tell how it went")), |cli, (name, value)| cli.env(name, value));
    told.run().is(0, "deploy: succeeded, attempts: 2\n", "");
}

#[test]
fn a_github_step_that_failed_for_good_is_an_error_and_asks_no_further() {
    let place = Place::new();
    deploy(&place, "echo x >>called; exit 1");
    let ended = github(&place, &step("Deploy")).run();
    ended.gives(1, "");
    assert!(ended.err().contains("::error title="), "{}", ended.err());
    assert_eq!(place.read("called"), "x\n");
    assert_eq!(place.read("output"), "deploy_attempts=1\ndeploy_exit_code=1\ndeploy_ending=permanent\n");
}

#[test]
fn a_gitlab_job_retries_the_one_command_and_not_the_whole_job() {
    let text = text("gitlab-ci.yml");
    let script: Vec<_> = text
        .lines()
        .skip_while(|line| line.trim() != "script:")
        .skip(1)
        .map_while(|line| line.trim_start().strip_prefix("- "))
        .collect();
    assert_eq!(script.len(), 2);
    let place = Place::new();
    for (name, stand) in
        [("fetch-fixtures.sh", fails_until(3, 1, "echo fetched")), ("integration.sh", "echo tested >>tested".into())]
    {
        let file = stand_in(&place, name, &stand);
        std::fs::rename(file, place.file(name)).expect("it moves");
    }
    // GitLab's runner gives the lines to one shell with errexit and pipefail.
    let lines = format!("set -eo pipefail\n{}\n", script.join("\n"));
    let ended = with_stand_ins(&place, "bash", &["-c", &lines]).env("CI", "true").env("GITLAB_CI", "true").run();
    ended.gives(0, "fetched\n");
    assert!(ended.err().contains("section_start:"), "{}", ended.err());
    assert_eq!(place.read("tested"), "tested\n");
    assert!(place.file("integration-report.json").exists());
}
