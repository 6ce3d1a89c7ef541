//! The manual pages: prose written by hand, with the options of the table in it, as man(7) macros.
//!
//! Only tests call this, so the linker leaves it out of the programs. The prose has a small markup: `# ` and `## ` before a
//! heading, a paragraph between empty lines, `    ` before a line of code, `TERM` and a following `:   text` for a list
//! of definitions, `{options}` and `{verbs}` alone on a line for what the tables say; within text, backquotes around
//! code and asterisks around what stands for something else.

use std::fmt::Write as _;

use super::spec::{Group, Spec, Takes};
use super::table;
use super::verbs::VERBS;

/// How wide a line of the source may be.
const WIDTH: usize = 78;

/// Renders the manual page `NAME(1)` from its prose; `date` is `2026-11-30`.
pub fn render(name: &str, date: &str, prose: &str) -> String {
    let mut page = format!(
        ".\\\" Generated from man/{name}.md and the table of options; edit those, then see CONTRIBUTING.\n\
         .TH {} 1 {date} \"retry {}\" \"User Commands\"\n",
        name.to_ascii_uppercase(),
        env!("CARGO_PKG_VERSION"),
    );
    let mut lines = prose.lines().peekable();
    let mut fresh = true; // Just after a heading a paragraph needs no macro.
    while let Some(line) = lines.next() {
        if line.is_empty() {
            continue;
        }
        if let Some(title) = line.strip_prefix("# ") {
            let _ = writeln!(page, ".SH {}", heading(title));
            fresh = true;
            continue;
        }
        if let Some(title) = line.strip_prefix("## ") {
            let _ = writeln!(page, ".SS {}", heading(title));
            fresh = true;
            continue;
        }
        match line {
            "{options}" => table::RETRY.iter().for_each(|group| options(&mut page, group)),
            "{verbs}" => verbs(&mut page),
            _ if line.starts_with("    ") => {
                let mut code = vec![&line[4..]];
                while let Some(next) = lines.next_if(|next| next.starts_with("    ") || next.is_empty()) {
                    code.push(next.get(4..).unwrap_or_default());
                }
                while code.last().is_some_and(|last| last.is_empty()) {
                    code.pop();
                }
                example(&mut page, &code);
            }
            _ => {
                let mut text = String::from(line);
                while let Some(next) = lines.next_if(|next| !next.is_empty() && !next.starts_with(":   ")) {
                    text.extend([" ", next]);
                }
                if let Some(definition) = lines.next_if(|next| next.starts_with(":   ")) {
                    let mut meaning = definition[4..].to_owned();
                    while let Some(next) = lines.next_if(|next| next.starts_with("    ")) {
                        meaning.extend([" ", next.trim_start()]);
                    }
                    let _ = writeln!(page, ".TP\n{}", inline(&text));
                    fill(&mut page, &meaning);
                } else {
                    if !fresh {
                        page.push_str(".PP\n");
                    }
                    fill(&mut page, &text);
                }
            }
        }
        fresh = false;
    }
    page
}

/// The options of a group, as definitions.
fn options(page: &mut String, group: &Group) {
    let _ = writeln!(page, ".SS {}", heading(group.title));
    group.options.iter().for_each(|spec| option(page, spec));
}

/// Every verb of `retryctl` with its options.
fn verbs(page: &mut String) {
    for verb in VERBS {
        let _ = writeln!(page, ".SS {}", heading(&verb.name()));
        let mut synopsis = format!("`retryctl {}`", verb.name());
        if !verb.options.is_empty() {
            synopsis.push_str(" [*OPTIONS*]");
        }
        for word in verb.operands.split_whitespace() {
            let _ = write!(synopsis, " {word}");
        }
        fill(page, &synopsis);
        page.push_str(".PP\n");
        let mut help = verb.help.to_owned();
        if let Some(first) = help.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        fill(page, format!("{help}. {}", verb.more).trim_end());
        verb.options.iter().for_each(|opt| option(page, table::spec(*opt)));
    }
}

/// One option as a definition.
fn option(page: &mut String, spec: &Spec) {
    let mut term = match spec.short {
        Some(letter) if spec.long.is_empty() => format!("`-{letter}`"),
        Some(letter) => format!("`-{letter}`, `--{}`", spec.long),
        None => format!("`--{}`", spec.long),
    };
    match spec.takes {
        Takes::Nothing => {}
        Takes::Value(_) => {
            let _ = write!(term, " *{}*", spec.metavar);
        }
        Takes::Maybe(_) => {
            let _ = write!(term, "[=*{}*]", spec.metavar);
        }
    }
    let _ = writeln!(page, ".TP\n{}", inline(&term));
    let mut text = spec.help.to_owned();
    let begins_with_a_choice = spec.choices().iter().any(|word| text.starts_with(word));
    if let Some(first) = text.get_mut(..1)
        && !begins_with_a_choice
    {
        first.make_ascii_uppercase();
    }
    if !spec.default.is_empty() {
        let _ = write!(text, " (default: {})", spec.default);
    }
    text.push('.');
    for sentences in [spec.more, &spec.untold_choices()] {
        if !sentences.is_empty() {
            text.extend([" ", sentences]);
        }
    }
    fill(page, &text);
}

/// Lines of code, as they are.
fn example(page: &mut String, code: &[&str]) {
    page.push_str(".PP\n.RS 4\n.EX\n");
    for line in code {
        if line.starts_with(['.', '\'']) {
            page.push_str("\\&");
        }
        let _ = writeln!(page, "{}", escaped(line, true));
    }
    page.push_str(".EE\n.RE\n");
}

/// A heading, quoted if it has more than one word.
fn heading(title: &str) -> String {
    let title = escaped(title, false);
    if title.contains(' ') { format!("\"{title}\"") } else { title }
}

/// Writes a paragraph in lines of at most WIDTH.
fn fill(page: &mut String, text: &str) {
    let mut line = String::new();
    // Markup is resolved first and broken afterwards: a font may reach over the end of a line.
    for word in inline(text).split(' ').filter(|word| !word.is_empty()) {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            end_line(page, &line);
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    end_line(page, &line);
}

fn end_line(page: &mut String, line: &str) {
    if line.starts_with(['.', '\'']) {
        page.push_str("\\&");
    }
    page.extend([line, "\n"]);
}

/// Resolves the markup within text.
fn inline(text: &str) -> String {
    let mut out = String::new();
    for (i, part) in text.split('`').enumerate() {
        if i % 2 == 1 {
            let _ = write!(out, "\\fB{}\\fR", escaped(part, true));
            continue;
        }
        for (j, piece) in part.split('*').enumerate() {
            // An asterisk between blanks is one.
            let stands_for = j % 2 == 1 && !piece.starts_with(' ');
            match (stands_for, j) {
                (true, _) => {
                    let _ = write!(out, "\\fI{}\\fR", escaped(piece, false));
                }
                (false, 0) => out.push_str(&pages(piece)),
                (false, _) if j % 2 == 1 || (out.ends_with('*') || !out.ends_with("\\fR")) => {
                    out.push('*');
                    out.push_str(&pages(piece));
                }
                (false, _) => out.push_str(&pages(piece)),
            }
        }
    }
    out
}

/// Escapes plain text, in which the names of other manual pages and of options are set in bold.
fn pages(text: &str) -> String {
    let bold = |word: &str| -> String {
        // The dash after the name, by which whatis(1) finds it.
        if word == "-" {
            return "\\-".into();
        }
        let bare = word.trim_end_matches(['.', ',', ':', ';', ')', '(']);
        if bare.starts_with("--") && bare.len() > 2 {
            return format!("\\fB{}\\fR{}", escaped(bare, true), &word[bare.len()..]);
        }
        if let Some((name, rest)) = word.split_once('(')
            && rest.starts_with(|c: char| c.is_ascii_digit())
            && rest[1..].starts_with(')')
            && !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c))
        {
            return format!("\\fB{}\\fR({}", escaped(name, true), escaped(rest, false));
        }
        escaped(word, false)
    };
    text.split(' ').map(bold).collect::<Vec<_>>().join(" ")
}

/// Escapes what roff would take for its own; in code also what it would make typographic.
fn escaped(text: &str, code: bool) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\e"),
            '-' if code => out.push_str("\\-"),
            '\'' if code => out.push_str("\\(aq"),
            '`' if code => out.push_str("\\(ga"),
            '~' => out.push_str("\\(ti"),
            '^' => out.push_str("\\(ha"),
            '…' => out.push_str("..."),
            '→' => out.push_str("\\(->"),
            _ => out.push(c),
        }
    }
    out
}
