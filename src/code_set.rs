//! Sets of exit statuses and of signals, as an option's LIST writes them.

use std::fmt;
use std::str::FromStr;

use crate::signal::Signal;

/// The names of sysexits.h with their statuses.
pub const SYSEXITS: &[(&str, u8)] = &[
    ("EX_OK", 0),
    ("EX_USAGE", 64),
    ("EX_DATAERR", 65),
    ("EX_NOINPUT", 66),
    ("EX_NOUSER", 67),
    ("EX_NOHOST", 68),
    ("EX_UNAVAILABLE", 69),
    ("EX_SOFTWARE", 70),
    ("EX_OSERR", 71),
    ("EX_OSFILE", 72),
    ("EX_CANTCREAT", 73),
    ("EX_IOERR", 74),
    ("EX_TEMPFAIL", 75),
    ("EX_PROTOCOL", 76),
    ("EX_NOPERM", 77),
    ("EX_CONFIG", 78),
];

/// A set of exit statuses, 0 to 255. Contract R20.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExitSet([u64; 4]);

impl ExitSet {
    /// The set without a member.
    pub const EMPTY: ExitSet = ExitSet([0; 4]);

    /// The set of the given statuses, for tables.
    pub const fn of(statuses: &[u8]) -> ExitSet {
        let mut words = [0u64; 4];
        let mut i = 0;
        while i < statuses.len() {
            words[(statuses[i] >> 6) as usize] |= 1 << (statuses[i] & 63);
            i += 1;
        }
        ExitSet(words)
    }

    /// Whether the status is a member.
    pub fn contains(&self, status: u8) -> bool {
        self.0[usize::from(status >> 6)] & (1 << (status & 63)) != 0
    }

    /// Adds one status.
    pub fn insert(&mut self, status: u8) {
        self.0[usize::from(status >> 6)] |= 1 << (status & 63);
    }

    /// Adds every member of another set: options that are repeated add up (R20).
    pub fn extend(&mut self, other: ExitSet) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=u8::MAX).filter(|status| self.contains(*status))
    }
}

/// `1-10,75`: ascending, ranges of three and more joined.
impl fmt::Display for ExitSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members: Vec<u8> = self.iter().collect();
        let mut first = true;
        let mut i = 0;
        while i < members.len() {
            let mut last = i;
            while last + 1 < members.len() && members[last + 1] == members[last] + 1 {
                last += 1;
            }
            if last < i + 2 {
                last = i;
            }
            if !first {
                f.write_str(",")?;
            }
            first = false;
            write!(f, "{}", members[i])?;
            if last > i {
                write!(f, "-{}", members[last])?;
            }
            i = last + 1;
        }
        Ok(())
    }
}

/// A LIST that cannot be read: what is wrong with it, in words that say what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadList(String);

impl fmt::Display for BadList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn exit_status(text: &str) -> Result<u8, BadList> {
    if let Some((_, status)) = SYSEXITS.iter().find(|(name, _)| *name == text) {
        return Ok(*status);
    }
    if text.is_empty() {
        return Err(BadList("an item is empty; expected a list such as 75,111 or 1-10".into()));
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().map_err(|_| BadList(format!("{text} is not an exit status; expected 0 to 255")));
    }
    if text.starts_with("EX_") {
        return Err(BadList(format!("{text} is no name of sysexits.h; expected EX_USAGE (64) to EX_CONFIG (78)")));
    }
    Err(BadList(format!(
        "{text:?} is not an exit status; expected 0 to 255, a range such as 1-10, or a name such as EX_TEMPFAIL"
    )))
}

impl FromStr for ExitSet {
    type Err = BadList;

    /// Reads `75,111`, `1-10`, `EX_TEMPFAIL`, and any mixture of them.
    fn from_str(list: &str) -> Result<ExitSet, BadList> {
        let mut set = ExitSet::EMPTY;
        for item in list.split(',') {
            match item.split_once('-') {
                Some((from, to)) if !from.is_empty() => {
                    let (from, to) = (exit_status(from)?, exit_status(to)?);
                    if from > to {
                        return Err(BadList(format!("the range {item} is reversed; expected {to}-{from}")));
                    }
                    (from..=to).for_each(|status| set.insert(status));
                }
                _ => set.insert(exit_status(item)?),
            }
        }
        Ok(set)
    }
}

/// A set of signals. Contract R20.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SignalSet(u128);

impl SignalSet {
    /// The set without a member.
    pub const EMPTY: SignalSet = SignalSet(0);

    /// Whether the signal is a member.
    pub fn contains(&self, signal: Signal) -> bool {
        self.0 & (1 << signal.number()) != 0
    }

    /// Adds one signal.
    pub fn insert(&mut self, signal: Signal) {
        self.0 |= 1 << signal.number();
    }

    /// Adds every member of another set.
    pub fn extend(&mut self, other: SignalSet) {
        self.0 |= other.0;
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// The members by ascending number.
    pub fn iter(&self) -> impl Iterator<Item = Signal> + '_ {
        (1..128).filter_map(Signal::from_number).filter(|signal| self.contains(*signal))
    }
}

/// `SIGTERM,SIGKILL`, ascending by number.
impl fmt::Display for SignalSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, signal) in self.iter().enumerate() {
            write!(f, "{}{signal}", if i > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

impl FromStr for SignalSet {
    type Err = BadList;

    /// Reads `TERM,SIGKILL,15`.
    fn from_str(list: &str) -> Result<SignalSet, BadList> {
        let mut set = SignalSet::EMPTY;
        for item in list.split(',') {
            let signal = item.parse().map_err(|_| {
                BadList(if item.is_empty() {
                    "an item is empty; expected a list such as TERM,KILL".into()
                } else {
                    format!("{item:?} is no signal; expected names or numbers such as TERM, SIGTERM or 15")
                })
            })?;
            set.insert(signal);
        }
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn items_ranges_and_names_add_up() {
        let set: ExitSet = "75,1-3,EX_USAGE".parse().unwrap();
        assert_eq!(set.iter().collect::<Vec<_>>(), [1, 2, 3, 64, 75]);
        assert_eq!(set.to_string(), "1-3,64,75");
    }

    #[test]
    fn only_three_neighbours_and_more_are_written_as_a_range() {
        for list in ["0,1", "0-2", "0,1,3-7,9,10", "250-255"] {
            assert_eq!(list.parse::<ExitSet>().unwrap().to_string(), list);
        }
    }

    #[test]
    fn a_range_may_be_of_one() {
        assert_eq!("5-5".parse(), Ok(ExitSet::of(&[5])));
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for list in ["", "1,", ",1", "256", "-1", "5-3", "1-", "EX_NONSENSE", "x", "1 ,2", "+1", "1-2-3"] {
            assert!(list.parse::<ExitSet>().is_err(), "{list:?}");
        }
        for list in ["", "TERM,", "NOSUCH", "0", "-1"] {
            assert!(list.parse::<SignalSet>().is_err(), "{list:?}");
        }
    }

    #[test]
    fn a_refusal_names_the_item_and_what_would_be_right() {
        for (list, said) in [
            ("1,", "an item is empty; expected a list such as 75,111 or 1-10"),
            ("256", "256 is not an exit status; expected 0 to 255"),
            ("5-3", "the range 5-3 is reversed; expected 3-5"),
            ("EX_X", "EX_X is no name of sysexits.h; expected EX_USAGE (64) to EX_CONFIG (78)"),
            (
                "-1",
                "\"-1\" is not an exit status; expected 0 to 255, a range such as 1-10, or a name such as EX_TEMPFAIL",
            ),
        ] {
            assert_eq!(list.parse::<ExitSet>().unwrap_err().to_string(), said);
        }
    }

    proptest! {
        #[test]
        fn sets_add_up(one: Vec<u8>, other: Vec<u8>) {
            let mut both = ExitSet::of(&one);
            both.extend(ExitSet::of(&other));
            prop_assert_eq!(both, ExitSet::of(&[one, other].concat()));
        }

        #[test]
        fn sets_of_signals_add_up(one in 1i32..32, other in 1i32..32) {
            let [one, other] = [one, other].map(|number| Signal::from_number(number).unwrap());
            let mut both = SignalSet::EMPTY;
            both.insert(one);
            both.extend(other.to_string().parse().unwrap());
            let mut expected = vec![one, other];
            expected.sort();
            expected.dedup();
            prop_assert_eq!(both.iter().collect::<Vec<_>>(), expected);
        }

        #[test]
        fn an_exit_set_is_read_back_from_what_it_prints(members in proptest::collection::vec(any::<u8>(), 1..40)) {
            let set = ExitSet::of(&members);
            prop_assert_eq!(set.to_string().parse::<ExitSet>().unwrap(), set);
        }

        #[test]
        fn a_signal_set_is_read_back_from_what_it_prints(members in proptest::collection::vec(1i32..32, 1..10)) {
            let mut set = SignalSet::EMPTY;
            members.into_iter().filter_map(Signal::from_number).for_each(|signal| set.insert(signal));
            prop_assert_eq!(set.to_string().parse::<SignalSet>().unwrap(), set);
        }
    }
}
