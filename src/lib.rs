//! The binding: converts, releases the GIL, maps errors, reports progress. No algorithm.
//!
//! `python/superword/_core.pyi` is the typed contract of what is exported here.
#![allow(missing_docs, reason = "the docstrings live in the Python twin and in _core.pyi")]

mod convert;
mod counts;
mod encoder;
mod errors;
mod progress;
mod published;
mod stages;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("UNICODE_VERSION", superword::unicode::UNICODE_VERSION)?;
    module.add_class::<counts::Counts>()?;
    module.add_class::<encoder::Encoder>()?;
    module.add_function(wrap_pyfunction!(stages::classify, module)?)?;
    module.add_function(wrap_pyfunction!(stages::split_scripts, module)?)?;
    module.add_function(wrap_pyfunction!(stages::canonical_pattern, module)?)?;
    module.add_function(wrap_pyfunction!(stages::check_cutting, module)?)?;
    module.add_function(wrap_pyfunction!(stages::pretokenize, module)?)?;
    module.add_function(wrap_pyfunction!(stages::is_eligible_text, module)?)?;
    module.add_function(wrap_pyfunction!(stages::split_special_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(stages::read_documents, module)?)?;
    module.add_function(wrap_pyfunction!(counts::count_documents, module)?)?;
    module.add_function(wrap_pyfunction!(counts::count_files, module)?)?;
    module.add_function(wrap_pyfunction!(counts::count_table, module)?)?;
    module.add_function(wrap_pyfunction!(counts::check_eligible, module)?)?;
    module.add_function(wrap_pyfunction!(counts::merge_counts, module)?)?;
    module.add_function(wrap_pyfunction!(stages::train_merges, module)?)?;
    module.add_function(wrap_pyfunction!(stages::single_token_pretokens, module)?)?;
    module.add_function(wrap_pyfunction!(stages::split_runs, module)?)?;
    module.add_function(wrap_pyfunction!(stages::split_ngrams, module)?)?;
    module.add_function(wrap_pyfunction!(stages::train_superwords, module)?)?;
    module.add_function(wrap_pyfunction!(stages::model_to_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(stages::model_from_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(encoder::load_model, module)?)?;
    module.add_function(wrap_pyfunction!(stages::truncate_model, module)?)?;
    module.add_function(wrap_pyfunction!(published::published_from_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(published::published_to_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(published::artifact_of_published, module)?)?;
    module.add_function(wrap_pyfunction!(published::check_publishable, module)?)?;
    module.add_function(wrap_pyfunction!(published::publish, module)?)?;
    module.add_function(wrap_pyfunction!(stages::train_counts, module)?)?;
    Ok(())
}
