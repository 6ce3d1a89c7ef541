//! `retry` runs a command again until it succeeds; `retryctl` looks after what runs leave behind.
//!
//! This library serves the two programs, their tests and their fuzzers; it promises no stable interface.
//! Modules stand by floor: each imports only from floors above it in this list (`tests/all/floors.rs` holds that).

// Floor 0: words.
pub mod code_set;
pub mod draws;
pub mod duration;
pub mod entropy;
pub mod lines;
pub mod pattern;
pub mod retry_after;
pub mod shell_word;
pub mod signal;
pub mod size;
pub mod timestamp;
pub mod ulid;

// Floor 1: facts.
pub mod backoff;
pub mod hint;
pub mod hint_file;
pub mod http_headers;
pub mod outcome;

// Floor 2: judgements.
pub mod exit_status;
pub mod output_rules;
pub mod policy;
pub mod preset;
pub mod record;
pub mod redact;

// Floor 3: the loop.
pub mod job;
pub mod machine;
pub mod observer;

// Floor 4: the kernel.
pub mod sys;

// Floor 5: resources.
pub mod capture;
pub mod dead_letter;
pub mod metrics;
pub mod notice;
pub mod record_file;
pub mod relay;
pub mod stats;
pub mod stdin;

// Floor 6: one attempt, one hook.
pub mod child;
pub mod hook;

// Floor 7: two worlds.
pub mod plan;
pub mod run;

// Floor 8: faces.
pub mod cli;
pub mod config;
pub mod ctl;
