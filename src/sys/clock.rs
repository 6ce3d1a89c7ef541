//! The clock of a run: counts suspend and does not follow changes of the time of day (contract R15).

use std::time::Duration;

/// The instant at which a run began. All instants of the package are durations since then.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Duration,
}

#[cfg(target_os = "linux")]
const SOURCE: libc::clockid_t = libc::CLOCK_BOOTTIME;
#[cfg(not(target_os = "linux"))]
const SOURCE: libc::clockid_t = libc::CLOCK_MONOTONIC;

/// The reading of the system's clock, from an origin of its own.
fn reading() -> Duration {
    let mut at = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `at` is a valid timespec for the call to fill in.
    unsafe { libc::clock_gettime(SOURCE, &raw mut at) };
    Duration::new(u64::try_from(at.tv_sec).unwrap_or(0), u32::try_from(at.tv_nsec).unwrap_or(0))
}

impl Clock {
    /// A clock that begins now.
    pub fn start() -> Clock {
        Clock { start: reading() }
    }

    /// The time since it began.
    pub fn now(&self) -> Duration {
        reading().saturating_sub(self.start)
    }

    #[cfg(all(target_os = "linux", not(retry_portable)))]
    /// An instant of this clock as the system's clock will show it, saturating: a limit of centuries is never reached
    /// (contract C33).
    pub(in crate::sys) fn system(&self, at: Duration) -> libc::timespec {
        let at = self.start.saturating_add(at);
        let seconds = i64::try_from(at.as_secs()).unwrap_or(i64::MAX);
        libc::timespec { tv_sec: seconds, tv_nsec: at.subsec_nanos().into() }
    }
}

#[cfg(all(test, target_os = "linux", not(retry_portable)))]
mod tests {
    use super::*;

    #[test]
    fn an_instant_beyond_all_time_saturates() {
        let at = Clock::start().system(Duration::MAX);
        assert_eq!(at.tv_sec, i64::MAX);
    }
}
