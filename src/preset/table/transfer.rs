//! Presets of tools that move files and sources.

use super::{NONE, retry_on};
use crate::code_set::ExitSet;
use crate::policy::Verdict;
use crate::preset::{Advice, From, Http, Preset, Texts};

pub(super) const CURL: Preset = Preset {
    name: "curl",
    commands: &["curl"],
    retry: ExitSet::of(&[5, 6, 7, 12, 16, 18, 28, 35, 52, 55, 56, 92, 95, 96, 97]),
    http: Some(Http { on: ExitSet::of(&[22]), named: "returned error: ###", cure: "add -S, -v or -D /dev/stderr" }),
    ambiguous: ExitSet::of(&[18, 28, 52, 55, 56]),
    advice: Some(Advice {
        applies: |line| {
            let fails = ["--fail", "--fail-with-body", "--fail-early"].iter().any(|option| line.has(option));
            !fails && !line.has_letter('f', "#:012346aBfgGiIjJklLMnNOpqRsSvVZ")
        },
        text: "preset curl: without --fail a 503 exits 0 and is not retried",
    }),
    sureness: "A for 5 6 12 28, B and C for the rest",
    source: "curl(1), EXIT CODES and --retry; seen with curl 7.88",
    note: "Hears Retry-After in the headers that -v or -D /dev/stderr print.",
    own_retries: "--retry 0, the default",
    ..NONE
};

pub(super) const WGET: Preset = Preset {
    name: "wget",
    commands: &["wget"],
    retry: ExitSet::of(&[4]),
    http: Some(Http { on: ExitSet::of(&[8]), named: "ERROR ###:", cure: "leave out -q, or add -S" }),
    ambiguous: ExitSet::of(&[4]),
    sureness: "B, C",
    source: "wget(1), EXIT STATUS; seen with wget 1.21",
    note: "Hears Retry-After in the headers that -S prints.",
    own_retries: "it tries 20 times by itself: -t 1, and -T for a silent server",
    ..NONE
};

pub(super) const RSYNC: Preset = Preset {
    name: "rsync",
    commands: &["rsync"],
    retry: ExitSet::of(&[10, 12, 30, 35, 255]),
    success: ExitSet::of(&[24]),
    texts: &[
        retry_on(&[5], &["max connections", "connection reset", "connection timed out"]),
        Texts {
            on: ExitSet::of(&[12, 255]),
            verdict: Verdict::Permanent,
            from: From::Stderr,
            any_of: &["permission denied (", "host key verification failed", "command not found"],
        },
    ],
    sureness: "B, C",
    source: "rsync(1), EXIT VALUES; seen with rsync 3.2 and 3.5",
    note: "24 (a file vanished while it was copied) counts as success, 23 (some files failed) is permanent. An ssh that \
           is refused gives 12 or 255, by version.",
    own_retries: "it has none; --timeout ends a silent server with 30",
    ..NONE
};

pub(super) const SSH: Preset = Preset {
    name: "ssh",
    commands: &["ssh", "scp", "sftp", "autossh"],
    retry: ExitSet::of(&[255]),
    texts: &[Texts {
        on: ExitSet::of(&[255]),
        verdict: Verdict::Permanent,
        from: From::Stderr,
        any_of: &["permission denied (", "host key verification failed", "too many authentication failures"],
    }],
    ambiguous: ExitSet::of(&[255]),
    sureness: "A, C",
    source: "ssh(1), EXIT STATUS; seen with OpenSSH 9.2",
    note: "Any other status is the remote command's, and permanent. After 255 the remote command may have run.",
    own_retries: "-o ConnectionAttempts=1, the default; -o ConnectTimeout=10 ends a silent server",
    ..NONE
};

pub(super) const GIT: Preset = Preset {
    name: "git",
    commands: &["git"],
    texts: &[retry_on(
        &[1, 128, 141],
        &[
            "could not resolve host",
            "failed to connect",
            "couldn't connect",
            "connection refused",
            "connection reset",
            "connection timed out",
            "connection closed by",
            "operation timed out",
            "operation too slow",
            "returned error: 408",
            "returned error: 429",
            "returned error: 500",
            "returned error: 502",
            "returned error: 503",
            "returned error: 504",
            "returned error: 52#",
            "early eof",
            "rpc failed",
            "empty reply from server",
            "hung up unexpectedly",
            "unexpected disconnect",
            "transfer closed with",
            "index.lock",
        ],
    )],
    translated: true,
    sureness: "C",
    source: "seen with git 2.47",
    note: "129 is usage. A push that the other side refused is permanent.",
    ..NONE
};
