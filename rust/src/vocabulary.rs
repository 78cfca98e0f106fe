//! Creation numbers, the bytes they stand for, and the order of the final ids (SPEC 5.1, 10).

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::error::{Error, ErrorKind, Result};
use crate::model::{Op, OpKind};
use crate::settings::{Alphabet, IdOrder};

/// Ids in all, special tokens included (SPEC 1).
pub const MAX_IDS: usize = (1 << 31) - 1;
/// Ops of one model.
pub const MAX_OPS: usize = (1 << 31) - 1;

/// The byte strings of a list of ops: one byte string, one creation number. One arena holds them.
///
/// ```
/// use superword::{settings::Alphabet, vocabulary::Vocabulary};
/// let mut vocabulary = Vocabulary::new(Alphabet::Bytes, u64::MAX, u64::MAX);
/// assert_eq!(vocabulary.make(97, 98)?, 256);
/// assert_eq!(vocabulary.token(256), b"ab");
/// # Ok::<(), superword::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Vocabulary {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
    max_token_bytes: u64,
    max_total_bytes: u64,
    total_bytes: u64,
}

impl Vocabulary {
    /// Starts with the alphabet.
    pub fn new(alphabet: Alphabet, max_token_bytes: u64, max_total_bytes: u64) -> Self {
        let mut vocabulary = Self {
            bytes: Vec::new(),
            ends: Vec::new(),
            numbers: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            max_token_bytes,
            max_total_bytes,
            total_bytes: 0,
        };
        for byte in alphabet.tokens() {
            vocabulary.bytes.push(byte);
            vocabulary.add_last();
        }
        vocabulary
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none (there always is one).
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes of a token that exists.
    pub fn token(&self, number: u32) -> &[u8] {
        token(&self.bytes, &self.ends, number)
    }

    /// The creation number of these bytes.
    pub fn number(&self, bytes: &[u8]) -> Option<u32> {
        let same = |&number: &u32| self.token(number) == bytes;
        self.numbers.find(self.hasher.hash_one(bytes), same).copied()
    }

    /// The creation number of what an op makes of two tokens, a new one if its bytes are new.
    ///
    /// # Errors
    /// [`ErrorKind::Model`] if a part does not exist, or a limit is passed.
    pub fn make(&mut self, left: u32, right: u32) -> Result<u32> {
        let error = |text| Err(Error::new(ErrorKind::Model, text));
        for (name, token) in [("left", left), ("right", right)] {
            if token as usize >= self.len() {
                let size = self.len();
                return error(format!(
                    "the {name} token does not exist yet: there are {size} tokens"
                ));
            }
        }
        let length = (self.token(left).len() + self.token(right).len()) as u64;
        if length > self.max_token_bytes {
            return error(format!(
                "the token would have {length} bytes, more than max_token_bytes = {}",
                self.max_token_bytes
            ));
        }
        // What is made again counts too: its bytes are built and compared, so this bounds the work.
        self.total_bytes = self.total_bytes.saturating_add(length);
        if self.total_bytes > self.max_total_bytes {
            return error(format!(
                "the ops up to here make tokens of {} bytes in all, more than max_total_bytes = {}",
                self.total_bytes, self.max_total_bytes
            ));
        }
        for part in [left, right] {
            let end = self.ends[part as usize];
            self.bytes.extend_from_within(end - self.token(part).len()..end);
        }
        Ok(self.add_last())
    }

    /// Makes the bytes after the last token a token, or takes them away if there is one with them.
    fn add_last(&mut self) -> u32 {
        let Self { bytes, ends, numbers, hasher, .. } = self;
        let start = ends.last().copied().unwrap_or(0);
        let last = &bytes[start..];
        let hash = hasher.hash_one(last);
        if let Some(&number) = numbers.find(hash, |&number| token(bytes, ends, number) == last) {
            bytes.truncate(start);
            return number;
        }
        let number = ends.len() as u32;
        ends.push(bytes.len());
        numbers.insert_unique(hash, number, |&other| hasher.hash_one(token(bytes, ends, other)));
        number
    }
}

fn token<'a>(bytes: &'a [u8], ends: &[usize], number: u32) -> &'a [u8] {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &bytes[start..ends[number]]
}

/// The creation numbers in the order of the final ids. With [`IdOrder::RegularFirst`] the
/// alphabet, then what regular merges make by its last making by one, then what only supermerges
/// make by its last making; with [`IdOrder::Creation`] by number.
pub fn final_order(ops: &[Op], size: usize, id_order: IdOrder) -> Vec<u32> {
    const ALPHABET: u8 = 0;
    const REGULAR: u8 = 1;
    const ONLY_SUPER: u8 = 2;
    let mut order: Vec<u32> = (0..size as u32).collect();
    if id_order == IdOrder::Creation {
        return order;
    }
    let mut places: Vec<(u8, usize)> = (0..size).map(|token| (ALPHABET, token)).collect();
    for (index, op) in ops.iter().enumerate() {
        let place = &mut places[op.new as usize];
        match op.kind {
            OpKind::Merge => *place = (REGULAR, index),
            OpKind::Supermerge if place.0 != REGULAR => *place = (ONLY_SUPER, index),
            OpKind::Supermerge => {}
        }
    }
    order.sort_unstable_by_key(|&token| places[token as usize]);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_string_has_one_number() {
        let mut vocabulary = Vocabulary::new(Alphabet::Utf8, u64::MAX, u64::MAX);
        assert_eq!(vocabulary.make(97, 97).unwrap(), 243);
        assert_eq!(vocabulary.make(243, 97).unwrap(), 244);
        assert_eq!(vocabulary.make(97, 243).unwrap(), 244);
        assert_eq!(vocabulary.len(), 245);
        assert_eq!(vocabulary.token(244), b"aaa");
        assert_eq!(vocabulary.number(b"aaa"), Some(244));
        assert_eq!(vocabulary.number(b"aaaa"), None);
    }

    #[test]
    fn the_last_making_by_a_regular_merge_decides() {
        let op = |kind, new| Op { kind, left: 0, right: 0, new, count: 1 };
        let (m, s) = (OpKind::Merge, OpKind::Supermerge);
        let ops =
            [op(s, 256), op(s, 257), op(m, 258), op(m, 259), op(s, 256), op(m, 257), op(s, 258)];
        assert_eq!(final_order(&ops, 260, IdOrder::RegularFirst)[256..], [258, 259, 257, 256]);
        assert_eq!(final_order(&ops, 260, IdOrder::Creation)[256..], [256, 257, 258, 259]);
    }
}
