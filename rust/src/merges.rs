//! Phase 1: regular merges, inside pretokens (SPEC section 4).

use crate::arena::Arena;
use crate::error::{Error, ErrorKind, Progress, Result};
use crate::model::{Op, OpKind};
use crate::pairs::Pairs;
use crate::settings::{Alphabet, Settings};
use crate::tables::PretokenCounts;
use crate::ticker::Ticker;
use crate::tokens::Tokens;

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
    let tokens = Tokens::new(settings.alphabet);
    let size = tokens.len();
    let goal = settings.regular_vocab_size as usize;
    let number = check_pretokens(pretokens, settings.alphabet)?;
    let ticker = &mut Ticker::new(progress, "merges", goal.saturating_sub(size) as u64);
    ticker.report(0)?;
    let PretokenCounts { bytes, ends, counts } = pretokens;
    let arena = Arena::new(bytes, ends, counts, size, |byte| number[usize::from(byte)], ticker)?;
    let mut pairs =
        Pairs::new(tokens, arena, settings.rules, settings.max_token_bytes, None, ticker)?;
    let mut ops = Vec::new();
    let stop = loop {
        if pairs.tokens().len() >= goal {
            break Stop::VocabSize;
        }
        let Some(best) = pairs.best() else { break Stop::NoPairs };
        if best.count < settings.min_count {
            break Stop::MinCount;
        }
        let new = pairs.merge(best, ticker)?;
        let (left, right, count) = (best.left, best.right, best.count);
        ops.push(Op { kind: OpKind::Merge, left, right, new, count });
        ticker.step((pairs.tokens().len() - size) as u64)?;
    };
    ticker.report((pairs.tokens().len() - size) as u64)?;
    Ok((ops, stop))
}

/// The token of every byte; checks that the alphabet has all bytes of the pretokens.
fn check_pretokens(pretokens: &PretokenCounts, alphabet: Alphabet) -> Result<[u32; 256]> {
    let mut number = [u32::MAX; 256];
    for (i, byte) in alphabet.tokens().into_iter().enumerate() {
        number[usize::from(byte)] = i as u32;
    }
    let missing = |byte: &u8| number[usize::from(*byte)] == u32::MAX;
    if pretokens.bytes.iter().any(missing) {
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
