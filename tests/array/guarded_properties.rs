//! Properties of the evaluation of programs with conditions and digital registers, on random programs of all instructions but the
//! inexact ones: it agrees with simulation, and a verdict is what images show.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use kalg::algebra::Rational;
use kalg::backend::array::machine::{
    BitId, Cause, Cell, Effect, Given, Instruction, Operand, RegisterId, Target, ViewId, builtin_names,
};
use kalg::backend::array::simulate::{FlaggedArray, Options};
use kalg::backend::array::verify::guarded::{
    Code, Kind, Node, Place, Reaches, Reference, Space, Verdict, Wanted, follow, judge,
};
use kalg::picture::{Image, Pattern};
use proptest::prelude::*;
use proptest::test_runner::Config;

const SIZE: [usize; 2] = [9, 8];

fn target() -> Target {
    Target::builtin(builtin_names()[0]).unwrap()
}

thread_local! {
    static TARGET: Target = target();
}

/// A number below `most` from the lowest bits of a seed, which loses them.
fn taken(seed: &mut u64, most: usize) -> usize {
    let digit = *seed % most as u64;
    *seed /= most as u64;
    digit as usize
}

/// An operand of any kind; registers and bits are few, so that values meet.
fn operand(target: &Target, seed: &mut u64) -> Operand {
    match taken(seed, 8) {
        0..3 => Operand::Register(RegisterId([0, 1, 2, 6, 8][taken(seed, 5)])),
        3 => Operand::View(ViewId(taken(seed, target.views.len()))),
        4..6 => Operand::Bit(BitId([0, 1, 4, 5, 6, 12, target.flag().unwrap().0][taken(seed, 7)])),
        6 => Operand::Directions(taken(seed, 16) as u32),
        _ => Operand::Count(taken(seed, 3) as u32),
    }
}

/// The instruction that a seed stands for, if the machine has it and it is exact.
fn instruction(target: &Target, mut seed: u64) -> Option<Instruction> {
    let names: Vec<&String> = (target.primitives.iter().map(|p| &p.name))
        .chain(target.macros.iter().map(|m| &m.name))
        .chain(target.logic.iter().map(|l| &l.name))
        .collect();
    let name = names[taken(&mut seed, names.len())].clone();
    // Operands of the wrong number or kind are drawn again.
    let mut random = kalg::algebra::Random::new(seed);
    for _ in 0..400 {
        let length = random.integer(0, 4) as usize;
        let operands = (0..length).map(|_| operand(target, &mut random.next())).collect();
        let instruction = Instruction { name: name.clone(), operands };
        let exact = |effects: Vec<Effect>| {
            effects.iter().all(|e| !matches!(e, Effect::Unknown { cause: Cause::Inexact(_), .. }))
        };
        if target.check_instruction(&instruction).is_ok() {
            return target.effects(&instruction).is_ok_and(exact).then_some(instruction);
        }
    }
    None
}

fn steps(target: &Target, seeds: &[u64]) -> (Vec<Instruction>, Vec<Vec<Effect>>) {
    let program: Vec<Instruction> = seeds.iter().filter_map(|seed| instruction(target, *seed)).collect();
    let effects = program.iter().map(|instruction| target.effects(instruction).unwrap()).collect();
    (program, effects)
}

/// What a register or bit holds at the start.
fn image(target: &Target, cell: Cell, seed: u64) -> Image {
    let [width, height] = SIZE;
    match cell {
        Cell::Register(register) if target.given(register) == Some(Given::Number) => {
            Image::filled(width, height, (seed % 5) as f64 - 2.0)
        }
        Cell::Register(RegisterId(number)) => {
            Image::synthetic(Pattern::Noise, SIZE, [-3, 3], seed.wrapping_add(number as u64))
        }
        Cell::Bit(BitId(number)) => {
            Image::synthetic(Pattern::Noise, SIZE, [0, 1], seed.wrapping_add(1000 + number as u64))
        }
    }
}

fn program(most: usize) -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(any::<u64>(), 1..most)
}

fn config(cases: u32) -> Config {
    Config { cases, failure_persistence: None, max_global_rejects: 1_000_000, ..Config::default() }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn evaluation_is_simulation(seeds in program(9), seed: u64) {
        TARGET.with(|target| {
            let (listed, steps) = steps(target, &seeds);
            let registers = target.registers.len();
            let mut space = Space::new();
            let followed = follow(&mut space, target, &steps, registers, &[]).unwrap();
            let mut array = FlaggedArray::new(target, registers, SIZE, Options::default());
            let images: Vec<Image> =
                followed.start.iter().map(|(cell, _)| image(target, *cell, seed)).collect();
            for ((cell, _), image) in followed.start.iter().zip(&images) {
                array.set(*cell, image).unwrap();
            }
            steps.iter().for_each(|effects| array.execute(effects).unwrap());
            let reaches = Reaches::new(target, registers, steps.iter().flatten());
            for cell in (0..registers).map(|r| Cell::Register(RegisterId(r))).chain((0..target.bits.len()).map(|b| Cell::Bit(BitId(b)))) {
                let (Ok(value), Some(reach)) = (followed.end.value(cell), reaches.of(cell)) else { continue };
                if !space.unknowns(value).is_empty() {
                    continue;
                }
                let [west, east, south, north] = reach.border().map(|side| side as usize);
                let found = array.image(cell);
                for y in south..SIZE[1].saturating_sub(north) {
                    for x in west..SIZE[0].saturating_sub(east) {
                        let at = |(channel, [dx, dy, _]): Place| {
                            let index = followed.start.iter().position(|(_, own)| *own == channel).unwrap();
                            let pixel = images[index].get(x as i64 + i64::from(dx), y as i64 + i64::from(dy));
                            Rational::from_f64(pixel.unwrap()).unwrap()
                        };
                        let is = found.get(x as i64, y as i64).unwrap();
                        let told = match space.diagrams.leaf(value, &at).unwrap() {
                            Node::Truth(truth) => (is > 0.0) == *truth,
                            Node::Linear(function) => {
                                (is - function.value(&at).unwrap().to_f64()).abs() < 1e-6
                            }
                            Node::Split { .. } => false,
                        };
                        let text: Vec<String> = listed.iter().map(|i| target.instruction_text(i)).collect();
                        prop_assert!(told, "{} at ({x}, {y}) after {text:?}", target.cell_name(cell));
                    }
                }
            }
            Ok(())
        })?;
    }
}

proptest! {
    #![proptest_config(config(80))]

    /// Two programs that differ by one instruction: equal results agree on random images, different ones on no image that is shown.
    #[test]
    fn verdicts_are_what_images_show(seeds in program(7), other: u64, place: usize, seed: u64) {
        TARGET.with(|target| {
            let (_, one) = steps(target, &seeds);
            let mut changed = seeds.clone();
            let place = place % changed.len();
            changed[place] = other;
            let (_, two) = steps(target, &changed);
            let registers = target.registers.len();
            let mut space = Space::new();
            let mut inputs = Vec::new();
            for (index, cell) in start_cells(target).into_iter().enumerate() {
                inputs.push((cell, space.input(target, index, cell).unwrap()));
            }
            let first = follow(&mut space, target, &one, registers, &inputs).unwrap();
            let second = follow(&mut space, target, &two, registers, &inputs).unwrap();
            let code = Code { target, steps: &one, registers, start: &first.start };
            let theirs = Code { target, steps: &two, registers, start: &second.start };
            let run = |steps: &[Vec<Effect>]| {
                let mut array = FlaggedArray::new(target, registers, SIZE, Options::default());
                inputs.iter().for_each(|(cell, _)| array.set(*cell, &image(target, *cell, seed)).unwrap());
                steps.iter().for_each(|effects| array.execute(effects).unwrap());
                array
            };
            let (ours, their) = (run(&one), run(&two));
            for cell in [Cell::Register(RegisterId(1)), Cell::Bit(BitId(5))] {
                let bit = matches!(cell, Cell::Bit(_));
                let reference = Reference::Program(theirs, cell);
                let value = second.end.value(cell);
                let wanted = Wanted { name: "out", cell: Some(cell), value, bit, reference };
                let finding = judge(&mut space, code, &first, &wanted, &[]).unwrap();
                match finding.verdict {
                    Verdict::Equal => {
                        let reaches = [&one, &two].map(|steps| Reaches::new(target, registers, steps.iter().flatten()).of(cell));
                        let [Some(a), Some(b)] = reaches.map(|reach| reach.map(|reach| reach.border())) else { continue };
                        for y in a[2].max(b[2])..(SIZE[1] as u32).saturating_sub(a[3].max(b[3])) {
                            for x in a[0].max(b[0])..(SIZE[0] as u32).saturating_sub(a[1].max(b[1])) {
                                let [is, as_well] = [&ours, &their].map(|array| array.image(cell).get(x.into(), y.into()).unwrap());
                                prop_assert!((is - as_well).abs() < 1e-6);
                            }
                        }
                    }
                    Verdict::Different => {
                        let Some(example) = finding.example else { continue };
                        let [x, y] = example.pixel.map(|n| n as i64);
                        prop_assert!(example.found.get(x, y) != example.expected.get(x, y));
                    }
                    _ => {}
                }
            }
            prop_assert!(space.channels.iter().all(|channel| !matches!(channel.kind, Kind::Before)));
            Ok(())
        })?;
    }
}

/// All registers and bits that a program may read before it writes them.
fn start_cells(target: &Target) -> Vec<Cell> {
    let registers = (0..target.registers.len()).map(|r| Cell::Register(RegisterId(r)));
    let bits = (0..target.bits.len()).map(BitId).filter(|bit| target.flag() != Some(*bit)).map(Cell::Bit);
    registers.chain(bits).collect()
}
