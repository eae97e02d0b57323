//! One iteration of the innermost loop, before cycles and registers are chosen.

use crate::backend::vector::machine::{Address, Array, Counted, Mode, PreAdd, Role};
use crate::backend::vector::workload::{Dim, Element, Operand, TensorPlacements, Workload};

/// One iteration of the innermost loop, and the loops around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Body {
    /// The name of the program.
    pub name: String,
    /// The mode of the multiplications.
    pub mode: String,
    /// The element type.
    pub element: Element,
    /// The tensors.
    pub arrays: Vec<Array>,
    /// The loops around the innermost one, outermost first.
    pub outer: Vec<Counted>,
    /// The innermost loop.
    pub inner: Counted,
    /// The vectors in registers.
    pub vectors: Vec<Vector>,
    /// The multiply-accumulates in the preferred issue order.
    pub products: Vec<Product>,
    /// The sums.
    pub sums: Vec<Sum>,
}

impl Body {
    /// A body without operations, over the tensors of a workload at the indices of [`Operand`]. The last of the loops is the
    /// innermost; there is at least one.
    pub(super) fn empty(
        workload: &Workload,
        mode: &Mode,
        placed: &TensorPlacements,
        (weights, length): (Role, usize),
        loops: &[(Dim, usize)],
    ) -> Self {
        let array =
            |name: &str, role, element, length| Array { name: name.to_owned(), role, element, length };
        let counted = |(dim, count): &(Dim, usize)| Counted { name: dim.to_string(), count: *count };
        let (inner, outer) = loops.split_last().expect("a nest has a loop");
        Self {
            name: workload.name.clone(),
            mode: mode.name.clone(),
            element: workload.element,
            arrays: vec![
                array("out", Role::Output, workload.element, placed.length(Operand::Output)),
                array("weights", weights, mode.z, length),
                array("in", Role::Input, workload.element, placed.length(Operand::Input)),
            ],
            outer: outer.iter().map(counted).collect(),
            inner: counted(inner),
            vectors: Vec::new(),
            products: Vec::new(),
            sums: Vec::new(),
        }
    }
}

/// The use of a vector, which decides which registers can hold it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// A first operand.
    Data,
    /// A second operand.
    Coefficient,
    /// A result on its way to memory.
    Result,
}

/// The origin of a vector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Loaded in every iteration.
    Memory(Address),
    /// Loaded in the set-up of the loop, and kept.
    Resident(Address),
    /// A rounded sum.
    Sum(usize),
}

/// A vector of one iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vector {
    /// Its origin.
    pub origin: Origin,
    /// Its use.
    pub purpose: Use,
    /// The value of the register before the first iteration, if a vector of the previous iteration is read.
    pub initial: Option<Address>,
}

impl Vector {
    /// Creates a vector that no later iteration reads.
    pub fn new(origin: Origin, purpose: Use) -> Self {
        Self { origin, purpose, initial: None }
    }
}

/// An element of a vector, of this iteration or an earlier one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The vector.
    pub vector: usize,
    /// The number of iterations since it was made.
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
    /// Data that is combined with `x` before the multiplication.
    pub y: Option<(Vec<Vec<Place>>, PreAdd)>,
    /// The coefficient vector.
    pub z: usize,
    /// Its element for each column.
    pub z_elements: Vec<usize>,
    /// The distance between the elements of consecutive groups of lanes, if the mode distinguishes groups.
    pub z_apart: usize,
}

impl Product {
    /// The vectors of the data, each once per lane, with the number of iterations since they were made.
    pub fn data(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let y = self.y.iter().flat_map(|(places, _)| places);
        self.x.iter().chain(y).flatten().map(|place| (place.vector, place.back))
    }
}

/// A vector that begins a sum, shifted left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Widened {
    /// The vector.
    pub vector: usize,
    /// The number of iterations since it was made.
    pub back: usize,
    /// The left shift, in bits.
    pub shift: u32,
}

/// A sum of products.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sum {
    /// The right shift, in bits.
    pub shift: u32,
    /// The vector that it becomes.
    pub vector: usize,
    /// The address at which that vector is stored, if it is.
    pub store: Option<Address>,
    /// The sum that this one continues, in the same accumulator, after the former is rounded (a running sum).
    pub continues: Option<usize>,
    /// The vector that begins the sum. Then no product begins it.
    pub widened: Option<Widened>,
}
