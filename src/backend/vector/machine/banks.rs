//! The banks of the local memory: which of them an access uses, and the cost of several accesses to one bank in a cycle.

/// The single-port banks of the local memory. Words of one bank follow each other with those of the others of its group between
/// them; groups lie one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Banks {
    /// How many there are.
    pub count: usize,
    /// The words of one.
    pub words: usize,
    /// The bytes of a word.
    pub word_bytes: usize,
    /// How many are interleaved, word by word.
    pub interleaved: usize,
}

/// Some bytes that are read or written in one cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The first byte.
    pub address: usize,
    /// How many.
    pub bytes: usize,
}

impl Banks {
    /// The bytes of all banks.
    pub fn bytes(&self) -> usize {
        self.count * self.words * self.word_bytes
    }

    /// The bytes of banks that are interleaved with each other.
    pub fn group_bytes(&self) -> usize {
        self.interleaved * self.words * self.word_bytes
    }

    /// The banks that an access takes.
    fn of(&self, access: Access) -> impl Iterator<Item = usize> + '_ {
        let words = access.address / self.word_bytes
            ..(access.address + access.bytes.max(1)).div_ceil(self.word_bytes);
        words.map(|word| word / (self.interleaved * self.words) * self.interleaved + word % self.interleaved)
    }

    /// The stall cycles of the accesses of one bundle: a bank serves one access per cycle.
    pub fn stalls(&self, accesses: &[Access]) -> usize {
        let banks = || accesses.iter().flat_map(|access| self.of(*access));
        banks().map(|bank| banks().filter(|other| *other == bank).count() - 1).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two groups of two banks of four words of 16 bytes.
    const BANKS: Banks = Banks { count: 4, words: 4, word_bytes: 16, interleaved: 2 };

    fn stalls(accesses: &[(usize, usize)]) -> usize {
        let accesses: Vec<Access> =
            accesses.iter().map(|(address, bytes)| Access { address: *address, bytes: *bytes }).collect();
        BANKS.stalls(&accesses)
    }

    #[test]
    fn accesses_wait_for_the_bank_that_both_take() {
        assert_eq!((BANKS.bytes(), BANKS.group_bytes()), (256, 128));
        // Of 256 bits: both banks of a group, at whatever word they begin.
        assert_eq!(stalls(&[(0, 32)]), 0);
        assert_eq!(stalls(&[(0, 32), (0, 32)]), 1);
        assert_eq!(stalls(&[(0, 32), (80, 32)]), 1);
        assert_eq!(stalls(&[(0, 32), (128, 32)]), 0);
        assert_eq!(stalls(&[(0, 32), (64, 32), (96, 32)]), 2);
        assert_eq!(stalls(&[(0, 32), (64, 32), (128, 32)]), 1);
        // Across the end of a group: the last word of one and the first of the next.
        assert_eq!(stalls(&[(112, 32), (0, 32)]), 1);
        assert_eq!(stalls(&[(112, 32), (144, 16)]), 0);
        // Of 128 bits: one bank.
        assert_eq!(stalls(&[(0, 16), (16, 16)]), 0);
        assert_eq!(stalls(&[(0, 16), (32, 16)]), 1);
    }
}
