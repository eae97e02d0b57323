//! The layout of a plan: where each step is computed, how far ahead of the output, and how many of its rows are kept.

use super::{Fold, Plan, PlanStep, linear_step};

/// The pixels for which a step is computed, relative to the first pixel of the output. Rows count to the south.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The first column.
    pub west: i32,
    /// The first column that is read. Columns before [`Extent::west`] are zero.
    pub base: i32,
    /// The number of columns beyond the width of the output.
    pub east: i32,
    /// The number of columns beyond the width of the output that are read. Columns from [`Extent::east`] on are zero.
    pub edge: i32,
    /// The first row. Rows before it are zero.
    pub north: i32,
    /// The number of rows beyond the height of the output.
    pub south: i32,
}

/// The row-by-row execution of a plan: with row t of the output, row t + lead of every step is computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The extent of each step.
    pub extents: Vec<Extent>,
    /// The number of rows by which each step runs ahead of the output.
    pub leads: Vec<i32>,
    /// The number of rows of each step that are kept.
    pub depths: Vec<i32>,
}

impl Layout {
    /// The layout of a plan.
    pub fn of(plan: &Plan) -> Self {
        let count = plan.steps.len();
        let supports = supports(plan);
        let nowhere = Extent {
            west: i32::MAX,
            base: i32::MAX,
            east: i32::MIN,
            edge: i32::MIN,
            north: i32::MAX,
            south: i32::MIN,
        };
        let mut extents = vec![nowhere; count];
        let mut leads = vec![i32::MIN; count];
        for output in &plan.outputs {
            let [x, y, _] = output.offset;
            need(&mut extents[output.source], [x, x], [-y, -y]);
            leads[output.source] = leads[output.source].max(-y);
        }
        for number in (0..count).rev() {
            let back = back(&plan.steps[number]);
            let (support, lead) = (supports[number], leads[number]);
            let extent = &mut extents[number];
            let tall = matches!(&plan.steps[number], PlanStep::Window { step, .. } if step[1] != 0);
            // A recurrence starts where its terms start. Any other step starts where it is needed.
            let west = support.west.unwrap_or(i32::MIN);
            extent.west = if back[0] < 0 { west } else { extent.west.max(west) };
            extent.edge = extent.east;
            match support.east {
                Some(east) if back[0] > 0 => extent.east = extent.east.max(east),
                // Values beyond are zero, whatever the border is: sums cancel what they read there.
                Some(east) if plan.fold == Fold::Sum => extent.east = extent.east.min(east),
                _ => {}
            }
            extent.north = if back[1] != 0 || tall { support.north } else { extent.north.max(support.north) };
            extent.base = extent.base.min(extent.west + back[0].min(0)).min(extent.west);
            extent.edge = extent.edge.max(extent.east + back[0].max(0));
            let extent = *extent;
            for (source, [x, y]) in spans(&plan.steps[number]) {
                let columns = [extent.west + x[0], extent.east + x[1]];
                let rows = [extent.north - y[1], extent.south - y[0]];
                need(&mut extents[source], columns, rows);
                leads[source] = leads[source].max(lead - y[0]);
            }
        }
        // An unused step is never computed. Plans have none, but the layout must not fail if there is one.
        for (extent, lead) in extents.iter_mut().zip(&mut leads) {
            if *lead == i32::MIN {
                (*lead, *extent) = (0, Extent { west: 0, base: 0, east: 0, edge: 0, north: 0, south: 0 });
            }
        }
        let depths = depths(plan, &leads);
        Self { extents, leads, depths }
    }

    /// The first row of the output, or before it, at which a step has work to do.
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

/// Extends an extent to cover columns and rows, each given as the first and the number beyond the size of the output.
fn need(extent: &mut Extent, columns: [i32; 2], rows: [i32; 2]) {
    extent.west = extent.west.min(columns[0]);
    extent.base = extent.base.min(columns[0]);
    extent.east = extent.east.max(columns[1]);
    extent.north = extent.north.min(rows[0]);
    extent.south = extent.south.max(rows[1]);
}

/// The offset at which a step reads itself; zero if it does not.
fn back(step: &PlanStep) -> [i32; 2] {
    match step {
        PlanStep::Fold { back: Some([x, y, _]), .. } => [*x, *y],
        _ => [0, 0],
    }
}

/// The sources that a step reads, with the least and the greatest offset along x and y.
fn spans(step: &PlanStep) -> Vec<(usize, [[i32; 2]; 2])> {
    match step {
        PlanStep::Input(_) => Vec::new(),
        PlanStep::Fold { terms, .. } => {
            let span = |t: &super::Term| (t.source, [[t.offset[0]; 2], [t.offset[1]; 2]]);
            terms.iter().map(span).collect()
        }
        PlanStep::Window { source, step, length } => {
            let last = *length as i32 - 1;
            vec![(*source, [[0, step[0] * last], [0, step[1] * last]])]
        }
    }
}

/// The region where a step can be nonzero, as in [`Extent`]. `None` means unbounded.
#[derive(Clone, Copy)]
struct Support {
    west: Option<i32>,
    east: Option<i32>,
    north: i32,
}

/// The region where each step can be nonzero.
fn supports(plan: &Plan) -> Vec<Support> {
    let [west, east, _, north] = plan.reach;
    let input = Support { west: Some(-west), east: Some(east), north: -north };
    // Only recurrences that read to the east begin there. To the west, they end only where their kernels do.
    let kernels = plan.fold == Fold::Sum && plan.steps.iter().any(|step| back(step)[0] > 0);
    let mut meanings = Vec::new();
    let mut supports: Vec<Support> = Vec::with_capacity(plan.steps.len());
    for step in &plan.steps {
        let all = |a: Option<i32>, b: Option<i32>, pick: fn(i32, i32) -> i32| Some(pick(a?, b?));
        let mut own = match step {
            PlanStep::Input(_) => input,
            PlanStep::Fold { terms, .. } => {
                let read = terms.iter().map(|term| {
                    let (of, [x, y, _]) = (supports[term.source], term.offset);
                    Support {
                        west: of.west.map(|west| west - x),
                        east: of.east.map(|east| east - x),
                        north: of.north + y,
                    }
                });
                let union = |a: Support, b: Support| Support {
                    west: all(a.west, b.west, i32::min),
                    east: all(a.east, b.east, i32::max),
                    north: a.north.min(b.north),
                };
                read.reduce(union).unwrap_or(Support { west: Some(0), east: Some(0), north: 0 })
            }
            PlanStep::Window { source, step, length } => {
                let of = supports[*source];
                let far = step[0] * (*length as i32 - 1);
                Support { west: of.west.map(|west| west - far), ..of }
            }
        };
        match back(step)[0].signum() {
            -1 => own.east = None,
            1 => own.west = None,
            _ => {}
        }
        if kernels {
            let meaning = linear_step(step, &meanings, plan.inputs.len()).unwrap_or_default();
            let finite = meaning.iter().map(|scan| scan.to_kernel()).collect::<Option<Vec<_>>>();
            if let Some(taps) = finite {
                let columns = taps.into_iter().flat_map(|kernel| kernel.nonzero_taps()).map(|(at, _)| at[0]);
                let (least, most) = columns.fold((0, 0), |(low, high), x| (low.min(x), high.max(x)));
                own.west = own.west.or(input.west.map(|west| west - most));
                own.east = own.east.or(input.east.map(|east| east - least));
            }
            meanings.push(meaning);
        }
        supports.push(own);
    }
    supports
}

/// The number of rows of each step that are kept, including the newest.
fn depths(plan: &Plan, leads: &[i32]) -> Vec<i32> {
    let mut depths = vec![1; plan.steps.len()];
    for (number, step) in plan.steps.iter().enumerate() {
        for (source, offset) in step.reads() {
            depths[source] = depths[source].max(leads[source] - leads[number] + offset[1] + 1);
        }
        let [x, y] = back(step);
        // A row is replaced pixel by pixel: the value straight above may be in the slot of the new value.
        depths[number] = depths[number].max(if x == 0 { y } else { y + 1 });
    }
    for output in &plan.outputs {
        depths[output.source] = depths[output.source].max(leads[output.source] + output.offset[1] + 1);
    }
    depths
}
