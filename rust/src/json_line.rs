//! One line of a .jsonl file: a strict RFC 8259 parser that returns the string of one field.
//!
//! An own parser, because the JSON libraries of the two languages accept different inputs (NaN,
//! lone surrogates, duplicate keys, depth). One pass; the first error in the line is the one
//! reported. Positions (`at`) are byte offsets in the line.

use std::borrow::Cow;
use std::ops::Range;

use hashbrown::HashSet;

use crate::error::{Error, ErrorKind, Result};
use crate::json_string::{Text, error, read_string};

const MAX_DEPTH: u32 = 64;
/// So many members of an object or array pass between two polls, a fraction of a millisecond.
const MEMBERS_PER_POLL: usize = 1 << 10;
/// So large a text is not to be copied by those who keep it.
const LARGE_TEXT: usize = 1 << 20;
/// So many keys of an object are compared one by one.
const FEW_KEYS: usize = 8;

/// Called every millisecond or so of work; an error stops it and is returned.
type Poll<'p> = dyn FnMut() -> Result<()> + 'p;

/// The string that the JSON object in `line` has under the key `field`; from the line itself if it
/// holds no escape, else from `buffer`, which may hold anything and be used again; a large text
/// takes its memory along. `line` comes without its line feed; `poll` is called now and then in a
/// long one. Source: SPEC 3.0.
///
/// # Errors
/// [`ErrorKind::Input`] with the column, in bytes and counted from 1, and the reason; in a line that
/// is not UTF-8, any reason. What `poll` returns.
///
/// ```
/// use superword::json_line::text_of_line;
/// let line = br#"{"id": 7, "text": "to be"}"#;
/// assert_eq!(text_of_line(line, "text", &mut Vec::new(), &mut || Ok(())).unwrap(), "to be");
/// ```
pub fn text_of_line<'t>(
    line: &'t [u8],
    field: &str,
    buffer: &'t mut Vec<u8>,
    poll: &mut Poll<'_>,
) -> Result<Cow<'t, str>> {
    let at = skip_space(line, 0);
    if line.get(at) != Some(&b'{') {
        return Err(error(at, "expected '{': each line must be one JSON object"));
    }
    let mut wanted = Wanted { field: field.as_bytes(), buffer, found: None };
    let at = object(line, at, 1, Some(&mut wanted), poll)?;
    let at = skip_space(line, at);
    if at < line.len() {
        return Err(error(at, "there is text after the object"));
    }
    match wanted.found {
        Some(Some(string)) => checked_text(line, string, buffer),
        Some(None) => {
            Err(Error::new(ErrorKind::Input, format!("the field '{field}' is not a string")))
        }
        None => Err(Error::new(ErrorKind::Input, format!("the object has no field '{field}'"))),
    }
}

/// The field that was asked for.
struct Wanted<'w> {
    field: &'w [u8],
    buffer: &'w mut Vec<u8>,
    /// `None` if it was not met, `Some(None)` if it is no string.
    found: Option<Option<FoundString>>,
}

/// A string of the line, from its opening quote to after its closing one.
struct FoundString {
    place: Range<usize>,
    text: Text,
}

/// The text that was found, if all of the line is UTF-8. Each byte is checked once: a decoded text
/// stands for its part of the line, as an escape is a whole character on either side.
fn checked_text<'t>(
    line: &'t [u8],
    string: FoundString,
    buffer: &'t mut Vec<u8>,
) -> Result<Cow<'t, str>> {
    let FoundString { place, text } = string;
    let length = match text {
        Text::Plain(range) => return Ok(Cow::Borrowed(&utf8(line)?[range])),
        Text::Decoded(length) => length,
    };
    utf8(&line[..place.start])?;
    utf8(&line[place.end..])?;
    if length < LARGE_TEXT {
        return utf8(&buffer[..length]).map(Cow::Borrowed);
    }
    let mut text = std::mem::take(buffer);
    text.truncate(length);
    String::from_utf8(text).map(Cow::Owned).map_err(|_| not_utf8())
}

fn utf8(bytes: &[u8]) -> Result<&str> {
    str::from_utf8(bytes).map_err(|_| not_utf8())
}

fn not_utf8() -> Error {
    Error::new(ErrorKind::Input, "the line is not UTF-8")
}

/// Parses the value at `at`: where it ends.
fn value(line: &[u8], at: usize, depth: u32, poll: &mut Poll<'_>) -> Result<usize> {
    match line.get(at) {
        Some(b'"') => return Ok(read_string(line, at, &mut Vec::new())?.0),
        Some(b'{' | b'[') if depth == MAX_DEPTH => {
            return Err(error(at, &format!("nested more than {MAX_DEPTH} deep")));
        }
        Some(b'{') => return object(line, at, depth + 1, None, poll),
        Some(b'[') => return array(line, at, depth + 1, poll),
        _ => {}
    }
    if let Some(end) = number_end(line, at).or_else(|| literal_end(line, at)) {
        return Ok(end);
    }
    if ["NaN", "Infinity", "-Infinity"].iter().any(|x| line[at..].starts_with(x.as_bytes())) {
        return Err(error(at, "JSON has no NaN and no Infinity"));
    }
    Err(error(at, "expected a value"))
}

/// Parses the object at `at`: where it ends.
fn object(
    line: &[u8],
    at: usize,
    depth: u32,
    mut wanted: Option<&mut Wanted<'_>>,
    poll: &mut Poll<'_>,
) -> Result<usize> {
    let mut keys = Keys::default();
    let mut at = skip_space(line, at + 1);
    if line.get(at) == Some(&b'}') {
        return Ok(at + 1);
    }
    loop {
        if line.get(at) != Some(&b'"') {
            return Err(error(at, "expected a key in double quotes"));
        }
        let (end, key) = key(line, at)?;
        let wanted = wanted.as_mut().filter(|wanted| *wanted.field == *key);
        if !keys.insert(key) {
            return Err(error(at, "this key is there twice in one object"));
        }
        if keys.count.is_multiple_of(MEMBERS_PER_POLL) {
            poll()?;
        }
        at = skip_space(line, end);
        if line.get(at) != Some(&b':') {
            return Err(error(at, "expected ':' after a key"));
        }
        at = skip_space(line, at + 1);
        let end = match wanted {
            Some(wanted) if line.get(at) == Some(&b'"') => {
                let (end, text) = read_string(line, at, wanted.buffer)?;
                wanted.found = Some(Some(FoundString { place: at..end, text }));
                end
            }
            wanted => {
                if let Some(wanted) = wanted {
                    wanted.found = Some(None);
                }
                value(line, at, depth, poll)?
            }
        };
        at = skip_space(line, end);
        match line.get(at) {
            Some(b'}') => return Ok(at + 1),
            Some(b',') => at = skip_space(line, at + 1),
            _ => return Err(error(at, "expected ',' or '}'")),
        }
    }
}

/// The keys of an object: a few need no memory of their own.
#[derive(Default)]
struct Keys<'l> {
    count: usize,
    first: [Cow<'l, [u8]>; FEW_KEYS],
    others: HashSet<Cow<'l, [u8]>>,
}

impl<'l> Keys<'l> {
    /// Adds a key; false if it is there already.
    fn insert(&mut self, key: Cow<'l, [u8]>) -> bool {
        if self.first[..self.count.min(FEW_KEYS)].contains(&key) {
            return false;
        }
        self.count += 1;
        match self.first.get_mut(self.count - 1) {
            Some(place) => {
                *place = key;
                true
            }
            None => self.others.insert(key),
        }
    }
}

/// Parses the key at `at`: where it ends, and its text.
fn key(line: &[u8], at: usize) -> Result<(usize, Cow<'_, [u8]>)> {
    let mut buffer = Vec::new();
    let (end, text) = read_string(line, at, &mut buffer)?;
    let key = match text {
        Text::Plain(range) => Cow::Borrowed(&line[range]),
        Text::Decoded(length) => Cow::Owned(buffer[..length].to_vec()),
    };
    Ok((end, key))
}

/// Parses the array at `at`: where it ends.
fn array(line: &[u8], at: usize, depth: u32, poll: &mut Poll<'_>) -> Result<usize> {
    let mut at = skip_space(line, at + 1);
    if line.get(at) == Some(&b']') {
        return Ok(at + 1);
    }
    let mut members = 0_usize;
    loop {
        members += 1;
        if members.is_multiple_of(MEMBERS_PER_POLL) {
            poll()?;
        }
        at = skip_space(line, value(line, at, depth, poll)?);
        match line.get(at) {
            Some(b']') => return Ok(at + 1),
            Some(b',') => at = skip_space(line, at + 1),
            _ => return Err(error(at, "expected ',' or ']'")),
        }
    }
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

fn literal_end(line: &[u8], at: usize) -> Option<usize> {
    let literals = ["true", "false", "null"];
    literals.iter().find(|x| line[at..].starts_with(x.as_bytes())).map(|x| at + x.len())
}

/// The first position at or after `at` that is not JSON white space.
fn skip_space(line: &[u8], at: usize) -> usize {
    let space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    at + line[at..].iter().take_while(space).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &str) -> Result<String> {
        text_of_line(line.as_bytes(), "text", &mut Vec::new(), &mut || Ok(())).map(Cow::into_owned)
    }

    fn reason(line: &str) -> String {
        text(line).unwrap_err().message
    }

    #[test]
    fn a_string_without_escapes_is_borrowed() {
        let found = |line: &str| {
            let mut buffer = Vec::new();
            let text = text_of_line(line.as_bytes(), "text", &mut buffer, &mut || Ok(()));
            assert_eq!(text.unwrap(), "é");
            buffer.is_empty()
        };
        assert!(found(r#"{"text":"é"}"#));
        assert!(!found(r#"{"text":"\u00e9"}"#));
    }

    #[test]
    fn a_large_text_is_not_copied() {
        let mut buffer = Vec::new();
        for length in [LARGE_TEXT - 1, LARGE_TEXT, LARGE_TEXT + 1, 10] {
            let line = format!("{{\"text\": \"\\n{}\"}}", "a".repeat(length - 1));
            let text = text_of_line(line.as_bytes(), "text", &mut buffer, &mut || Ok(())).unwrap();
            assert!(text.starts_with("\na") && text.len() == length);
            assert_eq!(matches!(text, Cow::Owned(_)), length >= LARGE_TEXT);
        }
        let line = [&b"{\"text\": \"\\n"[..], &[0xFF; LARGE_TEXT], b"\"}"].concat();
        assert!(text_of_line(&line, "text", &mut buffer, &mut || Ok(())).is_err());
    }

    #[test]
    fn every_prefix_of_a_line_is_an_error() {
        let line = r#" {"a": [1.5e-3, "\u00e9\ud83d\ude00", {"b": null}], "text": "é\n"} "#;
        assert_eq!(text(line).unwrap(), "é\n");
        for end in (0..line.len() - 1).filter(|&end| line.is_char_boundary(end)) {
            assert!(text(&line[..end]).is_err(), "{}", &line[..end]);
        }
    }

    #[test]
    fn a_long_line_can_be_stopped() {
        let keys: Vec<_> = (0..2000).map(|i| format!("\"k{i}\":1")).collect();
        let object = format!("{{{},\"text\":\"a\"}}", keys.join(","));
        let array = format!("{{\"list\":[{}1],\"text\":\"a\"}}", "1,".repeat(2000));
        for line in [&object, &array] {
            assert_eq!(text(line).unwrap(), "a");
            let (line, mut stop) = (line.as_bytes(), || Err(Error::cancelled()));
            let mut buffer = Vec::new();
            let stopped = text_of_line(line, "text", &mut buffer, &mut stop);
            assert_eq!(stopped, Err(Error::cancelled()));
        }
    }

    #[test]
    fn a_key_twice_is_found_among_few_and_many() {
        for count in 1..2 * FEW_KEYS + 2 {
            let key = |number: usize| format!("\"k\\u00{number:02x}\": {number}");
            let keys: Vec<_> = (0x20..0x20 + count).map(key).collect();
            let object = |last: &str| format!("{{{}, {last}}}", keys.join(", "));
            assert_eq!(text(&object("\"text\": \"a\"")).unwrap(), "a");
            for (number, again) in keys.iter().enumerate() {
                let plain = format!("\"k{}\": 0", char::from(0x20 + number as u8));
                // the third is a quote
                let line = object(if number == 2 { again } else { &plain });
                let at = line.rfind("\"k").unwrap() + 1;
                let expected = format!("column {at}: this key is there twice in one object");
                assert_eq!(reason(&line), expected);
            }
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
            let ours = text(&line);
            // an object without that field, or with one of another type, is well formed
            let accepted = match &ours {
                Ok(_) => true,
                Err(error) => error.message.starts_with("the "),
            };
            assert_eq!(accepted, oracle.is_ok(), "{line}: {ours:?}");
        }
    }
}
