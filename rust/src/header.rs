//! The first line of a model file: the small JSON dialect that the writer writes (SPEC 10).
//!
//! One object with ascending keys and no blanks; values are strings, whole numbers from 0 to
//! 2^63 - 1 and lists of strings; escapes stand only for `"`, `\` and U+0000 to U+001F, each in
//! one form. The reader accepts exactly that, so one header has one spelling.

use std::fmt::Write;

use crate::error::{Error, ErrorKind, Result};
use crate::settings::MAX_COUNT;

/// What a key can stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A whole number.
    Number(u64),
    /// A string.
    Text(String),
    /// A list of strings.
    List(Vec<String>),
}

/// The one spelling of a header, without a line end.
pub fn header_to_bytes(mut fields: Vec<(&str, Value)>) -> Vec<u8> {
    fields.sort_by_key(|(key, _)| *key);
    let mut out = String::from("{");
    for (index, (key, value)) in fields.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { "," });
        write_string(&mut out, key);
        out.push(':');
        write_value(&mut out, value);
    }
    out.push('}');
    out.into_bytes()
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::Text(text) => write_string(out, text),
        Value::List(texts) => {
            out.push('[');
            for (index, text) in texts.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write_string(out, text);
            }
            out.push(']');
        }
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\0'..='\u{1f}' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", char as u32);
            }
            _ => out.push(char),
        }
    }
    out.push('"');
}

/// Reads a header, the exact inverse of [`header_to_bytes`]; the keys come ascending.
///
/// # Errors
/// [`ErrorKind::Model`] for anything that the writer would not write, with its byte offset.
pub fn header_from_bytes(line: &[u8]) -> Result<Vec<(String, Value)>> {
    let line = match std::str::from_utf8(line) {
        Ok(line) => line,
        Err(error) => return fail(error.valid_up_to(), "this is not UTF-8"),
    };
    let mut cursor = Cursor { line, at: 0 };
    let mut fields: Vec<(String, Value)> = Vec::new();
    cursor.expect("{", "'{'")?;
    loop {
        let start = cursor.at;
        let key = cursor.string()?;
        if fields.last().is_some_and(|(last, _)| key <= *last) {
            return fail(start, &format!("the key '{key}' stands twice or not in ascending order"));
        }
        cursor.expect(":", "':'")?;
        let value = cursor.value()?;
        fields.push((key, value));
        if !cursor.skip(",") {
            break;
        }
    }
    cursor.expect("}", "',' or '}'")?;
    if cursor.at < line.len() {
        return fail(cursor.at, "nothing may follow the object");
    }
    Ok(fields)
}

fn fail<T>(at: usize, reason: &str) -> Result<T> {
    Err(Error::new(ErrorKind::Model, format!("byte {at}: {reason}")))
}

/// A place in a line.
struct Cursor<'a> {
    line: &'a str,
    at: usize,
}

impl Cursor<'_> {
    fn rest(&self) -> &[u8] {
        &self.line.as_bytes()[self.at..]
    }

    fn skip(&mut self, what: &str) -> bool {
        let found = self.rest().starts_with(what.as_bytes());
        if found {
            self.at += what.len();
        }
        found
    }

    fn expect(&mut self, what: &str, name: &str) -> Result<()> {
        if self.skip(what) { Ok(()) } else { fail(self.at, &format!("expected {name}")) }
    }

    fn value(&mut self) -> Result<Value> {
        if self.rest().starts_with(b"\"") {
            return Ok(Value::Text(self.string()?));
        }
        if self.skip("[") {
            return Ok(Value::List(self.strings()?));
        }
        Ok(Value::Number(self.number()?))
    }

    fn strings(&mut self) -> Result<Vec<String>> {
        let mut out = Vec::new();
        if self.skip("]") {
            return Ok(out);
        }
        loop {
            out.push(self.string()?);
            if !self.skip(",") {
                break;
            }
        }
        self.expect("]", "',' or ']'")?;
        Ok(out)
    }

    fn number(&mut self) -> Result<u64> {
        let length = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        if length == 0 {
            return fail(self.at, "expected a string, a whole number or a list of strings");
        }
        let Some(value) = parse_number(&self.rest()[..length]) else {
            return fail(self.at, "a number has no leading zeros");
        };
        if value > MAX_COUNT {
            return fail(self.at, "the number is above 2^63 - 1");
        }
        self.at += length;
        Ok(value)
    }

    fn string(&mut self) -> Result<String> {
        self.expect("\"", "a string")?;
        let mut out = String::new();
        loop {
            let rest = &self.line[self.at..];
            let plain = |char: char| char >= ' ' && char != '"' && char != '\\';
            let end = rest.find(|char| !plain(char)).unwrap_or(rest.len());
            out.push_str(&rest[..end]);
            self.at += end;
            if self.skip("\"") {
                return Ok(out);
            }
            let rest = self.rest();
            let (length, char) = match rest {
                [] => return fail(self.at, "the string does not end"),
                [b'\\', b'"', ..] => (2, Some('"')),
                [b'\\', b'\\', ..] => (2, Some('\\')),
                [b'\\', b'b', ..] => (2, Some('\u{8}')),
                [b'\\', b't', ..] => (2, Some('\t')),
                [b'\\', b'n', ..] => (2, Some('\n')),
                [b'\\', b'f', ..] => (2, Some('\u{c}')),
                [b'\\', b'r', ..] => (2, Some('\r')),
                [b'\\', b'u', b'0', b'0', high, low, ..] => (6, unescape(*high, *low)),
                [b'\\', ..] => (2, None),
                _ => return fail(self.at, "a control character must be escaped"),
            };
            let Some(char) = char else {
                return fail(self.at, "this escape is not one that the format uses");
            };
            out.push(char);
            self.at += length;
        }
    }
}

/// The control character of `\u00` and these digits, if it is written so.
fn unescape(high: u8, low: u8) -> Option<char> {
    let low = match low {
        b'0'..=b'9' => low - b'0',
        b'a'..=b'f' => low - b'a' + 10,
        _ => return None,
    };
    match (high, low) {
        (b'0', 8 | 9 | 10 | 12 | 13) => None,
        (b'0' | b'1', _) => Some(char::from((high - b'0') * 16 + low)),
        _ => None,
    }
}

/// A whole number in its one spelling (anything above 2^63 - 1 as 2^63), or `None` if this is no
/// plain decimal number.
pub fn parse_number(digits: &[u8]) -> Option<u64> {
    let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    if !plain || (digits.len() > 1 && digits[0] == b'0') {
        return None;
    }
    if digits.len() >= 20 {
        return Some(MAX_COUNT + 1);
    }
    let value = digits.iter().fold(0, |value: u64, digit| value * 10 + u64::from(digit - b'0'));
    Some(value.min(MAX_COUNT + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_character_survives() {
        let text: String = ('\0'..='\u{200}').collect();
        let fields = vec![("a", Value::List(vec![text.clone(), String::new()]))];
        let bytes = header_to_bytes(fields.clone());
        let read = header_from_bytes(&bytes).unwrap();
        assert_eq!(read, [("a".to_string(), fields[0].1.clone())]);
    }

    #[test]
    fn numbers_have_one_spelling() {
        let cases: [(&[u8], Option<u64>); 8] = [
            (b"0", Some(0)),
            (b"9223372036854775807", Some(MAX_COUNT)),
            (b"9223372036854775808", Some(MAX_COUNT + 1)),
            (b"99999999999999999999999", Some(MAX_COUNT + 1)),
            (b"", None),
            (b"00", None),
            (b"+1", None),
            (b"1 ", None),
        ];
        for (digits, value) in cases {
            assert_eq!(parse_number(digits), value);
        }
    }
}
