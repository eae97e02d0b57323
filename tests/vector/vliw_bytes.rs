//! Workloads of 8-bit data on a vector machine: every program is checked on symbols and on random tiles, past performance
//! is maintained, and workloads that the datapath cannot select are refused.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use kalg::backend::vector::machine::{Multiply, Operation, VliwMachine};
use kalg::backend::vector::schedule::constant::{Form, Plan, choose, program, run_time_plans};
use kalg::backend::vector::schedule::{Infeasible, compile, space, tensors, tune};
use kalg::backend::vector::verify::tensor::{Verdict, check};
use kalg::backend::vector::workload::{Dim, Element, Schedule, Weights, Workload};
use kalg::budget::Budget;

fn machine() -> VliwMachine {
    VliwMachine::builtin(VliwMachine::builtin_names()[0]).unwrap()
}

fn filter(tile: [usize; 2], window: [usize; 2], channels: [usize; 2]) -> Workload {
    let values = (0..window[0] * window[1] * channels[0] * channels[1]).map(|i| i as i64 * 7 % 11 - 5);
    Workload {
        shift: 3,
        ..Workload::known("filter", Element::Int8, tile, window, channels, values.collect())
    }
}

fn plan(rows: usize) -> Plan {
    run_time_plans(Element::Int8).into_iter().find(|plan| plan.rows == rows).unwrap()
}

fn checked(workload: &Workload, rows: usize) -> Verdict {
    let (program, placed) =
        program(&machine(), workload, &[], plan(rows)).unwrap_or_else(|why| panic!("{workload:?}: {why}"));
    let verdict = check(&machine(), workload, &placed, &program, 1);
    assert!(verdict.holds(), "{:?} in {rows} rows: {verdict:?}", workload.filter);
    assert_eq!(verdict.counts.cycles, program.cycles(&machine()));
    verdict
}

#[test]
fn every_width_of_filter_has_a_program() {
    for columns in 1..=20 {
        checked(&filter([32, 4], [columns, 2], [1, 1]), 2);
    }
    for (rows, of_filter) in [(1, 7), (4, 1), (8, 3)] {
        let workload = filter([32, 8], [5, of_filter], [1, 1]);
        checked(&workload, rows);
        checked(&Workload { weights: Weights::RunTime, ..workload }, rows);
    }
}

#[test]
fn channels_and_planes_are_summed() {
    let several = filter([32, 4], [3, 3], [3, 2]);
    checked(&several, 2);
    checked(&Workload { weights: Weights::RunTime, ..several }, 2);
    let volume = Workload {
        output: [32, 4, 3, 1],
        filter: [3, 2, 2, 1],
        input: [40, 5, 4, 1],
        weights: Weights::RunTime,
        ..filter([32, 4], [3, 3], [1, 1])
    };
    checked(&volume, 4);
    let depth_wise = Workload {
        output: [32, 4, 1, 3],
        filter: [3, 3, 1, 1],
        input: [34, 6, 1, 3],
        depth_wise: true,
        weights: Weights::RunTime,
        ..filter([32, 4], [3, 3], [1, 1])
    };
    checked(&depth_wise, 2);
}

#[test]
fn rows_of_up_to_five_are_one_operation() {
    for (size, figure) in [(3, 38.0), (5, 69.0), (7, 53.0)] {
        let workload = Workload { weights: Weights::RunTime, ..filter([256, 16], [size, size], [1, 1]) };
        let verdict = checked(&workload, 4);
        let effective = workload.macs() as f64 / verdict.counts.cycles as f64;
        assert!(effective >= figure, "{size}: {effective:.1}, not {figure}");
    }
    // Rows of zeros take no table, and equal rows share one that stays in registers.
    let zeros = filter([256, 16], [3, 1], [1, 1]);
    let Weights::Known(row) = zeros.weights.clone() else { unreachable!("they are known") };
    let sparse = Workload {
        weights: Weights::Known([&row[..], &[0; 3], &row].concat()),
        ..filter([256, 16], [3, 3], [1, 1])
    };
    assert_eq!(checked(&sparse, 4).counts.multiplies, 2 * 256 * 16 / 16);
    let blank = Workload { weights: Weights::Known(vec![0; 9]), ..sparse };
    checked(&blank, 4);
}

fn layer(outputs: [usize; 4], filter: [usize; 4]) -> Workload {
    let [x, y, z, _] = [0, 1, 2, 3].map(|d| outputs[d] + filter[d] - 1);
    Workload {
        output: outputs,
        filter,
        input: [x, y, z, filter[3]],
        weights: Weights::RunTime,
        shift: 6,
        ..Workload::known("layer", Element::Int8, [1, 1], [1, 1], [1, 1], vec![1])
    }
}

fn schedule(vector: Dim, unroll: [usize; 4], order: &[Dim], of: &Workload) -> Schedule {
    let any = space(&machine(), of).swap_remove(0);
    Schedule { vector, unroll, order: order.to_vec(), layouts: any.layouts }
}

#[test]
fn output_channels_are_lanes_where_channels_follow_each_other() {
    let machine = machine();
    for (outputs, filter, figure) in
        [([1, 1, 1, 256], [1, 1, 1, 8], 13.0), ([16, 4, 1, 32], [1, 1, 1, 16], 80.0)]
    {
        let workload = layer(outputs, filter);
        let tuned =
            tune(&machine, &workload, &space(&machine, &workload), &Budget::unlimited(), &|| {}).unwrap();
        let placed = tensors(&machine, &workload, &tuned.schedule).unwrap();
        let verdict = check(&machine, &workload, &placed, &tuned.program, 1);
        assert!(verdict.holds(), "{}: {verdict:?}", tuned.schedule);
        let effective = workload.macs() as f64 / verdict.counts.cycles as f64;
        assert!(effective >= figure, "{}: {effective:.1}, not {figure}", tuned.schedule);
    }
    let three = layer([4, 4, 1, 16], [3, 3, 1, 16]);
    let row_by_row = schedule(Dim::K, [1; 4], &[Dim::Y, Dim::X], &three);
    let program = compile(&machine, &three, &row_by_row).unwrap();
    let placed = tensors(&machine, &three, &row_by_row).unwrap();
    assert!(check(&machine, &three, &placed, &program, 1).holds());
}

#[test]
fn what_cannot_be_selected_is_refused() {
    let machine = machine();
    let workload = layer([32, 4, 1, 16], [3, 3, 1, 8]);
    let along_x = schedule(Dim::X, [1; 4], &[Dim::K, Dim::Y, Dim::X], &workload);
    let refused = compile(&machine, &workload, &along_x).unwrap_err();
    assert_eq!(refused, Infeasible::Windows { dim: Dim::X });
    // Eight channels are half of an aligned load.
    let eight = schedule(Dim::K, [1; 4], &[Dim::Y, Dim::X], &workload);
    let refused = compile(&machine, &workload, &eight).unwrap_err();
    assert_eq!(refused, Infeasible::Unaligned { tensor: "in".to_owned(), alignment: 16 });
    let odd = layer([30, 4, 1, 8], [3, 3, 1, 8]);
    assert_eq!(space(&machine, &odd), []);
    let none = tune(&machine, &odd, &[], &Budget::unlimited(), &|| {}).unwrap_err();
    assert_eq!(
        none.to_string(),
        "no loop over outputs that can be vectorised is a multiple of 16: the next multiple for `k` is 16"
    );
    let large = Workload { weights: Weights::Known(vec![200; 9]), ..filter([32, 4], [3, 3], [1, 1]) };
    let refused = choose(&machine, &large, &[], &[plan(1)], &Budget::unlimited()).unwrap_err();
    assert_eq!(refused.to_string(), "the coefficient 200 does not fit in int8");
    // Other types have no such form.
    let words = Workload { element: Element::Int16, ..filter([32, 4], [3, 3], [1, 1]) };
    let refused =
        choose(&machine, &words, &[], &[Plan { form: Form::Swapped, ..plan(1) }], &Budget::unlimited())
            .unwrap_err();
    assert_eq!(refused.to_string(), "the machine does not multiply elements of type int16 in this way");
}

#[test]
fn wrong_selections_of_bytes_are_found() {
    let workload = filter([32, 4], [3, 3], [1, 1]);
    let wrong = |change: fn(&mut Multiply)| {
        let (mut program, placed) = program(&machine(), &workload, &[], plan(2)).unwrap();
        let found = program.body.iter_mut().find_map(|timed| match &mut timed.operation {
            Operation::Multiply(multiply) if !multiply.begins => Some(multiply),
            _ => None,
        });
        change(found.unwrap());
        let verdict = check(&machine(), &workload, &placed, &program, 1);
        !verdict.symbolic.is_equal() && !verdict.simulated.is_equal()
    };
    assert!(wrong(|m| m.z_offsets = 0));
    assert!(wrong(|m| m.z_start += 2));
    assert!(wrong(|m| m.selection.start += 4));
    assert!(wrong(|m| m.selection.step = Some(8)));
}
