//! Between which pretokens of a run some supermerge can join what stands on both sides.
//!
//! Whatever a supermerge joins, the last pretoken of its left part stands before the first one of its
//! right part. So nothing ever joins a run across a place where no supermerge has such two pretokens:
//! what stands left and right of it is encoded apart (SPEC 9.4).

use hashbrown::HashMap;

use crate::cache::{JOINS_LAST, JOINS_NEXT};
use crate::keys::Seeds;
use crate::model::{Op, OpKind};
use crate::replay::NONE;

/// A token that different supermerges make of different pretokens has several first or last ones. Where
/// these are more, or what follows from them is too much, every place is taken for a bridge.
const MOST_SEVERAL: usize = 64;
const MOST_PASSES: usize = 8;
/// The most bridges for each supermerge, those counted again that several have.
const MOST_BRIDGES: usize = 8;
/// The bits of the filter for each bridge: one in so many other places is taken for a bridge.
const BITS: usize = 16;

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
    let Some(bridges) = bridges_of_ops(ops, tokens) else {
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

/// All pairs of tokens between which some supermerge of a model can join, ascending; `None` if they are
/// too many to be worth knowing. The model has so many tokens.
pub fn bridges_of_ops(ops: &[Op], tokens: usize) -> Option<Vec<(u32, u32)>> {
    let firsts = Ends::of_tokens(ops, tokens, |op| op.left)?;
    let lasts = Ends::of_tokens(ops, tokens, |op| op.right)?;
    let supermerges = || ops.iter().filter(|op| op.kind == OpKind::Supermerge);
    let most = MOST_BRIDGES * supermerges().count();
    let mut bridges = Vec::new();
    for op in supermerges() {
        for &last in lasts.of(op.left) {
            bridges.extend(firsts.of(op.right).iter().map(|&first| (last, first)));
        }
        if bridges.len() > most {
            return None;
        }
    }
    bridges.sort_unstable();
    bridges.dedup();
    Some(bridges)
}

/// The first (or last) pretokens of which each token can be made.
struct Ends {
    /// By token: the only one; nobody's number if none is known yet.
    one: Vec<u32>,
    /// Of the tokens that have several: these, ascending.
    several: HashMap<u32, Vec<u32>>,
}

impl Ends {
    /// `None` where they are too many.
    fn of_tokens(ops: &[Op], tokens: usize, end: impl Fn(&Op) -> u32) -> Option<Self> {
        let mut ends = Self { one: (0..tokens as u32).collect(), several: HashMap::new() };
        let of_kind = |kind| ops.iter().filter(move |op| op.kind == kind);
        of_kind(OpKind::Supermerge).for_each(|op| ends.one[op.new as usize] = NONE);
        // this one can be a pretoken as well
        of_kind(OpKind::Merge).for_each(|op| ends.one[op.new as usize] = op.new);
        for _ in 0..MOST_PASSES {
            let mut changed = false;
            for op in of_kind(OpKind::Supermerge) {
                let part = end(op);
                for place in 0..ends.of(part).len() {
                    let token = ends.of(part)[place];
                    changed |= ends.add(op.new, token);
                }
                if ends.of(op.new).len() > MOST_SEVERAL {
                    return None;
                }
            }
            if !changed {
                return Some(ends);
            }
        }
        None
    }

    fn of(&self, token: u32) -> &[u32] {
        match &self.one[token as usize] {
            &NONE => self.several.get(&token).map_or(&[], Vec::as_slice),
            one => std::slice::from_ref(one),
        }
    }

    /// Whether it is a new one.
    fn add(&mut self, token: u32, end: u32) -> bool {
        let one = &mut self.one[token as usize];
        if *one == end {
            return false;
        }
        let known = match (*one, self.several.get_mut(&token)) {
            (NONE, None) => {
                *one = end;
                return true;
            }
            (_, Some(several)) => several,
            (only, None) => {
                *one = NONE;
                self.several.entry(token).insert(vec![only]).into_mut()
            }
        };
        let Err(place) = known.binary_search(&end) else { return false };
        known.insert(place, end);
        true
    }
}
