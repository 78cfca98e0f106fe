//! Every long call without a stage of its own can be stopped: what the callback returns comes back.
#![allow(clippy::unwrap_used)]

use superword::counts::count_table;
use superword::encoder::Encoder;
use superword::error::no_progress;
use superword::model::{Model, Op, OpKind};
use superword::model_file::{Limits, model_from_bytes, model_to_bytes};
use superword::settings::{Algorithm, Alphabet, IdOrder, Rules, Scheme};
use superword::{Error, Result};

/// 4,096 different merges of two letters.
fn model() -> Model {
    let pairs = (64..128_u32).flat_map(|left| (64..128_u32).map(move |right| (left, right)));
    let op = |(new, (left, right))| Op { kind: OpKind::Merge, left, right, new, count: 1 };
    Model {
        algorithm: Algorithm::Bpe,
        alphabet: Alphabet::Bytes,
        rules: Rules::Superword,
        cutting: Scheme::Gpt4o.into(),
        id_order: IdOrder::Creation,
        special_tokens: vec![],
        unicode: superword::unicode::UNICODE_VERSION.to_owned(),
        tau: None,
        blow_up: None,
        ngram_floor: None,
        ngram_max_length: None,
        documents: 1,
        bytes: 1,
        pretokens: 1,
        distinct_pretokens: 1,
        ops: (256..).zip(pairs).map(op).collect(),
        special_ids: None,
    }
}

fn stop(_: &'static str, _: u64, _: u64) -> Result<()> {
    Err(Error::cancelled())
}

#[test]
fn loading_a_model() {
    let artifact = model_to_bytes(&model());
    let limits = Limits::default();
    assert_eq!(model_from_bytes(&artifact, &limits, &mut no_progress), Ok(model()));
    assert_eq!(model_from_bytes(&artifact, &limits, &mut stop), Err(Error::cancelled()));
}

#[test]
fn preparing_an_encoder() {
    assert!(Encoder::new(&model(), true, &mut no_progress).is_ok());
    for shortcut in [false, true] {
        let error = Encoder::new(&model(), shortcut, &mut stop).unwrap_err();
        assert_eq!(error, Error::cancelled());
    }
}

#[test]
fn checking_a_table_of_counts() {
    let pretokens: Vec<_> = (0..4096_u32).map(|i| (i.to_string(), 9)).collect();
    let runs: Vec<_> = (1..4096_u32).map(|i| (vec!["0".to_owned(), i.to_string()], 1)).collect();
    let none: &[(Vec<String>, u64)] = &[];
    assert!(count_table(&pretokens, none, 1, &mut no_progress).is_ok());
    assert_eq!(count_table(&pretokens, none, 1, &mut stop).unwrap_err(), Error::cancelled());
    // Late in the table the runs are being read.
    let mut late = |_: &'static str, done: u64, _: u64| {
        if done > 5000 { Err(Error::cancelled()) } else { Ok(()) }
    };
    assert_eq!(count_table(&pretokens, &runs, 1, &mut late).unwrap_err(), Error::cancelled());
}
