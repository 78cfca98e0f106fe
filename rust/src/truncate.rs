//! A model cut to fewer tokens, as training would have made it (SPEC section 12.4).

use crate::error::{Error, ErrorKind, Progress, Result};
use crate::model::OpKind;
use crate::model_file::{Limits, model_from_bytes, model_to_bytes};
use crate::settings::{Algorithm, MAX_COUNT};

/// Cuts the model of a file after the first op that makes token number `vocab_size`: the artifact
/// of training at that size with all else the same, for SuperBPE with the same regular tokens.
///
/// # Errors
/// [`ErrorKind::Model`] if the data are no model; [`ErrorKind::Settings`] if the model has fewer
/// tokens, `vocab_size` is below those that cannot be cut off, or the model has deletions or n-gram
/// splitting; what the progress callback returns.
pub fn truncate_model(
    data: &[u8],
    vocab_size: u64,
    any_unicode: bool,
    progress: &mut Progress<'_>,
) -> Result<Vec<u8>> {
    let most = Some(MAX_COUNT);
    let limits = Limits { any_unicode, max_token_bytes: most, max_total_bytes: most };
    let mut model = model_from_bytes(data, &limits, progress)?;
    let fail = |text: String| Err(Error::new(ErrorKind::Settings, text));
    for (is_used, what) in
        [(model.ngram_floor.is_some(), "n-gram splitting"), (model.tau.is_some(), "deletions")]
    {
        if is_used {
            return fail(format!(
                "a model with {what} cannot be cut: \
                 training at a smaller vocabulary size makes other operations"
            ));
        }
    }
    let alphabet = model.alphabet.tokens().len() as u64;
    let (mut size, mut least) = (alphabet, alphabet);
    let mut kept = 0; // the ops up to the first that reaches the size
    for (index, op) in model.ops.iter().enumerate() {
        if u64::from(op.new) == size {
            size += 1;
            if size <= vocab_size {
                kept = index + 1;
            }
        }
        if model.algorithm == Algorithm::Superbpe && op.kind == OpKind::Merge {
            least = size;
        }
    }
    if vocab_size > size {
        return fail(format!("vocab_size must be at most {size}, the tokens of the model"));
    }
    if vocab_size < least {
        let what = if least > alphabet { "regular tokens" } else { "single bytes" };
        return fail(format!("vocab_size must be at least {least}, the {what} of the model"));
    }
    model.ops.truncate(kept);
    Ok(model_to_bytes(&model))
}
