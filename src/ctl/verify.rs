//! `retryctl dead-letter verify`: the lines that cannot be read, by number. Contract D31.

use super::files;
use super::world::{CANNOT_WRITE, Failed, UNREADABLE, World, reason};
use crate::cli::settings::Settings;
use crate::dead_letter::open::{self, Trust};
use crate::dead_letter::scan::Lines;
use crate::dead_letter::summary::{self, Fault, Reading};
use crate::notice::escape;

/// Names them all; 65 if there are any.
pub fn run(settings: &Settings<'_>, world: &mut World<'_>) -> Result<u8, Failed> {
    let mut status = 0;
    for place in files::places(settings, world)? {
        let path = escape::line(&place.path.to_string_lossy());
        let file = match open::for_reading(&place.path, Trust::OwnerOrRootLooks) {
            Ok(file) => file,
            Err(error) if error.is_missing() && !place.is_named() => continue,
            Err(error) => return Err(files::unfit(&error, world)),
        };
        let unreadable = |error| Failed::new(CANNOT_WRITE, format!("cannot read {path}: {}", reason(&error)));
        let mut lines = Lines::new(file).map_err(unreadable)?;
        let (mut letters, mut events, mut faults) = (0u64, 0u64, 0u64);
        while let Some(line) = lines.next().map_err(unreadable)? {
            let fault = match summary::read(&line) {
                Reading::Nothing => continue,
                Reading::Unreadable(fault) => fault,
                // The head could be read; the rest is what a replay needs.
                Reading::Letter(_) | Reading::Event(_) if !summary::is_json(line.bytes) => Fault::NotJson,
                Reading::Letter(_) => {
                    letters += 1;
                    continue;
                }
                Reading::Event(_) => {
                    events += 1;
                    continue;
                }
            };
            faults += 1;
            writeln!(world.out, "{path}:{}: {fault}", line.number)?;
        }
        let count = |number: u64, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
        let readable = match faults {
            0 => "every line can be read".into(),
            faults => format!("{} cannot be read", count(faults, "line")),
        };
        writeln!(world.out, "{path}: {}, {}, {readable}", count(letters, "letter"), count(events, "event"))?;
        if faults > 0 {
            status = UNREADABLE;
        }
    }
    Ok(status)
}
