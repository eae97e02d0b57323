//! Loops around tables. Compilers vectorise no loop that reads a table, and arithmetic takes many times as long when it is not vectorised:
//! indices are computed in one loop, tables are read in the next, and what is made of that is computed in a third.

use crate::backend::scan::machine::Storage;

use super::expression::{Expressions, Id, Operator, Tables};

/// The columns that loops around tables compute at a time. What they keep of these is in the first cache.
pub(super) const BLOCK: usize = 128;

impl Expressions {
    /// The tables that are read for results, in the order in which loops of their own read them: those of a level together, after
    /// those that their indices need. None, if the loop computes nothing else.
    pub(super) fn lookups(&self, results: &[Id]) -> Vec<Vec<Id>> {
        let uses = self.uses(results, Tables::Here);
        let mut levels = vec![0; self.nodes.len()];
        let mut lookups: Vec<Vec<Id>> = Vec::new();
        for (id, node) in self.nodes.iter().enumerate().filter(|(id, _)| uses[*id] > 0) {
            levels[id] =
                node.operator.operands().into_iter().map(|operand| levels[operand]).max().unwrap_or(0);
            if matches!(node.operator, Operator::Table { .. }) {
                lookups.resize(lookups.len().max(levels[id] + 1), Vec::new());
                lookups[levels[id]].push(id);
                levels[id] += 1;
            }
        }
        if self.computes(results, Tables::Here) { lookups } else { Vec::new() }
    }

    /// How the last of the loops around tables reads them: it needs no loop before it if it stores what it reads.
    pub(super) fn last_tables(&self, results: &[Id], lookups: &[Vec<Id>]) -> Tables {
        match lookups.len() {
            0 => Tables::Here,
            1 if !self.computes(results, Tables::Read) => Tables::Indexed,
            _ => Tables::Read,
        }
    }

    /// Whether a loop does more for results than to read and to convert.
    fn computes(&self, results: &[Id], tables: Tables) -> bool {
        let reads = |operator: &Operator| {
            use Operator::{Cast, Load, Number, Table, Variable};
            matches!(operator, Number(_) | Load(_) | Variable(_) | Cast(_) | Table { .. })
        };
        let uses = self.uses(results, tables);
        self.nodes.iter().zip(uses).any(|(node, uses)| uses > 0 && !reads(&node.operator))
    }

    /// A table, its first index, and the operation that is its index.
    ///
    /// # Panics
    /// For an operation that is no table.
    pub(super) fn lookup(&self, id: Id) -> (usize, i64, Id) {
        let Operator::Table { table, first, index } = self.nodes[id].operator else {
            unreachable!("only tables are looked up in");
        };
        (table, first, index)
    }

    /// The integers that hold the places in a table that are read.
    pub(super) fn place_in_table(&self, id: Id) -> Storage {
        let (_, first, index) = self.lookup(id);
        let [least, greatest] = self.nodes[index].range.map(|end| end - i128::from(first));
        Storage::holding(least.min(0), greatest).expect("a table is shorter than the greatest integer")
    }
}
