//! Flat tables that stages hand to each other: distinct byte strings, and distinct sequences of
//! numbers, each with a count. No `String` or `Vec` per entry.

use std::ops::Range;

use crate::error::Result;

/// How many sequences are sorted between two calls of a poll function.
pub(crate) const POLL_EVERY: usize = 4096;

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

/// Distinct byte strings with counts.
pub type PretokenCounts = Table<u8>;

/// Distinct sequences of numbers with counts: runs (of indices into a [`PretokenCounts`]) and
/// candidates (of creation numbers).
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

    /// Where sequence number `index` stands in `items`.
    pub fn span(&self, index: usize) -> Range<usize> {
        span(&self.ends, index)
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

    /// The same sequences in another order: at each place the one that `order` says.
    pub fn arranged(&self, order: &[u32]) -> Self {
        let mut arranged =
            Self { items: Vec::with_capacity(self.items.len()), ends: vec![], counts: vec![] };
        for &index in order {
            arranged.push(self.get(index as usize), self.counts[index as usize]);
        }
        arranged
    }
}

impl<T: Copy + Ord> Table<T> {
    /// All indices in ascending order of their sequences. `bucket` is a small number that never
    /// falls along that order: the sort goes bucket by bucket, so that it can be polled.
    ///
    /// # Errors
    /// What `poll` returns.
    pub(crate) fn order(
        &self,
        bucket: impl Fn(&[T]) -> usize,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Vec<u32>> {
        let mut sizes: Vec<usize> = Vec::new();
        for (sequence, _) in self.iter() {
            let bucket = bucket(sequence);
            sizes.resize(sizes.len().max(bucket + 1), 0);
            sizes[bucket] += 1;
        }
        let mut next = 0;
        let mut places: Vec<usize> = sizes
            .iter()
            .map(|size| {
                next += size;
                next - size
            })
            .collect();
        let mut order = vec![0; self.len()];
        for index in 0..self.len() {
            let place = &mut places[bucket(self.get(index))];
            order[*place] = index as u32;
            *place += 1;
        }
        let mut rest = order.as_mut_slice();
        let mut unpolled = 0;
        for size in sizes {
            let (bucket, after) = rest.split_at_mut(size);
            bucket.sort_unstable_by(|&a, &b| self.get(a as usize).cmp(self.get(b as usize)));
            rest = after;
            unpolled += size;
            if unpolled >= POLL_EVERY {
                poll()?;
                unpolled = 0;
            }
        }
        Ok(order)
    }
}

/// Sequence number `index` of those that stand one after the other in `items`.
pub(crate) fn sequence<'i, T>(items: &'i [T], ends: &[usize], index: usize) -> &'i [T] {
    &items[span(ends, index)]
}

fn span(ends: &[usize], index: usize) -> Range<usize> {
    (if index == 0 { 0 } else { ends[index - 1] })..ends[index]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_in_buckets_is_sorting() {
        let mut table = Table::default();
        let mut expected: Vec<Vec<u8>> = Vec::new();
        for a in [255, 0, 1] {
            for b in [7, 0, 255] {
                for length in 0..4 {
                    let sequence = [a, b, b, a][..length].to_vec();
                    table.push(&sequence, 2);
                    expected.push(sequence);
                }
            }
        }
        expected.sort();
        let bucket = |x: &[u8]| x.first().map_or(0, |&first| usize::from(first));
        let order = table.order(bucket, &mut || Ok(())).unwrap();
        let sorted: Vec<_> = table.arranged(&order).iter().map(|(x, _)| x.to_vec()).collect();
        assert_eq!(sorted, expected);
    }
}
