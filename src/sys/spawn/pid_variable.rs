//! Variables of the environment that hold the id of the process that they are for (contract R40).

use std::ffi::CStr;

/// The variables that name the process that they are for.
const PID_VARIABLES: [&[u8]; 2] = [b"LISTEN_PID=", b"WATCHDOG_PID="];

/// Room for a process id in decimal and the final zero.
const PID_ROOM: usize = 12;

/// A variable whose value the child writes itself: only it knows its process id.
pub(super) struct PidVariable {
    pub(super) text: Vec<u8>,
    digits_at: usize,
}

impl PidVariable {
    /// Takes an entry of the environment that holds this process's id.
    pub(super) fn of(entry: &CStr, own_pid: &str) -> Option<PidVariable> {
        let bytes = entry.to_bytes();
        let name = PID_VARIABLES.into_iter().find(|name| bytes.starts_with(name))?;
        if &bytes[name.len()..] != own_pid.as_bytes() {
            return None;
        }
        let mut text = name.to_vec();
        text.resize(name.len() + PID_ROOM, 0);
        Some(PidVariable { text, digits_at: name.len() })
    }

    /// Writes a process id, without taking memory.
    pub(super) fn write(&mut self, pid: i32) {
        let mut digits = [0u8; PID_ROOM];
        let mut rest = pid.unsigned_abs();
        let mut count = 0;
        while count == 0 || rest > 0 {
            digits[count] = b'0' + (rest % 10) as u8;
            rest /= 10;
            count += 1;
        }
        for (at, digit) in digits[..count].iter().rev().enumerate() {
            self.text[self.digits_at + at] = *digit;
        }
        self.text[self.digits_at + count] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_process_id_becomes_the_childs() {
        assert!(PidVariable::of(c"LISTEN_PID=12", "123").is_none());
        assert!(PidVariable::of(c"LISTEN_PIDS=123", "123").is_none());
        let mut variable = PidVariable::of(c"WATCHDOG_PID=123", "123").unwrap();
        variable.write(40_507);
        assert_eq!(CStr::from_bytes_until_nul(&variable.text), Ok(c"WATCHDOG_PID=40507"));
        variable.write(i32::MAX);
        assert_eq!(CStr::from_bytes_until_nul(&variable.text), Ok(c"WATCHDOG_PID=2147483647"));
    }
}
