//! From counts to the artifact: the stages of training one after the other.

use crate::candidates::{single_token_pretokens, split_runs};
use crate::counts::Counts;
use crate::error::{Progress, Result};
use crate::merges::{Stop, train_merges};
use crate::model::Model;
use crate::model_file::model_to_bytes;
use crate::settings::{Algorithm, Settings};
use crate::superwords::train_superwords;
use crate::unicode::UNICODE_VERSION;

/// Trains on counts: phase 1, the candidates and phase 2 as the algorithm asks. Returns the
/// artifact, and why training stopped.
///
/// # Errors
/// [`crate::ErrorKind::Training`] if a count would pass 2^63 - 1, or what the progress callback
/// returns.
pub fn train_counts(
    counts: &Counts,
    settings: &Settings,
    progress: &mut Progress<'_>,
) -> Result<(Vec<u8>, Stop)> {
    let (mut ops, mut stop) = train_merges(&counts.pretoken_counts, settings, progress)?;
    if settings.algorithm != Algorithm::Bpe {
        let single = single_token_pretokens(&ops, &counts.pretoken_counts, settings, progress)?;
        let candidates = split_runs(&counts.runs, &single, progress)?;
        let last;
        (ops, last) = train_superwords(&ops, &candidates, settings, progress)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::count_documents;
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
            let (artifact, stop) = train_counts(&counts, &settings, &mut no_progress).unwrap();
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
        let (artifact, stop) = train_counts(&counts, &settings, &mut no_progress).unwrap();
        let model = model_from_bytes(&artifact, &Limits::default(), &mut no_progress).unwrap();
        assert_eq!(model.ops.iter().filter(|op| op.kind == OpKind::Supermerge).count(), 4);
        assert_eq!(stop, Stop::NoPairs);
    }

    #[test]
    fn the_callback_can_stop_it_before_the_candidates() {
        let settings = settings(Algorithm::Boundless);
        let mut progress = |stage: &'static str, _: u64, _: u64| match stage {
            "candidates" => Err(Error::cancelled()),
            _ => Ok(()),
        };
        let error = train_counts(&counts(&settings), &settings, &mut progress).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Cancelled);
    }
}
