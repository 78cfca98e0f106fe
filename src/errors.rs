//! From the core's errors to the exceptions of `superword.errors`.

use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError};
use pyo3::prelude::*;
use superword::{Error, ErrorKind};

/// The Python exception of this kind and text.
pub fn to_python(py: Python<'_>, error: &Error) -> PyErr {
    let name = match error.kind {
        ErrorKind::Settings => "SettingsError",
        ErrorKind::Input => "InputError",
        ErrorKind::Training => "TrainingError",
        ErrorKind::Model => "ModelFormatError",
        ErrorKind::Encoding => "EncodingError",
        ErrorKind::Pattern => "PatternTooExpensiveError",
        ErrorKind::Memory => return PyMemoryError::new_err(error.message.clone()),
        // what the caller raised is at hand where it matters
        ErrorKind::Cancelled | ErrorKind::Documents => return PyKeyboardInterrupt::new_err(()),
    };
    let made = py
        .import("superword.errors")
        .and_then(|module| module.getattr(name))
        .and_then(|class| class.call1((error.message.as_str(),)))
        .and_then(|instance| {
            if let Some(item) = &error.item {
                instance.setattr("index", item.index)?;
                instance.setattr("detail", item.detail.as_str())?;
            }
            Ok(instance)
        });
    match made {
        Ok(instance) => PyErr::from_value(instance),
        Err(error) => error,
    }
}

/// Maps the error of a core call that reports no progress.
pub fn mapped<T>(py: Python<'_>, result: superword::Result<T>) -> PyResult<T> {
    result.map_err(|error| to_python(py, &error))
}
