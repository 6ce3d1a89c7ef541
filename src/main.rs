//! The program `retry`: parse, run, exit.
#![no_main]

use std::ffi::OsString;

use retry::cli::help;
use retry::cli::parse::{self, Asked};
use retry::config::{self, PlanFormat, Work};
use retry::exit_status::ExitStatus;
use retry::outcome::Errno;
use retry::plan::Plan;
use retry::run::{self, Identity, World};
use retry::sys::arena::Arena;
use retry::sys::spawn::Group;
use retry::sys::wait::Wait;
use retry::sys::{entry, signals, standard};

/// What `retry` exits with when it could not do its work (R3).
const OWN_FAULT: u8 = 125;

#[global_allocator]
static MEMORY: Arena = Arena::new();

retry::program!(main_of_retry);

fn main_of_retry(arguments: Vec<OsString>) -> u8 {
    standard::reserve();
    let environment = |name: &str| std::env::var_os(name);
    let asked = parse::retry(arguments.into_iter().skip(1).collect(), &environment);
    let work = match asked {
        Ok(Asked::BriefHelp) => return print(&help::brief()),
        Ok(Asked::Help) => return print(&help::full()),
        Ok(Asked::Version) => return print(&help::version("retry")),
        Ok(Asked::Work(settings)) => config::work(settings),
        Err(error) => Err(error),
    };
    match work {
        Ok(Work::Plan(limits, seed, format)) => {
            let plan = Plan::new(&limits, seed);
            print(&match format {
                PlanFormat::Text => plan.text(),
                PlanFormat::Json => plan.json(),
            })
        }
        Ok(Work::Run(job)) => {
            let mut wait = match Wait::begin() {
                Ok(wait) => wait,
                Err(error) => return own_fault(&format!("cannot wait for signals: {}", Errno::of(&error))),
            };
            let environment = entry::environment();
            let identity = Identity::new(&job, &environment);
            let group = Group::choose(job.ending.foreground);
            let world = World { wait: &mut wait, environment: &environment, group, note: &mut |_| {} };
            match run::run(&job, world, identity) {
                Ok(finished) => match finished.status {
                    ExitStatus::Code(code) => code,
                    ExitStatus::Die(signal) => signals::die_of(signal),
                },
                Err(unfit) => own_fault(&unfit.to_string()),
            }
        }
        Err(error) => own_fault(&error.to_string()),
    }
}

fn print(text: &str) -> u8 {
    match standard::print(text.as_bytes()) {
        Ok(()) => 0,
        Err(error) => own_fault(&format!("cannot write to standard output: {}", Errno::of(&error))),
    }
}

fn own_fault(text: &str) -> u8 {
    standard::say(&format!("retry: {text}\n"));
    OWN_FAULT
}
