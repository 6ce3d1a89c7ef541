//! Presets judged by the tools themselves against servers on loopback. Contract P3.
//!
//! What was seen stands in docs/presets.md, a section for each tool; RETRY_BLESS=1 writes it anew. A tool that is not on the
//! machine is skipped with a line that says so; one of another version is judged, but not compared with the document.

mod backup;
mod packages;
mod rules;
mod services;
mod transfer;
mod trial;
