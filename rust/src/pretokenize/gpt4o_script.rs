//! The scanner of the pattern `gpt4o-script`: letter by letter.

use super::classes::Class;
use super::reader::{Plain, class_at};
use super::runs::{numbers_end, others_end, run_end, white_space_end};

/// Where the pretoken that starts at `at` ends.
pub(super) fn pretoken_end(bytes: &[u8], at: usize) -> usize {
    let (first, len) = class_at(bytes, at);
    let next = at + len;
    let reader = &mut Plain::new(bytes);
    match first {
        class if class.is_letter() => run_end(reader, next, Class::is_mark),
        Class::Number => numbers_end(reader, next),
        Class::Space if bytes[at] == b' ' => match class_at(bytes, next) {
            (class, len) if class.is_letter() => run_end(reader, next + len, Class::is_mark),
            (class, _) if class.is_other() => others_end(reader, next),
            _ => white_space_end(bytes, at),
        },
        Class::Space | Class::Newline => white_space_end(bytes, at),
        _ => others_end(reader, at),
    }
}
