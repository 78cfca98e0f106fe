//! The core of `superword`: one module a stage, free functions, plain values in and out.
//!
//! The pure-Python twin of each module has the same name in `python/superword/reference/`.

mod arena;
pub mod candidates;
pub mod counts;
pub mod documents;
pub mod encoder;
pub mod error;
mod heap;
pub mod merges;
pub mod model;
pub mod model_file;
mod pairs;
pub mod patterns;
pub mod pretokenize;
pub mod scripts;
pub mod settings;
mod sides;
pub mod special_tokens;
pub mod superwords;
pub mod tables;
mod ticker;
pub mod tokens;
pub mod training;
#[rustfmt::skip]
pub mod unicode;

pub use error::{Error, ErrorKind, Progress, Result};
