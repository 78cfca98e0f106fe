//! The core of `superword`: one module a stage, free functions, plain values in and out.
//!
//! The pure-Python twin of each module has the same name in `python/superword/reference/`.

mod arena;
mod both_phases;
pub mod candidates;
pub mod counts;
mod decompress;
pub mod documents;
pub mod encoder;
pub mod error;
mod feeds;
mod file_input;
mod header;
mod heap;
pub mod json_line;
mod json_string;
mod keys;
pub mod merges;
pub mod model;
pub mod model_file;
pub mod one_phase_file;
mod pair_counts;
mod pair_table;
mod pairs;
mod parallel;
pub mod patterns;
pub mod pretokenize;
mod pruning;
mod published_configuration;
pub mod published_file;
pub mod published_lines;
pub mod published_model;
mod published_ops;
pub mod publishing;
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
#[rustfmt::skip]
pub mod unicode;
pub mod vocabulary;
mod workers;

pub use error::{Error, ErrorKind, Progress, Result};
