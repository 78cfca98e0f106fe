//! Long work calls the progress callback, so that it can be cancelled.
//!
//! No Python twin: there each step calls the callback, and an interrupt comes by itself.

use crate::error::{Progress, Result};

/// So much work, in slots, passes between two calls of the progress callback: about a millisecond.
const WORK_PER_CALL: usize = 1 << 14;

/// The work of one op where ops are read or checked, in slots.
pub const OP_WORK: usize = 16;

/// Calls a progress callback often enough, and not too often.
pub struct Ticker<'a, 'p> {
    progress: &'a mut Progress<'p>,
    stage: &'static str,
    total: u64,
    done: u64,
    work: usize,
}

impl<'a, 'p> Ticker<'a, 'p> {
    /// For one stage and the steps it has in all.
    pub fn new(progress: &'a mut Progress<'p>, stage: &'static str, total: u64) -> Self {
        Self { progress, stage, total, done: 0, work: 0 }
    }

    /// Reports at once how many steps are done.
    ///
    /// # Errors
    /// What the callback returns.
    pub fn report(&mut self, done: u64) -> Result<()> {
        self.done = done;
        self.work = 0;
        (self.progress)(self.stage, done, self.total)
    }

    /// Some slots have been visited.
    ///
    /// # Errors
    /// What the callback returns.
    pub fn work(&mut self, slots: usize) -> Result<()> {
        self.work += slots;
        if self.work >= WORK_PER_CALL { self.report_again() } else { Ok(()) }
    }

    /// Reports that it goes on.
    ///
    /// # Errors
    /// What the callback returns.
    pub fn report_again(&mut self) -> Result<()> {
        self.report(self.done)
    }

    /// One more step, so many of them in all.
    ///
    /// # Errors
    /// What the callback returns.
    pub fn step(&mut self, done: u64) -> Result<()> {
        self.done = done;
        self.work(WORK_PER_CALL / 256)
    }
}
