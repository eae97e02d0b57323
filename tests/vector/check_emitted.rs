//! The code that kalg emits for vector machines is read back, and computes the filter that it was compiled from.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::code_request::{machine, request};
use kalg::backend::vector::machine::cpp;
use kalg::backend::vector::schedule::constant::{Form, Plan, choose, plans};
use kalg::backend::vector::workload::{Dim, Element, Placement, Workload};
use kalg::backend::vector::{check_code, decompose};
use kalg::budget::Budget;
use kalg::report::Answer;

/// A filter of the corpus as a workload over a small tile, with its file.
fn filter(rows: &[&[i64]], shift: u32, element: Element) -> (Workload, String) {
    let (width, height) = (rows[0].len(), rows.len());
    let lines: Vec<String> = rows
        .iter()
        .map(|row| format!("({})", row.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")))
        .collect();
    let file = format!(
        "(filter f (inputs image) (output out (scale 1/{} (kernel {}))))",
        1u32 << shift,
        lines.join(" ")
    );
    let values = rows.iter().flat_map(|row| row.iter().copied()).collect();
    let workload = Workload {
        shift,
        range: [0, 15],
        ..Workload::known("f", element, [64, 4], [width, height], [1, 1], values)
    };
    (workload, file)
}

/// The number of elements from one row to the next.
fn row(placement: &Placement) -> i64 {
    let at = |y| placement.index(|dim| if dim == Dim::Y { y } else { 0 }) as i64;
    at(1) - at(0)
}

#[test]
fn emitted_code_computes_what_it_was_compiled_for() {
    let binomial = [1i64, 4, 6, 4, 1];
    let gauss: Vec<Vec<i64>> = binomial.iter().map(|a| binomial.iter().map(|b| a * b).collect()).collect();
    let gauss: Vec<&[i64]> = gauss.iter().map(Vec::as_slice).collect();
    let sobel: [&[i64]; 3] = [&[1, 0, -1], &[2, 0, -2], &[1, 0, -1]];
    let sharpen: [&[i64]; 3] = [&[0, -1, 0], &[-1, 5, -2], &[0, -1, 0]];
    let mut read = 0;
    for (rows, shift) in [(&gauss[..], 8), (&sobel[..], 0), (&sharpen[..], 0)] {
        for element in Element::ALL {
            let (workload, file) = filter(rows, shift, element);
            let splits = match element {
                Element::Int8 => Vec::new(),
                _ => decompose(&machine(), &workload, &[]).unwrap(),
            };
            // Forms with a lag begin a row of outputs with an invalid vector.
            let forms =
                [Form::Padded, Form::Direct, Form::Folded, Form::Columns, Form::Passes, Form::Swapped];
            for form in forms {
                let plans = plans(&machine(), &workload, &splits, &[]).into_iter();
                let plans: Vec<Plan> =
                    plans.filter(|plan| plan.form == form && plan.split == 0 && plan.rows == 1).collect();
                // Not every form applies to every filter.
                let Ok(chosen) = choose(&machine(), &workload, &splits, &plans, &Budget::unlimited()) else {
                    continue;
                };
                let mut request = request(&cpp(&machine(), &chosen.program), Some(&file));
                request.tile = Some([64, 4]);
                let late = matches!(form, Form::Columns | Form::Passes);
                if form == Form::Passes {
                    // Whole rows are not outputs, and too few remain to infer the pitch.
                    request.pitch = Some(row(&chosen.placed.input));
                    request.output_pitch = Some(row(&chosen.placed.output));
                }
                let record = check_code(&request);
                let record = record.unwrap_or_else(|error| panic!("{}: {error:?}", request.source.text()));
                let what = format!("{form:?} of {element}, shift {shift}\n{}", request.source.text());
                // Outputs of two passes lag by some rows.
                let passes = form == Form::Passes;
                let expected = if passes { Answer::EqualUpTo } else { Answer::Equal };
                assert_eq!(record.verdict, Some(expected), "{what}");
                let begins = record.notes.iter().filter(|note| note.id == "begins-later").count();
                assert_eq!(begins, usize::from(late), "{what}");
                read += 1;
            }
        }
    }
    assert!(read >= 15, "{read} forms");
}
