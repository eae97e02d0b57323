//! Where each step is computed, how far ahead of the output, and how many of its rows are kept.

use super::{Plan, Step};

/// The pixels for which a step is computed, from the first pixel of the output, rows counted to the south.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The first column.
    pub west: i32,
    /// The first column that is read: what lies before [`Extent::west`] is zero.
    pub base: i32,
    /// The columns beyond the output's width.
    pub east: i32,
    /// The first row; what lies before is zero.
    pub north: i32,
    /// The rows beyond the output's height.
    pub south: i32,
}

/// How a plan is executed row by row: while row t of the output is made, row t + lead of every step is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The extent of each step.
    pub extents: Vec<Extent>,
    /// The rows by which each step runs ahead of the output.
    pub leads: Vec<i32>,
    /// How many rows of each step are kept.
    pub depths: Vec<i32>,
}

impl Layout {
    /// The layout of a plan.
    pub fn of(plan: &Plan) -> Self {
        let count = plan.steps.len();
        let starts = starts(plan);
        let mut extents =
            vec![
                Extent { west: i32::MAX, base: i32::MAX, east: i32::MIN, north: i32::MAX, south: i32::MIN };
                count
            ];
        let mut leads = vec![i32::MIN; count];
        for output in &plan.outputs {
            let [x, y, _] = output.offset;
            need(&mut extents[output.source], [x, x], [-y, -y]);
            leads[output.source] = leads[output.source].max(-y);
        }
        for number in (0..count).rev() {
            let back = back(&plan.steps[number]);
            let (start, lead) = (starts[number], leads[number]);
            let extent = &mut extents[number];
            let tall = matches!(&plan.steps[number], Step::Window { step, .. } if step[1] != 0);
            // A recurrence is computed from where its terms begin, all else from where it is needed.
            extent.west = if back[0] != 0 { start[0] } else { extent.west.max(start[0]) };
            extent.north = if back[1] != 0 || tall { start[1] } else { extent.north.max(start[1]) };
            extent.base = extent.base.min(extent.west + back[0].min(0)).min(extent.west);
            let extent = *extent;
            for (source, [x, y]) in spans(&plan.steps[number]) {
                let columns = [extent.west + x[0], extent.east + x[1]];
                let rows = [extent.north - y[1], extent.south - y[0]];
                need(&mut extents[source], columns, rows);
                leads[source] = leads[source].max(lead - y[0]);
            }
        }
        // A step that nothing needs is computed nowhere; plans have none, but a layout of one must not fail.
        for (extent, lead) in extents.iter_mut().zip(&mut leads) {
            if *lead == i32::MIN {
                (*lead, *extent) = (0, Extent { west: 0, base: 0, east: 0, north: 0, south: 0 });
            }
        }
        let depths = depths(plan, &leads);
        Self { extents, leads, depths }
    }

    /// The first row of the output, or before it, at which a step has something to do.
    pub fn first_row(&self) -> i32 {
        self.extents
            .iter()
            .zip(&self.leads)
            .map(|(extent, lead)| extent.north - lead)
            .min()
            .unwrap_or(0)
            .min(0)
    }
}

/// Makes an extent cover columns and rows, both as first and as beyond the output's size.
fn need(extent: &mut Extent, columns: [i32; 2], rows: [i32; 2]) {
    extent.west = extent.west.min(columns[0]);
    extent.base = extent.base.min(columns[0]);
    extent.east = extent.east.max(columns[1]);
    extent.north = extent.north.min(rows[0]);
    extent.south = extent.south.max(rows[1]);
}

/// The offset at which a step reads itself, zero where it does not.
fn back(step: &Step) -> [i32; 2] {
    match step {
        Step::Fold { back: Some([x, y, _]), .. } => [*x, *y],
        _ => [0, 0],
    }
}

/// What a step reads: sources with the least and the greatest offset along x and y.
fn spans(step: &Step) -> Vec<(usize, [[i32; 2]; 2])> {
    match step {
        Step::Input(_) => Vec::new(),
        Step::Fold { terms, .. } => {
            let span = |t: &super::Term| (t.source, [[t.offset[0]; 2], [t.offset[1]; 2]]);
            terms.iter().map(span).collect()
        }
        Step::Window { source, step, length } => {
            let last = *length as i32 - 1;
            vec![(*source, [[0, step[0] * last], [0, step[1] * last]])]
        }
    }
}

/// The first column and row at which each step can be other than zero.
fn starts(plan: &Plan) -> Vec<[i32; 2]> {
    let mut starts: Vec<[i32; 2]> = Vec::with_capacity(plan.steps.len());
    for step in &plan.steps {
        let own = match step {
            Step::Input(_) => Some([-plan.reach[0], -plan.reach[3]]),
            Step::Fold { terms, .. } => {
                let places = terms.iter().map(|term| {
                    let [x, y] = starts[term.source];
                    [x - term.offset[0], y + term.offset[1]]
                });
                places.reduce(|a, b| [a[0].min(b[0]), a[1].min(b[1])])
            }
            Step::Window { source, step, length } => {
                let [x, y] = starts[*source];
                Some([x - step[0] * (*length as i32 - 1), y])
            }
        };
        starts.push(own.unwrap_or([0, 0]));
    }
    starts
}

/// The rows of each step that are kept, its newest included.
fn depths(plan: &Plan, leads: &[i32]) -> Vec<i32> {
    let mut depths = vec![1; plan.steps.len()];
    for (number, step) in plan.steps.iter().enumerate() {
        for (source, offset) in step.reads() {
            depths[source] = depths[source].max(leads[source] - leads[number] + offset[1] + 1);
        }
        let [x, y] = back(step);
        // A row is replaced pixel by pixel: what lies straight above may be where the new value goes.
        depths[number] = depths[number].max(if x == 0 { y } else { y + 1 });
    }
    for output in &plan.outputs {
        depths[output.source] = depths[output.source].max(leads[output.source] + output.offset[1] + 1);
    }
    depths
}
