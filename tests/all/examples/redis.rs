//! A list of dead letters in a real redis-server, worked off by another host. Contract D41.

use std::process::{Child, Command, Stdio};

use super::{example, stand_in, with_stand_ins};
use crate::harness::{Ended, Place, RETRYCTL, until};
use crate::needs::have;

/// A server on a socket in its own directory, killed with the test.
struct Server {
    place: Place,
    child: Child,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start() -> Server {
        let place = Place::new();
        let mut command = Command::new("redis-server");
        command.args(["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket"]).arg(place.file("redis.sock"));
        command.current_dir(place.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let server = Server { child: command.spawn().expect("redis-server can be started"), place };
        until("redis answers", || server.cli(&["PING"]).out() == "PONG\n");
        server
    }

    fn args(&self) -> String {
        format!("-s {}", self.place.file("redis.sock").display())
    }

    fn cli(&self, args: &[&str]) -> Ended {
        let socket = self.place.file("redis.sock");
        let mut all = vec!["--raw", "-s", socket.to_str().expect("a path of ours")];
        all.extend(args);
        self.place.program("redis-cli", all).run()
    }

    fn push(&self, place: &Place, job: &[&str]) -> Ended {
        let script = example("alerts/redis-push.sh");
        let mut args = vec![script.to_str().expect("a path of ours")];
        args.extend(job);
        with_stand_ins(place, "sh", &args).env("REDIS_ARGS", self.args()).run()
    }

    fn work(&self, place: &Place) -> Ended {
        let script = example("alerts/redis-worker.sh");
        with_stand_ins(place, "bash", &[script.to_str().expect("a path of ours"), "import"])
            .env("REDIS_ARGS", self.args())
            .run()
    }

    /// How many letters wait and how many are taken.
    fn lengths(&self) -> (String, String) {
        let mine = self.cli(&["KEYS", "dead:import:*"]).out();
        let taken = if mine.trim().is_empty() { "0\n".into() } else { self.cli(&["LLEN", mine.trim()]).out() };
        (self.cli(&["LLEN", "dead:import"]).out(), taken)
    }
}

#[test]
fn letters_in_redis_are_worked_off_and_none_is_lost_when_a_worker_is_killed() {
    if !have("redis-server") || !have("redis-cli") {
        return;
    }
    let redis = Server::start();
    let place = Place::new();
    // It fails until somebody has mended what it needs, and says what it was given.
    stand_in(&place, "import", "[ -e mended ] || exit 1\necho \"$1 $RETRY_REPLAY\" >>imported");
    for file in ["one.csv", "two words.csv", "--token=geheim"] {
        assert_eq!(redis.push(&place, &["import", file]).code(), 1);
    }
    assert_eq!(redis.lengths(), ("3\n".into(), "0\n".into()));
    assert_eq!(redis.cli(&["KEYS", "*"]).out(), "dead:import\n", "one list for the job");

    // This host's own file plays no part: the letters come from the list.
    let retryctl = stand_in(&place, "retryctl", "kill -9 $PPID");
    place.write("mended", "");
    assert_eq!(redis.work(&place).code(), 1009, "the worker was killed after it took the first letter");
    assert_eq!(redis.lengths(), ("2\n".into(), "1\n".into()));
    assert!(!place.file("imported").exists());

    std::fs::remove_file(retryctl).expect("it is there");
    let worked = redis.work(&place);
    assert_eq!(
        (worked.code(), worked.out().lines().last()),
        (0, Some("3 replayed, 0 to look at: retryctl dead-letter list"))
    );
    let mut imported: Vec<_> = place.read("imported").lines().map(str::to_owned).collect();
    imported.sort();
    assert_eq!(imported, ["--token=geheim 1", "one.csv 1", "two words.csv 1"]);
    assert_eq!(redis.lengths(), ("0\n".into(), "0\n".into()));
    place.program(RETRYCTL, ["dead-letter", "list", "--format", "ids"]).run().is(0, "", "");
}

#[test]
fn a_letter_that_fails_again_is_kept_in_the_worker_s_file() {
    if !have("redis-server") || !have("redis-cli") {
        return;
    }
    let redis = Server::start();
    let there = Place::new();
    stand_in(&there, "import", "exit 1");
    assert_eq!(redis.push(&there, &["import", "x"]).code(), 1);
    // The worker has another file than the job had.
    let here = Place::new();
    let script = example("alerts/redis-worker.sh");
    let worker = with_stand_ins(&here, "bash", &[script.to_str().expect("a path of ours"), "import"]);
    let worked = worker.env("REDIS_ARGS", redis.args()).run();
    assert_eq!(
        (worked.code(), worked.out().lines().last()),
        (0, Some("0 replayed, 1 to look at: retryctl dead-letter list"))
    );
    assert_eq!(redis.lengths(), ("0\n".into(), "0\n".into()));
    let kept = here.program(RETRYCTL, ["dead-letter", "list", "--format", "ids"]).run();
    let first = there.program(RETRYCTL, ["dead-letter", "list", "--format", "ids"]).run();
    assert_eq!((kept.out(), kept.out().lines().count()), (first.out(), 1), "the same letter under the same id");
}
