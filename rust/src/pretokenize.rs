//! Documents to pretokens, by the named schemes or by patterns (SPEC sections 3.2 to 3.4).
//!
//! The reference runs the patterns through a regular-expression engine; here each pattern is a
//! scanner written by hand, equal to it by test.

mod block;
mod classes;
mod custom;
mod gpt2;
mod gpt4;
mod gpt4o;
mod gpt4o_script;
mod in_chunk;
mod letters;
mod masks;
mod reader;
mod runs;

pub(crate) use classes::{Class, class_of};
pub(crate) use custom::Cut;
pub use custom::Pretokenizer;

use crate::settings::Scheme;
use in_chunk::{Around, InChunk};
use reader::{OneScript, Plain};

/// The pretokens of a text, in order; their concatenation is the text. Nothing is allocated.
/// SPEC sections 3.1, 3.2 and 3.4.
///
/// ```
/// use superword::pretokenize::Pretokens;
/// use superword::settings::Scheme;
/// let pieces: Vec<&str> = Pretokens::new("To be, or not?", Scheme::Gpt4oUniscript).collect();
/// assert_eq!(pieces, ["To", " be", ",", " or", " not", "?"]);
/// ```
pub struct Pretokens<'t> {
    text: &'t str,
    at: usize,
    scheme: Scheme,
    /// What is known of the scripts, where they decide where a pretoken ends.
    around: Around,
    /// Where pretokens end that are known already: one bit for each place from `block` on.
    ends: u64,
    block: usize,
}

impl<'t> Pretokens<'t> {
    /// The pretokens of `text` by `scheme`.
    pub fn new(text: &'t str, scheme: Scheme) -> Self {
        Self { text, at: 0, scheme, around: Around::new(), ends: 0, block: 0 }
    }

    /// Where the next pretoken ends; it starts where the one before ended.
    #[inline]
    pub(crate) fn next_end(&mut self) -> Option<usize> {
        if self.ends == 0 {
            return self.next_end_of_block();
        }
        Some(self.take_end())
    }

    /// Appends where the next pretokens end, as many as are found together; tells whether there
    /// are any.
    #[inline]
    pub(crate) fn next_ends(&mut self, ends: &mut Vec<usize>) -> bool {
        let Some(end) = self.next_end() else { return false };
        ends.push(end);
        let (mut rest, block) = (self.ends, self.block);
        ends.extend((0..rest.count_ones()).map(|_| {
            let end = block + rest.trailing_zeros() as usize;
            rest &= rest - 1;
            end
        }));
        self.ends = 0;
        self.at = ends[ends.len() - 1];
        true
    }

    #[inline]
    fn take_end(&mut self) -> usize {
        self.at = self.block + self.ends.trailing_zeros() as usize;
        self.ends &= self.ends - 1;
        self.at
    }

    /// As [`Self::next_end`], when no end is known yet.
    fn next_end_of_block(&mut self) -> Option<usize> {
        let (bytes, at) = (self.text.as_bytes(), self.at);
        if at == bytes.len() {
            return None;
        }
        // what is not cut is not read either
        if self.scheme != Scheme::None && block::is_worthwhile(bytes, at) {
            self.block = at;
            self.ends = match self.scheme {
                Scheme::Gpt2 => block::starts_from(bytes, at, block::gpt2),
                Scheme::Gpt4 => block::starts_from(bytes, at, block::gpt4),
                _ => block::starts_from(bytes, at, block::gpt4o),
            };
            if self.ends != 0 {
                return Some(self.take_end());
            }
        }
        self.at = match self.scheme {
            Scheme::Gpt2 => gpt2::pretoken_end(bytes, at),
            Scheme::Gpt4 => gpt4::pretoken_end(bytes, at),
            Scheme::Gpt4oUniscript => {
                (self.block, self.ends) = (at, letters::ends_of_listed(bytes, at));
                if self.ends != 0 {
                    return Some(self.take_end());
                }
                gpt4o::pretoken_end(&mut OneScript::new(bytes), at)
            }
            Scheme::Gpt4oScripts => {
                (self.block, self.ends) = (at, letters::ends_in_chunks(bytes, at));
                if self.ends != 0 {
                    return Some(self.take_end());
                }
                gpt4o::pretoken_end(&mut InChunk::new(bytes, at, &mut self.around), at)
            }
            Scheme::Gpt4o => gpt4o::pretoken_end(&mut Plain::new(bytes), at),
            Scheme::None => bytes.len(),
        };
        Some(self.at)
    }
}

impl<'t> Iterator for Pretokens<'t> {
    type Item = &'t str;

    #[inline]
    fn next(&mut self) -> Option<&'t str> {
        let at = self.at;
        self.next_end().map(|end| &self.text[at..end])
    }
}

/// Tells whether a pretoken may be part of a superword: it holds a letter (`\p{L}`).
/// SPEC section 6.
///
/// ```
/// use superword::pretokenize::is_eligible_text;
/// assert!(is_eligible_text(" be") && !is_eligible_text("42"));
/// ```
pub fn is_eligible_text(pretoken: &str) -> bool {
    pretoken.chars().any(|char| class_of(u32::from(char)).is_letter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_equal_characters_take_linear_time() {
        for &scheme in Scheme::ALL {
            for char in ["a", "A", "1", " ", "\n", "'", "/", "!", "漢", "ー", "\u{301}", "é"] {
                let text = char.repeat(1_000_000);
                let bytes: usize = Pretokens::new(&text, scheme).map(str::len).sum();
                assert_eq!(bytes, text.len());
            }
        }
    }

    #[test]
    fn an_empty_text_has_no_pretoken() {
        for &scheme in Scheme::ALL {
            assert_eq!(Pretokens::new("", scheme).next(), None);
        }
    }

    #[test]
    fn every_letter_and_nothing_else_is_eligible() {
        for code in (0..=0x10FFFF).filter_map(char::from_u32) {
            let (category, ..) = crate::scripts::classify(code.into(), code.into())[0];
            assert_eq!(is_eligible_text(&format!("1{code}")), category.starts_with('L'));
        }
    }
}
