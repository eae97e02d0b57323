//! The machine's digital instructions do what its vendor's documentation says: their costs, what they forbid, and what a
//! descriptor must get right.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use kalg::backend::array::machine::{Effect, Reading, Target, builtin_names, read_listing, read_target};
use kalg::syntax::Source;

fn target() -> Target {
    Target::builtin(builtin_names()[0]).unwrap()
}

/// The message for a program of one instruction; empty if the machine has it.
fn refusal(text: &str) -> String {
    let target = target();
    match read_listing(&target, &Source::new("t", text), &Reading::default()) {
        Err(diagnostics) => diagnostics.iter().next().unwrap().message.clone(),
        Ok(listing) => {
            let broken = listing.program.violations(&target);
            broken.first().map(|(_, violation)| violation.to_string()).unwrap_or_default()
        }
    }
}

#[test]
fn instructions_cost_what_the_vendor_says() {
    let target = target();
    let costs = [
        ("where(A); where(A, B); where(A, NEWS, XE); all(); ALL(); WHERE(R5, R6, FLAG);", 6),
        ("SET(R1, R2, R3, R4); CLR(R5); MOV(R5, FLAG); NOT(R5, RECT); OR(R5, R6, R7, R8, R9);", 5),
        ("NOR(R5, R6, R7); DNEWS0(R5, R6); DNEWS1(R5, R6); nop(); rpix();", 5),
        ("NOT(R5); OR(R5, R6); NOR(R5, R6);", 6),
        ("AND(R5, R6, R7); NAND(R5, R6, R7);", 8),
        ("ANDX(R5, R6, R7); NANDX(R5, R6, R7);", 6),
        ("IMP(R5, R6, R7); NIMP(R5, R6, R7);", 4),
        ("XORX(R5, R6, R7);", 6),
        ("MUX(R5, R6, R7, R8);", 5),
        ("CLR_IF(R5, R6); REFRESH(R5); PROP0(); PROP1();", 8),
        ("DNEWS(R5, R6, east); DNEWS(R5, R6, alldir, 1); DNEWS(R5, R6, east | north);", 9),
        ("abs(B, A);", 6),
        ("respix(); respix(A); getpix(B, A); getpix(B, C, A);", 13),
        ("nop(); get_image(B); get_image(B, C);", 12),
        ("gauss(B, A, 4); gaussh(B, A, 0); blur(B, A); sq(A, B);", 12),
        ("scamp5_in(A, -128); scamp5_load_in(127);", 0),
    ];
    for (text, cycles) in costs {
        let program = target.parse(&Source::new("t", text)).unwrap().program;
        assert_eq!(program.cycles(&target), Ok(cycles), "{text}");
        assert_eq!(program.violations(&target), [], "{text}");
    }
}

#[test]
fn what_the_machine_forbids_is_refused_with_the_reason() {
    for (text, message) in [
        ("OR(R5, R5, R6);", "`OR(R5, R5, R6)` reads `R5` while it writes `R5`"),
        ("NOT(R5, R5);", "`NOT(R5, R5)` reads `R5` while it writes `R5`"),
        // R12 is written where R0 is 1.
        ("CLR(R5, R12, R0);", "`CLR(R5, R12, R0)` reads `R0` while it writes `R0`"),
        ("DNEWS0(R2, R6);", "`DNEWS0(R2, R6)` reads `R2` while it writes `R2`"),
        (
            "AND(R0, R5, R6);",
            "`NOR(R0, R12, R0)` reads `R0` while it writes `R0` (in the expansion of `AND(R0, R5, R6)`)",
        ),
        (
            "AND(R5, R0, R6);",
            "`AND(R5, R0, R6)` does not leave its stated result in `R5`, because an operand shares its register with another one or with its own steps",
        ),
        (
            "DNEWS(R5, R1, east);",
            "`DNEWS(R5, R1, east)` does not leave its stated result in `R5`, because an operand shares its register with another one or with its own steps",
        ),
        (
            "MUX(R5, R6, R0, R7);",
            "`MUX(R5, R6, R0, R7)` does not leave its stated result in `R5`, because an operand shares its register with another one or with its own steps",
        ),
        (
            "IMP(R12, R5, R6);",
            "`IMP(R12, R5, R6)` does not leave its stated result in `R12`, because an operand shares its register with another one or with its own steps",
        ),
        ("bus(IN, A);", "`bus(IN, A)` writes `IN`, which can only be read"),
        ("mov(PIX, A);", "operand 1 of `mov` must be one of the registers A B C D E F, found `PIX`"),
        (
            "CLR(FLAG);",
            "operand 1 of `CLR` must be one of the digital registers R0 R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12, found `FLAG`",
        ),
        (
            "WHERE(A);",
            "operand 1 of `WHERE` must be one of the digital sources R0 R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 SELECT RECT FLAG, found `A`",
        ),
        ("where(R5);", "operand 1 of `where` must be an analogue register or a neighbour's, found `R5`"),
        ("SET(R1, R2, R3, R4, R5);", "`SET` takes 1 to 4 operands, found 5"),
        (
            "DNEWS(R5, R6, 16);",
            "operand 3 of `DNEWS` must be directions, such as east north west south, found `16`",
        ),
        ("scamp5_in(A, 128);", "operand 2 of `scamp5_in` must be a number from -128 to 127, found `128`"),
    ] {
        assert_eq!(refusal(text), message, "{text}");
    }
    // Results may be operands where the expansion allows it, and what is set from outside is a source of macros.
    for text in [
        "AND(R5, R5, R6); MUX(R5, R5, R6, R5); CLR_IF(R5, R6); OR(R5, R6);",
        "add(A, A, IN); movx(B, PIX, east);",
        // A bit with a gate takes the result where the gate is 1.
        "SET(R0); MOV(R5, R12); DNEWS(R12, R6, east); DNEWS(R12, R6, north|west, 1);",
    ] {
        assert_eq!(refusal(text), "", "{text}");
    }
}

#[test]
fn names_and_numbers_stand_for_the_same_operands() {
    let target = target();
    let text = "DNEWS(S0, RP, north + west, 1); DNEWS(R5, R12, 6, 1); DNEWS(R5, R6, alldir); movx(A, B, 8);";
    let program = target.parse(&Source::new("t", text)).unwrap().program;
    let lines: Vec<String> = program.instructions.iter().map(|i| target.instruction_text(i)).collect();
    let same = "DNEWS(R5, R12, north|west, 1)";
    assert_eq!(lines, [same, same, "DNEWS(R5, R6, alldir)", "movx(A, B, south)"]);
    let printed = target.print(&program);
    assert_eq!(target.parse(&Source::new("t", &printed)).unwrap().program, program);
}

/// A machine with two one-bit registers, one of which is gated by the other.
const FLAGGED: &str = r#"
(target flagged
  (doc "a machine for tests")
  (image 8 8)
  (range -100 100)
  (cycle (microseconds 1) (microjoules 1))
  (brackets start stop)
  (direction right 1 0)
  (registers work P Q)
  (bits (X ex) Y Z)
  (flag ON)
  (gated Y X)
  (given LIGHT image)
  (operand-rules)
  (operation minus (destinations 1) (sources 2 2) (weights 1 -1) (cycles 3))
  (instruction where_ ((source a work)) (set 1 (ON (positive a))))
  (instruction both ((result d bits) (source x bits)) (set 2 (d (and x (at x right 1)))))
  (instruction swap ((result d bits) (result e bits)) (update 4 (d e) (e d)))
  (instruction keep ((result d bits) (source x bits)) (do both d x) (means (d (and x (at x right 0))))))
"#;

/// The first diagnostic where `from` is replaced by `to`.
fn wrong(from: &str, to: &str) -> String {
    assert!(FLAGGED.contains(from), "{from}");
    let source = Source::new("flagged.sexp", FLAGGED.replacen(from, to, 1));
    let Err(diagnostics) = read_target(&source) else { return String::new() };
    let first = diagnostics.iter().next().unwrap();
    let at = source.position(first.place().start as usize);
    format!("{}:{} {}: {}", at.line, at.column, first.id, first.message)
}

#[test]
fn another_machine_with_flags_is_another_file() {
    let target = read_target(&Source::new("flagged.sexp", FLAGGED)).unwrap();
    let program =
        target.parse(&Source::new("t", "start(); where_(P); keep(Z, ex); swap(X, Y); stop();")).unwrap();
    assert_eq!(program.program.cycles(&target), Ok(7));
    let effects = target.effects(&program.program.instructions[2]).unwrap();
    assert!(matches!(&effects[..], [Effect::Bits { sets, flood: false }] if sets.len() == 2));
}

#[test]
fn mistakes_in_a_descriptor_are_reported_at_their_place() {
    let mut differing = Vec::new();
    for (from, to, message) in [
        ("(flag ON)", "(flag ON) (flag OFF)", "11:13 repeated-name: the clause `flag` is declared twice"),
        ("(gated Y X)", "(gated Y W)", "12:12 unknown-register: unknown bit `W`"),
        ("(given LIGHT image)", "(given LIGHT sound)", "13:16 unknown-kind: unknown kind `sound`"),
        ("(positive a)", "(positive X)", "16:62 unexpected: expected an analogue register, found `X`"),
        ("(at x right 1)", "(at x up 1)", "17:78 unknown-direction: unknown direction `up`"),
        ("(at x right 1)", "(at x right 2)", ""),
        (
            "(means (d (and",
            "(means (d (or",
            "19:3 bad-meaning: the steps do not leave in `d` what `keep` states",
        ),
        ("(do both d x)", "(do both x d)", ""),
        (
            "(do both d x)",
            "(do bath d x)",
            "19:59 unknown-instruction: unknown instruction, above this one, `bath`",
        ),
        ("(update 4", "(set 4", "18:3 bad-expansion: `swap(Z, X)` reads `X` while it writes `X`"),
        (
            "(instruction swap ",
            "(instruction both ",
            "18:16 repeated-name: an instruction `both` of as many operands is already declared",
        ),
    ] {
        let found = wrong(from, to);
        if message.is_empty() {
            assert!(!found.is_empty(), "{to}");
        } else if found != message {
            differing.push(format!("{to}: {found}"));
        }
    }
    assert_eq!(differing, Vec::<String>::new());
}
