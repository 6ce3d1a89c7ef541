//! A letter as a line for the shell: directory, mask, environment, command and input. Contract D13, D32.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use super::shown::Mask;
use crate::notice::escape;
use crate::record::{self, Record};
use crate::shell_word::quote;

/// The line, with its newline. Masked, it shows what would run; only revealed it does the same as the run did.
pub fn of(record: &Record, mask: &Mask) -> Vec<u8> {
    let args = record::args_of(&record.process);
    let redactor = mask.redactor_of(record);
    let hide = |text: OsString| redactor.as_ref().map_or(text, |_| OsString::from("***"));
    let mut line = Vec::new();
    let input = input_before(record, mask);
    line.extend_from_slice(&input.before);
    line.push(b'(');
    let directory = match &record.process.working_directory_b64 {
        Some(bytes) => OsString::from_vec(bytes.0.clone()),
        None => OsString::from(&record.process.working_directory),
    };
    if !directory.is_empty() {
        line.extend_from_slice(b"cd ");
        line.extend_from_slice(&path(&directory));
        line.extend_from_slice(b" && ");
    }
    if !record.umask.is_empty() && record.umask.bytes().all(|b| b.is_ascii_digit()) {
        line.extend_from_slice(format!("umask {} && ", record.umask).as_bytes());
    }
    line.extend_from_slice(b"exec env");
    for (name, value) in &record.env {
        let value = match record.env_b64.get(name) {
            Some(bytes) => OsString::from_vec(bytes.0.clone()),
            None => OsString::from(value),
        };
        assignment(&mut line, name, &hide(value));
    }
    assignment(&mut line, "RETRY_IDEMPOTENCY_KEY", OsStr::new(&record.idempotency_key));
    let words: Vec<OsString> = match &redactor {
        Some(redactor) => redactor.args().iter().map(OsString::from).collect(),
        None => args,
    };
    // env would take a command with an equals sign for one more variable.
    if words.first().is_some_and(|command| command.as_bytes().contains(&b'=')) {
        line.extend_from_slice(b" sh -c 'exec \"$@\"' sh");
    }
    for word in &words {
        line.push(b' ');
        line.extend_from_slice(&quote(word));
    }
    line.push(b')');
    line.extend_from_slice(&input.after);
    let mut line = harmless(&line);
    line.push(b'\n');
    line
}

/// The same line without what acts on a terminal (D36): printf(1) makes it anew when the line is run. Whatever acts
/// stands between single quotes here, which are left for it.
fn harmless(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut made = |bytes: &[u8], acts: bool| match acts {
        true => {
            let octal: String = bytes.iter().map(|byte| format!("\\{byte:03o}")).collect();
            out.extend_from_slice(format!("'\"$(printf '{octal}')\"'").as_bytes());
        }
        false => out.extend_from_slice(bytes),
    };
    for chunk in line.utf8_chunks() {
        for c in chunk.valid().chars() {
            made(c.encode_utf8(&mut [0; 4]).as_bytes(), escape::acts(c) && !matches!(c, '\n' | '\t'));
        }
        // Bytes that are no UTF-8: where a terminal takes them for Latin-1, some are controls.
        chunk.invalid().iter().for_each(|byte| made(&[*byte], (0x80..0xa0).contains(byte)));
    }
    out
}

fn assignment(line: &mut Vec<u8>, name: &str, value: &OsStr) {
    line.push(b' ');
    line.extend_from_slice(&quote(name));
    line.push(b'=');
    if !value.is_empty() {
        line.extend_from_slice(&quote(value));
    }
}

/// A path that no command takes for an option.
fn path(path: &OsStr) -> Vec<u8> {
    if path.as_bytes().starts_with(b"-") {
        let mut here = OsString::from("./");
        here.push(path);
        return quote(here);
    }
    quote(path)
}

#[derive(Default)]
struct Redirection {
    before: Vec<u8>,
    after: Vec<u8>,
}

fn input_before(record: &Record, mask: &Mask) -> Redirection {
    let Some(input) = &record.stdin else { return Redirection::default() };
    let mut redirection = Redirection::default();
    match (&*input.kind, &input.text, &input.b64) {
        ("stored", Some(text), _) => {
            let text = if mask.reveals() { text } else { "***" };
            redirection.before = [b"printf %s ", &*quote(text), b" | "].concat();
        }
        ("stored", None, Some(bytes)) => {
            // base64 is its own best quoting.
            let text = serde_json::to_string(bytes).unwrap_or_default();
            let text = if mask.reveals() { text.trim_matches('"') } else { "***" };
            redirection.before = [b"printf %s ", &*quote(text), b" | base64 -d | "].concat();
        }
        ("file", ..) => {
            let file = match (&input.path_b64, &input.path) {
                (Some(bytes), _) => OsString::from_vec(bytes.0.clone()),
                (None, text) => OsString::from(text.clone().unwrap_or_default()),
            };
            match input.offset.unwrap_or(0) {
                0 => redirection.after = [b" < ", &*quote(&file)].concat(),
                offset => {
                    let start = format!("tail -c +{} < ", offset + 1);
                    redirection.before = [start.as_bytes(), &quote(&file), b" | "].concat();
                }
            }
        }
        ("null" | "not_read", ..) => redirection.after = b" < /dev/null".to_vec(),
        _ => redirection.after = b" # its input was not stored".to_vec(),
    }
    redirection
}
