//! A pattern made ready for matching: instructions over classes of characters.
//!
//! All characters that are in the same sets of a pattern are one class, and the end of a text is a
//! class of its own. The instructions know classes alone, in bit masks. Each has the instruction
//! that comes next, and what can come next is known where it is made: so a choice has, for every
//! class of the character at hand, only the alternatives that can begin with it, and a repetition
//! whose characters cannot be what follows never gives one back.

use std::collections::BTreeMap;

use crate::pattern_tree::{How, Node, Repeat};
use crate::patterns::Ranges;

/// Code points that share an entry of the table of classes.
const BLOCK: usize = 64;
const CODE_POINTS: usize = 0x11_0000;

/// Classes as bits.
pub(crate) type Mask = Box<[u64]>;

/// Some classes, and which ASCII characters are in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    pub(crate) ascii: u128,
    pub(crate) mask: Mask,
}

/// One step of matching; all but the last have what comes `then`.
#[derive(Clone, Debug)]
pub(crate) enum Instruction {
    /// One character.
    Set { classes: Classes, then: u32 },
    /// As many characters as there are, up to `most`; without `keeps` it may give some back.
    Span { classes: Classes, least: u32, most: u32, keeps: bool, then: u32 },
    /// As few characters as will do.
    SpanLazy { classes: Classes, least: u32, most: u32, then: u32 },
    /// The alternatives for each class, in order: from `starts[class]` to `starts[class + 1]` in
    /// the targets of the program.
    Choice { starts: Box<[u32]> },
    /// The next character or the end is of these classes.
    Peek { classes: Classes, then: u32 },
    /// A look-around begins, so many characters before.
    Look { body: u32, behind: usize, negative: bool, then: u32 },
    /// A look-around has found what it looks for.
    LookEnd { negative: bool, then: u32 },
    /// A group in a look-around repeats once more or ends. From here the look-around finds the same
    /// whenever it comes to the same place of the text; `found` is its end.
    Recall { number: u32, found: u32, then: u32 },
    /// A set in a look-around repeats, as often as it can or not at all.
    Stretch { classes: Classes, number: u32, keeps: bool, found: u32, then: u32 },
    /// A part begins that gives nothing back.
    Atom { body: u32 },
    /// It ends.
    AtomEnd { then: u32 },
    /// All is matched.
    Match,
}

/// A compiled pattern.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub(crate) code: Vec<Instruction>,
    pub(crate) targets: Vec<u32>,
    /// The first instruction.
    pub(crate) start: u32,
    /// The classes with which a match can begin.
    pub(crate) first: Classes,
    /// Of characters; the end of a text is the next one.
    pub(crate) n_classes: usize,
    /// How many groups repeat in look-arounds, and how many sets.
    pub(crate) groups: usize,
    pub(crate) stretches: usize,
    /// Where in `blocks` the classes are of each [`BLOCK`] code points.
    block_of: Vec<u32>,
    blocks: Vec<u16>,
}

/// Makes a tree ready for matching: that of a pattern that cannot match the empty string.
/// SPEC sections 3.2 and 3.3.
///
/// ```
/// use superword::pattern_program::{class_of, compile_pattern};
/// use superword::pattern_syntax::parse_pattern;
/// let program = compile_pattern(&parse_pattern("[a-z]+").unwrap());
/// let class = |char: char| class_of(&program, char.into());
/// assert_eq!((class('A'), class('a'), class('z')), (0, 1, 1));
/// ```
pub fn compile_pattern(node: &Node) -> Program {
    let mut compiler = Compiler::new(node);
    let everything = compiler.everything();
    let end = compiler.emit(Instruction::Match);
    let start = compiler.node(node, end, &everything);
    let first = compiler.classes(compiler.first(node, &everything));
    Program { start, first, ..compiler.program }
}

/// Returns the class of a code point.
#[inline]
pub fn class_of(program: &Program, code: u32) -> usize {
    let block = program.block_of[code as usize / BLOCK] as usize;
    usize::from(program.blocks[block + code as usize % BLOCK])
}

/// Whether a class is in a mask.
#[inline]
pub(crate) fn has(mask: &Mask, class: usize) -> bool {
    mask[class / 64] >> (class % 64) & 1 == 1
}

/// Adds every set of a part, in order, those that repeat too.
fn sets<'n>(node: &'n Node, all: &mut Vec<&'n Ranges>) {
    match node {
        Node::Set(ranges) => all.push(ranges),
        Node::Sequence(parts) | Node::Choice(parts) => {
            parts.iter().for_each(|part| sets(part, all))
        }
        Node::Repeat(Repeat { body, .. }) | Node::Look { body, .. } => sets(body, all),
    }
}

/// Makes instructions from the end to the start, so that each knows what follows.
struct Compiler<'n> {
    program: Program,
    masks: BTreeMap<&'n Ranges, Mask>,
    /// The end of the look-around whose parts are made, but for atoms in atoms; in an atom or not.
    look_end: Option<u32>,
    in_atom: bool,
}

impl<'n> Compiler<'n> {
    fn new(node: &'n Node) -> Self {
        let (mut all, mut numbers) = (Vec::new(), BTreeMap::new());
        sets(node, &mut all);
        for ranges in all {
            let next = numbers.len();
            numbers.entry(ranges).or_insert(next);
        }
        // which sets begin or end at a code point, and then which hold it
        let words = numbers.len().div_ceil(64);
        let mut changes = BTreeMap::from([(0, vec![0_u64; words])]);
        for (ranges, &number) in &numbers {
            for &(first, last) in ranges.iter() {
                for code in [first, last + 1] {
                    let change = changes.entry(code).or_insert_with(|| vec![0; words]);
                    change[number / 64] ^= 1 << (number % 64);
                }
            }
        }
        let mut known: BTreeMap<Vec<u64>, u16> = BTreeMap::new();
        let (mut stretches, mut holding) = (Vec::new(), vec![0_u64; words]);
        for (code, change) in changes {
            holding.iter_mut().zip(change).for_each(|(word, bits)| *word ^= bits);
            let next = known.len() as u16;
            let class = *known.entry(holding.clone()).or_insert(next);
            stretches.push((code as usize, class));
        }
        let n_classes = known.len();
        let masks = numbers
            .iter()
            .map(|(&ranges, &number)| {
                let mut mask = empty(n_classes);
                for (holding, &class) in &known {
                    if holding[number / 64] >> (number % 64) & 1 == 1 {
                        insert(&mut mask, usize::from(class));
                    }
                }
                (ranges, mask)
            })
            .collect();
        let (block_of, blocks) = class_table(&stretches);
        let program = Program { n_classes, block_of, blocks, ..Program::default() };
        Self { program, masks, look_end: None, in_atom: false }
    }

    /// All classes and the end.
    fn everything(&self) -> Mask {
        let mut mask = empty(self.program.n_classes);
        (0..=self.program.n_classes).for_each(|class| insert(&mut mask, class));
        mask
    }

    fn classes(&self, mask: Mask) -> Classes {
        let ascii = (0..128_u32)
            .filter(|&code| has(&mask, class_of(&self.program, code)))
            .fold(0, |all, code| all | 1 << code);
        Classes { ascii, mask }
    }

    fn emit(&mut self, instruction: Instruction) -> u32 {
        self.program.code.push(instruction);
        self.program.code.len() as u32 - 1
    }

    /// Makes the instructions of a part, after which `then` comes; returns the first one.
    ///
    /// `follow` has the classes that can stand where the part ends.
    fn node(&mut self, node: &Node, then: u32, follow: &Mask) -> u32 {
        match node {
            Node::Set(ranges) => {
                let classes = self.classes(self.masks[ranges].clone());
                self.emit(Instruction::Set { classes, then })
            }
            Node::Sequence(parts) => {
                let (mut then, mut follow) = (then, follow.clone());
                for part in parts.iter().rev() {
                    then = self.node(part, then, &follow);
                    follow = self.first(part, &follow);
                }
                then
            }
            Node::Choice(parts) => {
                let targets = parts
                    .iter()
                    .map(|part| (self.node(part, then, follow), self.first(part, follow)))
                    .collect();
                self.choice(targets)
            }
            Node::Repeat(repeat) => self.repeat(repeat, repeat.how, then, follow),
            Node::Look { body, behind, negative } => self.look(body, *behind, *negative, then),
        }
    }

    /// Makes a choice among (instruction, the classes with which it can begin).
    fn choice(&mut self, targets: Vec<(u32, Mask)>) -> u32 {
        let starts = self.table(targets);
        self.emit(Instruction::Choice { starts })
    }

    fn table(&mut self, targets: Vec<(u32, Mask)>) -> Box<[u32]> {
        let all = &mut self.program.targets;
        let mut starts = vec![all.len() as u32];
        for class in 0..=self.program.n_classes {
            all.extend(targets.iter().filter(|(_, mask)| has(mask, class)).map(|(then, _)| then));
            starts.push(all.len() as u32);
        }
        starts.into_boxed_slice()
    }

    fn repeat(&mut self, repeat: &Repeat, how: How, then: u32, follow: &Mask) -> u32 {
        let Repeat { body, least, most, .. } = repeat;
        let (least, most) = (*least, *most);
        if let Node::Set(ranges) = &**body {
            let mask = self.masks[ranges].clone();
            let keeps = how == How::Possessive || self.is_final(&mask, then, follow);
            let classes = self.classes(mask);
            if most.is_none() && self.look_end.is_some() && !(self.in_atom && how == How::Lazy) {
                let then = self.stretch(classes.clone(), keeps, then);
                let (most, keeps) = (least, true);
                return match least {
                    0 => then,
                    _ => self.emit(Instruction::Span { classes, least, most, keeps, then }),
                };
            }
            let most = most.unwrap_or(u32::MAX);
            return self.emit(match how {
                How::Lazy => Instruction::SpanLazy { classes, least, most, then },
                _ => Instruction::Span { classes, least, most, keeps, then },
            });
        }
        if how == How::Possessive {
            let end = self.emit(Instruction::AtomEnd { then });
            let everything = self.everything();
            let outer = (self.look_end, self.in_atom);
            self.look_end = self.look_end.filter(|_| !self.in_atom);
            self.in_atom = true;
            let body = self.repeat(repeat, How::Greedy, end, &everything);
            (self.look_end, self.in_atom) = outer;
            return self.emit(Instruction::Atom { body });
        }
        let again_or_not = |again, stop| match how {
            How::Lazy => vec![stop, again],
            _ => vec![again, stop],
        };
        let first = self.first(body, follow);
        if (least, most, how) == (1, None, How::Greedy)
            && let Some(marked) = self.marked(body)
            && self.is_final(&marked, then, follow)
        {
            // x and its marks, again and again: x, and then any of both
            let (classes, least, most, keeps) = (self.classes(marked), 0, u32::MAX, true);
            let then = match self.look_end {
                Some(_) => self.stretch(classes, keeps, then),
                None => self.emit(Instruction::Span { classes, least, most, keeps, then }),
            };
            let classes = self.classes(first);
            return self.emit(Instruction::Set { classes, then });
        }
        let (mut then, mut follow) = (then, follow.clone());
        match most {
            None => {
                let begins = either(&first, &follow);
                let starts = Box::default();
                let choice = self.emit(Instruction::Choice { starts });
                let start = match self.look_end {
                    Some(found) => {
                        let number = self.program.groups as u32;
                        self.program.groups += 1;
                        self.emit(Instruction::Recall { number, found, then: choice })
                    }
                    None => choice,
                };
                let again = self.node(body, start, &begins);
                let starts = self.table(again_or_not((again, first), (then, follow)));
                self.program.code[choice as usize] = Instruction::Choice { starts };
                (then, follow) = (start, begins);
            }
            Some(most) => {
                let stop = (then, follow.clone());
                for _ in least..most {
                    let begins = self.first(body, &follow);
                    let again = self.node(body, then, &follow);
                    follow = either(&begins, &stop.1);
                    then = self.choice(again_or_not((again, begins), stop.clone()));
                }
            }
        }
        for _ in 0..least {
            then = self.node(body, then, &follow);
            follow = self.first(body, &follow);
        }
        then
    }

    /// Makes a repetition of a set in a look-around. That asks alone whether there is some way to
    /// its end, so what repeats just before the end need not be read.
    fn stretch(&mut self, classes: Classes, keeps: bool, then: u32) -> u32 {
        match self.look_end {
            Some(found) if found != then => {
                let number = self.program.stretches as u32;
                self.program.stretches += 1;
                self.emit(Instruction::Stretch { classes, number, keeps, found, then })
            }
            _ => then,
        }
    }

    /// Tells whether a greedy repetition of these classes need never give one back. That is so if
    /// what follows begins with none of them, or if there is nothing left to match.
    fn is_final(&self, mask: &Mask, then: u32, follow: &Mask) -> bool {
        both(mask, follow).iter().all(|&word| word == 0)
            || matches!(
                self.program.code[then as usize],
                Instruction::Match | Instruction::LookEnd { .. } | Instruction::AtomEnd { .. }
            )
    }

    /// The classes of both sets of `xy*`, if a part is like that.
    fn marked(&self, body: &Node) -> Option<Mask> {
        if let Node::Sequence(parts) = body
            && let [Node::Set(x), Node::Repeat(Repeat { body, least: 0, most: None, how, .. })] =
                &parts[..]
            && let Node::Set(y) = &**body
            && *how != How::Lazy
        {
            return Some(either(&self.masks[x], &self.masks[y]));
        }
        None
    }

    fn look(&mut self, body: &Node, behind: Option<usize>, negative: bool, then: u32) -> u32 {
        if let (Node::Set(ranges), None) = (body, behind) {
            let classes = self.classes(self.peeked(ranges, negative));
            return self.emit(Instruction::Peek { classes, then });
        }
        let end = self.emit(Instruction::LookEnd { negative, then });
        let everything = self.everything();
        let outer = (self.look_end, self.in_atom);
        (self.look_end, self.in_atom) = (Some(end), false);
        let body = self.node(body, end, &everything);
        (self.look_end, self.in_atom) = outer;
        self.emit(Instruction::Look { body, behind: behind.unwrap_or(0), negative, then })
    }

    /// The classes that may come where one set must or must not; the end is one.
    fn peeked(&self, ranges: &Ranges, negative: bool) -> Mask {
        let mask = self.masks[ranges].clone();
        if !negative {
            return mask;
        }
        self.everything().iter().zip(&mask).map(|(all, word)| all & !word).collect()
    }

    /// The classes with which a part can begin, if what follows begins with `follow`.
    fn first(&self, node: &Node, follow: &Mask) -> Mask {
        match node {
            Node::Set(ranges) => self.masks[ranges].clone(),
            Node::Sequence(parts) => {
                parts.iter().rev().fold(follow.clone(), |follow, part| self.first(part, &follow))
            }
            Node::Choice(parts) => parts.iter().fold(empty(self.program.n_classes), |all, part| {
                either(&all, &self.first(part, follow))
            }),
            Node::Repeat(Repeat { body, least, .. }) => {
                let first = self.first(body, follow);
                if *least == 0 { either(&first, follow) } else { first }
            }
            Node::Look { body, behind, negative } => match (&**body, behind) {
                (Node::Set(ranges), None) => both(&self.peeked(ranges, *negative), follow),
                _ => follow.clone(),
            },
        }
    }
}

fn empty(n_classes: usize) -> Mask {
    vec![0; n_classes / 64 + 1].into_boxed_slice()
}

fn insert(mask: &mut Mask, class: usize) {
    mask[class / 64] |= 1 << (class % 64);
}

fn either(left: &Mask, right: &Mask) -> Mask {
    left.iter().zip(right).map(|(left, right)| left | right).collect()
}

fn both(left: &Mask, right: &Mask) -> Mask {
    left.iter().zip(right).map(|(left, right)| left & right).collect()
}

/// The class of each code point, block by block; `stretches` are (first code point, class).
fn class_table(stretches: &[(usize, u16)]) -> (Vec<u32>, Vec<u16>) {
    let (mut block_of, mut blocks) = (Vec::new(), Vec::new());
    let mut uniform: BTreeMap<u16, u32> = BTreeMap::new();
    let mut at = 0;
    for start in (0..CODE_POINTS).step_by(BLOCK) {
        while stretches.get(at + 1).is_some_and(|&(code, _)| code <= start) {
            at += 1;
        }
        let place = blocks.len() as u32;
        let one = stretches.get(at + 1).is_none_or(|&(code, _)| code >= start + BLOCK);
        if one && let Some(&known) = uniform.get(&stretches[at].1) {
            block_of.push(known);
            continue;
        }
        if one {
            uniform.insert(stretches[at].1, place);
        }
        block_of.push(place);
        let mut current = at;
        for code in start..start + BLOCK {
            while stretches.get(current + 1).is_some_and(|&(next, _)| next <= code) {
                current += 1;
            }
            blocks.push(stretches[current].1);
        }
    }
    (block_of, blocks)
}
