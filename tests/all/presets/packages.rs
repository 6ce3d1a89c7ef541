//! Package managers.

use super::trial::Other::{Answers200, Answers404, Answers429, Answers503, Closes, KeepsSilent, Refuses};
use super::trial::Verdict::{Permanent, Retryable, Success};
use super::trial::{OF_HTTP, Trial, words};
use crate::loopback::{Answer, Server, http};

#[test]
fn apt() {
    let Some(mut trial) = Trial::of("apt", "apt-get", &["--version"]) else { return };
    let root = trial.place.path().display().to_string();
    for directory in ["lists/partial", "cache/archives/partial", "state", "etc/sources.list.d", "etc/preferences.d"] {
        std::fs::create_dir_all(trial.place.file(directory)).unwrap();
    }
    trial.place.write("status", "");
    trial.place.write(
        "apt.conf",
        format!(
            "Dir::State \"{root}/state\"; Dir::State::lists \"{root}/lists\"; Dir::State::status \"{root}/status\";
             Dir::Cache \"{root}/cache\"; Dir::Etc \"{root}/etc\"; Dir::Etc::sourcelist \"{root}/sources\";
             Acquire::http::Proxy \"DIRECT\"; Acquire::Retries \"0\"; Acquire::http::Timeout \"1\";
             APT::Sandbox::User \"root\"; Acquire::AllowInsecureRepositories \"true\"; Acquire::Languages \"none\";"
        ),
    );
    trial.env("APT_CONFIG", &format!("{root}/apt.conf"));
    let sources = trial.place.file("sources");
    let empty = |request: &str| {
        let is_index = request.contains("/Packages ");
        if is_index { Answer::Http(200, vec![], b"".into()) } else { http(404, &[]) }
    };
    trial.see_all(
        &empty,
        &|port| {
            std::fs::write(&sources, format!("deb [trusted=yes] http://127.0.0.1:{port}/ ./\n")).unwrap();
            words("apt-get update --error-on=any")
        },
        &[
            (Answers200, Success),
            // By the contract of the preset: a mirror that is being filled answers so.
            (Answers404, Retryable),
            (Answers429, Retryable),
            (Answers503, Retryable),
            (Refuses, Retryable),
            (Closes, Retryable),
            (KeepsSilent, Retryable),
        ],
    );
    std::fs::write(&sources, "deb [trusted=yes] http://nosuch.invalid/ ./\n").unwrap();
    trial.see("has no address", Retryable, &["apt-get", "update", "--error-on=any"]);
    std::fs::write(&sources, "").unwrap();
    trial.see("(a package that is none)", Permanent, &["apt-get", "install", "-y", "nosuch"]);
    std::fs::write(&sources, "nonsense\n").unwrap();
    trial.see("(a list of sources that is none)", Permanent, &["apt-get", "update", "--error-on=any"]);
    trial.finish();
}

#[test]
fn pip() {
    let Some(mut trial) = Trial::of("pip", "pip", &["--version"]) else { return };
    trial.env("PIP_CONFIG_FILE", "/dev/null");
    trial.env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
    trial.env("PIP_NO_CACHE_DIR", "1");
    let index = |_: &str| {
        let page = "<!DOCTYPE html><html><body><a href=\"foo-1.0.tar.gz\">foo-1.0.tar.gz</a></body></html>";
        Answer::Http(200, vec!["Content-Type: text/html".into()], page.into())
    };
    let command = |port: u16| format!("pip index versions --retries 1 --timeout 1 -i http://127.0.0.1:{port}/ foo");
    trial.see_all(&index, &|port| words(&command(port).replace("versions", "versions -vv")), &OF_HTTP);
    // Without -vv it says the same of each of these.
    for (situation, status) in [("answers 404, without -vv", 404), ("answers 503, without -vv", 503)] {
        let server = Server::new(move |_, _| http(status, &[]));
        let command = words(&command(server.port).replace("index versions", "download --no-deps"));
        trial.see(situation, Retryable, &command);
    }
    trial.see("(an option that is none)", Permanent, &["pip", "download", "--nosuch"]);
    trial.finish();
}

#[test]
fn npm() {
    let Some(mut trial) = Trial::of("npm", "npm", &["--version"]) else { return };
    trial.env("npm_config_update_notifier", "false");
    let package = |_: &str| {
        let json = r#"{"name":"foo","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"foo","version":"1.0.0","dist":{"tarball":"http://127.0.0.1/x"}}}}"#;
        Answer::Http(200, vec!["Content-Type: application/json".into()], json.into())
    };
    trial.see_all(
        &package,
        &|port| {
            words(&format!(
                "npm view foo version --registry http://127.0.0.1:{port}/ --fetch-retries 0 --fetch-timeout 1000"
            ))
        },
        &OF_HTTP,
    );
    let no_address = words("npm view foo --registry http://nosuch.invalid/ --fetch-retries 0");
    trial.see("has no address", Retryable, &no_address);
    trial.see("(a script that is none)", Permanent, &["npm", "run", "nosuch"]);
    trial.finish();
}
