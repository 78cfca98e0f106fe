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
        scripts[at] = script_of_record(RECORDS[BLOCKS[at] as usize]);
        at += 1;
    }
    scripts
};

/// Returns the script of an entry of [`RECORDS`]; Unknown counts as Common.
pub(crate) const fn script_of_record((_, script, _): (u8, u8, u8)) -> u8 {
    if script == UNKNOWN { COMMON } else { script }
}

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

/// The real script of each 64 code points, or Common where they have none, or [`SEVERAL`].
static SCRIPT_OF_BLOCK: [u8; BLOCK_OF.len()] = {
    let mut of_blocks = [COMMON; BLOCKS.len() / BLOCK_LEN];
    let mut at = 0;
    while at < BLOCKS.len() {
        let (script, block) = (SCRIPT_BLOCKS[at], at / BLOCK_LEN);
        if is_real(script) && script != of_blocks[block] {
            of_blocks[block] = if of_blocks[block] == COMMON { script } else { SEVERAL };
        }
        at += 1;
    }
    let mut scripts = [COMMON; BLOCK_OF.len()];
    let mut at = 0;
    while at < BLOCK_OF.len() {
        scripts[at] = of_blocks[BLOCK_OF[at] as usize];
        at += 1;
    }
    scripts
};

/// Stands for several real scripts.
const SEVERAL: u8 = u8::MAX;

/// The chunks of a text as (index in `SCRIPTS`, end), without allocation.
pub(crate) struct Chunks<'t> {
    bytes: &'t [u8],
    start: usize,
    /// How far the text is read, and the last real script before it, or Common.
    at: usize,
    script: u8,
}

impl<'t> Chunks<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { bytes: text.as_bytes(), start: 0, at: 0, script: COMMON }
    }
}

impl Iterator for Chunks<'_> {
    type Item = (u8, usize);

    fn next(&mut self) -> Option<(u8, usize)> {
        while let Some((script, at)) = other_script(self.bytes, self.at, self.script) {
            let before = std::mem::replace(&mut self.script, script);
            self.at = at;
            if before != COMMON {
                self.start = firm_end(self.bytes, at);
                return Some((before, self.start));
            }
        }
        self.at = self.bytes.len();
        let (first, _) = code_point_at(self.bytes, self.start)?;
        self.start = self.at;
        // Where there is no real script the first code point decides.
        Some((if self.script == COMMON { script_of(first) } else { self.script }, self.at))
    }
}

/// Returns the first real script from `at` on that is not `current`, and where it stands.
///
/// Nearly every code point is passed over by the script of its block, without a look at its own.
fn other_script(bytes: &[u8], at: usize, current: u8) -> Option<(u8, usize)> {
    let mut at = at;
    while at < bytes.len() {
        let four = four_bytes(bytes, at);
        let lead = four as u8;
        if lead < 0x80 {
            if current == LATIN {
                at += ascii_length(&bytes[at..]);
            } else if lead.is_ascii_alphabetic() {
                return Some((LATIN, at));
            } else {
                at += 1;
            }
            continue;
        }
        let (block, len) = block_of_four(four);
        let of_block = SCRIPT_OF_BLOCK[block];
        if of_block != current && of_block != COMMON {
            let script = script_of(code_point_at(bytes, at)?.0);
            if is_real(script) && script != current {
                return Some((script, at));
            }
        }
        // A space goes along: no processor can foresee where words end.
        at += len + usize::from((u64::from(four) >> (8 * len)) as u8 == b' ');
    }
    None
}

/// Returns the end of what is bound to the chunk before the real script at `at`: Common goes on.
fn firm_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    loop {
        let mut start = end;
        while start > 0 && bytes[start - 1] & 0xC0 == 0x80 {
            start -= 1;
        }
        start = start.saturating_sub(1);
        match code_point_at(bytes, start) {
            Some((code, _)) if start < end && script_of(code) == COMMON => end = start,
            _ => return end,
        }
    }
}

/// How many bytes there are before the first one that is not ASCII.
fn ascii_length(bytes: &[u8]) -> usize {
    const BLOCK: usize = 64;
    let mut length = 0;
    while let Some(word) = eight_bytes(bytes, length) {
        let high = word & HIGH_BITS;
        length += high.trailing_zeros() as usize / 8;
        if high != 0 {
            return length;
        }
        let (blocks, _) = bytes[length..].as_chunks::<BLOCK>();
        length += BLOCK * blocks.iter().take_while(|block| block.is_ascii()).count();
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

/// Returns the four bytes from `at` in a text, the first one lowest; behind its end are zeros.
#[inline]
fn four_bytes(bytes: &[u8], at: usize) -> u32 {
    match bytes[at..].first_chunk::<4>() {
        Some(four) => u32::from_le_bytes(*four),
        None => last_bytes(&bytes[at..]),
    }
}

#[cold]
fn last_bytes(rest: &[u8]) -> u32 {
    rest.iter().rev().fold(0, |four, &byte| four << 8 | u32::from(byte))
}

/// Returns the index in [`BLOCK_OF`] of a code point that is not ASCII, whose bytes come first in
/// `four`, and its length.
#[inline]
fn block_of_four(four: u32) -> (usize, usize) {
    let lead = four & 0xFF;
    let (second, third) = (four >> 8 & 0x3F, four >> 16 & 0x3F);
    let (block, len) = match lead {
        0..0xE0 => (lead & 0x1F, 2),
        0xE0..0xF0 => ((lead & 0x0F) << 6 | second, 3),
        _ => ((lead & 7) << 12 | second << 6 | third, 4),
    };
    (block as usize, len)
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

    /// The rules of SPEC section 3.1, code point by code point.
    fn chunks_by_the_rules(text: &str) -> Vec<(u8, usize)> {
        let mut chunks = Vec::new();
        let (mut current, mut firm) = (None, 0);
        for (at, char) in text.char_indices() {
            let (script, end) = (script_of(char.into()), at + char.len_utf8());
            let chunk = current.unwrap_or(script);
            if !is_real(script) {
                current = Some(chunk);
                firm = if script == chunk || script == INHERITED { end } else { firm };
                continue;
            }
            if is_real(chunk) && chunk != script {
                chunks.push((chunk, firm));
            }
            (current, firm) = (Some(script), end);
        }
        chunks.extend(current.map(|script| (script, text.len())));
        chunks
    }

    #[test]
    fn chunks_are_those_of_the_rules() {
        // of blocks with one script, with several and with none, in one to four bytes
        const PIECES: [&str; 22] = [
            "a",
            " ",
            ".",
            "\n",
            "7",
            "é",
            "×",
            "\u{301}",
            "\u{200D}",
            "я",
            "σ",
            "ϣ",
            "ก",
            "฿",
            "あ",
            "ア",
            "ー",
            "漢",
            "’",
            "😀",
            "𐐀",
            "long ascii, of more than sixty-four bytes in all, or eight: 12345678 ",
        ];
        let mut state = 3_u64;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % bound
        };
        for _ in 0..20_000 {
            let kinds: Vec<&str> = (0..1 + below(5)).map(|_| PIECES[below(PIECES.len())]).collect();
            let text: String = (0..below(30)).map(|_| kinds[below(kinds.len())]).collect();
            let chunks: Vec<_> = Chunks::new(&text).collect();
            assert_eq!(chunks, chunks_by_the_rules(&text), "{text:?}");
        }
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
