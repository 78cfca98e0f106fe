//! Phase 1: regular merges, inside pretokens (SPEC section 4).

use crate::arena::Arena;
use crate::error::{Error, ErrorKind, Progress, Result};
use crate::model::{Op, OpKind};
use crate::pairs::Pairs;
use crate::settings::{Alphabet, Settings};
use crate::tables::{PretokenCounts, Table};
use crate::ticker::Ticker;
use crate::vocabulary::Vocabulary;

/// Why a phase of training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It made as many tokens as were asked of it.
    VocabSize,
    /// No pair is left.
    NoPairs,
    /// Pairs are left, but rarer than `min_count`.
    MinCount,
}

impl Stop {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::VocabSize => "vocab_size",
            Self::NoPairs => "no_pairs",
            Self::MinCount => "min_count",
        }
    }
}

/// Merges the best pair again and again, to `settings.regular_vocab_size` tokens.
///
/// Returns the ops and why they end.
///
/// # Errors
/// [`ErrorKind::Input`] for a byte that the alphabet lacks, [`ErrorKind::Training`] if a count
/// could pass 2^63 - 1, and what the progress callback returns.
pub fn train_merges(
    pretokens: &PretokenCounts,
    settings: &Settings,
    progress: &mut Progress<'_>,
) -> Result<(Vec<Op>, Stop)> {
    let vocabulary = Vocabulary::new(settings.alphabet);
    let size = vocabulary.len();
    let wanted = (settings.regular_vocab_size as usize).saturating_sub(size);
    let number = byte_tokens(pretokens, settings.alphabet)?;
    let ticker = &mut Ticker::new(progress, "merges", wanted as u64);
    ticker.report(0)?;
    let Table { items, ends, counts } = pretokens;
    let arena = Arena::new(items, ends, counts, size, |byte| number[usize::from(byte)], ticker)?;
    let mut pairs =
        Pairs::new(vocabulary, arena, settings.rules, settings.max_token_bytes, None, ticker)?;
    merge_best(OpKind::Merge, wanted, &mut pairs, settings.min_count, ticker)
}

/// Merges the best pair again and again, until `wanted` tokens are added: the ops, and why they
/// end.
///
/// # Errors
/// What the progress callback returns.
pub fn merge_best(
    kind: OpKind,
    wanted: usize,
    pairs: &mut Pairs,
    min_count: u64,
    ticker: &mut Ticker<'_, '_>,
) -> Result<(Vec<Op>, Stop)> {
    let size = pairs.vocabulary().len();
    let mut ops = Vec::new();
    let mut added = 0;
    let stop = loop {
        if added >= wanted {
            break Stop::VocabSize;
        }
        let Some(best) = pairs.best() else { break Stop::NoPairs };
        if best.count < min_count {
            break Stop::MinCount;
        }
        ops.push(pairs.merge(best, kind, ticker)?);
        added = pairs.vocabulary().len() - size;
        ticker.step(added as u64)?;
    };
    ticker.report(added as u64)?;
    Ok((ops, stop))
}

/// The token of every byte of an alphabet; checks that it has all bytes of the pretokens.
fn byte_tokens(pretokens: &PretokenCounts, alphabet: Alphabet) -> Result<[u32; 256]> {
    let number = alphabet.numbers();
    let missing = |byte: &u8| number[usize::from(*byte)] == u32::MAX;
    if pretokens.items.iter().any(missing) {
        for (pretoken, _) in pretokens.iter() {
            if let Some(byte) = pretoken.iter().copied().find(missing) {
                let hex: String = pretoken.iter().map(|byte| format!("{byte:02x}")).collect();
                return Err(Error::new(
                    ErrorKind::Input,
                    format!(
                        "pretoken {hex} has the byte {byte:02x}, which is not in the alphabet \
                         '{}'; use the alphabet 'bytes'",
                        alphabet.name()
                    ),
                ));
            }
        }
    }
    Ok(number)
}
