//! Creation numbers, the bytes they stand for, and the order of the final ids (SPEC 4.2, 5.1, 10).

use crate::error::{Error, ErrorKind, Result};
use crate::interner::Interner;
use crate::model::{Op, OpKind};
use crate::settings::{Alphabet, IdOrder};
use crate::ticker::{OP_WORK, Ticker};

/// Ops of one model.
pub const MAX_OPS: usize = (1 << 31) - 1;

/// The byte strings that ops have made so far: one byte string, one creation number.
///
/// ```
/// use superword::{settings::Alphabet, vocabulary::Vocabulary};
/// let mut vocabulary = Vocabulary::new(Alphabet::Bytes);
/// assert_eq!([vocabulary.make(97, 98), vocabulary.make(97, 98)], [256, 256]);
/// assert_eq!(vocabulary.token(256), b"ab");
/// ```
#[derive(Clone, Debug)]
pub struct Vocabulary {
    tokens: Interner<u8>,
    /// Working memory: the bytes that an op makes.
    joined: Vec<u8>,
    max_token_bytes: u64,
    max_total_bytes: u64,
    total_bytes: u64,
}

impl Vocabulary {
    /// Starts with the alphabet.
    pub fn new(alphabet: Alphabet) -> Self {
        Self::with_limits(alphabet, u64::MAX, u64::MAX)
    }

    /// Starts with the alphabet; the limits are for [`Self::make_checked`].
    pub fn with_limits(alphabet: Alphabet, max_token_bytes: u64, max_total_bytes: u64) -> Self {
        let mut tokens = Interner::default();
        for byte in alphabet.tokens() {
            tokens.add(&[byte]);
        }
        Self { tokens, joined: Vec::new(), max_token_bytes, max_total_bytes, total_bytes: 0 }
    }

    /// How many tokens there are.
    #[expect(clippy::len_without_is_empty, reason = "the alphabet is never empty")]
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The bytes of a token that exists.
    pub fn token(&self, number: u32) -> &[u8] {
        self.tokens.get(number)
    }

    /// The creation number of these bytes.
    pub fn number(&self, bytes: &[u8]) -> Option<u32> {
        self.tokens.find(bytes)
    }

    /// The creation number of what an op makes of two tokens that exist, the next free one if its
    /// bytes are new.
    pub fn make(&mut self, left: u32, right: u32) -> u32 {
        self.joined.clear();
        self.joined.extend_from_slice(self.tokens.get(left));
        self.joined.extend_from_slice(self.tokens.get(right));
        self.tokens.add(&self.joined)
    }

    /// As [`Self::make`], for an op that comes from outside.
    ///
    /// # Errors
    /// [`ErrorKind::Model`] if a part does not exist, or a limit is passed.
    pub fn make_checked(&mut self, left: u32, right: u32) -> Result<u32> {
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
        Ok(self.make(left, right))
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
        match vocabulary.make_checked(op.left, op.right) {
            Ok(new) if new == op.new => {}
            Ok(new) => {
                return error(format!("op {index}: it makes token {new}, not {}", op.new));
            }
            Err(inner) => return error(format!("op {index}: {inner}")),
        }
    }
    Ok(vocabulary)
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
    use crate::error::no_progress;

    #[test]
    fn one_byte_string_has_one_number() {
        let mut vocabulary = Vocabulary::new(Alphabet::Utf8);
        assert_eq!(vocabulary.len(), 243);
        assert_eq!(vocabulary.make(97, 97), 243);
        assert_eq!(vocabulary.make(243, 97), 244);
        assert_eq!(vocabulary.make(97, 243), 244);
        assert_eq!(vocabulary.make_checked(97, 243).unwrap(), 244);
        assert_eq!(vocabulary.len(), 245);
        assert_eq!(vocabulary.token(244), b"aaa");
        assert_eq!(vocabulary.number(b"aaa"), Some(244));
        assert_eq!(vocabulary.number(b"aaaa"), None);
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
