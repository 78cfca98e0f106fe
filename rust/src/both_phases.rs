//! Both phases of BoundlessBPE at the same time, on two threads.
//!
//! Phase 2 asks of phase 1 which pretokens are tokens, and which regular merge waits. But each
//! pretoken in a supermerge is as frequent as the supermerge at least, and a supermerge that is taken
//! is more frequent than the regular merge that waits: so its pretokens have been made tokens before.
//! Hence supermerges can be learned on pretokens as they are, and put among the regular merges when
//! both are there. What could be different is looked at then: a pretoken that is no token yet, a
//! superword with the bytes of a token, a floor that was too high. In such a case nothing of phase 2
//! is kept.
//!
//! Why the supermerges are the same if all their parts are tokens in time: a pretoken that is no token
//! would be cut out of the runs, and that changes the count of no pair of other pretokens. So the best
//! pair of all, if it is one of tokens, is the best pair of tokens.
//!
//! No Python twin: there one phase comes after the other.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::candidates::{NOT_ELIGIBLE, candidate_rows};
use crate::counts::Counts;
use crate::error::{Error, Progress, Result};
use crate::merges::{first_floor, train_vocabulary};
use crate::model::Op;
use crate::parallel::{POLL, beside};
use crate::pretokenize::Pretokenizer;
use crate::pruning::Pruning;
use crate::settings::{Algorithm, Settings};
use crate::superwords::{Supermerges, count_pairs_of, renumber};
use crate::tables::PretokenCounts;
use crate::ticker::Ticker;
use crate::training::Phase1;
use crate::vocabulary::Vocabulary;

/// So many supermerges are made between two looks at how far phase 1 is.
const LOOK_EVERY: usize = if cfg!(test) { 1 } else { 32 };

/// What both phases give.
pub(crate) struct BothPhases {
    pub(crate) phase_1: Phase1,
    /// Supermerges that are rarer were left out.
    pub(crate) floor: u64,
    /// The ops of the final model, or `None` if phase 2 was in vain.
    pub(crate) ops: Option<Vec<Op>>,
}

/// Whether both phases can go on at the same time, and probably not in vain.
pub(crate) fn can_go_together(counts: &Counts, settings: &Settings, threads: usize) -> bool {
    if threads < 2 || settings.algorithm != Algorithm::Boundless || !counts.runs.again.is_empty() {
        return false;
    }
    // Deletes decide at the end of phase 1 alone which pretokens are tokens.
    if settings.tau.is_some() {
        return false;
    }
    // Above 1 phase 1 fills the vocabulary.
    first_floor(&counts.pretoken_counts, settings) > 1
}

/// Trains both phases, from what [`vocabulary_of_pretokens`] gives and from `pruning` that has done all.
///
/// # Errors
/// As for phase 1, then as for phase 2.
pub(crate) fn train_both_phases(
    counts: &Counts,
    pruning: Pruning<'_>,
    (vocabulary, tokens): (Vocabulary, Vec<u32>),
    settings: &Settings,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<BothPhases> {
    let pretokens = &counts.pretoken_counts;
    let (pieces, floor) = pruning.finish()?;
    let known = vocabulary.len();
    let rows = candidate_rows(pieces, &tokens, threads, progress)?;
    drop(tokens);
    let ticker = &mut Ticker::new(progress, "candidates", 0);
    let counted = count_pairs_of(rows, vocabulary, floor, settings, threads, ticker)?;

    let alphabet = settings.alphabet.tokens().len();
    let wanted = (settings.vocab_size as usize).saturating_sub(alphabet);
    let total = wanted as u64;
    let lead = Lead::default();
    let (end, ended) = channel::<()>();
    let own = || {
        let phase_1 = train_vocabulary(pretokens, settings, &mut |op| lead.add(op), progress)?;
        while ended.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) {
            let reached = lead.reached.load(Ordering::Relaxed) as u64;
            progress("superwords", reached.min(total), total)?;
        }
        Ok(phase_1)
    };
    let other = |stopped: &AtomicBool| {
        let _end = end; // dropped when all is done
        let check = &mut |_: &'static str, _: u64, _: u64| match stopped.load(Ordering::Relaxed) {
            true => Err(Error::cancelled()),
            false => Ok(()),
        };
        let ticker = &mut Ticker::new(check, "superwords", total);
        let supermerges = Supermerges::new(counted, floor, settings, ticker)?;
        supermerges.take_while(lead.follow(wanted), ticker)
    };
    let (phase_1, phase_2) = beside(own, other);
    let phase_1: Phase1 = phase_1?;
    let ops = phase_2.transpose()?.flatten().and_then(|(supermerges, vocabulary)| {
        let ahead = Ahead { supermerges: &supermerges, vocabulary: &vocabulary, known, floor };
        ahead.put_among(&phase_1.0, &phase_1.2, alphabet, wanted)
    });
    if ops.is_some() {
        progress("superwords", total, total)?;
    }
    Ok(BothPhases { phase_1, floor, ops: ops.map(|ops| renumber(&ops, alphabet)) })
}

/// An alphabet and the eligible pretokens that occur `least` times; and the token of each, or
/// [`NOT_ELIGIBLE`] for those that are rarer. (Counts that were made elsewhere may hold runs with
/// pretokens that are not eligible.) `None` if one is too long to be a token without parts.
///
/// # Errors
/// [`crate::ErrorKind::Pattern`] if `eligible_pattern` takes too many steps; what the progress
/// callback returns.
pub(crate) fn vocabulary_of_pretokens(
    pretokens: &PretokenCounts,
    least: u64,
    settings: &Settings,
    progress: &mut Progress<'_>,
) -> Result<Option<(Vocabulary, Vec<u32>)>> {
    let ticker = &mut Ticker::new(progress, "candidates", 0);
    let mut vocabulary = Vocabulary::new(settings.alphabet);
    let pretokenizer = Pretokenizer::new(&settings.cutting)?;
    let mut tokens = Vec::with_capacity(pretokens.len());
    for (pretoken, count) in pretokens.iter() {
        ticker.step(0)?;
        let mut poll = || ticker.report_again();
        if count < least || !pretokenizer.is_eligible(pretoken, &mut poll)? {
            tokens.push(NOT_ELIGIBLE);
            continue;
        }
        let Some(number) = vocabulary.add_whole(pretoken) else { return Ok(None) };
        tokens.push(number);
    }
    Ok(Some((vocabulary, tokens)))
}

/// How far both phases are.
#[derive(Default)]
struct Lead {
    /// The counts of the regular merges so far.
    regular: Mutex<Vec<u64>>,
    /// How many tokens, of all that are wanted, the supermerges so far have reached.
    reached: AtomicUsize,
}

impl Lead {
    fn lock(&self) -> MutexGuard<'_, Vec<u64>> {
        self.regular.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, op: &Op) {
        self.lock().push(op.count);
    }

    /// Says of each supermerge, which gives its count and how many tokens were added before, whether
    /// it may be wanted: not if as many tokens as are `wanted` come before it for sure.
    fn follow(&self, wanted: usize) -> impl FnMut(u64, usize) -> bool {
        let (mut calls, mut before) = (0_usize, 0);
        move |count, added| {
            if calls.is_multiple_of(LOOK_EVERY) {
                let regular = self.lock();
                before += regular[before..].iter().take_while(|&&other| other >= count).count();
                self.reached.store(before + added, Ordering::Relaxed);
            }
            calls += 1;
            before + added < wanted
        }
    }
}

/// Supermerges that were learned on pretokens.
struct Ahead<'a> {
    supermerges: &'a [Op],
    vocabulary: &'a Vocabulary,
    /// How many tokens of this vocabulary are bytes and pretokens, which come first.
    known: usize,
    floor: u64,
}

impl Ahead<'_> {
    /// The regular merges and the supermerges in the order of training, until `wanted` tokens are
    /// added; the tokens are those of phase 1, and others after them. `None` if it cannot be told
    /// that training from the candidates gives the same.
    fn put_among(
        &self,
        regular: &[Op],
        vocabulary: &Vocabulary,
        alphabet: usize,
        wanted: usize,
    ) -> Option<Vec<Op>> {
        let mut tokens = vec![NOT_ELIGIBLE; self.known];
        let (mut taken, mut superwords) = (0, 0);
        let mut waiting = self.supermerges;
        let mut out = Vec::with_capacity(wanted);
        while taken + superwords < wanted {
            let next = regular.get(taken);
            if let Some((op, rest)) = waiting.split_first()
                && next.is_some_and(|next| op.count > next.count)
            {
                waiting = rest;
                let mut part = |number: u32| {
                    let index = number as usize;
                    if index >= self.known {
                        return Some((vocabulary.len() + index - self.known) as u32);
                    }
                    if tokens[index] == NOT_ELIGIBLE {
                        tokens[index] = vocabulary.number(&self.vocabulary.token(number))?;
                    }
                    // each regular merge makes the next token
                    ((tokens[index] as usize) < alphabet + taken).then_some(tokens[index])
                };
                let (left, right) = (part(op.left)?, part(op.right)?);
                let index = op.new as usize - self.known;
                if index == superwords {
                    if vocabulary.number(&self.vocabulary.token(op.new)).is_some() {
                        return None;
                    }
                    superwords += 1;
                }
                out.push(Op { left, right, new: (vocabulary.len() + index) as u32, ..*op });
                continue;
            }
            // What is left out is rarer than the floor.
            let next = next.filter(|next| !waiting.is_empty() || next.count + 1 >= self.floor)?;
            out.push(*next);
            taken += 1;
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::count_table;
    use crate::error::{ErrorKind, no_progress};
    use crate::merges::Stop;
    use crate::model::OpKind;
    use crate::model_file::{Limits, model_from_bytes};
    use crate::settings::Alphabet;
    use crate::training::tests::{Numbers, random_counts};
    use crate::training::train_counts;
    use crate::vocabulary::HEAD;

    /// Both phases of counts whose pretokens are short.
    fn train(
        counts: &Counts,
        mut pruning: Pruning<'_>,
        settings: &Settings,
        progress: &mut Progress<'_>,
    ) -> Result<BothPhases> {
        pruning.advance(2, &AtomicBool::new(false), progress)?;
        let (pretokens, floor) = (&counts.pretoken_counts, pruning.floor());
        let known = vocabulary_of_pretokens(pretokens, floor, settings, progress)?.unwrap();
        train_both_phases(counts, pruning, known, settings, 2, progress)
    }

    #[test]
    fn what_is_kept_is_what_one_phase_after_the_other_gives() {
        let mut numbers = Numbers(11);
        let (mut kept, mut in_vain, mut superwords) = (0, 0, 0);
        for round in 0..3000 {
            let counts = random_counts(&mut numbers, round % 2 == 0);
            let size = 257 + numbers.below(12) as u32;
            let settings = Settings::new(Algorithm::Boundless, size, size, 0);
            let mut limit = |most| (numbers.below(4) == 0).then(|| 2 + numbers.below(most) as u64);
            let (max_token_bytes, max_superword_pretokens) = (limit(3), limit(2));
            let min_count = limit(4).unwrap_or(1);
            let settings =
                Settings { min_count, max_token_bytes, max_superword_pretokens, ..settings };
            let quiet = &mut no_progress;
            let (artifact, stop, _) = train_counts(&counts, &settings, 1, quiet).unwrap();
            let expected = model_from_bytes(&artifact, &Limits::default(), quiet).unwrap().ops;
            for first in [None, Some(1), Some(3), Some(6)] {
                let pruning = Pruning::new(&counts, &settings, first);
                let both = train(&counts, pruning, &settings, quiet).unwrap();
                match both.ops {
                    Some(ops) => {
                        kept += 1;
                        superwords += usize::from(ops.iter().any(|op| op.kind != OpKind::Merge));
                        assert_eq!((&ops, stop), (&expected, Stop::VocabSize), "round {round}");
                    }
                    None => in_vain += 1,
                }
            }
            let (again, ..) = train_counts(&counts, &settings, 3, quiet).unwrap();
            assert_eq!(again, artifact);
        }
        assert!(kept > 1000 && in_vain > 1000 && superwords > 100, "{kept} {in_vain} {superwords}");
    }

    fn op(left: u32, right: u32, new: u32, count: u64) -> Op {
        Op { kind: OpKind::Merge, left, right, new, count }
    }

    #[test]
    fn what_could_be_different_is_not_kept() {
        let mut tokens = Vocabulary::new(Alphabet::Bytes);
        let regular = [op(97, 98, tokens.make(97, 98), 9), op(99, 100, tokens.make(99, 100), 5)];
        let put = |pretokens: [&str; 2], count, floor, wanted| {
            let mut vocabulary = Vocabulary::new(Alphabet::Bytes);
            let [left, right] = pretokens.map(|x| vocabulary.add_whole(x.as_bytes()).unwrap());
            let known = vocabulary.len();
            let supermerges = [op(left, right, vocabulary.make(left, right), count)];
            let ahead = Ahead { supermerges: &supermerges, vocabulary: &vocabulary, known, floor };
            ahead.put_among(&regular, &tokens, 256, wanted)
        };
        // "ab" is token 256 and "cd" 257; what comes after them is 258
        let expected = [regular[0], op(256, 120, 258, 6), regular[1]];
        assert_eq!(put(["ab", "x"], 6, 5, 3).unwrap(), expected);
        assert_eq!(put(["ab", "x"], 6, 5, 2).unwrap(), expected[..2]);
        assert_eq!(put(["ab", "x"], 9, 5, 3).unwrap(), expected_with(9, &expected));
        // the pretoken is none yet, or never will be
        assert_eq!(put(["ab", "x"], 10, 5, 3), None);
        assert_eq!(put(["cd", "x"], 6, 5, 3), None);
        assert_eq!(put(["xy", "x"], 6, 5, 3), None);
        // the bytes are those of a token
        assert_eq!(put(["a", "b"], 6, 5, 3), None);
        assert_eq!(put(["c", "d"], 6, 5, 3), None);
        // a supermerge that was left out could come before the last regular merge
        assert_eq!(put(["ab", "x"], 7, 6, 3).unwrap()[2], regular[1]);
        assert_eq!(put(["ab", "x"], 7, 7, 3), None);
        // no regular merge is left
        assert_eq!(put(["ab", "x"], 6, 5, 4), None);
    }

    fn expected_with(count: u64, expected: &[Op]) -> Vec<Op> {
        let change = |op: &Op| if op.new == 258 { Op { count, ..*op } } else { *op };
        expected.iter().map(change).collect()
    }

    #[test]
    fn phase_2_ends_when_enough_comes_before() {
        let lead = Lead::default();
        let mut more = lead.follow(4);
        assert!(more(9, 0) && more(8, 3));
        [9, 7, 7, 3].iter().for_each(|&count| lead.add(&op(0, 0, 0, count)));
        assert!(more(8, 2) && !more(8, 3) && more(8, 2));
        assert!(more(7, 0) && !more(7, 1));
    }

    #[test]
    fn it_has_its_conditions() {
        let table = |pretoken: &str| {
            let rows = [("ab", 9), (pretoken, 7), ("x", 7)];
            count_table(&rows, &[(vec!["ab", "x"], 2)], 1, &mut no_progress).unwrap()
        };
        let settings = Settings::new(Algorithm::Boundless, 258, 258, 0);
        assert!(can_go_together(&table("cd"), &settings, 2));
        assert!(!can_go_together(&table("cd"), &settings, 1));
        let superbpe = Settings::new(Algorithm::Superbpe, 258, 257, 1);
        assert!(!can_go_together(&table("cd"), &superbpe, 2));
        // phase 1 may not fill the vocabulary
        let larger = Settings::new(Algorithm::Boundless, 259, 259, 0);
        assert!(!can_go_together(&table("cd"), &larger, 2));
        // a token without parts is stored in full
        let whole = |pretoken: String, floor| {
            let pretokens = table(&pretoken).pretoken_counts;
            let known = vocabulary_of_pretokens(&pretokens, floor, &settings, &mut no_progress);
            known.unwrap().is_some()
        };
        assert!(whole("y".repeat(HEAD), 7) && !whole("y".repeat(HEAD + 1), 7));
        assert!(whole("y".repeat(HEAD + 1), 8) && whole("-".repeat(HEAD + 1), 7));
    }

    #[test]
    fn it_can_be_stopped_at_any_call() {
        let rows = [("ab", 9), ("cde", 8), ("x", 7)];
        let runs = [(vec!["ab", "x"], 7)];
        let counts = count_table(&rows, &runs, 1, &mut no_progress).unwrap();
        let settings = Settings::new(Algorithm::Boundless, 258, 258, 0);
        assert!(can_go_together(&counts, &settings, 2));
        let mut stages = Vec::new();
        for calls in 0.. {
            let mut left = calls;
            let mut progress = |stage: &'static str, _: u64, _: u64| {
                if left == 0 {
                    stages.push(stage);
                    return Err(Error::cancelled());
                }
                left -= 1;
                Ok(())
            };
            let pruning = Pruning::new(&counts, &settings, None);
            match train(&counts, pruning, &settings, &mut progress) {
                Err(error) => assert_eq!(error.kind, ErrorKind::Cancelled),
                Ok(both) => {
                    assert!(both.ops.is_some());
                    break;
                }
            }
        }
        stages.dedup();
        assert_eq!(stages, ["candidates", "merges", "superwords"]);
    }
}
