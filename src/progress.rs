//! Long calls: the GIL released, signals checked and progress reported a few times a second.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use superword::{Error, ErrorKind, Progress, Result};

use crate::errors::to_python;

/// How often a long call takes the GIL to look for a signal and to report.
const INTERVAL: Duration = Duration::from_millis(50);

/// Where Python exceptions wait while the core unwinds.
#[derive(Default)]
pub struct Raised {
    stopped: Mutex<Option<PyErr>>,
    documents: Mutex<Option<PyErr>>,
}

impl Raised {
    /// Keeps the first exception and returns the error that stops the core.
    pub fn stop(&self, error: PyErr) -> Error {
        lock(&self.stopped).get_or_insert(error);
        Error::cancelled()
    }

    /// Keeps what the documents raised and returns an error for the place where the next one would
    /// stand: one that stands before it comes first. What is no `Exception` stops the core.
    pub fn in_documents(&self, py: Python<'_>, error: PyErr) -> Error {
        if !error.is_instance_of::<PyException>(py) {
            return self.stop(error);
        }
        lock(&self.documents).get_or_insert(error);
        Error::new(ErrorKind::Documents, "the documents cannot go on")
    }

    fn take(&self, kind: ErrorKind) -> Option<PyErr> {
        match kind {
            ErrorKind::Cancelled => lock(&self.stopped).take(),
            ErrorKind::Documents => lock(&self.documents).take(),
            _ => None,
        }
    }
}

fn lock(slot: &Mutex<Option<PyErr>>) -> MutexGuard<'_, Option<PyErr>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a core call without the GIL. `progress` is called at most every 50 ms, but for each new
/// stage and for each end (done = total); what it raises, and Ctrl-C, ends the call.
pub fn detached<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    call: impl FnOnce(&mut Progress<'_>, &Raised) -> Result<T> + Send,
) -> PyResult<T> {
    let raised = Raised::default();
    let result = py.detach(|| {
        let mut last: Option<(Instant, &'static str)> = None;
        let mut report = |stage: &'static str, done: u64, total: u64| {
            let due = match last {
                None => true,
                Some((at, before)) => before != stage || done == total || at.elapsed() >= INTERVAL,
            };
            if !due {
                return Ok(());
            }
            last = Some((Instant::now(), stage));
            Python::attach(|py| {
                py.check_signals()?;
                if let Some(callback) = &progress {
                    callback.call1(py, (stage, done, total))?;
                }
                PyResult::Ok(())
            })
            .map_err(|error| raised.stop(error))
        };
        call(&mut report, &raised)
    });
    result.map_err(|error| raised.take(error.kind).unwrap_or_else(|| to_python(py, &error)))
}
