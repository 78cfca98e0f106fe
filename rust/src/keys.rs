//! How a table finds a sequence: by a key of sixteen bytes, which is the sequence itself if it is
//! short, and a hash.
//!
//! No Python twin: there a dict does it.

use std::hash::{BuildHasher, RandomState};

use crate::scanner::Batch;

/// Sixteen bytes. (As one number they would be written in halves and read whole, which waits.)
pub(crate) type Words = [u64; 2];

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
    pub(crate) key: Words,
    pub(crate) hash: u64,
}

impl Key {
    /// That of no sequence.
    pub(crate) const NONE: Self = Self { key: [0; 2], hash: 0 };
}

/// What the hashes of one table start from. No text can be made whose pretokens all collide: every
/// table has seeds of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seeds([u64; 2]);

impl Seeds {
    pub(crate) fn new() -> Self {
        let state = RandomState::new();
        Self([state.hash_one(0), state.hash_one(1)])
    }

    /// How to find a sequence that is not empty.
    #[inline]
    pub(crate) fn key<T: Item>(&self, sequence: &[T]) -> Key {
        if sequence.len() <= T::SHORT_LENGTH {
            self.short_key(T::pack(sequence))
        } else {
            self.long_key(sequence)
        }
    }

    /// How to find a short sequence.
    #[inline]
    pub(crate) fn short_key(&self, packed: Words) -> Key {
        let hash = fold(packed[0] ^ self.0[0], packed[1] ^ self.0[1]);
        Key { key: packed, hash }
    }

    /// The hash of one word.
    #[inline]
    pub(crate) fn hash(&self, word: u64) -> u64 {
        fold(word ^ self.0[0], self.0[1] | 1)
    }

    /// How to find a long sequence.
    pub(crate) fn long_key<T: Item>(&self, sequence: &[T]) -> Key {
        let (mut one, mut other) = (self.0[0], self.0[1]);
        for word in T::words(sequence) {
            one = fold(one ^ word, self.0[1] | 1);
            other = fold(other.rotate_left(23) ^ word, self.0[0] | 1);
        }
        let hash = fold(one ^ sequence.len() as u64, other | 1);
        Key { key: [one, other | T::LONG], hash }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_a_text_are_those_of_its_pieces() {
        let text = "a bc def ghijklmnopqrstu\u{301}vwxyz 0123456789 !".as_bytes();
        let seeds = Seeds::new();
        for length in 1..=20 {
            let ends = (length..=text.len()).step_by(length).collect();
            let batch = Batch { start: 0, ends };
            let mut keys = Vec::new();
            seeds.keys_of(text, &batch, &mut keys);
            assert_eq!(keys.len(), text.len() / length);
            for (key, piece) in keys.iter().zip(batch.pieces(text)) {
                assert_eq!(*key, seeds.key(piece));
            }
        }
    }
}
