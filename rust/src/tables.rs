//! Flat tables that stages hand to each other: distinct byte strings, and distinct sequences of
//! numbers, each with a count. No `String` or `Vec` per entry.

/// Distinct byte strings with counts, ascending by bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PretokenCounts {
    /// All strings, one after the other.
    pub bytes: Vec<u8>,
    /// Where each string ends in `bytes`.
    pub ends: Vec<usize>,
    /// The count of each string.
    pub counts: Vec<u64>,
}

impl PretokenCounts {
    /// How many distinct strings there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// String number `index`.
    pub fn get(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    /// Appends a string with its count.
    pub fn push(&mut self, pretoken: &[u8], count: u64) {
        self.bytes.extend_from_slice(pretoken);
        self.ends.push(self.bytes.len());
        self.counts.push(count);
    }

    /// All strings with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        (0..self.len()).map(|i| (self.get(i), self.counts[i]))
    }
}

/// Distinct sequences of numbers with counts: runs (of indices into a [`PretokenCounts`]) and
/// candidates (of creation numbers), in the order of the byte strings that the numbers stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SequenceCounts {
    /// All sequences, one after the other.
    pub items: Vec<u32>,
    /// Where each sequence ends in `items`.
    pub ends: Vec<usize>,
    /// The count of each sequence.
    pub counts: Vec<u64>,
}

impl SequenceCounts {
    /// How many distinct sequences there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Sequence number `index`.
    pub fn get(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.items[start..self.ends[index]]
    }

    /// Appends a sequence with its count.
    pub fn push(&mut self, sequence: &[u32], count: u64) {
        self.items.extend_from_slice(sequence);
        self.ends.push(self.items.len());
        self.counts.push(count);
    }

    /// All sequences with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (&[u32], u64)> {
        (0..self.len()).map(|i| (self.get(i), self.counts[i]))
    }
}
