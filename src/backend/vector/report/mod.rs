//! Reports on programs for vector machines.

mod record;
mod why;
mod check;

pub use check::{CodeCheckRecord, GroupRecord, LayoutRecord, WeightRecord, WitnessRecord, code_check_text};
pub use record::{
    BankModel, VectorAttempt, VectorBaseline, VectorChecks, VectorCycles, VectorOutputs, VectorRecord,
    VectorUsage, vector_text,
};
pub use why::{VectorPlan, why};
