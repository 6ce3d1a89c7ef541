//! Presets of package managers.

use super::{NONE, retry_on};
use crate::code_set::ExitSet;
use crate::policy::Verdict;
use crate::preset::{Advice, EmptyWords, From, Preset, Texts};

pub(super) const APT: Preset = Preset {
    name: "apt",
    commands: &["apt", "apt-get"],
    texts: &[retry_on(
        &[100],
        &[
            "could not get lock",
            "unable to acquire the dpkg",
            "unable to lock",
            "temporary failure resolving",
            "could not resolve",
            "could not connect",
            "connection failed",
            "connection timed out",
            "failed to fetch",
            "hash sum mismatch",
            "some index files failed to download",
        ],
    )],
    translated: true,
    advice: Some(Advice {
        applies: |line| {
            let any = line.mentions("error-on=any") || line.has("-eany") || line.mentions("Error-Mode");
            // The value may also be a word of its own.
            line.has("update") && !any && !((line.has("-e") || line.has("--error-on")) && line.has("any"))
        },
        text: "preset apt: without --error-on=any a failed update exits 0 and is not retried",
    }),
    sureness: "A, C",
    source: "apt-get(8), DIAGNOSTICS; seen with apt 2.6",
    note: "-o DPkg::Lock::Timeout=60 waits for the lock by itself.",
    own_retries: "-o Acquire::Retries=0",
    ..NONE
};

pub(super) const PIP: Preset = Preset {
    name: "pip",
    commands: &["pip", "python", "uv"],
    texts: &[Texts {
        on: ExitSet::of(&[1, 2]),
        verdict: Verdict::Retryable,
        from: From::Either,
        any_of: &[
            "retrying (retry",
            "newconnectionerror",
            "readtimeout",
            "read timed out",
            "connecttimeout",
            "connection reset",
            "connection aborted",
            "incompleteread",
            "incomplete-download",
            "http error 429",
            "http error 5##",
            "429 client error",
            "5## server error",
            "too many 429 error responses",
            "too many 5## error responses",
            "temporary failure in name resolution",
        ],
    }],
    silencers: &["-qqq", "-qq"],
    empty_words: Some(EmptyWords {
        text: "(from versions: none)",
        unless: &["-vv", "-vvv"],
        cure: "add -vv, with which it names what the index answered",
    }),
    sureness: "C",
    source: "seen with pip 23.2",
    note: "Its last line misleads: \"No matching distribution\" is what it says of a name that does not exist and of an index that \
           answered 503. Only with -vv does it tell them apart, on standard output, so that is read too; without, such a \
           failure counts as retryable, with a warning.",
    own_retries: "--retries 1: with 0 a lost connection looks like a name that does not exist",
    ..NONE
};

pub(super) const NPM: Preset = Preset {
    name: "npm",
    commands: &["npm", "npx"],
    texts: &[retry_on(
        &[1],
        &[
            "npm error code ECONN",
            "npm error code ENOTFOUND",
            "npm error code EAI_AGAIN",
            "npm error code ETIMEDOUT",
            "npm error code ERR_SOCKET_TIMEOUT",
            "npm error code E429",
            "npm error code E5##",
            "npm error code FETCH_ERROR",
            "npm ERR! code ECONN",
            "npm ERR! code ENOTFOUND",
            "npm ERR! code EAI_AGAIN",
            "npm ERR! code ETIMEDOUT",
            "npm ERR! code ERR_SOCKET_TIMEOUT",
            "npm ERR! code E429",
            "npm ERR! code E5##",
            "npm ERR! code FETCH_ERROR",
        ],
    )],
    silencers: &["-s", "--silent", "--loglevel=silent"],
    sureness: "C",
    source: "seen with npm 11",
    note: "E40x, ERESOLVE and EINTEGRITY are permanent.",
    own_retries: "--fetch-retries 0",
    ..NONE
};
