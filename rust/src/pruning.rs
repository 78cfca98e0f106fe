//! What of the runs can matter: exact pruning of candidates before phase 2.
//!
//! A supermerge joins tokens across one adjacency of pretokens, so its count is at most the number
//! of times that those two pretokens follow each other. If it is known that no supermerge below
//! some count is ever taken, the floor, then runs can be cut at every rarer adjacency, and most
//! runs fall into short pieces. The result stays exact: phase 2 notices where a floor was too high,
//! and then a lower one is tried. The lowest useful floor is known beforehand:
//!
//! - `min_count` in any case;
//! - for `boundless`, if phase 1 reached the vocabulary size: one more than the lowest count of a
//!   regular merge. While regular merges wait, a supermerge must be more frequent than the next one;
//!   once none waits, the vocabulary is full.
//!
//! One thing can break the bound: the same bytes made of different pretokens. Then one pair stands
//! at several adjacencies, each of which may be rare. Phase 2 notices this, too, and nothing is cut.
//!
//! No Python twin: there nothing is cut.

use crate::error::{Progress, Result};
use crate::keys::Key;
use crate::merges::Stop;
use crate::model::Op;
use crate::runs::{RunVisitor, Runs};
use crate::settings::{Algorithm, Settings};
use crate::tables::{PretokenCounts, SequenceCounts};
use crate::tally::Tally;

/// In the place of a token: the pretoken is not eligible.
pub const NOT_ELIGIBLE: u32 = u32::MAX;
/// No cell counts further.
const MOST: u16 = u16::MAX;
const CELLS: std::ops::RangeInclusive<usize> = 1 << 10..=1 << 23;
/// How many pieces are looked up together.
const BATCH: usize = 64;

/// The lowest floor that can be needed, unless bytes are made of different pretokens.
pub(crate) fn lowest_floor(ops: &[Op], stop: Stop, settings: &Settings) -> u64 {
    let last = match (settings.algorithm, stop) {
        (Algorithm::Boundless, Stop::VocabSize) => ops.iter().map(|op| op.count).min(),
        _ => None,
    };
    settings.min_count.max(last.map_or(1, |count| count.saturating_add(1)))
}

/// How often tokens follow each other, at most: a cell counts all pairs of tokens that fall into
/// it, and no further than `MOST`.
pub(crate) struct Sketch {
    cells: Vec<u16>,
    shift: u32,
}

impl Sketch {
    /// For so many adjacencies.
    pub(crate) fn new(adjacencies: u64) -> Self {
        let wanted = usize::try_from(adjacencies).unwrap_or(usize::MAX);
        let cells = wanted.clamp(*CELLS.start(), *CELLS.end()).next_power_of_two();
        Self { cells: vec![0; cells], shift: 64 - cells.trailing_zeros() }
    }

    #[inline]
    fn cell(&self, left: u32, right: u32) -> usize {
        let pair = u64::from(left) << 32 | u64::from(right);
        (pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }

    #[inline]
    fn add(&mut self, left: u32, right: u32, count: u64) {
        let cell = self.cell(left, right);
        let cell = &mut self.cells[cell];
        *cell = cell.saturating_add(u16::try_from(count).unwrap_or(MOST));
    }

    fn merge(&mut self, other: &Self) {
        for (cell, more) in self.cells.iter_mut().zip(&other.cells) {
            *cell = cell.saturating_add(*more);
        }
    }

    /// The highest floor, not below `lowest`, at which so many cells and regular merges together
    /// reach it that phase 2 will not want more.
    pub(crate) fn guess_floor(&self, ops: &[Op], lowest: u64, settings: &Settings) -> u64 {
        // Half as many again as are wanted: on real text the highest floor that is enough leaves
        // 1.1 to 1.3 times as many.
        let (wanted, regular) = match settings.algorithm {
            Algorithm::Superbpe => (2 * settings.supermerges as usize, &[][..]),
            _ => (settings.vocab_size as usize + settings.vocab_size as usize / 2, ops),
        };
        let mut at = vec![0_usize; usize::from(MOST) + 1];
        for &cell in &self.cells {
            at[usize::from(cell)] += 1;
        }
        for op in regular {
            at[usize::from(u16::try_from(op.count).unwrap_or(MOST))] += 1;
        }
        let lowest = u16::try_from(lowest).unwrap_or(MOST);
        let mut reached = 0;
        for floor in (lowest..=MOST).rev() {
            reached += at[usize::from(floor)];
            if reached >= wanted {
                return floor.into();
            }
        }
        lowest.into()
    }
}

/// Fills a sketch.
struct Sketcher<'s> {
    single: &'s [u32],
    sketch: Sketch,
}

impl RunVisitor for Sketcher<'_> {
    #[inline]
    fn visit(&mut self, run: &[u32], count: u64) -> Result<()> {
        let mut left = NOT_ELIGIBLE;
        for &pretoken in run {
            let right = self.single[pretoken as usize];
            if left != NOT_ELIGIBLE && right != NOT_ELIGIBLE {
                self.sketch.add(left, right, count);
            }
            left = right;
        }
        Ok(())
    }
}

/// How often the tokens of eligible pretokens follow each other. Progress: stage "candidates".
///
/// # Errors
/// What `progress` returns, and those of reading files again.
pub(crate) fn sketch_runs(
    runs: &Runs,
    pretokens: &PretokenCounts,
    single: &[u32],
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<Sketch> {
    let adjacencies = pretokens.counts.iter().fold(0, |sum: u64, &count| sum.saturating_add(count));
    let new = || Sketcher { single, sketch: Sketch::new(adjacencies) };
    let parts = runs.visit(pretokens, "candidates", threads, &new, progress)?;
    let mut sketches = parts.into_iter().map(|part| part.sketch);
    let mut all = sketches.next().unwrap_or_else(|| Sketch::new(0));
    sketches.for_each(|sketch| all.merge(&sketch));
    Ok(all)
}

/// Cuts runs into pieces and counts these.
pub(crate) struct Cutter<'s> {
    single: &'s [u32],
    sketch: &'s Sketch,
    floor: u16,
    pub(crate) pieces: Tally<u32>,
    /// Pieces that wait, one after the other.
    items: Vec<u32>,
    ends: Vec<usize>,
    counts: Vec<u64>,
    keys: Vec<Key>,
    numbers: Vec<u32>,
}

impl<'s> Cutter<'s> {
    /// With a floor of 1 only what is not eligible cuts.
    pub(crate) fn new(single: &'s [u32], sketch: &'s Sketch, floor: u64) -> Self {
        Self {
            single,
            sketch,
            // the sketch knows nothing of what is rarer than the lowest floor
            floor: if floor > 1 { u16::try_from(floor).unwrap_or(MOST) } else { 0 },
            pieces: Tally::default(),
            items: Vec::new(),
            ends: Vec::new(),
            counts: Vec::new(),
            keys: Vec::new(),
            numbers: Vec::new(),
        }
    }

    #[inline]
    fn end_piece(&mut self, count: u64) -> Result<()> {
        let start = self.ends.last().copied().unwrap_or_default();
        if self.items.len() - start < 2 {
            self.items.truncate(start);
            return Ok(());
        }
        self.ends.push(self.items.len());
        self.counts.push(count);
        if self.ends.len() == BATCH { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        let Self { pieces, items, ends, counts, keys, numbers, .. } = self;
        let span = |i: usize| (if i == 0 { 0 } else { ends[i - 1] })..ends[i];
        keys.clear();
        keys.extend((0..ends.len()).map(|i| pieces.seeds.key(&items[span(i)])));
        let all = counts.iter().enumerate().map(|(i, &count)| (&items[span(i)], count));
        pieces.add_all(keys, all, |_| false, numbers)?;
        items.clear();
        ends.clear();
        counts.clear();
        Ok(())
    }
}

impl RunVisitor for Cutter<'_> {
    #[inline]
    fn visit(&mut self, run: &[u32], count: u64) -> Result<()> {
        let mut left = NOT_ELIGIBLE;
        for &pretoken in run {
            let right = self.single[pretoken as usize];
            if right == NOT_ELIGIBLE || left == NOT_ELIGIBLE {
                self.end_piece(count)?;
            } else {
                let cell = self.sketch.cell(left, right);
                if self.sketch.cells[cell] < self.floor {
                    self.end_piece(count)?;
                }
            }
            if right != NOT_ELIGIBLE {
                self.items.push(right);
            }
            left = right;
        }
        self.end_piece(count)
    }

    fn finish(&mut self) -> Result<()> {
        self.flush()
    }
}

/// The candidates for supermerges that happen `floor` times or more; in no special order.
/// Progress: stage "candidates".
///
/// # Errors
/// [`crate::ErrorKind::Training`] if a count would pass 2^63 - 1, what `progress` returns, and the
/// errors of reading files again.
pub(crate) fn cut_runs(
    runs: &Runs,
    pretokens: &PretokenCounts,
    single: &[u32],
    sketch: &Sketch,
    floor: u64,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<SequenceCounts> {
    let new = || Cutter::new(single, sketch, floor);
    let parts = runs.visit(pretokens, "candidates", threads, &new, progress)?;
    let parts = parts.into_iter().map(|part| part.pieces);
    let all = Tally::joined(parts, &mut || progress("candidates", 1, 1))?;
    Ok(all.into_table())
}
