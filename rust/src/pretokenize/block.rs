//! Where pretokens start in a block of ASCII, all at once.
//!
//! The scanners decide byte by byte; here the same is worked out for 64 bytes in a `u64` each, as
//! far as it is certain: up to the first character that is not ASCII, the end of the text, or one
//! of the few places that are left to the scanners. In a mask, `x << 1` are the places behind those
//! of x and `x >> 1` those before them.
//!
//! No Python twin: there a regular expression finds the pretokens.

use super::masks::{BLOCK, Masks, masks_of};

/// What the rules of a pattern find in a block, taken as if all of it were ASCII.
pub(super) struct Found {
    starts: u64,
    /// Places at and behind which nothing is certain.
    unsure: u64,
}

/// Whether a block from `at` on is worth a look: its first quarter is ASCII.
#[inline]
pub(super) fn is_worthwhile(bytes: &[u8], at: usize) -> bool {
    let quarter = bytes[at..].first_chunk::<{ BLOCK / 4 }>();
    quarter.is_some_and(|quarter| quarter.is_ascii())
}

/// Where pretokens start behind the one that starts at `at`, as far as it is certain: one bit for
/// each place from there on.
#[inline]
pub(super) fn starts_from(bytes: &[u8], at: usize, rules: impl Fn(&Masks) -> Found) -> u64 {
    let masks = match bytes[at..].first_chunk::<BLOCK>() {
        Some(block) => masks_of(block),
        None => masks_of(&last_block(&bytes[at..])),
    };
    let Found { starts, unsure } = rules(&masks);
    let mut certain = (masks.high | unsure).trailing_zeros();
    let mut certain_bits = low_bits(certain);
    // Where white space ends decides how it is cut, so the last of it must be seen whole.
    let white = masks.white() & certain_bits;
    let open = (!white & certain_bits).leading_zeros() - certain_bits.leading_zeros();
    if open > 0 {
        certain -= open;
        certain_bits = low_bits(certain + 1);
    }
    starts & certain_bits & !1
}

/// What is left of a text, and behind it bytes that are no ASCII.
#[cold]
fn last_block(rest: &[u8]) -> [u8; BLOCK] {
    let mut block = [0xFF; BLOCK];
    block[..rest.len()].copy_from_slice(rest);
    block
}

#[inline]
fn low_bits(count: u32) -> u64 {
    if count == 0 { 0 } else { u64::MAX >> (u64::BITS - count) }
}

impl Masks {
    #[inline]
    fn letter(&self) -> u64 {
        self.upper | self.lower
    }

    #[inline]
    fn white(&self) -> u64 {
        self.space | self.blank | self.newline
    }

    #[inline]
    fn other(&self) -> u64 {
        !(self.letter() | self.number | self.white() | self.high)
    }

    /// Places before a letter, and those before what is not known.
    #[inline]
    fn before_letter(&self) -> u64 {
        (self.letter() | self.high) >> 1 | 1 << (BLOCK - 1)
    }
}

/// The rules of `gpt4o`: a word begins anew where an upper-case letter follows a lower-case one.
#[inline]
pub(super) fn gpt4o(masks: &Masks) -> Found {
    let inner = masks.upper & masks.lower << 1;
    let mut found = words_and_more(masks, inner);
    // A contraction goes with the word before it.
    found.unsure |= masks.apostrophe & masks.letter() << 1 & masks.before_letter();
    // A slash behind a line break may go with what stands before that.
    found.unsure |= masks.slash & masks.newline << 1;
    found
}

/// The rules of `gpt4`.
#[inline]
pub(super) fn gpt4(masks: &Masks) -> Found {
    let mut found = words_and_more(masks, 0);
    found.unsure |= contractions(masks);
    found
}

/// Apostrophes that may begin a pretoken which is a contraction.
#[inline]
fn contractions(masks: &Masks) -> u64 {
    masks.apostrophe & !((masks.other() | masks.space) << 1) & masks.before_letter()
}

/// What `gpt4` and `gpt4o` share; at `inner` a word begins inside letters.
#[inline]
fn words_and_more(masks: &Masks, inner: u64) -> Found {
    let (letter, other, white) = (masks.letter(), masks.other(), masks.white());
    let (number, newline) = (masks.number, masks.newline);
    let blank = masks.space | masks.blank;
    let other_start = other & !(other << 1) & !(masks.space << 1);
    // One character that is no line break leads a word, unless it went with others before it.
    let leads = blank | other_start;
    let word = letter & !(letter << 1) & !(leads << 1) | inner;
    let mut starts = word | other_start | number_starts(number);
    // Line breaks directly behind other characters go with these.
    let follow = newline & other << 1;
    let attached = newline & !newline.wrapping_add(follow);
    let free = white & !attached;
    // White space: up to its last line break, the rest but for the last blank, the last blank.
    let mut rest = blank & newline << 1;
    let mut no_rest = blank.wrapping_add(rest) & !blank & newline;
    while no_rest != 0 {
        // these blanks are followed by another line break
        let end = no_rest.trailing_zeros();
        let length = (!(blank << (u64::BITS - end))).leading_zeros();
        rest &= !(1 << (end - length));
        no_rest &= no_rest - 1;
    }
    starts |= free & !(free << 1) | rest | blank & !(white >> 1);
    Found { starts, unsure: 0 }
}

/// Numbers in groups of three.
#[inline]
fn number_starts(number: u64) -> u64 {
    let mut group = number & !(number << 1);
    let mut starts = 0;
    let fourth = number & number << 1 & number << 2 & number << 3;
    while group != 0 {
        starts |= group;
        group = group << 3 & fourth;
    }
    starts
}

/// The rules of `gpt2`: only a space goes with what follows it.
#[inline]
pub(super) fn gpt2(masks: &Masks) -> Found {
    let (letter, other, white) = (masks.letter(), masks.other(), masks.white());
    let first = |set: u64| set & !(set << 1);
    let behind_space = masks.space << 1;
    let words = (first(letter) | first(masks.number) | first(other)) & !behind_space;
    let starts = words | first(white) | white & !(white >> 1);
    Found { starts, unsure: contractions(masks) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pretokenize::reader::Plain;
    use crate::pretokenize::{gpt2 as gpt2_scanner, gpt4 as gpt4_scanner, gpt4o as gpt4o_scanner};

    /// Calls `each` with many texts made of these pieces.
    fn texts(pieces: &[&str], mut each: impl FnMut(&str)) {
        let mut state = 5_u64;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % bound
        };
        for _ in 0..20_000 {
            // few pieces at a time, so that runs of one kind are long
            let kinds: Vec<&str> = (0..1 + below(5)).map(|_| pieces[below(pieces.len())]).collect();
            let text: String = (0..below(60)).map(|_| kinds[below(kinds.len())]).collect();
            each(&text);
        }
    }

    const PIECES: [&str; 31] = [
        "a", "S", " ", "\n", "'", "7", ".", "é", "b", "\t", "/", "T", "  ", "\r\n", "-", "re",
        "12", "'s", " \n", "\u{17F}", "'LL", "\u{301}", "\u{0}", "\u{A0}", "漢", "word",
        "\u{2003}", "d ", "²", "()", "\u{85}",
    ];

    fn check(rules: impl Fn(&Masks) -> Found, scan: impl Fn(&[u8], usize) -> usize) {
        let (mut blocks, mut found) = (0, 0);
        texts(&PIECES, |text| {
            let bytes = text.as_bytes();
            let mut at = 0;
            while at < bytes.len() {
                let mut starts = starts_from(bytes, at, &rules);
                let mut end = at;
                while starts != 0 {
                    end = scan(bytes, end);
                    assert_eq!(at + starts.trailing_zeros() as usize, end, "{text:?} from {at}");
                    starts &= starts - 1;
                    found += 1;
                }
                blocks += 1;
                at = scan(bytes, at);
            }
        });
        // most of what a block could tell is told
        assert!(found > 2 * blocks, "{found} in {blocks}");
    }

    #[test]
    fn blocks_tell_what_the_scanners_find() {
        check(gpt2, gpt2_scanner::pretoken_end);
        check(gpt4, gpt4_scanner::pretoken_end);
        check(gpt4o, |bytes, at| gpt4o_scanner::pretoken_end(&mut Plain::new(bytes), at));
    }

    #[test]
    fn nothing_is_unsure_in_plain_text() {
        let text = b"To be, or  not\n\n    to be: 1234567 (HTTPServer). 'Tis   the end ..";
        for rules in [gpt2, gpt4, gpt4o] {
            let starts = starts_from(text, 0, rules);
            assert!(starts >> 56 != 0, "{starts:b}");
        }
    }
}
