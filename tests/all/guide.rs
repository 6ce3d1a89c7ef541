//! docs/guide.md: every block of commands is run, in order, in one place; a block of text after it is what it must print.

use std::ops::Range;
use std::path::Path;

use crate::examples::{stand_in, with_stand_ins};
use crate::harness::Place;
use crate::loopback::{Answer, Server, http};
use crate::needs::have;

/// What a program that only the reader has does here.
const STAND_INS: [(&str, &str); 13] = [
    ("import-orders", "test -e \"$1\""),
    ("nightly-report", "[ \"$RETRY_ATTEMPT\" -ge 2 ] || { echo 'ERROR: deadlock detected' >&2; exit 1; }"),
    ("service-state", "[ \"$RETRY_ATTEMPT\" -ge 3 ] && echo ready || echo starting"),
    ("send-invoice", "echo \"$1\" >>invoices"),
    ("flaky-sync", "[ \"$RETRY_ATTEMPT\" -ge 2 ] || exit 75"),
    ("send-batch", "[ -e mended ] || { echo \"no answer from the mailer\" >&2; exit 75; }; echo \"$1\" >>batches"),
    ("mend-the-mailer", "touch mended"),
    ("fetch-orders", "echo x >>fetched; [ $(wc -l <fetched) -ge 3 ]"),
    ("sync-orders", "echo x >>synced; [ $(wc -l <synced) -ge 3 ]"),
    ("clean.sh", "echo clean >>built"),
    ("build.sh", "echo build >>built; [ \"$RETRY_ATTEMPT\" -ge 2 ]"),
    ("publish.sh", "echo publish >>built"),
    ("sleep", "exit 0"),
];

/// A block of the guide: its language, its text, and where its text stands.
struct Block<'a> {
    language: &'a str,
    text: &'a str,
    at: usize,
}

/// Where the sections stand: from one `## ` to the next.
fn sections(guide: &str) -> Vec<Range<usize>> {
    let starts: Vec<_> = guide.match_indices("\n## ").map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([guide.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

fn blocks(guide: &str, section: Range<usize>) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut from = section.start;
    while let Some(open) = guide[from..section.end].find("```") {
        let line = from + open + 3;
        let at = line + guide[line..].find('\n').expect("a fence ends its line") + 1;
        let end = at + guide[at..].find("```").expect("a block ends");
        blocks.push(Block { language: guide[line..at].trim(), text: &guide[at..end], at });
        from = end + 3;
    }
    blocks
}

#[test]
fn every_command_of_the_guide_works() {
    if !have("curl") {
        return;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide.md");
    let guide = std::fs::read_to_string(&file).expect("it is there");
    let place = Place::new();
    for (name, script) in STAND_INS {
        let file = stand_in(&place, name, script);
        if name.ends_with(".sh") {
            std::fs::rename(file, place.file(name)).expect("it moves");
        }
    }
    let answer = |status, body: &str| Answer::Http(status, vec![], body.into());
    let (shop, asked) = Server::recording(vec![
        http(503, &[]),
        answer(200, "[1,2]"),
        answer(200, "ok"),
        http(429, &["Retry-After: 0"]),
        answer(200, "[3]"),
    ]);
    let mut made = String::new();
    let mut copied = 0;
    let mut count = 0;
    for section in sections(&guide) {
        // One shell for a section, as a reader would have; a control character stands between what its blocks print.
        let blocks = blocks(&guide, section);
        let commands: Vec<_> = blocks.iter().filter(|block| block.language == "sh").map(|block| block.text).collect();
        count += commands.len();
        let mut cli = with_stand_ins(&place, "bash", &["-euo", "pipefail", "-c", &commands.join("printf '\\036'\n")]);
        if commands.iter().any(|text| text.contains("--plan")) {
            cli = cli.env_remove("RETRY_DEFAULT_BASE");
        }
        let ended = cli.env("SHOP", shop.url()).run();
        let out = ended.out();
        let said: Vec<_> = out.split('\u{1e}').collect();
        let reached = commands.get(said.len() - 1).unwrap_or(&"");
        assert_eq!(ended.code(), 0, "{reached}{out}{}", ended.err());
        let mut done = 0;
        for block in blocks {
            made.push_str(&guide[copied..block.at]);
            copied = block.at;
            match block.language {
                "sh" => done += 1,
                "text" => {
                    made.push_str(said[done - 1]);
                    copied += block.text.len();
                }
                other => panic!("a block of an unknown kind: {other}"),
            }
        }
    }
    made.push_str(&guide[copied..]);
    assert!(count > 20, "only {count} blocks were found");
    if std::env::var_os("RETRY_BLESS").is_some() {
        std::fs::write(&file, &made).expect("it can be written");
    } else {
        assert!(made == guide, "docs/guide.md is not what the programs say; RETRY_BLESS=1 writes it anew:\n{made}");
    }

    // What the commands came to, where the guide says so.
    assert_eq!(place.read("orders.json"), "[3]");
    assert_eq!(place.read("invoices"), "2026-11\n2026-11\n", "once without a store of finished ids, once with it");
    assert_eq!(place.read("batches"), "1\n2\n3\n", "the oldest first, each once");
    assert_eq!(place.read("built"), "build\nclean\nbuild\npublish\n");
    let posted = asked.try_iter().nth(2).expect("three questions");
    assert_eq!((posted.line.as_str(), posted.body.as_str()), ("POST /orders HTTP/1.1", "[1,2]"));
}
