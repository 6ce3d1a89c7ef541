//! All tests through the real binaries, one topic a file.
#![allow(missing_docs)]

mod command_line;
mod completions;
mod ctl_options;
mod delays;
mod docs;
mod floors;
mod descendants;
#[allow(dead_code)]
mod harness;
mod hints;
#[allow(dead_code)]
mod loopback;
mod main_job;
mod options;
mod output_rules;
mod plan;
mod preset_verbs;
mod readme;
mod replay_options;
mod streams;
mod verdicts;
mod inherited;
#[allow(dead_code)]
mod processes;
mod signals;
