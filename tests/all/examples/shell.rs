//! The pipeline, the makefile, the loops.

use super::{example, fails_until, stand_in, with_stand_ins};
use crate::harness::Place;
use crate::loopback::{Answer, Server, http};
use crate::needs::have;

#[test]
fn the_pipeline_reads_the_database_once_and_uploads_the_same_bytes_again() {
    if !have("jq") {
        return;
    }
    let place = Place::new();
    stand_in(&place, "pg_dump", "echo called >>dumps\nseq 1 20000");
    stand_in(&place, "upload", &format!("cat >got.$RETRY_ATTEMPT\n{}", fails_until(3, 1, "")));
    stand_in(
        &place,
        "fetch-rates",
        &fails_until(2, 1, "echo '{\"rates\":{\"EUR\":1.5}}'").replace("echo no luck >&2", "printf '{\"ra'"),
    );
    let ended =
        with_stand_ins(&place, "bash", &[example("pipeline.sh").to_str().expect("a path of ours"), "shop"]).run();
    ended.gives(0, "EUR 1.5\n");
    assert_eq!(place.read("dumps"), "called\n");
    let dump: String = (1..=20000).map(|n| format!("{n}\n")).collect();
    for attempt in 1..=3 {
        assert!(place.read(&format!("got.{attempt}")) == dump, "attempt {attempt} got other bytes");
    }
    assert!(ended.err().contains("{\"ra"), "what the failed attempt printed goes to stderr: {}", ended.err());
}

#[test]
fn the_makefile_asks_again_where_that_may_help_and_leaves_no_half_file() {
    if !have("make") || !have("curl") {
        return;
    }
    let place = Place::new();
    let server = Server::new(|_, number| match number {
        1 => http(503, &[]),
        2 => Answer::Http(200, vec![], b"a,b\n1,2\n".to_vec()),
        _ => http(404, &[]),
    });
    let makefile = example("Makefile");
    let url = format!("URL={}/data.csv", server.url());
    let args = ["-s", "-f", makefile.to_str().expect("a path of ours"), &url, "data.csv"];
    assert_eq!(with_stand_ins(&place, "make", &args).run().code(), 0);
    assert_eq!(place.read("data.csv"), "a,b\n1,2\n");
    assert!(!place.file("data.csv.part").exists());

    std::fs::remove_file(place.file("data.csv")).expect("it is there");
    let ended = with_stand_ins(&place, "make", &args).run();
    assert_eq!(ended.code(), 2, "a 404 is a failed rule: {}", ended.err());
    assert!(ended.err().contains("permanent"), "{}", ended.err());
    assert!(!place.file("data.csv").exists());
    assert_eq!(server.requests(), 3, "a 404 is not asked twice");
}

#[test]
fn the_loops_see_every_line_of_their_list() {
    let place = Place::new();
    place.write("hosts", "alpha\nbad\ngamma\n");
    stand_in(&place, "ping-host", "echo \"$1\" >>pinged; [ \"$1\" != bad ]");
    stand_in(&place, "remote", "cat >/dev/null; echo \"$1\" >>asked");
    let script = example("while-read.sh");
    let ended = with_stand_ins(&place, "bash", &[script.to_str().expect("a path of ours"), "hosts"]).run();
    ended.gives(1, "1 failed\n");
    assert_eq!(place.read("pinged"), "alpha\nbad\nbad\nbad\ngamma\n");
    assert_eq!(place.read("asked"), "alpha\nbad\ngamma\n");
}
