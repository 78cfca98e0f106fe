//! Distinct sequences and their counts, in one flat table that is made for the memory it waits for.
//!
//! An entry is half a cache line and holds a short sequence itself (15 bytes, four numbers), so a
//! look-up touches one line; a longer sequence is found by a hash and then compared. Numbers are in
//! the order of first sight, which results must not depend on.
//!
//! No Python twin: there it is a `Counter`.

use std::hash::{BuildHasher, RandomState};
use std::hint::{black_box, select_unpredictable};

use crate::error::{Error, ErrorKind, Result};
use crate::scanner::Batch;
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

/// Sixteen bytes. (As one number they would be written in halves and read whole, which waits.)
type Words = [u64; 2];

/// What sequences are made of.
pub(crate) trait Item: Copy + Ord {
    /// The bits of the second word in which the key of a long sequence differs from that of any
    /// short one.
    const LONG: u64;
    /// The most items of a short sequence.
    const SHORT_LENGTH: usize;

    /// A short sequence as its own key, never 0.
    fn pack(sequence: &[Self]) -> Words;
    /// Appends the items of such a key.
    fn unpack(key: Words, items: &mut Vec<Self>);
    /// All of a sequence but its length, in words.
    fn words(sequence: &[Self]) -> impl Iterator<Item = u64>;
}

/// Fifteen bytes, the first one lowest, and the length above them.
impl Item for u8 {
    const LONG: u64 = 0xFF << 56;
    const SHORT_LENGTH: usize = 15;

    #[inline]
    fn pack(sequence: &[u8]) -> Words {
        let mut bytes = [0; 16];
        bytes[..sequence.len()].copy_from_slice(sequence);
        bytes[15] = sequence.len() as u8;
        words_of(&bytes)
    }

    fn unpack(key: Words, items: &mut Vec<u8>) {
        let bytes = key.map(u64::to_le_bytes);
        items.extend_from_slice(&bytes.as_flattened()[..usize::from(bytes[1][7])]);
    }

    #[inline]
    fn words(sequence: &[u8]) -> impl Iterator<Item = u64> {
        let (eights, rest) = sequence.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        eights.iter().copied().chain([last]).map(u64::from_le_bytes)
    }
}

/// Four numbers, each plus one, the first one lowest; 0 where there is none.
impl Item for u32 {
    const LONG: u64 = 0xFFFF_FFFF << 32;
    const SHORT_LENGTH: usize = 4;

    #[inline]
    fn pack(sequence: &[u32]) -> Words {
        let lane = |index| sequence.get(index).map_or(0, |&number: &u32| u64::from(number) + 1);
        [lane(0) | lane(1) << 32, lane(2) | lane(3) << 32]
    }

    fn unpack(key: Words, items: &mut Vec<u32>) {
        let lanes = key.into_iter().flat_map(|word| [word as u32, (word >> 32) as u32]);
        items.extend(lanes.take_while(|&lane| lane != 0).map(|lane| lane - 1));
    }

    #[inline]
    fn words(sequence: &[u32]) -> impl Iterator<Item = u64> {
        let word =
            |pair: &[u32]| u64::from(pair[0]) << 32 | u64::from(pair.get(1).map_or(0, |x| x + 1));
        sequence.chunks(2).map(word)
    }
}

/// How a table finds a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    key: Words,
    hash: u64,
}

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
    seeds: [u64; 2],
}

impl<T> Default for Tally<T> {
    fn default() -> Self {
        // Seeds of its own for every table: no text can be made whose pretokens all collide.
        let state = RandomState::new();
        Self {
            entries: vec![Entry::default(); SMALLEST],
            len: 0,
            long_items: Vec::new(),
            long_ends: Vec::new(),
            seeds: [state.hash_one(0), state.hash_one(1)],
        }
    }
}

impl<T: Item> Tally<T> {
    /// How many distinct sequences there are.
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    /// How to find a sequence that is not empty.
    #[inline]
    pub(crate) fn key(&self, sequence: &[T]) -> Key {
        if sequence.len() <= T::SHORT_LENGTH {
            self.short_key(T::pack(sequence))
        } else {
            self.long_key(sequence)
        }
    }

    /// How to find a short sequence.
    #[inline]
    pub(crate) fn short_key(&self, packed: Words) -> Key {
        let hash = fold(packed[0] ^ self.seeds[0], packed[1] ^ self.seeds[1]);
        Key { key: packed, hash }
    }

    fn long_key(&self, sequence: &[T]) -> Key {
        let (mut one, mut other) = (self.seeds[0], self.seeds[1]);
        for word in T::words(sequence) {
            one = fold(one ^ word, self.seeds[1] | 1);
            other = fold(other.rotate_left(23) ^ word, self.seeds[0] | 1);
        }
        let hash = fold(one ^ sequence.len() as u64, other | 1);
        Key { key: [one, other | T::LONG], hash }
    }

    /// Adds counts to sequences, none of them empty, that have these keys; a new one gets the mark
    /// that `mark` tells. Returns in `numbers` those of the marked ones, and [`NO_NUMBER`] for
    /// each that is not marked.
    #[inline]
    pub(crate) fn add_all<'s>(
        &mut self,
        keys: &[Key],
        sequences: impl Iterator<Item = (&'s [T], u64)>,
        mark: impl Fn(&[T]) -> bool,
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
                None => self.add_key(key, sequence, count, &mark)?,
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
        self.find_key(&self.key(wanted), wanted).map(|(number, _)| number)
    }

    /// Adds `count` to the count of a sequence that is not empty; returns its number.
    pub(crate) fn add(&mut self, wanted: &[T], count: u64) -> Result<u32> {
        self.add_key(&self.key(wanted), wanted, count, |_| false).map(|(number, _)| number)
    }

    /// As [`Self::add`] for the sequence's `key`; a new sequence gets the mark that `mark` tells.
    /// Returns number and mark.
    #[inline]
    pub(crate) fn add_key(
        &mut self,
        key: &Key,
        wanted: &[T],
        count: u64,
        mark: impl FnOnce(&[T]) -> bool,
    ) -> Result<(u32, bool)> {
        let place = self.place(key, wanted);
        let entry = &mut self.entries[place];
        if entry.key == NO_KEY {
            let count = checked_sum(0, count)?;
            return self.insert(place, key.key, wanted, count, mark(wanted));
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
                self.short_key(entry.key)
            } else {
                self.long_key(self.long(entry))
            };
            let mut place = key.hash as usize & mask;
            while entries[place].key != NO_KEY {
                place = (place + 1) & mask;
            }
            entries[place] = *entry;
        }
        self.entries = entries;
    }

    /// Adds all counts of a table; `mark` as for [`Self::add_key`]. Returns the number of each of
    /// its sequences.
    pub(crate) fn merge(
        &mut self,
        table: &Table<T>,
        mark: impl Fn(&[T]) -> bool,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Vec<u32>> {
        let mut numbers = Vec::with_capacity(table.len());
        let (mut keys, mut places) = (Vec::new(), Vec::new());
        for start in (0..table.len()).step_by(MERGED_TOGETHER) {
            let indices = start..table.len().min(start + MERGED_TOGETHER);
            keys.clear();
            keys.extend(indices.clone().map(|index| self.key(table.get(index))));
            self.reserve(&keys, &mut places);
            for (index, key) in indices.zip(&keys) {
                let (sequence, count) = (table.get(index), table.counts[index]);
                numbers.push(self.add_key(key, sequence, count, &mark)?.0);
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
            all.merge(&part.into_table(), |_| false, poll)?;
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

impl Tally<u8> {
    /// The keys of pieces of a text.
    #[inline]
    pub(crate) fn keys_of(&self, text: &[u8], batch: &Batch, keys: &mut Vec<Key>) {
        keys.clear();
        keys.extend(batch.spans().map(|(start, end)| {
            let length = end - start;
            match (text[start..].first_chunk::<16>(), OF_LENGTH.get(length)) {
                // all sixteen bytes at once, and those behind the piece away
                (Some(chunk), Some(&[first, second, length])) => {
                    let words = words_of(chunk);
                    self.short_key([words[0] & first, words[1] & second | length])
                }
                _ => self.key(&text[start..end]),
            }
        }));
    }
}

/// For each length of a short piece the bytes that it has in both words, and the length as in a
/// key.
static OF_LENGTH: [[u64; 3]; 16] = {
    let mut of_length = [[0; 3]; 16];
    let mut length = 1;
    while length < of_length.len() {
        let bytes = u128::MAX >> (128 - 8 * length);
        of_length[length] = [bytes as u64, (bytes >> 64) as u64, (length as u64) << 56];
        length += 1;
    }
    of_length
};

#[inline]
fn words_of(bytes: &[u8; 16]) -> Words {
    let whole = u128::from_le_bytes(*bytes);
    [whole as u64, (whole >> 64) as u64]
}

/// A number by which to notice that bytes are not the same as before; the same in every process.
pub(crate) fn fingerprint(bytes: &[u8]) -> u64 {
    let mix = |sum, word| fold(sum ^ word, 0x9E37_79B9_7F4A_7C15);
    u8::words(bytes).fold(bytes.len() as u64, mix)
}

/// Multiplies to 128 bits and folds them: every bit of both numbers reaches every bit.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a).wrapping_mul(u128::from(b));
    product as u64 ^ (product >> 64) as u64
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
        let numbers = merged.merge(&table, |_| false, &mut || Ok(())).unwrap();
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
        let key = tally.key(&one);
        assert_eq!(tally.add_key(&key, &one, 1, |_| true).unwrap(), (0, true));
        assert_eq!(tally.add_key(&key, &other, 1, |_| false).unwrap(), (1, false));
        assert_eq!(tally.find_key(&key, &one), Some((0, true)));
        assert_eq!(tally.find_key(&key, &other), Some((1, false)));
        assert_eq!(tally.find_key(&key, &[3; 20]), None);
        let (mut numbers, sequences) = (Vec::new(), [(&other[..], 1), (&one[..], 1)]);
        tally.add_all(&[key; 2], sequences.into_iter(), |_| false, &mut numbers).unwrap();
        assert_eq!(numbers, [NO_NUMBER, 0]);
    }

    #[test]
    fn keys_of_a_text_are_those_of_its_pieces() {
        let text = "a bc def ghijklmnopqrstu\u{301}vwxyz 0123456789 !".as_bytes();
        let tally = Tally::default();
        for length in 1..=20 {
            let ends = (length..=text.len()).step_by(length).collect();
            let batch = Batch { start: 0, ends };
            let mut keys = Vec::new();
            tally.keys_of(text, &batch, &mut keys);
            assert_eq!(keys.len(), text.len() / length);
            for (key, piece) in keys.iter().zip(batch.pieces(text)) {
                assert_eq!(*key, tally.key(piece));
            }
        }
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
