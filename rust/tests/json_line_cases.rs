//! The named cases of `tests/cases/json_line.json`, which the reference runs too.

#![allow(clippy::unwrap_used)] // a test fails by panicking, its helpers too

use serde_json::Value;
use superword::json_line::text_of_line;

#[test]
fn cases() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../../tests/cases/json_line.json")).unwrap();
    let mut buffer = Vec::new();
    for case in &cases {
        let (line, field) = (case["line"].as_str().unwrap(), case["field"].as_str().unwrap());
        // a file starts with the line, so its first mark of byte order is skipped
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        match text_of_line(line.as_bytes(), field, &mut buffer, &mut || Ok(())) {
            Ok(text) => assert_eq!(case["text"], *text, "{}", case["name"]),
            Err(error) => assert_eq!(case["error"], error.message, "{}", case["name"]),
        }
    }
    assert!(cases.len() > 60);
}
