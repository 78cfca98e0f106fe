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
/// artifact and why training stopped. Source: SPEC 4, 6, 8, 10.
///
/// # Errors
/// [`crate::ErrorKind::Training`] if a count could pass 2^63 - 1, and what the progress callback
/// returns.
pub fn train_counts(
    counts: &Counts,
    settings: &Settings,
    progress: &mut Progress<'_>,
) -> Result<(Vec<u8>, Stop)> {
    let (mut ops, mut stop) = train_merges(&counts.pretoken_counts, settings, progress)?;
    if settings.algorithm != Algorithm::Bpe {
        progress("candidates", 0, 0)?;
        let single = single_token_pretokens(&ops, &counts.pretoken_counts, settings);
        let candidates = split_runs(&counts.runs, &single)?;
        (ops, stop) = train_superwords(&ops, &candidates, settings, progress)?;
    }
    let model = Model {
        algorithm: settings.algorithm,
        alphabet: settings.alphabet,
        rules: settings.rules,
        scheme: settings.scheme,
        id_order: settings.id_order,
        special_tokens: settings.special_tokens.clone(),
        unicode: UNICODE_VERSION.to_owned(),
        documents: counts.documents,
        bytes: counts.bytes,
        pretokens: counts.pretokens,
        distinct_pretokens: counts.distinct_pretokens(),
        ops,
    };
    Ok((model_to_bytes(&model), stop))
}
