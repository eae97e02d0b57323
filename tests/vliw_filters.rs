//! Filters with known coefficients on a vector machine: every form that applies is checked on symbols and on random tiles,
//! and the figures that were reached stay reached.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use kalg::target::vliw::Machine;
use kalg::tensor::{Element, Weights, Workload};
use kalg::vectorize::constant::{Form, choose, plans, program};
use kalg::verify::tensor::check;

fn machine() -> Machine {
    Machine::builtin(Machine::builtin_names()[0]).unwrap()
}

/// A filter over a 256×16 tile of 8-bit data.
fn filter(element: Element, columns: usize, values: &[i64]) -> Workload {
    let rows = values.len() / columns;
    Workload {
        name: "filter".to_owned(),
        doc: String::new(),
        element,
        output: [256, 16, 1, 1],
        filter: [columns, rows, 1, 1],
        input: [256 + columns - 1, 16 + rows - 1, 1, 1],
        depth_wise: false,
        weights: Weights::Known(values.to_vec()),
        shift: 0,
        range: [0, 255],
        published: None,
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

/// The direct form's multiplications a cycle of the fastest program, checked.
fn effective(workload: &Workload, forms: &[Form]) -> f64 {
    let machine = machine();
    let chosen = choose(&machine, workload, &plans(forms)).unwrap_or_else(|why| panic!("{forms:?}: {why}"));
    let verdict = check(&machine, workload, &chosen.placed, &chosen.program, 1);
    assert!(verdict.holds(), "{:?}: {verdict:?}", chosen.plan);
    assert_eq!(verdict.counts.cycles, chosen.program.cycles(&machine));
    workload.macs() as f64 / verdict.counts.cycles as f64
}

fn at_least(found: f64, figure: f64) {
    assert!(found >= figure, "{found:.1}, not {figure}");
}

#[test]
fn separable_filters_of_8_bit_data_in_16_bits() {
    let forms = [Form::Separable, Form::SeparableFolded];
    for (size, figure) in [(3, 21.0), (5, 45.0), (7, 70.0)] {
        at_least(effective(&filter(Element::Int16, size, &square(&binomial(size))), &forms), figure);
    }
    // Eleven ones in a row and a column: the sums of columns are at most 2805.
    at_least(effective(&filter(Element::Int16, 11, &[1; 121]), &forms), 115.0);
}

#[test]
fn separable_filters_in_32_bits() {
    let forms = [Form::Separable, Form::SeparableFolded];
    for (size, figure) in [(3, 10.0), (5, 18.0), (7, 25.0)] {
        at_least(effective(&filter(Element::Int32, size, &square(&binomial(size))), &forms), figure);
    }
}

/// Rows that mirror, of rank more than one.
fn mirrored(size: usize) -> Vec<i64> {
    (0..size * size)
        .map(|i| {
            let (row, column) = (i / size, i % size);
            let row = row.min(size - 1 - row);
            (row * row + 3 * column * row + column + 1) as i64
        })
        .collect()
}

#[test]
fn mirrored_rows_are_added_first() {
    for (size, figure) in [(5, 35.0), (7, 44.0)] {
        let workload = filter(Element::Int16, size, &mirrored(size));
        at_least(effective(&workload, &[Form::Folded]), figure);
    }
}

#[test]
fn every_form_is_right_on_filters_of_all_sizes() {
    let machine = machine();
    let mut programs = 0;
    for element in [Element::Int16, Element::Int32] {
        for size in 1..=4 {
            let dense: Vec<i64> = (0..size * size).map(|i| i as i64 * 7 % 11 - 5).collect();
            for values in [dense, mirrored(size), square(&binomial(size))] {
                let mut workload = filter(element, size, &values);
                workload.output = [64, 4, 1, 1];
                workload.input = [64 + size - 1, 4 + size - 1, 1, 1];
                workload.shift = 3;
                for plan in plans(&Form::ALL) {
                    let Ok((program, placed)) = program(&machine, &workload, plan) else { continue };
                    let verdict = check(&machine, &workload, &placed, &program, 1);
                    assert!(verdict.holds(), "{size} {plan:?}: {verdict:?}");
                    programs += 1;
                }
            }
        }
    }
    assert!(programs > 150, "only {programs} programs");
}

#[test]
fn single_taps_of_two_rows_share_operations_where_coefficients_are_data_of_the_run() {
    for (size, figure) in [(3, 23.0), (5, 28.0), (7, 29.0)] {
        let mut workload = filter(Element::Int16, size, &vec![1; size * size]);
        workload.weights = Weights::RunTime;
        at_least(effective(&workload, &[Form::Direct]), figure);
    }
    let workload = Workload { weights: Weights::RunTime, ..filter(Element::Int16, 3, &[1; 9]) };
    let folded = choose(&machine(), &workload, &plans(&[Form::Folded])).unwrap_err();
    assert_eq!(folded.to_string(), "the weights are known only at run time");
}

#[test]
fn sums_of_columns_that_may_not_fit_are_not_made() {
    // 9×9 binomial: columns sum to 256 · 255.
    let workload = filter(Element::Int16, 9, &square(&binomial(9)));
    let error = choose(&machine(), &workload, &plans(&[Form::Separable])).unwrap_err();
    assert_eq!(error.to_string(), "sums of columns of 0 to 65280 do not fit the element type");
}
