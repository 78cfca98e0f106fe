//! The merges of a long text, rank by rank (SPEC 9.3, 11).
//!
//! Where each merge makes a token that nothing made before, a pair with that token has a higher
//! rank. So ranks only rise while a text is encoded, and all places of one rank are known before the
//! first of them is merged: lists by rank do what a heap of (rank, place) does, in linear time.

use crate::error::Result;
use crate::model::{Op, OpKind};
use crate::replay::{GONE, NONE, Scratch};
use crate::ticker::Ticker;

/// Texts of fewer tokens are not worth the lists of all ranks, and longer ones would have more
/// entries than 32 bits can number.
const TOKENS: std::ops::Range<usize> = 1 << 10..1 << 30;
const BYTES: usize = 256;

/// The merges of a model of which each makes another token; a rank is the index of an op.
#[derive(Clone, Debug)]
pub struct Ranks {
    /// By rank.
    ops: Vec<Op>,
    /// By left and right byte: the rank of the two, or [`NONE`].
    bytes: Vec<u32>,
    after: Neighbours,
    before: Neighbours,
}

/// For each token the tokens on one side of it with which it merges, ascending, and the rank.
#[derive(Clone, Debug)]
struct Neighbours {
    starts: Vec<u32>,
    entries: Vec<(u32, u32)>,
}

impl Neighbours {
    /// `merges` are (token, neighbour, rank) of tokens below `tokens`; of equal pairs the lowest rank
    /// counts.
    fn new(mut merges: Vec<(u32, u32, u32)>, tokens: usize) -> Self {
        merges.sort_unstable();
        merges.dedup_by_key(|&mut (token, neighbour, _)| (token, neighbour));
        let mut starts = vec![0; tokens + 1];
        merges.iter().for_each(|&(token, ..)| starts[token as usize + 1] += 1);
        for token in 0..tokens {
            starts[token + 1] += starts[token];
        }
        let entries = merges.into_iter().map(|(_, neighbour, rank)| (neighbour, rank)).collect();
        Self { starts, entries }
    }

    /// Those of a token.
    fn of(&self, token: u32) -> &[(u32, u32)] {
        let token = token as usize;
        &self.entries[self.starts[token] as usize..self.starts[token + 1] as usize]
    }
}

/// The rank with a neighbour, or [`NONE`].
#[inline]
fn find(neighbours: &[(u32, u32)], token: u32) -> u32 {
    match neighbours.binary_search_by_key(&token, |&(neighbour, _)| neighbour) {
        Ok(index) => neighbours[index].1,
        Err(_) => NONE,
    }
}

/// The places that wait for each rank.
#[derive(Debug, Default)]
pub struct Lists {
    /// By rank: the entry filed last.
    heads: Vec<u32>,
    /// A bit for each rank, whether any place waits for it.
    waiting: Vec<u64>,
    /// A place, and the entry of the same rank filed before.
    entries: Vec<(u32, u32)>,
    sites: Vec<u32>,
}

impl Lists {
    #[inline]
    fn file(&mut self, rank: u32, place: u32) {
        if rank != NONE {
            let entry = self.entries.len() as u32;
            let head = &mut self.heads[rank as usize];
            self.entries.push((place, std::mem::replace(head, entry)));
            self.waiting[rank as usize / 64] |= 1 << (rank % 64);
        }
    }

    /// Takes the lowest rank from `word` on, with its places; `None` if there is none.
    fn take(&mut self, word: &mut usize) -> Option<u32> {
        while *self.waiting.get(*word)? == 0 {
            *word += 1;
        }
        let bits = &mut self.waiting[*word];
        let rank = *word as u32 * 64 + bits.trailing_zeros();
        *bits &= *bits - 1;
        let mut entry = std::mem::replace(&mut self.heads[rank as usize], NONE);
        self.sites.clear();
        while entry != NONE {
            let (place, next) = self.entries[entry as usize];
            self.sites.push(place);
            entry = next;
        }
        Some(rank)
    }
}

/// The ranks of the merges of a model, `None` if two of them make the same token or there are ops of
/// other kinds.
pub fn ranks_of_ops(ops: &[Op]) -> Option<Ranks> {
    let mut newest = None;
    for op in ops {
        // tokens are numbered as they are made
        if op.kind != OpKind::Merge || newest.is_some_and(|newest| op.new <= newest) {
            return None;
        }
        newest = Some(op.new);
    }
    let tokens = newest.map_or(0, |newest| newest as usize + 1).max(BYTES);
    let ranked = || (0..).zip(ops);
    let after = Neighbours::new(ranked().map(|(i, op)| (op.left, op.right, i)).collect(), tokens);
    let before = Neighbours::new(ranked().map(|(i, op)| (op.right, op.left, i)).collect(), tokens);
    let mut bytes = Vec::with_capacity(BYTES * BYTES);
    for left in 0..BYTES as u32 {
        bytes.extend((0..BYTES as u32).map(|right| find(after.of(left), right)));
    }
    Some(Ranks { ops: ops.to_vec(), bytes, after, before })
}

/// Whether a text of so many tokens is worth it.
pub fn is_ranked(tokens: usize) -> bool {
    TOKENS.contains(&tokens)
}

/// Merges the pairs of the lowest rank, left to right, then those of the next, and so on: what
/// [`crate::replay::encode_pretoken`] does. At first the tokens are single bytes, each its own number.
///
/// # Errors
/// What the progress callback returns.
pub fn encode_by_rank(
    tokens: &mut Vec<u32>,
    ranks: &Ranks,
    scratch: &mut Scratch,
    ticker: &mut Ticker<'_, '_>,
) -> Result<()> {
    let size = tokens.len() as u32;
    let Scratch { before, after, lists, .. } = scratch;
    before.clear();
    after.clear();
    lists.entries.clear();
    lists.heads.resize(lists.heads.len().max(ranks.ops.len()), NONE);
    lists.waiting.resize(lists.heads.len().div_ceil(64), 0);
    for place in 0..size {
        ticker.work(1)?;
        before.push(place.wrapping_sub(1)); // NONE at the start
        after.push(place + 1);
        if place + 1 < size {
            let (left, right) = (tokens[place as usize], tokens[place as usize + 1]);
            lists.file(ranks.bytes[left as usize * BYTES + right as usize], place);
        }
    }
    let mut word = 0;
    while let Some(rank) = lists.take(&mut word) {
        let Op { left, right, new, .. } = ranks.ops[rank as usize];
        let (rights, lefts) = (ranks.after.of(new), ranks.before.of(new));
        let mut sites = std::mem::take(&mut lists.sites);
        // All of one rank were filed by the merge that made the newer part, from left to right.
        sites.reverse();
        for &site in &sites {
            ticker.work(1)?;
            let gone = after[site as usize];
            if tokens[site as usize] != left || gone == size || tokens[gone as usize] != right {
                continue;
            }
            let (previous, following) = (before[site as usize], after[gone as usize]);
            tokens[site as usize] = new;
            tokens[gone as usize] = GONE;
            after[site as usize] = following;
            if following < size {
                before[following as usize] = site;
                lists.file(find(rights, tokens[following as usize]), site);
            }
            if previous != NONE {
                lists.file(find(lefts, tokens[previous as usize]), previous);
            }
        }
        lists.sites = sites;
    }
    tokens.retain(|&token| token != GONE);
    Ok(())
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
    fn a_token_that_is_made_twice_has_no_ranks() {
        let op = |left, right, new| Op { kind: OpKind::Merge, left, right, new, count: 1 };
        let twice = [op(97, 98, 256), op(98, 99, 257), op(97, 257, 258), op(256, 99, 258)];
        assert!(ranks_of_ops(&twice[..3]).is_some());
        assert!(ranks_of_ops(&twice).is_none());
        let delete = Op { kind: OpKind::Delete, left: 256, right: 256, new: 256, count: 0 };
        assert!(ranks_of_ops(&[twice[0], delete]).is_none());
    }
}
