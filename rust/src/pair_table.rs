//! Pairs by their parts, each with its count and its places.
//!
//! No Python twin: there two dicts hold the same.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::heap;

/// No block, no pair.
pub const NONE: u32 = u32::MAX;

/// Places of a pair, ascending: a part of one long list.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub start: usize,
    pub length: u32,
    /// The block before this one.
    pub older: u32,
}

impl Block {
    pub const EMPTY: Self = Self { start: 0, length: 0, older: NONE };

    pub fn range(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.length as usize
    }
}

#[derive(Debug)]
pub struct Pair {
    pub left: u32,
    pub right: u32,
    pub count: u64,
    pub block: Block,
}

impl heap::Pair for Pair {
    fn parts(&self) -> (u32, u32) {
        (self.left, self.right)
    }

    fn count(&self) -> u64 {
        self.count
    }
}

/// The pairs have numbers in the order in which they were added. The table holds numbers alone:
/// who finds a pair needs its entry anyway.
#[derive(Default)]
pub struct PairTable {
    pub pairs: Vec<Pair>,
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl PairTable {
    /// The number of a pair, if it is here.
    pub fn find(&self, left: u32, right: u32) -> Option<u32> {
        let is_it = |&number: &u32| {
            let pair = &self.pairs[number as usize];
            (pair.left, pair.right) == (left, right)
        };
        self.numbers.find(self.hasher.hash_one(key(left, right)), is_it).copied()
    }

    /// Adds a pair that is not here, without a count; returns its number.
    pub fn add(&mut self, left: u32, right: u32) -> u32 {
        let number = self.pairs.len() as u32;
        self.pairs.push(Pair { left, right, count: 0, block: Block::EMPTY });
        self.file(number);
        number
    }

    /// Takes a loss from a pair; one that is not here has no count.
    pub fn subtract(&mut self, left: u32, right: u32, lost: u64) {
        if lost > 0
            && let Some(number) = self.find(left, right)
        {
            self.pairs[number as usize].count -= lost;
        }
    }

    /// Leaves those out that are rarer; the others get new numbers.
    pub fn leave_out_below(&mut self, floor: u64) {
        let all = self.pairs.len();
        self.pairs.retain(|pair| pair.count >= floor);
        if self.pairs.len() == all {
            return;
        }
        self.numbers.clear();
        for number in 0..self.pairs.len() as u32 {
            self.file(number);
        }
    }

    pub fn clear(&mut self) {
        self.pairs.clear();
        self.numbers.clear();
    }

    fn file(&mut self, number: u32) {
        let Self { pairs, numbers, hasher } = self;
        let hash = |&number: &u32| {
            let pair = &pairs[number as usize];
            hasher.hash_one(key(pair.left, pair.right))
        };
        numbers.insert_unique(hash(&number), number, hash);
    }
}

fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}
