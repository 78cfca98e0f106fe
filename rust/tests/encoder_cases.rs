//! The named cases of `tests/cases/encoder.json`, which the Python tests read too.

#![allow(clippy::unwrap_used)] // a test fails by panicking, its helpers too

use serde_json::{Value, json};
use superword::encode_batch::Ids;
use superword::encoder::Encoder;
use superword::error::no_progress;
use superword::model::{Model, Op, OpKind};
use superword::settings::{Algorithm, Alphabet, IdOrder, Rules, Scheme};
use superword::{Error, ErrorKind};

fn cases() -> Value {
    serde_json::from_str(include_str!("../../tests/cases/encoder.json")).unwrap()
}

fn ops(value: &Value) -> Vec<Op> {
    let op = |op: &Value| {
        let number = |place: usize| op[place].as_u64().unwrap();
        Op {
            kind: if op[0] == "merge" { OpKind::Merge } else { OpKind::Supermerge },
            left: number(1) as u32,
            right: number(2) as u32,
            new: number(3) as u32,
            count: number(4),
        }
    };
    value.as_array().unwrap().iter().map(op).collect()
}

fn model(fields: &Value) -> Model {
    let name = |key: &str| fields[key].as_str().unwrap();
    Model {
        algorithm: Algorithm::from_name(name("algorithm")).unwrap(),
        alphabet: Alphabet::from_name(name("alphabet")).unwrap(),
        rules: Rules::from_name(name("rules")).unwrap(),
        cutting: Scheme::from_name(name("scheme")).unwrap().into(),
        id_order: IdOrder::from_name(name("id_order")).unwrap(),
        special_tokens: serde_json::from_value(fields["special_tokens"].clone()).unwrap(),
        unicode: "17.0.0".to_string(),
        tau: None,
        blow_up: None,
        ngram_floor: None,
        ngram_max_length: None,
        documents: 0,
        bytes: 0,
        pretokens: 0,
        distinct_pretokens: 0,
        ops: ops(&fields["ops"]),
        special_ids: serde_json::from_value(fields["special_ids"].clone()).unwrap(),
    }
}

fn encoder(cases: &Value, case: &Value, shortcut: bool) -> Encoder {
    Encoder::new(
        &model(&cases["models"][case["model"].as_str().unwrap()]),
        shortcut,
        &mut no_progress,
    )
    .unwrap()
}

fn bytes(hex: &Value) -> Vec<u8> {
    let digits = hex.as_str().unwrap().as_bytes().chunks(2);
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.map(byte).collect()
}

fn check<T: Into<Value>>(case: &Value, key: &str, found: Result<T, Error>) {
    match found {
        Ok(found) => assert_eq!(found.into(), case[key], "{}", case["name"]),
        Err(error) => {
            assert_eq!(error.kind, ErrorKind::Encoding);
            assert_eq!(json!(error.message), case["error"], "{}", case["name"]);
        }
    }
}

#[test]
fn encode() {
    let cases = cases();
    for case in cases["encode"].as_array().unwrap() {
        let allowed: Option<Vec<u32>> = serde_json::from_value(case["allowed"].clone()).unwrap();
        for shortcut in [false, true] {
            let encoder = encoder(&cases, case, shortcut);
            let found = match case["text"].as_str() {
                Some(text) => encoder.encode(text, allowed.as_deref(), &mut no_progress),
                None => {
                    let data = bytes(&case["hex"]);
                    encoder.encode_bytes(&data, allowed.as_deref(), &mut no_progress)
                }
            };
            check(case, "ids", found);
        }
    }
}

#[test]
fn decode() {
    let cases = cases();
    for case in cases["decode"].as_array().unwrap() {
        let ids: Vec<u32> = serde_json::from_value(case["ids"].clone()).unwrap();
        let found = encoder(&cases, case, true).decode_bytes(&ids);
        let hex = |bytes: Vec<u8>| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
        check(case, "hex", found.map(hex));
    }
}

#[test]
fn what_does_not_fit_into_memory_is_an_error() {
    // each op makes a token twice as long: far more bytes than any memory has
    let op = |new: u32| {
        let part = if new == 256 { 97 } else { new - 1 };
        Op { kind: OpKind::Merge, left: part, right: part, new, count: 1 }
    };
    let model = Model {
        algorithm: Algorithm::Bpe,
        alphabet: Alphabet::Bytes,
        rules: Rules::Superword,
        cutting: Scheme::Gpt4o.into(),
        id_order: IdOrder::Creation,
        special_tokens: vec![],
        unicode: String::new(),
        tau: None,
        blow_up: None,
        ngram_floor: None,
        ngram_max_length: None,
        documents: 1,
        bytes: 1,
        pretokens: 1,
        distinct_pretokens: 1,
        ops: (256..310).map(op).collect(),
        special_ids: None,
    };
    let encoder = Encoder::new(&model, true, &mut no_progress).unwrap();
    let ids = encoder.decode_bytes(&[309]).unwrap_err();
    let ops = encoder.op_tokens().err().unwrap();
    assert_eq!((ids.kind, ops.kind), (ErrorKind::Memory, ErrorKind::Memory));
    assert_eq!(ids.message, format!("no memory for the {} bytes of these ids", 1_u64 << 54));
    let bytes = (1_u64 << 56) - 4;
    assert_eq!(ops.message, format!("no memory for the {bytes} bytes of these ops"));
}

#[test]
fn bad_ops() {
    let cases = cases();
    for case in cases["bad_ops"].as_array().unwrap() {
        let mut model = model(&cases["models"]["creation"]);
        model.ops = ops(&case["ops"]);
        let error = Encoder::new(&model, true, &mut no_progress).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Model);
        assert_eq!(json!(error.message), case["error"], "{}", case["name"]);
    }
}

#[test]
fn a_batch_is_its_texts_on_any_number_of_threads() {
    let cases = cases();
    let encoder = encoder(&cases, &json!({"model": "super"}), true);
    let texts: Vec<String> = (0..500).map(|n| "a b c b b. x ".repeat(n % 7 * 40)).collect();
    let one = |text: &String| encoder.encode(text, None, &mut no_progress).unwrap();
    let expected: Vec<_> = texts.iter().map(one).collect();
    for threads in [0, 1, 2, 5] {
        let found = encoder.encode_batch(&texts, None, threads, &mut no_progress).unwrap();
        let found: Vec<_> = found.iter().flat_map(Ids::texts).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn the_lowest_error_of_a_batch() {
    let cases = cases();
    let encoder = encoder(&cases, &json!({"model": "specials"}), true);
    let good = "a a ".repeat(1000);
    let texts: Vec<_> = (0..200).map(|n| if n < 150 { &good } else { "b<s>" }).collect();
    for threads in [1, 3] {
        let error = encoder.encode_batch(&texts, Some(&[]), threads, &mut no_progress).unwrap_err();
        assert!(error.message.starts_with("text 150: special token '<s>' at position 1 is not"));
    }
}

#[test]
fn work_can_be_cancelled() {
    let cases = cases();
    let encoder = encoder(&cases, &json!({"model": "merges"}), true);
    let mut cancel = |stage: &'static str, _: u64, total: u64| {
        assert_eq!((stage, total), ("encode", 300_000));
        Err(Error::cancelled())
    };
    for text in ["a".repeat(300_000), "b ".repeat(150_000)] {
        let error = encoder.encode(&text, None, &mut cancel).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Cancelled);
    }
    let texts = vec!["b ".repeat(100_000); 50];
    for threads in [1, 2] {
        let mut cancel = |_: &'static str, _: u64, _: u64| Err(Error::cancelled());
        let found = encoder.encode_batch(&texts, None, threads, &mut cancel);
        assert_eq!(found.unwrap_err().kind, ErrorKind::Cancelled);
    }
}

#[test]
fn what_was_cancelled_leaves_nothing_behind() {
    let cases = cases();
    let encoder = encoder(&cases, &json!({"model": "super"}), true);
    let text = "a b c b b. x ".repeat(3) + &" b c".repeat(100_000) + "." + &" b".repeat(100_000);
    let expected = encoder.encode("a b c b b. x", None, &mut no_progress).unwrap();
    let mut calls = 0;
    for most in 0.. {
        calls = 0;
        let mut cancel = |_: &'static str, _: u64, _: u64| {
            calls += 1;
            if calls > most { Err(Error::cancelled()) } else { Ok(()) }
        };
        let done = encoder.encode(&text, None, &mut cancel).is_ok();
        let found = encoder.encode("a b c b b. x", None, &mut no_progress);
        assert_eq!(found.as_ref(), Ok(&expected), "after {most} calls");
        if done {
            break;
        }
    }
    assert!(calls > 3);
}

#[test]
fn threads_may_share_an_encoder() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&encoder(&cases(), &json!({"model": "merges"}), true));
}
