//! Properties of code points, and chunks of one script (SPEC sections 2 and 3.1).

use crate::unicode::{
    BLOCK_LEN, BLOCK_OF, BLOCKS, CATEGORIES, COMMON, EXTENDED_PICTOGRAPHIC, INHERITED, RECORDS,
    SCRIPTS, UNKNOWN, WHITE_SPACE, record_index,
};

/// The properties of a code point: (general category, script, White_Space, Extended_Pictographic).
pub type Properties = (&'static str, &'static str, bool, bool);

/// Returns the properties of the scalar values from `first` to `last` (both included); surrogates
/// are left out. SPEC section 2.
///
/// ```
/// use superword::scripts::classify;
/// assert_eq!(classify(0x2604, 0x2605),
///     [("So", "Common", false, true), ("So", "Common", false, false)]);
/// ```
pub fn classify(first: u32, last: u32) -> Vec<Properties> {
    (first..=last.min(u32::from(char::MAX)))
        .filter(|&code| char::from_u32(code).is_some())
        .map(|code| {
            let (category, script, flags) = RECORDS[record_index(code)];
            (
                CATEGORIES[usize::from(category)],
                SCRIPTS[usize::from(script)],
                flags & WHITE_SPACE != 0,
                flags & EXTENDED_PICTOGRAPHIC != 0,
            )
        })
        .collect()
}

/// The script of each entry of [`BLOCKS`], so that a look-up need not go through the records.
static SCRIPT_BLOCKS: [u8; BLOCKS.len()] = {
    let mut scripts = [COMMON; BLOCKS.len()];
    let mut at = 0;
    while at < BLOCKS.len() {
        let script = RECORDS[BLOCKS[at] as usize].1;
        scripts[at] = if script == UNKNOWN { COMMON } else { script };
        at += 1;
    }
    scripts
};

/// Returns the script of a code point as an index in `SCRIPTS`; Unknown counts as Common.
#[inline]
pub(crate) fn script_of(code: u32) -> u8 {
    let block = BLOCK_OF[code as usize / BLOCK_LEN] as usize;
    SCRIPT_BLOCKS[block * BLOCK_LEN + code as usize % BLOCK_LEN]
}

/// Tells whether a script is a real one: neither Common nor Inherited.
#[inline]
pub(crate) const fn is_real(script: u8) -> bool {
    script != COMMON && script != INHERITED
}

/// Cuts a text into chunks of one script: (script, chunk). Common goes with the chunk that
/// follows, Inherited stays with what stands before it; the script is Common or Inherited where a
/// text has no real one. SPEC section 3.1.
///
/// ```
/// use superword::scripts::split_scripts;
/// assert_eq!(split_scripts("one, два"), [("Latin", "one"), ("Cyrillic", ", два")]);
/// ```
pub fn split_scripts(text: &str) -> Vec<(&'static str, &str)> {
    let mut start = 0;
    Chunks::new(text)
        .map(|(script, end)| {
            let chunk = &text[start..end];
            start = end;
            (SCRIPTS[usize::from(script)], chunk)
        })
        .collect()
}

/// The index in `SCRIPTS` of a script, at compile time.
pub(crate) const fn script_index(name: &str) -> u8 {
    let mut index = 0;
    while index < SCRIPTS.len() {
        if same(SCRIPTS[index].as_bytes(), name.as_bytes()) {
            return index as u8;
        }
        index += 1;
    }
    panic!("no script has this name")
}

const fn same(left: &[u8], right: &[u8]) -> bool {
    let mut at = 0;
    while at < left.len() && at < right.len() && left[at] == right[at] {
        at += 1;
    }
    at == left.len() && at == right.len()
}

/// The script of the ASCII letters; every other ASCII character is Common.
pub(crate) const LATIN: u8 = script_index("Latin");

const NO_SCRIPT: u8 = u8::MAX;

/// The chunks of a text as (index in `SCRIPTS`, end), without allocation.
pub(crate) struct Chunks<'t> {
    bytes: &'t [u8],
    start: usize,
    /// Up to where code points are bound to the current chunk.
    firm: usize,
    at: usize,
    current: u8,
}

impl<'t> Chunks<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { bytes: text.as_bytes(), start: 0, firm: 0, at: 0, current: NO_SCRIPT }
    }
}

impl Iterator for Chunks<'_> {
    type Item = (u8, usize);

    fn next(&mut self) -> Option<(u8, usize)> {
        while self.at < self.bytes.len() {
            if self.current == LATIN {
                self.skip_ascii();
            }
            let Some((code, len)) = code_point_at(self.bytes, self.at) else { break };
            let script = script_of(code);
            let end = self.at + len;
            self.at = end;
            if script == self.current {
                self.firm = end;
            } else if script == INHERITED {
                if self.current == NO_SCRIPT {
                    self.current = INHERITED;
                }
                self.firm = end;
            } else if script == COMMON {
                if self.current == NO_SCRIPT {
                    self.current = COMMON;
                }
            } else {
                let chunk = (self.current, self.firm);
                self.current = script;
                self.firm = end;
                if chunk.0 != NO_SCRIPT && is_real(chunk.0) {
                    self.start = chunk.1;
                    return Some(chunk);
                }
            }
        }
        if self.start < self.bytes.len() {
            self.start = self.bytes.len();
            return Some((self.current, self.start));
        }
        None
    }
}

impl Chunks<'_> {
    /// In a Latin chunk ASCII never cuts: only its last letter is looked for.
    fn skip_ascii(&mut self) {
        let rest = &self.bytes[self.at..];
        let ascii = &rest[..ascii_length(rest)];
        if let Some(last) = ascii.iter().rposition(u8::is_ascii_alphabetic) {
            self.firm = self.at + last + 1;
        }
        self.at += ascii.len();
    }
}

/// How many bytes there are before the first one that is not ASCII.
fn ascii_length(bytes: &[u8]) -> usize {
    const BLOCK: usize = 64;
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    let mut length = BLOCK * blocks.iter().take_while(|block| block.is_ascii()).count();
    while let Some(word) = eight_bytes(bytes, length) {
        let high = word & HIGH_BITS;
        length += high.trailing_zeros() as usize / 8;
        if high != 0 {
            return length;
        }
    }
    length + bytes[length..].iter().take_while(|byte| byte.is_ascii()).count()
}

/// The highest bit of each of eight bytes.
pub(crate) const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
/// One in each of eight bytes.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Returns the eight bytes from `at`, the first one lowest, if there are so many.
#[inline]
pub(crate) fn eight_bytes(bytes: &[u8], at: usize) -> Option<u64> {
    let eight = bytes.get(at..)?.first_chunk::<8>()?;
    Some(u64::from_le_bytes(*eight))
}

/// Sets the high bit of each byte that is ASCII and within these bounds, and no other bit.
#[inline]
pub(crate) const fn bits_within(word: u64, first: u8, last: u8) -> u64 {
    // With the high bits cleared no sum carries into the next byte.
    let low = word & !HIGH_BITS;
    let from_first = low + ONES * (0x80 - first as u64);
    let past_last = low + ONES * (0x7F - last as u64);
    from_first & !past_last & !word & HIGH_BITS
}

/// The lowest bits of the eight bytes of `word`, which has no others, in one byte.
#[inline]
pub(crate) const fn lowest_bits(word: u64) -> u64 {
    // bit 8i goes to 56 + i, and no two products meet in one bit
    word.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Sets the high bit of each byte that is an ASCII lower-case letter, and no other bit.
#[inline]
pub(crate) const fn lower_bits(word: u64) -> u64 {
    bits_within(word, b'a', b'z')
}

/// Sets the high bit of each byte that is an ASCII letter, and no other bit.
#[inline]
pub(crate) const fn letter_bits(word: u64) -> u64 {
    lower_bits(word | (ONES * 0x20))
}

/// Returns the code point that starts at `at` in the bytes of a text, and its length.
#[inline]
pub(crate) fn code_point_at(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let rest = bytes.get(at..)?;
    let tail = |index: usize| rest.get(index).map(|&byte| u32::from(byte) & 0x3F);
    let lead = u32::from(*rest.first()?);
    Some(match lead {
        0..0x80 => (lead, 1),
        0x80..0xE0 => (((lead & 0x1F) << 6) | tail(1)?, 2),
        0xE0..0xF0 => (((lead & 0x0F) << 12) | (tail(1)? << 6) | tail(2)?, 3),
        _ => (((lead & 7) << 18) | (tail(1)? << 12) | (tail(2)? << 6) | tail(3)?, 4),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scalar_value_is_classified() {
        let all = classify(0, u32::MAX);
        assert_eq!(all.len(), 1_112_064);
        assert_eq!(classify(0x558, 0x558), [("Cn", "Unknown", false, false)]);
        assert_eq!(classify(0x88F, 0x88F), [("Lo", "Arabic", false, false)]);
        assert_eq!(classify(0xD800, 0xDFFF), []);
        for code in (0..=0x10FFFF).filter(|&code| char::from_u32(code).is_some()) {
            let (_, script, ..) = classify(code, code)[0];
            let expected = if script == "Unknown" { "Common" } else { script };
            assert_eq!(SCRIPTS[usize::from(script_of(code))], expected);
        }
    }

    #[test]
    fn ascii_letters_are_found_eight_at_a_time() {
        for byte in 0..=255_u8 {
            for place in 0..8 {
                let word = u64::from(byte) << (8 * place);
                let high = 0x80 << (8 * place);
                assert_eq!(lower_bits(word), if byte.is_ascii_lowercase() { high } else { 0 });
                assert_eq!(letter_bits(word), if byte.is_ascii_alphabetic() { high } else { 0 });
            }
        }
        for byte in [b'@', b'A', b'Z', b'[', b'`', b'a', b'z', b'{', 0x7F, 0x80, 0xC1, 0xFF] {
            let all = u64::from(byte) * ONES;
            assert_eq!(letter_bits(all), if byte.is_ascii_alphabetic() { HIGH_BITS } else { 0 });
        }
    }

    #[test]
    fn code_points_are_read_as_the_standard_library_reads_them() {
        let text = "a\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}";
        for (at, char) in text.char_indices() {
            let expected = Some((u32::from(char), char.len_utf8()));
            assert_eq!(code_point_at(text.as_bytes(), at), expected);
        }
        assert_eq!(code_point_at(text.as_bytes(), text.len()), None);
    }

    #[test]
    fn long_ascii_stretches_keep_the_last_letter_firm() {
        let text = "abcdefghijk lm .,;:!?0123456789 я";
        assert_eq!(
            split_scripts(text),
            [("Latin", "abcdefghijk lm"), ("Cyrillic", " .,;:!?0123456789 я")]
        );
    }
}
