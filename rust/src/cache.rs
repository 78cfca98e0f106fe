//! What sequences became when they were encoded, to be found again: pretokens their ids, and runs of
//! pretokens theirs.
//!
//! A cache knows a bounded number of sequences of bounded length; results never depend on what it
//! knows. An entry is half a cache line and holds a short sequence and up to three ids itself, so
//! most look-ups touch one line.
//!
//! No Python twin: there a dict does it.

use std::hint::black_box;

use crate::keys::{Item, Key, Seeds, Words};

/// Longer sequences are not remembered.
pub(crate) const LONGEST: usize = 128;
/// The most places of a table: 16 MB.
const MOST_PLACES: usize = 1 << 19;
/// The most items of long sequences, and the most ids that do not fit into entries.
const MOST_ITEMS: usize = 1 << 21;
/// So many sequences may be added between two calls of `make_room`.
pub(crate) const BATCH: usize = 128;
const FEWEST_PLACES: usize = 256;
const NO_KEY: Words = [0; 2];

/// What a sequence becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Value {
    /// The ids, if there are at most three. Otherwise where they start among those of the cache, and
    /// how many there are.
    pub(crate) ids: [u32; 3],
    /// How many ids stand here, none if they stand elsewhere; and the bits below.
    how: u32,
}

/// The bits of `Value::how` that tell the number of ids.
const COUNT: u32 = 3;
/// The bits that tell that supermerges may join the token, whose number is then the second of the ids,
/// of which there is one, with what stands behind it, or before it.
pub(crate) const JOINS_NEXT: u32 = 4;
pub(crate) const JOINS_LAST: u32 = 8;
/// From here on the bits are, in an entry, one more than the place of a long sequence.
const LONG: u32 = 16;

impl Value {
    /// The one id of a token, with how supermerges may join it.
    pub(crate) fn part(id: u32, token: u32, joins: u32) -> Self {
        Self { ids: [id, token, 0], how: 1 | joins }
    }

    /// Ids that stand elsewhere.
    pub(crate) fn elsewhere(start: usize, count: usize) -> Self {
        Self { ids: [start as u32, count as u32, 0], how: 0 }
    }

    /// How many of the ids stand here; 0: they stand elsewhere.
    #[inline]
    pub(crate) fn here(&self) -> usize {
        (self.how & COUNT) as usize
    }

    /// Whether supermerges may join it with one behind it, as a bit.
    #[inline]
    pub(crate) fn joins_next(&self) -> u64 {
        u64::from(self.how & JOINS_NEXT != 0)
    }

    /// Whether supermerges may join it with one before it, as a bit.
    #[inline]
    pub(crate) fn joins_last(&self) -> u64 {
        u64::from(self.how & JOINS_LAST != 0)
    }

    /// The token that supermerges may join with others, if it is one.
    #[inline]
    pub(crate) fn token(&self) -> Option<u32> {
        (self.how & (JOINS_NEXT | JOINS_LAST) != 0).then_some(self.ids[1])
    }

    /// Where ids that stand elsewhere start and end.
    pub(crate) fn span(&self) -> std::ops::Range<usize> {
        let start = self.ids[0] as usize;
        start..start + self.ids[1] as usize
    }
}

#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Entry {
    /// `NO_KEY` where there is no entry.
    key: Words,
    value: Value,
}

/// See the head of the module.
#[derive(Debug)]
pub(crate) struct Cache<T> {
    entries: Vec<Entry>,
    len: usize,
    long_items: Vec<T>,
    long_ends: Vec<usize>,
    /// Ids that do not fit into entries.
    pub(crate) ids: Vec<u32>,
    /// How its keys are made.
    pub(crate) seeds: Seeds,
    most_places: usize,
}

impl<T: Item> Default for Cache<T> {
    fn default() -> Self {
        Self::with_places(MOST_PLACES)
    }
}

impl<T: Item> Cache<T> {
    fn with_places(most_places: usize) -> Self {
        Self {
            entries: vec![Entry::default(); FEWEST_PLACES],
            len: 0,
            long_items: Vec::new(),
            long_ends: Vec::new(),
            ids: Vec::new(),
            seeds: Seeds::new(),
            most_places,
        }
    }

    /// Makes room for a batch: grows while it may, then forgets everything.
    #[inline]
    pub(crate) fn make_room(&mut self) {
        let places = self.entries.len();
        let items = self.long_items.len().max(self.ids.len());
        if self.len + BATCH > places / 4 * 3 || items > MOST_ITEMS {
            self.make_more_room(places < self.most_places && items <= MOST_ITEMS);
        }
    }

    #[cold]
    fn make_more_room(&mut self, grow: bool) {
        if !grow {
            let places = self.entries.len();
            *self = Self {
                entries: vec![Entry::default(); places],
                ..Self::with_places(self.most_places)
            };
            return;
        }
        let places = 2 * self.entries.len();
        let old = std::mem::replace(&mut self.entries, vec![Entry::default(); places]);
        for entry in old.iter().filter(|entry| entry.key != NO_KEY) {
            let key = match self.long(entry) {
                None => self.seeds.short_key(entry.key),
                Some(long) => self.seeds.long_key(long),
            };
            let mut place = key.hash as usize & (places - 1);
            while self.entries[place].key != NO_KEY {
                place = (place + 1) & (places - 1);
            }
            self.entries[place] = *entry;
        }
    }

    /// Reads where all keys would stand, before the first one is looked up: none of these reads waits
    /// for another one.
    #[inline]
    pub(crate) fn warm(&self, keys: &[Key]) {
        let (entries, mask) = (&self.entries[..], self.entries.len() - 1);
        let word = |key: &Key| entries[key.hash as usize & mask].key[0];
        black_box(keys.iter().fold(0, |all, key| all ^ word(key)));
    }

    /// What a sequence became that is short and stands where it should.
    #[inline]
    pub(crate) fn find_at_once(&self, key: &Key) -> Option<Value> {
        let entry = &self.entries[key.hash as usize & (self.entries.len() - 1)];
        let differs = (entry.key[0] ^ key.key[0]) | (entry.key[1] ^ key.key[1]);
        (differs == 0 && key.key[1] & T::LONG != T::LONG).then_some(entry.value)
    }

    /// What a sequence became, if that is known.
    #[inline]
    pub(crate) fn find(&self, key: &Key, wanted: &[T]) -> Option<Value> {
        let entry = &self.entries[self.place(key, wanted)];
        (entry.key != NO_KEY).then_some(entry.value)
    }

    /// Where the sequence stands, or the free place where it would.
    #[inline]
    fn place(&self, key: &Key, wanted: &[T]) -> usize {
        let mask = self.entries.len() - 1;
        let mut place = key.hash as usize & mask;
        loop {
            let entry = &self.entries[place];
            if entry.key == key.key
                && (wanted.len() <= T::SHORT_LENGTH || self.long(entry) == Some(wanted))
                || entry.key == NO_KEY
            {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    fn long(&self, entry: &Entry) -> Option<&[T]> {
        let index = (entry.value.how / LONG).checked_sub(1)?;
        Some(crate::tables::sequence(&self.long_items, &self.long_ends, index as usize))
    }

    /// Remembers what a sequence became that is not known and at most [`LONGEST`] long.
    pub(crate) fn insert(&mut self, key: &Key, sequence: &[T], value: Value) {
        let place = self.place(key, sequence);
        let mut entry = Entry { key: key.key, value };
        if sequence.len() > T::SHORT_LENGTH {
            self.long_items.extend_from_slice(sequence);
            self.long_ends.push(self.long_items.len());
            entry.value.how += LONG * self.long_ends.len() as u32;
        }
        self.entries[place] = entry;
        self.len += 1;
    }

    /// The value of some ids, which are kept if they do not fit into it.
    pub(crate) fn value(&mut self, ids: &[u32]) -> Value {
        if (1..=3).contains(&ids.len()) {
            let mut here = [0; 3];
            here[..ids.len()].copy_from_slice(ids);
            return Value { ids: here, how: ids.len() as u32 };
        }
        let start = self.ids.len();
        self.ids.extend_from_slice(ids);
        Value::elsewhere(start, ids.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pretokens(count: usize) -> Vec<Vec<u8>> {
        (0..count)
            .map(|n| {
                "x".repeat(n % 40)
                    .into_bytes()
                    .into_iter()
                    .chain(n.to_string().into_bytes())
                    .collect()
            })
            .collect()
    }

    #[test]
    fn what_was_added_is_found_until_all_is_forgotten() {
        let mut cache = Cache::with_places(1024);
        let mut forgotten = 0;
        for (number, pretoken) in pretokens(5000).iter().enumerate() {
            if number % BATCH == 0 {
                let before = cache.len;
                cache.make_room();
                forgotten += usize::from(cache.len < before);
            }
            let key = cache.seeds.key(pretoken);
            assert_eq!(cache.find(&key, pretoken), None);
            let ids: Vec<u32> = (0..number as u32 % 6).collect();
            let value = cache.value(&ids);
            cache.insert(&key, pretoken, value);
            let found = cache.find(&key, pretoken).unwrap();
            let known = match found.here() {
                0 => cache.ids[found.span()].to_vec(),
                here => found.ids[..here].to_vec(),
            };
            assert_eq!(known, ids);
            assert!(cache.entries.len() <= 1024 && cache.len <= 768);
        }
        assert!(forgotten > 3);
    }

    #[test]
    fn what_is_kept_moves_when_the_table_grows() {
        let mut cache = Cache::default();
        let pretokens = pretokens(3000);
        for pretoken in &pretokens {
            cache.make_room();
            let value = cache.value(&[pretoken.len() as u32]);
            cache.insert(&cache.seeds.key(pretoken), pretoken, value);
        }
        for pretoken in &pretokens {
            let found = cache.find(&cache.seeds.key(pretoken), pretoken).unwrap();
            assert_eq!((found.here(), found.ids[0]), (1, pretoken.len() as u32));
        }
    }

    #[test]
    fn long_sequences_of_one_hash_are_compared() {
        let mut cache = Cache::default();
        let (one, other) = ([1_u8; 20], [2_u8; 20]);
        let key = cache.seeds.key(&one);
        let value = cache.value(&[7]);
        cache.insert(&key, &one, value);
        assert_eq!(cache.find(&key, &other), None);
        let value = cache.value(&[8, 9]);
        cache.insert(&key, &other, value);
        assert_eq!(cache.find(&key, &one).unwrap().ids[0], 7);
        assert_eq!(cache.find(&key, &other).unwrap().ids[..2], [8, 9]);
    }

    #[test]
    fn many_ids_are_bounded_too() {
        let mut cache = Cache::default();
        let ids = vec![5; MOST_ITEMS + 1];
        let value = cache.value(&ids);
        cache.insert(&cache.seeds.key(b"a"), b"a", value);
        cache.make_room();
        assert_eq!((cache.len, cache.ids.capacity()), (0, 0));
    }
}
