//! PickyBPE: what stands for a deleted token, and encoding where ops delete some (SPEC 5, 9.3).

use std::cmp::Reverse;
use std::sync::OnceLock;

use hashbrown::HashMap;

use crate::error::Result;
use crate::model::{Op, OpKind};
use crate::ranks::{Ranks, encode_by_rank, is_ranked, ranks_of_ops};
use crate::replay::{GONE, NONE, Pairs, Scratch, encode_pretoken, pairs_of_ops, push};
use crate::settings::{BlowUp, Tau};
use crate::ticker::Ticker;
use crate::vocabulary::Vocabulary;

/// What stands for each deleted token.
pub(crate) type Parts = HashMap<u32, Vec<u32>>;

/// Whether a merge of count `merged` takes at least the share `tau` of a token that stood `before`
/// times. All three are at most 2^63 - 1, so the products fit.
pub fn is_used_up(merged: u64, before: u64, tau: Tau) -> bool {
    let (part, whole) = tau.terms();
    u128::from(merged) * u128::from(whole) >= u128::from(part) * u128::from(before)
}

/// What stands for each token that some op deletes: left and right of its earliest merge, or its
/// bytes.
pub fn parts_of_ops(ops: &[Op], vocabulary: &Vocabulary, blow_up: BlowUp) -> Parts {
    let deleted = ops.iter().filter(|op| op.kind == OpKind::Delete).map(|op| op.new);
    let mut parts: Parts = deleted.map(|token| (token, Vec::new())).collect();
    for op in ops.iter().filter(|op| op.kind == OpKind::Merge) {
        if let Some(parts) = parts.get_mut(&op.new)
            && parts.is_empty()
        {
            *parts = parts_of_merge(op, vocabulary, blow_up);
        }
    }
    parts
}

/// What stands for a token when it is deleted that this merge makes first.
pub fn parts_of_merge(op: &Op, vocabulary: &Vocabulary, blow_up: BlowUp) -> Vec<u32> {
    match blow_up {
        BlowUp::Pair => vec![op.left, op.right],
        BlowUp::Bytes => {
            let token = vocabulary.token(op.new);
            token.iter().filter_map(|byte| vocabulary.number(std::slice::from_ref(byte))).collect()
        }
    }
}

/// The merges and deletes of a model, ready to be looked up.
#[derive(Clone, Debug)]
pub struct Steps {
    ops: Vec<Op>,
    /// By pair: the first op that merges it.
    merges: HashMap<(u32, u32), u32>,
    /// By token: the first op that deletes it.
    deletes: HashMap<u32, u32>,
    /// By op: the next one that merges the same pair or deletes the same token.
    again: Vec<u32>,
    /// By token: its bytes.
    lengths: Vec<u64>,
    parts: Parts,
}

/// What [`encode_with_deletions`] needs; there are fewer than 2^31 ops.
pub fn steps_of_ops(ops: &[Op], vocabulary: &Vocabulary, blow_up: BlowUp) -> Steps {
    let (mut merges, mut deletes) = (HashMap::new(), HashMap::new());
    let mut again = vec![NONE; ops.len()];
    for (index, op) in ops.iter().enumerate().rev() {
        let index = index as u32;
        let next = match op.kind {
            OpKind::Merge => merges.insert((op.left, op.right), index),
            OpKind::Delete => deletes.insert(op.new, index),
            OpKind::Supermerge => None,
        };
        again[index as usize] = next.unwrap_or(NONE);
    }
    let lengths = (0..vocabulary.len() as u32).map(|token| vocabulary.length(token)).collect();
    let parts = parts_of_ops(ops, vocabulary, blow_up);
    Steps { ops: ops.to_vec(), merges, deletes, again, lengths, parts }
}

impl Steps {
    /// The first op after `last` (`NONE`: of all) that merges the pair; `NONE` if none does.
    fn merge_after(&self, last: u32, left: u32, right: u32) -> u32 {
        self.next(self.merges.get(&(left, right)), last)
    }

    /// The first op after `last` that deletes the token; `NONE` if none does.
    fn delete_after(&self, last: u32, token: u32) -> u32 {
        self.next(self.deletes.get(&token), last)
    }

    fn next(&self, first: Option<&u32>, last: u32) -> u32 {
        let mut index = first.copied().unwrap_or(NONE);
        while last != NONE && index <= last {
            index = self.again[index as usize];
        }
        index
    }
}

/// Applies ops in their order: after each one the first of those behind it that can be applied.
/// `tokens` are single bytes; what is left may be outside the vocabulary.
///
/// A heap of (op index, place) over a doubly linked list. A token stands at the place of its first
/// byte, so there is room for its parts when it is deleted. What an op leaves waits for later ops
/// alone: so all places of one op come out of the heap together, left to right. An entry whose pair
/// or token is gone is found out when its turn comes.
///
/// # Errors
/// What the progress callback returns.
pub fn encode_with_deletions(
    tokens: &mut Vec<u32>,
    steps: &Steps,
    scratch: &mut Scratch,
    ticker: &mut Ticker<'_, '_>,
) -> Result<()> {
    let size = tokens.len() as u32;
    let Scratch { before, after, heap, .. } = scratch;
    before.clear();
    before.extend((0..size).map(|place| place.wrapping_sub(1))); // NONE at the start
    after.clear();
    after.extend(1..=size);
    heap.clear();
    for place in 1..size {
        ticker.work(1)?;
        let (left, right) = (tokens[place as usize - 1], tokens[place as usize]);
        push(heap, steps.merge_after(NONE, left, right), place - 1);
    }
    while let Some(Reverse(entry)) = heap.pop() {
        ticker.work(1)?;
        let (index, first) = ((entry >> 32) as u32, entry as u32);
        let op = &steps.ops[index as usize];
        if tokens[first as usize] != op.left {
            continue;
        }
        let mut end = after[first as usize];
        let mut last = first;
        if op.kind == OpKind::Delete {
            let (mut previous, mut place) = (before[first as usize], first);
            for &part in steps.parts.get(&op.new).into_iter().flatten() {
                tokens[place as usize] = part;
                before[place as usize] = previous;
                (previous, last) = (place, place);
                place += steps.lengths[part as usize] as u32;
                after[previous as usize] = place;
            }
        } else if end < size && tokens[end as usize] == op.right {
            tokens[first as usize] = op.new;
            tokens[end as usize] = GONE;
            end = after[end as usize];
            after[first as usize] = end;
        } else {
            continue;
        }
        if end < size {
            before[end as usize] = last;
        }
        let start = before[first as usize];
        let mut place = if start == NONE { first } else { start };
        while place < end {
            let (token, next) = (tokens[place as usize], after[place as usize]);
            if next < size {
                push(heap, steps.merge_after(index, token, tokens[next as usize]), place);
            }
            if place >= first {
                push(heap, steps.delete_after(index, token), place);
            }
            place = next;
        }
    }
    tokens.retain(|&token| token != GONE);
    Ok(())
}

/// Replaces every token that is outside the vocabulary by its parts, in turn.
pub fn expand(tokens: &mut Vec<u32>, vocabulary: &Vocabulary, parts: &Parts) {
    if !tokens.iter().any(|&token| vocabulary.is_deleted(token)) {
        return;
    }
    let mut waiting: Vec<u32> = tokens.drain(..).rev().collect();
    while let Some(token) = waiting.pop() {
        match parts.get(&token) {
            Some(parts) if vocabulary.is_deleted(token) => waiting.extend(parts.iter().rev()),
            _ => tokens.push(token),
        }
    }
}

/// The merges and deletes of a model, ready to encode pretokens.
#[derive(Clone, Debug)]
pub enum RegularOps {
    /// Without a delete the lowest op comes first, whatever came before.
    Merges(Pairs),
    /// So it does here, and what is long can be encoded rank by rank: the merges, and for the first
    /// such pretoken the ranks, if they have any.
    Ranked(Pairs, Vec<Op>, OnceLock<Option<Ranks>>),
    /// With one, ops are applied in their order.
    Steps(Steps),
}

impl RegularOps {
    /// Prepares the ops; with `bytes` each byte is its own number.
    pub fn new(ops: &[Op], vocabulary: &Vocabulary, blow_up: Option<BlowUp>, bytes: bool) -> Self {
        if ops.iter().any(|op| op.kind == OpKind::Delete) {
            let blow_up = blow_up.unwrap_or(BlowUp::Pair);
            return Self::Steps(steps_of_ops(ops, vocabulary, blow_up));
        }
        let pairs = pairs_of_ops(ops, OpKind::Merge);
        if !bytes {
            return Self::Merges(pairs);
        }
        let merges = ops.iter().filter(|op| op.kind == OpKind::Merge).copied().collect();
        Self::Ranked(pairs, merges, OnceLock::new())
    }

    /// Leaves the tokens in which a pretoken ends; at first they are those of its single bytes.
    ///
    /// # Errors
    /// What the progress callback returns.
    pub fn encode(
        &self,
        tokens: &mut Vec<u32>,
        vocabulary: &Vocabulary,
        scratch: &mut Scratch,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<()> {
        match self {
            Self::Merges(pairs) => encode_pretoken(tokens, pairs, scratch, ticker),
            Self::Ranked(pairs, merges, ranks) => {
                let is_long = is_ranked(tokens.len(), merges.len());
                match is_long.then(|| ranks.get_or_init(|| ranks_of_ops(merges)).as_ref()) {
                    Some(Some(ranks)) => encode_by_rank(tokens, ranks, scratch, ticker),
                    _ => encode_pretoken(tokens, pairs, scratch, ticker),
                }
            }
            Self::Steps(steps) => {
                encode_with_deletions(tokens, steps, scratch, ticker)?;
                expand(tokens, vocabulary, &steps.parts);
                Ok(())
            }
        }
    }

    /// Replaces what is outside the vocabulary by its parts, in turn.
    pub fn expand(&self, tokens: &mut Vec<u32>, vocabulary: &Vocabulary) {
        if let Self::Steps(steps) = self {
            expand(tokens, vocabulary, &steps.parts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::no_progress;
    use crate::settings::{Alphabet, MAX_COUNT};
    use crate::vocabulary::vocabulary_of_ops;

    #[test]
    fn a_share_is_exact() {
        let tau = Tau::new(9, 10).unwrap();
        assert!(is_used_up(9, 10, tau) && !is_used_up(9, 11, tau));
        // beyond 64 bits, and where a float could not tell
        let most = MAX_COUNT;
        let tau = Tau::new(most - 1, most).unwrap();
        assert!(is_used_up(most - 1, most, tau) && !is_used_up(most - 2, most, tau));
    }

    fn encode(ops: &[Op], tokens: &[u32], blow_up: BlowUp) -> Vec<u32> {
        let mut quiet = no_progress;
        let ticker = &mut Ticker::new(&mut quiet, "encode", 0);
        let vocabulary = vocabulary_of_ops(ops, Alphabet::Bytes, ticker).unwrap();
        let regular = RegularOps::new(ops, &vocabulary, Some(blow_up), false);
        let mut tokens = tokens.to_vec();
        regular.encode(&mut tokens, &vocabulary, &mut Scratch::default(), ticker).unwrap();
        tokens
    }

    #[test]
    fn ops_are_applied_in_their_order() {
        let merge = |left, right, new| Op { kind: OpKind::Merge, left, right, new, count: 1 };
        let delete = |new| Op { kind: OpKind::Delete, left: new, right: new, new, count: 0 };
        // b c, a b, (a b) d, delete a b, and a b once more
        let ops = [
            merge(98, 99, 256),
            merge(97, 98, 257),
            merge(257, 100, 258),
            delete(257),
            merge(97, 98, 257),
            merge(257, 257, 259),
        ];
        let text = [97, 98, 98, 99, 97, 98, 100];
        assert_eq!(encode(&ops[..4], &text, BlowUp::Pair), [97, 98, 256, 258]);
        assert_eq!(encode(&ops, &[97, 98, 97, 98, 99], BlowUp::Bytes), [257, 97, 256]);
        assert_eq!(encode(&ops, &[97, 98].repeat(1001)[..], BlowUp::Pair).len(), 501);
        // what is outside the vocabulary falls into parts in turn, and nothing is merged again
        let ops = [
            merge(97, 98, 256),
            merge(256, 98, 257),
            delete(256),
            merge(257, 99, 258),
            delete(257),
        ];
        assert_eq!(encode(&ops, &[97, 98, 98], BlowUp::Pair), [97, 98, 98]);
        assert_eq!(encode(&ops, &[97, 98, 98, 99], BlowUp::Pair), [258]);
    }
}
