//! The ids of a text, a batch of pretokens at a time (SPEC 9.3, 9.4).
//!
//! What pretokens and runs became is remembered, so that most of a text is looked up. All of a batch is
//! looked up before any of it is written, and where a run goes on is known for the whole batch before
//! the first run is merged: little branches on what is read.
//!
//! No Python twin: the reference's encoder takes one pretoken after the other.

use std::sync::Mutex;

use crate::cache::{BATCH, Cache, LONGEST, Value};
use crate::encoder::Encoder;
use crate::error::{Progress, Result};
use crate::keys::{Item, Key};
use crate::pattern_steps::{Origin, Steps};
use crate::replay::{Scratch, encode_run};
use crate::scanner::Batch;
use crate::ticker::Ticker;

/// So many pretokens are looked up together, or up to 63 more.
const TOGETHER: usize = BATCH - 64;
/// Between the calls a tokenizer keeps what so many threads remember.
const MOST_KEPT: usize = 8;
/// Room for more tokens of one pretoken or run is not kept.
const LARGE: usize = 1 << 14;
/// How often a thread tries to take what is kept before it begins with nothing.
const TRIES: usize = 64;

/// What one thread remembers, and its working memory.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pretokens: Cache<u8>,
    runs: Cache<u32>,
    batch: Batch,
    keys: Vec<Key>,
    values: Vec<Value>,
    /// The tokens of the runs of the batch, and where each run but the last ends, which may go on.
    run_tokens: Vec<u32>,
    run_ends: Vec<usize>,
    run_keys: Vec<Key>,
    run_values: Vec<Value>,
    /// For each run that has ended: the places in the batch of the pretokens that follow, up to the next.
    between: Vec<(usize, usize)>,
    pub(crate) tokens: Vec<u32>,
    pub(crate) scratch: Scratch,
    ids: Vec<u32>,
}

impl Memory {
    /// Nothing of a text is left, even if the one before was given up in the middle.
    fn begin_text(&mut self) {
        self.batch.start = 0;
        self.batch.ends.clear();
        self.run_tokens.clear();
        self.run_ends.clear();
        self.between.clear();
    }

    /// What one very long pretoken or run has needed is not kept, but for what it became.
    fn without_large_buffers(self) -> Self {
        if self.tokens.capacity().max(self.run_tokens.capacity()) <= LARGE {
            return self;
        }
        Self { pretokens: self.pretokens, runs: self.runs, ..Self::default() }
    }
}

/// What threads remember between calls. Nobody waits for it: a process that was forked while another
/// thread held it goes on without.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<Vec<Memory>>);

/// A copy of an encoder begins with nothing.
impl Clone for Kept {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Kept {
    fn with<R>(&self, use_it: impl FnOnce(&mut Vec<Memory>) -> R) -> Option<R> {
        for _ in 0..TRIES {
            if let Ok(mut kept) = self.0.try_lock() {
                return Some(use_it(&mut kept));
            }
            std::hint::spin_loop();
        }
        None
    }

    fn take(&self) -> Memory {
        self.with(Vec::pop).flatten().unwrap_or_default()
    }

    fn give_back(&self, memory: Memory) {
        let mut memory = memory.without_large_buffers();
        memory.pretokens.make_room();
        memory.runs.make_room();
        self.with(|kept| {
            if kept.len() < MOST_KEPT {
                kept.push(memory);
            }
        });
    }
}

/// The ids so far of one thread's part of a call.
pub(crate) struct Work<'e, 'a, 'p> {
    pub(crate) ids: Vec<u32>,
    /// What the text has left for patterns.
    pub(crate) steps: Steps,
    pub(crate) ticker: Ticker<'a, 'p>,
    /// Bytes that are done.
    done: u64,
    memory: Option<Memory>,
    kept: &'e Kept,
}

impl<'e, 'a, 'p> Work<'e, 'a, 'p> {
    pub(crate) fn new(kept: &'e Kept, progress: &'a mut Progress<'p>, bytes: usize) -> Self {
        let ticker = Ticker::new(progress, "encode", bytes as u64);
        let memory = Some(kept.take());
        Self { ids: Vec::new(), steps: Steps::default(), ticker, done: 0, memory, kept }
    }
}

impl Drop for Work<'_, '_, '_> {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            self.kept.give_back(memory);
        }
    }
}

/// Appends the ids of a text without special tokens, which stands there in that of the call.
pub(crate) fn encode_piece(
    encoder: &Encoder,
    text: &str,
    origin: Origin<'_>,
    work: &mut Work<'_, '_, '_>,
) -> Result<()> {
    let Work { ids, steps, ticker, done, memory, kept } = work;
    let memory = memory.get_or_insert_with(|| kept.take());
    memory.begin_text();
    let mut cut = encoder.pretokenizer.cut(text, origin, steps);
    let out = &mut Out::new(ids);
    loop {
        let more = cut.next_ends(&mut memory.batch.ends, &mut || ticker.report_again())?;
        let Some(&end) = memory.batch.ends.last() else { break };
        if more && memory.batch.ends.len() < TOGETHER {
            continue;
        }
        encode_batch(encoder, text.as_bytes(), memory, out, ticker)?;
        *done += (end - memory.batch.start) as u64;
        ticker.step(*done)?;
        memory.batch.start = end;
        memory.batch.ends.clear();
    }
    if !memory.run_tokens.is_empty() {
        memory.run_ends.push(memory.run_tokens.len());
        look_up_runs(encoder, memory, ticker)?;
        out.make_room(0);
        for value in &memory.run_values {
            write(value, &memory.runs, out);
        }
        memory.run_tokens.clear();
    }
    Ok(())
}

/// Ids with room for more, so that all of an entry's are written whatever their number.
struct Out<'i> {
    ids: &'i mut Vec<u32>,
    at: usize,
}

impl<'i> Out<'i> {
    fn new(ids: &'i mut Vec<u32>) -> Self {
        let at = ids.len();
        Self { ids, at }
    }

    /// Makes room for so many ids and a batch after them.
    fn make_room(&mut self, count: usize) {
        let size = self.at + count + 3 * BATCH;
        if self.ids.len() < size {
            self.ids.resize(size, 0);
        }
    }

    /// Appends the ids that stand in a value.
    #[inline]
    fn push(&mut self, value: &Value) {
        self.ids[self.at..self.at + 3].copy_from_slice(&value.ids);
        self.at += value.here();
    }

    /// Appends any number of ids.
    #[cold]
    fn extend(&mut self, ids: &[u32]) {
        self.make_room(ids.len());
        self.ids[self.at..self.at + ids.len()].copy_from_slice(ids);
        self.at += ids.len();
    }
}

impl Drop for Out<'_> {
    fn drop(&mut self) {
        self.ids.truncate(self.at);
    }
}

/// Appends the ids of a batch, but for a run that may go on.
fn encode_batch(
    encoder: &Encoder,
    text: &[u8],
    memory: &mut Memory,
    out: &mut Out<'_>,
    ticker: &mut Ticker<'_, '_>,
) -> Result<()> {
    out.make_room(0);
    if !encoder.has_supermerges {
        return look_up(encoder, text, memory, ticker, |value, cache| write(value, cache, out));
    }
    let mut values = std::mem::take(&mut memory.values);
    values.clear();
    look_up(encoder, text, memory, ticker, |value, _| values.push(*value))?;
    memory.values = values;
    find_runs(encoder, memory);
    look_up_runs(encoder, memory, ticker)?;
    write_with_runs(memory, out);
    Ok(())
}

/// Calls `each` with what the pretokens of the batch become, one after the other.
#[inline]
fn look_up(
    encoder: &Encoder,
    text: &[u8],
    memory: &mut Memory,
    ticker: &mut Ticker<'_, '_>,
    mut each: impl FnMut(&Value, &Cache<u8>),
) -> Result<()> {
    let Memory { pretokens, batch, keys, tokens, scratch, ids: buffer, .. } = memory;
    pretokens.make_room();
    pretokens.seeds.keys_of(text, batch, keys);
    pretokens.warm(keys);
    for (place, key) in keys.iter().enumerate() {
        let value = match pretokens.find_at_once(key) {
            Some(value) => value,
            None => {
                let pretoken = batch.piece(place, text);
                match pretokens.find(key, pretoken) {
                    Some(value) => value,
                    None => {
                        let mut new = NewPretoken { tokens, scratch, buffer };
                        new.encode(encoder, key, pretoken, pretokens, ticker)?
                    }
                }
            }
        };
        each(&value, pretokens);
    }
    Ok(())
}

/// What the encoding of a pretoken needs that is not remembered.
struct NewPretoken<'m> {
    tokens: &'m mut Vec<u32>,
    scratch: &'m mut Scratch,
    buffer: &'m mut Vec<u32>,
}

impl NewPretoken<'_> {
    #[cold]
    fn encode(
        &mut self,
        encoder: &Encoder,
        key: &Key,
        pretoken: &[u8],
        cache: &mut Cache<u8>,
        ticker: &mut Ticker<'_, '_>,
    ) -> Result<Value> {
        encoder.encode_pretoken(pretoken, self.tokens, self.scratch, ticker)?;
        let value = match self.tokens[..] {
            [token] => {
                Value::part(encoder.ids[token as usize], token, encoder.bridges.joins(token))
            }
            _ => {
                self.buffer.clear();
                self.buffer.extend(self.tokens.iter().map(|&token| encoder.ids[token as usize]));
                cache.value(self.buffer)
            }
        };
        if encoder.shortcut && pretoken.len() <= LONGEST {
            cache.insert(key, pretoken, value);
        }
        Ok(value)
    }
}

/// Appends the ids of a pretoken or a run.
#[inline]
fn write<T: Item>(value: &Value, cache: &Cache<T>, out: &mut Out<'_>) {
    out.push(value);
    if value.here() == 0 {
        out.extend(&cache.ids[value.span()]);
    }
}

/// By place in the batch: whether supermerges may join its pretoken and the one before.
fn joined_places(encoder: &Encoder, memory: &Memory) -> u128 {
    let values = &memory.values[..];
    let (mut next, mut last) = (0_u128, 0_u128);
    for (half, part) in values.chunks(64).enumerate() {
        let bits = part.iter().zip(0..).fold((0, 0), |(next, last), (value, place)| {
            (next | value.joins_next() << place, last | value.joins_last() << place)
        });
        next |= u128::from(bits.0) << (64 * half);
        last |= u128::from(bits.1) << (64 * half);
    }
    let mut joined = next << 1 & last;
    let mut rest = joined;
    while rest != 0 {
        let place = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let is_bridge = encoder.bridges.join(values[place - 1].ids[1], values[place].ids[1]);
        joined &= !(u128::from(!is_bridge) << place);
    }
    if let (Some(&left), Some(value)) = (memory.run_tokens.last(), values.first()) {
        let is_bridge = last & 1 != 0 && encoder.bridges.join(left, value.ids[1]);
        joined |= u128::from(is_bridge);
    }
    joined
}

/// Finds the runs that have ended and what stands between them, and the beginning of one that may go on.
fn find_runs(encoder: &Encoder, memory: &mut Memory) {
    let joined = joined_places(encoder, memory);
    let Memory { values, run_tokens, run_ends, between, .. } = memory;
    let size = values.len();
    let mut at = 0;
    loop {
        let going_on = joined.unbounded_shr(at as u32).trailing_ones() as usize;
        run_tokens.extend(values[at..at + going_on].iter().map(|value| value.ids[1]));
        at += going_on;
        if at == size {
            return;
        }
        run_ends.push(run_tokens.len());
        // up to the one with which the next run begins: at the latest the last one
        let next = at + 1 + joined.unbounded_shr(at as u32 + 1).trailing_zeros() as usize;
        let last = next.min(size) - 1;
        match values[last].token() {
            Some(token) => {
                between.push((at, last));
                run_tokens.push(token);
            }
            None => between.push((at, last + 1)),
        }
        at = last + 1;
        if at == size {
            return;
        }
    }
}

/// Leaves what the runs become that have ended.
fn look_up_runs(encoder: &Encoder, memory: &mut Memory, ticker: &mut Ticker<'_, '_>) -> Result<()> {
    let Memory { runs, run_tokens, run_ends, run_keys, run_values, .. } = memory;
    let Memory { tokens, scratch, ids: buffer, .. } = memory;
    runs.make_room();
    run_keys.clear();
    let mut start = 0;
    for &end in &*run_ends {
        let run = &run_tokens[start..end];
        run_keys.push(if run.is_empty() { Key::NONE } else { runs.seeds.key(run) });
        start = end;
    }
    runs.warm(run_keys);
    run_values.clear();
    let mut start = 0;
    for (key, &end) in run_keys.iter().zip(&*run_ends) {
        let run = &run_tokens[start..end];
        start = end;
        let value = match (run, runs.find(key, run)) {
            ([], _) => Value::elsewhere(0, 0),
            (_, Some(value)) => value,
            _ => {
                tokens.clear();
                tokens.extend_from_slice(run);
                encode_run(tokens, &encoder.supermerges, scratch, ticker)?;
                // A superword whose bytes were deleted is outside the vocabulary, too.
                encoder.regular.expand(tokens, &encoder.vocabulary);
                buffer.clear();
                buffer.extend(tokens.iter().map(|&token| encoder.ids[token as usize]));
                let value = runs.value(buffer);
                if encoder.shortcut && run.len() <= LONGEST {
                    runs.insert(key, run, value);
                }
                value
            }
        };
        run_values.push(value);
    }
    run_tokens.drain(..start);
    run_ends.clear();
    Ok(())
}

/// Appends the ids of the runs that have ended, and of what stands between them.
fn write_with_runs(memory: &mut Memory, out: &mut Out<'_>) {
    let Memory { values, pretokens, runs, run_values, between, .. } = memory;
    for (value, &(start, end)) in run_values.iter().zip(&*between) {
        write(value, runs, out);
        for value in &values[start..end] {
            write(value, pretokens, out);
        }
    }
    between.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_long_text_needed_is_not_kept() {
        let kept = Kept::default();
        for capacity in [LARGE, LARGE + 1] {
            let mut memory = kept.take();
            memory.pretokens.ids.push(7);
            memory.tokens = Vec::with_capacity(capacity);
            kept.give_back(memory);
        }
        let memory = kept.take();
        assert_eq!((memory.tokens.capacity(), &*memory.pretokens.ids), (0, &[7, 7][..]));
    }
}
