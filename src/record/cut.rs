//! A record as one line that is not too long. Contract D14.

use super::{Base64, History, Record};

/// How long a line may be, its newline included.
const LIMIT: usize = 4 << 20;
/// How long a line may be that readers accept: input of any length may be asked for, but what nobody reads is lost.
const READABLE: usize = 64 << 20;
/// How much of the text of the arguments stays, in bytes, where they had to be cut.
const ARGS_KEPT: usize = 64 << 10;

/// What makes a record shorter.
type Cut = fn(&mut Record);

impl Record {
    /// The record as one line without its newline; beyond 4 MiB first the output, then the history, then the text
    /// of the arguments are cut, and of the arguments never the bytes, without which there is no replay. Input stays up
    /// to 64 MiB, and is not stored beyond.
    pub fn to_line(&self) -> Vec<u8> {
        self.within(LIMIT, READABLE)
    }

    fn within(&self, limit: usize, readable: usize) -> Vec<u8> {
        let mut line = self.encode();
        if line.len() < limit {
            return line;
        }
        let mut record = self.clone();
        let cuts: [(usize, Cut); 5] = [
            (readable, Record::shorten_input),
            (readable, Record::drop_input),
            (limit, Record::cut_output),
            (limit, Record::cut_history),
            (limit, Record::cut_args),
        ];
        for (limit, cut) in cuts {
            if line.len() >= limit {
                cut(&mut record);
                line = record.encode();
            }
        }
        line
    }

    fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a record has nothing that JSON cannot hold")
    }

    /// What JSON would escape is shorter as base64.
    fn shorten_input(&mut self) {
        if let Some(input) = &mut self.stdin
            && let Some(text) = input.text.take()
        {
            input.b64 = Some(Base64(text.into_bytes()));
        }
    }

    fn drop_input(&mut self) {
        if let Some(input) = &mut self.stdin
            && input.b64.take().is_some()
        {
            input.kind = "not_stored".into();
        }
    }

    fn cut_output(&mut self) {
        if let Some(stderr) = &mut self.stderr {
            stderr.truncated |= !stderr.tail.is_empty();
            stderr.tail.clear();
            stderr.tail_b64 = None;
        }
    }

    fn cut_history(&mut self) {
        self.retry.history = History::default();
    }

    fn cut_args(&mut self) {
        let process = &mut self.process;
        if process.args_b64.is_none() && !self.redacted {
            let bytes = process.args.iter().map(|arg| Base64(arg.clone().into_bytes()));
            process.args_b64 = Some(bytes.collect());
        }
        let mut left = ARGS_KEPT;
        let mut kept = Vec::new();
        for arg in &process.args {
            let cut = (0..=left.min(arg.len())).rev().find(|at| arg.is_char_boundary(*at)).unwrap_or(0);
            left -= cut;
            if cut < arg.len() {
                kept.push(format!("{}…", &arg[..cut]));
                break;
            }
            kept.push(arg.clone());
            if left == 0 {
                break;
            }
        }
        process.args = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Attempt, Input, Tail, args_of};
    use super::*;
    use proptest::prelude::{Strategy, any};
    use std::ffi::OsString;

    fn long(args: Vec<String>, tail: usize) -> Record {
        let mut record = Record { stderr: Some(Tail::new(&vec![b'x'; tail], tail as u64)), ..Record::default() };
        record.process.args = args;
        record.retry.history.push(Attempt::default());
        record
    }

    /// What is left of a record: the length of its output, whether it says to be cut, and whether it has attempts.
    fn left(record: &Record) -> (usize, bool, bool) {
        let line = record.to_line();
        assert!(line.len() < 4_194_304, "no room for the newline");
        let read: Record = serde_json::from_slice(&line).unwrap();
        let stderr = read.stderr.unwrap();
        (stderr.tail.len(), stderr.truncated, !read.retry.history.is_empty())
    }

    #[test]
    fn the_output_is_cut_first() {
        assert_eq!(left(&long(vec!["true".into()], 5 << 20)), (0, true, true));
    }

    #[test]
    fn a_line_of_four_mib_with_its_newline_is_whole_and_a_byte_more_cuts_the_output() {
        let of = |tail: usize| {
            let mut record = long(vec!["true".into()], tail);
            record.stderr.as_mut().unwrap().total_bytes = 5_000_000;
            record
        };
        let fits = 4_194_303 - of(0).encode().len();
        assert_eq!(left(&of(fits)), (fits, false, true));
        assert_eq!(left(&of(fits + 1)), (0, true, true));
    }

    #[test]
    fn the_attempts_are_cut_next() {
        let of = |length: usize| long(vec!["x".repeat(length)], 0);
        let fits = 4_194_303 - of(0).encode().len();
        assert_eq!(left(&of(fits)), (0, false, true));
        // Without the attempts its arguments fit as they are.
        assert_eq!(left(&of(fits + 1)), (0, false, false));
        let read: Record = serde_json::from_slice(&of(fits + 1).to_line()).unwrap();
        assert_eq!((read.process.args[0].len(), read.process.args_b64), (fits + 1, None));
    }

    #[test]
    fn of_arguments_that_are_too_long_the_first_64_kib_of_text_stay() {
        let cut = |args: &[&str], length: usize| {
            let mut record = Record::default();
            record.process.args = args.iter().map(|arg| arg.repeat(length)).collect();
            record.cut_args();
            record.process.args
        };
        assert_eq!(cut(&["x"], 65_536), ["x".repeat(65_536)]);
        assert_eq!(cut(&["x"], 65_537), [format!("{}…", "x".repeat(65_536))]);
        assert_eq!(cut(&["x", "yy"], 40_000), ["x".repeat(40_000), format!("{}…", "y".repeat(25_536))]);
        assert_eq!(cut(&["x", "y", "z"], 32_768), ["x".repeat(32_768), "y".repeat(32_768)]);
        assert_eq!(cut(&["€"], 30_000), [format!("{}…", "€".repeat(21_845))], "never within a character");
    }

    #[test]
    fn bytes_of_arguments_are_kept_beside_their_cut_text_but_not_of_a_masked_record() {
        let mut record = long(vec!["x".into()], 0);
        record.process.args_b64 = Some(vec![Base64(vec![0xff])]);
        record.cut_args();
        assert_eq!(record.process.args_b64, Some(vec![Base64(vec![0xff])]));
        let mut masked = Record { redacted: true, ..long(vec!["x".into()], 0) };
        masked.cut_args();
        assert_eq!(masked.process.args_b64, None);
    }

    #[test]
    fn the_text_of_arguments_is_cut_last_and_their_bytes_never() {
        let args: Vec<String> = (0..100).map(|i| format!("{i:050000}")).collect();
        let line = long(args.clone(), 100).to_line();
        let read: Record = serde_json::from_slice(&line).unwrap();
        assert!(read.process.args.len() < 3 && read.process.args[1].ends_with('…'));
        assert_eq!(args_of(&read.process), args.into_iter().map(OsString::from).collect::<Vec<_>>());
    }

    #[test]
    fn input_that_no_reader_would_accept_is_not_stored() {
        let kept = |text: String| {
            let mut record = long(vec!["true".into()], 10);
            let total_bytes = Some(text.len() as u64);
            record.stdin = Some(Input { kind: "stored".into(), total_bytes, text: Some(text), ..Input::default() });
            let read: Record = serde_json::from_slice(&record.within(1_000, 16_000)).unwrap();
            (read.stdin.unwrap(), read.stderr.unwrap().tail.len())
        };
        let (escaped, tail) = kept("\0".repeat(5_000));
        assert_eq!((&*escaped.kind, escaped.text, escaped.b64.unwrap().0.len(), tail), ("stored", None, 5_000, 0));
        let (plain, tail) = kept("x".repeat(11_900));
        assert_eq!((&*plain.kind, plain.text.unwrap().len(), tail), ("stored", 11_900, 0));
        let (gone, tail) = kept("x".repeat(16_000));
        assert_eq!((&*gone.kind, gone.text, gone.b64, tail), ("not_stored", None, None, 10));
        assert_eq!(gone.total_bytes, Some(16_000));
    }

    /// Large ones would take minutes and show nothing more.
    fn few<S: Strategy>(of: S) -> impl Strategy<Value = Vec<S::Value>> {
        proptest::collection::vec(of, 0..5)
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_what_is_read(
            args in few(any::<String>()),
            tail: Vec<u8>,
            env in few(any::<(String, String)>()),
            numbers: [Option<u64>; 4],
            policy in few((any::<String>(), few(any::<String>()))),
        ) {
            let mut record = long(args, 0);
            record.stderr = Some(Tail::new(&tail, 7));
            record.env = env.into_iter().collect();
            record.retry.max_tries = numbers[0];
            record.stdin = Some(super::super::Input { offset: numbers[1], inode: numbers[2], total_bytes: numbers[3], ..Default::default() });
            record.retry.policy = policy.into_iter().map(|(name, values)| (name, super::super::Setting::Many(values))).collect();
            let line = record.to_line();
            proptest::prop_assert!(!line.contains(&b'\n'));
            proptest::prop_assert_eq!(serde_json::from_slice::<Record>(&line).unwrap(), record);
        }
    }
}
