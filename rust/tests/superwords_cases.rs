//! Phase 2: the named cases that Python reads too, and Algorithm 1 from its definition, with a
//! full recount at every step.

mod random;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use superword::error::no_progress;
use superword::model::{Op, OpKind};
use superword::settings::{Algorithm, Settings};
use superword::superwords::train_superwords;
use superword::tables::SequenceCounts;
use superword::{Error, ErrorKind};

use random::Random;

type Bytes = Vec<u8>;
type NamedOp = (OpKind, Bytes, Bytes, u64);

fn settings(algorithm: Algorithm, tokens: u32, supermerges: u32) -> Settings {
    Settings::new(algorithm, 256 + tokens, 256 + tokens, supermerges)
}

/// Ops with creation numbers, from ops with byte strings.
fn numbered(merges: &[(Bytes, Bytes, u64)]) -> (Vec<Op>, BTreeMap<Bytes, u32>) {
    let mut numbers: BTreeMap<Bytes, u32> =
        (0..=255).map(|byte| (vec![byte], u32::from(byte))).collect();
    let mut ops = vec![];
    for (left, right, count) in merges {
        let next = numbers.len() as u32;
        let new = *numbers.entry([&left[..], right].concat()).or_insert(next);
        let (left, right) = (numbers[left], numbers[right]);
        ops.push(Op { kind: OpKind::Merge, left, right, new, count: *count });
    }
    (ops, numbers)
}

/// Trains on byte strings; checks that in the result one byte string has one number.
fn train(
    merges: &[(Bytes, Bytes, u64)],
    candidates: &[(Vec<Bytes>, u64)],
    settings: &Settings,
) -> (Vec<NamedOp>, &'static str) {
    let (ops, numbers) = numbered(merges);
    let mut table = SequenceCounts::default();
    for (tokens, count) in candidates {
        let tokens: Vec<u32> = tokens.iter().map(|token| numbers[token]).collect();
        table.push(&tokens, *count);
    }
    let (ops, stop) =
        train_superwords(&ops, &table, settings, &mut no_progress).expect("counts are small");
    let mut strings: Vec<Bytes> = (0..=255).map(|byte| vec![byte]).collect();
    let mut out = vec![];
    for op in ops {
        let (left, right) = (strings[op.left as usize].clone(), strings[op.right as usize].clone());
        let string = [&left[..], &right].concat();
        let known = strings.iter().position(|other| *other == string);
        assert_eq!(op.new as usize, known.unwrap_or(strings.len()));
        if known.is_none() {
            strings.push(string);
        }
        out.push((op.kind, left, right, op.count));
    }
    (out, stop.name())
}

#[test]
fn named_cases() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cases/superwords.json");
    let data: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cases = data["cases"].as_array().unwrap();
    assert!(cases.len() > 10);
    let bytes = |text: &Value| -> Bytes { text.as_str().unwrap().into() };
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let algorithm = case["algorithm"].as_str().unwrap_or("boundless");
        let settings = Settings {
            min_count: case["min_count"].as_u64().unwrap_or(1),
            max_token_bytes: case["max_token_bytes"].as_u64(),
            max_superword_pretokens: case["max_superword_pretokens"].as_u64(),
            ..settings(
                Algorithm::from_name(algorithm).unwrap(),
                case["tokens"].as_u64().unwrap() as u32,
                case["supermerges"].as_u64().unwrap_or(0) as u32,
            )
        };
        let list = |key: &str| case[key].as_array().unwrap().iter();
        let merges: Vec<_> =
            list("ops").map(|op| (bytes(&op[0]), bytes(&op[1]), op[2].as_u64().unwrap())).collect();
        let candidates: Vec<_> = list("candidates")
            .map(|entry| {
                let tokens = entry[0].as_array().unwrap().iter().map(bytes).collect();
                (tokens, entry[1].as_u64().unwrap())
            })
            .collect();
        let expected: Vec<NamedOp> = list("final")
            .map(|op| {
                let kind = if op[0] == "m" { OpKind::Merge } else { OpKind::Supermerge };
                (kind, bytes(&op[1]), bytes(&op[2]), op[3].as_u64().unwrap())
            })
            .collect();
        let found = train(&merges, &candidates, &settings);
        assert_eq!(found, (expected, case["stop"].as_str().unwrap()), "{name}");
    }
}

fn pair_counts(sequences: &[(Vec<Bytes>, u64)]) -> BTreeMap<(Bytes, Bytes), u64> {
    let mut counts = BTreeMap::new();
    for (sequence, count) in sequences {
        let mut taken = false;
        for pair in sequence.windows(2) {
            taken = pair[0] == pair[1] && !taken;
            if taken || pair[0] != pair[1] {
                *counts.entry((pair[0].clone(), pair[1].clone())).or_insert(0) += count;
            }
        }
    }
    counts
}

/// Algorithm 1 and SuperBPE on byte strings, everything recounted at every step.
fn textbook(
    merges: &[(Bytes, Bytes, u64)],
    candidates: &[(Vec<Bytes>, u64)],
    settings: &Settings,
) -> (Vec<NamedOp>, &'static str) {
    let join = |left: &Bytes, right: &Bytes| [&left[..], right].concat();
    let mut vocabulary: BTreeSet<Bytes> = (0..=255).map(|byte| vec![byte]).collect();
    let regular: BTreeSet<Bytes> = merges.iter().map(|(x, y, _)| join(x, y)).collect();
    let mut lengths: BTreeMap<Bytes, u64> =
        vocabulary.iter().chain(&regular).map(|string| (string.clone(), 1)).collect();
    let mut sequences = candidates.to_vec();
    let (mut out, mut waiting, mut goal) = (vec![], merges, settings.vocab_size as usize);
    if settings.algorithm == Algorithm::Superbpe {
        out.extend(merges.iter().map(|(x, y, n)| (OpKind::Merge, x.clone(), y.clone(), *n)));
        vocabulary.extend(regular);
        waiting = &[];
        goal = vocabulary.len() + settings.supermerges as usize;
    }
    loop {
        if vocabulary.len() >= goal {
            return (out, "vocab_size");
        }
        let mut counts = pair_counts(&sequences);
        counts.retain(|(x, y), _| {
            settings.max_token_bytes.is_none_or(|most| (x.len() + y.len()) as u64 <= most)
                && settings
                    .max_superword_pretokens
                    .is_none_or(|most| lengths[x] + lengths[y] <= most)
        });
        let best = counts.into_iter().min_by_key(|(pair, count)| (Reverse(*count), pair.clone()));
        let frequent = best.clone().filter(|((x, y), count)| {
            *count >= settings.min_count
                && (waiting.is_empty()
                    || (*count > waiting[0].2 && vocabulary.contains(x) && vocabulary.contains(y)))
        });
        let (kind, (x, y), count) = if let Some((pair, count)) = frequent {
            (OpKind::Supermerge, pair, count)
        } else if let Some(((x, y, count), rest)) = waiting.split_first() {
            waiting = rest;
            (OpKind::Merge, (x.clone(), y.clone()), *count)
        } else {
            return (out, if best.is_none() { "no_pairs" } else { "min_count" });
        };
        vocabulary.insert(join(&x, &y));
        if kind == OpKind::Supermerge {
            let length = lengths[&x] + lengths[&y];
            lengths.entry(join(&x, &y)).or_insert(length);
            for (sequence, _) in &mut sequences {
                let mut slot = 0;
                while slot + 1 < sequence.len() {
                    if sequence[slot] == x && sequence[slot + 1] == y {
                        sequence.splice(slot..slot + 2, [join(&x, &y)]);
                    }
                    slot += 1;
                }
            }
        }
        out.push((kind, x, y, count));
    }
}

#[test]
fn every_step_is_the_full_recount() {
    for seed in 1..6_000 {
        let mut random = Random(seed);
        let letters = 1 + random.below(3);
        let mut tokens: Vec<Bytes> = (0..letters).map(|i| vec![b'a' + i as u8]).collect();
        let mut merges: Vec<(Bytes, Bytes, u64)> = vec![];
        let mut count = 1 + random.below(12);
        for _ in 0..random.below(7) {
            let left = tokens[random.below(tokens.len() as u64) as usize].clone();
            let right = tokens[random.below(tokens.len() as u64) as usize].clone();
            let string = [&left[..], &right].concat();
            if !tokens.contains(&string) {
                tokens.push(string);
                merges.push((left, right, count));
                count = count.saturating_sub(random.below(3)).max(1);
            }
        }
        let mut candidates = vec![];
        for _ in 0..random.below(7) {
            let length = 2 + random.below(16);
            let pick = |_| tokens[random.below(tokens.len() as u64) as usize].clone();
            let candidate: Vec<Bytes> = (0..length).map(pick).collect();
            candidates.push((candidate, 1 + random.below(5)));
        }
        let algorithm = [Algorithm::Boundless, Algorithm::Superbpe][random.below(2) as usize];
        let limit = |random: &mut Random, most: u64| {
            [None, None, Some(1 + random.below(most))][random.below(3) as usize]
        };
        let settings = Settings {
            min_count: 1 + random.below(3),
            max_token_bytes: limit(&mut random, 9),
            max_superword_pretokens: limit(&mut random, 5),
            ..settings(algorithm, random.below(25) as u32, random.below(25) as u32)
        };
        let found = train(&merges, &candidates, &settings);
        assert_eq!(found, textbook(&merges, &candidates, &settings), "seed {seed}");
    }
}

#[test]
fn a_long_run_of_one_word() {
    let mut table = SequenceCounts::default();
    table.push(&[97; 300_000], 1);
    let settings = settings(Algorithm::Superbpe, 0, 10);
    let (ops, _) = train_superwords(&[], &table, &settings, &mut no_progress).unwrap();
    assert_eq!((ops[0].left, ops[0].right, ops[0].count), (97, 97, 150_000));
    assert_eq!(ops.len(), 10);
}

#[test]
fn counts_up_to_the_bound() {
    let settings = settings(Algorithm::Superbpe, 0, 10);
    for (count, fits) in [((1 << 62) - 1, true), (1 << 62, false)] {
        let mut table = SequenceCounts::default();
        table.push(&[97, 98], count);
        match train_superwords(&[], &table, &settings, &mut no_progress) {
            Ok((ops, _)) => assert!(fits && ops[0].count == count),
            Err(error) => {
                assert!(!fits);
                let expected = Error::new(ErrorKind::Training, "a count would pass 2^63 - 1");
                assert_eq!(error, expected);
            }
        }
    }
}
