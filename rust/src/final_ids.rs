//! The final ids: their order, and what stands where (SPEC 5.1).

use crate::model::{Op, OpKind};
use crate::settings::IdOrder;

/// The creation numbers in the order of the final ids, without those of deleted tokens; there are
/// `size` numbers. With [`IdOrder::RegularFirst`] the alphabet, then what regular merges make by its
/// last making by one, then what only supermerges make by its last making; with
/// [`IdOrder::Creation`] by the op that last put it into the vocabulary; with [`IdOrder::Gpt2`] the
/// same behind the 256 bytes in GPT-2's order.
pub fn final_order(ops: &[Op], size: usize, id_order: IdOrder) -> Vec<u32> {
    const ALPHABET: u8 = 0;
    const REGULAR: u8 = 1;
    const ONLY_SUPER: u8 = 2;
    let mut places: Vec<(u8, usize)> = (0..size).map(|token| (ALPHABET, token)).collect();
    if id_order == IdOrder::Gpt2 {
        for (byte, place) in (0..=u8::MAX).zip(&mut places) {
            place.1 = gpt2_place(byte);
        }
    }
    let mut is_in = vec![true; size];
    for op in ops {
        is_in[op.new as usize] = false;
    }
    for (index, op) in ops.iter().enumerate() {
        let (place, is_in) = (&mut places[op.new as usize], &mut is_in[op.new as usize]);
        match (op.kind, id_order) {
            (OpKind::Delete, _) => {}
            (_, IdOrder::Creation | IdOrder::Gpt2) if *is_in => {}
            (OpKind::Merge, _) | (_, IdOrder::Creation | IdOrder::Gpt2) => {
                *place = (REGULAR, index);
            }
            (OpKind::Supermerge, _) if place.0 == REGULAR => {}
            (OpKind::Supermerge, _) => *place = (ONLY_SUPER, index),
        }
        *is_in = op.kind != OpKind::Delete;
    }
    let mut order: Vec<u32> = (0..size as u32).filter(|&token| is_in[token as usize]).collect();
    order.sort_unstable_by_key(|&token| places[token as usize]);
    order
}

/// Where a byte stands in GPT-2's order, up to gaps: what is printable in Latin-1 comes first.
pub(crate) fn gpt2_place(byte: u8) -> usize {
    let is_printable = matches!(byte, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF);
    usize::from(byte) + if is_printable { 0 } else { 256 }
}

/// What has an id, with its number among its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Ordinary(usize),
    Special(usize),
}

/// Which ids the tokens have: special ones those that are named, or the last ones; ordinary ones
/// take all ids that are free, in order.
#[derive(Clone, Debug)]
pub(crate) struct FinalIds {
    ordinary: usize,
    special: Vec<u32>,
    /// All ids below are those of ordinary tokens, in their order: most of them, mostly.
    before_special: u32,
}

impl FinalIds {
    /// For so many tokens; the named ids ascend, one for each special token.
    pub(crate) fn new(ordinary: usize, special: usize, special_ids: Option<&[u32]>) -> Self {
        let usual = ordinary as u32..(ordinary + special) as u32;
        let special = special_ids.map_or_else(|| usual.collect(), <[u32]>::to_vec);
        let first = special.first().map_or(u32::MAX, |&first| first);
        Self { ordinary, special, before_special: first.min(ordinary as u32) }
    }

    /// The ids of the ordinary tokens, in their order.
    pub(crate) fn ordinary(&self) -> impl Iterator<Item = u32> {
        let free = (0..).filter(|id| self.special.binary_search(id).is_err());
        free.take(self.ordinary)
    }

    /// The id of a special token.
    pub(crate) fn special(&self, index: usize) -> u32 {
        self.special[index]
    }

    /// What has an id.
    #[inline]
    pub(crate) fn token(&self, id: u32) -> Option<Token> {
        if id < self.before_special {
            return Some(Token::Ordinary(id as usize));
        }
        self.token_behind(id)
    }

    #[cold]
    fn token_behind(&self, id: u32) -> Option<Token> {
        let below = self.special.partition_point(|&special| special < id);
        if self.special.get(below) == Some(&id) {
            return Some(Token::Special(below));
        }
        let number = id as usize - below;
        (number < self.ordinary).then_some(Token::Ordinary(number))
    }

    /// The highest id.
    pub(crate) fn last(&self) -> u32 {
        let all = (self.ordinary + self.special.len()) as u32 - 1;
        self.special.last().map_or(all, |&last| all.max(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_making_by_a_regular_merge_decides() {
        let op = |kind, new| Op { kind, left: 0, right: 0, new, count: 1 };
        let (m, s) = (OpKind::Merge, OpKind::Supermerge);
        let ops =
            [op(s, 256), op(s, 257), op(m, 258), op(m, 259), op(s, 256), op(m, 257), op(s, 258)];
        assert_eq!(final_order(&ops, 260, IdOrder::RegularFirst)[256..], [258, 259, 257, 256]);
        assert_eq!(final_order(&ops, 260, IdOrder::Creation)[256..], [256, 257, 258, 259]);
    }

    #[test]
    fn named_ids_leave_the_others_to_ordinary_tokens() {
        use Token::{Ordinary, Special};
        let ids = FinalIds::new(5, 3, Some(&[0, 2, 9]));
        assert_eq!(ids.ordinary().collect::<Vec<_>>(), [1, 3, 4, 5, 6]);
        assert_eq!((ids.special(1), ids.last()), (2, 9));
        let tokens: Vec<_> = (0..=10).map(|id| ids.token(id)).collect();
        let ordinary = [0, 1, 2, 3, 4].map(|number| Some(Ordinary(number)));
        let special = [0, 1, 2].map(|number| Some(Special(number)));
        let [a, b, c, d, e] = ordinary;
        assert_eq!(tokens, [special[0], a, special[1], b, c, d, e, None, None, special[2], None]);
        let usual = FinalIds::new(5, 2, None);
        assert_eq!(usual.ordinary().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        let tokens: Vec<_> = (4..8).map(|id| usual.token(id)).collect();
        assert_eq!(tokens, [e, special[0], special[1], None]);
        assert_eq!((usual.last(), FinalIds::new(5, 0, None).last()), (6, 4));
        assert_eq!(FinalIds::new(5, 2, Some(&[0, 1])).last(), 6);
    }

    #[test]
    fn bytes_in_the_order_of_gpt_2() {
        let order = final_order(&[], 256, IdOrder::Gpt2);
        assert_eq!(order[..3], [0x21, 0x22, 0x23]);
        assert_eq!(order[93..96], [0x7E, 0xA1, 0xA2]);
        assert_eq!(order[105..108], [0xAC, 0xAE, 0xAF]);
        assert_eq!(order[187..190], [0xFF, 0x00, 0x01]);
        assert_eq!(order[220..222], [0x20, 0x7F]);
        assert_eq!(order[254..], [0xA0, 0xAD]);
    }

    #[test]
    fn a_token_made_again_after_a_delete_comes_last() {
        let op = |kind, new| Op { kind, left: 0, right: 0, new, count: 1 };
        let (m, s, d) = (OpKind::Merge, OpKind::Supermerge, OpKind::Delete);
        let ops = [op(m, 256), op(m, 257), op(d, 256), op(m, 258), op(m, 256), op(d, 258)];
        for id_order in [IdOrder::RegularFirst, IdOrder::Creation] {
            assert_eq!(final_order(&ops, 259, id_order)[256..], [257, 256]);
        }
        // once a regular merge has made it, a token comes before superwords
        let ops = [op(m, 256), op(d, 256), op(s, 257), op(s, 256)];
        assert_eq!(final_order(&ops, 258, IdOrder::RegularFirst)[256..], [256, 257]);
        assert_eq!(final_order(&ops, 258, IdOrder::Creation)[256..], [257, 256]);
    }
}
