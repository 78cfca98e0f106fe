//! The tree of a custom pattern, and its canonical form (SPEC section 3.3).

use crate::patterns::{Ranges, format_set};

/// How often something repeats: as often as it can, as seldom as it can, or without going back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// As often as it can.
    Greedy,
    /// As seldom as it can.
    Lazy,
    /// As often as it can, and it gives nothing back.
    Possessive,
}

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// One character of these ranges, which are not empty.
    Set(Ranges),
    /// Two or more parts, one after the other.
    Sequence(Vec<Node>),
    /// Two or more alternatives, tried in order.
    Choice(Vec<Node>),
    /// A part that repeats.
    Repeat(Repeat),
    /// What must or must not stand here.
    Look {
        /// What it looks for.
        body: Box<Node>,
        /// How many characters it goes back, if it looks behind.
        behind: Option<usize>,
        /// Whether it must not stand here.
        negative: bool,
    },
}

/// A part from `least` to `most` times (`None`: without limit).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// What repeats.
    pub body: Box<Node>,
    /// How often at least.
    pub least: u32,
    /// How often at most.
    pub most: Option<u32>,
    /// What it prefers.
    pub how: How,
    /// Where the repetition stands in the pattern, for errors.
    pub at: usize,
}

/// Tells whether a pattern can match the empty string, look-arounds taken as such.
pub fn is_nullable(node: &Node) -> bool {
    match node {
        Node::Set(_) => false,
        Node::Sequence(parts) => parts.iter().all(is_nullable),
        Node::Choice(parts) => parts.iter().any(is_nullable),
        Node::Repeat(repeat) => repeat.least == 0 || is_nullable(&repeat.body),
        Node::Look { .. } => true,
    }
}

/// Returns how many characters every match has, `None` if not all have the same number.
pub fn fixed_width(node: &Node) -> Option<usize> {
    match node {
        Node::Set(_) => Some(1),
        Node::Sequence(parts) => {
            parts.iter().try_fold(0_usize, |sum, part| Some(sum.saturating_add(fixed_width(part)?)))
        }
        Node::Choice(parts) => {
            let width = fixed_width(parts.first()?)?;
            parts.iter().all(|part| fixed_width(part) == Some(width)).then_some(width)
        }
        Node::Repeat(repeat) => {
            let width = fixed_width(&repeat.body)?;
            // nested repetitions multiply: what is too long for a usize is too large anyway
            let times = repeat.least as usize;
            (repeat.most == Some(repeat.least)).then(|| width.saturating_mul(times))
        }
        Node::Look { .. } => Some(0),
    }
}

/// Returns how many sets there are once every group that repeats is written out.
pub fn expanded_size(node: &Node) -> usize {
    match node {
        Node::Set(_) => 1,
        Node::Sequence(parts) | Node::Choice(parts) => {
            parts.iter().map(expanded_size).fold(0, usize::saturating_add)
        }
        Node::Repeat(Repeat { body, least, most, .. }) => {
            let times = match &**body {
                Node::Set(_) => 1,
                _ => most.unwrap_or((*least).max(1)),
            };
            expanded_size(body).saturating_mul(times as usize)
        }
        Node::Look { body, .. } => expanded_size(body),
    }
}

/// Returns the one spelling of a pattern: explicit ranges, and repetitions in braces.
pub fn print_tree(node: &Node) -> String {
    let mut out = String::new();
    print(node, &mut out);
    out
}

fn print(node: &Node, out: &mut String) {
    let group = |node: &Node, out: &mut String| {
        out.push_str("(?:");
        print(node, out);
        out.push(')');
    };
    match node {
        Node::Set(ranges) => out.push_str(&format_set(ranges)),
        Node::Sequence(parts) => parts.iter().for_each(|part| match part {
            Node::Choice(_) => group(part, out),
            _ => print(part, out),
        }),
        Node::Choice(parts) => {
            for (index, part) in parts.iter().enumerate() {
                if index > 0 {
                    out.push('|');
                }
                print(part, out);
            }
        }
        Node::Repeat(Repeat { body, least, most, how, .. }) => {
            match &**body {
                Node::Set(_) => print(body, out),
                _ => group(body, out),
            }
            out.push_str(&match most {
                None => format!("{{{least},}}"),
                Some(most) if most == least => format!("{{{least}}}"),
                Some(most) => format!("{{{least},{most}}}"),
            });
            match how {
                How::Greedy => {}
                How::Lazy => out.push('?'),
                How::Possessive => out.push('+'),
            }
        }
        Node::Look { body, behind, negative } => {
            out.push_str("(?");
            if behind.is_some() {
                out.push('<');
            }
            out.push(if *negative { '!' } else { '=' });
            print(body, out);
            out.push(')');
        }
    }
}
