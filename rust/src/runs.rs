//! The runs of a corpus, kept in the order of the text, or counted, or read a second time.
//!
//! Nearly every long run of a text is different, so to count them apart saves nothing: two bytes a
//! pretoken, one after the other, is less than half of that. Past a bound files are read again when
//! the runs are wanted; what cannot be read twice is counted after all.
//!
//! No Python twin: there runs are always counted.

use std::hint::select_unpredictable;

use crate::documents::Source;
use crate::error::{Error, ErrorKind, Progress, Result};
use crate::feeds::FileFeed;
use crate::keys::Key;
use crate::parallel::map_in_order;
use crate::scanner::{Batch, Scanner, Sink, is_eligible};
use crate::settings::Scheme;
use crate::special_tokens::SpecialTokens;
use crate::tables::{PretokenCounts, SequenceCounts};
use crate::tally::{NO_NUMBER, Tally};
use crate::ticker::Ticker;
use crate::workers::count_jobs;

/// From this code on a code is no number.
const FIRST_SPECIAL: u16 = u16::MAX - 1;
/// A run ends.
const END: u16 = FIRST_SPECIAL;
/// The number follows in two codes, the high one first.
const LARGE: u16 = u16::MAX;

/// Runs one after the other in the order of the text: numbers of pretokens, most of which are
/// small.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunStream {
    codes: Vec<u16>,
    /// Where the run starts that may go on.
    start: usize,
    /// How many pretokens it has.
    length: usize,
}

impl RunStream {
    /// Takes the numbers of pretokens that follow each other, [`NO_NUMBER`] where a run ends; one of a
    /// single pretoken is none.
    ///
    /// Which pretokens are eligible no processor can foresee, so there is no branch on it: what
    /// could come next is written in any case, and then it is decided how much of it stays.
    pub(crate) fn take(&mut self, numbers: &[u32]) {
        let Self { codes, start, length } = self;
        let mut at = codes.len();
        codes.resize(at + 3 * numbers.len(), 0);
        for &number in numbers {
            let eligible = number != NO_NUMBER;
            let large = eligible && number >= u32::from(FIRST_SPECIAL);
            let code = select_unpredictable(eligible, number as u16, END);
            let code = if large { LARGE } else { code };
            codes[at..at + 3].copy_from_slice(&[code, (number >> 16) as u16, number as u16]);
            let end = at + if large { 3 } else { 1 };
            at = select_unpredictable(eligible || *length > 1, end, *start);
            *start = select_unpredictable(eligible, *start, at);
            *length = select_unpredictable(eligible, *length + 1, 0);
        }
        codes.truncate(at);
    }

    /// The memory that the runs so far take.
    pub(crate) fn bytes(&self) -> usize {
        2 * self.codes.len()
    }

    /// Calls `visit` with each run; `run` then has what there is of one that may go on.
    pub(crate) fn visit(
        &self,
        mut visit: impl FnMut(&[u32]) -> Result<()>,
        run: &mut Vec<u32>,
    ) -> Result<()> {
        let mut codes = self.codes.iter();
        while let Some(&code) = codes.next() {
            match code {
                END => {
                    visit(run)?;
                    run.clear();
                }
                LARGE => {
                    let high = codes.next().copied().unwrap_or_default();
                    let low = codes.next().copied().unwrap_or_default();
                    run.push(u32::from(high) << 16 | u32::from(low));
                }
                number => run.push(u32::from(number)),
            }
        }
        Ok(())
    }
}

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
            let (mut runs, mut open) = (Tally::default(), Vec::new());
            stream.visit(|run| runs.add(run, 1).map(|_| ()), &mut open)?;
            *self = Self::Tally { runs, run: open };
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
    /// About how many pretokens there are in all runs: what large numbers take more, counts twice.
    fn size(&self) -> u64 {
        match self {
            Self::Stream { runs, .. } => runs.codes.len() as u64,
            Self::Table(table) => table.items.len() as u64,
        }
    }
}

/// Where runs can be read again.
#[derive(Clone, Debug)]
pub(crate) struct Rereading {
    pub(crate) sources: Vec<Source>,
    pub(crate) scheme: Scheme,
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

    /// All runs have been taken.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
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
        let work = |part: usize, progress: &mut Progress<'_>| {
            let mut visitor = new();
            visit_part(&self.parts[part], &mut visitor, stage, progress)?;
            visitor.finish()?;
            Ok(visitor)
        };
        let mut visitors = match self.parts.len() {
            // one part tells how far it is, several how many of them are done
            1 => vec![work(0, progress)?],
            parts => map_in_order(stage, parts, threads, &work, progress)?,
        };
        for again in &self.again {
            visitors.extend(again.visit(pretokens, stage, threads, new, progress)?);
        }
        Ok(visitors)
    }
}

fn renumber(items: &mut [u32], indices: &[u32]) {
    if !indices.is_empty() {
        items.iter_mut().for_each(|item| *item = indices[*item as usize]);
    }
}

fn visit_part(
    part: &RunPart,
    visitor: &mut impl RunVisitor,
    stage: &'static str,
    progress: &mut Progress<'_>,
) -> Result<()> {
    let (mut done, total) = (0, part.size());
    let ticker = &mut Ticker::new(progress, stage, total);
    let mut tick = |run: &[u32]| {
        done += run.len() as u64;
        ticker.step(done)?;
        ticker.work(run.len())
    };
    match part {
        RunPart::Stream { runs, indices } if indices.is_empty() => {
            let visit = |run: &[u32]| {
                tick(run)?;
                visitor.visit(run, 1)
            };
            runs.visit(visit, &mut Vec::new())?;
        }
        RunPart::Stream { runs, indices } => {
            let mut renumbered = Vec::new();
            let visit = |run: &[u32]| {
                tick(run)?;
                renumbered.clear();
                renumbered.extend(run.iter().map(|&number| indices[number as usize]));
                visitor.visit(&renumbered, 1)
            };
            runs.visit(visit, &mut Vec::new())?;
        }
        RunPart::Table(table) => table.iter().try_for_each(|(run, count)| {
            tick(run)?;
            visitor.visit(run, count)
        })?,
    }
    ticker.report(total)
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
        known.merge(pretokens, is_eligible, &mut || progress(stage, 0, 0))?;
        let new_scanner = || {
            let sink =
                RunFinder { known: &known, visitor: new(), run: Vec::new(), keys: Vec::new() };
            Scanner::new(self.scheme, &self.special_tokens, sink)
        };
        let mut feed = FileFeed::new(&self.sources, stage);
        let (mut visitors, mut all) = (Vec::new(), 0_u64);
        for scanner in count_jobs(&mut feed, &new_scanner, threads, progress)? {
            let Scanner { fingerprint, mut sink, .. } = scanner;
            all = all.wrapping_add(fingerprint);
            sink.visitor.finish()?;
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
    fn take(&mut self, text: &str, batch: &Batch) -> Result<()> {
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

    #[test]
    fn a_stream_gives_back_its_runs() {
        let runs: [&[u32]; 6] = [
            &[1, 2],
            &[65533, 65534, 65535, 65536],
            &[7],
            &[65534],
            &[0, u32::MAX - 1, 0],
            &[3, 3],
        ];
        let mut numbers = Vec::new();
        for run in runs {
            numbers.extend_from_slice(run);
            numbers.extend([NO_NUMBER; 2]);
        }
        numbers.extend([5, 65534]);
        // however they come, and whatever ends with what comes together
        for together in 1..numbers.len() {
            let mut stream = RunStream::default();
            numbers.chunks(together).for_each(|numbers| stream.take(numbers));
            let (mut found, mut open) = (Vec::new(), Vec::new());
            let visit = |run: &[u32]| {
                found.push(run.to_vec());
                Ok(())
            };
            stream.visit(visit, &mut open).unwrap();
            assert_eq!(found, runs.iter().filter(|run| run.len() > 1).copied().collect::<Vec<_>>());
            assert_eq!(open, [5, 65534]);
            assert_eq!(stream.bytes(), 2 * (3 + 11 + 6 + 3 + 4));
        }
    }
}
