//! Presets of clients of services.

use super::{NONE, retry_on};
use crate::code_set::ExitSet;
use crate::policy::Verdict;
use crate::preset::{Advice, From, Preset, Texts};

pub(super) const AWS: Preset = Preset {
    name: "aws",
    commands: &["aws"],
    texts: &[retry_on(
        &[1, 254, 255],
        &[
            "could not connect",
            "connection was closed",
            "connection closed",
            "connection reset",
            "connect timeout",
            "read timeout",
            "throttl",
            "requestlimitexceeded",
            "too many requests",
            "slowdown",
            "serviceunavailable",
            "internalerror",
            "internalfailure",
            "(429)",
            "(500)",
            "(502)",
            "(503)",
            "(504)",
        ],
    )],
    sureness: "A, B",
    source: "AWS CLI, Command line return codes; seen with 1.45",
    note: "252 and 253 (usage, configuration) are permanent. Version 1 exits 255 where version 2 exits 254.",
    own_retries: "AWS_MAX_ATTEMPTS=1",
    ..NONE
};

pub(super) const PSQL: Preset = Preset {
    name: "psql",
    commands: &["psql"],
    retry: ExitSet::of(&[2]),
    texts: &[
        retry_on(
            &[1, 3],
            &[
                "could not serialize",
                "deadlock detected",
                "lock not available",
                "could not obtain lock",
                "starting up",
                "shutting down",
                "too many clients",
                "too many connections",
            ],
        ),
        Texts {
            on: ExitSet::of(&[2]),
            verdict: Verdict::Permanent,
            from: From::Stderr,
            any_of: &["authentication failed", "no password supplied", "invalid connection option", "no pg_hba.conf"],
        },
    ],
    ambiguous: ExitSet::of(&[2]),
    translated: true,
    advice: Some(Advice {
        applies: |line| {
            let has_letter = |letter| line.has_letter(letter, "01?aAbeEHlnqsStVwWxXz");
            let stops = line.mentions("ON_ERROR_STOP") || line.has("--command") || has_letter('c');
            !stops && !line.has("--list") && !has_letter('l')
        },
        text: "preset psql: without -v ON_ERROR_STOP=1 an error in a script exits 0 and is not retried",
    }),
    sureness: "A, C",
    source: "psql(1), EXIT STATUS; seen with psql 15",
    note: "2 is a connection that was lost or never was; a password that is wrong is permanent.",
    ..NONE
};

pub(super) const PG_DUMP: Preset = Preset {
    name: "pg_dump",
    commands: &["pg_dump", "pg_dumpall", "pg_restore", "pg_basebackup"],
    texts: &[retry_on(
        &[1],
        &[
            "connection refused",
            "connection reset",
            "timeout",
            "timed out",
            "starting up",
            "shutting down",
            "too many clients",
            "too many connections",
            "server closed the connection",
            "could not translate host name",
            "ssl syscall error",
        ],
    )],
    translated: true,
    sureness: "C",
    source: "seen with pg_dump 15",
    ..NONE
};

pub(super) const DOCKER: Preset = Preset {
    name: "docker",
    commands: &["docker"],
    texts: &[retry_on(
        &[1, 125],
        &[
            "cannot connect to the docker daemon",
            "i/o timeout",
            "connection refused",
            "connection reset",
            "tls handshake timeout",
            "client.timeout exceeded",
            "unexpected eof",
            "toomanyrequests",
            "429 too many requests",
            "500 internal server error",
            "502 bad gateway",
            "503 service unavailable",
            "504 gateway",
            "temporary failure in name resolution",
            "error during connect",
        ],
    )],
    sureness: "A, C",
    source: "docker run, Exit status; seen with docker 28",
    note: "125 is a bad option too, so its text decides; other statuses are the container's.",
    ..NONE
};

pub(super) const KUBECTL: Preset = Preset {
    name: "kubectl",
    commands: &["kubectl"],
    texts: &[retry_on(
        &[1],
        &[
            "was refused",
            "connection refused",
            "connection reset",
            "i/o timeout",
            "tls handshake timeout",
            "unable to connect",
            "unexpected eof",
            "context deadline exceeded",
            "no route to host",
            "etcdserver",
            "too many requests",
            "toomanyrequests",
            "serviceunavailable",
            "service unavailable",
            "currently unable",
            "internalerror",
        ],
    )],
    sureness: "C",
    source: "seen with kubectl 1.32",
    note: "NotFound, Forbidden, Invalid and AlreadyExists are permanent. It obeys Retry-After by itself, up to ten times.",
    ..NONE
};

pub(super) const ANSIBLE: Preset = Preset {
    name: "ansible",
    commands: &["ansible", "ansible-playbook"],
    texts: &[Texts {
        on: ExitSet::of(&[4]),
        verdict: Verdict::Retryable,
        from: From::Either,
        any_of: &["UNREACHABLE!"],
    }],
    sureness: "B, C",
    source: "ansible-playbook, exit codes; seen with ansible-core 2.14",
    note: "It prints UNREACHABLE! on standard output, so that is read too. 4 is a syntax error as well.",
    ..NONE
};
