//! Whole SCAMP-5 programs: hand-written, from other compilers, wrong, and random; as text and as kernels.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use kalg::algebra::{Border, Offset, Placed, Rational};
use kalg::backend::array::machine::{Division, Program, RegisterId, Target, Value};
use kalg::backend::array::simulate::{Options as SimOptions, run};
use kalg::backend::array::verify::{Answer, Claim, Options, Reason, Verdict, check, evaluate, reaches};
use kalg::picture::{Image, Pattern};
use kalg::syntax::{Source, render};
use proptest::prelude::*;

fn scamp5() -> Target {
    Target::builtin("scamp5").unwrap()
}

fn parse(target: &Target, text: &str) -> Program {
    let source = Source::new("test.scamp", text);
    match target.parse(&source) {
        Ok(parsed) => parsed.program,
        Err(diagnostics) => panic!("{}", render(&source, &diagnostics, false)),
    }
}

/// A kernel from its matrix, first row north, over `denominator`.
fn matrix(rows: &[&[i64]], denominator: i64) -> Placed {
    let (height, width) = (rows.len() as i32, rows[0].len() as i32);
    let mut taps: Vec<(u16, Offset, Rational)> = Vec::new();
    for (row, values) in rows.iter().enumerate() {
        for (column, value) in values.iter().enumerate() {
            let offset = [column as i32 - width / 2, height / 2 - row as i32, 0];
            taps.push((0, offset, Rational::new(*value, denominator).unwrap()));
        }
    }
    Placed::from_taps(1, &taps).unwrap()
}

fn verdict(text: &str, claim: &Claim) -> Verdict {
    let target = scamp5();
    check(&target, &parse(&target, text), claim, &Options { size: [48, 40], seed: 5 })
}

fn assert_computes(text: &str, cycles: u32, register: &str, kernel: Placed, border: [u32; 4]) {
    let target = scamp5();
    assert_eq!(parse(&target, text).cycles(&target), Ok(cycles));
    let verdict = verdict(text, &Claim::new([("A", 0)]).output("out", register, kernel));
    assert!(verdict.holds(), "{verdict:?}");
    let [west, east, south, north] = border;
    assert_eq!(verdict.valid_border, Border { west, east, south, north, ..Border::default() });
}

const SOBEL_X: &str = "bus(NEWS, A); bus(B, NEWS, XN, XS); bus(NEWS, A, B); bus(C, XE); bus(D, C, XW);";

#[test]
fn box_3_in_four_cycles() {
    let text = "bus(NEWS,A); bus(B,NEWS,XE,XW); bus(NEWS,B); bus(C,NEWS,XN,XS);";
    assert_computes(text, 4, "C", matrix(&[&[1, 1, 1], &[1, 1, 1], &[1, 1, 1]], 1), [1; 4]);
}

#[test]
fn binomial_3_in_three_cycles() {
    let text = "bus2(B,C,A); bus2(NEWS,D,B); bus(E,XE,XW,NEWS,D);";
    assert_computes(text, 3, "E", matrix(&[&[1, 2, 1]], -4), [1, 1, 0, 0]);
}

#[test]
fn sobel_in_five_cycles() {
    // B is minus the vertical sum of A, so NEWS holds the sum over A and B of one column; out is west minus east.
    let kernel = matrix(&[&[1, 0, -1], &[2, 0, -2], &[1, 0, -1]], 1);
    assert_computes(SOBEL_X, 5, "D", kernel, [1; 4]);
}

#[test]
fn five_points_in_four_cycles() {
    let text = "bus(NEWS,A); bus(B,NEWS,XE,XW); bus(NEWS,B); bus(C,XE,XW,A);";
    // C is B_e + B_w - A, where B is the sum of three: the middle counts twice and is subtracted once.
    let kernel = matrix(&[&[1, 1, 1, 1, 1]], 1);
    assert_computes(text, 4, "C", kernel, [2, 2, 0, 0]);
}

/// Cain 3.1 for AnalogNet2, all instructions: github.com/ed741/cain at commit 3dc1981, run for 60 s.
const ANALOGNET2: &str = "
    div(C, F, A); diva(C, A, F); movx(A, C, south); neg(F, A); movx(A, C, west); subx(D, C, south, F);
    sub2x(B, A, east, east, C); addx(C, A, F, east); sub2x(B, B, north, east, F); sub2x(E, D, north, east, C);
    sub(C, F, D); add2x(A, A, D, east, east); mov2x(D, C, north, east); add(B, E, B); add2x(E, F, E, west, north);
    add2x(F, F, C, north, north); addx(A, C, A, east); add2x(A, D, A, west, west); addx(B, F, B, west); add(C, C, E, D);";

fn analognet2() -> Claim {
    Claim::new([("A", 0)])
        .output("a", "A", matrix(&[&[0, 0, 0], &[-3, 1, 0], &[-3, 0, 2]], 4))
        .output("b", "B", matrix(&[&[-4, -1, 1], &[-1, 2, 0], &[1, 1, 0]], 4))
        .output("c", "C", matrix(&[&[-1, 2, 0], &[-1, 1, -3], &[0, -3, 0]], 4))
}

#[test]
fn a_program_of_another_compiler_is_confirmed() {
    let target = scamp5();
    let program = parse(&target, ANALOGNET2);
    assert_eq!((program.instructions.len(), program.cycles(&target)), (20, Ok(46)));
    let verdict = check(&target, &program, &analognet2(), &Options::full(&target));
    assert!(verdict.holds(), "{verdict:?}");
    assert!((program.time_us(&target).unwrap() - 4.6).abs() < 1e-9);
    assert!((program.energy_uj(&target).unwrap() - 46.0 * 0.123).abs() < 1e-9);
}

#[test]
fn long_programs_are_simulated_on_a_part_of_the_array_that_their_reach_leaves_valid() {
    let target = scamp5();
    let far = format!("{}{}", "mov(B, A);".repeat(200), "movx(B, B, east);".repeat(130));
    let program = parse(&target, &far);
    let claim = |taps: &[(u16, Offset, Rational)]| {
        let kernel = Placed::from_taps(1, taps).unwrap();
        check(&target, &program, &Claim::new([("A", 0)]).output("far", "B", kernel), &Options::full(&target))
    };
    let verdict = claim(&[(0, [130, 0, 0], Rational::ONE)]);
    assert!(verdict.holds(), "{verdict:?}");
    let wrong = claim(&[(0, [130, 0, 0], Rational::ONE), (0, [131, 0, 0], Rational::ONE)]);
    let Answer::Different(pixels) = &wrong.simulated else { panic!("{wrong:?}") };
    assert!(pixels[0].pixels > 1000, "{pixels:?}");
}

#[test]
fn a_wrong_coefficient_has_a_witness_in_both_checks() {
    let wrong = matrix(&[&[1, 0, -1], &[2, 0, -2], &[1, 0, -3]], 1);
    let verdict = verdict(SOBEL_X, &Claim::new([("A", 0)]).output("gx", "D", wrong));
    assert!(!verdict.holds());
    let Answer::Different(kernels) = &verdict.symbolic else { panic!("{verdict:?}") };
    assert_eq!((kernels[0].output.as_str(), kernels[0].register.as_str()), ("gx", "D"));
    let difference = &kernels[0].differs_at[..];
    assert_eq!(difference.len(), 1);
    assert_eq!(difference[0].offset, [1, -1, 0]);
    assert_eq!((difference[0].expected, difference[0].found), (Rational::integer(-3), Rational::integer(-1)));
    assert_eq!(kernels[0].up_to, None);
    let Answer::Different(pixels) = &verdict.simulated else { panic!("{verdict:?}") };
    assert_ne!(pixels[0].expected, pixels[0].found);
    assert!(pixels[0].pixels > 1000);
}

#[test]
fn a_kernel_that_is_moved_or_scaled_is_recognised() {
    let doubled = matrix(&[&[2, 0, -2, 0, 0], &[4, 0, -4, 0, 0], &[2, 0, -2, 0, 0]], -1);
    let verdict = verdict(SOBEL_X, &Claim::new([("A", 0)]).output("gx", "D", doubled));
    let Answer::Different(kernels) = &verdict.symbolic else { panic!("{verdict:?}") };
    let label = kernels[0].up_to.unwrap();
    assert_eq!((label.scale, label.offset), (Rational::new(-1, 2).unwrap(), [1, 0, 0]));
}

#[test]
fn registers_that_were_never_written_are_reported() {
    let verdict = verdict("bus(B, A, C);", &Claim::new([("A", 0)]).output("out", "B", matrix(&[&[1]], -1)));
    let Answer::Different(kernels) = &verdict.symbolic else { panic!("{verdict:?}") };
    let target = scamp5();
    assert_eq!(kernels[0].found, Value::Undefined(target.register("C").unwrap()));
    assert!(matches!(verdict.simulated, Answer::Different(_)), "rubbish is no zero: {verdict:?}");
    assert_eq!(verdict.outputs[0].reach, None);
}

#[test]
fn kept_inputs_are_checked() {
    let copy = "bus(NEWS, A); bus(B, NEWS);";
    let kept = Claim::new([("A", 0)]).output("out", "B", matrix(&[&[1]], 1)).keeping("A");
    assert!(verdict(copy, &kept).holds());
    let lost = verdict("bus(NEWS, A); bus(B, NEWS); bus(A);", &kept);
    let Answer::Different(kernels) = &lost.symbolic else { panic!("{lost:?}") };
    assert_eq!(kernels[0].output, "A");
    assert!(matches!(lost.simulated, Answer::Different(_)));
}

#[test]
fn claims_that_make_no_sense_are_unknown() {
    let one = matrix(&[&[1]], 1);
    let reason = |claim: Claim| match verdict("bus(B, A);", &claim).symbolic {
        Answer::Unknown(reason) => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        reason(Claim::new([("A", 0)]).output("o", "G", one.clone())),
        Reason::NoRegister("G".to_owned())
    );
    assert_eq!(reason(Claim::new([("A", 1)]).output("o", "B", one.clone())), Reason::NoChannel(1));
    assert_eq!(
        reason(Claim::new([("A", 0)]).output("o", "B", one).keeping("C")),
        Reason::NotAnInput("C".to_owned())
    );
}

#[test]
fn two_channels_are_told_apart() {
    let taps = [(0, [0, 0, 0], Rational::integer(-1)), (1, [1, 0, 0], Rational::integer(-1))];
    let kernel = Placed::from_taps(2, &taps).unwrap();
    let claim = |a, b| Claim::new([("A", a), ("B", b)]).output("out", "C", kernel.clone());
    let moved = "bus(XW, B); bus(D, NEWS); bus(C, A, D);";
    assert!(verdict(moved, &claim(0, 1)).holds());
    assert!(!verdict(moved, &claim(1, 0)).holds());
}

#[test]
fn the_border_counts_the_way_and_not_only_the_kernel() {
    // Each element fetches its east neighbour's value, then takes the value that its west neighbour fetched: a copy, except in the
    // westernmost column, which has no west neighbour and receives 0.
    let text = "movx(B, A, east); movx(C, B, west);";
    let verdict = verdict(text, &Claim::new([("A", 0)]).output("copy", "C", matrix(&[&[1]], 1)));
    assert!(verdict.holds());
    assert_eq!(verdict.valid_border, Border { west: 1, ..Border::default() });
    let reach = verdict.outputs[0].reach.clone().unwrap();
    assert_eq!(reach.footprint.iter().collect::<Vec<_>>(), [[0, 0, 0]]);
    let target = scamp5();
    let image = Image::synthetic(Pattern::Noise, [9, 4], [1, 9], 1);
    let [a, c] = ["A", "C"].map(|name| target.register(name).unwrap());
    let machine = run(&target, &parse(&target, text), &[(a, &image)], SimOptions::default()).unwrap();
    let copy = machine.image(c);
    assert_eq!(copy.row(2)[1..], image.row(2)[1..]);
    assert_eq!(copy.row(2)[0], 0.0);
}

#[test]
fn cancelled_taps_stay_in_the_footprint_and_constants_touch_nothing() {
    let text = "bus(NEWS, A); bus(B, XE); bus(C, B); bus(D, B, C); bus(E);";
    let zero = Placed::from_taps(1, &[]).unwrap();
    let verdict =
        verdict(text, &Claim::new([("A", 0)]).output("zero", "D", zero.clone()).output("clear", "E", zero));
    assert!(verdict.holds(), "{verdict:?}");
    let [cancelled, constant] = [0, 1].map(|i| verdict.outputs[i].reach.clone().unwrap());
    assert_eq!(cancelled.footprint.iter().collect::<Vec<_>>(), [[1, 0, 0]]);
    assert!(constant.footprint.is_empty());
    assert_eq!(verdict.valid_border, Border { east: 1, ..Border::default() });
}

#[test]
fn illegal_programs_are_evaluated_all_the_same() {
    let target = scamp5();
    let program = parse(&target, "neg(A, A);");
    let verdict = check(
        &target,
        &program,
        &Claim::new([("A", 0)]).output("out", "A", matrix(&[&[-1]], 1)),
        &Options { size: [8, 8], seed: 0 },
    );
    assert_eq!((&verdict.symbolic, &verdict.simulated), (&Answer::Equal, &Answer::Equal));
    assert_eq!(verdict.violations.len(), 1);
    assert!(!verdict.holds());
}

#[test]
fn programs_print_as_the_vendor_writes_them() {
    let target = scamp5();
    let text = "scamp5_kernel_begin();\nadd2x(A, C, E, west, north);\nbus(B, XE, NEWS);\nnewsblur(A, B, 2);\nscamp5_kernel_end();\n";
    assert_eq!(target.print(&parse(&target, text)), text);
    let commented = "// sum\nscamp5_kernel_begin(); /* two\nlines */ add2x(A,C,E,west,north);bus ( B , XE,NEWS ) ;\n newsblur(A, B, 2); // end\n scamp5_kernel_end();";
    assert_eq!(target.print(&parse(&target, commented)), text);
}

#[test]
fn mistakes_in_programs_are_reported_where_they_stand() {
    let target = scamp5();
    let text = "scamp5_kernel_begin();
mov(A, G);
bus2(A);
movz(A, B);
movx(A, B, up);
mov(A, NEWS);
add(A B);
sub(A, B);
newsblur(A, B, 99);
scamp5_kernel_end();
";
    let source = Source::new("bad.scamp", text);
    let diagnostics = target.parse(&source).unwrap_err();
    let found: Vec<String> = diagnostics
        .iter()
        .map(|d| {
            let at = source.position(d.place().start as usize);
            format!("{}:{} {}: {}", at.line, at.column, d.id, d.message)
        })
        .collect();
    assert_eq!(
        found,
        [
            "2:8 unknown-operand: `G` is not a register, view or direction of `scamp5`",
            "3:1 operand-count: `bus2` takes 2 to 4 operands, found 1",
            "4:1 unknown-instruction: no instruction of `scamp5` is called `movz`",
            "5:12 unknown-operand: `up` is not a register, view or direction of `scamp5`",
            "6:8 operand-kind: operand 2 of `mov` must be one of the registers A B C D E F, found `NEWS`",
            "7:7 unexpected: expected `,` or `)` after the argument, found `B`",
            "8:1 operand-count: `sub` takes 3 or 4 operands, found 2",
            "9:16 operand-kind: operand 3 of `newsblur` must be a number from 1 to 31, found `99`",
        ]
    );
}

#[test]
fn unfinished_programs_are_reported() {
    let target = scamp5();
    let id = |text: &str| {
        target.parse(&Source::new("bad", text)).unwrap_err().iter().map(|d| d.id).collect::<Vec<_>>()
    };
    assert_eq!(id("mov(A, B)"), ["unexpected"]);
    assert_eq!(id("mov(A, B"), ["unexpected"]);
    assert_eq!(id("/* mov(A, B);"), ["open-comment"]);
    assert_eq!(id("scamp5_kernel_end();"), ["unpaired-bracket"]);
    assert_eq!(id("scamp5_kernel_begin(); mov(A, B);"), ["unpaired-bracket"]);
    assert_eq!(id("mov(A, B);\n£\nneg(A, B);"), ["unexpected"]);
    assert_eq!(id("mov(A, 99999999999999);"), ["unknown-operand"]);
}

#[test]
fn noise_is_repeatable_and_saturation_limits() {
    let target = scamp5();
    let a = target.register("A").unwrap();
    let image = Image::synthetic(Pattern::Scene, [64, 64], [-128, 127], 1);
    let program = parse(&target, "bus(NEWS, A); bus(B, NEWS, XE, XW);");
    let b = |options| {
        run(&target, &program, &[(a, &image)], options).unwrap().image(target.register("B").unwrap())
    };
    let ideal = b(SimOptions::default());
    let limited = b(SimOptions { saturation: Some(target.range.map(Rational::to_f64)), noise: None });
    assert!(ideal.pixels().iter().any(|p| p.abs() > 128.0));
    assert!(limited.pixels().iter().all(|p| (-128.0..=127.0).contains(p)));
    for name in ["cpa-sim", "cain"] {
        let noise =
            |seed| SimOptions { saturation: None, noise: Some((target.noise(name).unwrap().clone(), seed)) };
        assert_eq!(b(noise(1)), b(noise(1)));
        assert_ne!(b(noise(1)), b(noise(2)));
        assert_ne!(b(noise(1)), ideal);
    }
    // Two writes at a gain of 0.93: the mean follows the square, and the deviations stay small.
    let noisy =
        b(SimOptions { saturation: None, noise: Some((target.noise("cpa-sim").unwrap().clone(), 9)) });
    let errors: Vec<f64> =
        noisy.pixels().iter().zip(ideal.pixels()).map(|(n, i)| n - 0.93 * 0.93 * i).collect();
    let rms = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
    let expected = ((0.05f64.powi(2) + 0.09f64.powi(2)) * (1.0 + 3.0 * 0.93 * 0.93)).sqrt();
    assert!((rms / expected - 1.0).abs() < 0.1, "rms {rms}, expected about {expected}");
}

/// Programs of at most `length` legal instructions, drawn from an instruction set's forms.
fn programs(isa: &str, division: Division, length: usize) -> impl Strategy<Value = Program> + use<> {
    let target = scamp5();
    let forms = target.forms(isa, division);
    crate::generated::programs(target, forms, length)
}

fn any_program() -> impl Strategy<Value = Program> {
    prop_oneof![
        programs("bus", Division::Quick, 13),
        programs("bus", Division::Compensated, 13),
        programs("macro", Division::Quick, 7),
        programs("basic", Division::Compensated, 7),
    ]
}

/// A claim that `program` computes what symbolic evaluation says, for every register that it defines.
fn claim_of(target: &Target, program: &Program) -> Claim {
    let inputs: Vec<(RegisterId, u16)> = (0..3).map(|r| (RegisterId(r), r as u16)).collect();
    let state = evaluate(target, &program.transfers(target).unwrap(), &inputs, 3);
    let mut claim = Claim::new([("A", 0), ("B", 1), ("C", 2)]);
    for (index, register) in target.registers.iter().enumerate() {
        if let Value::Known(kernel) = state.value(RegisterId(index)) {
            claim = claim.output(&register.name, &register.name, kernel.clone());
        }
    }
    claim
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn forms_make_legal_instructions(program in any_program()) {
        let target = scamp5();
        prop_assert_eq!(program.violations(&target), []);
    }

    #[test]
    fn printing_and_reading_give_the_program_back(program in any_program()) {
        let target = scamp5();
        prop_assert_eq!(parse(&target, &target.print(&program)), program.clone());
        let expanded = program.expand(&target).unwrap();
        prop_assert_eq!(parse(&target, &target.print(&expanded)), expanded.clone());
        prop_assert_eq!(expanded.cycles(&target), program.cycles(&target));
        prop_assert_eq!(expanded.transfers(&target), program.transfers(&target));
    }

    #[test]
    fn symbolic_evaluation_agrees_with_simulation(program in any_program(), seed in 0u64..1000) {
        let target = scamp5();
        let claim = claim_of(&target, &program);
        prop_assume!(!claim.outputs.is_empty());
        let verdict = check(&target, &program, &claim, &Options { size: [36, 32], seed });
        prop_assert_eq!(&verdict.symbolic, &Answer::Equal);
        prop_assert_eq!(&verdict.simulated, &Answer::Equal);
    }

    #[test]
    fn a_form_says_what_its_instruction_does(index in 0usize..146, registers in prop::array::uniform8(0usize..6)) {
        let target = scamp5();
        for (isa, division) in [("bus", Division::Quick), ("bus", Division::Compensated), ("macro", Division::Quick)] {
            let forms = target.forms(isa, division);
            let form = &forms[index % forms.len()];
            let file = |slot: usize| &target.files[form.slots[slot].file].registers;
            let chosen: Vec<RegisterId> =
                (0..form.slots.len()).map(|s| file(s)[registers[s] % file(s).len()]).collect();
            if form.differ.iter().any(|(a, b)| chosen[*a] == chosen[*b]) {
                continue;
            }
            let instruction = target.instantiate(form, &chosen);
            prop_assert_eq!(target.cycles(&instruction), Ok(form.cycles));
            let mut state = kalg::backend::array::machine::State::identity(target.registers.len());
            state.apply_all(&target.transfers(&instruction).unwrap());
            for result in &form.results {
                let taps: Vec<_> =
                    result.taps.iter().map(|t| (chosen[t.slot].0 as u16, t.offset, t.coefficient)).collect();
                let said = Placed::from_taps(target.registers.len() as u16, &taps).unwrap();
                prop_assert_eq!(state.value(chosen[result.slot]), &Value::Known(said));
            }
            // Only the registers that the form declares as overwritten change.
            for register in 0..target.registers.len() {
                let written = form.results.iter().any(|r| chosen[r.slot].0 == register);
                if !written && !form.clobbers.contains(&target.registers[register].file) {
                    let before = kalg::backend::array::machine::State::identity(target.registers.len());
                    prop_assert_eq!(state.value(RegisterId(register)), before.value(RegisterId(register)));
                }
            }
        }
    }

    #[test]
    fn the_valid_region_does_not_depend_on_what_is_outside(program in programs("bus", Division::Quick, 14)) {
        let target = scamp5();
        let inputs: Vec<(RegisterId, u16)> = (0..6).map(|r| (RegisterId(r), r as u16)).collect();
        let steps = program.transfers(&target).unwrap();
        let (large, margin) = (44usize, 14usize);
        let size = large - 2 * margin;
        let images: Vec<Image> =
            (0..6).map(|r| Image::synthetic(Pattern::Noise, [large; 2], [-9, 9], r)).collect();
        let inside = |image: &Image| {
            let rows = (margin..margin + size).flat_map(|y| image.row(y)[margin..margin + size].to_vec());
            Image::from_pixels(size, size, rows.collect()).unwrap()
        };
        let small: Vec<Image> = images.iter().map(inside).collect();
        let on = |images: &[Image]| {
            let inputs: Vec<_> = images.iter().enumerate().map(|(r, image)| (RegisterId(r), image)).collect();
            run(&target, &program, &inputs, SimOptions::default()).unwrap()
        };
        let (whole, part) = (on(&images), on(&small));
        for (register, reach) in reaches(&target, &steps, &inputs).into_iter().enumerate() {
            let Some(reach) = reach else { continue };
            let [west, east, south, north] =
                [reach.border.west, reach.border.east, reach.border.south, reach.border.north].map(|n| n as usize);
            prop_assert!(west.max(east).max(south).max(north) <= margin);
            let (whole, part) = (inside(&whole.image(RegisterId(register))), part.image(RegisterId(register)));
            for y in south..size.saturating_sub(north) {
                for x in west..size.saturating_sub(east) {
                    let (a, b) = (whole.row(y)[x], part.row(y)[x]);
                    prop_assert!((a - b).abs() < 1e-6 * (1.0 + a.abs()), "register {register} at {x}, {y}: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[a-zA-Z0-9_(),;/* \n£-]{0,60}") {
        let _parsed = scamp5().parse(&Source::new("any", text));
    }
}
