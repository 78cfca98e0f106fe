//! Pair counts and where each pair stands, kept exact while pairs are merged one after the other.
//!
//! Both phases of training run on this. Where a pair (x, y) stands is known for good once the
//! newer of x and y has been made: every such place is born in that one merge. So each merge writes
//! the list of places of every new pair once, in one block, and counts only fall afterwards. The
//! exception is a merge that gives the bytes of an old token: then pairs that exist already gain
//! places, as a further block, and their counts rise. (The Python twin recounts the stretches that
//! a merge touches instead, which needs no such reasoning.)
//!
//! Most pairs of a corpus are too rare to be ever merged. Those born below a floor are not kept,
//! and those above it are in order as long as one of them is the best. When none is left,
//! everything is counted again with a lower floor.

use hashbrown::HashMap;

use crate::arena::Arena;
use crate::error::Result;
use crate::heap::{self, PairHeap};
use crate::model::{Op, OpKind};
use crate::settings::Rules;
use crate::sides::{Merge, NONE, Side, replace};
use crate::ticker::Ticker;
use crate::vocabulary::Vocabulary;

/// A merge that gives an old token has it counted afresh where pairs may be missing, which visits
/// every slot. After so many times no pair is left out any more: then no merge needs it.
const MOST_RECOUNTS: usize = 32;

/// The pair that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Best {
    /// Creation number of the left part.
    pub left: u32,
    /// Creation number of the right part.
    pub right: u32,
    /// The count by the rules.
    pub count: u64,
    pair: u32,
}

/// Places of a pair: a part of `Pairs::places`, ascending.
#[derive(Clone, Copy, Debug)]
struct Block {
    start: usize,
    length: usize,
    /// The block before this one, in `Pairs::older`.
    older: u32,
}

#[derive(Debug)]
struct Pair {
    left: u32,
    right: u32,
    count: u64,
    block: Block,
}

impl heap::Pair for Pair {
    fn parts(&self) -> (u32, u32) {
        (self.left, self.right)
    }

    fn count(&self) -> u64 {
        self.count
    }
}

/// The pairs of all sequences: their counts, their places, and which is best.
pub struct Pairs {
    vocabulary: Vocabulary,
    /// How many pretokens long each token is: 1 if it was there from the start, else the sum of
    /// the parts of which it was first made.
    pretokens: Vec<u64>,
    arena: Arena,
    heap: PairHeap,
    disjoint: bool,
    max_bytes: Option<u64>,
    max_pretokens: Option<u64>,
    /// Pairs with a lower count may be missing below; 1 if none is.
    floor: u64,
    recounts: usize,
    pairs: Vec<Pair>,
    index: HashMap<u64, u32>,
    places: Vec<u32>,
    older: Vec<Block>,
    sites: Vec<u32>,
    before: Side,
    after: Side,
}

impl Pairs {
    /// Counts all pairs. `max_bytes` and `max_pretokens` limit what a merge may make; `floor` is a
    /// guess at the lowest count that will be needed, which changes time and memory alone.
    ///
    /// # Errors
    /// What the progress callback returns.
    pub fn new(
        vocabulary: Vocabulary,
        arena: Arena,
        rules: Rules,
        max_bytes: Option<u64>,
        max_pretokens: Option<u64>,
        floor: u64,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<Self> {
        let mut pairs = Self {
            pretokens: vec![1; vocabulary.len()],
            vocabulary,
            arena,
            heap: PairHeap::new(rules == Rules::Superword),
            disjoint: rules == Rules::Superword,
            max_bytes,
            max_pretokens,
            floor,
            recounts: 0,
            pairs: Vec::new(),
            index: HashMap::new(),
            places: Vec::new(),
            older: Vec::new(),
            sites: Vec::new(),
            before: Side::default(),
            after: Side::default(),
        };
        pairs.count_all(floor, ticker)?;
        Ok(pairs)
    }

    /// The tokens made so far.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The pair that comes next, `None` if there is none within the limits that occurs `least`
    /// times.
    ///
    /// # Errors
    /// What the progress callback returns; then the pairs are of no use any more.
    pub fn best(&mut self, least: u64, ticker: &mut Ticker<'_, '_>) -> Result<Option<Best>> {
        loop {
            if let Some(pair) = self.heap.best(&self.pairs, &self.vocabulary) {
                let Pair { left, right, count, .. } = self.pairs[pair as usize];
                return Ok((count >= least).then_some(Best { left, right, count, pair }));
            }
            if self.floor <= least.max(1) {
                return Ok(None);
            }
            self.count_all((self.floor / 4).max(least), ticker)?;
        }
    }

    /// Whether any pair is left within the limits, however rare.
    pub fn any_left(&self) -> bool {
        self.arena.adjacent().any(|(_, left, right)| self.allowed(left, right))
    }

    /// Replaces a pair everywhere, left to right; returns the op, which is one of this kind.
    ///
    /// # Errors
    /// What the progress callback returns; then the pairs are of no use any more.
    pub fn merge(&mut self, best: Best, kind: OpKind, ticker: &mut Ticker<'_, '_>) -> Result<Op> {
        let known = self.vocabulary.len();
        let new = self.vocabulary.make(best.left, best.right);
        let again = (new as usize) < known;
        if !again {
            self.pretokens.push(self.pretokens_of(best.left, best.right));
        }
        self.before.resize(self.vocabulary.len());
        self.after.resize(self.vocabulary.len());
        self.take_sites(best.pair);
        let merge =
            Merge { left: best.left, right: best.right, new, again, disjoint: self.disjoint };
        let Self { arena, before, after, sites, .. } = self;
        replace(merge, sites, arena, before, after, ticker)?;
        // A pair of an old token that was too rare to be kept may not be any more.
        let count_new = again && self.floor > 1;
        if !count_new {
            // Gains first: what one site gains another may lose.
            self.add_gained(true, new, again);
            self.add_gained(false, new, again);
        }
        let counted = |neighbour: u32| count_new && neighbour == new;
        for &left in self.before.neighbours.iter().filter(|&&left| !counted(left)) {
            let lost = self.before.lost[left as usize];
            subtract(&mut self.pairs, &self.index, left, best.left, lost);
        }
        for &right in self.after.neighbours.iter().filter(|&&right| !counted(right)) {
            let lost = self.after.lost[right as usize];
            subtract(&mut self.pairs, &self.index, best.right, right, lost);
        }
        self.before.clear();
        self.after.clear();
        if count_new {
            self.recounts += 1;
            if self.recounts > MOST_RECOUNTS {
                self.count_all(1, ticker)?;
            } else {
                self.count_token(new, ticker)?;
            }
        }
        Ok(Op { kind, left: best.left, right: best.right, new, count: best.count })
    }

    /// Counts all pairs of the sequences as they are now, and notes the places of those that are
    /// not below the floor.
    fn count_all(&mut self, floor: u64, ticker: &mut Ticker<'_, '_>) -> Result<()> {
        self.floor = floor.max(1);
        self.heap.clear(self.floor);
        self.pairs.clear();
        self.index.clear();
        self.older.clear();
        self.places.clear();
        self.count(|_, _| true, ticker)?;
        let floor = self.floor;
        self.pairs.retain(|pair| pair.count >= floor);
        self.index.clear();
        for (number, pair) in (0..).zip(&self.pairs) {
            self.index.insert(key(pair.left, pair.right), number);
        }
        self.note_places(|_, _| true, ticker)
    }

    /// Counts the pairs of one token, and notes their places, as if it were new.
    fn count_token(&mut self, token: u32, ticker: &mut Ticker<'_, '_>) -> Result<()> {
        let is_one = |left: u32, right: u32| left == token || right == token;
        for pair in self.pairs.iter_mut().filter(|pair| is_one(pair.left, pair.right)) {
            pair.count = 0;
            pair.block = Block { start: 0, length: 0, older: NONE };
        }
        ticker.work(self.pairs.len())?;
        self.count(is_one, ticker)?;
        self.note_places(is_one, ticker)
    }

    /// Counts the pairs that `wanted` names, and how many places each has.
    fn count(
        &mut self,
        wanted: impl Fn(u32, u32) -> bool,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<()> {
        let arena = std::mem::take(&mut self.arena);
        let mut taken_end = 0; // the slot after the last counted pair (x, x)
        for (slot, left, right) in arena.adjacent() {
            ticker.work(1)?;
            if !wanted(left, right) {
                continue;
            }
            let Some(pair) = self.find_or_add(left, right, true) else { continue };
            let pair = &mut self.pairs[pair as usize];
            pair.block.length += 1;
            if self.disjoint && left == right {
                let second = slot + arena.span(slot);
                if slot < taken_end {
                    continue;
                }
                taken_end = second + arena.span(second);
            }
            pair.count += arena.weight(slot);
        }
        self.arena = arena;
        Ok(())
    }

    /// Writes down where the pairs stand that `wanted` names and that have been counted.
    fn note_places(
        &mut self,
        wanted: impl Fn(u32, u32) -> bool,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<()> {
        let mut start = self.places.len();
        for (i, pair) in (0..).zip(&mut self.pairs) {
            if wanted(pair.left, pair.right) && pair.count >= self.floor {
                pair.block.start = start;
                start += std::mem::take(&mut pair.block.length);
                self.heap.push(pair.count, i);
            }
        }
        self.places.resize(start, 0);
        for (slot, left, right) in self.arena.adjacent() {
            ticker.work(1)?;
            if wanted(left, right)
                && let Some(&pair) = self.index.get(&key(left, right))
                && self.pairs[pair as usize].count >= self.floor
            {
                let block = &mut self.pairs[pair as usize].block;
                self.places[block.start + block.length] = slot as u32;
                block.length += 1;
            }
        }
        Ok(())
    }

    /// The index of a pair, a new one if it must be; `None` if the limits forbid the pair: what can
    /// never be chosen needs no count. `look` = whether the pair may exist already.
    fn find_or_add(&mut self, left: u32, right: u32, look: bool) -> Option<u32> {
        let key = key(left, right);
        if look && let Some(&pair) = self.index.get(&key) {
            return Some(pair);
        }
        if !self.allowed(left, right) {
            return None;
        }
        let pair = self.pairs.len() as u32;
        let block = Block { start: 0, length: 0, older: NONE };
        self.pairs.push(Pair { left, right, count: 0, block });
        self.index.insert(key, pair);
        Some(pair)
    }

    /// Whether the limits let this pair be merged at all.
    fn allowed(&self, left: u32, right: u32) -> bool {
        let bytes = self.vocabulary.length(left).saturating_add(self.vocabulary.length(right));
        self.max_bytes.is_none_or(|most| bytes <= most)
            && self.max_pretokens.is_none_or(|most| self.pretokens_of(left, right) <= most)
    }

    fn pretokens_of(&self, left: u32, right: u32) -> u64 {
        self.pretokens[left as usize] + self.pretokens[right as usize]
    }

    /// Moves the places of a pair to `sites`, ascending; nothing of the pair is left.
    fn take_sites(&mut self, pair: u32) {
        let pair = &mut self.pairs[pair as usize];
        let mut block = pair.block;
        pair.count = 0;
        pair.block = Block { start: 0, length: 0, older: NONE };
        self.sites.clear();
        self.sites.extend_from_slice(&self.places[block.start..block.start + block.length]);
        if block.older == NONE {
            return;
        }
        while block.older != NONE {
            block = self.older[block.older as usize];
            self.sites.extend_from_slice(&self.places[block.start..block.start + block.length]);
        }
        self.sites.sort_unstable();
    }

    /// Adds the gains of one side to the counts, and the places found to the pairs.
    fn add_gained(&mut self, is_before: bool, new: u32, again: bool) {
        let mut side = std::mem::take(if is_before { &mut self.before } else { &mut self.after });
        for &(neighbour, _) in &side.found {
            side.next[neighbour as usize] += 1;
        }
        let mut start = self.places.len();
        for &neighbour in &side.neighbours {
            let index = neighbour as usize;
            let length = std::mem::replace(&mut side.next[index], start);
            side.pair[index] = NONE;
            // (Where the token is an old one there is no floor, and the pair may be old, too.)
            if length == 0 || side.gained[index] < self.floor && !again {
                continue;
            }
            let (left, right) = if is_before { (neighbour, new) } else { (new, neighbour) };
            let Some(pair) = self.find_or_add(left, right, again) else { continue };
            side.pair[index] = pair;
            let Pair { count, block, .. } = &mut self.pairs[pair as usize];
            let mut older = block.older;
            if block.length > 0 {
                older = self.older.len() as u32;
                self.older.push(*block);
            }
            *block = Block { start, length, older };
            start += length;
            *count += side.gained[index];
            if side.gained[index] > 0 {
                self.heap.push(*count, pair);
            }
        }
        self.places.resize(start, 0);
        for &(neighbour, place) in &side.found {
            let index = neighbour as usize;
            if side.pair[index] != NONE {
                self.places[side.next[index]] = place;
                side.next[index] += 1;
            }
        }
        *(if is_before { &mut self.before } else { &mut self.after }) = side;
    }
}

/// Takes a loss from a pair; one that the limits forbid has no count.
fn subtract(pairs: &mut [Pair], index: &HashMap<u64, u32>, left: u32, right: u32, lost: u64) {
    if lost > 0
        && let Some(&pair) = index.get(&key(left, right))
    {
        pairs[pair as usize].count -= lost;
    }
}

fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::no_progress;
    use crate::merges::{Stop, merge_best};
    use crate::settings::Alphabet;

    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % bound
        }
    }

    /// A letter of two, or a token made of them.
    fn any_token(numbers: &mut Numbers, tokens: usize) -> u32 {
        let number = numbers.below(tokens - 254) as u32;
        if number < 2 { 97 + number } else { 254 + number }
    }

    /// Sequences of such tokens, so that merges often give old ones.
    fn sequences(numbers: &mut Numbers, longest: usize) -> (Vocabulary, Vec<u32>, Vec<usize>) {
        let mut vocabulary = Vocabulary::new(Alphabet::Bytes);
        for _ in 0..numbers.below(9) {
            let mut pick = || any_token(numbers, vocabulary.len());
            let (left, right) = (pick(), pick());
            vocabulary.make(left, right);
        }
        let (mut items, mut ends) = (Vec::new(), Vec::new());
        for _ in 0..=numbers.below(4) {
            for _ in 0..=numbers.below(longest) {
                items.push(any_token(numbers, vocabulary.len()));
            }
            ends.push(items.len());
        }
        (vocabulary, items, ends)
    }

    #[test]
    fn a_floor_changes_nothing() {
        let numbers = &mut Numbers(1);
        let (mut some_recounts, mut most_recounts, mut stops) = (0, 0, Vec::new());
        for round in 0..3000 {
            let longest = if round % 100 == 0 { 2000 } else { 60 };
            let (vocabulary, items, ends) = sequences(numbers, longest);
            let counts: Vec<u64> = ends.iter().map(|_| 1 + numbers.below(5) as u64).collect();
            let rules = Rules::ALL[round % 2];
            let mut limit =
                |most: usize| (numbers.below(3) == 0).then(|| 2 + numbers.below(most) as u64);
            let limits = (limit(20), limit(8));
            let min_count = limit(4).unwrap_or(1);
            let wanted = limit(30).unwrap_or(u64::from(u32::MAX)) as usize;
            let mut train = |floor| {
                let mut quiet = no_progress;
                let ticker = &mut Ticker::new(&mut quiet, "merges", 0);
                let size = vocabulary.len();
                let arena = Arena::new(&items, &ends, &counts, size, |item| item, ticker).unwrap();
                let (bytes, pretokens) = limits;
                let vocabulary = vocabulary.clone();
                let mut pairs =
                    Pairs::new(vocabulary, arena, rules, bytes, pretokens, floor, ticker).unwrap();
                let made =
                    merge_best(OpKind::Supermerge, wanted, &mut pairs, min_count, ticker).unwrap();
                some_recounts += usize::from(pairs.recounts > 0);
                most_recounts += usize::from(pairs.recounts > MOST_RECOUNTS);
                made
            };
            let expected = train(1);
            for floor in [2, 3, 7, 50] {
                assert_eq!(train(floor), expected, "round {round}, floor {floor}");
            }
            stops.push(expected.1);
        }
        assert!(some_recounts > 1000 && most_recounts > 10, "{some_recounts} {most_recounts}");
        for stop in [Stop::VocabSize, Stop::NoPairs, Stop::MinCount] {
            assert!(stops.iter().filter(|&&found| found == stop).count() > 100);
        }
    }
}
