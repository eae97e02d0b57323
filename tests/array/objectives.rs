//! Objectives besides the cost: range, noise, and accuracy of coefficients; and their command-line options.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::{Command, Output};
use std::sync::Arc;

use crate::compiled::{compiled, file, program, record, refusal, request};
use crate::scratch::Scratch;
use kalg::algebra::Rational;
use kalg::backend::array::compile::{Aims, Nearness, OptimizeRequest};
use kalg::backend::array::machine::{Program, RegisterId, Target, Transfer, Value, builtin_names};
use kalg::backend::array::simulate::{Options, PixelArray};
use kalg::backend::array::verify::{Trace, amplitude, fits};
use kalg::picture::{Image, Pattern};
use kalg::report::OptimizeRecord;
use kalg::syntax::Source;
use proptest::prelude::*;
use serde_json::Value as Json;

/// The built-in machine for these tests.
fn target() -> Arc<Target> {
    Arc::new(Target::builtin(builtin_names()[0]).unwrap())
}

fn kernel(text: &str, isa: &str, nodes: u64) -> OptimizeRequest {
    request(Source::new("test.sexp", format!("(filter test (inputs image) (output out {text}))")), isa, nodes)
}

fn range(low: i64, high: i64) -> Option<[Rational; 2]> {
    Some([Rational::integer(low), Rational::integer(high)])
}

/// The array after some steps, with or without saturation.
fn run(target: &Target, steps: &[Transfer], input: RegisterId, image: &Image, saturate: bool) -> PixelArray {
    let options = Options { saturation: saturate.then_some(target.range.map(Rational::to_f64)), noise: None };
    let mut machine = PixelArray::new(target.registers.len(), [image.width(), image.height()], 0.0, options);
    machine.set(input, image).unwrap();
    machine.execute(steps);
    machine
}

/// Whether registers agree in the pixels that are at least `margin` from the edge.
fn same_within(margin: usize, target: &Target, a: &PixelArray, b: &PixelArray) -> bool {
    let inner = |machine: &PixelArray, register: usize| {
        let image = machine.image(RegisterId(register));
        let [width, height] = [image.width(), image.height()];
        let rows = image.pixels().chunks(width).skip(margin).take(height - 2 * margin);
        rows.flat_map(|row| row[margin..width - margin].to_vec()).collect::<Vec<f64>>()
    };
    (0..target.registers.len()).all(|register| inner(a, register) == inner(b, register))
}

fn same(target: &Target, a: &PixelArray, b: &PixelArray) -> bool {
    same_within(0, target, a, b)
}

/// Programs that write every register before they read it.
fn programs() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        (0usize..4).prop_map(|r| format!("bus(NEWS, {});", ["A", "B", "C", "D"][r])),
        (0usize..4).prop_map(|r| format!("bus({}, NEWS, XE, XW);", ["A", "B", "C", "D"][r])),
        (0usize..4).prop_map(|r| format!(
            "bus({}, XN, {});",
            ["A", "B", "C", "D"][r],
            ["B", "C", "D", "A"][r]
        )),
        (0usize..4).prop_map(|r| format!(
            "bus2(NEWS, {}, {});",
            ["A", "B", "C", "D"][r],
            ["C", "D", "A", "B"][r]
        )),
        (0usize..4).prop_map(|r| format!(
            "bus(XW, {}, {});",
            ["A", "B", "C", "D"][r],
            ["B", "C", "D", "A"][r]
        )),
    ];
    let first = "bus(NEWS, A); bus(B, NEWS); bus(C, NEWS, XE); bus(D, XS);".to_owned();
    prop::collection::vec(line, 0..7).prop_map(move |lines| first.clone() + &lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn saturation_begins_exactly_beyond_the_amplitude(text in programs(), seed in 0u64..1000) {
        let target = target();
        let program = target.parse(&Source::new("test.scamp", text)).unwrap().program;
        let input = target.register("A").unwrap();
        let trace = Trace::new(&target, &program, &[input], false).unwrap();
        let amplitude = amplitude(&target, &trace).unwrap();
        let steps: Vec<Transfer> = trace.lines.iter().flatten().cloned().collect();
        // At the bound: pixels of either sign and full amplitude, in any pattern. Each of these steps moves the values that it reads
        // by at most one pixel.
        let margin = steps.len();
        let size = [25 + 2 * margin; 2];
        let signs = Image::synthetic(Pattern::Noise, size, [0, 1], seed);
        let image = |zero: f64, one: f64| {
            let pixels = signs.pixels().iter().map(|p| if *p == 0.0 { zero } else { one }).collect();
            Image::from_pixels(size[0], size[1], pixels).unwrap()
        };
        let below = |value: Rational| value.to_f64() * (1.0 - 1e-12);
        let (a, b) = (below(amplitude.symmetric), below(amplitude.positive));
        for image in [image(-a, a), image(0.0, b)] {
            let [plain, limited] = [false, true].map(|saturate| run(&target, &steps, input, &image, saturate));
            prop_assert!(same_within(margin, &target, &plain, &limited));
        }
        let near = Rational::from_f64((a * 64.0).floor() / 64.0).unwrap();
        prop_assert!(fits(&target, &trace, [near.negate(), near]));
        // Just beyond: the image of the signs of the limiting kernel.
        let (Some(line), register) = amplitude.limit else { return Ok(()) };
        let beyond = a * 1.01;
        let state = trace.after(line + 1);
        let Value::Known(kernel) = state.value(register) else { unreachable!("all registers are known") };
        for sign in [1.0, -1.0] {
            let mut pixels = vec![0.0; 25 * 25];
            for (_, [x, y, _], k) in kernel.taps().unwrap() {
                let at = (12 + y) as usize * 25 + (12 + x) as usize;
                pixels[at] = sign * beyond * k.to_f64().signum();
            }
            let image = Image::from_pixels(25, 25, pixels).unwrap();
            let until: Vec<Transfer> = trace.lines[..=line].iter().flatten().cloned().collect();
            let [plain, limited] = [false, true].map(|saturate| run(&target, &until, input, &image, saturate));
            if sign > 0.0 && !same(&target, &plain, &limited) {
                return Ok(());
            }
            // 128 overflows a register on one side only.
            prop_assert!(sign > 0.0 || !same(&target, &plain, &limited), "{:?} overflows nowhere", amplitude);
        }
    }
}

/// The steps and ports of a record's program.
fn steps(
    request: &OptimizeRequest,
    record: &OptimizeRecord,
) -> (Program, Vec<Transfer>, RegisterId, RegisterId) {
    let target = &request.target;
    let program = program(request, record);
    let steps = program.transfers(target).unwrap();
    let register = |port: &kalg::report::Port| target.register(port.register.as_deref().unwrap()).unwrap();
    (program, steps, register(&record.inputs[0]), register(&record.outputs[0]))
}

#[test]
fn programs_keep_within_the_range_that_is_asked_for() {
    // In both, sums before halvings would be shorter, but overflow.
    let box_3 = "(scale 1/16 (kernel (1 1 1) (1 1 1) (1 1 1)))";
    for (isa, nodes) in [("bus", 150), ("macro", 400)] {
        let mut request = kernel(box_3, isa, nodes);
        let free = compiled(&request);
        request.aims.input_range = range(0, 127);
        let bound = compiled(&request);
        assert!(bound.cycles >= free.cycles, "{isa}");
        let amplitude = bound.range.as_ref().unwrap().positive.get();
        assert!(amplitude >= 127.0, "{isa}: {amplitude}");
        assert_eq!(bound.input_range.map(|range| range.map(|end| end.get())), Some([0.0, 127.0]));
        let (_, steps, input, _) = steps(&request, &bound);
        for pattern in [Pattern::Noise, Pattern::Checker] {
            let image = Image::synthetic(pattern, [32, 32], [0, 127], 3);
            let [plain, limited] =
                [false, true].map(|saturate| run(&request.target, &steps, input, &image, saturate));
            assert!(same(&request.target, &plain, &limited), "{isa}: a pixel saturates");
        }
    }
}

#[test]
fn an_output_that_overflows_by_itself_has_no_program() {
    let mut request = request(file("classic/box-3.sexp"), "bus", 100);
    request.aims.input_range = range(0, 127);
    let none = record(&request).no_program.expect("nine times 127 does not fit a register");
    assert!(none.reason.contains("the output `out` itself becomes 0 to 1143"), "{}", none.reason);
}

#[test]
fn the_prediction_is_what_simulation_finds() {
    let target = target();
    for (path, isa) in [("classic/gauss-3.sexp", "bus"), ("classic/row-121.sexp", "macro")] {
        for model in &target.noise {
            let mut request = request(file(path), isa, 60);
            request.aims.noise = Some(model.clone());
            let record = compiled(&request);
            let noise = record.noise.as_ref().unwrap();
            assert_eq!(noise.model, model.name);
            let (_, steps, input, output) = steps(&request, &record);
            let image =
                Image::synthetic(Pattern::Scene, [64, 64], noise.image_range.map(|end| end.get() as i64), 0);
            let ideal = run(&target, &steps, input, &image, false).image(output);
            let (mut squares, mut count) = (0.0, 0);
            for seed in 0..12 {
                let options = Options { saturation: None, noise: Some((model.clone(), seed)) };
                let mut machine = PixelArray::new(target.registers.len(), [64, 64], 0.0, options);
                machine.set(input, &image).unwrap();
                machine.execute(&steps);
                let found = machine.image(output);
                for y in 4..60 {
                    for (a, b) in found.row(y)[4..60].iter().zip(&ideal.row(y)[4..60]) {
                        squares += (a - b) * (a - b);
                        count += 1;
                    }
                }
            }
            let sampled = (squares / f64::from(count)).sqrt();
            let predicted = noise.rms_error.get();
            let apart = (sampled - predicted).abs() / predicted;
            // The sampled pixels differ a little, and 12 machines of 56 × 56 pixels are a sample.
            assert!(apart < 0.06, "{path}, {isa}, {}: {predicted} predicted, {sampled} found", model.name);
        }
    }
}

#[test]
fn a_front_is_in_order_and_every_program_of_it_computes_the_filter() {
    let mut request = request(file("classic/row-141.sexp"), "bus", 600);
    request.aims = Aims { front: true, noise: target().noise("cain").cloned(), ..Aims::default() };
    let found = compiled(&request);
    let front = found.front.as_ref().unwrap();
    assert!(!front.is_empty());
    assert_eq!(front[0].program, *found.program.as_ref().unwrap());
    for pair in front.windows(2) {
        let error = |other: &kalg::report::Alternative| other.noise.as_ref().unwrap().rms_error.get();
        assert!(pair[0].cycles < pair[1].cycles && error(&pair[0]) > error(&pair[1]), "{front:?}");
    }
    for other in front {
        let alone = OptimizeRecord {
            program: Some(other.program.clone()),
            outputs: other.outputs.clone(),
            inputs: other.inputs.clone(),
            cycles: Some(other.cycles),
            ..found.clone()
        };
        let (_, steps, input, output) = steps(&request, &alone);
        let image = Image::synthetic(Pattern::Noise, [20, 20], [-8, 8], 1);
        let result = run(&request.target, &steps, input, &image, false).image(output);
        let [reference] = [&found].map(|found| {
            let (_, steps, input, output) = self::steps(&request, found);
            run(&request.target, &steps, input, &image, false).image(output)
        });
        for y in 5..15 {
            assert_eq!(result.row(y)[5..15], reference.row(y)[5..15]);
        }
    }
    assert_eq!(record(&request).to_json(), found.to_json(), "the same nodes give the same front");
}

/// The search multiplies by powers of two and three only. What it leaves out, it says, and proves nothing about.
#[test]
fn operations_that_the_search_cannot_use_are_named() {
    let text = include_str!("../../rules/scamp5/target.sexp").replace("(weights -1/3)", "(weights -1/5)");
    let fifths =
        Arc::new(kalg::backend::array::machine::read_target(&Source::new("fifths.sexp", text)).unwrap());
    let asked = |text: &str| OptimizeRequest { target: fifths.clone(), ..kernel(text, "bus", 300) };
    for (given, expected) in [
        (
            "(kernel (1/5))",
            "the coefficient 1/5, which this instruction set may make, but the search uses only",
        ),
        (
            "(kernel (1/3))",
            "the coefficient 1/3, which this instruction set cannot make: it has only halvings, and fractions",
        ),
    ] {
        let refused = refusal(&asked(given));
        assert!(refused.contains(expected), "{refused}");
    }
    let found = record(&asked("(kernel (1/2))"));
    assert_eq!((found.cycles, found.optimal, found.lower_bound), (Some(2), None, None));
    assert_eq!(found.unused, ["bus3"]);
    let text = kalg::report::text(&found, false);
    assert!(text.contains("the search does not cover bus3"), "{text}");
    assert_eq!(record(&kernel("(kernel (1/2))", "bus", 300)).optimal, Some(true));
}

/// Shorter programs with a factor of three, or with a register that holds 0, are not found: the longer ones are not called optimal.
#[test]
fn nothing_is_proved_about_instructions_that_the_search_does_not_cover() {
    let machine = |rules: &str, operations: &str| {
        let text = format!(
            "(target tiny (doc \"\") (image 16 16) (range -128 127) (cycle (microseconds 1) (microjoules 1)) (brackets b e)
               (direction up 0 1) (registers general A B C) (operand-rules {rules}) (isa all quick \"\") {operations})"
        );
        Arc::new(kalg::backend::array::machine::read_target(&Source::new("tiny.sexp", text)).unwrap())
    };
    let one = |name: &str, sources: &str, weights: &str, cycles: u32| {
        format!(
            "(operation {name} (destinations 1) (sources {sources}) (weights {weights}) (cycles {cycles}) (in all))"
        )
    };
    let (sum, zero, difference) =
        (one("s", "2 2", "1", 1), one("z", "0 0", "1", 1), one("d", "2 2", "1 -1", 1));
    let (triple, negative, copy) =
        (one("o", "1 1", "3", 1), one("n", "1 1", "-1", 1), one("c", "1 1", "1", 1));
    let slow_copy = one("c", "1 1", "1", 3);
    for (rules, operations, text, uncovered) in [
        ("", [&triple, &sum, &copy], "(kernel (3))", &["o"][..]),
        ("each-operand-once", [&zero, &difference, &copy], "(kernel (-1))", &["d"]),
        ("each-operand-once", [&zero, &sum, &slow_copy], "(kernel (2))", &["s"]),
        ("each-operand-once", [&negative, &difference, &copy], "(kernel (-1))", &[]),
    ] {
        let target = machine(rules, &operations.map(String::as_str).concat());
        let found = record(&OptimizeRequest { target, ..kernel(text, "all", 300) });
        assert_eq!(found.unused, uncovered, "{operations:?}");
        assert_eq!(
            found.optimal.is_some() && found.lower_bound.is_some(),
            uncovered.is_empty(),
            "{operations:?}"
        );
    }
}

#[test]
fn noise_is_weighed_against_cycles() {
    let mut request = request(file("classic/row-141.sexp"), "bus", 400);
    let score = |record: &OptimizeRecord, weight: f64| {
        f64::from(record.cycles.unwrap()) + weight * record.noise.as_ref().unwrap().rms_error.get()
    };
    let plain = compiled(&request);
    request.aims.noise_weight = Some(3.0);
    let weighed = compiled(&request);
    let cost = weighed.weighted_cost.unwrap().get();
    assert!((cost - score(&weighed, 3.0)).abs() < 1e-5, "{cost}");
    assert!(cost <= score(&plain, 3.0) + 1e-6, "{cost}");
    assert_eq!((weighed.optimal, plain.weighted_cost), (None, None));
}

#[test]
fn coefficients_move_within_the_error_and_no_farther() {
    let gauss = "(kernel (0.0613 0.1247 0.0613) (0.1247 0.256 0.1247) (0.0613 0.1247 0.0613))";
    let mut request = kernel(gauss, "bus", 300);
    let refused = refusal(&request);
    for expected in
        ["unrealisable-coefficient", "`out` has the coefficient 613/10000", "test.sexp:1:", "--max-error E"]
    {
        assert!(refused.contains(expected), "`{expected}` is missing in\n{refused}");
    }
    for (nearness, limit) in
        [(Nearness::Within(Rational::new(1, 64).unwrap()), 1.0 / 64.0), (Nearness::Depth(5), 1.0 / 64.0)]
    {
        request.aims.nearness = Some(nearness);
        // The compiled filter is not the file's: its own record says which it is.
        let record = record(&request);
        let lost = record.approximation.as_ref().unwrap();
        assert!(lost.max_error <= limit && lost.rms_error <= lost.max_error, "{lost:?}");
        assert!(lost.image_rms_error.unwrap() <= lost.image_max_error.unwrap(), "{lost:?}");
        let exact = [[0.0613, 0.1247, 0.0613], [0.1247, 0.256, 0.1247], [0.0613, 0.1247, 0.0613]];
        for tap in &record.footprint[0].kernels[0].taps {
            let [x, y, _] = tap.offset;
            let wanted =
                if x.abs() > 1 || y.abs() > 1 { 0.0 } else { exact[(1 - y) as usize][(x + 1) as usize] };
            let given = tap.coefficient.parse::<Rational>().unwrap().to_f64();
            assert!((given - wanted).abs() <= lost.max_error + 1e-12, "{tap:?}");
        }
        assert!(record.cycles.unwrap() <= 12);
        // Within an error, what is proved of one filter does not hold for the others: here 1/9 takes two cycles.
        let is_one = matches!(nearness, Nearness::Depth(_));
        assert_eq!([record.optimal.is_some(), record.lower_bound.is_some()], [is_one; 2]);
    }
}

#[test]
fn what_a_near_filter_loses_is_measured_on_pixels_of_the_range() {
    let mut request = kernel("(kernel (9/16))", "bus", 100);
    request.aims.nearness = Some(Nearness::Within(Rational::new(1, 8).unwrap()));
    let mut lost = |range: Option<[Rational; 2]>| {
        request.aims.input_range = range;
        let lost = record(&request).approximation.unwrap();
        (lost.max_error, lost.image_max_error.unwrap().get())
    };
    let (coefficient, pixels) = lost(range(0, 10));
    assert!(coefficient > 0.0 && pixels <= 10.0 * coefficient, "{pixels}");
    assert!(lost(None).1 > 64.0 * coefficient);
}

#[test]
fn what_a_near_filter_loses_counts_as_error() {
    let mut request = request(file("classic/gauss-3.sexp"), "bus", 400);
    request.aims = Aims {
        front: true,
        nearness: Some(Nearness::Within(Rational::new(1, 8).unwrap())),
        ..Aims::default()
    };
    let found = record(&request);
    let front = found.front.as_ref().unwrap();
    for other in front {
        let lost = other.approximation.as_ref().map_or(0.0, |lost| lost.image_rms_error.unwrap().get());
        let noise = other.noise.as_ref().unwrap().rms_error.get();
        assert!((other.rms_error.unwrap().get() - noise.hypot(lost)).abs() < 1e-4, "{other:?}");
    }
    let lost = |other: &kalg::report::Alternative| other.approximation.as_ref().map(|lost| lost.max_error);
    assert!(front.len() > 1 && lost(&front[0]) > lost(&front[front.len() - 1]), "{front:?}");
}

#[test]
fn filters_that_no_search_can_name_are_refused_by_name() {
    for (kernel, reason) in [
        ("(kernel (1000000000000000000 1 1))", "`out` has coefficients whose common factor"),
        ("(shift 100000 0 (kernel (1 2 1)))", "`out` begins 99999 pixels from the computed pixel"),
    ] {
        let refused = refusal(&self::kernel(kernel, "bus", 10));
        for expected in ["unrealisable-kernel", reason, "test.sexp:1:"] {
            assert!(refused.contains(expected), "`{expected}` is missing in\n{refused}");
        }
    }
}

/// Only the prediction needs a pixel of the scene.
#[test]
fn filters_wider_than_the_scene_have_programs_without_a_prediction() {
    let mut request = kernel("(shift 66 0 (id))", "bus", 50);
    let far = compiled(&request);
    assert_eq!((far.cycles.is_some(), far.noise.is_some(), far.range.is_some()), (true, false, true));
    request.aims.front = true;
    let front = compiled(&request).front.unwrap();
    assert_eq!(front.iter().map(|one| one.noise.is_some()).collect::<Vec<_>>(), [false]);
}

#[test]
fn scenes_cover_ranges_without_integers() {
    let mut request = kernel("(kernel (1/2 1/2 .))", "bus", 50);
    // A model of noise in proportion to the picture.
    request.aims.noise = target().noise.iter().find(|model| model.relative > 0.0).cloned();
    let tenths = |n: i64| Rational::new(n, 10).unwrap();
    let mut predicted = |range: [i64; 2]| {
        request.aims.input_range = Some(range.map(tenths));
        compiled(&request).noise.unwrap()
    };
    let [small, large] = [predicted([-9, 9]), predicted([-45, 45])];
    assert_eq!(small.image_range.map(|end| end.get()), [-0.9, 0.9]);
    let ratio = large.rms_error.get() / small.rms_error.get();
    assert!(small.rms_error.get() > 0.0 && (4.99..5.01).contains(&ratio), "{ratio}");
}

/// What is lost in one plane does not make up for what is lost in another.
#[test]
fn planes_of_volumes_are_compared_one_by_one() {
    let lost = |kernel: &str| {
        let scratch = Scratch::new("approx");
        let file = scratch.file("f.sexp", format!("(filter f {kernel})"));
        let output = kalg(&["approx", &file, "--depth", "0", "--json"]);
        let record: Json = serde_json::from_slice(&output.stdout).unwrap();
        record["image_rms_error"].as_f64().unwrap()
    };
    let volume = lost("(dimensions 3) (output out (kernel (plane (1/3)) (plane (0)) (plane (-1/3))))");
    assert!(volume > 0.5 * lost("(output out (kernel (1/3 0 -1/3)))"), "{volume}");
}

/// The term as written has steps that the instructions cannot make, but the filter can be made.
#[test]
fn factors_that_cannot_be_made_do_no_harm() {
    let cycles = |text: &str| compiled(&kernel(text, "bus", 50)).cycles.unwrap();
    let plain = cycles("(kernel (1 2 1))");
    for text in ["(scale 1/5 (kernel (5 10 5)))", "(compose (kernel (1/5 2/5 1/5)) (scale 5 (id)))"] {
        assert_eq!(cycles(text), plain, "{text}");
    }
}

fn kalg(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalg"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().unwrap()
}

fn optimize(arguments: &[&str]) -> Output {
    kalg(&[&["optimize", "--cost", builtin_names()[0]], arguments].concat())
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let file = "corpus/classic/row-121.sexp";
    for (option, value, expected) in [
        ("--input-range", "0,200", "inputs of 0 to 200 do not fit in a register"),
        ("--input-range", "5,1", "the least value is above the greatest"),
        ("--max-error", "-1/8", "an error cannot be negative"),
        ("--weigh-noise", "-1", "a weight cannot be negative"),
        ("--weigh-noise", "nan", "expected a number, such as 0.5"),
        ("--noise", "loud", "no noise model `loud`"),
    ] {
        let output = optimize(&[file, &format!("{option}={value}")]);
        assert_eq!(output.status.code(), Some(2), "{option} {value}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(expected), "{option} {value}: {said}");
    }
}

#[test]
fn registers_that_contradict_each_other_are_refused() {
    let file = "corpus/classic/row-121.sexp";
    for (options, expected) in [
        (&["--outputs=out=B,out=C"][..], "--outputs names `out` twice"),
        (&["--input=image=B,image=C"], "--input names `image` twice"),
        (
            &["--outputs=out=A", "--keep-input"],
            "the input `image` is to be kept where the output `out` is wanted",
        ),
    ] {
        let output = optimize(&[&[file, "--nodes=60"], options].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{options:?}: {said}");
        assert!(said.contains(expected), "{options:?}: {said}");
    }
}

#[test]
fn reports_say_range_and_noise() {
    let output = optimize(&["corpus/classic/row-121.sexp", "--nodes=60", "--pareto", "--noise=cain"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for expected in [
        "Range: no register overflows for inputs of -",
        "Noise, predicted by cain: ",
        "Front: cycles against",
    ] {
        assert!(text.contains(expected), "`{expected}` is missing in\n{text}");
    }
    let output = kalg(&["check", "corpus/handwritten/box-3-bus.scamp", "--json"]);
    let json: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["range"]["positive"], 14.111_111);
    assert_eq!(json["range"]["limit"]["instruction"], 3);
    assert!(json["noise"]["rms_error"].as_f64().unwrap() > 0.0);
    let output = kalg(&["check", "corpus/handwritten/box-3-bus.scamp", "--json", "--noise=ideal"]);
    let json: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["noise"]["rms_error"], 0.0);
}

#[test]
fn approximated_filters_are_kernel_files() {
    let output = kalg(&["approx", "corpus/classic/gauss-3.sexp", "--depth=3"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let filter = kalg::term::read_filter(&Source::new("approx.sexp", text.as_str())).unwrap();
    let taps = kalg::term::filter_placed(&filter).unwrap()[0].1.taps().unwrap();
    // 1/16 is rounded away from zero.
    assert!(taps.iter().all(|(.., k)| k.mul(Rational::integer(8)).unwrap().is_integer()) && taps.len() == 9);
    assert!(text.starts_with("; gauss-3 of corpus/classic/gauss-3.sexp, coefficients at multiples of 2^-3: off by at most 0.0625"), "{text}");
    let output = kalg(&["approx", "corpus/classic/gauss-3.sexp", "--max-error=1/1000", "--json"]);
    let json: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["depth"], &json["max_error"]), (&Json::from(4), &Json::from(0.0)));
    assert_eq!(kalg(&["approx", "corpus/classic/gauss-3.sexp"]).status.code(), Some(2));
    assert_eq!(kalg(&["approx", "corpus/classic/gauss-3.sexp", "--depth=99"]).status.code(), Some(2));
}

/// The filter that is read back lives where the given one does, and has its inputs and text.
#[test]
fn approximated_filters_keep_their_space() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (head, kernel) in [
        ("(doc \"near 3\") (space torus 4 3)", "(kernel (1 1/3 1/4))"),
        ("(space hexagonal)", "(kernel (origin 1 1) (. 1/3 1) (1/5 2 1) (1 1/7 .))"),
        (
            "(dimensions 3) (inputs a b)",
            "(add (from a (kernel (plane (1 1/3)) (plane (2 5/7)) (origin 0 0 0))) (from b (id)))",
        ),
    ] {
        let path = folder.join("approximated-space.sexp");
        std::fs::write(&path, format!("(filter f {head} (output o {kernel}))")).unwrap();
        let output = kalg(&["approx", path.to_str().unwrap(), "--depth", "2"]);
        let text = String::from_utf8(output.stdout).unwrap();
        let read = |name: &str, text: &str| kalg::term::read_filter(&Source::new(name, text)).unwrap();
        let (given, near) = (read("given", &std::fs::read_to_string(&path).unwrap()), read("near", &text));
        assert_eq!((&given.space, given.dimensions), (&near.space, near.dimensions), "{text}");
        assert_eq!((&given.doc, &given.inputs), (&near.doc, &near.inputs));
        let [exact, near] =
            [given, near].map(|filter| kalg::term::filter_placed(&filter).unwrap()[0].1.taps().unwrap());
        assert_eq!(exact.len(), near.len(), "{text}");
        for (exact, near) in exact.iter().zip(near) {
            assert_eq!((exact.0, exact.1), (near.0, near.1), "{text}");
            assert!((exact.2.to_f64() - near.2.to_f64()).abs() <= 0.125, "{text}");
        }
    }
}
