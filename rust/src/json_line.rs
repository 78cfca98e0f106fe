//! One line of a .jsonl file: a strict RFC 8259 parser that returns the string of one field.
//!
//! An own parser, because the JSON libraries of the two languages accept different inputs (NaN,
//! lone surrogates, duplicate keys, depth). One pass; the first error in the line is the one
//! reported. Positions (`at`) are byte offsets in the line, always on a character boundary.

use std::borrow::Cow;

use hashbrown::HashSet;
use memchr::memchr2;

use crate::error::{Error, ErrorKind, Result};

const MAX_DEPTH: u32 = 64;
/// So many members of an object or array pass between two polls, a fraction of a millisecond.
const MEMBERS_PER_POLL: usize = 1 << 10;

/// Called every millisecond or so of work; an error stops it and is returned.
type Poll<'p> = dyn FnMut() -> Result<()> + 'p;

/// The string that the JSON object in `line` has under the key `field`; borrowed from the line if
/// it holds no escape. `line` comes without its line feed; `poll` is called now and then in a long
/// one. Source: SPEC 3.0.
///
/// # Errors
/// [`ErrorKind::Input`] with the column, in bytes and counted from 1, and the reason; what `poll`
/// returns.
///
/// ```
/// use superword::json_line::text_of_line;
/// let line = r#"{"id": 7, "text": "to be"}"#;
/// assert_eq!(text_of_line(line, "text", &mut || Ok(())).unwrap(), "to be");
/// ```
pub fn text_of_line<'l>(line: &'l str, field: &str, poll: &mut Poll<'_>) -> Result<Cow<'l, str>> {
    let at = skip_space(line, 0);
    if byte_at(line, at) != Some(b'{') {
        return Err(error(at, "expected '{': each line must be one JSON object"));
    }
    let (at, value) = object(line, at, 1, Some(field), poll)?;
    let at = skip_space(line, at);
    if at < line.len() {
        return Err(error(at, "there is text after the object"));
    }
    match value {
        Some(Some(text)) => Ok(text),
        Some(None) => {
            Err(Error::new(ErrorKind::Input, format!("the field '{field}' is not a string")))
        }
        None => Err(Error::new(ErrorKind::Input, format!("the object has no field '{field}'"))),
    }
}

/// Parses the value at `at`: where it ends, and its text if it is a string.
fn value<'l>(
    line: &'l str,
    at: usize,
    depth: u32,
    poll: &mut Poll<'_>,
) -> Result<(usize, Option<Cow<'l, str>>)> {
    match byte_at(line, at) {
        Some(b'"') => {
            let (end, text) = string(line, at)?;
            return Ok((end, Some(text)));
        }
        Some(b'{' | b'[') if depth == MAX_DEPTH => {
            return Err(error(at, &format!("nested more than {MAX_DEPTH} deep")));
        }
        Some(b'{') => return Ok((object(line, at, depth + 1, None, poll)?.0, None)),
        Some(b'[') => return Ok((array(line, at, depth + 1, poll)?, None)),
        _ => {}
    }
    if let Some(end) = number_end(line.as_bytes(), at).or_else(|| literal_end(line, at)) {
        return Ok((end, None));
    }
    if ["NaN", "Infinity", "-Infinity"].iter().any(|x| line[at..].starts_with(x)) {
        return Err(error(at, "JSON has no NaN and no Infinity"));
    }
    Err(error(at, "expected a value"))
}

/// The end of a parsed object and, for the field that was asked for: `None` if it is not there,
/// `Some(None)` if it is no string.
type ObjectEnd<'l> = (usize, Option<Option<Cow<'l, str>>>);

/// Parses the object at `at`.
fn object<'l>(
    line: &'l str,
    at: usize,
    depth: u32,
    field: Option<&str>,
    poll: &mut Poll<'_>,
) -> Result<ObjectEnd<'l>> {
    let mut found = None;
    let mut keys = HashSet::new();
    let mut at = skip_space(line, at + 1);
    if byte_at(line, at) == Some(b'}') {
        return Ok((at + 1, None));
    }
    loop {
        if byte_at(line, at) != Some(b'"') {
            return Err(error(at, "expected a key in double quotes"));
        }
        let (end, key) = string(line, at)?;
        let wanted = field == Some(&*key);
        if !keys.insert(key) {
            return Err(error(at, "this key is there twice in one object"));
        }
        if keys.len().is_multiple_of(MEMBERS_PER_POLL) {
            poll()?;
        }
        at = skip_space(line, end);
        if byte_at(line, at) != Some(b':') {
            return Err(error(at, "expected ':' after a key"));
        }
        let (end, text) = value(line, skip_space(line, at + 1), depth, poll)?;
        if wanted {
            found = Some(text);
        }
        at = skip_space(line, end);
        match byte_at(line, at) {
            Some(b'}') => return Ok((at + 1, found)),
            Some(b',') => at = skip_space(line, at + 1),
            _ => return Err(error(at, "expected ',' or '}'")),
        }
    }
}

/// Parses the array at `at`: where it ends.
fn array(line: &str, at: usize, depth: u32, poll: &mut Poll<'_>) -> Result<usize> {
    let mut at = skip_space(line, at + 1);
    if byte_at(line, at) == Some(b']') {
        return Ok(at + 1);
    }
    let mut members = 0_usize;
    loop {
        members += 1;
        if members.is_multiple_of(MEMBERS_PER_POLL) {
            poll()?;
        }
        at = skip_space(line, value(line, at, depth, poll)?.0);
        match byte_at(line, at) {
            Some(b']') => return Ok(at + 1),
            Some(b',') => at = skip_space(line, at + 1),
            _ => return Err(error(at, "expected ',' or ']'")),
        }
    }
}

/// Parses the string whose opening quote is at `at`: where it ends, and its text.
fn string(line: &str, at: usize) -> Result<(usize, Cow<'_, str>)> {
    let start = at;
    let mut text = Cow::Borrowed("");
    let mut at = at + 1;
    loop {
        let end = plain_end(line, at);
        // the first piece is borrowed, so a string without escapes is never copied
        text += &line[at..end];
        at = end;
        match byte_at(line, at) {
            None => return Err(error(start, "this string is not closed")),
            Some(b'"') => return Ok((at + 1, text)),
            Some(b'\\') => {
                let (end, character) = escape(line, at)?;
                text.to_mut().push(character);
                at = end;
            }
            _ => return Err(error(at, "a control character in a string must be escaped")),
        }
    }
}

/// Parses the escape whose backslash is at `at`: where it ends, and its character.
fn escape(line: &str, at: usize) -> Result<(usize, char)> {
    let character = match byte_at(line, at + 1) {
        Some(letter @ (b'"' | b'\\' | b'/')) => char::from(letter),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode_escape(line, at),
        _ => return Err(error(at, "JSON has no such escape")),
    };
    Ok((at + 2, character))
}

fn unicode_escape(line: &str, at: usize) -> Result<(usize, char)> {
    let unit = code_unit(line, at)?;
    if let Some(character) = char::from_u32(unit) {
        return Ok((at + 6, character));
    }
    if unit <= 0xDBFF && line.as_bytes()[at + 6..].starts_with(b"\\u") {
        let low = code_unit(line, at + 6)?;
        if (0xDC00..=0xDFFF).contains(&low)
            && let Some(character) =
                char::from_u32(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
        {
            return Ok((at + 12, character));
        }
    }
    Err(error(at, "this escape gives a lone surrogate, which is no text"))
}

/// The number in the four hexadecimal digits after the `\u` at `at`.
fn code_unit(line: &str, at: usize) -> Result<u32> {
    let digits = line.as_bytes().get(at + 2..at + 6).unwrap_or_default();
    let mut unit = 0;
    for &digit in digits {
        match char::from(digit).to_digit(16) {
            Some(value) => unit = unit << 4 | value,
            None => return Err(error(at, "\\u needs four hexadecimal digits")),
        }
    }
    if digits.is_empty() {
        return Err(error(at, "\\u needs four hexadecimal digits"));
    }
    Ok(unit)
}

/// Where the characters that stand for themselves in a string end.
fn plain_end(line: &str, at: usize) -> usize {
    let rest = &line.as_bytes()[at..];
    let plain = &rest[..memchr2(b'"', b'\\', rest).unwrap_or(rest.len())];
    at + plain.iter().position(|&byte| byte < 0x20).unwrap_or(plain.len())
}

/// Where the number at `at` ends, if there is one: the longest that the grammar allows.
fn number_end(line: &[u8], at: usize) -> Option<usize> {
    let digits = |from: usize| {
        line[from.min(line.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut end = at + usize::from(line.get(at) == Some(&b'-'));
    end += match line.get(end) {
        Some(b'0') => 1,
        Some(b'1'..=b'9') => digits(end),
        _ => return None,
    };
    if line.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if let Some(b'e' | b'E') = line.get(end) {
        let sign = usize::from(matches!(line.get(end + 1), Some(b'+' | b'-')));
        if digits(end + 1 + sign) > 0 {
            end += 1 + sign + digits(end + 1 + sign);
        }
    }
    Some(end)
}

fn literal_end(line: &str, at: usize) -> Option<usize> {
    ["true", "false", "null"].iter().find(|x| line[at..].starts_with(**x)).map(|x| at + x.len())
}

/// The first position at or after `at` that is not JSON white space.
fn skip_space(line: &str, at: usize) -> usize {
    let rest = &line.as_bytes()[at..];
    at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count()
}

fn byte_at(line: &str, at: usize) -> Option<u8> {
    line.as_bytes().get(at).copied()
}

fn error(at: usize, reason: &str) -> Error {
    Error::new(ErrorKind::Input, format!("column {}: {reason}", at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(line: &str) -> String {
        text_of_line(line, "text", &mut || Ok(())).unwrap_err().message
    }

    #[test]
    fn a_string_without_escapes_is_borrowed() {
        assert!(matches!(
            text_of_line(r#"{"text":"é"}"#, "text", &mut || Ok(())),
            Ok(Cow::Borrowed("é"))
        ));
        assert!(matches!(
            text_of_line(r#"{"text":"\u00e9"}"#, "text", &mut || Ok(())),
            Ok(Cow::Owned(_))
        ));
    }

    #[test]
    fn every_prefix_of_a_line_is_an_error() {
        let line = r#" {"a": [1.5e-3, "\u00e9\ud83d\ude00", {"b": null}], "text": "é\n"} "#;
        assert_eq!(text_of_line(line, "text", &mut || Ok(())).unwrap(), "é\n");
        for end in (0..line.len() - 1).filter(|&end| line.is_char_boundary(end)) {
            assert!(
                text_of_line(&line[..end], "text", &mut || Ok(())).is_err(),
                "{}",
                &line[..end]
            );
        }
    }

    #[test]
    fn a_long_line_can_be_stopped() {
        let keys: Vec<_> = (0..2000).map(|i| format!("\"k{i}\":1")).collect();
        let object = format!("{{{},\"text\":\"a\"}}", keys.join(","));
        let array = format!("{{\"list\":[{}1],\"text\":\"a\"}}", "1,".repeat(2000));
        for line in [&object, &array] {
            assert_eq!(text_of_line(line, "text", &mut || Ok(())).unwrap(), "a");
            let stopped = text_of_line(line, "text", &mut || Err(Error::cancelled()));
            assert_eq!(stopped, Err(Error::cancelled()));
        }
    }

    #[test]
    fn the_depth_is_limited() {
        let nested = |depth| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(reason(&nested(63)), "the object has no field 'text'");
        assert_eq!(reason(&nested(64)), "column 69: nested more than 64 deep");
    }

    #[test]
    fn accepts_what_serde_json_accepts_where_both_follow_the_rfc() {
        // every line of up to five of these pieces
        let pieces = ["{", "}", "\"text\"", ":", ",", "1", "[", "]", " ", "-", "e", ".", "null"];
        let mut lines = vec![String::new()];
        let mut from = 0;
        for _ in 0..5 {
            let until = lines.len();
            for index in from..until {
                for piece in pieces {
                    let line = format!("{}{piece}", lines[index]);
                    lines.push(line);
                }
            }
            from = until;
        }
        for line in lines {
            let oracle = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&line);
            let ours = text_of_line(&line, "text", &mut || Ok(()));
            // an object without that field, or with one of another type, is well formed
            let accepted = match &ours {
                Ok(_) => true,
                Err(error) => error.message.starts_with("the "),
            };
            assert_eq!(accepted, oracle.is_ok(), "{line}: {ours:?}");
        }
    }
}
