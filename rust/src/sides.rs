//! What a merge does at its sites, and what that changes beside them, collected per neighbour in
//! dense arrays.
//!
//! No Python twin: there a merge recounts the stretches that it touches.

use crate::arena::{Arena, END};
use crate::error::Result;
use crate::ticker::Ticker;

/// No pair.
pub const NONE: u32 = u32::MAX;

/// What a merge changes on one side of its sites, by neighbour token: pairs of the neighbour and
/// the old part lose, pairs of the neighbour and the new token gain.
#[derive(Debug, Default)]
pub struct Side {
    pub lost: Vec<u64>,
    pub gained: Vec<u64>,
    touched: Vec<bool>,
    pub neighbours: Vec<u32>,
    /// (neighbour, place of its pair with the new token), places ascending.
    pub found: Vec<(u32, u32)>,
    /// The pair whose places `found` holds, and where the next one goes.
    pub pair: Vec<u32>,
    pub next: Vec<usize>,
}

impl Side {
    pub fn resize(&mut self, tokens: usize) {
        self.lost.resize(tokens, 0);
        self.gained.resize(tokens, 0);
        self.touched.resize(tokens, false);
        self.pair.resize(tokens, NONE);
        self.next.resize(tokens, 0);
    }

    pub fn touch(&mut self, neighbour: u32) -> usize {
        let index = neighbour as usize;
        if !self.touched[index] {
            self.touched[index] = true;
            self.neighbours.push(neighbour);
        }
        index
    }

    pub fn lose(&mut self, neighbour: u32, weight: u64) {
        let index = self.touch(neighbour);
        self.lost[index] += weight;
    }

    pub fn gain(&mut self, neighbour: u32, weight: u64, place: usize) {
        let index = self.touch(neighbour);
        self.gained[index] += weight;
        self.found.push((neighbour, place as u32));
    }

    /// Takes back the last `gain`.
    pub fn ungain(&mut self, neighbour: u32, weight: u64) {
        self.gained[neighbour as usize] -= weight;
        self.found.pop();
    }

    pub fn clear(&mut self) {
        for &neighbour in &self.neighbours {
            let index = neighbour as usize;
            (self.lost[index], self.gained[index], self.next[index]) = (0, 0, 0);
            self.touched[index] = false;
        }
        self.neighbours.clear();
        self.found.clear();
    }
}

/// What a merge does.
#[derive(Clone, Copy, Debug)]
pub struct Merge {
    pub left: u32,
    pub right: u32,
    pub new: u32,
    /// Whether `new` was there before.
    pub again: bool,
    /// Whether a run of n equal tokens counts as floor(n/2) pairs.
    pub disjoint: bool,
}

/// Rewrites the sites that still hold the pair, and collects what that changes before and after
/// them.
///
/// # Errors
/// What the progress callback returns.
pub fn replace(
    merge: Merge,
    sites: &[u32],
    arena: &mut Arena,
    before: &mut Side,
    after: &mut Side,
    ticker: &mut Ticker<'_, '_>,
) -> Result<()> {
    let Merge { left: a, right: b, new, again, disjoint } = merge;
    // The last run of equal new tokens: the slot after it, and its length.
    let (mut run_end, mut run) = (0, 0);
    let mut last_end = 0;
    for &site in sites {
        ticker.work(1)?;
        let first = site as usize;
        if arena.token(first) != a {
            continue;
        }
        let second = first + arena.span(first);
        if arena.token(second) != b {
            continue;
        }
        let end = second + arena.span(second);
        let weight = arena.weight(first);
        let (left, right) = (arena.token(first - 1), arena.token(end));

        if left == new && first == last_end {
            after.ungain(a, weight);
        } else if left == a && disjoint {
            // (If a is b, the token before cannot be a: it would have been replaced with this.)
            if arena.run_before(second).0.is_multiple_of(2) {
                before.lose(a, weight);
            }
        } else if left != END {
            before.lose(left, weight);
        }
        if right == b && (a == b || disjoint) {
            // All pairs (a, a) vanish anyway.
            if a != b && arena.run_from(second).0.is_multiple_of(2) {
                after.lose(b, weight);
            }
        } else if right != END {
            after.lose(right, weight);
        }

        let run_before = match left {
            _ if left != new => 0,
            _ if first == run_end => run,
            _ => arena.run_before(first).0,
        };
        // Only an old token can stand there already.
        let (run_after, end_after) =
            if again && right == new { arena.run_from(end) } else { (0, end) };
        (run, run_end) = (run_before + 1 + run_after, end_after);
        let gained =
            if disjoint { (run / 2 - run_before / 2 - run_after / 2) * weight } else { weight };

        if left == new {
            let gained = if disjoint && right == new { 0 } else { gained };
            before.gain(new, gained, first - arena.span(first - 1));
        } else if left != END {
            before.gain(left, weight, first - arena.span(first - 1));
        }
        if right == new {
            before.gain(new, gained, first);
        } else if right != END {
            after.gain(right, weight, first);
        }
        arena.join(first, second, new);
        last_end = end;
    }
    Ok(())
}
