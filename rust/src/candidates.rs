//! From runs of pretokens to candidates for supermerges (SPEC section 6).

use crate::error::{Progress, Result};
use crate::model::{Op, OpKind};
pub use crate::pruning::NOT_ELIGIBLE;
use crate::pruning::{Cutter, Sketch};
use crate::replay::{Scratch, encode_pretoken, pairs_of_ops};
use crate::runs::RunVisitor;
use crate::scanner::is_eligible;
use crate::settings::Settings;
use crate::tables::{POLL_EVERY, PretokenCounts, SequenceCounts};
use crate::ticker::Ticker;
use crate::vocabulary::vocabulary_of_ops;

/// For every pretoken the one token it becomes, or [`NOT_ELIGIBLE`].
///
/// Eligible: the text has a letter, and the ops of phase 1 reduce it to one token. Progress: stage
/// "candidates", pretokens.
///
/// # Errors
/// [`crate::ErrorKind::Model`] if the ops do not fit together, and what the progress callback
/// returns.
pub fn single_token_pretokens(
    ops: &[Op],
    pretokens: &PretokenCounts,
    settings: &Settings,
    progress: &mut Progress<'_>,
) -> Result<Vec<u32>> {
    single_token_pretokens_above(ops, pretokens, 1, settings, progress)
}

/// As [`single_token_pretokens`], without the pretokens that are rarer than `least`.
///
/// # Errors
/// As for [`single_token_pretokens`].
pub(crate) fn single_token_pretokens_above(
    ops: &[Op],
    pretokens: &PretokenCounts,
    least: u64,
    settings: &Settings,
    progress: &mut Progress<'_>,
) -> Result<Vec<u32>> {
    let total = pretokens.len() as u64;
    let ticker = &mut Ticker::new(progress, "candidates", total);
    ticker.report(0)?;
    let vocabulary = vocabulary_of_ops(ops, settings.alphabet, ticker)?;
    let merges = pairs_of_ops(ops, OpKind::Merge);
    let numbers = settings.alphabet.numbers();
    let (mut tokens, mut scratch) = (Vec::new(), Scratch::default());
    let mut single = vec![NOT_ELIGIBLE; pretokens.len()];
    for (index, (pretoken, count)) in pretokens.iter().enumerate() {
        ticker.step(index as u64)?;
        if count < least {
            continue;
        }
        // To be in the vocabulary is necessary; that it is sufficient is a theorem which fails as
        // soon as tokens can be deleted, so what remains is encoded.
        let Some(number) = vocabulary.number(pretoken) else { continue };
        if !is_eligible(pretoken) {
            continue;
        }
        tokens.clear();
        tokens.extend(pretoken.iter().map(|&byte| numbers[usize::from(byte)]));
        encode_pretoken(&mut tokens, &merges, &mut scratch, ticker)?;
        if tokens == [number] {
            single[index] = number;
        }
    }
    ticker.report(total)?;
    Ok(single)
}

/// Cuts runs at what is not eligible; returns the pieces of two or more tokens with their counts.
///
/// `single` comes from [`single_token_pretokens`]. The pieces are distinct and ascend by their
/// creation numbers. Progress: stage "candidates", runs.
///
/// # Errors
/// [`crate::ErrorKind::Training`] if a count would pass 2^63 - 1, and what the progress callback
/// returns.
pub fn split_runs(
    runs: &SequenceCounts,
    single: &[u32],
    progress: &mut Progress<'_>,
) -> Result<SequenceCounts> {
    let total = runs.len() as u64;
    let ticker = &mut Ticker::new(progress, "candidates", total);
    ticker.report(0)?;
    let sketch = Sketch::new(0);
    let mut cutter = Cutter::new(single, &sketch, 1);
    for (index, (run, count)) in runs.iter().enumerate() {
        ticker.step(index as u64)?;
        ticker.work(run.len())?;
        cutter.visit(run, count)?;
    }
    cutter.finish()?;
    let poll = &mut || ticker.work(POLL_EVERY);
    let pieces = cutter.pieces.into_table();
    let sorted = pieces.arranged(&pieces.order(|piece| piece[0] as usize, poll)?);
    ticker.report(total)?;
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, ErrorKind, no_progress};
    use crate::settings::{Algorithm, Alphabet, MAX_COUNT};

    fn single(ops: &[(u32, u32, u32)], pretokens: &[&[u8]], alphabet: Alphabet) -> Vec<u32> {
        let op = |&(left, right, new)| Op { kind: OpKind::Merge, left, right, new, count: 1 };
        let ops: Vec<Op> = ops.iter().map(op).collect();
        let mut table = PretokenCounts::default();
        for pretoken in pretokens {
            table.push(pretoken, 1);
        }
        let settings = Settings { alphabet, ..Settings::new(Algorithm::Boundless, 400, 400, 0) };
        single_token_pretokens(&ops, &table, &settings, &mut no_progress).unwrap()
    }

    #[test]
    fn eligible_is_a_letter_and_one_token() {
        let ops = [(97, 98, 256), (99, 100, 257), (256, 257, 258), (33, 33, 259)];
        let pretokens: [&[u8]; 7] = [b"ab", b"abc", b"abcd", b"a", b"7", b"!!", b"\xc3"];
        let expected = [256, NOT_ELIGIBLE, 258, 97, NOT_ELIGIBLE, NOT_ELIGIBLE, NOT_ELIGIBLE];
        assert_eq!(single(&ops, &pretokens, Alphabet::Bytes), expected);
        assert_eq!(single(&[(0xC1, 0xA9, 243)], &["é".as_bytes()], Alphabet::Utf8), [243]);
    }

    #[test]
    fn what_the_ops_do_not_reduce_is_not_eligible() {
        // "abc" is a token, but the op (a, b) comes first: what deletions will make common
        let ops = [(97, 98, 256), (98, 99, 257), (97, 257, 258)];
        assert_eq!(single(&ops, &[b"abc"], Alphabet::Bytes), [NOT_ELIGIBLE]);
    }

    #[test]
    fn a_long_pretoken_is_not_quadratic() {
        let mut ops = vec![(97, 97, 256)];
        ops.extend((256..272).map(|number| (number, number, number + 1)));
        assert_eq!(single(&ops, &[&[b'a'; 1 << 17]], Alphabet::Bytes), [272]);
    }

    #[test]
    fn runs_are_cut_and_pieces_aggregated() {
        let single = [97, 98, 256, NOT_ELIGIBLE];
        let mut runs = SequenceCounts::default();
        let entries: [(&[u32], u64); 5] = [
            (&[1, 0], 1),
            (&[0, 3, 1, 2, 3, 1, 2], 2),
            (&[1, 0, 3], 3),
            (&[3, 3], 7),
            (&[0, 1, 2], 1),
        ];
        for (run, count) in entries {
            runs.push(run, count);
        }
        let pieces = split_runs(&runs, &single, &mut no_progress).unwrap();
        let found: Vec<_> = pieces.iter().collect();
        let expected: [(&[u32], u64); 3] = [(&[97, 98, 256], 1), (&[98, 97], 4), (&[98, 256], 4)];
        assert_eq!(found, expected);
        runs.push(&[0, 1], MAX_COUNT);
        assert!(split_runs(&runs, &single, &mut no_progress).is_ok());
        runs.push(&[3, 0, 1], 1);
        let error = split_runs(&runs, &single, &mut no_progress).unwrap_err();
        assert_eq!(error, Error::new(ErrorKind::Training, "a count would pass 2^63 - 1"));
    }

    #[test]
    fn both_report_often_and_can_be_stopped() {
        let mut pretokens = PretokenCounts::default();
        let mut runs = SequenceCounts::default();
        for i in 0..40_000 {
            pretokens.push(format!("{i}").as_bytes(), 1);
            runs.push(&[i % 300, i], 1);
        }
        let settings = Settings::new(Algorithm::Boundless, 400, 400, 0);
        let single: Vec<u32> = (0..40_000).collect();
        let run = |progress: &mut Progress<'_>, second: bool| match second {
            false => single_token_pretokens(&[], &pretokens, &settings, progress).map(|_| ()),
            true => split_runs(&runs, &single, progress).map(|_| ()),
        };
        for second in [false, true] {
            let mut seen = Vec::new();
            let mut progress = |stage: &'static str, done: u64, total: u64| {
                assert_eq!((stage, total), ("candidates", 40_000));
                seen.push(done);
                Ok(())
            };
            run(&mut progress, second).unwrap();
            assert!(seen.len() > 100 && seen.is_sorted());
            assert_eq!((seen[0], seen[seen.len() - 1]), (0, 40_000));
            let mut left = seen.len() - 1;
            let mut progress = |_: &'static str, _: u64, _: u64| {
                left -= 1;
                if left == 0 { Err(Error::cancelled()) } else { Ok(()) }
            };
            assert_eq!(run(&mut progress, second).unwrap_err(), Error::cancelled());
        }
    }
}
