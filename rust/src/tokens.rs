//! The byte strings of tokens by creation number: one byte string, one number (SPEC 4.2).

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

use crate::model::Op;
use crate::settings::Alphabet;

/// Every token made so far: its bytes, its number, and how many pretokens long it is.
#[derive(Clone, Debug)]
pub struct Tokens {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
    pretokens: Vec<u64>,
}

impl Tokens {
    /// The alphabet.
    pub fn new(alphabet: Alphabet) -> Self {
        let mut tokens = Self {
            bytes: Vec::new(),
            ends: Vec::new(),
            numbers: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            pretokens: Vec::new(),
        };
        for byte in alphabet.tokens() {
            tokens.bytes.push(byte);
            tokens.file(1);
        }
        tokens
    }

    /// How many tokens there are.
    #[expect(clippy::len_without_is_empty, reason = "the alphabet is never empty")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of a token.
    pub fn string(&self, number: u32) -> &[u8] {
        string(&self.bytes, &self.ends, number)
    }

    /// The number of a byte string, if it is a token.
    pub fn number(&self, bytes: &[u8]) -> Option<u32> {
        let hash = self.hasher.hash_one(bytes);
        self.numbers.find(hash, |&number| self.string(number) == bytes).copied()
    }

    /// How many pretokens long a token is: 1 if phase 1 makes it, else the sum of the parts of
    /// which it was first made.
    pub fn pretokens(&self, number: u32) -> u64 {
        self.pretokens[number as usize]
    }

    /// The number of left + right, which is the next free one if the bytes are new.
    ///
    /// ```
    /// use superword::{settings::Alphabet, tokens::Tokens};
    /// let mut tokens = Tokens::new(Alphabet::Bytes);
    /// assert_eq!([tokens.make(97, 98), tokens.make(97, 98)], [256, 256]);
    /// assert_eq!(tokens.string(256), b"ab");
    /// ```
    pub fn make(&mut self, left: u32, right: u32) -> u32 {
        let start = self.bytes.len();
        for part in [left, right] {
            let end = self.ends[part as usize];
            let length = self.string(part).len();
            self.bytes.extend_from_within(end - length..end);
        }
        if let Some(number) = self.number(&self.bytes[start..]) {
            self.bytes.truncate(start);
            return number;
        }
        self.file(self.pretokens[left as usize] + self.pretokens[right as usize])
    }

    /// Gives the bytes behind the last token a number.
    fn file(&mut self, pretokens: u64) -> u32 {
        let number = self.ends.len() as u32;
        self.ends.push(self.bytes.len());
        self.pretokens.push(pretokens);
        let (bytes, ends, hasher) = (&self.bytes, &self.ends, &self.hasher);
        let hash = |&number: &u32| hasher.hash_one(string(bytes, ends, number));
        self.numbers.insert_unique(hash(&number), number, hash);
        number
    }
}

fn string<'a>(bytes: &'a [u8], ends: &[usize], number: u32) -> &'a [u8] {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &bytes[start..ends[number]]
}

/// The tokens of a phase 1, each one pretoken long: the alphabet and what `ops` make.
pub fn tokens_of_ops(ops: &[Op], alphabet: Alphabet) -> Tokens {
    let mut tokens = Tokens::new(alphabet);
    for op in ops {
        tokens.make(op.left, op.right);
    }
    tokens.pretokens.fill(1);
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_string_has_one_number() {
        let mut tokens = Tokens::new(Alphabet::Utf8);
        assert_eq!(tokens.len(), 243);
        let ab = tokens.make(97, 98);
        let bc = tokens.make(98, 99);
        let abc = tokens.make(ab, 99);
        assert_eq!((ab, bc, abc), (243, 244, 245));
        assert_eq!(tokens.make(97, bc), abc);
        assert_eq!(tokens.len(), 246);
        assert_eq!(tokens.number(b"abc"), Some(abc));
        assert_eq!(tokens.number(b"abcd"), None);
        assert_eq!(tokens.pretokens(abc), 3);
    }

    #[test]
    fn what_phase_1_makes_is_one_pretoken_long() {
        let op = Op { kind: crate::model::OpKind::Merge, left: 97, right: 98, new: 256, count: 1 };
        let mut tokens = tokens_of_ops(&[op], Alphabet::Bytes);
        assert_eq!(tokens.pretokens(256), 1);
        let longer = tokens.make(256, 99);
        assert_eq!(tokens.pretokens(longer), 2);
    }
}
