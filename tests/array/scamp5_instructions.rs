//! Each row of the SCAMP-5 macro table: its meaning, its cost, and the operands that may share a register.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use kalg::algebra::{Offset, Placed, Rational};
use kalg::backend::array::machine::{Division, Program, State, Target, Value};
use kalg::syntax::Source;

const HERE: Offset = [0, 0, 0];
const EAST: Offset = [1, 0, 0];
const NORTH: Offset = [0, 1, 0];
const WEST: Offset = [-1, 0, 0];
const SOUTH: Offset = [0, -1, 0];

fn scamp5() -> Target {
    Target::builtin("scamp5").unwrap()
}

fn parse(target: &Target, text: &str) -> Program {
    match target.parse(&Source::new("test", text)) {
        Ok(parsed) => parsed.program,
        Err(diagnostics) => panic!("{text}: {diagnostics:?}"),
    }
}

/// Asserts the value that `text` leaves in `register`, as taps (register before, offset, numerator, denominator).
fn assert_leaves(text: &str, register: &str, taps: &[(&str, Offset, i64, i64)]) {
    let target = scamp5();
    let mut state = State::identity(target.registers.len());
    state.apply_all(&parse(&target, text).transfers(&target).unwrap());
    let tap = |(name, offset, above, below): &(&str, Offset, i64, i64)| {
        (target.register(name).unwrap().0 as u16, *offset, Rational::new(*above, *below).unwrap())
    };
    let taps: Vec<_> = taps.iter().map(tap).collect();
    let expected = Value::Known(Placed::from_taps(target.registers.len() as u16, &taps).unwrap());
    let found = state.value(target.register(register).unwrap());
    assert_eq!(*found, expected, "{text} leaves {found} in {register}, expected {expected}");
}

fn assert_cycles(text: &str, cycles: u32) {
    let target = scamp5();
    let program = parse(&target, text);
    assert_eq!(program.cycles(&target), Ok(cycles), "{text}");
    assert_eq!(
        program.expand(&target).unwrap().instructions.len(),
        cycles as usize,
        "{text}: one cycle an operation"
    );
}

/// The rule that `text` breaks; `None` if it is legal.
fn broken(text: &str) -> Option<&'static str> {
    let target = scamp5();
    parse(&target, text).violations(&target).first().map(|(_, violation)| violation.rule())
}

fn assert_legal(text: &str) {
    assert_eq!(broken(text), None, "{text}");
}

fn assert_illegal(text: &str, rule: &str) {
    assert_eq!(broken(text), Some(rule), "{text}");
}

#[test]
fn bus_operations() {
    assert_leaves("bus(A);", "A", &[]);
    assert_leaves(
        "bus(A, B, C, D, E);",
        "A",
        &[("B", HERE, -1, 1), ("C", HERE, -1, 1), ("D", HERE, -1, 1), ("E", HERE, -1, 1)],
    );
    assert_leaves(
        "bus(A, XN, XE, XS, XW);",
        "A",
        &[("NEWS", NORTH, -1, 1), ("NEWS", EAST, -1, 1), ("NEWS", SOUTH, -1, 1), ("NEWS", WEST, -1, 1)],
    );
    for (view, offset) in [("XW", EAST), ("XS", NORTH), ("XE", WEST), ("XN", SOUTH)] {
        assert_leaves(&format!("bus({view}, A);"), "NEWS", &[("A", offset, -1, 1)]);
    }
    for register in ["A", "B"] {
        assert_leaves("bus2(A, B);", register, &[]);
        assert_leaves("bus2(A, B, C, XE);", register, &[("C", HERE, -1, 2), ("NEWS", EAST, -1, 2)]);
        assert_leaves("bus3(A, B, C, D);", register, &[("D", HERE, -1, 3)]);
    }
    assert_leaves("bus2(A, XW, B);", "NEWS", &[("B", EAST, -1, 2)]);
    for text in ["bus(A);", "bus(A, B, C, D, E);", "bus2(A, B);", "bus2(A, B, C, D);", "bus3(A, B, C, D);"] {
        assert_cycles(text, 1);
    }
}

#[test]
fn operand_rules_of_bus_operations() {
    for text in ["bus(A, NEWS, XN, XE, XW);", "bus(XE, A, B);", "bus2(A, NEWS, B);", "bus3(A, B, XS, C);"] {
        assert_legal(text);
    }
    assert_illegal("bus(A, A);", "each-operand-once");
    assert_illegal("bus(A, B, B);", "each-operand-once");
    assert_illegal("bus(A, XE, XE);", "each-operand-once");
    assert_illegal("bus2(A, A, B);", "each-operand-once");
    assert_illegal("bus(NEWS, XE);", "written-not-read");
    assert_illegal("bus(XW, NEWS);", "written-not-read");
    assert_illegal("bus2(A, XN, B, XS);", "written-not-read");
    assert_illegal("bus2(XE, XW, A);", "one-writer");
    assert_illegal("bus2(NEWS, XN, A);", "one-writer");
}

#[test]
fn res() {
    assert_leaves("res(A);", "A", &[]);
    assert_leaves("res(A, B);", "B", &[]);
    assert_cycles("res(A);", 2);
    assert_cycles("res(A, B);", 3);
}

#[test]
fn copies_sums_and_differences() {
    assert_leaves("mov(A, B);", "A", &[("B", HERE, 1, 1)]);
    assert_leaves("add(A, B, C);", "A", &[("B", HERE, 1, 1), ("C", HERE, 1, 1)]);
    assert_leaves("add(A, B, C, D);", "A", &[("B", HERE, 1, 1), ("C", HERE, 1, 1), ("D", HERE, 1, 1)]);
    assert_leaves("sub(A, B, C);", "A", &[("B", HERE, 1, 1), ("C", HERE, -1, 1)]);
    assert_leaves("sub(A, B, B);", "A", &[]);
    assert_leaves("neg(A, B);", "A", &[("B", HERE, -1, 1)]);
    assert_leaves("divq(A, B);", "A", &[("B", HERE, 1, 2)]);
    for text in
        ["mov(A, B);", "add(A, B, C);", "add(A, B, C, D);", "sub(A, B, C);", "neg(A, B);", "divq(A, B);"]
    {
        assert_cycles(text, 2);
        assert_legal(text);
        assert_leaves(text, "B", &[("B", HERE, 1, 1)]);
    }
    for text in ["mov(A, A);", "add(A, A, B);", "add(A, B, A, C);", "sub(A, A, B);", "sub(A, B, B);"] {
        assert_legal(text);
    }
    for text in
        ["add(A, B, B);", "add(A, A, A);", "add(A, B, C, B);", "sub(A, B, A);", "neg(A, A);", "divq(A, A);"]
    {
        assert_illegal(text, "each-operand-once");
    }
}

#[test]
fn error_compensated_halvings() {
    let half = |register: &'static str, above| [(register, HERE, above, 2)];
    for text in ["div(A, B, C);", "div(A, B, D, C);"] {
        assert_leaves(text, "A", &half("C", 1));
        assert_leaves(text, "B", &half("C", -1));
        assert_leaves(text, "C", &[("C", HERE, 1, 1)]);
        assert_cycles(text, 5);
        assert_legal(text);
    }
    assert_leaves("div(A, B, D, C);", "D", &[("C", HERE, 1, 1)]);
    assert_leaves("diva(A, B, C);", "A", &half("A", 1));
    assert_leaves("diva(A, B, C);", "B", &half("A", -1));
    assert_leaves("diva(A, B, C);", "C", &half("A", -1));
    assert_cycles("diva(A, B, C);", 5);
    assert_legal("diva(A, B, C);");
    for text in [
        "div(A, A, B);",
        "div(A, B, B);",
        "div(A, B, A);",
        "diva(A, B, B);",
        "diva(A, A, B);",
        "diva(A, B, A);",
    ] {
        assert_illegal(text, "each-operand-once");
    }
    assert_illegal("div(A, B, C, A);", "each-operand-once");
    // The form of three operands, written out.
    assert_legal("div(A, B, C, C);");
    assert_leaves("div(A, B, C, C);", "C", &[("C", HERE, 1, 1)]);
}

#[test]
fn steps_to_the_neighbours() {
    for (d, offset) in [("east", EAST), ("north", NORTH), ("west", WEST), ("south", SOUTH)] {
        for text in [format!("movx(A, B, {d});"), format!("mov(A, B, {d});")] {
            assert_leaves(&text, "A", &[("B", offset, 1, 1)]);
            assert_cycles(&text, 2);
        }
        assert_leaves(&format!("addx(A, B, C, {d});"), "A", &[("B", offset, 1, 1), ("C", offset, 1, 1)]);
        for text in [format!("subx(A, B, {d}, C);"), format!("sub(A, B, {d}, C);")] {
            assert_leaves(&text, "A", &[("B", offset, 1, 1), ("C", HERE, -1, 1)]);
        }
        for (e, further) in [("east", EAST), ("north", NORTH), ("west", WEST), ("south", SOUTH)] {
            let at = [offset[0] + further[0], offset[1] + further[1], 0];
            assert_leaves(&format!("mov2x(A, B, {d}, {e});"), "A", &[("B", at, 1, 1)]);
            assert_leaves(&format!("add2x(A, B, C, {d}, {e});"), "A", &[("B", at, 1, 1), ("C", at, 1, 1)]);
            assert_leaves(&format!("sub2x(A, B, {d}, {e}, C);"), "A", &[("B", at, 1, 1), ("C", HERE, -1, 1)]);
        }
    }
    let two = [
        "mov2x(A, B, east, east);",
        "addx(A, B, C, west);",
        "add2x(A, B, C, north, west);",
        "subx(A, B, east, C);",
        "sub2x(A, B, east, south, C);",
    ];
    for text in two {
        assert_cycles(text, 2);
        assert_legal(text);
    }
    for text in [
        "movx(A, A, east);",
        "mov2x(A, A, east, south);",
        "addx(A, A, B, east);",
        "add2x(A, B, A, east, west);",
        "subx(A, A, east, B);",
        "sub2x(A, A, east, west, B);",
        "subx(A, B, east, B);",
        "sub(A, B, north, B);",
    ] {
        assert_legal(text);
    }
    for text in [
        "addx(A, B, B, east);",
        "add2x(A, B, B, east, west);",
        "subx(A, B, east, A);",
        "sub2x(A, B, east, west, A);",
        "sub(A, B, north, A);",
    ] {
        assert_illegal(text, "each-operand-once");
    }
}

#[test]
fn blurs() {
    let ring = [("B", NORTH, 1, 1), ("B", EAST, 1, 1), ("B", SOUTH, 1, 1), ("B", WEST, 1, 1)];
    assert_leaves("newsblur(A, B, 1);", "A", &ring);
    assert_leaves(
        "newsblurh(A, B, 2);",
        "A",
        &[("B", [-2, 0, 0], 1, 1), ("B", HERE, 2, 1), ("B", [2, 0, 0], 1, 1)],
    );
    assert_leaves(
        "newsblurv(A, A, 2);",
        "A",
        &[("A", [0, -2, 0], 1, 1), ("A", HERE, 2, 1), ("A", [0, 2, 0], 1, 1)],
    );
    assert_cycles("newsblur(A, B, 3);", 6);
    assert_legal("newsblur(A, A, 3);");
}

/// The value of a register: for each tap, the register read, the offset, numerator and denominator.
type Taps = [(&'static str, Offset, i64, i64)];

/// Each macro with a different register for each operand, as in the vendor's pages: the registers that it writes and their values
/// (a tap for each source, as register, offset, numerator, denominator). All registers not named keep their values, except
/// NEWS, in which every macro leaves another value than before.
#[rustfmt::skip]
const MACROS: &[(&str, &[(&str, &Taps)])] = &[
    ("res(A);", &[("A", &[])]),
    ("res(A, B);", &[("A", &[]), ("B", &[])]),
    ("mov(A, B);", &[("A", &[("B", HERE, 1, 1)])]),
    ("add(A, B, C);", &[("A", &[("B", HERE, 1, 1), ("C", HERE, 1, 1)])]),
    ("add(A, B, C, D);", &[("A", &[("B", HERE, 1, 1), ("C", HERE, 1, 1), ("D", HERE, 1, 1)])]),
    ("sub(A, B, C);", &[("A", &[("B", HERE, 1, 1), ("C", HERE, -1, 1)])]),
    ("neg(A, B);", &[("A", &[("B", HERE, -1, 1)])]),
    ("divq(A, B);", &[("A", &[("B", HERE, 1, 2)])]),
    ("div(A, B, C);", &[("A", &[("C", HERE, 1, 2)]), ("B", &[("C", HERE, -1, 2)])]),
    ("div(A, B, C, D);", &[("A", &[("D", HERE, 1, 2)]), ("B", &[("D", HERE, -1, 2)]), ("C", &[("D", HERE, 1, 1)])]),
    ("diva(A, B, C);", &[("A", &[("A", HERE, 1, 2)]), ("B", &[("A", HERE, -1, 2)]), ("C", &[("A", HERE, -1, 2)])]),
    ("movx(A, B, east);", &[("A", &[("B", EAST, 1, 1)])]),
    ("mov2x(A, B, east, east);", &[("A", &[("B", [2, 0, 0], 1, 1)])]),
    ("addx(A, B, C, north);", &[("A", &[("B", NORTH, 1, 1), ("C", NORTH, 1, 1)])]),
    ("add2x(A, B, C, north, west);", &[("A", &[("B", [-1, 1, 0], 1, 1), ("C", [-1, 1, 0], 1, 1)])]),
    ("subx(A, B, west, C);", &[("A", &[("B", WEST, 1, 1), ("C", HERE, -1, 1)])]),
    ("sub2x(A, B, west, south, C);", &[("A", &[("B", [-1, -1, 0], 1, 1), ("C", HERE, -1, 1)])]),
    ("mov(A, B, south);", &[("A", &[("B", SOUTH, 1, 1)])]),
    ("sub(A, B, south, C);", &[("A", &[("B", SOUTH, 1, 1), ("C", HERE, -1, 1)])]),
    ("newsblur(A, B, 1);", &[("A", &[("B", NORTH, 1, 1), ("B", EAST, 1, 1), ("B", SOUTH, 1, 1), ("B", WEST, 1, 1)])]),
    ("newsblurh(A, B, 1);", &[("A", &[("B", EAST, 1, 1), ("B", WEST, 1, 1)])]),
    ("newsblurv(A, B, 1);", &[("A", &[("B", NORTH, 1, 1), ("B", SOUTH, 1, 1)])]),
];

#[test]
fn what_every_macro_overwrites_and_what_survives() {
    let target = scamp5();
    for (text, results) in MACROS {
        let mut state = State::identity(target.registers.len());
        state.apply_all(&parse(&target, text).transfers(&target).unwrap());
        for (index, register) in target.registers.iter().enumerate() {
            match results.iter().find(|(name, _)| *name == register.name) {
                Some((name, taps)) => assert_leaves(text, name, taps),
                None if register.name == "NEWS" => {
                    let before = Value::Known(Placed::delta(index as u16, target.registers.len() as u16));
                    assert_ne!(
                        *state.value(kalg::backend::array::machine::RegisterId(index)),
                        before,
                        "{text}"
                    );
                }
                None => assert_leaves(text, &register.name, &[(register.name.as_str(), HERE, 1, 1)]),
            }
        }
        assert_legal(text);
    }
    for template in &target.macros {
        let here = MACROS.iter().map(|(text, _)| parse(&target, text).instructions.remove(0));
        let found =
            here.into_iter().any(|i| i.name == template.name && i.operands.len() == template.operands.len());
        assert!(found, "{} of {} operands is in no row", template.name, template.operands.len());
    }
}

#[test]
fn calls_that_take_an_image_say_what_they_overwrite() {
    let target = scamp5();
    let half = Rational::new(-1, 2);
    let table = [("get_image", vec![Some(Rational::ONE)]), ("get_image", vec![Some(Rational::ONE), half])];
    assert_eq!(target.sources.loads.len(), table.len());
    for (load, (name, results)) in target.sources.loads.iter().zip(table) {
        assert_eq!((load.name.as_str(), load.image, &load.results), (name, 0, &results));
        assert_eq!(load.clobbers, [target.register("NEWS").unwrap()]);
    }
}

#[test]
fn every_macro_overwrites_news() {
    for form in scamp5().forms("macro", Division::Quick) {
        assert_eq!(form.clobbers, [1], "{}", form.instruction);
    }
}

#[test]
fn what_the_checker_says_of_an_illegal_instruction() {
    let target = scamp5();
    let program = parse(&target, "neg(A, A);");
    let (index, violation) = &program.violations(&target)[0];
    assert_eq!(*index, 0);
    assert_eq!(
        violation.to_string(),
        "`A` appears twice in `bus(A, NEWS, A)`: a register may appear only once in one operation (in the expansion of `neg(A, A)`)"
    );
}

#[test]
fn instruction_sets() {
    let target = scamp5();
    let admits = |isa: &str, division: &str, text: &str| {
        let division = Division::named(division).unwrap();
        target.admits(isa, division, &parse(&target, text).instructions[0])
    };
    assert!(admits("basic", "quick", "divq(A, B);") && !admits("basic", "compensated", "divq(A, B);"));
    assert!(
        admits("macro", "compensated", "div(A, B, C);") && admits("bus", "compensated", "diva(A, B, C);")
    );
    assert!(admits("bus", "quick", "bus2(A, B, C);") && !admits("bus", "compensated", "bus2(A, B, C);"));
    assert!(!admits("basic", "quick", "add(A, B, C, D);") && admits("macro", "quick", "add(A, B, C, D);"));
    assert!(!admits("macro", "quick", "newsblur(A, B, 1);") && !admits("macro", "quick", "bus(A, B);"));
}
