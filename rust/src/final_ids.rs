//! The order of the final ids (SPEC 5.1).

use crate::model::{Op, OpKind};
use crate::settings::IdOrder;

/// The creation numbers in the order of the final ids, without those of deleted tokens; there are
/// `size` numbers. With [`IdOrder::RegularFirst`] the alphabet, then what regular merges make by its
/// last making by one, then what only supermerges make by its last making; with
/// [`IdOrder::Creation`] by the op that last put it into the vocabulary.
pub fn final_order(ops: &[Op], size: usize, id_order: IdOrder) -> Vec<u32> {
    const ALPHABET: u8 = 0;
    const REGULAR: u8 = 1;
    const ONLY_SUPER: u8 = 2;
    let mut places: Vec<(u8, usize)> = (0..size).map(|token| (ALPHABET, token)).collect();
    let mut is_in = vec![true; size];
    for op in ops {
        is_in[op.new as usize] = false;
    }
    for (index, op) in ops.iter().enumerate() {
        let (place, is_in) = (&mut places[op.new as usize], &mut is_in[op.new as usize]);
        match (op.kind, id_order) {
            (OpKind::Delete, _) => {}
            (_, IdOrder::Creation) if *is_in => {}
            (OpKind::Merge, _) | (_, IdOrder::Creation) => *place = (REGULAR, index),
            (OpKind::Supermerge, _) if place.0 == REGULAR => {}
            (OpKind::Supermerge, _) => *place = (ONLY_SUPER, index),
        }
        *is_in = op.kind != OpKind::Delete;
    }
    let mut order: Vec<u32> = (0..size as u32).filter(|&token| is_in[token as usize]).collect();
    order.sort_unstable_by_key(|&token| places[token as usize]);
    order
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
