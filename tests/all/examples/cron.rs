//! The crontab under Debian's own cron: real ticks, in a root of its own made of copies, so that no job of the machine runs.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{fails_until, text};
use crate::harness::{Place, RETRY, RETRYCTL};
use crate::needs::{have, root, skipped};

/// cron, killed with the test.
struct Cron(Child);

impl Drop for Cron {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Copies a program into the root, to where it is found there, with the libraries it is linked to.
fn put(root: &Path, program: &Path, to: &str) {
    let copy = |from: &Path, to: PathBuf| {
        std::fs::create_dir_all(to.parent().expect("a file stands in a directory")).expect("a directory can be made");
        if !to.exists() {
            std::fs::copy(from, &to).unwrap_or_else(|e| panic!("{} to {}: {e}", from.display(), to.display()));
        }
    };
    copy(program, root.join(to));
    let linked = Command::new("ldd").arg(program).output().expect("ldd is there").stdout;
    for library in String::from_utf8_lossy(&linked).split_whitespace().filter(|word| word.starts_with('/')) {
        copy(Path::new(library), root.join(library.trim_start_matches('/')));
    }
}

fn script(root: &Path, to: &str, text: &str) {
    std::fs::write(root.join(to), format!("#!/bin/sh\n{text}\n")).expect("a file can be written");
    std::fs::set_permissions(root.join(to), std::fs::Permissions::from_mode(0o755)).expect("its owner may");
}

/// The crontab of the examples with every job due each minute, short waits, and one job more, whose lock somebody else holds.
fn crontab() -> String {
    let mut lines = vec!["RETRY_DEFAULT_BASE=1ms".to_owned()];
    for line in text("crontab").lines() {
        if line.starts_with(['#']) || line.contains('=') && !line.contains(' ') || line.is_empty() {
            lines.push(line.to_owned());
            continue;
        }
        let job = line.splitn(6, ' ').last().expect("five fields and a command").replace("--splay 15m", "--splay 1ms");
        if job.contains("flock") {
            lines.push(format!(
                "* * * * * {}",
                job.replace("/tmp/sync.lock", "/tmp/held.lock").replace("sync-orders", "never-run")
            ));
        }
        lines.push(format!(
            "* * * * * {job}; echo {} >>/tmp/ticked",
            if job.contains("purge") { "purged" } else { "ran" }
        ));
    }
    lines.push(String::new());
    lines.join("\n")
}

#[test]
fn under_cron_one_mail_tells_of_the_job_that_failed_for_good_and_nothing_else_does() {
    if !root("change its root") || !have("cron") || !have("flock") || !have("ldd") {
        return;
    }
    let place = Place::new();
    let root = place.path();
    for dir in [
        "bin",
        "usr/bin",
        "usr/sbin",
        "etc/pam.d",
        "var/spool/cron/crontabs",
        "var/run",
        "var/lib",
        "run",
        "dev",
        "tmp",
        "root",
        "proc",
    ] {
        std::fs::create_dir_all(root.join(dir)).expect("a directory can be made");
    }
    put(root, Path::new("/usr/sbin/cron"), "usr/sbin/cron");
    for (program, to) in [("/bin/sh", "bin/sh"), ("/bin/cat", "bin/cat"), ("/usr/bin/flock", "usr/bin/flock")] {
        put(root, Path::new(program), to);
    }
    put(root, Path::new(RETRY), "usr/bin/retry");
    put(root, Path::new(RETRYCTL), "usr/bin/retryctl");
    for library in ["libnss_files.so.2", "security/pam_permit.so"] {
        for dir in ["lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"] {
            let library = Path::new("/").join(dir).join(library);
            if library.exists() {
                put(root, &library, library.to_str().expect("a path of Debian's").trim_start_matches('/'));
            }
        }
    }
    let pam = "auth required pam_permit.so\naccount required pam_permit.so\nsession required pam_permit.so\n";
    for (file, text) in [
        ("etc/pam.d/cron", pam),
        ("etc/pam.d/other", pam),
        ("etc/passwd", "root:x:0:0:root:/root:/bin/sh\n"),
        ("etc/group", "root:x:0:\n"),
        ("etc/shadow", "root:*:19000:0:99999:7:::\n"),
    ] {
        std::fs::write(root.join(file), text).expect("a file can be written");
    }
    let null = std::ffi::CString::new(root.join("dev/null").to_str().expect("a path of ours")).expect("no NUL");
    // SAFETY: the string is NUL-terminated and lives through the call.
    if unsafe { libc::mknod(null.as_ptr(), libc::S_IFCHR | 0o666, libc::makedev(1, 3)) } != 0 {
        skipped("no device node can be made here");
        return;
    }
    script(root, "usr/sbin/sendmail", "echo mail >>/tmp/mails; cat >>/tmp/mail");
    script(root, "usr/bin/sync-orders", "echo no route to the shop >&2; exit 1");
    script(root, "usr/bin/backup", &fails_until(3, 1, "echo saved; echo saved >>/tmp/saved"));
    script(root, "usr/bin/never-run", "echo >/tmp/overlap");
    let file = root.join("var/spool/cron/crontabs/root");
    std::fs::write(&file, crontab()).expect("a file can be written");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("its owner may");
    let held = std::fs::File::create(root.join("tmp/held.lock")).expect("a file can be made");
    held.lock().expect("nobody else knows it");

    // A process namespace of its own: /proc, by which a run knows that cron started it, is mounted for these processes alone, and
    // whatever cron started goes with it.
    let mut proc = std::ffi::OsString::from("--mount-proc=");
    proc.push(root.join("proc"));
    let mut command = Command::new("unshare");
    command.args(["--pid", "--fork", "--kill-child"]).arg(proc).arg("chroot").arg(root).args(["/usr/sbin/cron", "-f"]);
    command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut cron = Cron(command.spawn().expect("unshare can be started"));
    let read = |name: &str| std::fs::read_to_string(root.join("tmp").join(name)).unwrap_or_default();
    // A tick comes once a minute; the fence is against hanging only.
    let start = Instant::now();
    while read("ticked").lines().count() < 3 || !read("mail").contains("no route") {
        if cron.0.try_wait().expect("it is a child").is_some() {
            skipped("no process namespace can be made here");
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(180), "ticked: {:?}, mail: {}", read("ticked"), read("mail"));
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(cron);
    drop(held);
    assert!(!read("overlap").contains('\n'), "the job whose lock is held did not run");
    assert_eq!(read("saved"), "saved\n");
    assert_eq!(read("mails"), "mail\n", "{}", read("mail"));
    let mail = read("mail");
    for part in ["To: ops@example.org", "sync-orders", "no route to the shop", "retryctl dead-letter replay"] {
        assert!(mail.contains(part), "{part} is not in {mail}");
    }
    let letters = std::fs::read_to_string(root.join("var/lib/retry/dead-letter.jsonl")).expect("root's letters");
    assert_eq!(letters.lines().count(), 1, "{letters}");
    assert!(letters.contains("\"kind\":\"cron\""), "{letters}");
}
