//! How far a text is encoded whatever follows it, and which tokens may follow the rest.
//!
//! Special tokens, pretokens and supermerges can change when a text goes on: the twin
//! `safe_prefix.py` says where they cannot.

use crate::bridges::bridges_of_ops;
use crate::encoder::Encoder;
use crate::error::{Progress, Result};
use crate::model::Op;
use crate::pretokenize::Pretokenizer;
use crate::settled::settled_pretokens;
use crate::special_tokens::{Gate, SpecialTokens};
use crate::ticker::Ticker;
use crate::vocabulary::Vocabulary;

/// Between which pretokens a supermerge can join what stands there.
#[derive(Clone, Debug)]
pub(crate) struct Joins {
    /// Ascending; `None`: between all.
    bridges: Option<Vec<(u32, u32)>>,
}

impl Joins {
    /// Whether it can be between these tokens; `None` is a pretoken that is no token.
    fn join(&self, left: Option<u32>, right: Option<u32>) -> bool {
        let (Some(left), Some(right)) = (left, right) else { return false };
        self.bridges.as_ref().is_none_or(|known| known.binary_search(&(left, right)).is_ok())
    }

    /// Whether it can be between this token and some other.
    fn join_left(&self, left: Option<u32>) -> bool {
        let (Some(left), Some(known)) = (left, &self.bridges) else { return left.is_some() };
        known.binary_search_by_key(&left, |&(left, _)| left).is_ok()
    }
}

/// Where the supermerges of a model, which has so many tokens, can join.
pub(crate) fn joins_of_ops(ops: &[Op], tokens: usize) -> Joins {
    Joins { bridges: bridges_of_ops(ops, tokens) }
}

/// How many bytes of a text that can be encoded are encoded as they would be whatever follows.
/// `special_tokens` are those that are recognized, and `cut` cuts at them.
///
/// # Errors
/// What the progress callback returns.
pub(crate) fn safe_length(
    text: &str,
    special_tokens: &[&str],
    cut: &SpecialTokens,
    pretokenizer: &Pretokenizer,
    vocabulary: &Vocabulary,
    joins: &Joins,
    ticker: &mut Ticker<'_, '_>,
) -> Result<usize> {
    let (start, end) = last_piece(text, special_tokens, cut);
    let (mut length, mut at, mut before) = (0, 0, None);
    for pretoken in settled_pretokens(&text[start..end], pretokenizer) {
        ticker.work(1)?;
        let token = vocabulary.number(pretoken.as_bytes());
        if !joins.join(before, token) {
            length = at;
        }
        at += pretoken.len();
        before = token;
    }
    if !joins.join_left(before) {
        length = at;
    }
    Ok(start + length)
}

/// Where the piece behind the last certain special token starts, and its certain end.
fn last_piece(text: &str, special_tokens: &[&str], cut: &SpecialTokens) -> (usize, usize) {
    let size = text.len();
    let longest = special_tokens.iter().map(|name| name.len()).max().unwrap_or(1) - 1;
    let is_begun = |at: &usize| {
        text.is_char_boundary(*at)
            && special_tokens
                .iter()
                .any(|name| size - at < name.len() && name.starts_with(&text[*at..]))
    };
    let begun: Vec<usize> = (size.saturating_sub(longest)..size).filter(is_begun).collect();
    let certain = |start: usize| begun.iter().copied().find(|&at| at >= start).unwrap_or(size);
    let (mut start, mut at) = (0, 0);
    for (part, index) in cut.split(text) {
        if index.is_some() {
            if at >= certain(start) {
                break;
            }
            start = at + part.len();
        }
        at += part.len();
    }
    (start, certain(start))
}

/// Those of the tokens `order` that agree with a text as far as both go.
pub(crate) fn continuing_tokens(rest: &[u8], order: &[u32], vocabulary: &Vocabulary) -> Vec<u32> {
    let agrees = |number: u32| {
        let length = vocabulary.length(number).min(8) as usize;
        let first = vocabulary.first_bytes(number).to_be_bytes();
        // a long token is put together only where it begins as it should
        let both = length.min(rest.len());
        first[..both] == rest[..both] && {
            let token = vocabulary.token(number);
            let both = token.len().min(rest.len());
            token[..both] == rest[..both]
        }
    };
    order.iter().copied().filter(|&number| agrees(number)).collect()
}

impl Encoder {
    /// The ids with which the ids of every longer text begin, and what is left of the text.
    ///
    /// # Errors
    /// As for [`Self::encode`].
    pub fn safe_prefix<'t>(
        &self,
        text: &'t str,
        allowed: Option<&[u32]>,
        progress: &mut Progress<'_>,
    ) -> Result<(Vec<u32>, &'t str)> {
        let gate = Gate::new(&self.special, &self.splitter, allowed)?;
        let mut ids = self.encode(text, allowed, progress)?;
        let names: Vec<_> =
            gate.allowed.iter().map(|&index| self.special[index as usize].as_str()).collect();
        let joins = self.joins.get_or_init(|| joins_of_ops(&self.ops, self.vocabulary.len()));
        let ticker = &mut Ticker::new(progress, "encode", text.len() as u64);
        let (cut, cutter, vocabulary) = (&gate.cut, &self.pretokenizer, &self.vocabulary);
        let length = safe_length(text, &names, cut, cutter, vocabulary, joins, ticker)?;
        let (mut count, mut at) = (0, 0);
        for length_of_token in self.lengths(&ids) {
            if at >= length {
                break;
            }
            at += length_of_token;
            count += 1;
        }
        ids.truncate(count);
        Ok((ids, &text[length..]))
    }

    /// The ids of the ordinary tokens that agree with a text as far as both go.
    pub fn next_tokens(&self, rest: &[u8]) -> Vec<u32> {
        let numbers = continuing_tokens(rest, &self.order, &self.vocabulary);
        numbers.into_iter().map(|number| self.ids[number as usize]).collect()
    }
}
