//! Runs one stage once, so that benches/instructions.py can count its instructions with callgrind.
//! It writes how many bytes of text the stage is about. Without a name: lists the stages.

mod prepared;

use std::env;
use std::error::Error;
use std::io::{Write, stdout};

use prepared::Job;

fn main() -> Result<(), Box<dyn Error>> {
    match env::args().nth(1) {
        None => writeln!(stdout(), "{}", prepared::names().join("\n"))?,
        Some(name) => {
            let stage = prepared::prepare(&name)?;
            measured((stage.fresh)()?)?;
            writeln!(stdout(), "{}", stage.bytes)?;
            // what was read and trained for the stage need not be freed
            std::process::exit(0);
        }
    }
    Ok(())
}

/// Callgrind counts while this function runs; it is found by its name.
#[inline(never)]
fn measured(job: Job) -> superword::Result<()> {
    job()
}
