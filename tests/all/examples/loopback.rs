//! A web server on loopback that gives the answers it was told, in order, and keeps what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

use crate::harness::FENCE;

/// What was asked of it.
#[derive(Debug)]
pub struct Asked {
    /// `POST /path`.
    pub line: String,
    /// The body.
    pub body: String,
}

/// The server; ends when its answers are used up.
pub struct Loopback {
    /// `http://127.0.0.1:PORT`.
    pub url: String,
    asked: Receiver<Asked>,
}

impl Loopback {
    /// Starts one; each answer is a status line's rest, further headers, and a body.
    pub fn answering(answers: &[(&'static str, &'static str, &'static str)]) -> Loopback {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("it is bound"));
        let (tell, asked) = channel();
        let answers = answers.to_vec();
        std::thread::spawn(move || {
            for (status, headers, body) in answers {
                let Ok((mut stream, _)) = listener.accept() else { return };
                let mut reader = BufReader::new(stream.try_clone().expect("a socket can be duplicated"));
                let mut line = String::new();
                let _ = reader.read_line(&mut line);
                let mut length = 0;
                loop {
                    let mut header = String::new();
                    if reader.read_line(&mut header).unwrap_or(0) == 0 || header.trim().is_empty() {
                        break;
                    }
                    if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap_or(0);
                    }
                }
                let mut sent = vec![0; length];
                let _ = reader.read_exact(&mut sent);
                let line = line.trim().trim_end_matches(" HTTP/1.1").to_owned();
                let _ = tell.send(Asked { line, body: String::from_utf8_lossy(&sent).into_owned() });
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                );
            }
        });
        Loopback { url, asked }
    }

    /// What it was asked next.
    pub fn asked(&self) -> Asked {
        self.asked.recv_timeout(FENCE).expect("it is asked")
    }

    /// How many questions came that `asked` has not given.
    pub fn further(&self) -> usize {
        self.asked.try_iter().count()
    }
}
