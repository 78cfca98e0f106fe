//! The ids of several texts, on several threads.
//!
//! No Python twin: the reference's encoder takes one text after the other.

use std::ops::Range;

use crate::encode_text::Work;
use crate::encoder::Encoder;
use crate::error::{ErrorKind, Progress, Result};
use crate::parallel::map_in_order;
use crate::special_tokens::Gate;
use crate::tables::sequence;

/// What is encoded in one go, and how many bytes a text counts for more than it has.
const JOB_BYTES: usize = 1 << 16;
const TEXT_WORK: usize = 64;

/// The ids of texts that follow each other.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    /// Those of all texts.
    pub ids: Vec<u32>,
    /// Where those of each text end.
    pub ends: Vec<usize>,
}

impl Ids {
    /// The ids of each text.
    pub fn texts(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.ends.len()).map(|index| sequence(&self.ids, &self.ends, index))
    }
}

impl Encoder {
    /// The ids of several texts, in their order, on up to `threads` threads: those of some texts
    /// together, and then those of the next ones.
    ///
    /// # Errors
    /// [`ErrorKind::Encoding`] for the first text that cannot be encoded, named by its index, or
    /// what the progress callback returns.
    pub fn encode_batch<S: AsRef<str> + Sync>(
        &self,
        texts: &[S],
        allowed: Option<&[u32]>,
        threads: usize,
        progress: &mut Progress<'_>,
    ) -> Result<Vec<Ids>> {
        let gate = Gate::new(&self.special, &self.splitter, allowed)?;
        let jobs = jobs_of(texts);
        let encode = |job: usize, progress: &mut Progress<'_>| {
            let mut work = Work::new(&self.kept, progress, 0);
            let mut ends = Vec::with_capacity(jobs[job].len());
            for index in jobs[job].clone() {
                let text = texts[index].as_ref();
                work.steps = self.pretokenizer.steps(text.as_bytes());
                let encoded =
                    self.encode_text(text, &gate, 0, |text| text.chars().count(), &mut work);
                encoded.map_err(|error| match error.kind {
                    ErrorKind::Encoding | ErrorKind::Pattern => {
                        error.of_item(index as u64, &format!("text {index}: "))
                    }
                    _ => error,
                })?;
                ends.push(work.ids.len());
            }
            Ok(Ids { ids: std::mem::take(&mut work.ids), ends })
        };
        map_in_order("encode", jobs.len(), threads, &encode, progress)
    }
}

/// Which texts are encoded together: some 64 KB, so that many short ones are no more work than one.
fn jobs_of<S: AsRef<str>>(texts: &[S]) -> Vec<Range<usize>> {
    let (mut jobs, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (index, text) in texts.iter().enumerate() {
        bytes += text.as_ref().len() + TEXT_WORK;
        if bytes >= JOB_BYTES || index + 1 == texts.len() {
            jobs.push(start..index + 1);
            (start, bytes) = (index + 1, 0);
        }
    }
    jobs
}
