//! Reports on programs for vector machines.

mod record;
mod why;
mod check;
mod operations;
mod page;

pub use check::{CodeCheckRecord, GroupRecord, LayoutRecord, WeightRecord, WitnessRecord, code_check_text};
pub use operations::{LoopOperand, LoopOperation, loop_operations};
pub use page::vector_page;
pub use record::{
    BankModel, VectorAttempt, VectorBaseline, VectorChecks, VectorCycles, VectorOutputs, VectorRecord,
    VectorUsage, vector_text,
};
pub use why::{VectorPlan, why};
