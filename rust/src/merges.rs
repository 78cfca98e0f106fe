//! Phase 1: regular merges, inside pretokens (SPEC section 4).

use std::cmp::Reverse;

use crate::arena::{Arena, Row};
use crate::deletions::is_used_up;
use crate::error::{Error, ErrorKind, Progress, Result};
use crate::model::{Op, OpKind};
use crate::pairs::Pairs;
use crate::settings::{Alphabet, Scheme, Settings, Tau};
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
    train_vocabulary(pretokens, settings, &mut |_| (), progress).map(|(ops, stop, _)| (ops, stop))
}

/// As [`train_merges`]; returns also the vocabulary that the ops make, and calls `made` with each of
/// them.
///
/// # Errors
/// As for [`train_merges`].
pub(crate) fn train_vocabulary(
    pretokens: &PretokenCounts,
    settings: &Settings,
    made: &mut dyn FnMut(&Op),
    progress: &mut Progress<'_>,
) -> Result<(Vec<Op>, Stop, Vocabulary)> {
    let vocabulary = Vocabulary::new(settings.alphabet);
    let size = vocabulary.len();
    let wanted = (settings.regular_vocab_size as usize).saturating_sub(size);
    let number = byte_tokens(pretokens, settings.alphabet)?;
    let ticker = &mut Ticker::new(progress, "merges", wanted as u64);
    ticker.report(0)?;
    let Table { items, ends, counts } = pretokens;
    let row = Row::new(items, ends, counts, |byte| number[usize::from(byte)], ticker)?;
    let arena = Arena::new([row], size)?;
    // Deletes let counts rise: then a pair that is too rare to be kept may not stay so.
    let floor = match settings.tau {
        None => {
            let floor = first_floor(pretokens, settings).max(settings.min_count);
            floor.max(floor_of_documents(pretokens, settings, wanted as u64))
        }
        Some(_) => 1,
    };
    let limits = (settings.max_token_bytes, None);
    let counted = Pairs::count(vocabulary, arena, settings.rules, limits, floor, 1, ticker)?;
    let mut pairs = counted.note_places(ticker)?;
    if settings.tau.is_some() {
        pairs.allow_deletes(settings.blow_up);
    }
    let (tau, least) = (settings.tau, settings.min_count);
    let (ops, stop) = merge_best(OpKind::Merge, wanted, &mut pairs, least, tau, made, ticker)?;
    Ok((ops, stop, pairs.into_vocabulary()))
}

/// Merges the best pair again and again, until `wanted` tokens are added: the ops, with each merge of
/// which `made` is called, and why they end. With `tau` a merge is followed by the deletes of what it
/// uses up.
///
/// # Errors
/// What the progress callback returns.
pub fn merge_best(
    kind: OpKind,
    wanted: usize,
    pairs: &mut Pairs,
    min_count: u64,
    tau: Option<Tau>,
    made: &mut dyn FnMut(&Op),
    ticker: &mut Ticker<'_, '_>,
) -> Result<(Vec<Op>, Stop)> {
    let size = pairs.vocabulary().size();
    let mut ops = Vec::new();
    let mut added = 0;
    let stop = loop {
        if added >= wanted {
            break Stop::VocabSize;
        }
        let Some(best) = pairs.best(min_count, ticker)? else {
            break if pairs.any_left(|_| true) { Stop::MinCount } else { Stop::NoPairs };
        };
        let (left, right) = (best.left, best.right);
        let before = [left, right].map(|token| pairs.standing(token));
        let op = pairs.merge(best, kind, ticker)?;
        made(&op);
        ops.push(op);
        for (index, token) in [left, right].into_iter().enumerate() {
            let is_first = index == 0 || left != right;
            if is_first
                && pairs.vocabulary().length(token) > 1
                && tau.is_some_and(|tau| is_used_up(best.count, before[index], tau))
            {
                ops.push(pairs.delete(token, ticker)?);
            }
        }
        added = pairs.vocabulary().size() - size;
        ticker.step(added as u64)?;
    };
    ticker.report(added as u64)?;
    Ok((ops, stop))
}

/// A count below which no merge of phase 1 will be needed.
///
/// A pretoken that is not one token yet holds a pair at least as frequent as it is. So before the
/// best pair is rarer than a pretoken, that has become one token, and so have all that are as
/// frequent; each is a token of its own. Hence if n tokens are wanted, the n-th most frequent
/// pretoken decides.
pub(crate) fn first_floor(pretokens: &PretokenCounts, settings: &Settings) -> u64 {
    let size = settings.alphabet.tokens().len();
    let wanted = (settings.regular_vocab_size as usize).saturating_sub(size);
    let most = settings.max_token_bytes.unwrap_or(u64::MAX);
    let can_be_made = |pretoken: &[u8]| pretoken.len() > 1 && pretoken.len() as u64 <= most;
    let mut counts: Vec<u64> = pretokens
        .iter()
        .filter(|&(pretoken, _)| can_be_made(pretoken))
        .map(|(_, count)| count)
        .collect();
    if wanted == 0 || wanted > counts.len() {
        return 1;
    }
    let (_, count, _) = counts.select_nth_unstable_by_key(wanted - 1, |&count| Reverse(count));
    *count
}

/// A guess at such a count where documents are pretokens, whose counts tell little: the last pair of
/// a text occurs a tenth to a thirtieth as often as it would if all merges had shared its bytes. 1
/// where they are not.
fn floor_of_documents(pretokens: &PretokenCounts, settings: &Settings, wanted: u64) -> u64 {
    if settings.cutting.scheme != Some(Scheme::None) || wanted == 0 {
        return 1;
    }
    let total = pretokens.iter().map(|(document, count)| document.len() as u64 * count);
    total.sum::<u64>().div_ceil(32 * wanted).max(1)
}

/// The token of every byte of an alphabet; checks that it has all bytes of the pretokens.
pub(crate) fn byte_tokens(pretokens: &PretokenCounts, alphabet: Alphabet) -> Result<[u32; 256]> {
    let number = alphabet.numbers();
    let missing = |byte: &u8| number[usize::from(*byte)] == u32::MAX;
    if !pretokens.items.iter().any(missing) {
        return Ok(number);
    }
    // The order of the table is no order to report in.
    let bad = pretokens.iter().map(|(pretoken, _)| pretoken);
    let bad = bad.filter(|pretoken| pretoken.iter().any(missing)).min().unwrap_or_default();
    let byte = bad.iter().copied().find(missing).unwrap_or_default();
    let hex: String = bad.iter().map(|byte| format!("{byte:02x}")).collect();
    Err(Error::new(
        ErrorKind::Input,
        format!(
            "pretoken {hex} has the byte {byte:02x}, which is not in the alphabet '{}'; \
             use the alphabet 'bytes'",
            alphabet.name()
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::no_progress;
    use crate::settings::{Algorithm, BlowUp};

    #[test]
    fn no_merge_that_is_needed_is_below_the_floor() {
        let mut state = 3_u64;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % bound
        };
        let mut above_one = 0;
        for _ in 0..2000 {
            let letters = 1 + below(4);
            let mut words: Vec<Vec<u8>> = (0..=below(20))
                .map(|_| (0..=below(9)).map(|_| b'a' + below(letters) as u8).collect())
                .collect();
            words.sort();
            words.dedup();
            let mut pretokens = PretokenCounts::default();
            words.iter().for_each(|word| pretokens.push(word, 1 + below(30)));
            let wanted = below(20);
            let mut settings = Settings::new(Algorithm::Bpe, 0, 256 + wanted as u32, 0);
            settings.max_token_bytes = [None, Some(1 + below(9))][below(2) as usize];
            settings.tau = [None, Tau::new(1, 2), Tau::new(9, 10)][below(3) as usize];
            settings.blow_up = BlowUp::ALL[below(2) as usize];
            let floor = first_floor(&pretokens, &settings);
            let (ops, stop) = train_merges(&pretokens, &settings, &mut no_progress).unwrap();
            if floor > 1 {
                above_one += 1;
                assert_eq!(stop, Stop::VocabSize);
            }
            // With deletes, too: where a pretoken is one token, that is in the vocabulary.
            assert!(ops.iter().all(|op| op.kind == OpKind::Delete || op.count >= floor));
        }
        assert!(above_one > 500);
    }
}
