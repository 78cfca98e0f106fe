//! How `gpt4o-scripts` reads a text: up to where a chunk ends (SPEC section 3.1), without finding
//! the chunks first.
//!
//! A chunk ends behind what is bound to it, a real script or Inherited, where another real script
//! follows, at once or behind Common alone. So it ends inside a pretoken only if the pretoken holds
//! two scripts, or goes on with Common behind what is bound. Only there, and where letters and
//! marks have no script of their own, is anything looked for around the pretoken. Most pretokens
//! end with white space, which takes no look.
//!
//! No Python twin: there the chunks are found first.

use super::classes::{Class, Scripted, is_listed};
use super::reader::{Reader, scripted_at};
use super::runs::white_space_end;
use crate::scripts::{code_point_at, is_real, script_of};
use crate::unicode::{COMMON, INHERITED, UNKNOWN};

/// The one white space that is bound to a chunk, U+1680.
const OGHAM_SPACE: &[u8] = "\u{1680}".as_bytes();

/// What was found of the scripts around the pretokens of a text, so that no stretch of it is
/// searched again and again.
pub(super) struct Around {
    /// From the first place to the second one all is Common; there stands a code point of this
    /// script. The end of the text counts as Inherited.
    ahead: (usize, usize, u8),
    /// The last real script before this place, or Common.
    before: (usize, u8),
    /// The first real script of the text, or Common.
    first: Option<u8>,
}

impl Around {
    pub(super) fn new() -> Self {
        Self { ahead: (0, 0, INHERITED), before: (0, COMMON), first: None }
    }

    /// The first script from `at` on that is not Common.
    fn ahead(&mut self, bytes: &[u8], at: usize) -> u8 {
        let (from, to, script) = self.ahead;
        if from <= at && at < to {
            return script;
        }
        let mut end = at;
        loop {
            let (script, len) = script_at(bytes, end);
            if script != COMMON {
                self.ahead = (at, end, script);
                return script;
            }
            end += len;
        }
    }

    /// The last real script before `at`, which never moves back.
    fn before(&mut self, bytes: &[u8], at: usize) -> u8 {
        let (known, mut script) = self.before;
        let is_start = |&start: &usize| bytes[start] & 0xC0 != 0x80;
        let starts = (known..at).rev().filter(is_start);
        if let Some(real) = starts.map(|start| script_at(bytes, start).0).find(|&it| is_real(it)) {
            script = real;
        }
        self.before = (at, script);
        script
    }

    fn first(&mut self, bytes: &[u8]) -> u8 {
        *self.first.get_or_insert_with(|| {
            let starts = (0..bytes.len()).filter(|&start| bytes[start] & 0xC0 != 0x80);
            let mut scripts = starts.map(|start| script_at(bytes, start).0);
            scripts.find(|&script| is_real(script)).unwrap_or(COMMON)
        })
    }
}

/// The script of the code point at `at` and its length; Inherited and 0 at the end of the text.
fn script_at(bytes: &[u8], at: usize) -> (u8, usize) {
    code_point_at(bytes, at).map_or((INHERITED, 0), |(code, len)| (script_of(code), len))
}

/// Reads up to the end of the chunk in which the pretoken at `start` begins.
pub(super) struct InChunk<'t, 'a> {
    bytes: &'t [u8],
    start: usize,
    around: &'a mut Around,
    /// The real script of the chunk to which something is bound that was read; before that Unknown,
    /// which no code point has here.
    script: u8,
}

impl<'t, 'a> InChunk<'t, 'a> {
    pub(super) fn new(bytes: &'t [u8], start: usize, around: &'a mut Around) -> Self {
        Self { bytes, start, around, script: UNKNOWN }
    }

    /// The class of what is Inherited, or a letter or mark of Common, at `at`.
    #[cold]
    #[inline(never)]
    fn class_by_chunk(&mut self, at: usize, class: Class) -> Class {
        let current = match self.script {
            UNKNOWN => self.around.before(self.bytes, self.start),
            script => script,
        };
        let mut chunk = INHERITED;
        if script_at(self.bytes, at).0 == COMMON {
            chunk = self.around.ahead(self.bytes, at);
            if self.script != UNKNOWN && is_real(chunk) && chunk != self.script {
                return Class::End;
            }
        } else if current != COMMON {
            self.script = current;
        }
        if chunk == INHERITED {
            chunk = current;
        }
        if chunk == COMMON {
            chunk = self.around.first(self.bytes);
        }
        class.in_chunk(is_listed(chunk))
    }

    /// Whether Common stands at `at` that goes with another script than the one that was read.
    #[cold]
    fn is_of_next_chunk(&mut self, at: usize) -> bool {
        script_at(self.bytes, at).0 == COMMON && {
            let ahead = self.around.ahead(self.bytes, at);
            is_real(ahead) && ahead != self.script
        }
    }

    /// Where white space ends that holds U+1680, behind which a chunk may end.
    #[cold]
    fn bound_white_space_end(&mut self, at: usize) -> usize {
        let mut end = at;
        while let (Scripted { class: Class::Space | Class::Newline, script }, len) =
            scripted_at(self.bytes, end)
        {
            end += len;
            let ahead = self.around.ahead(self.bytes, end);
            if is_real(script) && is_real(ahead) && ahead != script {
                return white_space_end(&self.bytes[..end], at);
            }
        }
        white_space_end(self.bytes, at)
    }
}

impl Reader for InChunk<'_, '_> {
    #[inline]
    fn bytes(&self) -> &[u8] {
        self.bytes
    }

    #[inline]
    fn peek(&mut self, at: usize) -> (Class, usize) {
        let (Scripted { class, script }, len) = scripted_at(self.bytes, at);
        if script != self.script && script != COMMON {
            if !is_real(script) {
                return match self.class_by_chunk(at, class) {
                    Class::End => (Class::End, 0),
                    class => (class, len),
                };
            }
            if self.script != UNKNOWN {
                return (Class::End, 0);
            }
            self.script = script;
        }
        (class, len)
    }

    #[inline]
    fn restart(&mut self) {
        self.script = UNKNOWN;
    }

    #[inline]
    fn ends_before(&mut self, at: usize) -> bool {
        self.script != UNKNOWN && self.is_of_next_chunk(at)
    }

    #[inline]
    fn white_space_end(&mut self, at: usize) -> usize {
        let end = white_space_end(self.bytes, at);
        let rest = self.bytes.len().min(end + OGHAM_SPACE.len());
        let seen = &self.bytes[at..rest];
        if seen.contains(&OGHAM_SPACE[0]) && seen.windows(3).any(|three| three == OGHAM_SPACE) {
            return self.bound_white_space_end(at);
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use crate::pretokenize::classes::is_listed;
    use crate::pretokenize::reader::Plain;
    use crate::pretokenize::{Pretokens, gpt4o, gpt4o_script};
    use crate::scripts::Chunks;
    use crate::settings::Scheme;

    /// The pretokens by the rules of SPEC sections 3.1 and 3.2: chunks first, then their pretokens.
    fn by_chunks(text: &str) -> Vec<&str> {
        let (mut pretokens, mut start) = (Vec::new(), 0);
        for (script, chunk_end) in Chunks::new(text) {
            let chunk = &text.as_bytes()[start..chunk_end];
            let mut at = 0;
            while at < chunk.len() {
                let end = match is_listed(script) {
                    true => gpt4o_script::pretoken_end(chunk, at),
                    false => gpt4o::pretoken_end(&mut Plain::new(chunk), at),
                };
                pretokens.push(&text[start + at..start + end]);
                at = end;
            }
            start = chunk_end;
        }
        pretokens
    }

    #[track_caller]
    fn check(text: &str) {
        let found: Vec<&str> = Pretokens::new(text, Scheme::Gpt4oScripts).collect();
        assert_eq!(found, by_chunks(text), "{text:?}");
    }

    // of two scripts that are listed and of several that are not: letters, marks, digits, others
    const BOUND: [&str; 22] = [
        "a", "é", "Z", "я", "Ж", "ա", "։", "क", "\u{93E}", "१", "।", "ቀ", "።", "ก", "\u{E31}", "๑",
        "๏", "漢", "カ", "𠀀", "\u{1680}", "ᚁ",
    ];
    // Inherited and Common: marks, joiners, letters of all kinds, digits, others, white space
    const LOOSE: [&str; 29] = [
        "\u{301}",
        "\u{FE0F}",
        "\u{200D}",
        "\u{1CF7}",
        "\u{1D165}",
        "ー",
        "ｰ",
        "ـ",
        "ʼ",
        "µ",
        "𝐀",
        "\u{1CE9}",
        "1",
        "²",
        "'",
        "'s",
        "'ll",
        "'\u{17F}",
        ".",
        "/",
        "«",
        "😀",
        "\u{200B}",
        "\n",
        "\r\n",
        " ",
        "  ",
        "\u{3000}",
        "(more than a block of ascii, with nothing else in it: 12345678 Words)",
    ];

    #[test]
    fn three_or_four_pieces_are_cut_as_their_chunks() {
        let pieces: Vec<&str> = BOUND.iter().chain(&LOOSE).copied().collect();
        for first in &pieces {
            for second in &pieces {
                for third in &pieces {
                    check(&format!("{first}{second}{third}"));
                    for last in ["a", "я", "漢", "\u{301}"] {
                        check(&format!("{first}{second}{third}{last}"));
                    }
                }
            }
        }
    }

    #[test]
    fn longer_texts_are_cut_as_their_chunks() {
        let mut state = 11_u64;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % bound
        };
        for _ in 0..100_000 {
            // few kinds at a time, so that a chunk has a chance to be long
            let kinds: Vec<&str> = (0..1 + below(5))
                .map(|_| match below(2) {
                    0 => BOUND[below(BOUND.len())],
                    _ => LOOSE[below(LOOSE.len())],
                })
                .collect();
            let text: String = (0..below(25)).map(|_| kinds[below(kinds.len())]).collect();
            check(&text);
        }
    }

    #[test]
    fn every_scalar_value_is_read_in_every_kind_of_chunk() {
        for char in '\0'..=char::MAX {
            check(&format!("{char}а.{char} a{char}漢{char}1{char}\n{char}я{char}{char}'s"));
        }
    }

    #[test]
    fn what_is_far_is_not_looked_for_again() {
        for piece in ["я\u{301}ー", "!ー", "ー\u{301}", "१1", "\u{1680}\n", "。\u{1680} ", "ーµ"]
        {
            for (before, behind) in [("", ""), ("я", "a"), ("漢", "漢")] {
                let text = format!("{before}{}{behind}", piece.repeat(200_000));
                let bytes: usize = Pretokens::new(&text, Scheme::Gpt4oScripts).map(str::len).sum();
                assert_eq!(bytes, text.len());
            }
        }
    }
}
