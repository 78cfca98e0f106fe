//! What a merge does at its sites, and what that changes beside them, collected per neighbour in
//! dense arrays.
//!
//! No Python twin: there a merge recounts the stretches that it touches.

use crate::arena::{Arena, DEAD, END};
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
        touch(&mut self.by_token, &mut self.neighbours, neighbour)
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

    /// What has been found as gains, each of `weight`, and as losses.
    fn count_found(&mut self, weight: u64) {
        let Self { by_token, neighbours, found } = self;
        for &(neighbour, _) in &*found {
            touch(by_token, neighbours, neighbour).places += 1;
        }
        for &neighbour in &*neighbours {
            let entry = &mut by_token[neighbour as usize];
            entry.gained = u64::from(entry.places) * weight;
            entry.lost = entry.gained;
        }
    }

    pub fn clear(&mut self) {
        for &neighbour in &self.neighbours {
            self.by_token[neighbour as usize] = UNTOUCHED;
        }
        self.neighbours.clear();
        self.found.clear();
    }
}

/// The entry of a neighbour, which is noted as one that something changes for.
#[inline]
fn touch<'a>(
    by_token: &'a mut [Neighbour],
    neighbours: &mut Vec<u32>,
    neighbour: u32,
) -> &'a mut Neighbour {
    let entry = &mut by_token[neighbour as usize];
    if !entry.touched {
        entry.touched = true;
        neighbours.push(neighbour);
    }
    entry
}

/// Of so many sites the slots are looked at before the first of them is rewritten.
const LOOK_AHEAD: usize = 32;

/// So many sites are sifted before those that are left are rewritten: their slots fit into a cache.
const SIFTED: usize = 256;

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
    if !again
        && !disjoint
        && let Some((slots, spans, weight)) = arena.plain(a, b, new)
    {
        return replace_plain(merge, sites, (slots, spans, weight), before, after, ticker);
    }
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

/// As [`replace`] where overlapping pairs count, all alike, and make a new token.
///
/// Whether a site still holds the pair cannot be foreseen: so some sites are sifted first, without a
/// branch, which brings their slots from memory, and then those that are left are rewritten.
fn replace_plain(
    merge: Merge,
    sites: &[u32],
    (slots, spans, weight): (&mut [u32], &[u32], u64),
    before: &mut Side,
    after: &mut Side,
    ticker: &mut Ticker<'_, '_>,
) -> Result<()> {
    let Merge { left: a, right: b, new, .. } = merge;
    let [a_span, b_span] = [a, b].map(|token| spans[token as usize] as usize);
    let mut standing = [0; SIFTED];
    let mut free = 0; // no pair stands before this slot any more
    let mut joined = 0; // how often (new, a) was found that the next site made (new, new)
    for some in sites.chunks(SIFTED) {
        ticker.work(some.len())?;
        let mut kept = 0;
        for &site in some {
            let first = site as usize;
            let second = (first + a_span).min(slots.len() - 1);
            let holds = (slots[first] == a) & (slots[second] == b) & (first >= free);
            standing[kept] = site;
            kept += usize::from(holds);
            free = if holds { second + b_span } else { free };
        }
        before.found.reserve(kept);
        after.found.reserve(kept);
        for &site in &standing[..kept] {
            let first = site as usize;
            let (second, end) = (first + a_span, first + a_span + b_span);
            slots[second] = DEAD;
            slots[first] = new;
            slots[end - 1] = new;
            let (left, right) = (slots[first - 1], slots[end]);
            if left == new {
                after.found.pop();
                joined += 1;
            }
            if left != END {
                before.found.push((left, site - spans[left as usize]));
            }
            if right != END {
                after.found.push((right, site));
            }
        }
    }
    before.count_found(weight);
    after.count_found(weight);
    before.by_token[new as usize].lost = 0;
    if joined > 0 {
        after.touch(a).lost += joined * weight;
    }
    if a == b {
        // All pairs (a, a) vanish anyway.
        after.by_token[a as usize].lost = 0;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Row;
    use crate::error::no_progress;

    type Found = (Vec<(u32, u64, u64, u32)>, Vec<(u32, u32)>);

    fn found(side: &Side) -> Found {
        let mut neighbours = side.neighbours.clone();
        neighbours.sort_unstable();
        let of = |token: u32| {
            let Neighbour { lost, gained, places, .. } = side.by_token[token as usize];
            (token, lost, gained, places)
        };
        (neighbours.into_iter().map(of).collect(), side.found.clone())
    }

    /// A sequence of other tokens with another count makes an arena one that is not plain.
    #[test]
    fn a_plain_arena_changes_nothing() {
        let mut state = 11_u64;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % bound
        };
        let mut quiet = no_progress;
        let ticker = &mut Ticker::new(&mut quiet, "merges", 0);
        for round in 0..2000 {
            let longest = if round % 50 == 0 { 3 * SIFTED } else { 40 };
            let letters = 2 + below(2);
            let (mut items, mut ends) = (Vec::new(), Vec::new());
            for _ in 0..=below(3) {
                items.extend((0..2 + below(longest)).map(|_| below(letters) as u32));
                ends.push(items.len());
            }
            let mut counts = vec![3; ends.len()];
            let mut arena = |items: &[u32], ends: &[usize], counts: &[u64]| {
                let row = Row::new(items, ends, counts, |item| item, ticker).unwrap();
                Arena::new([row], 10).unwrap()
            };
            let mut plain = arena(&items, &ends, &counts);
            items.extend([8, 9]);
            ends.push(items.len());
            counts.push(2);
            let mut other = arena(&items, &ends, &counts);
            for new in 10..10 + below(6) as u32 {
                let pairs: Vec<_> = plain.adjacent().collect();
                if pairs.is_empty() {
                    break;
                }
                let (_, left, right) = pairs[below(pairs.len())];
                // places where the pair does not stand, too
                let is_site = |&&(_, x, _): &&(usize, u32, u32)| x == left;
                let sites: Vec<u32> =
                    pairs.iter().filter(is_site).map(|&(slot, ..)| slot as u32).collect();
                let merge = Merge { left, right, new, again: false, disjoint: false };
                let mut all = Vec::new();
                for arena in [&mut plain, &mut other] {
                    let (mut before, mut after) = (Side::default(), Side::default());
                    before.resize(new as usize + 1);
                    after.resize(new as usize + 1);
                    replace(merge, &sites, arena, &mut before, &mut after, ticker).unwrap();
                    let tokens: Vec<_> = arena.adjacent().filter(|pair| pair.1 != 8).collect();
                    all.push((found(&before), found(&after), tokens));
                }
                assert!(all[0] == all[1], "{left} {right} {new} {:?} {:?}", all[0], all[1]);
            }
        }
    }
}
