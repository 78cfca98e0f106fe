//! The named cases of `tests/cases/scripts.json`, which the Python tests read too.

use serde_json::Value;
use superword::scripts::split_scripts;

#[test]
fn every_named_case() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cases/scripts.json");
    let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert!(cases.len() >= 20);
    for case in cases {
        let text = case["text"].as_str().unwrap();
        let expected: Vec<(String, String)> =
            serde_json::from_value(case["chunks"].clone()).unwrap();
        let chunks: Vec<(String, String)> =
            split_scripts(text).iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect();
        assert_eq!(chunks, expected, "{}", case["name"]);
    }
}
