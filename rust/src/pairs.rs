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

use crate::arena::Arena;
use crate::blow_up::{Change, blow_up};
use crate::error::Result;
use crate::heap::PairHeap;
use crate::homes::Homes;
use crate::model::{Op, OpKind};
use crate::pair_counts::{Numbers, Wanted, count_pairs};
use crate::pair_table::{Block, NONE, Pair, PairTable, TOGETHER};
use crate::settings::{BlowUp, Rules};
use crate::sides::{Merge, Side, replace};
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

/// The pairs of all sequences: their counts, their places, and which is best.
pub struct Pairs {
    vocabulary: Vocabulary,
    arena: Arena,
    heap: PairHeap,
    disjoint: bool,
    limits: Limits,
    /// Pairs with a lower count may be missing below; 1 if none is.
    floor: u64,
    recounts: usize,
    threads: usize,
    table: PairTable,
    places: Vec<u32>,
    older: Vec<Block>,
    before: Side,
    after: Side,
    /// For [`Self::delete`].
    homes: Option<Homes>,
}

/// Pairs that have been counted, which several threads can do; to note where they stand is work for one,
/// beside which others may do something else.
pub struct Counted {
    pairs: Pairs,
    numbers: Numbers,
}

impl Counted {
    /// Notes the places of the pairs that are not below the floor.
    ///
    /// # Errors
    /// What the progress callback returns.
    pub fn note_places(self, ticker: &mut Ticker<'_, '_>) -> Result<Pairs> {
        let Self { mut pairs, numbers } = self;
        pairs.note_places(|_, _| true, &numbers, ticker)?;
        Ok(pairs)
    }
}

impl Pairs {
    /// Counts all pairs. `max_bytes` and `max_pretokens` limit what a merge may make; `floor` is a
    /// guess at the lowest count that will be needed, which changes time and memory alone; so do the
    /// `threads`, which count.
    ///
    /// # Errors
    /// What the progress callback returns.
    pub fn count(
        vocabulary: Vocabulary,
        arena: Arena,
        rules: Rules,
        (max_bytes, max_pretokens): (Option<u64>, Option<u64>),
        floor: u64,
        threads: usize,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<Counted> {
        let mut pairs = Self {
            limits: Limits { max_bytes, max_pretokens, pretokens: vec![1; vocabulary.len()] },
            vocabulary,
            arena,
            heap: PairHeap::new(rules == Rules::Superword),
            threads,
            disjoint: rules == Rules::Superword,
            floor,
            recounts: 0,
            table: PairTable::default(),
            places: Vec::new(),
            older: Vec::new(),
            before: Side::default(),
            after: Side::default(),
            homes: None,
        };
        let numbers = pairs.count_above(floor, ticker)?;
        Ok(Counted { pairs, numbers })
    }

    /// Prepares for [`Self::delete`], with no floor, single bytes alone and disjoint counts.
    pub fn allow_deletes(&mut self, blow_up: BlowUp) {
        self.arena.track_starts();
        self.homes = Some(Homes::new(blow_up, self.vocabulary.len()));
    }

    /// The tokens made so far.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The tokens made, when no more will be.
    pub fn into_vocabulary(self) -> Vocabulary {
        self.vocabulary
    }

    /// The pair that comes next, `None` if there is none within the limits that occurs `least`
    /// times.
    ///
    /// # Errors
    /// What the progress callback returns; then the pairs are of no use any more.
    pub fn best(&mut self, least: u64, ticker: &mut Ticker<'_, '_>) -> Result<Option<Best>> {
        loop {
            if let Some(pair) = self.heap.best(&self.table.pairs, &self.vocabulary) {
                let Pair { left, right, count, .. } = self.table.pairs[pair as usize];
                return Ok((count >= least).then_some(Best { left, right, count, pair }));
            }
            if self.floor <= least.max(1) {
                return Ok(None);
            }
            self.count_all((self.floor / 4).max(least), ticker)?;
        }
    }

    /// Whether any pair is left within the limits, however rare, of tokens that are all `known`.
    pub fn any_left(&self, known: impl Fn(u32) -> bool) -> bool {
        self.arena.adjacent().any(|(_, left, right)| {
            known(left) && known(right) && self.limits.allow(&self.vocabulary, left, right)
        })
    }

    /// Chooses the best pair no more, until its count rises or it is taken back.
    pub fn put_off(&mut self, best: Best) {
        self.heap.drop(best.pair, &self.table.pairs, &self.vocabulary);
    }

    /// Lets a pair that was put off be chosen again.
    pub fn take_back(&mut self, left: u32, right: u32) {
        if let Some(number) = self.table.find(left, right) {
            let count = self.table.pairs[number as usize].count;
            if count >= self.floor {
                self.heap.push(count, number);
            }
        }
    }

    /// How often a token stands that a merge has made; 0 for others.
    pub fn standing(&self, token: u32) -> u64 {
        self.homes.as_ref().map_or(0, |homes| homes.standing(token))
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
            self.limits.pretokens.push(self.limits.pretokens_of(best.left, best.right));
        }
        if let Some(homes) = &mut self.homes {
            let block = self.table.pairs[best.pair as usize].block;
            let op = Op { kind, left: best.left, right: best.right, new, count: best.count };
            homes.settle(&op, block, &self.vocabulary, &mut self.older);
        }
        self.before.resize(self.vocabulary.len());
        self.after.resize(self.vocabulary.len());
        self.replace(best, new, again, ticker)?;
        // A pair of an old token that was too rare to be kept may not be any more.
        let count_new = again && self.floor > 1;
        if !count_new {
            // Gains first: what one site gains another may lose.
            self.add_gained(true, new, again);
            self.add_gained(false, new, again);
        }
        let counted_anew = if count_new { new } else { NONE };
        let Self { table, before, after, .. } = self;
        subtract_losses(table, before, counted_anew, |left| (left, best.left));
        subtract_losses(table, after, counted_anew, |right| (best.right, right));
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

    /// Puts the parts of a token in its place, wherever it stands; returns the op.
    ///
    /// # Errors
    /// What the progress callback returns; then the pairs are of no use any more.
    pub fn delete(&mut self, token: u32, ticker: &mut Ticker<'_, '_>) -> Result<Op> {
        let Self { vocabulary, arena, homes, places, older, .. } = self;
        vocabulary.delete(token);
        if let Some(homes) = homes {
            let sites = homes.leave(token, arena, vocabulary, places, older);
            ticker.work(sites.len())?;
            let parts = homes.parts(token);
            for change in blow_up(&sites, parts, arena, ticker)? {
                self.change(&change);
            }
        }
        Ok(Op { kind: OpKind::Delete, left: token, right: token, new: token, count: 0 })
    }

    /// Brings the count and the places of a pair up to date.
    fn change(&mut self, change: &Change) {
        let Some(number) = self.find_or_add(change.left, change.right, true) else { return };
        let Pair { count, block, .. } = &mut self.table.pairs[number as usize];
        if !change.places.is_empty() {
            block.grow(self.places.len(), change.places.len() as u32, &mut self.older);
            self.places.extend_from_slice(&change.places);
        }
        *count = *count + change.gained - change.lost;
        if change.gained > change.lost {
            self.heap.push(*count, number);
        }
    }

    /// Replaces the pair at its sites, and collects what that changes; nothing of the pair is left.
    fn replace(
        &mut self,
        best: Best,
        new: u32,
        again: bool,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<()> {
        let Self { table, arena, places, older, before, after, .. } = self;
        let pair = &mut table.pairs[best.pair as usize];
        let mut block = std::mem::replace(&mut pair.block, Block::EMPTY);
        pair.count = 0;
        let mut gathered = Vec::new();
        let mut sites = &places[block.range()];
        if block.older != NONE {
            gathered.extend_from_slice(sites);
            while block.older != NONE {
                block = older[block.older as usize];
                gathered.extend_from_slice(&places[block.range()]);
            }
            gathered.sort_unstable();
            sites = &gathered;
        }
        let disjoint = self.disjoint;
        let merge = Merge { left: best.left, right: best.right, new, again, disjoint };
        replace(merge, sites, arena, before, after, ticker)
    }

    /// Counts all pairs of the sequences as they are now, and notes the places of those that are
    /// not below the floor.
    fn count_all(&mut self, floor: u64, ticker: &mut Ticker<'_, '_>) -> Result<()> {
        let numbers = self.count_above(floor, ticker)?;
        self.note_places(|_, _| true, &numbers, ticker)
    }

    /// Counts all pairs, and keeps those that are not below the floor; their numbers are for
    /// [`Self::note_places`].
    fn count_above(&mut self, floor: u64, ticker: &mut Ticker<'_, '_>) -> Result<Numbers> {
        self.floor = floor.max(1);
        self.heap.clear(self.floor);
        self.table.clear();
        self.older.clear();
        self.places.clear();
        let Self { arena, vocabulary, limits, table, .. } = self;
        let wanted = Wanted {
            disjoint: self.disjoint,
            allowed: |left, right| limits.allow(vocabulary, left, right),
        };
        let tokens = vocabulary.len();
        let mut numbers = count_pairs(arena, tokens, &wanted, table, self.threads, ticker)?;
        self.table.leave_out_below(self.floor, numbers.all());
        Ok(numbers)
    }

    /// Counts the pairs of one token, and notes their places, as if it were new.
    fn count_token(&mut self, token: u32, ticker: &mut Ticker<'_, '_>) -> Result<()> {
        let is_one = |left: u32, right: u32| left == token || right == token;
        for pair in self.table.pairs.iter_mut().filter(|pair| is_one(pair.left, pair.right)) {
            pair.count = 0;
            pair.block = Block::EMPTY;
        }
        ticker.work(self.table.pairs.len())?;
        let Self { arena, vocabulary, limits, table, .. } = self;
        let wanted = Wanted {
            disjoint: self.disjoint,
            allowed: |left, right| is_one(left, right) && limits.allow(vocabulary, left, right),
        };
        let numbers = count_pairs(arena, usize::MAX, &wanted, table, 1, ticker)?;
        self.note_places(is_one, &numbers, ticker)
    }

    /// Writes down where the pairs stand that `wanted` names and that have been counted; `numbers`
    /// comes from counting.
    fn note_places(
        &mut self,
        wanted: impl Fn(u32, u32) -> bool,
        numbers: &Numbers,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<()> {
        let first = self.places.len();
        let mut length = 0;
        // Where the next place of each pair goes: what is read at random is small.
        let mut next = vec![NONE; self.table.pairs.len()];
        for (i, pair) in (0..).zip(&mut self.table.pairs) {
            if !wanted(pair.left, pair.right) {
                continue;
            }
            if pair.count >= self.floor {
                pair.block.start = first + length as usize;
                next[i as usize] = length;
                length += pair.block.length;
                self.heap.push(pair.count, i);
            } else {
                pair.block.length = 0;
            }
        }
        self.places.resize(first + length as usize, 0);
        let places = &mut self.places[first..];
        numbers.each_place(&self.arena, ticker, |slot, number| {
            let next = &mut next[number as usize];
            if *next != NONE {
                places[*next as usize] = slot as u32;
                *next += 1;
            }
        })
    }

    /// The number of a pair, a new one if it must be; `None` if the limits forbid the pair: what can
    /// never be chosen needs no count. `look` = whether the pair may exist already.
    fn find_or_add(&mut self, left: u32, right: u32, look: bool) -> Option<u32> {
        if look && let Some(number) = self.table.find(left, right) {
            return Some(number);
        }
        let allowed = self.limits.allow(&self.vocabulary, left, right);
        allowed.then(|| self.table.add(left, right))
    }

    /// Adds the gains of one side to the counts, and the places found to the pairs.
    fn add_gained(&mut self, is_before: bool, new: u32, again: bool) {
        let mut side = std::mem::take(if is_before { &mut self.before } else { &mut self.after });
        let first = self.places.len();
        let mut length = 0;
        for &neighbour in &side.neighbours {
            let entry = &mut side.by_token[neighbour as usize];
            // (Where the token is an old one there is no floor, and the pair may be old, too.)
            if entry.places == 0 || entry.gained < self.floor && !again {
                continue;
            }
            let (left, right) = if is_before { (neighbour, new) } else { (new, neighbour) };
            let Some(number) = self.find_or_add(left, right, again) else { continue };
            (entry.pair, entry.next) = (number, length);
            let Pair { count, block, .. } = &mut self.table.pairs[number as usize];
            block.grow(first + length as usize, entry.places, &mut self.older);
            length += entry.places;
            *count += entry.gained;
            if entry.gained > 0 {
                self.heap.push(*count, number);
            }
        }
        self.places.resize(first + length as usize, 0);
        for &(neighbour, place) in &side.found {
            let entry = &mut side.by_token[neighbour as usize];
            if entry.pair != NONE {
                self.places[first + entry.next as usize] = place;
                entry.next += 1;
            }
        }
        *(if is_before { &mut self.before } else { &mut self.after }) = side;
    }
}

/// Takes what the neighbours of one side lose, `but` one, from their pairs.
fn subtract_losses(table: &mut PairTable, side: &Side, but: u32, pair: impl Fn(u32) -> (u32, u32)) {
    let (mut pairs, mut lost) = ([(0, 0); TOGETHER], [0; TOGETHER]);
    let mut numbers = Vec::new();
    for some in side.neighbours.chunks(TOGETHER) {
        let mut next = 0;
        for &neighbour in some {
            let loss = side.by_token[neighbour as usize].lost;
            (pairs[next], lost[next]) = (pair(neighbour), loss);
            next += usize::from(loss > 0 && neighbour != but);
        }
        table.subtract(&pairs[..next], &lost[..next], &mut numbers);
    }
}

/// What a merge may make.
struct Limits {
    max_bytes: Option<u64>,
    max_pretokens: Option<u64>,
    /// How many pretokens long each token is: 1 if it was there from the start, else the sum of
    /// the parts of which it was first made.
    pretokens: Vec<u64>,
}

impl Limits {
    fn allow(&self, vocabulary: &Vocabulary, left: u32, right: u32) -> bool {
        let bytes = || vocabulary.length(left).saturating_add(vocabulary.length(right));
        self.max_bytes.is_none_or(|most| bytes() <= most)
            && self.max_pretokens.is_none_or(|most| self.pretokens_of(left, right) <= most)
    }

    fn pretokens_of(&self, left: u32, right: u32) -> u64 {
        self.pretokens[left as usize] + self.pretokens[right as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Row;
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
                let row = Row::new(&items, &ends, &counts, |item| item, ticker).unwrap();
                let arena = Arena::new([row], size).unwrap();
                let vocabulary = vocabulary.clone();
                let threads = 1 + round % 3;
                let mut pairs =
                    Pairs::count(vocabulary, arena, rules, limits, floor, threads, ticker)
                        .unwrap()
                        .note_places(ticker)
                        .unwrap();
                let (kind, ignore) = (OpKind::Supermerge, &mut |_: &Op| ());
                let made =
                    merge_best(kind, wanted, &mut pairs, min_count, None, ignore, ticker).unwrap();
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
