//! From a pipeline to a netlist, operation by operation.

mod arithmetic;

use std::collections::BTreeMap;

use super::sums::{Prices, Sum, add_sum};
use crate::algebra::Rational;
use crate::backend::hardware::machine::{
    CellId, Frame, HardwareMachine, Netlist, Operand, Operation as Made, Port,
};
use crate::pipeline::{Linear, NodeId, Number, Operation, Pipeline, PixelType, Range, Stencil, linear_forms};
use crate::syntax::Diagnostic;

type Lowered = Result<Operand, Box<Diagnostic>>;

/// A summand: a value, where it is read, and its weight.
type Written = (NodeId, [i32; 2], Rational);

/// Makes the cells of a pipeline. Sums are arranged by the prices of the machine for this frame.
///
/// # Errors
/// The first value that cannot be computed so, with its place.
pub fn lower(
    pipeline: &Pipeline,
    machine: &HardwareMachine,
    frame: &Frame,
) -> Result<Netlist, Box<Diagnostic>> {
    let mut lowering = Lowering {
        pipeline,
        netlist: Netlist::default(),
        made: vec![None; pipeline.nodes.len()],
        forms: linear_forms(pipeline),
        stages: stages(pipeline),
        quotients: BTreeMap::new(),
        readers: readers(pipeline),
        prices: Prices { machine, frame },
    };
    lowering.inputs()?;
    for id in pipeline.ids() {
        if lowering.readers[id.index()] == 0 {
            continue;
        }
        let operand = lowering.node(id)?;
        lowering.made[id.index()] = Some(operand);
    }
    for output in &pipeline.outputs {
        let operand = lowering.operand(output.node)?;
        let PixelType::Integer { bits, signed } = output.pixel else {
            return Err(refusal(output.span, "an output in single precision"));
        };
        lowering.netlist.outputs.push((Port { name: output.name.clone(), bits, signed }, operand));
    }
    Ok(lowering.netlist.pruned())
}

fn refusal(span: crate::syntax::Span, what: &str) -> Box<Diagnostic> {
    let message = format!("line-buffered hardware is not made for {what}");
    Box::new(Diagnostic::error("not-in-hardware", message).label(span, "this value"))
}

/// How many operations and outputs that are needed read each node: none reads what is not needed.
fn readers(pipeline: &Pipeline) -> Vec<usize> {
    let mut readers = vec![0; pipeline.nodes.len()];
    pipeline.outputs.iter().for_each(|output| readers[output.node.index()] += 1);
    for id in pipeline.ids().rev() {
        if readers[id.index()] > 0 {
            let operands = pipeline.node(id).operation.operands();
            operands.iter().for_each(|operand| readers[operand.index()] += 1);
        }
    }
    readers
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
    made: Vec<Option<Operand>>,
    forms: Vec<Linear>,
    stages: Vec<String>,
    /// Quotients by numbers, by their cells: what is divided, as seen from the cell, and by what.
    quotients: BTreeMap<CellId, (Operand, i128)>,
    /// How many operations and outputs read each node.
    readers: Vec<usize>,
    prices: Prices<'p>,
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
            let port = Port { name: input.name.clone(), bits, signed };
            let operand = self.netlist.input(port, Range::integers(least, greatest));
            for id in self.pipeline.ids() {
                if self.pipeline.node(id).operation == Operation::Input(number) {
                    self.made[id.index()] = Some(operand);
                }
            }
        }
        Ok(())
    }

    fn operand(&self, id: NodeId) -> Lowered {
        let span = self.pipeline.node(id).span;
        self.made[id.index()].ok_or_else(|| refusal(span, "a value that follows its reader"))
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
        refusal(self.pipeline.node(id).span, "values of so many bits")
    }

    fn node(&mut self, id: NodeId) -> Lowered {
        if let Some(operand) = self.made[id.index()] {
            return Ok(operand);
        }
        let node = self.pipeline.node(id);
        self.plain(id)?;
        match &node.operation {
            Operation::Constant(value) => {
                let over = self.denominator(id) / i128::from(value.denominator());
                Ok(Operand::Number(i128::from(value.numerator()) * over))
            }
            Operation::At([x, y], value) => Ok(self.operand(*value)?.moved([x.constant, y.constant])),
            Operation::Filter(Stencil::Extreme(choice, taps), list) => self.extreme(id, *choice, taps, list),
            Operation::Filter(Stencil::Linear(_), _) | Operation::Add(_) => self.linear(id),
            Operation::Multiply(list) => self.product(id, list),
            Operation::Quotient(a, b) => self.quotient(id, *a, *b),
            Operation::Minimum(list) => self.extreme_of(id, &Made::Minimum, list),
            Operation::Maximum(list) => self.extreme_of(id, &Made::Maximum, list),
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

    /// Refuses what is not of the base grid, in single precision, in planes or in folds.
    fn plain(&self, id: NodeId) -> Result<(), Box<Diagnostic>> {
        let node = self.pipeline.node(id);
        let what = match &node.operation {
            Operation::Down { .. } | Operation::Up(..) | Operation::Interleave(..) => {
                Some("a change of rate")
            }
            Operation::Border(..) => Some("a border within the pipeline"),
            Operation::Fold(..) | Operation::Variable(_) => Some("a fold"),
            Operation::Histogram { .. } => Some("a histogram"),
            Operation::Gather { .. } => Some("a gather"),
            Operation::Root(_) => Some("a square root"),
            Operation::Float(_) | Operation::Saturate(..) => Some("single precision"),
            _ if node.facts.number == Number::Float => Some("single precision"),
            _ if node.facts.planes.is_some() => Some("planes"),
            _ if !node.facts.variables.is_empty() => Some("a fold"),
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
            let operand = self.operand(*value)?;
            let factor = over / self.denominator(*value);
            operands.push(if factor == 1 {
                operand
            } else {
                self.sum(id, vec![(operand, factor)], 0, false)?
            });
        }
        Ok(operands)
    }

    /// A sum of its operands where the weights of their numerators are whole, otherwise of what these are sums of.
    fn linear(&mut self, id: NodeId) -> Lowered {
        let own = self.denominator(id);
        let weight = |value: Rational, of: i128| {
            let (up, down) = (i128::from(value.numerator()) * own, i128::from(value.denominator()) * of);
            (up % down == 0).then_some(up / down)
        };
        let (written, constant) = self.written(id).ok_or_else(|| self.too_wide(id))?;
        let whole = |terms: &[Written], constant: Rational| {
            let each =
                terms.iter().map(|(of, at, tap)| Some((*of, *at, weight(*tap, self.denominator(*of))?)));
            Some((each.collect::<Option<Vec<_>>>()?, weight(constant, 1)?))
        };
        let found = whole(&written, constant).or_else(|| {
            let form = &self.forms[id.index()];
            let mut terms = Vec::new();
            for (origin, kernel) in &form.terms {
                terms.extend(kernel.nonzero_taps().map(|([x, y, _], tap)| (origin.node, [x, y], tap)));
            }
            whole(&terms, form.constant)
        });
        let (terms, constant) = found.ok_or_else(|| self.too_wide(id))?;
        let mut placed = Vec::new();
        for (of, at, weight) in terms {
            placed.push((self.operand(of)?.moved(at), weight));
        }
        self.sum(id, placed, constant, true)
    }

    /// The summands of a sum or filter as it is written, with multiples and sums that nobody else reads taken apart, and the
    /// constant. `None` beyond the range of rationals.
    fn written(&self, id: NodeId) -> Option<(Vec<Written>, Rational)> {
        let mut open: Vec<(NodeId, [i32; 2], Rational, bool)> = Vec::new();
        match &self.pipeline.node(id).operation {
            Operation::Filter(Stencil::Linear(kernels), list) => {
                for (kernel, of) in kernels.iter().zip(list) {
                    open.extend(kernel.nonzero_taps().map(|([x, y, _], tap)| (*of, [x, y], tap, false)));
                }
            }
            _ => open.push((id, [0, 0], Rational::ONE, true)),
        }
        let (mut terms, mut constant) = (Vec::new(), Rational::ZERO);
        while let Some((of, [x, y], tap, apart)) = open.pop() {
            let varies = |of: &&NodeId| !self.forms[of.index()].terms.is_empty();
            match &self.pipeline.node(of).operation {
                Operation::Constant(value) => constant = constant.add(value.mul(tap)?)?,
                Operation::At([east, north], value) => {
                    open.push((*value, [x + east.constant, y + north.constant], tap, apart));
                }
                Operation::Add(list) if of == id || apart && self.readers[of.index()] == 1 => {
                    open.extend(list.iter().map(|one| (*one, [x, y], tap, true)));
                }
                Operation::Multiply(list) if list.iter().filter(varies).count() == 1 => {
                    let numbers = list.iter().filter(|of| !varies(of));
                    let factor = numbers
                        .map(|of| self.forms[of.index()].constant)
                        .try_fold(tap, |all, number| all.mul(number))?;
                    open.extend(list.iter().filter(varies).map(|one| (*one, [x, y], factor, apart)));
                }
                _ => terms.push((of, [x, y], tap)),
            }
        }
        Some((terms, constant))
    }
}
