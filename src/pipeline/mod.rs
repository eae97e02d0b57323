//! Pipelines of stages: files, their exact meaning, what is known of every value, and the reference executor.
//!
//! A [`Pipeline`] is a graph of [`Node`]s in an order in which every node follows its operands. All nodes are defined on
//! the whole plane; each has [`Facts`]: its interval, width, rate and planes. A [`Builder`] makes pipelines, of which
//! each node is checked when it is added. The reader in `read` uses it, and so can whatever transforms a pipeline.
//! The executor uses no facts but the denominators of values.

mod border;
mod pixel_type;
mod range;
mod rate;
mod id;
mod node;
mod facts;
mod linear;
mod build;
mod read;
mod execute;
pub mod identity;
mod merge;
mod multiplex;
mod window;

pub use border::Border;
pub use build::Builder;
pub use execute::{Data, ExecuteError, Image, execute};
pub use facts::{Facts, Number};
pub use id::{NodeId, VariableId};
pub use linear::{Linear, Origin, linear_forms, linear_forms_at_one_rate};
pub use merge::{Merged, Region, Unsound, merge, price, simplify};
pub use multiplex::multiplexed;
pub use node::{
    Comparison, Distance, Fold, Input, Node, Operation, Output, Pipeline, Rounding, Stage, Stencil, Variable,
};
pub use pixel_type::PixelType;
pub use range::Range;
pub(crate) use range::common_multiple;
pub use read::{filter_as_pipeline, is_pipeline, read_pipeline};
pub use window::{Window, windows};
