//! The descriptor of a machine and its reader. rules/ops/target.sexp explains the clauses.

use super::BUILTIN;
use crate::backend::builtin::find;
use crate::syntax::{Diagnostics, Expect, Form, Sexp, Source};

/// A machine that traverses images in scan order. Costs are in thousandths of the descriptor's unit, per output pixel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScanMachine {
    /// The name.
    pub name: String,
    /// The description.
    pub doc: String,
    /// The cost of an addition, subtraction, maximum, minimum or disjunction.
    pub addition: u64,
    /// The cost of a multiplication or division by a constant that is not a power of two.
    pub multiplication: u64,
    /// The cost of a multiplication or division by a power of two.
    pub shift: u64,
    /// The cost of a value from a delay line, or of a pixel.
    pub load: u64,
    /// The cost of 1024 bytes of delay lines.
    pub kibibyte: u64,
    /// The row length for which delay lines are counted.
    pub width: usize,
    /// Whether all input pixels can be read at any time. Their delay lines then cost no memory.
    pub resident: bool,
    /// The costs of a processor that computes whole rows, several values at a time. `None` if values are computed one by one.
    pub rows: Option<RowCosts>,
}

/// The costs of computing a row of each step before one of the next. The other costs are then those of values of 8 bits; wider
/// values cost in proportion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowCosts {
    /// The cost of a loop over a row, for each of its pixels.
    pub pass: u64,
    /// The cost of a value that needs the one before it, so that values are computed one by one.
    pub scalar: u64,
    /// Whether loops over images compute two rows at a time, which share what they read. Those of pipelines do not.
    pub in_pairs: bool,
}

const CLAUSES: [&str; 9] =
    ["doc", "addition", "multiplication", "shift", "load", "kibibyte", "width", "input", "rows"];
/// The greatest cost of any operation, and the longest row.
const MOST: i64 = 1 << 20;

impl ScanMachine {
    /// The names of the built-in machines.
    pub fn builtin_names() -> Vec<&'static str> {
        BUILTIN.iter().map(|(name, ..)| *name).collect()
    }

    /// Returns the built-in machine of this name.
    ///
    /// # Panics
    /// If a built-in descriptor is not valid. A test excludes this.
    pub fn builtin(name: &str) -> Option<Self> {
        find(&BUILTIN, name, read_machine)
    }
}

/// Reads a machine descriptor, `(stream-machine NAME CLAUSE…)`.
///
/// # Errors
/// Everything that is wrong with it, in file order.
pub fn read_machine(source: &Source) -> Result<ScanMachine, Diagnostics> {
    Expect::file(source, machine)
}

fn machine(expect: &mut Expect, sexps: &[Sexp]) -> Option<ScanMachine> {
    let (name, form, clauses) = expect.descriptor("machine", "stream-machine", sexps)?;
    let clauses = expect.clauses(clauses, &CLAUSES, &[]);
    let argument = |head: &str, expect: &mut Expect| -> Option<Sexp> {
        let Some(clause) = clauses.iter().find(|f| f.head == head) else {
            return expect.missing_clause("machine", &form, head);
        };
        expect.arity(clause, 1..=1, &format!("({head} VALUE)"))?;
        Some(clause.arguments[0].clone())
    };
    let doc = argument("doc", expect).and_then(|sexp| Some(expect.text("a text", &sexp)?.to_owned()));
    let mut costs = [Some(0); 5];
    for (cost, head) in costs.iter_mut().zip(&CLAUSES[1..6]) {
        *cost = argument(head, expect).and_then(|sexp| expect.thousandths("a cost", &sexp, MOST as u64));
    }
    let width = argument("width", expect).and_then(|s| expect.integer("a number of pixels", &s, 1..=MOST));
    let resident = argument("input", expect).and_then(|sexp| {
        let found = (expect.atom("a kind of input", &sexp)?, sexp.span);
        expect.one_of("unknown-input", "kind of input", found, &[("streamed", false), ("resident", true)])
    });
    let [addition, multiplication, shift, load, kibibyte] = costs;
    let rows = match clauses.iter().find(|form| form.head == "rows") {
        Some(form) => Some(row_costs(expect, form)?),
        None => None,
    };
    Some(ScanMachine {
        name: name.to_owned(),
        doc: doc?,
        addition: addition?,
        multiplication: multiplication?,
        shift: shift?,
        load: load?,
        kibibyte: kibibyte?,
        width: width? as usize,
        resident: resident?,
        rows,
    })
}

/// Reads `(rows (pass N) (scalar N))`.
fn row_costs(expect: &mut Expect, form: &Form<'_>) -> Option<RowCosts> {
    expect.arity(form, 2..=2, "(rows (pass N) (scalar N))")?;
    let mut costs = [0; 2];
    for ((cost, name), clause) in costs.iter_mut().zip(["pass", "scalar"]).zip(form.arguments) {
        let clause = expect.form_named(name, clause)?;
        expect.arity(&clause, 1..=1, &format!("({name} N)"))?;
        *cost = expect.thousandths("a cost", &clause.arguments[0], MOST as u64)?;
    }
    Some(RowCosts { pass: costs[0], scalar: costs[1], in_pairs: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_machines_are_valid_and_named_as_listed() {
        for name in ScanMachine::builtin_names() {
            assert_eq!(ScanMachine::builtin(name).unwrap().name, name);
        }
        assert_eq!(ScanMachine::builtin("no such machine"), None);
    }

    #[test]
    fn all_mistakes_of_a_descriptor_are_reported() {
        let text = "(stream-machine m (doc \"d\") (addition -1) (shfit 1) (multiplication 3) (load 1)\n\
                    (kibibyte 0) (kibibyte 1) (width 0) (input stremed) (rows (pass 1) (sclar 1)))";
        let wrong = read_machine(&Source::new("m.sexp", text)).unwrap_err();
        let ids: Vec<&str> = wrong.iter().map(|diagnostic| diagnostic.id).collect();
        for id in ["out-of-range", "unknown-form", "missing-clause", "repeated-clause", "unknown-input"] {
            assert!(ids.contains(&id), "{id} in {ids:?}");
        }
        assert!(read_machine(&Source::new("m.sexp", "")).is_err());
    }
}
