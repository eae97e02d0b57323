//! Why a pipeline cannot be executed on pictures.

use thiserror::Error;

use crate::algebra::Rational;
use crate::pipeline::PixelType;
use crate::syntax::Span;

/// Why a pipeline cannot be executed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ExecuteError {
    /// The size of a picture is not a multiple of its rate.
    #[error("the input `{name}` has {} × {} pixels, which is not a whole multiple of its rate {rate}", size[0], size[1])]
    InputSize {
        /// The input.
        name: String,
        /// Columns and rows.
        size: [usize; 2],
        /// The rate.
        rate: String,
    },
    /// Two pictures do not have the same size, rates considered.
    #[error(
        "the inputs `{}` and `{}` do not have the same size: at rate 1 they have {} × {} and {} × {} pixels",
        names[0], names[1], bases[0][0], bases[0][1], bases[1][0], bases[1][1]
    )]
    DifferentSizes {
        /// The inputs.
        names: [String; 2],
        /// Their columns and rows at rate 1.
        bases: [[i64; 2]; 2],
    },
    /// A rate does not give a whole number of pixels.
    #[error("{what} has the rate {rate}, which gives no whole number of pixels for {} × {} pixels at rate 1", base[0], base[1])]
    Fraction {
        /// What has the rate.
        what: String,
        /// The rate.
        rate: String,
        /// Columns and rows at rate 1.
        base: [i64; 2],
    },
    /// A sample is beyond the type of its input.
    #[error("the input `{name}` has the sample {value} in column {} and row {}, which `{pixel}` does not hold", place[0], place[1])]
    Sample {
        /// The input.
        name: String,
        /// The sample.
        value: i128,
        /// Its column and row, from 0 in the north-west.
        place: [usize; 2],
        /// The type.
        pixel: PixelType,
    },
    /// A node is needed on too many pixels.
    #[error("a value is needed on {pixels} pixels; the maximum is {}", Self::MAX_PIXELS)]
    TooLarge {
        /// The place of the value's expression.
        span: Span,
        /// The number of pixels, planes included.
        pixels: u128,
    },
    /// A sum or product leaves 127 bits.
    #[error("a sum or product has more than 127 bits")]
    Overflow {
        /// The place of its expression.
        span: Span,
    },
}

impl ExecuteError {
    /// The most pixels of a node: 16 bytes each, so four gigabytes.
    pub const MAX_PIXELS: u128 = 1 << 28;

    pub(super) fn fraction(name: &str, rate: [Rational; 2], base: [i64; 2]) -> Self {
        let rate = crate::pipeline::rate::rate_text(rate);
        Self::Fraction { what: format!("the output `{name}`"), rate, base }
    }
}
