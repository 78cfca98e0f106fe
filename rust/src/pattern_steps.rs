//! How many steps patterns may take, and the error for a text that takes them more.

use crate::error::{Error, ErrorKind, Result};

/// How many steps a text may take: so many, and so many for each of its characters.
pub(crate) const BASE_STEPS: i64 = 1_000_000;
/// See [`BASE_STEPS`].
const STEPS_PER_CHARACTER: i64 = 40;
/// What a pretoken to be judged has instead of the former: a text may have many of them.
pub(crate) const PRETOKEN_STEPS: i64 = 20_000;
/// How many steps pass between two calls of a poll function, well under a millisecond of work.
pub(crate) const STEPS_PER_POLL: i64 = 1 << 16;

/// How many steps a text may take, all its pieces together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Steps {
    pub(crate) limit: i64,
    pub(crate) left: i64,
    /// At so many steps the poll function is called again.
    next_poll: i64,
}

impl Steps {
    /// Those of a text of so many characters.
    pub(crate) fn new(length: usize, base: i64) -> Self {
        let limit = (length as i64).saturating_mul(STEPS_PER_CHARACTER).saturating_add(base);
        Self { limit, left: limit, next_poll: limit - STEPS_PER_POLL }
    }

    #[inline]
    pub(crate) fn poll_now_and_then(&mut self, poll: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        if self.left < self.next_poll {
            self.next_poll = self.left - STEPS_PER_POLL;
            poll()?;
        }
        Ok(())
    }
}

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

/// The error for a pattern that does not come to an end at a place of a text, given what stands
/// before it and there; `origin` is `None` for a pretoken to be judged. SPEC section 3.3.
pub(crate) fn too_expensive(
    steps: &Steps,
    before: &[u8],
    there: &[u8],
    origin: Option<Origin<'_>>,
) -> Error {
    let text = |bytes| std::str::from_utf8(bytes).unwrap_or_default();
    let shown: String = text(there).chars().take(20).collect();
    let limit = steps.limit;
    let (what, whole, place) = match origin {
        Some(origin) => ("pattern", "text", origin.further(before.len()).position()),
        None => ("eligible pattern", "pretoken", text(before).chars().count()),
    };
    let text = format!(
        "the {what} is too expensive: no end after {limit} steps, at position {place} of the \
         {whole}, before '{shown}'; simplify the pattern, or cut the text"
    );
    Error::new(ErrorKind::Pattern, text)
}
