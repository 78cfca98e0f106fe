//! Which of 64 bytes are of a class: one bit each, the first byte lowest.
//!
//! On x86-64, which always has SSE2, 16 bytes at a time, elsewhere eight in a `u64`. The first way
//! takes two thirds of the second one's time, which is why there is one call of `unsafe` code.

/// So many bytes are looked at together.
pub(super) const BLOCK: usize = 64;

/// The classes of the bytes of a block. What is in none of them is `Other` of the classes of code
/// points, and so are apostrophes and slashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Masks {
    pub(super) upper: u64,
    pub(super) lower: u64,
    pub(super) number: u64,
    /// U+0020.
    pub(super) space: u64,
    /// White space that is neither U+0020 nor CR nor LF.
    pub(super) blank: u64,
    /// CR, LF.
    pub(super) newline: u64,
    pub(super) apostrophe: u64,
    pub(super) slash: u64,
    /// Not ASCII.
    pub(super) high: u64,
}

/// The masks of a block.
#[inline]
pub(super) fn masks_of(block: &[u8; BLOCK]) -> Masks {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: every x86-64 target has SSE2.
        #[allow(unsafe_code)]
        return unsafe { sse2::masks_of(block) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    return portable::masks_of(block);
}

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_movemask_epi8, _mm_or_si128,
        _mm_set_epi64x, _mm_set1_epi8, _mm_slli_epi16,
    };

    use super::{BLOCK, Masks};

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn masks_of(block: &[u8; BLOCK]) -> Masks {
        let mut masks = Masks::default();
        let (vectors, _) = block.as_chunks::<16>();
        for (i, vector) in vectors.iter().enumerate() {
            add(&mut masks, load(vector), 16 * i);
        }
        masks
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn load(bytes: &[u8; 16]) -> __m128i {
        let both = u128::from_le_bytes(*bytes);
        _mm_set_epi64x((both >> 64) as i64, both as i64)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn add(masks: &mut Masks, bytes: __m128i, at: usize) {
        let bits = |set: __m128i| u64::from(_mm_movemask_epi8(set) as u32) << at;
        let is = |byte: u8| _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8));
        // Bytes that are not ASCII are negative, below every bound.
        let within = |bytes: __m128i, first: u8, last: u8| {
            let from = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(first as i8 - 1));
            _mm_and_si128(from, _mm_cmpgt_epi8(_mm_set1_epi8(last as i8 + 1), bytes))
        };
        let letter = bits(within(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), b'a', b'z'));
        // bit 0x20 of each byte, moved to where the mask is taken
        let small = bits(_mm_slli_epi16::<2>(bytes));
        let newline = bits(_mm_or_si128(is(b'\r'), is(b'\n')));
        masks.upper |= letter & !small;
        masks.lower |= letter & small;
        masks.number |= bits(within(bytes, b'0', b'9'));
        masks.space |= bits(is(b' '));
        masks.blank |= bits(within(bytes, b'\t', b'\r')) & !newline;
        masks.newline |= newline;
        masks.apostrophe |= bits(is(b'\''));
        masks.slash |= bits(is(b'/'));
        masks.high |= bits(bytes);
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    use super::{BLOCK, Masks};
    use crate::scripts::{HIGH_BITS, bits_within, letter_bits, lower_bits, lowest_bits};

    pub(super) fn masks_of(block: &[u8; BLOCK]) -> Masks {
        let mut masks = Masks::default();
        let (words, _) = block.as_chunks::<8>();
        for (i, word) in words.iter().enumerate() {
            add(&mut masks, u64::from_le_bytes(*word), 8 * i);
        }
        masks
    }

    fn add(masks: &mut Masks, word: u64, at: usize) {
        let bits = |set: u64| lowest_bits(set >> 7) << at;
        let is = |byte: u8| bits_within(word, byte, byte);
        let (letter, lower) = (letter_bits(word), lower_bits(word));
        let newline = is(b'\r') | is(b'\n');
        masks.upper |= bits(letter & !lower);
        masks.lower |= bits(lower);
        masks.number |= bits(bits_within(word, b'0', b'9'));
        masks.space |= bits(is(b' '));
        masks.blank |= bits(bits_within(word, b'\t', b'\r') & !newline);
        masks.newline |= bits(newline);
        masks.apostrophe |= bits(is(b'\''));
        masks.slash |= bits(is(b'/'));
        masks.high |= bits(word & HIGH_BITS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pretokenize::classes::{Class, ascii_class};

    #[test]
    fn each_byte_at_each_place_has_its_class() {
        for place in 0..BLOCK {
            for byte in 0..=u8::MAX {
                let mut block = [b'#'; BLOCK];
                block[place] = byte;
                let class = byte.is_ascii().then(|| ascii_class(byte));
                let bit = |is: bool| u64::from(is) << place;
                let expected = Masks {
                    upper: bit(class == Some(Class::Upper)),
                    lower: bit(class == Some(Class::Lower)),
                    number: bit(class == Some(Class::Number)),
                    space: bit(byte == b' '),
                    blank: bit(class == Some(Class::Space) && byte != b' '),
                    newline: bit(class == Some(Class::Newline)),
                    apostrophe: bit(byte == b'\''),
                    slash: bit(byte == b'/'),
                    high: bit(!byte.is_ascii()),
                };
                assert_eq!(masks_of(&block), expected);
                assert_eq!(portable::masks_of(&block), expected);
            }
        }
    }

    #[test]
    fn bytes_do_not_touch_each_other() {
        let mut state = 1_u64;
        for _ in 0..10_000 {
            let mut block = [0; BLOCK];
            for byte in &mut block {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                *byte = (state >> 56) as u8;
            }
            assert_eq!(masks_of(&block), portable::masks_of(&block));
        }
    }
}
