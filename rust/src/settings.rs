//! Settings with their names, as both languages write them.

use crate::error::{Error, ErrorKind, Result};

/// Ids in all, special tokens included (SPEC 1).
pub const MAX_IDS: usize = (1 << 31) - 1;
/// The highest count; what fits a signed 64-bit integer, so that both languages can have one bound.
pub const MAX_COUNT: u64 = i64::MAX as u64;

macro_rules! named {
    ($(#[$doc:meta])* $name:ident $what:literal { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// Every value, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name that users write.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// The value of this name.
            ///
            /// # Errors
            /// [`ErrorKind::Settings`] if there is none.
            pub fn from_name(name: &str) -> Result<Self> {
                Self::ALL.iter().copied().find(|x| x.name() == name).ok_or_else(|| {
                    let known: Vec<_> = Self::ALL.iter().map(|x| x.name()).collect();
                    Error::new(ErrorKind::Settings,
                        format!(concat!($what, " must be one of {}, not '{}'"), known.join(", "), name))
                })
            }
        }
    };
}

pub(crate) use named;

named! {
    /// The training algorithm.
    Algorithm "algorithm" {
        /// Regular merges alone.
        Bpe = "bpe",
        /// All regular merges, then supermerges.
        Superbpe = "superbpe",
        /// Regular merges and supermerges by count.
        Boundless = "boundless",
    }
}
named! {
    /// The pretokenization scheme.
    Scheme "scheme" {
        /// The pattern of GPT-2.
        Gpt2 = "gpt2",
        /// The pattern of GPT-4 (cl100k).
        Gpt4 = "gpt4",
        /// The pattern of GPT-4o (o200k).
        Gpt4o = "gpt4o",
        /// Chunks of one script, then `gpt4o` or its letter-by-letter form.
        Gpt4oScripts = "gpt4o-scripts",
        /// No pretoken takes a second script; the default.
        Gpt4oUniscript = "gpt4o-uniscript",
        /// A text is one pretoken; for BPE of bytes by the rules `incremental` alone.
        None = "none",
    }
}
named! {
    /// How pairs are counted and ties are broken.
    Rules "rules" {
        /// Disjoint counts, ties by bytes.
        Superword = "superword",
        /// Overlapping counts, ties by ids.
        Incremental = "incremental",
    }
}
named! {
    /// The initial vocabulary.
    Alphabet "alphabet" {
        /// All 256 bytes; id = byte.
        Bytes = "bytes",
        /// The 243 bytes that occur in UTF-8, dense in byte order.
        Utf8 = "utf8",
    }
}
named! {
    /// The order of the final ids.
    IdOrder "id_order" {
        /// What regular merges make before what only supermerges make.
        RegularFirst = "regular-first",
        /// The order of creation.
        Creation = "creation",
        /// The order of creation, behind the 256 bytes in the order of GPT-2's vocabulary.
        Gpt2 = "gpt2",
    }
}

named! {
    /// What stands for a deleted token.
    BlowUp "blow_up" {
        /// Left and right of its earliest merge.
        Pair = "pair",
        /// Its bytes.
        Bytes = "bytes",
    }
}

/// The share of a token that a merge must take to have it deleted: an exact fraction, above 0 and at
/// most 1, reduced, of two numbers that are at most [`MAX_COUNT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tau {
    part: u64,
    whole: u64,
}

impl Tau {
    /// The fraction of these two numbers, if they are what they must be.
    pub fn new(part: u64, whole: u64) -> Option<Self> {
        let (mut divisor, mut rest) = (part, whole);
        while rest > 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        let is_share = 0 < part && part <= whole && whole <= MAX_COUNT;
        (is_share && divisor == 1).then_some(Self { part, whole })
    }

    /// The numbers above and below the line.
    pub fn terms(self) -> (u64, u64) {
        (self.part, self.whole)
    }
}

impl std::fmt::Display for Tau {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}/{}", self.part, self.whole)
    }
}

impl Alphabet {
    /// The single-byte tokens in the order of their creation numbers.
    pub fn tokens(self) -> Vec<u8> {
        match self {
            Self::Bytes => (0..=255).collect(),
            Self::Utf8 => (0..=0xBF).chain(0xC2..=0xF4).collect(),
        }
    }

    /// By byte: the creation number of its token; `u32::MAX` where there is none.
    pub fn numbers(self) -> [u32; 256] {
        let mut numbers = [u32::MAX; 256];
        for (number, byte) in self.tokens().into_iter().enumerate() {
            numbers[usize::from(byte)] = number as u32;
        }
        numbers
    }
}

/// What is eligible unless the user says otherwise.
pub const ELIGIBLE_PATTERN: &str = "\\p{L}";

/// How text is cut, and which pieces may be parts of superwords: a scheme, or a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cutting {
    /// The pretokenization scheme, if no pattern takes its place.
    pub scheme: Option<Scheme>,
    /// The pattern, as the user gave it.
    pub pattern: Option<String>,
    /// The pattern for chunks of the scripts in `scripts`; both or neither are there.
    pub script_pattern: Option<String>,
    /// Long names of scripts, ascending.
    pub scripts: Option<Vec<String>>,
    /// What a pretoken must hold to be eligible.
    pub eligible_pattern: String,
}

impl From<Scheme> for Cutting {
    fn from(scheme: Scheme) -> Self {
        Self {
            scheme: Some(scheme),
            pattern: None,
            script_pattern: None,
            scripts: None,
            eligible_pattern: ELIGIBLE_PATTERN.to_string(),
        }
    }
}

/// Everything that training needs to know, already validated and resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Ordinary tokens wanted in all.
    pub vocab_size: u32,
    /// Ordinary tokens at which phase 1 stops.
    pub regular_vocab_size: u32,
    /// Tokens that supermerges may add (SuperBPE only).
    pub supermerges: u32,
    /// How text is cut.
    pub cutting: Cutting,
    /// Pair counting and ties.
    pub rules: Rules,
    /// The lowest count at which a pair is merged.
    pub min_count: u64,
    /// The longest token in bytes, if limited.
    pub max_token_bytes: Option<u64>,
    /// The longest superword in pretokens, if limited.
    pub max_superword_pretokens: Option<u64>,
    /// Special tokens in the order of their ids.
    pub special_tokens: Vec<String>,
    /// The initial vocabulary.
    pub alphabet: Alphabet,
    /// The order of the final ids.
    pub id_order: IdOrder,
    /// What makes a merge delete a token, if anything does.
    pub tau: Option<Tau>,
    /// What stands for a deleted token.
    pub blow_up: BlowUp,
    /// Whether candidates are split at rare n-grams.
    pub ngram_split: bool,
    /// The least count at which an n-gram stays whole.
    pub ngram_floor: u64,
    /// The longest n-gram that stays whole, in pretokens.
    pub ngram_max_length: u64,
}

impl Settings {
    /// Settings that leave all else at its default.
    pub fn new(
        algorithm: Algorithm,
        vocab_size: u32,
        regular_vocab_size: u32,
        supermerges: u32,
    ) -> Self {
        Self {
            algorithm,
            vocab_size,
            regular_vocab_size,
            supermerges,
            cutting: Scheme::Gpt4oUniscript.into(),
            rules: Rules::Superword,
            min_count: 1,
            max_token_bytes: None,
            max_superword_pretokens: None,
            special_tokens: vec![],
            alphabet: Alphabet::Bytes,
            id_order: IdOrder::RegularFirst,
            tau: None,
            blow_up: BlowUp::Pair,
            ngram_split: false,
            ngram_floor: 15,
            ngram_max_length: 30,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_reduced_and_not_above_one() {
        let most = MAX_COUNT;
        assert_eq!(Tau::new(9, 10).map(|tau| tau.to_string()), Some("9/10".to_string()));
        assert_eq!(Tau::new(1, most).map(Tau::terms), Some((1, most)));
        assert!(Tau::new(1, 1).is_some());
        for (part, whole) in [(0, 1), (2, 1), (2, 4), (1, 0), (0, 0), (1, most + 1)] {
            assert_eq!(Tau::new(part, whole), None);
        }
    }
}
