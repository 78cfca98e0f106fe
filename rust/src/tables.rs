//! Flat tables that stages hand to each other: distinct byte strings, and distinct sequences of
//! numbers, each with a count. No `String` or `Vec` per entry.

/// Distinct sequences with their counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table<T> {
    /// All sequences, one after the other.
    pub items: Vec<T>,
    /// Where each sequence ends in `items`.
    pub ends: Vec<usize>,
    /// The count of each sequence.
    pub counts: Vec<u64>,
}

/// Distinct byte strings with counts, ascending by bytes.
pub type PretokenCounts = Table<u8>;

/// Distinct sequences of numbers with counts: runs (of indices into a [`PretokenCounts`]) and
/// candidates (of creation numbers), in the order of the byte strings that the numbers stand for.
pub type SequenceCounts = Table<u32>;

impl<T: Copy> Table<T> {
    /// How many distinct sequences there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Sequence number `index`.
    pub fn get(&self, index: usize) -> &[T] {
        sequence(&self.items, &self.ends, index)
    }

    /// Appends a sequence with its count.
    pub fn push(&mut self, sequence: &[T], count: u64) {
        self.items.extend_from_slice(sequence);
        self.ends.push(self.items.len());
        self.counts.push(count);
    }

    /// All sequences with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (&[T], u64)> {
        (0..self.len()).map(|i| (self.get(i), self.counts[i]))
    }
}

/// Sequence number `index` of those that stand one after the other in `items`.
pub(crate) fn sequence<'i, T>(items: &'i [T], ends: &[usize], index: usize) -> &'i [T] {
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &items[start..ends[index]]
}
