//! How long tokens compare, whose bytes are stored as their parts.
//!
//! Tokens that grow one step at a time are each other's left parts, thousands deep, and they are
//! what meets in ties: so nothing here takes a step for every level. A token that starts another
//! one is found by its length, through jumps along the left parts.
//!
//! No Python twin: there every token is stored in full.

use std::cmp::Ordering;

use crate::vocabulary::Vocabulary;

/// The bytes of tokens, piece by piece; an empty one where a token was opened.
pub(crate) struct Pieces<'v> {
    pub(crate) vocabulary: &'v Vocabulary,
    /// What is left, the first last.
    pub(crate) waiting: Vec<u32>,
}

impl<'v> Iterator for Pieces<'v> {
    type Item = &'v [u8];

    fn next(&mut self) -> Option<&'v [u8]> {
        let token = self.waiting.pop()?;
        if !self.vocabulary.is_long(token) {
            return Some(self.vocabulary.head(token));
        }
        let (left, right) = self.vocabulary.parts(token);
        self.waiting.extend([right, left]);
        Some(&[])
    }
}

/// A token, or what remains of it behind one of its left parts.
#[derive(Clone, Copy)]
struct Rest {
    token: u32,
    behind: Option<u32>,
}

/// Reads tokens one after the other, by whole tokens as long as that will do.
struct Cursor<'v> {
    vocabulary: &'v Vocabulary,
    /// What is left, the first last.
    waiting: Vec<Rest>,
    /// Bytes that come before all that waits.
    piece: &'v [u8],
}

impl<'v> Cursor<'v> {
    /// The first token stands last.
    fn new(vocabulary: &'v Vocabulary, tokens: &[u32]) -> Self {
        let waiting = tokens.iter().map(|&token| Rest { token, behind: None }).collect();
        Self { vocabulary, waiting, piece: &[] }
    }

    /// The token that comes next, whole.
    fn token(&mut self) -> Option<u32> {
        let Rest { token, behind } = *self.waiting.last()?;
        let Some(behind) = behind else { return Some(token) };
        self.waiting.pop();
        let parent = self.vocabulary.start_of(token, self.vocabulary.length(behind) + 1);
        if parent != token {
            self.waiting.push(Rest { token, behind: Some(parent) });
        }
        let next = self.vocabulary.parts(parent).1;
        self.waiting.push(Rest { token: next, behind: None });
        Some(next)
    }

    /// Goes into the token that comes next, to the shortest left part of at least `length` bytes,
    /// or if that is the token itself, to the longest shorter one.
    fn enter(&mut self, token: u32, length: u64) {
        let mut start = self.vocabulary.start_of(token, length);
        if start == token {
            start = self.vocabulary.parts(token).0;
        }
        self.waiting.pop();
        self.waiting.push(Rest { token, behind: Some(start) });
        self.waiting.push(Rest { token: start, behind: None });
    }

    /// Takes bytes from the front of the token that comes next: all of it, or those of a left part,
    /// about `length`.
    fn take_bytes(&mut self, mut token: u32, length: u64) {
        while self.vocabulary.is_long(token) {
            self.enter(token, length.min(self.vocabulary.length(token)));
            token = self.waiting.last().map_or(token, |rest| rest.token);
        }
        self.waiting.pop();
        self.piece = self.vocabulary.head(token);
    }
}

/// How the bytes of two lists of tokens compare; the first token of each stands last.
pub(crate) fn compare_joined(vocabulary: &Vocabulary, one: &[u32], other: &[u32]) -> Ordering {
    let (mut one, mut other) = (Cursor::new(vocabulary, one), Cursor::new(vocabulary, other));
    loop {
        let length = one.piece.len().min(other.piece.len());
        if length > 0 {
            let order = one.piece[..length].cmp(&other.piece[..length]);
            if order.is_ne() {
                return order;
            }
            (one.piece, other.piece) = (&one.piece[length..], &other.piece[length..]);
            continue;
        }
        match (one.piece, other.piece) {
            ([], []) => match (one.token(), other.token()) {
                // Equal tokens need no look inside; to meet them the longer one is entered first.
                (Some(x), Some(y)) if x == y => {
                    one.waiting.pop();
                    other.waiting.pop();
                }
                (Some(x), Some(y)) => {
                    let [x_length, y_length] = [x, y].map(|token| vocabulary.length(token));
                    match x_length >= y_length {
                        true if vocabulary.is_long(x) => one.enter(x, y_length),
                        true => one.take_bytes(x, x_length),
                        false if vocabulary.is_long(y) => other.enter(y, x_length),
                        false => other.take_bytes(y, y_length),
                    }
                }
                (x, y) => return x.cmp(&y),
            },
            ([], bytes) => match one.token() {
                Some(token) => one.take_bytes(token, bytes.len() as u64),
                None => return Ordering::Less,
            },
            (bytes, _) => match other.token() {
                Some(token) => other.take_bytes(token, bytes.len() as u64),
                None => return Ordering::Greater,
            },
        }
    }
}
