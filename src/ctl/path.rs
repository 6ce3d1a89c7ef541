//! `retryctl dead-letter path`: the file that would be used.

use std::os::unix::ffi::OsStrExt;

use super::files;
use super::world::{Failed, World};
use crate::cli::settings::Settings;

/// Prints it.
pub fn run(settings: &Settings<'_>, world: &mut World<'_>) -> Result<u8, Failed> {
    for place in files::places(settings, world)? {
        world.out.write_all(place.path.as_os_str().as_bytes())?;
        world.out.write_all(b"\n")?;
    }
    Ok(0)
}
