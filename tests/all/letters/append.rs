//! How a line gets into the file: fenced, whole, or on stderr. Contract D3, D20, D21.

use super::{FILE, acknowledged, letter_ctl, letter_of, lines};
use crate::harness::Place;
use crate::needs::skipped;

#[test]
fn half_a_line_of_a_killed_writer_is_fenced_by_the_next_letter() {
    let place = Place::new();
    place.write(FILE, "{\"v\":1,\"kind\":\"dead_letter\",\"id\":\"01K");
    place.retry(["-qq", "-n1", "--dead-letter", FILE, "false"]).run().is(1, "", "");
    let text = place.read(FILE);
    let (torn, whole) = text.split_once('\n').unwrap();
    assert!(torn.ends_with("01K") && whole.ends_with("}\n"));
    letter_ctl(&place, &["verify"]).run().is(
        65,
        &format!(
            "{0}:1: torn: it breaks off\n{0}: 1 letter, 0 events, 1 line cannot be read\n",
            place.file(FILE).display()
        ),
        "",
    );
}

#[test]
fn a_letter_that_cannot_be_written_goes_to_stderr_masked_and_the_status_stays() {
    let place = Place::new();
    let script = "ulimit -f 0; retry -qq -n1 --dead-letter letters -- sh -c 'exit 7' sh --password=hunter2";
    let ended = place.bash(script).run();
    assert_eq!((ended.code(), ended.out().as_str()), (7, ""));
    let err = ended.err();
    let json = err.strip_prefix("retry: dead letter not saved: ").and_then(|rest| rest.strip_suffix('\n'));
    let record: serde_json::Value = serde_json::from_str(json.unwrap_or_else(|| panic!("{err}"))).unwrap();
    assert_eq!((&record["redacted"], &record["process"]["args"][4]), (&true.into(), &"--password=***".into()));
    assert!(record["retry"]["history"].is_null() && record["stderr"].is_null());
    assert_eq!(place.read(FILE), "");
}

#[test]
fn a_disk_that_fills_up_loses_no_letter_that_was_acknowledged() {
    let place = Place::new();
    // A namespace of its own for the small disk; everything is looked at before it goes.
    let script = r#"
        mkdir disk && mount -t tmpfs -o size=32k none disk || exit 99
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
            retry -q -n1 --dead-letter disk/letters -- sh -c 'head -c 3000 /dev/zero | tr "\0" x >&2; exit 7' 2>>said
            [ $? = 7 ] || echo "status changed" >>said
        done
        cp disk/letters full
        : >disk/letters
        retry -q -n1 --dead-letter disk/letters -- false 2>>after
        cp disk/letters after.letters
    "#;
    let ended = place.program("unshare", ["--mount", "--map-root-user", "bash", "-c", script]).run();
    if ended.code() == 99 || ended.err().contains("unshare") {
        skipped(format_args!("no disk can be mounted here: {}", ended.err().trim_end()));
        return;
    }
    let (said, full) = (place.read("said"), lines(&place, "full"));
    let saved = acknowledged(&said);
    assert!(!said.contains("status changed") && said.contains("no space left on device"), "{said}");
    assert!(saved.len() > 3 && said.matches("dead letter not saved: {").count() == 16 - saved.len(), "{said}");
    let found: Vec<&str> = full.iter().map(super::id).collect();
    assert_eq!(found, saved);
    assert_eq!(acknowledged(&place.read("after")).len(), lines(&place, "after.letters").len());
}

#[test]
fn whatever_stands_in_the_file_the_letters_beside_it_are_found_and_it_is_kept() {
    let place = Place::new();
    let first = letter_of(&place, &[], &["false"]);
    let mut bytes = place.read(FILE).into_bytes();
    let foreign: [&[u8]; 7] = [
        b"not json",
        b"\0\0\0\0\0\0",
        b"{\"a\":1}",
        b"{\"v\":2,\"kind\":\"dead_letter\",\"id\":7}",
        b"{\"v\":1,\"kind\":\"poem\",\"text\":\"x\"}",
        b"\xff\xfe",
        b"",
    ];
    for line in foreign {
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
    }
    let long = format!(
        "{{\"v\":1,\"kind\":\"dead_letter\",\"id\":\"LONG\",\"process\":{{\"args\":[\"{}\"]}}}}\n",
        "x".repeat(5 << 20)
    );
    bytes.extend_from_slice(long.as_bytes());
    place.write(FILE, &bytes);
    std::fs::set_permissions(place.file(FILE), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    place.retry(["-qq", "-n1", "--dead-letter", FILE, "false"]).run().is(1, "", "");
    let listed = letter_ctl(&place, &["list", "--format=ids"]).run();
    assert_eq!(listed.out().lines().count(), 3, "{}", listed.out());
    assert!(listed.out().contains("LONG") && listed.out().contains(super::id(&first)));
    let file = place.file(FILE).display().to_string();
    assert_eq!(
        listed.err(),
        format!("retryctl: passed over 6 lines of {file}: retryctl dead-letter verify --file {file}\n")
    );
    let faults = letter_ctl(&place, &["verify"]).run();
    assert_eq!(faults.code(), 65);
    let expected = [
        "2: not JSON",
        "3: not JSON",
        "4: foreign: JSON, but no dead letter and no event",
        "5: written by a later version (v 2)",
        "6: of an unknown kind",
        "7: not JSON",
    ];
    let expected: String = expected.iter().map(|line| format!("{file}:{line}\n")).collect();
    assert_eq!(faults.out(), expected + &format!("{file}: 3 letters, 0 events, 6 lines cannot be read\n"));
    // What cannot be read outlives a purge of all else.
    letter_ctl(&place, &["purge", "--older-than=0", "--state=all", "--yes"]).run().code();
    let left = std::fs::read(place.file(FILE)).unwrap();
    assert_eq!(left.split(|b| *b == b'\n').filter(|line| !line.is_empty()).collect::<Vec<_>>(), &foreign[..6]);
}

#[test]
fn a_line_that_a_writer_is_still_writing_is_no_fault() {
    let place = Place::new();
    let mut text = letter_of(&place, &[], &["false"]).to_string() + "\n";
    text += "{\"v\":1,\"kind\":\"dead_letter\",\"id";
    place.write(FILE, &text);
    assert_eq!(letter_ctl(&place, &["verify"]).run().code(), 0);
    let listed = letter_ctl(&place, &["list", "--format=ids"]).run();
    assert_eq!((listed.out().lines().count(), listed.err().as_str()), (1, ""));
}
