//! Runs one after the other in the order of the text, two bytes a pretoken.
//!
//! No Python twin: there runs are always counted.

use crate::error::Result;

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
    /// The pretoken that starts a run if another one follows.
    first: Option<u32>,
    open: bool,
    /// Where stretches end, each with the run that fills it; the last one has no mark.
    marks: Vec<usize>,
    /// From here on a run fills a stretch.
    full: usize,
}

impl RunStream {
    /// The run goes on with this pretoken.
    #[inline]
    pub(crate) fn push(&mut self, number: u32) {
        if !self.open {
            let Some(first) = self.first.replace(number) else { return };
            self.open = true;
            self.put(first);
        }
        self.put(number);
    }

    #[inline]
    fn put(&mut self, number: u32) {
        if number < u32::from(FIRST_SPECIAL) {
            self.codes.push(number as u16);
        } else {
            self.codes.extend_from_slice(&[LARGE, (number >> 16) as u16, number as u16]);
        }
    }

    /// The run ends; one of a single pretoken is none.
    #[inline]
    pub(crate) fn end_run(&mut self) {
        if self.open {
            self.codes.push(END);
            if self.codes.len() >= self.full {
                self.mark();
            }
        }
        self.first = None;
        self.open = false;
    }

    #[cold]
    fn mark(&mut self) {
        self.marks.push(self.codes.len());
        self.full = self.codes.len() + STRETCH;
    }

    /// Where stretches end, each behind a run.
    pub(crate) fn ends(&self) -> Vec<usize> {
        self.marks.iter().copied().chain([self.codes.len()]).collect()
    }

    /// The memory that the runs so far take.
    pub(crate) fn bytes(&self) -> usize {
        2 * self.codes.len()
    }

    /// Calls `visit` with each run.
    pub(crate) fn visit(&self, visit: impl FnMut(&[u32]) -> Result<()>) -> Result<()> {
        visit_codes(&self.codes, |number| number, visit)
    }
}

/// Calls `visit` with each run, made of what `index` gives for each number.
#[inline]
pub(crate) fn visit_codes(
    codes: &[u16],
    index: impl Fn(u32) -> u32,
    mut visit: impl FnMut(&[u32]) -> Result<()>,
) -> Result<()> {
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
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_gives_back_its_runs() {
        let runs: [&[u32]; 5] =
            [&[1, 2], &[65533, 65534, 65535, 65536], &[7], &[0, u32::MAX - 1, 0], &[3, 3]];
        let mut stream = RunStream::default();
        for run in runs {
            run.iter().for_each(|&number| stream.push(number));
            stream.end_run();
            stream.end_run();
        }
        let mut found = Vec::new();
        let mut visit = |run: &[u32]| {
            found.push(run.to_vec());
            Ok(())
        };
        stream.visit(&mut visit).unwrap();
        let mut start = 0;
        for end in stream.ends() {
            visit_codes(&stream.codes[start..end], |number| number, &mut visit).unwrap();
            start = end;
        }
        let expected: Vec<_> = runs.iter().filter(|run| run.len() > 1).copied().collect();
        assert_eq!(found, [&expected[..], &expected].concat());
        assert_eq!(stream.ends(), [3, 14, 23, 23]);
        assert_eq!(stream.bytes(), 2 * (3 + 11 + 6 + 3));
    }
}
