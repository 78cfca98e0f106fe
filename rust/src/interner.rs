//! Distinct sequences in one arena: no allocation per sequence. Numbers are in the order of first
//! sight, which results must not depend on: tables are sorted at the end.

use std::hash::{BuildHasher, Hash};

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::tables::sequence;

/// Distinct sequences, of bytes or of numbers; each has a number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interner<T> {
    items: Vec<T>,
    ends: Vec<usize>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl<T: Copy + Hash + Eq> Interner<T> {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, number: u32) -> &[T] {
        sequence(&self.items, &self.ends, number as usize)
    }

    /// The number of this sequence, if it is here.
    pub(crate) fn find(&self, wanted: &[T]) -> Option<u32> {
        let hash = self.hasher.hash_one(wanted);
        self.table.find(hash, |&number| self.get(number) == wanted).copied()
    }

    /// The number of this sequence, the next one if it is new. There must be less than 2^32.
    #[inline]
    pub(crate) fn add(&mut self, wanted: &[T]) -> u32 {
        let Self { items, ends, table, hasher } = self;
        let get = |number: u32| sequence(items, ends, number as usize);
        let hash = hasher.hash_one(wanted);
        if let Some(&number) = table.find(hash, |&number| get(number) == wanted) {
            return number;
        }
        let number = ends.len() as u32;
        items.extend_from_slice(wanted);
        ends.push(items.len());
        table.insert_unique(hash, number, |&n| hasher.hash_one(sequence(items, ends, n as usize)));
        number
    }
}
