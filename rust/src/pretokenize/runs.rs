//! The alternatives that several patterns share.

use super::classes::{Class, ascii_class};
use super::reader::{Reader, class_at};
use crate::scripts::{HIGH_BITS, eight_bytes, letter_bits, lower_bits};

/// Where the code points from `at` that satisfy `wanted` end.
#[inline]
pub(super) fn run_end(
    reader: &mut impl Reader,
    at: usize,
    wanted: impl Fn(Class) -> bool,
) -> usize {
    let mut end = at;
    loop {
        let (class, len) = reader.peek(end);
        if !wanted(class) {
            return end;
        }
        end += len;
    }
}

/// `\p{N}{1,3}`, whose first number ends at `at`.
#[inline]
pub(super) fn numbers_end(reader: &mut impl Reader, at: usize) -> usize {
    let mut end = at;
    for _ in 0..2 {
        match reader.peek(end) {
            (Class::Number, len) if !reader.ends_before(end) => end += len,
            _ => break,
        }
    }
    end
}

/// `[^\s\p{L}\p{N}]+[\r\n/]*` from `at`.
pub(super) fn others_end(reader: &mut impl Reader, at: usize) -> usize {
    reader.restart();
    // Most of it is one or two characters of ASCII, which need no reader.
    let bytes = reader.bytes();
    let others = |byte: &&u8| byte.is_ascii() && ascii_class(**byte).is_other();
    let ascii = bytes.get(at..).unwrap_or_default().iter().take_while(others).count();
    let mut end = at + ascii;
    if bytes.get(end).is_some_and(|byte| !byte.is_ascii()) {
        loop {
            let (class, len) = reader.peek(end);
            if !class.is_other() || reader.ends_before(end) {
                break;
            }
            end += len;
        }
    }
    let last = ascii_end(reader.bytes(), end, b"\r\n/");
    if last > end && reader.ends_before(end) { end } else { last }
}

/// Where the bytes from `at` that are among `wanted` (ASCII) end.
#[inline]
pub(super) fn ascii_end(bytes: &[u8], at: usize, wanted: &[u8]) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| wanted.contains(byte)).count()
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+` from `at`, where white space stands; `\s*[\r\n]|…` is the same.
///
/// Up to the last CR or LF of the run if there is one, else like [`blanks_end`].
pub(super) fn white_space_end(bytes: &[u8], at: usize) -> usize {
    let (mut end, mut last) = (at, at);
    let mut after_newline = None;
    loop {
        let spaces = bytes.get(end..).unwrap_or_default().iter().take_while(|&&byte| byte == b' ');
        let spaces = spaces.count();
        if spaces > 0 {
            end += spaces;
            last = end - 1;
        }
        match class_at(bytes, end) {
            (Class::Space, len) => (last, end) = (end, end + len),
            (Class::Newline, len) => {
                (last, end) = (end, end + len);
                after_newline = Some(end);
            }
            (class, _) => {
                let blanks = if class == Class::End || last == at { end } else { last };
                return after_newline.unwrap_or(blanks);
            }
        }
    }
}

/// `\s+(?!\S)|\s+` from `at`, where white space stands: all of it at the end of the text,
/// otherwise all but the last (but never nothing).
pub(super) fn blanks_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    let mut last = at;
    loop {
        match class_at(bytes, end) {
            (Class::Space | Class::Newline, len) => {
                last = end;
                end += len;
            }
            (Class::End, _) => return end,
            _ => return if last > at { last } else { end },
        }
    }
}

/// `'(?i:[sdmt]|ll|ve|re)` from `at`; `at` itself if it does not match.
#[inline]
pub(super) fn contraction_end(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b'\'') => any_case_contraction_end(bytes, at),
        _ => at,
    }
}

fn any_case_contraction_end(bytes: &[u8], at: usize) -> usize {
    let lower = |index: usize| bytes.get(at + index).map(u8::to_ascii_lowercase);
    match (lower(1), lower(2)) {
        (Some(b's' | b'd' | b'm' | b't'), _) => at + 2,
        (Some(b'l'), Some(b'l')) | (Some(b'v' | b'r'), Some(b'e')) => at + 3,
        // U+017F, which folds to s.
        (Some(0xC5), Some(0xBF)) => at + 3,
        _ => at,
    }
}

/// The fast path for `[^\r\n\p{L}\p{N}]?[A-Z]?[a-z]+` in ASCII with an ASCII character other than an
/// apostrophe behind it: whatever the pattern says about other letters, marks and contractions, the
/// word ends there.
#[inline]
pub(super) fn ascii_word_end(bytes: &[u8], at: usize) -> Option<usize> {
    let leads = bytes.get(at).is_some_and(|&byte| LEADS[usize::from(byte)]);
    let at = at + usize::from(leads);
    let at = at + usize::from(bytes.get(at).is_some_and(u8::is_ascii_uppercase));
    ascii_run_end(bytes, at, lower_bits, |byte| byte != b'\'')
}

/// The ASCII characters that may lead a word.
static LEADS: [bool; 256] = {
    let mut leads = [false; 256];
    let mut byte = 0;
    while byte < 0x80 {
        leads[byte] = !(byte as u8).is_ascii_alphanumeric() && byte != 0x0A && byte != 0x0D;
        byte += 1;
    }
    leads
};

/// The same for ` ?[A-Za-z]+`, with any ASCII character behind it.
#[inline]
pub(super) fn ascii_letters_end(bytes: &[u8], at: usize) -> Option<usize> {
    let at = at + usize::from(bytes.get(at) == Some(&b' '));
    ascii_run_end(bytes, at, letter_bits, |_| true)
}

#[inline]
fn ascii_run_end(
    bytes: &[u8],
    at: usize,
    wanted_bits: impl Fn(u64) -> u64,
    may_follow: impl Fn(u8) -> bool,
) -> Option<usize> {
    let mut end = at;
    loop {
        let word = eight_bytes(bytes, end)?;
        let length = (wanted_bits(word) ^ HIGH_BITS).trailing_zeros() as usize / 8;
        end += length;
        if length < 8 {
            let follower = (word >> (8 * length)) as u8;
            return (end > at && follower < 0x80 && may_follow(follower)).then_some(end);
        }
    }
}
