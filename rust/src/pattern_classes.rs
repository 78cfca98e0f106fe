//! The classes that a custom pattern names, as explicit ranges (SPEC sections 2 and 3.3).

use crate::patterns::{Ranges, complement, ranges_where, union};
use crate::unicode::{CATEGORIES, EXTENDED_PICTOGRAPHIC, SCRIPTS, SIMPLE_FOLDING, WHITE_SPACE};

/// Returns what `\p{name}` holds, or `None` if the grammar has no such name.
///
/// Names are general categories of one or two letters, `Script=` with a long name, `White_Space`
/// and `Extended_Pictographic`, spelled exactly so.
///
/// ```
/// use superword::pattern_classes::class_ranges;
/// assert_eq!(class_ranges("Zl"), Some(vec![(8232, 8232)]));
/// assert_eq!(class_ranges("Letter"), None);
/// ```
pub fn class_ranges(name: &str) -> Option<Ranges> {
    match name {
        "White_Space" => return Some(ranges_where(|record| record.2 & WHITE_SPACE != 0)),
        "Extended_Pictographic" => {
            return Some(ranges_where(|record| record.2 & EXTENDED_PICTOGRAPHIC != 0));
        }
        _ => {}
    }
    if let Some(script) = name.strip_prefix("Script=") {
        let index = SCRIPTS.iter().position(|&known| known == script)?;
        // surrogates have the script Unknown, but they are no characters
        let ranges = ranges_where(|record| usize::from(record.1) == index);
        return Some(complement(&complement(&ranges)));
    }
    // surrogates have a category of their own, but they are no characters
    let known = |category: &str| category == name || category.get(..1) == Some(name);
    let wanted = |category: &str| category != "Cs" && known(category);
    CATEGORIES
        .iter()
        .any(|&category| wanted(category))
        .then(|| ranges_where(|record| wanted(CATEGORIES[usize::from(record.0)])))
}

/// Returns everything that simple case folding makes equal to something in `ranges`.
///
/// ```
/// use superword::pattern_classes::fold_ranges;
/// assert_eq!(fold_ranges(&[(0x6B, 0x6B)]), [(75, 75), (107, 107), (8490, 8490)]);
/// ```
pub fn fold_ranges(ranges: &[(u32, u32)]) -> Ranges {
    let one = |code| (code, code);
    let targets: Ranges =
        folded().filter(|&(code, _)| holds(ranges, code)).map(|(_, to)| one(to)).collect();
    let targets = union(&[ranges, &targets]);
    let sources: Ranges =
        folded().filter(|&(_, to)| holds(&targets, to)).map(|(code, _)| one(code)).collect();
    union(&[&targets, &sources])
}

fn holds(ranges: &[(u32, u32)], code: u32) -> bool {
    let at = ranges.partition_point(|&(first, _)| first <= code);
    at > 0 && code <= ranges[at - 1].1
}

/// (code point, what it folds to) for each that does not fold to itself.
fn folded() -> impl Iterator<Item = (u32, u32)> {
    SIMPLE_FOLDING.iter().flat_map(|&(first, last, step, offset)| {
        let codes = (first..=last).step_by(step as usize);
        codes.map(move |code| (code, code.wrapping_add_signed(offset)))
    })
}
