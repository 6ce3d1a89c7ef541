//! What `--output on-failure` keeps: of each attempt the beginning and the end, of a long run the first and the last
//! attempts, in bounded memory and on bounded disk. Contract S12, S15.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// What is kept of one attempt at each end.
const HALF: usize = 512 * 1024;
/// What all attempts that have ended may have in memory together.
const IN_MEMORY: usize = 1 << 20;
/// Attempts that are kept of a long run: these first ones and these last ones, as in the history of a record.
const FIRST: usize = 5;
const LAST: usize = 15;

/// What one attempt printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptOutput {
    /// Its beginning.
    pub head: Vec<u8>,
    /// How many bytes are missing after it.
    pub missing: u64,
    /// Its end, if there is more than the beginning.
    pub tail: Vec<u8>,
}

impl KeptOutput {
    fn push(&mut self, bytes: &[u8]) {
        let (now, rest) = bytes.split_at(bytes.len().min(HALF - self.head.len()));
        self.head.extend_from_slice(now);
        self.tail.extend_from_slice(rest);
        // Moved rarely, so that each byte is copied at most twice.
        if self.tail.len() > 2 * HALF {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let surplus = self.tail.len().saturating_sub(HALF);
        self.tail.drain(..surplus);
        self.missing += surplus as u64;
    }

    fn len(&self) -> usize {
        self.head.len() + self.tail.len()
    }
}

/// Where an attempt's output is.
#[derive(Debug)]
enum Place {
    Memory(KeptOutput),
    /// In the file, in the part of this number.
    Part {
        number: u64,
        head: usize,
        missing: u64,
        tail: usize,
    },
}

/// The outputs of the attempts of a run.
#[derive(Debug, Default)]
pub struct KeptOutputs {
    /// The number of each attempt that is kept, and its output.
    ended: Vec<(u32, Place)>,
    current: KeptOutput,
    count: u32,
    in_memory: usize,
    file: Option<File>,
}

impl KeptOutputs {
    /// Of a run that has not begun.
    pub fn new() -> KeptOutputs {
        KeptOutputs::default()
    }

    /// The running attempt has printed this.
    pub fn push(&mut self, bytes: &[u8]) {
        bytes.chunks(HALF).for_each(|chunk| self.current.push(chunk));
    }

    /// The running attempt has ended.
    pub fn finish(&mut self) {
        self.count = self.count.saturating_add(1);
        let mut output = std::mem::take(&mut self.current);
        output.cut();
        if self.ended.len() == FIRST + LAST
            && let (_, Place::Memory(gone)) = self.ended.remove(FIRST)
        {
            self.in_memory -= gone.len();
        }
        let place = if self.in_memory + output.len() <= IN_MEMORY {
            self.in_memory += output.len();
            output.head.shrink_to_fit();
            output.tail.shrink_to_fit();
            Place::Memory(output)
        } else {
            self.put_away(output)
        };
        self.ended.push((self.count, place));
    }

    /// Writes an output into a part of the file that is free.
    fn put_away(&mut self, output: KeptOutput) -> Place {
        let is_taken = |wanted: u64| {
            self.ended.iter().any(|(_, place)| matches!(place, Place::Part { number, .. } if *number == wanted))
        };
        let number = (0..).find(|number| !is_taken(*number)).unwrap_or(0);
        match self.write(number, &output) {
            Ok(()) => {
                let KeptOutput { head, missing, tail } = output;
                Place::Part { number, head: head.len(), missing, tail: tail.len() }
            }
            // No room on disk either: the report says how much is missing.
            Err(_) => {
                let missing = output.len() as u64 + output.missing;
                Place::Memory(KeptOutput { head: Vec::new(), missing, tail: Vec::new() })
            }
        }
    }

    fn write(&mut self, number: u64, output: &KeptOutput) -> io::Result<()> {
        let file = match &self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile()?),
        };
        let start = number * 2 * HALF as u64;
        file.write_all_at(&output.head, start)?;
        file.write_all_at(&output.tail, start + output.head.len() as u64)
    }

    /// The numbers of the attempts that are kept, in order; of a long run those in the middle are not.
    pub fn attempts(&self) -> impl Iterator<Item = u32> {
        self.ended.iter().map(|(attempt, _)| *attempt)
    }

    /// What an attempt printed; `None` if it is not kept.
    pub fn of(&self, attempt: u32) -> Option<KeptOutput> {
        let (_, place) = self.ended.iter().find(|(number, _)| *number == attempt)?;
        match place {
            Place::Memory(output) => Some(output.clone()),
            Place::Part { number, head, missing, tail } => {
                let mut output = KeptOutput { head: vec![0; *head], missing: *missing, tail: vec![0; *tail] };
                let start = number * 2 * HALF as u64;
                let file = self.file.as_ref()?;
                file.read_exact_at(&mut output.head, start).ok()?;
                file.read_exact_at(&mut output.tail, start + *head as u64).ok()?;
                Some(output)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(attempt: u32, len: usize) -> Vec<u8> {
        (0..len).map(|i| ((i as u64 * 7 + u64::from(attempt)) % 253) as u8).collect()
    }

    #[test]
    fn up_to_a_mebibyte_of_an_attempt_is_whole_and_beyond_it_has_head_and_tail() {
        for len in [0, 1, HALF, HALF + 1, 2 * HALF, 2 * HALF + 1, 5 * HALF] {
            for chunk in [1000, 100_000, 3 * HALF] {
                let all = numbered(1, len);
                let mut kept = KeptOutputs::new();
                all.chunks(chunk).for_each(|c| kept.push(c));
                kept.finish();
                let output = kept.of(1).expect("it is kept");
                assert_eq!(output.missing, len.saturating_sub(2 * HALF) as u64);
                assert!(all.starts_with(&output.head) && all.ends_with(&output.tail), "{len} {chunk}");
                assert_eq!(output.len(), len.min(2 * HALF));
            }
        }
    }

    #[test]
    fn a_long_run_keeps_its_first_and_last_attempts_and_no_more_than_that() {
        let mut kept = KeptOutputs::new();
        for attempt in 1..=100 {
            kept.push(&numbered(attempt, 300_000));
            kept.finish();
            assert!(kept.in_memory <= IN_MEMORY);
        }
        let attempts: Vec<u32> = kept.attempts().collect();
        assert_eq!(attempts, (1..=5).chain(86..=100).collect::<Vec<u32>>());
        for attempt in attempts {
            assert!(kept.of(attempt).expect("it is kept").head == numbered(attempt, 300_000), "{attempt}");
        }
        assert_eq!(kept.of(50), None);
        let file = kept.file.expect("more than a mebibyte");
        assert!(file.metadata().expect("a file").len() <= 21 * 2 * HALF as u64);
    }
}
