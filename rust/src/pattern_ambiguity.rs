//! Patterns that could take exponential time are refused when they are read (SPEC section 3.3).
//!
//! A matcher that goes back takes exponential time only where an unbounded repetition can read one
//! and the same text in two ways, for it then has 2^n ways to read it n times. That can be decided.
//! The positions of the sets in the outermost unbounded repetition are the states of an automaton
//! (that of Glushkov), an edge leads to each position that can come next, and as the repetition
//! comes back to its start, every state reaches every other one. So there are two ways exactly if
//! two edges between the same states exist, made by different parts of the pattern, or if two
//! different edges from one state can go on, reading the same text, until they meet in one state
//! again.
//!
//! What repeats possessively is taken as greedy, and a look-around as always true: both can only
//! make fewer ways. DESIGN.md has the proof.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Error, ErrorKind, Result};
use crate::pattern_tree::{Node, Repeat, is_nullable};
use crate::patterns::Ranges;

/// The most edges and pairs of edges that are looked at in one pattern.
pub const MAX_PAIRS: usize = 200_000;

/// The number of ways in which something is possible, of which only none, one and more matter.
type Ways = BTreeMap<usize, u8>;

/// Refuses a pattern that matches the empty string or repeats something ambiguous.
/// SPEC sections 3.2 and 3.3.
///
/// # Errors
/// [`ErrorKind::Settings`]: the reason, to follow the name of the setting.
///
/// ```
/// use superword::pattern_ambiguity::check_ambiguity;
/// use superword::pattern_syntax::parse_pattern;
/// assert!(check_ambiguity(&parse_pattern("(?:a|b|ab)+").unwrap()).is_err());
/// assert!(check_ambiguity(&parse_pattern("(?:a|b|ac)+").unwrap()).is_ok());
/// ```
pub fn check_ambiguity(node: &Node) -> Result<()> {
    if is_nullable(node) {
        return Err(Error::new(ErrorKind::Settings, "can match the empty string"));
    }
    let mut loops = Vec::new();
    outermost_loops(node, &mut loops);
    let mut pairs = MAX_PAIRS;
    loops.into_iter().try_for_each(|repeat| {
        pairs = check_loop(repeat, pairs)?;
        Ok(())
    })
}

fn outermost_loops<'n>(node: &'n Node, loops: &mut Vec<&'n Repeat>) {
    match node {
        Node::Set(_) => {}
        Node::Sequence(parts) | Node::Choice(parts) => {
            parts.iter().for_each(|part| outermost_loops(part, loops));
        }
        Node::Repeat(repeat) if repeat.most.is_none() => {
            loops.push(repeat);
            looks(&repeat.body, loops);
        }
        Node::Repeat(Repeat { body, .. }) | Node::Look { body, .. } => outermost_loops(body, loops),
    }
}

/// Adds the outermost unbounded repetitions in the outermost look-arounds of a part.
fn looks<'n>(node: &'n Node, loops: &mut Vec<&'n Repeat>) {
    match node {
        Node::Set(_) => {}
        Node::Sequence(parts) | Node::Choice(parts) => {
            parts.iter().for_each(|part| looks(part, loops));
        }
        Node::Repeat(Repeat { body, .. }) => looks(body, loops),
        Node::Look { body, .. } => outermost_loops(body, loops),
    }
}

/// Refuses an ambiguous repetition; returns how many pairs are left to look at.
fn check_loop(repeat: &Repeat, pairs: usize) -> Result<usize> {
    let mut automaton = Automaton { at: repeat.at, pairs, ..Automaton::default() };
    automaton.repeat(&repeat.body, 1, None)?;
    if automaton.follow.iter().any(|edges| edges.values().any(|&ways| ways > 1)) {
        return ambiguous(repeat.at);
    }
    let follow = std::mem::take(&mut automaton.follow);
    let (mut waiting, mut seen) = (Vec::new(), BTreeSet::new());
    for edges in &follow {
        let after: Vec<usize> = edges.keys().copied().collect();
        automaton.spend(after.len() * after.len())?;
        for (index, &left) in after.iter().enumerate() {
            for &right in &after[..index] {
                automaton.visit(left, right, &mut seen, &mut waiting);
            }
        }
    }
    while let Some((one, two)) = waiting.pop() {
        automaton.spend(follow[one].len() * follow[two].len())?;
        for &left in follow[one].keys() {
            for &right in follow[two].keys() {
                if left == right {
                    return ambiguous(repeat.at);
                }
                automaton.visit(left, right, &mut seen, &mut waiting);
            }
        }
    }
    Ok(automaton.pairs)
}

fn ambiguous<T>(at: usize) -> Result<T> {
    let text = format!(
        "at position {at}: what is repeated without limit can read the same text in two ways, \
         which may take exponential time"
    );
    Err(Error::new(ErrorKind::Settings, text))
}

/// The positions of the sets in a part of a pattern, and how often each can follow each.
#[derive(Default)]
struct Automaton<'n> {
    at: usize,
    /// How many pairs are left to look at.
    pairs: usize,
    /// The set of each position, as a number.
    sets: Vec<usize>,
    numbers: BTreeMap<&'n Ranges, usize>,
    by_number: Vec<&'n Ranges>,
    follow: Vec<Ways>,
    meet: BTreeMap<(usize, usize), bool>,
}

/// Where a part can start and end, and in how many ways it is empty.
type Part = (Ways, Ways, u8);

impl<'n> Automaton<'n> {
    fn spend(&mut self, pairs: usize) -> Result<()> {
        let at = self.at;
        self.pairs = self.pairs.checked_sub(pairs).ok_or_else(|| {
            let text = format!(
                "at position {at}: what is repeated without limit is too large to be judged"
            );
            Error::new(ErrorKind::Settings, text)
        })?;
        Ok(())
    }

    fn add(&mut self, node: &'n Node) -> Result<Part> {
        match node {
            Node::Set(ranges) => {
                let next = self.numbers.len();
                let number = *self.numbers.entry(ranges).or_insert(next);
                if number == next {
                    self.by_number.push(ranges);
                }
                let position = self.sets.len();
                self.sets.push(number);
                self.follow.push(Ways::new());
                Ok((Ways::from([(position, 1)]), Ways::from([(position, 1)]), 0))
            }
            Node::Sequence(parts) => self.join(parts.iter().map(|part| (part, true))),
            Node::Choice(parts) => {
                let (mut first, mut last, mut empty) = (Ways::new(), Ways::new(), 0);
                for part in parts {
                    let (starts, ends, ways) = self.add(part)?;
                    add(&mut first, &starts, 1);
                    add(&mut last, &ends, 1);
                    empty = (empty + ways).min(2);
                }
                Ok((first, last, empty))
            }
            Node::Repeat(Repeat { body, least, most, .. }) => self.repeat(body, *least, *most),
            Node::Look { .. } => Ok((Ways::new(), Ways::new(), 1)),
        }
    }

    fn repeat(&mut self, body: &'n Node, least: u32, most: Option<u32>) -> Result<Part> {
        if let Some(most) = most {
            // x{1,3} is x(?:x(?:x)?)?: from each copy on, all others may be missing in one way
            return self.join((0..most).map(|index| (body, index < least)));
        }
        let copies = least.saturating_sub(1);
        let (mut first, last, empty) = self.join((0..copies).map(|_| (body, true)))?;
        let (starts, ends, _) = self.add(body)?;
        self.connect(&ends, &starts)?;
        self.connect(&last, &starts)?;
        add(&mut first, &starts, empty);
        Ok((first, ends, u8::from(least == 0)))
    }

    /// Adds parts one after the other; from one that is not needed on the rest may be left out.
    fn join(&mut self, parts: impl Iterator<Item = (&'n Node, bool)>) -> Result<Part> {
        let (mut first, mut last, mut empty) = (Ways::new(), Ways::new(), 1);
        let (mut stops, mut stop_empty) = (Ways::new(), 0);
        for (part, needed) in parts {
            if !needed {
                add(&mut stops, &last, 1);
                stop_empty = (stop_empty + empty).min(2);
            }
            let (starts, mut ends, ways) = self.add(part)?;
            self.connect(&last, &starts)?;
            add(&mut first, &starts, empty);
            add(&mut ends, &last, ways);
            last = ends;
            empty = (empty * ways).min(2);
        }
        add(&mut last, &stops, 1);
        Ok((first, last, (empty + stop_empty).min(2)))
    }

    fn connect(&mut self, ends: &Ways, starts: &Ways) -> Result<()> {
        self.spend(ends.len() * starts.len())?;
        for (&end, &ways) in ends {
            add(&mut self.follow[end], starts, ways);
        }
        Ok(())
    }

    fn visit(
        &mut self,
        left: usize,
        right: usize,
        seen: &mut BTreeSet<(usize, usize)>,
        waiting: &mut Vec<(usize, usize)>,
    ) {
        let pair = (left.min(right), left.max(right));
        if !seen.contains(&pair) && self.meet(left, right) {
            seen.insert(pair);
            waiting.push(pair);
        }
    }

    /// Tells whether some character is in both sets.
    fn meet(&mut self, left: usize, right: usize) -> bool {
        let key = (self.sets[left], self.sets[right]);
        let (one, two) = (self.by_number[key.0], self.by_number[key.1]);
        *self.meet.entry(key).or_insert_with(|| overlap(one, two))
    }
}

fn add(ways: &mut Ways, more: &Ways, times: u8) {
    if times > 0 {
        for (&position, &count) in more {
            let known = ways.entry(position).or_insert(0);
            *known = (*known + count * times).min(2);
        }
    }
}

fn overlap(left: &Ranges, right: &Ranges) -> bool {
    let (mut one, mut two) = (0, 0);
    while let (Some(a), Some(b)) = (left.get(one), right.get(two)) {
        if a.1 < b.0 {
            one += 1;
        } else if b.1 < a.0 {
            two += 1;
        } else {
            return true;
        }
    }
    false
}
