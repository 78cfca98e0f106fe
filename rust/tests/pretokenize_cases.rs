//! The named cases of `tests/cases/pretokenize.json`, which the Python tests read too.

use serde_json::Value;
use superword::pretokenize::Pretokens;
use superword::settings::Scheme;

#[test]
fn every_named_case() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cases/pretokenize.json");
    let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert!(cases.len() >= 220);
    for case in cases {
        let scheme = Scheme::from_name(case["scheme"].as_str().unwrap()).unwrap();
        let expected: Vec<String> = serde_json::from_value(case["pretokens"].clone()).unwrap();
        let pieces: Vec<&str> = Pretokens::new(case["text"].as_str().unwrap(), scheme).collect();
        assert_eq!(pieces, expected, "{}", case["name"]);
    }
}
