//! Pseudo-random numbers that are the same on every machine, using only integer arithmetic and exact sums.

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): 64 bits of state, period 2^64.
/// Good enough for test images and noise; not for cryptography.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The generator for a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The generator for one of many independent streams of a seed.
    pub fn stream(seed: u64, stream: u64) -> Self {
        let mut mixed = Self::new(seed ^ Self::new(stream).next());
        Self::new(mixed.next())
    }

    /// The next 64 random bits.
    #[expect(
        clippy::should_implement_trait,
        reason = "a generator never ends: it is no iterator to collect from"
    )]
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        Self::mixed(self.state)
    }

    /// The finaliser of the generator: a bijection in which every output bit depends on all bits of `bits`.
    pub fn mixed(bits: u64) -> u64 {
        let mut z = bits;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// An integer in `low..=high`; the bias, for ranges of images, is below 2^-50.
    pub fn integer(&mut self, low: i64, high: i64) -> i64 {
        let count = high.abs_diff(low).saturating_add(1);
        let scaled = (u128::from(self.next()) * u128::from(count)) >> 64;
        low.saturating_add_unsigned(scaled as u64)
    }

    /// An approximately Gaussian number with mean 0 and deviation 1: the sum of twelve uniform numbers minus six, which needs no
    /// function that differs between mathematical libraries. The result is within ±6.
    pub fn normal(&mut self) -> f64 {
        let mut sum = 0u64;
        for _ in 0..3 {
            let bits = self.next();
            sum += (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48);
        }
        // Each of the twelve represents the middle of its interval of length 1/65536.
        (sum as f64 + 6.0) / 65536.0 - 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_published_generator() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn integers_cover_their_range_and_deviates_have_their_moments() {
        let mut random = Random::stream(7, 1);
        let mut seen = [false; 5];
        for _ in 0..200 {
            seen[(random.integer(-2, 2) + 2) as usize] = true;
        }
        assert_eq!(seen, [true; 5]);
        let drawn: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let mean = drawn.iter().sum::<f64>() / 20_000.0;
        let variance = drawn.iter().map(|v| v * v).sum::<f64>() / 20_000.0 - mean * mean;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "mean {mean}, variance {variance}");
    }

    #[test]
    fn streams_differ() {
        assert_ne!(Random::stream(1, 0).next(), Random::stream(1, 1).next());
        assert_ne!(Random::stream(0, 1).next(), Random::stream(1, 1).next());
    }
}
