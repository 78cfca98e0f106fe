//! Of each token that a merge has made: how often it stands, where it may stand, and its parts.
//!
//! Every occurrence of a token was born in a merge that makes it, at a place of the merged pair, or in
//! the delete of a token that it is part of. So the blocks of places that pairs have serve tokens as
//! well: nothing is written down for a merge. No Python twin: there `pairs` has three dicts.

use crate::arena::Arena;
use crate::deletions::parts_of_merge;
use crate::model::Op;
use crate::pair_table::Block;
use crate::settings::BlowUp;
use crate::vocabulary::Vocabulary;

/// What deletes need to know; single bytes, which are never deleted, are not counted.
pub struct Homes {
    blow_up: BlowUp,
    tokens: Vec<Token>,
}

struct Token {
    standing: u64,
    homes: Block,
    /// What stands for it when it is deleted.
    parts: Vec<u32>,
}

impl Token {
    const NONE: Self = Self { standing: 0, homes: Block::EMPTY, parts: Vec::new() };
}

impl Homes {
    /// For the single bytes of an alphabet.
    pub fn new(blow_up: BlowUp, alphabet: usize) -> Self {
        Self { blow_up, tokens: (0..alphabet).map(|_| Token::NONE).collect() }
    }

    /// How often a token stands; 0 for a single byte.
    pub fn standing(&self, token: u32) -> u64 {
        self.tokens[token as usize].standing
    }

    /// What stands for a token when it is deleted; nothing for a single byte.
    pub fn parts(&self, token: u32) -> &[u32] {
        &self.tokens[token as usize].parts
    }

    /// Counts what a merge takes from its parts and what it makes, at places of this block.
    pub fn settle(
        &mut self,
        op: &Op,
        block: Block,
        vocabulary: &Vocabulary,
        older: &mut Vec<Block>,
    ) {
        for part in [op.left, op.right] {
            if vocabulary.length(part) > 1 {
                self.tokens[part as usize].standing -= op.count;
            }
        }
        if op.new as usize == self.tokens.len() {
            let parts = parts_of_merge(op, vocabulary, self.blow_up);
            self.tokens.push(Token { parts, ..Token::NONE });
        }
        let token = &mut self.tokens[op.new as usize];
        token.standing += op.count;
        let blocks: Vec<Block> = block.chain(older).collect();
        for block in blocks {
            token.homes.grow(block.start, block.length, older);
        }
    }

    /// Where a token stands, ascending. All of it leaves; its parts stand there from now on.
    pub fn leave(
        &mut self,
        token: u32,
        arena: &Arena,
        vocabulary: &Vocabulary,
        places: &mut Vec<u32>,
        older: &mut Vec<Block>,
    ) -> Vec<u32> {
        let left = &mut self.tokens[token as usize];
        let standing = std::mem::take(&mut left.standing);
        let homes = std::mem::replace(&mut left.homes, Block::EMPTY);
        if standing == 0 {
            return Vec::new();
        }
        let stands = |slot: usize| arena.token(slot) == token && arena.is_start(slot);
        let mut sites: Vec<u32> = homes
            .chain(older)
            .flat_map(|block| &places[block.range()])
            .copied()
            .filter(|&site| stands(site as usize))
            .collect();
        sites.sort_unstable();
        sites.dedup();
        let mut skipped = 0; // bytes of the parts before
        for part in left.parts.clone() {
            let length = vocabulary.length(part);
            if length > 1 {
                let part = &mut self.tokens[part as usize];
                part.standing += standing;
                part.homes.grow(places.len(), sites.len() as u32, older);
                places.extend(sites.iter().map(|&site| site + skipped));
            }
            skipped += length as u32;
        }
        sites
    }
}
