//! All pairs of an arena, counted at once into a table.
//!
//! No Python twin: there one function counts stretches, and at first the stretch is everything.

use crate::arena::Arena;
use crate::error::Result;
use crate::pair_table::PairTable;
use crate::ticker::Ticker;

/// Up to so many tokens pairs are counted in a square of numbers.
const SQUARE: usize = 256;

/// Which pairs are counted, and how.
pub struct Wanted<F> {
    /// Whether a run of n equal tokens counts as floor(n/2) pairs.
    pub disjoint: bool,
    /// Whether a pair is wanted at all.
    pub allowed: F,
}

/// Calls `each` with every pair, from left to right, and its weight, 0 if it overlaps one of the
/// same equal tokens.
fn each_pair(
    arena: &Arena,
    disjoint: bool,
    ticker: &mut Ticker<'_, '_>,
    mut each: impl FnMut(u32, u32, u64),
) -> Result<()> {
    let mut taken_end = 0; // the slot after the last counted pair (x, x)
    for (slot, left, right) in arena.adjacent() {
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

/// Counts the pairs that are allowed, and how many places each has; `tokens` is more than any token
/// of the arena. Pairs that are rarer than `floor`, at least 1, may be missing.
///
/// # Errors
/// What the progress callback returns.
pub fn count_pairs(
    arena: &Arena,
    tokens: usize,
    floor: u64,
    wanted: &Wanted<impl Fn(u32, u32) -> bool>,
    table: &mut PairTable,
    ticker: &mut Ticker<'_, '_>,
) -> Result<()> {
    if tokens <= SQUARE {
        return count_in_square(arena, tokens, floor, wanted, table, ticker);
    }
    each_pair(arena, wanted.disjoint, ticker, |left, right, weight| {
        if !(wanted.allowed)(left, right) {
            return;
        }
        let number = table.find(left, right).unwrap_or_else(|| table.add(left, right));
        let pair = &mut table.pairs[number as usize];
        pair.count += weight;
        pair.block.length += 1;
    })
}

fn count_in_square(
    arena: &Arena,
    tokens: usize,
    floor: u64,
    wanted: &Wanted<impl Fn(u32, u32) -> bool>,
    table: &mut PairTable,
    ticker: &mut Ticker<'_, '_>,
) -> Result<()> {
    let mut square = vec![(0_u64, 0_u32); tokens * tokens];
    each_pair(arena, wanted.disjoint, ticker, |left, right, weight| {
        let (count, places) = &mut square[left as usize * tokens + right as usize];
        *count += weight;
        *places += 1;
    })?;
    for (index, (count, places)) in square.into_iter().enumerate() {
        let (left, right) = ((index / tokens) as u32, (index % tokens) as u32);
        if count >= floor && (wanted.allowed)(left, right) {
            let number = table.add(left, right);
            let pair = &mut table.pairs[number as usize];
            pair.count = count;
            pair.block.length = places;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
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
            let arena = Arena::new(items, ends, &sequences.counts, 6, |item| item, ticker).unwrap();
            let wanted = Wanted {
                disjoint: round % 2 == 0,
                allowed: |left: u32, right: u32| left + right != 7,
            };
            let mut counted = |tokens: usize, floor: u64| {
                let mut table = PairTable::default();
                count_pairs(&arena, tokens, floor, &wanted, &mut table, ticker).unwrap();
                table.leave_out_below(floor);
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
            let all = counted(6, 1);
            assert!(all.iter().all(|&(left, right, count, _)| left + right != 7 && count > 0));
            assert_eq!(counted(1000, 1), all);
            let middle = all.get(all.len() / 2).map_or(1, |pair| pair.2);
            let frequent: Vec<_> = all.into_iter().filter(|pair| pair.2 >= middle).collect();
            assert_eq!(counted(6, middle), frequent);
            assert_eq!(counted(1000, middle), frequent);
        }
    }
}
