//! Distinct sequences and their counts, in one flat table that is made for the memory it waits for.
//!
//! An entry is half a cache line and holds a short sequence itself (15 bytes, four numbers), so a
//! look-up touches one line; a longer sequence is found by a hash and then compared. Numbers are in
//! the order of first sight, which results must not depend on.
//!
//! No Python twin: there it is a `Counter`.

use std::hint::{black_box, select_unpredictable};

use crate::error::{Error, ErrorKind, Result};
use crate::keys::{Item, Key, Seeds, Words};
use crate::settings::MAX_COUNT;
use crate::tables::{Table, sequence};

/// Numbers are below this, and so are the numbers that sequences are made of.
pub(crate) const MAX_DISTINCT: u32 = (1 << 31) - 1;
/// In the place of a number or a place: there is none.
pub(crate) const NO_NUMBER: u32 = u32::MAX;
/// In the place of a long sequence's number: the sequence is short.
const SHORT: u32 = MAX_DISTINCT;
/// The bit beside it: the sequence is marked.
const MARK: u32 = 1 << 31;
const NO_KEY: Words = [0; 2];
const SMALLEST: usize = 16;
const MERGED_TOGETHER: usize = 256;

#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct Entry {
    /// `NO_KEY` where there is no entry.
    key: Words,
    count: u64,
    number: u32,
    /// The place among the long sequences, or `SHORT`; and the mark.
    long: u32,
}

/// Distinct sequences, each with a number, a count and a mark.
pub(crate) struct Tally<T> {
    entries: Vec<Entry>,
    len: u32,
    long_items: Vec<T>,
    long_ends: Vec<usize>,
    /// How its keys are made.
    pub(crate) seeds: Seeds,
}

impl<T> Default for Tally<T> {
    fn default() -> Self {
        Self {
            entries: vec![Entry::default(); SMALLEST],
            len: 0,
            long_items: Vec::new(),
            long_ends: Vec::new(),
            seeds: Seeds::new(),
        }
    }
}

impl<T: Item> Tally<T> {
    /// How many distinct sequences there are.
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    /// Adds counts to sequences, none of them empty, that have these keys; a new one gets the mark
    /// that `mark` tells. Returns in `numbers` those of the marked ones, and [`NO_NUMBER`] for
    /// each that is not marked.
    #[inline]
    pub(crate) fn add_all<'s>(
        &mut self,
        keys: &[Key],
        sequences: impl Iterator<Item = (&'s [T], u64)>,
        mut mark: impl FnMut(&[T]) -> Result<bool>,
        numbers: &mut Vec<u32>,
    ) -> Result<()>
    where
        T: 's,
    {
        self.reserve(keys, numbers);
        for ((number, key), (sequence, count)) in numbers.iter_mut().zip(keys).zip(sequences) {
            let (found, marked) = match self.entries.get_mut(*number as usize) {
                Some(entry) => {
                    entry.count = checked_sum(entry.count, count)?;
                    (entry.number, entry.long & MARK != 0)
                }
                None => self.add_key(key, sequence, count, &mut mark)?,
            };
            *number = select_unpredictable(marked, found, NO_NUMBER);
        }
        Ok(())
    }

    /// Makes room for those of the keys that may be new. Returns in `places` where the entry is of
    /// each sequence that is short and found at once, and [`NO_NUMBER`] for any other.
    ///
    /// First one word of each entry is read, and none of these reads waits for another one: when
    /// that is done, the entries are in the cache, and adding the keys does not move them. No
    /// branch depends on what is read, for one that is foreseen wrongly would make all later reads
    /// wait.
    #[inline]
    fn reserve(&mut self, keys: &[Key], places: &mut Vec<u32>) {
        loop {
            let (entries, mask) = (&self.entries[..], self.entries.len() - 1);
            let word = |key: &Key| entries[key.hash as usize & mask].key[0];
            black_box(keys.iter().fold(0, |all, key| all ^ word(key)));
            let mut known = 0;
            places.clear();
            places.extend(keys.iter().map(|key| {
                let place = key.hash as usize & mask;
                let found = entries[place].key;
                let differs = (found[0] ^ key.key[0]) | (found[1] ^ key.key[1]);
                let long = u64::from(key.key[1] & T::LONG == T::LONG);
                let is_it = differs | long == 0;
                known += u32::from(is_it);
                select_unpredictable(is_it, place as u32, NO_NUMBER)
            }));
            if self.len() + keys.len() - known as usize <= self.entries.len() / 4 * 3 {
                return;
            }
            self.grow();
        }
    }

    /// The number and the mark of this sequence, if it is here.
    #[inline]
    pub(crate) fn find_key(&self, key: &Key, wanted: &[T]) -> Option<(u32, bool)> {
        let entry = &self.entries[self.place(key, wanted)];
        (entry.key != NO_KEY).then_some((entry.number, entry.long & MARK != 0))
    }

    /// The number of this sequence, if it is here.
    pub(crate) fn find(&self, wanted: &[T]) -> Option<u32> {
        self.find_key(&self.seeds.key(wanted), wanted).map(|(number, _)| number)
    }

    /// Adds `count` to the count of a sequence that is not empty; returns its number.
    pub(crate) fn add(&mut self, wanted: &[T], count: u64) -> Result<u32> {
        self.add_key(&self.seeds.key(wanted), wanted, count, |_| Ok(false))
            .map(|(number, _)| number)
    }

    /// As [`Self::add`] for the sequence's `key`; a new sequence gets the mark that `mark` tells.
    /// Returns number and mark.
    #[inline]
    pub(crate) fn add_key(
        &mut self,
        key: &Key,
        wanted: &[T],
        count: u64,
        mark: impl FnOnce(&[T]) -> Result<bool>,
    ) -> Result<(u32, bool)> {
        let place = self.place(key, wanted);
        let entry = &mut self.entries[place];
        if entry.key == NO_KEY {
            let count = checked_sum(0, count)?;
            return self.insert(place, key.key, wanted, count, mark(wanted)?);
        }
        entry.count = checked_sum(entry.count, count)?;
        Ok((entry.number, entry.long & MARK != 0))
    }

    /// Where the sequence stands, or the free place where it would.
    #[inline]
    fn place(&self, key: &Key, wanted: &[T]) -> usize {
        let mask = self.entries.len() - 1;
        let mut place = key.hash as usize & mask;
        loop {
            let entry = &self.entries[place];
            if entry.key == NO_KEY
                || entry.key == key.key
                    && (wanted.len() <= T::SHORT_LENGTH || self.long(entry) == wanted)
            {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    fn long(&self, entry: &Entry) -> &[T] {
        sequence(&self.long_items, &self.long_ends, (entry.long & !MARK) as usize)
    }

    #[cold]
    fn insert(
        &mut self,
        place: usize,
        key: Words,
        wanted: &[T],
        count: u64,
        mark: bool,
    ) -> Result<(u32, bool)> {
        if self.len == MAX_DISTINCT {
            let reason = "more than 2^31 - 1 distinct pretokens or runs; train on less text";
            return Err(Error::new(ErrorKind::Training, reason));
        }
        let mut long = SHORT;
        if wanted.len() > T::SHORT_LENGTH {
            long = self.long_ends.len() as u32;
            self.long_items.extend_from_slice(wanted);
            self.long_ends.push(self.long_items.len());
        }
        long |= if mark { MARK } else { 0 };
        self.entries[place] = Entry { key, count, number: self.len, long };
        self.len += 1;
        if self.len() > self.entries.len() / 4 * 3 {
            self.grow();
        }
        Ok((self.len - 1, mark))
    }

    fn grow(&mut self) {
        let mut entries = vec![Entry::default(); 2 * self.entries.len()];
        let mask = entries.len() - 1;
        for entry in self.entries.iter().filter(|entry| entry.key != NO_KEY) {
            let key = if (entry.long & !MARK) == SHORT {
                self.seeds.short_key(entry.key)
            } else {
                self.seeds.long_key(self.long(entry))
            };
            let mut place = key.hash as usize & mask;
            while entries[place].key != NO_KEY {
                place = (place + 1) & mask;
            }
            entries[place] = *entry;
        }
        self.entries = entries;
    }

    /// Adds all counts of a table; `mark` as for [`Self::add_key`], and may `poll`. Returns the number
    /// of each of its sequences.
    pub(crate) fn merge(
        &mut self,
        table: &Table<T>,
        mark: impl Fn(&[T], &mut dyn FnMut() -> Result<()>) -> Result<bool>,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Vec<u32>> {
        let mut numbers = Vec::with_capacity(table.len());
        let (mut keys, mut places) = (Vec::new(), Vec::new());
        for start in (0..table.len()).step_by(MERGED_TOGETHER) {
            let indices = start..table.len().min(start + MERGED_TOGETHER);
            keys.clear();
            keys.extend(indices.clone().map(|index| self.seeds.key(table.get(index))));
            self.reserve(&keys, &mut places);
            for (index, key) in indices.zip(&keys) {
                let (sequence, count) = (table.get(index), table.counts[index]);
                let mark = |sequence: &[T]| mark(sequence, poll);
                numbers.push(self.add_key(key, sequence, count, mark)?.0);
            }
            poll()?;
        }
        Ok(numbers)
    }

    /// The counts of several tables together, none of them marked.
    pub(crate) fn joined(
        parts: impl IntoIterator<Item = Self>,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Self> {
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or_default();
        for part in parts {
            all.merge(&part.into_table(), |_, _| Ok(false), poll)?;
        }
        Ok(all)
    }

    /// All sequences with their counts, in the order of their numbers.
    pub(crate) fn into_table(self) -> Table<T> {
        let mut places = vec![0; self.len()];
        for (place, entry) in self.entries.iter().enumerate() {
            if entry.key != NO_KEY {
                places[entry.number as usize] = place;
            }
        }
        let mut table = Table { items: Vec::new(), ends: Vec::new(), counts: Vec::new() };
        for place in places {
            let entry = &self.entries[place];
            if (entry.long & !MARK) == SHORT {
                T::unpack(entry.key, &mut table.items);
            } else {
                table.items.extend_from_slice(self.long(entry));
            }
            table.ends.push(table.items.len());
            table.counts.push(entry.count);
        }
        table
    }
}

/// `a + b`, unless that is more than a count may be.
#[inline]
pub(crate) fn checked_sum(a: u64, b: u64) -> Result<u64> {
    a.checked_add(b)
        .filter(|&sum| sum <= MAX_COUNT)
        .ok_or_else(|| Error::new(ErrorKind::Training, "a count would pass 2^63 - 1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sequences of every length up to 40 over two items: many that share a start or an end.
    fn sequences<T: Item>(items: [T; 2]) -> Vec<Vec<T>> {
        let mut all = Vec::new();
        for length in 1..40_usize {
            for pattern in 0..50_usize {
                all.push((0..length).map(|i| items[((pattern * 7) >> (i % 9)) & 1]).collect());
            }
        }
        all
    }

    fn check<T: Item + std::fmt::Debug>(items: [T; 2]) {
        let mut expected: Vec<(Vec<T>, u64)> = Vec::new();
        let mut tally = Tally::default();
        for (i, sequence) in sequences(items).into_iter().enumerate() {
            let count = i as u64 + 1;
            let number = tally.add(&sequence, count).unwrap() as usize;
            match expected.get_mut(number) {
                Some(entry) => {
                    assert_eq!(entry.0, sequence);
                    entry.1 += count;
                }
                None => expected.push((sequence, count)),
            }
        }
        assert!(expected.len() > 500);
        for (number, (sequence, _)) in expected.iter().enumerate() {
            assert_eq!(tally.find(sequence), Some(number as u32));
        }
        assert_eq!(tally.find(&[items[0]; 41]), None);
        let table = tally.into_table();
        let found: Vec<_> = table.iter().map(|(x, count)| (x.to_vec(), count)).collect();
        assert_eq!(found, expected);
        let mut merged = Tally::default();
        merged.add(&expected[7].0, 5).unwrap();
        let numbers = merged.merge(&table, |_, _| Ok(false), &mut || Ok(())).unwrap();
        assert_eq!((numbers[7], merged.len()), (0, expected.len()));
        assert_eq!(merged.into_table().counts[0], expected[7].1 + 5);
    }

    #[test]
    fn short_and_long_sequences_are_kept_apart() {
        check([0_u8, 255]);
        check([0_u32, MAX_DISTINCT - 1]);
    }

    #[test]
    fn long_sequences_of_one_hash_are_compared() {
        let mut tally = Tally::default();
        let (one, other) = ([1_u8; 20], [2_u8; 20]);
        // as if both had the hash of the first
        let key = tally.seeds.key(&one);
        assert_eq!(tally.add_key(&key, &one, 1, |_| Ok(true)).unwrap(), (0, true));
        assert_eq!(tally.add_key(&key, &other, 1, |_| Ok(false)).unwrap(), (1, false));
        assert_eq!(tally.find_key(&key, &one), Some((0, true)));
        assert_eq!(tally.find_key(&key, &other), Some((1, false)));
        assert_eq!(tally.find_key(&key, &[3; 20]), None);
        let (mut numbers, sequences) = (Vec::new(), [(&other[..], 1), (&one[..], 1)]);
        tally.add_all(&[key; 2], sequences.into_iter(), |_| Ok(false), &mut numbers).unwrap();
        assert_eq!(numbers, [NO_NUMBER, 0]);
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
