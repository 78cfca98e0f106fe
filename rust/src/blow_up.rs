//! What deleting a token does at its places, and what that changes for the pairs there.
//!
//! Merges are most of the work and have a way of their own (`sides`), which takes every neighbour by
//! itself. Deletes are few, and parts may be equal to each other and to what stands beside them: so
//! here the pairs of the stretches that a delete touches are subtracted, the stretches rewritten, and
//! their pairs added. No Python twin: there `pairs` has the same in its `delete`.

use std::ops::Range;

use crate::arena::{Arena, END};
use crate::error::Result;
use crate::ticker::Ticker;

/// What a delete changes for one pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub left: u32,
    pub right: u32,
    pub lost: u64,
    pub gained: u64,
    /// Where it stands now and did not before, ascending.
    pub places: Vec<u32>,
}

/// Puts `parts` in the place of each token that starts at one of the `sites`, which ascend; returns
/// what that changes, by pair. Runs of equal tokens count as disjoint pairs.
///
/// # Errors
/// What the progress callback returns.
pub fn blow_up(
    sites: &[u32],
    parts: &[u32],
    arena: &mut Arena,
    ticker: &mut Ticker<'_, '_>,
) -> Result<Vec<Change>> {
    let (mut lost, mut gained, mut found) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = sites;
    while let Some(&first) = rest.first() {
        // Sites that touch change one stretch together.
        let start = first as usize;
        let mut end = start;
        while rest.first().is_some_and(|&site| site as usize == end) {
            end += arena.span(end);
            rest = &rest[1..];
        }
        let weight = arena.weight(start);
        let stretch = widen(start..end, arena);
        ticker.work(stretch.len())?;
        each_pair(stretch, arena, |_, pair, counts| {
            if counts {
                lost.push((pair, weight));
            }
        });
        let mut site = start;
        while site < end {
            let span = arena.span(site);
            arena.split(site, parts);
            site += span;
        }
        let stretch = widen(start..end, arena);
        let is_new = first_new(start, arena)..end;
        each_pair(stretch, arena, |slot, pair, counts| {
            if counts {
                gained.push((pair, weight));
            }
            if is_new.contains(&slot) {
                found.push((pair, slot as u32));
            }
        });
    }
    Ok(changes(lost, gained, found))
}

/// The slot of the first pair that parts from `start` on are in.
fn first_new(start: usize, arena: &Arena) -> usize {
    if arena.token(start - 1) == END { start } else { start - arena.span(start - 1) }
}

/// A stretch with its neighbours and all tokens equal to them. What becomes of the part between has
/// no influence on how many disjoint pairs stand outside.
fn widen(stretch: Range<usize>, arena: &Arena) -> Range<usize> {
    let Range { start, end } = stretch;
    let start = if arena.token(start - 1) == END { start } else { arena.run_before(start).1 };
    let end = if arena.token(end) == END { end } else { arena.run_from(end).1 };
    start..end
}

/// Calls `each` with the slot of every pair of a stretch, the pair, and whether it counts.
fn each_pair(stretch: Range<usize>, arena: &Arena, mut each: impl FnMut(usize, (u32, u32), bool)) {
    let mut slot = stretch.start;
    let mut taken = false; // whether this slot is the right part of a pair (x, x) that counts
    loop {
        let next = slot + arena.span(slot);
        if next >= stretch.end {
            return;
        }
        let pair = (arena.token(slot), arena.token(next));
        let equal = pair.0 == pair.1;
        let counts = !(equal && taken);
        taken = equal && counts;
        each(slot, pair, counts);
        slot = next;
    }
}

/// All that happened to each pair, by pair.
fn changes(
    mut lost: Vec<((u32, u32), u64)>,
    mut gained: Vec<((u32, u32), u64)>,
    mut found: Vec<((u32, u32), u32)>,
) -> Vec<Change> {
    let mut pairs: Vec<(u32, u32)> = lost.iter().chain(&gained).map(|&(pair, _)| pair).collect();
    pairs.extend(found.iter().map(|&(pair, _)| pair));
    pairs.sort_unstable();
    pairs.dedup();
    lost.sort_unstable();
    gained.sort_unstable();
    found.sort_unstable();
    let (mut lost, mut gained) = (lost.into_iter().peekable(), gained.into_iter().peekable());
    let mut found = found.into_iter().peekable();
    let of_pair = |(left, right)| {
        let mut change = Change { left, right, lost: 0, gained: 0, places: Vec::new() };
        while let Some((_, weight)) = lost.next_if(|&(pair, _)| pair == (left, right)) {
            change.lost += weight;
        }
        while let Some((_, weight)) = gained.next_if(|&(pair, _)| pair == (left, right)) {
            change.gained += weight;
        }
        while let Some((_, place)) = found.next_if(|&(pair, _)| pair == (left, right)) {
            change.places.push(place);
        }
        change
    };
    pairs.into_iter().map(of_pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Row;
    use crate::error::no_progress;

    #[test]
    fn parts_join_what_stands_beside_them() {
        let mut quiet = no_progress;
        let ticker = &mut Ticker::new(&mut quiet, "merges", 0);
        let items = [1, 1, 2, 1, 2, 2, 3, 1, 2];
        let row = Row::new(&items, &[6, 9], &[5, 2], |item| item, ticker).unwrap();
        let mut arena = Arena::new([row], 4).unwrap();
        arena.track_starts();
        // 1 (1 2) (1 2) 2 and 3 (1 2), with 4 = (1 2)
        for first in [2, 4, 9] {
            arena.join(first, first + 1, 4);
        }
        assert!(!arena.is_start(3) && arena.is_start(4));
        let found = blow_up(&[2, 4, 9], &[1, 2], &mut arena, ticker).unwrap();
        assert!(arena.is_start(3));
        let change = |left, right, lost, gained, places: &[u32]| Change {
            left,
            right,
            lost,
            gained,
            places: places.to_vec(),
        };
        let expected = [
            change(1, 1, 0, 5, &[1]),
            change(1, 2, 0, 12, &[2, 4, 9]),
            change(1, 4, 5, 0, &[]),
            change(2, 1, 0, 5, &[3]),
            change(2, 2, 0, 5, &[5]),
            change(3, 1, 0, 2, &[8]),
            change(3, 4, 2, 0, &[]),
            change(4, 2, 5, 0, &[]),
            change(4, 4, 5, 0, &[]),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_run_of_equal_parts_counts_disjoint_pairs() {
        let mut quiet = no_progress;
        let ticker = &mut Ticker::new(&mut quiet, "merges", 0);
        let row = Row::new(&[1; 7], &[7], &[3], |item| item, ticker).unwrap();
        let mut arena = Arena::new([row], 2).unwrap();
        arena.track_starts();
        for first in [2, 4] {
            arena.join(first, first + 1, 2); // 1 (1 1) (1 1) 1 1
        }
        let found = blow_up(&[2, 4], &[1, 1], &mut arena, ticker).unwrap();
        let pair = found.iter().find(|change| (change.left, change.right) == (1, 1)).unwrap();
        assert_eq!((pair.lost, pair.gained), (3, 9));
        assert_eq!(pair.places, [1, 2, 3, 4, 5]);
    }
}
