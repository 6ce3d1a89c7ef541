//! The command line: one table of options, from which parsing, help, the manuals and the completions all come.

pub mod complete;
pub mod help;
pub mod man;
mod options;
pub mod parse;
#[cfg(test)]
mod parse_tests;
pub mod settings;
pub mod spec;
pub mod table;
pub mod usage_error;
pub mod verbs;
