//! What people see of a run: messages, logs, the terminal, the journal, CI. Contract W1 to W7, S12.

pub mod escape;
pub mod texts;
