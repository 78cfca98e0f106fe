//! Which pretokens of a text stay as they are, whatever follows the text.
//!
//! A pattern decides from left to right, so it is enough to know how far a named pattern reads behind
//! the pretoken that it finds: the twin `settled.py` has the argument, pattern by pattern.

use crate::pretokenize::{Class, Pretokenizer, Pretokens, class_of};
use crate::scripts::{LATIN, is_real, script_of};
use crate::settings::Scheme;
use crate::unicode::COMMON;

/// The first pretokens of a text, as far as they are those of every longer text.
pub(crate) fn settled_pretokens<'t>(
    text: &'t str,
    pretokenizer: &Pretokenizer,
) -> impl Iterator<Item = &'t str> {
    let scheme = pretokenizer.scheme().unwrap_or(Scheme::None);
    let text = if scheme == Scheme::None { "" } else { text };
    let bound = if scheme == Scheme::Gpt4oScripts { bound_to_chunk(text) } else { text };
    let mut alone = (bound.len() < text.len()).then(|| Pretokens::new(bound, scheme));
    let open = OpenPlaces::new(text, scheme);
    let mut at = 0;
    Pretokens::new(text, scheme).take_while(move |piece| {
        let start = at;
        at += piece.len();
        alone.as_mut().is_none_or(|alone| alone.next() == Some(*piece))
            && !open.is_open(start, at, piece)
    })
}

/// The text without what is Common at its end; nothing if it has no real script.
fn bound_to_chunk(text: &str) -> &str {
    if !text.chars().any(|char| is_real(script_of(char.into()))) {
        return "";
    }
    text.trim_end_matches(|char: char| script_of(char.into()) == COMMON)
}

/// What tells whether a pretoken is open; a place that there is not is the end of the text.
struct OpenPlaces {
    scheme: Scheme,
    size: usize,
    space: usize,
    quote: usize,
    upper: usize,
    /// That of the first of the upper-case letters at the end.
    script: u8,
}

impl OpenPlaces {
    fn new(text: &str, scheme: Scheme) -> Self {
        let before = |belongs: fn(Class) -> bool| {
            text.trim_end_matches(|char: char| belongs(class_of(char.into()))).len()
        };
        let upper = before(|class| class == Class::Upper);
        Self {
            scheme,
            size: text.len(),
            space: before(|class| matches!(class, Class::Space | Class::Newline)),
            quote: text.len() - length_of_quote(text),
            upper,
            script: text[upper..].chars().next().map_or(COMMON, |char| script_of(char.into())),
        }
    }

    fn is_open(&self, start: usize, end: usize, pretoken: &str) -> bool {
        if end == self.size {
            return !is_complete(pretoken, self.scheme);
        }
        if start >= self.space || (self.scheme == Scheme::Gpt2 && start == self.quote) {
            return true;
        }
        if !has_words(self.scheme) || (end != self.quote && end != self.upper) {
            return false;
        }
        let mut classes = pretoken.chars().map(|char| class_of(char.into()));
        let last = classes.clone().next_back().unwrap_or(Class::End);
        if end == self.quote {
            return (last.is_letter() || last.is_mark()) && self.may_join(pretoken, LATIN);
        }
        (last == Class::Caseless || last.is_mark())
            && classes.all(|class| class != Class::Lower)
            && self.may_join(pretoken, self.script)
    }

    /// Whether letters of a script may belong to a pretoken.
    fn may_join(&self, pretoken: &str, script: u8) -> bool {
        let mut scripts = pretoken.chars().map(|char| script_of(char.into()));
        let others = scripts.any(|found| is_real(found) && found != script);
        self.scheme == Scheme::Gpt4o || !is_real(script) || !others
    }
}

/// Whether nothing can be added to the last pretoken of a text.
fn is_complete(pretoken: &str, scheme: Scheme) -> bool {
    let is_number = |char: char| class_of(char.into()) == Class::Number;
    if scheme != Scheme::Gpt2 && pretoken.chars().count() == 3 && pretoken.chars().all(is_number) {
        return true;
    }
    let Some((word, letters)) = pretoken.rsplit_once('\'') else { return false };
    let letters = match scheme {
        Scheme::Gpt2 => letters.to_string(),
        _ => letters.replace('ſ', "s").to_ascii_lowercase(),
    };
    word.is_empty() != has_words(scheme)
        && matches!(letters.as_str(), "s" | "t" | "re" | "ve" | "m" | "ll" | "d")
}

/// Whether a contraction is a part of its word, and cases are told apart.
fn has_words(scheme: Scheme) -> bool {
    matches!(scheme, Scheme::Gpt4o | Scheme::Gpt4oScripts | Scheme::Gpt4oUniscript)
}

/// How many bytes at the end of a text are the beginning of a contraction.
fn length_of_quote(text: &str) -> usize {
    match text.as_bytes() {
        [.., b'\''] => 1,
        [.., b'\'', b'r' | b'v' | b'l' | b'R' | b'V' | b'L'] => 2,
        _ => 0,
    }
}
