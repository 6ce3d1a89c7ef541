//! The search for a command in PATH, as execvp(3) does it.

use std::ffi::{CStr, CString};

/// Where a command is searched when PATH is not set: what glibc does.
const DEFAULT_PATH: &[u8] = b"/bin:/usr/bin";

/// The files that a command's name may mean, in the order of the search.
pub(super) fn candidates(name: &CStr, env: &[CString]) -> Vec<CString> {
    let bytes = name.to_bytes();
    if bytes.is_empty() || bytes.contains(&b'/') {
        return vec![name.to_owned()];
    }
    let path = env.iter().find_map(|entry| entry.to_bytes().strip_prefix(b"PATH="));
    path.unwrap_or(DEFAULT_PATH)
        .split(|byte| *byte == b':')
        .map(|dir| {
            let mut file = Vec::with_capacity(dir.len() + 1 + bytes.len());
            file.extend_from_slice(dir);
            if !dir.is_empty() {
                file.push(b'/');
            }
            file.extend_from_slice(bytes);
            CString::new(file).expect("both parts come from C strings")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::spawn::c_strings;

    fn texts(candidates: &[CString]) -> Vec<&str> {
        candidates.iter().map(|file| file.to_str().unwrap()).collect()
    }

    #[test]
    fn a_name_is_searched_in_each_directory_and_an_empty_one_is_the_working_directory() {
        let env = c_strings(["X=PATH=/no", "PATH=/a::/b/c"]);
        assert_eq!(texts(&candidates(c"ls", &env)), ["/a/ls", "ls", "/b/c/ls"]);
        assert_eq!(texts(&candidates(c"./ls", &env)), ["./ls"]);
        assert_eq!(texts(&candidates(c"ls", &[])), ["/bin/ls", "/usr/bin/ls"]);
    }
}
