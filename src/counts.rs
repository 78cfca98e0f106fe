//! The stage `counts`: a handle on the core's table, and the calls that make one.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyTuple};
use superword::pretokenize::Pretokenizer;
use superword::special_tokens::SpecialTokens;

use crate::convert::{self, Count, Documents, SourceTuple, source};
use crate::errors::mapped;
use crate::progress::detached;

/// What counting found, kept in the core; it crosses into Python only when asked for.
#[pyclass(frozen, module = "superword._core")]
pub struct Counts(pub superword::counts::Counts);

#[pymethods]
impl Counts {
    #[getter]
    fn documents(&self) -> u64 {
        self.0.documents
    }

    #[getter]
    fn bytes(&self) -> u64 {
        self.0.bytes
    }

    #[getter]
    fn pretokens(&self) -> u64 {
        self.0.pretokens
    }

    #[getter]
    fn distinct_pretokens(&self) -> u64 {
        self.0.distinct_pretokens()
    }

    #[getter]
    fn notices(&self) -> Vec<String> {
        self.0.notices.clone()
    }

    fn pretoken_counts<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyBytes>, u64)>> {
        let table = detached(py, None, |progress, _| self.0.sorted_pretokens(progress))?;
        Ok(table.iter().map(|(pretoken, count)| (PyBytes::new(py, pretoken), count)).collect())
    }

    fn run_counts<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyTuple>, u64)>> {
        let (table, runs) = detached(py, None, |progress, _| {
            Ok((self.0.sorted_pretokens(progress)?, self.0.sorted_runs(progress)?))
        })?;
        runs.iter()
            .map(|(run, count)| {
                let pretokens = run.iter().map(|&i| PyBytes::new(py, table.get(i as usize)));
                Ok((PyTuple::new(py, pretokens.collect::<Vec<_>>())?, count))
            })
            .collect()
    }
}

#[pyfunction]
#[pyo3(signature = (batches, cutting, special_tokens, runs, threads, progress=None))]
pub fn count_documents(
    py: Python<'_>,
    batches: &Bound<'_, PyAny>,
    cutting: &Bound<'_, PyAny>,
    special_tokens: Vec<String>,
    runs: bool,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Counts> {
    let pretokenizer = mapped(py, Pretokenizer::new(&convert::cutting(cutting)?))?;
    let special = mapped(py, SpecialTokens::new(&special_tokens))?;
    let batches: Py<PyIterator> = batches.try_iter()?.unbind();
    detached(py, progress, |progress, raised| {
        let mut failure = None;
        let mut next = || {
            Python::attach(|py| {
                next_batch(batches.bind(py), &mut failure)
                    .map_err(|error| raised.in_documents(py, error))
            })
        };
        superword::counts::count_documents(
            &mut next,
            &pretokenizer,
            &special,
            runs,
            threads,
            progress,
        )
    })
    .map(Counts)
}

/// The next batch; if one of its documents is no UTF-8, those before it, and then the error.
fn next_batch(
    batches: &Bound<'_, PyIterator>,
    failure: &mut Option<PyErr>,
) -> PyResult<Option<Vec<String>>> {
    if let Some(error) = failure.take() {
        return Err(error);
    }
    let Some(batch) = batches.clone().next().transpose()? else { return Ok(None) };
    let mut documents = Vec::new();
    for document in batch.try_iter()? {
        match document.and_then(|document| document.extract()) {
            Ok(document) => documents.push(document),
            Err(error) => {
                *failure = Some(error);
                break;
            }
        }
    }
    Ok(Some(documents))
}

#[pyfunction]
#[pyo3(signature = (sources, cutting, special_tokens, runs, threads, progress=None))]
pub fn count_files(
    py: Python<'_>,
    sources: Vec<SourceTuple>,
    cutting: &Bound<'_, PyAny>,
    special_tokens: Vec<String>,
    runs: bool,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Counts> {
    let pretokenizer = mapped(py, Pretokenizer::new(&convert::cutting(cutting)?))?;
    let special = mapped(py, SpecialTokens::new(&special_tokens))?;
    let sources: Vec<_> =
        sources.into_iter().map(|value| source(py, value)).collect::<PyResult<_>>()?;
    detached(py, progress, |progress, _| {
        superword::counts::count_files(&sources, &pretokenizer, &special, runs, threads, progress)
    })
    .map(Counts)
}

#[pyfunction]
pub fn count_table(
    py: Python<'_>,
    pretokens: Vec<(Vec<u8>, Count)>,
    runs: Vec<(Vec<Vec<u8>>, Count)>,
    documents: Documents,
) -> PyResult<Counts> {
    let pretokens: Vec<_> = pretokens.into_iter().map(|(bytes, count)| (bytes, count.0)).collect();
    let runs: Vec<_> = runs.into_iter().map(|(run, count)| (run, count.0)).collect();
    detached(py, None, |progress, _| {
        superword::counts::count_table(&pretokens, &runs, documents.0, progress)
    })
    .map(Counts)
}

#[pyfunction]
pub fn check_eligible(
    py: Python<'_>,
    pretokens: Vec<Vec<u8>>,
    cutting: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let pretokenizer = mapped(py, Pretokenizer::new(&convert::cutting(cutting)?))?;
    detached(py, None, |progress, _| {
        let poll = &mut || progress("count", 0, 0);
        superword::counts::check_eligible(&pretokens, &pretokenizer, poll)
    })
}

#[pyfunction]
pub fn merge_counts(py: Python<'_>, parts: Vec<PyRef<'_, Counts>>) -> PyResult<Counts> {
    let parts: Vec<_> = parts.iter().map(|part| part.0.clone()).collect();
    mapped(py, py.detach(|| superword::counts::merge_counts(parts))).map(Counts)
}
