//! Pieces of lines that a preset looks for.

/// Where in a line a pattern stands, without regard to the case of ASCII letters; `#` stands for any digit.
pub fn find(line: &[u8], pattern: &str) -> Option<usize> {
    let pattern = pattern.as_bytes();
    let matches = |wanted: &u8, found: &u8| match wanted {
        b'#' => found.is_ascii_digit(),
        _ => wanted.eq_ignore_ascii_case(found),
    };
    let first = pattern.first()?;
    let last = line.len().checked_sub(pattern.len())?;
    (0..=last).find(|at| {
        matches(first, &line[*at]) && pattern.iter().zip(&line[*at..]).all(|(wanted, found)| matches(wanted, found))
    })
}

/// The number that stands in the place of `###` in a line that has the pattern.
pub fn number(line: &[u8], pattern: &str) -> Option<u16> {
    let digits = find(line, pattern)? + pattern.find("###")?;
    Some(line[digits..digits + 3].iter().fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_pattern_is_found_in_any_case_with_any_digit() {
        assert_eq!(find(b"npm ERR! code E503", "npm err! code e5##"), Some(0));
        assert_eq!(find(b"x Connection REFUSED", "connection refused"), Some(2));
        assert_eq!(find(b"code E5x3", "E5##"), None);
        assert_eq!(find(b"E5", "E5##"), None);
        assert_eq!(find(b"", ""), None);
    }

    #[test]
    fn the_number_of_a_pattern_is_read() {
        let named = "returned error: ###";
        assert_eq!(number(b"curl: (22) The requested URL returned error: 503 x", named), Some(503));
        assert_eq!(number(b"curl: (22) The requested URL returned error: 50", named), None);
    }

    proptest! {
        #[test]
        fn a_pattern_is_found_where_the_text_has_it(before in "[a-m]{0,9}", piece in "[n-z]{1,9}", after in "[a-m]{0,9}") {
            let line = format!("{before}{piece}{after}");
            prop_assert_eq!(find(line.as_bytes(), &piece.to_uppercase()), Some(before.len()));
        }
    }
}
