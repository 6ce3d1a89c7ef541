//! The file of dead letters: where it is, how a line gets into it, and what its lines say together.

pub mod file;
pub mod fold;
pub mod lock;
pub mod open;
pub mod place;
pub mod purge;
pub mod scan;
pub mod summary;
