//! One iteration of the innermost loop, before cycles and registers are chosen.

use crate::backend::vector::machine::{Address, Array, Counted, PreAdd};
use crate::backend::vector::workload::Element;

/// One iteration of the innermost loop, and the loops around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Body {
    /// The name of the program.
    pub name: String,
    /// The mode of the multiplications.
    pub mode: String,
    /// The type of elements.
    pub element: Element,
    /// The tensors.
    pub arrays: Vec<Array>,
    /// The loops around the innermost one, outermost first.
    pub outer: Vec<Counted>,
    /// The innermost loop.
    pub inner: Counted,
    /// The vectors that registers hold.
    pub vectors: Vec<Vector>,
    /// The multiply-accumulates in the order in which they should issue.
    pub products: Vec<Product>,
    /// What is accumulated.
    pub sums: Vec<Sum>,
}

/// What a vector is for, which decides where it can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// A first operand.
    Data,
    /// A second operand.
    Coefficient,
    /// On its way to memory.
    Result,
}

/// Where a vector comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Loaded in every iteration.
    Memory(Address),
    /// Loaded in the set-up of the loop, and kept.
    Resident(Address),
    /// A sum, rounded.
    Sum(usize),
}

/// A vector of one iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vector {
    /// Where it comes from.
    pub origin: Origin,
    /// What it is for.
    pub purpose: Use,
    /// What the register holds before the first iteration, where a vector of the iteration before is read.
    pub initial: Option<Address>,
}

impl Vector {
    /// A vector that no later iteration reads.
    pub fn new(origin: Origin, purpose: Use) -> Self {
        Self { origin, purpose, initial: None }
    }
}

/// An element of a vector, of this iteration or of one before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The vector.
    pub vector: usize,
    /// How many iterations earlier it was made.
    pub back: usize,
    /// The element.
    pub element: usize,
}

/// A multiply-accumulate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Product {
    /// The sum that it adds to.
    pub sum: usize,
    /// The data that each lane and column multiplies, lane by lane.
    pub x: Vec<Vec<Place>>,
    /// Data that is added to it before the multiplication.
    pub y: Option<(Vec<Vec<Place>>, PreAdd)>,
    /// The coefficient vector.
    pub z: usize,
    /// The element of it that each column multiplies with.
    pub z_elements: Vec<usize>,
    /// The distance between the elements of one group of lanes and those of the next, where the mode distinguishes groups.
    pub z_apart: usize,
}

impl Product {
    /// The vectors of the data with the number of iterations since they were made, each once for every lane.
    pub fn data(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let y = self.y.iter().flat_map(|(places, _)| places);
        self.x.iter().chain(y).flatten().map(|place| (place.vector, place.back))
    }
}

/// A vector that a sum begins with, shifted left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Widened {
    /// The vector.
    pub vector: usize,
    /// How many iterations earlier it was made.
    pub back: usize,
    /// The bits of the shift.
    pub shift: u32,
}

/// A sum of products.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sum {
    /// The right shift, in bits.
    pub shift: u32,
    /// The vector that it becomes.
    pub vector: usize,
    /// Where that is stored, if it is.
    pub store: Option<Address>,
    /// The sum that this one continues in the same accumulator after that one is rounded (a running sum).
    pub continues: Option<usize>,
    /// The vector that it begins with; then no product begins the sum.
    pub widened: Option<Widened>,
}
