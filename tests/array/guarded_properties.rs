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
use kalg::syntax::Source;
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
            let run = |steps: &[Vec<Effect>], noise: u64| {
                let mut array = FlaggedArray::new(target, registers, SIZE, Options::default());
                inputs.iter().for_each(|(cell, _)| array.set(*cell, &image(target, *cell, seed)).unwrap());
                for (index, effect) in steps.iter().flatten().enumerate() {
                    array.execute(std::slice::from_ref(effect)).unwrap();
                    make_up(target, &mut array, effect, noise.wrapping_add(index as u64));
                }
                array
            };
            let (ours, their) = (run(&one, seed ^ 1), run(&two, seed ^ 2));
            for cell in [Cell::Register(RegisterId(1)), Cell::Bit(BitId(5))] {
                let bit = matches!(cell, Cell::Bit(_));
                let reference = Reference::Program(theirs, cell);
                let value = second.end.value(cell);
                let undocumented = second.end.undocumented(&space, cell);
                let wanted = Wanted { name: "out", cell: Some(cell), value, bit, undocumented, reference };
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

/// Puts anything where an effect leaves what is not documented. A source of images keeps its image: another one is as good before
/// the first is used, and is not told from it here.
fn make_up(target: &Target, array: &mut FlaggedArray<'_>, effect: &Effect, noise: u64) {
    let Effect::Unknown { registers, bits, .. } = effect else { return };
    let chosen = array.bit(target.flag().unwrap()).to_vec();
    for register in registers.iter().filter(|register| target.given(**register) != Some(Given::Image)) {
        let cell = Cell::Register(*register);
        let (old, new) = (array.image(cell), image(target, cell, noise));
        let everywhere = target.given(*register).is_some();
        let pixels = chosen.iter().zip(old.pixels().iter().zip(new.pixels()));
        let pixels = pixels.map(|(flag, (old, new))| if *flag || everywhere { *new } else { *old });
        let made_up = Image::from_pixels(SIZE[0], SIZE[1], pixels.collect()).unwrap();
        array.set(cell, &made_up).unwrap();
    }
    for bit in bits {
        array.set(Cell::Bit(*bit), &image(target, Cell::Bit(*bit), noise)).unwrap();
    }
}

/// How what one program leaves in a register or bit compares with what another one leaves there.
fn verdict([one, other]: [&str; 2], name: &str) -> Verdict {
    let target = target();
    let cell = target.cell(name).unwrap();
    let effects = |text: &str| -> Vec<Vec<Effect>> {
        let program = target.parse(&Source::new("test", text)).unwrap().program;
        program.instructions.iter().map(|instruction| target.effects(instruction).unwrap()).collect()
    };
    let [one, other] = [effects(one), effects(other)];
    let (registers, mut space) = (target.registers.len(), Space::new());
    let ours = follow(&mut space, &target, &one, registers, &[]).unwrap();
    let theirs = follow(&mut space, &target, &other, registers, &[]).unwrap();
    let code = |steps, start| Code { target: &target, steps, registers, start };
    let wanted = Wanted {
        name: "out",
        cell: Some(cell),
        value: theirs.end.value(cell),
        bit: matches!(cell, Cell::Bit(_)),
        undocumented: theirs.end.undocumented(&space, cell),
        reference: Reference::Program(code(&other, &theirs.start), cell),
    };
    judge(&mut space, code(&one, &ours.start), &ours, &wanted, &[]).unwrap().verdict
}

#[test]
fn what_is_set_and_then_lost_is_unknown_whether_it_was_read_or_not() {
    let read = "scamp5_load_in(1); mov(C, IN);";
    for lost in [
        "scamp5_load_in(1); scamp5_in(A, -2); mov(C, IN);",
        "scamp5_load_in(7); scamp5_in(A, -2); mov(C, IN);",
        "scamp5_load_in(1); scamp5_in(A, -2, D); mov(C, IN);",
        "scamp5_load_in(1); scamp5_load_in(); mov(C, IN);",
        "scamp5_load_in(1); scamp5_global_count(R5, D); mov(C, IN);",
        "scamp5_load_in(1); scamp5_load_dac(A, 100); mov(C, IN);",
        "scamp5_load_in(1); mov(D, IN); scamp5_in(A, -2); mov(C, IN);",
    ] {
        assert!(matches!(verdict([read, lost], "C"), Verdict::Depends(_)), "{lost}");
    }
    // A number that was there before is lost as well.
    assert!(matches!(verdict(["mov(C, IN);", "scamp5_in(A, -2); mov(C, IN);"], "C"), Verdict::Depends(_)));
    // Of an image that nothing has used, none is told from another; of one that was used, the next is.
    let image = "bus(NEWS, PIX); bus(C, NEWS);";
    assert_eq!(verdict([image, &format!("rpix(); {image}")], "C"), Verdict::Equal);
    let second = format!("bus(B, PIX); rpix(); {image}");
    assert!(matches!(verdict([image, &second], "C"), Verdict::Depends(_)));
}

#[test]
fn images_are_not_tried_on_what_is_not_documented() {
    let dilate = "DNEWS(R9, R10, alldir); OR(R10, R9); AND(R9, R10, R8); MOV(R10, R9);";
    let all = format!("MOV(R10, R11); {dilate}{dilate}{dilate}{dilate}");
    let lost = "XORX(R1, R8, R7); AND(R9, R10, R8);";
    let at = all.rfind(dilate).unwrap() + dilate.find("AND").unwrap();
    let other = format!("{}{}", &all[..at], all[at..].replacen("AND(R9, R10, R8);", lost, 1));
    for cell in ["R8", "R9", "R10"] {
        let verdict = verdict([&all, &other], cell);
        assert!(matches!(verdict, Verdict::Trouble(_) | Verdict::Depends(_)), "{cell}: {verdict:?}");
    }
    // What neither touches is the same, however many cases there are elsewhere.
    for cell in ["R6", "R7", "R11"] {
        assert_eq!(verdict([&all, &other], cell), Verdict::Equal, "{cell}");
    }
    let flood = "SET(R0); MOV(R12, R8); MOV(R0, R6); PROP0();";
    let lost = format!("XORX(R1, R8, R7); {flood}");
    assert!(matches!(verdict([flood, &lost], "R12"), Verdict::Depends(_)));
    assert_eq!(verdict([flood, &flood.replace("R6", "R7")], "R12"), Verdict::Different);
}

#[test]
fn what_is_lost_under_a_mask_reaches_as_far_as_before() {
    let target = target();
    let text = "movx(B, A, east); where(C); scamp5_in(B, 3, D); scamp5_in(B); all();";
    let program = target.parse(&Source::new("test", text)).unwrap().program;
    let effects: Vec<Effect> =
        program.instructions.iter().flat_map(|instruction| target.effects(instruction).unwrap()).collect();
    let reaches = Reaches::new(&target, target.registers.len(), effects.iter());
    assert_eq!(reaches.of(target.cell("B").unwrap()).unwrap().border(), [0, 1, 0, 0]);
}

/// All registers and bits that a program may read before it writes them.
fn start_cells(target: &Target) -> Vec<Cell> {
    let registers = (0..target.registers.len()).map(|r| Cell::Register(RegisterId(r)));
    let bits = (0..target.bits.len()).map(BitId).filter(|bit| target.flag() != Some(*bit)).map(Cell::Bit);
    registers.chain(bits).collect()
}
