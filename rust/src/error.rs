//! The one error type, and how long work reports progress and learns that it was cancelled.

use std::fmt;

/// What went wrong, in the terms of the Python exception hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A setting has a value that cannot be used.
    Settings,
    /// A document, a file or a table of counts cannot be used.
    Input,
    /// Training cannot go on (a counter would overflow).
    Training,
    /// A model file is not what it should be.
    Model,
    /// A text cannot be encoded, or ids cannot be decoded.
    Encoding,
    /// A custom pattern takes too many steps on a text.
    Pattern,
    /// What was asked for does not fit into memory.
    Memory,
    /// The caller asked to stop, through the progress callback.
    Cancelled,
    /// The caller's documents cannot go on; the caller knows why.
    Documents,
}

/// An error: its kind and a text that is the same in both backends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What went wrong.
    pub kind: ErrorKind,
    /// The text for the user.
    pub message: String,
    /// Which of several texts or documents is at fault, if one of them is.
    pub item: Option<Item>,
}

/// Of an error: the text or document at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its number, counted from 0.
    pub index: u64,
    /// The text of the error without that number.
    pub detail: String,
}

impl Error {
    /// An error of this kind with this text.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), item: None }
    }

    /// The error of one of several texts or documents; `place`, before its text, names it.
    #[must_use]
    pub fn of_item(self, index: u64, place: &str) -> Self {
        let message = format!("{place}{}", self.message);
        let item = Some(Item { index, detail: self.message });
        Self { kind: self.kind, message, item }
    }

    /// The error by which a progress callback stops the work.
    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, "cancelled")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// The result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Called with (stage, done, total) every few milliseconds of work, always from the thread that
/// made the call; total 0 means unknown. An `Err` (usually [`Error::cancelled`]) stops the work
/// and is returned as it is.
pub type Progress<'a> = dyn FnMut(&'static str, u64, u64) -> Result<()> + 'a;

/// A progress callback that ignores everything.
pub fn no_progress(_stage: &'static str, _done: u64, _total: u64) -> Result<()> {
    Ok(())
}
