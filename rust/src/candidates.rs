//! From runs of pretokens to candidates for supermerges (SPEC section 6).

use std::sync::{Mutex, PoisonError};

use crate::arena::Row;
use crate::deletions::RegularOps;
use crate::error::{Progress, Result};
use crate::model::Op;
use crate::parallel::map_in_order;
use crate::pretokenize::Pretokenizer;
use crate::replay::Scratch;
use crate::settings::Settings;
use crate::tables::{POLL_EVERY, PretokenCounts, SequenceCounts, Table};
use crate::tally::Tally;
use crate::ticker::Ticker;
use crate::vocabulary::{Vocabulary, vocabulary_of_ops};

/// In the place of a token: the pretoken is not eligible.
pub const NOT_ELIGIBLE: u32 = u32::MAX;
const STAGE: &str = "candidates";
/// So many pretokens are looked at together by one thread.
const TOGETHER: usize = 4096;

/// For every pretoken the one token it becomes, or [`NOT_ELIGIBLE`].
///
/// Eligible: the text has a letter, and the ops of phase 1 reduce it to one token that is in the
/// vocabulary at their end. Progress: stage "candidates", pretokens.
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
    let total = pretokens.len() as u64;
    let ticker = &mut Ticker::new(progress, STAGE, total);
    ticker.report(0)?;
    let vocabulary = vocabulary_of_ops(ops, settings.alphabet, ticker)?;
    let single = single_tokens_above(ops, &vocabulary, pretokens, 1, settings, 1, progress)?;
    progress(STAGE, total, total)?;
    Ok(single)
}

/// As [`single_token_pretokens`], without the pretokens that are rarer than `least`, with the
/// vocabulary that `ops` make, on up to `threads` threads.
///
/// # Errors
/// What `progress` returns.
pub(crate) fn single_tokens_above(
    ops: &[Op],
    vocabulary: &Vocabulary,
    pretokens: &PretokenCounts,
    least: u64,
    settings: &Settings,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<Vec<u32>> {
    let regular = RegularOps::new(ops, vocabulary, Some(settings.blow_up), false);
    let numbers = settings.alphabet.numbers();
    let pretokenizer = Pretokenizer::new(&settings.cutting)?;
    let work = |part: usize, check: &mut Progress<'_>| {
        let ticker = &mut Ticker::new(check, STAGE, 0);
        let (mut tokens, mut scratch) = (Vec::new(), Scratch::default());
        let indices = part * TOGETHER..pretokens.len().min((part + 1) * TOGETHER);
        let mut single = vec![NOT_ELIGIBLE; indices.len()];
        for (single, index) in single.iter_mut().zip(indices) {
            ticker.step(0)?;
            if pretokens.counts[index] < least {
                continue;
            }
            // To be in the vocabulary is necessary; that it is sufficient is a theorem which fails
            // as soon as tokens are deleted, so what remains is encoded.
            let pretoken = pretokens.get(index);
            let Some(number) = vocabulary.number(pretoken) else { continue };
            if !pretokenizer.is_eligible(pretoken, &mut || ticker.report_again())? {
                continue;
            }
            tokens.clear();
            tokens.extend(pretoken.iter().map(|&byte| numbers[usize::from(byte)]));
            regular.encode(&mut tokens, vocabulary, &mut scratch, ticker)?;
            if tokens == [number] {
                *single = number;
            }
        }
        Ok(single)
    };
    let parts = pretokens.len().div_ceil(TOGETHER);
    let total = pretokens.len() as u64;
    let mut report = |stage: &'static str, parts: u64, _: u64| {
        progress(stage, total.min(parts * TOGETHER as u64), total)
    };
    Ok(map_in_order(STAGE, parts, threads, &work, &mut report)?.concat())
}

/// Calls `take` with the pieces of two or more tokens that a run has between the pretokens that are
/// not eligible.
fn each_piece(
    run: &[u32],
    single: &[u32],
    tokens: &mut Vec<u32>,
    take: impl FnMut(&[u32]) -> Result<()>,
) -> Result<()> {
    tokens.clear();
    tokens.extend(run.iter().map(|&pretoken| single[pretoken as usize]));
    let pieces = tokens.split(|&token| token == NOT_ELIGIBLE);
    pieces.filter(|piece| piece.len() > 1).try_for_each(take)
}

/// The same candidates made of tokens. Some may be there more than once: where a pretoken turns out
/// not to be eligible what is left can be equal.
pub(crate) fn in_tokens(mut pieces: SequenceCounts, single: &[u32]) -> Result<SequenceCounts> {
    let eligible = |&pretoken: &u32| single[pretoken as usize] != NOT_ELIGIBLE;
    if pieces.items.iter().all(eligible) {
        pieces.items.iter_mut().for_each(|item| *item = single[*item as usize]);
        return Ok(pieces);
    }
    let (mut all, mut tokens) = (SequenceCounts::default(), Vec::new());
    for (piece, count) in pieces.iter() {
        each_piece(piece, single, &mut tokens, |piece| {
            all.push(piece, count);
            Ok(())
        })?;
    }
    Ok(all)
}

/// Candidates in rows, one of each thread's. What several threads have found stands in several rows,
/// which changes no count: to find equal ones would take longer than to have them twice.
pub(crate) fn candidate_rows(
    pieces: Vec<Tally<u32>>,
    single: &[u32],
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<Vec<Row>> {
    let pieces: Vec<_> = pieces.into_iter().map(|pieces| Mutex::new(Some(pieces))).collect();
    let lay_out = |part: usize, check: &mut Progress<'_>| {
        let pieces = pieces[part].lock().unwrap_or_else(PoisonError::into_inner).take();
        let Table { items, ends, counts } =
            in_tokens(pieces.unwrap_or_default().into_table(), single)?;
        Row::new(&items, &ends, &counts, |token| token, &mut Ticker::new(check, STAGE, 0))
    };
    map_in_order(STAGE, pieces.len(), threads, &lay_out, progress)
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
    let ticker = &mut Ticker::new(progress, STAGE, total);
    ticker.report(0)?;
    let (mut pieces, mut tokens) = (Tally::default(), Vec::new());
    for (index, (run, count)) in runs.iter().enumerate() {
        ticker.step(index as u64)?;
        ticker.work(run.len())?;
        each_piece(run, single, &mut tokens, |piece| pieces.add(piece, count).map(|_| ()))?;
    }
    let poll = &mut || ticker.work(POLL_EVERY);
    let pieces = pieces.into_table();
    let sorted = pieces.arranged(&pieces.order(|piece| piece[0] as usize, poll)?);
    ticker.report(total)?;
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, ErrorKind, no_progress};
    use crate::model::OpKind;
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
    fn pieces_become_tokens() {
        let mut pieces = SequenceCounts::default();
        let entries: [(&[u32], u64); 4] =
            [(&[1, 0], 3), (&[0, 2, 1], 4), (&[1, 2], 5), (&[1, 3], 6)];
        entries.iter().for_each(|&(piece, count)| pieces.push(piece, count));
        let all = in_tokens(pieces.clone(), &[97, 98, 256, 99]).unwrap();
        let expected: [(&[u32], u64); 4] =
            [(&[98, 97], 3), (&[97, 256, 98], 4), (&[98, 256], 5), (&[98, 99], 6)];
        assert_eq!(all.iter().collect::<Vec<_>>(), expected);
        let some = in_tokens(pieces, &[97, 98, 256, NOT_ELIGIBLE]).unwrap();
        assert_eq!(some.iter().collect::<Vec<_>>(), expected[..3]);
    }

    #[test]
    fn threads_find_the_same_single_tokens() {
        let mut pretokens = PretokenCounts::default();
        for i in 0..3 * TOGETHER as u64 / 2 {
            let text: Vec<u8> = (0..13).map(|bit| b'a' + (i >> bit & 1) as u8).collect();
            pretokens.push(&text[..2 + i as usize % 12], 1 + i % 3);
        }
        let settings = Settings::new(Algorithm::Boundless, 400, 400, 0);
        let (ops, _, vocabulary) =
            crate::merges::train_vocabulary(&pretokens, &settings, &mut |_| (), &mut no_progress)
                .unwrap();
        let all = single_token_pretokens(&ops, &pretokens, &settings, &mut no_progress).unwrap();
        let wanted = |(&token, &count): (&u32, &u64)| if count < 2 { NOT_ELIGIBLE } else { token };
        let expected: Vec<u32> = all.iter().zip(&pretokens.counts).map(wanted).collect();
        assert!(expected != all && expected.iter().any(|&token| token != NOT_ELIGIBLE));
        for threads in [1, 2, 3] {
            let quiet = &mut no_progress;
            let found =
                single_tokens_above(&ops, &vocabulary, &pretokens, 2, &settings, threads, quiet);
            assert_eq!(found.unwrap(), expected);
        }
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
