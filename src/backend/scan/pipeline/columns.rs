//! What a loop over the columns of a row computes, as C and Rust write it alike.

use std::collections::BTreeSet;

use crate::backend::scan::machine::{Storage, added};

use super::expression::{Body, Expressions, From, Id, Load, Operator, Tables, Typed};
use super::loops::Loops;

/// What C and Rust write each in their own way.
pub(super) trait Language {
    /// The index of a column in the arrays of a block.
    const IN_BLOCK: &'static str;
    /// What stands after an integer that is an index, to which numbers are added.
    const AS_INDEX: &'static str;

    /// A whole constant.
    fn number(&self, value: i128, of: Storage) -> String;
    /// The declaration of an operation's value.
    fn local(&self, id: Id, of: Storage, value: &str) -> String;
    /// An operation on operands: everything but whole constants, variables and loads.
    fn operation(&self, code: &Expressions, id: Id, operands: &[String]) -> String;
    /// The quotient of integers from 0 to `most`, rounded down: in floating point where that is exact, since processors divide several
    /// of these at a time.
    fn quotient(&self, operands: &[String], most: i128, of: Storage) -> String;
    /// What is read at this distance from the first column, where neighbouring pixels read neighbouring pixels.
    fn dense(&self, read: usize, column: i64, tables: Tables) -> String;
    /// What is read at a place in a row: of a computed plane, or at a computed distance to the east and to the north.
    fn indexed(&self, read: usize, place: &str, plane: Option<String>, by: Option<[String; 2]>) -> String;
}

/// The operations of a body.
pub(super) struct Columns<'b, L> {
    pub(super) language: &'b L,
    pub(super) loops: &'b Loops<'b>,
    pub(super) body: &'b Body,
    /// Of each operation, whether it has a name.
    is_local: Vec<bool>,
    /// Where tables are read. Loops around them are over blocks of columns.
    pub(super) tables: Tables,
}

impl<'b, L: Language> Columns<'b, L> {
    pub(super) fn of(
        language: &'b L,
        loops: &'b Loops<'b>,
        body: &'b Body,
        results: &[Id],
        tables: Tables,
    ) -> Self {
        Self { language, loops, body, is_local: body.code.locals(results, tables), tables }
    }

    /// The operations with names.
    pub(super) fn locals(&self) -> String {
        let nodes = self.body.code.nodes.iter().enumerate().filter(|(id, _)| self.is_local[*id]);
        nodes.map(|(id, node)| self.language.local(id, node.of, &self.operation(id))).collect()
    }

    pub(super) fn text(&self, id: Id) -> String {
        if self.is_local[id] { format!("t{id}") } else { self.operation(id) }
    }

    fn operation(&self, id: Id) -> String {
        let node = &self.body.code.nodes[id];
        let operands = || node.operator.operands().iter().map(|id| self.text(*id)).collect::<Vec<_>>();
        match &node.operator {
            Operator::Number(value) => self.language.number(*value, node.of),
            Operator::Variable(id) => format!("d{}", id.0),
            Operator::Load(load) => self.load(load),
            Operator::Table { .. } if self.tables == Tables::Read => format!("v{id}[{}]", L::IN_BLOCK),
            Operator::Table { .. } => {
                let is_indexed = self.tables == Tables::Indexed;
                let index = if is_indexed { format!("i{id}[{}]", L::IN_BLOCK) } else { self.index(id) };
                self.language.operation(&self.body.code, id, &[index])
            }
            Operator::Quotient(a, b) if [a, b].iter().all(|id| self.body.code.range(**id)[0] >= 0) => {
                self.language.quotient(&operands(), self.most(*a, *b), node.of)
            }
            _ => self.language.operation(&self.body.code, id, &operands()),
        }
    }

    /// The place in a table of what an operation reads there.
    pub(super) fn index(&self, id: Id) -> String {
        let (_, first, index) = self.body.code.lookup(id);
        added(&format!("{}{}", self.text(index), L::AS_INDEX), -first)
    }

    /// The greatest of a dividend and a divisor. It does not matter where the divisor is a number: compilers multiply then, but only
    /// up to 32 bits several values at a time.
    fn most(&self, a: Id, b: Id) -> i128 {
        let code = &self.body.code;
        let is_multiplied =
            matches!(code.nodes[b].operator, Operator::Number(_)) && code.nodes[b].of.bits < 64;
        if is_multiplied { i128::MAX } else { code.range(a)[1].max(code.range(b)[1]) }
    }

    fn load(&self, load: &Load) -> String {
        let read = &self.body.code.reads[load.read];
        let (a, column) = (load.read, &read.column);
        let first = column.times * self.body.first;
        let times = if column.times == 1 { "x".to_owned() } else { format!("{} * x", column.times) };
        if let From::Pattern(pattern) = read.from {
            let columns = self.loops.pattern(pattern)[0] as i64;
            let phase = (first + load.plus).rem_euclid(columns);
            return format!("a{a}[({}) % {columns}]", added(&times, phase));
        }
        if read.is_dense() {
            return self.language.dense(a, self.place(load), self.tables);
        }
        let place = if column.down == 1 {
            added(&times, self.place(load))
        } else {
            let phase = (first + column.plus).rem_euclid(column.down);
            format!("({}) / {}", added(&times, phase), column.down)
        };
        let text = |id: Id| self.text(id);
        self.language.indexed(a, &place, load.plane.map(text), load.by.map(|by| by.map(text)))
    }

    /// The place of a load in its row.
    fn place(&self, load: &Load) -> i64 {
        load.plus - self.body.code.columns(load.read)[0]
    }

    /// Each read whose pixels are neighbours, with each place in its row.
    pub(super) fn places(&self) -> BTreeSet<(usize, i64)> {
        let place = |node: &Typed| match &node.operator {
            Operator::Load(load) if self.body.code.reads[load.read].is_dense() => {
                Some((load.read, self.place(load)))
            }
            _ => None,
        };
        self.body.code.nodes.iter().filter_map(place).collect()
    }
}
