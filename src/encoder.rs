//! The stage `encoder`: a handle on the core's encoder.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyTuple};
use superword::encode_batch::Ids;
use superword::model_file::Limits;
use superword::offsets::offsets_of_lengths;

use crate::convert::{self, kind_name, list};
use crate::errors::mapped;
use crate::progress::detached;

/// Encodes and decodes with one model; immutable, usable from many threads.
#[pyclass(frozen, module = "superword._core")]
pub struct Encoder(superword::encoder::Encoder);

/// An op in byte strings: (kind, left, right, new, count).
type OpTokens<'py> =
    (&'static str, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, u64);

/// Ids, and where each stands, in bytes and in characters.
type IdsWithOffsets<'py> = (Bound<'py, PyList>, Bound<'py, PyList>, Bound<'py, PyList>);

impl Encoder {
    /// What `encode` finds in `data`, and where each token stands.
    fn with_offsets<'py>(
        &self,
        py: Python<'py>,
        data: &[u8],
        encode: impl FnOnce(&mut superword::Progress<'_>) -> superword::Result<Vec<u32>> + Send,
    ) -> PyResult<IdsWithOffsets<'py>> {
        let (ids, in_bytes, in_characters) = detached(py, None, |progress, _| {
            let ids = encode(progress)?;
            let (in_bytes, in_characters) = offsets_of_lengths(data, self.0.lengths(&ids));
            Ok((ids, in_bytes, in_characters))
        })?;
        Ok((list(py, &ids)?, list(py, &in_bytes)?, list(py, &in_characters)?))
    }
}

#[pymethods]
impl Encoder {
    #[new]
    #[pyo3(signature = (model, shortcut=true))]
    fn new(py: Python<'_>, model: &Bound<'_, PyAny>, shortcut: bool) -> PyResult<Self> {
        let model = convert::model(model)?;
        detached(py, None, |progress, _| {
            superword::encoder::Encoder::new(&model, shortcut, progress)
        })
        .map(Self)
    }

    #[getter]
    fn vocab_size(&self) -> u32 {
        self.0.vocab_size()
    }

    #[getter]
    fn op_counts(&self) -> (usize, usize, usize, usize) {
        self.0.op_counts()
    }

    fn token_bytes<'py>(&self, py: Python<'py>, token_id: u32) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &mapped(py, self.0.token_bytes(token_id))?))
    }

    fn token_id(&self, token: &[u8]) -> Option<u32> {
        self.0.token_id(token)
    }

    fn is_superword(&self, py: Python<'_>, token_id: u32) -> PyResult<bool> {
        mapped(py, self.0.is_superword(token_id))
    }

    fn op_tokens<'py>(&self, py: Python<'py>) -> PyResult<Vec<OpTokens<'py>>> {
        Ok(mapped(py, self.0.op_tokens())?
            .map(|(kind, left, right, new, count)| {
                let [left, right, new] = [left, right, new].map(|token| PyBytes::new(py, &token));
                (kind_name(kind), left, right, new, count)
            })
            .collect())
    }

    fn encode<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        allowed: Option<Vec<u32>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let ids =
            detached(py, None, |progress, _| self.0.encode(text, allowed.as_deref(), progress))?;
        list(py, &ids)
    }

    fn encode_bytes<'py>(
        &self,
        py: Python<'py>,
        data: &[u8],
        allowed: Option<Vec<u32>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let ids = detached(py, None, |progress, _| {
            self.0.encode_bytes(data, allowed.as_deref(), progress)
        })?;
        list(py, &ids)
    }

    fn encode_batch<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
        allowed: Option<Vec<u32>>,
        threads: usize,
    ) -> PyResult<Vec<Bound<'py, PyList>>> {
        let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
        let parts = detached(py, None, |progress, _| {
            self.0.encode_batch(&texts, allowed.as_deref(), threads, progress)
        })?;
        let mut lists = Vec::new();
        for part in &parts {
            py.check_signals()?;
            for ids in part.texts() {
                lists.push(list(py, ids)?);
            }
        }
        Ok(lists)
    }

    fn encode_flat<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
        allowed: Option<Vec<u32>>,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
        let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
        let parts = detached(py, None, |progress, _| {
            self.0.encode_batch(&texts, allowed.as_deref(), threads, progress)
        })?;
        let total: usize = parts.iter().map(|part| part.ids.len()).sum();
        let mut offsets = vec![0_u64];
        let ids = PyByteArray::new_with(py, 4 * total, |bytes| {
            let (mut places, _) = bytes.as_chunks_mut::<4>();
            let mut start = 0;
            for part in &parts {
                let (own, rest) = places.split_at_mut(part.ids.len());
                for (place, id) in own.iter_mut().zip(&part.ids) {
                    *place = id.to_ne_bytes();
                }
                offsets.extend(part.ends.iter().map(|&end| start + end as u64));
                start += part.ids.len() as u64;
                places = rest;
            }
            Ok(())
        })?;
        let offsets: Vec<u8> = offsets.iter().flat_map(|end| end.to_ne_bytes()).collect();
        Ok((ids, PyByteArray::new(py, &offsets)))
    }

    fn encode_offsets<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        allowed: Option<Vec<u32>>,
    ) -> PyResult<IdsWithOffsets<'py>> {
        let allowed = allowed.as_deref();
        self.with_offsets(py, text.as_bytes(), |progress| self.0.encode(text, allowed, progress))
    }

    fn encode_bytes_offsets<'py>(
        &self,
        py: Python<'py>,
        data: &[u8],
        allowed: Option<Vec<u32>>,
    ) -> PyResult<IdsWithOffsets<'py>> {
        let allowed = allowed.as_deref();
        self.with_offsets(py, data, |progress| self.0.encode_bytes(data, allowed, progress))
    }

    fn count(&self, py: Python<'_>, text: &str, allowed: Option<Vec<u32>>) -> PyResult<usize> {
        detached(py, None, |progress, _| {
            self.0.encode(text, allowed.as_deref(), progress).map(|ids| ids.len())
        })
    }

    fn count_bytes(
        &self,
        py: Python<'_>,
        data: &[u8],
        allowed: Option<Vec<u32>>,
    ) -> PyResult<usize> {
        detached(py, None, |progress, _| {
            self.0.encode_bytes(data, allowed.as_deref(), progress).map(|ids| ids.len())
        })
    }

    fn count_batch(
        &self,
        py: Python<'_>,
        texts: Vec<PyBackedStr>,
        allowed: Option<Vec<u32>>,
        threads: usize,
    ) -> PyResult<Vec<usize>> {
        let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
        detached(py, None, |progress, _| {
            let parts = self.0.encode_batch(&texts, allowed.as_deref(), threads, progress)?;
            Ok(parts.iter().flat_map(Ids::texts).map(<[u32]>::len).collect())
        })
    }

    fn safe_prefix<'t>(
        &self,
        py: Python<'_>,
        text: &'t str,
        allowed: Option<Vec<u32>>,
    ) -> PyResult<(Vec<u32>, &'t str)> {
        detached(py, None, |progress, _| self.0.safe_prefix(text, allowed.as_deref(), progress))
    }

    fn next_tokens(&self, py: Python<'_>, rest: &[u8]) -> Vec<u32> {
        py.detach(|| self.0.next_tokens(rest))
    }

    fn decode_bytes<'py>(&self, py: Python<'py>, ids: Vec<u32>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.0.decode_bytes(&ids));
        Ok(PyBytes::new(py, &mapped(py, bytes)?))
    }
}

#[pyfunction]
#[pyo3(signature = (data, any_unicode=false, max_token_bytes=None, max_total_bytes=None))]
pub fn load_model<'py>(
    py: Python<'py>,
    data: &[u8],
    any_unicode: bool,
    max_token_bytes: Option<u64>,
    max_total_bytes: Option<u64>,
) -> PyResult<(Encoder, Bound<'py, PyTuple>)> {
    let limits = Limits { any_unicode, max_token_bytes, max_total_bytes };
    let (encoder, model) =
        detached(py, None, |progress, _| superword::encoder::load_model(data, &limits, progress))?;
    Ok((Encoder(encoder), convert::model_tuple(py, &model)?))
}
