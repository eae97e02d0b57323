//! From a pipeline to a netlist, operation by operation.

mod arithmetic;
mod fold;
mod linear;
mod refusal;
mod sampling;
mod shape;

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::sums::{Prices, Sum, add_sum};
use crate::algebra::Rational;
use crate::backend::hardware::machine::{
    CellId, Frame, HardwareMachine, Netlist, Operand, Operation as Made, Port,
};
use crate::pipeline::{
    Linear, NodeId, Operation, Pipeline, PixelType, Range, Stencil, common_multiple, linear_forms_at_one_rate,
};
use crate::syntax::Diagnostic;
pub(in crate::backend::hardware) use refusal::not_made;
use refusal::refusal;
pub use shape::lattice;
use shape::{Shapes, Stride};

type Lowered = Result<Operand, Box<Diagnostic>>;

/// A value in the raster: a node, the columns and rows from one of its pixels to the next, and a plane.
type Place = (NodeId, Stride, u32);

/// The most cells.
const MAX_CELLS: usize = 1 << 14;

/// What may be made in more than one way, where only the price of the whole tells which is better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Forms {
    /// Whether extremes of many columns, and of many rows, are made in blocks.
    pub blocks: [bool; 2],
    /// Whether sums of neighbours may go on from pixel to pixel.
    pub running: bool,
}

/// Makes the cells of a pipeline. Sums are arranged by the prices of the machine for this frame.
///
/// # Errors
/// The first value that cannot be computed so, with its place.
pub fn lower(
    pipeline: &Pipeline,
    machine: &HardwareMachine,
    frame: &Frame,
    forms: Forms,
) -> Result<Netlist, Box<Diagnostic>> {
    let mut lowering = Lowering {
        pipeline,
        netlist: Netlist::default(),
        made: BTreeMap::new(),
        shapes: Shapes::new(pipeline)?,
        stride: [1, 1],
        plane: 0,
        values: vec![None; pipeline.variables.len()],
        forms: linear_forms_at_one_rate(pipeline),
        stages: stages(pipeline),
        quotients: BTreeMap::new(),
        readers: pipeline.readers(),
        prices: Prices { machine, frame, running: forms.running, known: &RefCell::default() },
        blocks: forms.blocks,
    };
    lowering.inputs()?;
    for id in pipeline.ids().filter(|id| pipeline.facts(*id).variables.is_empty()) {
        lowering.lower(id)?;
    }
    for output in &pipeline.outputs {
        let stride = shape::stride(output.rate);
        let every = stride.map_or([1, 1], |every| every.map(|every| every as usize));
        lowering.stride = lowering.shapes.of(output.node, stride)?;
        let operand = lowering.operand(output.node)?;
        let PixelType::Integer { bits, signed } = output.pixel else {
            return Err(refusal(output.span, "an output in single precision"));
        };
        lowering.netlist.outputs.push((Port { name: output.name.clone(), bits, signed, every }, operand));
    }
    Ok(lowering.netlist.pruned())
}

/// For each node the name of the stage or output that it is part of.
fn stages(pipeline: &Pipeline) -> Vec<String> {
    let mut names: Vec<Option<String>> = vec![None; pipeline.nodes.len()];
    let outputs = pipeline.outputs.iter().map(|output| (output.node, &output.name));
    let stages = pipeline.stages.iter().map(|stage| (stage.node, &stage.name));
    stages.chain(outputs).for_each(|(node, name)| {
        names[node.index()].get_or_insert_with(|| name.clone());
    });
    for id in pipeline.ids().rev() {
        let Some(name) = names[id.index()].clone() else { continue };
        for operand in pipeline.node(id).operation.operands() {
            names[operand.index()].get_or_insert_with(|| name.clone());
        }
    }
    names.into_iter().map(Option::unwrap_or_default).collect()
}

struct Lowering<'p> {
    pipeline: &'p Pipeline,
    netlist: Netlist,
    /// The values that are there.
    made: BTreeMap<Place, Operand>,
    shapes: Shapes<'p>,
    /// The stride and the plane of the value that is made.
    stride: Stride,
    plane: u32,
    /// The values of the variables of the folds around it.
    values: Vec<Option<i32>>,
    forms: Vec<Linear>,
    stages: Vec<String>,
    /// Quotients by numbers, by their cells: what is divided, as seen from the cell, and by what.
    quotients: BTreeMap<CellId, (Operand, i128)>,
    /// How many operations and outputs read each node.
    readers: Vec<usize>,
    prices: Prices<'p>,
    /// Whether extremes of many columns, and of many rows, are made in blocks.
    blocks: [bool; 2],
}

impl Lowering<'_> {
    fn inputs(&mut self) -> Result<(), Box<Diagnostic>> {
        for (number, input) in self.pipeline.inputs.iter().enumerate() {
            let PixelType::Integer { bits, signed } = input.pixel else {
                return Err(refusal(input.span, "an input in single precision"));
            };
            if input.rate != [Rational::ONE; 2] {
                return Err(refusal(input.span, "an input of another rate than the base grid"));
            }
            let [least, greatest] = input.pixel.limits().unwrap_or([0, 1]);
            let port = Port { name: input.name.clone(), bits, signed, every: [1, 1] };
            let operand = self.netlist.input(port, Range::integers(least, greatest));
            for id in self.pipeline.ids() {
                if self.pipeline.node(id).operation == Operation::Input(number) {
                    self.made.insert((id, [1, 1], 0), operand);
                }
            }
        }
        Ok(())
    }

    /// Makes a value at all strides at which it is read, and in all its planes.
    fn lower(&mut self, id: NodeId) -> Result<(), Box<Diagnostic>> {
        if matches!(self.pipeline.node(id).operation, Operation::Input(_)) {
            return Ok(());
        }
        for stride in self.shapes.strides(id) {
            for plane in 0..self.pipeline.facts(id).planes.unwrap_or(1) {
                (self.stride, self.plane) = (stride, plane);
                let operand = self.node(id)?;
                self.made.insert((id, stride, plane), operand);
                if self.netlist.cells.len() > MAX_CELLS {
                    let what = format!("more than {MAX_CELLS} operations on a pixel");
                    return Err(refusal(self.pipeline.node(id).span, &what));
                }
            }
        }
        Ok(())
    }

    /// A value at the present stride and in the present plane.
    fn operand(&self, id: NodeId) -> Lowered {
        self.value(id, self.stride, self.plane)
    }

    /// A value that is there already.
    fn value(&self, id: NodeId, stride: Stride, plane: u32) -> Lowered {
        let node = self.pipeline.node(id);
        if let Operation::Constant(value) = node.operation {
            let over = self.denominator(id) / i128::from(value.denominator());
            return Ok(Operand::Number(i128::from(value.numerator()) * over));
        }
        let plane = if node.facts.planes.is_some() { plane } else { 0 };
        let place = (id, self.shapes.of(id, Ok(stride))?, plane);
        self.made.get(&place).copied().ok_or_else(|| refusal(node.span, "a value that follows its reader"))
    }

    /// A value at an offset in its own pixels, z planes above this one: zero where there is no plane.
    fn tap(&self, id: NodeId, [x, y, z]: [i32; 3]) -> Lowered {
        let at = self.spread([x, y]);
        match self.shapes.plane(id, self.plane, z) {
            Some(plane) => Ok(self.value(id, self.stride, plane)?.moved(at)),
            None => Ok(Operand::Number(0)),
        }
    }

    /// An offset in pixels of the present stride as one in the raster.
    fn spread(&self, at: [i32; 2]) -> [i32; 2] {
        [0, 1].map(|axis| at[axis].saturating_mul(self.stride[axis] as i32))
    }

    fn operands(&self, list: &[NodeId]) -> Result<Vec<Operand>, Box<Diagnostic>> {
        list.iter().map(|id| self.operand(*id)).collect()
    }

    fn denominator(&self, id: NodeId) -> i128 {
        self.pipeline.facts(id).denominator()
    }

    /// The numerators of a node.
    fn range(&self, id: NodeId) -> Option<Range> {
        self.pipeline.facts(id).range().map(|range| Range::integers(range.least, range.greatest))
    }

    fn too_wide(&self, id: NodeId) -> Box<Diagnostic> {
        refusal(self.pipeline.node(id).span, "values of more than 126 bits")
    }

    fn node(&mut self, id: NodeId) -> Lowered {
        let node = self.pipeline.node(id);
        self.plain(id)?;
        match &node.operation {
            Operation::Constant(_) => self.operand(id),
            Operation::Variable(_) => Ok(Operand::Number(self.variable(id)?.into())),
            Operation::At(distances, value) => {
                let [x, y] = self.distances(id, distances)?;
                self.tap(*value, [x, y, 0])
            }
            Operation::Down { phase, value, .. } => self.down(id, *phase, *value),
            Operation::Up(period, value) => self.up(id, *period, *value),
            Operation::Interleave(period, list) => self.interleave(id, *period, list),
            Operation::Fold(fold, variables, value) => self.fold(id, *fold, variables, *value),
            Operation::Histogram { cell, index, weight, .. } => self.histogram(id, *cell, [*index, *weight]),
            Operation::Gather { value, by, plane } => self.gather(id, *value, *by, *plane),
            Operation::Filter(Stencil::Extreme(choice, taps), list) => self.extreme(id, *choice, taps, list),
            Operation::Filter(Stencil::Linear(_), _) | Operation::Add(_) => self.linear(id),
            Operation::Multiply(list) => self.product(id, list),
            Operation::Quotient(a, b) => self.quotient(id, *a, *b),
            Operation::Minimum(list) => self.extreme_of(id, &Made::Minimum, list),
            Operation::Maximum(list) => self.extreme_of(id, &Made::Maximum, list),
            Operation::Root(value) => self.root(id, *value),
            Operation::Round(rounding, value) => {
                let operand = self.round(id, *rounding, *value)?;
                if let Some(range) = self.range(id) {
                    self.netlist.narrow(operand, range);
                }
                Ok(operand)
            }
            _ => self.cell(id),
        }
    }

    /// Refuses what is in single precision, and operations without a circuit.
    fn plain(&self, id: NodeId) -> Result<(), Box<Diagnostic>> {
        let node = self.pipeline.node(id);
        let what = match &node.operation {
            Operation::Border(..) => Some("a border within the pipeline"),
            Operation::Float(_) | Operation::Saturate(..) => Some("single precision"),
            _ if node.facts.is_float() => Some("single precision"),
            _ => None,
        };
        what.map_or(Ok(()), |what| Err(refusal(node.span, what)))
    }

    /// An operation that is one cell.
    fn cell(&mut self, id: NodeId) -> Lowered {
        let node = self.pipeline.node(id);
        let (operation, list) = match &node.operation {
            Operation::Absolute(value) => (Made::Absolute, vec![*value]),
            Operation::Compare(how, a, b) => return self.compare(id, *how, [*a, *b]),
            Operation::Select(c, a, b) => {
                let mut operands = self.aligned(id, &[*a, *b], self.denominator(id))?;
                operands.insert(0, self.operand(*c)?);
                return self.made(id, Made::Select, operands);
            }
            Operation::Table { first, values, index } => {
                (Made::Table { first: *first, values: values.clone() }, vec![*index])
            }
            Operation::Wrap(PixelType::Integer { bits, signed }, value) => {
                (Made::Wrap(*bits, *signed), vec![*value])
            }
            _ => return Err(refusal(node.span, "this operation")),
        };
        let operands = self.operands(&list)?;
        self.made(id, operation, operands)
    }

    fn made(&mut self, id: NodeId, operation: Made, operands: Vec<Operand>) -> Lowered {
        let range = self.range(id);
        let stage = self.stages[id.index()].clone();
        self.netlist.add(&stage, operation, operands, range).ok_or_else(|| self.too_wide(id))
    }

    fn sum(&mut self, id: NodeId, terms: Vec<(Operand, i128)>, constant: i128, within: bool) -> Lowered {
        let within = self.range(id).filter(|_| within);
        let stage = self.stages[id.index()].clone();
        let sum = Sum { terms, constant, within };
        add_sum(&mut self.netlist, &stage, &sum, self.prices).ok_or_else(|| self.too_wide(id))
    }

    /// Values over a denominator, a multiple of theirs.
    fn aligned(&mut self, id: NodeId, list: &[NodeId], over: i128) -> Result<Vec<Operand>, Box<Diagnostic>> {
        let mut operands = Vec::new();
        for value in list {
            let (operand, of) = (self.operand(*value)?, self.denominator(*value));
            let common = common_multiple(over, of).ok_or_else(|| self.too_wide(id))?;
            let operand = self.over(id, operand, common / of)?;
            // A value that has a smaller fraction here than where it is made leaves no rest.
            operands.push(match common / over {
                1 => operand,
                down => self.quotient_by(id, operand, down, None)?,
            });
        }
        Ok(operands)
    }

    /// A multiple of an operand.
    fn over(&mut self, id: NodeId, operand: Operand, factor: i128) -> Lowered {
        if factor == 1 { Ok(operand) } else { self.sum(id, vec![(operand, factor)], 0, false) }
    }
}
