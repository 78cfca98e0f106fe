//! Runs one after the other in the order of the text, two bytes a pretoken.
//!
//! No Python twin: there runs are always counted.

use std::hint::select_unpredictable;

use crate::error::Result;
use crate::tally::NO_NUMBER;

/// From this code on a code is no number.
const FIRST_SPECIAL: u16 = u16::MAX - 1;
/// A run ends.
const END: u16 = FIRST_SPECIAL;
/// The number follows in two codes, the high one first.
const LARGE: u16 = u16::MAX;
/// About so many codes are a stretch: a millisecond of work.
pub(crate) const STRETCH: usize = if cfg!(test) { 9 } else { 1 << 16 };

/// Runs one after the other in the order of the text: numbers of pretokens, most of which are
/// small.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunStream {
    pub(crate) codes: Vec<u16>,
    /// Where the run starts that may go on.
    start: usize,
    /// How many pretokens it has.
    length: usize,
    /// Where stretches end, each behind a run; the last one has no mark.
    marks: Vec<usize>,
    /// From here on a run fills a stretch.
    full: usize,
}

impl RunStream {
    /// Takes the numbers of pretokens that follow each other, [`NO_NUMBER`] where a run ends; one of
    /// a single pretoken is none.
    ///
    /// Which pretokens are eligible no processor can foresee, so there is no branch on it: what
    /// could come next is written in any case, and then it is decided how much of it stays.
    pub(crate) fn take(&mut self, numbers: &[u32]) {
        let Self { codes, start, length, .. } = self;
        let mut at = codes.len();
        codes.resize(at + 3 * numbers.len(), 0);
        for &number in numbers {
            let eligible = number != NO_NUMBER;
            let large = eligible && number >= u32::from(FIRST_SPECIAL);
            let code = select_unpredictable(eligible, number as u16, END);
            let code = if large { LARGE } else { code };
            codes[at..at + 3].copy_from_slice(&[code, (number >> 16) as u16, number as u16]);
            let end = at + if large { 3 } else { 1 };
            at = select_unpredictable(eligible || *length > 1, end, *start);
            *start = select_unpredictable(eligible, *start, at);
            *length = select_unpredictable(eligible, *length + 1, 0);
        }
        codes.truncate(at);
        if self.start >= self.full {
            self.mark();
        }
    }

    #[cold]
    fn mark(&mut self) {
        self.marks.push(self.start);
        self.full = self.start + STRETCH;
    }

    /// Where stretches end, each behind a run.
    pub(crate) fn ends(&self) -> Vec<usize> {
        self.marks.iter().copied().chain([self.codes.len()]).collect()
    }

    /// The memory that the runs so far take.
    pub(crate) fn bytes(&self) -> usize {
        2 * self.codes.len()
    }

    /// Calls `visit` with each run; returns what there is of one that may go on.
    pub(crate) fn visit(&self, visit: impl FnMut(&[u32]) -> Result<()>) -> Result<Vec<u32>> {
        visit_codes(&self.codes, |number| number, visit)
    }
}

/// Calls `visit` with each run, made of what `index` gives for each number; returns what there is of
/// one that may go on.
#[inline]
pub(crate) fn visit_codes(
    codes: &[u16],
    index: impl Fn(u32) -> u32,
    mut visit: impl FnMut(&[u32]) -> Result<()>,
) -> Result<Vec<u32>> {
    let mut run = Vec::new();
    let mut codes = codes.iter();
    while let Some(&code) = codes.next() {
        match code {
            END => {
                visit(&run)?;
                run.clear();
            }
            LARGE => {
                let high = codes.next().copied().unwrap_or_default();
                let low = codes.next().copied().unwrap_or_default();
                run.push(index(u32::from(high) << 16 | u32::from(low)));
            }
            number => run.push(index(u32::from(number))),
        }
    }
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_gives_back_its_runs() {
        let runs: [&[u32]; 6] = [
            &[1, 2],
            &[65533, 65534, 65535, 65536],
            &[7],
            &[65534],
            &[0, u32::MAX - 1, 0],
            &[3, 3],
        ];
        let expected: Vec<_> = runs.iter().filter(|run| run.len() > 1).copied().collect();
        let mut numbers = Vec::new();
        for run in runs {
            numbers.extend_from_slice(run);
            numbers.extend([NO_NUMBER; 2]);
        }
        numbers.extend([5, 65534]);
        // however they come, and whatever ends with what comes together
        for together in 1..numbers.len() {
            let mut stream = RunStream::default();
            numbers.chunks(together).for_each(|numbers| stream.take(numbers));
            let mut found = Vec::new();
            let mut visit = |run: &[u32]| {
                found.push(run.to_vec());
                Ok(())
            };
            assert_eq!(stream.visit(&mut visit).unwrap(), [5, 65534]);
            let (mut start, ends) = (0, stream.ends());
            assert!(ends.len() > 1 && ends.is_sorted());
            for end in ends {
                let open = visit_codes(&stream.codes[start..end], |number| number, &mut visit);
                assert_eq!(open.unwrap().is_empty(), end < stream.codes.len());
                start = end;
            }
            assert_eq!(found, [&expected[..], &expected].concat());
            assert_eq!(stream.bytes(), 2 * (3 + 11 + 6 + 3 + 4));
        }
    }
}
