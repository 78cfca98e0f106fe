//! Text cut by the patterns that a user gave.

use std::str::Utf8Chunk;
use std::sync::{Arc, LazyLock};

use super::reader::Plain;
use super::{Pretokens, gpt2, gpt4, gpt4o, gpt4o_script, is_eligible_text};
use crate::error::{Error, ErrorKind, Result};
use crate::pattern_ambiguity::check_ambiguity;
use crate::pattern_matcher::Matcher;
use crate::pattern_program::{Program, compile_pattern};
use crate::pattern_steps::{BASE_STEPS, Origin, PRETOKEN_STEPS, Steps};
use crate::pattern_syntax::{canonical_pattern, parse_pattern};
use crate::pattern_tree::{Node, print_tree};
use crate::patterns::{LISTED_SCRIPTS, NAMED_PATTERNS};
use crate::scripts::Chunks;
use crate::settings::{Cutting, ELIGIBLE_PATTERN, Scheme};
use crate::unicode::{SCRIPTS, UNKNOWN};

/// What cuts text into pretokens and tells which of them are eligible, ready for use.
#[derive(Clone, Debug)]
pub struct Pretokenizer(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    cutter: Cutter,
    /// `None`: what holds a letter is eligible.
    eligible: Option<Program>,
}

#[derive(Debug)]
enum Cutter {
    Scheme(Scheme),
    Patterns { pattern: Scanner, script: Option<(Scanner, Vec<bool>)> },
}

/// What cuts a chunk: the scanner of a named pattern, or a program.
#[derive(Debug)]
enum Scanner {
    Gpt2,
    Gpt4,
    Gpt4o,
    Gpt4oScript,
    Program(Box<Program>),
}

impl From<Scheme> for Pretokenizer {
    fn from(scheme: Scheme) -> Self {
        Self(Arc::new(Parts { cutter: Cutter::Scheme(scheme), eligible: None }))
    }
}

impl Pretokenizer {
    /// Reads the patterns and makes them ready. SPEC sections 3.2, 3.3 and 6.
    ///
    /// # Errors
    /// [`ErrorKind::Settings`] if a pattern or a script cannot be used.
    ///
    /// ```
    /// use superword::pretokenize::Pretokenizer;
    /// use superword::settings::{Cutting, Scheme};
    /// let mut cutting = Cutting::from(Scheme::Gpt2);
    /// (cutting.scheme, cutting.pattern) = (None, Some("[a-z]+".to_string()));
    /// let pieces = Pretokenizer::new(&cutting)?.pretokenize("ab 12 cd!", &mut || Ok(()))?;
    /// assert_eq!(pieces, ["ab", " 12 ", "cd", "!"]);
    /// # Ok::<(), superword::Error>(())
    /// ```
    pub fn new(cutting: &Cutting) -> Result<Self> {
        let eligible = match cutting.eligible_pattern.as_str() {
            ELIGIBLE_PATTERN => None,
            pattern => Some(compile_pattern(&tree("eligible_pattern", pattern)?)),
        };
        let cutter = cutter(cutting)?;
        Ok(Self(Arc::new(Parts { cutter, eligible })))
    }

    /// The named scheme by which it cuts, `None` where patterns do that mean no such one.
    pub(crate) fn scheme(&self) -> Option<Scheme> {
        match self.0.cutter {
            Cutter::Scheme(scheme) => Some(scheme),
            Cutter::Patterns { .. } => None,
        }
    }

    /// How many steps patterns may take on the text of a call; what is no UTF-8 counts by the byte.
    pub(crate) fn steps(&self, text: &[u8]) -> Steps {
        match &self.0.cutter {
            Cutter::Scheme(_) => Steps::default(),
            Cutter::Patterns { .. } => {
                let chunks = text.utf8_chunks();
                let length =
                    |chunk: Utf8Chunk<'_>| chunk.valid().chars().count() + chunk.invalid().len();
                Steps::new(chunks.map(length).sum(), BASE_STEPS)
            }
        }
    }

    /// Cuts a text, which stands there in that of the call; that has so many steps left.
    pub(crate) fn cut<'t>(
        &'t self,
        text: &'t str,
        origin: Origin<'t>,
        steps: &'t mut Steps,
    ) -> Cut<'t> {
        match &self.0.cutter {
            Cutter::Scheme(scheme) => Cut::Named(Pretokens::new(text, *scheme)),
            Cutter::Patterns { pattern, script } => Cut::Custom(Box::new(Custom {
                text,
                origin,
                steps,
                pattern,
                script: script.as_ref(),
                chunks: Chunks::new(text),
                at: 0,
                known: None,
                chunk_start: 0,
                chunk_end: if script.is_some() { 0 } else { text.len() },
                scanner: pattern,
                matcher: None,
            })),
        }
    }

    /// The pretokens of a text, in order; their concatenation is the text.
    ///
    /// # Errors
    /// [`ErrorKind::Pattern`] if a pattern takes too many steps; what `poll` returns.
    pub fn pretokenize<'t>(
        &self,
        text: &'t str,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Vec<&'t str>> {
        let (mut pieces, mut at) = (Vec::new(), 0);
        let mut steps = self.steps(text.as_bytes());
        let mut cut = self.cut(text, Origin::in_text(text, 0), &mut steps);
        while let Some(end) = cut.next_end(poll)? {
            pieces.push(&text[at..end]);
            at = end;
        }
        Ok(pieces)
    }

    /// Tells whether a pretoken may be part of a superword; what is no text may not.
    ///
    /// # Errors
    /// [`ErrorKind::Pattern`] if the pattern takes too many steps; what `poll` returns.
    #[inline]
    pub fn is_eligible(
        &self,
        pretoken: &[u8],
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<bool> {
        let Ok(text) = std::str::from_utf8(pretoken) else { return Ok(false) };
        match &self.0.eligible {
            None => Ok(is_eligible_text(text)),
            Some(program) => {
                let steps = Steps::new(text.chars().count(), PRETOKEN_STEPS);
                Matcher::new(program, text, steps, None).search(poll)
            }
        }
    }
}

fn cutter(cutting: &Cutting) -> Result<Cutter> {
    let Some(pattern) = &cutting.pattern else {
        return Ok(Cutter::Scheme(cutting.scheme.unwrap_or(Scheme::Gpt4oUniscript)));
    };
    let pattern = scanner("pattern", pattern)?;
    let Some(script_pattern) = &cutting.script_pattern else {
        return Ok(match pattern {
            Scanner::Gpt2 => Cutter::Scheme(Scheme::Gpt2),
            Scanner::Gpt4 => Cutter::Scheme(Scheme::Gpt4),
            Scanner::Gpt4o => Cutter::Scheme(Scheme::Gpt4o),
            pattern => Cutter::Patterns { pattern, script: None },
        });
    };
    let script_pattern = scanner("script_pattern", script_pattern)?;
    let mut listed = vec![false; SCRIPTS.len()];
    let mut usual = true;
    let names = cutting.scripts.as_deref().unwrap_or_default();
    for name in names {
        let index = SCRIPTS.iter().position(|known| known == name);
        let Some(index) = index.filter(|&index| index != usize::from(UNKNOWN)) else {
            let text = format!("scripts: '{name}' is not the long name of a script");
            return Err(Error::new(ErrorKind::Settings, text));
        };
        listed[index] = true;
        usual &= LISTED_SCRIPTS.contains(&name.as_str());
    }
    usual &= names.len() == LISTED_SCRIPTS.len();
    Ok(match (pattern, script_pattern) {
        (Scanner::Gpt4o, Scanner::Gpt4oScript) if usual => Cutter::Scheme(Scheme::Gpt4oScripts),
        (pattern, script_pattern) => {
            Cutter::Patterns { pattern, script: Some((script_pattern, listed)) }
        }
    })
}

/// The canonical forms of the named patterns.
static NAMED_FORMS: LazyLock<Result<Vec<String>>> =
    LazyLock::new(|| NAMED_PATTERNS.iter().map(|(_, known)| canonical_pattern(known)).collect());

/// What cuts by a pattern: the scanner of a named one that means the same, or a program.
fn scanner(name: &str, pattern: &str) -> Result<Scanner> {
    let node = tree(name, pattern)?;
    let canonical = print_tree(&node);
    let forms = NAMED_FORMS.as_ref().map_err(Error::clone)?;
    for ((named, _), form) in NAMED_PATTERNS.iter().zip(forms) {
        if canonical == *form {
            return Ok(match *named {
                "gpt2" => Scanner::Gpt2,
                "gpt4" => Scanner::Gpt4,
                "gpt4o" => Scanner::Gpt4o,
                _ => Scanner::Gpt4oScript,
            });
        }
    }
    Ok(Scanner::Program(Box::new(compile_pattern(&node))))
}

/// The tree of a pattern; errors begin with the name of the setting.
fn tree(name: &str, pattern: &str) -> Result<Node> {
    let node = parse_pattern(pattern).and_then(|node| check_ambiguity(&node).map(|()| node));
    node.map_err(|error| Error::new(error.kind, format!("{name} {error}")))
}

/// The pretokens of a text.
pub(crate) enum Cut<'t> {
    /// By a scheme.
    Named(Pretokens<'t>),
    /// By patterns.
    Custom(Box<Custom<'t>>),
}

impl Cut<'_> {
    /// Where the next pretoken ends; it starts where the one before ended. Errors as for
    /// [`Pretokenizer::pretokenize`].
    #[inline]
    pub(crate) fn next_end(
        &mut self,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Option<usize>> {
        match self {
            Self::Named(pretokens) => Ok(pretokens.next_end()),
            Self::Custom(custom) => custom.next_end(poll),
        }
    }

    /// Appends where the next pretokens end, as many as are found together; tells whether there
    /// are any.
    #[inline]
    pub(crate) fn next_ends(
        &mut self,
        ends: &mut Vec<usize>,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<bool> {
        match self {
            Self::Named(pretokens) => Ok(pretokens.next_ends(ends)),
            Self::Custom(custom) => {
                let end = custom.next_end(poll)?;
                ends.extend(end);
                Ok(end.is_some())
            }
        }
    }
}

/// The pretokens of a text by patterns.
pub(crate) struct Custom<'t> {
    text: &'t str,
    origin: Origin<'t>,
    steps: &'t mut Steps,
    pattern: &'t Scanner,
    /// The pattern of some scripts, by the index of each whether it is one of them.
    script: Option<&'t (Scanner, Vec<bool>)>,
    chunks: Chunks<'t>,
    at: usize,
    /// Where the pretoken after the next one ends, if that is known.
    known: Option<usize>,
    chunk_start: usize,
    chunk_end: usize,
    /// What cuts the chunk, and its matches.
    scanner: &'t Scanner,
    matcher: Option<Matcher<'t>>,
}

impl<'t> Custom<'t> {
    fn next_end(&mut self, poll: &mut dyn FnMut() -> Result<()>) -> Result<Option<usize>> {
        if let Some(end) = self.known.take() {
            self.at = end;
            return Ok(Some(end));
        }
        if self.at == self.chunk_end {
            let Some((script, end)) = self.script.and_then(|_| self.chunks.next()) else {
                return Ok(None);
            };
            self.begin_chunk(script, end);
        }
        let chunk = &self.text[self.chunk_start..self.chunk_end];
        let (bytes, at) = (chunk.as_bytes(), self.at - self.chunk_start);
        let end = match self.scanner {
            Scanner::Gpt2 => gpt2::pretoken_end(bytes, at),
            Scanner::Gpt4 => gpt4::pretoken_end(bytes, at),
            Scanner::Gpt4o => gpt4o::pretoken_end(&mut Plain::new(bytes), at),
            Scanner::Gpt4oScript => gpt4o_script::pretoken_end(bytes, at),
            Scanner::Program(program) => {
                let origin = self.origin.further(self.chunk_start);
                let matcher = self
                    .matcher
                    .get_or_insert_with(|| Matcher::new(program, chunk, *self.steps, Some(origin)));
                let (end, known) = matcher.piece(at, poll)?;
                *self.steps = matcher.steps;
                self.known = known.map(|known| self.chunk_start + known);
                end
            }
        };
        self.at = self.chunk_start + end;
        Ok(Some(self.at))
    }

    fn begin_chunk(&mut self, script: u8, end: usize) {
        (self.chunk_start, self.chunk_end) = (self.at, end);
        self.matcher = None;
        self.scanner = match self.script {
            Some((script_pattern, listed)) if listed[usize::from(script)] => script_pattern,
            _ => self.pattern,
        };
    }
}
