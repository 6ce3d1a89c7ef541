//! Completions for bash.

use std::fmt::Write as _;

use super::{IDS, ORIGIN, exits, names, nouns, options_of, presets, signals, value};
use crate::cli::spec::{Spec, Takes, Value};
use crate::cli::table;
use crate::cli::verbs::{SHORT_FOR_DEAD_LETTER, VERBS};

/// The file for `retry`.
pub fn retry() -> String {
    let options: Vec<&Spec> = table::options(table::RETRY).collect();
    let mut text = format!("# bash completion for retry(1)\n# {ORIGIN}\n\n{WORDS}");
    values(&mut text, &options);
    let _ = write!(
        text,
        r#"_retry() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} i=1 value word
    COMPREPLY=()
    # The command is the first word that is neither an option nor the value of one.
    while ((i < COMP_CWORD)); do
        word=${{COMP_WORDS[i]}}
        case $word in
            --)
                ((i++))
                _retry_command "$i"
                return
                ;;
            {valued})
                value=$((i + 1))
                [[ ${{COMP_WORDS[value]}} == = ]] && ((value++))
                if ((value >= COMP_CWORD)); then
                    [[ $cur == = ]] && cur=
                    [[ $word == --* ]] || word=-${{word: -1}}
                    _retry_value "$word"
                    return
                fi
                i=$value
                ;;
            {maybe})
                if [[ ${{COMP_WORDS[i + 1]}} == = ]]; then
                    if ((i + 2 >= COMP_CWORD)); then
                        [[ $cur == = ]] && cur=
                        _retry_value "$word"
                        return
                    fi
                    ((i += 2))
                fi
                ;;
            -?*) ;;
            *)
                _retry_command "$i"
                return
                ;;
        esac
        ((i++))
    done
    if [[ $cur == -* ]]; then
        __retry_words {all}
    else
        _retry_command "$COMP_CWORD"
    fi
}}

# Completes the wrapped command, whose name is the word of this number.
_retry_command() {{
    if declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    elif ((COMP_CWORD == $1)); then
        mapfile -t COMPREPLY < <(compgen -c -- "$cur")
    else
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
}}

complete -F _retry retry
"#,
        valued = pattern(options.iter().copied().filter(|spec| matches!(spec.takes, Takes::Value(_))), true),
        maybe = pattern(options.iter().copied().filter(|spec| matches!(spec.takes, Takes::Maybe(_))), false),
        all = all(&options),
    );
    text
}

/// The file for `retryctl`.
pub fn retryctl() -> String {
    let options: Vec<&Spec> = VERBS.iter().flat_map(options_of).chain(table::options(table::RETRYCTL)).collect();
    let mut text = format!("# bash completion for retryctl(1)\n# {ORIGIN}\n\n{WORDS}");
    verb_values(&mut text);
    let _ = write!(
        text,
        r#"_retryctl() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} i value word verb=
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        __retry_words {nouns} {SHORT_FOR_DEAD_LETTER} --help --version
        return
    fi
    verb=${{COMP_WORDS[1]}}
    [[ $verb == {SHORT_FOR_DEAD_LETTER} ]] && verb=dead-letter
    i=2
"#,
        nouns = nouns().join(" "),
    );
    text.push_str("    case $verb in\n");
    for noun in nouns() {
        let verbs: Vec<&str> =
            VERBS.iter().filter(|verb| verb.words[0] == noun).filter_map(|verb| verb.words.get(1).copied()).collect();
        if !verbs.is_empty() {
            let _ = write!(
                text,
                r#"        {noun})
            if ((COMP_CWORD == 2)); then
                __retry_words {} --help
                return
            fi
            verb="$verb ${{COMP_WORDS[2]}}"
            i=3
            ;;
"#,
                verbs.join(" ")
            );
        }
    }
    let _ = write!(
        text,
        r#"    esac
    while ((i < COMP_CWORD)); do
        word=${{COMP_WORDS[i]}}
        case $word in
            {valued})
                value=$((i + 1))
                [[ ${{COMP_WORDS[value]}} == = ]] && ((value++))
                if ((value >= COMP_CWORD)); then
                    [[ $cur == = ]] && cur=
                    _retryctl_value "$word"
                    return
                fi
                i=$value
                ;;
        esac
        ((i++))
    done
    case $verb in
"#,
        valued = pattern(options.iter().copied().filter(|spec| matches!(spec.takes, Takes::Value(_))), false),
    );
    for verb in VERBS {
        let _ = write!(text, "        {})\n            ", quoted(&verb.name()));
        let _ = writeln!(
            text,
            "if [[ $cur == -* ]]; then\n                __retry_words {}\n            else\n                {}\n            fi\n            ;;",
            all(&options_of(verb)),
            if verb.takes_ids() {
                format!("mapfile -t COMPREPLY < <(compgen -W \"$({IDS})\" -- \"$cur\")")
            } else if verb.operands == "NAME" {
                format!("__retry_words {}", presets().join(" "))
            } else {
                ":".into()
            }
        );
    }
    text.push_str("    esac\n}\n\ncomplete -F _retryctl retryctl\n");
    text
}

/// What both files begin with.
const WORDS: &str = r#"# Completes one of the given words.
__retry_words() {
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$cur")
}

# Completes the last of several words with commas between them.
__retry_list() {
    local before=
    [[ $cur == *,* ]] && before=${cur%,*},
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$*" -- "${cur##*,}")
    compopt -o nospace
}

"#;

/// The function that completes the value of an option of `retry`, by its name.
fn values(text: &mut String, options: &[&Spec]) {
    let mut cases: Vec<(String, String)> = Vec::new();
    for spec in options {
        if let Some(action) = action(spec) {
            add(&mut cases, names(spec).join(" | "), action);
        }
    }
    value_function(text, "_retry_value", "$1", &cases);
}

/// The same for `retryctl`: by the verb too, where verbs have options of one name with different values.
fn verb_values(text: &mut String) {
    let mut cases: Vec<(String, String)> = Vec::new();
    let actions = |name: &str| -> Vec<String> {
        let mut actions: Vec<String> =
            VERBS.iter().flat_map(options_of).filter(|spec| spec.name() == name).filter_map(action).collect();
        actions.sort();
        actions.dedup();
        actions
    };
    for verb in VERBS {
        for spec in options_of(verb) {
            let Some(action) = action(spec) else { continue };
            let name = spec.name();
            let pattern =
                if actions(&name).len() == 1 { format!("*' {name}'") } else { format!("'{} {name}'", verb.name()) };
            add(&mut cases, pattern, action);
        }
    }
    value_function(text, "_retryctl_value", "\"$verb $1\"", &cases);
}

/// Adds a pattern to the case with this action.
fn add(cases: &mut Vec<(String, String)>, pattern: String, action: String) {
    match cases.iter_mut().find(|(_, known)| *known == action) {
        Some((patterns, _)) if patterns.split(" | ").any(|known| known == pattern) => {}
        Some((patterns, _)) => patterns.extend([" | ", &pattern]),
        None => cases.push((pattern, action)),
    }
}

fn value_function(text: &mut String, name: &str, word: &str, cases: &[(String, String)]) {
    let _ = write!(text, "# Completes the value of an option.\n{name}() {{\n    case {word} in\n");
    for (patterns, action) in cases {
        let _ = writeln!(text, "        {patterns})\n            {action}\n            ;;");
    }
    text.push_str("    esac\n}\n\n");
}

/// The commands that complete the value of an option, if there is anything to complete.
fn action(spec: &Spec) -> Option<String> {
    let compgen = |what: &str| format!("mapfile -t COMPREPLY < <(compgen {what} -- \"$cur\")");
    Some(match value(spec)? {
        Value::Choice(words) => format!("__retry_words {}", words.join(" ")),
        Value::Choices(words) => format!("__retry_list {}", words.join(" ")),
        Value::Preset => format!("__retry_words {}", presets().join(" ")),
        Value::Exits => format!("__retry_list {}", exits().join(" ")),
        Value::Signal => format!("__retry_words {}", signals().join(" ")),
        Value::Signals => format!("__retry_list {}", signals().join(" ")),
        Value::Variables => "__retry_list \"$(compgen -A export)\"".into(),
        Value::File => format!("compopt -o filenames\n            {}", compgen("-f")),
        Value::Directory => format!("compopt -o filenames\n            {}", compgen("-d")),
        Value::Shell => compgen("-c"),
        Value::Number | Value::Duration | Value::Size | Value::Text => return None,
    })
}

/// A case pattern for the names of these options; with `clustered` also for letters behind switches (`-qn`).
fn pattern<'a>(options: impl Iterator<Item = &'a Spec>, clustered: bool) -> String {
    let mut all: Vec<String> = Vec::new();
    let mut letters = String::new();
    for spec in options {
        letters.extend(spec.short);
        for name in names(spec) {
            if !all.contains(&name) {
                all.push(name);
            }
        }
    }
    if clustered {
        all.push(format!("-[qv]*[{letters}]"));
    }
    all.join(" | ")
}

/// The names of options, as words for compgen: a letter only where there is no long name.
fn all(options: &[&Spec]) -> String {
    let mut words: Vec<String> = Vec::new();
    for spec in options {
        words.extend(names(spec).into_iter().next());
    }
    words.join(" ")
}

/// A word for the shell, quoted if it has a space.
fn quoted(word: &str) -> String {
    if word.contains(' ') { format!("'{word}'") } else { word.to_owned() }
}
