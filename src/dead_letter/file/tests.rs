//! Tests of appending: fences, rotation, unfit files, the lock.

use super::*;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

fn place() -> (tempfile::TempDir, Place) {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::named(dir.path().join("letters"));
    (dir, place)
}

fn open(place: &Place) -> DeadLetterFile {
    DeadLetterFile::open(place).unwrap().0
}

#[test]
fn a_torn_last_line_is_fenced_by_the_next_one() {
    let (_dir, place) = place();
    fs::write(&place.path, "{\"v\":1,\"ki").unwrap();
    open(&place).append(b"next").unwrap();
    open(&place).append(b"last").unwrap();
    assert_eq!(fs::read_to_string(&place.path).unwrap(), "{\"v\":1,\"ki\nnext\nlast\n");
}

#[test]
fn a_file_that_may_not_be_read_gets_its_fence_unseen() {
    let (_dir, place) = place();
    fs::write(&place.path, "torn").unwrap();
    fs::set_permissions(&place.path, fs::Permissions::from_mode(0o200)).unwrap();
    open(&place).append(b"next").unwrap();
    fs::set_permissions(&place.path, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(fs::read_to_string(&place.path).unwrap(), "torn\nnext\n");
}

#[test]
fn a_file_that_was_renamed_is_made_again_with_mode_0600() {
    let (dir, place) = place();
    let file = open(&place);
    file.append(b"one").unwrap();
    fs::rename(&place.path, dir.path().join("old")).unwrap();
    file.append(b"two").unwrap();
    assert_eq!(fs::read_to_string(&place.path).unwrap(), "two\n");
    assert_eq!(fs::metadata(&place.path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn what_is_no_regular_file_of_ours_is_refused() {
    let (dir, place) = place();
    symlink(dir.path().join("x"), &place.path).unwrap();
    assert_eq!(DeadLetterFile::open(&place).unwrap_err(), Unfit::Link(place.path.clone()));
    let directory = Place::named(dir.path());
    assert!(matches!(DeadLetterFile::open(&directory), Err(Unfit::NotAFile(_))));
    assert!(matches!(DeadLetterFile::open(&Place::named("/dev/null")), Err(Unfit::NotAFile(_))));
    assert!(DeadLetterFile::open(&Place::named(dir.path().join("no/such"))).unwrap_err().is_missing());
}

#[test]
fn the_directories_of_a_default_file_are_made_for_the_owner_alone() {
    let (dir, _) = place();
    let path = dir.path().join("a/b/letters");
    open(&Place { path, origin: super::super::place::Origin::Account }).append(b"x").unwrap();
    assert_eq!(fs::metadata(dir.path().join("a")).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_file_that_others_may_write_is_a_warning() {
    let (_dir, place) = place();
    fs::write(&place.path, "").unwrap();
    fs::set_permissions(&place.path, fs::Permissions::from_mode(0o620)).unwrap();
    let (_, warnings) = DeadLetterFile::open(&place).unwrap();
    assert_eq!(warnings, [Warning::Writable { path: place.path.clone(), mode: 0o620 }]);
}

#[test]
fn a_large_file_is_a_warning_that_says_how_to_purge() {
    let (_dir, place) = place();
    fs::File::create(&place.path).unwrap().set_len(LARGE + 1).unwrap();
    let warnings = open(&place).append(b"x").unwrap();
    assert_eq!(
        warnings[0].to_string(),
        format!("{0} has 64 MiB: retryctl dead-letter purge --file {0} --older-than 30d", place.path.display())
    );
}

#[test]
fn without_the_lock_a_line_is_fenced_on_both_sides_and_warned_of() {
    let (_dir, place) = place();
    fs::write(&place.path, "half").unwrap();
    let holder = fs::File::open(&place.path).unwrap();
    rustix::fs::flock(&holder, FlockOperation::LockExclusive).unwrap();
    let file = open(&place);
    let opened = file.opened().unwrap();
    assert_eq!(file.locked(&opened, Instant::now()), Ok(false));
    file.write(&opened, b"line", false).unwrap();
    assert_eq!(fs::read_to_string(&place.path).unwrap(), "half\nline\n");
}
