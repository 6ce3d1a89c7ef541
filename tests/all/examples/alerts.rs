//! Alerts that need no server of their own: mail, a webhook, a ping. Contract D41.

use serde_json::Value;

use super::{example, stand_in, with_stand_ins};
use crate::harness::{Cli, FENCE, Place};
use crate::loopback::{Server, http};
use crate::needs::have;

fn alert(place: &Place, name: &str, job: &[&str]) -> Cli {
    let script = example("alerts").join(name);
    let mut args = vec![script.to_str().expect("a path of ours")];
    args.extend(job);
    with_stand_ins(place, "sh", &args)
}

fn record(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("no record: {e}: {text}"))
}

#[test]
fn a_mail_tells_of_a_job_that_failed_for_good_and_keeps_its_secrets() {
    if !have("jq") {
        return;
    }
    let place = Place::new();
    stand_in(&place, "mail", "printf '%s\\n' \"$@\" >mail.args; cat >mail.text");
    stand_in(&place, "report", "echo disk full >&2; exit 3");
    assert_eq!(alert(&place, "mail.sh", &["report", "--password=geheim"]).run().code(), 3);
    assert_eq!(place.read("mail.args"), "-s\nreport failed: exhausted after 6 attempts\nops@example.org\n");
    let text = place.read("mail.text");
    assert!(!text.contains("geheim"), "{text}");
    let record = record(&text);
    assert_eq!(record["error"]["message"], "disk full");
    assert_eq!(record["retry"]["attempts"], 6);
}

#[test]
fn no_mail_is_sent_for_a_job_that_went_well() {
    let place = Place::new();
    stand_in(&place, "mail", "echo >mail.args");
    stand_in(&place, "report", &super::fails_until(2, 3, ""));
    assert_eq!(alert(&place, "mail.sh", &["report"]).run().code(), 0);
    assert!(!place.file("mail.args").exists());
}

#[test]
fn a_webhook_gets_the_record() {
    if !have("curl") {
        return;
    }
    let place = Place::new();
    stand_in(&place, "report", "exit 3");
    let (server, asked) = Server::recording(vec![http(200, &[])]);
    assert_eq!(
        alert(&place, "webhook.sh", &["report"]).env("WEBHOOK_URL", format!("{}/hook", server.url())).run().code(),
        3
    );
    let asked = asked.recv_timeout(FENCE).expect("it is asked");
    assert_eq!(asked.line, "POST /hook HTTP/1.1");
    assert_eq!(record(&asked.body)["process"]["exit_code"], 3);
}

#[test]
fn a_ping_tells_success_and_failure_apart() {
    if !have("curl") {
        return;
    }
    let place = Place::new();
    stand_in(&place, "report", "exit \"$1\"");
    let (server, asked) = Server::recording(vec![http(200, &[])]);
    let ping = format!("{}/ping/5f2c", server.url());
    assert_eq!(alert(&place, "ping.sh", &["report", "0"]).env("PING_URL", &ping).run().code(), 0);
    assert_eq!(asked.recv_timeout(FENCE).expect("it is asked").line, "GET /ping/5f2c HTTP/1.1");
    assert_eq!(alert(&place, "ping.sh", &["report", "3"]).env("PING_URL", &ping).run().code(), 3);
    let asked = asked.recv_timeout(FENCE).expect("it is asked");
    assert_eq!(asked.line, "POST /ping/5f2c/3 HTTP/1.1");
    assert_eq!(record(&asked.body)["retry"]["ending"], "exhausted");
}
