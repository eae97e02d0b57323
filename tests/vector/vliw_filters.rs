//! Filters with known coefficients on a vector machine: every form that applies is checked on symbols and on random tiles,
//! and past performance is maintained.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::time::Duration;

use kalg::backend::vector::decompose;
use kalg::backend::vector::machine::{Array, Program, Role, Timing, VliwMachine};
use kalg::backend::vector::schedule::Infeasible;
use kalg::backend::vector::schedule::constant::{
    Chosen, Form, Inapplicable, Plan, Split, Technique, choose, plans, program, run_time_plans,
};
use kalg::backend::vector::simulate::Fault;
use kalg::backend::vector::verify::tensor::{Answer, check};
use kalg::backend::vector::workload::{Element, Weights, Workload};
use kalg::budget::{Budget, Clock};

fn machine() -> VliwMachine {
    VliwMachine::builtin(VliwMachine::builtin_names()[0]).unwrap()
}

/// A filter over a 256×16 tile of 8-bit data.
fn filter(element: Element, columns: usize, values: &[i64]) -> Workload {
    let window = [columns, values.len() / columns];
    Workload {
        range: [0, 255],
        ..Workload::known("filter", element, [256, 16], window, [1, 1], values.to_vec())
    }
}

/// The outer product of a row with itself.
fn square(row: &[i64]) -> Vec<i64> {
    row.iter().flat_map(|a| row.iter().map(move |b| a * b)).collect()
}

fn binomial(n: usize) -> Vec<i64> {
    (1..n).fold(vec![1], |row, _| {
        let shifted = std::iter::once(0).chain(row.iter().copied());
        row.iter().copied().chain([0]).zip(shifted).map(|(a, b)| a + b).collect()
    })
}

/// The fastest program among the plans that `wanted` accepts, checked, with the direct form's multiplications per cycle.
fn fastest(workload: &Workload, without: &[Technique], wanted: impl Fn(&Plan) -> bool) -> (Chosen, f64) {
    fastest_of(workload, &decompose(&machine(), workload, without).unwrap(), without, wanted)
}

/// The same, with known splits or none.
fn fastest_of(
    workload: &Workload,
    splits: &[Split],
    without: &[Technique],
    wanted: impl Fn(&Plan) -> bool,
) -> (Chosen, f64) {
    // Performance is counted without banks, so that the interval is the same over every tile.
    let machine = VliwMachine { banks: None, ..machine() };
    let plans = match workload.weights {
        Weights::Known(_) => plans(&machine, workload, splits, without),
        Weights::RunTime => run_time_plans(workload.element),
    };
    let plans: Vec<Plan> = plans.into_iter().filter(wanted).collect();
    let chosen = choose(&machine, workload, splits, &plans, &Budget::unlimited())
        .unwrap_or_else(|why| panic!("{why}: {splits:?}"));
    // The loop is the same over fewer outputs: enough iterations to fill its pipeline, and several entries.
    let [width, height, _, outputs] = workload.output;
    let ([columns, rows, ..], [width, height]) = (workload.filter, [width.min(96), height.min(8)]);
    let small = Workload {
        output: [width, height, 1, outputs],
        input: [width + columns - 1, height + rows - 1, 1, workload.input[3]],
        ..workload.clone()
    };
    let (program, placed) = program(&machine, &small, splits, chosen.plan).unwrap();
    assert_eq!(program.interval, chosen.program.interval);
    let verdict = check(&machine, &small, &placed, &program, 1);
    assert!(verdict.holds(), "{}: {verdict:?}", chosen.plan.describe(splits));
    assert_eq!(verdict.counts.cycles, program.cycles(&machine));
    let effective = workload.macs() as f64 / chosen.program.cycles(&machine) as f64;
    (chosen, effective)
}

fn at_least(found: f64, figure: f64) {
    assert!(found >= figure, "{found:.1}, not {figure}");
}

/// Whether the plan keeps the columns of the best split in registers.
fn in_registers(plan: &Plan) -> bool {
    plan.form == Form::Columns && plan.split == 0
}

#[test]
fn separable_filters_in_registers() {
    for (size, figures) in [(3, [19.0, 10.0]), (5, [45.0, 18.0]), (7, [70.0, 25.0])] {
        let values = square(&binomial(size));
        // Splits depend on coefficients only.
        let splits = decompose(&machine(), &filter(Element::Int16, size, &values), &[]).unwrap();
        for (element, figure) in [Element::Int16, Element::Int32].into_iter().zip(figures) {
            let workload = filter(element, size, &values);
            let documented = |plan: &Plan| in_registers(plan) && !plan.shifted;
            at_least(fastest_of(&workload, &splits, &[], documented).1, figure);
        }
    }
    // Eleven ones in a row and a column: the sums of columns are at most 2805.
    let workload = filter(Element::Int16, 11, &[1; 121]);
    at_least(fastest(&workload, &[], in_registers).1, 115.0);
}

/// Rows symmetric under reflection, of rank more than one.
fn mirrored(size: usize) -> Vec<i64> {
    (0..size * size)
        .map(|i| {
            let (row, column) = (i / size, i % size);
            let row = row.min(size - 1 - row);
            (row * row + 3 * column * row + column + 1) as i64
        })
        .collect()
}

/// Rows antisymmetric under reflection.
fn opposite(size: usize) -> Vec<i64> {
    let sign = |i: usize| (size as i64 - 1 - 2 * (i / size) as i64).signum();
    mirrored(size).into_iter().enumerate().map(|(i, value)| sign(i) * value).collect()
}

#[test]
fn there_is_a_program_however_little_is_compiled() {
    let workload = filter(Element::Int16, 5, &mirrored(5));
    let plans = plans(&machine(), &workload, &[], &[]);
    let by = |budget: &Budget| choose(&machine(), &workload, &[], &plans, budget).unwrap();
    let tried = |chosen: &Chosen| {
        let untried = Err(Inapplicable::Infeasible(Infeasible::Untried));
        chosen.attempts.iter().filter(|attempt| attempt.cycles != untried).count()
    };
    let late: Clock = Arc::new(|| Duration::from_secs(1));
    let time = Budget::unlimited().with_clock(&late).until(Some(Duration::ZERO));
    let stopped = Budget::unlimited().interrupted_by(&Arc::new(true.into()));
    for budget in [Budget::of_work(0), time, stopped] {
        let chosen = by(&budget);
        assert!(check(&machine(), &workload, &chosen.placed, &chosen.program, 1).holds());
        assert!(tried(&chosen) < plans.len());
    }
    assert_eq!(tried(&by(&Budget::unlimited())), plans.len());
    assert_eq!(by(&Budget::of_work(8)).program, by(&Budget::of_work(8)).program);
}

#[test]
fn accesses_that_meet_in_a_bank_wait() {
    let (modelled, ideal) = (machine(), VliwMachine { banks: None, ..machine() });
    let workload = Workload { output: [64, 4, 1, 1], ..filter(Element::Int16, 3, &mirrored(3)) };
    let plan = |pointers| Plan {
        form: Form::Folded,
        symmetric: true,
        rows: 1,
        pointers,
        ..run_time_plans(Element::Int16)[0]
    };
    let compiled = |machine, pointers| program(machine, &workload, &[], plan(pointers)).unwrap();
    // The schedule of a machine without banks loads a row and its mirror image at once, from the same pair of banks.
    let (mut blind, placed) = compiled(&ideal, 2);
    blind.places = compiled(&modelled, 2).0.places;
    let waited = |program: &Program| {
        let verdict = check(&modelled, &workload, &placed, program, 1);
        assert!(verdict.holds(), "{verdict:?}");
        assert_eq!(verdict.counts.cycles, program.cycles(&modelled));
        assert_eq!(verdict.counts.cycles, program.cycles(&ideal) + verdict.counts.bank_stalls);
        verdict.counts.bank_stalls
    };
    let stalls = waited(&blind);
    assert!(stalls >= 4 * 64 / 16, "{stalls}");
    assert_eq!(check(&ideal, &workload, &placed, &blind, 1).counts.bank_stalls, 0);
    // A schedule that knows the banks takes no longer than that, and one pointer never conflicts with itself.
    assert!(compiled(&modelled, 2).0.cycles(&modelled) <= blind.cycles(&modelled));
    assert_eq!(waited(&compiled(&modelled, 1).0), 0);
    // The coefficients are in registers: outputs in the image's banks wait, too; with a single pair of banks nothing changes.
    let mut over = compiled(&modelled, 1).0;
    over.places = vec![0, 1 << 14, 1 << 13];
    let apart = waited(&over);
    over.places = vec![4096, 1 << 14, 0];
    assert!(waited(&over) > apart);
    // Overlapping tensors, and tensors beyond the memory.
    for places in [vec![0, 1 << 14, 64], vec![0, 64, modelled.memory - 32]] {
        over.places = places;
        let verdict = check(&modelled, &workload, &placed, &over, 1);
        assert!(matches!(verdict.simulated, Answer::Fault(Fault::Misplaced { .. })), "{verdict:?}");
    }
}

#[test]
fn rows_that_mirror_are_combined_first() {
    for (size, figure) in [(5, 35.0), (7, 44.0)] {
        for values in [mirrored(size), opposite(size)] {
            let workload = filter(Element::Int16, size, &values);
            at_least(fastest_of(&workload, &[], &[], |p| p.form == Form::Folded).1, figure);
        }
    }
    let without = [Technique::Antisymmetric];
    let plans = plans(&machine(), &filter(Element::Int16, 3, &opposite(3)), &[], &without);
    assert!(plans.iter().all(|plan| !plan.antisymmetric) && plans.iter().any(|plan| plan.symmetric));
}

#[test]
fn operands_have_the_sizes_that_the_descriptor_lists() {
    let mut workload = filter(Element::Int16, 3, &mirrored(3));
    workload.output = [64, 4, 1, 1];
    workload.input = [66, 6, 1, 1];
    let plan = Plan { form: Form::Folded, symmetric: true, pointers: 2, ..run_time_plans(Element::Int16)[0] };
    // A machine whose pre-adder takes only operands of these sizes.
    let only = |sizes: &[usize]| {
        let mut machine = machine();
        let declared = machine.multiplications.iter_mut().find(|m| m.effect("mac16_sym").is_some());
        declared.unwrap().data = vec![sizes.to_vec()];
        machine
    };
    for sizes in [&[1024][..], &[512, 512]] {
        let machine = only(sizes);
        let (program, placed) = program(&machine, &workload, &[], plan).unwrap();
        let verdict = check(&machine, &workload, &placed, &program, 1);
        assert!(verdict.holds(), "{sizes:?}: {verdict:?}");
        for multiply in program.multiplies() {
            let Some((y, ..)) = multiply.y else { continue };
            let buffers = std::iter::once(multiply.x).chain(Some(y).filter(|y| *y != multiply.x));
            assert_eq!(buffers.map(|buffer| machine.buffer_bits(buffer)).collect::<Vec<_>>(), sizes);
        }
        // The simulator also obeys the descriptor, however the program was built.
        let other = if sizes == [1024] { [512, 512].as_slice() } else { &[1024] };
        let verdict = check(&only(other), &workload, &placed, &program, 1);
        let (Answer::Fault(Fault::Shape { found, .. }), false) = (&verdict.symbolic, verdict.holds()) else {
            panic!("{sizes:?}: {verdict:?}")
        };
        let expected = if sizes == [1024] { "X of 1024 bits" } else { "X and Y of 512 bits each" };
        assert_eq!(*found, format!("{expected}, Z of 256 bits"));
    }
    // Two windows of two vectors each are not a single buffer of two.
    let error = program(&only(&[512]), &workload, &[], plan).unwrap_err().to_string();
    assert!(error.starts_with("no registers or lane selections"), "{error}");
}

#[test]
fn every_plan_is_right_on_small_filters() {
    let machine = machine();
    let mut programs = std::collections::BTreeMap::new();
    for size in [2, 3] {
        let dense: Vec<i64> = (0..size * size).map(|i| i as i64 * 7 % 11 - 5).collect();
        for values in [dense, mirrored(size), opposite(size), square(&binomial(size))] {
            let mut workload = filter(Element::Int16, size, &values);
            workload.output = [64, 4, 1, 1];
            workload.input = [64 + size - 1, 4 + size - 1, 1, 1];
            workload.shift = 3;
            let splits = decompose(&machine, &workload, &[]).unwrap();
            for element in [Element::Int16, Element::Int32] {
                workload.element = element;
                let plans = plans(&machine, &workload, &splits, &[]).into_iter();
                for plan in plans.filter(|plan| plan.rows == 1 + usize::from(plan.running) && plan.split < 2)
                {
                    let Ok((program, placed)) = program(&machine, &workload, &splits, plan) else { continue };
                    let verdict = check(&machine, &workload, &placed, &program, 1);
                    assert!(verdict.holds(), "{size} {}: {verdict:?}", plan.describe(&splits));
                    *programs.entry((plan.form, plan.bytes)).or_insert(0) += 1;
                }
            }
        }
    }
    // Every form has programs, with bytes if there is such a mode.
    assert!(programs.values().all(|count| *count > 4), "{programs:?}");
    assert_eq!(programs.len(), 8, "{programs:?}");
}

#[test]
fn single_taps_of_two_rows_share_operations_where_coefficients_are_data_of_the_run() {
    for (size, figure) in [(3, 23.0), (5, 28.0), (7, 29.0)] {
        let mut workload = filter(Element::Int16, size, &vec![1; size * size]);
        workload.weights = Weights::RunTime;
        at_least(fastest_of(&workload, &[], &[], |plan| plan.rows == 4).1, figure);
    }
    let workload = Workload { weights: Weights::RunTime, ..filter(Element::Int16, 3, &[1; 9]) };
    let folded = Plan { form: Form::Folded, ..run_time_plans(Element::Int16)[0] };
    let folded = choose(&machine(), &workload, &[], &[folded], &Budget::unlimited()).unwrap_err();
    assert_eq!(folded.to_string(), "the weights are known only at run time");
}

#[test]
fn sums_of_columns_that_may_not_fit_are_not_made() {
    // 9×9 binomial: columns sum to 256 · 255. For bits, they are not divided.
    let workload = filter(Element::Int16, 9, &square(&binomial(9)));
    let bits = Workload { range: [0, 1], ..workload.clone() };
    let splits = decompose(&machine(), &bits, &[]).unwrap();
    let plans: Vec<Plan> = plans(&machine(), &workload, &splits, &[]);
    let plan = plans.iter().find(|plan| plan.form == Form::Columns && plan.split == 0).unwrap();
    let error = choose(&machine(), &workload, &splits, &[*plan], &Budget::unlimited()).unwrap_err();
    assert_eq!(error.to_string(), "sums of columns of 0 to 65280 do not fit in the element type");
    // Half of them do. Nothing can be rounded off outputs without a shift; with a shift by 16 bits they are off by one.
    let passes =
        |plan: &&Plan| plan.form == Form::Passes && plan.split == 0 && plan.rows * plan.pointers == 4;
    let passes: Vec<Plan> = plans.iter().filter(passes).copied().collect();
    let tried = |shift, tolerance| {
        let workload = Workload { shift, tolerance, ..workload.clone() };
        choose(&machine(), &workload, &splits, &passes, &Budget::unlimited()).map(|chosen| (workload, chosen))
    };
    let error = |shift, tolerance| tried(shift, tolerance).unwrap_err().to_string();
    assert_eq!(error(16, 0), "sums of columns of 0 to 65280 do not fit in the element type");
    assert_eq!(error(0, 1000), "sums of columns of 0 to 65280 do not fit in the element type");
    let far = "its outputs may be off by 32, as sums of columns are rounded to fit the element type";
    assert_eq!(error(3, 31), far);
    for (shift, tolerance, bound) in [(16, 5, 1), (3, 32, 32)] {
        let (workload, chosen) = tried(shift, tolerance).unwrap();
        let verdict = check(&machine(), &workload, &chosen.placed, &chosen.program, 1);
        assert!(verdict.holds(), "{verdict:?}");
        assert_eq!(verdict.bound, bound);
        let strict = Workload { tolerance: bound - 1, ..workload };
        let verdict = check(&machine(), &strict, &chosen.placed, &chosen.program, 1);
        assert!(!verdict.symbolic.is_equal(), "{verdict:?}");
    }
}

#[test]
fn coefficients_of_8_bits_are_multiplied_at_twice_the_rate() {
    let dense: Vec<i64> = (0..49).map(|i| i * 37 % 101 - 50).collect();
    let workload = filter(Element::Int16, 7, &dense);
    let wanted = |plan: &Plan| plan.form == Form::Direct && plan.pointers == 1;
    at_least(fastest_of(&workload, &[], &[], wanted).1, 40.0);
    let (chosen, figure) = fastest_of(&workload, &[], &[Technique::Bytes], wanted);
    assert!(figure < 32.0 && !chosen.plan.bytes);
    let too_large = filter(Element::Int16, 1, &[200]);
    let plan = Plan { form: Form::Direct, bytes: true, ..run_time_plans(Element::Int16)[0] };
    let error = choose(&machine(), &too_large, &[], &[plan], &Budget::unlimited()).unwrap_err();
    assert_eq!(error.to_string(), "the coefficient 200 does not fit in int8");
}

#[test]
fn filters_too_wide_for_registers_take_two_passes() {
    let workload = filter(Element::Int32, 11, &[1; 121]);
    let splits = decompose(&machine(), &workload, &[]).unwrap();
    let (chosen, figure) = fastest_of(&workload, &splits, &[], |p| p.form != Form::Padded && p.split == 0);
    assert_eq!(chosen.plan.form, Form::Passes);
    at_least(figure, 60.0);
    let without = fastest_of(&workload, &splits, &[Technique::TwoPass], |p| p.split == 0);
    assert!(without.1 < figure);
}

#[test]
fn powers_of_two_are_shifted_where_that_saves_a_multiplication() {
    for (element, size) in [(Element::Int32, 3), (Element::Int16, 5)] {
        let workload = filter(element, size, &square(&binomial(size)));
        let splits = decompose(&machine(), &workload, &[]).unwrap();
        let plain = |plan: &Plan| in_registers(plan) && !plan.symmetric && !plan.bytes && plan.rows == 2;
        let (chosen, with) = fastest_of(&workload, &splits, &[], plain);
        let (other, without) = fastest_of(&workload, &splits, &[Technique::Shifted], plain);
        assert!(chosen.plan.shifted && !other.plan.shifted);
        assert!(with > 1.05 * without, "{with:.1} and {without:.1}");
        // If it is later than assumed, the shift destroys the sum that it begins.
        let mut late = machine();
        late.widen.latency += 6;
        assert!(!check(&late, &workload, &chosen.placed, &chosen.program, 1).holds());
        let machine = VliwMachine { widen: Timing::default(), ..machine() };
        let plans = plans(&machine, &workload, &splits, &[]);
        assert!(!plans.is_empty() && plans.iter().all(|plan| !plan.shifted));
    }
    let none = filter(Element::Int16, 3, &[3, 5, 3, 5, 7, 5, 3, 5, 3]);
    let plans = plans(&machine(), &none, &[], &[]);
    let shifted: Vec<Plan> = plans.into_iter().filter(|plan| plan.shifted).collect();
    let error = choose(&machine(), &none, &[], &shifted, &Budget::unlimited()).unwrap_err();
    assert_eq!(error.to_string(), "no shift by a power of two saves a multiplication");
}

#[test]
fn programs_whose_data_does_not_fit_its_types_fail_their_check() {
    let small =
        Workload { output: [64, 1, 1, 1], input: [66, 1, 1, 1], ..filter(Element::Int16, 3, &[1, 2, 3]) };
    let plan = plans(&machine(), &small, &[], &[])[0];
    let (right, placed) = program(&machine(), &small, &[], plan).unwrap();
    assert!(check(&machine(), &small, &placed, &right, 1).holds());
    let faults = |machine: &VliwMachine, workload: &Workload, program: &Program| {
        let verdict = check(machine, workload, &placed, program, 1);
        [verdict.symbolic, verdict.simulated].map(|answer| match answer {
            Answer::Fault(fault) => fault,
            other => panic!("{other:?}"),
        })
    };
    // A weight that no element can hold, in the program and in the filter.
    let wide = |value: &i64| if *value == 2 { 40000 } else { *value };
    let mut program = right.clone();
    let Role::Constants(values) = &mut program.arrays[1].role else { panic!("known weights") };
    *values = values.iter().map(wide).collect();
    let workload = Workload { weights: Weights::Known(vec![1, 40000, 3]), ..small.clone() };
    for fault in faults(&machine(), &workload, &program) {
        assert!(matches!(fault, Fault::TooWide { index: 1, element: Element::Int16, .. }), "{fault}");
    }
    // An array of another type than its readers expect.
    let mut program = right.clone();
    program.arrays[1] = Array { element: Element::Int8, length: 32, ..right.arrays[1].clone() };
    for fault in faults(&machine(), &small, &program) {
        assert!(matches!(fault, Fault::WrongType { found: Element::Int8, .. }), "{fault}");
    }
    // Accumulators for sums of small inputs only: random tiles may miss the error, symbols do not.
    let mut narrow = machine();
    narrow.modes.iter_mut().for_each(|mode| mode.accumulator_bits = 11);
    let verdict = check(&narrow, &small, &placed, &right, 1);
    assert!(matches!(verdict.symbolic, Answer::Fault(Fault::Overflow { .. })), "{verdict:?}");
    let refused = self::program(&narrow, &small, &[], plan).unwrap_err();
    assert!(refused.to_string().contains("does not fit in the 11 bits"), "{refused}");
}

#[test]
fn running_sums_make_columns_of_boxes() {
    let workload = filter(Element::Int16, 11, &[1; 121]);
    let running = |plan: &Plan| plan.running && plan.symmetric && plan.rows == 4 && plan.pointers == 1;
    at_least(fastest(&workload, &[], running).1, 150.0);
    // A running sum over rows needs more than one row.
    assert!(!plans(&machine(), &workload, &[], &[]).iter().any(|plan| plan.running && plan.rows == 1));
}

#[test]
fn filters_of_low_rank_are_sums_of_separable_ones() {
    // A difference of two binomials, whose products weigh more than the difference; and three products without symmetries.
    let difference: Vec<i64> = {
        let inner = square(&[0, 0, 1, 2, 1, 0, 0]);
        square(&binomial(7)).iter().zip(inner).map(|(outer, inner)| outer - 64 * inner).collect()
    };
    let lines = [[1, 2, -1, 1, 3, 1, 2], [2, 3, 1, 1, -2, 3, 1], [3, 1, 1, -3, 1, 1, 2]];
    let three = |i: usize| lines.iter().map(|line| line[i / 7] * line[6 - i % 7]).sum();
    let three: Vec<i64> = (0..49).map(three).collect();
    for (values, products, figure) in [(difference, 2, 60.0), (three, 3, 30.0)] {
        let workload = filter(Element::Int16, 7, &values);
        let splits = decompose(&machine(), &workload, &[]).unwrap();
        assert_eq!((splits[0].outputs[0].pieces.len(), splits[0].has_rest()), (products, false));
        at_least(fastest_of(&workload, &splits, &[], |p| p.form == Form::Passes && p.split == 0).1, figure);
        let without = decompose(&machine(), &workload, &[Technique::LowRank]).unwrap();
        assert!(without.iter().all(|split| split.outputs[0].pieces.is_empty()), "{without:?}");
    }
}

#[test]
fn columns_that_do_not_fit_are_divided() {
    // Sums of columns of 8-bit data are up to 2⁸·255 and 2¹⁰·255: halves of the one fit, and two digits of the other.
    for (size, figure) in [(9, 90.0), (11, 100.0)] {
        let workload = filter(Element::Int16, size, &square(&binomial(size)));
        let splits = decompose(&machine(), &workload, &[]).unwrap();
        assert_eq!(splits[0].columns.len(), 2, "{splits:?}");
        at_least(fastest_of(&workload, &splits, &[], |p| p.form == Form::Passes && p.split == 0).1, figure);
    }
}

#[test]
fn outputs_share_columns_and_channels_are_summed() {
    // Two outputs with equal columns, over two channels.
    let (smooth, other) = (square(&[1, 2, 1]), [1, 0, -1, 2, 0, -2, 1, 0, -1]);
    let mut workload = filter(Element::Int16, 3, &[0; 9]);
    workload.output = [64, 4, 1, 2];
    workload.filter = [3, 3, 1, 2];
    workload.input = [66, 6, 1, 2];
    let values = [&smooth[..], &smooth, &other, &smooth].concat();
    workload.weights = Weights::Known(values);
    let splits = decompose(&machine(), &workload, &[]).unwrap();
    assert_eq!(splits[0].columns.len(), 2, "{splits:?}");
    let apart = decompose(&machine(), &workload, &[Technique::Shared]).unwrap();
    assert_eq!(apart[0].columns.len(), 4);
    let direct = decompose(&machine(), &workload, &[Technique::Separable]).unwrap();
    assert_eq!((direct.len(), direct[0].columns.len()), (1, 0));
    for (without, figure) in [(&[][..], 15.0), (&[Technique::Separable], 12.0)] {
        at_least(fastest(&workload, without, |plan| plan.rows == 1).1, figure);
    }
}
