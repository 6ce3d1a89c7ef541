//! What an attempt has started, so that nothing of it survives its time limit (contract C31).
//!
//! On Linux it is found through /proc; elsewhere only the process group is known.

#[cfg(all(target_os = "linux", not(retry_portable)))]
mod linux;
#[cfg(not(all(target_os = "linux", not(retry_portable))))]
mod portable;

#[cfg(all(target_os = "linux", not(retry_portable)))]
pub use linux::{Family, Process, become_subreaper, could_handle, is_reaper};
#[cfg(not(all(target_os = "linux", not(retry_portable))))]
pub use portable::{Family, Process, become_subreaper, could_handle, is_reaper};
