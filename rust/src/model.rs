//! The plain data that stages exchange: ops and models.

use crate::settings::{Algorithm, Alphabet, BlowUp, Cutting, IdOrder, Rules, Tau};

/// Which operation training performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    /// A regular merge, inside a pretoken.
    Merge,
    /// A merge of two tokens that are each one or more whole pretokens.
    Supermerge,
    /// A token leaves the vocabulary; left, right and new are that token, and the count is 0.
    Delete,
}

/// One operation. Tokens are creation numbers: the alphabet, then distinct new byte strings in the
/// order in which ops first made them. `new` may be older than the op (its bytes existed already).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// Merge, supermerge or delete.
    pub kind: OpKind,
    /// Creation number of the left part.
    pub left: u32,
    /// Creation number of the right part.
    pub right: u32,
    /// Creation number of the result.
    pub new: u32,
    /// How many replacements training made.
    pub count: u64,
}

/// A trained model: everything the artifact stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// Which algorithm trained it.
    pub algorithm: Algorithm,
    /// The initial vocabulary.
    pub alphabet: Alphabet,
    /// Pair counting and ties.
    pub rules: Rules,
    /// How text is cut.
    pub cutting: Cutting,
    /// The order of the final ids.
    pub id_order: IdOrder,
    /// Special tokens in the order of their ids.
    pub special_tokens: Vec<String>,
    /// The Unicode version of the tables, `17.0.0`.
    pub unicode: String,
    /// What made a merge delete a token; `None`: nothing was deleted.
    pub tau: Option<Tau>,
    /// What stands for a deleted token; `None` without `tau`.
    pub blow_up: Option<BlowUp>,
    /// `ngram_floor` if candidates were split at rare n-grams.
    pub ngram_floor: Option<u64>,
    /// `ngram_max_length` if they were.
    pub ngram_max_length: Option<u64>,
    /// Documents of the corpus, empty ones too.
    pub documents: u64,
    /// UTF-8 bytes of all pretokens of the corpus.
    pub bytes: u64,
    /// Pretokens of the corpus.
    pub pretokens: u64,
    /// Distinct pretokens of the corpus.
    pub distinct_pretokens: u64,
    /// The operations in the order of training.
    pub ops: Vec<Op>,
    /// The ids of the special tokens, ascending; `None`: they follow the ordinary tokens.
    pub special_ids: Option<Vec<u32>>,
}

/// A merge of a published file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedMerge {
    /// Its place among the merges and deletions of its section.
    pub index: u64,
    /// The left token.
    pub left: Vec<u8>,
    /// The right token.
    pub right: Vec<u8>,
    /// How many replacements training made.
    pub count: u64,
    /// Whether it made some pretoken or candidate whole.
    pub flag: bool,
}

/// The section `words` or `superwords` of a published file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedOps {
    /// Its line as it stands in the file.
    pub configuration: String,
    /// Merges by increasing index.
    pub merges: Vec<PublishedMerge>,
    /// Index and token of each deletion, by increasing index.
    pub deletions: Vec<(u64, Vec<u8>)>,
}

/// A published file of version 2 as rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// `word`, `boundless` or `superbpe`.
    pub kind: String,
    /// Token, count, and whether a supermerge made it.
    pub vocabulary: Vec<(Vec<u8>, u64, bool)>,
    /// Special tokens in the order of their ids.
    pub special_tokens: Vec<String>,
    /// Regular merges.
    pub words: PublishedOps,
    /// Supermerges; `None` for the kind `word`.
    pub superwords: Option<PublishedOps>,
}
