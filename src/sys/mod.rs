//! The kernel, and all `unsafe` of the package: one file a noun.

pub mod arena;
pub mod clock;
pub mod descendants;
pub mod detach;
pub mod entry;
pub mod outlet;
pub mod pipe;
pub mod poll;
pub mod range_lock;
pub mod reap;
pub mod resident;
pub mod send;
pub mod signals;
pub mod spawn;
pub mod spool;
pub mod standard;
pub mod terminal;
mod timer;
pub mod umask;
pub mod wait;
