//! `retryctl preset list` and `preset show NAME`: the rules, where they come from, how sure they are, and how to turn off
//! the tool's own retries. Contract 6, P4, P5.

use std::io::{self, Write};

use super::columns::{self, Column, Side};
use super::world::{self, Failed, World};
use crate::cli::settings::Settings;
use crate::code_set::ExitSet;
use crate::policy::Verdict;
use crate::preset::{From, PRESETS, Preset, Texts};

/// The width that texts are folded to.
const WIDTH: usize = 100;
/// How far their lines stand in, behind a heading.
const INDENT: usize = 18;

/// Names the presets.
pub fn list(world: &mut World<'_>) -> Result<u8, Failed> {
    let column = |title| Column { title, side: Side::Left, limit: 40 };
    let columns = [column("PRESET"), column("RETRYABLE"), column("BY TEXT"), column("SUCCESS"), column("SURE")];
    let rows: Vec<Vec<String>> = PRESETS.iter().map(|preset| row(preset)).collect();
    columns::print_rows(&mut world.out, &columns, &rows, world.width)?;
    let used: Vec<&str> = rows.iter().flat_map(|row| row[columns.len() - 1].split(' ')).collect();
    writeln!(world.out, "\n{}", legend(|letter| used.contains(&letter)).join("\n"))?;
    Ok(0)
}

/// What the letters of sureness stand for, of those that are used.
fn legend(is_used: impl Fn(&str) -> bool) -> Vec<String> {
    let meanings = [
        ("A", "the tool's documents call it temporary or permanent"),
        ("B", "the tool's documents say what it means; what follows from that is our reading"),
        ("C", "seen when the tool was run"),
        ("D", "inferred"),
    ];
    meanings.iter().filter(|(letter, _)| is_used(letter)).map(|(letter, text)| format!("{letter}: {text}")).collect()
}

fn row(preset: &Preset) -> Vec<String> {
    let mut by_text = preset.http.as_ref().map_or(ExitSet::EMPTY, |http| http.on);
    preset.texts.iter().for_each(|texts| by_text.extend(texts.on));
    let sets = [preset.retry, by_text, preset.success].map(|set| set.to_string());
    [preset.name.to_owned()].into_iter().chain(sets).chain([letters(preset.sureness)]).collect()
}

/// The letters alone of `A for 5 6 12 28, B and C for the rest`.
fn letters(sureness: &str) -> String {
    let words = sureness.split([' ', ',', ';']).filter(|word| matches!(*word, "A" | "B" | "C" | "D"));
    words.collect::<Vec<_>>().join(" ")
}

/// Prints all that is known of one.
pub fn show(settings: &Settings<'_>, world: &mut World<'_>) -> Result<u8, Failed> {
    let name = settings.operands.first().map(|name| name.to_string_lossy()).unwrap_or_default();
    let Some(preset) = Preset::named(&name) else {
        return Err(Failed::new(world::USAGE, format!("{name:?}: {}", Preset::unknown(&name))));
    };
    write(preset, &mut world.out)?;
    Ok(0)
}

/// Writes a preset out.
fn write(preset: &Preset, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", preset.name)?;
    if !preset.commands.is_empty() {
        field(out, "for", &preset.commands.join(", "))?;
    }
    status(out, "retryable", preset.retry, "")?;
    if let Some(http) = &preset.http {
        status(
            out,
            "by HTTP status",
            http.on,
            ": retryable for 408, 425, 429 and 5xx but 501 and 505, else permanent",
        )?;
        field(out, "", &format!("without a status: retryable with a warning; {}", http.cure))?;
    }
    for texts in preset.texts {
        let verdict = match texts.verdict {
            Verdict::Success => "success",
            Verdict::Retryable => "retryable",
            Verdict::Permanent => "permanent",
        };
        let from = match texts.from {
            From::Stderr => "on stderr",
            From::Either => "on stdout or stderr",
        };
        let digit = if texts.any_of.iter().any(|text| text.contains('#')) { " (# is a digit)" } else { "" };
        status(out, "by text", texts.on, &format!(": {verdict} on one of these {from}{digit}"))?;
        quoted(out, texts)?;
    }
    status(out, "success", preset.success, ", besides 0")?;
    field(out, "permanent", "all else")?;
    let ambiguous = ", and every timeout: the other side may have acted all the same; an idempotency key \
                     (RETRY_IDEMPOTENCY_KEY) lets it tell";
    status(out, "ambiguous", preset.ambiguous, ambiguous)?;
    for (title, text) in [
        ("own retries", preset.own_retries),
        ("warns", preset.advice.as_ref().map_or("", |advice| advice.text)),
        (
            "language",
            if preset.translated {
                "texts are known in English; in another language a status by text is retryable, with a warning"
            } else {
                ""
            },
        ),
        ("note", preset.note),
        ("sure", preset.sureness),
        ("source", preset.source),
    ] {
        if !text.is_empty() {
            field(out, title, text)?;
        }
        if title == "sure" {
            let letters = letters(text);
            for line in legend(|letter| letters.split(' ').any(|used| used == letter)) {
                field(out, "", &line)?;
            }
        }
    }
    Ok(())
}

fn status(out: &mut dyn Write, title: &str, set: ExitSet, what: &str) -> io::Result<()> {
    if set.is_empty() {
        return Ok(());
    }
    field(out, title, &format!("{set}{what}"))
}

/// The texts, several on a line, none torn apart.
fn quoted(out: &mut dyn Write, texts: &Texts) -> io::Result<()> {
    let pieces: Vec<String> = texts.any_of.iter().map(|text| format!("\"{text}\"")).collect();
    fold(out, "", &pieces)
}

fn field(out: &mut dyn Write, title: &str, text: &str) -> io::Result<()> {
    let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    fold(out, title, &words)
}

fn fold(out: &mut dyn Write, title: &str, words: &[String]) -> io::Result<()> {
    let mut line = format!("  {title:<width$}", width = INDENT - 2);
    let mut is_fresh = true;
    for word in words {
        if !is_fresh && line.chars().count() + 1 + word.chars().count() > WIDTH {
            writeln!(out, "{}", line.trim_end())?;
            line = " ".repeat(INDENT);
            is_fresh = true;
        }
        if !is_fresh {
            line.push(' ');
        }
        line += word;
        is_fresh = false;
    }
    writeln!(out, "{}", line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_written_within_its_width() {
        for preset in PRESETS {
            let mut text = Vec::new();
            write(preset, &mut text).unwrap();
            let text = String::from_utf8(text).unwrap();
            assert!(text.starts_with(preset.name) && text.contains("source"), "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        }
    }
}
