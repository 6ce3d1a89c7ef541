//! Presets of backups and object stores.

use super::{NONE, retry_on};
use crate::code_set::ExitSet;
use crate::preset::{Advice, Preset};

pub(super) const RESTIC: Preset = Preset {
    name: "restic",
    commands: &["restic"],
    retry: ExitSet::of(&[11]),
    texts: &[retry_on(
        &[1],
        &[
            "connection refused",
            "connection reset",
            "i/o timeout",
            "tls handshake timeout",
            "unexpected eof",
            "no such host",
            "unexpected http response (429)",
            "unexpected http response (5##)",
            "already locked",
        ],
    )],
    sureness: "A for 11, C for 1",
    source: "restic documentation, Scripting; seen with restic 0.14",
    note: "3 is a snapshot that lacks files which could not be read: permanent unless --succeed-on-exit 3. 10 (no \
           repository) and 12 (wrong password) are permanent. Before 0.17 everything exits 1, so its text decides.",
    own_retries: "it has its own for 15 minutes per request",
    ..NONE
};

pub(super) const BORG: Preset = Preset {
    name: "borg",
    commands: &["borg"],
    retry: ExitSet::of(&[73, 80, 81]),
    success: ExitSet::of(&[
        1, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120,
        121, 122, 123, 124, 125,
    ]),
    texts: &[retry_on(
        &[2],
        &[
            "connection closed by remote host",
            "connection refused",
            "connection reset",
            "failed to create/acquire the lock",
        ],
    )],
    advice: Some(Advice {
        applies: |line| !line.variable_is("BORG_EXIT_CODES", "modern"),
        text: "preset borg: without BORG_EXIT_CODES=modern in the environment its statuses hardly tell",
    }),
    sureness: "B, C for 2",
    source: "borg documentation, Return codes; seen with borg 1.2",
    note: "1 and 100 to 125 are warnings: the archive was made. Its 75 is permanent. Before 1.4 everything exits 2, so \
           its text decides.",
    own_retries: "--lock-wait waits for the lock by itself",
    ..NONE
};

pub(super) const RCLONE: Preset = Preset {
    name: "rclone",
    commands: &["rclone"],
    retry: ExitSet::of(&[5]),
    success: ExitSet::of(&[9]),
    texts: &[retry_on(
        &[1],
        &[
            "408 request timeout",
            "429 too many requests",
            "500 internal server error",
            "502 bad gateway",
            "503 service unavailable",
            "504 gateway",
            "connection refused",
            "connection reset",
            "i/o timeout",
            "unexpected eof",
        ],
    )],
    sureness: "A for 5, C for 1",
    source: "rclone documentation, Exit code; seen with rclone 1.60",
    note: "7 is permanent by its own words. 9 (nothing to transfer) counts as success. A 503 exits 1, so its text decides.",
    own_retries: "--retries 1 --low-level-retries 1",
    ..NONE
};

pub(super) const S3CMD: Preset = Preset {
    name: "s3cmd",
    commands: &["s3cmd"],
    retry: ExitSet::of(&[15, 75, 111]),
    texts: &[retry_on(
        &[1, 2, 11, 74],
        &[
            "connection reset",
            "connection refused",
            "timed out",
            "remote end closed connection",
            "badstatusline",
            "incompleteread",
            "503 (",
            "504 (",
            "502 (",
            "500 (",
            "slowdown",
        ],
    )],
    sureness: "A, B; C for the texts",
    source: "s3cmd, ExitCodes.py; seen with s3cmd 2.3",
    note: "11 mixes 400 and 504, so its text decides.",
    own_retries: "after a 503 it tries 5 times by itself, for minutes; 2.3 has no option against it",
    ..NONE
};
