//! What a merge changes beside its sites, collected per neighbour in dense arrays.
//!
//! No Python twin: there a merge recounts the stretches that it touches.

/// No pair.
pub const NONE: u32 = u32::MAX;

/// What a merge changes on one side of its sites, by neighbour token: pairs of the neighbour and
/// the old part lose, pairs of the neighbour and the new token gain.
#[derive(Debug, Default)]
pub struct Side {
    pub lost: Vec<u64>,
    pub gained: Vec<u64>,
    touched: Vec<bool>,
    pub neighbours: Vec<u32>,
    /// (neighbour, place of its pair with the new token), places ascending.
    pub found: Vec<(u32, u32)>,
    /// The pair whose places `found` holds, and where the next one goes.
    pub pair: Vec<u32>,
    pub next: Vec<usize>,
}

impl Side {
    pub fn resize(&mut self, tokens: usize) {
        self.lost.resize(tokens, 0);
        self.gained.resize(tokens, 0);
        self.touched.resize(tokens, false);
        self.pair.resize(tokens, NONE);
        self.next.resize(tokens, 0);
    }

    pub fn touch(&mut self, neighbour: u32) -> usize {
        let index = neighbour as usize;
        if !self.touched[index] {
            self.touched[index] = true;
            self.neighbours.push(neighbour);
        }
        index
    }

    pub fn lose(&mut self, neighbour: u32, weight: u64) {
        let index = self.touch(neighbour);
        self.lost[index] += weight;
    }

    pub fn gain(&mut self, neighbour: u32, weight: u64, place: usize) {
        let index = self.touch(neighbour);
        self.gained[index] += weight;
        self.found.push((neighbour, place as u32));
    }

    /// Takes back the last `gain`.
    pub fn ungain(&mut self, neighbour: u32, weight: u64) {
        self.gained[neighbour as usize] -= weight;
        self.found.pop();
    }

    pub fn clear(&mut self) {
        for &neighbour in &self.neighbours {
            let index = neighbour as usize;
            (self.lost[index], self.gained[index], self.next[index]) = (0, 0, 0);
            self.touched[index] = false;
        }
        self.neighbours.clear();
        self.found.clear();
    }
}
