//! Target descriptors: a machine quite unlike the built-in one, and the message for each kind of error.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use kalg::algebra::{Placed, Rational};
use kalg::backend::array::compile::{
    CheckRequest, ExecuteRequest, OptimizeRequest, check_guarded, check_program, execute, lift, optimize,
};
use kalg::backend::array::machine::{
    Cell, Division, Reading, RegisterId, State, Target, Value, read_listing, read_target,
};
use kalg::backend::array::simulate::Fit;
use kalg::backend::array::verify::{Claim, Options, check};
use kalg::budget::Budget;
use kalg::picture::Image;
use kalg::report::Answer;
use kalg::rule::RuleSet;
use kalg::syntax::Source;

/// Two registers that may be read and written in one operation, a link register with two views, a true subtraction,
/// eight-connected steps of which one is long, and operations of different costs.
const TOY: &str = r#"
(target toy
  (doc "a machine for tests")
  (image 24 16)
  (range -1000 1000)
  (cycle (microseconds 0.5) (microjoules 2))
  (brackets start stop)
  (direction right 1 0)
  (direction left -1 0)
  (registers work P Q R)
  (registers link L)
  (view LR L right)
  (view LL L left)
  (operand-rules)
  (isa all quick "everything")
  (isa small quick "subtraction only")
  (operation take (destinations 1) (sources 1 2) (weights 1/4) (cycles 2) (in all))
  (operation minus (destinations 1) (sources 2 2) (weights 1 -1) (cycles 3) (in all small))
  (macro lean ((result y) (in-out x) (direction d) (count n 1 3))
    (expansion (take L x) (minus y L (at L (opposite d))) (repeat n (minus x x y)))
    (in all)))
"#;

fn toy() -> Target {
    read_target(&Source::new("toy.sexp", TOY)).unwrap()
}

/// The diagnostics of the toy when `from` is replaced by `to`: place, id and message of each.
fn wrong(from: &str, to: &str) -> Vec<String> {
    assert!(TOY.contains(from), "{from}");
    let source = Source::new("toy.sexp", TOY.replacen(from, to, 1));
    let Err(diagnostics) = read_target(&source) else { return Vec::new() };
    let line = |d: &kalg::syntax::Diagnostic| {
        let at = source.position(d.place().start as usize);
        format!("{}:{} {}: {}", at.line, at.column, d.id, d.message)
    };
    diagnostics.iter().map(line).collect()
}

#[test]
fn costs_and_meanings_come_from_the_file() {
    let target = toy();
    let parse = |text: &str| target.parse(&Source::new("t", text)).unwrap().program;
    let program = parse("start(); lean(P, Q, left, 2); stop();");
    assert_eq!(program.cycles(&target), Ok(2 + 3 + 2 * 3));
    assert_eq!(program.time_us(&target), Ok(5.5));
    assert_eq!(program.energy_uj(&target), Ok(22.0));
    assert_eq!(target.print(&program.expand(&target).unwrap()).lines().nth(2), Some("minus(P, L, LR);"));
    assert!(program.violations(&target).is_empty());
    let mut state = State::identity(4);
    state.apply_all(&program.transfers(&target).unwrap());
    let quarter = |n| Rational::new(n, 4).unwrap();
    let leaning = [(1, [0, 0, 0], quarter(1)), (1, [1, 0, 0], quarter(-1))];
    assert_eq!(*state.value(RegisterId(0)), Value::Known(Placed::from_taps(4, &leaning).unwrap()));
    let rest = [(1, [0, 0, 0], quarter(2)), (1, [1, 0, 0], quarter(2))];
    assert_eq!(*state.value(RegisterId(1)), Value::Known(Placed::from_taps(4, &rest).unwrap()));
}

/// 0.7 is no binary fraction.
#[test]
fn ranges_of_registers_are_exact() {
    let text = TOY.replace("(range -1000 1000)", "(range -0.9 0.7)");
    let target = read_target(&Source::new("toy.sexp", text)).unwrap();
    assert_eq!(target.range, [Rational::new(-9, 10), Rational::new(7, 10)].map(Option::unwrap));
}

#[test]
fn operations_may_read_what_they_write_unless_the_file_forbids_it() {
    let target = toy();
    let broken = |text: &str| {
        let program = target.parse(&Source::new("t", text)).unwrap().program;
        program.violations(&target).first().map(|(_, violation)| violation.rule())
    };
    assert_eq!(broken("minus(P, P, Q); minus(P, Q, Q); take(L, LR, L);"), None);
    // The result is read after the operand that shares its register was overwritten.
    assert_eq!(broken("lean(P, P, left, 1);"), Some("changed-by-alias"));
    let text = TOY.replace("(operand-rules)", "(operand-rules written-not-read)");
    let text = text.replace("(repeat n (minus x x y))", "(repeat n (minus L x y) (take x L))");
    let strict = read_target(&Source::new("strict.sexp", text)).unwrap();
    let program = strict.parse(&Source::new("t", "minus(P, P, Q); minus(P, Q, Q);")).unwrap().program;
    let rules: Vec<_> = program.violations(&strict).iter().map(|(i, v)| (*i, v.rule())).collect();
    assert_eq!(rules, [(0, "written-not-read")]);
}

#[test]
fn forms_of_a_subtraction_tell_its_sources_apart() {
    let target = toy();
    let forms = target.forms("small", Division::Quick);
    assert!(forms.iter().all(|f| f.instruction == "minus" && f.cycles == 3));
    // Sources are pairs from {a work register, L, LR, LL}; of the three pairs that cancel one is listed. A write through LR
    // or LL can, besides a cancelled pair, repeat two differences of neighbours that a write of L has.
    let pairs = 4 * 4;
    assert_eq!(forms.len(), 2 * (pairs - 2) + 2 * (pairs - 3 - 2));
}

#[test]
fn programs_of_any_target_are_checked() {
    let target = toy();
    let program = target.parse(&Source::new("t", "take(L, P); minus(Q, LR, LL);")).unwrap().program;
    let quarter = |n| Rational::new(n, 4).unwrap();
    let kernel = Placed::from_taps(1, &[(0, [1, 0, 0], quarter(1)), (0, [-1, 0, 0], quarter(-1))]).unwrap();
    let claim = Claim::new([("P", 0)]).output("slope", "Q", kernel).keeping("P");
    assert!(check(&target, &program, &claim, &Options::full(&target)).holds());
}

#[test]
fn inputs_and_results_are_in_the_largest_file_even_if_it_is_not_the_first() {
    let (clauses, _) = TOY.split_once("  (macro").unwrap();
    let (file, view) = ("  (registers work P Q R)\n", "(view LL L left)\n");
    let target = clauses.replace(file, "").replace(view, &format!("{view}{file}")) + ")";
    let target = Arc::new(read_target(&Source::new("toy.sexp", target)).unwrap());
    let sizes: Vec<usize> = target.files.iter().map(|file| file.registers.len()).collect();
    assert_eq!(sizes, [1, 3]);
    let filter = Source::new("f.sexp", "(filter f (inputs x) (output y (scale 1/4 (kernel (-1 0 1)))))");
    let request = OptimizeRequest {
        budget: Budget::of_work(200),
        ..OptimizeRequest::new(filter.clone(), Arc::clone(&target), "all", RuleSet::builtin())
    };
    let found = optimize(&request, &mut |_| {}).unwrap();
    let result = found.outputs[0].register.clone().unwrap();
    let program = Source::new("program", found.program.unwrap().join("\n"));
    let plain = CheckRequest::new(program, Arc::clone(&target), Reading::default());
    let request = CheckRequest { against: Some(filter), ..plain.clone() };
    let listing = read_listing(&target, &request.source, &request.reading).unwrap();
    let guarded = check_guarded(&request, listing.clone()).unwrap().record;
    for checked in [check_program(&request).unwrap().record().clone(), guarded] {
        assert_eq!(checked.verdict, Some(Answer::Equal), "{}", checked.to_json());
        assert_eq!(checked.outputs[0].register, result);
    }
    assert_eq!(lift(&plain, listing, &[]).unwrap().outputs, [("out".to_owned(), result.clone())]);
    let run = ExecuteRequest {
        images: vec![Image::filled(24, 16, 1.0)],
        results: Vec::new(),
        fit: Fit::Exact,
        noise: None,
        saturate: false,
    };
    let shown = execute(&target, &check_program(&plain).unwrap(), &run).unwrap();
    assert_eq!(shown[0].cell, Cell::Register(target.register(&result).unwrap()));
}

#[test]
fn mistakes_are_reported_where_they_stand() {
    let cases: &[(&str, &str, &str)] = &[
        ("(doc \"a machine for tests\")", "", "2:2 missing-clause: a target needs a clause `(doc …)`"),
        ("(image 24 16)", "(image 24)", "4:3 wrong-arity: `image` takes 2 arguments, found 1"),
        ("(image 24 16)", "(image 0 16)", "4:10 out-of-range: expected a size in elements, found `0`"),
        (
            "(range -1000 1000)",
            "(range 5 5)",
            "5:12 unexpected: expected a greatest value above the least, found `5`",
        ),
        (
            "(operand-rules)",
            "(operand-rules) (noise ideal (source \"s\") (gain 1) (fixed-pattern 0) (temporal 0) (relative 0))",
            "14:26 unexpected: expected another name than that of no noise at all, found `ideal`",
        ),
        ("(microjoules 2)", "(microjoules -2)", "6:42 unexpected: expected a positive number, found `-2`"),
        ("(microjoules 2)", "(watts 2)", "6:30 unknown-form: unknown form `watts`"),
        (
            "(direction left -1 0)",
            "(direction right -1 0)",
            "9:14 repeated-name: the name `right` is declared twice",
        ),
        ("(registers link L)", "(registers link Q)", "11:19 repeated-name: the name `Q` is declared twice"),
        (
            "(registers link L)",
            "(registers work L)",
            "11:14 repeated-name: the register file `work` is declared twice",
        ),
        ("(view LR L right)", "(view LR M right)", "12:12 unknown-register: unknown register `M`"),
        ("(view LR L right)", "(view LR L rigth)", "12:14 unknown-direction: unknown direction `rigth`"),
        (
            "(view LR L right)",
            "(view LR P right)",
            "12:12 unexpected: expected a register that is the only one of its file, as one with views must be, found `P`",
        ),
        ("(operand-rules)", "(operand-rules often)", "14:18 unknown-rule: unknown operand rule `often`"),
        ("(isa all quick", "(isa all slow", "15:12 unknown-division: unknown way of dividing `slow`"),
        (
            "subtraction only\")",
            "subtraction only\" (estimate (tasp 1)))",
            "16:50 unknown-form: unknown form `tasp`",
        ),
        (
            "subtraction only\")",
            "subtraction only\" (estimate (taps -1)))",
            "16:55 unexpected: expected a weight of 0 or more, found `-1`",
        ),
        (
            "(operand-rules)",
            "(operand-rules) (noise n (source \"\") (gain 1) (fixed-pattern 0) (temporal -1/2) (relative 0))",
            "14:77 unexpected: expected a deviation of 0 or more, found `-1/2`",
        ),
        (
            "(direction right 1 0)",
            "(direction right 0 0)",
            "8:20 unexpected: expected a displacement that is not 0, found `0`",
        ),
        (
            "(operand-rules)",
            "(operand-rules) (bits X) (instruction p ((result m bits)) (do p m))",
            "14:65 unknown-instruction: unknown instruction, above this one, `p`",
        ),
        (
            "(operand-rules)",
            "(operand-rules) (bits X) (instruction p ((result m bits) (number n 0 2)) (choose n (set 1 (m 0)) (set 1 (m 1))))",
            "14:76 bad-choice: 2 steps for the 3 numbers from 0 to 2",
        ),
        (
            "(operand-rules)",
            "(operand-rules) (bits X Y) (gated X Y) (gated Y X)",
            "14:51 unexpected: expected a gate that this bit does not gate, found `X`",
        ),
        (
            "(repeat n (minus",
            "(repeat (less n 2) (minus",
            "20:67 unexpected: expected a number of rounds that is never below 0, found `(less …)`",
        ),
        ("(weights 1/4)", "(weights 0)", "17:59 unexpected: expected a factor other than 0, found `0`"),
        ("(weights 1/4)", "(weights 1/0)", "17:59 zero-denominator: zero denominator in `1/0`"),
        ("(weights 1 -1)", "(weights 1 -1 1)", "18:3 bad-weights: `minus` has 3 weights, but 2 to 2 sources"),
        ("(cycles 3)", "", "18:3 missing-clause: `minus` is incomplete"),
        ("(in all small)", "(in al)", "18:81 unknown-isa: unknown instruction set `al`"),
        (
            "(operation minus",
            "(operation take",
            "18:14 repeated-name: the operation `take` is declared twice",
        ),
        (
            "(macro lean",
            "(macro minus",
            "19:10 repeated-name: an instruction `minus` of 4 operands is already declared",
        ),
        ("(in-out x)", "(out x)", "19:28 unknown-form: unknown form `out`"),
        ("(in-out x)", "(in-out P)", "19:27 repeated-name: the operand `P` is declared twice"),
        ("(take L x)", "(tale L x)", "20:17 unknown-operation: unknown operation `tale`"),
        ("(take L x)", "(take L z)", "20:24 unknown-register: unknown register or operand `z`"),
        ("(take L x)", "(take L d)", "20:24 unexpected: expected a register operand, found `d`"),
        ("(take L x)", "(take L)", "19:3 bad-expansion: `take` takes 2 to 3 operands, found 1"),
        (
            "(take L x)",
            "(take P x)",
            "19:3 bad-expansion: `P` is fixed in the expansion, but belongs to a file that operands are chosen from",
        ),
        ("(opposite d)", "(opposite n)", "20:54 unexpected: expected a direction operand, found `n`"),
        ("(view LL L left)", "", "20:38 missing-view: `L` has no view against the direction `right`"),
        ("(in-out x)", "(source x)", "19:3 bad-expansion: the source `x` is overwritten"),
        ("(in-out x)", "(result x)", "19:3 bad-expansion: the result `x` is read before it is written"),
        ("(minus y L (at L (opposite d)))", "", "19:3 bad-expansion: nothing is written to `y`"),
        ("(count n 1 3)", "(count n 3 1)", "19:63 out-of-range: expected a count, found `1`"),
        ("(repeat n", "(repeat d", "20:67 unexpected: expected a count operand, found `d`"),
        (
            "    (in all)))",
            "    (means (y x)) (in all)))",
            "19:3 bad-meaning: the expansion does not leave in `y` the value that `lean` states",
        ),
        ("    (in all)))", "    (in all)) (note 3))", "21:16 unknown-form: unknown form `note`"),
        ("    (in all)))", "    (in all))", "2:1 unclosed"),
    ];
    let mut unexpected = Vec::new();
    for (from, to, expected) in cases {
        let found = wrong(from, to);
        if found.len() != 1 || !found[0].starts_with(expected) {
            unexpected.push(format!("{from} -> {to}\n  expected {expected}\n  found {found:?}"));
        }
    }
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
}

#[test]
fn a_file_without_a_target_is_refused() {
    for text in ["", "; nothing", "(kernel 1)", "(target)", "target", "(target x) (target y)"] {
        assert!(read_target(&Source::new("t", text)).is_err(), "{text}");
    }
}

#[test]
fn a_stated_meaning_is_compared_in_every_direction() {
    let meaning = |y: &str| wrong("    (in all)))", &format!("    (means (y {y})) (in all)))"));
    // The expansion reads against d, which no statement in terms of d can express for both directions.
    for y in ["(scale 1/4 (sub x (at x d)))", "(scale 1/4 (sub (at x d) x))", "(sum x x)", "0"] {
        let found = meaning(y);
        assert_eq!(
            found,
            ["19:3 bad-meaning: the expansion does not leave in `y` the value that `lean` states"],
            "{y}"
        );
    }
    let along = TOY
        .replace("(opposite d)", "d")
        .replace("(in all)))", "(means (y (scale 1/4 (sub (at x d) x)))) (in all)))");
    assert!(read_target(&Source::new("t", along.clone())).is_err(), "the sign is wrong");
    let right = along.replace("(sub (at x d) x)", "(sub x (at x d))");
    assert!(read_target(&Source::new("t", right)).is_ok());
}
