//! Pipelines as graphs: nodes, and what names stand for.

use crate::algebra::{Choice, Kernel, Offset, PlusTimes, Rational};
use crate::syntax::{Diagnostics, Span};

use super::facts::Facts;
use super::id::{NodeId, VariableId};
use super::{Border, PixelType};

/// A pipeline. Every node follows its operands.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// The name.
    pub name: String,
    /// The description in the file.
    pub doc: Option<String>,
    /// The inputs, in order.
    pub inputs: Vec<Input>,
    /// How inputs continue beyond their edges.
    pub border: Border,
    /// The variables of folds.
    pub variables: Vec<Variable>,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The named stages, in file order.
    pub stages: Vec<Stage>,
    /// The outputs, in order.
    pub outputs: Vec<Output>,
    /// Warnings about probable mistakes in the file.
    pub warnings: Diagnostics,
}

impl Pipeline {
    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The facts of a node.
    pub fn facts(&self, id: NodeId) -> &Facts {
        &self.nodes[id.index()].facts
    }

    /// How many outputs and needed nodes read each node: none reads what is not needed.
    pub fn readers(&self) -> Vec<usize> {
        let mut readers = vec![0; self.nodes.len()];
        self.outputs.iter().for_each(|output| readers[output.node.index()] += 1);
        for id in self.ids().rev() {
            if readers[id.index()] > 0 {
                let operands = self.node(id).operation.operands();
                operands.iter().for_each(|operand| readers[operand.index()] += 1);
            }
        }
        readers
    }

    /// All nodes by their ids, each after its operands.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::new)
    }

    /// The named nodes and their names: inputs, then stages in file order.
    pub fn named(&self) -> impl DoubleEndedIterator<Item = (NodeId, &String)> {
        let input = |id| match self.node(id).operation {
            Operation::Input(index) => Some((id, &self.inputs[index].name)),
            _ => None,
        };
        let stages = self.stages.iter().map(|stage| (stage.node, &stage.name));
        self.ids().filter_map(input).chain(stages)
    }
}

/// An input: a picture.
#[derive(Clone, Debug)]
pub struct Input {
    /// The name.
    pub name: String,
    /// The place of the name.
    pub span: Span,
    /// The type of its pixels.
    pub pixel: PixelType,
    /// Its samples for each column and row of the base grid.
    pub rate: [Rational; 2],
}

/// A stage: a name for a node.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The name.
    pub name: String,
    /// The place of the name.
    pub span: Span,
    /// The value.
    pub node: NodeId,
    /// The declared type, which holds the value.
    pub declared: Option<PixelType>,
}

/// An output: a picture of finite size.
#[derive(Clone, Debug)]
pub struct Output {
    /// The name.
    pub name: String,
    /// The place of the name.
    pub span: Span,
    /// The value.
    pub node: NodeId,
    /// The type of its pixels, which holds the value.
    pub pixel: PixelType,
    /// Its samples for each column and row of the base grid.
    pub rate: [Rational; 2],
}

/// A variable of a fold: an integer from `first` to below `end`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The first value.
    pub first: i32,
    /// The value after the last.
    pub end: i32,
}

/// A node: an operation with what is known of its value.
#[derive(Clone, Debug)]
pub struct Node {
    /// The place of the expression.
    pub span: Span,
    /// The operation.
    pub operation: Operation,
    /// What is known of the value.
    pub facts: Facts,
}

/// What a node computes at the pixel in column c and row r, counted from the north-west. Offsets count east and north.
///
/// Operands of different kinds are converted where they are used: if one is of single precision, all are.
/// `src/pipeline/read/expression.rs` says which forms of files become which operations.
#[derive(Clone, PartialEq, Debug)]
pub enum Operation {
    /// An input, continued beyond its edges by the pipeline's border.
    Input(usize),
    /// A number. In single precision, the nearest one.
    Constant(Rational),
    /// The value of a variable of a fold around it.
    Variable(VariableId),
    /// The kernels of a filter applied to as many operands.
    Filter(Stencil, Vec<NodeId>),
    /// The operand at column c + x and row r − y.
    At([Distance; 2], NodeId),
    /// The sum.
    Add(Vec<NodeId>),
    /// The product.
    Multiply(Vec<NodeId>),
    /// Integers: ⌊a / b⌋. Single precision: a / b.
    Quotient(NodeId, NodeId),
    /// The absolute value.
    Absolute(NodeId),
    /// The least operand.
    Minimum(Vec<NodeId>),
    /// The greatest operand.
    Maximum(Vec<NodeId>),
    /// 1 if the comparison holds, otherwise 0.
    Compare(Comparison, NodeId, NodeId),
    /// The second operand where the first is 1, the third where it is 0.
    Select(NodeId, NodeId, NodeId),
    /// The value of the table at the operand, of which the first entry is for `first`.
    Table {
        /// The index of the first entry.
        first: i64,
        /// The entries.
        values: Vec<i64>,
        /// The index.
        index: NodeId,
    },
    /// ⌊√a⌋ of an integer; the square root in single precision.
    Root(NodeId),
    /// The integer of the type that is equal modulo 2^bits.
    Wrap(PixelType, NodeId),
    /// A value of single precision rounded to the nearest integer, ties to even, and limited to the type; NaN becomes 0.
    Saturate(PixelType, NodeId),
    /// An integer near the operand.
    Round(Rounding, NodeId),
    /// The nearest value of single precision, ties to even.
    Float(NodeId),
    /// Every period-th pixel: the operand at column p·c + x and row q·r + y.
    Down {
        /// The periods p and q along columns and rows.
        period: [u32; 2],
        /// The phases x and y, below the periods.
        phase: [u32; 2],
        /// The operand.
        value: NodeId,
    },
    /// Every pixel repeated: the operand at column ⌊c/p⌋ and row ⌊r/q⌋.
    Up([u32; 2], NodeId),
    /// The operand number (r mod q)·p + (c mod p) at column ⌊c/p⌋ and row ⌊r/q⌋.
    Interleave([u32; 2], Vec<NodeId>),
    /// The operand on the picture, continued beyond its edges.
    Border(Border, NodeId),
    /// The operand combined over all values of the variables, the last of which changes fastest.
    Fold(Fold, Vec<VariableId>, NodeId),
    /// Plane z is the sum of `weight` over the pixels of a cell in which `index` is z.
    Histogram {
        /// The columns and rows of a cell.
        cell: [u32; 2],
        /// The number of planes.
        bins: u32,
        /// The plane that a pixel counts in.
        index: NodeId,
        /// What a pixel counts.
        weight: NodeId,
    },
    /// The operand at column c + x and row r − y, in this plane if it has planes.
    Gather {
        /// The operand.
        value: NodeId,
        /// The distances x and y.
        by: [NodeId; 2],
        /// The plane.
        plane: Option<NodeId>,
    },
}

impl Operation {
    /// The operands, in order.
    pub fn operands(&self) -> Vec<NodeId> {
        match self {
            Self::Input(_) | Self::Constant(_) | Self::Variable(_) => Vec::new(),
            Self::Filter(_, list)
            | Self::Add(list)
            | Self::Multiply(list)
            | Self::Minimum(list)
            | Self::Maximum(list)
            | Self::Interleave(_, list) => list.clone(),
            Self::Quotient(a, b) | Self::Compare(_, a, b) => vec![*a, *b],
            Self::Select(a, b, c) => vec![*a, *b, *c],
            Self::At(_, a)
            | Self::Absolute(a)
            | Self::Root(a)
            | Self::Wrap(_, a)
            | Self::Saturate(_, a)
            | Self::Round(_, a)
            | Self::Float(a)
            | Self::Up(_, a)
            | Self::Border(_, a)
            | Self::Fold(_, _, a) => vec![*a],
            Self::Table { index, .. } => vec![*index],
            Self::Down { value, .. } => vec![*value],
            Self::Histogram { index, weight, .. } => vec![*index, *weight],
            Self::Gather { value, by: [x, y], plane } => [*value, *x, *y].into_iter().chain(*plane).collect(),
        }
    }

    /// Whether each pixel is computed from the same pixel of the operands alone.
    pub fn is_point_wise(&self) -> bool {
        matches!(
            self,
            Self::Add(_)
                | Self::Multiply(_)
                | Self::Minimum(_)
                | Self::Maximum(_)
                | Self::Quotient(..)
                | Self::Compare(..)
                | Self::Select(..)
                | Self::Absolute(_)
                | Self::Root(_)
                | Self::Wrap(..)
                | Self::Saturate(..)
                | Self::Round(..)
                | Self::Float(_)
                | Self::Table { .. }
        )
    }

    /// The same operation on other operands.
    #[must_use]
    pub fn map(&self, mut with: impl FnMut(NodeId) -> NodeId) -> Self {
        let mut other = self.clone();
        match &mut other {
            Self::Input(_) | Self::Constant(_) | Self::Variable(_) => {}
            Self::Filter(_, list)
            | Self::Add(list)
            | Self::Multiply(list)
            | Self::Minimum(list)
            | Self::Maximum(list)
            | Self::Interleave(_, list) => list.iter_mut().for_each(|id| *id = with(*id)),
            Self::Quotient(a, b) | Self::Compare(_, a, b) => {
                (*a, *b) = (with(*a), with(*b));
            }
            Self::Select(a, b, c) => (*a, *b, *c) = (with(*a), with(*b), with(*c)),
            Self::At(_, a)
            | Self::Absolute(a)
            | Self::Root(a)
            | Self::Wrap(_, a)
            | Self::Saturate(_, a)
            | Self::Round(_, a)
            | Self::Float(a)
            | Self::Up(_, a)
            | Self::Border(_, a)
            | Self::Fold(_, _, a) => *a = with(*a),
            Self::Table { index, .. } => *index = with(*index),
            Self::Down { value, .. } => *value = with(*value),
            Self::Histogram { index, weight, .. } => (*index, *weight) = (with(*index), with(*weight)),
            Self::Gather { value, by: [x, y], plane } => {
                (*value, *x, *y) = (with(*value), with(*x), with(*y));
                *plane = plane.map(with);
            }
        }
        other
    }
}

/// The kernels of a filter, one for each operand.
#[derive(Clone, PartialEq, Debug)]
pub enum Stencil {
    /// Sums of products: Σ k(d) · operand(p + d).
    Linear(Vec<Kernel<PlusTimes>>),
    /// Over an idempotent semiring: the least or the greatest of operand(p + d) + w(d).
    Extreme(Choice, Vec<Vec<(Offset, Rational)>>),
}

impl Stencil {
    /// The offsets at which the operand with this number is read.
    pub fn offsets(&self, operand: usize) -> Vec<Offset> {
        match self {
            Self::Linear(kernels) => kernels[operand].nonzero_taps().map(|(offset, _)| offset).collect(),
            Self::Extreme(_, taps) => taps[operand].iter().map(|(offset, _)| *offset).collect(),
        }
    }
}

/// A distance in pixels: an affine function of the variables of folds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Distance {
    /// The constant part.
    pub constant: i32,
    /// The factors of variables; none is zero, each variable occurs once, in order.
    pub factors: Vec<(VariableId, i32)>,
}

impl Distance {
    /// The least and the greatest value for these variables.
    pub fn limits(&self, variables: &[Variable]) -> [i64; 2] {
        let mut limits = [i64::from(self.constant); 2];
        for (id, factor) in &self.factors {
            let variable = &variables[id.0];
            let ends = [variable.first, variable.end - 1].map(|v| i64::from(v) * i64::from(*factor));
            limits = [limits[0] + ends[0].min(ends[1]), limits[1] + ends[0].max(ends[1])];
        }
        limits
    }

    /// The value where variables have these values.
    pub fn value(&self, values: &[i32]) -> i64 {
        let parts = self.factors.iter().map(|(id, factor)| i64::from(values[id.0]) * i64::from(*factor));
        i64::from(self.constant) + parts.sum::<i64>()
    }
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Comparison {
    /// a < b
    Less,
    /// a ≤ b
    AtMost,
    /// a = b
    Equal,
}

impl Comparison {
    /// The operator in C, in what descends from it, and in Rust.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Equal => "==",
        }
    }
}

/// How values with a fraction become integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// The greatest integer not above.
    Floor,
    /// The least integer not below.
    Ceiling,
    /// Toward zero.
    Zero,
    /// The nearest integer; of two, the greater.
    Up,
    /// The nearest integer; of two, the even one.
    Even,
}

impl Rounding {
    /// All, by the name that files use.
    pub const ALL: [(&'static str, Self); 5] = [
        ("floor", Self::Floor),
        ("ceiling", Self::Ceiling),
        ("zero", Self::Zero),
        ("up", Self::Up),
        ("even", Self::Even),
    ];

    /// The rounded quotient; `denominator` is positive. `None` on overflow.
    pub fn apply(self, numerator: i128, denominator: i128) -> Option<i128> {
        let floor = numerator.div_euclid(denominator);
        let rest = numerator.rem_euclid(denominator);
        let up = match self {
            Self::Floor => false,
            Self::Ceiling => rest != 0,
            Self::Zero => rest != 0 && numerator < 0,
            Self::Up => rest >= denominator - rest,
            Self::Even => rest > denominator - rest || (rest == denominator - rest && floor % 2 != 0),
        };
        floor.checked_add(i128::from(up))
    }
}

/// How a fold combines values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    /// The sum.
    Add,
    /// The least.
    Minimum,
    /// The greatest.
    Maximum,
    /// The first value of the variable for which the operand is least.
    ArgumentOfMinimum,
}

impl Fold {
    /// All, by the name that files use.
    pub const ALL: [(&'static str, Self); 4] = [
        ("add", Self::Add),
        ("min", Self::Minimum),
        ("max", Self::Maximum),
        ("argmin", Self::ArgumentOfMinimum),
    ];
}
