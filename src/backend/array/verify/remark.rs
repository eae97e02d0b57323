//! Remarks about instructions.

/// A remark about one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// The identifier of this kind of remark.
    pub id: &'static str,
    /// The instruction, by index.
    pub instruction: usize,
    /// The text.
    pub message: String,
}
