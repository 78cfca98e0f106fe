//! The scanner of the pattern `gpt4o`, and with a reader of one script of `gpt4o-uniscript`.

use super::classes::Class;
use super::reader::Reader;
use super::runs::{ascii_word_end, contraction_end, numbers_end, others_end, run_end};

/// Where the pretoken that starts at `at` ends.
#[inline]
pub(super) fn pretoken_end(reader: &mut impl Reader, at: usize) -> usize {
    match ascii_word_end(reader.bytes(), at) {
        Some(end) => end,
        None => any_pretoken_end(reader, at),
    }
}

fn any_pretoken_end(reader: &mut impl Reader, at: usize) -> usize {
    let (first, len) = reader.peek(at);
    let next = at + len;
    match first {
        Class::Upper | Class::Lower | Class::Caseless => word_end(reader, at).0,
        Class::ListedLetter => trailing_marks_end(reader, next),
        Class::Mark | Class::ScriptMark => word_after_mark_end(reader, next),
        Class::Number => numbers_end(reader, next),
        Class::Newline => reader.white_space_end(at),
        Class::Space => match reader.peek(next) {
            (class, _) if class.is_word() => word_end(reader, next).0,
            (Class::ListedLetter, len) if reader.bytes()[at] == b' ' => {
                trailing_marks_end(reader, next + len)
            }
            (class, _) if class.is_other() && reader.bytes()[at] == b' ' => {
                others_end(reader, next)
            }
            _ => reader.white_space_end(at),
        },
        Class::Other | Class::ListedMark => match reader.peek(next).0 {
            class if class.is_word() => word_end(reader, next).0,
            _ => others_end(reader, at),
        },
        // Nothing can be left unread: the reader always gives the first code point.
        Class::End => reader.bytes().len(),
    }
}

/// The two word alternatives without their optional leading character, from a letter or mark at
/// `at`: (end, whether it was the first).
fn word_end(reader: &mut impl Reader, at: usize) -> (usize, bool) {
    // The first alternative wants a lower-case or caseless letter or a mark after its upper-case
    // run; where none follows the run, it gives back as far as the last one inside it.
    let mut end = at;
    let mut after_caseless = None;
    loop {
        let (class, len) = reader.peek(end);
        match class {
            Class::Upper => end += len,
            Class::Caseless | Class::Mark | Class::ScriptMark => {
                end += len;
                after_caseless = Some(end);
            }
            Class::Lower => {
                let end = run_end(reader, end, |class| class.is_word() && class != Class::Upper);
                return (with_contraction(reader, end), true);
            }
            _ => break,
        }
    }
    match after_caseless {
        Some(end) => (with_contraction(reader, end), true),
        None => (with_contraction(reader, end), false),
    }
}

/// The pretoken that starts with a mark that ends at `next`.
///
/// The mark is first tried as the leading character of a word of the first alternative; failing
/// that it is, by giving that character back, such a word by itself.
fn word_after_mark_end(reader: &mut impl Reader, next: usize) -> usize {
    if reader.peek(next).0.is_word()
        && let (end, true) = word_end(reader, next)
    {
        return end;
    }
    with_contraction(reader, next)
}

/// The end of a word that ends at `at`, or of the contraction that follows it.
#[inline]
fn with_contraction(reader: &mut impl Reader, at: usize) -> usize {
    let end = contraction_end(reader.bytes(), at);
    // The letters of a contraction are Latin: a word of another script does not take them.
    if end > at && reader.peek(at + 1).0 != Class::End { end } else { at }
}

/// `[T]*` of SPEC section 3.4 from `at`.
fn trailing_marks_end(reader: &mut impl Reader, at: usize) -> usize {
    run_end(reader, at, |class| matches!(class, Class::Mark | Class::ListedMark))
}
