//! How a scanner reads a text: all of it, or up to where a second script begins.

use super::classes::{Class, ascii_class, class_of, class_with_listed};
use crate::scripts::{LATIN, code_point_at, is_real, script_of};
use crate::unicode::COMMON;

/// What a scanner may see of a text.
pub(super) trait Reader {
    /// The whole text (of the chunk).
    fn bytes(&self) -> &[u8];

    /// The class of the code point at `at` and its length in bytes; `End` and 0 where the text ends
    /// for this reader. Code points must be asked for without gaps from the start of the pretoken.
    fn peek(&mut self, at: usize) -> (Class, usize);
}

/// Reads everything.
pub(super) struct Plain<'t> {
    bytes: &'t [u8],
}

impl<'t> Plain<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Self {
        Self { bytes }
    }
}

impl Reader for Plain<'_> {
    #[inline]
    fn bytes(&self) -> &[u8] {
        self.bytes
    }

    #[inline]
    fn peek(&mut self, at: usize) -> (Class, usize) {
        class_at(self.bytes, at)
    }
}

/// Reads up to where a second real script begins (e of SPEC section 3.4).
///
/// The script is learnt while the match goes on: what no match reaches is never read, so the
/// whole stays linear.
pub(super) struct OneScript<'t> {
    bytes: &'t [u8],
    /// The first real script read so far, or Common.
    script: u8,
}

impl<'t> OneScript<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Self {
        Self { bytes, script: COMMON }
    }

    #[inline]
    fn admits(&mut self, script: u8) -> bool {
        if self.script == COMMON {
            self.script = script;
        }
        self.script == script
    }
}

impl Reader for OneScript<'_> {
    #[inline]
    fn bytes(&self) -> &[u8] {
        self.bytes
    }

    #[inline]
    fn peek(&mut self, at: usize) -> (Class, usize) {
        match self.bytes.get(at) {
            None => (Class::End, 0),
            Some(&byte) if byte < 0x80 => {
                let class = ascii_class(byte);
                if class.is_letter() && !self.admits(LATIN) {
                    return (Class::End, 0);
                }
                (class, 1)
            }
            Some(_) => {
                let Some((code, len)) = code_point_at(self.bytes, at) else {
                    return (Class::End, 0);
                };
                let script = script_of(code);
                if is_real(script) && !self.admits(script) {
                    return (Class::End, 0);
                }
                (class_with_listed(code, script), len)
            }
        }
    }
}

/// The class of the code point at `at` and its length, or `End` and 0.
#[inline]
pub(super) fn class_at(bytes: &[u8], at: usize) -> (Class, usize) {
    match bytes.get(at) {
        None => (Class::End, 0),
        Some(&byte) if byte < 0x80 => (ascii_class(byte), 1),
        Some(_) => match code_point_at(bytes, at) {
            Some((code, len)) => (class_of(code), len),
            None => (Class::End, 0),
        },
    }
}
