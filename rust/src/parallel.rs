//! Independent items on several threads, with the results of one; and how all threads of the crate
//! start and end.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{Builder, Scope, ScopedJoinHandle, scope};
use std::time::Duration;

use crate::error::{Error, Progress, Result};

/// How often the calling thread reports and learns that it should stop.
pub(crate) const POLL: Duration = Duration::from_millis(10);

/// What one thread did: results, and the error at which it stopped, each with its index.
type Part<T> = (Vec<(usize, T)>, Option<(usize, Error)>);

/// Calls `work` for every index below `items` on up to `threads` threads; the results in order, or
/// the error of the lowest index that has one. `work` gets a progress callback that only tells
/// whether to stop; `progress` is called with (`stage`, items done, items) from this thread.
///
/// # Errors
/// What `work` or `progress` returns.
pub fn map_in_order<T: Send>(
    stage: &'static str,
    items: usize,
    threads: usize,
    work: &(impl Fn(usize, &mut Progress<'_>) -> Result<T> + Sync),
    progress: &mut Progress<'_>,
) -> Result<Vec<T>> {
    let total = items as u64;
    if threads.min(items) <= 1 {
        let mut out = Vec::with_capacity(items);
        for index in 0..items {
            let done = index as u64;
            progress(stage, done, total)?;
            out.push(work(index, &mut |_, _, _| progress(stage, done, total))?);
        }
        return Ok(out);
    }
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let stop = AtomicBool::new(false);
    // Indices are handed out in order, so when one fails all lower ones are done or being done.
    let worker = || -> Part<T> {
        let mut results = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= items {
                return (results, None);
            }
            let mut check = |_, _, _| match stop.load(Ordering::Relaxed) {
                true => Err(Error::cancelled()),
                false => Ok(()),
            };
            match check(stage, 0, 0).and_then(|()| work(index, &mut check)) {
                Ok(result) => results.push((index, result)),
                Err(error) => {
                    next.store(items, Ordering::Relaxed);
                    return (results, Some((index, error)));
                }
            }
            done.fetch_add(1, Ordering::Relaxed);
        }
    };
    let (parts, stopped) = scope(|scope| {
        let (sender, receiver) = channel::<()>();
        let body = || {
            let sender = sender.clone();
            || {
                let part = worker();
                drop(sender);
                part
            }
        };
        let handles = start_threads(scope, threads.min(items), body);
        drop(sender);
        if handles.is_empty() {
            return (vec![worker()], Ok(()));
        }
        let mut stopped = Ok(());
        while receiver.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) {
            if stopped.is_ok() {
                stopped = progress(stage, done.load(Ordering::Relaxed) as u64, total);
                stop.store(stopped.is_err(), Ordering::Relaxed);
            }
        }
        (join_threads(handles), stopped)
    });
    stopped?;
    let mut out: Vec<Option<T>> = (0..items).map(|_| None).collect();
    let mut first: Option<(usize, Error)> = None;
    for (results, failed) in parts {
        for (index, result) in results {
            out[index] = Some(result);
        }
        if let Some((index, error)) = failed
            && first.as_ref().is_none_or(|(lowest, _)| index < *lowest)
        {
            first = Some((index, error));
        }
    }
    match first {
        Some((_, error)) => Err(error),
        None => Ok(out.into_iter().flatten().collect()),
    }
}

/// Calls `own` on this thread and meanwhile `other` on one of its own, which is told when `own` has
/// ended and should soon return then. Returns what both do; `None` if no thread could be started.
pub(crate) fn beside<A, B: Send>(
    own: impl FnOnce() -> A,
    other: impl FnOnce(&AtomicBool) -> B + Send,
) -> (A, Option<B>) {
    let ended = AtomicBool::new(false);
    let mut other = Some(|| other(&ended));
    scope(|scope| {
        let handles = start_threads(scope, 1, || {
            let other = other.take();
            move || other.map(|other| other())
        });
        let result = own();
        ended.store(true, Ordering::Relaxed);
        (result, join_threads(handles).pop().flatten())
    })
}

/// Starts up to `threads` threads, each with a body of its own; a system that is out of threads
/// gives what it has.
pub(crate) fn start_threads<'scope, T: Send + 'scope, B: FnOnce() -> T + Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    threads: usize,
    mut body: impl FnMut() -> B,
) -> Vec<ScopedJoinHandle<'scope, T>> {
    (0..threads).map_while(|_| Builder::new().spawn_scoped(scope, body()).ok()).collect()
}

/// What the threads returned, in the order in which they were started.
pub(crate) fn join_threads<T>(handles: Vec<ScopedJoinHandle<'_, T>>) -> Vec<T> {
    let join = |handle: ScopedJoinHandle<'_, T>| {
        handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    };
    handles.into_iter().map(join).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{ErrorKind, no_progress};

    #[test]
    fn order_and_lowest_error() {
        for threads in [0, 1, 2, 5] {
            let double = |index: usize, _: &mut Progress<'_>| Ok(index * 2);
            let out = map_in_order("encode", 300, threads, &double, &mut no_progress).unwrap();
            assert_eq!(out, (0..300).map(|index| index * 2).collect::<Vec<_>>());
            let fails = |index: usize, _: &mut Progress<'_>| match index {
                0..170 => Ok(()),
                _ => Err(Error::new(ErrorKind::Encoding, index.to_string())),
            };
            let error = map_in_order("encode", 300, threads, &fails, &mut no_progress).unwrap_err();
            assert_eq!(error.message, "170");
        }
    }

    #[test]
    fn what_goes_on_beside_is_told_of_the_end() {
        let forever = |ended: &AtomicBool| {
            while !ended.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            std::thread::current().id()
        };
        let own = std::thread::current().id();
        let (result, other) = beside(|| std::thread::current().id(), forever);
        assert!(result == own && other.is_some_and(|other| other != own));
    }

    #[test]
    fn cancelled_while_the_threads_are_busy() {
        let forever = |_: usize, check: &mut Progress<'_>| -> Result<()> {
            loop {
                check("encode", 0, 0)?;
                std::thread::yield_now();
            }
        };
        for threads in [1, 2] {
            let mut calls = 0;
            let mut progress = |_: &'static str, _: u64, _: u64| {
                calls += 1;
                if calls > 2 { Err(Error::cancelled()) } else { Ok(()) }
            };
            let error = map_in_order("encode", 9, threads, &forever, &mut progress).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Cancelled);
        }
    }
}
