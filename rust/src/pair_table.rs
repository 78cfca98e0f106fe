//! Pairs by their parts, each with its count and its places.
//!
//! No Python twin: there two dicts hold the same.

use std::hash::BuildHasher;

use hashbrown::DefaultHashBuilder;

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

    /// Puts a further block before those that this one begins; `older` has all that are not first.
    pub fn grow(&mut self, start: usize, length: u32, older: &mut Vec<Self>) {
        let mut next = self.older;
        if self.length > 0 {
            next = older.len() as u32;
            older.push(*self);
        }
        *self = Self { start, length, older: next };
    }

    /// This block and those before it.
    pub fn chain(self, older: &[Self]) -> impl Iterator<Item = Self> {
        let next = |block: &Self| older.get(block.older as usize).copied();
        std::iter::successors(Some(self), next)
    }
}

#[derive(Debug)]
pub struct Pair {
    pub left: u32,
    pub right: u32,
    pub count: u64,
    pub block: Block,
}

impl Pair {
    /// Counts one more place, before it is written down.
    #[inline]
    pub fn add_place(&mut self, weight: u64) {
        self.count += weight;
        self.block.length += 1;
    }
}

impl heap::Pair for Pair {
    fn parts(&self) -> (u32, u32) {
        (self.left, self.right)
    }

    fn count(&self) -> u64 {
        self.count
    }
}

/// So many pairs are looked up together.
pub const TOGETHER: usize = 32;
const SMALLEST: usize = 16;

/// The pairs have numbers in the order in which they were added. Where a number stands there are
/// half of the bits of the pair's hash beside it, so that to find a pair takes two reads from
/// memory, and to see that it is not here one.
pub struct PairTable {
    pub pairs: Vec<Pair>,
    /// Bits of the hash and, below them, the number plus one; 0 where there is none.
    places: Vec<u64>,
    hasher: DefaultHashBuilder,
}

impl Default for PairTable {
    fn default() -> Self {
        let (pairs, places) = (Vec::new(), vec![0; SMALLEST]);
        Self { pairs, places, hasher: DefaultHashBuilder::default() }
    }
}

impl PairTable {
    /// The number of a pair, if it is here.
    pub fn find(&self, left: u32, right: u32) -> Option<u32> {
        let hash = self.hash(left, right);
        self.find_at(hash, self.places[self.home(hash)], left, right)
    }

    /// The number of each pair, up to [`TOGETHER`], or [`NONE`]. No read waits for that of another
    /// pair.
    pub fn find_together(&self, wanted: &[(u32, u32)], numbers: &mut Vec<u32>) {
        let mut first = [(0, 0); TOGETHER];
        for (first, &(left, right)) in first.iter_mut().zip(wanted) {
            let hash = self.hash(left, right);
            *first = (hash, self.places[self.home(hash)]);
        }
        numbers.clear();
        numbers.extend(first.iter().zip(wanted).map(|(&(hash, word), &(left, right))| {
            self.find_at(hash, word, left, right).unwrap_or(NONE)
        }));
    }

    #[inline]
    fn hash(&self, left: u32, right: u32) -> u64 {
        self.hasher.hash_one(u64::from(left) << 32 | u64::from(right))
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        hash as usize & (self.places.len() - 1)
    }

    /// Finds a pair by its hash and the word in the first place where it can be.
    #[inline]
    fn find_at(&self, hash: u64, mut word: u64, left: u32, right: u32) -> Option<u32> {
        let mut place = self.home(hash);
        while word != 0 {
            if word >> 32 == hash >> 32 {
                let number = word as u32 - 1;
                let pair = &self.pairs[number as usize];
                if (pair.left, pair.right) == (left, right) {
                    return Some(number);
                }
            }
            place = (place + 1) & (self.places.len() - 1);
            word = self.places[place];
        }
        None
    }

    /// Adds a pair that is not here, without a count; returns its number.
    pub fn add(&mut self, left: u32, right: u32) -> u32 {
        let number = self.pairs.len() as u32;
        self.pairs.push(Pair { left, right, count: 0, block: Block::EMPTY });
        if self.pairs.len() > self.places.len() / 2 {
            self.file_all(2 * self.places.len());
        } else {
            self.file(number);
        }
        number
    }

    /// Adds the counts and places of another table; returns the number of each of its pairs here.
    pub fn join(&mut self, other: &Self) -> Vec<u32> {
        let join = |pair: &Pair| {
            let known = self.find(pair.left, pair.right);
            let number = known.unwrap_or_else(|| self.add(pair.left, pair.right));
            let here = &mut self.pairs[number as usize];
            here.count += pair.count;
            here.block.length += pair.block.length;
            number
        };
        other.pairs.iter().map(join).collect()
    }

    /// Takes losses from pairs, up to [`TOGETHER`]; one that is not here has no count.
    pub fn subtract(&mut self, pairs: &[(u32, u32)], lost: &[u64], numbers: &mut Vec<u32>) {
        self.find_together(pairs, numbers);
        for (&number, lost) in numbers.iter().zip(lost) {
            if number != NONE {
                self.pairs[number as usize].count -= lost;
            }
        }
    }

    /// Leaves those out that are rarer; the others get new numbers, also in `noted`, where
    /// [`NONE`] stands for those that are left out.
    pub fn leave_out_below(&mut self, floor: u64, noted: &mut [u32]) {
        let mut next = 0;
        let renumber = |pair: &Pair| {
            let kept = pair.count >= floor;
            next += u32::from(kept);
            if kept { next - 1 } else { NONE }
        };
        let new: Vec<u32> = self.pairs.iter().map(renumber).collect();
        if next as usize == self.pairs.len() {
            return;
        }
        for number in noted.iter_mut().filter(|number| **number != NONE) {
            *number = new[*number as usize];
        }
        self.pairs.retain(|pair| pair.count >= floor);
        self.file_all((2 * self.pairs.len()).next_power_of_two().max(SMALLEST));
    }

    pub fn clear(&mut self) {
        self.pairs.clear();
        self.file_all(SMALLEST);
    }

    /// Files all pairs in so many places, a power of two, at least twice as many.
    fn file_all(&mut self, places: usize) {
        self.places = vec![0; places];
        (0..self.pairs.len() as u32).for_each(|number| self.file(number));
    }

    fn file(&mut self, number: u32) {
        let pair = &self.pairs[number as usize];
        let hash = self.hash(pair.left, pair.right);
        let mut place = self.home(hash);
        while self.places[place] != 0 {
            place = (place + 1) & (self.places.len() - 1);
        }
        self.places[place] = hash >> 32 << 32 | u64::from(number + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_found_and_others_are_not() {
        let mut table = PairTable::default();
        let pair = |number: u32| (number % 37, number / 37);
        for number in 0..3000 {
            let (left, right) = pair(number);
            assert_eq!(table.find(left, right), None);
            assert_eq!(table.add(left, right), number);
            table.pairs[number as usize].count = 1 + u64::from(number % 5);
        }
        let mut numbers = Vec::new();
        let mut check = |table: &PairTable, expected: &dyn Fn(u32) -> Option<u32>| {
            let all: Vec<u32> = (0..6000).collect();
            for some in all.chunks(TOGETHER - 1) {
                let wanted: Vec<_> = some.iter().map(|&number| pair(number)).collect();
                table.find_together(&wanted, &mut numbers);
                for ((&number, &found), &(left, right)) in some.iter().zip(&numbers).zip(&wanted) {
                    assert_eq!(found, expected(number).unwrap_or(NONE));
                    assert_eq!(table.find(left, right), expected(number));
                }
                assert_eq!(numbers.len(), some.len());
            }
        };
        check(&table, &|number| (number < 3000).then_some(number));
        let wanted = [pair(3), pair(4000), pair(7)];
        table.subtract(&wanted, &[1, 9, 2], &mut Vec::new());
        assert_eq!([3, 4, 7].map(|number: usize| table.pairs[number].count), [3, 5, 1]);
        let mut other = PairTable::default();
        let added = [pair(8), pair(4000)].map(|(left, right)| other.add(left, right));
        assert_eq!(added, [0, 1]);
        other.pairs[0].count = 6;
        assert_eq!(table.join(&other), [8, 3000]);
        assert_eq!((table.pairs[8].count, table.pairs[3000].count), (10, 0));
        let mut noted = [0, 4, NONE, 8, 9, 3000];
        table.leave_out_below(5, &mut noted);
        // a fifth of the pairs has a count of 5, and one has more
        assert_eq!(noted, [NONE, 0, NONE, 1, 2, NONE]);
        check(&table, &|number| match number {
            8 => Some(1),
            4 => Some(0),
            0..3000 if number % 5 == 4 => Some(number / 5 + 1),
            _ => None,
        });
        table.clear();
        check(&table, &|_| None);
    }
}
