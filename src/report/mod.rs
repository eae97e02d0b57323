//! What kalg reports, as records, and the forms in which records are shown: text, code, JSON, DOT, SVG and HTML.
//!
//! A record is plain data with public fields, filled in by whoever runs the stages. This layer opens no files, prints nothing and
//! does not know how a program was found.
//!
//! The JSON forms are stable: fields are added, never renamed or removed, and unknown values are `null`.

mod parts;
mod record;
mod trace;
mod walk;
mod measured;
mod json;
mod equation;
mod grid;
mod counted;
mod text;
mod code;
mod dot;
mod egraph;
mod svg;
mod html;
mod comparison;
mod ablation;
mod check;
mod check_text;
mod run;
mod pipeline;
mod stages;
mod shortened;
mod approx;
#[cfg(test)]
mod sample;

pub use ablation::{AblatedFilter, Ablation, Worth};
pub use approx::ApproxRecord;
pub use check::{
    Answer, CaseRecord, CheckRecord, CheckedOutput, CounterexampleRecord, InputImage, Lost, RegisterRecord,
    Remark, TapDifference, UpTo,
};
pub use check_text::check_text;
pub(crate) use check_text::{answer, push_kernels, push_lines, remarks, up_to_text, verdict_text};
pub use code::code;
pub use comparison::{
    Baseline, BaselineOutput, BaselineResult, Baselines, ComparedRecord, ComparedSummary, Comparison,
    Measure, comparison_tables, markdown,
};
pub(crate) use counted::{counted, many};
pub use dot::dot;
pub use egraph::{egraph_dot, egraph_json, egraph_svg};
pub use equation::equation;
pub use html::{
    ShownStage, check_page, egraph_page, page, program_page, shortened_page, stages_page, walked_check_page,
};
pub use json::json_line;
pub use measured::{Alternative, NoiseRecord, OutputNoise, RangeLimit, RangeRecord};
pub use parts::{Approximation, Figure, Kernel, Port, Tap};
pub use pipeline::{PipelineInputRecord, PipelineOutputRecord, PipelineRunRecord};
pub use record::{
    Attempt, BatchLine, Border, Derivation, EGraph, ErrorKind, ErrorRecord, FailureRecord, FlowValue,
    LiftedFrom, NoProgram, OptimizeRecord, OutputKernels, RuleStatistics, Term, VERSION, Verified,
};
pub use run::{RunOutput, RunRecord};
pub use shortened::{Change, RemovedLine, ShortenedRecord, StretchRecord, WindowRecord};
pub use stages::{PipelineRecord, ReadRecord, RegionOutput, RegionRecord, StageRecord, describe_pipeline};
pub use svg::svg;
pub(crate) use text::kernel_lines;
pub use text::text;
pub use trace::{LineRecord, RegisterValue, SummandRecord, TransferRecord, WriteRecord};
pub use walk::{EffectRecord, FormulaRecord, HeldRecord, StepRecord, WalkRecord};
