//! Examples and laws of what is masked.

use super::*;
use proptest::prelude::*;

fn args(args: &[&str]) -> Vec<String> {
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    Redactor::new(&args, &[]).args().to_vec()
}

fn text(text: &str) -> String {
    Redactor::new(&[], &[]).text(text)
}

/// That the arguments are shown so, the first being a program's name.
#[track_caller]
fn shown(given: &[&str], expected: &[&str]) {
    assert_eq!(args(given), expected);
}

#[test]
fn values_of_secret_options_are_masked_in_both_forms() {
    shown(&["x", "--password=hunter2", "--user", "bob"], &["x", "--password=***", "--user", "bob"]);
    shown(&["x", "--db-password", "hunter2", "db"], &["x", "--db-password", "***", "db"]);
    shown(&["x", "-password", "hunter2"], &["x", "-password", "***"]);
    shown(&["x", "--api-key=a=b c"], &["x", "--api-key=***"]);
    shown(&["x", "--token", "-abc"], &["x", "--token", "***"]);
    shown(&["x", "--auth", "--verbose"], &["x", "--auth", "--verbose"]);
    shown(&["x", "--private-key", "-----BEGIN KEY-----\nabc"], &["x", "--private-key", "***"]);
    shown(&["x", "--token="], &["x", "--token="]);
}

#[test]
fn an_author_is_no_secret() {
    shown(&["git", "commit", "--author", "Bob <b@c>"], &["git", "commit", "--author", "Bob <b@c>"]);
    shown(&["git", "commit", "--author=Bob"], &["git", "commit", "--author=Bob"]);
}

#[test]
fn a_sentence_about_secrets_is_no_option_and_a_scheme_no_assignment() {
    shown(&["git", "commit", "-m no more token", "file"], &["git", "commit", "-m no more token", "file"]);
    shown(&["x", "token://h/x", "auth::login", "TOKEN=//x"], &["x", "token://h/x", "auth::login", "TOKEN=***"]);
    assert_eq!(text("see <http://h:b>,me@x or http://h:b\u{1b}[0m@"), "see <http://h:b>,me@x or http://h:b\u{1b}[0m@");
}

#[test]
fn the_password_of_a_user_option_is_masked_for_curl_only() {
    shown(&["curl", "-u", "bob:hunter2", "http://h"], &["curl", "-u", "bob:***", "http://h"]);
    shown(&["/usr/bin/curl", "-fsSu", "bob:hunter2"], &["/usr/bin/curl", "-fsSu", "bob:***"]);
    shown(&["curl", "-ubob:hunter2"], &["curl", "-ubob:***"]);
    shown(&["curl", "--user", "bob:hunter2"], &["curl", "--user", "bob:***"]);
    shown(&["curl", "--proxy-user=bob:hunter2"], &["curl", "--proxy-user=bob:***"]);
    shown(&["env", "A=1", "curl", "-u", "bob:hunter2"], &["env", "A=1", "curl", "-u", "bob:***"]);
    shown(&["curl", "-u", "bob", "-o", "a:b"], &["curl", "-u", "bob", "-o", "a:b"]);
    shown(&["sort", "-u", "a:b"], &["sort", "-u", "a:b"]);
    shown(&["docker", "run", "-u", "1000:1000"], &["docker", "run", "-u", "1000:1000"]);
    shown(&["curl", "-XPUT", "http://h:80/u:v"], &["curl", "-XPUT", "http://h:80/u:v"]);
    shown(&["curl", "-b", "jar.txt", "-b", "sid=hunter2"], &["curl", "-b", "jar.txt", "-b", "***"]);
    shown(&["curl", "--pass=hunter2", "--user-agent=bot: 1"], &["curl", "--pass=***", "--user-agent=bot: 1"]);
}

#[test]
fn the_password_of_an_address_is_masked() {
    shown(&["psql", "postgres://bob:hunter2@db:5432/x"], &["psql", "postgres://bob:***@db:5432/x"]);
    shown(&["x", "--url=http://bob:hun@ter2@h/p?a=b@c"], &["x", "--url=http://bob:***@h/p?a=b@c"]);
    shown(&["x", "amqp://a:hunter2@h1,amqp://a:hunter3@h2"], &["x", "amqp://a:***@h1,amqp://a:***@h2"]);
    shown(&["x", "redis://:hunter2@h"], &["x", "redis://:***@h"]);
    shown(&["x", "ftp://bob:hun/ter2@h/"], &["x", "ftp://bob:***@h/"]);
    shown(&["x", "http://me@home.example:hunter2@h/"], &["x", "http://me@home.example:***@h/"]);
    for plain in [
        "http://h:80/a@b",
        "ssh://git@h:22/x",
        "http://[::1]:80/a@b",
        "http://h/a:b@c",
        "git@h:a/b",
        "https://git@h/x",
        "http://h?q=a@b",
    ] {
        shown(&["x", plain], &["x", plain]);
    }
    assert_eq!(text("cannot connect to 'http://a:b c@h': no"), "cannot connect to 'http://a:b c@h': no");
    assert_eq!(text("fatal: unable to access 'http://a:pw@h/': no"), "fatal: unable to access 'http://a:***@h/': no");
}

#[test]
fn a_user_without_a_password_may_be_a_token() {
    shown(&["git", "clone", "https://t0ken@h/x"], &["git", "clone", "https://***@h/x"]);
    shown(&["curl", "https://t0ken:@h/x"], &["curl", "https://***@h/x"]);
    shown(&["x", "https://t0ken:x-oauth-basic@h/x?a=b"], &["x", "https://***@h/x?a=b"]);
    shown(&["pip", "install", "git+https://t0ken@h/x"], &["pip", "install", "git+https://***@h/x"]);
    for plain in ["git+ssh://bob@h/x", "sftp://bob@h", "postgresql://app@db/x", "smtp://app@h"] {
        shown(&["x", plain], &["x", plain]);
    }
    assert_eq!(text("cannot read 'https://t0ken@h:443/x'"), "cannot read 'https://***@h:443/x'");
}

#[test]
fn signatures_of_addresses_are_masked() {
    shown(&["x", "https://h/b?sv=1&sig=a%3D&se=2"], &["x", "https://h/b?sv=1&sig=***&se=2"]);
    shown(
        &["x", "https://h/?X-Amz-Credential=a&X-Amz-Date=1&X-Amz-Signature=b"],
        &["x", "https://h/?X-Amz-Credential=***&X-Amz-Date=1&X-Amz-Signature=***"],
    );
    shown(&["x", "--signature", "abc", "--signal", "TERM"], &["x", "--signature", "***", "--signal", "TERM"]);
}

#[test]
fn a_header_that_nobody_quoted_is_masked_in_the_arguments_behind_it() {
    shown(
        &["curl", "-H", "Authorization:", "Bearer", "abc", "http://h"],
        &["curl", "-H", "Authorization:", "Bearer", "***", "http://h"],
    );
    shown(&["curl", "-HAuthorization:Bearer", "abc", "x"], &["curl", "-HAuthorization:***", "***", "x"]);
    shown(&["curl", "-H", "X-Api-Key:", "abc", "x"], &["curl", "-H", "X-Api-Key:", "***", "x"]);
    shown(&["x", "Bearer abc1", "Bearer", "abc2"], &["x", "Bearer ***", "Bearer", "***"]);
    shown(&["x", "Accept:", "text/html"], &["x", "Accept:", "text/html"]);
}

#[test]
fn json_in_an_argument_is_masked_value_by_value() {
    shown(
        &["curl", "-d", r#"{"password":"a","n":1,"tokens":["b", "c"],"x":["d"]}"#],
        &["curl", "-d", r#"{"password":"***","n":1,"tokens":[***],"x":["d"]}"#],
    );
}

#[test]
fn headers_with_secrets_are_masked() {
    shown(&["curl", "-H", "Authorization: Bearer a b"], &["curl", "-H", "Authorization: ***"]);
    shown(&["curl", "-HAuthorization: Bearer a"], &["curl", "-HAuthorization: ***"]);
    shown(&["curl", "--header=authorization: Bearer a"], &["curl", "--header=authorization: ***"]);
    shown(&["curl", "--header=X-Api-Key: a b"], &["curl", "--header=X-Api-Key: ***"]);
    shown(&["curl", "-H", "Cookie: a=b; c=d"], &["curl", "-H", "Cookie: ***"]);
    shown(&["curl", "-H", "PRIVATE-TOKEN: abc"], &["curl", "-H", "PRIVATE-TOKEN: ***"]);
    shown(&["curl", "-H", "Accept: text/html"], &["curl", "-H", "Accept: text/html"]);
    assert_eq!(text("> Authorization: Basic abc==\r\n> Accept: */*\n"), "> Authorization: ***\r\n> Accept: */*\n");
    assert_eq!(text("< Set-Cookie: sid=1; Path=/\n"), "< Set-Cookie: ***\n");
}

#[test]
fn assignments_and_parameters_are_masked_anywhere() {
    shown(&["docker", "run", "-e", "DB_PASSWORD=a b&c"], &["docker", "run", "-e", "DB_PASSWORD=***"]);
    shown(&["docker", "run", "-eDB_PASSWORD=a b"], &["docker", "run", "-eDB_PASSWORD=***"]);
    shown(&["docker", "run", "-e=DB_PASSWORD=a b"], &["docker", "run", "-e=DB_PASSWORD=***"]);
    shown(&["docker", "run", "--env=DB_PASSWORD=a b"], &["docker", "run", "--env=DB_PASSWORD=***"]);
    shown(&["tool", "-c", "DB_PASSWORD=a b"], &["tool", "-c", "DB_PASSWORD=***"]);
    shown(
        &["git", "-c", "http.extraHeader=Authorization: Basic a b"],
        &["git", "-c", "http.extraHeader=Authorization: ***"],
    );
    shown(&["env", "PGPASSWORD=hunter2", "psql"], &["env", "PGPASSWORD=***", "psql"]);
    shown(&["curl", "http://h/?access_token=abc&x=1"], &["curl", "http://h/?access_token=***&x=1"]);
    shown(&["curl", "-d", "token=abc&x=1&pwd=q"], &["curl", "-d", "token=***&x=1&pwd=***"]);
    shown(&["curl", "-d", "token=a&&b&=c&page=1"], &["curl", "-d", "token=***&page=1"]);
    shown(&["java", "-Dssl.keyStorePassword=abc"], &["java", "-Dssl.keyStorePassword=***"]);
    shown(&["make", "API_TOKEN+=abc", "API_TOKEN?=abc"], &["make", "API_TOKEN+=***", "API_TOKEN?=***"]);
    shown(&["x", "A=1", "TIMEOUT=5"], &["x", "A=1", "TIMEOUT=5"]);
}

#[test]
fn lines_of_a_shell_are_searched() {
    for (line, expected) in [
        ("TOKEN=hunter2 curl http://h", "TOKEN=*** curl http://h"),
        ("export TOKEN='a b'; run", "export TOKEN='***'; run"),
        ("TOKEN=\"a \\\" b\" run", "TOKEN=\"***\" run"),
        ("mysqldump --password hunter2 db", "mysqldump --password *** db"),
        ("mysqldump --password='a b' db", "mysqldump --password='***' db"),
        ("mysqldump --password 'a b' db", "mysqldump --password '***' db"),
        ("mysql -uroot -phunter2 db", "mysql -uroot -p*** db"),
        ("cd /x && curl -u bob:hunter2 http://h|cat", "cd /x && curl -u bob:*** http://h|cat"),
        ("curl -u 'bob:a b' http://h", "curl -u 'bob:***' http://h"),
        ("curl -H 'X-Api-Key: a b' http://h", "curl -H 'X-Api-Key: ***' http://h"),
        ("curl -H \"Authorization: Bearer a\" http://h", "curl -H \"Authorization: ***\" http://h"),
        (
            "curl -d '{\"password\": \"a b\", \"n\": 1}' http://h",
            "curl -d '{\"password\": \"***\", \"n\": 1}' http://h",
        ),
        ("curl -d \"{\\\"password\\\":\\\"a b\\\"}\" http://h", "curl -d \"{\\\"password\\\":\\\"***\\\"}\" http://h"),
        ("curl 'http://h/?token=a&b=c'", "curl 'http://h/?token=***&b=c'"),
        ("TOKEN=$(cat /x y) run", "TOKEN=*** run"),
        ("TOKEN=$(cat /x y)/z run", "TOKEN=*** run"),
        ("TOKEN= run", "TOKEN= run"),
        ("TOKEN=basic run now", "TOKEN=*** run now"),
        ("TOKEN=a\\ b run", "TOKEN=*** run"),
        ("TOKEN=a\\\\ run", "TOKEN=*** run"),
        ("TOKEN=$(cat /x\nrun", "TOKEN=***\nrun"),
        ("run --token \\\n   hunter2 now", "run --token \\\n   *** now"),
        ("sort -u a:b", "sort -u a:b"),
    ] {
        shown(&["sh", "-c", line], &["sh", "-c", expected]);
    }
}

#[test]
fn a_line_of_a_shell_comes_after_a_few_letters_that_end_in_c() {
    shown(&["sh", "-euxc", "DB_PASSWORD=a b"], &["sh", "-euxc", "DB_PASSWORD=*** b"]);
    shown(&["sh", "-magic", "DB_PASSWORD=a b"], &["sh", "-magic", "DB_PASSWORD=***"]);
}

#[test]
fn a_word_of_a_shell_that_has_several_parts_is_masked_whole() {
    for (line, expected) in [
        ("mysql -p'a b' db", "mysql -p*** db"),
        ("mysql -p\"hunter2\" db", "mysql -p*** db"),
        ("mysql -p db", "mysql -p db"),
        ("curl -u bob:'a b' http://h", "curl -u bob:*** http://h"),
        ("curl -u \"bob\":hunter2 http://h", "curl -u \"bob\":*** http://h"),
        ("curl -u 'bob':'hunter2' http://h", "curl -u 'bob':*** http://h"),
        ("curl --user=bob:\"hunter2\" http://h", "curl --user=bob:*** http://h"),
        ("curl -u 'bob' -o 'a:b'", "curl -u 'bob' -o 'a:b'"),
        ("curl -u \\\n bob:hunter2 http://h", "curl -u \\\n bob:*** http://h"),
        ("TOKEN=$X\"hunter2\"'a b' run", "TOKEN=*** run"),
        ("TOKEN=''hunter2 run", "TOKEN='*** run"),
        ("TOKEN=$'a b' run", "TOKEN=$'***' run"),
        ("TOKEN='' run", "TOKEN='' run"),
        ("run --token a'b c' now", "run --token *** now"),
        ("run --token ''hunter2 now", "run --token '*** now"),
        ("run --token --verbose now", "run --token --verbose now"),
        ("run --token \\\n  hunter2 now", "run --token \\\n  *** now"),
        ("curl -H 'Authorization: Bearer '\"$T\" http://h", "curl -H 'Authorization: *** http://h"),
        ("echo \"a TOKEN=b\" c 'd'", "echo \"a TOKEN=***\" c 'd'"),
    ] {
        shown(&["sh", "-c", line], &["sh", "-c", expected]);
    }
    let redactor = Redactor::new(&["sh".into(), "-c".into(), "curl -u bob:'hunter 2' http://h".into()], &[]);
    assert_eq!(redactor.text("no user hunter 2"), "no user ***");
}

#[test]
fn text_is_searched_by_the_same_rules() {
    for (given, expected) in [
        ("{\"token\":\"abc\",\"n\":1}", "{\"token\":\"***\",\"n\":1}"),
        ("{\"token\":123,\"n\":1}", "{\"token\":***,\"n\":1}"),
        ("{'password': 'a'}", "{'password': '***'}"),
        ("{\"auth\": {\"user\": \"bob\"}}", "{\"auth\": {\"user\": \"bob\"}}"),
        ("password: hunter2\nuser: bob", "password: ***\nuser: bob"),
        ("password = hunter2", "password = ***"),
        ("password: hunter2 is wrong", "password: *** is wrong"),
        ("the token : x", "the token : x"),
        ("{\"token\" : \"abc\"}", "{\"token\" : \"***\"}"),
        ("\"=x", "\"=x"),
        (":password => \"a\"", ":password => \"***\""),
        ("FATAL:  password authentication failed", "FATAL:  password authentication failed"),
        ("the option --token is missing", "the option --token is missing"),
        ("+ run --token hunter2 now", "+ run --token *** now"),
        ("+ curl -u bob:hunter2 http://h\n-u a:b", "+ curl -u bob:*** http://h\n-u a:b"),
        ("+ mysql -p'hunter 2' db", "+ mysql -p*** db"),
        ("+ cd /x\n+ mysql -phunter2 db\n+ mysql -phunter3 db", "+ cd /x\n+ mysql -p*** db\n+ mysql -p*** db"),
        ("refused: Bearer eyJhbGciOi.x", "refused: Bearer ***"),
        ("a bearer token is needed", "a bearer token is needed"),
        ("authorization=Bearer abc x", "authorization=*** x"),
        ("{'token': u'abc', 'key': b'x'}", "{'token': u'***', 'key': b'x'}"),
        ("auth::login failed", "auth::login failed"),
        ("Author: Bob", "Author: Bob"),
        ("password:", "password:"),
    ] {
        assert_eq!(text(given), expected);
    }
}

#[test]
fn what_was_masked_in_the_arguments_is_masked_in_text() {
    let args = ["curl", "-u", "bob:hunter2", "-H", "Authorization: Bearer s3cr3tt0ken", "--auth", "1", "http://h"];
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    let redactor = Redactor::new(&args, &[]);
    assert_eq!(redactor.text("xhunter2y s3cr3tt0ken Bearer"), "x***y *** Bearer");
    assert_eq!(redactor.text("1 of 127.0.0.1:80x1"), "*** of 127.0.0.***:80x1");
    assert_eq!(redactor.text("1_1 é1 1é"), "1_1 é1 1é");
}

#[test]
fn a_short_part_of_a_header_is_not_masked_by_itself() {
    let redactor = Redactor::new(&["curl".into(), "-H".into(), "Cookie: sid=12".into()], &[]);
    assert_eq!(redactor.text("12 of 13 for sid=12"), "12 of 13 for ***");
}

#[test]
fn values_that_overlap_are_masked_whole() {
    let args = ["x", "--token", "abcdefg", "--password", "efghijk"].map(OsString::from);
    assert_eq!(Redactor::new(&args, &[]).text("<abcdefghijk>"), "<***>");
    let args = ["x", "--token", "abcdef", "--password", "abcdefgh"].map(OsString::from);
    assert_eq!(Redactor::new(&args, &[]).text("<abcdefgh>"), "<***>");
}

#[test]
fn a_value_is_masked_in_the_other_arguments_too() {
    shown(&["x", "--token", "hunter2", "log-hunter2"], &["x", "--token", "***", "log-***"]);
}

#[test]
fn the_lines_of_a_key_are_masked_one_by_one() {
    let key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nabc\n-----END KEY-----";
    let redactor = Redactor::new(&["x".into(), "--private-key".into(), key.into()], &[]);
    assert_eq!(redactor.text("bad line MIIEvQIBADANBgkq"), "bad line ***");
}

#[test]
fn expressions_of_ones_own_are_masked_whole() {
    let extra = [Regex::new("customer-[0-9]+").unwrap(), Regex::new("x*").unwrap()];
    let redactor = Redactor::new(&["run".into(), "customer-17".into()], &extra);
    assert_eq!(redactor.args(), ["run", "***"]);
    assert_eq!(redactor.text("no customer-9, no xx"), "no ***, no ***");
}

#[test]
fn a_word_may_hold_a_secret_where_something_separates_it() {
    for word in ["TOKEN=x", "token:x", "run --token x", "run\t--token\tx", "mysql\n-px"] {
        assert!(may_hold_secret(OsStr::new(word)), "{word:?}");
    }
    assert!(!may_hold_secret(OsStr::new("/usr/local/bin/back-up.sh")));
}

#[test]
fn bytes_that_are_not_utf_8_do_not_disturb() {
    use std::os::unix::ffi::OsStringExt;
    let redactor = Redactor::new(&["x".into(), OsString::from_vec(b"--token=\xff\xfe".to_vec())], &[]);
    assert_eq!(redactor.args(), ["x", "--token=***"]);
}

/// Each of these would take minutes if a part of it were read again for every other part.
#[test]
fn a_huge_text_is_read_once() {
    for piece in [
        "://a:",
        "token=",
        "token:\"",
        "\"token:",
        "--token ",
        "token:\\",
        "Cookie: ",
        "token=$(",
        "=",
        "curl -u ",
        "\"token\": ",
        "-u ",
        "token=a&",
        "\"token=a\" ",
        "://a:b@",
        "\\",
        "'token=",
        "token=a'b'",
        "curl -u 'a'",
        "-p''",
        "token=''a\u{a0}",
        "Bearer ",
        "Bearer $(",
        "\"token\":[\"",
        "://a@",
        "token+=",
        "auth:Bearer $(",
    ] {
        let huge = piece.repeat(200_000 / piece.len());
        let redactor = Redactor::new(&["sh".into(), "-c".into(), OsString::from(&huge)], &[]);
        assert!(!redactor.args()[2].is_empty(), "{piece}");
        let _ = text(&huge);
    }
}

/// Places in which a secret may stand, around it.
const PLACES: &[(&str, &str)] = &[
    ("--password=", ""),
    ("-e DB_PASSWORD=", ""),
    ("http://user:", "@host/"),
    ("Authorization: Bearer ", ""),
    ("run --token ", " now"),
    ("curl -u user:", " http://h"),
    ("http://h/?api_key=", "&n=1"),
    ("{\"secret\": \"", "\"}"),
    ("X-Auth-Token: ", ""),
    ("export API_TOKEN='", "'; run"),
    ("Cookie: session=", "; other=1"),
    ("curl -u user:'", "' http://h"),
    ("mysql -p\"", "\" db"),
    ("TOKEN=a'", "' run"),
    ("https://", "@host/path"),
    ("http://h/?a=1&sig=", "&n=1"),
    ("{\"tokens\": [\"first\", \"", "\"]}"),
    ("TOKEN+=", " run"),
];

proptest! {
    #[test]
    fn no_text_panics_and_a_masked_text_stays_as_it_is(given in "\\PC{0,80}") {
        let once = text(&given);
        prop_assert_eq!(text(&once), once);
    }

    #[test]
    fn text_in_the_shape_of_secrets_does_not_panic(
        parts in proptest::collection::vec("(token|password|--auth|://|:|=|\"|'|\\\\|@| |&|curl|-u|é|\n|[a-z]{1,3})", 0..30),
    ) {
        let given = parts.concat();
        let redactor = Redactor::new(&["sh".into(), "-c".into(), OsString::from(&given)], &[]);
        prop_assert_eq!(redactor.args().len(), 3);
        let _ = redactor.text(&given);
    }

    #[test]
    fn in_a_word_that_can_hold_no_secret_none_is_found(
        parts in proptest::collection::vec("(--token|Bearer|curl|mysql|redis-cli|-a|-ps3cret|\"|'|\\\\|@|\t|\n|A1)", 0..8),
    ) {
        let word = OsString::from(parts.concat());
        let shown = Redactor::new(std::slice::from_ref(&word), &[]).args()[0].clone();
        prop_assert!(may_hold_secret(&word) || *word == *shown, "{shown}");
    }

    #[test]
    fn a_secret_is_shown_nowhere(secret in "[A-Za-z0-9]{8,20}", place in 0..PLACES.len()) {
        let (before, after) = PLACES[place];
        let arg = format!("{before}{secret}{after}");
        let redactor = Redactor::new(&["sh".into(), "-c".into(), OsString::from(&arg)], &[]);
        prop_assert!(!redactor.args()[2].contains(&secret), "{:?}", redactor.args());
        let echoed = redactor.text(&format!("failed: {secret}!"));
        prop_assert!(!echoed.contains(&secret), "{echoed}");
    }
}
