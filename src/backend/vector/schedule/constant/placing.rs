//! The division of a tile into vectors, and the placement of its planes.

use super::plan::Inapplicable;
use crate::backend::vector::workload::{Dim, Layout, Placement, TensorPlacements, Workload};

/// Checks that a tile divides into vectors and rows.
pub(super) fn tile(workload: &Workload, lanes: usize, rows: usize) -> Result<(), Inapplicable> {
    let [width, height, ..] = workload.output;
    if !width.is_multiple_of(lanes) {
        return Err(Inapplicable::Width { width, lanes, next: width.next_multiple_of(lanes) });
    }
    if !height.is_multiple_of(rows) {
        return Err(Inapplicable::Height { height, rows });
    }
    Ok(())
}

/// The placement of the tensors of a filter with several channels or outputs, as planes of rows. The arguments are the
/// widths and heights of the planes of input and output, and the elements before and after each tensor.
pub(super) fn planes(
    workload: &Workload,
    [input_width, input_height]: [usize; 2],
    [output_width, output_height]: [usize; 2],
    input_around: [usize; 2],
    output_around: [usize; 2],
) -> TensorPlacements {
    let place = |layout: &str, width: usize, height: usize, count: usize, [before, after]: [usize; 2]| {
        let layout: Layout = layout.parse().expect("a layout of three dimensions");
        let extent = |dim| match dim {
            Dim::X => width,
            Dim::Y => height,
            Dim::K | Dim::C => count,
            _ => 1,
        };
        layout.place(extent, &[], 1).within(before, after)
    };
    let weights: Layout = "KCSR".parse().expect("a layout of four dimensions");
    TensorPlacements {
        output: place("KYX", output_width, output_height, workload.output[3], output_around),
        weights: weights.place(|dim| workload.extent(dim), &[], 1),
        input: place("CYX", input_width, input_height, workload.filter[3], input_around),
        depth_wise: false,
        padded_columns: workload.filter[0],
        slack: 0,
        copies: Vec::new(),
    }
}

/// Rows of an image in memory, with elements before the first and after the last.
fn rows(extents: [usize; 2], before: usize, after: usize) -> Placement {
    let layout: Layout = "YX".parse().expect("a layout of two dimensions");
    let extent = |dim| match dim {
        Dim::X => extents[0],
        Dim::Y => extents[1],
        _ => 1,
    };
    layout.place(extent, &[], 1).within(before, after)
}

/// The placement of the tensors of a filter: outputs and inputs in rows of these widths.
pub(super) fn placed(
    workload: &Workload,
    input_width: usize,
    output_width: usize,
    slack: usize,
) -> TensorPlacements {
    let [_, height, ..] = workload.output;
    let around = output_width - workload.output[0];
    let weights: Layout = "SR".parse().expect("a layout of two dimensions");
    TensorPlacements {
        output: rows([output_width, height], around, 0),
        weights: weights.place(|dim| workload.extent(dim), &[], 1),
        input: rows([input_width, height + workload.filter[1] - 1], 0, slack),
        depth_wise: false,
        padded_columns: workload.filter[0],
        slack: 0,
        copies: Vec::new(),
    }
}
