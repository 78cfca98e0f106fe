//! Counting: how often each pretoken occurs, and each run of pretokens that could join.
//!
//! Counts form a commutative monoid: the parts of a corpus, counted apart in any partition and
//! merged, give the same as the whole at once. Workers rest on that.

use crate::documents::Source;
use crate::error::{Error, ErrorKind, Progress, Result};
use crate::feeds::{DocumentFeed, Feed, FileFeed, regular_file_size};
use crate::keys::Key;
use crate::pretokenize::Pretokenizer;
use crate::runs::{Rereading, RunKeeper, RunLimit, RunPart, RunVisitor, Runs};
use crate::scanner::{Batch, Scanner, Sink, named};
use crate::settings::MAX_COUNT;
use crate::special_tokens::SpecialTokens;
use crate::tables::{PretokenCounts, SequenceCounts};
use crate::tally::{NO_NUMBER, Tally, checked_sum};
use crate::ticker::Ticker;
use crate::workers::count_jobs;

/// How much memory the runs of a corpus may take as they come: those of about 2 GB of English.
const RUN_BYTES: usize = 1 << 30;

/// What training needs to know of a corpus. In what order the tables are does not matter; threads
/// change it.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// How many documents there are, empty ones too.
    pub documents: u64,
    /// The UTF-8 bytes of all pretokens.
    pub bytes: u64,
    /// How many pretokens there are.
    pub pretokens: u64,
    /// What a user should know about the files, in their order.
    pub notices: Vec<String>,
    /// Each different pretoken.
    pub pretoken_counts: PretokenCounts,
    /// The runs, as indices into `pretoken_counts`.
    pub runs: Runs,
}

impl Counts {
    /// How many different pretokens there are.
    pub fn distinct_pretokens(&self) -> u64 {
        self.pretoken_counts.len() as u64
    }

    /// Each different pretoken, ascending by bytes.
    ///
    /// # Errors
    /// What `progress` returns.
    pub fn sorted_pretokens(&self, progress: &mut Progress<'_>) -> Result<PretokenCounts> {
        let order = self.pretoken_order(progress)?;
        Ok(self.pretoken_counts.arranged(&order))
    }

    /// Each different run, as indices into the table of [`Self::sorted_pretokens`], ascending.
    ///
    /// # Errors
    /// [`ErrorKind::Training`] if a count would pass 2^63 - 1; what `progress` returns.
    pub fn sorted_runs(&self, progress: &mut Progress<'_>) -> Result<SequenceCounts> {
        let order = self.pretoken_order(progress)?;
        let mut ranks = vec![0; order.len()];
        for (rank, &index) in order.iter().enumerate() {
            ranks[index as usize] = rank as u32;
        }
        let new = || RunTally { ranks: &ranks, run: Vec::new(), runs: Tally::default() };
        let parts = self.runs.visit(&self.pretoken_counts, "count", 1, &new, progress)?;
        let parts = parts.into_iter().map(|part| part.runs);
        let table = Tally::joined(parts, &mut || progress("count", 0, 0))?.into_table();
        let order = table.order(|run| run[0] as usize, &mut || progress("count", 0, 0))?;
        Ok(table.arranged(&order))
    }

    fn pretoken_order(&self, progress: &mut Progress<'_>) -> Result<Vec<u32>> {
        let first_two =
            |x: &[u8]| usize::from(x[0]) << 8 | x.get(1).map_or(0, |&second| usize::from(second));
        self.pretoken_counts.order(first_two, &mut || progress("count", 0, 0))
    }
}

/// Counts runs apart.
struct RunTally<'r> {
    ranks: &'r [u32],
    run: Vec<u32>,
    runs: Tally<u32>,
}

impl RunVisitor for RunTally<'_> {
    fn visit(&mut self, run: &[u32], count: u64) -> Result<()> {
        self.run.clear();
        self.run.extend(run.iter().map(|&index| self.ranks[index as usize]));
        self.runs.add(&self.run, count).map(|_| ())
    }
}

/// The growing tables while documents are counted; `runs` hold the numbers of pretokens.
struct Counter<'c> {
    pretokenizer: &'c Pretokenizer,
    pretokens: Tally<u8>,
    runs: Option<RunKeeper>,
    limit: RunLimit,
    keys: Vec<Key>,
    numbers: Vec<u32>,
}

impl<'c> Counter<'c> {
    fn new(pretokenizer: &'c Pretokenizer, with_runs: bool, limit: RunLimit) -> Self {
        let runs = with_runs.then(RunKeeper::new);
        let (keys, numbers) = (Vec::new(), Vec::new());
        Self { pretokenizer, pretokens: Tally::default(), runs, limit, keys, numbers }
    }
}

impl Sink for Counter<'_> {
    fn take(
        &mut self,
        text: &str,
        batch: &Batch,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        let Self { pretokenizer, pretokens, runs, limit, keys, numbers } = self;
        pretokens.seeds.keys_of(text.as_bytes(), batch, keys);
        let pieces = batch.pieces(text.as_bytes()).map(|pretoken| (pretoken, 1));
        // only runs ask what is eligible
        let asked = runs.is_some();
        let eligible = |pretoken: &[u8]| Ok(asked && pretokenizer.is_eligible(pretoken, poll)?);
        pretokens.add_all(keys, pieces, eligible, numbers)?;
        runs.as_mut().map_or(Ok(()), |runs| runs.take(numbers, *limit))
    }

    fn end_run(&mut self) -> Result<()> {
        self.runs.as_mut().map_or(Ok(()), |runs| runs.take(&[NO_NUMBER], self.limit))
    }
}

/// Counts the pretokens, and if `runs` the runs, of documents that come in batches.
///
/// A run is a maximal sequence of two or more consecutive pretokens with a letter, in one document
/// and between special tokens. `threads` work beside the calling one, none if it is 1. Progress:
/// stage "count", bytes of the documents. Source: SPEC 3.2 and 6.
///
/// # Errors
/// [`ErrorKind::Input`] for a document of more than 4 GiB - 1 bytes, [`ErrorKind::Pattern`] where a
/// pattern takes too many steps, what `batches` returns: the first of them in the order of documents.
/// What `progress` returns.
pub fn count_documents(
    batches: &mut dyn FnMut() -> Result<Option<Vec<String>>>,
    pretokenizer: &Pretokenizer,
    special_tokens: &SpecialTokens,
    runs: bool,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<Counts> {
    let mut feed = DocumentFeed::new(batches);
    let limit = runs.then_some(RunLimit { bytes: RUN_BYTES, again: false });
    count_feed(&mut feed, pretokenizer, special_tokens, limit, threads, progress)
        .map(|(counts, _)| counts)
}

/// Counts the pretokens, and if `runs` the runs, of the documents of files; everything else as
/// for [`count_documents`]. The error reported is that of the first file with one, whatever the
/// number of threads. Progress: stage "count", bytes read and bytes of all files, the last 0 if it
/// cannot be known. Source: SPEC 3.0, 3.2 and 6.
///
/// # Errors
/// [`ErrorKind::Input`] naming the file and the line or byte, [`ErrorKind::Pattern`] naming the file
/// and the line; what `progress` returns.
pub fn count_files(
    sources: &[Source],
    pretokenizer: &Pretokenizer,
    special_tokens: &SpecialTokens,
    runs: bool,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<Counts> {
    count_files_within(
        sources,
        pretokenizer,
        special_tokens,
        runs.then_some(RUN_BYTES),
        threads,
        progress,
    )
}

/// As [`count_files`], with so many bytes for runs, if they are wanted.
fn count_files_within(
    sources: &[Source],
    pretokenizer: &Pretokenizer,
    special_tokens: &SpecialTokens,
    run_bytes: Option<usize>,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<Counts> {
    let mut feed = FileFeed::new(sources, "count");
    // a pipe gives its content once
    let again = sources.iter().all(|source| regular_file_size(source).is_some());
    let limit = run_bytes.map(|bytes| RunLimit { bytes, again });
    let (mut counts, dropped) =
        count_feed(&mut feed, pretokenizer, special_tokens, limit, threads, progress)?;
    counts.notices = std::mem::take(&mut feed.notices);
    if let Some(fingerprint) = dropped {
        let (sources, special_tokens) = (sources.to_vec(), special_tokens.clone());
        let pretokenizer = pretokenizer.clone();
        let again = vec![Rereading { sources, pretokenizer, special_tokens, fingerprint }];
        counts.runs = Runs { parts: Vec::new(), again };
    }
    Ok(counts)
}

/// The counts of a feed; and, if runs were dropped, the sum of the fingerprints of all documents.
fn count_feed<'s>(
    feed: &mut dyn Feed<'s>,
    pretokenizer: &Pretokenizer,
    special_tokens: &SpecialTokens,
    limit: Option<RunLimit>,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<(Counts, Option<u64>)> {
    let with_runs = limit.is_some();
    let limit = limit.unwrap_or(RunLimit { bytes: 0, again: false });
    let limit = RunLimit { bytes: limit.bytes / threads.max(1), ..limit };
    let new_scanner = || {
        let counter = Counter::new(pretokenizer, with_runs, limit);
        Scanner::new(pretokenizer, special_tokens, counter)
    };
    let mut parts = Parts::default();
    let (mut kept, mut all) = (true, 0_u64);
    for scanner in count_jobs(feed, &new_scanner, threads, progress)? {
        let Scanner { documents, fingerprint, sink: Counter { pretokens, runs, .. }, .. } = scanner;
        all = all.wrapping_add(fingerprint);
        kept &= parts.add(documents, pretokens, runs, &mut || feed.report(progress))?;
    }
    Ok((parts.finish()?, (!kept).then_some(all)))
}

/// The counts of the parts of a corpus, becoming those of the whole.
#[derive(Default)]
struct Parts {
    documents: u64,
    pretokens: Option<Tally<u8>>,
    runs: Runs,
}

impl Parts {
    /// Adds a part whose runs hold the numbers of its own pretokens; returns whether they were kept.
    fn add(
        &mut self,
        documents: u64,
        pretokens: Tally<u8>,
        runs: Option<RunKeeper>,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<bool> {
        self.documents = checked_sum(self.documents, documents)?;
        let indices = match &mut self.pretokens {
            None => {
                self.pretokens = Some(pretokens);
                Vec::new()
            }
            Some(all) => all.merge(&pretokens.into_table(), |_, _| Ok(false), poll)?,
        };
        Ok(runs.is_none_or(|runs| self.runs.add(runs, indices)))
    }

    fn finish(self) -> Result<Counts> {
        self.counts().with_totals()
    }

    /// Everything but the totals.
    fn counts(self) -> Counts {
        let pretoken_counts = self.pretokens.unwrap_or_default().into_table();
        Counts { documents: self.documents, pretoken_counts, runs: self.runs, ..Counts::default() }
    }
}

impl Counts {
    /// Sums up the counts of pretokens.
    fn with_totals(self) -> Result<Self> {
        let (mut pretokens, mut bytes) = (0, 0);
        for (pretoken, count) in self.pretoken_counts.iter() {
            pretokens = checked_sum(pretokens, count)?;
            // a product past 64 bits is past the bound, too
            bytes = checked_sum(bytes, count.saturating_mul(pretoken.len() as u64))?;
        }
        Ok(Self { bytes, pretokens, ..self })
    }
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
    let mut known = Tally::default();
    for (index, (pretoken, count)) in pretokens.iter().enumerate() {
        ticker.step(index as u64)?;
        if pretoken.as_ref().is_empty() {
            return Err(input_error(format!("pretoken {index}: is empty")));
        }
        check_count("pretoken", index, *count)?;
        known.add(pretoken.as_ref(), *count)?;
    }
    let mut run_tally = Tally::default();
    let mut numbers = Vec::new();
    for (index, (run, count)) in runs.iter().enumerate() {
        ticker.step((pretokens.len() + index) as u64)?;
        if run.len() < 2 {
            return Err(input_error(format!("run {index}: needs at least two pretokens")));
        }
        check_count("run", index, *count)?;
        numbers.clear();
        for pretoken in run {
            let number = known.find(pretoken.as_ref()).ok_or_else(|| {
                input_error(format!(
                    "run {index}: the pretoken {} (hex) is not in the table of pretokens",
                    hex(pretoken.as_ref())
                ))
            })?;
            numbers.push(number);
        }
        run_tally.add(&numbers, *count)?;
    }
    let runs = RunKeeper::Tally { runs: run_tally, run: Vec::new() };
    let mut parts = Parts::default();
    parts.add(documents, known, Some(runs), &mut || ticker.report(total))?;
    let counts = parts.counts();
    check_runs(&counts)?;
    counts.with_totals()
}

/// Refuses runs that hold a pretoken more often than its count says.
fn check_runs(counts: &Counts) -> Result<()> {
    let pretokens = &counts.pretoken_counts;
    let mut in_runs = vec![0u128; pretokens.len()];
    for part in &counts.runs.parts {
        let RunPart::Table(runs) = part else { continue };
        for (run, count) in runs.iter() {
            for &index in run {
                in_runs[index as usize] += u128::from(count);
            }
        }
    }
    let too_often = (0..pretokens.len())
        .filter(|&index| in_runs[index] > u128::from(pretokens.counts[index]))
        .min_by_key(|&index| pretokens.get(index));
    too_often.map_or(Ok(()), |index| {
        Err(input_error(format!(
            "the runs hold the pretoken {} (hex) more often than its count, {}",
            hex(pretokens.get(index)),
            pretokens.counts[index]
        )))
    })
}

/// Refuses pretokens of a table that cannot be judged, before anything depends on them.
/// Source: SPEC 6.
///
/// # Errors
/// [`ErrorKind::Pattern`] for the first on which the eligible pattern takes too many steps, named by
/// its number from 0; what `poll` returns.
pub fn check_eligible<B: AsRef<[u8]>>(
    pretokens: &[B],
    pretokenizer: &Pretokenizer,
    poll: &mut dyn FnMut() -> Result<()>,
) -> Result<()> {
    for (index, pretoken) in pretokens.iter().enumerate() {
        let judged = pretokenizer.is_eligible(pretoken.as_ref(), poll);
        judged.map_err(|error| named(error, || format!("pretoken {index}")))?;
    }
    Ok(())
}

/// The counts of the whole from those of its parts; no part gives the empty counts.
///
/// # Errors
/// [`ErrorKind::Training`] if a count would pass 2^63 - 1.
pub fn merge_counts(parts: Vec<Counts>) -> Result<Counts> {
    let mut all = Counts::default();
    let mut pretokens = Tally::default();
    for part in parts {
        all.documents = checked_sum(all.documents, part.documents)?;
        let indices = pretokens.merge(&part.pretoken_counts, |_, _| Ok(false), &mut || Ok(()))?;
        all.runs.extend(part.runs, &indices);
        all.notices.extend(part.notices);
    }
    let merged = Parts { documents: all.documents, pretokens: Some(pretokens), runs: all.runs };
    Ok(Counts { notices: all.notices, ..merged.finish()? })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::{Compression, SourceKind};
    use crate::error::no_progress;
    use crate::settings::Scheme;
    use crate::settings::{Algorithm, Settings};
    use crate::training::train_counts;

    fn text(number: usize) -> String {
        let words = ["to", " be", " or", " not", ",", " that", " is", " the", " question", "\n"];
        (0..300).map(|i| words[(number * 31 + i * i + i * number) % 97 % words.len()]).collect()
    }

    fn source(name: &str) -> Source {
        let file = format!("superword-runs-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(file).to_str().unwrap().to_owned();
        let (kind, compression, field) = (SourceKind::Lines, Compression::None, String::new());
        Source { path, kind, compression, field }
    }

    fn write(source: &Source, texts: std::ops::Range<usize>) {
        let lines: Vec<String> = texts.map(|number| text(number).replace('\n', " ")).collect();
        std::fs::write(&source.path, lines.join("\n")).unwrap();
    }

    fn within(sources: &[Source], bytes: usize, threads: usize) -> Counts {
        let special_tokens = SpecialTokens::new(&["question"]).unwrap();
        let (pretokenizer, bytes) = (Scheme::Gpt4o.into(), Some(bytes));
        count_files_within(
            sources,
            &pretokenizer,
            &special_tokens,
            bytes,
            threads,
            &mut no_progress,
        )
        .unwrap()
    }

    fn train(counts: &Counts) -> Vec<u8> {
        let settings = Settings::new(Algorithm::Boundless, 340, 340, 0);
        train_counts(counts, &settings, 2, &mut no_progress).unwrap().0
    }

    #[test]
    fn runs_that_are_kept_and_runs_that_are_read_again_train_alike() {
        let sources = [source("one"), source("other")];
        write(&sources[0], 0..150);
        write(&sources[1], 150..400);
        let kept = within(&sources, usize::MAX, 1);
        assert!(kept.runs.again.is_empty());
        let (expected, runs) = (train(&kept), kept.sorted_runs(&mut no_progress).unwrap());
        assert!(runs.len() > 100);
        for threads in [1, 2] {
            let again = within(&sources, 500, threads);
            assert!(again.runs.parts.is_empty());
            assert_eq!(train(&again), expected);
            assert_eq!(again.sorted_runs(&mut no_progress).unwrap(), runs);
        }
        let parts = sources.iter().zip([1000, usize::MAX]);
        let parts =
            parts.map(|(source, bytes)| within(std::slice::from_ref(source), bytes, 1)).collect();
        let merged = merge_counts(parts).unwrap();
        assert_eq!((merged.runs.again.len(), merged.runs.parts.len()), (1, 1));
        assert_eq!(train(&merged), expected);
        assert_eq!(merged.sorted_runs(&mut no_progress).unwrap(), runs);
        sources.iter().for_each(|source| std::fs::remove_file(&source.path).unwrap());
    }

    #[test]
    fn a_file_that_has_changed_is_noticed() {
        let sources = [source("changing")];
        write(&sources[0], 0..50);
        let counts = within(&sources, 0, 1);
        for texts in [0..51, 1..51] {
            write(&sources[0], texts);
            let settings = Settings::new(Algorithm::Superbpe, 340, 300, 40);
            let trained = train_counts(&counts, &settings, 1, &mut no_progress);
            let error = trained.unwrap_err();
            assert_eq!((error.kind, &error.message[..17]), (ErrorKind::Input, "the files changed"));
        }
        std::fs::remove_file(&sources[0].path).unwrap();
    }

    #[test]
    fn runs_that_come_once_are_counted_past_the_bound() {
        let special_tokens = SpecialTokens::new::<&str>(&[]).unwrap();
        let count = |bytes, threads| {
            let mut batches = (0..400).map(|number| vec![text(number)]);
            let mut next = || Ok(batches.next());
            let mut feed = DocumentFeed::new(&mut next);
            let limit = Some(RunLimit { bytes, again: false });
            let pretokenizer = Scheme::Gpt4oUniscript.into();
            count_feed(&mut feed, &pretokenizer, &special_tokens, limit, threads, &mut no_progress)
        };
        let (kept, _) = count(usize::MAX, 1).unwrap();
        for (bytes, threads) in [(500, 1), (20_000, 1), (500, 2)] {
            let (counted, dropped) = count(bytes, threads).unwrap();
            let counted_apart = |part: &RunPart| matches!(part, RunPart::Table(_));
            assert!(dropped.is_none() && counted.runs.parts.iter().any(counted_apart));
            assert_eq!(train(&counted), train(&kept));
        }
    }
}
