//! The descriptor of programmable hardware and its reader. rules/fpga/target.sexp explains the clauses.

use crate::backend::builtin::{HARDWARE, find};
use crate::pipeline::Range;
use crate::syntax::{Diagnostic, Diagnostics, Expect, Form, Sexp, Source};

/// Programmable hardware.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HardwareMachine {
    /// The name.
    pub name: String,
    /// The description.
    pub doc: String,
    /// The shapes of a block RAM: words, and bits of a word.
    pub shapes: Vec<[u64; 2]>,
    /// The clocks from which on a delay is memory.
    pub memory_from: u64,
    /// The widths of the signed operands of a multiplier, the greater first.
    pub multiplier: [u32; 2],
    /// The clocks of a product.
    pub multiplier_clocks: u32,
    /// The price of a multiplier, in thousandths.
    pub multiplier_price: u64,
    /// The greatest number of adders between two registers.
    pub levels: u32,
    /// The price of a bit of an adder, in thousandths.
    pub adder_bit: u64,
    /// The price of a bit that is kept, in thousandths.
    pub buffer_bit: u64,
}

const CLAUSES: [&str; 9] = [
    "doc",
    "block-ram",
    "memory-from",
    "multiplier",
    "multiplier-clocks",
    "multiplier-price",
    "levels",
    "adder-bit",
    "buffer-bit",
];

/// The greatest price.
const MAX_PRICE: u64 = 1_000_000;

impl HardwareMachine {
    /// The names of the built-in machines.
    pub fn builtin_names() -> Vec<&'static str> {
        HARDWARE.iter().map(|(name, ..)| *name).collect()
    }

    /// The inputs of a look-up table.
    pub const TABLE_INPUTS: u32 = 6;

    /// The look-up tables for each bit of a table with this many entries.
    pub fn tables(entries: usize) -> u64 {
        (entries as u64).div_ceil(1 << Self::TABLE_INPUTS)
    }

    /// Returns the built-in machine of this name.
    ///
    /// # Panics
    /// If a built-in descriptor is not valid. A test excludes this.
    pub fn builtin(name: &str) -> Option<Self> {
        find(&HARDWARE, name, read_machine)
    }

    /// The hard multipliers that a product of these factors takes: a number without a sign needs a bit more.
    pub fn hard_multipliers(&self, factors: [Range; 2]) -> u64 {
        let [a, b] = factors.map(|range| range.bits() + u32::from(!range.is_signed()));
        u64::from(a.max(b).div_ceil(self.multiplier[0]) * a.min(b).div_ceil(self.multiplier[1]))
    }

    /// The fewest block RAMs, all of one shape, that hold `words` words of `bits` bits.
    pub fn block_rams(&self, words: u64, bits: u64) -> u64 {
        let counts = self.shapes.iter().map(|[deep, wide]| words.div_ceil(*deep) * bits.div_ceil(*wide));
        counts.min().unwrap_or(0)
    }
}

/// Reads a machine descriptor, `(stream-hardware NAME CLAUSE…)`.
///
/// # Errors
/// Everything that is wrong with it, in file order.
pub fn read_machine(source: &Source) -> Result<HardwareMachine, Diagnostics> {
    Expect::file(source, machine)
}

fn machine(expect: &mut Expect, sexps: &[Sexp]) -> Option<HardwareMachine> {
    let (name, form, clauses) = expect.descriptor("machine", "stream-hardware", sexps)?;
    let clauses = expect.clauses(clauses, &CLAUSES, &[]);
    let mut found = CLAUSES.map(|head| clauses.iter().find(|clause| clause.head == head));
    for (head, clause) in CLAUSES.iter().zip(&mut found) {
        if clause.is_none() {
            expect.missing_clause::<()>("machine", &form, head);
        }
    }
    let [doc, ram, memory, multiplier, clocks, multiplier_price, levels, adder, buffer] = found;
    let doc = doc.and_then(|form| {
        expect.arity(form, 1..=1, "(doc TEXT)")?;
        Some(expect.text("a text", &form.arguments[0])?.to_owned())
    });
    let shapes = ram.and_then(|form| shapes(expect, form));
    let memory_from = memory.and_then(|form| numbers::<1>(expect, form, 4));
    let multiplier = multiplier.and_then(|form| numbers::<2>(expect, form, 2));
    let clocks = clocks.and_then(|form| numbers::<1>(expect, form, 0));
    let multiplier_price = multiplier_price.and_then(|form| price(expect, form));
    let levels = levels.and_then(|form| numbers::<1>(expect, form, 1));
    let adder_bit = adder.and_then(|form| price(expect, form));
    let buffer_bit = buffer.and_then(|form| price(expect, form));
    let [a, b] = multiplier?.map(|bits| bits as u32);
    Some(HardwareMachine {
        name: name.to_owned(),
        doc: doc?,
        shapes: shapes?,
        memory_from: memory_from?[0],
        multiplier: [a.max(b), a.min(b)],
        multiplier_clocks: clocks?[0] as u32,
        multiplier_price: multiplier_price?,
        levels: levels?[0] as u32,
        adder_bit: adder_bit?,
        buffer_bit: buffer_bit?,
    })
}

/// Reads `(block-ram BITS (WORDS BITS)…)`; no shape has more bits than the RAM.
fn shapes(expect: &mut Expect, form: &Form<'_>) -> Option<Vec<[u64; 2]>> {
    expect.arity(form, 2..=usize::MAX, "(block-ram BITS (WORDS BITS)…)")?;
    let bits = expect.integer("a number of bits", &form.arguments[0], 1..=1 << 30)? as u64;
    let mut shapes = Vec::new();
    for shape in &form.arguments[1..] {
        let list = expect.list("a shape", shape)?;
        let [words, wide] = list else { return expect.mismatch("(WORDS BITS)", shape) };
        let words = expect.integer("a number of words", words, 1..=1 << 30)? as u64;
        let wide = expect.integer("a number of bits", wide, 1..=1 << 16)? as u64;
        if words * wide > bits {
            let message = format!("{words} words of {wide} bits are more than {bits} bits");
            return expect.report(Diagnostic::error("out-of-range", message).label(shape.span, "this shape"));
        }
        shapes.push([words, wide]);
    }
    Some(shapes)
}

/// Reads `N` numbers, each at least `least`.
fn numbers<const N: usize>(expect: &mut Expect, form: &Form<'_>, least: i64) -> Option<[u64; N]> {
    expect.arity(form, N..=N, &format!("({}{})", form.head, " N".repeat(N)))?;
    let mut all = [0; N];
    for (number, argument) in all.iter_mut().zip(form.arguments) {
        *number = expect.integer("a number", argument, least..=1 << 16)? as u64;
    }
    Some(all)
}

/// Reads a price, in thousandths.
fn price(expect: &mut Expect, form: &Form<'_>) -> Option<u64> {
    expect.arity(form, 1..=1, &format!("({} PRICE)", form.head))?;
    expect.thousandths("a price", &form.arguments[0], MAX_PRICE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_machine_is_valid_and_named_as_listed() {
        for name in HardwareMachine::builtin_names() {
            assert_eq!(HardwareMachine::builtin(name).unwrap().name, name);
        }
        assert_eq!(HardwareMachine::builtin("no such machine"), None);
    }

    #[test]
    fn block_rams_are_counted_by_shape() {
        let machine = HardwareMachine::builtin(HARDWARE[0].0).unwrap();
        for (words, bits, count) in [(1919, 8, 1), (1919, 11, 2), (960, 16, 1), (100, 40, 2), (2049, 9, 2)] {
            assert_eq!(machine.block_rams(words, bits), count, "{words} words of {bits} bits");
        }
    }

    #[test]
    fn all_mistakes_of_a_descriptor_are_reported() {
        let text = "(stream-hardware m (doc \"d\") (block-ram 10 (4 4)) (memory-from 1) (lvels 2) (levels 0)\n\
                    (adder-bit -1) (adder-bit 1))";
        let wrong = read_machine(&Source::new("m.sexp", text)).unwrap_err();
        let ids: Vec<&str> = wrong.iter().map(|diagnostic| diagnostic.id).collect();
        for id in ["out-of-range", "unknown-form", "missing-clause", "repeated-clause"] {
            assert!(ids.contains(&id), "{id} in {ids:?}");
        }
        assert!(read_machine(&Source::new("m.sexp", "")).is_err());
    }
}
