//! Each option of a verb of `retryctl` has a test through the program that fails when the option is ignored.

use retry::cli::spec::Opt;
use retry::cli::table;
use retry::cli::verbs::VERBS;
use serde_json::Value;

use crate::harness::{Ended, Place};
use crate::replay_options as replay;

/// What shows that an option works.
const REGISTER: &[(Opt, fn())] = &[
    (Opt::All, replay::all_takes_every_open_letter_and_yes_does_not_ask),
    (Opt::LetterJob, filters_choose_letters),
    (Opt::State, filters_choose_letters),
    (Opt::Since, filters_choose_letters),
    (Opt::Until, filters_choose_letters),
    (Opt::Exit, filters_choose_letters),
    (Opt::Ending, filters_choose_letters),
    (Opt::Grep, filters_choose_letters),
    (Opt::Count, filters_choose_letters),
    (Opt::File, file_may_be_repeated),
    (Opt::Yes, yes_is_needed_to_change_more_than_one_letter),
    (Opt::ListFormat, format_of_a_list_is_a_table_objects_or_ids),
    (Opt::Reveal, reveal_shows_what_is_hidden),
    (Opt::Json, json_and_shell_are_forms_of_a_letter),
    (Opt::Shell, json_and_shell_are_forms_of_a_letter),
    (Opt::LetterStatsBy, stats_of_letters_are_by_job_ending_or_exit),
    (Opt::StatsFormat, stats_of_letters_are_by_job_ending_or_exit),
    (Opt::Warn, check_warns_from_these_numbers_on),
    (Opt::Crit, check_warns_from_these_numbers_on),
    (Opt::MaxAge, check_warns_from_these_numbers_on),
    (Opt::Reason, reason_is_kept_with_what_was_discarded),
    (Opt::OlderThan, purge_deletes_what_is_older_and_in_these_states),
    (Opt::PurgeState, purge_deletes_what_is_older_and_in_these_states),
    (Opt::ReplayTries, replay::max_tries_replaces_the_recorded_number),
    (Opt::Rate, replay::rate_is_checked_and_spaces_the_replays),
    (Opt::StopAfter, replay::stop_after_ends_a_batch_that_goes_on_failing),
    (Opt::NewestOfGroup, replay::newest_runs_one_of_each_group_and_discards_the_rest),
    (Opt::InDoubt, replay::in_doubt_takes_letters_whose_replay_was_cut_off),
    (Opt::Poison, replay::poison_takes_letters_of_which_three_replays_failed),
    (Opt::DryRun, replay::dry_run_runs_nothing_and_says_what_would_run),
    (Opt::OtherHost, replay::other_host_takes_letters_that_were_written_elsewhere),
    (Opt::ChangedInput, replay::changed_input_takes_a_file_that_is_no_longer_as_it_was),
    (Opt::ReplayStdin, replay::stdin_gives_another_input),
    (Opt::EnvFile, replay::env_file_sets_variables),
    (Opt::StatsDir, stats_read_the_metrics_of_a_directory),
    (Opt::StatsBy, stats_read_the_metrics_of_a_directory),
];

#[test]
fn every_option_of_a_verb_is_in_the_register() {
    for opt in VERBS.iter().flat_map(|verb| verb.options) {
        let name = table::spec(*opt).name();
        assert!(REGISTER.iter().any(|(registered, _)| registered == opt), "no test for {name} ({opt:?})");
    }
}

/// A place with three open letters in `letters`: the jobs `old` (of 2020, exit 1), `bad` (exit 2, permanent) and `new`
/// (exit 3), oldest first.
fn place() -> Place {
    let place = Place::new();
    let fail = |job: &str, options: &[&str], script: &str| {
        let start = ["-qq", "-n1", "--dead-letter=letters", "--record-env=STAGE", "--job", job];
        let run = place.retry(start.iter().chain(options).chain(&["sh", "-c", script, "--password=hunter2"]));
        run.env("STAGE", "test").run();
    };
    fail("old", &[], "echo one >&2; exit 1");
    let mut letter: Value = serde_json::from_str(&place.read("letters")).expect("a letter is JSON");
    letter["@timestamp"] = "2020-01-01T00:00:00.000Z".into();
    letter["id"] = "01DXF6DT000000000000000ABC".into();
    place.write("letters", format!("{letter}\n"));
    fail("bad", &["--fail-on-exit=2"], "echo two >&2; exit 2");
    fail("new", &[], "echo three >&2; exit 3");
    place
}

fn ctl(place: &Place, line: &[&str]) -> Ended {
    let ended = place.retryctl(line.iter().chain(&["--file", "letters"])).run();
    assert!(ended.err().is_empty(), "{line:?}: {}", ended.err());
    ended
}

/// The jobs of the letters that are listed.
fn jobs(place: &Place, options: &[&str]) -> Vec<String> {
    let ended = ctl(place, &[&["dead-letter", "list", "--format", "jsonl"], options].concat());
    assert_eq!(ended.code(), 0);
    let job = |line: &str| serde_json::from_str::<Value>(line).expect("a line is JSON")["job"].clone();
    ended.out().lines().map(|line| job(line).as_str().expect("a job has a name").to_owned()).collect()
}

#[test]
pub fn filters_choose_letters() {
    let place = place();
    assert_eq!(jobs(&place, &[]), ["old", "bad", "new"]);
    assert_eq!(jobs(&place, &["--job", "bad"]), ["bad"]);
    assert_eq!(jobs(&place, &["--since", "1d"]), ["bad", "new"]);
    assert_eq!(jobs(&place, &["--until", "1d"]), ["old"]);
    assert_eq!(jobs(&place, &["--exit", "1,3-9"]), ["old", "new"]);
    assert_eq!(jobs(&place, &["--exit", "1", "--exit", "2"]), ["old", "bad"]);
    assert_eq!(jobs(&place, &["--ending", "permanent"]), ["bad"]);
    assert_eq!(jobs(&place, &["--grep", "t(wo|hree)"]), ["bad", "new"]);
    assert_eq!(jobs(&place, &["-n", "2"]), ["bad", "new"]);
    assert_eq!(jobs(&place, &["--count=1", "--until=1d"]), ["old"]);
    assert_eq!(jobs(&place, &["--state", "discarded,poison"]), [""; 0]);
}

#[test]
pub fn file_may_be_repeated() {
    let place = place();
    std::fs::rename(place.file("letters"), place.file("more")).expect("a file can be renamed");
    place.retry(["-qq", "-n1", "--dead-letter=letters", "--job=last", "false"]).run().is(1, "", "");
    assert_eq!(jobs(&place, &[]), ["last"]);
    assert_eq!(jobs(&place, &["--file", "more"]), ["old", "bad", "new", "last"]);
}

#[test]
pub fn format_of_a_list_is_a_table_objects_or_ids() {
    let place = place();
    let list = |format: &str| ctl(&place, &["dl", "list", "--format", format]).out();
    assert!(list("ids").starts_with("01DXF6DT000000000000000ABC\n") && list("ids").lines().count() == 3);
    assert!(list("table").starts_with("ID") && list("table").lines().count() == 4);
    assert!(list("jsonl").lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
}

#[test]
pub fn reveal_shows_what_is_hidden() {
    let place = place();
    for line in
        [["dl", "list", "--format=jsonl"].as_slice(), &["dl", "show", "0ABC"], &["dl", "show", "0ABC", "--shell"]]
    {
        let hidden = ctl(&place, line).out();
        assert!(!hidden.contains("hunter2") && !hidden.contains("=test"), "{hidden}");
        let shown = ctl(&place, &[line, &["--reveal"]].concat()).out();
        assert!(shown.contains("hunter2"), "{shown}");
    }
}

#[test]
pub fn json_and_shell_are_forms_of_a_letter() {
    let place = place();
    let json: Value = serde_json::from_str(&ctl(&place, &["dl", "show", "0abc", "--json"]).out()).expect("JSON");
    assert_eq!(json["job"], "old");
    let shell = ctl(&place, &["dl", "show", "0ABC", "--shell", "--reveal"]).out();
    assert_eq!(shell.lines().count(), 1);
    place.bash(&shell).run().is(1, "", "one\n");
}

#[test]
pub fn yes_is_needed_to_change_more_than_one_letter() {
    let place = place();
    let ended = place.retryctl(["dl", "discard", "--all", "--file=letters"]).run();
    assert_eq!((ended.code(), ended.out().as_str()), (64, ""), "{}", ended.err());
    assert!(ended.err().contains("--yes"), "{}", ended.err());
    assert_eq!(jobs(&place, &[]), ["old", "bad", "new"]);
    assert_eq!(ctl(&place, &["dl", "discard", "--all", "--yes"]).code(), 0);
    assert_eq!(jobs(&place, &[]), [""; 0]);
    assert_eq!(jobs(&place, &["--state", "discarded"]), ["old", "bad", "new"]);
}

#[test]
pub fn reason_is_kept_with_what_was_discarded() {
    let place = place();
    assert_eq!(ctl(&place, &["dl", "discard", "0ABC", "--reason", "sent by hand"]).code(), 0);
    assert!(ctl(&place, &["dl", "show", "0ABC"]).out().contains("sent by hand"));
}

#[test]
pub fn purge_deletes_what_is_older_and_in_these_states() {
    let place = place();
    let letters = |text: &str| text.matches("\"kind\":\"dead_letter\"").count();
    assert_eq!(ctl(&place, &["dl", "discard", "--all", "--yes"]).code(), 0);
    assert_eq!(ctl(&place, &["dl", "purge", "--older-than", "1d", "--yes", "--state", "replayed"]).code(), 0);
    assert_eq!(letters(&place.read("letters")), 3);
    assert_eq!(ctl(&place, &["dl", "purge", "--older-than", "1d", "--yes", "--state=discarded"]).code(), 0);
    assert_eq!(letters(&place.read("letters")), 2);
    let needed = place.retryctl(["dl", "purge", "--file=letters", "--yes"]).run();
    assert!(needed.code() == 64 && needed.err().contains("--older-than"), "{}", needed.err());
}

#[test]
pub fn stats_of_letters_are_by_job_ending_or_exit() {
    let place = place();
    let by = |what: &str| ctl(&place, &["dl", "stats", "--by", what]).out();
    assert!(by("job").contains("\nbad "), "{}", by("job"));
    assert!(by("ending").contains("\npermanent "), "{}", by("ending"));
    assert!(by("exit").contains("3"), "{}", by("exit"));
    assert!(by("exit") != by("ending"));
    let json = ctl(&place, &["dl", "stats", "--format", "json"]).out();
    assert!(serde_json::from_str::<Value>(&json).is_ok(), "{json}");
}

#[test]
pub fn check_warns_from_these_numbers_on() {
    let place = place();
    let check = |options: &[&str]| ctl(&place, &[&["dl", "check"], options].concat()).code();
    assert_eq!(check(&[]), 1);
    assert_eq!(check(&["--warn", "4"]), 0);
    assert_eq!(check(&["--warn", "4", "--crit", "3"]), 2);
    assert_eq!(check(&["--warn", "4", "--max-age", "30d"]), 2);
    assert_eq!(check(&["--warn", "4", "--max-age", "99999d"]), 0);
}

#[test]
pub fn stats_read_the_metrics_of_a_directory() {
    let place = Place::new();
    std::fs::create_dir(place.file("metrics")).expect("a directory can be made");
    for (job, status) in [("one", "3"), ("two", "4"), ("two", "4")] {
        let run = ["-qq", "-n2", "--base=0", "--no-dead-letter", "--metrics-dir=metrics", "--job", job, "sh", "-c"];
        let script = format!("exit {status}");
        place.retry(run.iter().chain(&[script.as_str()])).run().gives(status.parse().expect("a number"), "");
    }
    place.write("letters", "");
    let stats = |options: &[&str]| {
        let ended = place.retryctl(["stats", "--metrics-dir=metrics", "--file=letters"].iter().chain(options)).run();
        assert_eq!((ended.code(), ended.err().as_str()), (0, ""));
        ended.out()
    };
    assert!(stats(&[]).contains("\none ") && stats(&[]).contains("\ntwo "), "{}", stats(&[]));
    assert!(stats(&["--by", "error"]).contains("exit_4"), "{}", stats(&["--by", "error"]));
    assert!(serde_json::from_str::<Value>(&stats(&["--format", "json"])).is_ok());
}
