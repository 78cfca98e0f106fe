//! Phase 1: the named cases that Python reads too, and a full recount after every step.

mod random;

use std::collections::BTreeMap;

use serde_json::Value;
use superword::error::no_progress;
use superword::merges::{Stop, train_merges};
use superword::model::Op;
use superword::settings::{Algorithm, Alphabet, Rules, Settings};
use superword::tables::PretokenCounts;
use superword::{Error, ErrorKind};

use random::Random;

fn settings(tokens: u32) -> Settings {
    Settings::new(Algorithm::Bpe, 256 + tokens, 256 + tokens, 0)
}

fn table(pretokens: &[(Vec<u8>, u64)]) -> PretokenCounts {
    let mut table = PretokenCounts::default();
    for (pretoken, count) in pretokens {
        table.push(pretoken, *count);
    }
    table
}

fn train(pretokens: &[(Vec<u8>, u64)], settings: &Settings) -> Result<(Vec<Op>, Stop), Error> {
    train_merges(&table(pretokens), settings, &mut no_progress)
}

/// The bytes of every creation number; no two merges of phase 1 give the same bytes.
fn strings(ops: &[Op], alphabet: Alphabet) -> Vec<Vec<u8>> {
    let mut strings: Vec<Vec<u8>> = alphabet.tokens().iter().map(|&byte| vec![byte]).collect();
    for op in ops {
        let string = [&strings[op.left as usize][..], &strings[op.right as usize]].concat();
        assert_eq!(op.new as usize, strings.len());
        assert!(!strings.contains(&string));
        strings.push(string);
    }
    strings
}

#[test]
fn named_cases() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cases/merges.json");
    let data: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cases = data["cases"].as_array().unwrap();
    assert!(cases.len() > 10);
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let mut settings = settings(0);
        let alphabet = case["alphabet"].as_str().unwrap_or("bytes");
        settings.alphabet = Alphabet::from_name(alphabet).unwrap();
        settings.rules = Rules::from_name(case["rules"].as_str().unwrap_or("superword")).unwrap();
        settings.min_count = case["min_count"].as_u64().unwrap_or(1);
        settings.max_token_bytes = case["max_token_bytes"].as_u64();
        settings.regular_vocab_size =
            (settings.alphabet.tokens().len() as u64 + case["tokens"].as_u64().unwrap()) as u32;
        let pretokens: Vec<(Vec<u8>, u64)> = case["pretokens"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| (entry[0].as_str().unwrap().into(), entry[1].as_u64().unwrap()))
            .collect();
        let (ops, stop) = train(&pretokens, &settings).unwrap();
        let strings = strings(&ops, settings.alphabet);
        let hex = case["hex"].as_bool().unwrap_or(false);
        let read = |text: &Value| -> Vec<u8> {
            let text = text.as_str().unwrap();
            if !hex {
                return text.into();
            }
            (0..text.len() / 2)
                .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap())
                .collect()
        };
        let expected: Vec<_> = case["ops"]
            .as_array()
            .unwrap()
            .iter()
            .map(|op| (read(&op[0]), read(&op[1]), op[2].as_u64().unwrap()))
            .collect();
        let string = |number: u32| strings[number as usize].clone();
        let found: Vec<_> =
            ops.iter().map(|op| (string(op.left), string(op.right), op.count)).collect();
        assert_eq!(found, expected, "{name}");
        assert_eq!(stop.name(), case["stop"].as_str().unwrap(), "{name}");
    }
}

fn pair_counts(sequences: &[(Vec<u32>, u64)], rules: Rules) -> BTreeMap<(u32, u32), u64> {
    let mut counts = BTreeMap::new();
    for (sequence, count) in sequences {
        let mut taken = false;
        for pair in sequence.windows(2) {
            taken = rules == Rules::Superword && pair[0] == pair[1] && !taken;
            if taken || rules == Rules::Incremental || pair[0] != pair[1] {
                *counts.entry((pair[0], pair[1])).or_insert(0) += count;
            }
        }
    }
    counts
}

#[test]
fn every_step_is_the_full_recount() {
    for seed in 1..3_000 {
        let mut random = Random(seed);
        let letters = 1 + random.below(4);
        let mut pretokens = BTreeMap::new();
        for _ in 0..random.below(9) {
            let length = 1 + random.below(24);
            let pretoken: Vec<u8> =
                (0..length).map(|_| b'a' + random.below(letters) as u8).collect();
            pretokens.insert(pretoken, 1 + random.below(4));
        }
        let pretokens: Vec<_> = pretokens.into_iter().collect();
        let mut settings = settings(random.below(30) as u32);
        settings.rules = Rules::ALL[random.below(2) as usize];
        settings.min_count = 1 + random.below(3);
        settings.max_token_bytes =
            [None, None, Some(1 + random.below(6))][random.below(3) as usize];
        let (ops, stop) = train(&pretokens, &settings).unwrap();
        let strings = strings(&ops, Alphabet::Bytes);
        let length = |&(left, right): &(u32, u32)| {
            (strings[left as usize].len() + strings[right as usize].len()) as u64
        };
        let mut sequences: Vec<(Vec<u32>, u64)> = pretokens
            .iter()
            .map(|(bytes, count)| (bytes.iter().map(|&byte| u32::from(byte)).collect(), *count))
            .collect();
        let recount = |sequences: &[(Vec<u32>, u64)]| {
            let mut counts = pair_counts(sequences, settings.rules);
            counts
                .retain(|pair, _| settings.max_token_bytes.is_none_or(|most| length(pair) <= most));
            counts
        };
        for op in &ops {
            let counts = recount(&sequences);
            let best = counts
                .iter()
                .min_by_key(|&(&pair, &count)| {
                    let bytes = (&strings[pair.0 as usize], &strings[pair.1 as usize]);
                    let tie = (settings.rules == Rules::Superword).then_some(bytes);
                    (std::cmp::Reverse(count), tie, pair)
                })
                .unwrap();
            assert_eq!(((op.left, op.right), op.count), (*best.0, *best.1), "seed {seed}");
            for (sequence, _) in &mut sequences {
                let mut slot = 0;
                while slot + 1 < sequence.len() {
                    if sequence[slot..slot + 2] == [op.left, op.right] {
                        sequence.splice(slot..slot + 2, [op.new]);
                    }
                    slot += 1;
                }
            }
        }
        let most = recount(&sequences).into_values().max();
        let expected = match most {
            _ if ops.len() as u32 == settings.vocab_size - 256 => Stop::VocabSize,
            None => Stop::NoPairs,
            Some(most) => {
                assert!(most < settings.min_count, "seed {seed}");
                Stop::MinCount
            }
        };
        assert_eq!(stop, expected, "seed {seed}");
    }
}

#[test]
fn a_million_equal_letters() {
    for (rules, count) in [(Rules::Superword, 500_000), (Rules::Incremental, 999_999)] {
        let settings = Settings { rules, ..settings(14) };
        let (ops, _) = train(&[(vec![b'a'; 1_000_000], 1)], &settings).unwrap();
        assert_eq!((ops[0].left, ops[0].right, ops[0].count), (97, 97, count));
        assert_eq!(ops.len(), 14);
    }
}

#[test]
fn a_long_pretoken_costs_what_is_touched() {
    let text: String = (0..40_000).map(|i| char::from_u32(0x4E00 + i % 20_000).unwrap()).collect();
    let settings = Settings { max_token_bytes: Some(3), ..settings(20_000) };
    let (ops, stop) = train(&[(text.into_bytes(), 1)], &settings).unwrap();
    assert_eq!((ops.len(), stop), (20_000, Stop::VocabSize));
}

#[test]
fn bad_input_is_an_error() {
    let half = 1 << 62;
    for pretokens in
        [&[(b"ab".to_vec(), half)][..], &[(b"ab".to_vec(), half - 1), (b"c".to_vec(), 2)]]
    {
        let error = train(pretokens, &settings(9)).unwrap_err();
        assert_eq!(error, Error::new(ErrorKind::Training, "a count would pass 2^63 - 1"));
    }
    let (ops, _) = train(&[(b"ab".to_vec(), half - 1), (b"c".to_vec(), 1)], &settings(9)).unwrap();
    assert_eq!(ops[0].count, half - 1);
    let settings = Settings { alphabet: Alphabet::Utf8, ..settings(9) };
    let error = train(&[(b"ok".to_vec(), 1), (b"a\xff\xc0".to_vec(), 1)], &settings).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Input);
    assert_eq!(
        error.message,
        "pretoken 61ffc0 has the byte ff, which is not in the alphabet 'utf8'; \
         use the alphabet 'bytes'"
    );
}

#[test]
fn progress_is_called_within_one_merge_too_and_stops_the_work() {
    let pretokens = table(&[(b"ab".repeat(200_000), 1)]);
    let mut calls = 0;
    let count = &mut |stage: &'static str, _: u64, total: u64| {
        assert_eq!((stage, total), ("merges", 1));
        calls += 1;
        Ok(())
    };
    train_merges(&pretokens, &settings(1), count).unwrap();
    assert!(calls > 60, "{calls}");
    for last in 0..calls {
        let mut left = last;
        let stop = &mut |_: &'static str, _: u64, _: u64| {
            if left == 0 {
                return Err(Error::cancelled());
            }
            left -= 1;
            Ok(())
        };
        assert_eq!(train_merges(&pretokens, &settings(1), stop).unwrap_err(), Error::cancelled());
    }
}
