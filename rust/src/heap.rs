//! Which pair comes next: the highest count, ties as ruled.
//!
//! Counts change all the time, so entries are filed with the count they had and validated when
//! they reach the top. Most pairs of a corpus share a few low counts, and comparing byte strings is
//! what costs: so pairs wait ordered by count alone, and only those of the highest count are
//! ordered by the tie rule.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::vocabulary::Vocabulary;

/// A pair and its count, as the heap sees it.
pub trait Pair {
    /// The creation numbers of the parts.
    fn parts(&self) -> (u32, u32);
    /// The true count.
    fn count(&self) -> u64;
}

/// A heap of pairs (their indices) whose entries may be stale.
///
/// Whoever uses it pushes a pair whenever its count rises. Then every pair has an entry with at
/// least its count, and a top entry that is true is the best of all.
#[derive(Debug)]
pub struct PairHeap {
    ties_by_bytes: bool,
    waiting: BinaryHeap<(u64, u32)>,
    /// A binary heap, least by the tie rule first, of pairs that had `top_count` when filed.
    top: Vec<u32>,
    top_count: u64,
    /// Pairs that fell below this are left out.
    floor: u64,
}

impl PairHeap {
    /// An empty heap; ties go to the smaller byte strings or to the smaller numbers.
    pub fn new(ties_by_bytes: bool) -> Self {
        Self { ties_by_bytes, waiting: BinaryHeap::new(), top: Vec::new(), top_count: 0, floor: 1 }
    }

    /// Empties it; `floor` is at least 1.
    pub fn clear(&mut self, floor: u64) {
        self.waiting.clear();
        self.top.clear();
        self.floor = floor;
    }

    /// Files a pair with its count, which is not below the floor.
    pub fn push(&mut self, count: u64, pair: u32) {
        self.waiting.push((count, pair));
    }

    /// The pair with the highest count (`None`: no pair is left); it stays in the heap.
    pub fn best<P: Pair>(&mut self, pairs: &[P], vocabulary: &Vocabulary) -> Option<u32> {
        loop {
            self.fill_top(pairs, vocabulary);
            let &best = self.top.first()?;
            let count = pairs[best as usize].count();
            if count == self.top_count {
                return Some(best);
            }
            self.top.swap_remove(0);
            self.sift_down(pairs, vocabulary);
            self.file_again(count, self.top_count, best);
        }
    }

    /// Moves every waiting pair of the highest count to `top`.
    fn fill_top<P: Pair>(&mut self, pairs: &[P], vocabulary: &Vocabulary) {
        while let Some(&(count, pair)) = self.waiting.peek() {
            if self.top.is_empty() {
                self.top_count = count;
            }
            match count.cmp(&self.top_count) {
                Ordering::Less => return,
                Ordering::Greater => {
                    // Only bytes that are made a second time let a count rise above the best.
                    let back = self.top.drain(..).map(|pair| (self.top_count, pair));
                    self.waiting.extend(back);
                }
                Ordering::Equal => {
                    self.waiting.pop();
                    let now = pairs[pair as usize].count();
                    if now == count {
                        self.top.push(pair);
                        self.sift_up(pairs, vocabulary);
                    } else {
                        self.file_again(now, count, pair);
                    }
                }
            }
        }
    }

    /// Files a pair whose count has fallen; what is gone, or was filed again when it rose, is not.
    fn file_again(&mut self, now: u64, filed: u64, pair: u32) {
        if self.floor <= now && now < filed {
            self.waiting.push((now, pair));
        }
    }

    fn sift_up<P: Pair>(&mut self, pairs: &[P], vocabulary: &Vocabulary) {
        let mut child = self.top.len() - 1;
        while child > 0 {
            let parent = (child - 1) / 2;
            if !self.before(pairs, vocabulary, self.top[child], self.top[parent]) {
                return;
            }
            self.top.swap(child, parent);
            child = parent;
        }
    }

    fn sift_down<P: Pair>(&mut self, pairs: &[P], vocabulary: &Vocabulary) {
        let mut parent = 0;
        loop {
            let mut child = 2 * parent + 1;
            if child >= self.top.len() {
                return;
            }
            if child + 1 < self.top.len()
                && self.before(pairs, vocabulary, self.top[child + 1], self.top[child])
            {
                child += 1;
            }
            if !self.before(pairs, vocabulary, self.top[child], self.top[parent]) {
                return;
            }
            self.top.swap(child, parent);
            parent = child;
        }
    }

    fn before<P: Pair>(&self, pairs: &[P], vocabulary: &Vocabulary, one: u32, other: u32) -> bool {
        let (one, other) = (pairs[one as usize].parts(), pairs[other as usize].parts());
        if !self.ties_by_bytes {
            return one < other;
        }
        let left = vocabulary.compare(one.0, other.0);
        left.then_with(|| vocabulary.compare(one.1, other.1)).is_lt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Alphabet;

    struct Plain(u32, u32, u64);

    impl Pair for Plain {
        fn parts(&self) -> (u32, u32) {
            (self.0, self.1)
        }

        fn count(&self) -> u64 {
            self.2
        }
    }

    #[test]
    fn counts_fall_and_rise() {
        let mut vocabulary = Vocabulary::new(Alphabet::Bytes);
        let aa = vocabulary.make(97, 97);
        for ties_by_bytes in [true, false] {
            let mut pairs = [Plain(98, 97, 5), Plain(aa, 99, 5), Plain(97, 97, 5), Plain(1, 1, 7)];
            let mut heap = PairHeap::new(ties_by_bytes);
            for (i, pair) in pairs.iter().enumerate() {
                heap.push(pair.2, i as u32);
            }
            assert_eq!(heap.best(&pairs, &vocabulary), Some(3));
            pairs[3].2 = 2;
            assert_eq!(heap.best(&pairs, &vocabulary), Some(2));
            pairs[2].2 = 0;
            // "aa" is before "b", but it is the younger token
            assert_eq!(heap.best(&pairs, &vocabulary), Some(u32::from(ties_by_bytes)));
            pairs[3].2 = 9;
            heap.push(9, 3);
            assert_eq!(heap.best(&pairs, &vocabulary), Some(3));
            for pair in &mut pairs {
                pair.2 = 0;
            }
            assert_eq!(heap.best(&pairs, &vocabulary), None);
        }
    }
}
