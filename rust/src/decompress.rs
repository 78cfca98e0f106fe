//! Gzip (RFC 1952) and zstd (RFC 8878) files: all members and frames, in bounded memory.
//!
//! The container formats are read here, not by a library's file type, because these disagree about
//! what may follow a member and about which errors there are. Whether a stream that does not fit
//! together was cut or altered is not told apart: decoders notice the same damage at different
//! places.

use flate2::{Crc, Decompress, FlushDecompress, Status};
use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use crate::error::{Error, ErrorKind, Result};
use crate::file_input::{CHUNK_BYTES, FileInput};

/// 128 MiB, what the zstd tools accept without being asked for more.
const MAX_WINDOW_LOG: u32 = 27;

const GZIP_MAGIC: &[u8] = b"\x1f\x8b";
const ZSTD_MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";
const ZSTD_SKIPPABLE: std::ops::Range<u32> = 0x184D_2A50..0x184D_2A60;

/// Reads the contents of a gzip file, all its members. Zero bytes after the last member are
/// padding; anything else there is an error. Source: SPEC 3.0.
pub(crate) struct GzipChunks {
    inflater: Decompress,
    crc: Crc,
    first: bool,
    in_member: bool,
}

impl GzipChunks {
    pub(crate) fn new() -> Self {
        Self { inflater: Decompress::new(false), crc: Crc::new(), first: true, in_member: false }
    }

    /// Appends the next chunk to `out`; false at the end of the contents.
    pub(crate) fn next(&mut self, source: &mut FileInput, out: &mut Vec<u8>) -> Result<bool> {
        let start = out.len();
        while out.len() == start {
            if self.in_member {
                self.gzip_member(source, out)?;
                continue;
            }
            if !self.first && source.peek(1)?.is_empty() {
                return Ok(false);
            }
            let magic = source.peek(2)?;
            if !self.first && magic[0] == 0 {
                gzip_padding(source)?;
                return Ok(false);
            }
            if magic != GZIP_MAGIC {
                let prefix = GZIP_MAGIC.starts_with(magic);
                return Err(unknown_start(&source.path, "gzip", self.first, prefix));
            }
            self.first = false;
            gzip_header(source)?;
            self.inflater.reset(false);
            self.crc.reset();
            self.in_member = true;
        }
        Ok(true)
    }

    /// Appends some data of the current member to `out`, and checks its trailer at its end.
    fn gzip_member(&mut self, source: &mut FileInput, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        let (read, written) = (self.inflater.total_in(), self.inflater.total_out());
        let data = source.chunk()?;
        let at_end = data.is_empty();
        out.resize(start + CHUNK_BYTES, 0);
        let status = self.inflater.decompress(data, &mut out[start..], FlushDecompress::None);
        out.truncate(start + (self.inflater.total_out() - written) as usize);
        source.skip((self.inflater.total_in() - read) as usize);
        self.crc.update(&out[start..]);
        match status {
            Ok(Status::StreamEnd) => {
                let mut trailer = self.crc.sum().to_le_bytes().to_vec();
                trailer.extend(self.crc.amount().to_le_bytes());
                if source.take(8)? != trailer {
                    return Err(damaged(&source.path, "gzip"));
                }
                self.in_member = false;
            }
            Ok(_) if !(at_end && out.len() == start) => {}
            _ => return Err(damaged(&source.path, "gzip")),
        }
        Ok(())
    }
}

/// Reads the header of a member; nothing in it matters but that it is whole and right.
fn gzip_header(source: &mut FileInput) -> Result<()> {
    let mut crc = Crc::new();
    let header = source.take(10)?;
    let flags = header.get(3).copied().filter(|_| header.len() == 10).unwrap_or(0xFF);
    if header.get(2) != Some(&8) || flags & 0xE0 != 0 {
        return Err(damaged(&source.path, "gzip"));
    }
    crc.update(header);
    if flags & 0x04 != 0 {
        let length = source.take(2)?;
        crc.update(length);
        let size = length.iter().rev().fold(0, |size, &byte| size << 8 | usize::from(byte));
        let whole = length.len() == 2;
        let extra = source.take(size)?;
        crc.update(extra);
        if !whole || extra.len() < size {
            return Err(damaged(&source.path, "gzip"));
        }
    }
    for flag in [0x08, 0x10] {
        // file name, comment
        let mut ended = flags & flag == 0;
        while !ended {
            let byte = source.take(1)?;
            crc.update(byte);
            ended = byte == [0];
            if byte.is_empty() {
                return Err(damaged(&source.path, "gzip"));
            }
        }
    }
    if flags & 0x02 != 0 && source.take(2)? != &crc.sum().to_le_bytes()[..2] {
        return Err(damaged(&source.path, "gzip"));
    }
    Ok(())
}

fn gzip_padding(source: &mut FileInput) -> Result<()> {
    loop {
        let chunk = source.chunk()?;
        let (size, zero) = (chunk.len(), chunk.iter().all(|&byte| byte == 0));
        if !zero {
            return Err(unknown_start(&source.path, "gzip", false, false));
        }
        if size == 0 {
            return Ok(());
        }
        source.skip(size);
    }
}

/// Reads the contents of a zstd file, all its frames. Skippable frames are skipped; a frame whose
/// window is larger than 128 MiB is refused, so that no file takes more memory. Source: SPEC 3.0.
pub(crate) struct ZstdChunks {
    decoder: Decoder<'static>,
    first: bool,
    in_frame: bool,
}

impl ZstdChunks {
    pub(crate) fn new(path: &str) -> Result<Self> {
        let mut decoder = Decoder::new().map_err(|_| damaged(path, "zstd"))?;
        decoder
            .set_parameter(DParameter::WindowLogMax(MAX_WINDOW_LOG))
            .map_err(|_| damaged(path, "zstd"))?;
        Ok(Self { decoder, first: true, in_frame: false })
    }

    /// Appends the next chunk to `out`; false at the end of the contents.
    pub(crate) fn next(&mut self, source: &mut FileInput, out: &mut Vec<u8>) -> Result<bool> {
        let start = out.len();
        while out.len() == start {
            if self.in_frame {
                self.zstd_frame(source, out)?;
                continue;
            }
            if !self.first && source.peek(1)?.is_empty() {
                return Ok(false);
            }
            let magic = source.peek(4)?;
            let number = magic.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
            if ZSTD_SKIPPABLE.contains(&number) {
                skip_frame(source)?;
            } else if magic == ZSTD_MAGIC {
                check_frame_header(source)?;
                self.decoder.reinit().map_err(|_| damaged(&source.path, "zstd"))?;
                self.in_frame = true;
            } else {
                let prefix = ZSTD_MAGIC.starts_with(magic);
                return Err(unknown_start(&source.path, "zstd", self.first, prefix));
            }
            self.first = false;
        }
        Ok(true)
    }

    fn zstd_frame(&mut self, source: &mut FileInput, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        let data = source.chunk()?;
        let at_end = data.is_empty();
        out.resize(start + CHUNK_BYTES, 0);
        let mut input = InBuffer::around(data);
        let mut output = OutBuffer::around(&mut out[start..]);
        let left = self.decoder.run(&mut input, &mut output);
        let (read, written) = (input.pos(), output.pos());
        out.truncate(start + written);
        source.skip(read);
        match left {
            Ok(0) => self.in_frame = false,
            Ok(_) if !(at_end && written == 0) => {}
            _ => return Err(damaged(&source.path, "zstd")),
        }
        Ok(())
    }
}

/// Refuses what would otherwise look like damage: a dictionary, a very large window.
fn check_frame_header(source: &mut FileInput) -> Result<()> {
    let header = source.peek(14)?.to_vec();
    if header.len() < 6 {
        return Err(damaged(&source.path, "zstd"));
    }
    let refuse = |reason| {
        let path = &source.path;
        Err(Error::new(ErrorKind::Input, format!("{path}: the zstd stream needs {reason}")))
    };
    let descriptor = header[4];
    if descriptor & 0x03 != 0 {
        return refuse("a dictionary; compress without one");
    }
    let window = if descriptor & 0x20 != 0 {
        // a single segment: the window is the content
        let size = 1 << (descriptor >> 6);
        let field = header[5..].iter().take(size);
        let value = field.rev().fold(0, |value, &byte| value << 8 | u128::from(byte));
        value + if size == 2 { 256 } else { 0 }
    } else {
        let base = 1 << (10 + (header[5] >> 3));
        base + (base >> 3) * u128::from(header[5] & 7)
    };
    if window > 1 << MAX_WINDOW_LOG {
        return refuse("a window of more than 128 MiB; compress without --long");
    }
    Ok(())
}

fn skip_frame(source: &mut FileInput) -> Result<()> {
    let header = source.take(8)?;
    let &[_, _, _, _, a, b, c, d] = header else {
        return Err(damaged(&source.path, "zstd"));
    };
    let mut left = u32::from_le_bytes([a, b, c, d]) as usize;
    while left > 0 {
        let taken = source.take(left.min(CHUNK_BYTES))?.len();
        if taken == 0 {
            return Err(damaged(&source.path, "zstd"));
        }
        left -= taken;
    }
    Ok(())
}

/// The error for bytes that begin no member or frame; `prefix`: they are cut short.
fn unknown_start(path: &str, name: &str, first: bool, prefix: bool) -> Error {
    if prefix {
        return damaged(path, name);
    }
    let reason = if first {
        format!("is not a {name} file")
    } else {
        format!("the {name} stream is followed by other data")
    };
    Error::new(ErrorKind::Input, format!("{path}: {reason}"))
}

fn damaged(path: &str, name: &str) -> Error {
    let reason = format!("the {name} stream is truncated or damaged");
    Error::new(ErrorKind::Input, format!("{path}: {reason}"))
}
