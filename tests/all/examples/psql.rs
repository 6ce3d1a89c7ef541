//! A failed state in a real PostgreSQL, which listens on a socket in the test's own directory. Contract D41.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::{example, stand_in, with_stand_ins};
use crate::harness::{Place, until};
use crate::needs::{have, is_root, skipped};

/// A server that is killed with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // SAFETY: kill(2) touches no memory; the child is not reaped yet. INT is PostgreSQL's fast shutdown.
        unsafe { libc::kill(i32::try_from(self.0.id()).expect("a process id fits"), libc::SIGINT) };
        let _ = self.0.wait();
    }
}

/// Where Debian or somebody else put the server's programs.
fn programs() -> Option<PathBuf> {
    let mut dirs = vec![PathBuf::from("/usr/local/bin")];
    if let Ok(versions) = std::fs::read_dir("/usr/lib/postgresql") {
        dirs.extend(versions.flatten().map(|version| version.path().join("bin")));
    }
    dirs.into_iter().find(|dir| dir.join("postgres").exists() && dir.join("initdb").exists())
}

/// PostgreSQL refuses to run as root: nobody does instead.
fn unprivileged(command: &mut Command) -> &mut Command {
    if is_root() { command.uid(65534).gid(65534) } else { command }
}

fn start(place: &Place, programs: &Path) -> Server {
    let data = place.file("data");
    std::fs::create_dir(&data).expect("a directory can be made");
    if is_root() {
        for dir in [place.path(), &data] {
            std::os::unix::fs::chown(dir, Some(65534), Some(65534)).expect("root may");
        }
    }
    let mut initdb = Command::new(programs.join("initdb"));
    initdb.args(["-A", "trust", "-U", "ops", "--no-sync", "-D"]).arg(&data).current_dir(place.path());
    let made = unprivileged(&mut initdb).env("LC_ALL", "C").output().expect("initdb can be started");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let mut postgres = Command::new(programs.join("postgres"));
    postgres.arg("-D").arg(&data).args(["-c", "listen_addresses=", "-c", "fsync=off", "-k"]).arg(place.path());
    postgres.current_dir(place.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Server(unprivileged(&mut postgres).spawn().expect("postgres can be started"))
}

#[test]
fn a_job_that_failed_for_good_is_marked_in_the_database() {
    let Some(programs) = programs() else {
        skipped("no PostgreSQL server is on this machine");
        return;
    };
    if !have("psql") {
        return;
    }
    let place = Place::new();
    let database = Place::new();
    let _server = start(&database, &programs);
    let at = database.path().to_str().expect("a path of ours").to_owned();
    let psql = |statement: &str| {
        let cli = place.program("psql", ["-X", "-q", "-A", "-t", "-c", statement]);
        cli.env("PGHOST", &at).env("PGUSER", "ops").env("PGDATABASE", "postgres").run()
    };
    until("the database answers", || psql("select 1").code() == 0);
    psql("create table jobs (name text primary key, state text, attempts int, letter text)").gives(0, "");
    psql("insert into jobs values ('it''s a report', 'running'), ('other', 'running')").gives(0, "");

    stand_in(&place, "it's a report", "exit 75");
    let script = example("alerts/psql.sh");
    let job = with_stand_ins(&place, "sh", &[script.to_str().expect("a path of ours"), "it's a report"]);
    let ended = job.env("PGHOST", &at).env("PGUSER", "ops").env("PGDATABASE", "postgres").run();
    assert_eq!(ended.code(), 75, "{}", ended.err());
    let letter = place.retryctl(["dead-letter", "list", "--format", "ids"]).run().out();
    psql("select * from jobs order by name")
        .gives(0, &format!("it's a report|failed|6|{}\nother|running||\n", letter.trim()));
}
