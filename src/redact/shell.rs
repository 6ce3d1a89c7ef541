//! How a shell puts a word together: `me:'a b'"c"` is one, and a secret in it goes on behind the quote. Contract D13.

use std::ops::Range;

use super::scan;

/// What one part of a word says, without its quotes.
struct Part {
    says: Range<usize>,
    /// Where it ends, its closing quote included.
    end: usize,
    /// Which word it belongs to.
    word: usize,
}

/// Lets a secret that ends where a part of its word ends reach to the end of that word. What the other parts say
/// becomes a secret of its own as well, for it turns up without the quotes. An empty range marks where one may begin.
pub(super) fn extend(line: &str, ranges: &mut Vec<Range<usize>>) {
    if ranges.is_empty() || !line.contains(['"', '\'']) {
        return;
    }
    let mut ends: Vec<usize> = ranges.iter().map(|range| range.end).collect();
    ends.sort_unstable();
    for word in parts(line).chunk_by(|one, next| one.word == next.word) {
        let Some(at) = word.iter().position(|part| ends.binary_search(&part.says.end).is_ok()) else { continue };
        let others = &word[at + 1..];
        ranges.extend(others.last().map(|last| word[at].says.end..last.end));
        ranges.extend(others.iter().map(|part| part.says.clone()));
    }
}

/// The parts of all words, in order.
fn parts(line: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let (mut at, mut word) = (0, 0);
    while let Some(first) = line.get(at..).and_then(|rest| rest.chars().next()) {
        let inside = at + first.len_utf8();
        match first {
            '"' | '\'' => {
                let end = inside + scan::quoted_length(&line[inside..], &line.as_bytes()[at..inside]);
                at = line.len().min(end + 1);
                parts.push(Part { says: inside..end, end: at, word });
            }
            _ => match scan::word_length(&line[at..]) {
                // What ends a word.
                0 => (at, word) = (inside, word + 1),
                length => {
                    let says = at..at + length;
                    at = says.end;
                    parts.push(Part { says, end: at, word });
                }
            },
        }
    }
    parts
}
