//! A file read in chunks, with what can go wrong said in our own words.

use std::fs::File;
use std::io::{self, Read};

use crate::error::{Error, ErrorKind, Result};

pub(crate) const CHUNK_BYTES: usize = 64 * 1024;

/// A file with a look-ahead, for the container formats.
pub(crate) struct FileInput {
    pub(crate) path: String,
    /// How much of the file has been read.
    pub(crate) read_bytes: u64,
    file: File,
    buffer: Vec<u8>,
    position: usize,
}

impl FileInput {
    pub(crate) fn open(path: &str) -> Result<Self> {
        let file = File::open(path).map_err(|error| file_error(path, &error))?;
        Ok(Self { path: path.to_owned(), read_bytes: 0, file, buffer: Vec::new(), position: 0 })
    }

    /// The next `size` bytes, fewer only at the end of the file; they stay unread.
    pub(crate) fn peek(&mut self, size: usize) -> Result<&[u8]> {
        while self.buffer.len() - self.position < size && self.fill()? {}
        let end = self.buffer.len().min(self.position + size);
        Ok(&self.buffer[self.position..end])
    }

    /// The next `size` bytes, fewer only at the end of the file.
    pub(crate) fn take(&mut self, size: usize) -> Result<&[u8]> {
        let length = self.peek(size)?.len();
        self.position += length;
        Ok(&self.buffer[self.position - length..self.position])
    }

    /// What comes next, as much as is at hand; empty only at the end of the file. It stays unread
    /// until it is taken with [`Self::skip`].
    pub(crate) fn chunk(&mut self) -> Result<&[u8]> {
        self.peek(1)?;
        Ok(&self.buffer[self.position..])
    }

    /// Takes `size` bytes that have been seen.
    pub(crate) fn skip(&mut self, size: usize) {
        self.position += size;
    }

    fn fill(&mut self) -> Result<bool> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.drain(..self.position);
        self.position = 0;
        let filled = self.append_chunk(&mut buffer);
        self.buffer = buffer;
        filled
    }

    /// Reads a chunk from the file to the end of `out`, past the look-ahead; false at its end.
    pub(crate) fn append_chunk(&mut self, out: &mut Vec<u8>) -> Result<bool> {
        let start = out.len();
        out.resize(start + CHUNK_BYTES, 0);
        let read = loop {
            match self.file.read(&mut out[start..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        out.truncate(start + *read.as_ref().unwrap_or(&0));
        let read = read.map_err(|error| file_error(&self.path, &error))?;
        self.read_bytes += read as u64;
        Ok(read > 0)
    }
}

/// The error for a file that the system does not let us read.
fn file_error(path: &str, error: &io::Error) -> Error {
    let reason = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "there is no such file",
        io::ErrorKind::PermissionDenied => "permission to read it is denied",
        io::ErrorKind::IsADirectory => "is a folder, not a file",
        _ => "cannot be read",
    };
    Error::new(ErrorKind::Input, format!("{path}: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_our_own() {
        let reason = |kind: io::ErrorKind| file_error("f", &kind.into()).message;
        assert_eq!(reason(io::ErrorKind::PermissionDenied), "f: permission to read it is denied");
        assert_eq!(reason(io::ErrorKind::NotADirectory), "f: there is no such file");
        assert_eq!(reason(io::ErrorKind::IsADirectory), "f: is a folder, not a file");
        assert_eq!(reason(io::ErrorKind::InvalidInput), "f: cannot be read");
    }
}
