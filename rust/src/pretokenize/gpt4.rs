//! The scanner of the pattern `gpt4`.

use super::classes::Class;
use super::reader::{Plain, class_at};
use super::runs::{
    ascii_end, ascii_letters_end, contraction_end, numbers_end, run_end, white_space_end,
};

/// Where the pretoken that starts at `at` ends.
#[inline]
pub(super) fn pretoken_end(bytes: &[u8], at: usize) -> usize {
    ascii_letters_end(bytes, at).unwrap_or_else(|| any_pretoken_end(bytes, at))
}

fn any_pretoken_end(bytes: &[u8], at: usize) -> usize {
    let contraction = contraction_end(bytes, at);
    if contraction > at {
        return contraction;
    }
    let (first, len) = class_at(bytes, at);
    let next = at + len;
    let reader = &mut Plain::new(bytes);
    match first {
        class if class.is_letter() => run_end(reader, next, Class::is_letter),
        Class::Number => numbers_end(reader, next),
        Class::Newline => white_space_end(bytes, at),
        // Anything else may lead a word, and is then kept (the quantifier is possessive).
        _ => match (first, class_at(bytes, next).0) {
            (_, class) if class.is_letter() => run_end(reader, next, Class::is_letter),
            (Class::Space, class) if class.is_other() && bytes[at] == b' ' => {
                others_end(bytes, next)
            }
            (Class::Space, _) => white_space_end(bytes, at),
            _ => others_end(bytes, at),
        },
    }
}

/// `[^\s\p{L}\p{N}]++[\r\n]*` from `at`: a slash is not among what may follow.
fn others_end(bytes: &[u8], at: usize) -> usize {
    let end = run_end(&mut Plain::new(bytes), at, Class::is_other);
    ascii_end(bytes, end, b"\r\n")
}
