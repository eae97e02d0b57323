//! Random programs with conditions, shortened: the new program leaves the same in simulation, and is never longer.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use kalg::algebra::Random;
use kalg::backend::array::compile::OptimizeRequest;
use kalg::backend::array::machine::{
    BitId, Cell, Effect, Given, Reading, RegisterId, Target, builtin_names, read_listing,
};
use kalg::backend::array::search::Objective;
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
        let line = match random.integer(0, 27) {
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
            26 => format!("scamp5_in({x}, {});", random.integer(-3, 3)),
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
        let listing = read_listing(&target, &source, &Reading::default()).unwrap();
        if listing.program.is_linear(&target) {
            continue;
        }
        let flat = Flat::new(&target, &source, &listing).unwrap();
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
const CASES: usize = 60;

/// A random program of digital instructions.
fn digital(target: &Target, random: &mut Random) -> String {
    const NAMES: [&str; 11] = ["R0", "R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9", "R12"];
    let mut text = String::new();
    let mut count = random.integer(2, 6);
    while count > 0 {
        let [r, s, t, u] = [(); 4].map(|()| NAMES[random.integer(0, 10) as usize]);
        let to = ["east", "north", "west", "south", "alldir", "east|north"][random.integer(0, 5) as usize];
        let line = match random.integer(0, 21) {
            0..=1 => format!("MOV({r}, {s});"),
            2..=3 => format!("NOT({r}, {s});"),
            4 => format!("NOT({r});"),
            5..=6 => format!("OR({r}, {s}, {t});"),
            7..=8 => format!("NOR({r}, {s}, {t});"),
            9 => format!("OR({r}, {s});"),
            10 => format!("SET({r}, {s});"),
            11 => format!("CLR({r});"),
            12..=13 => format!("AND({r}, {s}, {t});"),
            14 => format!("XORX({r}, {s}, {t});"),
            15 => format!("MUX({r}, {s}, {t}, {u});"),
            16..=18 => format!("DNEWS({r}, {s}, {to}, {});", random.integer(0, 1)),
            19 => format!("DNEWS{}({r}, {s});", random.integer(0, 1)),
            20 => format!("CLR_IF({r}, {s});"),
            _ => format!("where(A); MOV({r}, FLAG); all();"),
        };
        let read = target.parse(&Source::new("line", line.as_str()));
        if read.is_ok_and(|read| read.program.violations(target).is_empty()) {
            text = text + &line + "\n";
            count -= 1;
        }
    }
    text
}

#[test]
fn remade_digital_instructions_leave_the_same_up_to_the_edge_of_the_array() {
    let target = Arc::new(Target::builtin(builtin_names()[0]).unwrap());
    let rules = RuleSet::builtin().for_target(&target.name);
    let mut random = Random::new(5);
    let mut shorter = 0;
    for round in 0..DIGITAL_CASES {
        let text = digital(&target, &mut random);
        let source = Source::new("program", text.as_str());
        let listing = read_listing(&target, &source, &Reading::default()).unwrap();
        let flat = Flat::new(&target, &source, &listing).unwrap();
        let settings = OptimizeRequest {
            budget: Budget::of_work(20),
            objective: (round % 5 == 0).then_some(Objective::Instructions),
            ..OptimizeRequest::new(source, Arc::clone(&target), "bus", rules.clone())
        };
        let results: &[String] = if round % 2 == 0 { &[] } else { &["R5".to_owned(), "R6".to_owned()] };
        let record = shorten(&settings, &flat, results, &mut |_| {}).unwrap();
        let (_, before) = run(&target, &text, 7);
        let (_, after) = run(&target, &record.program.join("\n"), 7);
        for name in &record.kept {
            let cell = target.cell(name).unwrap();
            // A macro may leave anything in a register that it does not name.
            assert_eq!(
                before.image(cell).pixels(),
                after.image(cell).pixels(),
                "{name}:\n{text}\nnow\n{}",
                record.program.join("\n")
            );
        }
        shorter += usize::from(record.cycles < record.cycles_before);
    }
    assert!(shorter > DIGITAL_CASES / 3, "{shorter}");
}

/// Programs of digital instructions only.
const DIGITAL_CASES: usize = 40;
