//! Published files of version 2: as rows, and back to the same bytes (SPEC 10, 13).
//!
//! What the rows mean together is for `published_model`; here each line is checked by itself.

use std::fmt::Write;

use crate::error::{Error, ErrorKind, Progress, Result};
use crate::model::{Published, PublishedMerge, PublishedOps};
use crate::published_configuration::configuration_from_line;
use crate::published_lines::{Lines, check_published_special_tokens, escape_token};

const HEADER: &str = "BoundlessBPE v2 ";

/// Reads a published file of version 2.
///
/// # Errors
/// [`ErrorKind::Model`] if a line is not what such a file has, with its number and its section; what
/// the progress callback returns.
pub fn published_from_bytes(data: &[u8], progress: &mut Progress<'_>) -> Result<Published> {
    let mut lines = Lines::new(data, progress);
    let header = lines.next()?;
    if header.starts_with('\u{feff}') {
        return lines.fail("the line starts with a byte order mark: remove these three bytes");
    }
    let Some(kind) = header.strip_prefix(HEADER) else {
        return lines
            .fail("the line must begin with 'BoundlessBPE v2', the one version that is read");
    };
    if kind.ends_with('\r') {
        return lines
            .fail("the line ends in a carriage return: every line must end in a line feed alone");
    }
    if !matches!(kind, "word" | "boundless" | "superbpe") {
        return lines.fail("the kind must be word, boundless or superbpe");
    }
    lines.section = "vocabulary";
    lines.title("vocabulary")?;
    let mut vocabulary = Vec::new();
    for number in 0..lines.announced()? {
        let [id, token, count, is_super] = lines.row("ID TOKEN COUNT IS_SUPER")?;
        lines.numbered("ID", id, number)?;
        let token = lines.token(token)?;
        let count = lines.integer("COUNT", count)?;
        vocabulary.push((token, count, lines.flag("IS_SUPER", is_super)?));
    }
    lines.section = "special_tokens";
    lines.title("special_tokens")?;
    let special_tokens = lines.special_tokens(vocabulary.len() as u64)?;
    let words = ops_from_lines(&mut lines, ["words", "words merges", "words deletions"])?;
    let superwords = match kind {
        "word" => None,
        _ => {
            let sections = ["superwords", "superwords merges", "superwords deletions"];
            Some(ops_from_lines(&mut lines, sections)?)
        }
    };
    lines.end()?;
    Ok(Published { kind: kind.to_string(), vocabulary, special_tokens, words, superwords })
}

fn ops_from_lines(
    lines: &mut Lines<'_, '_, '_>,
    sections: [&'static str; 3],
) -> Result<PublishedOps> {
    let [section, merge_section, deletion_section] = sections;
    lines.section = section;
    lines.title(section)?;
    let configuration = lines.next()?.to_string();
    if let Err(error) = configuration_from_line(&configuration) {
        return lines.fail(error.message);
    }
    lines.section = merge_section;
    lines.title("merges")?;
    let mut merges: Vec<PublishedMerge> = Vec::new();
    for _ in 0..lines.announced()? {
        let [index, left, right, count, flag] = lines.row("INDEX LEFT RIGHT COUNT FLAG")?;
        let index = lines.integer("INDEX", index)?;
        if merges.last().is_some_and(|last| index <= last.index) {
            return lines.fail("INDEX must be above that of the line before");
        }
        let (left, right) = (lines.token(left)?, lines.token(right)?);
        let count = lines.integer("COUNT", count)?;
        let flag = lines.flag("FLAG", flag)?;
        merges.push(PublishedMerge { index, left, right, count, flag });
    }
    lines.section = deletion_section;
    lines.title("deletions")?;
    let announced = lines.announced()?;
    if section == "superwords" && announced > 0 {
        return lines.fail("no superword is ever deleted: the number must be 0");
    }
    let mut deletions: Vec<(u64, Vec<u8>)> = Vec::new();
    for _ in 0..announced {
        let [index, token] = lines.row("INDEX TOKEN")?;
        let index = lines.integer("INDEX", index)?;
        if deletions.last().is_some_and(|&(last, _)| index <= last) {
            return lines.fail("INDEX must be above that of the line before");
        }
        deletions.push((index, lines.token(token)?));
    }
    Ok(PublishedOps { configuration, merges, deletions })
}

/// The bytes of a published file of version 2; of what `published_from_bytes` read, the same bytes.
///
/// # Errors
/// [`ErrorKind::Model`] if a special token would not be read back.
pub fn published_to_bytes(published: &Published) -> Result<Vec<u8>> {
    let Published { kind, vocabulary, special_tokens, words, superwords } = published;
    check_published_special_tokens(special_tokens)
        .map_err(|error| Error::new(ErrorKind::Model, error.message))?;
    let size = vocabulary.len();
    let mut out = format!("{HEADER}{kind}\nvocabulary\n{size}\n");
    // Writing to a String cannot fail, here and below.
    for (id, (token, count, is_super)) in vocabulary.iter().enumerate() {
        let _ = write!(out, "{id} ");
        escape_token(token, &mut out);
        let _ = writeln!(out, " {count} {}", u8::from(*is_super));
    }
    let _ = writeln!(out, "special_tokens\n{}", special_tokens.len());
    for (number, token) in special_tokens.iter().enumerate() {
        let _ = writeln!(out, "{} {token}", size + number);
    }
    for (title, ops) in [("words", Some(words)), ("superwords", superwords.as_ref())] {
        let Some(PublishedOps { configuration, merges, deletions }) = ops else { continue };
        let _ = writeln!(out, "{title}\n{configuration}\nmerges\n{}", merges.len());
        for merge in merges {
            let _ = write!(out, "{} ", merge.index);
            escape_token(&merge.left, &mut out);
            out.push(' ');
            escape_token(&merge.right, &mut out);
            let _ = writeln!(out, " {} {}", merge.count, u8::from(merge.flag));
        }
        let _ = writeln!(out, "deletions\n{}", deletions.len());
        for (index, token) in deletions {
            let _ = write!(out, "{index} ");
            escape_token(token, &mut out);
            out.push('\n');
        }
    }
    Ok(out.into_bytes())
}
