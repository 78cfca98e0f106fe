//! From counts to the artifact: the stages of training one after the other.

use std::sync::atomic::AtomicBool;

use crate::arena::Row;
use crate::both_phases::{BothPhases, can_go_together, train_both_phases, vocabulary_of_pretokens};
use crate::candidates::{NOT_ELIGIBLE, candidate_rows, in_tokens, single_tokens_above};
use crate::counts::Counts;
use crate::error::{Progress, Result, no_progress};
use crate::merges::{Stop, byte_tokens, train_merges, train_vocabulary};
use crate::model::{Model, Op};
use crate::model_file::model_to_bytes;
use crate::ngram_split::split_ngrams;
use crate::parallel::beside;
use crate::pruning::{Pruning, lowest_floor};
use crate::settings::{Algorithm, Settings};
use crate::superwords::train_superwords_above;
use crate::tables::{PretokenCounts, SequenceCounts, Table};
use crate::tally::Tally;
use crate::ticker::Ticker;
use crate::unicode::UNICODE_VERSION;
use crate::vocabulary::{Vocabulary, vocabulary_of_ops};

/// Trains on counts: phase 1, the candidates and phase 2 as the algorithm asks. Returns the
/// artifact, why training stopped, and what n-gram splitting did. `threads` work on the candidates,
/// as many of them as are free while the calling one is in phase 1.
///
/// # Errors
/// [`crate::ErrorKind::Training`] if a count would pass 2^63 - 1, or what the progress callback
/// returns.
pub fn train_counts(
    counts: &Counts,
    settings: &Settings,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<(Vec<u8>, Stop, Option<Split>)> {
    let (ops, stop, split) = match settings.algorithm {
        Algorithm::Bpe => {
            let (ops, stop) = train_merges(&counts.pretoken_counts, settings, progress)?;
            (ops, stop, None)
        }
        _ => train_with_superwords(counts, settings, threads, progress)?,
    };
    let model = Model {
        algorithm: settings.algorithm,
        alphabet: settings.alphabet,
        rules: settings.rules,
        cutting: settings.cutting.clone(),
        id_order: settings.id_order,
        special_tokens: settings.special_tokens.clone(),
        unicode: UNICODE_VERSION.to_string(),
        tau: settings.tau,
        blow_up: settings.tau.map(|_| settings.blow_up),
        ngram_floor: settings.ngram_split.then_some(settings.ngram_floor),
        ngram_max_length: settings.ngram_split.then_some(settings.ngram_max_length),
        documents: counts.documents,
        bytes: counts.bytes,
        pretokens: counts.pretokens,
        distinct_pretokens: counts.distinct_pretokens(),
        ops,
        special_ids: None,
    };
    Ok((model_to_bytes(&model), stop, split))
}

/// How many candidates there are: different ones, and all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CandidateNumbers {
    /// Different ones.
    pub distinct: u64,
    /// Each as often as it occurs.
    pub all: u64,
}

impl CandidateNumbers {
    fn of(candidates: &SequenceCounts) -> Self {
        // where the sum does not fit, splitting refuses the candidates
        let all = candidates.counts.iter().fold(0, |sum: u64, &count| sum.saturating_add(count));
        Self { distinct: candidates.len() as u64, all }
    }
}

/// What n-gram splitting did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The candidates before it.
    pub before: CandidateNumbers,
    /// Those after it.
    pub after: CandidateNumbers,
}

/// Phase 1, the candidates and phase 2: the ops, why training stopped, and what n-gram splitting did.
fn train_with_superwords(
    counts: &Counts,
    settings: &Settings,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<(Vec<Op>, Stop, Option<Split>)> {
    if settings.ngram_split {
        let pretokens = &counts.pretoken_counts;
        let phase_1 = train_vocabulary(pretokens, settings, &mut |_| (), progress)?;
        let first = phase_1.1;
        let (split, ops, last) =
            add_superwords_of_ngrams(counts, phase_1, settings, threads, progress)?;
        return Ok((ops, stop_of_both(first, last, settings), Some(split)));
    }
    let mut pruning = Pruning::new(counts, settings, None);
    if can_go_together(counts, settings, threads) {
        let pretokens = &counts.pretoken_counts;
        byte_tokens(pretokens, settings.alphabet)?; // the errors of phase 1 come first
        pruning.advance(threads, &AtomicBool::new(false), progress)?;
        let floor = pruning.floor();
        if let Some(known) = vocabulary_of_pretokens(pretokens, floor, settings, progress)? {
            let (ops, stop) = train_together(counts, pruning, known, settings, threads, progress)?;
            return Ok((ops, stop, None));
        }
    }
    let phase_1 = merge_and_prune(&mut pruning, counts, settings, threads, progress)?;
    let (first, lowest) = (phase_1.1, lowest_floor(&phase_1.0, phase_1.1, settings));
    let (ops, last) =
        add_superwords(counts, phase_1, pruning, lowest, settings, threads, progress)?;
    Ok((ops, stop_of_both(first, last, settings), None))
}

/// Why training stopped, from what each phase says: SuperBPE can add all its supermerges to a phase 1
/// that ended early.
fn stop_of_both(first: Stop, last: Stop, settings: &Settings) -> Stop {
    let is_filled = settings.algorithm == Algorithm::Superbpe && last == Stop::VocabSize;
    if is_filled { first } else { last }
}

/// Both phases at the same time, and phase 2 once more if that was in vain.
fn train_together(
    counts: &Counts,
    pruning: Pruning<'_>,
    known: (Vocabulary, Vec<u32>),
    settings: &Settings,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<(Vec<Op>, Stop)> {
    let BothPhases { phase_1, floor, ops } =
        train_both_phases(counts, pruning, known, settings, threads, progress)?;
    if let Some(ops) = ops {
        return Ok((ops, Stop::VocabSize));
    }
    let lowest = lowest_floor(&phase_1.0, phase_1.1, settings);
    let pruning = Pruning::new(counts, settings, Some(if floor > lowest { lowest } else { 1 }));
    add_superwords(counts, phase_1, pruning, lowest, settings, threads, progress)
}

/// What phase 1 makes: ops, why they end, and their vocabulary.
pub(crate) type Phase1 = (Vec<Op>, Stop, Vocabulary);

/// Phase 1; with several threads the pruning gets as far meanwhile as it can.
fn merge_and_prune(
    pruning: &mut Pruning<'_>,
    counts: &Counts,
    settings: &Settings,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<Phase1> {
    let pretokens = &counts.pretoken_counts;
    // reading files is for the thread that was called
    if threads < 2 || !counts.runs.again.is_empty() {
        return train_vocabulary(pretokens, settings, &mut |_| (), progress);
    }
    let prune = |ended: &AtomicBool| pruning.advance(threads - 1, ended, &mut no_progress);
    let (phase_1, pruned) =
        beside(|| train_vocabulary(pretokens, settings, &mut |_| (), progress), prune);
    let phase_1 = phase_1?;
    pruned.transpose()?;
    Ok(phase_1)
}

/// The candidates and phase 2, with the highest floor that turns out to be low enough: that of
/// `pruning`, or else `lowest`.
fn add_superwords<'c>(
    counts: &'c Counts,
    (ops, _, mut vocabulary): Phase1,
    mut pruning: Pruning<'c>,
    lowest: u64,
    settings: &'c Settings,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<(Vec<Op>, Stop)> {
    let pretokens = &counts.pretoken_counts;
    loop {
        pruning.advance(threads, &AtomicBool::new(false), progress)?;
        let (mut pieces, mut floor) = pruning.finish()?;
        let mut single =
            single_tokens_above(&ops, &vocabulary, pretokens, floor, settings, threads, progress)?;
        if floor > lowest && most_are_no_tokens(pretokens, floor, &single) {
            // the guess counted what cannot be merged, and is far too high
            drop(pieces);
            single =
                single_tokens_above(&ops, &vocabulary, pretokens, 1, settings, threads, progress)?;
            let mut pruning = Pruning::of_tokens(counts, settings, &single);
            pruning.advance(threads, &AtomicBool::new(false), progress)?;
            (pieces, floor) = pruning.finish()?;
        }
        let rows = candidate_rows(pieces, &single, threads, progress)?;
        drop(single);
        let (ops_with_superwords, stop, exact) =
            train_superwords_above(&ops, vocabulary, rows, floor, settings, threads, progress)?;
        if exact {
            return Ok((ops_with_superwords, stop));
        }
        pruning = Pruning::new(counts, settings, Some(if floor > lowest { lowest } else { 1 }));
        let ticker = &mut Ticker::new(progress, "candidates", 0);
        vocabulary = vocabulary_of_ops(&ops, settings.alphabet, ticker)?;
    }
}

/// The candidates, all of them and uncut, since the report counts them; then those that n-gram
/// splitting leaves, and phase 2.
fn add_superwords_of_ngrams(
    counts: &Counts,
    (ops, _, vocabulary): Phase1,
    settings: &Settings,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<(Split, Vec<Op>, Stop)> {
    let pretokens = &counts.pretoken_counts;
    let single = single_tokens_above(&ops, &vocabulary, pretokens, 1, settings, threads, progress)?;
    let mut pruning = Pruning::uncut(counts, settings, &single);
    pruning.advance(threads, &AtomicBool::new(false), progress)?;
    let pieces = pruning.finish()?.0;
    let pieces = Tally::joined(pieces, &mut || progress("candidates", 0, 0))?;
    let candidates = in_tokens(pieces.into_table(), &single)?;
    drop(single);
    let before = CandidateNumbers::of(&candidates);
    let candidates = split_ngrams(&ops, candidates, settings, progress)?;
    let split = Split { before, after: CandidateNumbers::of(&candidates) };
    let Table { items, ends, counts } = candidates;
    let ticker = &mut Ticker::new(progress, "superwords", 0);
    let rows = vec![Row::new(&items, &ends, &counts, |token| token, ticker)?];
    drop((items, ends, counts));
    let (ops, stop, _) =
        train_superwords_above(&ops, vocabulary, rows, 1, settings, threads, progress)?;
    Ok((split, ops, stop))
}

/// Whether phase 1 was so short that fewer than half of the pretokens that are frequent enough are
/// tokens.
fn most_are_no_tokens(pretokens: &PretokenCounts, floor: u64, single: &[u32]) -> bool {
    let frequent = pretokens.counts.iter().zip(single).filter(|&(&count, _)| count >= floor);
    let (mut all, mut tokens) = (0_usize, 0_usize);
    for (_, &token) in frequent {
        all += 1;
        tokens += usize::from(token != NOT_ELIGIBLE);
    }
    2 * tokens < all
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::candidates::single_token_pretokens;
    use crate::counts::{count_documents, count_table};
    use crate::encoder::Encoder;
    use crate::error::{Error, ErrorKind};
    use crate::model::OpKind;
    use crate::model_file::{Limits, model_from_bytes};
    use crate::pruning::least_floor;
    use crate::runs::{RunKeeper, RunLimit, Runs};
    use crate::settings::{Alphabet, BlowUp, MAX_COUNT, Tau};
    use crate::special_tokens::SpecialTokens;
    use crate::tally::NO_NUMBER;

    const TEXT: &str = "to be or not to be, to be is to do, or not to do is to be: be or do, to do";

    fn settings(algorithm: Algorithm) -> Settings {
        let supermerges = if algorithm == Algorithm::Superbpe { 4 } else { 0 };
        let special_tokens = vec!["<s>".to_string()];
        let settings = Settings::new(algorithm, 268, 268 - supermerges, supermerges);
        Settings { special_tokens, ..settings }
    }

    fn counts(settings: &Settings) -> Counts {
        let mut batch = Some(vec![format!("{TEXT}<s>{TEXT}"), String::new()]);
        let special = SpecialTokens::new(&settings.special_tokens).unwrap();
        let mut batches = || Ok(batch.take());
        let pretokenizer = settings.cutting.scheme.unwrap().into();
        count_documents(&mut batches, &pretokenizer, &special, true, 1, &mut no_progress).unwrap()
    }

    #[test]
    fn encoding_the_corpus_gives_what_training_left() {
        for algorithm in [Algorithm::Bpe, Algorithm::Superbpe, Algorithm::Boundless] {
            let settings = settings(algorithm);
            let counts = counts(&settings);
            let (artifact, stop, _) =
                train_counts(&counts, &settings, 1, &mut no_progress).unwrap();
            assert_eq!(stop, Stop::VocabSize);
            let model = model_from_bytes(&artifact, &Limits::default(), &mut no_progress).unwrap();
            assert_eq!((model.algorithm, model.documents), (algorithm, 2));
            assert_eq!(model.bytes, 2 * TEXT.len() as u64);
            let encoder = Encoder::new(&model, true, &mut no_progress).unwrap();
            assert_eq!(encoder.vocab_size(), 268);
            let ids = encoder.encode(TEXT, None, &mut no_progress).unwrap();
            let replaced: u64 = model.ops.iter().map(|op| op.count).sum();
            assert_eq!(2 * ids.len() as u64, model.bytes - replaced);
            let superword = ids.iter().any(|&id| encoder.is_superword(id).unwrap());
            assert_eq!(superword, algorithm != Algorithm::Bpe);
        }
    }

    #[test]
    fn a_phase_1_that_ends_early_is_the_reason() {
        let mut settings = settings(Algorithm::Superbpe);
        settings.regular_vocab_size = 1000;
        let counts = counts(&settings);
        let (artifact, stop, _) = train_counts(&counts, &settings, 1, &mut no_progress).unwrap();
        let model = model_from_bytes(&artifact, &Limits::default(), &mut no_progress).unwrap();
        assert_eq!(model.ops.iter().filter(|op| op.kind == OpKind::Supermerge).count(), 4);
        assert_eq!(stop, Stop::NoPairs);
    }

    /// A generator of our own: the crate knows no randomness, its tests need little.
    pub(crate) struct Numbers(pub(crate) u64);

    impl Numbers {
        pub(crate) fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % bound
        }
    }

    /// Random runs of few pretokens; `collide`: some pretokens are the bytes of others together.
    pub(crate) fn random_counts(numbers: &mut Numbers, collide: bool) -> Counts {
        let pretokens: &[&str] =
            if collide { &["a", "b", "ab", "ba", "aab"] } else { &["wa", "xb", "yab", "zc", "v"] };
        let (mut runs, mut totals) = (Vec::new(), vec![0; pretokens.len()]);
        for _ in 0..2 + numbers.below(12) {
            let length = 2 + numbers.below(7);
            let run: Vec<usize> = (0..length).map(|_| numbers.below(pretokens.len())).collect();
            let count = 1 + numbers.below(4) as u64;
            run.iter().for_each(|&index| totals[index] += count);
            runs.push((run.iter().map(|&index| pretokens[index]).collect(), count));
        }
        let table = pretokens.iter().zip(totals);
        let table: Vec<_> = table.map(|(&x, n)| (x, n + 1 + numbers.below(9) as u64)).collect();
        count_table(&table, &runs, 1, &mut no_progress).unwrap()
    }

    #[test]
    fn a_floor_changes_nothing() {
        let mut numbers = Numbers(3);
        // how often: phase 1 filled the vocabulary or not, bytes of different pretokens were met
        let (mut filled, mut unfilled, mut met, mut deleted) = (0, 0, 0, 0);
        for round in 0..6000 {
            let counts = random_counts(&mut numbers, round % 2 == 0);
            let algorithm = [Algorithm::Boundless, Algorithm::Superbpe][numbers.below(2)];
            let size = 257 + numbers.below(14) as u32;
            let supermerges = if algorithm == Algorithm::Superbpe { size - 256 } else { 0 };
            let min_count = [1, 1, 1, 2, 4][numbers.below(5)];
            let settings = Settings::new(algorithm, size, size - supermerges, supermerges);
            let tau = [None, None, Tau::new(1, 2), Tau::new(9, 10)][numbers.below(4)];
            let blow_up = BlowUp::ALL[numbers.below(2)];
            let settings = Settings { min_count, tau, blow_up, ..settings };
            let quiet = &mut no_progress;
            let phase_1 =
                train_vocabulary(&counts.pretoken_counts, &settings, &mut |_| (), quiet).unwrap();
            let (merges, stop, vocabulary) = phase_1.clone();
            let lowest = lowest_floor(&merges, stop, &settings);
            deleted += u32::from(merges.iter().any(|op| op.kind == OpKind::Delete));
            // what the sketch leaves out is below every floor for which it is asked
            assert!(least_floor(&counts.pretoken_counts, &settings) <= lowest);
            let train = |lowest, first| {
                let pruning = Pruning::new(&counts, &settings, first);
                let phase_1 = phase_1.clone();
                let quiet = &mut no_progress;
                add_superwords(&counts, phase_1, pruning, lowest, &settings, 1, quiet).unwrap()
            };
            let whole = train(1, Some(1));
            for first in [None, Some(1), Some(2), Some(lowest), Some(lowest + 3), Some(1 << 40)] {
                assert_eq!(train(lowest, first), whole, "{settings:?} {first:?}");
            }
            match stop {
                Stop::VocabSize => filled += 1,
                _ => unfilled += 1,
            }
            let single = single_token_pretokens(
                &merges,
                &counts.pretoken_counts,
                &settings,
                &mut no_progress,
            )
            .unwrap();
            let table = crate::runs::tests::table_of(&counts.runs);
            let candidates =
                crate::candidates::split_runs(&table, &single, &mut no_progress).unwrap();
            let Table { items, ends, counts } = &candidates;
            let ticker = &mut Ticker::new(quiet, "superwords", 0);
            let rows = vec![Row::new(items, ends, counts, |token| token, ticker).unwrap()];
            let (.., exact) =
                train_superwords_above(&merges, vocabulary, rows, 2, &settings, 1, quiet).unwrap();
            met += u32::from(!exact);
        }
        assert!(filled > 500 && unfilled > 500 && met > 500, "{filled} {unfilled} {met}");
        assert!(deleted > 500, "{deleted}");
    }

    /// The same runs as they come: in two streams, the second one with numbers of its own.
    fn as_streams(counts: &Counts) -> Counts {
        let table = crate::runs::tests::table_of(&counts.runs);
        let last = counts.pretoken_counts.len() as u32 - 1;
        let mut streams = [RunKeeper::new(), RunKeeper::new()];
        let limit = RunLimit { bytes: usize::MAX, again: false };
        for (index, (run, count)) in table.iter().enumerate() {
            for _ in 0..count {
                let number = |&index: &u32| if run.len() % 2 == 0 { index } else { last - index };
                let numbers: Vec<u32> = run.iter().map(number).chain([NO_NUMBER]).collect();
                streams[run.len() % 2].take(&numbers, limit).unwrap();
            }
            assert!(index < 20);
        }
        let [one, other] = streams;
        let mut runs = Runs::default();
        assert!(runs.add(one, Vec::new()) && runs.add(other, (0..=last).rev().collect()));
        Counts { runs, ..counts.clone() }
    }

    #[test]
    fn threads_change_nothing() {
        let mut numbers = Numbers(5);
        let (mut filled, mut unfilled) = (0, 0);
        for round in 0..400 {
            let counts = random_counts(&mut numbers, round % 2 == 0);
            let algorithm = [Algorithm::Boundless, Algorithm::Superbpe][numbers.below(2)];
            let size = 257 + numbers.below(14) as u32;
            let supermerges = if algorithm == Algorithm::Superbpe { 3.min(size - 256) } else { 0 };
            let settings = Settings::new(algorithm, size, size - supermerges, supermerges);
            let settings = Settings { min_count: 1 + numbers.below(3) as u64, ..settings };
            let (_, stop) =
                train_merges(&counts.pretoken_counts, &settings, &mut no_progress).unwrap();
            *(if stop == Stop::VocabSize { &mut filled } else { &mut unfilled }) += 1;
            let train = |counts: &Counts, threads| {
                train_counts(counts, &settings, threads, &mut no_progress).unwrap()
            };
            let expected = train(&counts, 1);
            let streams = as_streams(&counts);
            assert_eq!(train(&streams, 1), expected);
            for threads in [2, 3, 7] {
                assert_eq!(train(&counts, threads), expected, "{settings:?} {threads}");
                assert_eq!(train(&streams, threads), expected, "{settings:?} {threads}");
            }
        }
        assert!(filled > 100 && unfilled > 100, "{filled} {unfilled}");
    }

    #[test]
    fn it_can_be_stopped_at_any_call_with_any_number_of_threads() {
        let settings = settings(Algorithm::Boundless);
        let counts = counts(&settings);
        for threads in [1, 2, 3] {
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
                match train_counts(&counts, &settings, threads, &mut progress) {
                    Err(error) => assert_eq!(error.kind, ErrorKind::Cancelled),
                    Ok(_) => break,
                }
            }
            stages.sort_unstable();
            stages.dedup();
            assert_eq!(stages, ["candidates", "merges", "superwords"]);
        }
    }

    #[test]
    fn the_error_of_phase_1_comes_first() {
        let settings = Settings { alphabet: Alphabet::Utf8, ..settings(Algorithm::Boundless) };
        let runs = [(vec!["a", "a"], MAX_COUNT / 2)];
        let mut counts = count_table(&[("a", MAX_COUNT)], &runs, 1, &mut no_progress).unwrap();
        counts.pretoken_counts.push(b"\xff", 1);
        for threads in [1, 2] {
            let error = train_counts(&counts, &settings, threads, &mut no_progress).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Input);
        }
    }

    #[test]
    fn the_lowest_floor_has_its_conditions() {
        let op = |count| Op { kind: OpKind::Merge, left: 0, right: 1, new: 256, count };
        let (ops, boundless) = ([op(9), op(4), op(5)], settings(Algorithm::Boundless));
        assert_eq!(lowest_floor(&ops, Stop::VocabSize, &boundless), 5);
        // supermerges far below the last regular merge are taken once none of these is left
        assert_eq!(lowest_floor(&ops, Stop::NoPairs, &boundless), 1);
        assert_eq!(lowest_floor(&ops, Stop::MinCount, &Settings { min_count: 3, ..boundless }), 3);
        // all supermerges come after the regular merges
        assert_eq!(lowest_floor(&ops, Stop::VocabSize, &settings(Algorithm::Superbpe)), 1);
    }

    #[test]
    fn the_callback_can_stop_it_before_the_candidates() {
        let settings = settings(Algorithm::Boundless);
        let mut progress = |stage: &'static str, _: u64, _: u64| match stage {
            "candidates" => Err(Error::cancelled()),
            _ => Ok(()),
        };
        let error = train_counts(&counts(&settings), &settings, 1, &mut progress).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Cancelled);
    }
}
