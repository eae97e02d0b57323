//! The named techniques for known coefficients.

/// A technique for known coefficients. Each can be switched off.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Technique {
    /// Lets single taps of two rows share an operation.
    Fused,
    /// Adds data with equal coefficients before the multiplication.
    Symmetric,
    /// Subtracts data with opposite coefficients before the multiplication.
    Antisymmetric,
    /// Sums columns, then rows.
    Separable,
    /// Sums several separable kernels, or one and single taps.
    LowRank,
    /// Computes a column once for all outputs that need it.
    Shared,
    /// Writes columns to memory before rows are summed.
    TwoPass,
    /// Computes a row's column from that of the row above.
    Running,
    /// Uses 8-bit coefficients, with which the datapath has twice the throughput.
    Bytes,
    /// Replaces one power of two in each sum by a shift of its data.
    Shifted,
}

impl Technique {
    /// All techniques.
    pub const ALL: [Self; 10] = [
        Self::Fused,
        Self::Symmetric,
        Self::Antisymmetric,
        Self::Separable,
        Self::LowRank,
        Self::Shared,
        Self::TwoPass,
        Self::Running,
        Self::Bytes,
        Self::Shifted,
    ];

    /// The name for options and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fused => "fused",
            Self::Symmetric => "symmetric",
            Self::Antisymmetric => "antisymmetric",
            Self::Separable => "separable",
            Self::LowRank => "low-rank",
            Self::Shared => "shared",
            Self::TwoPass => "two-pass",
            Self::Running => "running",
            Self::Bytes => "int8",
            Self::Shifted => "shift-and-add",
        }
    }

    /// Returns the technique of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|technique| technique.name() == name)
    }
}
