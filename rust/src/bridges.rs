//! Between which pretokens of a run some supermerge can join what stands on both sides.
//!
//! Whatever a supermerge joins, the last pretoken of its left part stands before the first one of its
//! right part. So nothing ever joins a run across a place where no supermerge has such two pretokens:
//! what stands left and right of it is encoded apart (SPEC 9.4).

use hashbrown::{HashMap, HashSet};

use crate::cache::{JOINS_LAST, JOINS_NEXT};
use crate::keys::Seeds;
use crate::model::{Op, OpKind};

/// A token that different supermerges make of different pretokens has several first or last ones. Where
/// these are more, or what follows from them is too much, every place is taken for a bridge.
const MOST_SEVERAL: usize = 64;
const MOST_PASSES: usize = 8;
/// The most bridges for each supermerge.
const MOST_BRIDGES: usize = 8;
/// The bits of the filter for each bridge: one in so many other places is taken for a bridge.
const BITS: usize = 32;

/// Tells bridges, and a few places that are none.
#[derive(Clone, Debug)]
pub struct Bridges {
    seeds: Seeds,
    bits: Vec<u64>,
    /// By token: on which sides it may be joined.
    joins: Vec<u32>,
}

impl Bridges {
    /// Whether a supermerge may join what ends with one token and what starts with the other.
    #[inline]
    pub fn join(&self, left: u32, right: u32) -> bool {
        let (word, bit) = self.place(left, right);
        self.bits[word] >> bit & 1 == 1
    }

    /// On which sides of a token, of those of a model, supermerges may join it.
    pub fn joins(&self, token: u32) -> u32 {
        self.joins[token as usize]
    }

    #[inline]
    fn place(&self, left: u32, right: u32) -> (usize, u64) {
        let hash = self.seeds.hash(u64::from(left) << 32 | u64::from(right));
        ((hash >> 6) as usize & (self.bits.len() - 1), hash & 63)
    }
}

/// The filter for the supermerges of a model that has so many tokens.
pub fn filter_of_ops(ops: &[Op], tokens: usize) -> Bridges {
    let mut filter = Bridges { seeds: Seeds::new(), bits: vec![u64::MAX], joins: vec![0; tokens] };
    let Some(bridges) = bridges_of_ops(ops) else {
        for op in ops.iter().filter(|op| op.kind == OpKind::Supermerge) {
            filter.joins[op.left as usize] = JOINS_NEXT | JOINS_LAST;
            filter.joins[op.right as usize] = JOINS_NEXT | JOINS_LAST;
        }
        return filter;
    };
    filter.bits = vec![0; (bridges.len() * BITS / 64 + 1).next_power_of_two()];
    for (left, right) in bridges {
        let (word, bit) = filter.place(left, right);
        filter.bits[word] |= 1 << bit;
        filter.joins[left as usize] |= JOINS_NEXT;
        filter.joins[right as usize] |= JOINS_LAST;
    }
    filter
}

/// All pairs of tokens between which some supermerge of a model can join; `None` if they are too many
/// to be worth knowing.
pub fn bridges_of_ops(ops: &[Op]) -> Option<HashSet<(u32, u32)>> {
    let supermerges: Vec<_> = ops.iter().filter(|op| op.kind == OpKind::Supermerge).collect();
    let firsts = ends_of_tokens(ops, |op| op.left)?;
    let lasts = ends_of_tokens(ops, |op| op.right)?;
    let most = MOST_BRIDGES * supermerges.len();
    let mut bridges = HashSet::new();
    for op in supermerges {
        for &last in of_token(&lasts, &op.left) {
            for &first in of_token(&firsts, &op.right) {
                bridges.insert((last, first));
            }
        }
        if bridges.len() > most {
            return None;
        }
    }
    Some(bridges)
}

/// The first (or last) pretokens of which each token of supermerges can be made, ascending; not those
/// that are always one pretoken.
fn ends_of_tokens(ops: &[Op], end: impl Fn(&Op) -> u32) -> Option<HashMap<u32, Vec<u32>>> {
    let mut ends: HashMap<u32, Vec<u32>> = HashMap::new();
    for op in ops.iter().filter(|op| op.kind == OpKind::Supermerge) {
        ends.insert(op.new, Vec::new());
    }
    for op in ops.iter().filter(|op| op.kind == OpKind::Merge) {
        // this one can be a pretoken as well
        if let Some(ends) = ends.get_mut(&op.new) {
            *ends = vec![op.new];
        }
    }
    for _ in 0..MOST_PASSES {
        let mut changed = false;
        for op in ops.iter().filter(|op| op.kind == OpKind::Supermerge) {
            let part = end(op);
            let found = of_token(&ends, &part).to_vec();
            let known = ends.entry(op.new).or_default();
            for token in found {
                if let Err(place) = known.binary_search(&token) {
                    known.insert(place, token);
                    changed = true;
                }
            }
            if known.len() > MOST_SEVERAL {
                return None;
            }
        }
        if !changed {
            return Some(ends);
        }
    }
    None
}

/// What is known of a token, or the token itself.
fn of_token<'e>(ends: &'e HashMap<u32, Vec<u32>>, token: &'e u32) -> &'e [u32] {
    ends.get(token).map_or(std::slice::from_ref(token), Vec::as_slice)
}
