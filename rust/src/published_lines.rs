//! What all published files share: lines with a place to name, and how tokens are spelled.

use crate::error::{Error, ErrorKind, Progress, Result};
use crate::header::parse_number;
use crate::settings::MAX_COUNT;
use crate::special_tokens::check_special_tokens;
use crate::ticker::{OP_WORK, Ticker};

/// What some program may take for blank: White_Space and the separators U+001C to U+001F.
fn is_blank(character: char) -> bool {
    matches!(character,
        '\t'..='\r' | '\u{1c}'..='\u{20}' | '\u{85}' | '\u{a0}' | '\u{1680}'
        | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Whether a byte stands for itself in the map of GPT-2: the others follow U+00FF, in order.
fn is_shown(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF)
}

/// The byte of a character.
fn byte_of(character: char) -> Option<u8> {
    match u8::try_from(u32::from(character)) {
        Ok(byte) => is_shown(byte).then_some(byte),
        Err(_) => match u32::from(character) - 0x100 {
            place @ 0..=0x20 => Some(place as u8),
            place @ 0x21..=0x42 => Some((place + 0x5E) as u8), // 7F to A0
            0x43 => Some(0xAD),
            _ => None,
        },
    }
}

/// The character of a byte.
fn character_of(byte: u8) -> char {
    let code = match byte {
        0..=0x20 => 0x100 + u32::from(byte),
        0x7F..=0xA0 => 0x121 + u32::from(byte) - 0x7F,
        0xAD => 0x143,
        _ => u32::from(byte),
    };
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER) // all of these are characters
}

/// The lines of a file one after the other, each known by its number and its section.
pub(crate) struct Lines<'d, 'a, 'p> {
    data: &'d [u8],
    at: usize,
    ticker: Ticker<'a, 'p>,
    /// The number of the line that was read last, from 1.
    pub number: u64,
    /// The section in which it stands.
    pub section: &'static str,
}

impl<'d, 'a, 'p> Lines<'d, 'a, 'p> {
    /// Starts before the first line.
    pub fn new(data: &'d [u8], progress: &'a mut Progress<'p>) -> Self {
        let ticker = Ticker::new(progress, "load", 0);
        Self { data, at: 0, ticker, number: 0, section: "header" }
    }

    /// The error for the line that was read last.
    pub fn fail<T>(&self, reason: impl AsRef<str>) -> Result<T> {
        Err(Error::new(ErrorKind::Model, place(self.number, self.section, reason.as_ref())))
    }

    /// The next line without its line end.
    pub fn next(&mut self) -> Result<&'d str> {
        self.ticker.work(OP_WORK)?;
        self.number += 1;
        let rest = &self.data[self.at..];
        let Some(end) = memchr::memchr(b'\n', rest) else {
            let cut = !rest.is_empty();
            return self.fail(if cut { "the line has no line end" } else { "the file ends here" });
        };
        self.at += end + 1;
        match std::str::from_utf8(&rest[..end]) {
            Ok(line) => Ok(line),
            Err(error) => {
                self.fail(format!("byte {} of the line is not UTF-8", error.valid_up_to()))
            }
        }
    }

    /// Reads a line that must be this one.
    pub fn title(&mut self, title: &str) -> Result<()> {
        if self.next()? == title {
            Ok(())
        } else {
            self.fail(format!("the line must be '{title}'"))
        }
    }

    /// Reads how many lines follow; that they do is not known yet.
    pub fn announced(&mut self) -> Result<u64> {
        match parse_number(self.next()?.as_bytes()) {
            Some(number) => Ok(number),
            None => self.fail("the line must be the number of the lines that follow"),
        }
    }

    /// Reads a line of as many parts as `form`, which says what they are.
    pub fn row<const N: usize>(&mut self, form: &str) -> Result<[&'d str; N]> {
        let mut parts = self.next()?.split(' ');
        let found: [Option<&str>; N] = std::array::from_fn(|_| parts.next());
        if found[N - 1].is_none() || parts.next().is_some() {
            return self.fail(format!("the line must be '{form}'"));
        }
        Ok(found.map(Option::unwrap_or_default))
    }

    /// A part of the line that is a number; the indices and counts of a file are no larger.
    pub fn integer(&self, name: &str, text: &str) -> Result<u64> {
        match parse_number(text.as_bytes()) {
            None => self.fail(format!("{name} must be a whole number")),
            Some(number) if number > MAX_COUNT => self.fail(format!("{name} is above 2^63 - 1")),
            Some(number) => Ok(number),
        }
    }

    /// A part of the line that must be this number.
    pub fn numbered(&self, name: &str, text: &str, wanted: u64) -> Result<()> {
        let number = self.integer(name, text)?;
        if number == wanted {
            return Ok(());
        }
        self.fail(format!("{name} must be {wanted}, not {number}"))
    }

    /// A part of the line that is 0 or 1.
    pub fn flag(&self, name: &str, text: &str) -> Result<bool> {
        match text {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => self.fail(format!("{name} must be 0 or 1")),
        }
    }

    /// A part of the line that is a token.
    pub fn token(&self, text: &str) -> Result<Vec<u8>> {
        if text.is_empty() {
            return self.fail("the token is empty");
        }
        let mut token = Vec::with_capacity(text.len());
        for (place, character) in text.chars().enumerate() {
            match byte_of(character) {
                Some(byte) => token.push(byte),
                None => {
                    return self.fail(format!("character {place} of the token stands for no byte"));
                }
            }
        }
        Ok(token)
    }

    /// The rows `ID STRING` of special tokens, with ids from `first`.
    pub fn special_tokens(&mut self, first: u64) -> Result<Vec<String>> {
        let mut tokens = Vec::new();
        for number in 0..self.announced()? {
            let Some((id, token)) = self.next()?.split_once(' ') else {
                return self.fail("the line must be 'ID STRING'");
            };
            self.numbered("ID", id, first.saturating_add(number))?;
            tokens.push(token.to_string());
        }
        match check_published_special_tokens(&tokens) {
            Ok(()) => Ok(tokens),
            Err(error) => self.fail(error.message),
        }
    }

    /// Refuses anything more.
    pub fn end(&mut self) -> Result<()> {
        if self.at == self.data.len() {
            return Ok(());
        }
        self.number += 1;
        self.fail("the file should end before this line")
    }
}

/// What is said of a line of a published file.
pub(crate) fn place(number: u64, section: &str, reason: &str) -> String {
    format!("line {number}, {section}: {reason}")
}

/// The same error, of this line.
pub(crate) fn at(line: u64, section: &str) -> impl Fn(Error) -> Error {
    move |error| Error { message: place(line, section, &error.message), ..error }
}

/// Appends a token as published files write it: one character a byte, none of them blank.
pub(crate) fn escape_token(token: &[u8], out: &mut String) {
    out.extend(token.iter().map(|&byte| character_of(byte)));
}

/// Refuses special tokens that a published file cannot hold: such as the programs that read it
/// would not read back.
///
/// # Errors
/// [`ErrorKind::Settings`] as [`check_special_tokens`], or if one has a line end, or a blank at its
/// end.
pub fn check_published_special_tokens<S: AsRef<str>>(special_tokens: &[S]) -> Result<()> {
    check_special_tokens(special_tokens)?;
    let error = |text| Err(Error::new(ErrorKind::Settings, text));
    for (number, token) in special_tokens.iter().map(AsRef::as_ref).enumerate() {
        if token.contains(['\n', '\r']) {
            return error(format!(
                "special token {number} has a line end, which a published file cannot hold"
            ));
        }
        if token.ends_with(is_blank) {
            return error(format!(
                "special token {number} ends in a blank, which a published file cannot hold"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::no_progress;

    #[test]
    fn every_byte_has_a_character_of_its_own() {
        let mut text = String::new();
        let all: Vec<u8> = (0..=255).collect();
        escape_token(&all, &mut text);
        assert!(!text.contains(is_blank) && text.chars().count() == 256);
        assert_eq!(Lines::new(b"", &mut no_progress).token(&text).unwrap(), all);
        assert_eq!(&text.chars().take(3).collect::<String>(), "\u{100}\u{101}\u{102}");
        assert_eq!((character_of(0x20), character_of(0xAD)), ('\u{120}', '\u{143}'));
        let known = ('\0'..='\u{10FFFF}').filter(|&c| byte_of(c).is_some()).count();
        assert_eq!(known, 256);
    }

    #[test]
    fn a_blank_is_white_space_or_a_separator() {
        for character in '\0'..='\u{10FFFF}' {
            let separator = ('\u{1c}'..='\u{1f}').contains(&character);
            assert_eq!(is_blank(character), character.is_whitespace() || separator);
        }
    }
}
