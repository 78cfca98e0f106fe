//! All sequences in one row of slots, so that a merge costs what it touches, not whole sequences.
//!
//! A slot holds a unit: a byte in phase 1, a pretoken in phase 2. A token fills as many slots as
//! it has units and is written into its first and its last one, so its neighbours are found
//! without links: one `u32` per unit is all there is. A sentinel stands before, between and after
//! the sequences. (The Python twin links its slots instead, which reads better.)

use hashbrown::HashMap;

use crate::error::{Error, ErrorKind, Result};
use crate::settings::MAX_COUNT;
use crate::ticker::Ticker;

/// The token of a sentinel.
pub const END: u32 = u32::MAX;
/// In the slot where a token started that was merged into its left neighbour.
const DEAD: u32 = u32::MAX - 1;
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

/// The tokens of all sequences of two or more, most frequent sequences first.
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
}

impl Arena {
    /// Lays out sequences, given as in the tables: all items, where each sequence ends in them,
    /// and the counts. `token` maps an item to its token, one of `tokens`.
    ///
    /// # Errors
    /// [`ErrorKind::Training`] if a count of pairs could pass 2^63 - 1 (the counts of all
    /// sequences, each times its length, are summed), or if there are too many slots.
    pub fn new<T: Copy>(
        items: &[T],
        ends: &[usize],
        counts: &[u64],
        tokens: usize,
        token: impl Fn(T) -> u32,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<Self> {
        let start = |i: usize| if i == 0 { 0 } else { ends[i - 1] };
        let mut order = Vec::new();
        let (mut total, mut length) = (0_u128, 1_u64);
        for (i, (&end, &count)) in ends.iter().zip(counts).enumerate() {
            let here = end - start(i);
            total += here as u128 * u128::from(count);
            if total > u128::from(MAX_COUNT) {
                return Err(Error::new(ErrorKind::Training, "a count would pass 2^63 - 1"));
            }
            if here > 1 && count > 0 {
                order.push(i);
                length += here as u64 + 1;
            }
            if length > MAX_SLOTS {
                return Err(Error::new(
                    ErrorKind::Training,
                    "the distinct pretokens or candidates are more than 2^32 - 1 tokens long; \
                     train on fewer documents",
                ));
            }
        }
        // Then a slot's count follows from a short list of group borders.
        order.sort_unstable_by_key(|&i| (std::cmp::Reverse(counts[i]), i));
        let mut arena = Self {
            slots: Vec::with_capacity(length as usize),
            spans: vec![1; tokens],
            forms: vec![],
            form_numbers: HashMap::new(),
            groups: vec![],
            group_of_block: vec![],
        };
        arena.slots.push(END);
        for i in order {
            if arena.groups.last().is_none_or(|&(_, count)| count != counts[i]) {
                arena.groups.push((arena.slots.len() as u32, counts[i]));
            }
            arena.slots.extend(items[start(i)..ends[i]].iter().map(|&item| token(item)));
            arena.slots.push(END);
            ticker.work(ends[i] - start(i))?;
        }
        let mut group = 0;
        for block in 0..arena.slots.len().div_ceil(BLOCK) {
            group = arena.group_at(group, block * BLOCK);
            arena.group_of_block.push(group as u32);
        }
        Ok(arena)
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

    /// Every slot where a token starts that has a right neighbour, in order, with the two tokens.
    pub fn adjacent(&self) -> impl Iterator<Item = (usize, u32, u32)> {
        let mut slot = 0;
        std::iter::from_fn(move || {
            while slot + 1 < self.slots.len() {
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

    /// Puts `new` in the place of the tokens that start at `first` and `second`.
    #[inline]
    pub fn join(&mut self, first: usize, second: usize, new: u32) {
        let span = self.span(first) + self.span(second);
        let number = self.number(new, span as u32);
        // What was recorded as starting at `second` must not be found there again.
        self.slots[second] = DEAD;
        self.slots[first] = number;
        self.slots[first + span - 1] = number;
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
        Arena::new(&table.items, &table.ends, &table.counts, 10, |item| item, &mut ticker)
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
