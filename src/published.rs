//! The stages of published files.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use superword::model::{Published, PublishedMerge, PublishedOps};
use superword::model_file::Limits;

use crate::convert;
use crate::counts::Counts;
use crate::errors::mapped;
use crate::progress::detached;

/// A section of ops as Python writes it: configuration, merges, deletions.
type OpsTuple = (String, Vec<(u64, Vec<u8>, Vec<u8>, u64, bool)>, Vec<(u64, Vec<u8>)>);
/// The rows of a file as Python writes them, in the field order of `superword.model.Published`.
type PublishedTuple = (String, Vec<(Vec<u8>, u64, bool)>, Vec<String>, OpsTuple, Option<OpsTuple>);

fn ops_from_python((configuration, merges, deletions): OpsTuple) -> PublishedOps {
    let merge =
        |(index, left, right, count, flag)| PublishedMerge { index, left, right, count, flag };
    PublishedOps { configuration, merges: merges.into_iter().map(merge).collect(), deletions }
}

fn ops_to_python<'py>(py: Python<'py>, ops: &PublishedOps) -> PyResult<Bound<'py, PyTuple>> {
    let bytes = |token: &Vec<u8>| PyBytes::new(py, token);
    let merges: Vec<_> = ops
        .merges
        .iter()
        .map(|merge| {
            (merge.index, bytes(&merge.left), bytes(&merge.right), merge.count, merge.flag)
        })
        .collect();
    let deletions: Vec<_> =
        ops.deletions.iter().map(|(index, token)| (*index, bytes(token))).collect();
    (ops.configuration.as_str(), merges, deletions).into_pyobject(py)
}

#[pyfunction]
pub fn published_from_bytes<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyTuple>> {
    let published = detached(py, None, |progress, _| {
        superword::published_file::published_from_bytes(data, progress)
    })?;
    let vocabulary: Vec<_> = published
        .vocabulary
        .iter()
        .map(|(token, count, is_super)| (PyBytes::new(py, token), *count, *is_super))
        .collect();
    let superwords = published.superwords.as_ref().map(|ops| ops_to_python(py, ops)).transpose()?;
    let words = ops_to_python(py, &published.words)?;
    (published.kind, vocabulary, published.special_tokens, words, superwords).into_pyobject(py)
}

#[pyfunction]
pub fn published_to_bytes(
    py: Python<'_>,
    published: PublishedTuple,
) -> PyResult<Bound<'_, PyBytes>> {
    let (kind, vocabulary, special_tokens, words, superwords) = published;
    let published = Published {
        kind,
        vocabulary,
        special_tokens,
        words: ops_from_python(words),
        superwords: superwords.map(ops_from_python),
    };
    let bytes = py.detach(|| superword::published_file::published_to_bytes(&published));
    Ok(PyBytes::new(py, &mapped(py, bytes)?))
}

#[pyfunction]
#[pyo3(signature = (data, max_token_bytes=None, max_total_bytes=None))]
pub fn artifact_of_published<'py>(
    py: Python<'py>,
    data: &[u8],
    max_token_bytes: Option<u64>,
    max_total_bytes: Option<u64>,
) -> PyResult<Bound<'py, PyBytes>> {
    let limits = Limits { any_unicode: false, max_token_bytes, max_total_bytes };
    let artifact = detached(py, None, |progress, _| {
        superword::publishing::artifact_of_published(data, &limits, progress)
    })?;
    Ok(PyBytes::new(py, &artifact))
}

#[pyfunction]
pub fn check_publishable(py: Python<'_>, settings: &Bound<'_, PyAny>) -> PyResult<()> {
    let settings = convert::settings(settings)?;
    mapped(py, superword::published_settings::check_publishable(&settings))
}

#[pyfunction]
#[pyo3(signature = (counts, settings, artifact, progress=None))]
pub fn publish<'py>(
    py: Python<'py>,
    counts: &Counts,
    settings: &Bound<'py, PyAny>,
    artifact: &[u8],
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let settings = convert::settings(settings)?;
    let published = detached(py, progress, |progress, _| {
        superword::publishing::publish(&counts.0, &settings, artifact, progress)
    })?;
    Ok(PyBytes::new(py, &published))
}
