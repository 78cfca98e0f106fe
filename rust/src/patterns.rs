//! The named patterns, and their classes as explicit ranges (SPEC sections 3.2 and 3.4).
//!
//! An engine never sees a class by name: engines disagree about more than 17,000 code points.

use crate::unicode::{BLOCK_LEN, BLOCK_OF, BLOCKS, CATEGORIES, RECORDS, SCRIPTS, WHITE_SPACE};

/// Ranges of code points as (first, last), ascending.
pub type Ranges = Vec<(u32, u32)>;

/// The named patterns as (name, pattern).
pub const NAMED_PATTERNS: [(&str, &str); 4] = [
    ("gpt2", r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"),
    (
        "gpt4",
        concat!(
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}",
            r"| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
        ),
    ),
    (
        "gpt4o",
        concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ),
    ),
    (
        "gpt4o-script",
        r" ?\p{L}\p{M}*|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ),
];
/// The scripts that are cut letter by letter.
pub const LISTED_SCRIPTS: [&str; 7] =
    ["Han", "Hiragana", "Katakana", "Thai", "Myanmar", "Khmer", "Lao"];
/// Japanese letters whose script is Common.
pub const JAPANESE_COMMON: [(u32, u32); 6] = [
    (0x3006, 0x3006),
    (0x3031, 0x3035),
    (0x303C, 0x303C),
    (0x30FC, 0x30FC),
    (0xFF70, 0xFF70),
    (0xFF9E, 0xFF9F),
];
/// Simple case folding 17.0 joins one more character to one of the letters of the contractions.
const FOLDS_TO_S: u32 = 0x017F;
const SURROGATES: (u32, u32) = (0xD800, 0xDFFF);
const LAST: u32 = 0x10FFFF;

/// Returns a named pattern with every class, set and `(?i:` group as explicit ranges.
///
/// `pattern` is one of [`NAMED_PATTERNS`] or a part of one: this is no parser of custom patterns.
/// SPEC sections 3.2 and 3.3.
///
/// ```
/// use superword::patterns::expand_pattern;
/// assert_eq!(expand_pattern(r"[\r\n]*(?i:'s)"), r"[\u000A\u000D]*(?:'[\u0053\u0073\u017F])");
/// ```
pub fn expand_pattern(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    let mut fold = false;
    while let Some(char) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("(?i:") {
            out.push_str("(?:");
            rest = after;
            fold = true;
        } else if char == '[' {
            let ranges;
            (ranges, rest) = read_set(rest, fold);
            out.push_str(&format_set(&ranges));
        } else if char == '\\' || (fold && char.is_ascii_alphabetic()) {
            let ranges;
            (ranges, rest) = read_item(rest, fold);
            out.push_str(&format_set(&ranges));
        } else {
            fold = fold && char != ')';
            out.push(char);
            rest = &rest[char.len_utf8()..];
        }
    }
    out
}

/// Returns the two patterns of `gpt4o-uniscript`: alternatives 1 to 5, and 6. SPEC section 3.4.
///
/// ```
/// use superword::patterns::{expand_pattern, uniscript_patterns};
/// assert_eq!(uniscript_patterns().1, expand_pattern(r"\s*[\r\n]+|\s+(?!\S)|\s+"));
/// ```
pub fn uniscript_patterns() -> (String, String) {
    let scripts: Vec<_> = LISTED_SCRIPTS.iter().map(|name| script(name)).collect();
    let listed = union(&scripts.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let taken_out = complement(&union(&[&listed, &JAPANESE_COMMON]));
    let marks = category("M");
    let letter = format_set(&union(&[&intersection(&category("L"), &listed), &JAPANESE_COMMON]));
    let trailing = format_set(&intersection(
        &marks,
        &union(&[&script("Common"), &script("Inherited"), &listed]),
    ));
    let caseless = union(&[&category("Lm"), &category("Lo"), &marks]);
    let upper = union(&[&category("Lu"), &category("Lt"), &caseless]);
    let upper = format_set(&intersection(&upper, &taken_out));
    let lower = format_set(&intersection(&union(&[&category("Ll"), &caseless]), &taken_out));
    let prefix = expand_pattern(r"[^\r\n\p{L}\p{N}]?");
    let contraction = expand_pattern("(?i:'s|'t|'re|'ve|'m|'ll|'d)?");
    let rest = expand_pattern(r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*");
    (
        format!(
            " ?{letter}{trailing}*\
             |{prefix}{upper}*{lower}+{contraction}\
             |{prefix}{upper}+{lower}*{contraction}\
             |{rest}"
        ),
        expand_pattern(r"\s*[\r\n]+|\s+(?!\S)|\s+"),
    )
}

/// Returns a set of explicit ranges that both engines read alike: nothing in it is special.
///
/// ```
/// use superword::patterns::format_set;
/// assert_eq!(format_set(&[(0x41, 0x5A), (0x1F600, 0x1F600)]), r"[\u0041-\u005A\U0001F600]");
/// ```
pub fn format_set(ranges: &[(u32, u32)]) -> String {
    let escape = |code: u32| {
        if code < 0x10000 { format!("\\u{code:04X}") } else { format!("\\U{code:08X}") }
    };
    let mut out = String::from("[");
    for &(first, last) in ranges {
        out.push_str(&escape(first));
        if last != first {
            out.push('-');
            out.push_str(&escape(last));
        }
    }
    out.push(']');
    out
}

/// Returns the ranges of what is in any of the parts, ascending.
///
/// ```
/// use superword::patterns::union;
/// assert_eq!(union(&[&[(5, 7)], &[(1, 2), (8, 9)]]), [(1, 2), (5, 9)]);
/// ```
pub fn union(parts: &[&[(u32, u32)]]) -> Ranges {
    let mut all = parts.concat();
    all.sort_unstable();
    let mut merged: Ranges = Vec::new();
    for (first, last) in all {
        match merged.last_mut() {
            Some(before) if first <= before.1 + 1 => before.1 = before.1.max(last),
            _ => merged.push((first, last)),
        }
    }
    merged
}

/// Returns the ranges of the scalar values that are not in `ranges` (ascending).
///
/// ```
/// use superword::patterns::complement;
/// let gaps = complement(&[(0, 0xD7FE), (0xE001, 0x10FFFF)]);
/// assert_eq!(gaps, [(0xD7FF, 0xD7FF), (0xE000, 0xE000)]);
/// ```
pub fn complement(ranges: &[(u32, u32)]) -> Ranges {
    let mut gaps = Vec::new();
    let mut start = 0;
    for (first, last) in union(&[ranges, &[SURROGATES]]) {
        if start < first {
            gaps.push((start, first - 1));
        }
        start = last + 1;
    }
    if start <= LAST {
        gaps.push((start, LAST));
    }
    gaps
}

/// Returns the ranges of what is in both.
///
/// ```
/// use superword::patterns::intersection;
/// assert_eq!(intersection(&[(1, 5), (8, 9)], &[(4, 8)]), [(4, 5), (8, 8)]);
/// ```
pub fn intersection(left: &[(u32, u32)], right: &[(u32, u32)]) -> Ranges {
    complement(&union(&[&complement(left), &complement(right)]))
}

/// A general category, or the union of those that start with one letter.
fn category(name: &str) -> Ranges {
    ranges_where(|record| CATEGORIES[usize::from(record.0)].starts_with(name))
}

fn script(name: &str) -> Ranges {
    ranges_where(|record| SCRIPTS[usize::from(record.1)] == name)
}

/// The ranges that the Python tables hold ready.
pub(crate) fn ranges_where(wanted: impl Fn((u8, u8, u8)) -> bool) -> Ranges {
    let wanted: Vec<bool> = RECORDS.iter().map(|&record| wanted(record)).collect();
    // a bit for each code point of a block
    let masks: Vec<u64> = BLOCKS
        .chunks(BLOCK_LEN)
        .map(|block| (0..block.len()).map(|i| u64::from(wanted[block[i] as usize]) << i).sum())
        .collect();
    let mut ranges: Ranges = Vec::new();
    let mut add = |first: u32, last: u32| match ranges.last_mut() {
        Some(before) if before.1 + 1 == first => before.1 = last,
        _ => ranges.push((first, last)),
    };
    for (block, start) in BLOCK_OF.iter().zip((0..).step_by(BLOCK_LEN)) {
        let mask = masks[*block as usize];
        if mask == u64::MAX {
            add(start, start + BLOCK_LEN as u32 - 1);
        } else if mask != 0 {
            let codes = (0..BLOCK_LEN as u32).filter(|bit| mask >> bit & 1 == 1);
            codes.for_each(|bit| add(start + bit, start + bit));
        }
    }
    ranges
}

/// Reads the set at the start of `rest`; returns its ranges and what follows it.
fn read_set(rest: &str, fold: bool) -> (Ranges, &str) {
    let rest = &rest[1..];
    let (negated, mut rest) = match rest.strip_prefix('^') {
        Some(after) => (true, after),
        None => (false, rest),
    };
    let mut ranges = Vec::new();
    while !rest.is_empty() && !rest.starts_with(']') {
        let item;
        (item, rest) = read_item(rest, fold);
        ranges = union(&[&ranges, &item]);
    }
    let ranges = if negated { complement(&ranges) } else { ranges };
    (ranges, rest.strip_prefix(']').unwrap_or(rest))
}

/// Reads the class or the literal at the start of `rest`; returns its ranges and what follows it.
fn read_item(rest: &str, fold: bool) -> (Ranges, &str) {
    if let Some(after) = rest.strip_prefix(r"\p{")
        && let Some((name, after)) = after.split_once('}')
    {
        return (category(name), after);
    }
    let white_space = || ranges_where(|record| record.2 & WHITE_SPACE != 0);
    if let Some(after) = rest.strip_prefix(r"\s") {
        return (white_space(), after);
    }
    if let Some(after) = rest.strip_prefix(r"\S") {
        return (complement(&white_space()), after);
    }
    if let Some(after) = rest.strip_prefix(r"\r") {
        return (vec![(0x0D, 0x0D)], after);
    }
    if let Some(after) = rest.strip_prefix(r"\n") {
        return (vec![(0x0A, 0x0A)], after);
    }
    let mut chars = rest.chars();
    let Some(char) = chars.next() else { return (Vec::new(), rest) };
    let code = u32::from(char);
    let mut ranges = vec![(code, code)];
    if fold && char.is_ascii_alphabetic() {
        let other = code ^ 0x20;
        ranges = union(&[&ranges, &[(other, other)]]);
        if char == 's' {
            ranges.push((FOLDS_TO_S, FOLDS_TO_S));
        }
    }
    (ranges, chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_class_is_left_by_name() {
        for (name, pattern) in NAMED_PATTERNS {
            let expanded = expand_pattern(pattern);
            for class in ["\\p", "\\s", "\\S", "\\r", "(?i"] {
                assert!(!expanded.contains(class), "{name} still has {class}");
            }
            assert!(fancy_regex::Regex::new(&expanded).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_set_and_its_complement_hold_every_scalar_value_once() {
        let letters = category("L");
        let others = complement(&letters);
        let size = |ranges: &Ranges| ranges.iter().map(|&(a, b)| b - a + 1).sum::<u32>();
        assert_eq!(size(&letters) + size(&others), 1_112_064);
        assert_eq!(intersection(&letters, &others), []);
    }
}
