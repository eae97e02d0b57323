//! Terms of the convolution algebra: reading and printing, their denotations, the e-graph language, and decompositions.

mod source;
mod ast;
mod read;
mod print;
mod exchange;
mod evaluate;
mod sorts;
mod denote;
mod decomposition;
pub mod lang;
mod matrix;
mod measure;
pub(crate) mod text;
mod written;
mod steps;
mod turned;
mod proof;

pub use ast::{Cell, Coefficient, Direction, Grid, Name, OutputSource, Term, TermKind};
pub use decomposition::Decomposition;
pub use denote::{
    Series, denote, denote_linear, denote_series, filter_placed, filter_placed_in_any, finite_filter,
    footprints, placed_series,
};
pub use exchange::print_equal;
pub use matrix::matrix;
pub use measure::{Measure, order, precedes};
pub use print::print_filter;
pub(crate) use print::print_kernels;
pub use proof::{BadProof, Proof, ProofRewrite, ProofStep};
pub use read::read_filter;
pub(crate) use read::{Read, TermReader, Usage, read_grid, read_output};
pub(crate) use source::DEFAULT_INPUT;
pub use source::{FilterSource, IndexSpace, is_kernel_file};
pub use steps::{Step, Steps};
pub use text::{decomposition as decomposition_text, kernel as kernel_text};
pub use written::{Definition, written};
