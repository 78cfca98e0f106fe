//! The classes of code points that the scanners tell apart, as tables made at compile time.

use crate::patterns::{JAPANESE_COMMON, LISTED_SCRIPTS};
use crate::scripts::{is_real, script_index, script_of_record};
use crate::unicode::{
    BLOCK_LEN, BLOCK_OF, BLOCKS, CATEGORIES, COMMON, INHERITED, RECORDS, SCRIPTS, WHITE_SPACE,
};

/// What a code point is for a scanner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    /// Nothing of the below: punctuation, symbols, controls, unassigned.
    Other,
    /// Lu, Lt.
    Upper,
    /// Ll.
    Lower,
    /// Lm, Lo.
    Caseless,
    /// M; in `gpt4o-uniscript` only those that are Common or Inherited.
    Mark,
    /// N.
    Number,
    /// White_Space without CR and LF.
    Space,
    /// CR, LF.
    Newline,
    /// A mark of a real script that is not listed (`gpt4o-uniscript` only).
    ScriptMark,
    /// A letter that is cut alone: H of SPEC section 3.4 (`gpt4o-uniscript` only).
    ListedLetter,
    /// A mark of a listed script (`gpt4o-uniscript` only).
    ListedMark,
    /// No code point: what may be read ends here.
    End,
}

impl Class {
    /// L, listed or not.
    #[inline]
    pub(crate) const fn is_letter(self) -> bool {
        matches!(self, Self::Upper | Self::Lower | Self::Caseless | Self::ListedLetter)
    }

    /// M, listed or not.
    #[inline]
    pub(crate) const fn is_mark(self) -> bool {
        matches!(self, Self::Mark | Self::ScriptMark | Self::ListedMark)
    }

    /// What the two word alternatives of `gpt4o` are made of.
    #[inline]
    pub(super) const fn is_word(self) -> bool {
        matches!(self, Self::Upper | Self::Lower | Self::Caseless | Self::Mark | Self::ScriptMark)
    }

    /// What a letter or mark that is Common or Inherited is in a chunk of a script that is listed or
    /// not.
    #[inline]
    pub(super) const fn in_chunk(self, is_listed: bool) -> Self {
        match self {
            class if is_listed && class.is_letter() => Self::ListedLetter,
            class if is_listed && class.is_mark() => Self::ListedMark,
            // Japanese ones, which are all caseless
            Self::ListedLetter => Self::Caseless,
            class => class,
        }
    }

    /// `[^\s\p{L}\p{N}]`: marks belong to it.
    #[inline]
    pub(super) const fn is_other(self) -> bool {
        matches!(self, Self::Other) || self.is_mark()
    }
}

/// Whether a script is one of those that are cut letter by letter.
#[inline]
pub(super) fn is_listed(script: u8) -> bool {
    LISTED[usize::from(script)]
}

/// The class of an ASCII byte; 0x80 to 0xFF are never asked for.
#[inline]
pub(super) fn ascii_class(byte: u8) -> Class {
    ASCII[usize::from(byte & 0x7F)]
}

/// The class of a code point, all scripts alike.
#[inline]
pub(crate) fn class_of(code: u32) -> Class {
    match code {
        0..0x80 => ASCII[code as usize],
        _ => CLASS_BLOCKS[block_index(code)],
    }
}

/// What a scanner that knows scripts wants of a code point, in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scripted {
    /// With the listed scripts apart.
    pub(super) class: Class,
    /// As an index in `SCRIPTS`. Unknown counts as Common, a letter or mark of Common as Inherited:
    /// what stands around it decides what it is.
    pub(super) script: u8,
}

/// The class and the script of the code point that starts four bytes of a text, and its length.
#[inline(always)]
pub(super) fn scripted_of(four: [u8; 4]) -> (Scripted, usize) {
    let [lead, second, third, fourth] = four.map(usize::from);
    let (second, third, fourth) = (second & 0x3F, third & 0x3F, fourth & 0x3F);
    let (block, place, len) = match lead {
        0..0x80 => return (ASCII_SCRIPTED[lead], 1),
        0x80..0xE0 => (lead & 0x1F, second, 2),
        0xE0..0xF0 => ((lead & 0x0F) << 6 | second, third, 3),
        _ => ((lead & 7) << 12 | second << 6 | third, fourth, 4),
    };
    (SCRIPTED_BLOCKS[usize::from(BLOCK_OF[block])][place], len)
}

/// Whether a code point whose first two bytes these are may be a letter that is cut alone.
#[inline]
pub(super) fn may_be_listed([lead, second]: [u8; 2]) -> bool {
    lead >= 0xE0 && LISTED_LEADS[usize::from(lead & 0x1F)] >> (second & 0x3F) & 1 == 1
}

/// By the low bits of the first of three or four bytes a bit for each second one. No listed script
/// has code points of two bytes.
static LISTED_LEADS: [u64; 32] = {
    let mut listed = [false; SCRIPTED_BLOCKS.len()];
    let mut at = 0;
    while at < BLOCKS.len() {
        let Scripted { class, .. } = SCRIPTED_BLOCKS[at / BLOCK_LEN][at % BLOCK_LEN];
        listed[at / BLOCK_LEN] |= matches!(class, Class::ListedLetter);
        at += 1;
    }
    let mut leads = [0; 32];
    let mut block = 0;
    while block < BLOCK_OF.len() {
        // of three bytes the first two tell the block, of four the first three
        let two = if block < 0x1_0000 / BLOCK_LEN { block } else { 16 << 6 | block >> 6 };
        if listed[BLOCK_OF[block] as usize] {
            leads[two >> 6] |= 1 << (two & 0x3F);
        }
        block += 1;
    }
    leads
};

#[inline]
const fn block_index(code: u32) -> usize {
    BLOCK_OF[code as usize / BLOCK_LEN] as usize * BLOCK_LEN + code as usize % BLOCK_LEN
}

static LISTED: [bool; SCRIPTS.len()] = {
    let mut listed = [false; SCRIPTS.len()];
    let mut at = 0;
    while at < LISTED_SCRIPTS.len() {
        listed[script_index(LISTED_SCRIPTS[at]) as usize] = true;
        at += 1;
    }
    listed
};

static CLASS_BLOCKS: [Class; BLOCKS.len()] = {
    let mut classes = [Class::Other; BLOCKS.len()];
    let mut at = 0;
    while at < BLOCKS.len() {
        classes[at] = plain_class(RECORDS[BLOCKS[at] as usize]);
        at += 1;
    }
    classes
};

static SCRIPTED_BLOCKS: [[Scripted; BLOCK_LEN]; BLOCKS.len() / BLOCK_LEN] = {
    let none = Scripted { class: Class::Other, script: COMMON };
    let mut scripted = [[none; BLOCK_LEN]; BLOCKS.len() / BLOCK_LEN];
    let mut at = 0;
    while at < BLOCKS.len() {
        let record = RECORDS[BLOCKS[at] as usize];
        scripted[at / BLOCK_LEN][at % BLOCK_LEN] = scripted_record(record);
        at += 1;
    }
    // These share their properties with other letters, but not their blocks.
    let mut range = 0;
    while range < JAPANESE_COMMON.len() {
        let (mut code, last) = JAPANESE_COMMON[range];
        while code <= last {
            let at = block_index(code);
            scripted[at / BLOCK_LEN][at % BLOCK_LEN].class = Class::ListedLetter;
            code += 1;
        }
        range += 1;
    }
    scripted
};

static ASCII_SCRIPTED: [Scripted; 128] = {
    let mut scripted = [Scripted { class: Class::Other, script: COMMON }; 128];
    let mut code = 0;
    while code < scripted.len() {
        scripted[code] = scripted_record(RECORDS[BLOCKS[block_index(code as u32)] as usize]);
        scripted[code].class = ASCII[code];
        code += 1;
    }
    scripted
};

const fn scripted_record(record: (u8, u8, u8)) -> Scripted {
    let class = plain_class(record);
    let script = match script_of_record(record) {
        COMMON if class.is_letter() || class.is_mark() => INHERITED,
        script => script,
    };
    let class = if LISTED[script as usize] && class.is_letter() {
        Class::ListedLetter
    } else if LISTED[script as usize] && class.is_mark() {
        Class::ListedMark
    } else if is_real(script) && class.is_mark() {
        Class::ScriptMark
    } else {
        class
    };
    Scripted { class, script }
}

static ASCII: [Class; 128] = {
    let mut classes = [Class::Other; 128];
    let mut code = 0;
    while code < classes.len() {
        let block = BLOCK_OF[code / BLOCK_LEN] as usize;
        classes[code] = plain_class(RECORDS[BLOCKS[block * BLOCK_LEN + code % BLOCK_LEN] as usize]);
        code += 1;
    }
    classes[b'\r' as usize] = Class::Newline;
    classes[b'\n' as usize] = Class::Newline;
    classes
};

const fn plain_class((category, _, flags): (u8, u8, u8)) -> Class {
    if flags & WHITE_SPACE != 0 {
        return Class::Space;
    }
    match CATEGORIES[category as usize].as_bytes() {
        b"Lu" | b"Lt" => Class::Upper,
        b"Ll" => Class::Lower,
        b"Lm" | b"Lo" => Class::Caseless,
        [b'M', _] => Class::Mark,
        [b'N', _] => Class::Number,
        _ => Class::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripts::{classify, script_of};

    #[test]
    fn every_scalar_value_has_the_class_of_its_properties() {
        for code in (0..=0x10FFFF).filter(|&code| char::from_u32(code).is_some()) {
            let (category, script, white_space, _) = classify(code, code)[0];
            let expected = match category {
                _ if code == 0x0A || code == 0x0D => Class::Newline,
                _ if white_space => Class::Space,
                "Lu" | "Lt" => Class::Upper,
                "Ll" => Class::Lower,
                "Lm" | "Lo" => Class::Caseless,
                "Mn" | "Mc" | "Me" => Class::Mark,
                "Nd" | "Nl" | "No" => Class::Number,
                _ => Class::Other,
            };
            assert_eq!(class_of(code), expected, "U+{code:04X}");
            if code < 0x80 {
                assert_eq!(ascii_class(code as u8), expected);
                continue;
            }
            let listed = LISTED_SCRIPTS.contains(&script);
            let japanese = JAPANESE_COMMON.iter().any(|&(a, b)| a <= code && code <= b);
            let expected = match expected {
                Class::Upper | Class::Lower | Class::Caseless if listed || japanese => {
                    Class::ListedLetter
                }
                Class::Mark if listed => Class::ListedMark,
                Class::Mark if is_real(script_of(code)) => Class::ScriptMark,
                class => class,
            };
            let mut four = [0; 4];
            let len = char::from_u32(code).map_or(0, |char| char.encode_utf8(&mut four).len());
            let depends = expected.is_letter() || expected.is_mark();
            let script = match script_of(code) {
                COMMON if depends => INHERITED,
                script => script,
            };
            let expected = Scripted { class: expected, script };
            assert_eq!(scripted_of(four), (expected, len), "U+{code:04X}");
        }
    }
}
