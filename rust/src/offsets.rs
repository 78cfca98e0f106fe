//! Where tokens stand in a text, in bytes and in characters.

use crate::encoder::Encoder;

/// (start, end) of each token.
pub type Offsets = Vec<(usize, usize)>;

/// Where tokens of so many bytes (none of them 0, in all those of `data`) start and end, in bytes
/// and in characters. A token inside a character covers it, as does each other one that has some of
/// its bytes; a byte that is no UTF-8 is a character of its own.
///
/// ```
/// use superword::offsets::offsets_of_lengths;
/// let (bytes, characters) = offsets_of_lengths("aé".as_bytes(), [2, 1].into_iter());
/// assert_eq!((bytes, characters), (vec![(0, 2), (2, 3)], vec![(0, 2), (1, 2)]));
/// ```
pub fn offsets_of_lengths(
    data: &[u8],
    lengths: impl ExactSizeIterator<Item = usize>,
) -> (Offsets, Offsets) {
    let mut in_bytes = Vec::with_capacity(lengths.len());
    let mut in_characters = Vec::with_capacity(lengths.len());
    let mut ends = character_ends(data);
    let (mut start, mut count, mut end) = (0, 0, 0);
    let mut read_to = |place: usize| {
        while end < place
            && let Some(next) = ends.next()
        {
            end = next;
            count += 1;
        }
        count
    };
    for length in lengths {
        let first = read_to(start + 1) - 1;
        in_bytes.push((start, start + length));
        start += length;
        in_characters.push((first, read_to(start)));
    }
    (in_bytes, in_characters)
}

/// Where each character ends.
fn character_ends(data: &[u8]) -> impl Iterator<Item = usize> {
    let mut start = 0;
    data.utf8_chunks().flat_map(move |chunk| {
        let (valid, invalid) = (chunk.valid(), chunk.invalid());
        let (at, behind) = (start, start + valid.len());
        start = behind + invalid.len();
        let in_valid = valid.char_indices().map(move |(place, char)| at + place + char.len_utf8());
        in_valid.chain(behind + 1..=start)
    })
}

impl Encoder {
    /// How many bytes each of some ids of this model has.
    pub fn lengths(&self, ids: &[u32]) -> impl ExactSizeIterator<Item = usize> {
        ids.iter().map(|&id| self.token_length(id).unwrap_or(0) as usize)
    }
}
