//! What the repetitions of look-arounds have found in a text, by the places from which they go on.
//!
//! Nothing is given back into a look-around from outside, and it is asked for no more than whether
//! it finds what it looks for. So what it finds from a repetition on depends on the place alone, and
//! no place need be looked at twice. A group has two bits for each byte of the text. A set has the
//! last of its runs that was read, no more: if something is found after the first characters of a
//! run, then from each place before too, so one place tells those from which it is found from the
//! others.

use crate::pattern_program::Program;

/// What is known of a repetition at a place: from there on the look-around finds what it looks for,
/// or does not; that later may be behind the atom in which the repetition is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Known {
    Found,
    Fails,
    FailsLater,
}

/// A run of the characters of a set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) start: usize,
    /// The first of its places from which nothing is found; from those before it, what is `known`.
    pub(crate) nothing: usize,
    /// Where it ends; there is something to find from the end, too.
    pub(crate) end: usize,
    pub(crate) known: Known,
}

const NONE: Run = Run { start: usize::MAX, nothing: 0, end: 0, known: Known::Fails };

/// What is known of one text, by the numbers of groups and of sets.
pub(crate) struct Memory {
    /// For each place two bits; made where the group is met.
    pub(crate) groups: Vec<Vec<u8>>,
    pub(crate) runs: Vec<Run>,
    length: usize,
}

impl Memory {
    pub(crate) fn new(program: &Program, length: usize) -> Self {
        let groups = vec![Vec::new(); program.groups];
        Self { groups, runs: vec![NONE; program.stretches], length }
    }

    /// What is known of a group at a place.
    pub(crate) fn group(&self, number: u32, at: usize) -> Option<Known> {
        let byte = *self.groups[number as usize].get(at / 4)?;
        match byte >> (at % 4 * 2) & 3 {
            0 => None,
            1 => Some(Known::Found),
            2 => Some(Known::Fails),
            _ => Some(Known::FailsLater),
        }
    }

    /// Remembers that; nothing is known there yet.
    pub(crate) fn set_group(&mut self, number: u32, at: usize, known: Known) {
        let places = &mut self.groups[number as usize];
        if places.is_empty() {
            *places = vec![0; self.length / 4 + 1];
        }
        places[at / 4] |= (known as u8 + 1) << (at % 4 * 2);
    }
}
