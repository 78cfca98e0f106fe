//! Tokens and ops of published files, named by their bytes there, by number here (SPEC 4, 5).

use crate::error::{Error, ErrorKind, Result};
use crate::final_ids::final_order;
use crate::model::{Op, OpKind};
use crate::model_file::{Limits, MAX_TOKEN_BYTES, MAX_TOTAL_BYTES};
use crate::settings::{Alphabet, IdOrder};
use crate::vocabulary::Vocabulary;

fn fail<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::new(ErrorKind::Model, text))
}

/// Ops that name their tokens by bytes, made into ops that name them by number.
pub(crate) struct OpReader {
    /// What the ops have made.
    pub vocabulary: Vocabulary,
    /// The ops by number.
    pub ops: Vec<Op>,
}

impl OpReader {
    /// Starts with an alphabet.
    pub fn new(alphabet: Alphabet, limits: &Limits) -> Self {
        let vocabulary = Vocabulary::with_limits(
            alphabet,
            limits.max_token_bytes.unwrap_or(MAX_TOKEN_BYTES),
            limits.max_total_bytes.unwrap_or(MAX_TOTAL_BYTES),
        );
        Self { vocabulary, ops: Vec::new() }
    }

    /// Whether the token is in the vocabulary now.
    pub fn knows(&self, token: &[u8]) -> bool {
        self.vocabulary.number(token).is_some_and(|number| !self.vocabulary.is_deleted(number))
    }

    /// Adds an op, a delete with its token as left and right.
    ///
    /// # Errors
    /// [`ErrorKind::Model`] if a token does not exist, is deleted although no merge has made it, or
    /// passes a limit.
    pub fn add(&mut self, kind: OpKind, left: &[u8], right: &[u8], count: u64) -> Result<Op> {
        let number = |name, token| match self.vocabulary.number(token) {
            Some(number) => Ok(number),
            None => fail(format!("no op before this one makes the {name} token")),
        };
        let is_delete = kind == OpKind::Delete;
        let names = if is_delete { ("deleted", "deleted") } else { ("left", "right") };
        let (left, right) = (number(names.0, left)?, number(names.1, right)?);
        let new = if is_delete {
            self.vocabulary.delete_checked(left)?;
            left
        } else {
            self.vocabulary.make_checked(left, right, kind)?
        };
        let op = Op { kind, left, right, new, count };
        self.ops.push(op);
        Ok(op)
    }
}

/// The alphabet with which a vocabulary begins.
///
/// # Errors
/// [`ErrorKind::Model`] if it begins with neither.
pub(crate) fn alphabet_of_tokens(tokens: &[&[u8]]) -> Result<Alphabet> {
    let begins = |&&alphabet: &&Alphabet| {
        let wanted = alphabet.tokens();
        tokens.len() >= wanted.len()
            && wanted.iter().zip(tokens).all(|(byte, token)| *token == [*byte])
    };
    match Alphabet::ALL.iter().find(begins) {
        Some(&alphabet) => Ok(alphabet),
        None => fail(
            "the first tokens must be the single bytes in order: all 256, or the 243 that occur in \
             UTF-8",
        ),
    }
}

/// The order of ids that a vocabulary has: creation where that fits, otherwise regular-first.
///
/// # Errors
/// [`ErrorKind::Model`] if neither fits.
pub(crate) fn id_order_of_tokens(
    ops: &[Op],
    made: &Vocabulary,
    tokens: &[&[u8]],
) -> Result<IdOrder> {
    if made.size() != tokens.len() {
        return fail(format!(
            "the ops make {} tokens, the vocabulary has {}",
            made.size(),
            tokens.len()
        ));
    }
    let wrong = |id_order| {
        let order = final_order(ops, made.len(), id_order);
        let id = order.iter().zip(tokens).position(|(&number, token)| made.token(number) != *token);
        id.map(|id| (id, order[id]))
    };
    let Some((id, number)) = wrong(IdOrder::Creation) else { return Ok(IdOrder::Creation) };
    if wrong(IdOrder::RegularFirst).is_none() {
        return Ok(IdOrder::RegularFirst);
    }
    fail(format!(
        "the ops do not make these tokens in this order: id {id} should be {}, not {}",
        hex(&made.token(number)),
        hex(tokens[id])
    ))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
