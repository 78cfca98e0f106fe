//! The named cases of `tests/cases/model_file.json`, which the Python tests read too.

#![allow(clippy::unwrap_used)] // a test fails by panicking, its helpers too

use serde_json::Value;
use sha2::{Digest, Sha256};
use superword::ErrorKind;
use superword::error::no_progress;
use superword::model_file::{Limits, model_from_bytes, model_to_bytes};

fn cases() -> Value {
    serde_json::from_str(include_str!("../../tests/cases/model_file.json")).unwrap()
}

fn sealed(mut body: Vec<u8>) -> Vec<u8> {
    let hex: String = Sha256::digest(&body).iter().map(|byte| format!("{byte:02x}")).collect();
    body.extend_from_slice(format!("sha256 {hex}\n").as_bytes());
    body
}

fn replaced(cases: &Value, case: &Value) -> Vec<u8> {
    let body = cases[case["of"].as_str().unwrap_or("body")].as_str().unwrap();
    let old = case["replace"][0].as_str().unwrap();
    let place = body.find(old).unwrap();
    let mut out = body.as_bytes()[..place].to_vec();
    out.extend_from_slice(case["replace"][1].as_str().unwrap().as_bytes());
    let hex = case["insert_hex"].as_str().unwrap_or("");
    for digits in hex.as_bytes().chunks(2) {
        out.push(u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap());
    }
    out.extend_from_slice(&body.as_bytes()[place + old.len()..]);
    out
}

fn limits(case: &Value) -> Limits {
    Limits {
        any_unicode: case["any_unicode"].as_bool().unwrap_or(false),
        max_token_bytes: case["max_token_bytes"].as_u64(),
        max_total_bytes: case["max_total_bytes"].as_u64(),
    }
}

#[test]
fn good() {
    let cases = cases();
    for case in cases["good"].as_array().unwrap() {
        let data = sealed(replaced(&cases, case));
        let model = model_from_bytes(&data, &limits(case), &mut no_progress).unwrap();
        assert_eq!(model_to_bytes(&model), data, "{}", case["name"]);
    }
}

#[test]
fn bad() {
    let cases = cases();
    for case in cases["bad"].as_array().unwrap() {
        let data = sealed(replaced(&cases, case));
        let error = model_from_bytes(&data, &limits(case), &mut no_progress).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Model);
        assert_eq!(error.message, case["error"].as_str().unwrap(), "{}", case["name"]);
    }
}

#[test]
fn frames() {
    for case in cases()["frames"].as_array().unwrap() {
        let data = case["data"].as_str().unwrap().as_bytes();
        let error = model_from_bytes(data, &Limits::default(), &mut no_progress).unwrap_err();
        assert_eq!(error.message, case["error"].as_str().unwrap(), "{}", case["name"]);
    }
}

#[test]
fn an_edited_file_is_refused_or_has_one_spelling() {
    let cases = cases();
    let body = cases["body"].as_str().unwrap().as_bytes();
    let mut accepted = 0;
    for place in 0..body.len() {
        for byte in 0..=255 {
            let mut edit = body.to_vec();
            edit[place] = byte;
            let data = sealed(edit);
            if let Ok(model) = model_from_bytes(&data, &Limits::default(), &mut no_progress) {
                assert_eq!(model_to_bytes(&model), data);
                accepted += 1;
            }
        }
    }
    assert!(accepted > 100);
}
