//! Documents from files: plain text, its lines, or JSON lines, each also compressed.
//!
//! Every line is validated where it stands, so that an error names the line or the byte. An error
//! in what a compressed file holds is reported only if the stream itself is whole: a damaged stream
//! is then the cause, and decoders deliver different amounts before they notice it.
//!
//! Files are read in batches of whole lines, so that workers can validate and parse them.

use std::borrow::Cow;
use std::ops::Range;
use std::str::Utf8Error;

use memchr::{memchr, memchr_iter, memrchr};

use crate::decompress::{GzipChunks, ZstdChunks};
use crate::error::{Error, ErrorKind, Result};
use crate::file_input::{CHUNK_BYTES, FileInput};
use crate::json_line::text_of_line;
use crate::settings::named;

/// The most bytes that one document, or one line of a .jsonl file, may have: offsets are 32 bits.
pub const MAX_DOCUMENT_BYTES: usize = u32::MAX as usize;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
pub(crate) const BATCH_BYTES: usize = 512 * 1024;

named! {
    /// What is a document.
    SourceKind "kind of source" {
        /// The whole file.
        Text = "text",
        /// Each line without its line feed.
        Lines = "lines",
        /// The string in one field of the JSON object on each line.
        Jsonl = "jsonl",
    }
}
named! {
    /// How a file is compressed.
    Compression "compression" {
        /// Not at all.
        None = "none",
        /// Gzip, any number of members.
        Gzip = "gzip",
        /// Zstd, any number of frames.
        Zstd = "zstd",
    }
}

/// A file with documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The path, as error messages name it.
    pub path: String,
    /// What is a document.
    pub kind: SourceKind,
    /// How the file is compressed.
    pub compression: Compression,
    /// The field that holds the document; for [`SourceKind::Jsonl`] only.
    pub field: String,
}

/// Opens a file whose documents are then read one by one. Source: SPEC 3.0.
///
/// # Errors
/// [`ErrorKind::Input`] naming the file; from the iterator also the line or byte.
pub fn read_documents(source: &Source) -> Result<Documents> {
    let reader = BatchReader::open(source, MAX_DOCUMENT_BYTES)?;
    Ok(Documents { source: source.clone(), reader, batch: None, ended: false })
}

/// The documents of one file; holds a batch of them at a time, or one large one.
pub struct Documents {
    source: Source,
    reader: BatchReader,
    batch: Option<Batch>,
    ended: bool,
}

impl Documents {
    /// What a user should know about the file, as far as it has been read; each notice once.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.reader.notices)
    }

    /// How much of the file, as it lies on the disk, has been read.
    pub fn read_bytes(&self) -> u64 {
        self.reader.file.read_bytes
    }

    /// Where the document that was taken last stands, as error messages name it.
    pub fn place(&self) -> String {
        let batch = self.batch.as_ref();
        batch.map_or_else(|| self.source.path.clone(), |batch| batch.place(&self.source))
    }

    fn next_document(&mut self) -> Result<Option<String>> {
        loop {
            if let Some(batch) = &mut self.batch {
                match batch.next_document(&self.source, &mut || Ok(())) {
                    Ok(Some(document)) => return Ok(Some(document.into_owned())),
                    Ok(None) => {}
                    Err(error) => {
                        self.reader.check_rest(&mut |_| Ok(()))?;
                        return Err(error);
                    }
                }
            }
            match self.reader.next_batch(&mut |_| Ok(()))? {
                Some(batch) => self.batch = Some(batch),
                None => return Ok(None),
            }
        }
    }
}

impl Iterator for Documents {
    type Item = Result<String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let document = self.next_document().transpose();
        self.ended = !matches!(document, Some(Ok(_)));
        document
    }
}

/// Some whole lines of a file, or one whole text, not yet validated.
pub(crate) struct Batch {
    /// What was read.
    bytes: Vec<u8>,
    /// Instead of `bytes`, lines of text if all are UTF-8: checked together in a fraction of the time.
    text: String,
    /// Where the next line starts.
    position: usize,
    /// Where the batch starts in the (decompressed) file.
    offset: u64,
    /// How many lines of the file have been taken.
    lines: u64,
    /// A document has been asked for.
    started: bool,
    max_bytes: usize,
    /// Memory for the texts of lines in JSON.
    decoded: Vec<u8>,
}

impl Batch {
    /// How much memory the batch takes.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Where the document that was taken last stands, as error messages name it.
    pub(crate) fn place(&self, source: &Source) -> String {
        match source.kind {
            SourceKind::Text => source.path.clone(),
            _ => line_place(&source.path, self.lines),
        }
    }

    /// The next document of this batch of `source`; `poll` is called now and then in a long line.
    pub(crate) fn next_document(
        &mut self,
        source: &Source,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Option<Cow<'_, str>>> {
        let first = !std::mem::replace(&mut self.started, true);
        match source.kind {
            SourceKind::Text if first => self.whole_text(&source.path).map(Some),
            SourceKind::Text => Ok(None),
            SourceKind::Lines => {
                if first {
                    match String::from_utf8(std::mem::take(&mut self.bytes)) {
                        Ok(text) => self.text = text,
                        // then line by line, up to the bad one
                        Err(error) => self.bytes = error.into_bytes(),
                    }
                }
                self.next_text_line(&source.path)
            }
            SourceKind::Jsonl => self.next_json_text(source, poll),
        }
    }

    /// All of the batch; not copied, as it may be the largest document.
    fn whole_text(&mut self, path: &str) -> Result<Cow<'_, str>> {
        if self.bytes.len() > self.max_bytes {
            return Err(in_place(path, &too_long(self.max_bytes)));
        }
        String::from_utf8(std::mem::take(&mut self.bytes))
            .map(Cow::Owned)
            .map_err(|error| not_utf8(path, self.offset, error.utf8_error()))
    }

    fn next_text_line(&mut self, path: &str) -> Result<Option<Cow<'_, str>>> {
        let Some(line) = self.next_line(path)? else { return Ok(None) };
        if let Some(text) = self.text.get(line.clone()) {
            return Ok(Some(Cow::Borrowed(text)));
        }
        let start = self.offset + line.start as u64;
        str::from_utf8(&self.bytes[line])
            .map(|text| Some(Cow::Borrowed(text)))
            .map_err(|error| not_utf8(&line_place(path, self.lines), start, error))
    }

    fn next_json_text(
        &mut self,
        source: &Source,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Option<Cow<'_, str>>> {
        let path = &source.path;
        let line = loop {
            let Some(line) = self.next_line(path)? else { return Ok(None) };
            if !self.bytes[line.clone()].iter().all(|byte| b" \t\r".contains(byte)) {
                break line;
            }
        };
        let start = self.offset + line.start as u64;
        let line = &self.bytes[line];
        text_of_line(line, &source.field, &mut self.decoded, poll).map(Some).map_err(|error| {
            match str::from_utf8(line) {
                _ if error.kind != ErrorKind::Input => error, // to stop is no fault of the line
                // bytes that are no text come before all else that is wrong with a line
                Err(bytes) => not_utf8(&line_place(path, self.lines), start, bytes),
                Ok(_) => in_place(&line_place(path, self.lines), &error),
            }
        })
    }

    /// Where the next line is, without its line feed.
    fn next_line(&mut self, path: &str) -> Result<Option<Range<usize>>> {
        let bytes = if self.text.is_empty() { &self.bytes } else { self.text.as_bytes() };
        let rest = &bytes[self.position..];
        if rest.is_empty() {
            return Ok(None);
        }
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        let line = self.position..self.position + length;
        self.position = bytes.len().min(line.end + 1);
        self.lines += 1;
        if length > self.max_bytes {
            return Err(in_place(&line_place(path, self.lines), &too_long(self.max_bytes)));
        }
        Ok(Some(line))
    }
}

fn line_place(path: &str, line: u64) -> String {
    format!("{path}: line {line}")
}

/// The error with what names the file or the line.
fn in_place(place: &str, error: &Error) -> Error {
    Error::new(error.kind, format!("{place}: {error}"))
}

/// The error for bytes from `start` on in the file.
fn not_utf8(place: &str, start: u64, error: Utf8Error) -> Error {
    let offset = start + error.valid_up_to() as u64;
    Error::new(
        ErrorKind::Input,
        format!(
            "{place}: byte {offset} is not valid UTF-8; \
             convert the file to UTF-8 first (for example with iconv)"
        ),
    )
}

/// Refuses a document of more bytes than one may have.
pub(crate) fn too_long(max_bytes: usize) -> Error {
    Error::new(
        ErrorKind::Input,
        format!("is longer than {max_bytes} bytes, the most for one document; split it"),
    )
}

/// Called with the bytes of the file that have been read, after each chunk; may stop the work.
pub(crate) type OnRead<'a> = dyn FnMut(u64) -> Result<()> + 'a;

/// Reads a file in batches.
pub(crate) struct BatchReader {
    /// What a user should know about the file, as far as it has been read.
    pub(crate) notices: Vec<String>,
    kind: SourceKind,
    file: FileInput,
    chunks: Chunks,
    /// What has been read and not yet handed out.
    buffer: Vec<u8>,
    /// Where the last complete line in `buffer` ends.
    complete: usize,
    offset: u64,
    lines: u64,
    ended: bool,
    /// Nothing has been handed out yet.
    first: bool,
    max_bytes: usize,
}

enum Chunks {
    Plain,
    Gzip(Box<GzipChunks>),
    Zstd(Box<ZstdChunks>),
}

impl BatchReader {
    pub(crate) fn open(source: &Source, max_bytes: usize) -> Result<Self> {
        let file = FileInput::open(&source.path)?;
        let chunks = match source.compression {
            Compression::None => Chunks::Plain,
            Compression::Gzip => Chunks::Gzip(Box::new(GzipChunks::new())),
            Compression::Zstd => Chunks::Zstd(Box::new(ZstdChunks::new(&source.path)?)),
        };
        Ok(Self {
            notices: Vec::new(),
            kind: source.kind,
            file,
            chunks,
            buffer: Vec::new(),
            complete: 0,
            offset: 0,
            lines: 0,
            ended: false,
            first: true,
            max_bytes,
        })
    }

    /// The next batch; `None` after the last. A line that is too long may come without its rest:
    /// that bounds the memory, and [`Batch::next_document`] refuses it.
    pub(crate) fn next_batch(&mut self, on_read: &mut OnRead<'_>) -> Result<Option<Batch>> {
        while let Some(step) = self.next_step() {
            match step {
                Step::Read => {
                    self.read_chunk()?;
                    on_read(self.file.read_bytes)?;
                }
                Step::HandOut(end) => return Ok(Some(self.hand_out(end))),
            }
        }
        Ok(None)
    }

    fn next_step(&self) -> Option<Step> {
        let partial = self.buffer.len() - self.complete;
        let too_long = partial > self.max_bytes.saturating_add(BYTE_ORDER_MARK.len());
        if self.complete > 0 && (self.buffer.len() >= BATCH_BYTES || self.ended || too_long) {
            return Some(Step::HandOut(self.complete));
        }
        if too_long || self.ended {
            let left = partial > 0 || (self.first && self.kind == SourceKind::Text);
            return left.then_some(Step::HandOut(self.buffer.len()));
        }
        Some(Step::Read)
    }

    fn read_chunk(&mut self) -> Result<()> {
        let start = self.buffer.len();
        self.ended = !self.chunks.next(&mut self.file, &mut self.buffer)?;
        if self.kind != SourceKind::Text
            && let Some(last) = memrchr(b'\n', &self.buffer[start..])
        {
            self.complete = start + last + 1;
        }
        Ok(())
    }

    fn hand_out(&mut self, end: usize) -> Batch {
        // the memory of a whole batch at once, not by and by
        let mut rest = Vec::with_capacity(if self.ended { 0 } else { BATCH_BYTES + CHUNK_BYTES });
        rest.extend_from_slice(&self.buffer[end..]);
        self.buffer.truncate(end);
        let bytes = std::mem::replace(&mut self.buffer, rest);
        self.complete = 0;
        let mut position = 0;
        if self.first && bytes.starts_with(BYTE_ORDER_MARK) {
            let what = if self.kind == SourceKind::Jsonl {
                position = BYTE_ORDER_MARK.len();
                "skipped"
            } else {
                "kept as text"
            };
            let path = &self.file.path;
            self.notices.push(format!("{path}: starts with a byte order mark, which is {what}"));
        }
        self.first = false;
        let (offset, lines) = (self.offset, self.lines);
        self.offset += bytes.len() as u64;
        if self.kind != SourceKind::Text {
            self.lines += memchr_iter(b'\n', &bytes).count() as u64;
        }
        Batch {
            bytes,
            text: String::new(),
            position,
            offset,
            lines,
            started: false,
            max_bytes: self.max_bytes,
            decoded: Vec::new(),
        }
    }

    /// Reads a compressed file to its end, so that damage is reported before an error in what the
    /// file holds.
    pub(crate) fn check_rest(&mut self, on_read: &mut OnRead<'_>) -> Result<()> {
        if matches!(self.chunks, Chunks::Plain) {
            return Ok(());
        }
        self.buffer.clear();
        while self.chunks.next(&mut self.file, &mut self.buffer)? {
            self.buffer.clear();
            on_read(self.file.read_bytes)?;
        }
        Ok(())
    }
}

enum Step {
    Read,
    /// Hand out the buffer up to here.
    HandOut(usize),
}

impl Chunks {
    /// Appends the next chunk of the contents to `out`; false at their end.
    fn next(&mut self, file: &mut FileInput, out: &mut Vec<u8>) -> Result<bool> {
        match self {
            Self::Gzip(chunks) => chunks.next(file, out),
            Self::Zstd(chunks) => chunks.next(file, out),
            Self::Plain => file.append_chunk(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that is removed when the test ends.
    struct TestFile(std::path::PathBuf);

    impl TestFile {
        fn new(name: &str, data: &[u8]) -> Self {
            let path =
                std::env::temp_dir().join(format!("superword-{}-{name}", std::process::id()));
            std::fs::write(&path, data).unwrap();
            Self(path)
        }

        fn source(&self, kind: SourceKind) -> Source {
            let path = self.0.to_str().unwrap().to_owned();
            Source { path, kind, compression: Compression::None, field: "text".into() }
        }
    }

    impl Drop for TestFile {
        fn drop(&mut self) {
            std::fs::remove_file(&self.0).unwrap();
        }
    }

    fn documents(source: &Source, max_bytes: usize) -> (Vec<String>, Option<String>) {
        let mut documents = read_documents(source).unwrap();
        documents.reader.max_bytes = max_bytes;
        let mut texts = Vec::new();
        let mut error = None;
        for document in documents {
            match document {
                Ok(text) => texts.push(text),
                Err(e) => error = Some(e.message.replace(&source.path, "F")),
            }
        }
        (texts, error)
    }

    #[test]
    fn the_size_of_a_document_is_limited() {
        let file = TestFile::new("limit", b"\xEF\xBB\xBFab\n12345678\n123456789\n1\n");
        let (texts, error) = documents(&file.source(SourceKind::Lines), 8);
        assert_eq!(texts, ["\u{feff}ab", "12345678"]);
        let expected = "F: line 3: is longer than 8 bytes, the most for one document; split it";
        assert_eq!(error.unwrap(), expected);
        let (texts, error) = documents(&file.source(SourceKind::Text), 8);
        assert!(texts.is_empty());
        let expected = "F: is longer than 8 bytes, the most for one document; split it";
        assert_eq!(error.unwrap(), expected);
    }

    #[test]
    fn lines_and_offsets_go_on_over_batches() {
        let mut data = "{\"text\": \"é\"}\n".repeat(100_000).into_bytes();
        let bad = data.len() as u64 + 3;
        data.extend(b"{\"t\xFF\"}");
        let file = TestFile::new("batches", &data);
        let (texts, error) = documents(&file.source(SourceKind::Jsonl), MAX_DOCUMENT_BYTES);
        assert_eq!(texts.len(), 100_000);
        assert!(
            error.unwrap().starts_with(&format!("F: line 100001: byte {bad} is not valid UTF-8"))
        );
        data.truncate(data.len() - 5);
        data.extend(b"x");
        std::fs::write(&file.0, &data).unwrap();
        let (_, error) = documents(&file.source(SourceKind::Jsonl), MAX_DOCUMENT_BYTES);
        assert!(error.unwrap().starts_with("F: line 100001: column 2: expected a key"));
    }

    #[test]
    fn a_byte_that_is_no_text_is_named_wherever_it_is() {
        let good =
            r#"{"ké": "\u00e9é\n", "text": "é\né\ud83d\ude00a\"é", "last": ["é"]}"#.as_bytes();
        for field in ["text", "none"] {
            for place in 0..good.len() {
                for byte in [b'{', b'"', 0x80, 0xC3, 0xF0, 0xFF] {
                    let mut line = good.to_vec();
                    line[place] = byte;
                    let Err(error) = str::from_utf8(&line) else { continue };
                    let expected = format!("F: line 2: byte {} is not", 7 + error.valid_up_to());
                    let mut batch = Batch {
                        bytes: [b"\n", &line[..], b"\n"].concat(),
                        text: String::new(),
                        position: 0,
                        offset: 6,
                        lines: 0,
                        started: false,
                        max_bytes: MAX_DOCUMENT_BYTES,
                        decoded: Vec::new(),
                    };
                    let source = Source {
                        path: "F".into(),
                        kind: SourceKind::Jsonl,
                        compression: Compression::None,
                        field: field.into(),
                    };
                    let found = batch.next_document(&source, &mut || Ok(()));
                    assert!(found.unwrap_err().message.starts_with(&expected), "{place} {byte}");
                }
            }
        }
    }

    #[test]
    fn lines_before_a_bad_byte_come_first() {
        let good = "é\n\nto be\n";
        for bad in [&b"\xC3"[..], b"or\xFF", b"\xE2\x82\nnot", b"\x80\n"] {
            let file = TestFile::new("bad-line", &[good.as_bytes(), bad].concat());
            let (texts, error) = documents(&file.source(SourceKind::Lines), MAX_DOCUMENT_BYTES);
            assert_eq!(texts, ["é", "", "to be"]);
            let at = good.len() + str::from_utf8(bad).unwrap_err().valid_up_to();
            assert!(
                error.unwrap().starts_with(&format!("F: line 4: byte {at} is not valid UTF-8"))
            );
            // the length of a line is seen before what it holds
            let (texts, error) = documents(&file.source(SourceKind::Lines), 4);
            assert_eq!(texts, ["é", ""]);
            assert!(error.unwrap().starts_with("F: line 3: is longer than 4 bytes"));
        }
    }
}
