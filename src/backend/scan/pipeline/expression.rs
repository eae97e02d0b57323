//! What a loop over the columns of a row computes: operations on integers, each in the narrowest type that its
//! interval proves, and in single precision.

use crate::backend::scan::machine::Storage;
use crate::pipeline::{Comparison, NodeId, Rounding, VariableId};

use super::coordinate::Coordinate;

/// The index of an operation in its loop.
pub(super) type Id = usize;

/// An operation on earlier ones, which have its type unless it says otherwise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    Number(i128),
    /// The bits of a number of double precision, in single or double precision.
    Real(u64),
    Load(Load),
    Variable(VariableId),
    /// A value of another type.
    Cast(Id),
    Sum(Vec<Id>),
    Product(Vec<Id>),
    Negation(Id),
    Absolute(Id),
    Minimum(Id, Id),
    Maximum(Id, Id),
    /// The quotient, rounded down.
    Quotient(Id, Id),
    /// The quotient: of integers rounded toward zero.
    Divided(Id, Id),
    /// The quotient, rounded to the nearest integer, ties to even. The divisor is positive.
    Even(Id, Id),
    Right(Id, u32),
    And(Id, i128),
    /// 1 or 0; the operands have one type.
    Compared(Comparison, Id, Id),
    /// The second where the first is not 0. The first has any type.
    Select(Id, Id, Id),
    /// The entry of a table at an index of any type, counted from `first`.
    Table {
        table: usize,
        first: i64,
        index: Id,
    },
    /// The square root: of integers rounded down, in 32 or 64 bits.
    Root(Id),
    /// In single precision, rounded to an integer.
    Rounded(Rounding, Id),
    /// A value of single precision as the nearest integer, ties to even, within limits.
    Saturated(Id, [i128; 2]),
}

/// A value in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Load {
    /// The row that is read.
    pub(super) read: usize,
    /// The place in it, as the constant of its column.
    pub(super) plus: i64,
    /// A computed plane.
    pub(super) plane: Option<Id>,
    /// A computed distance to the east and to the north.
    pub(super) by: Option<[Id; 2]>,
}

/// An operation with its type and the interval of its values.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub(super) operator: Operator,
    pub(super) of: Storage,
    pub(super) range: [i128; 2],
}

/// Where values come from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum From {
    /// A value that is kept.
    Value(NodeId),
    /// A picture, where the pixel that is computed is in it.
    Picture(usize),
    /// Numbers that repeat along columns and rows: the index of a pattern.
    Pattern(usize),
}

/// How much of a value is read for a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Extent {
    /// A row of the plane at this distance from the one computed.
    Row(i32),
    /// A row of all planes.
    Planes,
    /// All rows in memory.
    Rows,
}

/// Rows that a loop reads.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Read {
    pub(super) from: From,
    pub(super) extent: Extent,
    pub(super) row: Coordinate,
    /// The column, but for its constant, which every load has for itself.
    pub(super) column: Coordinate,
}

impl Read {
    /// Whether neighbouring pixels read neighbouring pixels of one row.
    pub(super) fn is_dense(&self) -> bool {
        matches!((self.from, self.extent), (From::Value(_) | From::Picture(_), Extent::Row(_)))
            && self.column.times == 1
            && self.column.down == 1
    }
}

/// The operations of a loop, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Expressions {
    pub(super) nodes: Vec<Typed>,
    pub(super) reads: Vec<Read>,
}

impl Expressions {
    /// The constants of the columns that are read of a row: the least and the greatest.
    pub(super) fn columns(&self, read: usize) -> [i64; 2] {
        let own = self.nodes.iter().filter_map(|node| match &node.operator {
            Operator::Load(load) if load.read == read => Some(load.plus),
            _ => None,
        });
        own.fold([i64::MAX, i64::MIN], |[low, high], plus| [low.min(plus), high.max(plus)])
    }

    /// The variables that the operations themselves use.
    pub(super) fn variables(&self) -> Vec<VariableId> {
        let mut found: Vec<VariableId> = self
            .nodes
            .iter()
            .filter_map(|node| match node.operator {
                Operator::Variable(id) => Some(id),
                _ => None,
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Which operations have names in programs: those that are used more than once, by others or as a result. In choices, what is
    /// read has one, too: compilers do not vectorise what is read under a condition.
    pub(super) fn locals(&self, results: &[Id], tables: Tables) -> Vec<bool> {
        let uses = self.uses(results, tables);
        let chooses = self.nodes.iter().any(|node| matches!(node.operator, Operator::Select(..)));
        let is_local = |(node, uses): (&Typed, u32)| match node.operator {
            Operator::Number(_) | Operator::Real(_) | Operator::Variable(_) => false,
            Operator::Table { .. } if tables == Tables::Read => false,
            Operator::Load(_) => uses > 1 || (uses > 0 && chooses),
            _ => uses > 1,
        };
        self.nodes.iter().zip(uses).map(is_local).collect()
    }

    /// How often each operation is used for results by the loop that computes them.
    pub(super) fn uses(&self, results: &[Id], tables: Tables) -> Vec<u32> {
        let mut uses = vec![0; self.nodes.len()];
        results.iter().for_each(|id| uses[*id] += 1);
        for (id, node) in self.nodes.iter().enumerate().rev() {
            let ends = tables != Tables::Here && matches!(node.operator, Operator::Table { .. });
            if uses[id] > 0 && !ends {
                node.operator.operands().into_iter().for_each(|operand| uses[operand] += 1);
            }
        }
        uses
    }
}

/// Where a loop reads tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tables {
    /// Where it needs them.
    Here,
    /// Here, at indices that a loop before it computed.
    Indexed,
    /// Loops before it read them.
    Read,
}

impl Operator {
    pub(super) fn operands(&self) -> Vec<Id> {
        match self {
            Self::Number(_) | Self::Real(_) | Self::Variable(_) => Vec::new(),
            Self::Load(load) => load.plane.into_iter().chain(load.by.into_iter().flatten()).collect(),
            Self::Sum(list) | Self::Product(list) => list.clone(),
            Self::Cast(a)
            | Self::Negation(a)
            | Self::Absolute(a)
            | Self::Right(a, _)
            | Self::And(a, _)
            | Self::Rounded(_, a)
            | Self::Saturated(a, _)
            | Self::Root(a) => vec![*a],
            Self::Minimum(a, b)
            | Self::Maximum(a, b)
            | Self::Quotient(a, b)
            | Self::Divided(a, b)
            | Self::Even(a, b)
            | Self::Compared(_, a, b) => {
                vec![*a, *b]
            }
            Self::Select(a, b, c) => vec![*a, *b, *c],
            Self::Table { index, .. } => vec![*index],
        }
    }
}

/// What is computed for each column.
pub(super) struct Body {
    pub(super) code: Expressions,
    pub(super) results: Vec<Id>,
    /// The first column.
    pub(super) first: i64,
}
