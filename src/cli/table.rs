//! The table of all options of a program, and where one is found in it.

use super::options::{self, attempts, records, reporting, streams, verdicts};
use super::spec::{Group, Opt, Spec};

/// The options of `retry`, by purpose.
pub static RETRY: &[Group] = &[
    attempts::ATTEMPTS,
    attempts::LIMITS,
    verdicts::VERDICTS,
    streams::STREAMS,
    streams::HINTS,
    records::RECORDS,
    reporting::MESSAGES,
    reporting::HOOKS,
    options::ABOUT,
];

/// The options of `retryctl`; which verb takes which is said by [`super::verbs`].
pub static RETRYCTL: &[Group] =
    &[options::letters::FILTERS, options::letters::SHOW, options::letters::REPLAY, CTL_ABOUT];

pub use options::CTL_ABOUT;

/// Every option of a table.
pub fn options(groups: &'static [Group]) -> impl Iterator<Item = &'static Spec> + Clone {
    groups.iter().flat_map(|group| group.options)
}

/// Finds what is known about an option of `retry` or `retryctl`.
pub fn spec(opt: Opt) -> &'static Spec {
    options(RETRY).chain(options(RETRYCTL)).find(|spec| spec.opt == opt).expect("every option stands in a table")
}

/// Whether an option is policy: it changes a verdict, a delay, a limit, a signal or a stream (D32).
pub fn is_policy(opt: Opt) -> bool {
    let policy = [attempts::ATTEMPTS, attempts::LIMITS, verdicts::VERDICTS, streams::STREAMS, streams::HINTS];
    policy.iter().flat_map(|group| group.options).any(|spec| spec.opt == opt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::spec::{Environment, Takes};
    use crate::cli::verbs::VERBS;

    #[test]
    fn names_and_letters_of_retry_are_unique() {
        let mut names: Vec<String> = options(RETRY).map(Spec::name).collect();
        names.extend(options(RETRY).filter_map(|spec| spec.short).map(|letter| format!("-{letter} as a letter")));
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn no_verb_has_two_options_of_one_name() {
        for verb in VERBS {
            let mut names: Vec<String> = verb.options.iter().map(|opt| spec(*opt).name()).collect();
            let all = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), all, "{}", verb.name());
        }
    }

    #[test]
    fn each_option_of_retryctl_belongs_to_a_verb() {
        for spec in options(RETRYCTL).filter(|spec| CTL_ABOUT.options.iter().all(|about| about.opt != spec.opt)) {
            assert!(VERBS.iter().any(|verb| verb.options.contains(&spec.opt)), "{}", spec.name());
        }
    }

    #[test]
    fn help_is_one_lower_case_line_without_a_full_stop() {
        for spec in options(RETRY).chain(options(RETRYCTL)) {
            let help = spec.help;
            assert!(!help.is_empty() && help.len() <= 62 && !help.ends_with('.'), "{}: {help}", spec.name());
            assert!(!help.starts_with(|c: char| c.is_uppercase()) || help.starts_with("RETRY_"), "{help}");
            assert!(spec.more.is_empty() || spec.more.ends_with('.'), "{}", spec.name());
            assert_eq!(spec.more.matches('`').count() % 2, 0, "{}", spec.name());
            assert_eq!(spec.metavar.is_empty(), spec.takes == Takes::Nothing, "{}", spec.name());
        }
    }

    #[test]
    fn what_the_environment_may_not_give_is_what_the_contract_names() {
        let never: Vec<&str> =
            options(RETRY).filter(|s| s.environment == Environment::No && !s.long.is_empty()).map(|s| s.long).collect();
        assert_eq!(never, ["seed", "job", "idempotency-key", "plan", "help", "version"]);
    }
}
