//! Ops applied to a sequence of tokens, in the order of the ops (SPEC 9, steps 3 and 4).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::error::Result;
use crate::keys::Seeds;
use crate::model::{Op, OpKind};
use crate::ranks::Lists;
use crate::ticker::Ticker;

/// Sequences up to this length are scanned for their lowest pair, longer ones keep a heap.
const SCAN_TOKENS: usize = 32;
/// The index of no op.
pub const NONE: u32 = u32::MAX;
/// What stands where a merge took the right part away.
pub const GONE: u32 = u32::MAX;

/// For each pair that some op merges: the index of the first such op, and what it makes. A table of
/// our own, at most half full: one line of memory for most look-ups; and one of pairs of single bytes,
/// which every sequence of bytes begins with.
#[derive(Clone, Debug)]
pub struct Pairs {
    seeds: Seeds,
    /// (pair, index, new); where there is no pair stands [`NO_PAIR`].
    slots: Vec<(u64, u32, u32)>,
    /// By left and right, both below `bytes`: (index, new).
    of_bytes: Vec<(u32, u32)>,
    bytes: u32,
}

/// Numbers of single bytes are below this.
const BYTES: u32 = 256;
/// No op merges a token of the highest number with itself.
const NO_PAIR: u64 = u64::MAX;

impl Pairs {
    /// The index of the op that merges the pair (`NONE` if there is none), and what it makes.
    #[inline]
    pub fn get(&self, left: u32, right: u32) -> (u32, u32) {
        if left < self.bytes && right < self.bytes {
            return self.of_bytes[(left * self.bytes + right) as usize];
        }
        let (_, index, new) = self.slots[self.slot(key(left, right))];
        (index, new)
    }

    /// Where a pair stands, or the free place where it would.
    #[inline]
    fn slot(&self, pair: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.seeds.hash(pair) as usize & mask;
        while self.slots[slot].0 != pair && self.slots[slot].0 != NO_PAIR {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// The pairs that the ops of one kind merge; there are fewer than 2^31 ops.
pub fn pairs_of_ops(ops: &[Op], kind: OpKind) -> Pairs {
    let count = ops.iter().filter(|op| op.kind == kind).count();
    let slots = vec![(NO_PAIR, NONE, GONE); (2 * count + 1).next_power_of_two()];
    let bytes = if kind == OpKind::Merge { BYTES } else { 0 };
    let of_bytes = vec![(NONE, GONE); (bytes * bytes) as usize];
    let mut pairs = Pairs { seeds: Seeds::new(), slots, of_bytes, bytes };
    for (index, op) in ops.iter().enumerate().filter(|(_, op)| op.kind == kind) {
        if op.left < bytes && op.right < bytes {
            let place = &mut pairs.of_bytes[(op.left * bytes + op.right) as usize];
            if place.0 == NONE {
                *place = (index as u32, op.new);
            }
            continue;
        }
        let pair = key(op.left, op.right);
        let slot = pairs.slot(pair);
        if pairs.slots[slot].0 == NO_PAIR {
            pairs.slots[slot] = (pair, index as u32, op.new);
        }
    }
    pairs
}

/// Again and again merges the adjacent pair with the lowest op index, leftmost first.
///
/// # Errors
/// What the progress callback returns.
pub fn encode_pretoken(
    tokens: &mut Vec<u32>,
    merges: &Pairs,
    scratch: &mut Scratch,
    ticker: &mut Ticker<'_, '_>,
) -> Result<()> {
    replay(tokens, merges, false, SCAN_TOKENS, scratch, ticker)
}

/// Again and again merges the adjacent pair with the lowest index, at all its places.
///
/// # Errors
/// What the progress callback returns.
pub fn encode_run(
    tokens: &mut Vec<u32>,
    supermerges: &Pairs,
    scratch: &mut Scratch,
    ticker: &mut Ticker<'_, '_>,
) -> Result<()> {
    replay(tokens, supermerges, true, SCAN_TOKENS, scratch, ticker)
}

/// (op index, place), the lowest first.
pub type Heap = BinaryHeap<Reverse<u64>>;

/// Working memory, kept from one sequence to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    found: Vec<(u32, u32)>,
    pub before: Vec<u32>,
    pub after: Vec<u32>,
    pub heap: Heap,
    places: Vec<u32>,
    pub lists: Lists,
}

fn replay(
    tokens: &mut Vec<u32>,
    pairs: &Pairs,
    all_places: bool,
    scan_tokens: usize,
    scratch: &mut Scratch,
    ticker: &mut Ticker<'_, '_>,
) -> Result<()> {
    ticker.work(1)?;
    if tokens.len() <= scan_tokens {
        replay_by_scan(tokens, pairs, all_places, &mut scratch.found);
        Ok(())
    } else {
        replay_by_heap(tokens, pairs, all_places, scratch, ticker)
    }
}

fn replay_by_scan(
    tokens: &mut Vec<u32>,
    pairs: &Pairs,
    all_places: bool,
    found: &mut Vec<(u32, u32)>,
) {
    found.clear();
    found.extend(tokens.windows(2).map(|pair| pairs.get(pair[0], pair[1])));
    while let Some(lowest) = found.iter().map(|&(index, _)| index).min()
        && lowest != NONE
    {
        let mut place = 0;
        while place < found.len() {
            if found[place].0 == lowest {
                tokens[place] = found[place].1;
                tokens.remove(place + 1);
                found.remove(place);
                if place < found.len() {
                    found[place] = pairs.get(tokens[place], tokens[place + 1]);
                }
                if place > 0 {
                    found[place - 1] = pairs.get(tokens[place - 1], tokens[place]);
                }
                if !all_places {
                    break;
                }
            }
            place += 1;
        }
    }
}

/// A heap of (op index, place of the left part) over a doubly linked list; a merge keeps the left
/// place and empties the right one. Entries are not removed when their pair goes: they are looked
/// up again when their turn comes.
fn replay_by_heap(
    tokens: &mut Vec<u32>,
    pairs: &Pairs,
    all_places: bool,
    scratch: &mut Scratch,
    ticker: &mut Ticker<'_, '_>,
) -> Result<()> {
    let size = tokens.len() as u32;
    let Scratch { before, after, heap, places, .. } = scratch;
    before.clear();
    after.clear();
    let mut entries = std::mem::take(heap).into_vec();
    entries.clear();
    for place in 0..size {
        ticker.work(1)?;
        before.push(place.wrapping_sub(1)); // NONE at the start
        after.push(place + 1);
        if place + 1 < size {
            let (index, _) = pairs.get(tokens[place as usize], tokens[place as usize + 1]);
            if index != NONE {
                entries.push(Reverse(key(index, place)));
            }
        }
    }
    *heap = BinaryHeap::from(entries);
    while let Some(Reverse(entry)) = heap.pop() {
        let index = (entry >> 32) as u32;
        places.clear();
        places.push(entry as u32);
        // What merges make on the way can have a lower index, which must wait for the last place.
        // It never has this index: a merge's result is longer than either of its parts.
        while all_places
            && let Some(&Reverse(entry)) = heap.peek()
            && (entry >> 32) as u32 == index
        {
            heap.pop();
            places.push(entry as u32);
        }
        for &left in &*places {
            ticker.work(1)?;
            let right = after[left as usize];
            if tokens[left as usize] == GONE || right == size {
                continue;
            }
            let (found, new) = pairs.get(tokens[left as usize], tokens[right as usize]);
            if found != index {
                continue;
            }
            tokens[left as usize] = new;
            tokens[right as usize] = GONE;
            let next = after[right as usize];
            after[left as usize] = next;
            if next < size {
                before[next as usize] = left;
                push(heap, pairs.get(new, tokens[next as usize]).0, left);
            }
            let previous = before[left as usize];
            if previous != NONE {
                push(heap, pairs.get(tokens[previous as usize], new).0, previous);
            }
        }
    }
    tokens.retain(|&token| token != GONE);
    Ok(())
}

/// Files a place under an op, unless that is [`NONE`].
pub fn push(heap: &mut Heap, index: u32, place: u32) {
    if index != NONE {
        heap.push(Reverse(key(index, place)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Progress, no_progress};
    use crate::settings::Alphabet;
    use crate::vocabulary::Vocabulary;

    fn run(tokens: &[u32], pairs: &Pairs, all_places: bool, scan_tokens: usize) -> Vec<u32> {
        let mut tokens = tokens.to_vec();
        let progress: &mut Progress<'_> = &mut no_progress;
        let mut ticker = Ticker::new(progress, "encode", 0);
        let mut scratch = Scratch::default();
        replay(&mut tokens, pairs, all_places, scan_tokens, &mut scratch, &mut ticker).unwrap();
        tokens
    }

    /// A generator of our own: the crate knows no randomness, its tests need little.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % bound
        }
    }

    #[test]
    fn scan_equals_heap_on_any_ops() {
        let mut numbers = Numbers(7);
        for _ in 0..3000 {
            let mut vocabulary = Vocabulary::new(Alphabet::Bytes);
            let mut ops = Vec::new();
            for _ in 0..numbers.below(12) {
                let mut pick = || match numbers.below(vocabulary.len() - 254) {
                    n if n < 2 => 97 + n as u32,
                    n => 254 + n as u32,
                };
                let (left, right) = (pick(), pick());
                let new = vocabulary.make(left, right);
                ops.push(Op { kind: OpKind::Merge, left, right, new, count: 1 });
            }
            let pairs = pairs_of_ops(&ops, OpKind::Merge);
            let tokens: Vec<u32> =
                (0..numbers.below(20)).map(|_| 97 + numbers.below(2) as u32).collect();
            for all_places in [false, true] {
                assert_eq!(
                    run(&tokens, &pairs, all_places, usize::MAX),
                    run(&tokens, &pairs, all_places, 0),
                    "{ops:?} {tokens:?}"
                );
            }
        }
    }

    #[test]
    fn all_places_come_before_a_lower_index() {
        // 4 = bytes of (0, 1), made first; (4, 0) has a lower index than (0, 1).
        let op = |left, right, new| Op { kind: OpKind::Supermerge, left, right, new, count: 1 };
        let pairs = pairs_of_ops(&[op(4, 0, 5), op(0, 1, 4)], OpKind::Supermerge);
        for scan_tokens in [0, 32] {
            assert_eq!(run(&[0, 1, 0, 1], &pairs, true, scan_tokens), [4, 4]);
            assert_eq!(run(&[0, 1, 0, 1], &pairs, false, scan_tokens), [5, 1]);
        }
    }

    #[test]
    fn a_million_equal_tokens() {
        let op = |left, right, new| Op { kind: OpKind::Merge, left, right, new, count: 1 };
        let pairs = pairs_of_ops(&[op(97, 97, 256), op(256, 256, 257)], OpKind::Merge);
        let tokens = run(&vec![97; 1_000_003], &pairs, false, SCAN_TOKENS);
        assert_eq!(tokens.len(), 250_002);
        assert_eq!(tokens[249_999..], [257, 256, 97]);
    }
}
