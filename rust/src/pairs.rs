//! Pair counts and where each pair stands, kept exact while pairs are merged one after the other.
//!
//! Both phases of training run on this. Where a pair (x, y) stands is known for good once the
//! newer of x and y has been made: every such place is born in that one merge. So each merge writes
//! the list of places of every new pair once, in one block, and counts only fall afterwards. The
//! exception is a merge that gives the bytes of an old token: then pairs that exist already gain
//! places, as a further block, and their counts rise. (The Python twin recounts the stretches that
//! a merge touches instead, which needs no such reasoning.)

use hashbrown::HashMap;

use crate::arena::{Arena, END};
use crate::error::Result;
use crate::heap::{self, PairHeap};
use crate::model::{Op, OpKind};
use crate::settings::Rules;
use crate::sides::{NONE, Side};
use crate::ticker::Ticker;
use crate::vocabulary::Vocabulary;

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
    pairs: Vec<Pair>,
    index: HashMap<u64, u32>,
    places: Vec<u32>,
    older: Vec<Block>,
    sites: Vec<u32>,
    before: Side,
    after: Side,
}

impl Pairs {
    /// Counts all pairs. `max_bytes` and `max_pretokens` limit what a merge may make.
    ///
    /// # Errors
    /// What the progress callback returns.
    pub fn new(
        vocabulary: Vocabulary,
        arena: Arena,
        rules: Rules,
        max_bytes: Option<u64>,
        max_pretokens: Option<u64>,
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
            pairs: Vec::new(),
            index: HashMap::new(),
            places: Vec::new(),
            older: Vec::new(),
            sites: Vec::new(),
            before: Side::default(),
            after: Side::default(),
        };
        pairs.count_all(ticker)?;
        Ok(pairs)
    }

    /// The tokens made so far.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The pair that comes next, `None` if there is none within the limits.
    pub fn best(&mut self) -> Option<Best> {
        let pair = self.heap.best(&self.pairs, &self.vocabulary)?;
        let Pair { left, right, count, .. } = self.pairs[pair as usize];
        Some(Best { left, right, count, pair })
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
        self.replace(best.left, best.right, new, again, ticker)?;
        // Gains first: what one site gains another may lose.
        self.add_gained(true, new, again);
        self.add_gained(false, new, again);
        for &left in &self.before.neighbours {
            let lost = self.before.lost[left as usize];
            subtract(&mut self.pairs, &self.index, left, best.left, lost);
        }
        for &right in &self.after.neighbours {
            let lost = self.after.lost[right as usize];
            subtract(&mut self.pairs, &self.index, best.right, right, lost);
        }
        self.before.clear();
        self.after.clear();
        Ok(Op { kind, left: best.left, right: best.right, new, count: best.count })
    }

    /// Counts the pairs of the untouched sequences and notes their places.
    fn count_all(&mut self, ticker: &mut Ticker<'_, '_>) -> Result<()> {
        let mut taken = false; // whether this slot is the right part of a counted pair (x, x)
        for slot in 1..self.arena.slots() {
            ticker.work(1)?;
            let (left, right) = (self.arena.token(slot - 1), self.arena.token(slot));
            if left == END || right == END {
                taken = false;
                continue;
            }
            taken = self.disjoint && left == right && !taken;
            let counts = taken || !self.disjoint || left != right;
            let Some(pair) = self.find_or_add(left, right, true) else { continue };
            let pair = &mut self.pairs[pair as usize];
            pair.block.length += 1;
            if counts {
                pair.count += self.arena.weight(slot);
            }
        }
        let mut start = 0;
        for (i, pair) in self.pairs.iter_mut().enumerate() {
            pair.block.start = start;
            start += pair.block.length;
            pair.block.length = 0;
            self.heap.push(pair.count, i as u32);
        }
        self.places = vec![0; start];
        for slot in 1..self.arena.slots() {
            ticker.work(1)?;
            let key = key(self.arena.token(slot - 1), self.arena.token(slot));
            if let Some(&pair) = self.index.get(&key) {
                let block = &mut self.pairs[pair as usize].block;
                self.places[block.start + block.length] = slot as u32 - 1;
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
        let bytes = self.vocabulary.length(left).saturating_add(self.vocabulary.length(right));
        if self.max_bytes.is_some_and(|most| bytes > most)
            || self.max_pretokens.is_some_and(|most| self.pretokens_of(left, right) > most)
        {
            return None;
        }
        let pair = self.pairs.len() as u32;
        let block = Block { start: 0, length: 0, older: NONE };
        self.pairs.push(Pair { left, right, count: 0, block });
        self.index.insert(key, pair);
        Some(pair)
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

    /// Rewrites the sites that still hold the pair (a, b), and collects what that changes.
    fn replace(
        &mut self,
        a: u32,
        b: u32,
        new: u32,
        again: bool,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<()> {
        let Self { arena, before, after, sites, disjoint, .. } = self;
        let disjoint = *disjoint;
        // The last run of equal new tokens: the slot after it, and its length.
        let (mut run_end, mut run) = (0, 0);
        let mut last_end = 0;
        for &site in &*sites {
            ticker.work(1)?;
            let first = site as usize;
            if arena.token(first) != a {
                continue;
            }
            let second = first + arena.span(first);
            if arena.token(second) != b {
                continue;
            }
            let end = second + arena.span(second);
            let weight = arena.weight(first);
            let (left, right) = (arena.token(first - 1), arena.token(end));

            if left == new && first == last_end {
                after.ungain(a, weight);
            } else if left == a && disjoint {
                // (If a is b, the token before cannot be a: it would have been replaced with this.)
                if arena.run_before(second).0 % 2 == 0 {
                    before.lose(a, weight);
                }
            } else if left != END {
                before.lose(left, weight);
            }
            if right == b && (a == b || disjoint) {
                // All pairs (a, a) vanish anyway.
                if a != b && arena.run_from(second).0 % 2 == 0 {
                    after.lose(b, weight);
                }
            } else if right != END {
                after.lose(right, weight);
            }

            let run_before = match left {
                _ if left != new => 0,
                _ if first == run_end => run,
                _ => arena.run_before(first).0,
            };
            // Only an old token can stand there already.
            let (run_after, end_after) =
                if again && right == new { arena.run_from(end) } else { (0, end) };
            (run, run_end) = (run_before + 1 + run_after, end_after);
            let gained =
                if disjoint { (run / 2 - run_before / 2 - run_after / 2) * weight } else { weight };

            if left == new {
                let gained = if disjoint && right == new { 0 } else { gained };
                before.gain(new, gained, first - arena.span(first - 1));
            } else if left != END {
                before.gain(left, weight, first - arena.span(first - 1));
            }
            if right == new {
                before.gain(new, gained, first);
            } else if right != END {
                after.gain(right, weight, first);
            }
            arena.join(first, second, new);
            last_end = end;
        }
        Ok(())
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
            if length == 0 {
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
