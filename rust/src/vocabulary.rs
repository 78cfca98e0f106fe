//! Creation numbers, the bytes they stand for, and which are in the vocabulary (SPEC 4.2, 5, 10).
//!
//! A token of more than [`HEAD`] bytes is stored as its two parts: in full, the tokens of one very
//! long word would take memory that grows with the square of their number. (The Python twin stores
//! every token in full.)

use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::error::{Error, ErrorKind, Result};
use crate::model::{Op, OpKind};
use crate::polynomial::{PRIME, multiply, polynomial, power};
use crate::settings::Alphabet;
use crate::ticker::{OP_WORK, Ticker};
use crate::token_order::{Pieces, compare_joined};

/// Ops of one model.
pub const MAX_OPS: usize = (1 << 31) - 1;
/// So many bytes of each token are stored: most tokens in full, enough of all to tell most apart.
pub(crate) const HEAD: usize = 256;

#[derive(Clone, Copy, Debug)]
struct Token {
    /// Where its head stands in `heads`; many tokens may share one.
    head: usize,
    length: u64,
    /// Of its bytes; a polynomial if it is long.
    hash: u64,
    left: u32,
    right: u32,
    /// A left part of a left part and so on, some levels down: either the next one, or as far below
    /// as makes any level reachable in a logarithmic number of steps.
    jump: u32,
    /// How many levels of left parts there are below.
    depth: u32,
}

impl Token {
    fn is_long(&self) -> bool {
        self.length > HEAD as u64
    }
}

/// The byte strings that ops have made so far: one byte string, one creation number.
///
/// ```
/// use superword::{settings::Alphabet, vocabulary::Vocabulary};
/// let mut vocabulary = Vocabulary::new(Alphabet::Bytes);
/// assert_eq!([vocabulary.make(97, 98), vocabulary.make(97, 98)], [256, 256]);
/// assert_eq!(*vocabulary.token(256), *b"ab");
/// ```
#[derive(Clone, Debug)]
pub struct Vocabulary {
    tokens: Vec<Token>,
    heads: Vec<u8>,
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// Where the polynomials are evaluated.
    base: u64,
    max_token_bytes: u64,
    max_total_bytes: u64,
    total_bytes: u64,
    /// Which tokens are outside the vocabulary now; what lies beyond is in it.
    deleted: Vec<bool>,
    in_all_deleted: usize,
    /// Which tokens `make_checked` has seen regular merges make; what lies beyond, none.
    merged: Vec<bool>,
}

impl Vocabulary {
    /// Starts with the alphabet.
    pub fn new(alphabet: Alphabet) -> Self {
        Self::with_limits(alphabet, u64::MAX, u64::MAX)
    }

    /// Starts with the alphabet; the limits are for [`Self::make_checked`].
    pub fn with_limits(alphabet: Alphabet, max_token_bytes: u64, max_total_bytes: u64) -> Self {
        let hasher = DefaultHashBuilder::default();
        let mut vocabulary = Self {
            tokens: Vec::new(),
            heads: Vec::new(),
            numbers: HashTable::new(),
            base: hasher.hash_one(PRIME) % PRIME,
            hasher,
            max_token_bytes,
            max_total_bytes,
            total_bytes: 0,
            deleted: Vec::new(),
            in_all_deleted: 0,
            merged: Vec::new(),
        };
        for byte in alphabet.tokens() {
            vocabulary.add_whole(&[byte]);
        }
        vocabulary
    }

    /// How many tokens have been made, deleted ones too.
    #[expect(clippy::len_without_is_empty, reason = "the alphabet is never empty")]
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// How many tokens are in the vocabulary.
    pub fn size(&self) -> usize {
        self.tokens.len() - self.in_all_deleted
    }

    /// Whether a token that has been made is outside the vocabulary now.
    pub fn is_deleted(&self, number: u32) -> bool {
        self.deleted.get(number as usize).is_some_and(|&deleted| deleted)
    }

    /// Takes a token out of the vocabulary, if it is in it; its number stays.
    pub fn delete(&mut self, number: u32) {
        if self.deleted.len() <= number as usize {
            self.deleted.resize(number as usize + 1, false);
        }
        let was_deleted = std::mem::replace(&mut self.deleted[number as usize], true);
        self.in_all_deleted += usize::from(!was_deleted);
    }

    /// As [`Self::delete`], for an op that comes from outside.
    ///
    /// # Errors
    /// [`ErrorKind::Model`] if the token does not exist, or no merge has made it.
    pub fn delete_checked(&mut self, number: u32) -> Result<()> {
        let error = |text| Err(Error::new(ErrorKind::Model, text));
        let Some(token) = self.tokens.get(number as usize) else {
            let size = self.len();
            return error(format!("the deleted token does not exist yet: there are {size} tokens"));
        };
        if token.length == 1 {
            return error("a single byte cannot be deleted".to_string());
        }
        if !self.merged.get(number as usize).is_some_and(|&merged| merged) {
            return error("what is deleted must have been made by a merge".to_string());
        }
        self.delete(number);
        Ok(())
    }

    /// How many bytes a token has.
    pub fn length(&self, number: u32) -> u64 {
        self.tokens[number as usize].length
    }

    /// The bytes of a token that exists.
    pub fn token(&self, number: u32) -> Cow<'_, [u8]> {
        if self.tokens[number as usize].is_long() {
            let mut bytes = Vec::new();
            self.append_token(number, &mut bytes);
            return Cow::Owned(bytes);
        }
        Cow::Borrowed(self.head(number))
    }

    /// Appends the bytes of a token that exists.
    pub fn append_token(&self, number: u32, out: &mut Vec<u8>) {
        if self.tokens[number as usize].is_long() {
            Pieces { vocabulary: self, waiting: vec![number] }
                .for_each(|piece| out.extend_from_slice(piece));
        } else {
            out.extend_from_slice(self.head(number));
        }
    }

    /// How the bytes of two tokens compare.
    pub fn compare(&self, one: u32, other: u32) -> Ordering {
        if one == other {
            return Ordering::Equal;
        }
        let [one_token, other_token] = [one, other].map(|number| &self.tokens[number as usize]);
        if one_token.head != other_token.head {
            let heads = self.head(one).cmp(self.head(other));
            if heads.is_ne() {
                return heads;
            }
        }
        compare_joined(self, &[one], &[other])
    }

    /// The first eight bytes of a token as a number that is never smaller than that of a token
    /// which comes before it by its bytes.
    pub fn first_bytes(&self, number: u32) -> u64 {
        let head = self.head(number);
        let mut bytes = [0; 8];
        let length = head.len().min(8);
        bytes[..length].copy_from_slice(&head[..length]);
        u64::from_be_bytes(bytes)
    }

    /// The creation number of these bytes.
    pub fn number(&self, bytes: &[u8]) -> Option<u32> {
        if bytes.len() <= HEAD {
            return self.find_short(bytes, self.hasher.hash_one(bytes));
        }
        let hash = polynomial(bytes, self.base);
        let is_wanted = |&number: &u32| {
            let token = &self.tokens[number as usize];
            let mut rest = bytes;
            let mut matches = |piece: &[u8]| match rest.strip_prefix(piece) {
                Some(after) => {
                    rest = after;
                    true
                }
                None => false,
            };
            (token.hash, token.length) == (hash, bytes.len() as u64)
                && Pieces { vocabulary: self, waiting: vec![number] }.all(&mut matches)
        };
        self.numbers.find(self.spread(hash), is_wanted).copied()
    }

    /// The creation number of what an op makes of two tokens that exist, the next free one if its
    /// bytes are new. A deleted token is in the vocabulary again.
    pub fn make(&mut self, left: u32, right: u32) -> u32 {
        let number = self.number_of(left, right);
        if let Some(deleted) = self.deleted.get_mut(number as usize) {
            self.in_all_deleted -= usize::from(std::mem::replace(deleted, false));
        }
        number
    }

    /// The number of the bytes of two tokens, the next free one if they are new.
    fn number_of(&mut self, left: u32, right: u32) -> u32 {
        let [first, second] = [left, right].map(|number| self.tokens[number as usize]);
        let length = first.length.saturating_add(second.length);
        let (jump, depth) = (self.jump_over(left), first.depth + 1);
        let head = self.heads.len();
        let mut token = Token { head, length, hash: 0, left, right, jump, depth };
        if token.is_long() {
            let (x, y) = (self.polynomial(left), self.polynomial(right));
            let shifted = multiply(x, power(self.base, second.length));
            token.hash = (shifted + y) % PRIME;
            let is_same = |&number: &u32| {
                let old = &self.tokens[number as usize];
                (old.hash, old.length) == (token.hash, length)
                    && compare_joined(self, &[right, left], &[number]).is_eq()
            };
            if let Some(&number) = self.numbers.find(self.spread(token.hash), is_same) {
                return number;
            }
        }
        if first.is_long() {
            token.head = first.head;
        } else {
            // Both parts are stored as far as they are needed here.
            let from_first = first.length as usize;
            let from_second = (HEAD - from_first).min(second.length as usize);
            self.heads.extend_from_within(first.head..first.head + from_first);
            self.heads.extend_from_within(second.head..second.head + from_second);
        }
        if !token.is_long() {
            let bytes = &self.heads[token.head..];
            token.hash = self.hasher.hash_one(bytes);
            if let Some(number) = self.find_short(bytes, token.hash) {
                self.heads.truncate(token.head);
                return number;
            }
        }
        self.add(token)
    }

    /// As [`Self::make`], for an op that comes from outside.
    ///
    /// # Errors
    /// [`ErrorKind::Model`] if a part does not exist, or a limit is passed.
    pub fn make_checked(&mut self, left: u32, right: u32, kind: OpKind) -> Result<u32> {
        let error = |text| Err(Error::new(ErrorKind::Model, text));
        for (name, token) in [("left", left), ("right", right)] {
            if token as usize >= self.len() {
                let size = self.len();
                return error(format!(
                    "the {name} token does not exist yet: there are {size} tokens"
                ));
            }
        }
        let length = self.length(left).saturating_add(self.length(right));
        if length > self.max_token_bytes {
            return error(format!(
                "the token would have {length} bytes, more than max_token_bytes = {}",
                self.max_token_bytes
            ));
        }
        // What is made again counts too: its bytes are compared, so this bounds the work.
        self.total_bytes = self.total_bytes.saturating_add(length);
        if self.total_bytes > self.max_total_bytes {
            return error(format!(
                "the ops up to here make tokens of {} bytes in all, more than max_total_bytes = {}",
                self.total_bytes, self.max_total_bytes
            ));
        }
        let new = self.make(left, right);
        if kind == OpKind::Merge {
            if self.merged.len() <= new as usize {
                self.merged.resize(new as usize + 1, false);
            }
            self.merged[new as usize] = true;
        }
        Ok(new)
    }

    /// The creation number of a token that is given whole, without parts, the next free one if its
    /// bytes are new; `None` if it is too long to be stored in full.
    pub(crate) fn add_whole(&mut self, bytes: &[u8]) -> Option<u32> {
        if bytes.len() > HEAD {
            return None;
        }
        let hash = self.hasher.hash_one(bytes);
        if let Some(number) = self.find_short(bytes, hash) {
            return Some(number);
        }
        let (head, length) = (self.heads.len(), bytes.len() as u64);
        self.heads.extend_from_slice(bytes);
        let number = self.tokens.len() as u32;
        let (left, right, jump) = (number, number, number);
        Some(self.add(Token { head, length, hash, left, right, jump, depth: 0 }))
    }

    /// Gives a token that is not here yet the next number.
    fn add(&mut self, token: Token) -> u32 {
        let number = self.tokens.len() as u32;
        self.tokens.push(token);
        let Self { tokens, numbers, hasher, .. } = self;
        let hash = |token: &Token| match token.is_long() {
            true => hasher.hash_one(token.hash),
            false => token.hash,
        };
        numbers.insert_unique(hash(&token), number, |&number| hash(&tokens[number as usize]));
        number
    }

    /// The number of a token that is not long; `hash` is that of its bytes.
    fn find_short(&self, bytes: &[u8], hash: u64) -> Option<u32> {
        let is_wanted =
            |&number: &u32| self.length(number) == bytes.len() as u64 && self.head(number) == bytes;
        self.numbers.find(hash, is_wanted).copied()
    }

    /// The jump of a token with this left part. (Myers, "An applicative random-access stack", 1983:
    /// two jumps of one length are joined into one.)
    fn jump_over(&self, left: u32) -> u32 {
        let depth = |number: u32| self.tokens[number as usize].depth;
        let jump = self.tokens[left as usize].jump;
        let further = self.tokens[jump as usize].jump;
        if depth(left) - depth(jump) == depth(jump) - depth(further) { further } else { left }
    }

    /// The first bytes of a token, all if it is not long.
    pub(crate) fn head(&self, number: u32) -> &[u8] {
        let token = &self.tokens[number as usize];
        &self.heads[token.head..token.head + token.length.min(HEAD as u64) as usize]
    }

    fn polynomial(&self, number: u32) -> u64 {
        let token = &self.tokens[number as usize];
        if token.is_long() { token.hash } else { polynomial(self.head(number), self.base) }
    }

    /// The hash of a long token in the table, which needs all 64 bits.
    fn spread(&self, polynomial: u64) -> u64 {
        self.hasher.hash_one(polynomial)
    }

    /// The parts of which a token was made first; it must have some.
    pub(crate) fn parts(&self, number: u32) -> (u32, u32) {
        let token = &self.tokens[number as usize];
        (token.left, token.right)
    }

    /// Whether a token is not stored in full.
    pub(crate) fn is_long(&self, number: u32) -> bool {
        self.tokens[number as usize].is_long()
    }

    /// The shortest left part (of a left part, and so on) of a token that has at least `length`
    /// bytes; the token itself if none has.
    pub(crate) fn start_of(&self, number: u32, length: u64) -> u32 {
        let mut token = number;
        loop {
            let Token { left, jump, .. } = self.tokens[token as usize];
            if left == token {
                return token; // it has no parts
            }
            token = if self.length(jump) >= length {
                jump
            } else if self.length(left) >= length {
                left
            } else {
                return token;
            };
        }
    }
}

/// The vocabulary that `ops` make, which must say so themselves.
///
/// # Errors
/// [`ErrorKind::Model`] if there are too many ops, or one names a token that does not exist or
/// makes another than it says.
pub fn vocabulary_of_ops(
    ops: &[Op],
    alphabet: Alphabet,
    ticker: &mut Ticker<'_, '_>,
) -> Result<Vocabulary> {
    let error = |text| Err(Error::new(ErrorKind::Model, text));
    if ops.len() > MAX_OPS {
        return error("a model has at most 2^31 - 1 ops".to_string());
    }
    let mut vocabulary = Vocabulary::new(alphabet);
    for (index, op) in ops.iter().enumerate() {
        ticker.work(OP_WORK)?;
        let made = match op.kind {
            OpKind::Delete => vocabulary.delete_checked(op.left).map(|()| op.left),
            kind => vocabulary.make_checked(op.left, op.right, kind),
        };
        match made {
            Ok(new) if new == op.new => {}
            Ok(new) => {
                return error(format!("op {index}: it makes token {new}, not {}", op.new));
            }
            Err(inner) => return error(format!("op {index}: {inner}")),
        }
    }
    Ok(vocabulary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::no_progress;
    use crate::merges::train_merges;
    use crate::settings::{Algorithm, Settings};
    use crate::tables::PretokenCounts;

    #[test]
    fn one_byte_string_has_one_number() {
        let mut vocabulary = Vocabulary::new(Alphabet::Utf8);
        assert_eq!(vocabulary.len(), 243);
        assert_eq!(vocabulary.make(97, 97), 243);
        assert_eq!(vocabulary.make(243, 97), 244);
        assert_eq!(vocabulary.make(97, 243), 244);
        assert_eq!(vocabulary.make_checked(97, 243, OpKind::Merge).unwrap(), 244);
        assert_eq!(vocabulary.len(), 245);
        assert_eq!(*vocabulary.token(244), *b"aaa");
        assert_eq!(vocabulary.number(b"aaa"), Some(244));
        assert_eq!(vocabulary.number(b"aaaa"), None);
    }

    /// A vocabulary of many long tokens over two letters, and the bytes of each stored in full.
    fn random_trees(base: Option<u64>, seed: u64) -> (Vocabulary, Vec<Vec<u8>>) {
        let mut state = seed;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % bound
        };
        let mut vocabulary = Vocabulary::new(Alphabet::Bytes);
        vocabulary.base = base.unwrap_or(vocabulary.base);
        let mut strings: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        for step in 0..400 {
            // First doublings and short ends, so that heads are equal and cuts differ.
            let newest = strings.len() - 1;
            let mut pick = || match below(strings.len().min(300) - 254) {
                n if n < 2 => 97 + n,
                n => strings.len() - n,
            };
            let (left, right) = match step {
                0 => (97, 97),
                1..9 => (newest, newest),
                _ => (pick(), pick()),
            };
            let string = [&strings[left][..], &strings[right]].concat();
            if string.len() > 3000 {
                continue;
            }
            let expected = strings.iter().position(|old| *old == string);
            let new = vocabulary.make(left as u32, right as u32) as usize;
            assert_eq!(new, expected.unwrap_or(strings.len()));
            if expected.is_none() {
                strings.push(string);
            }
        }
        (vocabulary, strings)
    }

    #[test]
    fn long_tokens_are_found_and_ordered_as_their_bytes() {
        for seed in 0..6 {
            let (vocabulary, strings) = random_trees(None, seed);
            let long = strings.iter().filter(|string| string.len() > HEAD);
            assert!(long.clone().count() > 50);
            for (number, string) in (0..).zip(&strings) {
                assert_eq!(vocabulary.length(number), string.len() as u64);
                assert_eq!(*vocabulary.token(number), **string);
                assert_eq!(vocabulary.number(string), Some(number));
                for (other, other_string) in (0..).zip(&strings) {
                    let first_bytes = [number, other].map(|token| vocabulary.first_bytes(token));
                    assert!(first_bytes[0] <= first_bytes[1] || string > other_string);
                    assert_eq!(vocabulary.compare(number, other), string.cmp(other_string));
                }
            }
            for string in long {
                let other = [&string[..string.len() - 1], b"c"].concat();
                assert_eq!(vocabulary.number(&other), None);
            }
        }
    }

    #[test]
    fn tokens_that_grow_step_by_step_are_ordered_as_their_bytes() {
        let mut vocabulary = Vocabulary::new(Alphabet::Bytes);
        let mut strings: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        let mut state = 5_u64;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % bound
        };
        let mut make = |strings: &mut Vec<Vec<u8>>, left: usize, right: usize| {
            let new = vocabulary.make(left as u32, right as u32) as usize;
            let string = [&strings[left][..], &strings[right]].concat();
            assert!(new == strings.len() || strings[new] == string);
            if new == strings.len() {
                strings.push(string);
            }
            new
        };
        // to the right, to the left, and then such tokens behind each other
        let (mut right, mut left) = (usize::from(b'a'), usize::from(b'b'));
        let mut grown = Vec::new();
        for _ in 0..600 {
            let letter = usize::from(b'a') + below(2);
            right = make(&mut strings, right, letter);
            left = make(&mut strings, letter, left);
            grown.extend([right, left]);
        }
        for _ in 0..300 {
            let [first, second] = [below(grown.len()), below(grown.len())];
            let new = make(&mut strings, grown[first], grown[second]);
            grown.push(new);
        }
        for _ in 0..100_000 {
            let [one, other] = [grown[below(grown.len())], grown[below(grown.len())]];
            assert_eq!(
                vocabulary.compare(one as u32, other as u32),
                strings[one].cmp(&strings[other])
            );
        }
    }

    #[test]
    fn a_start_is_found_by_its_length() {
        let mut vocabulary = Vocabulary::new(Alphabet::Bytes);
        let mut tokens = vec![97];
        for step in 0..300 {
            let last = tokens[tokens.len() - 1];
            let right = if step % 7 == 0 { last } else { 98 };
            if vocabulary.length(last) < 1 << 50 {
                tokens.push(vocabulary.make(last, right));
            }
        }
        let newest = tokens[tokens.len() - 1];
        for &token in &tokens {
            let length = vocabulary.length(token);
            assert_eq!(vocabulary.start_of(newest, length), token);
            let next = tokens.iter().copied().find(|&x| vocabulary.length(x) > length);
            assert_eq!(vocabulary.start_of(newest, length + 1), next.unwrap_or(newest));
        }
    }

    #[test]
    fn a_token_may_have_no_parts() {
        let mut vocabulary = Vocabulary::new(Alphabet::Bytes);
        let word = [b"ab".as_slice(), &[b'c'; HEAD - 2]].concat();
        assert_eq!(vocabulary.add_whole(&word), Some(256));
        assert_eq!(vocabulary.add_whole(b"ab"), Some(257));
        assert_eq!(
            [vocabulary.add_whole(&word), vocabulary.add_whole(b"a")],
            [Some(256), Some(97)]
        );
        assert_eq!(vocabulary.add_whole(&[b'c'; HEAD + 1]), None);
        assert_eq!((vocabulary.make(97, 98), vocabulary.len()), (257, 258));
        let [one, other] = [98, 100].map(|last| vocabulary.make(256, last));
        assert!(vocabulary.is_long(one) && vocabulary.is_long(other));
        for (x, y) in [(257, 256), (256, one), (one, other), (257, other)] {
            assert_eq!(vocabulary.compare(x, y), Ordering::Less);
            assert_eq!(vocabulary.compare(y, x), Ordering::Greater);
        }
        assert_eq!([1, 2, 256].map(|length| vocabulary.start_of(256, length)), [256; 3]);
        assert_eq!([256, 257].map(|length| vocabulary.start_of(one, length)), [256, one]);
        assert_eq!(*vocabulary.token(other), *[&word[..], b"d"].concat());
    }

    #[test]
    fn a_hash_alone_makes_no_duplicate() {
        // At 0 a polynomial is its last byte.
        let mut vocabulary = Vocabulary { base: 0, ..Vocabulary::new(Alphabet::Bytes) };
        let mut doubled = 99;
        for _ in 0..10 {
            doubled = vocabulary.make(doubled, doubled);
        }
        let after_a = vocabulary.make(97, doubled);
        let after_b = vocabulary.make(98, doubled);
        assert_eq!((after_a, after_b), (266, 267));
        assert_eq!(vocabulary.tokens[266].hash, vocabulary.tokens[267].hash);
        assert_eq!(vocabulary.number(&[b"a".as_slice(), &[b'c'; 1024]].concat()), Some(266));
        assert_eq!(vocabulary.number(&[b"b".as_slice(), &[b'c'; 1024]].concat()), Some(267));
        assert_eq!(vocabulary.number(&[b"c".as_slice(), &[b'c'; 1024]].concat()), None);
        for seed in 0..6 {
            random_trees(Some(0), seed);
        }
    }

    #[test]
    fn a_very_long_word_stays_small() {
        let mut state = 5_u64;
        let letter = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            b'a' + ((state >> 33) % 26) as u8
        };
        let word: Vec<u8> = std::iter::repeat_with(letter).take(120_000).collect();
        let mut pretokens = PretokenCounts::default();
        pretokens.push(&word, 1);
        let settings = Settings::new(Algorithm::Bpe, 32_768, 32_768, 0);
        let (ops, _) = train_merges(&pretokens, &settings, &mut no_progress).unwrap();
        let mut quiet = no_progress;
        let ticker = &mut Ticker::new(&mut quiet, "load", 0);
        let vocabulary = vocabulary_of_ops(&ops, Alphabet::Bytes, ticker).unwrap();
        let in_full: u64 = (0..vocabulary.len() as u32).map(|n| vocabulary.length(n)).sum();
        assert!(in_full > 400_000_000);
        assert!(vocabulary.heads.len() < 100_000);
    }

    #[test]
    fn ops_must_fit_together() {
        let op = |left, right, new| Op { kind: OpKind::Merge, left, right, new, count: 1 };
        let size = |ops: &[Op]| {
            let mut quiet = no_progress;
            vocabulary_of_ops(ops, Alphabet::Bytes, &mut Ticker::new(&mut quiet, "load", 0))
                .map(|found| found.len())
        };
        assert_eq!(size(&[op(97, 98, 256), op(256, 99, 257), op(97, 98, 256)]), Ok(258));
        let message = |ops: &[Op]| size(ops).unwrap_err().message;
        assert_eq!(message(&[op(97, 98, 257)]), "op 0: it makes token 256, not 257");
        let text = "op 1: the right token does not exist yet: there are 257 tokens";
        assert_eq!(message(&[op(97, 98, 256), op(97, 257, 257)]), text);
    }
}
