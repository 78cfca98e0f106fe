//! The expanded patterns are those of the Python reference: `tests/cases/patterns.json`.

use serde_json::Value;
use sha2::{Digest, Sha256};
use superword::patterns::{NAMED_PATTERNS, expand_pattern, uniscript_patterns};

#[test]
fn every_pattern_expands_to_the_same_text() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cases/patterns.json");
    let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut patterns: Vec<String> =
        NAMED_PATTERNS.iter().map(|(_, pattern)| expand_pattern(pattern)).collect();
    patterns.extend(<[String; 2]>::from(uniscript_patterns()));
    assert_eq!(cases.len(), patterns.len());
    for (case, pattern) in cases.iter().zip(patterns) {
        let digest: String =
            Sha256::digest(pattern).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(case["sha256"], digest, "{}", case["name"]);
    }
}
