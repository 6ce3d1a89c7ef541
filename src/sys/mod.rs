//! The kernel, and all `unsafe` of the package: one file a noun.

pub mod poll;
pub mod range_lock;
