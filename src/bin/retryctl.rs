//! The program `retryctl`: parse, do what the verb says, exit.
#![no_main]

use std::ffi::OsString;
use std::io::{BufWriter, Write};
use std::time::SystemTime;

use retry::cli::help;
use retry::cli::parse::{self, Asked};
use retry::ctl;
use retry::ctl::world::{self, World};
use retry::sys::standard;

retry::program!(main_of_retryctl);

fn main_of_retryctl(arguments: Vec<OsString>) -> u8 {
    standard::reserve();
    let arguments: Vec<OsString> = arguments.into_iter().skip(1).collect();
    let environment = |name: &str| std::env::var_os(name);
    let mut out = BufWriter::with_capacity(64 << 10, Output);
    let mut world = World {
        out: &mut out,
        err: &mut Errors,
        environment: &environment,
        args: arguments.clone(),
        now: SystemTime::now(),
        width: world::width(&environment),
        has_colour: world::has_colour(&environment),
        can_ask: world::can_ask(),
        warned: Vec::new(),
    };
    let (verb, asked) = parse::retryctl(arguments, &environment);
    let settings = match (verb, asked) {
        (Some(verb), Ok(Asked::BriefHelp | Asked::Help)) => return world.print(&help::ctl_verb(verb)),
        (None, Ok(Asked::BriefHelp | Asked::Help)) => return world.print(&help::ctl()),
        (_, Ok(Asked::Version)) => return world.print(&help::version("retryctl")),
        (Some(_), Ok(Asked::Work(settings))) => settings,
        (verb, Err(error)) => return ctl::misused(verb, error, &mut world),
        (None, Ok(Asked::Work(_))) => unreachable!("there is no work without a verb"),
    };
    let verb = verb.expect("work has a verb").verb;
    ctl::run(verb, &settings, &mut world)
}

/// Standard output without the lock and the buffer of the standard library.
struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Ok(rustix::io::write(rustix::stdio::stdout(), bytes)?)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Standard error, which may be closed without harm.
struct Errors;

impl Write for Errors {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        standard::say(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
