//! The named cases of `tests/cases/documents.json`, which the reference runs too, and damage.

#![allow(clippy::unwrap_used)] // a test fails by panicking, its helpers too

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use serde_json::Value;
use superword::counts::count_files;
use superword::documents::{Compression, Source, SourceKind, read_documents};
use superword::error::no_progress;
use superword::settings::Scheme;
use superword::special_tokens::SpecialTokens;

/// A file that is removed when the test ends.
struct TestFile(PathBuf);

impl TestFile {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("superword-cases-{}-{name}", std::process::id())))
    }

    fn source(&self, kind: SourceKind, compression: Compression) -> Source {
        let path = self.0.to_str().unwrap().to_owned();
        Source { path, kind, compression, field: "text".into() }
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        // a test that failed early has not written it
        let _ = fs::remove_file(&self.0);
    }
}

fn kind(name: &str) -> SourceKind {
    match name {
        "text" => SourceKind::Text,
        "lines" => SourceKind::Lines,
        "jsonl" => SourceKind::Jsonl,
        _ => panic!("{name}"),
    }
}

fn compression(name: &str) -> Compression {
    match name {
        "none" => Compression::None,
        "gzip" => Compression::Gzip,
        "zstd" => Compression::Zstd,
        _ => panic!("{name}"),
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn cases() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../../tests/cases/documents.json")).unwrap();
    let file = TestFile::new("file");
    for case in &cases {
        let text = |key: &str| case[key].as_str().unwrap();
        fs::write(&file.0, bytes(text("data"))).unwrap();
        let source = file.source(kind(text("kind")), compression(text("compression")));
        let unpath = |text: &String| text.replace(&source.path, "{path}");
        let mut documents = read_documents(&source).unwrap();
        let texts: Result<Vec<String>, _> = documents.by_ref().collect();
        let special_tokens = SpecialTokens::new::<&str>(&[]).unwrap();
        let counts = |threads| {
            let sources = std::slice::from_ref(&source);
            {
                let pretokenizer = Scheme::Gpt2.into();
                count_files(
                    sources,
                    &pretokenizer,
                    &special_tokens,
                    true,
                    threads,
                    &mut no_progress,
                )
            }
        };
        match texts {
            Ok(texts) => {
                assert_eq!(case["documents"], Value::from(texts), "{}", case["name"]);
                let taken = documents.take_notices();
                let notices: Vec<_> = taken.iter().map(unpath).collect();
                assert_eq!(case["notices"], Value::from(notices), "{}", case["name"]);
                assert_eq!(counts(2).unwrap().notices, taken);
            }
            Err(error) => {
                assert_eq!(case["error"], unpath(&error.message), "{}", case["name"]);
                assert!(documents.next().is_none(), "no document follows an error");
                assert_eq!(counts(1).unwrap_err(), error);
                assert_eq!(counts(2).unwrap_err(), error);
            }
        }
    }
    assert!(cases.len() > 60);
}

#[test]
fn a_damaged_stream_is_an_error_before_its_contents() {
    // more than one batch, the first line bad, the last byte of the file missing
    let text = format!("bad\n{}", "{\"text\": \"to be\"}\n".repeat(100_000));
    let file = TestFile::new("damaged");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    let gzip = encoder.finish().unwrap();
    let zstd = zstd::encode_all(text.as_bytes(), 1).unwrap();
    for (data, compression) in [(gzip, Compression::Gzip), (zstd, Compression::Zstd)] {
        let source = file.source(SourceKind::Jsonl, compression);
        let special_tokens = SpecialTokens::new::<&str>(&[]).unwrap();
        for (cut, expected) in [(0, "line 1: column 1: expected '{'"), (1, "the ")] {
            fs::write(&file.0, &data[..data.len() - cut]).unwrap();
            let expected = format!("{}: {expected}", source.path);
            let error = read_documents(&source).unwrap().find_map(Result::err).unwrap();
            assert!(error.message.starts_with(&expected), "{error}");
            for threads in 1..4 {
                let error = count_files(
                    std::slice::from_ref(&source),
                    &Scheme::Gpt2.into(),
                    &special_tokens,
                    false,
                    threads,
                    &mut no_progress,
                )
                .unwrap_err();
                assert!(error.message.starts_with(&expected), "{error}");
            }
        }
    }
}
