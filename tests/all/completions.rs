//! What the completions offer, asked of the shells themselves; a shell that is not installed cannot be asked.

use crate::harness::Place;
use crate::needs::have;

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/completions");

/// Lines typed so far, with a cursor at their end, and what must be offered.
const RETRY: &[(&str, &str)] = &[
    ("retry --ji", "--jitter"),
    ("retry --jitter eq", "equal"),
    ("retry --output on", "on-failure"),
    ("retry -s TER", "TERM"),
    ("retry -qvs TER", "TERM"),
    ("retry --preset cur", "curl"),
    ("retry --hints http,fi", "http,file"),
    ("retry --retry-on-exit 1,EX_TEM", "1,EX_TEMPFAIL"),
    ("retry -n 3 gunz", "gunzip"),
    ("retry -n 3 -- gunz", "gunzip"),
    ("retry -n3 --jitter none gunz", "gunzip"),
];
const RETRYCTL: &[(&str, &str)] = &[
    ("retryctl dead", "dead-letter"),
    ("retryctl dead-letter li", "list"),
    ("retryctl dl repl", "replay"),
    ("retryctl dl list --form", "--format"),
    ("retryctl dl list --format jso", "jsonl"),
    ("retryctl stats --format js", "json"),
    ("retryctl preset show cur", "curl"),
    ("retryctl dl replay 01", "01LETTER"),
];

/// A place whose `retryctl` knows one letter, so that ids do not depend on anything else.
fn place() -> Place {
    let place = Place::new();
    std::fs::create_dir(place.file("bin")).expect("a directory can be made");
    place.write("bin/retryctl", "#!/bin/sh\ntest \"$*\" = 'dead-letter list --format ids' && echo 01LETTER\n");
    place.bash("chmod +x bin/retryctl").run().is(0, "", "");
    place
}

#[test]
fn bash_completes_options_values_and_the_wrapped_command() {
    let script = format!(
        r#"PATH=$PWD/bin:$PATH
        compopt() {{ :; }} # Only readline may call the real one.
        . {FILES}/retry.bash; . {FILES}/retryctl.bash
        while IFS= read -r COMP_LINE; do
            COMP_POINT=${{#COMP_LINE}} COMP_WORDS=($COMP_LINE) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
            _${{COMP_WORDS[0]}}; echo "$COMP_LINE: ${{COMPREPLY[*]}}"
        done"#
    );
    for (line, offered) in RETRY.iter().chain(RETRYCTL) {
        let ended = place().bash(&script).input(format!("{line}\n")).run();
        assert!(ended.out().starts_with(&format!("{line}: {offered}")), "{}{}", ended.out(), ended.err());
        assert_eq!(ended.err(), "");
    }
}

#[test]
fn bash_completes_a_value_after_an_equals_sign() {
    // Bash hands `--jitter=eq` over as three words.
    let script = format!(
        r#". {FILES}/retry.bash
        COMP_WORDS=(retry --jitter = eq) COMP_CWORD=3; _retry; echo "${{COMPREPLY[*]}}"
        COMP_WORDS=(retry --plan =) COMP_CWORD=2; _retry; echo "${{COMPREPLY[*]}}"
        COMP_WORDS=(retry --plan = json --ba) COMP_CWORD=4; _retry; echo "${{COMPREPLY[*]}}""#
    );
    Place::new().bash(&script).run().is(0, "equal\ntext json\n--base --backoff\n", "");
}

#[test]
fn fish_completes_options_values_and_the_wrapped_command() {
    if !have("fish") {
        return;
    }
    for (line, offered) in RETRY.iter().chain(RETRYCTL) {
        let script = format!(
            "set -x PATH $PWD/bin $PATH; source {FILES}/retry.fish; source {FILES}/retryctl.fish; complete -C '{line}'"
        );
        let ended = place().program("fish", ["-c", &script]).run();
        assert!(ended.out().lines().any(|l| l.split('\t').next() == Some(offered)), "{line}: {}", ended.out());
        assert_eq!(ended.err(), "", "{line}");
    }
}

#[test]
fn zsh_completes_options_values_and_the_wrapped_command() {
    if !have("zsh") {
        return;
    }
    // A zsh at a terminal of its own; each line is typed, then the tab, and what must come is waited for.
    let script = format!(
        r#"zmodload zsh/zpty
        zpty z env PATH=$PWD/bin:$PATH PS1= zsh -f -i
        zpty -w z "unsetopt beep; fpath=({FILES} \$fpath); autoload -U compinit; compinit -u -D; print REA''DY"
        zpty -r z out '*READY*'
        while IFS=: read -r line offered; do
            zpty -w -n z "$line"$'\t'
            zpty -r z out "*${{(b)offered}}*"
            zpty -w -n z $'\x15'
            print -r -- "$line"
        done
        zpty -d z"#
    );
    let asked: Vec<String> =
        RETRY.iter().chain(RETRYCTL).map(|(line, offered)| format!("{line}:{offered}\n")).collect();
    let lines: String = RETRY.iter().chain(RETRYCTL).map(|(line, _)| format!("{line}\n")).collect();
    let ended = place().program("zsh", ["-f", "-c", &script]).env("TERM", "xterm").input(asked.concat()).run();
    ended.is(0, &lines, "");
}
