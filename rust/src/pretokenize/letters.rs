//! Where pretokens end that are one letter each: as many as 64 bytes hold, all at once.
//!
//! In the listed scripts most pretokens follow another one of the same kind, so the way through the
//! scanners, which begins anew with each, is spared.
//!
//! No Python twin: there a regular expression finds the pretokens.

use super::classes::{Class, Scripted, may_be_listed};
use super::reader::scripted_at;
use crate::scripts::is_real;
use crate::unicode::COMMON;

/// What a code point is to a pretoken of one letter.
enum Part {
    Letter,
    /// Goes with the letter before it.
    Mark,
    Neither,
    /// A letter if one of a listed script follows, else it is not certain.
    MaybeLetter,
    /// Whether it goes with the letter before it is not certain.
    MaybeMark,
}

/// Whether a letter of a listed script may stand at `at` or behind a space there.
#[inline]
fn may_start(bytes: &[u8], at: usize) -> bool {
    let at = at + usize::from(bytes[at] == b' ');
    bytes.get(at..).and_then(|rest| rest.first_chunk()).is_some_and(|&two| may_be_listed(two))
}

/// Where the pretokens ` ?[H][T]*` end that follow each other from `at` on (SPEC section 3.4): one
/// bit for each place from there, as far as they are certain.
#[inline]
pub(super) fn ends_of_listed(bytes: &[u8], at: usize) -> u64 {
    if may_start(bytes, at) { ends_from_listed(bytes, at) } else { 0 }
}

fn ends_from_listed(bytes: &[u8], at: usize) -> u64 {
    let mut current = COMMON;
    ends_from(bytes, at, |Scripted { class, script }| match class {
        Class::ListedLetter => {
            current = script;
            Part::Letter
        }
        Class::Mark => Part::Mark,
        Class::ListedMark => {
            if !is_real(current) {
                current = script;
            }
            if script == current { Part::Mark } else { Part::Neither }
        }
        _ => Part::Neither,
    })
}

/// The same for ` ?\p{L}\p{M}*` in chunks of listed scripts (SPEC sections 3.1 and 3.2).
#[inline]
pub(super) fn ends_in_chunks(bytes: &[u8], at: usize) -> u64 {
    if may_start(bytes, at) { ends_from_chunks(bytes, at) } else { 0 }
}

fn ends_from_chunks(bytes: &[u8], at: usize) -> u64 {
    let mut current = COMMON;
    ends_from(bytes, at, |Scripted { class, script }| match class {
        Class::ListedLetter if is_real(script) => {
            current = script;
            Part::Letter
        }
        Class::ListedMark if script == current => Part::Mark,
        Class::ListedLetter => Part::MaybeLetter,
        Class::Mark => Part::MaybeMark,
        _ => Part::Neither,
    })
}

#[inline]
fn ends_from(bytes: &[u8], at: usize, mut part_of: impl FnMut(Scripted) -> Part) -> u64 {
    let mut ends = 0;
    let mut start = at;
    loop {
        // `start` is where a pretoken may begin, `end` how far it is known
        let end = start + usize::from(bytes.get(start) == Some(&b' '));
        let (first, len) = scripted_at(bytes, end);
        match part_of(first) {
            Part::Letter => {}
            Part::MaybeLetter
                if matches!(part_of(scripted_at(bytes, end + len).0), Part::Letter) => {}
            _ => return ends,
        }
        let mut end = end + len;
        loop {
            let (next, len) = scripted_at(bytes, end);
            match part_of(next) {
                Part::Mark => end += len,
                Part::MaybeMark => return ends,
                Part::Letter | Part::MaybeLetter | Part::Neither => break,
            }
        }
        if end - at >= u64::BITS as usize {
            return ends;
        }
        ends |= 1 << (end - at);
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pretokenize::gpt4o;
    use crate::pretokenize::in_chunk::{Around, InChunk};
    use crate::pretokenize::reader::OneScript;

    // letters, marks and others of two listed scripts, what has no script, and a script not listed
    const PIECES: [&str; 19] = [
        "\u{1CF7}", "ก", "\u{E31}", "ข", "๑", "漢", "\u{302A}", "ー", "カ", " ", "  ", "\u{301}",
        "\u{200D}", "\n", "1", ".", "д", "a", "\u{93E}",
    ];

    /// Compares what is found at once with `scan`, which finds one end after the other.
    fn check(ends_from: impl Fn(&[u8], usize) -> u64, scan: impl Fn(&[u8], usize) -> usize) {
        let mut state = 7_u64;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % bound
        };
        let mut found = 0;
        for _ in 0..20_000 {
            let kinds: Vec<&str> = (0..1 + below(5)).map(|_| PIECES[below(PIECES.len())]).collect();
            let text: String = (0..below(40)).map(|_| kinds[below(kinds.len())]).collect();
            let bytes = text.as_bytes();
            let mut at = 0;
            while at < bytes.len() {
                let mut ends = ends_from(bytes, at);
                let mut end = at;
                while ends != 0 {
                    end = scan(bytes, end);
                    assert_eq!(at + ends.trailing_zeros() as usize, end, "{text:?} from {at}");
                    ends &= ends - 1;
                    found += 1;
                }
                at = scan(bytes, at);
            }
        }
        assert!(found > 100_000, "{found}");
    }

    #[test]
    fn letters_end_where_the_scanners_find_it() {
        check(ends_of_listed, |bytes, at| gpt4o::pretoken_end(&mut OneScript::new(bytes), at));
        check(ends_in_chunks, |bytes, at| {
            gpt4o::pretoken_end(&mut InChunk::new(bytes, at, &mut Around::new()), at)
        });
    }

    #[test]
    fn sixty_four_bytes_are_told_at_once() {
        let thai = "กข".repeat(20);
        assert_eq!(ends_of_listed(thai.as_bytes(), 0).count_ones(), 21);
        let marks = format!("ก{}", "\u{E31}".repeat(30));
        assert_eq!(ends_of_listed(marks.as_bytes(), 0), 0);
        let one_more = format!("ก{}ข", "\u{E31}".repeat(20));
        assert_eq!(ends_in_chunks(one_more.as_bytes(), 0), 1 << 63);
    }
}
