//! Phase 2: supermerges, over candidates made of whole pretokens (SPEC section 8).

use crate::arena::Arena;
use crate::error::{Progress, Result};
use crate::merges::{Stop, merge_best};
use crate::model::{Op, OpKind};
use crate::pairs::Pairs;
use crate::settings::{Algorithm, Rules, Settings};
use crate::tables::{SequenceCounts, Table};
use crate::ticker::Ticker;
use crate::vocabulary::vocabulary_of_ops;

/// Returns the ops of the final model, supermerges among them, and why they end.
///
/// `ops` are those of phase 1, `candidates` sequences of its creation numbers. SuperBPE takes all
/// of `ops` and then supermerges; BoundlessBPE replays them against the supermerges. In the result
/// creation numbers follow the final order.
///
/// # Errors
/// [`crate::ErrorKind::Model`] if the ops do not fit together, [`crate::ErrorKind::Training`] if a
/// count could pass 2^63 - 1, and what the progress callback returns.
pub fn train_superwords(
    ops: &[Op],
    candidates: &SequenceCounts,
    settings: &Settings,
    progress: &mut Progress<'_>,
) -> Result<(Vec<Op>, Stop)> {
    let alphabet = settings.alphabet.tokens().len();
    let wanted = match settings.algorithm {
        Algorithm::Superbpe => settings.supermerges as usize,
        _ => (settings.vocab_size as usize).saturating_sub(alphabet),
    };
    let ticker = &mut Ticker::new(progress, "superwords", wanted as u64);
    ticker.report(0)?;
    let vocabulary = vocabulary_of_ops(ops, settings.alphabet, ticker)?;
    let Table { items, ends, counts } = candidates;
    let arena = Arena::new(items, ends, counts, vocabulary.len(), |token| token, ticker)?;
    let limits = (settings.max_token_bytes, settings.max_superword_pretokens);
    let mut pairs = Pairs::new(vocabulary, arena, Rules::Superword, limits.0, limits.1, 1, ticker)?;
    let (ops, stop) = match settings.algorithm {
        Algorithm::Superbpe => {
            let min_count = settings.min_count;
            let (added, stop) =
                merge_best(OpKind::Supermerge, wanted, &mut pairs, min_count, ticker)?;
            ([ops, &added].concat(), stop)
        }
        _ => replay_merges(ops, &mut pairs, alphabet, settings, ticker)?,
    };
    Ok((renumber(&ops, alphabet), stop))
}

/// BoundlessBPE: of the best supermerge and the next regular merge, the more frequent one.
fn replay_merges(
    ops: &[Op],
    pairs: &mut Pairs,
    alphabet: usize,
    settings: &Settings,
    ticker: &mut Ticker<'_, '_>,
) -> Result<(Vec<Op>, Stop)> {
    let mut out = Vec::new();
    // Which tokens some op has made; numbers of phase 1 stand for bytes here, made or not yet.
    let mut made = vec![false; pairs.vocabulary().len()];
    made[..alphabet].fill(true);
    let mut size = alphabet;
    let mut waiting = ops.iter();
    let stop = loop {
        ticker.step((size - alphabet) as u64)?;
        if size >= settings.vocab_size as usize {
            break Stop::VocabSize;
        }
        let best = pairs.best(1, ticker)?;
        let op = match (best, waiting.as_slice().first()) {
            // A part that no op has made yet gives way. It cannot happen when `ops` and the
            // candidates come from the same corpus, nor once all of `ops` are replayed.
            (Some(best), regular)
                if best.count >= settings.min_count
                    && regular.is_none_or(|op| {
                        best.count > op.count
                            && made[best.left as usize]
                            && made[best.right as usize]
                    }) =>
            {
                pairs.merge(best, OpKind::Supermerge, ticker)?
            }
            (_, Some(&op)) => {
                waiting.next();
                op
            }
            (None, None) => break Stop::NoPairs,
            (Some(_), None) => break Stop::MinCount,
        };
        out.push(op);
        made.resize(pairs.vocabulary().len(), false);
        if !std::mem::replace(&mut made[op.new as usize], true) {
            size += 1;
        }
    };
    ticker.report((size - alphabet) as u64)?;
    Ok((out, stop))
}

/// Gives every token the number that follows from the order of `ops`.
fn renumber(ops: &[Op], alphabet: usize) -> Vec<Op> {
    let last = ops.iter().map(|op| op.new as usize + 1).max().unwrap_or(0);
    let mut number = vec![u32::MAX; last.max(alphabet)];
    let mut next = 0;
    let mut assign = |number: &mut u32| {
        if *number == u32::MAX {
            *number = next;
            next += 1;
        }
        *number
    };
    number[..alphabet].iter_mut().for_each(|number| {
        assign(number);
    });
    let mut out = Vec::with_capacity(ops.len());
    for op in ops {
        let (left, right) = (number[op.left as usize], number[op.right as usize]);
        let new = assign(&mut number[op.new as usize]);
        out.push(Op { left, right, new, ..*op });
    }
    out
}
