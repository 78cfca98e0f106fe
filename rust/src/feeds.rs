//! Where the documents to count come from, cut into jobs of a size that is worth a thread's while.

use std::collections::VecDeque;
use std::fs;

use crate::documents::{BATCH_BYTES, Batch, BatchReader, MAX_DOCUMENT_BYTES, Source, too_long};
use crate::error::{Error, ErrorKind, Progress, Result};

/// Some documents to count.
pub(crate) enum Job<'s> {
    /// The first one's number counts from 0.
    Documents {
        first: u64,
        documents: Vec<String>,
    },
    Batch(&'s Source, Batch),
    /// Here stands an error instead of a document: those before it may have one that comes first.
    Failure(Error),
}

impl Job<'_> {
    /// How many bytes of text it holds.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Documents { documents, .. } => documents.iter().map(String::len).sum(),
            Self::Batch(_, batch) => batch.size(),
            Self::Failure(_) => 0,
        }
    }
}

/// Where jobs come from.
pub(crate) trait Feed<'s> {
    /// The next job; reports progress while it reads.
    fn next(&mut self, progress: &mut Progress<'_>) -> Result<Option<Job<'s>>>;
    /// The number of the file that is being read.
    fn file(&self) -> usize;
    /// After an error in what that file holds: is the file itself whole? Then `Ok`.
    fn check_rest(&mut self, progress: &mut Progress<'_>) -> Result<()>;
    /// Reports how far the work is.
    fn report(&self, progress: &mut Progress<'_>) -> Result<()>;
}

/// Jobs from documents that the caller has in memory.
pub(crate) struct DocumentFeed<'b> {
    batches: &'b mut dyn FnMut() -> Result<Option<Vec<String>>>,
    documents: VecDeque<String>,
    taken: u64,
    done: u64,
    /// There are no more documents; why, if that is an error.
    ended: bool,
    failure: Option<Error>,
}

impl<'b> DocumentFeed<'b> {
    pub(crate) fn new(batches: &'b mut dyn FnMut() -> Result<Option<Vec<String>>>) -> Self {
        let documents = VecDeque::new();
        Self { batches, documents, taken: 0, done: 0, ended: false, failure: None }
    }

    /// The next document, if it can be one.
    fn next_document(&mut self) -> Option<String> {
        let document = self.documents.pop_front()?;
        if let Err(error) = check_document_size(document.len(), self.taken) {
            self.fail(error);
            return None;
        }
        self.taken += 1;
        self.done += document.len() as u64;
        Some(document)
    }

    fn fail(&mut self, error: Error) {
        self.documents.clear();
        self.ended = true;
        self.failure = Some(error);
    }
}

impl<'s> Feed<'s> for DocumentFeed<'_> {
    fn next(&mut self, progress: &mut Progress<'_>) -> Result<Option<Job<'s>>> {
        let first = self.taken;
        let mut documents = Vec::new();
        let mut size = 0;
        while size < BATCH_BYTES {
            if let Some(document) = self.next_document() {
                size += document.len();
                documents.push(document);
                continue;
            }
            if self.ended {
                break;
            }
            self.report(progress)?;
            match (self.batches)() {
                Ok(Some(batch)) => self.documents = batch.into(),
                Ok(None) => self.ended = true,
                Err(error) if error.kind == ErrorKind::Cancelled => return Err(error),
                Err(error) => self.fail(error),
            }
        }
        if documents.is_empty() {
            return Ok(self.failure.take().map(Job::Failure));
        }
        Ok(Some(Job::Documents { first, documents }))
    }

    fn file(&self) -> usize {
        0
    }

    fn check_rest(&mut self, _progress: &mut Progress<'_>) -> Result<()> {
        Ok(())
    }

    fn report(&self, progress: &mut Progress<'_>) -> Result<()> {
        progress("count", self.done, 0)
    }
}

/// Jobs from files, read one after the other.
pub(crate) struct FileFeed<'s> {
    sources: &'s [Source],
    stage: &'static str,
    index: usize,
    reader: Option<BatchReader>,
    /// What a user should know about the files, as far as they have been read.
    pub(crate) notices: Vec<String>,
    /// The bytes of the files before this one.
    before: u64,
    /// Bytes read, of all files so far.
    done: u64,
    total: u64,
}

impl<'s> FileFeed<'s> {
    /// `stage` is the name under which progress is reported.
    pub(crate) fn new(sources: &'s [Source], stage: &'static str) -> Self {
        let total = bytes_of_files(sources);
        Self {
            sources,
            stage,
            index: 0,
            reader: None,
            notices: Vec::new(),
            before: 0,
            done: 0,
            total,
        }
    }
}

impl<'s> Feed<'s> for FileFeed<'s> {
    fn next(&mut self, progress: &mut Progress<'_>) -> Result<Option<Job<'s>>> {
        let sources = self.sources;
        while let Some(source) = sources.get(self.index) {
            let reader = match &mut self.reader {
                Some(reader) => reader,
                empty => empty.insert(BatchReader::open(source, MAX_DOCUMENT_BYTES)?),
            };
            let (stage, before, done, total) =
                (self.stage, self.before, &mut self.done, self.total);
            let mut on_read = |read| {
                *done = before + read;
                progress(stage, *done, total)
            };
            if let Some(batch) = reader.next_batch(&mut on_read)? {
                return Ok(Some(Job::Batch(source, batch)));
            }
            self.notices.append(&mut reader.notices);
            self.reader = None;
            self.before = self.done;
            self.index += 1;
        }
        Ok(None)
    }

    fn file(&self) -> usize {
        self.index
    }

    fn check_rest(&mut self, progress: &mut Progress<'_>) -> Result<()> {
        let (stage, before, done, total) = (self.stage, self.before, &mut self.done, self.total);
        let mut on_read = |read| {
            *done = before + read;
            progress(stage, *done, total)
        };
        self.reader.as_mut().map_or(Ok(()), |reader| reader.check_rest(&mut on_read))
    }

    fn report(&self, progress: &mut Progress<'_>) -> Result<()> {
        progress(self.stage, self.done, self.total)
    }
}

/// The size of all files, 0 if one of them has no size that can be known.
fn bytes_of_files(sources: &[Source]) -> u64 {
    sources.iter().map(regular_file_size).sum::<Option<u64>>().unwrap_or(0)
}

/// The bytes of a regular file, as it lies; `None` for anything else, which may be read only once.
pub(crate) fn regular_file_size(source: &Source) -> Option<u64> {
    fs::metadata(&source.path).ok().filter(fs::Metadata::is_file).map(|found| found.len())
}

/// Refuses document number `index` (from 0) if its `size` in bytes is over the limit.
fn check_document_size(size: usize, index: u64) -> Result<()> {
    if size > MAX_DOCUMENT_BYTES {
        return Err(too_long(MAX_DOCUMENT_BYTES).of_item(index, &format!("document {index}: ")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::no_progress;

    #[test]
    fn documents_before_an_error_come_first() {
        let failure = Error::new(ErrorKind::Documents, "no more");
        let mut batches = vec![Err(failure.clone()), Ok(Some(vec!["b".into(), "c".into()]))];
        batches.push(Ok(Some(vec!["a".into()])));
        let mut next = || batches.pop().unwrap_or(Ok(None));
        let mut feed = DocumentFeed::new(&mut next);
        let Some(Job::Documents { first: 0, documents }) = feed.next(&mut no_progress).unwrap()
        else {
            panic!("documents come first");
        };
        assert_eq!(documents, ["a", "b", "c"]);
        let Some(Job::Failure(error)) = feed.next(&mut no_progress).unwrap() else {
            panic!("then the error");
        };
        assert_eq!(error, failure);
        assert!(feed.next(&mut no_progress).unwrap().is_none());
    }

    #[test]
    fn to_stop_does_not_wait() {
        let mut batches = vec![Err(Error::cancelled()), Ok(Some(vec!["a".into()]))];
        let mut next = || batches.pop().unwrap_or(Ok(None));
        assert!(DocumentFeed::new(&mut next).next(&mut no_progress).is_err());
    }
}
