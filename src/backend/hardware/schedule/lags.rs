//! Lags: when each value is there, so that the fewest bits are kept.

use super::flow::{Problem, Solution};
use crate::backend::hardware::machine::{
    CellId, Columns, Design, Frame, Moment, Netlist, Operand, Operation, Proof, Since,
};

/// The lags of a netlist, and the proof that they keep the fewest bits.
#[derive(Clone, Debug)]
pub struct Lags {
    /// The lag of each cell, in pixels.
    pub cells: Vec<i64>,
    /// The lag of the results.
    pub sink: i64,
    /// The bits that are kept: the width of each value times the greatest number of pixels for which it is kept. Where one pixel
    /// in several matters, or pixels of inputs are held for several clocks, as many times less.
    pub bits: i64,
    /// The proof.
    pub proof: Proof,
}

/// The variables of a netlist: when a value is there, and until when it is kept.
struct Variables {
    there: Vec<usize>,
    until: Vec<usize>,
    sink: usize,
}

impl Variables {
    fn moments(&self) -> Vec<Moment> {
        let mut moments = vec![Moment::Source; self.sink + 1];
        for (index, (there, until)) in self.there.iter().zip(&self.until).enumerate() {
            if *there != self.there[0] {
                moments[*there] = Moment::There(CellId::new(index));
            }
            moments[*until] = Moment::Until(CellId::new(index));
        }
        moments[self.sink] = Moment::Sink;
        moments
    }

    fn proof(&self, problem: &Problem, solution: &Solution) -> Proof {
        let moments = self.moments();
        let flows = problem.constraints.iter().zip(&solution.flows).filter(|(_, flow)| **flow > 0);
        Proof { flows: flows.map(|(c, flow)| (moments[c.from], moments[c.to], *flow)).collect() }
    }
}

/// The lags that keep the fewest bits. Results come `sink` pixels after their pixels, or when it is best for `None`. `None` if that
/// is too early.
pub(super) fn lags(netlist: &Netlist, frame: &Frame, sink: Option<i64>) -> Option<Lags> {
    let columns = Columns::new(netlist, frame);
    let (mut problem, variables) = problem(netlist, frame, &columns);
    let source = variables.there[0];
    if let Some(sink) = sink {
        problem.constrain(source, variables.sink, sink);
        problem.constrain(variables.sink, source, -sink);
    }
    let solution = problem.solve()?;
    let start = solution.values[source];
    let cells = variables.there.iter().map(|variable| solution.values[*variable] - start).collect();
    let (bits, sink) = (columns.bits(problem.sum(&solution.values)), solution.values[variables.sink] - start);
    Some(Lags { cells, sink, bits, proof: variables.proof(&problem, &solution) })
}

/// The lags that keep the fewest bits, of those with which results begin with a word.
pub fn lags_in_step(netlist: &Netlist, frame: &Frame) -> Option<Lags> {
    let free = lags(netlist, frame, None)?;
    let later = frame.in_step(free.sink);
    if later == free.sink {
        return Some(free);
    }
    // The least number of bits is convex in the lag of the results.
    let earlier = lags(netlist, frame, Some(later - frame.lanes as i64));
    let later = lags(netlist, frame, Some(later))?;
    Some(earlier.filter(|earlier| earlier.bits < later.bits).unwrap_or(later))
}

fn problem(netlist: &Netlist, frame: &Frame, columns: &Columns) -> (Problem, Variables) {
    let mut problem = Problem::default();
    let mut variables = Variables { there: Vec::new(), until: Vec::new(), sink: 0 };
    // All inputs come in at once, so they are there at the same time.
    let source = problem.variable(0);
    for id in netlist.ids() {
        let cell = netlist.cell(id);
        let bits = i64::from(cell.range.bits()) * columns.share(netlist, id.index());
        let there = if matches!(cell.operation, Operation::Input(_)) { source } else { problem.variable(0) };
        problem.factors[there] -= bits;
        let until = problem.variable(bits);
        problem.constrain(there, until, 0);
        variables.there.push(there);
        variables.until.push(until);
    }
    variables.sink = problem.variable(0);
    let lanes = frame.lanes as i64;
    for id in netlist.ids().filter(|id| netlist.cell(*id).is_pattern()) {
        // Nothing is computed before a frame begins.
        let first = i64::from(netlist.cell(id).latency) * lanes;
        problem.constrain(source, variables.there[id.index()], first);
    }
    let mut read = |reader: usize, latency: u32, operand: &Operand| {
        let Operand::Tap(cell, at) = operand else { return };
        let delay = frame.delay(*at) - i64::from(latency) * lanes;
        problem.constrain(variables.there[cell.index()], reader, -delay);
        problem.constrain(reader, variables.until[cell.index()], delay);
    };
    for id in netlist.ids() {
        let cell = netlist.cell(id);
        cell.operands.iter().for_each(|operand| read(variables.there[id.index()], cell.latency, operand));
    }
    for (_, operand) in &netlist.outputs {
        read(variables.sink, Design::SINK_LATENCY, operand);
    }
    // No result leaves before its pixel has come, even if it depends on earlier pixels alone: otherwise results of a frame that never
    // begins would follow those of the last frame.
    problem.constrain(source, variables.sink, i64::from(Design::SINK_LATENCY) * lanes);
    (problem, variables)
}

/// Gives every cell its clocks: those that it takes, and a register where otherwise more than `levels` adders follow one another.
pub fn registers(netlist: &mut Netlist, levels: u32, multiplier_clocks: u32) {
    let mut depth: Vec<u32> = vec![0; netlist.cells.len()];
    for id in netlist.ids() {
        let own = own_levels(&netlist.cell(id).operation);
        let operands: Vec<CellId> = netlist
            .cell(id)
            .operands
            .iter()
            .filter_map(|operand| match operand {
                Operand::Tap(cell, _) => Some(*cell),
                Operand::Number(_) => None,
            })
            .collect();
        for operand in &operands {
            if depth[operand.index()] + own > 2 * levels && depth[operand.index()] > 0 {
                netlist.cells[operand.index()].latency += 1;
                depth[operand.index()] = 0;
            }
        }
        let before = operands.iter().map(|operand| depth[operand.index()]).max().unwrap_or(0);
        let latency = match netlist.cell(id).operation {
            Operation::Product => multiplier_clocks,
            Operation::Quotient => netlist.cell(id).range.absolute().map_or(1, |range| range.bits()),
            Operation::Root => netlist.cell(id).range.bits(),
            Operation::Table { .. } => 1,
            // Each memory has a register behind it.
            Operation::Until { .. } => 2,
            _ => 0,
        };
        netlist.cells[id.index()].latency = latency;
        depth[id.index()] = if latency > 0 { 0 } else { before + own };
    }
}

/// How long an operation takes, in halves of an adder.
fn own_levels(operation: &Operation) -> u32 {
    match operation {
        Operation::Input(_) | Operation::ShiftRight(_) | Operation::Wrap(..) => 0,
        Operation::Select | Operation::Table { .. } | Operation::Interleave { .. } => 1,
        Operation::Along { since, .. } => match since {
            Since::First => 1,
            Since::Sum => 2,
            Since::Extreme(_) => 3,
        },
        // A tree of choices.
        Operation::Choose { .. } => 2,
        Operation::Sum(factors) => {
            if factors.len() > 1 {
                2
            } else {
                1
            }
        }
        Operation::Compare(_) | Operation::Product | Operation::Quotient | Operation::Root => 2,
        Operation::Running { .. } => 4,
        Operation::Absolute | Operation::Minimum | Operation::Maximum | Operation::Until { .. } => 3,
    }
}
