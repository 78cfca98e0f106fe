//! Jobs for several threads, so that results and errors never depend on their timing.
//!
//! The calling thread makes the jobs and reports progress; scoped threads do them. Of several
//! errors the one that a single thread would have met first is returned.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::documents::BATCH_BYTES;
use crate::error::{Error, ErrorKind, Progress, Result};
use crate::feeds::{Feed, Job};
use crate::parallel::{join_threads, start_threads};

/// How long the calling thread waits at most before it reports progress again.
const WAIT: Duration = Duration::from_millis(3);

/// What one thread does with its jobs.
pub(crate) trait Work {
    /// Does one job; calls `poll` every millisecond or so of work, and returns its error.
    fn run(&mut self, job: Job<'_>, poll: &mut dyn FnMut() -> Result<()>) -> Result<()>;
}

/// Does all jobs of a feed; returns what the threads have in the end.
pub(crate) fn count_jobs<'s, W: Work + Send>(
    feed: &mut dyn Feed<'s>,
    new_work: &(dyn Fn() -> W + Sync),
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<Vec<W>> {
    if threads > 1 {
        return count_in_threads(feed, new_work, threads, progress);
    }
    let mut work = new_work();
    while let Some(job) = feed.next(progress)? {
        if let Err(error) = work.run(job, &mut || feed.report(progress)) {
            if matches!(error.kind, ErrorKind::Input | ErrorKind::Pattern) {
                feed.check_rest(progress)?;
            }
            return Err(error);
        }
    }
    Ok(vec![work])
}

fn count_in_threads<'s, W: Work + Send>(
    feed: &mut dyn Feed<'s>,
    new_work: &(dyn Fn() -> W + Sync),
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<Vec<W>> {
    let queue = Queue::new(threads);
    thread::scope(|scope| {
        let body = || {
            let worker = Worker::new(&queue);
            || worker.run(new_work())
        };
        let handles = start_threads(scope, threads, body);
        if handles.is_empty() {
            return Err(Error::new(ErrorKind::Training, "cannot start a thread"));
        }
        let fed = queue.feed(feed, progress);
        queue.close(fed.is_err());
        let waited = fed.and_then(|()| queue.wait(feed, progress));
        if waited.is_err() {
            queue.close(true);
        }
        let all = join_threads(handles);
        waited?;
        match queue.lock().failure.take() {
            Some((_, error)) => Err(error),
            None => Ok(all),
        }
    })
}

/// Where an error stands among all: by file, in a file the damage of the stream before all that
/// it holds, and then by job.
type Place = (usize, Option<u64>);

struct NumberedJob<'s> {
    number: u64,
    file: usize,
    size: usize,
    job: Job<'s>,
}

struct State<'s> {
    jobs: VecDeque<NumberedJob<'s>>,
    /// The bytes of all jobs that wait.
    size: usize,
    closed: bool,
    workers: usize,
    failure: Option<(Place, Error)>,
}

struct Queue<'s> {
    state: Mutex<State<'s>>,
    /// For workers: there is a job, or there will be none.
    job: Condvar,
    /// For the calling thread: there is room, or an error, or a worker has ended.
    room: Condvar,
    capacity: usize,
    /// Jobs from this number on need not be done any more.
    stop: AtomicU64,
}

impl<'s> Queue<'s> {
    fn new(threads: usize) -> Self {
        let state =
            State { jobs: VecDeque::new(), size: 0, closed: false, workers: 0, failure: None };
        Self {
            state: Mutex::new(state),
            job: Condvar::new(),
            room: Condvar::new(),
            capacity: threads.saturating_mul(2 * BATCH_BYTES),
            stop: AtomicU64::new(u64::MAX),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<'s>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands all jobs of the feed to the workers, up to the first error that is known. An `Err` is
    /// one that stops everything; others are noted.
    fn feed(&self, feed: &mut dyn Feed<'s>, progress: &mut Progress<'_>) -> Result<()> {
        for number in 0.. {
            let job = match feed.next(progress) {
                Ok(Some(job)) => job,
                Ok(None) => return Ok(()),
                Err(error) => return self.note((feed.file(), None), error),
            };
            let job = NumberedJob { number, file: feed.file(), size: job.size(), job };
            if !self.push(job, feed, progress)? {
                break;
            }
        }
        let failed_here =
            matches!(self.lock().failure, Some(((file, _), _)) if file == feed.file());
        if failed_here && let Err(error) = feed.check_rest(progress) {
            return self.note((feed.file(), None), error);
        }
        Ok(())
    }

    /// Adds a job as soon as there is room; false if there was an error and no more are wanted.
    fn push(
        &self,
        job: NumberedJob<'s>,
        feed: &mut dyn Feed<'s>,
        progress: &mut Progress<'_>,
    ) -> Result<bool> {
        loop {
            let mut state = self.lock();
            if state.failure.is_some() || state.workers == 0 {
                return Ok(false);
            }
            if state.size == 0 || state.size + job.size <= self.capacity {
                state.size += job.size;
                state.jobs.push_back(job);
                self.job.notify_one();
                return Ok(true);
            }
            drop(self.room.wait_timeout(state, WAIT));
            feed.report(progress)?;
        }
    }

    /// Notes an error of the feed. An `Err` is one that stops everything.
    fn note(&self, place: Place, error: Error) -> Result<()> {
        if error.kind != ErrorKind::Input {
            return Err(error);
        }
        note_failure(&mut self.lock(), place, error);
        Ok(())
    }

    /// No more jobs will come; `stop`: those that wait are not wanted either.
    fn close(&self, stop: bool) {
        if stop {
            self.stop.store(0, Ordering::Relaxed);
        }
        self.lock().closed = true;
        self.job.notify_all();
    }

    /// Waits until all workers have ended.
    fn wait(&self, feed: &mut dyn Feed<'s>, progress: &mut Progress<'_>) -> Result<()> {
        loop {
            let state = self.lock();
            if state.workers == 0 {
                return Ok(());
            }
            drop(self.room.wait_timeout(state, WAIT));
            feed.report(progress)?;
        }
    }

    /// The next job, as soon as there is one; `None` when there will be none.
    fn pop(&self) -> Option<NumberedJob<'s>> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                state.size -= job.size;
                self.room.notify_one();
                return Some(job);
            }
            if state.closed {
                return None;
            }
            state = self.job.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Keeps the error that stands first.
fn note_failure(state: &mut State<'_>, place: Place, error: Error) {
    if state.failure.as_ref().is_none_or(|(other, _)| place < *other) {
        state.failure = Some((place, error));
    }
}

/// One thread's part in the queue; the queue knows of it until it is dropped, even by a panic.
struct Worker<'q, 's> {
    queue: &'q Queue<'s>,
}

impl<'q, 's> Worker<'q, 's> {
    fn new(queue: &'q Queue<'s>) -> Self {
        queue.lock().workers += 1;
        Self { queue }
    }

    fn run<W: Work>(self, mut work: W) -> W {
        while let Some(NumberedJob { number, file, job, .. }) = self.queue.pop() {
            let stopped = || number >= self.queue.stop.load(Ordering::Relaxed);
            if stopped() {
                continue;
            }
            let mut poll = || if stopped() { Err(Error::cancelled()) } else { Ok(()) };
            match work.run(job, &mut poll) {
                Ok(()) => {}
                // the calling thread knows why
                Err(error) if error.kind == ErrorKind::Cancelled => {}
                Err(error) => {
                    note_failure(&mut self.queue.lock(), (file, Some(number)), error);
                    // earlier jobs go on: one of them may hold the error that stands first
                    self.queue.stop.fetch_min(number, Ordering::Relaxed);
                    self.queue.room.notify_one();
                }
            }
        }
        work
    }
}

impl Drop for Worker<'_, '_> {
    fn drop(&mut self) {
        self.queue.lock().workers -= 1;
        self.queue.room.notify_one();
    }
}
