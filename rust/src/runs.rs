//! The runs of a corpus, kept in the order of the text, or counted, or read a second time.
//!
//! Nearly every long run of a text is different, so to count them apart saves nothing: two bytes a
//! pretoken, one after the other, is less than half of that. Past a bound files are read again when
//! the runs are wanted; what cannot be read twice is counted after all.
//!
//! No Python twin: there runs are always counted.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::documents::Source;
use crate::error::{Error, ErrorKind, Progress, Result};
use crate::feeds::FileFeed;
use crate::keys::Key;
use crate::parallel::map_in_order;
use crate::pretokenize::Pretokenizer;
use crate::run_stream::{RunStream, STRETCH, visit_codes};
use crate::scanner::{Batch, Scanner, Sink};
use crate::special_tokens::SpecialTokens;
use crate::tables::{PretokenCounts, SequenceCounts};
use crate::tally::{NO_NUMBER, Tally};
use crate::workers::count_jobs;

/// Where runs go while documents are counted; they hold the numbers of pretokens.
pub(crate) enum RunKeeper {
    Stream(RunStream),
    Tally {
        runs: Tally<u32>,
        run: Vec<u32>,
    },
    /// There were too many; they will be read again.
    Dropped,
}

/// How much memory runs may take as they come, and what happens then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunLimit {
    pub(crate) bytes: usize,
    /// Whether the runs can be read again.
    pub(crate) again: bool,
}

impl RunKeeper {
    pub(crate) fn new() -> Self {
        Self::Stream(RunStream::default())
    }

    /// Takes the numbers of pretokens that follow each other, [`NO_NUMBER`] where a run ends.
    pub(crate) fn take(&mut self, numbers: &[u32], limit: RunLimit) -> Result<()> {
        match self {
            Self::Stream(runs) => {
                runs.take(numbers);
                if runs.bytes() > limit.bytes { self.shrink(limit) } else { Ok(()) }
            }
            Self::Tally { runs, run } => numbers.iter().try_for_each(|&number| match number {
                NO_NUMBER => end_run(run, |run| runs.add(run, 1).map(|_| ())),
                _ => {
                    run.push(number);
                    Ok(())
                }
            }),
            Self::Dropped => Ok(()),
        }
    }

    /// The stream has become too long.
    #[cold]
    fn shrink(&mut self, limit: RunLimit) -> Result<()> {
        let Self::Stream(stream) = std::mem::replace(self, Self::Dropped) else { return Ok(()) };
        if !limit.again {
            let mut runs = Tally::default();
            let run = stream.visit(|run| runs.add(run, 1).map(|_| ()))?;
            *self = Self::Tally { runs, run };
        }
        Ok(())
    }
}

/// Runs that were collected together.
#[derive(Clone, Debug)]
pub(crate) enum RunPart {
    Stream {
        runs: RunStream,
        /// The index of each number, or empty: they are the same.
        indices: Vec<u32>,
    },
    Table(SequenceCounts),
}

impl RunPart {
    /// Where the stretches end into which the runs fall, in codes or in runs.
    fn ends(&self) -> Vec<usize> {
        match self {
            Self::Stream { runs, .. } => runs.ends(),
            Self::Table(table) => {
                let (mut ends, mut full) = (Vec::new(), STRETCH);
                for (run, &end) in table.ends.iter().enumerate() {
                    if end >= full {
                        ends.push(run + 1);
                        full = end + STRETCH;
                    }
                }
                ends.push(table.len());
                ends
            }
        }
    }
}

/// Where runs can be read again.
#[derive(Clone, Debug)]
pub(crate) struct Rereading {
    pub(crate) sources: Vec<Source>,
    pub(crate) pretokenizer: Pretokenizer,
    pub(crate) special_tokens: SpecialTokens,
    /// The sum of the fingerprints of all documents.
    pub(crate) fingerprint: u64,
}

/// All runs of a corpus, as indices into a table of pretokens.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    pub(crate) parts: Vec<RunPart>,
    /// Where those are that are not in `parts`, because they would take too much memory.
    pub(crate) again: Vec<Rereading>,
}

/// What is done with runs, in one thread.
pub(crate) trait RunVisitor: Send {
    /// Takes a run and how often it occurs.
    fn visit(&mut self, run: &[u32], count: u64) -> Result<()>;
}

impl Runs {
    /// Adds what was collected together; an empty `indices` leaves its numbers as they are. Returns
    /// whether it was all kept.
    pub(crate) fn add(&mut self, runs: RunKeeper, indices: Vec<u32>) -> bool {
        self.parts.push(match runs {
            RunKeeper::Stream(runs) => RunPart::Stream { runs, indices },
            RunKeeper::Tally { runs, .. } => {
                let mut table = runs.into_table();
                renumber(&mut table.items, &indices);
                RunPart::Table(table)
            }
            RunKeeper::Dropped => return false,
        });
        true
    }

    /// Adds the runs of another corpus, whose pretokens have these indices here.
    pub(crate) fn extend(&mut self, other: Self, indices: &[u32]) {
        for part in other.parts {
            self.parts.push(match part {
                RunPart::Stream { runs, indices: inner } => {
                    let mut indices = indices.to_vec();
                    if !inner.is_empty() {
                        indices = inner.iter().map(|&index| indices[index as usize]).collect();
                    }
                    RunPart::Stream { runs, indices }
                }
                RunPart::Table(mut table) => {
                    renumber(&mut table.items, indices);
                    RunPart::Table(table)
                }
            });
        }
        self.again.extend(other.again);
    }

    /// Hands all runs, in any order, to visitors on up to `threads` threads; returns the visitors.
    /// `pretokens` is the table that the runs index.
    ///
    /// # Errors
    /// What visitors and `progress` return, and [`ErrorKind::Input`] if a file has changed or
    /// cannot be read a second time.
    pub(crate) fn visit<V: RunVisitor>(
        &self,
        pretokens: &PretokenCounts,
        stage: &'static str,
        threads: usize,
        new: &(dyn Fn() -> V + Sync),
        progress: &mut Progress<'_>,
    ) -> Result<Vec<V>> {
        let mut pass = Pass::new(stage);
        self.go_on(&mut pass, pretokens, threads, new, &AtomicBool::new(false), progress)?;
        Ok(pass.visitors)
    }

    /// As [`Self::visit`], for those runs that the pass has not taken yet, until it is `paused`;
    /// returns whether all have been taken. What reads files again cannot be paused.
    ///
    /// # Errors
    /// As for [`Self::visit`]; then the pass is of no use any more.
    pub(crate) fn go_on<V: RunVisitor>(
        &self,
        pass: &mut Pass<V>,
        pretokens: &PretokenCounts,
        threads: usize,
        new: &(dyn Fn() -> V + Sync),
        paused: &AtomicBool,
        progress: &mut Progress<'_>,
    ) -> Result<bool> {
        let (stage, stretches) = (pass.stage, self.stretches());
        let next = AtomicUsize::new(pass.taken);
        let ready = Mutex::new(std::mem::take(&mut pass.visitors));
        let lock = || ready.lock().unwrap_or_else(PoisonError::into_inner);
        // One visitor for each thread, not for each stretch: what they collect is put together.
        let work = |_: usize, check: &mut Progress<'_>| {
            let mut visitor = lock().pop();
            while !paused.load(Ordering::Relaxed) {
                let Some(stretch) = stretches.get(next.fetch_add(1, Ordering::Relaxed)) else {
                    break;
                };
                check(stage, 0, 0)?;
                self.visit_stretch(stretch, visitor.get_or_insert_with(new))?;
            }
            Ok(visitor)
        };
        let total = stretches.len();
        let mut report = |stage: &'static str, _: u64, _: u64| {
            let taken = next.load(Ordering::Relaxed).min(total);
            progress(stage, taken as u64, total as u64)
        };
        let workers = threads.min(total - pass.taken);
        let visitors = map_in_order(stage, workers, workers, &work, &mut report)?;
        report(stage, 0, 0)?;
        pass.visitors = lock().drain(..).chain(visitors.into_iter().flatten()).collect();
        pass.taken = next.load(Ordering::Relaxed).min(total);
        if pass.taken < total {
            return Ok(false);
        }
        for again in &self.again {
            pass.visitors.extend(again.visit(pretokens, stage, threads, new, progress)?);
        }
        Ok(true)
    }

    fn stretches(&self) -> Vec<Stretch> {
        let mut stretches = Vec::new();
        for (part, runs) in self.parts.iter().enumerate() {
            let mut start = 0;
            for end in runs.ends() {
                stretches.push(Stretch { part, range: start..end });
                start = end;
            }
        }
        stretches
    }

    fn visit_stretch(&self, stretch: &Stretch, visitor: &mut impl RunVisitor) -> Result<()> {
        let range = stretch.range.clone();
        match &self.parts[stretch.part] {
            RunPart::Stream { runs, indices } if indices.is_empty() => {
                visit_codes(&runs.codes[range], |number| number, |run| visitor.visit(run, 1))?;
                Ok(())
            }
            RunPart::Stream { runs, indices } => {
                let index = |number: u32| indices[number as usize];
                visit_codes(&runs.codes[range], index, |run| visitor.visit(run, 1))?;
                Ok(())
            }
            RunPart::Table(table) => {
                let mut runs = range.map(|index| (table.get(index), table.counts[index]));
                runs.try_for_each(|(run, count)| visitor.visit(run, count))
            }
        }
    }
}

/// Runs that are visited together, by the index of their part and where they stand in it.
struct Stretch {
    part: usize,
    range: Range<usize>,
}

/// How far all runs have been visited, and by whom.
pub(crate) struct Pass<V> {
    stage: &'static str,
    taken: usize,
    pub(crate) visitors: Vec<V>,
}

impl<V> Pass<V> {
    pub(crate) fn new(stage: &'static str) -> Self {
        Self { stage, taken: 0, visitors: Vec::new() }
    }
}

fn renumber(items: &mut [u32], indices: &[u32]) {
    if !indices.is_empty() {
        items.iter_mut().for_each(|item| *item = indices[*item as usize]);
    }
}

impl Rereading {
    fn visit<V: RunVisitor>(
        &self,
        pretokens: &PretokenCounts,
        stage: &'static str,
        threads: usize,
        new: &(dyn Fn() -> V + Sync),
        progress: &mut Progress<'_>,
    ) -> Result<Vec<V>> {
        let mut known = Tally::default();
        let eligible = |pretoken: &[u8], poll: &mut dyn FnMut() -> Result<()>| {
            self.pretokenizer.is_eligible(pretoken, poll)
        };
        known.merge(pretokens, eligible, &mut || progress(stage, 0, 0))?;
        let new_scanner = || {
            let sink =
                RunFinder { known: &known, visitor: new(), run: Vec::new(), keys: Vec::new() };
            Scanner::new(&self.pretokenizer, &self.special_tokens, sink)
        };
        let mut feed = FileFeed::new(&self.sources, stage);
        let (mut visitors, mut all) = (Vec::new(), 0_u64);
        for scanner in count_jobs(&mut feed, &new_scanner, threads, progress)? {
            let Scanner { fingerprint, sink, .. } = scanner;
            all = all.wrapping_add(fingerprint);
            visitors.push(sink.visitor);
        }
        if all == self.fingerprint { Ok(visitors) } else { Err(changed()) }
    }
}

/// Finds the runs of documents whose pretokens are known.
struct RunFinder<'k, V> {
    known: &'k Tally<u8>,
    visitor: V,
    run: Vec<u32>,
    keys: Vec<Key>,
}

impl<V: RunVisitor> Sink for RunFinder<'_, V> {
    fn take(
        &mut self,
        text: &str,
        batch: &Batch,
        _poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        let Self { known, visitor, run, keys } = self;
        known.seeds.keys_of(text.as_bytes(), batch, keys);
        for (key, pretoken) in keys.iter().zip(batch.pieces(text.as_bytes())) {
            let (index, eligible) = known.find_key(key, pretoken).ok_or_else(changed)?;
            if eligible {
                run.push(index);
            } else {
                end_run(run, |run| visitor.visit(run, 1))?;
            }
        }
        Ok(())
    }

    fn end_run(&mut self) -> Result<()> {
        end_run(&mut self.run, |run| self.visitor.visit(run, 1))
    }
}

/// Hands over a run that has ended; one of a single pretoken is none.
fn end_run(run: &mut Vec<u32>, take: impl FnOnce(&[u32]) -> Result<()>) -> Result<()> {
    if run.len() > 1 {
        take(run)?;
    }
    run.clear();
    Ok(())
}

fn changed() -> Error {
    let reason = "the files changed while they were read; train again when nothing writes to them";
    Error::new(ErrorKind::Input, reason)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The runs of counts that were made from a table.
    pub(crate) fn table_of(runs: &Runs) -> SequenceCounts {
        match &runs.parts[..] {
            [RunPart::Table(table)] => table.clone(),
            _ => panic!("the runs are no table"),
        }
    }
}
