//! The grammar of custom patterns (SPEC section 3.3).
//!
//! A pattern becomes a small tree in which every class is a list of explicit ranges: nothing after
//! the parser knows a class by name. `$` is a look-ahead that no character follows.

use crate::error::{Error, ErrorKind, Result};
use crate::pattern_classes::{class_ranges, fold_ranges};
use crate::pattern_tree::{How, Node, Repeat, expanded_size, fixed_width, is_nullable, print_tree};
use crate::patterns::{Ranges, complement, union};

/// The longest pattern in characters.
pub const MAX_LENGTH: usize = 4096;
/// The deepest nesting of groups.
pub const MAX_DEPTH: usize = 50;
/// The most repetitions.
pub const MAX_TIMES: u32 = 1000;
/// The most sets once every group that repeats has been written out.
pub const MAX_SIZE: usize = 4096;

/// Reads a pattern of the grammar. SPEC section 3.3.
///
/// # Errors
/// [`ErrorKind::Settings`]: what is not in the grammar, by its position in characters; the text is
/// to follow the name of the setting.
///
/// ```
/// use superword::pattern_syntax::parse_pattern;
/// let error = parse_pattern("a|*").unwrap_err();
/// assert_eq!(error.message, "at position 2: a repetition has nothing to repeat");
/// ```
pub fn parse_pattern(pattern: &str) -> Result<Node> {
    let pattern: Vec<char> = pattern.chars().collect();
    if pattern.len() > MAX_LENGTH {
        let length = pattern.len();
        return refuse(format!("has {length} characters, at most {MAX_LENGTH} are allowed"));
    }
    if pattern.is_empty() {
        return refuse("is empty");
    }
    let mut parser = Parser { pattern: &pattern, at: 0 };
    let node = parser.choice(0, false)?;
    if parser.at < pattern.len() {
        return closes_nothing(parser.at);
    }
    if expanded_size(&node) > MAX_SIZE {
        return refuse(format!("is too large: written out it has more than {MAX_SIZE} sets"));
    }
    Ok(node)
}

/// Returns the one spelling of a pattern, with nothing but explicit ranges in it. SPEC section 3.3.
///
/// Two patterns with the same canonical form mean the same. Every engine reads it alike.
///
/// # Errors
/// As for [`parse_pattern`].
///
/// ```
/// use superword::pattern_syntax::canonical_pattern;
/// assert_eq!(
///     canonical_pattern("(?i:'s)+?").unwrap(),
///     r"(?:[\u0027][\u0053\u0073\u017F]){1,}?"
/// );
/// ```
pub fn canonical_pattern(pattern: &str) -> Result<String> {
    Ok(print_tree(&parse_pattern(pattern)?))
}

fn refuse<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::new(ErrorKind::Settings, text))
}

fn fail<T>(at: usize, reason: impl AsRef<str>) -> Result<T> {
    refuse(format!("at position {at}: {}", reason.as_ref()))
}

fn closes_nothing<T>(at: usize) -> Result<T> {
    fail(at, "')' closes no group: escape it to mean itself")
}

/// A character or a class.
enum Item {
    Code(u32),
    Class(Ranges),
}

/// A place in a pattern.
struct Parser<'p> {
    pattern: &'p [char],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.pattern.get(self.at).copied()
    }

    fn starts_with(&self, what: &str) -> bool {
        let rest = &self.pattern[self.at..];
        what.chars().enumerate().all(|(index, char)| rest.get(index) == Some(&char))
    }

    fn skip(&mut self, what: &str) -> bool {
        let found = self.starts_with(what);
        if found {
            self.at += what.chars().count();
        }
        found
    }

    fn choice(&mut self, depth: usize, fold: bool) -> Result<Node> {
        let mut parts = Vec::new();
        loop {
            match self.sequence(depth, fold)? {
                Node::Choice(more) => parts.extend(more),
                part => parts.push(part),
            }
            if !self.skip("|") {
                return Ok(only(parts).unwrap_or_else(Node::Choice));
            }
        }
    }

    fn sequence(&mut self, depth: usize, fold: bool) -> Result<Node> {
        let mut parts = Vec::new();
        while !matches!(self.peek(), None | Some('|' | ')')) {
            match self.repetition(depth, fold)? {
                Node::Sequence(more) => parts.extend(more),
                part => parts.push(part),
            }
        }
        if parts.is_empty() {
            if depth == 0 && self.peek() == Some(')') {
                return closes_nothing(self.at);
            }
            return fail(
                self.at,
                "an empty alternative is not in the grammar: repeat with ? instead",
            );
        }
        Ok(only(parts).unwrap_or_else(Node::Sequence))
    }

    fn repetition(&mut self, depth: usize, fold: bool) -> Result<Node> {
        let node = self.atom(depth, fold)?;
        let at = self.at;
        let Some((least, most)) = self.times()? else { return Ok(node) };
        let how = if self.skip("?") {
            How::Lazy
        } else if self.skip("+") {
            How::Possessive
        } else {
            How::Greedy
        };
        if matches!(self.peek(), Some('*' | '+' | '?' | '{')) {
            return fail(self.at, "a repetition cannot be repeated: put a group (?:…) around it");
        }
        if matches!(node, Node::Look { .. }) {
            return fail(at, "a look-around cannot be repeated");
        }
        if most != Some(1) && is_nullable(&node) {
            return fail(at, "what is repeated can match the empty string");
        }
        let is_set = matches!(node, Node::Set(_));
        if (least, most) == (1, Some(1)) && (how != How::Possessive || is_set) {
            return Ok(node);
        }
        Ok(Node::Repeat(Repeat { body: Box::new(node), least, most, how, at }))
    }

    /// Reads how often something repeats, if it does.
    fn times(&mut self) -> Result<Option<(u32, Option<u32>)>> {
        let start = self.at;
        let times = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                self.at += 1;
                return self.counted(start).map(Some);
            }
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(times))
    }

    fn counted(&mut self, start: usize) -> Result<(u32, Option<u32>)> {
        let least = self.number(start)?;
        let mut most = Some(least);
        if self.skip(",") {
            most = if self.peek() == Some('}') { None } else { Some(self.number(start)?) };
        }
        if !self.skip("}") {
            return bad_times(start);
        }
        if most.is_some_and(|most| most < least.max(1)) {
            return fail(start, "a repetition must end at 1 or more and not below its start");
        }
        Ok((least, most))
    }

    fn number(&mut self, start: usize) -> Result<u32> {
        let first = self.at;
        while self.peek().is_some_and(|char| char.is_ascii_digit()) {
            self.at += 1;
        }
        let digits: String = self.pattern[first..self.at].iter().collect();
        if digits.is_empty() {
            return bad_times(start);
        }
        match digits.parse::<u32>() {
            Ok(number) if digits.len() <= 9 && number <= MAX_TIMES => Ok(number),
            _ => fail(start, format!("a repetition has at most {MAX_TIMES} times")),
        }
    }

    fn atom(&mut self, depth: usize, fold: bool) -> Result<Node> {
        let start = self.at;
        let char = self.peek().unwrap_or_default();
        match char {
            '(' => return self.group(depth, fold),
            '[' => return self.set(fold),
            '*' | '+' | '?' | '{' => {
                return fail(start, "a repetition has nothing to repeat");
            }
            ']' | '}' => return fail(start, format!("'{char}' must be escaped to mean itself")),
            '^' => return fail(start, "'^' is not in the grammar"),
            '\\' => {
                return match self.escape(fold)? {
                    Item::Class(ranges) => set_of(start, ranges),
                    Item::Code(code) => Ok(Node::Set(literal(code, fold))),
                };
            }
            _ => {}
        }
        self.at += 1;
        Ok(match char {
            '$' => {
                let all = Box::new(Node::Set(complement(&[])));
                Node::Look { body: all, behind: None, negative: true }
            }
            '.' => Node::Set(complement(&[(0x0A, 0x0A)])),
            _ => Node::Set(literal(char.into(), fold)),
        })
    }

    fn group(&mut self, depth: usize, fold: bool) -> Result<Node> {
        let start = self.at;
        if depth == MAX_DEPTH {
            return fail(start, format!("groups are nested more than {MAX_DEPTH} deep"));
        }
        let openings = ["(?:", "(?i:", "(?=", "(?!", "(?<=", "(?<!"];
        let Some(opening) = openings.into_iter().find(|opening| self.skip(opening)) else {
            if self.skip("(?") {
                let next: String = self.peek().into_iter().collect();
                return fail(start, format!("'(?{next}' is not in the grammar"));
            }
            return fail(start, "'(' must be escaped to mean itself; a group is (?:…)");
        };
        let body = self.choice(depth + 1, fold || opening == "(?i:")?;
        if !self.skip(")") {
            return fail(start, "this group is not closed");
        }
        if matches!(opening, "(?:" | "(?i:") {
            return Ok(body);
        }
        let mut behind = None;
        if opening.contains('<') {
            behind = fixed_width(&body);
            if behind.is_none() {
                return fail(start, "a look-behind needs matches of one length");
            }
        }
        Ok(Node::Look { body: Box::new(body), behind, negative: opening.ends_with('!') })
    }

    /// Reads an escape.
    fn escape(&mut self, fold: bool) -> Result<Item> {
        let start = self.at;
        self.at += 1;
        let Some(char) = self.peek() else {
            return fail(start, "a backslash at the end escapes nothing");
        };
        self.at += 1;
        let digits = || class_ranges("Nd").unwrap_or_default();
        let white_space = || class_ranges("White_Space").unwrap_or_default();
        Ok(match char {
            'r' => Item::Code(0x0D),
            'n' => Item::Code(0x0A),
            't' => Item::Code(0x09),
            'f' => Item::Code(0x0C),
            'v' => Item::Code(0x0B),
            'u' => Item::Code(self.code_point(start, 4)?),
            'U' => Item::Code(self.code_point(start, 8)?),
            's' => Item::Class(white_space()),
            'S' => Item::Class(complement(&white_space())),
            'd' => Item::Class(digits()),
            'D' => Item::Class(complement(&digits())),
            'p' | 'P' => Item::Class(self.property(start, char, fold)?),
            _ if char.is_ascii_punctuation() || char == ' ' => Item::Code(char.into()),
            _ => return fail(start, format!("'\\{char}' is not in the grammar")),
        })
    }

    fn code_point(&mut self, start: usize, length: usize) -> Result<u32> {
        let digits: String = self.pattern[self.at..].iter().take(length).collect();
        if digits.len() < length || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return fail(start, format!("this escape needs {length} hexadecimal digits"));
        }
        let code = u32::from_str_radix(&digits, 16).unwrap_or(u32::MAX);
        if char::from_u32(code).is_none() {
            return fail(start, format!("U+{code:04X} is no character"));
        }
        self.at += length;
        Ok(code)
    }

    fn property(&mut self, start: usize, letter: char, fold: bool) -> Result<Ranges> {
        let rest = &self.pattern[self.at..];
        let end = rest.iter().position(|&char| char == '}');
        let Some(end) = end.filter(|_| self.peek() == Some('{')) else {
            return fail(start, format!("a class is \\{letter}{{…}}, with its name in braces"));
        };
        let name: String = rest[1..end].iter().collect();
        let Some(ranges) = class_ranges(&name) else {
            return fail(start, format!("the class '{name}' is not in the grammar"));
        };
        if fold {
            return fail(start, "(?i:…) holds no \\p and no \\P: put the class outside");
        }
        self.at += end + 1;
        Ok(if letter == 'P' { complement(&ranges) } else { ranges })
    }

    fn set(&mut self, fold: bool) -> Result<Node> {
        let start = self.at;
        self.at += 1;
        let negated = self.skip("^");
        let first = self.at;
        let (mut literals, mut classes) = (Ranges::new(), Ranges::new());
        loop {
            let inside = self.at > first;
            match self.peek() {
                None => return fail(start, "this set is not closed"),
                Some(']') if inside => break,
                Some(char @ ('[' | ']')) => {
                    let text = format!("'{char}' must be escaped to mean itself in a set");
                    return fail(self.at, text);
                }
                Some('-') if inside && !self.starts_with("-]") => {
                    return fail(self.at, "'-' must be escaped to mean itself inside a set");
                }
                Some(_) => {}
            }
            let low = match self.set_item(fold)? {
                Item::Class(ranges) => {
                    classes.extend(ranges);
                    continue;
                }
                Item::Code(code) => code,
            };
            let mut high = low;
            if self.peek() == Some('-') && !self.starts_with("-]") {
                self.refuse_twice('-')?;
                self.at += 1;
                let place = self.at;
                if matches!(self.peek(), None | Some('[' | ']')) {
                    return fail(place, "this range has no end");
                }
                let Item::Code(end) = self.set_item(fold)? else {
                    return fail(place, "a range ends in a character, not in a class");
                };
                if end < low {
                    return fail(place, "this range ends before it begins");
                }
                high = end;
            }
            literals.push((low, high));
        }
        self.at += 1;
        let mut ranges = union(&[&literals]);
        if fold {
            ranges = fold_ranges(&ranges);
        }
        // in a negated set surrogates are out by themselves
        let others = complement(&union(&[&ranges, &classes]));
        set_of(start, if negated { others } else { complement(&others) })
    }

    /// Reads a character or a class of a set.
    fn set_item(&mut self, fold: bool) -> Result<Item> {
        let char = self.peek().unwrap_or_default();
        if char == '\\' {
            return self.escape(fold);
        }
        if matches!(char, '&' | '-' | '|' | '~') {
            self.refuse_twice(char)?;
        }
        self.at += 1;
        Ok(Item::Code(char.into()))
    }

    /// Refuses two of a character in a set: some engines have an operator of that name.
    fn refuse_twice(&self, char: char) -> Result<()> {
        let twice = format!("{char}{char}");
        if self.starts_with(&twice) {
            return fail(self.at, format!("'{twice}' in a set is not in the grammar: escape both"));
        }
        Ok(())
    }
}

/// The one part, or all of them.
fn only(mut parts: Vec<Node>) -> std::result::Result<Node, Vec<Node>> {
    match parts.pop() {
        Some(part) if parts.is_empty() => Ok(part),
        last => {
            parts.extend(last);
            Err(parts)
        }
    }
}

fn literal(code: u32, fold: bool) -> Ranges {
    let ranges = vec![(code, code)];
    if fold { fold_ranges(&ranges) } else { ranges }
}

fn set_of(start: usize, ranges: Ranges) -> Result<Node> {
    if ranges.is_empty() {
        return fail(start, "this set holds no character");
    }
    Ok(Node::Set(ranges))
}

fn bad_times<T>(start: usize) -> Result<T> {
    fail(start, "a repetition is {2}, {2,} or {2,5}: escape '{' to mean itself")
}
