//! The artifact: a model as bytes and back (SPEC 10).
//!
//! A header line, one line an op, and a line `sha256 HEX` with its line end, after which nothing
//! stands. The reader accepts exactly what the writer writes.

use std::io::Write;

use sha2::{Digest, Sha256};

use crate::error::{Error, ErrorKind, Progress, Result};
use crate::header::{Value, header_from_bytes, header_to_bytes, parse_number};
use crate::model::{Model, Op, OpKind};
use crate::pretokenize::Pretokenizer;
use crate::settings::{
    Algorithm, Alphabet, BlowUp, Cutting, IdOrder, MAX_COUNT, MAX_IDS, Rules, Scheme, Tau,
};
use crate::special_tokens::{check_special_tokens, read_special_ids};
use crate::ticker::{OP_WORK, Ticker};
use crate::unicode::UNICODE_VERSION;
use crate::vocabulary::{MAX_OPS, Vocabulary};

const FORMAT: &str = "superword";
const VERSION: u64 = 1;

/// The longest token that is loaded unless the caller says otherwise.
pub const MAX_TOKEN_BYTES: u64 = 1 << 24;
/// The bytes of all tokens that the ops make, in all, unless the caller says otherwise.
pub const MAX_TOTAL_BYTES: u64 = 1 << 28;

const STRING: &str = "a string";
const NUMBER: &str = "a whole number";
const STRINGS: &str = "a list of strings";
const TYPES: [(&str, &str); 23] = [
    ("algorithm", STRING),
    ("alphabet", STRING),
    ("blow_up", STRING),
    ("bytes", NUMBER),
    ("distinct_pretokens", NUMBER),
    ("documents", NUMBER),
    ("eligible_pattern", STRING),
    ("format", STRING),
    ("id_order", STRING),
    ("ngram_floor", NUMBER),
    ("ngram_max_length", NUMBER),
    ("ops", NUMBER),
    ("pattern", STRING),
    ("pretokens", NUMBER),
    ("rules", STRING),
    ("scheme", STRING),
    ("script_pattern", STRING),
    ("scripts", STRINGS),
    ("special_ids", STRINGS),
    ("special_tokens", STRINGS),
    ("tau", STRING),
    ("unicode", STRING),
    ("version", NUMBER),
];
/// Keys that a header has only if the setting is used.
const OPTIONAL: [&str; 9] = [
    "blow_up",
    "ngram_floor",
    "ngram_max_length",
    "pattern",
    "scheme",
    "script_pattern",
    "scripts",
    "special_ids",
    "tau",
];
/// The least that the numbers of n-gram splitting can be.
const NGRAMS: [(&str, u64); 2] = [("ngram_floor", 1), ("ngram_max_length", 2)];
const NO_OP: &str = "an op must be 'm LEFT RIGHT COUNT', 's LEFT RIGHT COUNT' or 'd TOKEN'";
const FOOTER_BYTES: usize = "sha256 \n".len() + 64;

/// What a reader is willing to load.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Accept a model made with another Unicode version.
    pub any_unicode: bool,
    /// The longest token in bytes; `None` is [`MAX_TOKEN_BYTES`].
    pub max_token_bytes: Option<u64>,
    /// The bytes of everything the ops make, in all; `None` is [`MAX_TOTAL_BYTES`].
    pub max_total_bytes: Option<u64>,
}

/// The artifact of a model.
pub fn model_to_bytes(model: &Model) -> Vec<u8> {
    let text = |text: &str| Value::Text(text.to_string());
    let cutting = &model.cutting;
    let scheme = cutting.scheme.map(|scheme| Value::Text(scheme.name().to_string()));
    let special_ids = model.special_ids.as_ref();
    let special_ids = special_ids.map(|ids| ids.iter().map(u32::to_string).collect());
    let optional = [
        ("blow_up", model.blow_up.map(|blow_up| text(blow_up.name()))),
        ("ngram_floor", model.ngram_floor.map(Value::Number)),
        ("ngram_max_length", model.ngram_max_length.map(Value::Number)),
        ("pattern", cutting.pattern.as_deref().map(text)),
        ("scheme", scheme),
        ("script_pattern", cutting.script_pattern.as_deref().map(text)),
        ("scripts", cutting.scripts.clone().map(Value::List)),
        ("special_ids", special_ids.map(Value::List)),
        ("tau", model.tau.map(|tau| text(&tau.to_string()))),
    ];
    let mut fields = vec![
        ("algorithm", text(model.algorithm.name())),
        ("alphabet", text(model.alphabet.name())),
        ("bytes", Value::Number(model.bytes)),
        ("distinct_pretokens", Value::Number(model.distinct_pretokens)),
        ("documents", Value::Number(model.documents)),
        ("eligible_pattern", text(&cutting.eligible_pattern)),
        ("format", text(FORMAT)),
        ("id_order", text(model.id_order.name())),
        ("ops", Value::Number(model.ops.len() as u64)),
        ("pretokens", Value::Number(model.pretokens)),
        ("rules", text(model.rules.name())),
        ("special_tokens", Value::List(model.special_tokens.clone())),
        ("unicode", text(&model.unicode)),
        ("version", Value::Number(VERSION)),
    ];
    fields.extend(optional.into_iter().filter_map(|(key, value)| Some((key, value?))));
    let mut out = header_to_bytes(fields);
    out.push(b'\n');
    for op in &model.ops {
        // Writing to a Vec cannot fail.
        let _ = match op.kind {
            OpKind::Merge => writeln!(out, "m {} {} {}", op.left, op.right, op.count),
            OpKind::Supermerge => writeln!(out, "s {} {} {}", op.left, op.right, op.count),
            OpKind::Delete => writeln!(out, "d {}", op.left),
        };
    }
    let hex = sha256_hex(&out);
    out.extend_from_slice(b"sha256 ");
    out.extend_from_slice(&hex);
    out.push(b'\n');
    out
}

/// Reads an artifact and checks everything in it.
///
/// # Errors
/// [`ErrorKind::Model`] if the bytes are not what the writer writes, or a limit is passed; what the
/// progress callback returns.
pub fn model_from_bytes(
    data: &[u8],
    limits: &Limits,
    progress: &mut Progress<'_>,
) -> Result<Model> {
    let body = check_frame(data)?;
    let end = memchr::memchr(b'\n', body).unwrap_or(body.len());
    let (header, op_lines) = (&body[..end], body.get(end + 1..).unwrap_or(&[]));
    let (mut model, n_ops) = header_from_bytes(header)
        .and_then(|fields| model_without_ops(fields, limits.any_unicode))
        .map_err(|error| in_line(1, &error))?;
    let n_lines = memchr::memchr_iter(b'\n', op_lines).count();
    if n_lines as u64 != n_ops {
        let text = format!("line 1: the header announces {n_ops} ops, the file has {n_lines}");
        return Err(Error::new(ErrorKind::Model, text));
    }
    let mut vocabulary = Vocabulary::with_limits(
        model.alphabet,
        limits.max_token_bytes.unwrap_or(MAX_TOKEN_BYTES),
        limits.max_total_bytes.unwrap_or(MAX_TOTAL_BYTES),
    );
    model.ops.reserve_exact(n_lines);
    let ticker = &mut Ticker::new(progress, "load", n_ops);
    for line in op_lines.split_inclusive(|&byte| byte == b'\n') {
        ticker.work(OP_WORK)?;
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let op = read_op(line, &model, &mut vocabulary)
            .map_err(|error| in_line(model.ops.len() + 2, &error))?;
        model.ops.push(op);
    }
    Ok(model)
}

fn in_line(number: usize, error: &Error) -> Error {
    Error::new(ErrorKind::Model, format!("line {number}: {error}"))
}

fn fail<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::new(ErrorKind::Model, text))
}

/// What stands before the last line, once that line has vouched for it.
fn check_frame(data: &[u8]) -> Result<&[u8]> {
    if data.is_empty() {
        return fail("this is no superword model: the file is empty");
    }
    let (body, footer) = data.split_at(data.len().saturating_sub(FOOTER_BYTES));
    let hex = footer.strip_prefix(b"sha256 ").and_then(|rest| rest.strip_suffix(b"\n"));
    let well_formed =
        |hex: &&[u8]| hex.len() == 64 && hex.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let Some(hex) = hex.filter(well_formed).filter(|_| body.ends_with(b"\n")) else {
        if !data.starts_with(b"{") {
            return fail(
                "this is no superword model: line 1 must begin with '{', or in a published file \
                 with 'BoundlessBPE v2' or 'word v1'",
            );
        }
        return fail(
            "this is no superword model, or its end is missing or damaged: \
             the last line must be 'sha256 ' and 64 hexadecimal digits",
        );
    };
    if sha256_hex(body) != hex {
        return fail("the file is damaged: its sha256 is not the one in its last line");
    }
    Ok(body)
}

fn sha256_hex(bytes: &[u8]) -> Vec<u8> {
    let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
    Sha256::digest(bytes).iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The model of a header, and how many ops it announces.
fn model_without_ops(fields: Vec<(String, Value)>, any_unicode: bool) -> Result<(Model, u64)> {
    let find = |key: &str| fields.iter().find(|(name, _)| name == key).map(|(_, value)| value);
    // A later version may have other keys: what to say then is that it is later.
    if find("format") != Some(&Value::Text(FORMAT.to_string())) {
        return fail(format!("this is no superword model: 'format' must be '{FORMAT}'"));
    }
    if let Some(&Value::Number(version)) = find("version")
        && version != VERSION
    {
        return fail(format!(
            "the file has version {version} of the format, this program reads version {VERSION}"
        ));
    }
    for (key, _) in TYPES {
        if find(key).is_none() && !OPTIONAL.contains(&key) {
            return fail(format!("the key '{key}' is missing"));
        }
    }
    for (key, value) in &fields {
        let Some((_, wanted)) = TYPES.iter().find(|(name, _)| name == key) else {
            return fail(format!("the key '{key}' is unknown"));
        };
        let found = type_of(value);
        if found != *wanted {
            return fail(format!("'{key}' must be {wanted}, not {found}"));
        }
    }
    let text = |key| match find(key) {
        Some(Value::Text(text)) => text.as_str(),
        _ => "", // the types have been checked
    };
    let number = |key| match find(key) {
        Some(&Value::Number(number)) => number,
        _ => 0,
    };
    let list = |key| match find(key) {
        Some(Value::List(strings)) => Some(strings.clone()),
        _ => None,
    };
    let algorithm = Algorithm::from_name(text("algorithm"))?;
    let alphabet = Alphabet::from_name(text("alphabet"))?;
    let id_order = IdOrder::from_name(text("id_order"))?;
    let rules = Rules::from_name(text("rules"))?;
    if (id_order, alphabet) == (IdOrder::Gpt2, Alphabet::Utf8) {
        return fail("id_order 'gpt2' is for alphabet 'bytes' only");
    }
    let optional = |key| find(key).map(|_| text(key).to_string());
    let cutting = Cutting {
        scheme: optional("scheme").map(|scheme| Scheme::from_name(&scheme)).transpose()?,
        pattern: optional("pattern"),
        script_pattern: optional("script_pattern"),
        scripts: list("scripts"),
        eligible_pattern: text("eligible_pattern").to_string(),
    };
    check_cutting(&cutting)?;
    if rules == Rules::Incremental && algorithm != Algorithm::Bpe {
        return fail("rules 'incremental' are for algorithm 'bpe' only");
    }
    if cutting.scheme == Some(Scheme::None)
        && (rules, alphabet) != (Rules::Incremental, Alphabet::Bytes)
    {
        return fail("scheme 'none' is for rules 'incremental' and alphabet 'bytes' only");
    }
    let has = |key| find(key).is_some();
    let (tau, blow_up) = match (has("tau"), has("blow_up")) {
        (false, false) => (None, None),
        (true, true) => {
            let blow_up = BlowUp::from_name(text("blow_up"))?;
            (Some(read_tau(text("tau"), rules)?), Some(blow_up))
        }
        _ => return fail("the keys 'blow_up' and 'tau' must stand together"),
    };
    check_ngrams(&fields, algorithm)?;
    if text("unicode") != UNICODE_VERSION && !any_unicode {
        return fail(format!(
            "the model was made with Unicode {}, this program has {UNICODE_VERSION} and may cut \
             texts differently: any_unicode=True loads it all the same",
            text("unicode")
        ));
    }
    let special_tokens = list("special_tokens").unwrap_or_default();
    check_special_tokens(&special_tokens)?;
    let read = |digits: Vec<String>| read_special_ids(&digits, special_tokens.len());
    let special_ids = list("special_ids").map(read).transpose()?;
    if number("ops") > MAX_OPS as u64 {
        return fail("a model has at most 2^31 - 1 ops");
    }
    let model = Model {
        algorithm,
        alphabet,
        rules,
        cutting,
        id_order,
        special_tokens,
        unicode: text("unicode").to_string(),
        tau,
        blow_up,
        ngram_floor: find("ngram_floor").map(|_| number("ngram_floor")),
        ngram_max_length: find("ngram_max_length").map(|_| number("ngram_max_length")),
        documents: number("documents"),
        bytes: number("bytes"),
        pretokens: number("pretokens"),
        distinct_pretokens: number("distinct_pretokens"),
        ops: Vec::new(),
        special_ids,
    };
    Ok((model, number("ops")))
}

/// Which keys must stand together, and that the patterns can be used.
fn check_cutting(cutting: &Cutting) -> Result<()> {
    if cutting.scheme.is_some() == cutting.pattern.is_some() {
        return fail("exactly one of the keys 'scheme' and 'pattern' must be there");
    }
    if cutting.script_pattern.is_some() != cutting.scripts.is_some() {
        return fail("the keys 'script_pattern' and 'scripts' must stand together");
    }
    if cutting.script_pattern.is_some() && cutting.pattern.is_none() {
        return fail("the key 'script_pattern' must stand beside 'pattern'");
    }
    if let Some(scripts) = &cutting.scripts
        && (scripts.is_empty() || !scripts.is_sorted_by(|one, two| one < two))
    {
        return fail("scripts must be names in ascending order, one at least");
    }
    Pretokenizer::new(cutting).map(|_| ())
}

fn read_tau(text: &str, rules: Rules) -> Result<Tau> {
    let number = |digits: &str| parse_number(digits.as_bytes());
    let terms = text.split_once('/').map(|(part, whole)| (number(part), number(whole)));
    let Some((Some(part), Some(whole))) = terms else { return bad_tau(text) };
    let Some(tau) = Tau::new(part, whole) else { return bad_tau(text) };
    if rules != Rules::Superword {
        return fail("tau is for rules 'superword' only");
    }
    Ok(tau)
}

fn bad_tau<T>(text: &str) -> Result<T> {
    fail(format!("tau must be a reduced fraction above 0 and at most 1, as 9/10, not '{text}'"))
}

/// Both keys of n-gram splitting or neither, and not for an algorithm without candidates.
fn check_ngrams(fields: &[(String, Value)], algorithm: Algorithm) -> Result<()> {
    let found = |wanted: &str| fields.iter().find(|(key, _)| key == wanted);
    let values = NGRAMS.map(|(key, least)| found(key).map(|(_, value)| (key, least, value)));
    let stand = values.iter().flatten().count();
    if stand > 0 && stand < NGRAMS.len() {
        return fail("'ngram_floor' and 'ngram_max_length' stand together or not at all");
    }
    if stand > 0 && algorithm == Algorithm::Bpe {
        return fail("n-gram splitting is for algorithms 'superbpe' and 'boundless' only");
    }
    for (key, least, value) in values.into_iter().flatten() {
        if let &Value::Number(value) = value
            && value < least
        {
            return fail(format!("'{key}' must be at least {least}, not {value}"));
        }
    }
    Ok(())
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Number(_) => NUMBER,
        Value::Text(_) => STRING,
        Value::List(_) => STRINGS,
    }
}

/// The op of a line, which follows those of the model.
fn read_op(line: &[u8], model: &Model, vocabulary: &mut Vocabulary) -> Result<Op> {
    let last = model.ops.last();
    let is_after_supermerge = model.algorithm == Algorithm::Superbpe
        && last.is_some_and(|op| op.kind == OpKind::Supermerge);
    // No token has the number u32::MAX.
    let token = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let mut parts = line.split(|&byte| byte == b' ');
    let kind = match parts.next() {
        Some(b"d") => {
            let (Some(number), None) = (parts.next().and_then(parse_number), parts.next()) else {
                return fail(NO_OP);
            };
            let token = token(number);
            if model.tau.is_none() {
                return fail("a model without tau has no deletes");
            }
            if last.is_some_and(|op| (op.kind, op.new) == (OpKind::Delete, token)) {
                return fail("the delete repeats the op before it");
            }
            if is_after_supermerge {
                return fail("in a model of algorithm 'superbpe' no delete follows a supermerge");
            }
            vocabulary.delete_checked(token)?;
            let (left, right, new) = (token, token, token);
            return Ok(Op { kind: OpKind::Delete, left, right, new, count: 0 });
        }
        Some(b"m") => Some(OpKind::Merge),
        Some(b"s") => Some(OpKind::Supermerge),
        _ => None,
    };
    let mut number = || parts.next().and_then(parse_number);
    let (Some(kind), Some(left), Some(right), Some(count)) = (kind, number(), number(), number())
    else {
        return fail(NO_OP);
    };
    if parts.next().is_some() {
        return fail(NO_OP);
    }
    if kind == OpKind::Supermerge && model.algorithm == Algorithm::Bpe {
        return fail("a model of algorithm 'bpe' has no supermerges");
    }
    if kind == OpKind::Merge && is_after_supermerge {
        return fail("in a model of algorithm 'superbpe' no merge follows a supermerge");
    }
    if count > MAX_COUNT {
        return fail("the count is above 2^63 - 1");
    }
    let (left, right) = (token(left), token(right));
    let new = vocabulary.make_checked(left, right, kind)?;
    if vocabulary.len() + model.special_tokens.len() > MAX_IDS {
        return fail("there are more than 2^31 - 1 tokens");
    }
    Ok(Op { kind, left, right, new, count })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::no_progress;

    fn boundless() -> Model {
        Model {
            algorithm: Algorithm::Boundless,
            alphabet: Alphabet::Bytes,
            rules: Rules::Superword,
            cutting: Scheme::Gpt4oUniscript.into(),
            id_order: IdOrder::RegularFirst,
            special_tokens: vec!["<|é\n|>".to_string(), "\"".to_string()],
            unicode: UNICODE_VERSION.to_string(),
            tau: None,
            blow_up: None,
            ngram_floor: Some(15),
            ngram_max_length: Some(30),
            documents: 1,
            bytes: 5,
            pretokens: 2,
            distinct_pretokens: 2,
            ops: vec![
                Op { kind: OpKind::Merge, left: 97, right: 98, new: 256, count: 9 },
                Op { kind: OpKind::Supermerge, left: 256, right: 97, new: 257, count: MAX_COUNT },
                Op { kind: OpKind::Merge, left: 98, right: 97, new: 258, count: 0 },
                Op { kind: OpKind::Supermerge, left: 97, right: 258, new: 257, count: 1 },
            ],
            special_ids: None,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = model_to_bytes(&boundless());
        assert_eq!(
            model_from_bytes(&bytes, &Limits::default(), &mut no_progress).unwrap(),
            boundless()
        );
    }

    #[test]
    fn every_flip_and_every_prefix_is_an_error() {
        let bytes = model_to_bytes(&boundless());
        for end in 0..bytes.len() {
            assert!(model_from_bytes(&bytes[..end], &Limits::default(), &mut no_progress).is_err());
        }
        let mut bytes = bytes;
        for place in 0..bytes.len() {
            let byte = bytes[place];
            for other in (0..=255).filter(|&other| other != byte) {
                bytes[place] = other;
                assert!(model_from_bytes(&bytes, &Limits::default(), &mut no_progress).is_err());
            }
            bytes[place] = byte;
        }
    }

    #[test]
    fn doubling_merges_stop_at_the_limit() {
        let mut model = boundless();
        let double = |n: u32| Op {
            kind: OpKind::Merge,
            left: if n == 0 { 97 } else { 255 + n },
            right: if n == 0 { 97 } else { 255 + n },
            new: 256 + n,
            count: 1,
        };
        model.ops = (0..200).map(double).collect();
        let bytes = model_to_bytes(&model);
        let error =
            |limits| model_from_bytes(&bytes, &limits, &mut no_progress).unwrap_err().message;
        assert_eq!(
            error(Limits::default()),
            "line 26: the token would have 33554432 bytes, more than max_token_bytes = 16777216"
        );
        assert_eq!(
            error(Limits { max_total_bytes: Some(100), ..Limits::default() }),
            "line 7: the ops up to here make tokens of 126 bytes in all, more than \
             max_total_bytes = 100"
        );
    }
}
