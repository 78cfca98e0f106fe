//! Published rows and models: what each says in the other's terms (SPEC 10, 13).
//!
//! A model says less than the rows do (no counts of tokens, no flags of merges) and, of its corpus,
//! more. The rows name tokens by their bytes; regular merges and supermerges stand apart in them.

use crate::error::{Error, ErrorKind, Progress, Result};
use crate::model::{Model, OpKind, Published, PublishedMerge, PublishedOps};
use crate::model_file::{ELIGIBLE_PATTERN, Limits};
use crate::patterns::{LISTED_SCRIPTS, NAMED_PATTERNS};
use crate::published_configuration::{
    Configuration, Patterns, configuration_from_line, configuration_to_line,
};
use crate::published_lines::{at, check_published_special_tokens, place};
use crate::published_ops::{OpReader, alphabet_of_tokens, id_order_of_tokens};
use crate::settings::{Algorithm, Rules, Scheme, Settings};
use crate::ticker::{OP_WORK, Ticker};
use crate::unicode::UNICODE_VERSION;
use crate::vocabulary::{final_order, vocabulary_of_ops};

const KINDS: [(&str, Algorithm); 3] = [
    ("word", Algorithm::Bpe),
    ("boundless", Algorithm::Boundless),
    ("superbpe", Algorithm::Superbpe),
];
const NO_DELETIONS: &str = "1.1";

fn fail<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::new(ErrorKind::Model, text))
}

/// The patterns of a scheme as published files have them.
fn patterns_of_scheme(scheme: Scheme) -> Option<Patterns> {
    let named = |name| {
        NAMED_PATTERNS.iter().find(|(known, _)| *known == name).map(|(_, text)| text.to_string())
    };
    let mut scripts = LISTED_SCRIPTS.map(str::to_string).to_vec();
    scripts.sort_unstable();
    let (main, script) = match scheme {
        Scheme::Gpt2 | Scheme::Gpt4 | Scheme::Gpt4o => (scheme.name(), None),
        Scheme::Gpt4oScripts => ("gpt4o", named("gpt4o-script")),
        Scheme::Gpt4oUniscript => return None,
    };
    Some(Patterns {
        main_regex: named(main)?,
        script_specific_scripts: script.is_some().then_some(scripts),
        script_specific_regex: script,
        merge_pattern: Some(ELIGIBLE_PATTERN.to_string()),
    })
}

/// The scheme whose patterns these are.
///
/// # Errors
/// [`ErrorKind::Model`] if it is none of ours.
pub(crate) fn scheme_of_patterns(
    main: &str,
    script: Option<&str>,
    scripts: Option<&[String]>,
) -> Result<Scheme> {
    let mut scripts = scripts.map(<[String]>::to_vec);
    scripts.as_mut().into_iter().for_each(|scripts| scripts.sort_unstable());
    let fits = |scheme: &Scheme| {
        patterns_of_scheme(*scheme).is_some_and(|patterns| {
            patterns.main_regex == main
                && patterns.script_specific_regex.as_deref() == script
                && patterns.script_specific_scripts == scripts
        })
    };
    match Scheme::ALL.iter().copied().find(fits) {
        Some(scheme) => Ok(scheme),
        None => fail("the patterns are not those of a scheme"),
    }
}

/// Refuses a training whose model no published file could hold.
///
/// # Errors
/// [`ErrorKind::Settings`]: which setting, and what to use instead.
pub fn check_publishable(settings: &Settings) -> Result<()> {
    check(settings.rules, settings.scheme, &settings.special_tokens)
}

fn check(rules: Rules, scheme: Scheme, special_tokens: &[String]) -> Result<()> {
    let error = |text| Err(Error::new(ErrorKind::Settings, text));
    if rules != Rules::Superword {
        return error(format!(
            "rules must be 'superword' for a published file, which cannot say '{}'",
            rules.name()
        ));
    }
    if patterns_of_scheme(scheme).is_none() {
        let known: Vec<_> = Scheme::ALL
            .iter()
            .filter(|&&scheme| patterns_of_scheme(scheme).is_some())
            .map(|scheme| scheme.name())
            .collect();
        return error(format!(
            "scheme must be one of {} for a published file, which has no pattern for '{}'",
            known.join(", "),
            scheme.name()
        ));
    }
    check_published_special_tokens(special_tokens)
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
    let scheme = scheme_of_words(&first).map_err(at(lines.words, "words"))?;
    if let Some(superwords) = superwords {
        configuration_from_line(&superwords.configuration)
            .and_then(|second| check_superwords(&first, &second, algorithm))
            .map_err(at(lines.superwords, "superwords"))?;
    }
    let regular = steps(words, OpKind::Merge, lines.words)?;
    let added = match superwords {
        Some(superwords) => steps(superwords, OpKind::Supermerge, lines.superwords)?,
        None => Vec::new(),
    };
    let mut reader = OpReader::new(alphabet, limits);
    let ticker = &mut Ticker::new(progress, "load", (regular.len() + added.len()) as u64);
    // BoundlessBPE takes the supermerge if its count is strictly higher and its parts are made, so
    // the order of both kinds together follows from their counts.
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
        scheme,
        id_order,
        special_tokens: special_tokens.clone(),
        unicode: UNICODE_VERSION.to_string(),
        documents: 0,
        bytes: 0,
        pretokens: 0,
        distinct_pretokens: 0,
        ops: reader.ops,
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
    check(model.rules, model.scheme, &model.special_tokens)?;
    let ticker = &mut Ticker::new(progress, "publish", 0);
    let made = vocabulary_of_ops(&model.ops, model.alphabet, ticker)?;
    let mut superwords = vec![false; made.len()];
    let (mut regular, mut added) = (Vec::new(), Vec::new());
    for (op, &flag) in model.ops.iter().zip(flags) {
        let merges = match op.kind {
            OpKind::Merge => &mut regular,
            OpKind::Supermerge => {
                superwords[op.new as usize] = true;
                &mut added
            }
        };
        merges.push(PublishedMerge {
            index: merges.len() as u64,
            left: made.token(op.left).into_owned(),
            right: made.token(op.right).into_owned(),
            count: op.count,
            flag,
        });
    }
    let section = |is_super: bool, merges| {
        let configuration = Configuration {
            tau: NO_DELETIONS.to_string(),
            is_super,
            superbpe_mode: is_super && model.algorithm == Algorithm::Superbpe,
            // Where nothing is deleted the published program says that it would be deleted to bytes.
            blowup: !is_super,
            patterns: patterns_of_scheme(model.scheme)?,
        };
        let configuration = configuration_to_line(&configuration);
        Some(PublishedOps { configuration, merges, deletions: Vec::new() })
    };
    let Some(words) = section(false, regular) else {
        return fail("the scheme has no patterns"); // it has been checked
    };
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
        superwords: match model.algorithm {
            Algorithm::Bpe => None,
            _ => section(true, added),
        },
    })
}

/// A row of merges, and where it stands.
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

/// The scheme that the configuration of the regular merges names.
fn scheme_of_words(words: &Configuration) -> Result<Scheme> {
    if words.tau != NO_DELETIONS {
        return fail(format!("tau must be {NO_DELETIONS}: deletions are not read yet"));
    }
    if words.is_super || words.superbpe_mode {
        return fail("is_super and superbpe_mode must be false");
    }
    let patterns = &words.patterns;
    if patterns.merge_pattern.as_ref().is_some_and(|pattern| pattern != ELIGIBLE_PATTERN) {
        return fail(format!("merge_pattern must be '{ELIGIBLE_PATTERN}'"));
    }
    scheme_of_patterns(
        &patterns.main_regex,
        patterns.script_specific_regex.as_deref(),
        patterns.script_specific_scripts.as_deref(),
    )
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

/// The merges and deletions of a section by their common index, which must have no gap.
fn steps(ops: &PublishedOps, kind: OpKind, configuration: u64) -> Result<Vec<Step<'_>>> {
    let (merges, deletions) = match kind {
        OpKind::Merge => ("words merges", "words deletions"),
        OpKind::Supermerge => ("superwords merges", "superwords deletions"),
    };
    let first_merge = configuration + 3;
    let first_deletion = first_merge + ops.merges.len() as u64 + 2;
    let mut steps = Vec::with_capacity(ops.merges.len());
    let (mut merged, mut deleted) = (0, 0);
    for index in 0..(ops.merges.len() + ops.deletions.len()) as u64 {
        let line = first_merge + merged as u64;
        let merge = ops.merges.get(merged);
        match merge {
            Some(PublishedMerge { index: found, left, right, count, .. }) if *found == index => {
                steps.push(Step { section: merges, line, kind, left, right, count: *count });
                merged += 1;
            }
            _ if ops.deletions.get(deleted).is_some_and(|(found, _)| *found == index) => {
                deleted += 1;
            }
            _ => {
                let (line, section) = match merge {
                    Some(_) => (line, merges),
                    None => (first_deletion + deleted as u64, deletions),
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
