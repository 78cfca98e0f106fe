//! Between Python's plain values and the core's.

use pyo3::exceptions::PyOverflowError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyString, PyTuple};
use superword::documents::{Compression, Source, SourceKind};
use superword::model::{Model, Op, OpKind};
use superword::settings::{
    Algorithm, Alphabet, BlowUp, Cutting, IdOrder, Rules, Scheme, Settings, Tau,
};
use superword::tables::{PretokenCounts, SequenceCounts};

use crate::errors::mapped;

/// An op as Python writes it.
pub type OpTuple = (String, u32, u32, u32, u64);

/// A count of any size. What no u64 holds becomes 0, which the core's own check refuses.
pub struct Count(pub u64);

impl<'py> FromPyObject<'_, 'py> for Count {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(u64_or(&value, 0)?))
    }
}

/// A number of documents. What no u64 holds becomes the largest, which the core's check refuses.
pub struct Documents(pub u64);

impl<'py> FromPyObject<'_, 'py> for Documents {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(u64_or(&value, u64::MAX)?))
    }
}

/// So many objects are made before others may work: about a millisecond.
const LIST_PIECE: usize = 1 << 14;

/// A list of numbers, or of pairs of them. Between the pieces of a long one Ctrl-C is seen, and other
/// threads have their turn.
pub fn list<'py, T: IntoPyObject<'py> + Copy>(
    py: Python<'py>,
    items: &[T],
) -> PyResult<Bound<'py, PyList>> {
    let (first, rest) = items.split_at(items.len().min(LIST_PIECE));
    let list = PyList::new(py, first.iter().copied())?;
    for piece in rest.chunks(LIST_PIECE) {
        py.check_signals()?;
        py.detach(|| ());
        list.call_method1(intern!(py, "extend"), (PyList::new(py, piece.iter().copied())?,))?;
    }
    Ok(list)
}

fn u64_or(value: &Borrowed<'_, '_, PyAny>, otherwise: u64) -> PyResult<u64> {
    match value.cast::<PyInt>()?.extract::<u64>() {
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => Ok(otherwise),
        result => result,
    }
}

/// A source as Python writes it: (path, kind, compression, field).
pub type SourceTuple = (String, String, String, String);

/// The core's form of a source.
pub fn source(py: Python<'_>, value: SourceTuple) -> PyResult<Source> {
    let (path, kind, compression, field) = value;
    Ok(Source {
        path,
        kind: mapped(py, SourceKind::from_name(&kind))?,
        compression: mapped(py, Compression::from_name(&compression))?,
        field,
    })
}

/// How text is cut: the name of a scheme, or the fields of `superword.settings.Cutting`.
pub fn cutting(value: &Bound<'_, PyAny>) -> PyResult<Cutting> {
    let scheme = |name: &str| mapped(value.py(), Scheme::from_name(name));
    if let Ok(name) = value.cast::<PyString>() {
        return Ok(scheme(name.to_str()?)?.into());
    }
    let (named, pattern, script_pattern, scripts, eligible_pattern): CuttingTuple =
        value.extract()?;
    let scheme = named.map(|name| scheme(&name)).transpose()?;
    Ok(Cutting { scheme, pattern, script_pattern, scripts, eligible_pattern })
}

type CuttingTuple = (Option<String>, Option<String>, Option<String>, Option<Vec<String>>, String);

/// Reads the attributes of `superword.settings.Settings`.
pub fn settings(value: &Bound<'_, PyAny>) -> PyResult<Settings> {
    let py = value.py();
    let name = |field: &str| value.getattr(field)?.extract::<String>();
    let tau = value.getattr("tau")?;
    let tau = if tau.is_none() {
        None
    } else {
        Some(share(tau.getattr("numerator")?.extract()?, tau.getattr("denominator")?.extract()?)?)
    };
    Ok(Settings {
        algorithm: mapped(py, Algorithm::from_name(&name("algorithm")?))?,
        vocab_size: value.getattr("vocab_size")?.extract()?,
        regular_vocab_size: value.getattr("regular_vocab_size")?.extract()?,
        supermerges: value.getattr("supermerges")?.extract()?,
        cutting: cutting(&value.getattr("cutting")?)?,
        rules: mapped(py, Rules::from_name(&name("rules")?))?,
        min_count: value.getattr("min_count")?.extract()?,
        max_token_bytes: value.getattr("max_token_bytes")?.extract()?,
        max_superword_pretokens: value.getattr("max_superword_pretokens")?.extract()?,
        special_tokens: value.getattr("special_tokens")?.extract()?,
        alphabet: mapped(py, Alphabet::from_name(&name("alphabet")?))?,
        id_order: mapped(py, IdOrder::from_name(&name("id_order")?))?,
        tau,
        // without tau nothing is deleted, and none is given
        blow_up: blow_up(py, &value.getattr("blow_up")?)?.unwrap_or(BlowUp::Pair),
        ngram_split: value.getattr("ngram_split")?.extract()?,
        ngram_floor: value.getattr("ngram_floor")?.extract()?,
        ngram_max_length: value.getattr("ngram_max_length")?.extract()?,
    })
}

fn blow_up(py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<Option<BlowUp>> {
    let name: Option<String> = name.extract()?;
    name.map(|name| mapped(py, BlowUp::from_name(&name))).transpose()
}

fn share(part: u64, whole: u64) -> PyResult<Tau> {
    let wrong = || pyo3::exceptions::PyValueError::new_err("tau is no reduced share");
    Tau::new(part, whole).ok_or_else(wrong)
}

/// One op from its Python form.
fn op((kind, left, right, new, count): OpTuple) -> PyResult<Op> {
    let kind = match kind.as_str() {
        "merge" => OpKind::Merge,
        "supermerge" => OpKind::Supermerge,
        "delete" => OpKind::Delete,
        _ => {
            return Err(pyo3::exceptions::PyValueError::new_err(
                "an op is a merge, a supermerge or a delete",
            ));
        }
    };
    Ok(Op { kind, left, right, new, count })
}

/// Ops from their Python form.
pub fn ops(values: Vec<OpTuple>) -> PyResult<Vec<Op>> {
    values.into_iter().map(op).collect()
}

/// The name of an op's kind.
pub fn kind_name(kind: OpKind) -> &'static str {
    match kind {
        OpKind::Merge => "merge",
        OpKind::Supermerge => "supermerge",
        OpKind::Delete => "delete",
    }
}

/// Ops in their Python form.
pub fn op_tuples(ops: &[Op]) -> Vec<(&'static str, u32, u32, u32, u64)> {
    ops.iter().map(|op| (kind_name(op.kind), op.left, op.right, op.new, op.count)).collect()
}

/// A model from a tuple in the field order of `superword.model.Model`.
pub fn model(value: &Bound<'_, PyAny>) -> PyResult<Model> {
    let py = value.py();
    let fields = value.cast::<PyTuple>()?;
    let name = |index: usize| fields.get_item(index)?.extract::<String>();
    let number = |index: usize| fields.get_item(index)?.extract::<u64>();
    let tau = match fields.get_item(11)?.extract::<Option<String>>()? {
        None => None,
        Some(text) => {
            let terms = text.split_once('/').unwrap_or_default();
            Some(share(terms.0.parse().unwrap_or(0), terms.1.parse().unwrap_or(0))?)
        }
    };
    let how = [3, 7, 8, 9, 10].map(|index| fields.get_item(index));
    let how = how.into_iter().collect::<PyResult<Vec<_>>>()?;
    Ok(Model {
        algorithm: mapped(py, Algorithm::from_name(&name(0)?))?,
        alphabet: mapped(py, Alphabet::from_name(&name(1)?))?,
        rules: mapped(py, Rules::from_name(&name(2)?))?,
        cutting: cutting(&PyTuple::new(py, how)?.into_any())?,
        id_order: mapped(py, IdOrder::from_name(&name(4)?))?,
        special_tokens: fields.get_item(5)?.extract()?,
        unicode: name(6)?,
        tau,
        blow_up: blow_up(py, &fields.get_item(12)?)?,
        ngram_floor: fields.get_item(13)?.extract()?,
        ngram_max_length: fields.get_item(14)?.extract()?,
        documents: number(15)?,
        bytes: number(16)?,
        pretokens: number(17)?,
        distinct_pretokens: number(18)?,
        ops: ops(fields.get_item(19)?.extract()?)?,
        special_ids: match fields.len() {
            20 => None, // the last field has a default
            _ => fields.get_item(20)?.extract()?,
        },
    })
}

/// A model as a tuple in the field order of `superword.model.Model`.
pub fn model_tuple<'py>(py: Python<'py>, model: &Model) -> PyResult<Bound<'py, PyTuple>> {
    let cutting = &model.cutting;
    let scripts = cutting.scripts.as_ref().map(|scripts| PyTuple::new(py, scripts)).transpose()?;
    let special_ids = model.special_ids.as_ref().map(|ids| PyTuple::new(py, ids)).transpose()?;
    PyTuple::new(
        py,
        [
            model.algorithm.name().into_pyobject(py)?.into_any(),
            model.alphabet.name().into_pyobject(py)?.into_any(),
            model.rules.name().into_pyobject(py)?.into_any(),
            cutting.scheme.map(Scheme::name).into_pyobject(py)?.into_any(),
            model.id_order.name().into_pyobject(py)?.into_any(),
            PyTuple::new(py, &model.special_tokens)?.into_any(),
            model.unicode.as_str().into_pyobject(py)?.into_any(),
            cutting.pattern.as_deref().into_pyobject(py)?.into_any(),
            cutting.script_pattern.as_deref().into_pyobject(py)?.into_any(),
            scripts.into_pyobject(py)?.into_any(),
            cutting.eligible_pattern.as_str().into_pyobject(py)?.into_any(),
            model.tau.map(|tau| tau.to_string()).into_pyobject(py)?.into_any(),
            model.blow_up.map(BlowUp::name).into_pyobject(py)?.into_any(),
            model.ngram_floor.into_pyobject(py)?.into_any(),
            model.ngram_max_length.into_pyobject(py)?.into_any(),
            model.documents.into_pyobject(py)?.into_any(),
            model.bytes.into_pyobject(py)?.into_any(),
            model.pretokens.into_pyobject(py)?.into_any(),
            model.distinct_pretokens.into_pyobject(py)?.into_any(),
            op_tuples(&model.ops).into_pyobject(py)?.into_any(),
            special_ids.into_pyobject(py)?.into_any(),
        ],
    )
}

/// A table of pretokens from Python's pairs, in the order given.
pub fn pretoken_counts(pairs: Vec<(Bound<'_, PyBytes>, Count)>) -> PretokenCounts {
    let mut table = PretokenCounts::default();
    for (pretoken, count) in pairs {
        table.push(pretoken.as_bytes(), count.0);
    }
    table
}

/// A table of number sequences from Python's pairs, in the order given.
pub fn sequence_counts(pairs: &[(Vec<u32>, Count)]) -> SequenceCounts {
    let mut table = SequenceCounts::default();
    for (items, count) in pairs {
        table.push(items, count.0);
    }
    table
}

/// A table of number sequences as Python's pairs.
pub fn sequence_tuples<'py>(
    py: Python<'py>,
    table: &SequenceCounts,
) -> PyResult<Vec<(Bound<'py, PyTuple>, u64)>> {
    table.iter().map(|(items, count)| Ok((PyTuple::new(py, items)?, count))).collect()
}
