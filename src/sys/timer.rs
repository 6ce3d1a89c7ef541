//! A timer with a descriptor, on a clock that counts suspend. Where there is none, a wait falls back on the timeout of poll(2).

use std::os::fd::RawFd;
#[cfg(all(target_os = "linux", not(retry_portable)))]
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::Duration;

use super::clock::Clock;

/// A timer, made when it is first needed.
#[derive(Debug, Default)]
pub(in crate::sys) struct Timer {
    #[cfg(all(target_os = "linux", not(retry_portable)))]
    fd: Option<OwnedFd>,
}

#[cfg(all(target_os = "linux", not(retry_portable)))]
impl Timer {
    /// Sets it to an instant of the clock. Returns its descriptor, readable from then on, if one is to be had.
    pub(in crate::sys) fn set(&mut self, clock: &Clock, at: Duration) -> Option<RawFd> {
        if self.fd.is_none() {
            // SAFETY: no pointers.
            let fd = unsafe { libc::timerfd_create(libc::CLOCK_BOOTTIME, libc::TFD_CLOEXEC | libc::TFD_NONBLOCK) };
            // SAFETY: the descriptor is new and nobody else's.
            self.fd = (fd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(fd) });
        }
        let fd = self.fd.as_ref()?.as_raw_fd();
        let spec =
            libc::itimerspec { it_interval: libc::timespec { tv_sec: 0, tv_nsec: 0 }, it_value: clock.system(at) };
        // SAFETY: the spec is valid; the old value is not asked for.
        let set = unsafe { libc::timerfd_settime(fd, libc::TFD_TIMER_ABSTIME, &raw const spec, std::ptr::null_mut()) };
        (set == 0).then_some(fd)
    }
}

#[cfg(not(all(target_os = "linux", not(retry_portable))))]
impl Timer {
    /// There is none here.
    pub(in crate::sys) fn set(&mut self, _: &Clock, _: Duration) -> Option<RawFd> {
        None
    }
}
