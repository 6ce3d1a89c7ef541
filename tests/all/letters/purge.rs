//! `purge`: what goes, what stays, and what it asks for.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::{FILE, id, letter_ctl, letter_of, lines};
use crate::harness::Place;

#[test]
fn a_purge_takes_out_what_is_closed_and_old_enough_and_nothing_else() {
    let place = Place::new();
    let open = id(&letter_of(&place, &["--job=open"], &["false"])).to_owned();
    let closed = id(&letter_of(&place, &["--job=closed"], &["false"])).to_owned();
    letter_ctl(&place, &["discard", &closed]).run().is(0, &format!("discarded {closed}\n"), "");
    letter_ctl(&place, &["purge", "--older-than=1h", "--yes"]).run();
    assert_eq!(letter_ctl(&place, &["list", "--state=discarded", "--format=ids"]).run().out(), format!("{closed}\n"));
    let purged = letter_ctl(&place, &["purge", "--older-than=0", "--yes"]).run();
    assert!(purged.out().contains(": deleted 1 letter, "), "{}", purged.out());
    assert!(!place.read(FILE).contains(&closed));
    letter_ctl(&place, &["list", "--format=ids"]).run().is(0, &format!("{open}\n"), "");
    letter_ctl(&place, &["purge", "--older-than=0", "--state=all", "--yes"]).run();
    assert_eq!(place.read(FILE), "");
}

#[test]
fn a_purge_needs_an_age_and_where_nobody_can_be_asked_a_yes() {
    let place = Place::new();
    letter_of(&place, &[], &["false"]);
    let before = place.read(FILE);
    letter_ctl(&place, &["purge", "--yes"]).run().is(
        64,
        "",
        "retryctl: how old? expected --older-than DUR, such as --older-than 30d\n",
    );
    let refused = letter_ctl(&place, &["purge", "--older-than=0", "--state=all"]).run();
    assert_eq!(refused.code(), 64);
    assert!(refused.err().contains("needs --yes"), "{}", refused.err());
    assert_eq!(place.read(FILE), before);
}

#[test]
fn a_file_that_lies_where_the_new_one_is_written_is_not_written_into() {
    let place = Place::new();
    let letter = id(&letter_of(&place, &[], &["false"])).to_owned();
    let precious = place.write("precious", "precious");
    std::fs::set_permissions(&precious, PermissionsExt::from_mode(0o666)).unwrap();
    std::fs::hard_link(&precious, place.file("letters.purge")).unwrap();
    assert_eq!(letter_ctl(&place, &["purge", "--older-than=0s", "--yes"]).run().code(), 0);
    assert_eq!(place.read("precious"), "precious");
    assert_eq!(std::fs::metadata(place.file(FILE)).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(id(&lines(&place, FILE)[0]), letter);
}

#[test]
fn events_whose_letter_is_gone_do_not_stay_for_ever() {
    let place = Place::new();
    let gone = id(&letter_of(&place, &[], &["false"])).to_owned();
    let open = letter_of(&place, &[], &["false"]);
    letter_ctl(&place, &["discard", &gone]).run().is(0, &format!("discarded {gone}\n"), "");
    letter_ctl(&place, &["discard", id(&open)]).run();
    letter_ctl(&place, &["restore", id(&open)]).run();
    let without: Vec<Value> = lines(&place, FILE).into_iter().filter(|line| line["id"] != *gone).collect();
    let text: String = without.iter().map(|line| format!("{line}\n")).collect();
    place.write(FILE, &text);
    letter_ctl(&place, &["purge", "--older-than=1h", "--yes"]).run();
    assert_eq!(place.read(FILE), text, "they are young");
    letter_ctl(&place, &["purge", "--older-than=0", "--yes"]).run();
    let left: Vec<Value> = without.into_iter().filter(|line| line["ref"] != *gone).collect();
    assert_eq!(lines(&place, FILE), left);
}
