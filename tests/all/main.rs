//! All tests through the real binaries, one topic a file.
#![allow(missing_docs)]

mod as_timeout;
mod command_line;
mod completions;
mod ctl_options;
mod delays;
mod descendants;
mod docs;
mod examples;
mod floors;
mod guide;
#[allow(dead_code)]
mod harness;
mod hints;
mod hooks;
mod idle;
mod inherited;
mod letters;
#[allow(dead_code)]
mod loopback;
mod main_job;
mod messages;
mod metrics;
mod needs;
mod notices;
mod options;
mod output_rules;
mod pid_one;
mod plan;
mod preset_verbs;
mod presets;
#[allow(dead_code)]
mod processes;
mod races;
mod readme;
mod replay_options;
mod replays;
mod secrets;
mod signals;
mod stats;
mod streams;
mod terminal;
mod verdicts;
