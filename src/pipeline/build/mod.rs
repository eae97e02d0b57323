//! Makes pipelines node by node. What cannot be computed exactly is refused, at its place.

mod number;
mod shape;

use std::collections::BTreeMap;

use crate::algebra::Rational;
use crate::syntax::{Diagnostic, Diagnostics, Span};

use super::id::NodeId;
use super::linear::linear_forms;
use super::rate::rate_text;
use super::{
    Border, Facts, Input, Linear, Node, Number, Operation, Output, Pipeline, PixelType, Range, Stage,
    Variable,
};

/// The most bits of a value.
pub(super) const MAX_BITS: u32 = 64;

/// A refused node. Boxed, since a diagnostic is large.
pub(super) type Refused = Box<Diagnostic>;

/// A pipeline under construction.
#[derive(Clone, Debug)]
pub struct Builder {
    inputs: Vec<Input>,
    border: Border,
    variables: Vec<Variable>,
    nodes: Vec<Node>,
    linear: Vec<Linear>,
    /// The nodes by their linear forms, which are equal only if the values are.
    by_form: BTreeMap<Linear, Vec<NodeId>>,
    /// The nodes by their operands.
    by_operands: BTreeMap<Vec<NodeId>, Vec<NodeId>>,
    /// Where nodes are written that stand at several places: the last of these.
    written: BTreeMap<NodeId, Span>,
}

impl Builder {
    /// A pipeline without nodes.
    pub fn new(inputs: Vec<Input>, border: Border) -> Self {
        Self {
            inputs,
            border,
            variables: Vec::new(),
            nodes: Vec::new(),
            linear: Vec::new(),
            by_form: BTreeMap::new(),
            by_operands: BTreeMap::new(),
            written: BTreeMap::new(),
        }
    }

    /// The nodes of a pipeline, with their numbers and facts.
    pub(super) fn from_pipeline(pipeline: &Pipeline) -> Self {
        let linear = linear_forms(pipeline);
        let mut builder = Self::new(pipeline.inputs.clone(), pipeline.border);
        for (id, form) in pipeline.ids().zip(&linear) {
            builder.by_form.entry(form.clone()).or_default().push(id);
            builder.by_operands.entry(pipeline.node(id).operation.operands()).or_default().push(id);
        }
        let (variables, nodes) = (pipeline.variables.clone(), pipeline.nodes.clone());
        Self { variables, nodes, linear, ..builder }
    }

    /// The same inputs, border and variables, without nodes.
    pub(super) fn emptied(&self) -> Self {
        Self { variables: self.variables.clone(), ..Self::new(self.inputs.clone(), self.border) }
    }

    /// Adds a variable for folds.
    pub fn variable(&mut self, variable: Variable) -> super::VariableId {
        self.variables.push(variable);
        super::VariableId(self.variables.len() - 1)
    }

    /// Adds an operation on nodes that were added before. Operands of exact values beside some of single precision are
    /// converted, and operations on constants are carried out. A value that is there already is not made again: one of the
    /// same operation on the same nodes, or with an equal linear form.
    ///
    /// # Errors
    /// Operands that do not go together: rates, planes, kinds of numbers; values of more than 64 bits; division by an
    /// interval with zero; a table shorter than the interval of its index.
    pub fn push(&mut self, span: Span, operation: Operation) -> Result<NodeId, Box<Diagnostic>> {
        self.add(span, operation).map_err(|refused| used_at(refused, span))
    }

    fn add(&mut self, span: Span, operation: Operation) -> Result<NodeId, Refused> {
        let operation = self.converted(span, operation)?;
        let operands = operation.operands();
        let alike = self.by_operands.get(&operands).into_iter().flatten();
        if let Some(id) = alike.copied().find(|id| *self.operation(*id) == operation) {
            return Ok(id);
        }
        let (rate, planes, variables) = self.shape(span, &operation)?;
        let (number, linear) = self.number(span, &operation)?;
        self.check_width(span, number)?;
        let facts = Facts { rate, planes, number, variables };
        let operation = match self.constant(&operation, &facts) {
            Some(value) => Operation::Constant(value),
            None => operation,
        };
        let linear = match operation {
            Operation::Constant(_) => Linear::of(&operation, &self.linear, &self.nodes),
            _ => linear,
        };
        let alike = linear.as_ref().and_then(|form| self.by_form.get(form)).into_iter().flatten();
        if let Some(id) = alike.copied().find(|id| *self.facts(*id) == facts) {
            return Ok(id);
        }
        let id = NodeId::new(self.nodes.len());
        let linear = linear.unwrap_or_else(|| Linear::itself(id));
        self.by_form.entry(linear.clone()).or_default().push(id);
        self.by_operands.entry(operands).or_default().push(id);
        self.linear.push(linear);
        self.nodes.push(Node { span, operation, facts });
        Ok(id)
    }

    /// The facts of a node that was added.
    pub fn facts(&self, id: NodeId) -> &Facts {
        &self.nodes[id.index()].facts
    }

    /// The operation of a node that was added.
    pub fn operation(&self, id: NodeId) -> &Operation {
        &self.nodes[id.index()].operation
    }

    /// A node that was added, as kernels of nodes that are not linear.
    pub fn linear(&self, id: NodeId) -> &Linear {
        &self.linear[id.index()]
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Says where a node is written that is read next. Equal nodes are one, whose own place is that of the first.
    pub(super) fn write_at(&mut self, id: NodeId, span: Span) {
        self.written.insert(id, span);
    }

    /// Where a node is written that an operation reads.
    fn written_at(&self, id: NodeId) -> Span {
        self.written.get(&id).copied().unwrap_or(self.span(id))
    }

    /// The place of a node.
    pub(super) fn span(&self, id: NodeId) -> Span {
        self.nodes[id.index()].span
    }

    /// The form of every period-th pixel of a form.
    pub(super) fn down(&self, form: &Linear, period: [u32; 2], phase: [u32; 2]) -> Option<Linear> {
        form.down(period, phase, &self.linear, &self.nodes)
    }

    /// The interval of a linear form.
    pub(super) fn range(&self, form: &Linear) -> Option<Range> {
        form.range(&self.nodes)
    }

    /// The value, used at this place, as a declared type has it: converted to single precision, or checked.
    ///
    /// # Errors
    /// A value with a fraction, or one that the type does not hold.
    pub fn declared(
        &mut self,
        span: Span,
        node: NodeId,
        pixel: Option<PixelType>,
    ) -> Result<NodeId, Box<Diagnostic>> {
        if pixel == Some(PixelType::Float32) {
            return self.push(span, Operation::Float(node));
        }
        match (self.facts(node).number, pixel) {
            (Number::Exact(range), _) if !range.is_integer() => {
                Err(fraction(span, "a stage", range.denominator))
            }
            (Number::Exact(range), Some(pixel)) if !pixel.holds(range.least, range.greatest) => {
                let message = format!("`{pixel}` does not hold {range}, which needs {} bits", range.bits());
                let diagnostic = Diagnostic::error("does-not-fit", message)
                    .label(span, format!("this value is {range}"))
                    .help(format!("lose bits where it is meant: `(saturate {pixel} E)`, `(wrap {pixel} E)` or `(floor-shift N E)`"));
                Err(Box::new(diagnostic))
            }
            (Number::Float, Some(pixel)) => {
                let message = format!("a value of single precision where `{pixel}` is declared");
                let diagnostic = Diagnostic::error("does-not-fit", message)
                    .label(span, "of single precision")
                    .help(format!("round it and limit it: `(saturate {pixel} E)`"));
                Err(Box::new(diagnostic))
            }
            _ => Ok(node),
        }
    }

    /// An output of this value, given by its name and the places of the name and of the value. A type that is not given is the narrowest one of 8, 16, 32 or 64 bits that holds it.
    ///
    /// # Errors
    /// As [`declared`](Self::declared), a value with planes, and a rate other than that given.
    pub fn output(
        &mut self,
        (name, place, span): (String, Span, Span),
        node: NodeId,
        pixel: Option<PixelType>,
        rate: Option<[Rational; 2]>,
    ) -> Result<Output, Box<Diagnostic>> {
        let node = self.declared(span, node, pixel)?;
        let facts = self.facts(node);
        if let Some(planes) = facts.planes {
            let diagnostic = Diagnostic::error("planes", format!("an output of {planes} planes"))
                .label(span, "expected a value without planes")
                .help("choose a plane: `(gather E 0 0 PLANE)`");
            return Err(Box::new(diagnostic));
        }
        let found = facts.rate.or(rate).unwrap_or([Rational::ONE; 2]);
        if let Some(rate) = rate.filter(|rate| *rate != found) {
            let [message, label] = [rate_text(rate), rate_text(found)].map(|text| format!("the rate {text}"));
            let diagnostic =
                Diagnostic::error("rates", format!("{message} is declared, but the value has another"))
                    .label(span, format!("this value has {label}"));
            return Err(Box::new(diagnostic));
        }
        let narrowest = facts.range().and_then(|range| PixelType::holding(range.least, range.greatest));
        let pixel = pixel.or(narrowest).unwrap_or(PixelType::Float32);
        Ok(Output { name, span: place, node, pixel, rate: found })
    }

    /// The pipeline.
    pub fn finish(
        self,
        (name, doc): (String, Option<String>),
        stages: Vec<Stage>,
        outputs: Vec<Output>,
        warnings: Diagnostics,
    ) -> Pipeline {
        let Self { inputs, border, variables, nodes, .. } = self;
        Pipeline { name, doc, inputs, border, variables, nodes, stages, outputs, warnings }
    }

    /// The operation with all operands in single precision if one is.
    fn converted(&mut self, span: Span, operation: Operation) -> Result<Operation, Refused> {
        let mixed = match &operation {
            Operation::Select(_, then, otherwise) => vec![*then, *otherwise],
            Operation::Filter(..)
            | Operation::Add(_)
            | Operation::Multiply(_)
            | Operation::Minimum(_)
            | Operation::Maximum(_)
            | Operation::Quotient(..)
            | Operation::Compare(..)
            | Operation::Interleave(..) => operation.operands(),
            Operation::Float(value) if !self.is_float(*value) => {
                return Ok(operation);
            }
            _ => return Ok(operation),
        };
        if !mixed.iter().any(|id| self.is_float(*id)) {
            return Ok(operation);
        }
        let mut converted = Vec::new();
        for id in &mixed {
            converted.push(if self.is_float(*id) { *id } else { self.push(span, Operation::Float(*id))? });
        }
        let skipped = operation.operands().len() - mixed.len();
        let mut number = 0;
        Ok(operation.map(|id| {
            number += 1;
            if number > skipped { converted[number - 1 - skipped] } else { id }
        }))
    }

    fn is_float(&self, id: NodeId) -> bool {
        self.facts(id).is_float()
    }

    /// The value of an operation on constants.
    fn constant(&self, operation: &Operation, facts: &Facts) -> Option<Rational> {
        let range = facts.range().filter(|range| range.is_single())?;
        let operands = operation.operands();
        let all = operands.iter().all(|id| matches!(self.operation(*id), Operation::Constant(_)));
        if operands.is_empty() || !all {
            return None;
        }
        Rational::new(range.least.try_into().ok()?, range.denominator.try_into().ok()?)
    }

    fn check_width(&self, span: Span, number: Number) -> Result<(), Refused> {
        let Number::Exact(range) = number else { return Ok(()) };
        if range.bits() <= MAX_BITS {
            return Ok(());
        }
        let message = format!("a value of {} bits, {range}", range.bits());
        let diagnostic = Diagnostic::error("too-wide", message)
            .label(span, format!("expected at most {MAX_BITS} bits"))
            .help("lose bits where it is meant: `(floor-shift N E)`, `(saturate int32 E)` or `(wrap int32 E)`, here or in what it is made of");
        Err(Box::new(diagnostic))
    }
}

/// An error that is reported where a value is used, and not only where it is defined.
pub(super) fn used_at(mut refused: Refused, span: Span) -> Refused {
    let within =
        refused.labels.first().is_some_and(|(first, _)| span.start <= first.start && first.end <= span.end);
    if !within {
        refused.labels.insert(0, (span, "used here".to_owned()));
    }
    refused
}

/// The error for a value with a fraction where integers are expected.
pub(super) fn fraction(span: Span, expected: &str, denominator: i128) -> Refused {
    let message = format!("a value with fractions of {denominator} where {expected} has integers");
    let diagnostic = Diagnostic::error("fraction", message)
        .label(span, "this value is not always an integer")
        .help("say how to round it: `(round E)` takes the nearest integer, `(round floor E)` the one below, `(round even E)` the nearest, ties to even");
    Box::new(diagnostic)
}
