//! Decisions by what a command prints. Contract S20.

mod needs;

use regex_lite::Regex;

use crate::pattern::Patterns;
use crate::policy::OutputFacts;

/// The expressions of `--retry-on-output`, `--fail-on-output` and `--until-output`, compiled.
///
/// Each is matched against single lines, without their end; of several of a kind one that matches is enough.
#[derive(Debug, Default)]
pub struct OutputRules {
    retry: Vec<Rule>,
    fail: Vec<Rule>,
    until: Vec<Rule>,
}

/// One expression, and texts of which a line must have one to match at all; none where that is not known.
///
/// Looking for a text is some hundred times as fast as matching, and most lines have none.
#[derive(Debug)]
struct Rule {
    expression: Regex,
    needs: Option<Vec<String>>,
    patterns: Option<Patterns>,
}

impl Rule {
    fn new(expression: &str) -> Result<Rule, regex_lite::Error> {
        let compiled = Regex::new(expression)?;
        let needs = needs::needs(expression);
        let patterns = needs.as_ref().map(|texts| Patterns::new(texts.iter().map(String::as_str)));
        Ok(Rule { expression: compiled, needs, patterns })
    }

    fn matches(&self, line: &str) -> bool {
        let may = self.patterns.as_ref().is_none_or(|patterns| patterns.first(line.as_bytes()).is_some());
        may && self.expression.is_match(line)
    }
}

impl OutputRules {
    /// Compiles the expressions.
    ///
    /// # Errors
    /// The first expression that is none.
    pub fn new(retry: &[String], fail: &[String], until: &[String]) -> Result<OutputRules, regex_lite::Error> {
        let compile = |texts: &[String]| texts.iter().map(|text| Rule::new(text)).collect::<Result<Vec<_>, _>>();
        Ok(OutputRules { retry: compile(retry)?, fail: compile(fail)?, until: compile(until)? })
    }

    /// Whether there is no rule, so that output need not be looked at.
    pub fn is_empty(&self) -> bool {
        self.retry.is_empty() && self.fail.is_empty() && self.until.is_empty()
    }

    /// Texts of which a line must have one for any rule to match it, for [`Patterns`]; `None` where that is not known of each.
    pub fn needs(&self) -> Option<Vec<&str>> {
        let rules = [&self.retry, &self.fail, &self.until].into_iter().flatten();
        let needs: Option<Vec<_>> = rules.map(|rule| rule.needs.as_deref()).collect();
        needs.map(|needs| needs.into_iter().flatten().map(String::as_str).collect())
    }

    /// What stands before the first line of an attempt.
    pub fn begin(&self) -> OutputFacts {
        OutputFacts { fail: false, retry: false, until_unmet: !self.until.is_empty() }
    }

    /// Looks at one line and marks what it matches. What is decided is not looked for again.
    ///
    /// Bytes that are not UTF-8 are taken as replacement characters, and a carriage return at the end is not the line's.
    pub fn line(&self, facts: &mut OutputFacts, line: &[u8]) {
        let fail = !facts.fail && !self.fail.is_empty();
        let retry = !facts.retry && !self.retry.is_empty();
        if !fail && !retry && !facts.until_unmet {
            return;
        }
        let text = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
        let matches = |rules: &[Rule]| rules.iter().any(|rule| rule.matches(&text));
        facts.fail = facts.fail || (fail && matches(&self.fail));
        facts.retry = facts.retry || (retry && matches(&self.retry));
        facts.until_unmet = facts.until_unmet && !matches(&self.until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rules(retry: &[&str], fail: &[&str], until: &[&str]) -> OutputRules {
        let own = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        OutputRules::new(&own(retry), &own(fail), &own(until)).unwrap()
    }

    fn facts(rules: &OutputRules, lines: &[&[u8]]) -> OutputFacts {
        let mut facts = rules.begin();
        lines.iter().for_each(|line| rules.line(&mut facts, line));
        facts
    }

    #[test]
    fn each_rule_looks_at_each_line() {
        let rules = rules(&["busy|later"], &["^fatal"], &["done$"]);
        let nothing = OutputFacts { until_unmet: true, ..OutputFacts::default() };
        assert_eq!(facts(&rules, &[b"a", b"not fatal", b"done?"]), nothing);
        assert_eq!(facts(&rules, &[b"try later"]), OutputFacts { retry: true, ..nothing });
        assert_eq!(facts(&rules, &[b"x", b"fatal: y", b"z"]), OutputFacts { fail: true, ..nothing });
        assert_eq!(facts(&rules, &[b"all done", b"x"]), OutputFacts::default());
    }

    #[test]
    fn of_several_of_a_kind_one_is_enough() {
        let rules = rules(&[], &[], &["ready", "up"]);
        assert!(!facts(&rules, &[b"is up"]).until_unmet);
    }

    #[test]
    fn a_carriage_return_and_bytes_that_are_not_utf_8_do_not_disturb() {
        let rules = rules(&["^.*busy$"], &[], &[]);
        assert!(facts(&rules, &[b"\xff\xfe busy\r"]).retry);
    }

    #[test]
    fn without_rules_there_is_nothing_to_look_for() {
        assert!(OutputRules::default().is_empty());
        assert_eq!(facts(&OutputRules::default(), &[b"x"]), OutputFacts::default());
    }

    #[test]
    fn a_rule_of_any_kind_is_something_to_look_for() {
        for rules in [rules(&["x"], &[], &[]), rules(&[], &["x"], &[]), rules(&[], &[], &["x"])] {
            assert!(!rules.is_empty());
        }
    }

    #[test]
    fn what_a_line_needs_is_known_where_it_is_of_each_rule() {
        assert_eq!(rules(&["busy|later"], &["fatal"], &[]).needs(), Some(vec!["busy", "later", "fatal"]));
        assert_eq!(rules(&["busy"], &[], &["."]).needs(), None);
        assert_eq!(OutputRules::default().needs(), Some(vec![]));
    }

    proptest! {
        #[test]
        fn a_rule_matches_what_its_expression_matches(expression in "[ab.*|^$]{1,8}", line in "[abc|]{0,8}") {
            if let Ok(rule) = Rule::new(&expression) {
                prop_assert_eq!(rule.matches(&line), rule.expression.is_match(&line), "{} {}", expression, line);
            }
        }

        #[test]
        fn what_was_seen_stays_seen(lines in proptest::collection::vec("[abc]{0,3}", 0..10)) {
            let rules = rules(&["a"], &["b"], &["c"]);
            let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
            let has = |byte| lines.iter().any(|line| line.contains(&byte));
            let expected = OutputFacts { retry: has(b'a'), fail: has(b'b'), until_unmet: !has(b'c') };
            prop_assert_eq!(facts(&rules, &lines), expected);
        }
    }
}
