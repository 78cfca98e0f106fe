//! What published files say of the corpus, and the file of a training (SPEC 10).
//!
//! Two columns are in no artifact: how often each token stands in the corpus at the end, and
//! whether an op made some whole pretoken (of supermerges: some whole candidate) one token.

use hashbrown::HashMap;

use crate::candidates::{single_token_pretokens, split_runs};
use crate::counts::Counts;
use crate::deletions::{Parts, parts_of_ops};
use crate::error::{Error, ErrorKind, Progress, Result};
use crate::merges::{byte_tokens, train_merges};
use crate::model::{Op, OpKind};
use crate::model_file::{Limits, model_from_bytes, model_to_bytes};
use crate::ngram_split::split_ngrams;
use crate::one_phase_file::one_phase_from_bytes;
use crate::published_file::{published_from_bytes, published_to_bytes};
use crate::published_model::{model_of_published, published_of_model};
use crate::settings::{Algorithm, MAX_COUNT, Settings};
use crate::tables::{PretokenCounts, SequenceCounts};
use crate::ticker::Ticker;
use crate::vocabulary::{Vocabulary, vocabulary_of_ops};

const STAGE: &str = "publish";
/// Between two sequences, and what stands where a merge took the right part away.
const END: u32 = u32::MAX;
/// A token that the model lacks.
const UNKNOWN: u32 = u32::MAX - 1;

/// The published file of a training with these counts and settings, which gave this artifact.
///
/// # Errors
/// [`ErrorKind::Settings`] as [`crate::published_settings::check_publishable`];
/// [`ErrorKind::Training`] if a count would pass 2^63 - 1; what the progress callback returns.
pub fn publish(
    counts: &Counts,
    settings: &Settings,
    artifact: &[u8],
    progress: &mut Progress<'_>,
) -> Result<Vec<u8>> {
    let limits = Limits {
        any_unicode: true,
        max_token_bytes: Some(MAX_COUNT),
        max_total_bytes: Some(MAX_COUNT),
    };
    let model = model_from_bytes(artifact, &limits, progress)?;
    let pretokens = counts.sorted_pretokens(progress)?;
    let mut candidates = SequenceCounts::default();
    if settings.algorithm != Algorithm::Bpe {
        // What is a candidate depends on all of phase 1, also on ops that the model has not.
        let (ops, _) = train_merges(&pretokens, settings, progress)?;
        let single = single_token_pretokens(&ops, &pretokens, settings, progress)?;
        candidates = split_runs(&counts.sorted_runs(progress)?, &single, progress)?;
        if settings.ngram_split {
            let pieces = split_ngrams(&ops, candidates.clone(), settings, progress)?;
            candidates = with_singles(&candidates, pieces);
        }
        let ticker = &mut Ticker::new(progress, STAGE, 0);
        let made = vocabulary_of_ops(&ops, settings.alphabet, ticker)?;
        let known = vocabulary_of_ops(&model.ops, settings.alphabet, ticker)?;
        // No op of the model has a token that the model lacks: one number will do for all of them.
        let number = |token: u32| known.number(&made.token(token)).unwrap_or(UNKNOWN);
        let numbers: Vec<u32> = (0..made.len() as u32).map(number).collect();
        candidates.items.iter_mut().for_each(|item| *item = numbers[*item as usize]);
    }
    let (token_counts, flags) =
        published_columns(&model.ops, &pretokens, &candidates, settings, progress)?;
    published_to_bytes(&published_of_model(&model, &token_counts, &flags, progress)?)
}

/// The pieces of split candidates with those of one pretoken, which such files count, too.
fn with_singles(whole: &SequenceCounts, mut pieces: SequenceCounts) -> SequenceCounts {
    let size = whole.items.iter().max().map_or(0, |&token| token as usize + 1);
    let mut left = vec![0_u64; size]; // no sum passes 2^63 - 1, as splitting has checked
    for (tokens, count) in whole.iter() {
        tokens.iter().for_each(|&token| left[token as usize] += count);
    }
    for (tokens, count) in pieces.iter() {
        tokens.iter().for_each(|&token| left[token as usize] -= count);
    }
    for (token, count) in (0..).zip(left).filter(|&(_, count)| count > 0) {
        pieces.push(&[token], count);
    }
    pieces
}

/// The artifact of a published file of any version, with 0 for what the file does not hold.
///
/// # Errors
/// [`ErrorKind::Model`] if the file is damaged or contradicts itself, or a limit is passed; what
/// the progress callback returns.
pub fn artifact_of_published(
    data: &[u8],
    limits: &Limits,
    progress: &mut Progress<'_>,
) -> Result<Vec<u8>> {
    if data.starts_with(b"word ") {
        return Ok(model_to_bytes(&one_phase_from_bytes(data, limits, progress)?));
    }
    let published = published_from_bytes(data, progress)?;
    Ok(model_to_bytes(&model_of_published(&published, limits, progress)?))
}

/// Replays all ops on the corpus and sees what is left and what became whole. Returns by creation
/// number how often the token stands at the end, in the pretokens for BPE, otherwise in the
/// candidates; and by op whether it made some pretoken, or if it is a supermerge some candidate,
/// one token; a delete makes none.
///
/// # Errors
/// [`ErrorKind::Training`] if a count would pass 2^63 - 1, [`ErrorKind::Model`] if the ops do not
/// fit together; what the progress callback returns.
pub fn published_columns(
    ops: &[Op],
    pretokens: &PretokenCounts,
    candidates: &SequenceCounts,
    settings: &Settings,
    progress: &mut Progress<'_>,
) -> Result<(Vec<u64>, Vec<bool>)> {
    let total = ops.len() as u64;
    let ticker = &mut Ticker::new(progress, STAGE, total);
    ticker.report(0)?;
    let made = vocabulary_of_ops(ops, settings.alphabet, ticker)?;
    let numbers = byte_tokens(pretokens, settings.alphabet)?;
    let mut texts = SequenceCounts::default();
    let mut text = Vec::new();
    for (pretoken, count) in pretokens.iter() {
        ticker.work(pretoken.len())?;
        text.clear();
        text.extend(pretoken.iter().map(|&byte| numbers[usize::from(byte)]));
        texts.push(&text, count);
    }
    let parts = parts_of_ops(ops, &made, settings.blow_up);
    let mut words = Replay::new(&texts, ops, OpKind::Merge, &parts, ticker)?;
    drop(texts);
    let no_parts = Parts::new();
    let mut runs = Replay::new(candidates, ops, OpKind::Supermerge, &no_parts, ticker)?;
    let mut flags = Vec::with_capacity(ops.len());
    for (index, op) in ops.iter().enumerate() {
        ticker.step(index as u64)?;
        flags.push(match op.kind {
            OpKind::Merge => words.merge(op, ticker)?,
            OpKind::Supermerge => runs.merge(op, ticker)?,
            OpKind::Delete => {
                words.delete(op.new, &made, ticker)?;
                false
            }
        });
    }
    ticker.report(total)?;
    let replay = if settings.algorithm == Algorithm::Bpe { words } else { runs };
    Ok((replay.token_counts(made.len())?, flags))
}

/// All sequences in one row, and where the pairs stand that ops will merge. A token stands at the
/// slot of its first item: where one is deleted, there is room for its parts.
struct Replay<'p> {
    /// What stands for the tokens that ops delete.
    parts: &'p Parts,
    /// By token that ops delete: where it may stand.
    homes: HashMap<u32, Vec<u32>>,
    /// By pair: where it may stand, its left part. Only pairs that some op merges are here.
    slots: HashMap<(u32, u32), Vec<u32>>,
    tokens: Vec<u32>,
    left: Vec<u32>,
    right: Vec<u32>,
    /// By slot: its sequence.
    sequence: Vec<u32>,
    /// By sequence: how many tokens it has now.
    lengths: Vec<u32>,
    /// By sequence: how often it stands in the corpus.
    counts: Vec<u64>,
}

impl<'p> Replay<'p> {
    fn new(
        sequences: &SequenceCounts,
        ops: &[Op],
        kind: OpKind,
        parts: &'p Parts,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<Self> {
        let (mut tokens, mut sequence, mut lengths) = (vec![END], vec![0], Vec::new());
        for (number, (items, _)) in (0..).zip(sequences.iter()) {
            ticker.work(items.len())?;
            tokens.extend_from_slice(items);
            tokens.push(END);
            sequence.resize(tokens.len(), number);
            lengths.push(items.len() as u32);
        }
        if u32::try_from(tokens.len()).is_err() {
            return Err(Error::new(ErrorKind::Memory, "the corpus has more than 2^32 slots"));
        }
        let of_kind = ops.iter().filter(|op| op.kind == kind);
        let mut slots: HashMap<(u32, u32), Vec<u32>> =
            of_kind.map(|op| ((op.left, op.right), Vec::new())).collect();
        for (slot, pair) in (0..).zip(tokens.windows(2)) {
            ticker.work(1)?;
            if let Some(slots) = slots.get_mut(&(pair[0], pair[1])) {
                slots.push(slot);
            }
        }
        let size = tokens.len() as u32;
        Ok(Self {
            parts,
            homes: parts.keys().map(|&token| (token, Vec::new())).collect(),
            slots,
            left: (0..size).map(|slot| slot.saturating_sub(1)).collect(),
            right: (0..size).map(|slot| (slot + 1).min(size - 1)).collect(),
            tokens,
            sequence,
            lengths,
            counts: sequences.counts.clone(),
        })
    }

    /// Replaces the pair of an op everywhere, left to right; whether a sequence became whole.
    fn merge(&mut self, op: &Op, ticker: &mut Ticker<'_, '_>) -> Result<bool> {
        let mut places =
            self.slots.get_mut(&(op.left, op.right)).map(std::mem::take).unwrap_or_default();
        places.sort_unstable();
        let mut whole = false;
        for place in places {
            ticker.work(1)?;
            let slot = place as usize;
            let after = self.right[slot] as usize;
            if self.tokens[slot] != op.left || self.tokens[after] != op.right {
                continue;
            }
            self.tokens[slot] = op.new;
            self.tokens[after] = END;
            let next = self.right[after];
            self.right[slot] = next;
            self.left[next as usize] = place;
            self.note_pair(self.left[slot]);
            self.note(place);
            let length = &mut self.lengths[self.sequence[slot] as usize];
            *length -= 1;
            whole |= *length == 1;
        }
        Ok(whole)
    }

    /// Puts the parts of a token in its place, wherever it stands.
    fn delete(
        &mut self,
        token: u32,
        vocabulary: &Vocabulary,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<()> {
        let homes = self.homes.get_mut(&token).map(std::mem::take).unwrap_or_default();
        let parts = self.parts.get(&token).map_or(&[][..], Vec::as_slice);
        for place in homes {
            ticker.work(parts.len())?;
            let slot = place as usize;
            if self.tokens[slot] != token {
                continue;
            }
            let (first, end) = (self.left[slot], self.right[slot]);
            let (mut before, mut start) = (first, place);
            for &part in parts {
                self.tokens[start as usize] = part;
                self.left[start as usize] = before;
                (before, start) = (start, start + vocabulary.length(part) as u32);
                self.right[before as usize] = start;
            }
            self.left[end as usize] = before;
            self.lengths[self.sequence[slot] as usize] += parts.len() as u32 - 1;
            self.note_pair(first);
            let mut start = place;
            while start != end {
                self.note(start);
                start = self.right[start as usize];
            }
        }
        Ok(())
    }

    /// A token now stands here.
    fn note(&mut self, place: u32) {
        self.note_pair(place);
        if let Some(homes) = self.homes.get_mut(&self.tokens[place as usize]) {
            homes.push(place);
        }
    }

    fn note_pair(&mut self, place: u32) {
        let end = self.right[place as usize] as usize;
        let pair = (self.tokens[place as usize], self.tokens[end]);
        if let Some(slots) = self.slots.get_mut(&pair) {
            slots.push(place);
        }
    }

    /// By creation number, how often each token stands; others are left out.
    fn token_counts(&self, size: usize) -> Result<Vec<u64>> {
        let mut counts = vec![0_u64; size];
        for (&token, &sequence) in self.tokens.iter().zip(&self.sequence) {
            if let Some(count) = counts.get_mut(token as usize) {
                *count += self.counts[sequence as usize]; // both are below 2^63
                if *count > MAX_COUNT {
                    let text = "a count would pass 2^63 - 1";
                    return Err(Error::new(ErrorKind::Training, text));
                }
            }
        }
        Ok(counts)
    }
}
