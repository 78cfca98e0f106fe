//! The scanner of the pattern `gpt2`.

use super::classes::Class;
use super::reader::{Plain, class_at};
use super::runs::{ascii_letters_end, blanks_end, run_end};

/// Where the pretoken that starts at `at` ends.
#[inline]
pub(super) fn pretoken_end(bytes: &[u8], at: usize) -> usize {
    ascii_letters_end(bytes, at).unwrap_or_else(|| any_pretoken_end(bytes, at))
}

fn any_pretoken_end(bytes: &[u8], at: usize) -> usize {
    if bytes[at] == b'\'' {
        let end = lower_case_contraction_end(bytes, at);
        if end > at {
            return end;
        }
    }
    // One leading space (U+0020 alone) belongs to what follows it, unless that is white space.
    let start = if bytes[at] == b' ' { at + 1 } else { at };
    let reader = &mut Plain::new(bytes);
    match class_at(bytes, start).0 {
        class if class.is_letter() => run_end(reader, start, Class::is_letter),
        Class::Number => run_end(reader, start, |class| class == Class::Number),
        class if class.is_other() => run_end(reader, start, Class::is_other),
        _ => blanks_end(bytes, at),
    }
}

fn lower_case_contraction_end(bytes: &[u8], at: usize) -> usize {
    match &bytes[at + 1..] {
        [b's' | b'd' | b'm' | b't', ..] => at + 2,
        [b'l', b'l', ..] | [b'v' | b'r', b'e', ..] => at + 3,
        _ => at,
    }
}
