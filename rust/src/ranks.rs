//! The merges of a long text, rank by rank (SPEC 9.3, 11).
//!
//! Where each merge makes a token that nothing made before, a pair with that token has a higher
//! rank. So ranks only rise while a text is encoded, and all places of one rank are known before the
//! first of them is merged: lists by rank do what a heap of (rank, place) does, in linear time.
//!
//! What the processor foresees wrongly would cost most here, so little branches on what is read: the
//! places of a rank are first sifted, then merged, and what is not to be kept is written, too, and
//! written over.

use std::hash::{BuildHasher, RandomState};

use crate::error::Result;
use crate::model::{Op, OpKind};
use crate::replay::{GONE, Scratch};
use crate::ticker::Ticker;

/// Texts of fewer tokens are not worth the lists of all ranks, and longer ones would have more
/// places than 32 bits can number: at most three for each token.
const TOKENS: std::ops::Range<usize> = 1 << 10..1 << 30;
/// Nor are those of fewer tokens than a part of the ranks.
const RANKS_PER_TOKEN: usize = 8;
const BYTES: usize = 256;
/// So many places are looked at between two calls of the ticker.
const TOGETHER: usize = 1 << 12;

/// The merges of a model of which each makes another token; a rank is the index of an op.
#[derive(Clone, Debug)]
pub struct Ranks {
    /// By rank; its length stands for no rank.
    ops: Vec<Op>,
    /// By token: how many bytes it has, or more than any text. The last is no token, the end.
    lengths: Vec<u32>,
    /// By left and right byte: the rank of the two.
    bytes: Vec<u32>,
    after: Neighbours,
    before: Neighbours,
}

/// For each token the tokens on one side of it with which it merges, and the rank: a small hash
/// table each, at most a quarter full.
#[derive(Clone, Debug)]
struct Neighbours {
    seed: u64,
    /// By token: where its table starts, and its size less one.
    tables: Vec<(u32, u32)>,
    /// (neighbour, rank); where there is no neighbour stands no rank.
    slots: Vec<(u32, u32)>,
}

/// In the place of a neighbour.
const EMPTY: u32 = u32::MAX;

impl Neighbours {
    /// `merges` are (token, neighbour) of tokens below `tokens`, by rank; of equal pairs the first
    /// counts.
    fn new(merges: impl Iterator<Item = (u32, u32)> + Clone, tokens: usize, none: u32) -> Self {
        let mut counts = vec![0_u32; tokens];
        merges.clone().for_each(|(token, _)| counts[token as usize] += 1);
        // All tokens without a neighbour share the one slot of the first table.
        let mut slots = 1;
        let mut table = |count: u32| {
            let size = if count == 0 { 1 } else { (4 * count).next_power_of_two() };
            let start = if count == 0 { 0 } else { slots };
            slots = slots.max(start + size);
            (start, size - 1)
        };
        let tables = counts.into_iter().map(&mut table).collect();
        let seed = RandomState::new().hash_one(0) | 1;
        let mut all = Self { seed, tables, slots: vec![(EMPTY, none); slots as usize] };
        for ((token, neighbour), rank) in merges.zip(0..) {
            let table = all.of(token);
            let slot = table.slot(neighbour);
            if table.slots[slot].0 == EMPTY {
                let (start, _) = all.tables[token as usize];
                all.slots[start as usize + slot] = (neighbour, rank);
            }
        }
        all
    }

    /// Those of a token.
    fn of(&self, token: u32) -> Table<'_> {
        let (start, mask) = self.tables[token as usize];
        let slots = &self.slots[start as usize..][..mask as usize + 1];
        Table { seed: self.seed, slots }
    }
}

/// The neighbours of one token.
#[derive(Clone, Copy)]
struct Table<'a> {
    seed: u64,
    slots: &'a [(u32, u32)],
}

impl Table<'_> {
    /// The rank with a neighbour, or no rank.
    #[inline]
    fn rank(&self, neighbour: u32) -> u32 {
        self.slots[self.slot(neighbour)].1
    }

    /// Where a neighbour stands, or else an empty slot.
    #[inline]
    fn slot(&self, neighbour: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = (u64::from(neighbour).wrapping_mul(self.seed) >> 32) as usize & mask;
        // (One condition, not two: which of them holds cannot be foreseen.)
        while (self.slots[slot].0 != neighbour) & (self.slots[slot].0 != EMPTY) {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

/// The places that wait for each rank: all that one merge has found stand together.
#[derive(Debug, Default)]
pub struct Lists {
    places: Vec<u32>,
    /// By rank, and for no rank: where its places start, and how many there are.
    blocks: Vec<(u32, u32)>,
    /// A bit for each rank, whether any place waits for it.
    waiting: Vec<u64>,
    /// What a merge finds: (rank, place), the places of each rank ascending.
    found: Vec<(u32, u32)>,
    /// The ranks found, each once.
    ranks: Vec<u32>,
    /// Places that hold the pair whose turn it is.
    sites: Vec<u32>,
}

impl Lists {
    /// No place waits for any of so many ranks.
    fn clear(&mut self, ranks: usize) {
        self.places.clear();
        self.blocks.clear();
        self.blocks.resize(ranks + 1, (0, 0));
        self.waiting.clear();
        self.waiting.resize((ranks + 1).div_ceil(64), 0);
    }

    /// Files the pairs of a text of single bytes.
    fn file_bytes(
        &mut self,
        tokens: &[u32],
        ranks: &Ranks,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<()> {
        let none = ranks.ops.len();
        let rank = |pair: &[u32]| ranks.bytes[pair[0] as usize * BYTES + pair[1] as usize] as usize;
        for start in (0..tokens.len()).step_by(TOGETHER) {
            ticker.work(TOGETHER)?;
            let some = &tokens[start..tokens.len().min(start + TOGETHER + 1)];
            some.windows(2).for_each(|pair| self.blocks[rank(pair)].1 += 1);
        }
        let mut next = 0;
        for (rank, (start, count)) in self.blocks[..none].iter_mut().enumerate() {
            *start = next;
            self.waiting[rank / 64] |= u64::from(*count > 0) << (rank % 64);
            next += std::mem::take(count);
        }
        // The places of no rank are written to one and the same.
        self.blocks[none] = (next, 0);
        self.places.resize(next as usize + 1, 0);
        for start in (0..tokens.len()).step_by(TOGETHER) {
            ticker.work(TOGETHER)?;
            let some = &tokens[start..tokens.len().min(start + TOGETHER + 1)];
            for (pair, place) in some.windows(2).zip(start as u32..) {
                let rank = rank(pair);
                let (start, count) = &mut self.blocks[rank];
                self.places[(*start + *count) as usize] = place;
                *count += u32::from(rank != none);
            }
        }
        Ok(())
    }

    /// Files what has been found, after which `found` is of no use.
    fn file(&mut self, length: usize, ticker: &mut Ticker<'_, '_>) -> Result<()> {
        let found = &self.found[..length];
        self.ranks.clear();
        for some in found.chunks(TOGETHER) {
            ticker.work(some.len())?;
            for &(rank, _) in some {
                let (_, count) = &mut self.blocks[rank as usize];
                if *count == 0 {
                    self.ranks.push(rank);
                }
                *count += 1;
            }
        }
        let mut next = self.places.len() as u32;
        for &rank in &self.ranks {
            let (start, count) = &mut self.blocks[rank as usize];
            *start = next;
            next += std::mem::take(count);
            self.waiting[rank as usize / 64] |= 1 << (rank % 64);
        }
        self.places.resize(next as usize, 0);
        for some in found.chunks(TOGETHER) {
            ticker.work(some.len())?;
            for &(rank, place) in some {
                let (start, count) = &mut self.blocks[rank as usize];
                self.places[(*start + *count) as usize] = place;
                *count += 1;
            }
        }
        Ok(())
    }

    /// Takes the lowest rank from `word` on; `None` if there is none.
    fn take(&mut self, word: &mut usize) -> Option<u32> {
        while *self.waiting.get(*word)? == 0 {
            *word += 1;
        }
        let bits = &mut self.waiting[*word];
        let rank = *word as u32 * 64 + bits.trailing_zeros();
        *bits &= *bits - 1;
        Some(rank)
    }
}

/// The ranks of the merges of a model, `None` if two of them make the same token or one that stood
/// before, or there are ops of other kinds.
pub fn ranks_of_ops(ops: &[Op]) -> Option<Ranks> {
    let mut newest = None;
    for op in ops {
        // tokens are numbered as they are made
        let oldest = newest.unwrap_or(0).max(op.left).max(op.right);
        if op.kind != OpKind::Merge || op.new <= oldest {
            return None;
        }
        newest = Some(op.new);
    }
    let tokens = newest.map_or(0, |newest| newest as usize + 1).max(BYTES);
    let none = ops.len() as u32;
    let mut lengths = vec![1; tokens + 1];
    let mut bytes = vec![none; BYTES * BYTES];
    for (op, rank) in ops.iter().zip(0..) {
        let (left, right) = (op.left as usize, op.right as usize);
        lengths[op.new as usize] = (lengths[left] + lengths[right]).min(TOKENS.end as u32);
        if left < BYTES && right < BYTES && bytes[left * BYTES + right] == none {
            bytes[left * BYTES + right] = rank;
        }
    }
    let after = Neighbours::new(ops.iter().map(|op| (op.left, op.right)), tokens, none);
    let before = Neighbours::new(ops.iter().map(|op| (op.right, op.left)), tokens, none);
    Some(Ranks { ops: ops.to_vec(), lengths, bytes, after, before })
}

/// Whether so many tokens are worth the lists of so many ranks.
pub fn is_ranked(tokens: usize, ranks: usize) -> bool {
    TOKENS.contains(&tokens) && tokens >= ranks / RANKS_PER_TOKEN
}

/// Merges the pairs of the lowest rank, left to right, then those of the next, and so on: what
/// [`crate::replay::encode_pretoken`] does. At first the tokens are single bytes, each its own number.
///
/// A token stands in its first place and in its last one, so its neighbours are found without links
/// (as in [`crate::arena`]). Behind the last token stands the end, which merges with nothing.
///
/// # Errors
/// What the progress callback returns.
pub fn encode_by_rank(
    tokens: &mut Vec<u32>,
    ranks: &Ranks,
    scratch: &mut Scratch,
    ticker: &mut Ticker<'_, '_>,
) -> Result<()> {
    let size = tokens.len();
    let lists = &mut scratch.lists;
    lists.clear(ranks.ops.len());
    lists.file_bytes(tokens, ranks, ticker)?;
    tokens.push(ranks.lengths.len() as u32 - 1);
    let mut word = 0;
    while let Some(rank) = lists.take(&mut word) {
        let op = &ranks.ops[rank as usize];
        let sites = sift(rank, op, ranks, tokens, lists, ticker)?;
        merge(sites, op, ranks, tokens, lists, ticker)?;
    }
    let (mut place, mut kept) = (0, 0);
    while place < size {
        ticker.work(TOGETHER)?;
        let stop = size.min(place + TOGETHER);
        while place < stop {
            let token = tokens[place];
            tokens[kept] = token;
            kept += 1;
            place += ranks.lengths[token as usize] as usize;
        }
    }
    tokens.truncate(kept);
    Ok(())
}

/// Leaves the places of a rank that hold its pair still in `lists.sites`; returns how many.
fn sift(
    rank: u32,
    op: &Op,
    ranks: &Ranks,
    tokens: &[u32],
    lists: &mut Lists,
    ticker: &mut Ticker<'_, '_>,
) -> Result<usize> {
    let [left, right] = [op.left, op.right].map(|token| ranks.lengths[token as usize] as usize);
    let (start, count) = lists.blocks[rank as usize];
    let places = &lists.places[start as usize..][..count as usize];
    let sites = &mut lists.sites;
    sites.resize(sites.len().max(places.len()), 0);
    let (mut kept, mut free) = (0, 0); // no place before `free` is
    for some in places.chunks(TOGETHER) {
        ticker.work(some.len())?;
        for &place in some {
            let site = place as usize;
            let second = (site + left).min(tokens.len() - 1);
            let holds = (tokens[site] == op.left) & (tokens[second] == op.right) & (site >= free);
            sites[kept] = place;
            kept += usize::from(holds);
            free = if holds { second + right } else { free };
        }
    }
    Ok(kept)
}

/// Merges the pair at the first `sites` of `lists.sites`, and files the pairs that this makes.
fn merge(
    sites: usize,
    op: &Op,
    ranks: &Ranks,
    tokens: &mut [u32],
    lists: &mut Lists,
    ticker: &mut Ticker<'_, '_>,
) -> Result<()> {
    let [left, right] = [op.left, op.right].map(|token| ranks.lengths[token as usize] as usize);
    let (after, before) = (ranks.after.of(op.new), ranks.before.of(op.new));
    let (none, end) = (ranks.ops.len() as u32, tokens.len() - 1);
    let found = &mut lists.found;
    found.resize(found.len().max(2 * sites), (none, 0));
    let mut length = 0;
    for some in lists.sites[..sites].chunks(TOGETHER) {
        ticker.work(some.len())?;
        for &place in some {
            let site = place as usize;
            let (second, behind) = (site + left, site + left + right);
            // What was filed at `second` must not be found there again.
            tokens[second] = GONE;
            tokens[site] = op.new;
            tokens[behind - 1] = op.new;
            let rank = after.rank(tokens[behind]);
            found[length] = (rank, place);
            length += usize::from(rank != none);
            let previous = tokens[if site == 0 { end } else { site - 1 }];
            let rank = before.rank(previous);
            found[length] = (rank, place.wrapping_sub(ranks.lengths[previous as usize]));
            length += usize::from(rank != none);
        }
    }
    lists.file(length, ticker)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::no_progress;
    use crate::replay::{encode_pretoken, pairs_of_ops};

    #[test]
    fn lists_do_what_the_heap_does() {
        let mut quiet = no_progress;
        let ticker = &mut Ticker::new(&mut quiet, "encode", 0);
        let mut state = 5_u64;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % bound
        };
        let mut scratch = Scratch::default();
        for _ in 0..2000 {
            let mut ops = Vec::new();
            for new in 256..256 + below(90) as u32 {
                let mut part = || match below(new as usize - 254) as u32 {
                    letter @ 0..2 => 97 + letter,
                    made => 254 + made,
                };
                let (left, right) = (part(), part());
                ops.push(Op { kind: OpKind::Merge, left, right, new, count: 1 });
            }
            let text: Vec<u32> = (0..below(60)).map(|_| 97 + below(2) as u32).collect();
            let (mut one, mut other) = (text.clone(), text);
            let ranks = ranks_of_ops(&ops).unwrap();
            encode_by_rank(&mut one, &ranks, &mut scratch, ticker).unwrap();
            let pairs = pairs_of_ops(&ops, OpKind::Merge);
            encode_pretoken(&mut other, &pairs, &mut Scratch::default(), ticker).unwrap();
            assert_eq!(one, other, "{ops:?}");
        }
    }

    #[test]
    fn every_pass_over_a_long_text_can_be_stopped() {
        let op = |left, right, new| Op { kind: OpKind::Merge, left, right, new, count: 1 };
        let ranks = ranks_of_ops(&[op(97, 97, 256), op(256, 256, 257)]).unwrap();
        let mut calls = 0;
        let mut count = |_: &'static str, _: u64, _: u64| {
            calls += 1;
            Ok(())
        };
        let ticker = &mut Ticker::new(&mut count, "encode", 0);
        let length = 1 << 20;
        let mut tokens = vec![97; length];
        encode_by_rank(&mut tokens, &ranks, &mut Scratch::default(), ticker).unwrap();
        assert_eq!(tokens, vec![257; length / 4]);
        // 2 passes over all pairs, 1 over the sites of the first merge, which are half, as what it
        // finds, that is filed in 2 passes; half and a quarter for the second, and 1 to the ids
        let places = 2 * length + length + length / 2 + length + length / 2 + length / 4 + length;
        assert!(calls >= places / (1 << 14) - 8, "{calls}");
    }

    #[test]
    fn a_token_that_is_made_twice_has_no_ranks() {
        let op = |left, right, new| Op { kind: OpKind::Merge, left, right, new, count: 1 };
        let twice = [op(97, 98, 256), op(98, 99, 257), op(97, 257, 258), op(256, 99, 258)];
        assert!(ranks_of_ops(&twice[..3]).is_some());
        assert!(ranks_of_ops(&twice).is_none());
        let delete = Op { kind: OpKind::Delete, left: 256, right: 256, new: 256, count: 0 };
        assert!(ranks_of_ops(&[twice[0], delete]).is_none());
    }
}
