//! Recognises HTTP response headers in what a command prints. Contract S30.

use std::time::{Duration, SystemTime};

use crate::retry_after::{self, Ignored};

/// How much of a header's value is kept.
const LONGEST_VALUE: usize = 256;

/// What the headers of one response say, as far as a retry cares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status code, 100 to 999.
    pub status: u16,
    /// The value of its last Retry-After header, at most 256 bytes of it.
    pub retry_after: Option<String>,
    /// Its Date header.
    pub date: Option<SystemTime>,
}

impl Response {
    /// What Retry-After asks for, if there is one; `now` counts where the response has no Date of its own.
    pub fn asked(&self, now: SystemTime) -> Option<Result<Duration, Ignored>> {
        self.retry_after.as_deref().map(|value| retry_after::parse(value, self.date, now))
    }

    /// Whether a request that got this status may fare better later: 408, 425, 429, and every 5xx but 501 and 505,
    /// which say that the server will never do it. Contract 6, preset curl.
    pub fn is_transient(status: u16) -> bool {
        matches!(status, 408 | 425 | 429 | 500..=599) && !matches!(status, 501 | 505)
    }
}

/// How the header lines of the block being read are marked, which tells them from what else is printed between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// `curl -i`, `curl -D`, `http --headers`: as they came.
    Plain,
    /// `curl -v`: after `< `, with other lines between them.
    Arrow,
    /// `wget -S`: indented by two spaces.
    Indented,
}

/// A recogniser of one stream, fed line by line; it remembers the last response only.
#[derive(Debug, Default)]
pub struct HttpHeaders {
    last: Option<Response>,
    block: Option<Style>,
}

impl HttpHeaders {
    /// A recogniser that has seen nothing.
    pub fn new() -> HttpHeaders {
        HttpHeaders::default()
    }

    /// Looks at one line, given without its newline; says whether a response begins with it.
    pub fn line(&mut self, line: &[u8]) -> bool {
        let line = visible(line);
        if let Some((style, status)) = status_line(line) {
            // An interim response (100 Continue, 103 Early Hints) announces another one; it says nothing itself.
            self.last = (status >= 200).then_some(Response { status, retry_after: None, date: None });
            self.block = Some(style);
            return true;
        }
        if let Some(style) = self.block {
            self.header_line(style, line);
        }
        false
    }

    fn header_line(&mut self, style: Style, line: &[u8]) {
        let header = match style {
            Style::Plain => line,
            Style::Arrow => match line.strip_prefix(b"<") {
                Some(rest) => rest,
                None => return,
            },
            Style::Indented => match line.strip_prefix(b"  ") {
                Some(rest) => rest,
                None => {
                    self.block = None;
                    return;
                }
            },
        };
        match split_header(header) {
            Some((name, value)) => self.header(name, value),
            // A line that continues a folded value.
            None if style == Style::Plain && header.first().is_some_and(|b| matches!(b, b' ' | b'\t')) => {}
            None => self.block = None,
        }
    }

    /// Whether headers are being read, so that the next line counts whatever stands on it. Else only one with `HTTP/` does.
    pub fn is_in_block(&self) -> bool {
        self.block.is_some()
    }

    /// The last response seen.
    pub fn last(&self) -> Option<&Response> {
        self.last.as_ref()
    }

    /// The same, without the recogniser.
    pub fn into_last(self) -> Option<Response> {
        self.last
    }

    fn header(&mut self, name: &[u8], value: &[u8]) {
        let Some(response) = &mut self.last else { return };
        let text = || String::from_utf8_lossy(&value[..value.len().min(LONGEST_VALUE)]).trim().to_string();
        if name.eq_ignore_ascii_case(b"retry-after") {
            response.retry_after = Some(text());
        } else if name.eq_ignore_ascii_case(b"date") {
            response.date = httpdate::parse_http_date(&text()).ok();
        }
    }
}

/// What of a line would stand on a terminal: what follows its last carriage return, but for one at the very end.
/// curl's progress meter goes back by it to write over itself.
fn visible(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // Nearly every line has none, and that is seen faster than where it is.
    match line.contains(&b'\r').then(|| line.iter().rposition(|b| *b == b'\r')).flatten() {
        Some(back) => &line[back + 1..],
        None => line,
    }
}

/// `HTTP/1.1 503 Service Unavailable` in one of the styles, with its status.
fn status_line(line: &[u8]) -> Option<(Style, u16)> {
    if let Some(status) = status_of(line) {
        return Some((Style::Plain, status));
    }
    let indented = line.strip_prefix(b"  ").and_then(status_of);
    if let Some(status) = indented {
        return Some((Style::Indented, status));
    }
    // curl -v writes on behind its progress meter: `--:--:--     0< HTTP/1.1 503`.
    if !line.first().is_some_and(is_of_meter) && !line.starts_with(b"<") {
        return None;
    }
    let at = line.windows(7).take(120).position(|seven| seven == b"< HTTP/")?;
    let is_meter = line[..at].iter().all(is_of_meter);
    let status = status_of(&line[at + 2..]).filter(|_| is_meter)?;
    Some((Style::Arrow, status))
}

/// Whether a byte may stand in curl's progress meter.
fn is_of_meter(byte: &u8) -> bool {
    byte.is_ascii_digit() || b" :-.kMGTPh".contains(byte)
}

fn status_of(line: &[u8]) -> Option<u16> {
    let rest = line.strip_prefix(b"HTTP/")?;
    let space = rest.iter().take(4).position(|b| *b == b' ')?;
    let is_version = space > 0 && rest[..space].iter().all(|b| b.is_ascii_digit() || *b == b'.');
    let code = rest.get(space + 1..space + 4)?;
    let ends = rest.get(space + 4).is_none_or(|b| *b == b' ');
    if !is_version || !ends || !code.iter().all(u8::is_ascii_digit) || code[0] == b'0' {
        return None;
    }
    Some(code.iter().fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0')))
}

/// `name: value` where the name is a token of RFC 9110; spaces before the name are left to the style.
fn split_header(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.strip_prefix(b" ").unwrap_or(line);
    let colon = line.iter().position(|b| *b == b':')?;
    let (name, value) = (&line[..colon], &line[colon + 1..]);
    let is_token = |b: &u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(b);
    (!name.is_empty() && name.iter().all(is_token)).then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn last(text: &str) -> Option<(u16, Option<String>)> {
        let mut headers = HttpHeaders::new();
        for line in text.split('\n') {
            headers.line(line.as_bytes());
        }
        headers.into_last().map(|response| (response.status, response.retry_after))
    }

    fn seen(status: u16, retry_after: &str) -> Option<(u16, Option<String>)> {
        Some((status, Some(retry_after.to_string())))
    }

    #[test]
    fn headers_are_recognised_as_curl_i_and_curl_d_print_them() {
        assert_eq!(last("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\n\r\nbody\r\n"), seen(503, "7"));
        assert_eq!(last("HTTP/2 429 \r\nretry-after: 7\r\n\r\n"), seen(429, "7"));
        assert_eq!(last("HTTP/1.1 503\r\nRetry-After:7\r\n"), seen(503, "7"));
    }

    #[test]
    fn headers_are_recognised_as_curl_v_prints_them() {
        let text = "*   Trying 127.0.0.1:80...\n> GET / HTTP/1.1\n> Retry-After: 99\n> \n\
                    < HTTP/1.1 429 Too Many Requests\r\n* noise: of curl\n< Retry-After: 7\r\n< \r\n{ [5 bytes data]\n";
        assert_eq!(last(text), seen(429, "7"));
    }

    #[test]
    fn headers_are_recognised_behind_the_progress_meter_of_curl() {
        let meter =
            "  % Total    % Received\n\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0";
        assert_eq!(last(&format!("{meter}< HTTP/1.1 503 No\r\n< Retry-After: 7\r\n")), seen(503, "7"));
        assert_eq!(last(&format!("{meter}\r< HTTP/1.1 503 No\r\n< Retry-After: 7\r\n")), seen(503, "7"));
    }

    #[test]
    fn headers_are_recognised_as_wget_s_prints_them() {
        let text = "HTTP request sent, awaiting response... \n  HTTP/1.1 503 Service Unavailable\n  Retry-After: 7\n\
                    Retry-After: 99\nERROR 503: Service Unavailable.\n";
        assert_eq!(last(text), seen(503, "7"));
    }

    #[test]
    fn the_last_response_counts() {
        assert_eq!(last("HTTP/1.1 503 No\r\nRetry-After: 7\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"), Some((200, None)));
        assert_eq!(last("HTTP/1.1 302 F\r\n\r\nHTTP/1.1 503 No\r\nRetry-After: 7\r\n\r\n"), seen(503, "7"));
        assert_eq!(last("HTTP/1.1 503 No\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"), None);
    }

    #[test]
    fn a_body_is_not_read_as_headers() {
        assert_eq!(last("HTTP/1.1 503 No\r\nRetry-After: 7\r\n\r\nRetry-After: 99\r\n"), seen(503, "7"));
        assert_eq!(last("Retry-After: 99\r\n"), None);
        assert_eq!(last("see HTTP/1.1 503 No\n"), None);
        assert_eq!(last("see < HTTP/1.1 503 No\n"), None);
        for text in [
            "HTTP/ 503 x",
            "HTTP/1.1 5030 x",
            "HTTP/1.1 50 x",
            "HTTP/1.1",
            "HTTP/x 503",
            "HTTP/1.1 099 x",
            "HTTP/1.1 5x3 x",
        ] {
            assert_eq!(last(text), None, "{text}");
        }
    }

    #[test]
    fn a_line_that_is_no_header_ends_them() {
        for line in ["so it is: busy", ": busy", "busy", "<p>: x"] {
            assert_eq!(last(&format!("HTTP/1.1 503 No\r\n{line}\r\nRetry-After: 7\r\n")), Some((503, None)), "{line}");
        }
    }

    #[test]
    fn a_folded_value_does_not_end_the_headers() {
        assert_eq!(last("HTTP/1.1 503 No\r\nX-A: b\r\n\tc\r\nRetry-After: 7\r\n"), seen(503, "7"));
    }

    #[test]
    fn a_date_of_the_response_is_what_its_retry_after_is_measured_against() {
        let mut headers = HttpHeaders::new();
        for line in
            ["HTTP/1.1 503 No", "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After: Sun, 06 Nov 1994 08:50:37 GMT"]
        {
            headers.line(line.as_bytes());
        }
        let asked = headers.last().unwrap().asked(SystemTime::now());
        assert_eq!(asked, Some(Ok(Duration::from_secs(60))));
    }

    #[test]
    fn a_long_value_is_cut() {
        let long = "9".repeat(60_000);
        let (_, value) = last(&format!("HTTP/1.1 503 No\r\nRetry-After: {long}\r\n")).unwrap();
        assert!(value.unwrap().len() <= LONGEST_VALUE);
    }

    #[test]
    fn of_the_server_errors_501_and_505_are_for_good() {
        let transient: Vec<u16> = (100..=999).filter(|status| Response::is_transient(*status)).collect();
        let expected: Vec<u16> =
            [408, 425, 429].into_iter().chain((500..=599).filter(|status| ![501, 505].contains(status))).collect();
        assert_eq!(transient, expected);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(lines in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..60), 0..8)) {
            let mut headers = HttpHeaders::new();
            headers.line(b"HTTP/1.1 503 x");
            for line in &lines {
                headers.line(line);
            }
        }

        #[test]
        fn any_status_is_found_behind_any_of_the_marks(status in 200u16..=999, mark in "(|< |  )") {
            let expected = seen(status, "5");
            prop_assert_eq!(last(&format!("{mark}HTTP/1.1 {status} Reason\r\n{mark}Retry-After: 5\r\n")), expected);
        }
    }
}
