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
    waiting: Waiting,
    /// A binary heap, least by the tie rule first, of pairs that had `top_count` when filed, each
    /// after a number that is smaller if it differs and its pair comes first.
    top: Vec<(u64, u32)>,
    top_count: u64,
    /// What was the top before counts rose above it, with its count; the lowest first, none empty.
    lower: Vec<(u64, Vec<(u64, u32)>)>,
    /// Pairs that fell below this are left out.
    floor: u64,
}

impl PairHeap {
    /// An empty heap; ties go to the smaller byte strings or to the smaller numbers.
    pub fn new(ties_by_bytes: bool) -> Self {
        let (waiting, top, lower) = (Waiting::new(), Vec::new(), Vec::new());
        Self { ties_by_bytes, waiting, top, top_count: 0, lower, floor: 1 }
    }

    /// Empties it; `floor` is at least 1.
    pub fn clear(&mut self, floor: u64) {
        self.waiting = Waiting::new();
        self.top.clear();
        self.lower.clear();
        self.floor = floor;
    }

    /// Files a pair with its count, which is not below the floor.
    pub fn push(&mut self, count: u64, pair: u32) {
        self.waiting.push(count, pair);
    }

    /// The pair with the highest count (`None`: no pair is left); it stays in the heap.
    pub fn best<P: Pair>(&mut self, pairs: &[P], vocabulary: &Vocabulary) -> Option<u32> {
        loop {
            self.fill_top(pairs, vocabulary);
            let &(_, best) = self.top.first()?;
            let count = pairs[best as usize].count();
            if count == self.top_count {
                return Some(best);
            }
            self.top.swap_remove(0);
            self.sift_down(pairs, vocabulary);
            self.file_again(count, self.top_count, best);
        }
    }

    /// Takes out the best pair, as often as it is filed with its count.
    pub fn drop<P: Pair>(&mut self, pair: u32, pairs: &[P], vocabulary: &Vocabulary) {
        while self.top.first().is_some_and(|&(_, best)| best == pair) {
            self.top.swap_remove(0);
            self.sift_down(pairs, vocabulary);
        }
    }

    /// Moves every waiting pair of the highest count to `top`.
    fn fill_top<P: Pair>(&mut self, pairs: &[P], vocabulary: &Vocabulary) {
        loop {
            let highest = self.waiting.highest();
            if self.top.is_empty() {
                let is_next = |&mut (count, _): &mut _| highest.is_none_or(|other| other <= count);
                if let Some((count, top)) = self.lower.pop_if(is_next) {
                    (self.top_count, self.top) = (count, top);
                } else if let Some(count) = highest {
                    self.top_count = count;
                }
            }
            let Some(count) = highest else { return };
            match count.cmp(&self.top_count) {
                Ordering::Less => return,
                Ordering::Greater => {
                    // Bytes that are made a second time, and deletes, let a count rise above the
                    // best.
                    self.lower.push((self.top_count, std::mem::take(&mut self.top)));
                }
                Ordering::Equal => {
                    let Some(pair) = self.waiting.take(count) else { return };
                    let now = pairs[pair as usize].count();
                    if now == count {
                        let (left, right) = pairs[pair as usize].parts();
                        let first = match self.ties_by_bytes {
                            true => vocabulary.first_bytes(left),
                            false => u64::from(left) << 32 | u64::from(right),
                        };
                        self.top.push((first, pair));
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
            self.waiting.push(now, pair);
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

    fn before<P: Pair>(
        &self,
        pairs: &[P],
        vocabulary: &Vocabulary,
        one: (u64, u32),
        other: (u64, u32),
    ) -> bool {
        if one.0 != other.0 {
            return one.0 < other.0;
        }
        let (one, other) = (pairs[one.1 as usize].parts(), pairs[other.1 as usize].parts());
        if !self.ties_by_bytes {
            return one < other;
        }
        let left = vocabulary.compare(one.0, other.0);
        left.then_with(|| vocabulary.compare(one.1, other.1)).is_lt()
    }
}

/// Counts below this, which nearly all pairs have, have a list each.
const LISTS: usize = 1 << 12;
/// The end of a list.
const NONE: u32 = u32::MAX;

/// Pairs with the counts they were filed with, the highest first, those of one count in no order.
#[derive(Debug)]
struct Waiting {
    /// By count: the newest entry.
    lists: Vec<u32>,
    /// (pair, next entry of the list).
    entries: Vec<(u32, u32)>,
    /// The newest entry that is free.
    free: u32,
    /// No list above this one has an entry.
    top_list: usize,
    frequent: BinaryHeap<(u64, u32)>,
}

impl Waiting {
    fn new() -> Self {
        Self {
            lists: vec![NONE; LISTS],
            entries: Vec::new(),
            free: NONE,
            top_list: 0,
            frequent: BinaryHeap::new(),
        }
    }

    fn push(&mut self, count: u64, pair: u32) {
        if count >= LISTS as u64 {
            self.frequent.push((count, pair));
            return;
        }
        let list = count as usize;
        let entry = (pair, self.lists[list]);
        if self.free == NONE {
            self.lists[list] = self.entries.len() as u32;
            self.entries.push(entry);
        } else {
            self.lists[list] = self.free;
            self.free = std::mem::replace(&mut self.entries[self.free as usize], entry).1;
        }
        self.top_list = self.top_list.max(list);
    }

    /// The highest count.
    fn highest(&mut self) -> Option<u64> {
        if let Some(&(count, _)) = self.frequent.peek() {
            return Some(count);
        }
        while self.lists[self.top_list] == NONE {
            self.top_list = self.top_list.checked_sub(1)?;
        }
        Some(self.top_list as u64)
    }

    /// Takes out a pair of this count, the highest one.
    fn take(&mut self, count: u64) -> Option<u32> {
        if count >= LISTS as u64 {
            return self.frequent.pop().map(|(_, pair)| pair);
        }
        let list = &mut self.lists[count as usize];
        let index = *list;
        let entry = self.entries.get_mut(index as usize)?;
        let pair = entry.0;
        *list = std::mem::replace(&mut entry.1, self.free);
        self.free = index;
        Some(pair)
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

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

    #[test]
    fn a_count_that_rises_above_many_leaves_them_in_order() {
        let vocabulary = Vocabulary::new(Alphabet::Bytes);
        let mut pairs: Vec<Plain> = (0..200).rev().map(|left| Plain(left, 0, 5)).collect();
        let mut heap = PairHeap::new(true);
        (0..200).for_each(|pair| heap.push(5, pair));
        assert_eq!(heap.best(&pairs, &vocabulary), Some(199));
        for (risen, count) in [(7, 9), (8, 11)] {
            pairs[risen].2 = count;
            heap.push(count, risen as u32);
            assert_eq!(heap.best(&pairs, &vocabulary), Some(risen as u32));
        }
        // one heap below another: to file all of them again is what costs
        assert_eq!(heap.waiting.highest(), None);
        assert_eq!(heap.lower.iter().map(|(count, top)| (*count, top.len())).max(), Some((9, 1)));
        pairs[8].2 = 9;
        assert_eq!(heap.best(&pairs, &vocabulary), Some(8));
        (pairs[7].2, pairs[8].2) = (5, 6);
        assert_eq!(heap.best(&pairs, &vocabulary), Some(8));
        pairs[8].2 = 5;
        for expected in (0..200).rev() {
            assert_eq!(heap.best(&pairs, &vocabulary), Some(expected));
            pairs[expected as usize].2 = 0;
        }
        assert_eq!(heap.best(&pairs, &vocabulary), None);
    }

    #[test]
    fn the_best_is_the_best_at_any_count() {
        let mut state = 9_u64;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % bound
        };
        let vocabulary = Vocabulary::new(Alphabet::Bytes);
        for floor in [1, 4000] {
            let mut heap = PairHeap::new(true);
            heap.push(9, 0);
            heap.clear(floor);
            let mut pairs: Vec<Plain> = Vec::new();
            for step in 0..5000 {
                let most = [9, 5000, u64::from(u32::MAX) * 9][below(3) as usize];
                let number = step as u32;
                if step % 2 == 0 {
                    // Some counts are just about where lists end.
                    let count = floor + [below(most), 90 + below(9)][below(2) as usize];
                    pairs.push(Plain(number / 256, number % 256, count));
                    heap.push(count, pairs.len() as u32 - 1);
                } else {
                    let changed = below(pairs.len() as u64) as usize;
                    let before = pairs[changed].2;
                    pairs[changed].2 =
                        [before / 2, before - before.min(1), before + below(9)][below(3) as usize];
                    if before < pairs[changed].2 && floor <= pairs[changed].2 {
                        heap.push(pairs[changed].2, changed as u32);
                    }
                }
                let best = pairs.iter().map(|p| (Reverse(p.2), p.0, p.1)).min();
                let found = heap.best(&pairs, &vocabulary).map(|number| {
                    let pair = &pairs[number as usize];
                    (Reverse(pair.2), pair.0, pair.1)
                });
                assert_eq!(found, best.filter(|best| best.0.0 >= floor));
                if below(3) == 0
                    && let Some(number) = heap.best(&pairs, &vocabulary)
                {
                    pairs[number as usize].2 = 0;
                }
            }
        }
    }
}
