//! Documents to pretokens, batch by batch, for whoever counts or finds them.
//!
//! Pretokens go on in batches, so that looking them up in a large table does not wait for one
//! piece of memory after the other.
//!
//! No Python twin: there a document's pretokens are one list.

use crate::error::{Error, ErrorKind, Result};
use crate::feeds::Job;
use crate::keys::fingerprint;
use crate::pattern_steps::{Origin, Steps};
use crate::pretokenize::{Cut, Pretokenizer};
use crate::special_tokens::SpecialTokens;
use crate::tally::checked_sum;
use crate::workers::Work;

/// How much text is handled between two calls of a poll function, well under a millisecond of work.
const POLL_BYTES: usize = 64 * 1024;
/// About how many pretokens go on together.
const BATCH: usize = 64;

/// Adjacent pieces of a text.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) start: usize,
    pub(crate) ends: Vec<usize>,
}

impl Batch {
    /// The pieces as (start, end).
    #[inline]
    pub(crate) fn spans(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut start = self.start;
        self.ends.iter().map(move |&end| (std::mem::replace(&mut start, end), end))
    }

    /// Piece number `index` of the text.
    pub(crate) fn piece<'t>(&self, index: usize, text: &'t [u8]) -> &'t [u8] {
        let start = if index == 0 { self.start } else { self.ends[index - 1] };
        &text[start..self.ends[index]]
    }

    /// The pieces of the text.
    #[inline]
    pub(crate) fn pieces<'t>(&self, text: &'t [u8]) -> impl Iterator<Item = &'t [u8]> {
        self.spans().map(|(start, end)| &text[start..end])
    }
}

/// What is done with pretokens.
pub(crate) trait Sink: Send {
    /// Takes pretokens of a text that follow each other; calls `poll` where that takes long.
    fn take(
        &mut self,
        text: &str,
        batch: &Batch,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()>;

    /// No run goes on from here.
    fn end_run(&mut self) -> Result<()>;
}

/// Cuts documents, one after the other, in one thread.
pub(crate) struct Scanner<'c, S> {
    pub(crate) documents: u64,
    /// The sum of the fingerprints of all documents, in whatever order they came.
    pub(crate) fingerprint: u64,
    pub(crate) sink: S,
    pretokenizer: &'c Pretokenizer,
    special_tokens: &'c SpecialTokens,
    batch: Batch,
    unpolled: usize,
}

impl<'c, S: Sink> Scanner<'c, S> {
    pub(crate) fn new(
        pretokenizer: &'c Pretokenizer,
        special_tokens: &'c SpecialTokens,
        sink: S,
    ) -> Self {
        let batch = Batch::default();
        Self {
            documents: 0,
            fingerprint: 0,
            sink,
            pretokenizer,
            special_tokens,
            batch,
            unpolled: 0,
        }
    }

    /// Cuts one document: no pretoken and no run crosses the place of a special token.
    fn add(&mut self, document: &str, poll: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.documents = checked_sum(self.documents, 1)?;
        self.fingerprint = self.fingerprint.wrapping_add(fingerprint(document.as_bytes()));
        let mut steps = self.pretokenizer.steps(document.as_bytes());
        let mut at = 0;
        for (piece, special) in self.special_tokens.split(document) {
            if special.is_none() {
                self.add_piece(piece, Origin::in_text(document, at), &mut steps, poll)?;
            }
            at += piece.len();
        }
        Ok(())
    }

    fn add_piece(
        &mut self,
        piece: &str,
        origin: Origin<'_>,
        steps: &mut Steps,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        self.batch.start = 0;
        let mut cut = self.pretokenizer.cut(piece, origin, steps);
        while cut.next_ends(&mut self.batch.ends, poll)? {
            if self.batch.ends.len() >= BATCH
                && let Err(error) = self.flush(piece, poll)
            {
                return Err(first_error(error, cut, poll));
            }
        }
        self.flush(piece, poll)?;
        self.sink.end_run()
    }

    fn flush(&mut self, text: &str, poll: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let Some(&end) = self.batch.ends.last() else { return Ok(()) };
        self.sink.take(text, &self.batch, poll)?;
        self.unpolled += end - self.batch.start;
        self.batch.start = end;
        self.batch.ends.clear();
        if self.unpolled >= POLL_BYTES {
            self.unpolled = 0;
            poll()?;
        }
        Ok(())
    }
}

impl<S: Sink> Work for Scanner<'_, S> {
    fn run(&mut self, job: Job<'_>, poll: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        match job {
            Job::Documents { first, documents } => {
                (first..).zip(&documents).try_for_each(|(number, document)| {
                    self.add(document, poll).map_err(|error| match error.kind {
                        ErrorKind::Pattern => {
                            error.of_item(number, &format!("document {number}: "))
                        }
                        _ => error,
                    })
                })
            }
            Job::Batch(source, mut batch) => {
                while let Some(document) = batch.next_document(source, poll)? {
                    let added = self.add(&document, poll);
                    added.map_err(|error| named(error, || batch.place(source)))?;
                }
                Ok(())
            }
            Job::Failure(error) => Err(error),
        }
    }
}

/// A piece is cut to its end before its pretokens are judged, as far as errors tell.
fn first_error(error: Error, mut cut: Cut<'_>, poll: &mut dyn FnMut() -> Result<()>) -> Error {
    if error.kind != ErrorKind::Pattern {
        return error;
    }
    let mut ends = Vec::new();
    loop {
        ends.clear();
        match cut.next_ends(&mut ends, poll) {
            Ok(true) => {}
            Ok(false) => return error,
            Err(earlier) => return earlier,
        }
    }
}

/// Names what a pattern takes too many steps on; all other errors do by themselves.
pub(crate) fn named(error: Error, place: impl FnOnce() -> String) -> Error {
    match error.kind {
        ErrorKind::Pattern => Error::new(error.kind, format!("{}: {}", place(), error.message)),
        _ => error,
    }
}
