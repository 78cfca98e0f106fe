//! Counting: how often each pretoken occurs, and each run of pretokens that could join.
//!
//! Counts form a commutative monoid: the parts of a corpus, counted apart in any partition and
//! merged, give the same as the whole at once. Workers rest on that.

use crate::documents::Source;
use crate::error::{Error, ErrorKind, Progress, Result};
use crate::feeds::{DocumentFeed, Feed, FileFeed, Job};
use crate::interner::{POLL_EVERY, Tally, checked_sum};
use crate::pretokenize::{Pretokens, is_eligible_text};
use crate::settings::{MAX_COUNT, Scheme};
use crate::special_tokens::SpecialTokens;
use crate::tables::{PretokenCounts, SequenceCounts};
use crate::ticker::Ticker;
use crate::workers::{Work, count_jobs};

/// How much text is counted between two calls of a poll function, well under a millisecond of work.
const POLL_BYTES: usize = 64 * 1024;

/// What training needs to know of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many documents there are, empty ones too.
    pub documents: u64,
    /// The UTF-8 bytes of all pretokens.
    pub bytes: u64,
    /// How many pretokens there are.
    pub pretokens: u64,
    /// What a user should know about the files, in their order.
    pub notices: Vec<String>,
    /// Each different pretoken, ascending by bytes.
    pub pretoken_counts: PretokenCounts,
    /// Each different run, as indices into `pretoken_counts`, ascending.
    pub runs: SequenceCounts,
}

impl Counts {
    /// How many different pretokens there are.
    pub fn distinct_pretokens(&self) -> u64 {
        self.pretoken_counts.len() as u64
    }
}

/// The growing tables while documents are counted; runs hold the numbers of pretokens.
#[derive(Default)]
pub(crate) struct Tables {
    documents: u64,
    pretokens: Tally<u8>,
    runs: Tally<u32>,
}

impl Tables {
    /// Adds the tables of another part; its runs hold positions in its `pretokens`.
    fn merge<'p>(
        &mut self,
        documents: u64,
        pretokens: impl Iterator<Item = (&'p [u8], u64)>,
        runs: impl Iterator<Item = (&'p [u32], u64)>,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        self.documents = checked_sum(self.documents, documents)?;
        let mut numbers = Vec::new();
        for (pretoken, count) in pretokens {
            numbers.push(self.pretokens.add(pretoken, count)?);
            if numbers.len() % POLL_EVERY == 0 {
                poll()?;
            }
        }
        let mut renumbered = Vec::new();
        for (index, (run, count)) in runs.enumerate() {
            renumbered.clear();
            renumbered.extend(run.iter().map(|&pretoken| numbers[pretoken as usize]));
            self.runs.add(&renumbered, count)?;
            if index % POLL_EVERY == 0 {
                poll()?;
            }
        }
        Ok(())
    }

    /// The counts in their defined order.
    fn finish(
        mut self,
        notices: Vec<String>,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Counts> {
        let mut counts = Counts { documents: self.documents, notices, ..Counts::default() };
        let first_two =
            |x: &[u8]| usize::from(x[0]) << 8 | x.get(1).map_or(0, |&second| usize::from(second));
        let mut ranks = vec![0; self.pretokens.len()];
        for (rank, number) in self.pretokens.sorted(first_two, poll)?.into_iter().enumerate() {
            ranks[number as usize] = rank as u32;
            let (pretoken, count) = (self.pretokens.get(number), self.pretokens.count(number));
            counts.pretoken_counts.push(pretoken, count);
            counts.pretokens = checked_sum(counts.pretokens, count)?;
            // a product past 64 bits is past the bound, too
            let bytes = count.saturating_mul(pretoken.len() as u64);
            counts.bytes = checked_sum(counts.bytes, bytes)?;
        }
        self.runs.replace_items(|number| ranks[number as usize]);
        for number in self.runs.sorted(|run| run[0] as usize, poll)? {
            counts.runs.push(self.runs.get(number), self.runs.count(number));
        }
        Ok(counts)
    }
}

/// Counts documents, one after the other, in one thread.
struct Counter<'c> {
    tables: Tables,
    scheme: Scheme,
    special_tokens: &'c SpecialTokens,
    with_runs: bool,
    /// For each pretoken number, once runs are wanted.
    eligible: Vec<bool>,
    run: Vec<u32>,
    unpolled: usize,
}

impl Counter<'_> {
    /// Counts one document: no pretoken and no run crosses the place of a special token.
    fn add(&mut self, document: &str, poll: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.tables.documents = checked_sum(self.tables.documents, 1)?;
        for (piece, special) in self.special_tokens.split(document) {
            if special.is_some() {
                continue;
            }
            for pretoken in Pretokens::new(piece, self.scheme) {
                let number = self.tables.pretokens.add(pretoken.as_bytes(), 1)?;
                if self.with_runs {
                    self.add_to_run(pretoken, number)?;
                }
                self.unpolled += pretoken.len();
                if self.unpolled >= POLL_BYTES {
                    self.unpolled = 0;
                    poll()?;
                }
            }
            self.end_run()?;
        }
        Ok(())
    }

    fn add_to_run(&mut self, pretoken: &str, number: u32) -> Result<()> {
        if self.eligible.len() == number as usize {
            self.eligible.push(is_eligible_text(pretoken));
        }
        if self.eligible[number as usize] {
            self.run.push(number);
            Ok(())
        } else {
            self.end_run()
        }
    }

    fn end_run(&mut self) -> Result<()> {
        if self.run.len() > 1 {
            self.tables.runs.add(&self.run, 1)?;
        }
        self.run.clear();
        Ok(())
    }
}

impl Work for Counter<'_> {
    fn run(&mut self, job: Job<'_>, poll: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        match job {
            Job::Documents(documents) => {
                documents.iter().try_for_each(|document| self.add(document, poll))
            }
            Job::Batch(source, mut batch) => {
                while let Some(document) = batch.next_document(source, poll)? {
                    self.add(&document, poll)?;
                }
                Ok(())
            }
        }
    }
}

/// Counts the pretokens, and if `runs` the runs, of documents that come in batches.
///
/// A run is a maximal sequence of two or more consecutive pretokens with a letter, in one document
/// and between special tokens. `threads` work beside the calling one, none if it is 1. Progress:
/// stage "count", bytes of the documents. Source: SPEC 3.2 and 6.
///
/// # Errors
/// [`ErrorKind::Input`] for a document of more than 4 GiB - 1 bytes; what `batches` and `progress`
/// return.
pub fn count_documents(
    batches: &mut dyn FnMut() -> Result<Option<Vec<String>>>,
    scheme: Scheme,
    special_tokens: &SpecialTokens,
    runs: bool,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<Counts> {
    let mut feed = DocumentFeed::new(batches);
    let tables = count_feed(&mut feed, scheme, special_tokens, runs, threads, progress)?;
    tables.finish(Vec::new(), &mut || feed.report(progress))
}

/// Counts the pretokens, and if `runs` the runs, of the documents of files; everything else as
/// for [`count_documents`]. The error reported is that of the first file with one, whatever the
/// number of threads. Progress: stage "count", bytes read and bytes of all files, the last 0 if it
/// cannot be known. Source: SPEC 3.0, 3.2 and 6.
///
/// # Errors
/// [`ErrorKind::Input`] naming the file and the line or byte; what `progress` returns.
pub fn count_files(
    sources: &[Source],
    scheme: Scheme,
    special_tokens: &SpecialTokens,
    runs: bool,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<Counts> {
    let mut feed = FileFeed::new(sources);
    let tables = count_feed(&mut feed, scheme, special_tokens, runs, threads, progress)?;
    let notices = std::mem::take(&mut feed.notices);
    tables.finish(notices, &mut || feed.report(progress))
}

fn count_feed<'s>(
    feed: &mut dyn Feed<'s>,
    scheme: Scheme,
    special_tokens: &SpecialTokens,
    with_runs: bool,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<Tables> {
    let new_counter = || Counter {
        tables: Tables::default(),
        scheme,
        special_tokens,
        with_runs,
        eligible: Vec::new(),
        run: Vec::new(),
        unpolled: 0,
    };
    let mut counters = count_jobs(feed, &new_counter, threads, progress)?.into_iter();
    let mut tables = counters.next().map(|counter| counter.tables).unwrap_or_default();
    for Counter { tables: part, .. } in counters {
        let poll = &mut || feed.report(progress);
        tables.merge(part.documents, part.pretokens.iter(), part.runs.iter(), poll)?;
    }
    Ok(tables)
}

/// The counts that a user brings as tables; equal entries are added up. Source: SPEC 6.
///
/// # Errors
/// [`ErrorKind::Input`] naming the entry (numbered from 0) for an empty pretoken, a count that is
/// not from 1 to 2^63 - 1, a run of fewer than two pretokens or of one that is not in the table,
/// and for a pretoken that the runs hold more often than its count says; [`ErrorKind::Training`] if
/// a sum passes 2^63 - 1.
pub fn count_table<B: AsRef<[u8]>>(
    pretokens: &[(B, u64)],
    runs: &[(Vec<B>, u64)],
    documents: u64,
    progress: &mut Progress<'_>,
) -> Result<Counts> {
    let total = (pretokens.len() + runs.len()) as u64;
    let ticker = &mut Ticker::new(progress, "count", total);
    if documents > MAX_COUNT {
        return Err(input_error("the number of documents must be from 0 to 2^63 - 1".into()));
    }
    let mut tables = Tables { documents, ..Tables::default() };
    for (index, (pretoken, count)) in pretokens.iter().enumerate() {
        ticker.step(index as u64)?;
        if pretoken.as_ref().is_empty() {
            return Err(input_error(format!("pretoken {index}: is empty")));
        }
        check_count("pretoken", index, *count)?;
        tables.pretokens.add(pretoken.as_ref(), *count)?;
    }
    let mut numbers = Vec::new();
    for (index, (run, count)) in runs.iter().enumerate() {
        ticker.step((pretokens.len() + index) as u64)?;
        if run.len() < 2 {
            return Err(input_error(format!("run {index}: needs at least two pretokens")));
        }
        check_count("run", index, *count)?;
        numbers.clear();
        for pretoken in run {
            let number = tables.pretokens.find(pretoken.as_ref()).ok_or_else(|| {
                input_error(format!(
                    "run {index}: the pretoken {} (hex) is not in the table of pretokens",
                    hex(pretoken.as_ref())
                ))
            })?;
            numbers.push(number);
        }
        tables.runs.add(&numbers, *count)?;
    }
    let mut in_runs = vec![0u128; tables.pretokens.len()];
    for (run, count) in tables.runs.iter() {
        for &number in run {
            in_runs[number as usize] += u128::from(count);
        }
    }
    let too_often = (0..tables.pretokens.len() as u32)
        .filter(|&number| in_runs[number as usize] > u128::from(tables.pretokens.count(number)))
        .min_by_key(|&number| tables.pretokens.get(number));
    if let Some(number) = too_often {
        return Err(input_error(format!(
            "the runs hold the pretoken {} (hex) more often than its count, {}",
            hex(tables.pretokens.get(number)),
            tables.pretokens.count(number)
        )));
    }
    tables.finish(Vec::new(), &mut || ticker.report(total))
}

/// The counts of the whole from those of its parts; no part gives the empty counts.
///
/// # Errors
/// [`ErrorKind::Training`] if a count would pass 2^63 - 1.
pub fn merge_counts(parts: Vec<Counts>) -> Result<Counts> {
    let mut tables = Tables::default();
    let mut notices = Vec::new();
    for part in parts {
        let (pretokens, runs) = (part.pretoken_counts.iter(), part.runs.iter());
        tables.merge(part.documents, pretokens, runs, &mut || Ok(()))?;
        notices.extend(part.notices);
    }
    tables.finish(notices, &mut || Ok(()))
}

fn check_count(what: &str, index: usize, count: u64) -> Result<()> {
    if !(1..=MAX_COUNT).contains(&count) {
        return Err(input_error(format!("{what} {index}: the count must be from 1 to 2^63 - 1")));
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn input_error(message: String) -> Error {
    Error::new(ErrorKind::Input, message)
}
