//! What a merge does at its sites, and what that changes beside them, collected per neighbour in
//! dense arrays.
//!
//! No Python twin: there a merge recounts the stretches that it touches.

use crate::arena::{Arena, END};
use crate::error::Result;
use crate::pair_table::NONE;
use crate::ticker::Ticker;

/// What a merge changes for one neighbour: its pair with the old part loses, its pair with the new
/// token gains.
#[derive(Clone, Debug)]
pub struct Neighbour {
    pub lost: u64,
    pub gained: u64,
    /// How many places its pair with the new token has.
    pub places: u32,
    /// The pair that gets these places, and where the next one goes.
    pub pair: u32,
    pub next: u32,
    touched: bool,
}

const UNTOUCHED: Neighbour =
    Neighbour { lost: 0, gained: 0, places: 0, pair: NONE, next: 0, touched: false };

/// What a merge changes on one side of its sites.
#[derive(Debug, Default)]
pub struct Side {
    /// By token; all together, since whoever needs one number needs the others.
    pub by_token: Vec<Neighbour>,
    /// Those that something has changed for.
    pub neighbours: Vec<u32>,
    /// (neighbour, place of its pair with the new token), places ascending.
    pub found: Vec<(u32, u32)>,
}

impl Side {
    pub fn resize(&mut self, tokens: usize) {
        self.by_token.resize(tokens, UNTOUCHED);
    }

    #[inline]
    fn touch(&mut self, neighbour: u32) -> &mut Neighbour {
        let entry = &mut self.by_token[neighbour as usize];
        if !entry.touched {
            entry.touched = true;
            self.neighbours.push(neighbour);
        }
        entry
    }

    #[inline]
    fn lose(&mut self, neighbour: u32, weight: u64) {
        self.touch(neighbour).lost += weight;
    }

    #[inline]
    fn gain(&mut self, neighbour: u32, weight: u64, place: usize) {
        let entry = self.touch(neighbour);
        entry.gained += weight;
        entry.places += 1;
        self.found.push((neighbour, place as u32));
    }

    /// Takes back the last `gain`.
    fn ungain(&mut self, neighbour: u32, weight: u64) {
        let entry = &mut self.by_token[neighbour as usize];
        entry.gained -= weight;
        entry.places -= 1;
        self.found.pop();
    }

    pub fn clear(&mut self) {
        for &neighbour in &self.neighbours {
            self.by_token[neighbour as usize] = UNTOUCHED;
        }
        self.neighbours.clear();
        self.found.clear();
    }
}

/// Of so many sites the slots are looked at before the first of them is rewritten.
const LOOK_AHEAD: usize = 32;

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
    for some in sites.chunks(LOOK_AHEAD) {
        ticker.work(some.len())?;
        // Sites lie far apart: asked for together, their slots come from memory together.
        let standing = some.iter().filter(|&&site| arena.token(site as usize) == a).count();
        before.found.reserve(standing);
        after.found.reserve(standing);
        for &site in some {
            let first = site as usize;
            if arena.token(first) != a || !arena.is_start(first) {
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
    }
    Ok(())
}
