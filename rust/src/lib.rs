//! The core of `superword`: one module a stage, free functions, plain values in and out.
//!
//! The pure-Python twin of each module has the same name in `python/superword/reference/`.

mod arena;
mod blow_up;
mod both_phases;
pub mod candidates;
pub mod counts;
mod decompress;
mod deletions;
pub mod documents;
pub mod encoder;
pub mod error;
mod feeds;
mod file_input;
mod final_ids;
mod header;
mod heap;
mod homes;
pub mod json_line;
mod json_string;
mod keys;
pub mod merges;
pub mod model;
pub mod model_file;
pub mod ngram_split;
mod pair_counts;
mod pair_table;
mod pairs;
mod parallel;
pub mod pattern_ambiguity;
pub mod pattern_classes;
mod pattern_matcher;
pub mod pattern_program;
pub mod pattern_syntax;
pub mod pattern_tree;
pub mod patterns;
mod polynomial;
pub mod pretokenize;
mod pruning;
mod replay;
mod run_stream;
pub mod runs;
mod scanner;
pub mod scripts;
pub mod settings;
mod sides;
pub mod special_tokens;
pub mod superwords;
pub mod tables;
mod tally;
mod ticker;
mod token_order;
pub mod training;
pub mod truncate;
#[rustfmt::skip]
pub mod unicode;
pub mod vocabulary;
mod workers;

pub use error::{Error, ErrorKind, Progress, Result};
