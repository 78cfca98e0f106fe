//! Greedy n-gram splitting of candidates: rare sequences are cut (SPEC section 7).

use crate::error::{Error, ErrorKind, Progress, Result};
use crate::model::{Op, OpKind};
use crate::pair_table::PairTable;
use crate::pruning::Sketch;
use crate::settings::{MAX_COUNT, Settings};
use crate::tables::{POLL_EVERY, SequenceCounts, sequence};
use crate::tally::Tally;
use crate::ticker::Ticker;

const STAGE: &str = "ngrams";
/// In the number of a place: no longer n-gram that starts here is frequent. Below it stands the
/// length of the longest one.
const ENDED: u32 = 1 << 31;

/// How often an n-gram must occur to stay whole: the count of the last merge op of phase 1, or
/// `ngram_floor` if that is higher or there is none.
pub fn ngram_threshold(ops: &[Op], settings: &Settings) -> u64 {
    let last = ops.iter().rfind(|op| op.kind == OpKind::Merge).map_or(0, |op| op.count);
    last.max(settings.ngram_floor)
}

/// Cuts candidates from left to right into the longest n-grams that are frequent.
///
/// `ops` are those of phase 1. Returns the pieces of two or more pretokens, distinct and ascending
/// by their creation numbers; the candidates as they are if no n-gram is frequent. Progress: stage
/// "ngrams", sizes.
///
/// # Errors
/// [`ErrorKind::Training`] if a count could pass 2^63 - 1, and what the progress callback returns.
pub fn split_ngrams(
    ops: &[Op],
    candidates: SequenceCounts,
    settings: &Settings,
    progress: &mut Progress<'_>,
) -> Result<SequenceCounts> {
    let total = candidates.iter().try_fold(0_u64, |total, (candidate, count)| {
        count.checked_mul(candidate.len() as u64)?.checked_add(total)
    });
    if total.is_none_or(|total| total > MAX_COUNT) {
        return Err(Error::new(ErrorKind::Training, "a count would pass 2^63 - 1"));
    }
    let (least, longest) = (ngram_threshold(ops, settings), settings.ngram_max_length);
    let ticker = &mut Ticker::new(progress, STAGE, longest);
    let Some(lengths) = frequent_lengths(&candidates, least, longest, ticker)? else {
        ticker.report(longest)?;
        return Ok(candidates);
    };
    let mut pieces = Tally::default();
    for (index, (candidate, count)) in candidates.iter().enumerate() {
        ticker.work(candidate.len())?;
        let lengths = sequence(&lengths, &candidates.ends, index);
        let mut start = 0;
        while start < candidate.len() {
            let end = start + (lengths[start] & !ENDED) as usize;
            if end > start + 1 {
                pieces.add(&candidate[start..end], count)?;
            }
            start = end;
        }
    }
    drop((candidates, lengths));
    let poll = &mut || ticker.work(POLL_EVERY);
    let pieces = pieces.into_table();
    let sorted = pieces.arranged(&pieces.order(|piece| piece[0] as usize, poll)?);
    ticker.report(longest)?;
    Ok(sorted)
}

/// For each place, with the bit `ENDED`, the length of the longest frequent n-gram that starts
/// there, 1 where there is none; or `None` if no n-gram is frequent at all.
///
/// An n-gram is the pair of the two (n-1)-grams in it, by their numbers: so one number a place is
/// enough, and only those n-grams are counted whose parts are frequent. A sketch, which can only
/// count too much, keeps most of the rare ones out of the table.
fn frequent_lengths(
    candidates: &SequenceCounts,
    least: u64,
    longest: u64,
    ticker: &mut Ticker<'_, '_>,
) -> Result<Option<Vec<u32>>> {
    // the pretokens themselves in the beginning
    let mut numbers = candidates.items.clone();
    let mut open = Open {
        candidates,
        // those in which two neighbouring places have not ended
        indices: (0..candidates.len() as u32).collect(),
        pairs: candidates.items.len() as u64,
    };
    let mut size = 1;
    while u64::from(size) < longest {
        ticker.report(size.into())?;
        let frequent = open.frequent_pairs(&numbers, least, ticker)?;
        if frequent.is_empty() {
            break;
        }
        open.take_longer(&mut numbers, &frequent, size, ticker)?;
        size += 1;
    }
    if size == 1 {
        return Ok(None);
    }
    for &index in &open.indices {
        end_all(&mut numbers[candidates.span(index as usize)], size);
    }
    Ok(Some(numbers))
}

/// No longer n-gram is frequent at these places.
fn end_all(numbers: &mut [u32], size: u32) {
    for number in numbers.iter_mut().filter(|number| **number < ENDED) {
        *number = ENDED | size;
    }
}

/// The candidates that can hold a longer n-gram.
struct Open<'c> {
    candidates: &'c SequenceCounts,
    indices: Vec<u32>,
    /// So many pairs of neighbouring places they have, or fewer.
    pairs: u64,
}

/// Pairs that are frequent, and the numbers of the n-grams that they are.
struct Frequent {
    table: PairTable,
    /// By the number of the pair; `ENDED` for one that is not frequent after all.
    numbers: Vec<u32>,
}

impl Frequent {
    fn is_empty(&self) -> bool {
        self.numbers.iter().all(|&number| number == ENDED)
    }

    /// The number of the n-gram, if it is frequent.
    fn number(&self, left: u32, right: u32) -> Option<u32> {
        let pair = self.table.find(left, right)?;
        Some(self.numbers[pair as usize]).filter(|&number| number != ENDED)
    }
}

impl Open<'_> {
    /// Calls `take` with each pair of neighbouring places and its weight.
    fn each_pair(
        &self,
        numbers: &[u32],
        ticker: &mut Ticker<'_, '_>,
        mut take: impl FnMut(u32, u32, u64) -> Result<()>,
    ) -> Result<()> {
        for &index in &self.indices {
            let places = &numbers[self.candidates.span(index as usize)];
            let count = self.candidates.counts[index as usize];
            ticker.work(places.len())?;
            for pair in places.windows(2).filter(|pair| pair[0].max(pair[1]) < ENDED) {
                take(pair[0], pair[1], count)?;
            }
        }
        Ok(())
    }

    /// The pairs that occur `least` times.
    fn frequent_pairs(
        &self,
        numbers: &[u32],
        least: u64,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<Frequent> {
        let mut sketch = Sketch::new(self.pairs);
        self.each_pair(numbers, ticker, |left, right, count| {
            sketch.add(left, right, count);
            Ok(())
        })?;
        let mut table = PairTable::default();
        self.each_pair(numbers, ticker, |left, right, count| {
            if !sketch.reaches(left, right, least) {
                return Ok(());
            }
            let number = match table.find(left, right) {
                Some(number) => number,
                None if table.pairs.len() as u64 >= ENDED.into() => {
                    let reason = "more than 2^31 different n-grams; train on less text";
                    return Err(Error::new(ErrorKind::Training, reason));
                }
                None => table.add(left, right),
            };
            // no sum passes that of all weights, which has been checked
            table.pairs[number as usize].count += count;
            Ok(())
        })?;
        let mut found = 0;
        let number = |count: u64| {
            if count < least {
                return ENDED;
            }
            found += 1;
            found - 1
        };
        let numbers = table.pairs.iter().map(|pair| pair.count).map(number).collect();
        Ok(Frequent { table, numbers })
    }

    /// Gives each place the number of the n-gram that is one longer than `size`, or ends it.
    fn take_longer(
        &mut self,
        numbers: &mut [u32],
        frequent: &Frequent,
        size: u32,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<()> {
        let (mut pairs, mut worked) = (0, Ok(()));
        let Self { candidates, indices, .. } = self;
        indices.retain(|&index| {
            let places = &mut numbers[candidates.span(index as usize)];
            if worked.is_ok() {
                worked = ticker.work(places.len());
            }
            for place in 0..places.len() {
                let (left, right) = (places[place], places.get(place + 1).copied());
                if left < ENDED {
                    let right = right.filter(|&right| right < ENDED);
                    let longer = right.and_then(|right| frequent.number(left, right));
                    places[place] = longer.unwrap_or(ENDED | size);
                }
            }
            let left = places.windows(2).filter(|pair| pair[0].max(pair[1]) < ENDED).count();
            if left == 0 {
                end_all(places, size + 1);
            }
            pairs += left as u64;
            left > 0
        });
        self.pairs = pairs;
        worked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::no_progress;
    use crate::settings::Algorithm;

    /// A generator of our own: the crate knows no randomness, its tests need little.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % bound
        }
    }

    fn settings(floor: u64, longest: u64) -> Settings {
        Settings {
            ngram_split: true,
            ngram_floor: floor,
            ngram_max_length: longest,
            ..Settings::new(Algorithm::Boundless, 300, 300, 0)
        }
    }

    fn random(numbers: &mut Numbers) -> SequenceCounts {
        let (mut tally, letters) = (Tally::default(), 1 + numbers.below(4));
        for _ in 0..=numbers.below(12) {
            let length = 2 + numbers.below(9);
            let candidate: Vec<u32> = (0..length).map(|_| numbers.below(letters) as u32).collect();
            tally.add(&candidate, 1 + numbers.below(4) as u64).unwrap();
        }
        tally.into_table()
    }

    /// How often an n-gram occurs.
    fn occurrences(table: &SequenceCounts, ngram: &[u32]) -> u64 {
        let all = table.iter().map(|(candidate, count)| {
            count * candidate.windows(ngram.len()).filter(|part| *part == ngram).count() as u64
        });
        all.sum()
    }

    #[test]
    fn every_place_knows_its_longest_frequent_ngram() {
        let mut numbers = Numbers(11);
        let mut longer = 0;
        for _ in 0..600 {
            let table = random(&mut numbers);
            let (least, longest) = (1 + numbers.below(9) as u64, 2 + numbers.below(5) as u64);
            let ticker_progress = &mut no_progress;
            let ticker = &mut Ticker::new(ticker_progress, STAGE, longest);
            let found = frequent_lengths(&table, least, longest, ticker).unwrap();
            let frequent = |ngram: &[u32]| ngram.len() < 2 || occurrences(&table, ngram) >= least;
            let mut expected = Vec::new();
            for (candidate, _) in table.iter() {
                for start in 0..candidate.len() {
                    let most = (candidate.len() - start).min(longest as usize);
                    let lengths = (1..=most).filter(|n| frequent(&candidate[start..start + n]));
                    expected.push(ENDED | lengths.max().unwrap() as u32);
                }
            }
            let none = expected.iter().all(|&length| length == ENDED | 1);
            assert_eq!(found, (!none).then_some(expected.clone()));
            longer += usize::from(expected.iter().any(|&length| length > ENDED | 3));
        }
        assert!(longer > 50, "{longer}");
    }

    #[test]
    fn it_can_be_stopped_at_any_call() {
        let mut table = SequenceCounts::default();
        for first in 0..600 {
            table.push(&[first, 1, 2, 3, 4, 5, 6, 7, 8, 9], 1);
        }
        let mut done = 0;
        for calls in 0.. {
            let mut left = calls;
            let mut progress = |_: &'static str, _: u64, _: u64| {
                if left == 0 {
                    return Err(Error::cancelled());
                }
                left -= 1;
                Ok(())
            };
            match split_ngrams(&[], table.clone(), &settings(15, 30), &mut progress) {
                Err(error) => assert_eq!(error.kind, ErrorKind::Cancelled),
                Ok(pieces) => {
                    assert_eq!((pieces.items, pieces.counts), ((1..10).collect(), vec![600]));
                    done = calls;
                    break;
                }
            }
        }
        assert!(done > 10, "{done}");
    }
}
