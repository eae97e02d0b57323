//! Random programs with conditions, shortened: the new program leaves the same in simulation, and is never longer.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use kalg::algebra::Random;
use kalg::backend::array::compile::OptimizeRequest;
use kalg::backend::array::machine::{BitId, Cell, Effect, Given, Reading, RegisterId, Target, builtin_names};
use kalg::backend::array::shorten::{Flat, shorten};
use kalg::backend::array::simulate::{FlaggedArray, Options};
use kalg::backend::array::verify::guarded::Reaches;
use kalg::budget::Budget;
use kalg::picture::{Image, Pattern};
use kalg::report::ShortenedRecord;
use kalg::rule::RuleSet;
use kalg::syntax::Source;
use std::sync::Arc;

const SIZE: [usize; 2] = [24, 22];

/// A random program: analogue instructions, most of them linear, and now and then a mask or a digital one.
fn program(target: &Target, random: &mut Random) -> String {
    let mut text = String::new();
    let mut count = random.integer(5, 16);
    while count > 0 {
        let [x, y, z] = [(); 3].map(|()| ["A", "B", "C", "D", "E"][random.integer(0, 4) as usize]);
        let [r, s, t] = [(); 3].map(|()| ["R5", "R6", "R7"][random.integer(0, 2) as usize]);
        let to = ["east", "north", "west", "south"][random.integer(0, 3) as usize];
        let line = match random.integer(0, 26) {
            0..=3 => format!("add({x}, {y}, {z});"),
            4..=6 => format!("sub({x}, {y}, {z});"),
            7..=9 => format!("mov({x}, {y});"),
            10..=12 => format!("movx({x}, {y}, {to});"),
            13 => format!("bus(NEWS, {x}, {y});"),
            14 => format!("bus({x}, NEWS);"),
            15 => format!("bus({x}, XE, XW);"),
            16 => format!("neg({x}, {y});"),
            17 => format!("scamp5_load_in({}); add({x}, {y}, IN);", random.integer(-3, 3)),
            18 => format!("where({x});"),
            19 => format!("WHERE({r});"),
            20..=21 => "all();".to_owned(),
            22 => format!("MOV({r}, FLAG);"),
            23 => format!("NOT({r}, {s});"),
            24 => format!("AND({r}, {s}, {t});"),
            25 => format!("DNEWS({r}, {s}, {to});"),
            _ => format!("abs({x}, {y});"),
        };
        let read = target.parse(&Source::new("line", line.as_str()));
        if read.is_ok_and(|read| read.program.violations(target).is_empty()) {
            text = text + &line + "\n";
            count -= 1;
        }
    }
    text
}

fn image(target: &Target, cell: Cell, seed: u64) -> Image {
    match cell {
        Cell::Register(register) if target.given(register) == Some(Given::Number) => {
            Image::filled(SIZE[0], SIZE[1], 2.0)
        }
        Cell::Register(RegisterId(n)) => Image::synthetic(Pattern::Noise, SIZE, [-3, 3], seed + n as u64),
        Cell::Bit(BitId(n)) => Image::synthetic(Pattern::Noise, SIZE, [0, 1], seed + 100 + n as u64),
    }
}

/// The effects of a program as text, and the array after it.
fn run<'a>(target: &'a Target, text: &str, seed: u64) -> (Vec<Effect>, FlaggedArray<'a>) {
    let program = target.parse(&Source::new("program", text)).unwrap().program;
    assert!(program.violations(target).is_empty());
    let effects: Vec<Effect> =
        program.instructions.iter().flat_map(|instruction| target.effects(instruction).unwrap()).collect();
    let registers = target.registers.len();
    let mut array = FlaggedArray::new(target, registers, SIZE, Options::default());
    let bits = (0..target.bits.len()).map(BitId).filter(|bit| target.flag() != Some(*bit));
    for cell in (0..registers).map(|r| Cell::Register(RegisterId(r))).chain(bits.map(Cell::Bit)) {
        array.set(cell, &image(target, cell, seed)).unwrap();
    }
    array.execute(&effects).unwrap();
    (effects, array)
}

/// What is kept holds the same after both programs, but for the outermost pixels.
fn compare(target: &Target, given: &str, record: &ShortenedRecord) {
    let new = record.program.join("\n");
    for seed in [1, 1000] {
        let (before, after) = (run(target, given, seed), run(target, &new, seed));
        let reaches =
            [&before.0, &after.0].map(|own| Reaches::new(target, target.registers.len(), own.iter()));
        for name in &record.kept {
            let cell = target.cell(name).unwrap();
            let [Some(a), Some(b)] = reaches.each_ref().map(|reaches| reaches.of(cell)) else { continue };
            let [a, b] = [a, b].map(|reach| reach.border().map(|side| side as usize));
            let [west, east, south, north] = [0, 1, 2, 3].map(|side| a[side].max(b[side]));
            let [one, other] = [&before.1, &after.1].map(|array| array.image(cell));
            for y in south..SIZE[1].saturating_sub(north) {
                for x in west..SIZE[0].saturating_sub(east) {
                    let at = |image: &Image| image.get(x as i64, y as i64).unwrap();
                    assert!(
                        (at(&one) - at(&other)).abs() < 1e-6,
                        "{name} at ({x}, {y}):\n{given}\nnow\n{new}"
                    );
                }
            }
        }
    }
}

#[test]
fn shortened_programs_leave_the_same_and_are_never_longer() {
    let target = Arc::new(Target::builtin(builtin_names()[0]).unwrap());
    let rules = RuleSet::builtin().for_target(&target.name);
    let mut random = Random::new(19);
    let (mut read, mut shorter, mut masked) = (0, 0, 0);
    for round in 0..CASES {
        let text = program(&target, &mut random);
        let source = Source::new("program", text.as_str());
        let Some(flat) = Flat::read(&target, &source, &Reading::default()).unwrap() else { continue };
        let isa = ["bus", "macro", "basic"][round % 3];
        let settings = OptimizeRequest {
            budget: Budget::of_work(20),
            ..OptimizeRequest::new(source, Arc::clone(&target), isa, rules.clone())
        };
        let results: &[String] = if round % 2 == 0 { &[] } else { &["B".to_owned(), "R6".to_owned()] };
        let record = shorten(&settings, &flat, results, &mut |_| {}).unwrap();
        assert!(record.cycles <= record.cycles_before, "{text}");
        compare(&target, &text, &record);
        read += 1;
        shorter += usize::from(record.cycles < record.cycles_before);
        let under = |stretch: &&kalg::report::StretchRecord| stretch.masked && stretch.replacement.is_some();
        masked += record.stretches.iter().filter(under).count();
    }
    // The test must meet what it is about.
    assert!(read > CASES / 2 && shorter > CASES / 4 && masked > 0, "{read} {shorter} {masked}");
}

/// Programs, of which most have conditions.
const CASES: usize = 200;
