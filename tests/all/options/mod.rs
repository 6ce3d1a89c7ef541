//! Each option has a test through the program that fails when the option is ignored; the register below is complete.

mod attempts;
mod hooks;
mod limits;
mod messages;
mod records;
mod streams;
mod verdicts;

use std::ffi::OsStr;

use crate::harness::{Cli, Place};

/// What shows that an option works.
const REGISTER: &[(&str, fn())] = &[
    ("--max-tries", attempts::max_tries_bounds_the_attempts),
    ("--base", attempts::base_scales_the_delays),
    ("--cap", attempts::cap_bounds_the_delays),
    ("--factor", attempts::factor_makes_the_delays_grow),
    ("--backoff", attempts::backoff_shapes_the_delays),
    ("--delays", attempts::delays_are_waited_as_they_stand),
    ("--jitter", attempts::jitter_draws_the_delays),
    ("--splay", attempts::splay_waits_before_the_first_attempt),
    ("--max-elapsed", attempts::max_elapsed_begins_no_attempt_after_it),
    ("--reset-after", attempts::reset_after_starts_the_count_anew),
    ("--seed", attempts::seed_makes_a_run_take_the_delays_that_the_plan_shows),
    ("--timeout", limits::timeout_ends_an_attempt),
    ("--signal", limits::signal_is_the_first_that_a_timeout_sends),
    ("--kill-after", limits::kill_after_follows_a_forwarded_signal),
    ("--foreground", limits::foreground_keeps_the_process_group),
    ("--preserve-status", limits::preserve_status_exits_as_the_command_did),
    ("--retry-on-exit", verdicts::retry_on_exit_makes_the_rest_permanent),
    ("--fail-on-exit", verdicts::fail_on_exit_is_permanent),
    ("--succeed-on-exit", verdicts::succeed_on_exit_is_success),
    ("--retry-on-signal", verdicts::retry_on_signal_makes_the_rest_permanent),
    ("--fail-on-signal", verdicts::fail_on_signal_is_permanent),
    ("--fail-on-timeout", verdicts::fail_on_timeout_is_permanent),
    ("--retry-on-output", verdicts::retry_on_output_tries_a_success_again),
    ("--fail-on-output", verdicts::fail_on_output_is_permanent),
    ("--until-output", verdicts::until_output_tries_until_a_line_matches),
    ("--preset", verdicts::preset_knows_the_statuses_of_a_tool),
    ("--stdin", streams::stdin_says_what_each_attempt_reads),
    ("--stdin-max", streams::stdin_max_limits_what_is_kept),
    ("--output", streams::output_says_what_gets_through),
    ("--hints", streams::hints_are_taken_from_a_file_or_from_headers),
    ("--retry-after-max", streams::retry_after_max_ends_a_run_that_is_told_to_wait_longer),
    ("--ignore-retry-after", streams::ignore_retry_after_waits_as_without_it),
    ("--dead-letter", records::dead_letter_names_the_file),
    ("--no-dead-letter", records::no_dead_letter_keeps_none),
    ("--job", records::job_names_the_job),
    ("--idempotency-key", records::idempotency_key_reaches_every_attempt),
    ("--record-env", records::record_env_keeps_a_variable),
    ("--record-stdin", records::record_stdin_limits_the_stored_input),
    ("--redact", records::redact_hides_what_matches),
    ("--report", records::report_is_written_for_a_good_run_too),
    ("--report-full", records::report_full_hides_nothing),
    ("--quiet", messages::quiet_says_only_the_end_and_twice_nothing),
    ("--verbose", messages::verbose_says_when_attempts_start_and_end),
    ("--log-format", messages::log_format_json_is_one_object_a_line),
    ("--log-file", messages::log_file_gets_the_messages),
    ("--ci", messages::ci_writes_annotations),
    ("--ci-output", messages::ci_output_sets_outputs_of_the_step),
    ("--metrics-dir", messages::metrics_dir_counts_runs),
    ("--on-retry", hooks::on_retry_runs_before_each_delay),
    ("--on-failure", hooks::on_failure_runs_after_a_bad_run),
    ("--on-success", hooks::on_success_runs_after_a_good_run),
    ("--hook-timeout", hooks::hook_timeout_ends_a_hook),
    ("--hook-record", hooks::hook_record_full_hides_nothing),
    ("--plan", attempts::plan_prints_the_schedule_and_runs_nothing),
    ("-h", crate::command_line::help_and_version_are_on_stdout_and_run_nothing),
    ("--help", crate::command_line::help_and_version_are_on_stdout_and_run_nothing),
    ("--version", crate::command_line::help_and_version_are_on_stdout_and_run_nothing),
];

#[test]
fn every_option_is_in_the_register() {
    let options: Vec<String> =
        retry::cli::table::options(retry::cli::table::RETRY).map(retry::cli::spec::Spec::name).collect();
    let registered: Vec<&str> = REGISTER.iter().map(|(name, _)| *name).collect();
    let missing: Vec<&String> = options.iter().filter(|name| !registered.contains(&name.as_str())).collect();
    assert!(missing.is_empty(), "no test for {missing:?}");
    let unknown: Vec<&&str> = registered.iter().filter(|name| !options.iter().any(|o| o == *name)).collect();
    assert!(unknown.is_empty(), "no option {unknown:?}");
}

/// A quiet run of a shell line without delays or dead letter: options first, then what `sh -c` is to run.
fn run(place: &Place, options: &[&str], script: &str) -> Cli {
    let quiet = ["-qq", "--base", "0", "--no-dead-letter"];
    place.retry(quiet.iter().chain(options).map(OsStr::new).chain(["sh", "-c", script].map(OsStr::new)))
}

/// The one record in a file.
fn record(place: &Place, file: &str) -> serde_json::Value {
    let text = place.read(file);
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(&text).expect("a record is JSON")
}

/// The delays that a run with these options took, in milliseconds: those of its record.
fn delays(options: &[&str]) -> Vec<u64> {
    let place = Place::new();
    let all = ["-qq", "--dead-letter", "letters"];
    assert_eq!(place.retry(all.iter().chain(options).chain(&["false"])).run().code(), 1, "{options:?}");
    let record = record(&place, "letters");
    let history = record["retry"]["history"].as_array().expect("a history").clone();
    history.iter().filter_map(|attempt| attempt["delay_ms"].as_u64()).collect()
}
