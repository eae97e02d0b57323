//! Netlists: what is computed for each pixel of a raster, as cells that read cells before them at offsets.

use std::collections::BTreeMap;

use crate::algebra::{gcd, lcm};
use crate::backend::names::words;
use crate::pipeline::Range;

use super::meaning::{chosen, interval, value};
use super::operation::Operation;

/// A cell by its place in a netlist.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CellId(usize);

impl CellId {
    /// The cell at this place.
    pub fn new(index: usize) -> Self {
        Self(index)
    }

    /// The place.
    pub fn index(self) -> usize {
        self.0
    }
}

/// What a cell reads: another cell at an offset in pixels, or a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operand {
    /// A cell, at an offset in columns east and rows north.
    Tap(CellId, [i32; 2]),
    /// A number.
    Number(i128),
}

impl Operand {
    /// The same value, x pixels further east and y further north.
    #[must_use]
    pub fn moved(self, [x, y]: [i32; 2]) -> Self {
        match self {
            Self::Tap(cell, at) => Self::Tap(cell, [at[0] + x, at[1] + y]),
            Self::Number(_) => self,
        }
    }
}

/// A cell.
#[derive(Clone, Debug)]
pub struct Cell {
    /// What it computes.
    pub operation: Operation,
    /// What it reads.
    pub operands: Vec<Operand>,
    /// The values that it can have.
    pub range: Range,
    /// The stage that it was made for.
    pub stage: String,
    /// The clocks from operands to result.
    pub latency: u32,
}

impl Cell {
    /// Whether the values follow from the place alone: numbers by their place in a period.
    pub fn is_pattern(&self) -> bool {
        let is_number = |operand: &Operand| matches!(operand, Operand::Number(_));
        !matches!(self.operation, Operation::Input(_)) && self.operands.iter().all(is_number)
    }
}

/// A picture that comes in or goes out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// The name.
    pub name: String,
    /// The bits of a pixel.
    pub bits: u32,
    /// Whether pixels are signed.
    pub signed: bool,
    /// The columns and rows of the raster from one pixel to the next.
    pub every: [usize; 2],
}

/// A netlist: cells, each after those that it reads.
#[derive(Clone, Debug, Default)]
pub struct Netlist {
    /// The cells.
    pub cells: Vec<Cell>,
    /// The inputs.
    pub inputs: Vec<Port>,
    /// The outputs, with what they show.
    pub outputs: Vec<(Port, Operand)>,
    known: BTreeMap<(Operation, Vec<Operand>), CellId>,
}

impl Port {
    /// The results from one pixel to the next, where results are in one of `every` columns and rows of the raster.
    pub fn results(&self, every: [usize; 2]) -> [usize; 2] {
        [0, 1].map(|axis| self.every[axis] / every[axis])
    }
}

impl Netlist {
    /// The names of inputs and of outputs as words, different among themselves, where a text writes them like this.
    pub(super) fn words(&self, written: impl Fn(&str) -> String) -> [Vec<String>; 2] {
        let inputs: Vec<String> = self.inputs.iter().map(|port| written(&port.name)).collect();
        let outputs: Vec<String> = self.outputs.iter().map(|(port, _)| written(&port.name)).collect();
        [inputs, outputs].map(|names| words(names.iter().map(String::as_str), &[]))
    }

    /// The outputs that have pixels in some of the results only, each with the columns and rows of results from one to the next.
    pub fn rarer(&self, every: [usize; 2]) -> impl Iterator<Item = (&str, [usize; 2])> {
        let outputs = self.outputs.iter().map(move |(port, _)| (port.name.as_str(), port.results(every)));
        outputs.filter(|(_, results)| *results != [1, 1])
    }

    /// The same as a line of comment in a module; nothing if there are none.
    pub fn rarer_comment(&self, every: [usize; 2]) -> String {
        match rarer_text(self.rarer(every)) {
            rarer if rarer.is_empty() => rarer,
            rarer => format!("// {rarer}, from the first on; elsewhere its bits mean nothing.\n"),
        }
    }

    /// All cells, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = CellId> + use<> {
        (0..self.cells.len()).map(CellId)
    }

    /// A cell.
    pub fn cell(&self, id: CellId) -> &Cell {
        &self.cells[id.0]
    }

    /// The values that an operand can have.
    pub fn range(&self, operand: Operand) -> Range {
        match operand {
            Operand::Tap(cell, _) => self.cell(cell).range,
            Operand::Number(number) => Range::integers(number, number),
        }
    }

    /// The bits of the adder of a sum, 0 for other operations: where a summand is shifted further than the other, the lowest bits
    /// are those of the other, and all bits where that one has no more. A running sum has two adders.
    pub fn adder_bits(&self, cell: &Cell) -> u32 {
        if let Operation::Running { .. } = cell.operation {
            return 2 * cell.range.bits();
        }
        let Operation::Sum(factors) = &cell.operation else { return 0 };
        match factors[..] {
            [a, b] => {
                let (low, operand) =
                    if a.shift <= b.shift { (a, cell.operands[0]) } else { (b, cell.operands[1]) };
                let alone = if low.negative { 0 } else { a.shift.abs_diff(b.shift) };
                let range = self.range(operand);
                let apart = !a.negative && !b.negative && !range.is_signed() && range.bits() <= alone;
                if apart { 0 } else { cell.range.bits().saturating_sub(alone + low.shift) }
            }
            [one] if one.negative => cell.range.bits().saturating_sub(one.shift),
            _ => 0,
        }
    }

    /// Adds an operation for a stage, or finds it: a cell that does the same elsewhere is read there. `within` bounds its values
    /// beside what follows from the operands. Returns `None` where values have too many bits.
    pub fn add(
        &mut self,
        stage: &str,
        operation: Operation,
        operands: Vec<Operand>,
        within: Option<Range>,
    ) -> Option<Operand> {
        let numbers: Option<Vec<i128>> = operands
            .iter()
            .map(|operand| match operand {
                Operand::Number(number) => Some(*number),
                Operand::Tap(..) => None,
            })
            .collect();
        if let Some(numbers) = numbers.filter(|_| operation.period() == [1, 1]) {
            return value(&operation, &numbers).map(Operand::Number);
        }
        let ranges: Vec<Range> = operands.iter().map(|operand| self.range(*operand)).collect();
        if let Some(chosen) = chosen(&operation, &ranges) {
            return Some(operands[chosen]);
        }
        let mut range = interval(&operation, &ranges)?;
        if range.least == range.greatest && matches!(operation, Operation::Compare(_)) {
            return Some(Operand::Number(range.least));
        }
        if let Some(within) = within {
            range = Range::integers(range.least.max(within.least), range.greatest.min(within.greatest));
        }
        let base = operands.iter().find_map(|operand| match operand {
            Operand::Tap(_, at) => Some(*at),
            Operand::Number(_) => None,
        });
        // Operations that depend on the place stay where they are.
        let [x, y] = [0, 1].map(|axis| match (base, operation.period()[axis]) {
            (Some(base), 1) => base[axis],
            _ => 0,
        });
        let operands: Vec<Operand> = operands.into_iter().map(|one| one.moved([-x, -y])).collect();
        let key = (operation, operands);
        let id = match self.known.get(&key) {
            Some(id) => {
                let known = &mut self.cells[id.0].range;
                known.least = known.least.max(range.least);
                known.greatest = known.greatest.min(range.greatest);
                *id
            }
            None => {
                let id = CellId(self.cells.len());
                let (operation, operands) = key.clone();
                let stage = stage.to_owned();
                self.cells.push(Cell { operation, operands, range, stage, latency: 0 });
                self.known.insert(key, id);
                id
            }
        };
        Some(Operand::Tap(id, [x, y]))
    }

    /// Drops the entries of tables that no index chooses.
    pub fn trim_tables(&mut self) {
        for number in 0..self.cells.len() {
            let index = self.cells[number].operands.first().map(|index| self.range(*index));
            if let (Operation::Table { first, values }, Some(range)) =
                (&mut self.cells[number].operation, index)
            {
                let places = (*first..).map(i128::from);
                let chosen =
                    places.zip(&*values).filter(|(place, _)| (range.least..=range.greatest).contains(place));
                let chosen: Vec<(i128, i64)> = chosen.map(|(place, value)| (place, *value)).collect();
                if let Some((least, _)) = chosen.first() {
                    *first = *least as i64;
                    *values = chosen.into_iter().map(|(_, value)| value).collect();
                }
            }
        }
    }

    /// Notes that all values of an operand are within an interval.
    pub fn narrow(&mut self, operand: Operand, within: Range) {
        if let Operand::Tap(cell, _) = operand {
            let range = &mut self.cells[cell.0].range;
            range.least = range.least.max(within.least);
            range.greatest = range.greatest.min(within.greatest);
        }
    }

    /// Adds an input, whose pixels have these values.
    pub fn input(&mut self, port: Port, range: Range) -> Operand {
        let number = self.inputs.len();
        let id = CellId(self.cells.len());
        let stage = port.name.clone();
        let operation = Operation::Input(number);
        self.cells.push(Cell { operation, operands: Vec::new(), range, stage, latency: 0 });
        self.inputs.push(port);
        Operand::Tap(id, [0, 0])
    }

    /// The netlist without cells that no output needs. Inputs stay.
    #[must_use]
    pub fn pruned(&self) -> Self {
        let mut needed = vec![false; self.cells.len()];
        let mark = |operand: &Operand, needed: &mut Vec<bool>| {
            if let Operand::Tap(cell, _) = operand {
                needed[cell.0] = true;
            }
        };
        self.outputs.iter().for_each(|(_, operand)| mark(operand, &mut needed));
        for id in self.ids().rev() {
            if matches!(self.cell(id).operation, Operation::Input(_)) {
                needed[id.0] = true;
            }
            if needed[id.0] {
                self.cell(id).operands.iter().for_each(|operand| mark(operand, &mut needed));
            }
        }
        let mut place = vec![CellId(0); self.cells.len()];
        let mut cells = Vec::new();
        for id in self.ids().filter(|id| needed[id.0]) {
            place[id.0] = CellId(cells.len());
            let mut cell = self.cell(id).clone();
            cell.operands.iter_mut().for_each(|operand| *operand = placed(*operand, &place));
            cells.push(cell);
        }
        let outputs = self.outputs.iter().map(|(port, of)| (port.clone(), placed(*of, &place))).collect();
        Self { cells, inputs: self.inputs.clone(), outputs, known: BTreeMap::new() }
    }

    /// The columns and rows after which there is a pixel of all outputs again.
    pub fn common(&self) -> [usize; 2] {
        let all = |axis: usize| self.outputs.iter().map(move |(port, _)| port.every[axis]);
        [0, 1].map(|axis| all(axis).fold(1, common_multiple))
    }

    /// The columns and rows after which all operations are the same again, and there is a pixel of all outputs.
    pub fn period(&self) -> [usize; 2] {
        let common = self.common();
        [0, 1].map(|axis| {
            let periods = self.cells.iter().map(|cell| cell.operation.period()[axis] as usize);
            periods.fold(common[axis], common_multiple)
        })
    }

    /// What the outputs read of the inputs, and of operations that depend on the place, through any cells: the least and the greatest
    /// offset, east and north. The pixel itself is always among them.
    pub fn window(&self) -> [[i32; 2]; 2] {
        let mut reach: Vec<Option<[[i32; 2]; 2]>> = vec![None; self.cells.len()];
        let mut window = [[0, 0], [0, 0]];
        let join = |into: &mut Option<[[i32; 2]; 2]>, of: [[i32; 2]; 2], at: [i32; 2]| {
            let moved = of.map(|[low, high]| [low, high]);
            let moved = [0, 1].map(|axis| [moved[axis][0] + at[axis], moved[axis][1] + at[axis]]);
            *into = Some(match *into {
                None => moved,
                Some(own) => {
                    [0, 1].map(|axis| [own[axis][0].min(moved[axis][0]), own[axis][1].max(moved[axis][1])])
                }
            });
        };
        for (_, operand) in &self.outputs {
            if let Operand::Tap(cell, at) = operand {
                join(&mut reach[cell.0], [[0, 0], [0, 0]], *at);
            }
        }
        for id in self.ids().rev() {
            let Some(own) = reach[id.0] else { continue };
            let [p, q] = self.cell(id).operation.period();
            if matches!(self.cell(id).operation, Operation::Input(_)) || [p, q] != [1, 1] {
                window =
                    [0, 1].map(|axis| [window[axis][0].min(own[axis][0]), window[axis][1].max(own[axis][1])]);
            }
            let own = match self.cell(id).operation {
                // From here to the end of a period at most, of what is read two periods later.
                Operation::Until { axis: 0, .. } => {
                    [[own[0][0] - 2 * p as i32, own[0][1] - p as i32 - 1], own[1]]
                }
                Operation::Until { .. } => [own[0], [own[1][0] + q as i32 + 1, own[1][1] + 2 * q as i32]],
                Operation::Along { .. } => {
                    [[own[0][0] - p as i32 + 1, own[0][1]], [own[1][0], own[1][1] + q as i32 - 1]]
                }
                Operation::Running { axis: 0, length } => {
                    [[own[0][0] - length as i32 + 1, own[0][1]], own[1]]
                }
                Operation::Running { length, .. } => [own[0], [own[1][0], own[1][1] + length as i32 - 1]],
                _ => own,
            };
            let is_running = matches!(self.cell(id).operation, Operation::Running { .. });
            // What left a running sum is not needed for the first that counts.
            let read = if is_running { 1 } else { self.cell(id).operands.len() };
            for operand in &self.cell(id).operands[..read] {
                if let Operand::Tap(cell, at) = operand {
                    join(&mut reach[cell.0], own, *at);
                }
            }
        }
        window
    }
}

/// Outputs that have pixels in some of the results only, as a text for people.
pub fn rarer_text<'o>(rarer: impl Iterator<Item = (&'o str, [usize; 2])>) -> String {
    let each = rarer.map(|(output, [x, y])| {
        format!("`{output}` has a pixel in one of {x} columns and {y} rows of results")
    });
    each.collect::<Vec<_>>().join(", ")
}

/// The least common multiple of two positive numbers; the greatest number that there is where that is too large.
pub fn common_multiple(a: usize, b: usize) -> usize {
    lcm(a, b).unwrap_or(usize::MAX)
}

/// The greatest common divisor of two positive numbers.
pub fn common_divisor(a: usize, b: usize) -> usize {
    gcd(a as u64, b as u64) as usize
}

fn placed(operand: Operand, place: &[CellId]) -> Operand {
    match operand {
        Operand::Tap(cell, at) => Operand::Tap(place[cell.0], at),
        Operand::Number(_) => operand,
    }
}
