//! The scanners beside each other on a corpus: `make bench-scan ARGS=corpus.jsonl`.
//!
//! They take turns, and of many passes the least counts: what other work does to the machine changes
//! all of them alike.

#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use superword::Result;
use superword::documents::{Compression, Source, SourceKind, read_documents};
use superword::pretokenize::Pretokens;
use superword::settings::Scheme;

const PASSES: usize = 60;

fn scan(path: &str) -> Result<()> {
    let source = Source {
        path: path.to_owned(),
        kind: SourceKind::Jsonl,
        compression: Compression::None,
        field: "text".to_owned(),
    };
    let documents: Vec<String> = read_documents(&source)?.collect::<Result<_>>()?;
    let bytes: usize = documents.iter().map(String::len).sum();
    let cutting = Scheme::ALL.iter().copied().filter(|&scheme| scheme != Scheme::None);
    let schemes: Vec<Scheme> = cutting.collect();
    let mut least = vec![Duration::MAX; schemes.len()];
    for _ in 0..PASSES {
        for (least, &scheme) in least.iter_mut().zip(&schemes) {
            let start = Instant::now();
            for document in &documents {
                Pretokens::new(document, scheme).for_each(|pretoken| {
                    black_box(pretoken.len());
                });
            }
            *least = start.elapsed().min(*least);
        }
    }
    let plain = schemes.iter().position(|&scheme| scheme == Scheme::Gpt4o).unwrap_or(0);
    println!("{path}: {bytes} bytes of text\n\n| scheme | MB/s | beside gpt4o |\n|---|---:|---:|");
    for (time, scheme) in least.iter().zip(&schemes) {
        let speed = bytes as f64 / time.as_secs_f64() / 1e6;
        let ratio = time.as_secs_f64() / least[plain].as_secs_f64();
        println!("| {} | {speed:.0} | {ratio:.2} |", scheme.name());
    }
    Ok(())
}

fn main() -> Result<()> {
    // cargo adds an argument of its own
    let files = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    files.map(|path| scan(&path)).collect()
}
