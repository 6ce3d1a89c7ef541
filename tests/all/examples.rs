//! Every file below examples/, run as it stands, with stand-ins for the programs that only its user has.

mod alerts;
mod ci;
mod container;
mod cron;
mod psql;
mod redis;
mod shell;
mod systemd;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::harness::{Cli, Place};

/// Where an example stands.
pub fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}

/// The text of an example.
pub fn text(name: &str) -> String {
    std::fs::read_to_string(example(name)).unwrap_or_else(|e| panic!("examples/{name}: {e}"))
}

/// Puts a shell script in a place's bin/, as a stand-in for a program of that name.
pub fn stand_in(place: &Place, name: &str, script: &str) -> PathBuf {
    std::fs::create_dir_all(place.file("bin")).expect("a directory can be made");
    let file = place.write(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("its owner may change its mode");
    file
}

/// A program in a place where the stand-ins are found first and waits are short.
pub fn with_stand_ins(place: &Place, program: &str, args: &[&str]) -> Cli {
    let mut cli = place.program(program, args).env("RETRY_DEFAULT_BASE", "1ms");
    let path = cli.command().get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value.map(Into::into));
    let mut first = place.file("bin").into_os_string();
    first.push(":");
    first.push(path.unwrap_or_else(std::ffi::OsString::new));
    cli.env("PATH", first)
}

/// A stand-in's script that fails with this status until its n-th call.
pub fn fails_until(n: u32, status: u8, then: &str) -> String {
    format!("[ \"$RETRY_ATTEMPT\" -ge {n} ] || {{ echo no luck >&2; exit {status}; }}\n{then}")
}
