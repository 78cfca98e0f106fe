//! The stages that are plain functions.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use superword::candidates::NOT_ELIGIBLE;
use superword::pretokenize::Pretokenizer;
use superword::settings::Scheme;
use superword::special_tokens::SpecialTokens;
use superword::tables::SequenceCounts;

use crate::convert::{self, Count, OpTuple};
use crate::counts::Counts;
use crate::errors::{mapped, to_python};
use crate::progress::detached;

/// The artifact, why training stopped, and how many candidates n-gram splitting met and left.
type Trained<'py> = (Bound<'py, PyBytes>, &'static str, Option<(u64, u64, u64, u64)>);
/// A stage's result: ops, and the reason why it stopped.
type Ops = (Vec<(&'static str, u32, u32, u32, u64)>, &'static str);

#[pyfunction]
pub fn classify(first: u32, last: u32) -> Vec<(&'static str, &'static str, bool, bool)> {
    superword::scripts::classify(first, last)
}

#[pyfunction]
pub fn split_scripts(text: &str) -> Vec<(&'static str, &str)> {
    superword::scripts::split_scripts(text)
}

#[pyfunction]
pub fn canonical_pattern(py: Python<'_>, pattern: &str) -> PyResult<String> {
    mapped(py, superword::pattern_syntax::canonical_pattern(pattern))
}

#[pyfunction]
pub fn check_cutting(py: Python<'_>, cutting: &Bound<'_, PyAny>) -> PyResult<()> {
    mapped(py, Pretokenizer::new(&convert::cutting(cutting)?)).map(|_| ())
}

#[pyfunction]
pub fn pretokenize<'py>(
    py: Python<'py>,
    text: &str,
    cutting: &Bound<'_, PyAny>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let pretokenizer = mapped(py, Pretokenizer::new(&convert::cutting(cutting)?))?;
    let pieces = detached(py, None, |progress, _| {
        pretokenizer.pretokenize(text, &mut || progress("count", 0, 0))
    })?;
    Ok(pieces.into_iter().map(|piece| PyBytes::new(py, piece.as_bytes())).collect())
}

#[pyfunction]
#[pyo3(signature = (pretoken, cutting=None))]
pub fn is_eligible_text(
    py: Python<'_>,
    pretoken: &[u8],
    cutting: Option<&Bound<'_, PyAny>>,
) -> PyResult<bool> {
    let pretokenizer = match cutting {
        Some(cutting) => mapped(py, Pretokenizer::new(&convert::cutting(cutting)?))?,
        None => Scheme::Gpt4oUniscript.into(),
    };
    detached(py, None, |progress, _| {
        pretokenizer.is_eligible(pretoken, &mut || progress("count", 0, 0))
    })
}

#[pyfunction]
pub fn split_special_tokens(
    py: Python<'_>,
    text: &str,
    special_tokens: Vec<String>,
) -> PyResult<Vec<(String, Option<u32>)>> {
    let special = mapped(py, SpecialTokens::new(&special_tokens))?;
    Ok(special.split(text).map(|(piece, index)| (piece.to_owned(), index)).collect())
}

/// The documents of one file, one after the other.
#[pyclass(frozen, module = "superword._core")]
pub struct Documents {
    inner: Mutex<superword::documents::Documents>,
    notices: Py<PyList>,
}

impl Documents {
    fn inner(&self) -> MutexGuard<'_, superword::documents::Documents> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Documents {
    #[getter]
    fn read_bytes(&self) -> u64 {
        self.inner().read_bytes()
    }

    #[getter]
    fn place(&self) -> String {
        self.inner().place()
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let (document, notices) = py.detach(|| {
            let mut inner = self.inner();
            (inner.next(), inner.take_notices())
        });
        for notice in notices {
            self.notices.bind(py).append(notice)?;
        }
        document.transpose().map_err(|error| to_python(py, &error))
    }
}

#[pyfunction]
pub fn read_documents(
    py: Python<'_>,
    source: convert::SourceTuple,
    notices: Bound<'_, PyList>,
) -> PyResult<Documents> {
    let source = convert::source(py, source)?;
    let inner = mapped(py, superword::documents::read_documents(&source))?;
    Ok(Documents { inner: Mutex::new(inner), notices: notices.unbind() })
}

#[pyfunction]
#[pyo3(signature = (pretokens, settings, progress=None))]
pub fn train_merges(
    py: Python<'_>,
    pretokens: Vec<(Bound<'_, PyBytes>, Count)>,
    settings: &Bound<'_, PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Ops> {
    let settings = convert::settings(settings)?;
    let table = convert::pretoken_counts(pretokens);
    let (ops, stop) = detached(py, progress, |progress, _| {
        superword::merges::train_merges(&table, &settings, progress)
    })?;
    Ok((convert::op_tuples(&ops), stop.name()))
}

#[pyfunction]
#[pyo3(signature = (ops, pretokens, settings, progress=None))]
pub fn single_token_pretokens<'py>(
    py: Python<'py>,
    ops: Vec<OpTuple>,
    pretokens: Vec<(Bound<'py, PyBytes>, Count)>,
    settings: &Bound<'py, PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<(Bound<'py, PyBytes>, u32)>> {
    let settings = convert::settings(settings)?;
    let ops = convert::ops(ops)?;
    let table = convert::pretoken_counts(pretokens);
    let tokens = detached(py, progress, |progress, _| {
        superword::candidates::single_token_pretokens(&ops, &table, &settings, progress)
    })?;
    Ok((0..table.len())
        .filter(|&i| tokens[i] != NOT_ELIGIBLE)
        .map(|i| (PyBytes::new(py, table.get(i)), tokens[i]))
        .collect())
}

#[pyfunction]
#[pyo3(signature = (runs, single, progress=None))]
pub fn split_runs<'py>(
    py: Python<'py>,
    runs: Vec<(Vec<Bound<'py, PyBytes>>, Count)>,
    single: Vec<(Vec<u8>, u32)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<(Bound<'py, PyTuple>, u64)>> {
    // The core's runs are indices into a table of pretokens: number the pretokens here.
    let mut tokens: Vec<u32> = Vec::with_capacity(single.len());
    let mut index: HashMap<Vec<u8>, u32> = HashMap::with_capacity(single.len());
    for (pretoken, token) in single {
        index.insert(pretoken, tokens.len() as u32);
        tokens.push(token);
    }
    let unknown = tokens.len() as u32;
    tokens.push(NOT_ELIGIBLE);
    let mut table = SequenceCounts::default();
    for (run, count) in &runs {
        let items: Vec<u32> =
            run.iter().map(|p| index.get(p.as_bytes()).copied().unwrap_or(unknown)).collect();
        table.push(&items, count.0);
    }
    let candidates = detached(py, progress, |progress, _| {
        superword::candidates::split_runs(&table, &tokens, progress)
    })?;
    convert::sequence_tuples(py, &candidates)
}

#[pyfunction]
#[pyo3(signature = (ops, candidates, settings, progress=None))]
pub fn split_ngrams<'py>(
    py: Python<'py>,
    ops: Vec<OpTuple>,
    candidates: Vec<(Vec<u32>, Count)>,
    settings: &Bound<'py, PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<(Bound<'py, PyTuple>, u64)>> {
    let settings = convert::settings(settings)?;
    let ops = convert::ops(ops)?;
    let table = convert::sequence_counts(&candidates);
    let pieces = detached(py, progress, |progress, _| {
        superword::ngram_split::split_ngrams(&ops, table, &settings, progress)
    })?;
    convert::sequence_tuples(py, &pieces)
}

#[pyfunction]
#[pyo3(signature = (ops, candidates, settings, progress=None))]
pub fn train_superwords(
    py: Python<'_>,
    ops: Vec<OpTuple>,
    candidates: Vec<(Vec<u32>, Count)>,
    settings: &Bound<'_, PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Ops> {
    let settings = convert::settings(settings)?;
    let ops = convert::ops(ops)?;
    let table = convert::sequence_counts(&candidates);
    let (ops, stop) = detached(py, progress, |progress, _| {
        superword::superwords::train_superwords(&ops, &table, &settings, progress)
    })?;
    Ok((convert::op_tuples(&ops), stop.name()))
}

#[pyfunction]
pub fn model_to_bytes<'py>(
    py: Python<'py>,
    model: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let model = convert::model(model)?;
    Ok(PyBytes::new(py, &py.detach(|| superword::model_file::model_to_bytes(&model))))
}

#[pyfunction]
#[pyo3(signature = (data, any_unicode=false, max_token_bytes=None, max_total_bytes=None))]
pub fn model_from_bytes<'py>(
    py: Python<'py>,
    data: &[u8],
    any_unicode: bool,
    max_token_bytes: Option<u64>,
    max_total_bytes: Option<u64>,
) -> PyResult<Bound<'py, PyTuple>> {
    let limits = superword::model_file::Limits { any_unicode, max_token_bytes, max_total_bytes };
    let model = detached(py, None, |progress, _| {
        superword::model_file::model_from_bytes(data, &limits, progress)
    })?;
    convert::model_tuple(py, &model)
}

#[pyfunction]
#[pyo3(signature = (data, vocab_size, any_unicode=false))]
pub fn truncate_model<'py>(
    py: Python<'py>,
    data: &[u8],
    vocab_size: u64,
    any_unicode: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let artifact = detached(py, None, |progress, _| {
        superword::truncate::truncate_model(data, vocab_size, any_unicode, progress)
    })?;
    Ok(PyBytes::new(py, &artifact))
}

#[pyfunction]
#[pyo3(signature = (counts, settings, progress=None, threads=1))]
pub fn train_counts<'py>(
    py: Python<'py>,
    counts: &Counts,
    settings: &Bound<'py, PyAny>,
    progress: Option<Py<PyAny>>,
    threads: usize,
) -> PyResult<Trained<'py>> {
    let settings = convert::settings(settings)?;
    let (artifact, stop, split) = detached(py, progress, |progress, _| {
        superword::training::train_counts(&counts.0, &settings, threads, progress)
    })?;
    let numbers = split.map(|split| {
        let (before, after) = (split.before, split.after);
        (before.distinct, before.all, after.distinct, after.all)
    });
    Ok((PyBytes::new(py, &artifact), stop.name(), numbers))
}
