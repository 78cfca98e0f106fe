//! Files "word v1" of the original one-phase program, which are read and not written (SPEC 10).
//!
//! Its encoder applies each op once, in the order of all ops and over the whole document; ours
//! applies supermerges when all pretokens are done. Both give the same ids if every making of a
//! token stands before its first use, so other files are refused. So are those with deletions: the
//! file does not say into which parts a deleted token falls, and keeps its id.

use crate::error::{Error, ErrorKind, Progress, Result};
use crate::model::{Model, OpKind};
use crate::model_file::Limits;
use crate::published_configuration::{Patterns, pattern_from_line};
use crate::published_lines::{Lines, at, place};
use crate::published_ops::{OpReader, alphabet_of_tokens, id_order_of_tokens};
use crate::published_settings::cutting_of_patterns;
use crate::settings::{Algorithm, Rules};
use crate::ticker::{OP_WORK, Ticker};
use crate::unicode::UNICODE_VERSION;

const HEADER: &str = "word v1";
/// The line with the size of the vocabulary.
const VOCABULARY: u64 = 3;

/// Reads a file "word v1". The model is BoundlessBPE if it has supermerges, else BPE. What the file
/// does not hold, the counts of the ops and the totals of the corpus, is 0.
///
/// # Errors
/// [`ErrorKind::Model`] if the file is damaged, a limit is passed, or its encoder would give other
/// ids, with the line and the section; what the progress callback returns.
pub fn one_phase_from_bytes(
    data: &[u8],
    limits: &Limits,
    progress: &mut Progress<'_>,
) -> Result<Model> {
    let mut lines = Lines::new(data, progress);
    lines.title(HEADER)?;
    lines.section = "pattern";
    let pattern = lines.next()?;
    let cutting = pattern_from_line(pattern).and_then(|main_regex| {
        cutting_of_patterns(&Patterns {
            main_regex,
            script_specific_regex: None,
            script_specific_scripts: None,
            merge_pattern: None,
        })
    });
    let cutting = cutting.map_err(at(lines.number, lines.section))?;
    lines.section = "vocabulary";
    let mut tokens = Vec::new();
    for number in 0..lines.announced()? {
        let [id, token] = lines.row("ID TOKEN")?;
        lines.numbered("ID", id, number)?;
        tokens.push(lines.token(token)?);
    }
    let tokens: Vec<&[u8]> = tokens.iter().map(Vec::as_slice).collect();
    lines.section = "special tokens";
    let special_tokens = lines.special_tokens(tokens.len() as u64)?;
    let merges = rows(&mut lines, "word merges", OpKind::Merge)?;
    no_rows(&mut lines, "word deletions")?;
    let supermerges = rows(&mut lines, "supermerges", OpKind::Supermerge)?;
    no_rows(&mut lines, "super deletions")?;
    lines.end()?;
    let alphabet = alphabet_of_tokens(&tokens).map_err(at(VOCABULARY, "vocabulary"))?;
    let mut reader = OpReader::new(alphabet, limits);
    let algorithm = if supermerges.is_empty() { Algorithm::Bpe } else { Algorithm::Boundless };
    let ticker = &mut Ticker::new(progress, "load", 0);
    add_ops(merges, supermerges, &mut reader, ticker)?;
    let id_order = id_order_of_tokens(&reader.ops, &reader.vocabulary, &tokens)
        .map_err(at(VOCABULARY, "vocabulary"))?;
    Ok(Model {
        algorithm,
        alphabet,
        rules: Rules::Superword,
        cutting,
        id_order,
        special_tokens,
        unicode: UNICODE_VERSION.to_string(),
        tau: None,
        blow_up: None,
        ngram_floor: None,
        ngram_max_length: None,
        documents: 0,
        bytes: 0,
        pretokens: 0,
        distinct_pretokens: 0,
        ops: reader.ops,
        special_ids: None,
    })
}

/// A merge, and where it stands.
struct Row {
    section: &'static str,
    line: u64,
    kind: OpKind,
    index: u64,
    left: Vec<u8>,
    right: Vec<u8>,
}

fn rows(lines: &mut Lines<'_, '_, '_>, section: &'static str, kind: OpKind) -> Result<Vec<Row>> {
    lines.section = section;
    let mut rows: Vec<Row> = Vec::new();
    for _ in 0..lines.announced()? {
        let [index, left, right] = lines.row("INDEX LEFT RIGHT")?;
        let index = lines.integer("INDEX", index)?;
        if rows.last().is_some_and(|last| index <= last.index) {
            return lines.fail("INDEX must be above that of the line before");
        }
        let (left, right) = (lines.token(left)?, lines.token(right)?);
        rows.push(Row { section, line: lines.number, kind, index, left, right });
    }
    Ok(rows)
}

fn no_rows(lines: &mut Lines<'_, '_, '_>, section: &'static str) -> Result<()> {
    lines.section = section;
    if lines.announced()? == 0 {
        return Ok(());
    }
    lines.fail(
        "a model with deletions cannot be used: the file does not say into which parts a deleted \
         token falls, and such a token keeps its id",
    )
}

/// Adds the ops of both kinds in the order of their common index, which must have no gap.
fn add_ops(
    mut rows: Vec<Row>,
    supermerges: Vec<Row>,
    reader: &mut OpReader,
    ticker: &mut Ticker<'_, '_>,
) -> Result<()> {
    rows.extend(supermerges);
    rows.sort_by_key(|row| row.index);
    let mut used = vec![false; reader.vocabulary.len() + rows.len()];
    for (index, row) in (0..).zip(rows) {
        ticker.work(OP_WORK)?;
        let fail =
            |reason: &str| Err(Error::new(ErrorKind::Model, place(row.line, row.section, reason)));
        if row.index != index {
            return fail(&format!(
                "INDEX must be {index}, the next one of merges and supermerges together"
            ));
        }
        let op =
            reader.add(row.kind, &row.left, &row.right, 0).map_err(at(row.line, row.section))?;
        if used[op.new as usize] {
            return fail(
                "the token is made again after it was used: the program that wrote the file would \
                 encode otherwise",
            );
        }
        used[op.left as usize] = true;
        used[op.right as usize] = true;
    }
    Ok(())
}
