//! What started a run, where, and as whom: cron, systemd, a CI system, or a shell. Contract D10 (`origin`, `host`, `user`).

use std::ffi::CString;

use crate::record::{Name, Origin, User};

/// A variable of an environment, if it is set to something.
pub(super) fn variable<'a>(environment: &'a [CString], name: &str) -> Option<&'a str> {
    environment.iter().find_map(|entry| {
        let value = entry.to_bytes().strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        std::str::from_utf8(value).ok().filter(|value| !value.is_empty())
    })
}

/// What started this process, as far as it can be told.
pub(super) fn origin(environment: &[CString]) -> Origin {
    let get = |name| variable(environment, name).map(str::to_owned);
    if get("GITHUB_ACTIONS").as_deref() == Some("true") {
        let url = match (get("GITHUB_SERVER_URL"), get("GITHUB_REPOSITORY"), get("GITHUB_RUN_ID")) {
            (Some(server), Some(repository), Some(run)) => Some(format!("{server}/{repository}/actions/runs/{run}")),
            _ => None,
        };
        return Origin { kind: "github_actions".into(), run_url: url, ..Origin::default() };
    }
    if get("GITLAB_CI").is_some() {
        return Origin { kind: "gitlab_ci".into(), run_url: get("CI_JOB_URL"), ..Origin::default() };
    }
    if is_below_cron() {
        return Origin { kind: "cron".into(), ..Origin::default() };
    }
    if let Some(id) = get("INVOCATION_ID") {
        return Origin { kind: "systemd".into(), invocation_id: Some(id), ..Origin::default() };
    }
    Origin { kind: "shell".into(), ..Origin::default() }
}

/// Whether one of the nearest ancestors is a cron daemon. cron itself may run under systemd, whose INVOCATION_ID is then
/// the daemon's, not the job's: so this is asked first.
fn is_below_cron() -> bool {
    let mut pid = rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get());
    for _ in 0..6 {
        if pid <= 1 {
            return false;
        }
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
        let (Some(open), Some(close)) = (stat.find('('), stat.rfind(')')) else { return false };
        if matches!(stat[open + 1..close].to_ascii_lowercase().as_str(), "cron" | "crond" | "anacron") {
            return true;
        }
        pid = stat[close + 1..].split_ascii_whitespace().nth(1).and_then(|parent| parent.parse().ok()).unwrap_or(0);
    }
    false
}

/// This machine.
pub fn host() -> Name {
    Name { name: rustix::system::uname().nodename().to_string_lossy().into_owned() }
}

/// Whose process this is. The name is looked up in /etc/passwd alone: a static program has no other way.
pub fn user() -> User {
    let id = rustix::process::getuid().as_raw().to_string();
    let name = std::fs::read_to_string("/etc/passwd").ok().and_then(|passwd| {
        passwd.lines().find_map(|line| {
            let mut fields = line.split(':');
            let name = fields.next()?;
            (fields.nth(1)? == id).then(|| name.to_owned())
        })
    });
    User { id, name }
}
