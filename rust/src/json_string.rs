//! Strings of JSON, 64 bytes at a time.
//!
//! The text of a document has an escape every 20 bytes or so, so it is the cost of a piece between
//! two escapes that counts: one mask says where all special bytes of a block are, and a piece is
//! copied as a block of fixed size, of which the next piece overwrites what was too much.
//!
//! Works on bytes: whether they are UTF-8 is for the caller to check, once. No Python twin: there
//! regular expressions do this.

use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};
use crate::scripts::lowest_bits;

const BLOCK: usize = 64;
/// What may be read or written from one block: a whole block may start at its last byte.
const WINDOW: usize = 2 * BLOCK;

/// The characters of the escapes with one letter, by that letter; 0 for what is none.
const SHORT_ESCAPES: [u8; 256] = {
    let mut characters = [0; 256];
    characters[b'"' as usize] = b'"';
    characters[b'\\' as usize] = b'\\';
    characters[b'/' as usize] = b'/';
    characters[b'b' as usize] = 0x08;
    characters[b'f' as usize] = 0x0C;
    characters[b'n' as usize] = b'\n';
    characters[b'r' as usize] = b'\r';
    characters[b't' as usize] = b'\t';
    characters
};

const NO_DIGIT: u8 = 0xFF;
/// The values of the hexadecimal digits.
const HEX_DIGITS: [u8; 256] = {
    let mut values = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        values[b"0123456789abcdef"[value] as usize] = value as u8;
        values[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    values
};

/// Where the text of a string is.
pub(crate) enum Text {
    /// In the line: it holds no escape.
    Plain(Range<usize>),
    /// So many bytes from the start of the buffer.
    Decoded(usize),
}

/// Parses the string whose opening quote is at `at`: where it ends, and its text. `buffer` grows as
/// needed, to twice the text or the line at most; what is in it need not be cleared.
pub(crate) fn read_string(line: &[u8], at: usize, buffer: &mut Vec<u8>) -> Result<(usize, Text)> {
    let start = at + 1;
    let end = start + plain_length(&line[start..]);
    if line.get(end) == Some(&b'"') {
        return Ok((end + 1, Text::Plain(start..end)));
    }
    make_room(buffer, end - start, line);
    buffer[..end - start].copy_from_slice(&line[start..end]);
    let (end, length) = decode(line, end, buffer, end - start, at)?;
    Ok((end, Text::Decoded(length)))
}

/// Decodes the string that was opened at `open`, from `at` on, to `length` and on in `buffer`:
/// where it ends in both.
fn decode(
    line: &[u8],
    mut at: usize,
    buffer: &mut Vec<u8>,
    mut length: usize,
    open: usize,
) -> Result<(usize, usize)> {
    loop {
        make_room(buffer, length + WINDOW, line);
        let out = &mut buffer[length..length + WINDOW];
        let rest = &line[at..];
        let padded: [u8; WINDOW];
        let window = if let Some(window) = rest.first_chunk() {
            window
        } else {
            padded = padded_to(rest);
            &padded
        };
        let specials = special_bytes(window);
        let (mut from, mut to) = (0, 0);
        while from < BLOCK {
            let next = (specials & u64::MAX << from).trailing_zeros() as usize; // BLOCK for none
            out[to..to + BLOCK].copy_from_slice(&window[from..from + BLOCK]);
            to += next - from;
            from = next;
            if next == BLOCK || window[next] != b'\\' {
                break;
            }
            let character = SHORT_ESCAPES[usize::from(window[next + 1])];
            if character == 0 {
                break;
            }
            out[to] = character;
            to += 1;
            from += 2;
        }
        at += from;
        length += to;
        if from >= BLOCK {
            continue;
        }
        match line.get(at) {
            None => return Err(error(open, "this string is not closed")),
            Some(b'"') => return Ok((at + 1, length)),
            Some(b'\\') => {
                // in text written as ASCII one follows the other: no new block for each
                loop {
                    let (end, character) = long_escape(line, at)?;
                    make_room(buffer, length + character.len_utf8(), line);
                    length += character.encode_utf8(&mut buffer[length..]).len();
                    at = end;
                    if !line[at..].starts_with(b"\\u") {
                        break;
                    }
                }
            }
            _ => return Err(error(at, "a control character in a string must be escaped")),
        }
    }
}

/// Makes the buffer so long at least. It doubles, so that a long text is not copied often, but needs
/// no more than the line.
fn make_room(buffer: &mut Vec<u8>, length: usize, line: &[u8]) {
    if buffer.len() < length {
        let doubled = (2 * buffer.len()).min(line.len() + WINDOW);
        buffer.resize(length.max(doubled), 0);
    }
}

/// How many bytes stand for themselves before the first that does not.
fn plain_length(bytes: &[u8]) -> usize {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    for (number, block) in blocks.iter().enumerate() {
        let specials = special_bytes(block);
        if specials != 0 {
            return number * BLOCK + specials.trailing_zeros() as usize;
        }
    }
    blocks.len() * BLOCK + special_bytes(&padded_to::<BLOCK>(rest)).trailing_zeros() as usize
}

/// Fewer than `N` bytes, and zeros, which are special.
fn padded_to<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut padded = [0; N];
    padded[..bytes.len()].copy_from_slice(bytes);
    padded
}

/// Which of the first 64 bytes do not stand for themselves in a string, the first in the lowest bit.
#[inline]
fn special_bytes<const N: usize>(bytes: &[u8; N]) -> u64 {
    let mut flags = [0; BLOCK];
    // without branches, so that the compiler takes 16 bytes at once
    for (flag, &byte) in flags.iter_mut().zip(bytes) {
        *flag = u8::from(is_special(byte));
    }
    let (words, _) = flags.as_chunks();
    words.iter().rev().fold(0, |mask, &word| mask << 8 | lowest_bits(u64::from_le_bytes(word)))
}

#[inline]
fn is_special(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < 0x20)
}

/// Parses the escape whose backslash is at `at`, which is none of [`SHORT_ESCAPES`]: where it ends,
/// and its character.
fn long_escape(line: &[u8], at: usize) -> Result<(usize, char)> {
    if line.get(at + 1) != Some(&b'u') {
        return Err(error(at, "JSON has no such escape"));
    }
    let unit = code_unit(line, at)?;
    if let Some(character) = char::from_u32(unit) {
        return Ok((at + 6, character));
    }
    if unit <= 0xDBFF && line[at + 6..].starts_with(b"\\u") {
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
fn code_unit(line: &[u8], at: usize) -> Result<u32> {
    let value = line.get(at + 2..at + 6).and_then(|digits| {
        digits.iter().try_fold(0, |value, &digit| match HEX_DIGITS[usize::from(digit)] {
            NO_DIGIT => None,
            digit => Some(value << 4 | u32::from(digit)),
        })
    });
    value.ok_or_else(|| error(at, "\\u needs four hexadecimal digits"))
}

/// The error at this byte of the line.
pub(crate) fn error(at: usize, reason: &str) -> Error {
    Error::new(ErrorKind::Input, format!("column {}: {reason}", at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_has_every_special_byte() {
        let mut block = [b'a'; BLOCK];
        for place in 0..BLOCK {
            for byte in 0..=u8::MAX {
                block[place] = byte;
                let expected = u64::from(byte < 0x20 || byte == b'"' || byte == b'\\') << place;
                assert_eq!(special_bytes(&block), expected, "{byte} at {place}");
            }
            block[place] = b'a';
        }
        assert_eq!(special_bytes(&[b'"'; WINDOW]), u64::MAX);
        let odd = std::array::from_fn(|place| if place % 3 == 1 { b'\n' } else { 0xFF });
        let expected =
            (0..64).filter(|place| place % 3 == 1).fold(0, |mask, place| mask | 1 << place);
        assert_eq!(special_bytes::<BLOCK>(&odd), expected);
    }

    /// The same as [`read_string`], byte by byte.
    fn plain_string(line: &[u8], open: usize) -> Result<(usize, Vec<u8>)> {
        let (mut at, mut text) = (open + 1, Vec::new());
        loop {
            match line.get(at) {
                None => return Err(error(open, "this string is not closed")),
                Some(b'"') => return Ok((at + 1, text)),
                Some(b'\\') => {
                    let letters = br#""\/bfnrt"#;
                    let short = letters.iter().position(|letter| line.get(at + 1) == Some(letter));
                    if let Some(number) = short {
                        text.push(b"\"\\/\x08\x0C\n\r\t"[number]);
                        at += 2;
                    } else {
                        let (end, character) = long_escape(line, at)?;
                        text.extend(character.to_string().into_bytes());
                        at = end;
                    }
                }
                Some(..0x20) => {
                    return Err(error(at, "a control character in a string must be escaped"));
                }
                Some(&byte) => {
                    text.push(byte);
                    at += 1;
                }
            }
        }
    }

    #[test]
    fn blocks_give_what_single_bytes_give() {
        let pieces = [
            "",
            "é",
            "\\n",
            "\\\"",
            "\\\\",
            "\\/",
            "\\t\\r\\b\\f",
            "\\u00e9",
            "\\ud83d\\ude00",
            "\\u000a",
            "\"",
            "\u{1}",
            "\\",
            "\\x",
            "\\u12",
            "\\ud83d",
            "\u{0}",
        ];
        // never cleared: what an earlier string left must not be seen
        let mut buffer = Vec::new();
        for before in (0..4).chain(58..68).chain(122..132) {
            for between in [0, 1, 2, 60, 61, 62, 63, 64, 65, 128] {
                for (first, second) in
                    pieces.iter().flat_map(|x| pieces.iter().map(move |y| (x, y)))
                {
                    let (before, between) = ("a".repeat(before), "b".repeat(between));
                    for after in ["", "\"", "c\", \"d\": 1}"] {
                        let line = format!("{{\"{before}{first}{between}{second}{after}");
                        let line = line.as_bytes();
                        let found =
                            read_string(line, 1, &mut buffer).map(|(end, text)| match text {
                                Text::Plain(range) => (end, line[range].to_vec()),
                                Text::Decoded(length) => (end, buffer[..length].to_vec()),
                            });
                        assert_eq!(
                            found,
                            plain_string(line, 1),
                            "{}",
                            str::from_utf8(line).unwrap()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn code_units_are_four_hexadecimal_digits() {
        for unit in 0..=0xFFFF {
            assert_eq!(code_unit(format!("\\u{unit:04x}").as_bytes(), 0), Ok(unit));
            assert_eq!(code_unit(format!(" \\u{unit:04X}0").as_bytes(), 1), Ok(unit));
        }
        for place in 2..6 {
            for byte in 0..=u8::MAX {
                let mut escape = *b"\\u0000";
                escape[place] = byte;
                assert_eq!(code_unit(&escape, 0).is_ok(), byte.is_ascii_hexdigit());
            }
        }
    }

    #[test]
    fn the_buffer_grows_with_the_text_and_not_with_the_line() {
        let read = |line: &str| {
            let mut buffer = Vec::new();
            read_string(line.as_bytes(), 0, &mut buffer).unwrap();
            buffer.len()
        };
        let long = "a".repeat(100_000);
        assert!(read(&format!("\"\\n\", \"{long}\"")) < 1_000);
        assert_eq!(read(&format!("\"{long}\"")), 0);
        let lines = format!("\"{}\"", "to be or not to be\\n".repeat(5_000));
        assert!((95_000..=lines.len() + WINDOW).contains(&read(&lines)));
        let units = "\\u00e9".repeat(50_000);
        assert!((100_000..=200_000 + 2 * WINDOW).contains(&read(&format!("\"{units}\""))));
        let escapes = "\\n".repeat(100_000);
        assert!((100_000..=200_000 + 2 * WINDOW).contains(&read(&format!("\"{escapes}\""))));
    }
}
