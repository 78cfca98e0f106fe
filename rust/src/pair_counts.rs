//! All pairs of an arena, counted at once into a table.
//!
//! No Python twin: there one function counts stretches, and at first the stretch is everything.

use std::ops::Range;

use crate::arena::Arena;
use crate::error::{Progress, Result};
use crate::pair_table::{NONE, PairTable, TOGETHER};
use crate::parallel::map_in_order;
use crate::ticker::Ticker;

/// Up to so many tokens pairs are counted in a square of numbers.
const SQUARE: usize = 256;
/// So many slots are looked at between two calls of the ticker.
const PIECE: usize = 1 << 12;
/// A thread of its own is not worth it for fewer slots.
const SLOTS_PER_THREAD: usize = if cfg!(test) { 20 } else { 1 << 16 };

/// Which pairs are counted, and how.
pub struct Wanted<F> {
    /// Whether a run of n equal tokens counts as floor(n/2) pairs.
    pub disjoint: bool,
    /// Whether a pair is wanted at all.
    pub allowed: F,
}

/// The number in a table of each pair of an arena: to find it there is what costs.
pub enum Numbers {
    /// Of the pairs in their order, or [`NONE`].
    Listed(Vec<u32>),
    /// While each token fills one slot: by left and right, in rows; or [`NONE`].
    Square {
        /// One more than there are tokens.
        side: usize,
        numbers: Vec<u32>,
    },
}

impl Numbers {
    /// All of them, in no order that means anything.
    pub fn all(&mut self) -> &mut [u32] {
        match self {
            Self::Listed(numbers) | Self::Square { numbers, .. } => numbers,
        }
    }

    /// Calls `each` with every slot of the same arena where a pair starts that has a number, and that.
    ///
    /// # Errors
    /// What the progress callback returns.
    pub fn each_place(
        &self,
        arena: &Arena,
        ticker: &mut Ticker<'_, '_>,
        mut each: impl FnMut(usize, u32),
    ) -> Result<()> {
        let mut note = |slot: usize, number: u32| {
            if number != NONE {
                each(slot, number);
            }
        };
        match self {
            Self::Listed(numbers) => {
                for ((slot, ..), &number) in arena.adjacent().zip(numbers) {
                    ticker.work(1)?;
                    note(slot, number);
                }
            }
            Self::Square { side, numbers } => {
                for (first, slots, _) in arena.flat_groups().into_iter().flatten() {
                    for (start, some) in pieces(slots) {
                        ticker.work(some.len())?;
                        for (pair, slot) in some.windows(2).zip(first + start..) {
                            note(slot, numbers[cell(pair, *side)]);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Calls `each` with every pair of a range, from left to right, and its weight, 0 if it overlaps one
/// of the same equal tokens.
fn each_pair(
    arena: &Arena,
    range: Range<usize>,
    disjoint: bool,
    ticker: &mut Ticker<'_, '_>,
    mut each: impl FnMut(u32, u32, u64),
) -> Result<()> {
    let mut taken_end = 0; // the slot after the last counted pair (x, x)
    for (slot, left, right) in arena.adjacent_in(range) {
        ticker.work(1)?;
        let mut weight = arena.weight(slot);
        if disjoint && left == right {
            if slot < taken_end {
                weight = 0;
            } else {
                let second = slot + arena.span(slot);
                taken_end = second + arena.span(second);
            }
        }
        each(left, right, weight);
    }
    Ok(())
}

/// Counts the pairs that are allowed, and how many places each has, on up to `threads` threads;
/// `tokens` is more than any token of the arena, `table` is empty or (for one thread) has counts
/// that these are added to. Returns the number in the table of each pair of the arena, in their
/// order, or [`NONE`]: to find a pair in the table is what costs.
///
/// # Errors
/// What the progress callback returns.
pub fn count_pairs(
    arena: &Arena,
    tokens: usize,
    wanted: &Wanted<impl Fn(u32, u32) -> bool + Sync>,
    table: &mut PairTable,
    threads: usize,
    ticker: &mut Ticker<'_, '_>,
) -> Result<Numbers> {
    let threads = threads.min(arena.slots() / SLOTS_PER_THREAD + 1);
    if threads == 1
        && tokens <= SQUARE
        && let Some(groups) = arena.flat_groups()
    {
        return count_few(groups, tokens, wanted, table, ticker);
    }
    if threads == 1 {
        let numbers = count_range(arena, 0..arena.slots(), wanted, table, ticker)?;
        return Ok(Numbers::Listed(numbers));
    }
    let ranges = arena.ranges(threads);
    let work = |part: usize, check: &mut Progress<'_>| {
        let ticker = &mut Ticker::new(check, "", 0);
        let mut table = PairTable::default();
        let range = ranges[part].clone();
        let numbers = count_range(arena, range, wanted, &mut table, ticker)?;
        Ok((table, numbers))
    };
    let poll = &mut |_: &'static str, _: u64, _: u64| ticker.report_again();
    let mut parts = map_in_order("", threads, threads, &work, poll)?.into_iter();
    let Some((first, mut all)) = parts.next() else { return Ok(Numbers::Listed(Vec::new())) };
    *table = first;
    for (part, numbers) in parts {
        let joined = table.join(&part);
        let same = |number: u32| if number == NONE { NONE } else { joined[number as usize] };
        all.extend(numbers.into_iter().map(same));
        ticker.report_again()?;
    }
    Ok(Numbers::Listed(all))
}

fn count_range(
    arena: &Arena,
    range: Range<usize>,
    wanted: &Wanted<impl Fn(u32, u32) -> bool>,
    table: &mut PairTable,
    ticker: &mut Ticker<'_, '_>,
) -> Result<Vec<u32>> {
    let mut numbers = Vec::new();
    // Pairs that wait to be found together: their weights, and where their numbers go.
    let (mut pairs, mut waiting, mut found) = (Vec::new(), Vec::new(), Vec::new());
    let mut count =
        |pairs: &mut Vec<(u32, u32)>, waiting: &mut Vec<(u64, usize)>, all: &mut [u32]| {
            table.find_together(pairs, &mut found);
            for ((&number, (left, right)), (weight, place)) in
                found.iter().zip(pairs.drain(..)).zip(waiting.drain(..))
            {
                let known = if number == NONE { table.find(left, right) } else { Some(number) };
                let number = known.unwrap_or_else(|| table.add(left, right));
                all[place] = number;
                table.pairs[number as usize].add_place(weight);
            }
        };
    each_pair(arena, range, wanted.disjoint, ticker, |left, right, weight| {
        if (wanted.allowed)(left, right) {
            pairs.push((left, right));
            waiting.push((weight, numbers.len()));
        }
        numbers.push(NONE);
        if pairs.len() == TOGETHER {
            count(&mut pairs, &mut waiting, &mut numbers);
        }
    })?;
    count(&mut pairs, &mut waiting, &mut numbers);
    Ok(numbers)
}

/// As [`count_range`] where each of few tokens fills one slot: a square has room for all their pairs.
fn count_few<'a>(
    groups: impl Iterator<Item = (usize, &'a [u32], u64)>,
    tokens: usize,
    wanted: &Wanted<impl Fn(u32, u32) -> bool>,
    table: &mut PairTable,
    ticker: &mut Ticker<'_, '_>,
) -> Result<Numbers> {
    let side = tokens + 1;
    let mut counted = vec![(0_u64, 0_u32); side * side];
    for (_, slots, weight) in groups {
        let mut taken = false; // whether the pair before was (x, x) and counted
        for (_, some) in pieces(slots) {
            ticker.work(some.len())?;
            for pair in some.windows(2) {
                taken = wanted.disjoint && pair[0] == pair[1] && !taken;
                let overlaps = wanted.disjoint && pair[0] == pair[1] && !taken;
                let (count, places) = &mut counted[cell(pair, side)];
                *count += if overlaps { 0 } else { weight };
                *places += 1;
            }
        }
    }
    let mut numbers = vec![NONE; side * side];
    for (left, right) in (0..tokens).flat_map(|left| (0..tokens).map(move |right| (left, right))) {
        let (count, places) = counted[left * side + right];
        if places > 0 && (wanted.allowed)(left as u32, right as u32) {
            let number = table.add(left as u32, right as u32);
            let pair = &mut table.pairs[number as usize];
            (pair.count, pair.block.length) = (count, places);
            numbers[left * side + right] = number;
        }
    }
    Ok(Numbers::Square { side, numbers })
}

/// Slots in pieces, each with the first slot of the next one, and where it starts.
fn pieces(slots: &[u32]) -> impl Iterator<Item = (usize, &[u32])> {
    let starts = (0..slots.len()).step_by(PIECE);
    starts.map(|start| (start, &slots[start..slots.len().min(start + PIECE + 1)]))
}

/// Where the pair of two slots stands in a square; one with a sentinel in the last row or column.
#[inline]
fn cell(pair: &[u32], side: usize) -> usize {
    let part = |token: u32| (token as usize).min(side - 1);
    part(pair[0]) * side + part(pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Row;
    use crate::error::no_progress;
    use crate::tables::SequenceCounts;

    #[test]
    fn a_floor_leaves_out_what_is_rarer_and_nothing_else() {
        let mut state = 1_u64;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % bound
        };
        let mut quiet = no_progress;
        let ticker = &mut Ticker::new(&mut quiet, "merges", 0);
        for round in 0..400 {
            // Weights that 32 bits do not hold, too
            let most = [5, 1 << 20, 1 << 27][round % 3];
            let mut sequences = SequenceCounts::default();
            for _ in 0..=below(9) {
                let sequence: Vec<u32> = (0..=below(30)).map(|_| below(6) as u32).collect();
                sequences.push(&sequence, (1 + below(most)) * (1 + below(most)));
            }
            let (items, ends) = (&sequences.items, &sequences.ends);
            let row = Row::new(items, ends, &sequences.counts, |item| item, ticker).unwrap();
            let arena = Arena::new([row], 6).unwrap();
            let wanted = Wanted {
                disjoint: round % 2 == 0,
                allowed: |left: u32, right: u32| left + right != 7,
            };
            let mut counted = |tokens: usize, floor: u64, threads: usize| {
                let mut table = PairTable::default();
                let mut numbers =
                    count_pairs(&arena, tokens, &wanted, &mut table, threads, ticker).unwrap();
                table.leave_out_below(floor, numbers.all());
                let mut places = Vec::new();
                numbers
                    .each_place(&arena, ticker, |slot, number| places.push((slot, number)))
                    .unwrap();
                let find = |(slot, left, right)| Some((slot, table.find(left, right)?));
                assert_eq!(places, arena.adjacent().filter_map(find).collect::<Vec<_>>());
                let mut pairs: Vec<_> = (0..table.pairs.len() as u32)
                    .map(|number| {
                        let pair = &table.pairs[number as usize];
                        assert_eq!(table.find(pair.left, pair.right), Some(number));
                        (pair.left, pair.right, pair.count, pair.block.length)
                    })
                    .collect();
                pairs.sort_unstable();
                pairs
            };
            let all = counted(6, 1, 1);
            assert!(all.iter().all(|&(left, right, count, _)| left + right != 7 && count > 0));
            assert_eq!(counted(1000, 1, 1), all);
            assert_eq!(counted([6, 1000][round % 2], 1, 2 + round % 5), all);
            let middle = all.get(all.len() / 2).map_or(1, |pair| pair.2);
            let frequent: Vec<_> = all.into_iter().filter(|pair| pair.2 >= middle).collect();
            assert_eq!(counted(6, middle, 2), frequent);
            assert_eq!(counted(1000, middle, 3), frequent);
        }
    }
}
