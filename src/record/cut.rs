//! A record as one line that is not too long. Contract D14.

use super::{Base64, History, Record};

/// How long a line may be, its newline included. Readers accept sixteen times that.
const LIMIT: usize = 4 << 20;
/// How much of the text of the arguments stays, in bytes, where they had to be cut.
const ARGS_KEPT: usize = 64 << 10;

impl Record {
    /// The record as one line without its newline; beyond 4 MiB first the output, then the history, then the text
    /// of the arguments are cut, and of the arguments never the bytes, without which there is no replay.
    pub fn to_line(&self) -> Vec<u8> {
        let line = self.encode();
        if line.len() < LIMIT {
            return line;
        }
        let mut record = self.clone();
        let cuts: [fn(&mut Record); 3] = [Record::cut_output, Record::cut_history, Record::cut_args];
        for cut in cuts {
            cut(&mut record);
            let line = record.encode();
            if line.len() < LIMIT {
                return line;
            }
        }
        record.encode()
    }

    fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a record has nothing that JSON cannot hold")
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
    use super::super::{Attempt, Tail, args_of};
    use super::*;
    use proptest::prelude::{Strategy, any};
    use std::ffi::OsString;

    fn long(args: Vec<String>, tail: usize) -> Record {
        let mut record = Record { stderr: Some(Tail::new(&vec![b'x'; tail], tail as u64)), ..Record::default() };
        record.process.args = args;
        record.retry.history.push(Attempt::default());
        record
    }

    #[test]
    fn the_output_is_cut_first() {
        let line = long(vec!["true".into()], 5 << 20).to_line();
        let read: Record = serde_json::from_slice(&line).unwrap();
        assert!(line.len() < LIMIT);
        assert_eq!((read.stderr.unwrap().tail.len(), read.retry.history.is_empty()), (0, false));
    }

    #[test]
    fn the_text_of_arguments_is_cut_last_and_their_bytes_never() {
        let args: Vec<String> = (0..100).map(|i| format!("{i:050000}")).collect();
        let line = long(args.clone(), 100).to_line();
        let read: Record = serde_json::from_slice(&line).unwrap();
        assert!(read.process.args.len() < 3 && read.process.args[1].ends_with('…'));
        assert_eq!(args_of(&read.process), args.into_iter().map(OsString::from).collect::<Vec<_>>());
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
