//! Matching by a program: backtracking with a stack of its own and a limit of steps.
//!
//! Recursion never grows with the text. A step is an instruction, a return to an earlier choice, or
//! a few characters that are read together; both backends count alike, so they give up at the same
//! places. What has been given up is an error, never a shorter result.
//!
//! A look-around that reads far, as over all digits that follow, would read the same text again at
//! each place where it begins. What its repetitions found is remembered ([`Memory`]).

use crate::error::Result;
use crate::pattern_memory::{Known, Memory, Run};
use crate::pattern_program::{Classes, Instruction, Program, class_of, has};
use crate::pattern_steps::{Origin, Steps, too_expensive};
use crate::scripts::code_point_at;

/// So many characters that are read together are one step.
const SPAN_SHIFT: u32 = 3;

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
    /// What is to be remembered of a group at this place, unless something is found.
    Recall { number: u32, at: usize, known: Known },
    /// The run that the instruction `code` reads, and the place after which it is tried what follows.
    Stretch { code: u32, first: usize, at: usize, end: usize, known: Known },
}

/// The matches of a program in a text. Look-around sees nothing else.
pub(crate) struct Matcher<'t> {
    program: &'t Program,
    text: &'t [u8],
    /// `None` for a pretoken to be judged.
    origin: Option<Origin<'t>>,
    /// What the text of the call has left.
    pub(crate) steps: Steps,
    stack: Vec<Frame>,
    /// The places in the stack of look-arounds and atoms.
    barriers: Vec<usize>,
    memory: Memory,
}

impl<'t> Matcher<'t> {
    pub(crate) fn new(
        program: &'t Program,
        text: &'t str,
        steps: Steps,
        origin: Option<Origin<'t>>,
    ) -> Self {
        let (text, memory) = (text.as_bytes(), Memory::new(program, text.len()));
        let (stack, barriers) = (Vec::new(), Vec::new());
        Self { program, text, origin, steps, stack, barriers, memory }
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
            self.steps.poll_now_and_then(poll)?;
            self.steps.left -= 1;
            None
        };
        if self.steps.left < 0 {
            let (before, there) = self.text.split_at(at);
            return Err(too_expensive(&self.steps, before, there, self.origin));
        }
        Ok(end)
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
        self.steps.left -= i64::from(count >> SPAN_SHIFT);
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
        while self.steps.left >= 0 {
            self.steps.poll_now_and_then(poll)?;
            self.steps.left -= 1;
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
                    at = self.end_look().unwrap_or(at);
                    (!negative).then_some(*then)
                }
                Instruction::Recall { number, found, then } => {
                    match self.memory.group(*number, at) {
                        None => {
                            let known = Known::Fails;
                            self.stack.push(Frame::Recall { number: *number, at, known });
                            Some(*then)
                        }
                        Some(known) => self.is_found(known).then_some(*found),
                    }
                }
                Instruction::Stretch { classes, number, keeps, found, then } => {
                    match self.stretch(now, classes, *number, *keeps, &mut at) {
                        None => Some(*then),
                        Some(known) => self.is_found(known).then_some(*found),
                    }
                }
                Instruction::Atom { body } => {
                    self.barriers.push(self.stack.len());
                    self.stack.push(Frame::Atom);
                    Some(*body)
                }
                Instruction::AtomEnd { then } => {
                    self.end_atom();
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

    /// Reads the run of a set at a place in a look-around, as far as it is not known: what is known
    /// there, or `None` if what follows is to be tried after the characters that were read.
    fn stretch(
        &mut self,
        code: u32,
        classes: &Classes,
        number: u32,
        keeps: bool,
        at: &mut usize,
    ) -> Option<Known> {
        let (mut run, first) = (self.memory.runs[number as usize], *at);
        if !(run.start..=run.end).contains(&first) {
            let mut count = 0;
            while *at != run.start
                && let Some(end) = self.step(classes, *at)
            {
                *at = end;
                count += 1;
            }
            self.steps.left -= count >> SPAN_SHIFT;
            let joins = first < run.start && *at == run.start;
            if !joins {
                run.end = *at;
            }
            let tries = !(joins && run.nothing > run.start);
            if tries {
                run.nothing = first;
            }
            run.start = first;
            if tries && !(joins && keeps) {
                // from the run that is known nothing is found
                *at = if joins { self.back(*at, 1).unwrap_or(first) } else { *at };
                let (end, known) = (run.end, Known::Fails);
                self.stack.push(Frame::Stretch { code, first, at: *at, end, known });
                return None;
            }
            self.memory.runs[number as usize] = run;
        }
        Some(if first < run.nothing { run.known } else { Known::Fails })
    }

    /// Whether a look-around finds what it looks for, by what is known at this place.
    fn is_found(&mut self, known: Known) -> bool {
        if known == Known::FailsLater {
            self.end_atom();
        }
        known == Known::Found
    }

    /// Remembers what the look-around that ends has found, and forgets all that has been pushed since
    /// it began; returns where that was.
    fn end_look(&mut self) -> Option<usize> {
        loop {
            let barrier = self.barriers.pop()?;
            while self.stack.len() > barrier + 1
                && let Some(frame) = self.stack.pop()
            {
                self.remember(frame, Known::Found);
            }
            if let Frame::Look { at, .. } = self.stack.pop()? {
                return Some(at);
            }
        }
    }

    /// Forgets what could be given back into an atom, but not what is to be remembered of it.
    fn end_atom(&mut self) {
        let Some(barrier) = self.barriers.pop() else { return };
        let mut kept = barrier;
        for index in barrier..self.stack.len() {
            let mut frame = self.stack[index];
            if let Frame::Recall { known, .. } | Frame::Stretch { known, .. } = &mut frame {
                *known = Known::FailsLater;
                self.stack[kept] = frame;
                kept += 1;
            }
        }
        self.stack.truncate(kept);
    }

    fn remember(&mut self, frame: Frame, known: Known) {
        match frame {
            Frame::Recall { number, at, .. } => self.memory.set_group(number, at, known),
            Frame::Stretch { code, first, at, end, .. } => {
                if let Instruction::Stretch { number, .. } = self.program.code[code as usize] {
                    let nothing = if known == Known::Fails { first } else { at + 1 };
                    self.memory.runs[number as usize] = Run { start: first, nothing, end, known };
                }
            }
            _ => {}
        }
    }

    /// The instruction at the last place where something is left to try, if there is one.
    fn go_back(&mut self, at: &mut usize) -> Option<u32> {
        while self.steps.left >= 0 {
            let frame = self.stack.pop()?;
            self.steps.left -= 1;
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
                Frame::Stretch { code, first, at: place, end, known } => {
                    if let Instruction::Stretch { keeps: false, then, .. } =
                        self.program.code[code as usize]
                        && known == Known::Fails
                        && place > first
                    {
                        *at = self.back(place, 1).unwrap_or(first);
                        self.stack.push(Frame::Stretch { code, first, at: *at, end, known });
                        return Some(then);
                    }
                    self.remember(frame, known);
                }
                Frame::Recall { known, .. } => self.remember(frame, known),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::pattern_program::compile_pattern;
    use crate::pattern_steps::{BASE_STEPS, STEPS_PER_POLL};
    use crate::pattern_syntax::parse_pattern;

    fn pieces(pattern: &str, text: &str) -> (usize, i64) {
        let program = compile_pattern(&parse_pattern(pattern).unwrap());
        let steps = Steps::new(text.len(), BASE_STEPS);
        let mut matcher = Matcher::new(&program, text, steps, Some(Origin::in_text(text, 0)));
        let (mut at, mut count) = (0, 0);
        while at < text.len() {
            let (end, next) = matcher.piece(at, &mut || Ok(())).unwrap();
            count += 1 + usize::from(next.is_some());
            at = next.unwrap_or(end);
        }
        (count, matcher.steps.limit - matcher.steps.left)
    }

    /// Look-arounds over all that follows, texts, and the steps for 3,000 of them, which a test of
    /// the reference has, too.
    const FAR: [(&str, &str, i64); 11] = [
        (r"\d{1,3}(?=(?:\d{3})*(?:\D|$))|.", "7", 9_000),
        (r"(?=(?:a|b)*c)a|b", "ab", 51_002),
        (r"(?=\d+x)\d|.", "7", 24_376),
        (r"(?!.*?x)é|.", "é", 24_377),
        (r"(?=\d*7{2,}x)\d|.", "7", 30_378),
        (r"(?=.*7)\d|.", "7,", 27_755),
        (r"(?=[^,]*,++x)\d|.", "77,", 66_000),
        (r"(?=(?:\d\d)*+x)\d|.", "7", 39_006),
        (r"(?=(?:a\d*?|b+,)++x)[ab]|.", "a7bb,", 149_998),
        (r"(?=(?:\d\p{M}*)+x)\d|.", "7\u{301}", 33_751),
        (r"(?=(?:..)*[^,]*,+x)\d|.", "777,77777,", 456_001),
    ];

    #[test]
    fn what_looks_far_ahead_takes_linear_time() {
        for (pattern, text, expected) in FAR {
            let (one, two) =
                (pieces(pattern, &text.repeat(3_000)), pieces(pattern, &text.repeat(30_000)));
            assert_eq!(one.1, expected, "{pattern}");
            assert!(two.1 < expected * 101 / 10, "{pattern}");
        }
    }

    #[test]
    fn what_is_remembered_takes_two_bits_for_each_group_and_byte() {
        let program = compile_pattern(&parse_pattern("(?=(?:a|b)*(?:,[ab]+)*c)[ab]").unwrap());
        let text = "ab,".repeat(10_000);
        let steps = Steps::new(text.len(), BASE_STEPS);
        let mut matcher = Matcher::new(&program, &text, steps, None);
        assert!(!matcher.search(&mut || Ok(())).unwrap());
        let sizes: Vec<_> = matcher.memory.groups.iter().map(Vec::len).collect();
        assert_eq!(sizes, [text.len() / 4 + 1; 2]);
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
            let steps = Steps::new(text.len(), BASE_STEPS);
            let found = Matcher::new(&program, &text, steps, None).search(&mut poll);
            assert_eq!(found, Err(Error::cancelled()));
        }
    }
}
