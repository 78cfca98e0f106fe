//! Distinct sequences with their counts, in one arena: no allocation per sequence. Numbers are in
//! the order of first sight, which results must not depend on: tables are sorted at the end.

use std::hash::{BuildHasher, Hash};

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::error::{Error, ErrorKind, Result};

/// The highest count; the same bound in both languages, where it fits a signed 64-bit integer.
pub(crate) const MAX_COUNT: u64 = (1 << 63) - 1;

/// How many sequences are handled between two calls of a poll function.
pub(crate) const POLL_EVERY: usize = 4096;

/// Distinct sequences of bytes (pretokens) or of numbers (runs), with counts.
#[derive(Default)]
pub(crate) struct Interner<T> {
    items: Vec<T>,
    ends: Vec<usize>,
    counts: Vec<u64>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl<T: Copy + Hash + Ord> Interner<T> {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, number: u32) -> &[T] {
        sequence(&self.items, &self.ends, number)
    }

    pub(crate) fn count(&self, number: u32) -> u64 {
        self.counts[number as usize]
    }

    /// The number of this sequence, if it is here.
    pub(crate) fn find(&self, wanted: &[T]) -> Option<u32> {
        let hash = self.hasher.hash_one(wanted);
        self.table.find(hash, |&number| self.get(number) == wanted).copied()
    }

    /// Adds `count` to the count of a sequence; returns its number.
    pub(crate) fn add(&mut self, wanted: &[T], count: u64) -> Result<u32> {
        let Self { items, ends, counts, table, hasher } = self;
        let hash = hasher.hash_one(wanted);
        if let Some(&number) = table.find(hash, |&number| sequence(items, ends, number) == wanted) {
            let old = &mut counts[number as usize];
            *old = checked_sum(*old, count)?;
            return Ok(number);
        }
        let number = u32::try_from(ends.len()).ok().filter(|&number| number < u32::MAX);
        let number = number.ok_or_else(|| {
            let reason = "more than 2^32 - 1 distinct pretokens or runs; train on less text";
            Error::new(ErrorKind::Training, reason)
        })?;
        items.extend_from_slice(wanted);
        ends.push(items.len());
        counts.push(checked_sum(0, count)?);
        table.insert_unique(hash, number, |&n| hasher.hash_one(sequence(items, ends, n)));
        Ok(number)
    }

    /// All sequences with their counts, in the order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[T], u64)> {
        (0..self.len() as u32).map(|number| (self.get(number), self.count(number)))
    }

    /// Replaces every item; the sequences must stay distinct, and none is looked up afterwards.
    pub(crate) fn replace_items(&mut self, replacement: impl Fn(T) -> T) {
        self.table.clear();
        for item in &mut self.items {
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

fn sequence<'i, T>(items: &'i [T], ends: &[usize], number: u32) -> &'i [T] {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &items[start..ends[number]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_in_buckets_is_sorting() {
        let mut interner = Interner::default();
        let mut expected: Vec<Vec<u8>> = Vec::new();
        for a in [0, 1, 255] {
            for b in [0, 7, 255] {
                for length in 0..4 {
                    let sequence = [a, b, b, a][..length].to_vec();
                    interner.add(&sequence, 2).unwrap();
                    expected.push(sequence);
                }
            }
        }
        expected.sort();
        expected.dedup();
        let bucket = |x: &[u8]| x.first().map_or(0, |&first| usize::from(first));
        let numbers = interner.sorted(bucket, &mut || Ok(())).unwrap();
        let sorted: Vec<_> = numbers.iter().map(|&n| interner.get(n).to_vec()).collect();
        assert_eq!(sorted, expected);
        assert_eq!(interner.find(&expected[1]).map(|n| interner.count(n)), Some(2 * 3));
    }

    #[test]
    fn a_count_has_a_bound() {
        let mut interner = Interner::default();
        let number = interner.add(b"a", MAX_COUNT - 1).unwrap();
        assert_eq!(interner.add(b"a", 1).unwrap(), number);
        let error = interner.add(b"a", 1).unwrap_err();
        assert_eq!(
            (error.kind, &*error.message),
            (ErrorKind::Training, "a count would pass 2^63 - 1")
        );
    }
}
