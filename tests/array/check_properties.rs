//! Properties of the checker on random programs: evaluation agrees with simulation, printing with reading, and the verdict on a
//! program with one changed instruction with the results on images of a single bright pixel.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use kalg::algebra::{Placed, Relation};
use kalg::backend::array::machine::{
    Division, Program, Reading, RegisterId, State, Target, Value, builtin_names, read_listing,
};
use kalg::backend::array::simulate::{Options, PixelArray};
use kalg::backend::array::verify::{ReplayError, Trace, Wanted, certificate, convolve, judge, replay};
use kalg::picture::{Image, Pattern};
use kalg::syntax::Source;
use proptest::prelude::*;
use proptest::test_runner::Config;

fn target() -> Target {
    Target::builtin(builtin_names()[0]).unwrap()
}

thread_local! {
    static TARGET: Target = target();
}

/// Programs of at most `length` legal instructions of any kind.
fn programs(length: usize) -> impl Strategy<Value = Program> {
    let target = target();
    let mut forms = Vec::new();
    for isa in &target.isas {
        for (_, division) in Division::ALL {
            forms.extend(target.forms(&isa.name, division));
        }
    }
    crate::generated::programs(target, forms, length).prop_map(|program| {
        TARGET.with(|target| {
            // Forms of one way to halve are not instructions of every set.
            let legal = program.instructions.iter().filter(|i| target.check_instruction(i).is_ok());
            let instructions = legal.cloned().collect();
            Program { instructions, ..program.clone() }
        })
    })
}

/// A trace with the input in the first register.
fn traced(target: &Target, program: &Program) -> Trace {
    Trace::new(target, program, &[RegisterId(0)], false).unwrap()
}

/// The largest reach of values compared by images, and the images' side: the middle pixel depends on no pixel outside.
const REACH: i32 = 7;
const SIDE: usize = 4 * REACH as usize + 1;

fn narrow(state: &State, registers: usize) -> bool {
    let fits = |value: &Value| match value {
        Value::Known(kernel) => {
            kernel.taps().is_some_and(|t| t.iter().all(|(_, o, _)| o.iter().all(|n| n.abs() <= REACH)))
        }
        Value::Undefined(_) => true,
        Value::Overflow => false,
    };
    (0..registers).all(|r| fits(state.value(RegisterId(r))))
}

/// The response of a program to a bright pixel in the middle, within its reach, for each channel: by simulation only.
fn impulses(trace: &Trace, register: RegisterId) -> Vec<f64> {
    let middle = SIDE / 2;
    let near = middle - REACH as usize..=middle + REACH as usize;
    let mut responses = Vec::new();
    for channel in 0..trace.channels() {
        let mut machine = PixelArray::new(trace.registers, [SIDE; 2], 0.0, Options::default());
        let mut pixels = vec![0.0; SIDE * SIDE];
        pixels[middle * SIDE + middle] = 1.0;
        let image = Image::from_pixels(SIDE, SIDE, pixels).unwrap();
        machine.set(trace.register_of(channel), &image).unwrap();
        for steps in &trace.lines {
            machine.execute(steps);
        }
        let response = machine.image(register);
        for y in near.clone() {
            responses.extend_from_slice(&response.row(y)[near.clone()]);
        }
    }
    responses
}

fn config(cases: u32) -> Config {
    Config { cases, failure_persistence: None, max_global_rejects: 1_000_000, ..Config::default() }
}

proptest! {
    #![proptest_config(config(10_000))]

    #[test]
    fn evaluation_is_simulation(program in programs(6), seed: u64) {
        TARGET.with(|target| {
            let trace = traced(target, &program);
            let end = trace.end();
            prop_assume!(narrow(&end, trace.machine_registers));
            let size = [3 * REACH as usize; 2];
            let image = |c: u16| Image::synthetic(Pattern::Noise, size, [-8, 8], seed.wrapping_add(c.into()));
            let images: Vec<Image> = (0..trace.channels()).map(image).collect();
            let mut machine = PixelArray::new(trace.registers, size, 0.0, Options::default());
            for channel in 0..trace.channels() {
                machine.set(trace.register_of(channel), &images[channel as usize]).unwrap();
            }
            for steps in &trace.lines {
                machine.execute(steps);
            }
            let reaches = trace.reaches();
            for register in trace.written() {
                let (Value::Known(kernel), Some(reach)) = (end.value(register), &reaches[register.0]) else {
                    return Err(TestCaseError::fail("a written register is known"));
                };
                let taps: Vec<(usize, i32, i32, f64)> = kernel
                    .taps()
                    .unwrap()
                    .iter()
                    .map(|(c, [x, y, _], k)| (*c as usize, *x, *y, k.to_f64()))
                    .collect();
                let expected = convolve(&images, &taps, size);
                let found = machine.image(register);
                let b = reach.border;
                for y in b.south as usize..size[1].saturating_sub(b.north as usize) {
                    for x in b.west as usize..size[0].saturating_sub(b.east as usize) {
                        prop_assert!((expected.row(y)[x] - found.row(y)[x]).abs() < 1e-6, "at {x}, {y} of {register:?}");
                    }
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn printing_is_reading(program in programs(12)) {
        TARGET.with(|target| {
            let text = target.print(&program);
            let listing = read_listing(target, &Source::new("printed", text.as_str()), &Reading::default()).unwrap();
            prop_assert_eq!(&listing.program, &program);
            prop_assert_eq!(target.parse(&Source::new("printed", text.as_str())).unwrap().program, program.clone());
            Ok(())
        })?;
    }
}

proptest! {
    #![proptest_config(config(300))]

    /// The checker's verdict agrees with a comparison of the responses to bright pixels, for one replaced instruction.
    #[test]
    fn one_changed_instruction_is_judged_as_bright_pixels_judge_it(
        program in programs(5), other in programs(3), at: prop::sample::Index,
    ) {
        TARGET.with(|target| {
            prop_assume!(!program.instructions.is_empty() && !other.instructions.is_empty());
            let trace = traced(target, &program);
            let mut changed = program.clone();
            let place = at.index(changed.instructions.len());
            changed.instructions[place] = other.instructions[0].clone();
            let mutant = traced(target, &changed);
            // Both read the same registers first, so that one image stands for each.
            prop_assume!(trace.unknowns == mutant.unknowns);
            let (end, end_of_mutant) = (trace.end(), mutant.end());
            let fits = narrow(&end, trace.machine_registers) && narrow(&end_of_mutant, trace.machine_registers);
            prop_assume!(fits);
            let Some(register) = trace.written().into_iter().find(|r| mutant.written().contains(r)) else {
                return Ok(());
            };
            let Value::Known(kernel) = end.value(register) else { return Ok(()) };
            let wanted = Wanted { name: "out".to_owned(), register: Some(register), kernel: kernel.clone() };
            let finding = judge(target, &mutant, &[wanted]).remove(0);
            let (right, found) = (impulses(&trace, register), impulses(&mutant, register));
            let alike = right.iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-9);
            prop_assert_eq!(finding.relation == Relation::Equal, alike);
            if let Some(example) = &finding.counterexample {
                let [x, y] = example.pixel;
                prop_assert!((example.expected.row(y)[x] - example.found.row(y)[x]).abs() > 1e-9);
            } else {
                prop_assert!(alike);
            }
            Ok(())
        })?;
    }

    #[test]
    fn certificates_replay_and_forged_ones_do_not(program in programs(8), at: prop::sample::Index) {
        TARGET.with(|target| {
            let trace = traced(target, &program);
            let end = trace.end();
            let Some(register) = trace.written().first().copied() else { return Ok(()) };
            let Value::Known(kernel) = end.value(register) else { return Ok(()) };
            let wanted = Wanted { name: "out".to_owned(), register: Some(register), kernel: kernel.clone() };
            let findings = judge(target, &trace, &[wanted]);
            let text = certificate(target, &program, &trace, &findings).unwrap();
            let replayed = replay(target, &Source::new("certificate", text.as_str())).unwrap();
            prop_assert_eq!(replayed.steps, program.instructions.len());
            prop_assert_eq!(replayed.outputs, [("out".to_owned(), target.register_name(register).to_owned())]);
            // A changed coefficient of one tap is detected.
            let taps: Vec<usize> = text.match_indices(" -1)").map(|(i, _)| i).collect();
            if !taps.is_empty() {
                let tap = taps[at.index(taps.len())];
                let forged = format!("{} -3){}", &text[..tap], &text[tap + 4..]);
                let refused = matches!(replay(target, &Source::new("forged", forged)), Err(ReplayError::Wrong(_)));
                prop_assert!(refused);
            }
            Ok(())
        })?;
    }

    #[test]
    fn no_bytes_make_the_reader_panic_or_hang(text in "(?s).{0,80}", words in prop::collection::vec(0usize..WORDS.len(), 0..60)) {
        TARGET.with(|target| {
            let joined: String = words.iter().map(|w| WORDS[*w]).collect::<Vec<_>>().join(" ");
            for text in [text.as_str(), joined.as_str()] {
                let source = Source::new("any", text);
                for reading in [Reading::default(), Reading { block: Some(1), assume_all: true, ..Reading::default() }] {
                    let _any = read_listing(target, &source, &reading);
                }
            }
        });
    }
}

/// The words of random sources.
const WORDS: &[&str] = &[
    "scamp5_kernel_begin();",
    "scamp5_kernel_end();",
    "{",
    "}",
    "(",
    ")",
    ";",
    ",",
    "for",
    "(int i = 0; i < 3; i++)",
    "i",
    "A",
    "B",
    "=",
    "east",
    "movx(B, A, east);",
    "add(",
    "\n#define f(X) X X\n",
    "f(",
    "\n#define g g f(g)\n",
    "g",
    "\n#if A\n",
    "\n#endif\n",
    "/*",
    "*/",
    "//",
    "where(A);",
    "all();",
    "3",
    "-",
    "++",
    "const int N = 3;",
    "N",
    "\"",
    "'",
    "\\\n",
];

#[test]
fn a_kernel_over_more_inputs_than_the_program_has_is_undecided() {
    let target = target();
    let program = Program::new(&target);
    let trace = traced(&target, &program);
    let wanted = Wanted { name: "out".to_owned(), register: None, kernel: Placed::delta(1, 2) };
    assert_eq!(judge(&target, &trace, &[wanted])[0].relation, Relation::Undecided);
}
