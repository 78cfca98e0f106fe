//! From runs of pretokens to candidates for supermerges (SPEC section 6).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use crate::arena::MAX_COUNT;
use crate::error::{Error, ErrorKind, Result};
use crate::model::Op;
use crate::pretokenize::is_eligible_text;
use crate::settings::Settings;
use crate::tables::{PretokenCounts, SequenceCounts};
use crate::tokens::tokens_of_ops;

/// In the place of a token: the pretoken is not eligible.
pub const NOT_ELIGIBLE: u32 = u32::MAX;
const NONE: u32 = u32::MAX;

/// For every pretoken the one token it becomes, or [`NOT_ELIGIBLE`].
///
/// Eligible: the text has a letter, and the ops of phase 1 reduce it to one token.
pub fn single_token_pretokens(
    ops: &[Op],
    pretokens: &PretokenCounts,
    settings: &Settings,
) -> Vec<u32> {
    let tokens = tokens_of_ops(ops, settings.alphabet);
    let mut ranks = HashMap::new();
    for (rank, op) in ops.iter().enumerate() {
        ranks.entry((op.left, op.right)).or_insert(rank as u32);
    }
    let mut scratch = Scratch::default();
    let mut single = |(pretoken, _): (&[u8], u64)| {
        // To be in the vocabulary is necessary; that it is sufficient is a theorem which fails as
        // soon as tokens can be deleted, so what remains is encoded.
        let number = tokens.number(pretoken)?;
        if !is_eligible_text(std::str::from_utf8(pretoken).ok()?) {
            return None;
        }
        scratch.token.clear();
        for byte in pretoken {
            scratch.token.push(tokens.number(std::slice::from_ref(byte))?);
        }
        reduce_pretoken(&mut scratch, ops, &ranks).filter(|&token| token == number)
    };
    pretokens.iter().map(|entry| single(entry).unwrap_or(NOT_ELIGIBLE)).collect()
}

/// A pretoken as linked tokens, and the pairs in it that some op merges: one for all pretokens.
#[derive(Default)]
struct Scratch {
    token: Vec<u32>,
    left: Vec<u32>,
    right: Vec<u32>,
    heap: BinaryHeap<Reverse<(u32, u32)>>,
}

/// Applies the ops to `scratch.token`, always the earliest one that applies; returns the token if
/// one remains. `ranks` gives for a pair the index of its first op.
fn reduce_pretoken(
    scratch: &mut Scratch,
    ops: &[Op],
    ranks: &HashMap<(u32, u32), u32>,
) -> Option<u32> {
    let Scratch { token, left, right, heap } = scratch;
    let length = token.len() as u32;
    left.clear();
    left.extend((0..length).map(|slot| slot.wrapping_sub(1)));
    right.clear();
    right.extend((0..length).map(|slot| if slot + 1 < length { slot + 1 } else { NONE }));
    heap.clear();
    for (slot, pair) in token.windows(2).enumerate() {
        heap.extend(ranks.get(&(pair[0], pair[1])).map(|&rank| Reverse((rank, slot as u32))));
    }
    let mut remaining = length;
    while let Some(Reverse((rank, slot))) = heap.pop() {
        let op = ops[rank as usize];
        let after = right[slot as usize];
        let here = token[slot as usize];
        if here != op.left || after == NONE || token[after as usize] != op.right {
            continue; // one of the two has been merged since
        }
        (token[slot as usize], token[after as usize]) = (op.new, NONE);
        remaining -= 1;
        let after = right[after as usize];
        right[slot as usize] = after;
        if after != NONE {
            left[after as usize] = slot;
            let rank = ranks.get(&(op.new, token[after as usize]));
            heap.extend(rank.map(|&rank| Reverse((rank, slot))));
        }
        let before = left[slot as usize];
        if before != NONE {
            let rank = ranks.get(&(token[before as usize], op.new));
            heap.extend(rank.map(|&rank| Reverse((rank, before))));
        }
    }
    if remaining == 1 { Some(token[0]) } else { None }
}

/// Cuts runs at what is not eligible; returns the pieces of two or more tokens with their counts.
///
/// `single` comes from [`single_token_pretokens`]. The pieces are distinct and ascend by their
/// creation numbers.
///
/// # Errors
/// [`ErrorKind::Training`] if a count would pass 2^63 - 1.
pub fn split_runs(runs: &SequenceCounts, single: &[u32]) -> Result<SequenceCounts> {
    let mut pieces = Pieces::default();
    for (run, count) in runs.iter() {
        for &pretoken in run {
            match single[pretoken as usize] {
                NOT_ELIGIBLE => pieces.close(count)?,
                token => pieces.table.items.push(token),
            }
        }
        pieces.close(count)?;
    }
    let table = pieces.table;
    let mut order: Vec<usize> = (0..table.len()).collect();
    order.sort_unstable_by_key(|&i| table.get(i));
    let mut sorted = SequenceCounts::default();
    for i in order {
        sorted.push(table.get(i), table.counts[i]);
    }
    Ok(sorted)
}

/// Distinct pieces in the order in which they were seen first.
#[derive(Default)]
struct Pieces {
    /// The items behind the last end are the piece that is open.
    table: SequenceCounts,
    index: HashTable<usize>,
    hasher: DefaultHashBuilder,
}

impl Pieces {
    /// Counts the open piece, unless it is too short to hold a pair.
    fn close(&mut self, count: u64) -> Result<()> {
        let Self { table, index, hasher } = self;
        let start = table.ends.last().copied().unwrap_or(0);
        let piece = &table.items[start..];
        if piece.len() < 2 {
            table.items.truncate(start);
            return Ok(());
        }
        let hash = hasher.hash_one(piece);
        if let Some(&known) = index.find(hash, |&i| table.get(i) == piece) {
            table.items.truncate(start);
            table.counts[known] = add(table.counts[known], count)?;
            return Ok(());
        }
        table.ends.push(table.items.len());
        table.counts.push(add(0, count)?);
        index.insert_unique(hash, table.len() - 1, |&i| hasher.hash_one(table.get(i)));
        Ok(())
    }
}

fn add(sum: u64, count: u64) -> Result<u64> {
    sum.checked_add(count)
        .filter(|&sum| sum <= MAX_COUNT)
        .ok_or_else(|| Error::new(ErrorKind::Training, "a count would pass 2^63 - 1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::OpKind;
    use crate::settings::{Algorithm, Alphabet, IdOrder, Rules, Scheme};

    fn settings(alphabet: Alphabet) -> Settings {
        Settings {
            algorithm: Algorithm::Boundless,
            vocab_size: 400,
            regular_vocab_size: 400,
            supermerges: 0,
            scheme: Scheme::Gpt4oUniscript,
            rules: Rules::Superword,
            min_count: 1,
            max_token_bytes: None,
            max_superword_pretokens: None,
            special_tokens: vec![],
            alphabet,
            id_order: IdOrder::RegularFirst,
        }
    }

    fn single(ops: &[(u32, u32, u32)], pretokens: &[&[u8]], alphabet: Alphabet) -> Vec<u32> {
        let op = |&(left, right, new)| Op { kind: OpKind::Merge, left, right, new, count: 1 };
        let ops: Vec<Op> = ops.iter().map(op).collect();
        let mut table = PretokenCounts::default();
        for pretoken in pretokens {
            table.push(pretoken, 1);
        }
        single_token_pretokens(&ops, &table, &settings(alphabet))
    }

    #[test]
    fn eligible_is_a_letter_and_one_token() {
        let ops = [(97, 98, 256), (99, 100, 257), (256, 257, 258), (33, 33, 259)];
        let pretokens: [&[u8]; 7] = [b"ab", b"abc", b"abcd", b"a", b"7", b"!!", b"\xc3"];
        let expected = [256, NOT_ELIGIBLE, 258, 97, NOT_ELIGIBLE, NOT_ELIGIBLE, NOT_ELIGIBLE];
        assert_eq!(single(&ops, &pretokens, Alphabet::Bytes), expected);
        assert_eq!(single(&[(0xC1, 0xA9, 243)], &["é".as_bytes()], Alphabet::Utf8), [243]);
    }

    #[test]
    fn what_the_ops_do_not_reduce_is_not_eligible() {
        // "abc" is a token, but the op (a, b) comes first: what deletions will make common
        let ops = [(97, 98, 256), (98, 99, 257), (97, 257, 258)];
        assert_eq!(single(&ops, &[b"abc"], Alphabet::Bytes), [NOT_ELIGIBLE]);
    }

    #[test]
    fn a_long_pretoken_is_not_quadratic() {
        let mut ops = vec![(97, 97, 256)];
        ops.extend((256..272).map(|number| (number, number, number + 1)));
        assert_eq!(single(&ops, &[&[b'a'; 1 << 17]], Alphabet::Bytes), [272]);
    }

    #[test]
    fn runs_are_cut_and_pieces_aggregated() {
        let single = [97, 98, 256, NOT_ELIGIBLE];
        let mut runs = SequenceCounts::default();
        let entries: [(&[u32], u64); 5] = [
            (&[1, 0], 1),
            (&[0, 3, 1, 2, 3, 1, 2], 2),
            (&[1, 0, 3], 3),
            (&[3, 3], 7),
            (&[0, 1, 2], 1),
        ];
        for (run, count) in entries {
            runs.push(run, count);
        }
        let pieces = split_runs(&runs, &single).unwrap();
        let found: Vec<_> = pieces.iter().collect();
        let expected: [(&[u32], u64); 3] = [(&[97, 98, 256], 1), (&[98, 97], 4), (&[98, 256], 4)];
        assert_eq!(found, expected);
        runs.push(&[0, 1], MAX_COUNT);
        assert!(split_runs(&runs, &single).is_ok());
        runs.push(&[3, 0, 1], 1);
        let error = split_runs(&runs, &single).unwrap_err();
        assert_eq!(error, Error::new(ErrorKind::Training, "a count would pass 2^63 - 1"));
    }
}
