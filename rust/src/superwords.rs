//! Phase 2: supermerges, over candidates made of whole pretokens (SPEC section 8).

use crate::arena::{Arena, Row};
use crate::error::{Progress, Result};
use crate::merges::Stop;
use crate::model::{Op, OpKind};
use crate::pairs::{Best, Counted, Pairs};
use crate::settings::{Algorithm, Rules, Settings};
use crate::tables::{SequenceCounts, Table};
use crate::ticker::Ticker;
use crate::vocabulary::{Vocabulary, vocabulary_of_ops};

const STAGE: &str = "superwords";

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
    let ticker = &mut Ticker::new(progress, STAGE, 0);
    let vocabulary = vocabulary_of_ops(ops, settings.alphabet, ticker)?;
    let Table { items, ends, counts } = candidates;
    let rows = vec![Row::new(items, ends, counts, |token| token, ticker)?];
    let (ops, stop, _) = train_superwords_above(ops, vocabulary, rows, 1, settings, 1, progress)?;
    Ok((ops, stop))
}

/// As [`train_superwords`], with the vocabulary that `ops` make, where `rows` of candidates may lack
/// what supermerges of a count below `floor` need; tells also whether the result is sure not to
/// depend on such a supermerge.
///
/// # Errors
/// As for [`train_superwords`].
pub(crate) fn train_superwords_above(
    ops: &[Op],
    vocabulary: Vocabulary,
    rows: Vec<Row>,
    floor: u64,
    settings: &Settings,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<(Vec<Op>, Stop, bool)> {
    let alphabet = settings.alphabet.tokens().len();
    let wanted = match settings.algorithm {
        Algorithm::Superbpe => settings.supermerges as usize,
        _ => (settings.vocab_size as usize).saturating_sub(alphabet),
    };
    let ticker = &mut Ticker::new(progress, STAGE, wanted as u64);
    ticker.report(0)?;
    let counted = count_pairs_of(rows, vocabulary, floor, settings, threads, ticker)?;
    let mut supermerges = Supermerges::new(counted, floor, settings, ticker)?;
    let (ops, stop) = match settings.algorithm {
        Algorithm::Superbpe => add_supermerges(ops, &mut supermerges, wanted, ticker)?,
        _ => replay_merges(ops, &mut supermerges, alphabet, wanted, ticker)?,
    };
    Ok((renumber(&ops, alphabet), stop, supermerges.exact))
}

/// The pretokens with which each token starts and ends, for as long as they are the same wherever
/// it stands.
struct Seams {
    ends: Vec<(u32, u32)>,
}

impl Seams {
    fn new(tokens: usize) -> Self {
        Self { ends: (0..tokens as u32).map(|token| (token, token)).collect() }
    }

    /// Whether the token that a supermerge makes has but one start and one end.
    fn add(&mut self, op: &Op) -> bool {
        let ends = (self.ends[op.left as usize].0, self.ends[op.right as usize].1);
        match self.ends.get(op.new as usize) {
            Some(&known) => known == ends,
            None => {
                self.ends.push(ends);
                true
            }
        }
    }
}

/// What comes next, as far as it is known.
enum Next {
    Pair(Best),
    /// No pair can be merged now.
    None,
    /// The candidates do not tell.
    Unknown,
}

/// Counts all pairs of rows of candidates, whose tokens are those of `vocabulary`.
///
/// # Errors
/// [`crate::ErrorKind::Training`] if a count could pass 2^63 - 1, and what the progress callback
/// returns.
pub(crate) fn count_pairs_of(
    rows: Vec<Row>,
    vocabulary: Vocabulary,
    floor: u64,
    settings: &Settings,
    threads: usize,
    ticker: &mut Ticker<'_, '_>,
) -> Result<Counted> {
    let arena = Arena::new(rows, vocabulary.len())?;
    let limits = (settings.max_token_bytes, settings.max_superword_pretokens);
    Pairs::count(vocabulary, arena, Rules::Superword, limits, floor, threads, ticker)
}

/// The supermerges of candidates that were cut where they are rarer than `floor`.
pub(crate) struct Supermerges {
    pairs: Pairs,
    seams: Seams,
    floor: u64,
    min_count: u64,
    /// Nothing so far can depend on what was cut away.
    exact: bool,
}

impl Supermerges {
    /// Notes the places of pairs that [`count_pairs_of`] has counted.
    ///
    /// # Errors
    /// What the progress callback returns.
    pub(crate) fn new(
        counted: Counted,
        floor: u64,
        settings: &Settings,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<Self> {
        let pairs = counted.note_places(ticker)?;
        let seams = Seams::new(pairs.vocabulary().len());
        Ok(Self { pairs, seams, floor, min_count: settings.min_count, exact: true })
    }

    /// Takes supermerges, the best first and no regular ones, for as long as there are some at or
    /// above the floor and `more` says so, which gets the count of the next one and how many tokens
    /// have been added. Returns them and the vocabulary; `None` if they depend on what was cut away,
    /// or one makes a token of those that were there.
    ///
    /// # Errors
    /// What the progress callback returns.
    pub(crate) fn take_while(
        mut self,
        mut more: impl FnMut(u64, usize) -> bool,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<Option<(Vec<Op>, Vocabulary)>> {
        let (known, mut ops) = (self.pairs.vocabulary().len(), Vec::new());
        while let Next::Pair(best) = self.next(None, ticker)? {
            let added = self.pairs.vocabulary().len() - known;
            ticker.step(added as u64)?;
            if !more(best.count, added) {
                break;
            }
            let op = self.merge(best, ticker)?;
            if !self.exact || (op.new as usize) < known {
                return Ok(None);
            }
            ops.push(op);
        }
        Ok(Some((ops, self.pairs.into_vocabulary())))
    }

    /// The best pair; or why there is none, when the regular merge that waits happens `regular`
    /// times.
    fn next(&mut self, regular: Option<u64>, ticker: &mut Ticker<'_, '_>) -> Result<Next> {
        let best = self.pairs.best(self.floor.max(self.min_count), ticker)?;
        Ok(match best {
            Some(best) => Next::Pair(best),
            // what was cut away is rarer than the floor
            None if self.floor > 1 && regular.is_some_and(|count| count >= self.floor - 1) => {
                Next::None
            }
            None if self.floor > 1 => Next::Unknown,
            None => Next::None,
        })
    }

    /// Why it ends when no regular merge waits and no pair of `known` tokens can be merged.
    fn stop(&self, known: impl Fn(u32) -> bool) -> Stop {
        if self.pairs.any_left(known) { Stop::MinCount } else { Stop::NoPairs }
    }

    fn merge(&mut self, best: Best, ticker: &mut Ticker<'_, '_>) -> Result<Op> {
        let op = self.pairs.merge(best, OpKind::Supermerge, ticker)?;
        if self.floor > 1 {
            self.exact &= self.seams.add(&op);
        }
        Ok(op)
    }
}

/// SuperBPE: the best supermerge again and again, after all of `ops`.
fn add_supermerges(
    ops: &[Op],
    supermerges: &mut Supermerges,
    wanted: usize,
    ticker: &mut Ticker<'_, '_>,
) -> Result<(Vec<Op>, Stop)> {
    let mut out = ops.to_vec();
    let size = supermerges.pairs.vocabulary().size();
    let mut added = 0;
    let stop = loop {
        if added >= wanted || !supermerges.exact {
            break Stop::VocabSize;
        }
        match supermerges.next(None, ticker)? {
            Next::Pair(best) => out.push(supermerges.merge(best, ticker)?),
            Next::None => break supermerges.stop(|_| true),
            Next::Unknown => supermerges.exact = false,
        }
        added = supermerges.pairs.vocabulary().size() - size;
        ticker.step(added as u64)?;
    };
    ticker.report(added as u64)?;
    Ok((out, stop))
}

/// BoundlessBPE: of the best supermerge and the next regular merge, the more frequent one.
fn replay_merges(
    ops: &[Op],
    supermerges: &mut Supermerges,
    alphabet: usize,
    wanted: usize,
    ticker: &mut Ticker<'_, '_>,
) -> Result<(Vec<Op>, Stop)> {
    let mut out = Vec::new();
    // Which tokens are in the vocabulary; numbers of phase 1 stand for bytes here, made or not yet.
    let mut is_in = vec![false; supermerges.pairs.vocabulary().len()];
    is_in[..alphabet].fill(true);
    // Pairs with a part outside the vocabulary, once no regular merge waits.
    let mut put_off: Vec<(u32, u32)> = Vec::new();
    let mut added = 0;
    let mut waiting = ops.iter();
    let stop = loop {
        while let Some(op) = waiting.as_slice().first()
            && op.kind == OpKind::Delete
        {
            added -= usize::from(std::mem::replace(&mut is_in[op.new as usize], false));
            out.push(*op);
            waiting.next();
        }
        ticker.step(added as u64)?;
        if added >= wanted || !supermerges.exact {
            break Stop::VocabSize;
        }
        let regular = waiting.as_slice().first();
        let op = match (supermerges.next(regular.map(|op| op.count), ticker)?, regular) {
            // A part that is not in the vocabulary, not yet or not any more, gives way. Without
            // deletes it cannot happen when `ops` and the candidates come from the same corpus.
            (Next::Pair(best), regular)
                if is_in[best.left as usize]
                    && is_in[best.right as usize]
                    && regular.is_none_or(|op| best.count > op.count) =>
            {
                let op = supermerges.merge(best, ticker)?;
                for &(left, right) in &put_off {
                    if left == op.new || right == op.new {
                        supermerges.pairs.take_back(left, right);
                    }
                }
                op
            }
            (Next::Pair(_) | Next::None, Some(&op)) => {
                waiting.next();
                op
            }
            (Next::Pair(best), None) => {
                supermerges.pairs.put_off(best);
                put_off.push((best.left, best.right));
                continue;
            }
            (Next::None, None) => break supermerges.stop(|token| is_in[token as usize]),
            (Next::Unknown, _) => {
                supermerges.exact = false;
                continue;
            }
        };
        out.push(op);
        is_in.resize(supermerges.pairs.vocabulary().len(), false);
        added += usize::from(!std::mem::replace(&mut is_in[op.new as usize], true));
    };
    ticker.report(added as u64)?;
    Ok((out, stop))
}

/// Gives every token the number that follows from the order of `ops`.
pub(crate) fn renumber(ops: &[Op], alphabet: usize) -> Vec<Op> {
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
