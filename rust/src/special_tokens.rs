//! Special tokens: declared strings that cut a text before anything else sees it (SPEC 9.1).

use aho_corasick::{AhoCorasick, AhoCorasickKind, FindIter, MatchKind};
use hashbrown::HashMap;

use crate::error::{Error, ErrorKind, Result};
use crate::header::parse_number;
use crate::settings::MAX_IDS;

/// Refuses what cannot be a list of special tokens.
///
/// # Errors
/// [`ErrorKind::Settings`] if one is empty or repeats an earlier one.
pub fn check_special_tokens<S: AsRef<str>>(special_tokens: &[S]) -> Result<()> {
    let error = |text| Err(Error::new(ErrorKind::Settings, text));
    let mut first = HashMap::new();
    for (index, token) in special_tokens.iter().map(AsRef::as_ref).enumerate() {
        if token.is_empty() {
            return error(format!(
                "special token {index} is empty: it needs at least one character"
            ));
        }
        if let Some(earlier) = first.insert(token, index) {
            return error(format!(
                "special token {index} repeats special token {earlier}: '{token}'"
            ));
        }
    }
    Ok(())
}

/// Refuses what cannot be the ids of so many special tokens, which they follow in order.
///
/// # Errors
/// [`ErrorKind::Settings`] if they do not ascend, are too large, or there is not one for each.
pub fn check_special_ids(special_ids: &[u64], special_tokens: usize) -> Result<()> {
    let error = |text| Err(Error::new(ErrorKind::Settings, text));
    if special_ids.is_empty() || special_ids.len() != special_tokens {
        return error("special_ids must be one number for each of the special tokens");
    }
    let fits = special_ids.last().is_none_or(|&last| last < MAX_IDS as u64);
    if !fits || !special_ids.is_sorted_by(|one, two| one < two) {
        return error("special_ids must ascend and be below 2^31 - 1");
    }
    Ok(())
}

/// The ids of so many special tokens, from decimal digits.
///
/// # Errors
/// [`ErrorKind::Settings`] if one is no number, or as [`check_special_ids`].
pub(crate) fn read_special_ids(digits: &[String], special_tokens: usize) -> Result<Vec<u32>> {
    let numbers: Option<Vec<u64>> = digits.iter().map(|id| parse_number(id.as_bytes())).collect();
    let Some(numbers) = numbers else {
        let text = "special_ids must be whole numbers in decimal digits";
        return Err(Error::new(ErrorKind::Settings, text));
    };
    check_special_ids(&numbers, special_tokens)?;
    Ok(numbers.into_iter().map(|id| id as u32).collect())
}

/// A checked list of special tokens, ready to cut texts. Cheap to clone.
///
/// ```
/// let special = superword::special_tokens::SpecialTokens::new(&["<s>".to_string()])?;
/// let parts: Vec<_> = special.split("a<s>b").collect();
/// assert_eq!(parts, [("a", None), ("<s>", Some(0)), ("b", None)]);
/// # Ok::<(), superword::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SpecialTokens {
    searcher: Option<AhoCorasick>,
}

impl SpecialTokens {
    /// Checks the list and prepares the search.
    ///
    /// # Errors
    /// [`ErrorKind::Settings`], see [`check_special_tokens`].
    pub fn new<S: AsRef<str>>(special_tokens: &[S]) -> Result<Self> {
        check_special_tokens(special_tokens)?;
        if special_tokens.is_empty() {
            return Ok(Self { searcher: None });
        }
        // The other automata can take a hundred times the memory of the strings.
        let searcher = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .match_kind(MatchKind::LeftmostLongest)
            .build(special_tokens.iter().map(AsRef::as_ref))
            .map_err(|_| {
                Error::new(ErrorKind::Settings, "the special tokens are too long in all")
            })?;
        Ok(Self { searcher: Some(searcher) })
    }

    /// Cuts a text at the special tokens, leftmost first, then longest: the parts in order, each
    /// with the index of its special token, or `None` for an ordinary part (never empty).
    pub fn split<'a>(&'a self, text: &'a str) -> Split<'a> {
        let matches = self.searcher.as_ref().map(|searcher| searcher.find_iter(text));
        Split { matches, text, start: 0, pending: None }
    }
}

/// The parts of a text, see [`SpecialTokens::split`].
pub struct Split<'a> {
    matches: Option<FindIter<'a, 'a>>,
    text: &'a str,
    start: usize,
    pending: Option<(&'a str, Option<u32>)>,
}

impl<'a> Iterator for Split<'a> {
    type Item = (&'a str, Option<u32>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.pending.is_some() {
            return self.pending.take();
        }
        let found = self.matches.as_mut().and_then(Iterator::next);
        let end = found.as_ref().map_or(self.text.len(), |found| found.start());
        let ordinary = &self.text[self.start..end];
        self.start = end;
        if let Some(found) = found {
            self.pending = Some((&self.text[found.range()], Some(found.pattern().as_u32())));
            self.start = found.end();
        }
        if ordinary.is_empty() { self.pending.take() } else { Some((ordinary, None)) }
    }
}

/// What one call does with the special tokens of a model.
pub(crate) struct Gate {
    /// The number of each token of `cut`.
    pub(crate) allowed: Vec<u32>,
    /// Cuts the text.
    pub(crate) cut: SpecialTokens,
    /// Is an error in what is left.
    refused: SpecialTokens,
}

impl Gate {
    /// For the tokens `names`, which are those of `every`: `allowed` are recognized, the others
    /// refused; with `None` all are plain text.
    pub(crate) fn new(
        names: &[String],
        every: &SpecialTokens,
        allowed: Option<&[u32]>,
    ) -> Result<Self> {
        let Some(allowed) = allowed else {
            let none = SpecialTokens::new::<&str>(&[])?;
            return Ok(Self { allowed: Vec::new(), cut: none.clone(), refused: none });
        };
        let mut is_allowed = vec![false; names.len()];
        for &index in allowed {
            let Some(place) = is_allowed.get_mut(index as usize) else {
                let size = names.len();
                return Err(Error::new(
                    ErrorKind::Encoding,
                    format!("special token {index} cannot be allowed: the model has {size}"),
                ));
            };
            *place = true;
        }
        let (allowed, refused): (Vec<u32>, Vec<u32>) =
            (0..names.len() as u32).partition(|&index| is_allowed[index as usize]);
        let choose = |indices: &[u32]| {
            if indices.len() == names.len() {
                return Ok(every.clone());
            }
            let chosen: Vec<_> = indices.iter().map(|&i| &names[i as usize]).collect();
            SpecialTokens::new(&chosen)
        };
        let (cut, refused) = (choose(&allowed)?, choose(&refused)?);
        Ok(Self { allowed, cut, refused })
    }

    /// The first refused token in a part of a text, and where it starts.
    pub(crate) fn find_refused<'a>(&'a self, part: &'a str) -> Option<(&'a str, usize)> {
        let mut at = 0;
        for (piece, index) in self.refused.split(part) {
            if index.is_some() {
                return Some((piece, at));
            }
            at += piece.len();
        }
        None
    }
}

/// Cuts a text at the special tokens, see [`SpecialTokens::split`].
///
/// # Errors
/// [`ErrorKind::Settings`], see [`check_special_tokens`].
pub fn split_special_tokens<'t, S: AsRef<str>>(
    text: &'t str,
    special_tokens: &[S],
) -> Result<Vec<(&'t str, Option<u32>)>> {
    let special = SpecialTokens::new(special_tokens)?;
    let mut start = 0;
    let parts = special.split(text).map(|(part, index)| {
        start += part.len();
        (&text[start - part.len()..start], index)
    });
    Ok(parts.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftmost_then_longest() {
        let parts = split_special_tokens("xabcd", &["bcd", "ab", "abc"]).unwrap();
        assert_eq!(parts, [("x", None), ("abc", Some(2)), ("d", None)]);
        assert_eq!(split_special_tokens("", &["a"]).unwrap(), []);
        assert_eq!(split_special_tokens("aa", &["a"]).unwrap(), [("a", Some(0)), ("a", Some(0))]);
        let none: [&str; 0] = [];
        assert_eq!(split_special_tokens("aa", &none).unwrap(), [("aa", None)]);
    }

    #[test]
    fn a_long_token_takes_a_small_multiple_of_its_bytes() {
        let token: String = (0..100_000u32).filter_map(char::from_u32).collect();
        let special = SpecialTokens::new(&[&token]).unwrap();
        assert!(special.searcher.as_ref().unwrap().memory_usage() < 40 * token.len());
        assert_eq!(special.split(&token).next(), Some((token.as_str(), Some(0))));
    }
}
