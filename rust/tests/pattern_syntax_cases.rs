//! Custom patterns: errors, canonical forms and pieces as in `tests/cases/pattern_syntax.json`.

#![allow(clippy::unwrap_used)] // a test fails by panicking, its helpers too

use serde_json::Value;
use superword::pattern_syntax::canonical_pattern;
use superword::pretokenize::Pretokenizer;
use superword::settings::{Cutting, Scheme};

fn cases(kind: &str) -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cases/pattern_syntax.json");
    let mut all: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    serde_json::from_value(all[kind].take()).unwrap()
}

fn text<'c>(case: &'c Value, key: &str) -> &'c str {
    case[key].as_str().unwrap()
}

fn pretokenizer(case: &Value) -> superword::Result<Pretokenizer> {
    let pattern = Some(text(case, "pattern").to_string());
    Pretokenizer::new(&Cutting { scheme: None, pattern, ..Cutting::from(Scheme::Gpt2) })
}

#[test]
fn what_is_not_in_the_grammar_is_named() {
    for case in cases("errors") {
        let found = pretokenizer(&case).map(|_| ()).unwrap_err();
        assert_eq!(found.to_string(), text(&case, "error"), "{}", case["name"]);
    }
}

#[test]
fn a_canonical_form_is_its_own() {
    for case in cases("canonical") {
        let found = canonical_pattern(text(&case, "pattern")).unwrap();
        assert!(found.starts_with(text(&case, "canonical")), "{}", case["pattern"]);
        assert_eq!(found.chars().count() as u64, case["length"].as_u64().unwrap());
        assert_eq!(canonical_pattern(&found).unwrap(), found);
    }
}

#[test]
fn pieces_are_those_of_the_cases() {
    for case in cases("pieces") {
        let found = pretokenizer(&case).unwrap();
        let pieces = found.pretokenize(text(&case, "text"), &mut || Ok(())).unwrap();
        assert_eq!(Value::from(pieces), case["pieces"], "{}", case["name"]);
    }
}
