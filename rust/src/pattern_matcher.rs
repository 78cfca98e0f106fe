//! Matching by a program: backtracking with a stack of its own and a limit of steps.
//!
//! Recursion never grows with the text. A step is an instruction, a return to an earlier choice, or
//! a few characters that are read together; both backends count alike, so they give up at the same
//! places. What has been given up is an error, never a shorter result.
//!
//! A look-around that reads far, as over all digits that follow, would read the same text again at
//! each place where it begins. What its repetitions found is remembered: it depends on the place
//! alone, since nothing is given back into a look-around from outside.

use hashbrown::HashMap;

use crate::error::{Error, ErrorKind, Result};
use crate::pattern_program::{Classes, Instruction, Program, class_of, has};
use crate::scripts::code_point_at;

/// How many steps a text may take: so many, and so many for each of its characters.
pub const BASE_STEPS: i64 = 2_000_000;
/// See [`BASE_STEPS`].
pub const STEPS_PER_CHARACTER: i64 = 100;
/// So many characters that are read together are one step.
const SPAN_SHIFT: u32 = 2;
/// How many steps pass between two calls of a poll function, well under a millisecond of work.
const STEPS_PER_POLL: i64 = 1 << 16;

/// So many places are remembered at a time.
const REMEMBERED: usize = 1 << 16;

/// Where a text stands in that of the call, for the error.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'t> {
    /// The text of the call, or a stretch of it, and where in it this one begins.
    pub(crate) whole: &'t str,
    pub(crate) at: usize,
    /// What stands before the stretch, in the units in which `length` measures.
    pub(crate) start: usize,
    pub(crate) length: fn(&str) -> usize,
}

impl<'t> Origin<'t> {
    /// That of what begins at a place of a text, measured in characters.
    pub(crate) fn in_text(whole: &'t str, at: usize) -> Self {
        Self { whole, at, start: 0, length: |text| text.chars().count() }
    }

    /// That of what begins so many bytes further on.
    pub(crate) fn further(self, bytes: usize) -> Self {
        Self { at: self.at + bytes, ..self }
    }

    fn position(&self) -> usize {
        self.start + (self.length)(&self.whole[..self.at])
    }
}

/// What is left to try.
#[derive(Clone, Copy, Debug)]
enum Frame {
    /// Further alternatives, from `next` to `end` in the targets.
    Choice { next: u32, end: u32, at: usize },
    /// Characters that may be given back, down to `low`.
    GiveBack { then: u32, at: usize, low: usize },
    /// `more` characters that may be taken by the lazy instruction `code`.
    Lazy { code: u32, more: u32, at: usize },
    /// Where the look-around `code` began.
    Look { code: u32, at: usize },
    /// Where a part began that gives nothing back.
    Atom,
    /// What is to be remembered of `code` at this place, once it is known.
    Recall { code: u32, at: usize },
}

/// The matches of a program in a text. Look-around sees nothing else.
pub(crate) struct Matcher<'t> {
    program: &'t Program,
    text: &'t [u8],
    /// `None` for a pretoken to be judged.
    origin: Option<Origin<'t>>,
    /// How many steps there are in all, and are left.
    limit: i64,
    steps: i64,
    /// At so many steps the poll function is called again.
    next_poll: i64,
    stack: Vec<Frame>,
    /// The places in the stack of look-arounds and atoms.
    barriers: Vec<usize>,
    /// By instruction and place whether the look-around finds what it looks for.
    known: HashMap<(u32, usize), bool>,
}

impl<'t> Matcher<'t> {
    pub(crate) fn new(program: &'t Program, text: &'t str, origin: Option<Origin<'t>>) -> Self {
        let limit = (text.chars().count() as i64)
            .saturating_mul(STEPS_PER_CHARACTER)
            .saturating_add(BASE_STEPS);
        Self {
            program,
            text: text.as_bytes(),
            origin,
            limit,
            steps: limit,
            next_poll: limit - STEPS_PER_POLL,
            stack: Vec::new(),
            barriers: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// Where the next piece ends that starts at `at`: a match, or a stretch without one. The end of
    /// a match after a stretch is returned too: it is known then. SPEC section 3.2.
    ///
    /// # Errors
    /// [`ErrorKind::Pattern`] if the steps are used up; what `poll` returns.
    pub(crate) fn piece(
        &mut self,
        at: usize,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<(usize, Option<usize>)> {
        let mut next = at;
        while next < self.text.len() {
            match self.match_at(next, poll)? {
                Some(end) if next == at => return Ok((end, None)),
                Some(end) => return Ok((next, Some(end))),
                None => next += self.char_length(next),
            }
        }
        Ok((next, None))
    }

    /// Tells whether there is a match anywhere; errors as for [`Self::piece`].
    pub(crate) fn search(&mut self, poll: &mut dyn FnMut() -> Result<()>) -> Result<bool> {
        let mut at = 0;
        while at < self.text.len() {
            if self.match_at(at, poll)?.is_some() {
                return Ok(true);
            }
            at += self.char_length(at);
        }
        Ok(false)
    }

    /// The end of the match at a place.
    fn match_at(
        &mut self,
        at: usize,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Option<usize>> {
        let end = if self.is_in(&self.program.first, at) {
            self.run(at, poll)?
        } else {
            self.poll_now_and_then(poll)?;
            self.steps -= 1;
            None
        };
        if self.steps < 0 {
            return Err(self.too_expensive(at));
        }
        Ok(end)
    }

    fn too_expensive(&self, at: usize) -> Error {
        let text = |bytes| std::str::from_utf8(bytes).unwrap_or_default();
        let before: String = text(&self.text[at..]).chars().take(20).collect();
        let limit = self.limit;
        let (what, whole, place) = match self.origin {
            Some(origin) => ("pattern", "text", origin.further(at).position()),
            None => ("eligible pattern", "pretoken", text(&self.text[..at]).chars().count()),
        };
        let text = format!(
            "the {what} is too expensive: no end after {limit} steps, at position {place} of the \
             {whole}, before '{before}'; simplify the pattern, or cut the text"
        );
        Error::new(ErrorKind::Pattern, text)
    }

    fn char_length(&self, at: usize) -> usize {
        code_point_at(self.text, at).map_or(1, |(_, length)| length)
    }

    /// The class of the character at a place, or that of the end.
    #[inline]
    fn class_at(&self, at: usize) -> usize {
        match code_point_at(self.text, at) {
            Some((code, _)) => class_of(self.program, code),
            None => self.program.n_classes,
        }
    }

    /// Whether the character at a place, or the end, is of some classes.
    #[inline]
    fn is_in(&self, classes: &Classes, at: usize) -> bool {
        match self.text.get(at) {
            Some(&byte) if byte.is_ascii() => classes.ascii >> byte & 1 == 1,
            _ => has(&classes.mask, self.class_at(at)),
        }
    }

    /// Where the character at a place ends, if it is of some classes, which the end is not.
    #[inline]
    fn step(&self, classes: &Classes, at: usize) -> Option<usize> {
        let &byte = self.text.get(at)?;
        if byte.is_ascii() {
            return (classes.ascii >> byte & 1 == 1).then_some(at + 1);
        }
        let (code, length) = code_point_at(self.text, at)?;
        has(&classes.mask, class_of(self.program, code)).then_some(at + length)
    }

    /// Reads up to `most` characters of some classes: where they end, and where `least` of them do,
    /// if there are so many.
    fn span(
        &mut self,
        classes: &Classes,
        mut at: usize,
        least: u32,
        most: u32,
    ) -> (usize, u32, Option<usize>) {
        let (mut count, mut low) = (0, (least == 0).then_some(at));
        while count < most
            && let Some(end) = self.step(classes, at)
        {
            at = end;
            count += 1;
            if count == least {
                low = Some(at);
            }
        }
        self.steps -= i64::from(count >> SPAN_SHIFT);
        (at, count, low)
    }

    /// The place so many characters before, if there are so many.
    fn back(&self, mut at: usize, characters: usize) -> Option<usize> {
        for _ in 0..characters {
            at = at.checked_sub(1)?;
            while self.text[at] & 0xC0 == 0x80 {
                at -= 1;
            }
        }
        Some(at)
    }

    /// The end of the match that starts at `at`; without meaning if no steps are left.
    fn run(
        &mut self,
        mut at: usize,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Option<usize>> {
        let program = self.program;
        self.stack.clear();
        self.barriers.clear();
        let mut now = program.start;
        while self.steps >= 0 {
            self.poll_now_and_then(poll)?;
            self.steps -= 1;
            let next = match &program.code[now as usize] {
                Instruction::Set { classes, then } => self.step(classes, at).map(|end| {
                    at = end;
                    *then
                }),
                Instruction::Span { classes, least, most, keeps, then } => {
                    let (end, count, low) = self.span(classes, at, *least, *most);
                    at = end;
                    low.map(|low| {
                        if count > *least && !keeps {
                            self.stack.push(Frame::GiveBack { then: *then, at, low });
                        }
                        *then
                    })
                }
                Instruction::Choice { starts } => {
                    let class = self.class_at(at);
                    let (next, end) = (starts[class], starts[class + 1]);
                    (next < end).then(|| {
                        if next + 1 < end {
                            self.stack.push(Frame::Choice { next: next + 1, end, at });
                        }
                        program.targets[next as usize]
                    })
                }
                Instruction::Peek { classes, then } => self.is_in(classes, at).then_some(*then),
                Instruction::Look { body, behind, negative, then } => {
                    match self.back(at, *behind) {
                        Some(place) => {
                            self.barriers.push(self.stack.len());
                            self.stack.push(Frame::Look { code: now, at });
                            at = place;
                            Some(*body)
                        }
                        None => negative.then_some(*then),
                    }
                }
                Instruction::LookEnd { negative, then } => {
                    at = self.leave().unwrap_or(at);
                    (!negative).then_some(*then)
                }
                Instruction::Recall { end, then } => match self.known.get(&(now, at)) {
                    Some(true) => Some(*end),
                    Some(false) => None,
                    None => {
                        self.stack.push(Frame::Recall { code: now, at });
                        Some(*then)
                    }
                },
                Instruction::Atom { body } => {
                    self.barriers.push(self.stack.len());
                    self.stack.push(Frame::Atom);
                    Some(*body)
                }
                Instruction::AtomEnd { then } => {
                    self.leave();
                    Some(*then)
                }
                Instruction::SpanLazy { classes, least, most, then } => {
                    let (end, _, low) = self.span(classes, at, *least, *least);
                    low.map(|_| {
                        at = end;
                        if most > least {
                            let more = most - least;
                            self.stack.push(Frame::Lazy { code: now, more, at });
                        }
                        *then
                    })
                }
                Instruction::Match => return Ok(Some(at)),
            };
            now = match next {
                Some(next) => next,
                // nothing matches here: go back to where there is something left to try
                None => match self.go_back(&mut at) {
                    Some(next) => next,
                    None => return Ok(None),
                },
            };
        }
        Ok(None)
    }

    #[inline]
    fn poll_now_and_then(&mut self, poll: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        if self.steps < self.next_poll {
            self.next_poll = self.steps - STEPS_PER_POLL;
            poll()?;
        }
        Ok(())
    }

    /// Forgets all that has been pushed since the look-around or the atom that ends; returns where a
    /// look-around began.
    fn leave(&mut self) -> Option<usize> {
        let barrier = self.barriers.pop()?;
        while self.stack.len() > barrier + 1 {
            if let Some(Frame::Recall { code, at }) = self.stack.pop() {
                self.remember(code, at, true);
            }
        }
        if let Some(Frame::Look { at, .. }) = self.stack.pop() { Some(at) } else { None }
    }

    /// Remembers what was found; both backends forget all at the same step.
    fn remember(&mut self, code: u32, at: usize, found: bool) {
        if self.known.len() == REMEMBERED {
            self.known.clear();
        }
        self.known.insert((code, at), found);
    }

    /// The instruction at the last place where something is left to try, if there is one.
    fn go_back(&mut self, at: &mut usize) -> Option<u32> {
        while self.steps >= 0 {
            let frame = self.stack.pop()?;
            self.steps -= 1;
            match frame {
                Frame::Choice { next, end, at: place } => {
                    *at = place;
                    if next + 1 < end {
                        self.stack.push(Frame::Choice { next: next + 1, end, at: place });
                    }
                    return Some(self.program.targets[next as usize]);
                }
                Frame::GiveBack { then, at: place, low } => {
                    *at = self.back(place, 1).unwrap_or(low);
                    if *at > low {
                        self.stack.push(Frame::GiveBack { then, at: *at, low });
                    }
                    return Some(then);
                }
                Frame::Lazy { code, more, at: place } => {
                    let Instruction::SpanLazy { classes, then, .. } =
                        &self.program.code[code as usize]
                    else {
                        continue; // no other instruction makes such a frame
                    };
                    if let Some(end) = self.step(classes, place) {
                        *at = end;
                        if more > 1 {
                            self.stack.push(Frame::Lazy { code, more: more - 1, at: end });
                        }
                        return Some(*then);
                    }
                }
                Frame::Look { code, at: place } => {
                    self.barriers.pop();
                    if let Instruction::Look { negative: true, then, .. } =
                        self.program.code[code as usize]
                    {
                        *at = place;
                        return Some(then);
                    }
                }
                Frame::Atom => {
                    self.barriers.pop();
                }
                Frame::Recall { code, at: place } => self.remember(code, place, false),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern_program::compile_pattern;
    use crate::pattern_syntax::parse_pattern;

    fn pieces(pattern: &str, text: &str) -> (usize, i64) {
        let program = compile_pattern(&parse_pattern(pattern).unwrap());
        let mut matcher = Matcher::new(&program, text, Some(Origin::in_text(text, 0)));
        let (mut at, mut count) = (0, 0);
        while at < text.len() {
            let (end, next) = matcher.piece(at, &mut || Ok(())).unwrap();
            count += 1 + usize::from(next.is_some());
            at = next.unwrap_or(end);
        }
        (count, matcher.limit - matcher.steps)
    }

    #[test]
    fn what_looks_far_ahead_takes_linear_time() {
        let pattern = r"\d{1,3}(?=(?:\d{3})*(?:\D|$))|.";
        let steps = |digits: usize| pieces(pattern, &"7".repeat(digits));
        let (one, two) = (steps(6_001), steps(60_001));
        assert_eq!((one.0, two.0), (2_001, 20_001));
        assert!(two.1 < 11 * one.1);
        // past the bound of what is remembered it is read again, from there on
        let (three, four) = (steps(180_001), steps(360_001));
        assert!(three.1 < 4 * two.1 && four.1 < 3 * three.1);
    }

    #[test]
    fn a_search_can_be_stopped_where_nothing_begins_too() {
        let text = "a".repeat(10 * STEPS_PER_POLL as usize);
        for pattern in ["q", "a+a+q"] {
            let program = compile_pattern(&parse_pattern(pattern).unwrap());
            let mut calls = 0;
            let mut poll = || {
                calls += 1;
                if calls > 5 { Err(Error::cancelled()) } else { Ok(()) }
            };
            let found = Matcher::new(&program, &text, None).search(&mut poll);
            assert_eq!(found, Err(Error::cancelled()));
        }
    }
}
