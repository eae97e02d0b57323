//! Target machines: descriptors, straight-line programs, and the instruction forms that searches work with.
//!
//! A target is data: `rules/<target>/target.sexp` is read into a [`Target`]. The meaning, the cost and the operand rules of its
//! instructions follow from the primitive operations that they expand to, so search, simulator and checker cannot disagree.
//!
//! ```
//! use kalg::syntax::Source;
//! use kalg::backend::array::machine::Target;
//!
//! let target = Target::builtin("scamp5").unwrap();
//! let source = Source::new("sum.scamp", "bus(NEWS, A); // the negated input\nbus(B, NEWS, XE, XW);");
//! let program = target.parse(&source).unwrap().program;
//! assert_eq!(program.cycles(&target), Ok(2));
//! assert!(program.violations(&target).is_empty());
//! ```

pub mod form;
mod ids;
mod host_forms;
mod instruction;
mod logic;
mod descriptor;
mod operation;
mod quantities;
mod effect;
mod unfold;
mod logic_rules;
mod program;
mod lenient;
mod symbolic;
mod meaning;
mod enumerate;
mod text;
mod listing;
mod read;
mod read_macro;
mod read_logic;
mod read_sources;
mod registers;
mod registry;

pub use descriptor::{
    Alias, BitId, Cell, Direction, DirectionId, DirectionSet, Division, Expression, Formal, FormalKind,
    Given, Isa, Load, Macro, Membership, NO_NOISE, Noise, OperandRules, Primitive, Register, RegisterFile,
    RegisterId, SourceForms, Target, Template, TemplateOperand, View, ViewId,
};
pub use effect::{Cause, Effect, Formula};
pub use host_forms::{HostCall, HostEffect, HostForms, Stands};
pub use instruction::{Instruction, Operand};
pub use lenient::Broken;
pub use listing::{Block, DEFAULT_ROUNDS, Listing, Loaded, Reading, blocks, read_listing};
pub use logic::{
    Bit, BitKind, BitRef, Logic, Parameter, ParameterKind, SetKind, SourceRef, Step, StepOperand, Term,
};
pub use operation::{Access, Transfer, Violation};
pub use program::{Definition, Program};
pub use quantities::{Quantities, Quantity};
pub use read::read_target;
pub use registry::builtin_names;
pub use symbolic::{State, Value};

use crate::backend::builtin::ARRAYS as BUILTIN;
