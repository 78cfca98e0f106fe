//! Published rows and models: what each says in the other's terms (SPEC 10, 13).
//!
//! A model says less than the rows do (no counts of tokens, no flags of merges) and, of its corpus,
//! more. The rows name tokens by their bytes; regular merges and supermerges stand apart in them.

use crate::error::{Error, ErrorKind, Progress, Result};
use crate::final_ids::final_order;
use crate::model::{Model, Op, OpKind, Published, PublishedMerge, PublishedOps};
use crate::model_file::Limits;
use crate::published_configuration::{
    Configuration, configuration_from_line, configuration_to_line,
};
use crate::published_lines::{at, place};
use crate::published_ops::{OpReader, alphabet_of_tokens, id_order_of_tokens};
use crate::published_settings::{
    NO_DELETIONS, configuration_of_model, cutting_of_patterns, deletions_of_configuration,
};
use crate::settings::{Algorithm, Cutting, Rules};
use crate::ticker::{OP_WORK, Ticker};
use crate::unicode::UNICODE_VERSION;
use crate::vocabulary::vocabulary_of_ops;

const KINDS: [(&str, Algorithm); 3] = [
    ("word", Algorithm::Bpe),
    ("boundless", Algorithm::Boundless),
    ("superbpe", Algorithm::Superbpe),
];

fn fail<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::new(ErrorKind::Model, text))
}

/// The model that published rows describe. Its totals of the corpus, which the rows do not hold,
/// are 0.
///
/// # Errors
/// [`ErrorKind::Model`] if the rows contradict each other or a limit is passed, with the line and
/// the section; what the progress callback returns.
pub fn model_of_published(
    published: &Published,
    limits: &Limits,
    progress: &mut Progress<'_>,
) -> Result<Model> {
    let Published { kind, vocabulary, special_tokens, words, superwords } = published;
    let lines = FirstLines::new(published);
    let Some(&(_, algorithm)) = KINDS.iter().find(|(name, _)| name == kind) else {
        return fail("line 1, header: the kind must be word, boundless or superbpe");
    };
    let tokens: Vec<&[u8]> = vocabulary.iter().map(|(token, ..)| token.as_slice()).collect();
    let at_size = at(lines.vocabulary - 1, "vocabulary");
    let alphabet = alphabet_of_tokens(&tokens).map_err(&at_size)?;
    let first = configuration_from_line(&words.configuration);
    let first = first.map_err(at(lines.words, "words"))?;
    let cutting = cutting_of_words(&first).map_err(at(lines.words, "words"))?;
    let (tau, blow_up) =
        deletions_of_configuration(&first.tau, first.blowup).map_err(at(lines.words, "words"))?;
    if let Some(superwords) = superwords {
        configuration_from_line(&superwords.configuration)
            .and_then(|second| check_superwords(&first, &second, algorithm))
            .map_err(at(lines.superwords, "superwords"))?;
    }
    if tau.is_none() && !words.deletions.is_empty() {
        let line = lines.words + 5 + words.merges.len() as u64;
        let reason = format!("nothing is deleted where tau is {NO_DELETIONS}");
        return fail(place(line, "words deletions", &reason));
    }
    let regular = steps(words, OpKind::Merge, lines.words)?;
    let added = match superwords {
        Some(superwords) => steps(superwords, OpKind::Supermerge, lines.superwords)?,
        None => Vec::new(),
    };
    let mut reader = OpReader::new(alphabet, limits);
    let ticker = &mut Ticker::new(progress, "load", (regular.len() + added.len()) as u64);
    // BoundlessBPE takes the supermerge if its count is strictly higher and its parts are in
    // the vocabulary, so the order of both kinds together follows from their counts.
    let mut done = 0;
    for step in regular {
        while algorithm == Algorithm::Boundless
            && let Some(next) = added.get(done)
            && comes_before(next, &step, &reader)
        {
            next.add(&mut reader, ticker)?;
            done += 1;
        }
        step.add(&mut reader, ticker)?;
    }
    for step in &added[done..] {
        step.add(&mut reader, ticker)?;
    }
    let id_order = id_order_of_tokens(&reader.ops, &reader.vocabulary, &tokens).map_err(at_size)?;
    check_kinds(published, &reader, lines.vocabulary)?;
    Ok(Model {
        algorithm,
        alphabet,
        rules: Rules::Superword,
        cutting,
        id_order,
        special_tokens: special_tokens.clone(),
        unicode: UNICODE_VERSION.to_string(),
        tau,
        blow_up,
        ngram_floor: None, // which no such file says
        ngram_max_length: None,
        documents: 0,
        bytes: 0,
        pretokens: 0,
        distinct_pretokens: 0,
        ops: reader.ops,
        special_ids: None,
    })
}

/// The published rows of a model: `token_counts` says by creation number how often each token
/// stands in the corpus at the end, `flags` by op whether it made some pretoken or candidate whole.
///
/// # Errors
/// [`ErrorKind::Model`] if the ops do not fit together, [`ErrorKind::Settings`] as
/// [`check_publishable`]; what the progress callback returns.
pub fn published_of_model(
    model: &Model,
    token_counts: &[u64],
    flags: &[bool],
    progress: &mut Progress<'_>,
) -> Result<Published> {
    let first = configuration_of_model(model)?;
    let second = Configuration {
        tau: NO_DELETIONS.to_string(),
        is_super: true,
        superbpe_mode: model.algorithm == Algorithm::Superbpe,
        blowup: false,
        patterns: first.patterns.clone(),
    };
    let ticker = &mut Ticker::new(progress, "publish", 0);
    let made = vocabulary_of_ops(&model.ops, model.alphabet, ticker)?;
    let section = |configuration: &Configuration| PublishedOps {
        configuration: configuration_to_line(configuration),
        merges: Vec::new(),
        deletions: Vec::new(),
    };
    let (mut words, mut added) = (section(&first), section(&second));
    let mut superwords = vec![false; made.len()];
    let mut regular: Option<&Op> = None; // the last one before this op
    for (op, &flag) in model.ops.iter().zip(flags) {
        let section = if op.kind == OpKind::Supermerge { &mut added } else { &mut words };
        let index = (section.merges.len() + section.deletions.len()) as u64;
        match op.kind {
            OpKind::Delete => {
                // The published program deletes what was left and right of the merge twice
                // (SPEC 13).
                let is_both =
                    regular.is_some_and(|merge| merge.left == op.new && merge.right == op.new);
                let rows = index..=index + u64::from(is_both);
                let token = made.token(op.new);
                section.deletions.extend(rows.map(|index| (index, token.to_vec())));
                continue;
            }
            OpKind::Merge => regular = Some(op),
            OpKind::Supermerge => superwords[op.new as usize] = true,
        }
        section.merges.push(PublishedMerge {
            index,
            left: made.token(op.left).into_owned(),
            right: made.token(op.right).into_owned(),
            count: op.count,
            flag,
        });
    }
    let order = final_order(&model.ops, made.len(), model.id_order);
    let row = |&token: &u32| {
        let index = token as usize;
        let count = token_counts.get(index).copied().unwrap_or(0);
        (made.token(token).into_owned(), count, superwords[index])
    };
    let name = KINDS.iter().find(|(_, algorithm)| *algorithm == model.algorithm);
    Ok(Published {
        kind: name.map_or("", |(name, _)| name).to_string(),
        vocabulary: order.iter().map(row).collect(),
        special_tokens: model.special_tokens.clone(),
        words,
        superwords: (model.algorithm != Algorithm::Bpe).then_some(added),
    })
}

/// A row of merges or deletions, and where it stands.
struct Step<'p> {
    section: &'static str,
    line: u64,
    kind: OpKind,
    left: &'p [u8],
    right: &'p [u8],
    count: u64,
}

impl Step<'_> {
    fn add(&self, reader: &mut OpReader, ticker: &mut Ticker<'_, '_>) -> Result<()> {
        ticker.work(OP_WORK)?;
        reader
            .add(self.kind, self.left, self.right, self.count)
            .map(|_| ())
            .map_err(at(self.line, self.section))
    }
}

/// Whether training took a supermerge before this step of the regular merges.
fn comes_before(supermerge: &Step<'_>, step: &Step<'_>, reader: &OpReader) -> bool {
    step.kind == OpKind::Merge
        && supermerge.count > step.count
        && reader.knows(supermerge.left)
        && reader.knows(supermerge.right)
}

/// The line of the first row of the vocabulary, and of the configurations.
struct FirstLines {
    vocabulary: u64,
    words: u64,
    superwords: u64,
}

impl FirstLines {
    fn new(published: &Published) -> Self {
        let vocabulary = 4;
        let rows = published.vocabulary.len() + published.special_tokens.len();
        let words = vocabulary + rows as u64 + 3;
        let ops = published.words.merges.len() + published.words.deletions.len();
        Self { vocabulary, words, superwords: words + ops as u64 + 6 }
    }
}

/// How the configuration of the regular merges cuts text.
fn cutting_of_words(words: &Configuration) -> Result<Cutting> {
    if words.is_super || words.superbpe_mode {
        return fail("is_super and superbpe_mode must be false");
    }
    cutting_of_patterns(&words.patterns)
}

/// Refuses a configuration of the supermerges that does not fit that of the regular merges.
fn check_superwords(
    first: &Configuration,
    second: &Configuration,
    algorithm: Algorithm,
) -> Result<()> {
    if second.tau != NO_DELETIONS || !second.is_super || second.blowup {
        return fail("tau must be 1.1, is_super true and blowup false");
    }
    let mode = algorithm == Algorithm::Superbpe;
    if second.superbpe_mode != mode {
        let kind = if mode { "superbpe" } else { "boundless" };
        return fail(format!("superbpe_mode must be {mode} for the kind {kind}"));
    }
    if second.patterns != first.patterns {
        return fail("the patterns are not those of the section words");
    }
    Ok(())
}

/// The merges and deletions of a section by their common index, which must have no gap. A delete
/// that repeats the one before it (SPEC 13) does nothing, and is left out.
fn steps(ops: &PublishedOps, kind: OpKind, configuration: u64) -> Result<Vec<Step<'_>>> {
    let (merges, deletions) = match kind {
        OpKind::Supermerge => ("superwords merges", "superwords deletions"),
        OpKind::Merge | OpKind::Delete => ("words merges", "words deletions"),
    };
    let first_merge = configuration + 3;
    let first_deletion = first_merge + ops.merges.len() as u64 + 2;
    let mut steps: Vec<Step<'_>> = Vec::with_capacity(ops.merges.len());
    let (mut merged, mut deleted) = (0, 0);
    for index in 0..(ops.merges.len() + ops.deletions.len()) as u64 {
        let (line, other) = (first_merge + merged as u64, first_deletion + deleted as u64);
        match (ops.merges.get(merged), ops.deletions.get(deleted)) {
            (Some(merge), _) if merge.index == index => {
                let PublishedMerge { left, right, count, .. } = merge;
                steps.push(Step { section: merges, line, kind, left, right, count: *count });
                merged += 1;
            }
            (_, Some((found, token))) if *found == index => {
                let kind = OpKind::Delete;
                if steps.last().is_none_or(|last| (last.kind, last.left) != (kind, token)) {
                    let (section, line, left, right) = (deletions, other, token, token);
                    steps.push(Step { section, line, kind, left, right, count: 0 });
                }
                deleted += 1;
            }
            (merge, _) => {
                let (line, section) = match merge {
                    Some(_) => (line, merges),
                    None => (other, deletions),
                };
                let reason =
                    format!("no merge and no deletion before this line has the index {index}");
                return fail(place(line, section, &reason));
            }
        }
    }
    Ok(steps)
}

/// Refuses a column IS_SUPER that no ops could give; what both kinds make may be either.
fn check_kinds(published: &Published, reader: &OpReader, first: u64) -> Result<()> {
    let mut kinds = vec![(false, false); reader.vocabulary.len()];
    for op in &reader.ops {
        match op.kind {
            OpKind::Merge => kinds[op.new as usize].0 = true,
            OpKind::Supermerge => kinds[op.new as usize].1 = true,
            OpKind::Delete => {}
        }
    }
    for (row, (token, _, is_super)) in published.vocabulary.iter().enumerate() {
        let number = reader.vocabulary.number(token).unwrap_or(0); // all are known by now
        let what = match (is_super, kinds[number as usize]) {
            (true, (_, false)) => "no supermerge makes the token",
            (false, (false, true)) => "only supermerges make the token",
            _ => continue,
        };
        return fail(place(first + row as u64, "vocabulary", what));
    }
    Ok(())
}
