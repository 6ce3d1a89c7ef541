//! How a program is entered: by C's `main`, before Rust's runtime would open closed descriptors and ignore SIGPIPE (contract C2).

use std::ffi::{CStr, CString, OsStr, OsString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;

/// Copies the arguments, the program's own name first.
///
/// # Safety
/// `argv` holds `argc` pointers to C strings, as the system gives them to `main`.
pub unsafe fn arguments(argc: c_int, argv: *const *const c_char) -> Vec<OsString> {
    let count = usize::try_from(argc).unwrap_or(0);
    (0..count)
        .map(|i| {
            // SAFETY: the caller promises that many valid strings.
            let text = unsafe { CStr::from_ptr(*argv.add(i)) };
            OsStr::from_bytes(text.to_bytes()).to_owned()
        })
        .collect()
}

/// Copies the environment as it is, entry by entry, also what has no `=`.
pub fn environment() -> Vec<CString> {
    unsafe extern "C" {
        static environ: *const *const c_char;
    }
    let mut entries = Vec::with_capacity(64);
    // SAFETY: the C library keeps `environ` a list of C strings that ends with a null pointer, or null; nobody changes it.
    unsafe {
        let mut at = environ;
        while !at.is_null() && !(*at).is_null() {
            entries.push(CStr::from_ptr(*at).to_owned());
            at = at.add(1);
        }
    }
    entries
}

/// Makes a function `fn(Vec<OsString>) -> u8` the program: its arguments are the program's, its value is the exit status.
#[macro_export]
macro_rules! program {
    ($main:path) => {
        /// What the C library calls.
        ///
        /// # Safety
        /// Called once, by the C library, with what the system gave it.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn main(
            argc: ::std::ffi::c_int,
            argv: *const *const ::std::ffi::c_char,
        ) -> ::std::ffi::c_int {
            // SAFETY: these are main's own arguments.
            let arguments = unsafe { $crate::sys::entry::arguments(argc, argv) };
            ::std::ffi::c_int::from($main(arguments))
        }
    };
}
