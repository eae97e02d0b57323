//! A kernel file as a value, with the places of its parts.

use crate::syntax::{Diagnostics, Source};

use super::ast::OutputSource;

/// The default semiring.
pub(super) const DEFAULT_SEMIRING: &str = "plus-times";
/// The default number of dimensions.
pub(super) const DEFAULT_DIMENSIONS: u8 = 2;
/// The default input.
pub(crate) const DEFAULT_INPUT: &str = "image";

/// A filter as written in its file. Equality ignores places.
#[derive(Clone, Debug)]
pub struct FilterSource {
    /// The filter's name.
    pub name: String,
    /// The description in the file.
    pub doc: Option<String>,
    /// The name of the semiring of its coefficients, one of [`crate::algebra::semirings`].
    pub semiring: String,
    /// The number of dimensions of the index space, 1 to 3.
    pub dimensions: u8,
    /// The index space if it is not all of Z^d.
    pub space: IndexSpace,
    /// The input channels, in order; a channel is identified by its index here.
    pub inputs: Vec<String>,
    /// Named terms, each of which may use the ones before it.
    pub lets: Vec<OutputSource>,
    /// The outputs, in order.
    pub outputs: Vec<OutputSource>,
    /// Warnings about probable mistakes in the file. Equality ignores them.
    pub warnings: Diagnostics,
}

/// The geometry of the index space.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum IndexSpace {
    /// All of Z^d: squares, cubes.
    #[default]
    Grid,
    /// Hexagons in axial coordinates: x points east, y north-east.
    Hexagonal,
    /// Z^d modulo a period along each axis; missing axes have the period 1.
    Torus([u32; 3]),
}

impl FilterSource {
    /// A filter of linear kernels in two dimensions, without outputs.
    pub(crate) fn new(name: &str, inputs: Vec<String>) -> Self {
        Self {
            name: name.to_owned(),
            doc: None,
            semiring: DEFAULT_SEMIRING.to_owned(),
            dimensions: DEFAULT_DIMENSIONS,
            space: IndexSpace::Grid,
            inputs,
            lets: Vec::new(),
            outputs: Vec::new(),
            warnings: Diagnostics::new(),
        }
    }
}

impl PartialEq for FilterSource {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.doc == other.doc
            && self.semiring == other.semiring
            && self.dimensions == other.dimensions
            && self.space == other.space
            && self.inputs == other.inputs
            && self.lets == other.lets
            && self.outputs == other.outputs
    }
}

impl Eq for FilterSource {}

/// Whether a source is a kernel file rather than a program, judging by its name, or by a list or an S-expression comment
/// at its beginning.
pub fn is_kernel_file(source: &Source) -> bool {
    source.name().ends_with(".sexp") || source.text().trim_start().starts_with(['(', ';'])
}
