//! A server on loopback that answers, refuses, drops in the middle, or keeps silent; one thread a connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// What the server does with a request.
#[derive(Clone, Debug)]
pub enum Answer {
    /// An HTTP response: status, more header lines, body.
    Http(u16, Vec<String>, Vec<u8>),
    /// These bytes, whatever was asked, and the end of the connection.
    Raw(Vec<u8>),
    /// Headers that promise more than comes before the connection is closed.
    Dropped,
    /// The same, but the connection is reset.
    Reset,
    /// Nothing: the connection is closed at once.
    Closed,
    /// Nothing: it is reset at once.
    Cut,
    /// Nothing for as long as the client waits.
    Silent,
}

/// An HTTP response with an empty line for a body.
pub fn http(status: u16, headers: &[&str]) -> Answer {
    Answer::Http(status, headers.iter().map(ToString::to_string).collect(), b"\n".to_vec())
}

/// A request.
#[derive(Debug)]
pub struct Asked {
    /// `POST /path HTTP/1.1`.
    pub line: String,
    /// The body.
    pub body: String,
}

/// A server that runs until the test program ends.
pub struct Server {
    /// Its port on 127.0.0.1.
    pub port: u16,
    count: Arc<AtomicUsize>,
}

impl Server {
    /// Answers each request as `answer` says, which is given its first line and its number, from 1.
    pub fn new(answer: impl Fn(&str, usize) -> Answer + Send + Sync + 'static) -> Server {
        Server::serving(move |stream, number| {
            let Asked { line: first, .. } = read(&stream);
            if !first.is_empty() {
                give(stream, &answer(&first, number()), first.starts_with("HEAD"));
            }
        })
    }

    /// Gives these answers in order, the last again and again, and hands on what it is asked.
    pub fn recording(answers: Vec<Answer>) -> (Server, Receiver<Asked>) {
        let (tell, asked) = channel();
        let server = Server::serving(move |stream, number| {
            let request = read(&stream);
            let _ = tell.send(request);
            give(stream, &answers[number().min(answers.len()) - 1], false);
        });
        (server, asked)
    }

    /// Hands each connection with a counter of requests to `serve`.
    pub fn serving(serve: impl Fn(TcpStream, &dyn Fn() -> usize) + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port of loopback");
        let port = listener.local_addr().expect("it is bound").port();
        let count = Arc::new(AtomicUsize::new(0));
        let (serve, counter) = (Arc::new(serve), Arc::clone(&count));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (serve, counter) = (Arc::clone(&serve), Arc::clone(&counter));
                std::thread::spawn(move || serve(stream, &|| counter.fetch_add(1, Ordering::SeqCst) + 1));
            }
        });
        Server { port, count }
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// How many requests came.
    pub fn requests(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }
}

/// Reads one request.
fn read(stream: &TcpStream) -> Asked {
    let mut reader = BufReader::new(stream.try_clone().expect("a socket can be shared"));
    let mut first = String::new();
    let mut length = 0;
    for line in std::iter::repeat_with(|| {
        let mut line = String::new();
        reader.read_line(&mut line).map_or(String::new(), |_| line)
    }) {
        if first.is_empty() {
            first = line.trim().to_owned();
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    Asked { line: first, body: String::from_utf8_lossy(&body).into_owned() }
}

/// Gives one answer and ends the connection.
pub fn give(mut stream: TcpStream, answer: &Answer, is_head: bool) {
    // A client that has gone is the test's concern, not the server's.
    let _ = match answer {
        Answer::Http(status, headers, body) => {
            let more: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
            let head = format!(
                "HTTP/1.1 {status} {}\r\n{more}Content-Length: {}\r\nConnection: close\r\n\r\n",
                reason(*status),
                body.len()
            );
            let body = if is_head { &[][..] } else { body };
            stream.write_all(&[head.as_bytes(), body].concat())
        }
        Answer::Raw(bytes) => stream.write_all(bytes),
        Answer::Dropped | Answer::Reset => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<html>")
        }
        Answer::Closed | Answer::Cut => Ok(()),
        Answer::Silent => {
            // The client's own limit ends this; the fence is for one that has none.
            let _ = stream.set_read_timeout(Some(Duration::from_secs(60)));
            stream.read_to_end(&mut Vec::new()).map(drop)
        }
    };
    if matches!(answer, Answer::Reset | Answer::Cut) {
        reset(&stream);
    }
}

/// Makes the end of the connection a reset.
fn reset(stream: &TcpStream) {
    let linger = libc::linger { l_onoff: 1, l_linger: 0 };
    let length = libc::socklen_t::try_from(size_of::<libc::linger>()).expect("a small size");
    // SAFETY: the option's value is a linger of that length.
    unsafe {
        libc::setsockopt(stream.as_raw_fd(), libc::SOL_SOCKET, libc::SO_LINGER, (&raw const linger).cast(), length)
    };
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        404 => "Not Found",
        429 => "Too Many Requests",
        503 => "Service Unavailable",
        _ => "Status",
    }
}

/// A port of loopback that refuses connections for as long as this lives: bound, so that nobody else takes it.
pub struct Refusing {
    /// Its number.
    pub port: u16,
    _socket: OwnedFd,
}

impl Refusing {
    /// Takes one.
    pub fn new() -> Refusing {
        // SAFETY: plain socket calls; the address is valid for its length.
        unsafe {
            let fd = libc::socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0);
            assert!(fd >= 0, "socket");
            let socket = OwnedFd::from_raw_fd(fd);
            let mut address: libc::sockaddr_in = std::mem::zeroed();
            address.sin_family = libc::AF_INET as libc::sa_family_t;
            address.sin_addr.s_addr = u32::from(std::net::Ipv4Addr::LOCALHOST).to_be();
            let mut length = size_of::<libc::sockaddr_in>() as libc::socklen_t;
            assert_eq!(libc::bind(fd, (&raw const address).cast(), length), 0, "bind");
            assert_eq!(libc::getsockname(fd, (&raw mut address).cast(), &raw mut length), 0, "getsockname");
            Refusing { port: u16::from_be(address.sin_port), _socket: socket }
        }
    }
}
