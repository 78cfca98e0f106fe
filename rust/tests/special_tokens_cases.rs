//! The named cases of `tests/cases/special_tokens.json`, which the Python tests read too.

#![allow(clippy::unwrap_used)] // a test fails by panicking, its helpers too

use serde_json::{Value, json};
use superword::ErrorKind;
use superword::special_tokens::split_special_tokens;

fn cases() -> Value {
    serde_json::from_str(include_str!("../../tests/cases/special_tokens.json")).unwrap()
}

fn tokens(case: &Value) -> Vec<String> {
    serde_json::from_value(case["special_tokens"].clone()).unwrap()
}

#[test]
fn split() {
    for case in cases()["split"].as_array().unwrap() {
        let parts = split_special_tokens(case["text"].as_str().unwrap(), &tokens(case)).unwrap();
        assert_eq!(json!(parts), case["parts"], "{}", case["name"]);
    }
}

#[test]
fn errors() {
    for case in cases()["errors"].as_array().unwrap() {
        let error = split_special_tokens("text", &tokens(case)).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Settings);
        assert_eq!(error.message, case["error"].as_str().unwrap(), "{}", case["name"]);
    }
}
