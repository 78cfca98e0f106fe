//! Counting: the same from any number of threads and any partition; cancelling; which error wins.

#![allow(clippy::unwrap_used)] // a test fails by panicking, its helpers too

use superword::counts::{Counts, count_documents, count_files, count_table, merge_counts};
use superword::documents::{Compression, Source, SourceKind};
use superword::error::no_progress;
use superword::settings::Scheme;
use superword::special_tokens::SpecialTokens;
use superword::tables::{PretokenCounts, SequenceCounts};
use superword::{Error, ErrorKind, Progress, Result};

fn texts(number: usize) -> Vec<String> {
    let text = |n: usize| {
        format!("to be {} or not<|end|>to be, {}\n{}", n % 97, n % 7, "x".repeat(n % 50))
    };
    (0..number).map(text).collect()
}

fn count(texts: &[String], threads: usize, progress: &mut Progress<'_>) -> Result<Counts> {
    let mut batches = texts.chunks(1000);
    count_documents(
        &mut || Ok(batches.next().map(<[String]>::to_vec)),
        &Scheme::Gpt2.into(),
        &SpecialTokens::new(&["<|end|>"]).unwrap(),
        true,
        threads,
        progress,
    )
}

/// Everything that does not depend on the order of the tables.
fn facts(counts: &Counts) -> (u64, u64, u64, PretokenCounts, SequenceCounts) {
    let Counts { documents, bytes, pretokens, .. } = *counts;
    let sorted = counts.sorted_pretokens(&mut no_progress).unwrap();
    (documents, bytes, pretokens, sorted, counts.sorted_runs(&mut no_progress).unwrap())
}

#[test]
fn runs_end_where_they_must() {
    let texts = ["to be, or not<|end|>or not".to_owned(), "to be".to_owned()];
    let counts = count(&texts, 1, &mut no_progress).unwrap();
    let expected: [(&[u8], u64); 6] =
        [(b" be", 2), (b" not", 2), (b" or", 1), (b",", 1), (b"or", 1), (b"to", 2)];
    let (_, _, _, pretokens, runs) = facts(&counts);
    assert_eq!(pretokens.iter().collect::<Vec<_>>(), expected);
    let expected: [(&[u32], u64); 3] = [(&[2, 1], 1), (&[4, 1], 1), (&[5, 0], 2)];
    assert_eq!(runs.iter().collect::<Vec<_>>(), expected);
    assert_eq!((counts.documents, counts.pretokens, counts.bytes), (2, 9, 24));
}

#[test]
fn threads_and_partitions_change_nothing() {
    let texts = texts(30_000);
    let whole = facts(&count(&texts, 1, &mut no_progress).unwrap());
    assert_eq!(whole.0, 30_000);
    for threads in [2, 3, 8] {
        assert_eq!(facts(&count(&texts, threads, &mut no_progress).unwrap()), whole);
    }
    let parts = [&texts[20_000..], &texts[..1], &[], &texts[1..20_000]];
    let parts: Vec<_> = parts.iter().map(|x| count(x, 2, &mut no_progress).unwrap()).collect();
    let merged = merge_counts(parts).unwrap();
    assert_eq!(facts(&merged), whole);
    assert_eq!(facts(&merge_counts(vec![Counts::default(), merged]).unwrap()), whole);
    assert_eq!(facts(&merge_counts(Vec::new()).unwrap()), facts(&Counts::default()));
}

#[test]
fn a_table_gives_back_what_was_counted() {
    let counts = facts(&count(&texts(100), 1, &mut no_progress).unwrap());
    let (_, _, _, pretokens, runs) = &counts;
    let runs: Vec<(Vec<&[u8]>, u64)> = runs
        .iter()
        .map(|(run, n)| (run.iter().map(|&p| pretokens.get(p as usize)).collect(), n))
        .collect();
    let pretokens: Vec<_> = pretokens.iter().collect();
    let again = count_table(&pretokens, &runs, 100, &mut no_progress).unwrap();
    assert_eq!(facts(&again), counts);
}

#[test]
fn progress_stops_the_work_within_one_document() {
    let texts = vec!["to be ".repeat(1_000_000)];
    for threads in [1, 2] {
        let mut calls = 0;
        let error = count(&texts, threads, &mut |stage, _, _| {
            assert_eq!(stage, "count");
            calls += 1;
            if calls == 4 { Err(Error::cancelled()) } else { Ok(()) }
        });
        assert_eq!(error.unwrap_err().kind, ErrorKind::Cancelled);
        assert_eq!(calls, 4, "the callback is not called again");
    }
}

#[test]
fn what_the_documents_raise_comes_back() {
    for threads in [1, 2] {
        let mut left = 3;
        let error = count_documents(
            &mut || {
                left -= 1;
                if left == 0 { Err(Error::cancelled()) } else { Ok(Some(texts(5000))) }
            },
            &Scheme::Gpt2.into(),
            &SpecialTokens::new::<&str>(&[]).unwrap(),
            false,
            threads,
            &mut no_progress,
        );
        assert_eq!(error.unwrap_err(), Error::cancelled());
    }
}

#[test]
fn the_first_error_of_all_wins() {
    let folder = std::env::temp_dir().join(format!("superword-counts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let source = |name: &str, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        let (kind, compression) = (SourceKind::Jsonl, Compression::None);
        let path = path.to_str().unwrap().to_owned();
        Source { path, kind, compression, field: "text".into() }
    };
    let good = "{\"text\": \"to be or not to be\"}\n".repeat(50_000);
    let good_file = source("good", good.clone());
    // many bad lines in many batches: the first one wins, whichever worker is the fastest
    let bad_file = source("bad", format!("{good}[]\n{good}{{}}\n").repeat(2));
    let missing = Source { path: format!("{}/missing", folder.display()), ..good_file.clone() };
    for threads in [1, 2, 3, 8] {
        let error = |sources: &[Source]| {
            let special_tokens = SpecialTokens::new::<&str>(&[]).unwrap();
            {
                let pretokenizer = Scheme::Gpt2.into();
                count_files(
                    sources,
                    &pretokenizer,
                    &special_tokens,
                    true,
                    threads,
                    &mut no_progress,
                )
            }
            .unwrap_err()
            .message
            .replace(folder.to_str().unwrap(), "D")
        };
        let expected =
            "D/bad: line 50001: column 1: expected '{': each line must be one JSON object";
        assert_eq!(error(&[good_file.clone(), bad_file.clone(), missing.clone()]), expected);
        let expected = "D/missing: there is no such file";
        assert_eq!(error(&[good_file.clone(), missing.clone(), bad_file.clone()]), expected);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
