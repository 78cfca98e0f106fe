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
//! Nothing here needs what phase 1 makes, so all of it can be done at the same time: pieces are made
//! of pretokens, and which of these are tokens is asked afterwards. What is known of phase 1 before
//! it starts is that no merge that it needs is rarer than `first_floor`.
//!
//! No Python twin: there nothing is cut.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::candidates::NOT_ELIGIBLE;
use crate::counts::Counts;
use crate::error::{Progress, Result};
use crate::keys::Key;
use crate::merges::{Stop, first_floor};
use crate::model::{Op, OpKind};
use crate::runs::{Pass, RunVisitor};
use crate::settings::{Algorithm, Settings};
use crate::tables::PretokenCounts;
use crate::tally::Tally;

const STAGE: &str = "candidates";
/// No pretoken.
const NONE: u32 = u32::MAX;
/// No cell counts further.
const MOST: u16 = u16::MAX;
const CELLS: std::ops::RangeInclusive<usize> = 1 << 10..=1 << 23;
/// How many pieces are looked up together.
const BATCH: usize = 64;

/// The lowest floor that can be needed, unless bytes are made of different pretokens.
pub(crate) fn lowest_floor(ops: &[Op], stop: Stop, settings: &Settings) -> u64 {
    let last = match (settings.algorithm, stop) {
        (Algorithm::Boundless, Stop::VocabSize) => {
            let merges = ops.iter().filter(|op| op.kind == OpKind::Merge);
            merges.map(|op| op.count).min()
        }
        _ => None,
    };
    settings.min_count.max(last.map_or(1, |count| count.saturating_add(1)))
}

/// A floor below which none will be tried but 1, as far as can be known before phase 1.
///
/// No merge of phase 1 is below `first_floor`; where that is above 1, there are as many merges as
/// are wanted. If it is not below `min_count`, they are all made, and for `boundless` the lowest
/// floor is above all of them. Otherwise it is `min_count` that counts.
pub(crate) fn least_floor(pretokens: &PretokenCounts, settings: &Settings) -> u64 {
    let first = match settings.algorithm {
        Algorithm::Boundless => first_floor(pretokens, settings),
        _ => 1,
    };
    first.max(settings.min_count)
}

/// A set of small numbers.
struct Bits(Vec<u64>);

impl Bits {
    fn new(is_in: impl Iterator<Item = bool>) -> Self {
        let mut bits = Vec::with_capacity(is_in.size_hint().0 / 64 + 1);
        for (number, is_in) in is_in.enumerate() {
            if number % 64 == 0 {
                bits.push(0);
            }
            if let Some(word) = bits.last_mut() {
                *word |= u64::from(is_in) << (number % 64);
            }
        }
        Self(bits)
    }

    #[inline]
    fn has(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 != 0
    }

    /// Those pretokens that occur `least` times and, if that is known, are tokens.
    fn frequent(pretokens: &PretokenCounts, least: u64, tokens: Option<&[u32]>) -> Self {
        let is_token = |index: usize| tokens.is_none_or(|tokens| tokens[index] != NOT_ELIGIBLE);
        let counts = pretokens.counts.iter().enumerate();
        Self::new(counts.map(|(index, &count)| count >= least && is_token(index)))
    }
}

/// The cell of a pair of pretokens, of 2^(64 - `shift`).
#[inline]
fn cell(left: u32, right: u32, shift: u32) -> usize {
    let pair = u64::from(left) << 32 | u64::from(right);
    (pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> shift) as usize
}

/// How often pretokens follow each other, at most: a cell counts all pairs that fall into it, and
/// no further than `MOST`.
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

    /// Counts a pair `count` more times.
    #[inline]
    pub(crate) fn add(&mut self, left: u32, right: u32, count: u64) {
        let cell = &mut self.cells[cell(left, right, self.shift)];
        *cell = cell.saturating_add(u16::try_from(count).unwrap_or(MOST));
    }

    /// Whether a pair may have been counted `least` times.
    #[inline]
    pub(crate) fn reaches(&self, left: u32, right: u32, least: u64) -> bool {
        let least = u16::try_from(least).unwrap_or(MOST);
        self.cells[cell(left, right, self.shift)] >= least
    }

    fn merge(&mut self, other: &Self) {
        for (cell, more) in self.cells.iter_mut().zip(&other.cells) {
            *cell = cell.saturating_add(*more);
        }
    }

    /// The highest floor, not below `least`, at which so many cells and regular merges together
    /// reach it that phase 2 will not want more.
    fn guess_floor(&self, pretokens: &PretokenCounts, least: u64, settings: &Settings) -> u64 {
        // Half as many again as are wanted: on real text the highest floor that is enough leaves
        // 1.1 to 1.3 times as many.
        let (wanted, regular) = match settings.algorithm {
            Algorithm::Superbpe => (2 * settings.supermerges as usize, false),
            _ => (settings.vocab_size as usize + settings.vocab_size as usize / 2, true),
        };
        let mut cells = vec![0_usize; usize::from(MOST) + 1];
        for &cell in &self.cells {
            cells[usize::from(cell)] += 1;
        }
        let mut merges = vec![0_usize; usize::from(MOST) + 1];
        for &count in pretokens.counts.iter().filter(|_| regular) {
            merges[usize::from(u16::try_from(count).unwrap_or(MOST))] += 1;
        }
        let least = u16::try_from(least).unwrap_or(MOST);
        let (mut reached, mut made) = (0, 0);
        for floor in (least..=MOST).rev() {
            reached += cells[usize::from(floor)];
            made += merges[usize::from(floor)];
            // The merges are not known yet. Each pretoken will be made by one of its own that is
            // at least as frequent, and on real text there are a third more.
            if reached + made + made / 3 >= wanted {
                return floor.into();
            }
        }
        least.into()
    }
}

/// Fills a sketch.
struct Sketcher {
    frequent: Arc<Bits>,
    sketch: Sketch,
}

impl RunVisitor for Sketcher {
    #[inline]
    fn visit(&mut self, run: &[u32], count: u64) -> Result<()> {
        let mut left = NONE;
        for &pretoken in run {
            let right = if self.frequent.has(pretoken as usize) { pretoken } else { NONE };
            if left != NONE && right != NONE {
                self.sketch.add(left, right, count);
            }
            left = right;
        }
        Ok(())
    }
}

/// Where runs are cut.
struct Cuts {
    /// Around all other pretokens.
    frequent: Bits,
    /// Between two whose cell is not in here; with a floor of 1 nowhere.
    cells: Option<(Bits, u32)>,
}

impl Cuts {
    fn at(frequent: Bits, sketch: Option<&Sketch>, floor: u64) -> Self {
        let lowest = u16::try_from(floor).unwrap_or(MOST);
        // A bit for a cell: they are read at random, and a megabyte stays in the cache.
        let reached = |sketch: &Sketch| Bits::new(sketch.cells.iter().map(|&cell| cell >= lowest));
        Self { frequent, cells: sketch.map(|sketch| (reached(sketch), sketch.shift)) }
    }
}

/// Cuts runs into pieces and counts these.
struct Cutter {
    cuts: Arc<Cuts>,
    pieces: Tally<u32>,
    /// Pieces that wait, one after the other.
    items: Vec<u32>,
    ends: Vec<usize>,
    counts: Vec<u64>,
    keys: Vec<Key>,
    numbers: Vec<u32>,
}

impl Cutter {
    fn new(cuts: Arc<Cuts>) -> Self {
        Self {
            cuts,
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
        pieces.add_all(keys, all, |_| Ok(false), numbers)?;
        items.clear();
        ends.clear();
        counts.clear();
        Ok(())
    }
}

impl RunVisitor for Cutter {
    #[inline]
    fn visit(&mut self, run: &[u32], count: u64) -> Result<()> {
        let mut left = NONE;
        for &pretoken in run {
            let right = if self.cuts.frequent.has(pretoken as usize) { pretoken } else { NONE };
            let joined = left != NONE
                && right != NONE
                && self
                    .cuts
                    .cells
                    .as_ref()
                    .is_none_or(|(reached, shift)| reached.has(cell(left, right, *shift)));
            if !joined {
                self.end_piece(count)?;
            }
            if right != NONE {
                self.items.push(right);
            }
            left = right;
        }
        self.end_piece(count)
    }
}

/// What becomes of runs, as far as it is done: first they are sketched, then they are cut.
pub(crate) struct Pruning<'c> {
    counts: &'c Counts,
    settings: &'c Settings,
    /// The floor to take instead of a guess.
    given: Option<u64>,
    /// The token of each pretoken, once phase 1 has told.
    tokens: Option<&'c [u32]>,
    sketching: Pass<Sketcher>,
    floor: u64,
    cuts: Option<Arc<Cuts>>,
    cutting: Pass<Cutter>,
}

impl<'c> Pruning<'c> {
    /// With this floor, or with one that is guessed.
    pub(crate) fn new(counts: &'c Counts, settings: &'c Settings, given: Option<u64>) -> Self {
        let (sketching, cutting) = (Pass::new(STAGE), Pass::new(STAGE));
        Self { counts, settings, given, tokens: None, sketching, floor: 1, cuts: None, cutting }
    }

    /// With nothing cut but at pretokens that are no tokens.
    pub(crate) fn uncut(counts: &'c Counts, settings: &'c Settings, tokens: &'c [u32]) -> Self {
        Self { tokens: Some(tokens), ..Self::new(counts, settings, Some(1)) }
    }

    /// With a floor that is guessed for those pretokens that are tokens.
    pub(crate) fn of_tokens(counts: &'c Counts, settings: &'c Settings, tokens: &'c [u32]) -> Self {
        Self { tokens: Some(tokens), ..Self::new(counts, settings, None) }
    }

    /// Goes on until all is done, or until it is `paused`; then it can go on later. Progress: stage
    /// "candidates".
    ///
    /// # Errors
    /// [`crate::ErrorKind::Training`] if a count would pass 2^63 - 1, what `progress` returns, and
    /// the errors of reading files again; then it cannot go on.
    pub(crate) fn advance(
        &mut self,
        threads: usize,
        paused: &AtomicBool,
        progress: &mut Progress<'_>,
    ) -> Result<()> {
        let Counts { pretoken_counts: pretokens, runs, .. } = self.counts;
        if self.cuts.is_none() {
            let mut sketch = None;
            if self.given != Some(1) {
                let mut least = least_floor(pretokens, self.settings);
                least = self.given.map_or(least, |floor| floor.min(least));
                let frequent = Arc::new(Bits::frequent(pretokens, least, self.tokens));
                let add = |sum: u64, &count: &u64| sum.saturating_add(count);
                let adjacencies = pretokens.counts.iter().fold(0, add);
                let new = || Sketcher {
                    frequent: Arc::clone(&frequent),
                    sketch: Sketch::new(adjacencies),
                };
                let pass = &mut self.sketching;
                if !runs.go_on(pass, pretokens, threads, &new, paused, progress)? {
                    return Ok(());
                }
                let sketches =
                    std::mem::take(&mut pass.visitors).into_iter().map(|part| part.sketch);
                let all = sketches.reduce(|mut all, sketch| {
                    all.merge(&sketch);
                    all
                });
                let guess = |sketch: &Sketch| sketch.guess_floor(pretokens, least, self.settings);
                self.floor = self.given.or_else(|| all.as_ref().map(guess)).unwrap_or(least);
                sketch = all.filter(|_| self.floor > 1);
            }
            let frequent = Bits::frequent(pretokens, self.floor, self.tokens);
            self.cuts = Some(Arc::new(Cuts::at(frequent, sketch.as_ref(), self.floor)));
        }
        let Some(cuts) = &self.cuts else { return Ok(()) };
        let new = || Cutter::new(Arc::clone(cuts));
        runs.go_on(&mut self.cutting, pretokens, threads, &new, paused, progress)?;
        Ok(())
    }

    /// The floor, once [`Self::advance`] has done all.
    pub(crate) fn floor(&self) -> u64 {
        self.floor
    }

    /// The candidates for supermerges that happen as often as the floor or more, made of pretokens
    /// instead of tokens, in no special order, and those of each thread apart; and the floor.
    ///
    /// # Errors
    /// As for [`Self::advance`], which has done all.
    pub(crate) fn finish(self) -> Result<(Vec<Tally<u32>>, u64)> {
        let mut cutters = self.cutting.visitors;
        cutters.iter_mut().try_for_each(Cutter::flush)?;
        Ok((cutters.into_iter().map(|cutter| cutter.pieces).collect(), self.floor))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::counts::count_table;
    use crate::error::no_progress;

    /// All pieces with their counts, in order; and the floor.
    fn pieces(pruning: Pruning<'_>) -> (Vec<(Vec<u32>, u64)>, u64) {
        let (parts, floor) = pruning.finish().unwrap();
        let table = Tally::joined(parts, &mut || Ok(())).unwrap().into_table();
        let mut pieces: Vec<_> = table.iter().map(|(x, count)| (x.to_vec(), count)).collect();
        pieces.sort();
        (pieces, floor)
    }

    #[test]
    fn it_goes_on_where_it_was_paused() {
        let pretokens: Vec<String> = (0..40).map(|i| format!("w{i}")).collect();
        let mut state = 7_u64;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % bound
        };
        let runs: Vec<(Vec<&str>, u64)> = (0..300)
            .map(|_| {
                let length = 2 + below(6);
                let run = (0..length).map(|_| &*pretokens[(below(40) * below(40) / 40) as usize]);
                (run.collect(), 1 + below(3))
            })
            .collect();
        let table: Vec<(&str, u64)> = pretokens
            .iter()
            .map(|x| {
                (
                    &**x,
                    1 + runs
                        .iter()
                        .map(|(run, n)| n * run.iter().filter(|&y| y == x).count() as u64)
                        .sum::<u64>(),
                )
            })
            .collect();
        let counts = count_table(&table, &runs, 1, &mut no_progress).unwrap();
        let settings = Settings::new(Algorithm::Boundless, 300, 300, 0);
        for given in [None, Some(1), Some(3), Some(9)] {
            let mut whole = Pruning::new(&counts, &settings, given);
            whole.advance(1, &AtomicBool::new(false), &mut no_progress).unwrap();
            let expected = pieces(whole);
            assert!(given.is_none_or(|floor| floor == expected.1) && expected.0.len() > 20);
            for threads in [1, 2, 3] {
                let mut pruning = Pruning::new(&counts, &settings, given);
                let paused = AtomicBool::new(true);
                let mut taken = Vec::new();
                for _ in 0..1000 {
                    let mut calls = 0;
                    let mut progress = |_: &'static str, done, total| {
                        calls += 1;
                        taken.push(done);
                        assert!(done <= total);
                        paused.store(calls > 2, Ordering::Relaxed);
                        Ok(())
                    };
                    pruning.advance(threads, &paused, &mut progress).unwrap();
                    paused.store(false, Ordering::Relaxed);
                }
                assert!(threads > 1 || taken.windows(2).filter(|x| x[0] == x[1]).count() > 20);
                assert_eq!(pieces(pruning), expected);
            }
        }
    }

    #[test]
    fn a_sketch_never_counts_too_little() {
        let mut sketch = Sketch::new(0);
        let mut other = Sketch::new(0);
        for pair in 0..5000_u32 {
            sketch.add(pair, pair / 3, 2);
            other.add(pair, pair / 3, u64::from(pair) * 100);
        }
        sketch.merge(&other);
        let counts = |pair: u32| sketch.cells[cell(pair, pair / 3, sketch.shift)];
        assert!((0..5000).all(|pair| u64::from(counts(pair)) >= (2 + u64::from(pair) * 100).min(MOST.into())));
    }

    #[test]
    fn bits_are_a_set() {
        for size in [0, 1, 63, 64, 65, 1000] {
            let is_in = |number: usize| number % 3 == 1 || number % 64 == 63;
            let bits = Bits::new((0..size).map(is_in));
            assert!((0..size).all(|number| bits.has(number) == is_in(number)));
        }
    }
}
