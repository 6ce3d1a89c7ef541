//! Texts without which an expression cannot match, so that most lines need not be matched at all.

use std::iter::Peekable;
use std::str::Chars;

/// How many texts of one expression are looked for; of more, none.
const MOST: usize = 32;
/// A shorter text stands on nearly every line.
const SHORTEST: usize = 2;

/// The texts of which every line that an expression matches has at least one, in whatever case of ASCII letters, each of two
/// bytes or more. `None` where no such texts are plain to see: then every line may match.
///
/// The expression must be a valid one of `regex_lite`. Whatever is not understood counts as matching anything.
pub fn needs(expression: &str) -> Option<Vec<String>> {
    let expression = expression.strip_prefix("(?i)").unwrap_or(expression);
    let mut parser = Parser { rest: expression.chars().peekable() };
    let needed = parser.alternation().ok()?;
    // What is left would be a bracket without its partner.
    if parser.rest.next().is_some() { None } else { needed }
}

/// Something that is not understood.
struct Unknown;

/// What an item of an expression matches.
enum Item {
    /// This character.
    Literal(char),
    /// Something that has one of these texts, if they are known.
    Needs(Option<Vec<String>>),
}

struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Parser<'_> {
    /// Up to a closing bracket or the end: a text of each alternative is needed.
    fn alternation(&mut self) -> Result<Option<Vec<String>>, Unknown> {
        let mut all = self.sequence()?;
        while self.rest.next_if_eq(&'|').is_some() {
            let next = self.sequence()?;
            all = all.zip(next).map(|(mut all, next)| {
                all.extend(next);
                all
            });
        }
        Ok(all.filter(|texts| texts.len() <= MOST))
    }

    /// Up to an alternative, a closing bracket or the end: of its items the one with the longest texts.
    fn sequence(&mut self) -> Result<Option<Vec<String>>, Unknown> {
        let mut best: Option<Vec<String>> = None;
        let mut run = String::new();
        while let Some(&next) = self.rest.peek() {
            if next == '|' || next == ')' {
                break;
            }
            let item = self.item()?;
            let (repeats, is_needed) = self.repetition();
            let needed = match item {
                Item::Literal(c) if is_needed => {
                    run.push(c);
                    if !repeats {
                        continue;
                    }
                    None
                }
                Item::Needs(texts) if is_needed => texts,
                Item::Literal(_) | Item::Needs(_) => None,
            };
            better(&mut best, Some(vec![std::mem::take(&mut run)]));
            better(&mut best, needed);
        }
        better(&mut best, Some(vec![run]));
        Ok(best)
    }

    fn item(&mut self) -> Result<Item, Unknown> {
        match self.rest.next().ok_or(Unknown)? {
            '(' => self.group(),
            '[' => self.class(),
            '\\' => self.escape(),
            '.' | '^' | '$' => Ok(Item::Needs(None)),
            c => Ok(literal(c)),
        }
    }

    fn group(&mut self) -> Result<Item, Unknown> {
        if self.rest.next_if_eq(&'?').is_some() {
            // A name, or nothing; flags may change the meaning of all that follows.
            match (self.rest.next(), self.rest.peek()) {
                (Some(':'), _) => {}
                (Some('<'), _) | (Some('P'), Some('<')) => while self.rest.next().ok_or(Unknown)? != '>' {},
                _ => return Err(Unknown),
            }
        }
        let needed = self.alternation()?;
        self.rest.next_if_eq(&')').ok_or(Unknown)?;
        Ok(Item::Needs(needed))
    }

    fn class(&mut self) -> Result<Item, Unknown> {
        self.rest.next_if_eq(&'^');
        // A closing bracket that stands first is one of the class.
        self.rest.next_if_eq(&']');
        loop {
            match self.rest.next().ok_or(Unknown)? {
                ']' => return Ok(Item::Needs(None)),
                '[' => return Err(Unknown),
                '\\' => {
                    self.rest.next();
                }
                _ => {}
            }
        }
    }

    fn escape(&mut self) -> Result<Item, Unknown> {
        match self.rest.next().ok_or(Unknown)? {
            'd' | 'D' | 's' | 'S' | 'w' | 'W' | 'b' | 'B' | 'A' | 'z' | 'n' | 'r' | 't' | 'f' | 'v' | 'a' => {
                Ok(Item::Needs(None))
            }
            c if c.is_ascii_punctuation() => Ok(literal(c)),
            _ => Err(Unknown),
        }
    }

    /// Whether the item before is repeated, and whether it must be there at all.
    fn repetition(&mut self) -> (bool, bool) {
        let (mut repeats, mut is_needed) = (false, true);
        while let Some(c) = self.rest.next_if(|c| matches!(c, '?' | '*' | '+' | '{')) {
            repeats = true;
            is_needed &= c == '+';
            if c == '{' {
                while self.rest.next().is_some_and(|c| c != '}') {}
            }
        }
        (repeats, is_needed)
    }
}

/// A character that must be there; not one that a pattern takes for another, nor one that stands for bytes that are no text.
fn literal(c: char) -> Item {
    match c {
        '#' | char::REPLACEMENT_CHARACTER => Item::Needs(None),
        c => Item::Literal(c),
    }
}

/// Takes the texts with the longer shortest one: they stand on fewer lines.
fn better(best: &mut Option<Vec<String>>, other: Option<Vec<String>>) {
    let shortest = |texts: &Vec<String>| texts.iter().map(String::len).min().unwrap_or_default();
    if let Some(other) = other.filter(|texts| shortest(texts) >= SHORTEST)
        && best.as_ref().is_none_or(|best| shortest(&other) > shortest(best))
    {
        *best = Some(other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Patterns;
    use proptest::prelude::*;
    use regex_lite::Regex;

    fn of(expression: &str) -> Option<String> {
        Regex::new(expression).unwrap();
        needs(expression).map(|texts| texts.join(","))
    }

    #[test]
    fn what_a_line_needs_is_the_longest_text_of_each_alternative() {
        for (expression, expected) in [
            ("busy|^try later$", "busy,try later"),
            ("error.*timed out", "timed out"),
            ("(?i)Busy", "Busy"),
            ("(busy|later)", "busy,later"),
            ("(?:busy|later)+ now", "busy,later"),
            ("a(?P<name>b|cd)efg", "efg"),
            (r"HTTP/1\.1 5\d\d", "HTTP/1.1 5"),
            ("code [45][0-9]{2}", "code "),
            ("ab?cd", "cd"),
            ("abc+d", "abc"),
            ("abc*de", "ab"),
            ("ab#cd.", "ab"),
            (r"\bbusy\b", "busy"),
            ("[]a]bc", "bc"),
            (r"x[\]]yz", "yz"),
            ("gr\u{fc}n", "gr\u{fc}n"),
        ] {
            assert_eq!(of(expression).as_deref(), Some(expected), "{expression}");
        }
    }

    #[test]
    fn where_nothing_is_needed_every_line_may_match() {
        for expression in [
            "",
            "x*",
            "x",
            "[ab][cd]",
            "ab|",
            "ab|c",
            "^$",
            ".*",
            "(ab)?",
            "(ab){0,2}",
            "a{2}",
            "(?i:ab)",
            "(?x)a b",
            r"\x61b",
        ] {
            assert_eq!(of(expression), None, "{expression}");
        }
        let many = (10..50).map(|n| n.to_string()).collect::<Vec<_>>().join("|");
        assert_eq!(of(&many), None);
    }

    proptest! {
        #[test]
        fn no_line_matches_that_lacks_what_is_needed(
            expression in r"(\(\?i\))?([ab]|ab|cd|B|\.|\.\*|\||\^|\$|\(|\(\?:|\(\?P<n>|\)|\[a|\[\^b|\]|\?|\*|\+|\{2\}|\{0,1\}|\\\.|\\w|\\b|#|\u{fffd}){1,9}",
            lines in proptest::collection::vec("[abcdABCD.#\u{fffd}]{0,8}", 1..20),
        ) {
            if let (Ok(matcher), Some(texts)) = (Regex::new(&expression), needs(&expression)) {
                prop_assert!(texts.iter().all(|text| text.len() >= SHORTEST), "{:?}", texts);
                let patterns = Patterns::new(texts.iter().map(String::as_str));
                for line in lines.iter().filter(|line| matcher.is_match(line)) {
                    prop_assert!(patterns.first(line.as_bytes()).is_some(), "{} {} {:?}", expression, line, texts);
                }
            }
        }
    }
}
