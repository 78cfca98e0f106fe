//! From counts to the artifact: the stages of training one after the other.

use crate::candidates::single_token_pretokens_above;
use crate::counts::Counts;
use crate::error::{Progress, Result};
use crate::merges::{Stop, train_merges};
use crate::model::{Model, Op};
use crate::model_file::model_to_bytes;
use crate::pruning::{NOT_ELIGIBLE, cut_runs, lowest_floor, sketch_runs};
use crate::settings::{Algorithm, Settings};
use crate::superwords::train_superwords_above;
use crate::unicode::UNICODE_VERSION;

/// Trains on counts: phase 1, the candidates and phase 2 as the algorithm asks. Returns the
/// artifact, and why training stopped. `threads` work on the candidates.
///
/// # Errors
/// [`crate::ErrorKind::Training`] if a count would pass 2^63 - 1, or what the progress callback
/// returns.
pub fn train_counts(
    counts: &Counts,
    settings: &Settings,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<(Vec<u8>, Stop)> {
    let (mut ops, mut stop) = train_merges(&counts.pretoken_counts, settings, progress)?;
    if settings.algorithm != Algorithm::Bpe {
        let last;
        let lowest = lowest_floor(&ops, stop, settings);
        (ops, last) = add_superwords(counts, &ops, lowest, None, settings, threads, progress)?;
        // SuperBPE can add all its supermerges to a phase 1 that ended early.
        if settings.algorithm != Algorithm::Superbpe || last != Stop::VocabSize {
            stop = last;
        }
    }
    let model = Model {
        algorithm: settings.algorithm,
        alphabet: settings.alphabet,
        rules: settings.rules,
        scheme: settings.scheme,
        id_order: settings.id_order,
        special_tokens: settings.special_tokens.clone(),
        unicode: UNICODE_VERSION.to_string(),
        documents: counts.documents,
        bytes: counts.bytes,
        pretokens: counts.pretokens,
        distinct_pretokens: counts.distinct_pretokens(),
        ops,
    };
    Ok((model_to_bytes(&model), stop))
}

/// The candidates and phase 2, with the highest floor that turns out to be low enough; `first` is
/// tried first, or else a guess.
fn add_superwords(
    counts: &Counts,
    ops: &[Op],
    lowest: u64,
    first: Option<u64>,
    settings: &Settings,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<(Vec<Op>, Stop)> {
    let Counts { pretoken_counts: pretokens, runs, .. } = counts;
    // A pretoken that is rarer than the floor can have no supermerge that reaches it.
    let frequent = |single: &[u32], floor| -> Vec<u32> {
        let with_counts = single.iter().zip(&pretokens.counts);
        with_counts
            .map(|(&token, &count)| if count < floor { NOT_ELIGIBLE } else { token })
            .collect()
    };
    let single = |least, progress: &mut Progress<'_>| {
        single_token_pretokens_above(ops, pretokens, least, settings, progress)
    };
    let mut tokens = single(lowest, progress)?;
    let sketch = sketch_runs(runs, pretokens, &tokens, threads, progress)?;
    let mut floor = first.unwrap_or_else(|| sketch.guess_floor(ops, lowest, settings));
    loop {
        if floor < lowest {
            tokens = single(floor, progress)?;
        }
        let frequent = frequent(&tokens, floor);
        let candidates = cut_runs(runs, pretokens, &frequent, &sketch, floor, threads, progress)?;
        let (ops, stop, exact) =
            train_superwords_above(ops, &candidates, floor, settings, progress)?;
        if exact {
            return Ok((ops, stop));
        }
        floor = if floor > lowest { lowest } else { 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::single_token_pretokens;
    use crate::counts::{count_documents, count_table};
    use crate::encoder::Encoder;
    use crate::error::{Error, ErrorKind, no_progress};
    use crate::model::OpKind;
    use crate::model_file::{Limits, model_from_bytes};
    use crate::special_tokens::SpecialTokens;

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
        count_documents(&mut batches, settings.scheme, &special, true, 1, &mut no_progress).unwrap()
    }

    #[test]
    fn encoding_the_corpus_gives_what_training_left() {
        for algorithm in [Algorithm::Bpe, Algorithm::Superbpe, Algorithm::Boundless] {
            let settings = settings(algorithm);
            let counts = counts(&settings);
            let (artifact, stop) = train_counts(&counts, &settings, 1, &mut no_progress).unwrap();
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
        let (artifact, stop) = train_counts(&counts, &settings, 1, &mut no_progress).unwrap();
        let model = model_from_bytes(&artifact, &Limits::default(), &mut no_progress).unwrap();
        assert_eq!(model.ops.iter().filter(|op| op.kind == OpKind::Supermerge).count(), 4);
        assert_eq!(stop, Stop::NoPairs);
    }

    /// A generator of our own: the crate knows no randomness, its tests need little.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % bound
        }
    }

    /// Random runs of few pretokens; `collide`: some pretokens are the bytes of others together.
    fn random_counts(numbers: &mut Numbers, collide: bool) -> Counts {
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
        let (mut filled, mut unfilled, mut met) = (0, 0, 0);
        for round in 0..6000 {
            let counts = random_counts(&mut numbers, round % 2 == 0);
            let algorithm = [Algorithm::Boundless, Algorithm::Superbpe][numbers.below(2)];
            let size = 257 + numbers.below(14) as u32;
            let supermerges = if algorithm == Algorithm::Superbpe { size - 256 } else { 0 };
            let min_count = [1, 1, 1, 2, 4][numbers.below(5)];
            let settings = Settings::new(algorithm, size, size - supermerges, supermerges);
            let settings = Settings { min_count, ..settings };
            let (merges, stop) =
                train_merges(&counts.pretoken_counts, &settings, &mut no_progress).unwrap();
            let lowest = lowest_floor(&merges, stop, &settings);
            let train = |lowest, first| {
                let quiet = &mut no_progress;
                add_superwords(&counts, &merges, lowest, first, &settings, 1, quiet).unwrap()
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
            let (.., exact) =
                train_superwords_above(&merges, &candidates, 2, &settings, &mut no_progress)
                    .unwrap();
            met += u32::from(!exact);
        }
        assert!(filled > 500 && unfilled > 500 && met > 500, "{filled} {unfilled} {met}");
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
