//! How a scanner reads a text: all of it, or up to where a second script begins.

use super::classes::{Class, Scripted, ascii_class, class_of, scripted_of};
use super::runs::white_space_end;
use crate::scripts::{code_point_at, is_real};
use crate::unicode::COMMON;

/// What a scanner may see of a text.
pub(super) trait Reader {
    /// The whole text (of the chunk).
    fn bytes(&self) -> &[u8];

    /// The class of the code point at `at` and its length in bytes; `End` and 0 where the text ends
    /// for this reader. Code points must be asked for without gaps from the start of the pretoken.
    fn peek(&mut self, at: usize) -> (Class, usize);

    /// Forgets what was read: the pretoken is read anew.
    #[inline]
    fn restart(&mut self) {}

    /// Whether what stands at `at`, behind what was read, cannot be read with it though `peek` gives
    /// its class: asked of what is no letter, mark or white space.
    #[inline]
    fn ends_before(&mut self, _at: usize) -> bool {
        false
    }

    /// Where the pretoken of white space ends that starts at `at`: it sees all of the text (of the
    /// chunk).
    #[inline]
    fn white_space_end(&mut self, at: usize) -> usize {
        white_space_end(self.bytes(), at)
    }
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
}

impl Reader for OneScript<'_> {
    #[inline]
    fn bytes(&self) -> &[u8] {
        self.bytes
    }

    #[inline]
    fn peek(&mut self, at: usize) -> (Class, usize) {
        let (Scripted { class, script }, len) = scripted_at(self.bytes, at);
        if script != self.script && is_real(script) {
            if self.script != COMMON {
                return (Class::End, 0);
            }
            self.script = script;
        }
        (class, len)
    }
}

/// The class and the script of the code point at `at` and its length, or `End`, Common and 0.
#[inline(always)]
pub(super) fn scripted_at(bytes: &[u8], at: usize) -> (Scripted, usize) {
    match bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(&four) => scripted_of(four),
        None => last_scripted(bytes.get(at..).unwrap_or_default()),
    }
}

/// The same for the first code point of the last bytes of a text.
#[cold]
fn last_scripted(rest: &[u8]) -> (Scripted, usize) {
    let mut four = [0; 4];
    four[..rest.len()].copy_from_slice(rest);
    match rest {
        [] => (Scripted { class: Class::End, script: COMMON }, 0),
        _ => scripted_of(four),
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
