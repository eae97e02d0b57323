//! The named techniques for known coefficients.

/// What the compiler may do with coefficients that it knows; each can be switched off.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Technique {
    /// Single taps of two rows share an operation.
    Fused,
    /// Data that is multiplied by equal coefficients is added first.
    Symmetric,
    /// Data that is multiplied by opposite coefficients is subtracted first.
    Antisymmetric,
    /// Sums of columns, then of rows.
    Separable,
    /// Sums of several separable kernels, or of one and single taps.
    LowRank,
    /// A column that several outputs need is made once.
    Shared,
    /// Columns go to memory before rows are summed.
    TwoPass,
    /// A row's column is made from that of the row above.
    Running,
    /// Coefficients of 8 bits, at which the datapath has twice the throughput.
    Bytes,
    /// A power of two in each sum is a shift of its data.
    Shifted,
}

impl Technique {
    /// All of them.
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

    /// The technique of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|technique| technique.name() == name)
    }
}
