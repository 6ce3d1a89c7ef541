//! Who a run is: its id, its idempotency key, and which replay of a dead letter. Contract R40, D32.

use std::ffi::CString;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use crate::job::Job;
use crate::ulid;

/// Who a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The run's id.
    pub id: String,
    /// What its command is told as RETRY_IDEMPOTENCY_KEY.
    pub key: String,
    /// The number of the replay, from 1; `None` for a run of its own.
    pub replay: Option<u32>,
}

impl Identity {
    /// A new run. In `environment` stands what another run around this one told, if there is one.
    pub fn new(job: &Job, environment: &[CString]) -> Identity {
        let find = |name: &[u8]| environment.iter().find_map(|entry| entry.to_bytes().strip_prefix(name));
        let id = ulid::new(SystemTime::now());
        let key = match (&job.idempotency_key, find(b"RETRY_ID="), find(b"RETRY_IDEMPOTENCY_KEY=")) {
            (Some(key), _, _) => key.clone(),
            (None, Some(_), Some(outer)) => derived(outer, job),
            (None, _, _) => id.clone(),
        };
        Identity { id, key, replay: None }
    }
}

/// The key of a run inside another: the same in each attempt of the outer one, different for different commands. The parts
/// are told apart by their lengths.
fn derived(outer: &[u8], job: &Job) -> String {
    let mut hash = Sha256::new();
    let mut add = |part: &[u8]| {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    add(outer);
    add(job.name.as_bytes());
    for arg in &job.command {
        add(arg.as_bytes());
    }
    hash.finalize()[..16].iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Random bytes of the operating system, for draws that no two processes share.
pub(super) fn entropy() -> [u8; 32] {
    let mut bytes = [0; 32];
    if !crate::entropy::fill(&mut bytes) {
        // A kernel without it: the instant and the process still tell two runs apart.
        let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        bytes[..16].copy_from_slice(&nanos.to_le_bytes());
        bytes[16..20].copy_from_slice(&std::process::id().to_le_bytes());
    }
    bytes
}
