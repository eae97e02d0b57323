//! Terms of the convolution algebra: files to terms, what a term denotes, the e-graph language, decompositions.

mod decomposition;
pub mod lang;
mod measure;

pub use decomposition::Decomposition;
pub use measure::{Measure, order, precedes};
