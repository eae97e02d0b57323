//! The banks of the local memory: which of them an access uses, and the cost of several accesses to one bank in a cycle.

/// The single-port banks of the local memory. Within a group, words are interleaved across the banks. Groups are
/// contiguous.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Banks {
    /// The number of banks.
    pub count: usize,
    /// The number of words of a bank.
    pub words: usize,
    /// The bytes of a word.
    pub word_bytes: usize,
    /// The number of banks in a group, interleaved word by word.
    pub interleaved: usize,
}

/// An access to memory in one cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The first byte.
    pub address: usize,
    /// The number of bytes.
    pub bytes: usize,
}

impl Banks {
    /// The bytes of all banks.
    pub fn bytes(&self) -> usize {
        self.count * self.words * self.word_bytes
    }

    /// The bytes of a group of interleaved banks.
    pub fn group_bytes(&self) -> usize {
        self.interleaved * self.words * self.word_bytes
    }

    /// The banks that an access uses.
    fn of(&self, access: Access) -> impl Iterator<Item = usize> + '_ {
        let words = access.address / self.word_bytes
            ..(access.address + access.bytes.max(1)).div_ceil(self.word_bytes);
        words.map(|word| word / (self.interleaved * self.words) * self.interleaved + word % self.interleaved)
    }

    /// The stall cycles of the accesses of one bundle. A bank serves one access per cycle.
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
        // 256 bits: both banks of a group, whatever word the access begins at.
        assert_eq!(stalls(&[(0, 32)]), 0);
        assert_eq!(stalls(&[(0, 32), (0, 32)]), 1);
        assert_eq!(stalls(&[(0, 32), (80, 32)]), 1);
        assert_eq!(stalls(&[(0, 32), (128, 32)]), 0);
        assert_eq!(stalls(&[(0, 32), (64, 32), (96, 32)]), 2);
        assert_eq!(stalls(&[(0, 32), (64, 32), (128, 32)]), 1);
        // Across the end of a group: the last word of one group and the first of the next.
        assert_eq!(stalls(&[(112, 32), (0, 32)]), 1);
        assert_eq!(stalls(&[(112, 32), (144, 16)]), 0);
        // 128 bits: one bank.
        assert_eq!(stalls(&[(0, 16), (16, 16)]), 0);
        assert_eq!(stalls(&[(0, 16), (32, 16)]), 1);
    }
}
