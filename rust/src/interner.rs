//! Distinct sequences in one arena: no allocation per sequence. Numbers are in the order of first
//! sight, which results must not depend on: tables are sorted at the end.

use std::hash::{BuildHasher, Hash};

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::error::{Error, ErrorKind, Result};
use crate::settings::MAX_COUNT;
use crate::tables::sequence;

/// How many sequences are handled between two calls of a poll function.
pub(crate) const POLL_EVERY: usize = 4096;

/// Distinct sequences, of bytes or of numbers; each has a number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interner<T> {
    items: Vec<T>,
    ends: Vec<usize>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl<T: Copy + Hash + Eq> Interner<T> {
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

/// Distinct pretokens or runs with their counts.
#[derive(Default)]
pub(crate) struct Tally<T> {
    sequences: Interner<T>,
    counts: Vec<u64>,
}

impl<T: Copy + Hash + Ord> Tally<T> {
    pub(crate) fn len(&self) -> usize {
        self.counts.len()
    }

    pub(crate) fn get(&self, number: u32) -> &[T] {
        self.sequences.get(number)
    }

    pub(crate) fn count(&self, number: u32) -> u64 {
        self.counts[number as usize]
    }

    /// The number of this sequence, if it is here.
    pub(crate) fn find(&self, wanted: &[T]) -> Option<u32> {
        self.sequences.find(wanted)
    }

    /// Adds `count` to the count of a sequence; returns its number.
    pub(crate) fn add(&mut self, wanted: &[T], count: u64) -> Result<u32> {
        let number = self.sequences.add(wanted);
        if number == u32::MAX {
            let reason = "more than 2^32 - 1 distinct pretokens or runs; train on less text";
            return Err(Error::new(ErrorKind::Training, reason));
        }
        match self.counts.get_mut(number as usize) {
            Some(old) => *old = checked_sum(*old, count)?,
            None => self.counts.push(checked_sum(0, count)?),
        }
        Ok(number)
    }

    /// All sequences with their counts, in the order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[T], u64)> {
        (0..self.len() as u32).map(|number| (self.get(number), self.count(number)))
    }

    /// Replaces every item; the sequences must stay distinct, and none is looked up afterwards.
    pub(crate) fn replace_items(&mut self, replacement: impl Fn(T) -> T) {
        self.sequences.table.clear();
        for item in &mut self.sequences.items {
            *item = replacement(*item);
        }
    }

    /// All numbers in ascending order of their sequences. `bucket` is a small number that never
    /// falls along that order: the sort goes bucket by bucket, so that it can be polled.
    pub(crate) fn sorted(
        &self,
        bucket: impl Fn(&[T]) -> usize,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Vec<u32>> {
        let mut sizes: Vec<usize> = Vec::new();
        for (sequence, _) in self.iter() {
            let bucket = bucket(sequence);
            sizes.resize(sizes.len().max(bucket + 1), 0);
            sizes[bucket] += 1;
        }
        let mut next = 0;
        let mut places: Vec<usize> = sizes
            .iter()
            .map(|size| {
                next += size;
                next - size
            })
            .collect();
        let mut numbers = vec![0; self.len()];
        for number in 0..self.len() as u32 {
            let place = &mut places[bucket(self.get(number))];
            numbers[*place] = number;
            *place += 1;
        }
        let mut rest = numbers.as_mut_slice();
        let mut unpolled = 0;
        for size in sizes {
            let (bucket, after) = rest.split_at_mut(size);
            bucket.sort_unstable_by(|&a, &b| self.get(a).cmp(self.get(b)));
            rest = after;
            unpolled += size;
            if unpolled >= POLL_EVERY {
                poll()?;
                unpolled = 0;
            }
        }
        Ok(numbers)
    }
}

/// `a + b`, unless that is more than a count may be.
pub(crate) fn checked_sum(a: u64, b: u64) -> Result<u64> {
    a.checked_add(b)
        .filter(|&sum| sum <= MAX_COUNT)
        .ok_or_else(|| Error::new(ErrorKind::Training, "a count would pass 2^63 - 1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_in_buckets_is_sorting() {
        let mut tally = Tally::default();
        let mut expected: Vec<Vec<u8>> = Vec::new();
        for a in [0, 1, 255] {
            for b in [0, 7, 255] {
                for length in 0..4 {
                    let sequence = [a, b, b, a][..length].to_vec();
                    tally.add(&sequence, 2).unwrap();
                    expected.push(sequence);
                }
            }
        }
        expected.sort();
        expected.dedup();
        let bucket = |x: &[u8]| x.first().map_or(0, |&first| usize::from(first));
        let numbers = tally.sorted(bucket, &mut || Ok(())).unwrap();
        let sorted: Vec<_> = numbers.iter().map(|&n| tally.get(n).to_vec()).collect();
        assert_eq!(sorted, expected);
        assert_eq!(tally.find(&expected[1]).map(|n| tally.count(n)), Some(2 * 3));
    }

    #[test]
    fn a_count_has_a_bound() {
        let mut tally = Tally::default();
        let number = tally.add(b"a", MAX_COUNT - 1).unwrap();
        assert_eq!(tally.add(b"a", 1).unwrap(), number);
        let error = tally.add(b"a", 1).unwrap_err();
        assert_eq!(
            (error.kind, &*error.message),
            (ErrorKind::Training, "a count would pass 2^63 - 1")
        );
    }
}
