//! The configuration of a section of a published file: JSON on one line, in one order.
//!
//! Read is any JSON of that order (a number may be `1.0` or `1`, a control character escaped in
//! either way); written is what Python's `json` writes, as the published program does.

use std::fmt::Write;

use crate::error::{Error, ErrorKind, Result};

const LONGEST_DIGITS: usize = 30;

/// What a section says of how it was trained; the names are those of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Configuration {
    /// Decimal, as it stands; `1.1` is no deletions.
    pub tau: String,
    pub is_super: bool,
    pub superbpe_mode: bool,
    pub blowup: bool,
    pub patterns: Patterns,
}

/// The patterns of a configuration, equal in both sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Patterns {
    pub main_regex: String,
    pub script_specific_regex: Option<String>,
    pub script_specific_scripts: Option<Vec<String>>,
    pub merge_pattern: Option<String>,
}

/// The line of a configuration without its line end, ASCII alone.
pub(crate) fn configuration_to_line(configuration: &Configuration) -> String {
    let Configuration { tau, is_super, superbpe_mode, blowup, patterns } = configuration;
    let optional = |text: &Option<String>| text.as_deref().map_or("null".to_string(), string);
    let list = |texts: &Vec<String>| {
        format!("[{}]", texts.iter().map(|text| string(text)).collect::<Vec<_>>().join(", "))
    };
    format!(
        "{{\"tau\": {tau}, \"is_super\": {is_super}, \"superbpe_mode\": {superbpe_mode}, \
         \"blowup\": {blowup}, \"main_regex\": {}, \"script_specific_regex\": {}, \
         \"script_specific_scripts\": {}, \"merge_pattern\": {}}}",
        string(&patterns.main_regex),
        optional(&patterns.script_specific_regex),
        patterns.script_specific_scripts.as_ref().map_or("null".to_string(), list),
        optional(&patterns.merge_pattern),
    )
}

fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            ' '..='~' => out.push(char),
            _ => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    // Writing to a String cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
    out
}

/// Reads a configuration.
///
/// # Errors
/// [`ErrorKind::Model`] if it is not what such a file has, with the byte of the line.
pub(crate) fn configuration_from_line(line: &str) -> Result<Configuration> {
    let mut cursor = Cursor { line, at: 0 };
    cursor.expect("{\"tau\": ")?;
    let tau = cursor.decimal()?;
    cursor.expect(", \"is_super\": ")?;
    let is_super = cursor.flag()?;
    cursor.expect(", \"superbpe_mode\": ")?;
    let superbpe_mode = cursor.flag()?;
    cursor.expect(", \"blowup\": ")?;
    let blowup = cursor.flag()?;
    cursor.expect(", \"main_regex\": ")?;
    let main_regex = cursor.string()?;
    cursor.expect(", \"script_specific_regex\": ")?;
    let script_specific_regex = cursor.optional_string()?;
    cursor.expect(", \"script_specific_scripts\": ")?;
    let script_specific_scripts = match cursor.skip("null") {
        true => None,
        false => Some(cursor.strings()?),
    };
    cursor.expect(", \"merge_pattern\": ")?;
    let merge_pattern = cursor.optional_string()?;
    cursor.expect("}")?;
    cursor.end()?;
    let patterns =
        Patterns { main_regex, script_specific_regex, script_specific_scripts, merge_pattern };
    Ok(Configuration { tau, is_super, superbpe_mode, blowup, patterns })
}

/// Reads a line that is one JSON string.
///
/// # Errors
/// [`ErrorKind::Model`] if it is not that, with the byte of the line.
pub(crate) fn pattern_from_line(line: &str) -> Result<String> {
    let mut cursor = Cursor { line, at: 0 };
    let text = cursor.string()?;
    cursor.end()?;
    Ok(text)
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

    fn fail<T>(&self, reason: &str) -> Result<T> {
        Err(Error::new(ErrorKind::Model, format!("byte {} of the line: {reason}", self.at)))
    }

    fn skip(&mut self, what: &str) -> bool {
        let found = self.rest().starts_with(what.as_bytes());
        if found {
            self.at += what.len();
        }
        found
    }

    fn expect(&mut self, what: &str) -> Result<()> {
        if self.skip(what) { Ok(()) } else { self.fail(&format!("expected '{what}'")) }
    }

    fn end(&self) -> Result<()> {
        if self.rest().is_empty() { Ok(()) } else { self.fail("nothing may follow") }
    }

    fn flag(&mut self) -> Result<bool> {
        if self.skip("true") {
            return Ok(true);
        }
        if self.skip("false") { Ok(false) } else { self.fail("expected true or false") }
    }

    fn decimal(&mut self) -> Result<String> {
        let digits = |text: &[u8]| {
            text.iter().take(LONGEST_DIGITS).take_while(|byte| byte.is_ascii_digit()).count()
        };
        let rest = self.rest();
        let whole = if rest.starts_with(b"0") { 1 } else { digits(rest) };
        let mut length = whole;
        if rest.get(whole) == Some(&b'.') {
            let part = digits(&rest[whole + 1..]);
            length += if part > 0 { 1 + part } else { 0 };
        }
        if whole == 0 {
            return self.fail("expected a decimal number");
        }
        let text = self.line[self.at..self.at + length].to_string();
        self.at += length;
        Ok(text)
    }

    fn strings(&mut self) -> Result<Vec<String>> {
        self.expect("[")?;
        if self.skip("]") {
            return Ok(Vec::new());
        }
        let mut out = vec![self.string()?];
        while self.skip(", ") {
            out.push(self.string()?);
        }
        self.expect("]")?;
        Ok(out)
    }

    fn optional_string(&mut self) -> Result<Option<String>> {
        if self.skip("null") { Ok(None) } else { self.string().map(Some) }
    }

    fn string(&mut self) -> Result<String> {
        self.expect("\"")?;
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
            match self.rest().first() {
                None => return self.fail("the string does not end"),
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return self.fail("a control character must be escaped"),
            }
        }
    }

    /// The character of the escape at this place.
    fn escape(&mut self) -> Result<char> {
        let short = match self.rest().get(1) {
            Some(&byte @ (b'"' | b'\\' | b'/')) => Some(char::from(byte)),
            Some(b'b') => Some('\u{8}'),
            Some(b'f') => Some('\u{c}'),
            Some(b'n') => Some('\n'),
            Some(b'r') => Some('\r'),
            Some(b't') => Some('\t'),
            _ => None,
        };
        if let Some(char) = short {
            self.at += 2;
            return Ok(char);
        }
        let Some(unit) = self.unit(self.at) else {
            return self.fail("this is no escape of JSON");
        };
        let (units, length) = match self.unit(self.at + 6) {
            Some(low) if (0xD800..0xE000).contains(&unit) => ([unit, low], 12),
            _ => ([unit, 0x20], 6), // the blank is for `decode_utf16` alone
        };
        let Some(Ok(char)) = char::decode_utf16(units).next() else {
            return self.fail("the escape is a lone surrogate");
        };
        self.at += length;
        Ok(char)
    }

    /// The code unit of an escape `\uXXXX`.
    fn unit(&self, at: usize) -> Option<u16> {
        let digits = self.line.as_bytes().get(at..at + 6)?.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0, |unit: u16, &digit| {
            let value = char::from(digit).to_digit(16)?;
            Some(unit << 4 | value as u16)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_survives() {
        let text: String =
            ('\0'..='\u{300}').chain(['\u{d7ff}', '\u{e000}', '\u{10ffff}']).collect();
        let configuration = Configuration {
            tau: "0.9".to_string(),
            is_super: true,
            superbpe_mode: false,
            blowup: true,
            patterns: Patterns {
                main_regex: text.clone(),
                script_specific_regex: Some(String::new()),
                script_specific_scripts: Some(vec![text, "Lao".to_string()]),
                merge_pattern: None,
            },
        };
        let line = configuration_to_line(&configuration);
        assert!(line.is_ascii());
        assert_eq!(configuration_from_line(&line).unwrap(), configuration);
    }

    #[test]
    fn escapes_of_json_and_no_others() {
        let read = |line| pattern_from_line(line).map_err(|error| error.message);
        assert_eq!(read(r#""\u0008\b\/\ud83d\ude00é""#), Ok("\u{8}\u{8}/😀é".to_string()));
        for (line, reason) in [
            (r#""\ud83d""#, "byte 1 of the line: the escape is a lone surrogate"),
            (r#""\ud83d\u0041""#, "byte 1 of the line: the escape is a lone surrogate"),
            (r#""\ude00\ud83d""#, "byte 1 of the line: the escape is a lone surrogate"),
            (r#""\u00g0""#, "byte 1 of the line: this is no escape of JSON"),
            (r#""\"#, "byte 1 of the line: this is no escape of JSON"),
            (r#""ab"#, "byte 3 of the line: the string does not end"),
            (r#""" "#, "byte 2 of the line: nothing may follow"),
        ] {
            assert_eq!(read(line), Err(reason.to_string()));
        }
    }
}
