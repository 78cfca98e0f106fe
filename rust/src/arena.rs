//! All sequences in one row of slots, so that a merge costs what it touches, not whole sequences.
//!
//! A slot holds a unit: a byte in phase 1, a pretoken in phase 2. A token fills as many slots as
//! it has units and is written into its first and its last one, so its neighbours are found
//! without links: one `u32` per unit is all there is. A sentinel stands before, between and after
//! the sequences. (The Python twin links its slots instead, which reads better.)

use std::ops::Range;

use hashbrown::HashMap;

use crate::error::{Error, ErrorKind, Result};
use crate::settings::MAX_COUNT;
use crate::ticker::Ticker;

/// The token of a sentinel.
pub const END: u32 = u32::MAX;
/// In the slot where a token started that was merged into its left neighbour.
pub const DEAD: u32 = u32::MAX - 1;
/// Slots are numbered with 32 bits.
const MAX_SLOTS: u64 = u32::MAX as u64;
/// The group of a slot is looked up per block of so many slots.
const BLOCK: usize = 256;

/// One byte string has one number, but supermerges can make it of different numbers of pretokens.
/// A slot holds the number of a token that has the span in which it was made first, and for any
/// other span this much plus the number of a form.
const FORMS: u32 = 1 << 31;

/// A token with a span that it had not at first.
#[derive(Clone, Copy, Debug)]
struct Form {
    token: u32,
    span: u32,
}

/// The tokens of all sequences of two or more, in each row the most frequent sequences first.
#[derive(Debug, Default)]
pub struct Arena {
    slots: Vec<u32>,
    /// How many slots each token filled when it was made first.
    spans: Vec<u32>,
    forms: Vec<Form>,
    form_numbers: HashMap<(u32, u32), u32>,
    /// Where each group of sequences of one count starts, and that count.
    groups: Vec<(u32, u64)>,
    group_of_block: Vec<u32>,
    /// A bit for each slot, whether a token starts there; empty unless tokens are split.
    starts: Vec<u64>,
}

/// Counts below this have a list each when sequences are put in order.
const LISTS: usize = 1 << 12;

/// The indices that `is_in` names, by falling counts.
fn by_falling_counts(counts: &[u64], is_in: impl Fn(usize) -> bool) -> Vec<u32> {
    let list = |i: usize| LISTS - usize::try_from(counts[i]).unwrap_or(LISTS).min(LISTS);
    let indices = || (0..counts.len()).filter(|&i| is_in(i));
    let mut starts = vec![0; LISTS + 2];
    indices().for_each(|i| starts[list(i) + 1] += 1);
    let frequent = starts[1];
    for list in 0..=LISTS {
        starts[list + 1] += starts[list];
    }
    let mut order = vec![0; starts[LISTS + 1]];
    for i in indices() {
        let place = &mut starts[list(i)];
        order[*place] = i as u32;
        *place += 1;
    }
    order[..frequent].sort_by_key(|&i| std::cmp::Reverse(counts[i as usize]));
    order
}

/// Sequences laid out, a part of an arena.
pub struct Row {
    /// The sentinel before the first sequence, and all sequences each with the one behind it.
    slots: Vec<u32>,
    groups: Vec<(u32, u64)>,
    /// The counts of all sequences, each times its length.
    total: u128,
}

impl Row {
    /// Lays out sequences, given as in the tables: all items, where each sequence ends in them,
    /// and the counts. `token` maps an item to its token.
    ///
    /// # Errors
    /// [`ErrorKind::Training`] if a count of pairs could pass 2^63 - 1, or if there are too many
    /// slots.
    pub fn new<T: Copy>(
        items: &[T],
        ends: &[usize],
        counts: &[u64],
        token: impl Fn(T) -> u32,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<Self> {
        let start = |i: usize| if i == 0 { 0 } else { ends[i - 1] };
        let is_in = |i: usize| ends[i] - start(i) > 1 && counts[i] > 0;
        let (mut total, mut length) = (0_u128, 1_u64);
        for (i, &count) in counts.iter().enumerate() {
            let here = ends[i] - start(i);
            total += here as u128 * u128::from(count);
            length += if is_in(i) { here as u64 + 1 } else { 0 };
        }
        check_size(total, length)?;
        // Then a slot's count follows from a short list of group borders.
        let order = by_falling_counts(counts, is_in);
        let mut slots = Vec::with_capacity(length as usize);
        slots.push(END);
        let mut groups: Vec<(u32, u64)> = Vec::new();
        for i in order {
            let i = i as usize;
            if groups.last().is_none_or(|&(_, count)| count != counts[i]) {
                groups.push((slots.len() as u32, counts[i]));
            }
            slots.extend(items[start(i)..ends[i]].iter().map(|&item| token(item)));
            slots.push(END);
            ticker.work(ends[i] - start(i))?;
        }
        Ok(Self { slots, groups, total })
    }
}

/// Refuses sequences with so large a sum of counts times lengths, or of so many slots.
fn check_size(total: u128, slots: u64) -> Result<()> {
    if total > u128::from(MAX_COUNT) {
        return Err(Error::new(ErrorKind::Training, "a count would pass 2^63 - 1"));
    }
    if slots > MAX_SLOTS {
        return Err(Error::new(
            ErrorKind::Training,
            "the distinct pretokens or candidates are more than 2^32 - 1 tokens long; \
             train on fewer documents",
        ));
    }
    Ok(())
}

impl Arena {
    /// Rows one after the other; their tokens are below `tokens`.
    ///
    /// # Errors
    /// As for [`Row::new`], for all rows together.
    pub fn new(rows: impl IntoIterator<Item = Row>, tokens: usize) -> Result<Self> {
        let mut rows = rows.into_iter();
        let none = Row { slots: vec![END], groups: Vec::new(), total: 0 };
        let Row { mut slots, mut groups, mut total } = rows.next().unwrap_or(none);
        for row in rows {
            total += row.total;
            // the sentinel behind the last sequence stands before the next one, too
            let before = slots.len() - 1;
            check_size(total, (before + row.slots.len()) as u64)?;
            groups.extend(row.groups.iter().map(|&(start, count)| (before as u32 + start, count)));
            slots.extend_from_slice(&row.slots[1..]);
        }
        let mut arena = Self {
            slots,
            spans: vec![1; tokens],
            forms: vec![],
            form_numbers: HashMap::new(),
            groups,
            group_of_block: vec![],
            starts: vec![],
        };
        let mut group = 0;
        for block in 0..arena.slots.len().div_ceil(BLOCK) {
            group = arena.group_at(group, block * BLOCK);
            arena.group_of_block.push(group as u32);
        }
        Ok(arena)
    }

    /// Prepares for [`Self::split`]; all tokens are single bytes still.
    pub fn track_starts(&mut self) {
        self.starts = vec![u64::MAX; self.slots.len().div_ceil(64)];
    }

    /// Whether a token starts at a slot where one starts or ends. Where tokens are never split, one
    /// that ends at a slot has never started there, so nobody can take it for a start.
    #[inline]
    pub fn is_start(&self, slot: usize) -> bool {
        self.starts.is_empty() || self.starts[slot / 64] >> (slot % 64) & 1 == 1
    }

    /// How many slots there are.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The token that starts or ends at a slot, or [`END`]; some other number if none does.
    #[inline]
    pub fn token(&self, slot: usize) -> u32 {
        let token = self.slots[slot];
        if token < FORMS { token } else { self.form(token).map_or(token, |form| form.token) }
    }

    /// How many slots the token fills that starts or ends at a slot.
    #[inline]
    pub fn span(&self, slot: usize) -> usize {
        let token = self.slots[slot];
        let first = || self.spans[token as usize];
        (if token < FORMS { first() } else { self.form(token).map_or(1, |form| form.span) })
            as usize
    }

    fn form(&self, number: u32) -> Option<&Form> {
        self.forms.get((number - FORMS) as usize)
    }

    /// The count of the sequence of a slot.
    #[inline]
    pub fn weight(&self, slot: usize) -> u64 {
        let group = self.group_of_block[slot / BLOCK] as usize;
        self.groups[self.group_at(group, slot)].1
    }

    fn group_at(&self, mut group: usize, slot: usize) -> usize {
        while self.groups.get(group + 1).is_some_and(|&(start, _)| start as usize <= slot) {
            group += 1;
        }
        group
    }

    /// While each token fills one slot: the groups of sequences of one count, as the first slot, the
    /// slots with a sentinel behind each sequence, and that count.
    pub fn flat_groups(&self) -> Option<impl Iterator<Item = (usize, &[u32], u64)>> {
        let is_flat = self.forms.is_empty() && self.spans.iter().all(|&span| span == 1);
        let group = |(i, &(start, count)): (usize, &(u32, u64))| {
            let end = self.groups.get(i + 1).map_or(self.slots.len(), |&(next, _)| next as usize);
            (start as usize, &self.slots[start as usize..end], count)
        };
        is_flat.then(|| self.groups.iter().enumerate().map(group))
    }

    /// Every slot where a token starts that has a right neighbour, in order, with the two tokens.
    pub fn adjacent(&self) -> impl Iterator<Item = (usize, u32, u32)> {
        self.adjacent_in(0..self.slots.len())
    }

    /// As [`Self::adjacent`] in a range that starts and ends before a sentinel or at the end.
    pub fn adjacent_in(&self, range: Range<usize>) -> impl Iterator<Item = (usize, u32, u32)> {
        let mut slot = range.start;
        std::iter::from_fn(move || {
            while slot + 1 < range.end {
                let (here, token) = (slot, self.token(slot));
                slot += if token == END { 1 } else { self.span(slot) };
                let right = self.token(slot);
                if token != END && right != END {
                    return Some((here, token, right));
                }
            }
            None
        })
    }

    /// All slots in about `parts` ranges for [`Self::adjacent_in`].
    pub fn ranges(&self, parts: usize) -> Vec<Range<usize>> {
        let (mut ranges, mut start) = (Vec::new(), 0);
        for part in 1..=parts {
            let most = self.slots.len() as u128 * part as u128 / parts as u128;
            let most = start.max(most as usize);
            let to_end = self.slots[most..].iter().position(|&slot| slot == END);
            let end = to_end.map_or(self.slots.len(), |length| most + length);
            let end = if part == parts { self.slots.len() } else { end };
            ranges.push(start..end);
            start = end;
        }
        ranges
    }

    /// Puts `new` in the place of the tokens that start at `first` and `second`.
    #[inline]
    pub fn join(&mut self, first: usize, second: usize, new: u32) {
        let span = self.span(first) + self.span(second);
        let number = self.number(new, span as u32);
        // What was recorded as starting at `second` must not be found there again.
        self.slots[second] = DEAD;
        if let Some(starts) = self.starts.get_mut(second / 64) {
            *starts &= !(1 << (second % 64));
        }
        self.slots[first] = number;
        self.slots[first + span - 1] = number;
    }

    /// Puts parts in the place of the token that starts at a slot.
    pub fn split(&mut self, slot: usize, parts: &[u32]) {
        let mut here = slot;
        for &part in parts {
            let span = self.spans[part as usize] as usize;
            self.slots[here] = part;
            self.slots[here + span - 1] = part;
            self.starts[here / 64] |= 1 << (here % 64);
            here += span;
        }
    }

    /// The slots, the span of each token and the one count of all sequences, if there is no more to
    /// know: no token has several spans, and none is ever split. `new` is about to be made first.
    pub fn plain(&mut self, left: u32, right: u32, new: u32) -> Option<(&mut [u32], &[u32], u64)> {
        let [(_, count)] = self.groups[..] else { return None };
        if !self.forms.is_empty() || !self.starts.is_empty() {
            return None;
        }
        self.number(new, self.spans[left as usize] + self.spans[right as usize]);
        Some((&mut self.slots, &self.spans, count))
    }

    /// What slots hold for a token of this span.
    fn number(&mut self, token: u32, span: u32) -> u32 {
        match self.spans.get(token as usize) {
            Some(&first) if first == span => token,
            None => {
                self.spans.push(span);
                token
            }
            Some(_) => {
                let next = FORMS + self.forms.len() as u32;
                let number = *self.form_numbers.entry((token, span)).or_insert(next);
                if number == next {
                    self.forms.push(Form { token, span });
                }
                number
            }
        }
    }

    /// How many tokens equal to the one that ends before `slot` stand there in a row, and the slot
    /// at which they start.
    pub fn run_before(&self, slot: usize) -> (u64, usize) {
        let token = self.token(slot - 1);
        let (mut length, mut start) = (0, slot);
        while self.token(start - 1) == token {
            length += 1;
            start -= self.span(start - 1);
        }
        (length, start)
    }

    /// How many tokens equal to the one that starts at `slot` stand there in a row, and the slot
    /// after them.
    pub fn run_from(&self, slot: usize) -> (u64, usize) {
        let token = self.token(slot);
        let (mut length, mut end) = (0, slot);
        while self.token(end) == token {
            length += 1;
            end += self.span(end);
        }
        (length, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::no_progress;

    fn arena(sequences: &[(&[u32], u64)]) -> Result<Arena> {
        let mut table = crate::tables::SequenceCounts::default();
        for &(sequence, count) in sequences {
            table.push(sequence, count);
        }
        let mut quiet = no_progress;
        let mut ticker = Ticker::new(&mut quiet, "merges", 0);
        let row = Row::new(&table.items, &table.ends, &table.counts, |item| item, &mut ticker)?;
        Arena::new([row], 10)
    }

    #[test]
    fn frequent_sequences_come_first_and_short_ones_not_at_all() {
        let arena = arena(&[(&[1, 2], 3), (&[9], 90), (&[3, 4, 5], 7), (&[6, 6], 7)]).unwrap();
        assert_eq!(arena.slots, [END, 3, 4, 5, END, 6, 6, END, 1, 2, END]);
        assert_eq!(
            (1..10).map(|s| arena.weight(s)).collect::<Vec<_>>(),
            [7; 7].iter().copied().chain([3, 3]).collect::<Vec<_>>()
        );
        assert_eq!(arena.run_from(5), (2, 7));
        assert_eq!(arena.run_before(7), (2, 5));
    }

    #[test]
    fn rows_stand_one_after_the_other() {
        let mut quiet = no_progress;
        let ticker = &mut Ticker::new(&mut quiet, "merges", 0);
        let mut row = |items: &[u32], count| {
            Row::new(items, &[items.len()], &[count], |item| item, ticker).unwrap()
        };
        let long = vec![4; 3 * BLOCK];
        let rows = [row(&[1, 2], 3), row(&[9], 1), row(&[3, 4], 7), row(&long, 5), row(&[8, 8], 5)];
        let arena = Arena::new(rows, 10).unwrap();
        let slots = [&[END, 1, 2, END, 3, 4, END][..], &long, &[END, 8, 8, END]].concat();
        assert_eq!(arena.slots, slots);
        let last = slots.len() - 2;
        assert_eq!([1, 4, 7, last].map(|slot| arena.weight(slot)), [3, 7, 5, 5]);
        let all: Vec<_> = arena.adjacent().collect();
        assert_eq!((all.len(), all[0], all[1]), (3 * BLOCK + 2, (1, 1, 2), (4, 3, 4)));
        for parts in [1, 2, 3, 7, 2000] {
            let ranges = arena.ranges(parts).into_iter();
            let found: Vec<_> = ranges.flat_map(|range| arena.adjacent_in(range)).collect();
            assert_eq!(found, all);
        }
        assert_eq!(Arena::new([], 10).unwrap().adjacent().count(), 0);
        let mut many = |count| Arena::new([row(&[1, 2], count), row(&[1, 2], 1)], 10);
        assert!(many(MAX_COUNT / 2 - 1).is_ok());
        let error = many(MAX_COUNT / 2).unwrap_err();
        assert_eq!(error.message, "a count would pass 2^63 - 1");
    }

    #[test]
    fn the_order_is_by_falling_counts() {
        let most = LISTS as u64;
        let counts: Vec<u64> =
            (0..500).map(|i| [1, i % 7, most - 2 + i % 5, i << 40][i as usize % 4]).collect();
        let mut expected: Vec<u32> = (0..500).filter(|i| i % 3 != 0).collect();
        expected.sort_by_key(|&i| (std::cmp::Reverse(counts[i as usize]), i));
        assert_eq!(by_falling_counts(&counts, |i| i % 3 != 0), expected);
        assert!(by_falling_counts(&[], |_| true).is_empty());
    }

    #[test]
    fn one_token_may_have_two_spans() {
        let mut arena = arena(&[(&[1, 2, 3, 7, 3], 1)]).unwrap();
        arena.join(1, 2, 10);
        arena.join(1, 3, 7); // 1 2 3 together are what 7 is by itself
        assert_eq!((arena.token(1), arena.span(1)), (7, 3));
        assert_eq!((arena.token(4), arena.span(4)), (7, 1));
        assert_eq!(arena.run_before(5), (2, 1));
        arena.join(1, 4, 11);
        assert_eq!((arena.token(4), arena.span(4)), (11, 4));
        assert_ne!(arena.token(2), 2);
    }

    #[test]
    fn the_sum_of_all_counts_is_bounded() {
        assert!(arena(&[(&[1, 2], MAX_COUNT / 2), (&[1], 1)]).is_ok());
        for sequences in [&[(&[1_u32, 2][..], MAX_COUNT / 2), (&[1], 2)][..], &[(&[1], u64::MAX)]] {
            let error = arena(sequences).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Training);
            assert_eq!(error.message, "a count would pass 2^63 - 1");
        }
    }
}
