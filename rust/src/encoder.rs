//! From texts to token ids and back (SPEC 9).

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::bridges::{Bridges, filter_of_ops};
use crate::deletions::RegularOps;
use crate::encode_text::{Kept, Work, encode_piece};
use crate::error::{Error, ErrorKind, Progress, Result};
use crate::final_ids::{FinalIds, Token, final_order};
use crate::model::{Model, Op, OpKind};
use crate::model_file::{Limits, model_from_bytes};
use crate::pattern_steps::Origin;
use crate::pretokenize::Pretokenizer;
use crate::replay::{Pairs, Scratch, pairs_of_ops};
use crate::safe_prefix::Joins;
use crate::settings::Alphabet;
use crate::special_tokens::{Gate, SpecialTokens, check_special_ids};
use crate::ticker::Ticker;
use crate::vocabulary::{Vocabulary, vocabulary_of_ops};

/// The longest text (SPEC 1).
pub const MAX_TEXT_BYTES: u64 = u32::MAX as u64;

/// The vocabulary shortcut knows tokens up to this length; what is longer is rare, and finding out
/// how it ends takes longer.
const SHORTCUT_BYTES: usize = 64;

/// A model, ready to encode and decode. It never changes: threads may share it.
#[derive(Clone, Debug)]
pub struct Encoder {
    pub(crate) pretokenizer: Pretokenizer,
    alphabet: Alphabet,
    pub(crate) ops: Vec<Op>,
    pub(crate) special: Vec<String>,
    pub(crate) splitter: SpecialTokens,
    pub(crate) vocabulary: Vocabulary,
    /// By byte: its token; `u32::MAX` if the alphabet has it not.
    byte_tokens: [u32; 256],
    pub(crate) regular: RegularOps,
    pub(crate) supermerges: Pairs,
    pub(crate) has_supermerges: bool,
    pub(crate) bridges: Bridges,
    /// Whether what pretokens and runs became is remembered.
    pub(crate) shortcut: bool,
    /// By creation number: whether its bytes as a pretoken are known to end as this one token.
    known: Vec<bool>,
    /// By creation number: the id, of a deleted token none that means anything.
    pub(crate) ids: Vec<u32>,
    /// The creation numbers of the ordinary tokens in the order of their ids.
    pub(crate) order: Vec<u32>,
    final_ids: FinalIds,
    /// By creation number: whether some supermerge makes it.
    superwords: Vec<bool>,
    pub(crate) kept: Kept,
    /// Made when it is asked for.
    pub(crate) joins: OnceLock<Joins>,
}

/// An op as (kind, left, right, new, count) with the bytes of its tokens.
pub type OpTokens<'a> = (OpKind, Cow<'a, [u8]>, Cow<'a, [u8]>, Cow<'a, [u8]>, u64);

impl Encoder {
    /// Prepares a model; `shortcut` changes the speed alone.
    ///
    /// # Errors
    /// [`ErrorKind::Model`] if an op names a token that does not exist or makes another than it
    /// says, [`ErrorKind::Settings`] if the special tokens cannot be used, and what the progress
    /// callback returns.
    pub fn new(model: &Model, shortcut: bool, progress: &mut Progress<'_>) -> Result<Self> {
        let splitter = SpecialTokens::new(&model.special_tokens)?;
        if let Some(ids) = &model.special_ids {
            let ids: Vec<_> = ids.iter().map(|&id| u64::from(id)).collect();
            check_special_ids(&ids, model.special_tokens.len())?;
        }
        let ticker = &mut Ticker::new(progress, "load", model.ops.len() as u64);
        let vocabulary = vocabulary_of_ops(&model.ops, model.alphabet, ticker)?;
        let size = vocabulary.len();
        let order = final_order(&model.ops, size, model.id_order);
        let mut ids = vec![0; size];
        let final_ids =
            FinalIds::new(order.len(), model.special_tokens.len(), model.special_ids.as_deref());
        for (id, &token) in final_ids.ordinary().zip(&order) {
            ids[token as usize] = id;
        }
        let mut superwords = vec![false; size];
        for op in model.ops.iter().filter(|op| op.kind == OpKind::Supermerge) {
            superwords[op.new as usize] = !vocabulary.is_deleted(op.new);
        }
        let bytes = model.alphabet == Alphabet::Bytes;
        let mut encoder = Self {
            pretokenizer: Pretokenizer::new(&model.cutting)?,
            alphabet: model.alphabet,
            ops: model.ops.clone(),
            special: model.special_tokens.clone(),
            splitter,
            byte_tokens: model.alphabet.numbers(),
            regular: RegularOps::new(&model.ops, &vocabulary, model.blow_up, bytes),
            supermerges: pairs_of_ops(&model.ops, OpKind::Supermerge),
            has_supermerges: model.ops.iter().any(|op| op.kind == OpKind::Supermerge),
            bridges: filter_of_ops(&model.ops, size),
            shortcut,
            known: vec![false; size],
            ids,
            order,
            final_ids,
            superwords,
            vocabulary,
            kept: Kept::default(),
            joins: OnceLock::new(),
        };
        if shortcut {
            encoder.known = encoder.single_tokens(progress)?;
        }
        Ok(encoder)
    }

    /// How many ordinary tokens there are.
    pub fn vocab_size(&self) -> u32 {
        self.order.len() as u32
    }

    /// How many merges and supermerges, how many tokens these make, how many deletes.
    pub fn op_counts(&self) -> (usize, usize, usize, usize) {
        let count = |kind| self.ops.iter().filter(|op| op.kind == kind).count();
        let superwords = self.superwords.iter().filter(|&&made| made).count();
        let [merges, supermerges, deletes] =
            [OpKind::Merge, OpKind::Supermerge, OpKind::Delete].map(count);
        (merges, supermerges, superwords, deletes)
    }

    /// The bytes of a token.
    ///
    /// # Errors
    /// [`ErrorKind::Encoding`] if there is no such id, [`ErrorKind::Memory`] if the bytes do not fit.
    pub fn token_bytes(&self, token_id: u32) -> Result<Vec<u8>> {
        self.join_tokens(&[token_id], |_| String::new())
    }

    /// The id of the token with these bytes, an ordinary one before a special one.
    pub fn token_id(&self, token: &[u8]) -> Option<u32> {
        if let Some(number) = self.vocabulary.number(token)
            && !self.vocabulary.is_deleted(number)
        {
            return Some(self.ids[number as usize]);
        }
        let index = self.special.iter().position(|special| special.as_bytes() == token)?;
        Some(self.final_ids.special(index))
    }

    /// Whether some supermerge makes the token.
    ///
    /// # Errors
    /// [`ErrorKind::Encoding`] if there is no such id.
    pub fn is_superword(&self, token_id: u32) -> Result<bool> {
        match self.final_ids.token(token_id) {
            Some(Token::Ordinary(number)) => Ok(self.superwords[self.order[number] as usize]),
            Some(Token::Special(_)) => Ok(false),
            None => Err(self.unknown_id(token_id, "")),
        }
    }

    /// The ops with the bytes of their tokens.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] if there is not enough for all of them together.
    pub fn op_tokens(&self) -> Result<impl ExactSizeIterator<Item = OpTokens<'_>>> {
        let twice = |op: &Op| self.vocabulary.length(op.new).saturating_mul(2);
        check_memory(self.ops.iter().map(twice).fold(0, u64::saturating_add), "ops")?;
        let token = |number| self.vocabulary.token(number);
        Ok(self
            .ops
            .iter()
            .map(move |op| (op.kind, token(op.left), token(op.right), token(op.new), op.count)))
    }

    /// The ids of a text. `allowed` are the indices of the special tokens that are recognized, any
    /// other in the text is an error; with `None` special tokens are plain text.
    ///
    /// # Errors
    /// [`ErrorKind::Encoding`] if the text holds a special token that is not allowed or is too
    /// long, or what the progress callback returns.
    pub fn encode(
        &self,
        text: &str,
        allowed: Option<&[u32]>,
        progress: &mut Progress<'_>,
    ) -> Result<Vec<u32>> {
        let gate = Gate::new(&self.special, &self.splitter, allowed)?;
        let mut work = Work::new(&self.kept, progress, text.len());
        work.steps = self.pretokenizer.steps(text.as_bytes());
        self.encode_text(text, &gate, 0, |text| text.chars().count(), &mut work)?;
        Ok(std::mem::take(&mut work.ids))
    }

    /// The ids of bytes: what is UTF-8 as texts, every other byte as its single-byte token.
    ///
    /// # Errors
    /// [`ErrorKind::Encoding`] if the model has not all bytes in its alphabet, or as for
    /// [`Self::encode`].
    pub fn encode_bytes(
        &self,
        data: &[u8],
        allowed: Option<&[u32]>,
        progress: &mut Progress<'_>,
    ) -> Result<Vec<u32>> {
        if self.alphabet != Alphabet::Bytes {
            return fail(format!(
                "bytes can be encoded only with alphabet 'bytes', this model has '{}': encode text",
                self.alphabet.name()
            ));
        }
        check_length(data)?;
        let gate = Gate::new(&self.special, &self.splitter, allowed)?;
        let mut work = Work::new(&self.kept, progress, data.len());
        work.steps = self.pretokenizer.steps(data);
        let mut start = 0;
        for chunk in data.utf8_chunks() {
            self.encode_text(chunk.valid(), &gate, start, str::len, &mut work)?;
            for &byte in chunk.invalid() {
                work.ids.push(self.ids[self.byte_tokens[usize::from(byte)] as usize]);
            }
            start += chunk.valid().len() + chunk.invalid().len();
        }
        Ok(std::mem::take(&mut work.ids))
    }

    /// The bytes of the tokens, one after the other.
    ///
    /// # Errors
    /// [`ErrorKind::Encoding`] at an unknown id, [`ErrorKind::Memory`] if the bytes do not fit.
    pub fn decode_bytes(&self, ids: &[u32]) -> Result<Vec<u8>> {
        self.join_tokens(ids, |place| format!(" at position {place}"))
    }

    /// The bytes of the tokens; `place` says in an error where an id stands.
    fn join_tokens(&self, ids: &[u32], place: fn(usize) -> String) -> Result<Vec<u8>> {
        let mut size = 0_u64;
        for (index, &id) in ids.iter().enumerate() {
            let length = self.token_length(id).ok_or_else(|| self.unknown_id(id, &place(index)))?;
            size = size.saturating_add(length);
        }
        let mut out = check_memory(size, "ids")?;
        for &id in ids {
            match self.final_ids.token(id) {
                Some(Token::Ordinary(number)) => {
                    self.vocabulary.append_token(self.order[number], &mut out);
                }
                Some(Token::Special(index)) => {
                    out.extend_from_slice(self.special[index].as_bytes());
                }
                None => {} // (all have a length)
            }
        }
        Ok(out)
    }

    /// How many bytes a token has, if there is such an id.
    pub(crate) fn token_length(&self, id: u32) -> Option<u64> {
        Some(match self.final_ids.token(id)? {
            Token::Ordinary(number) => self.vocabulary.length(self.order[number]),
            Token::Special(index) => self.special[index].len() as u64,
        })
    }

    fn unknown_id(&self, id: u32, place: &str) -> Error {
        let last = self.final_ids.last();
        let text = format!("id {id}{place} is not in the vocabulary (ids are 0 to {last})");
        Error::new(ErrorKind::Encoding, text)
    }

    /// Which tokens' bytes, as pretokens, end as that one token: found by encoding them. Being in
    /// the vocabulary is not enough: ops may exist that are never reached.
    fn single_tokens(&self, progress: &mut Progress<'_>) -> Result<Vec<bool>> {
        let mut known = vec![false; self.vocabulary.len()];
        let ticker = &mut Ticker::new(progress, "load", 0);
        let (mut tokens, mut scratch) = (Vec::new(), Scratch::default());
        let alphabet = 0..self.alphabet.tokens().len() as u32;
        let made = self.ops.iter().filter(|op| op.kind == OpKind::Merge).map(|op| op.new);
        for number in alphabet.chain(made) {
            if self.vocabulary.length(number) <= SHORTCUT_BYTES as u64 && !known[number as usize] {
                let token = self.vocabulary.token(number);
                self.encode_pretoken(&token, &mut tokens, &mut scratch, ticker)?;
                known[number as usize] = tokens == [number];
            }
        }
        Ok(known)
    }

    /// The ids of a text that stands at `start`, in the units in which `length` measures.
    pub(crate) fn encode_text(
        &self,
        text: &str,
        gate: &Gate,
        start: usize,
        length: fn(&str) -> usize,
        work: &mut Work<'_, '_, '_>,
    ) -> Result<()> {
        check_length(text.as_bytes())?;
        let mut at = 0;
        for (part, index) in gate.cut.split(text) {
            match index {
                None => {
                    if let Some((token, offset)) = gate.find_refused(part) {
                        return fail(format!(
                            "special token '{token}' at position {} is not allowed: name it in \
                             allowed_special, or use encode_ordinary to take it as plain text",
                            start + length(&text[..at + offset])
                        ));
                    }
                    let origin = Origin { whole: text, at, start, length };
                    encode_piece(self, part, origin, work)?;
                }
                Some(index) => {
                    let id = self.final_ids.special(gate.allowed[index as usize] as usize);
                    work.ids.push(id);
                }
            }
            at += part.len();
        }
        Ok(())
    }

    /// Leaves the tokens of a pretoken in `tokens`.
    pub(crate) fn encode_pretoken(
        &self,
        pretoken: &[u8],
        tokens: &mut Vec<u32>,
        scratch: &mut Scratch,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<()> {
        tokens.clear();
        if pretoken.len() <= SHORTCUT_BYTES
            && let Some(token) = self.vocabulary.number(pretoken)
            && self.known[token as usize]
        {
            tokens.push(token);
            return Ok(());
        }
        tokens.extend(pretoken.iter().map(|&byte| self.byte_tokens[usize::from(byte)]));
        self.regular.encode(tokens, &self.vocabulary, scratch, ticker)
    }
}

/// The encoder of a model file, and the model with its ops left out.
///
/// # Errors
/// As for [`model_from_bytes`] and [`Encoder::new`].
pub fn load_model(
    data: &[u8],
    limits: &Limits,
    progress: &mut Progress<'_>,
) -> Result<(Encoder, Model)> {
    let model = model_from_bytes(data, limits, progress)?;
    let encoder = Encoder::new(&model, true, progress)?;
    Ok((encoder, Model { ops: Vec::new(), ..model }))
}

/// Memory for so many bytes of the tokens of some ids or ops. A small model can have long tokens: what
/// is too much must be an error, not an abort.
fn check_memory(size: u64, what: &str) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    match out.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX)) {
        Ok(()) => Ok(out),
        Err(_) => {
            let text = format!("no memory for the {size} bytes of these {what}");
            Err(Error::new(ErrorKind::Memory, text))
        }
    }
}

fn check_length(data: &[u8]) -> Result<()> {
    if data.len() as u64 > MAX_TEXT_BYTES {
        return fail("a text has at most 2^32 - 1 bytes: cut it at a place of your choice");
    }
    Ok(())
}

fn fail<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::new(ErrorKind::Encoding, text))
}
