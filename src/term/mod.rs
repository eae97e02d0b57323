//! Terms of the convolution algebra: files to terms, what a term denotes, the e-graph language, decompositions.

mod decomposition;

pub use decomposition::Decomposition;
