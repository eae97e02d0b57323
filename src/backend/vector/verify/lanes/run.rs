//! Follows a kernel statement by statement, with known numbers and pointers, and elements of arrays as unknowns.

use std::collections::{BTreeMap, BTreeSet};

use super::memory::Array;
use super::sum::Flaw;
use super::value::{Pointer, Value, vector_name, zero_lanes};
use crate::backend::vector::machine::{FunctionKind, VliwMachine};
use crate::backend::vector::read::{Base, Code, Expression, Function, Kind, Scalar, Statement, Type, Unary};
use crate::syntax::{Diagnostic, Span};

/// The limit on statements and terms of sums. A tile of a few thousand outputs needs a small part of it.
const MAX_WORK: usize = 10_000_000;
/// The limit on nested calls.
const MAX_CALLS: usize = 16;
/// The limit on the pointer steps recorded for each array.
const MAX_STEPS: usize = 256;

/// Settings for following a kernel, besides its code.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Values of parameters and other integers that the source does not define.
    pub defines: BTreeMap<String, i64>,
    /// The initial contents of arrays.
    pub contents: BTreeMap<String, Vec<i64>>,
    /// The least and the greatest element of arrays supplied by the caller, for checks that values fit.
    pub range: Option<[i128; 2]>,
    /// Whether to follow code that the machine does not allow.
    pub lenient: bool,
}

/// A remark about a place of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// A stable name of this kind of remark.
    pub id: &'static str,
    /// The place.
    pub span: Span,
    /// The text of the remark.
    pub message: String,
}

/// The effects of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// The arrays. Those supplied by the caller are in the order of their declaration.
    pub arrays: Vec<Array>,
    /// The steps, in elements, by which pointers into each array were moved.
    pub steps: Vec<BTreeSet<i64>>,
    /// The number of multiplying intrinsics executed.
    pub multiplications: usize,
    /// The number of vectors and elements loaded.
    pub loads: usize,
    /// The number of vectors and elements stored.
    pub stores: usize,
    /// The right shifts of sums, in bits.
    pub shifts: BTreeSet<u32>,
    /// The rounding mode, if the code sets one.
    pub rounding: Option<String>,
    /// Whether the code turns saturation on.
    pub saturates: bool,
    /// Values that may not fit.
    pub warnings: Vec<Remark>,
    /// Places where the machine would behave differently.
    pub notes: Vec<Remark>,
}

/// The reason why a kernel could not be followed to its end.
pub(super) type Stop = Box<Diagnostic>;

/// Stops at a place.
pub(super) fn unreadable<T>(
    span: Span,
    message: impl Into<String>,
    label: impl Into<String>,
) -> Result<T, Stop> {
    Err(Box::new(Diagnostic::error("unreadable", message).label(span, label)))
}

/// What a computation with sums returns, or the reason why there is no such sum.
pub(super) fn sound<T>(result: Result<T, Flaw>, span: Span) -> Result<T, Stop> {
    result.or_else(|flaw| match flaw {
        Flaw::Degree => unreadable(span, "a product of three elements is not a convolution", "here"),
        Flaw::TooLarge => unreadable(span, "a coefficient is too large", "here"),
    })
}

/// The control flow after a statement.
enum Flow {
    Next,
    Return(Value),
}

/// A variable.
pub(super) struct Variable {
    pub(super) ty: Type,
    /// Whether it names an array, which cannot be assigned to.
    pub(super) fixed: bool,
    pub(super) value: Value,
}

pub(super) struct Runner<'a> {
    pub(super) machine: &'a VliwMachine,
    pub(super) code: &'a Code,
    pub(super) settings: &'a Settings,
    /// The scopes of the functions being followed, innermost last. The first is that of globals.
    pub(super) frames: Vec<Vec<BTreeMap<String, Variable>>>,
    /// The arrays of variables without a value, by the place of the declaration.
    pub(super) unset: BTreeMap<u32, usize>,
    work: usize,
    pub(super) out: Execution,
}

/// Follows the kernel of a source.
///
/// # Errors
/// The code that cannot be followed, with its place.
pub fn follow(machine: &VliwMachine, code: &Code, settings: &Settings) -> Result<Execution, Diagnostic> {
    let mut runner = Runner {
        machine,
        code,
        settings,
        frames: vec![vec![BTreeMap::new()]],
        unset: BTreeMap::new(),
        work: 0,
        out: Execution::default(),
    };
    runner.kernel().map_err(|stop| *stop)?;
    Ok(runner.out)
}

impl<'a> Runner<'a> {
    fn kernel(&mut self) -> Result<(), Stop> {
        for statement in &self.code.globals {
            self.statement(statement)?;
        }
        let Some(kernel) = self.code.functions.first() else { return Ok(()) };
        self.frames.push(vec![BTreeMap::new()]);
        for parameter in &kernel.parameters {
            let value = self.given(parameter)?;
            self.declare(parameter, parameter.ty, value, false);
        }
        self.block(&kernel.body)?;
        Ok(())
    }

    /// Counts work, to stop endless loops.
    pub(super) fn spend(&mut self, work: usize, span: Span) -> Result<(), Stop> {
        self.work += 1 + work;
        if self.work <= MAX_WORK {
            return Ok(());
        }
        let message = "the code runs for too long to be followed";
        Err(Box::new(
            Diagnostic::error("too-long", message)
                .label(span, "stopped here")
                .help("the bounds of its loops may be wrong; a smaller tile shows the same"),
        ))
    }

    fn variable(&mut self, name: &str) -> Option<&mut Variable> {
        let (globals, functions) = self.frames.split_first_mut()?;
        let own = functions.last_mut().into_iter().flat_map(|scopes| scopes.iter_mut().rev());
        own.chain(globals.iter_mut().rev()).find_map(|scope| scope.get_mut(name))
    }

    fn block(&mut self, statements: &'a [Statement]) -> Result<Flow, Stop> {
        let depth = self.frames.last().map_or(0, Vec::len);
        if let Some(scopes) = self.frames.last_mut() {
            scopes.push(BTreeMap::new());
        }
        let mut flow = Flow::Next;
        for statement in statements {
            flow = self.statement(statement)?;
            if let Flow::Return(_) = flow {
                break;
            }
        }
        if let Some(scopes) = self.frames.last_mut() {
            scopes.truncate(depth);
        }
        Ok(flow)
    }

    fn statement(&mut self, statement: &'a Statement) -> Result<Flow, Stop> {
        match statement {
            Statement::Declare(declarators) => {
                for declarator in declarators {
                    self.spend(0, declarator.span)?;
                    self.declaration(declarator)?;
                }
            }
            Statement::Evaluate(expression) => {
                self.spend(0, expression.span)?;
                self.value(expression)?;
            }
            Statement::Block(statements) => return self.block(statements),
            Statement::If(test, then, other) => {
                let chosen = if self.integer(test)? != 0 { then } else { other };
                return self.block(chosen);
            }
            Statement::Loop { first, test, step, body } => {
                if let Some(scopes) = self.frames.last_mut() {
                    scopes.push(BTreeMap::new());
                }
                let flow = self.rounds(first, test, step.as_ref(), body)?;
                if let Some(scopes) = self.frames.last_mut() {
                    scopes.pop();
                }
                return Ok(flow);
            }
            Statement::Return(value, _) => {
                let value = value.as_ref().map_or(Ok(Value::Nothing), |value| self.value(value))?;
                return Ok(Flow::Return(value));
            }
        }
        Ok(Flow::Next)
    }

    fn rounds(
        &mut self,
        first: &'a [Statement],
        test: &'a Expression,
        step: Option<&'a Expression>,
        body: &'a [Statement],
    ) -> Result<Flow, Stop> {
        for statement in first {
            self.statement(statement)?;
        }
        while self.integer(test)? != 0 {
            self.spend(0, test.span)?;
            if let Flow::Return(value) = self.block(body)? {
                return Ok(Flow::Return(value));
            }
            if let Some(step) = step {
                self.value(step)?;
            }
        }
        Ok(Flow::Next)
    }

    /// Converts a value to the type of a variable.
    pub(super) fn converted(&self, value: Value, ty: Type, span: Span) -> Result<Value, Stop> {
        let kind = value.kind();
        match (value, ty) {
            (value, Type { base: Base::Deduced, .. }) | (value @ Value::Nothing, _) => Ok(value),
            (Value::Pointer(pointer), Type { base, pointers }) if pointers > 0 => {
                Ok(Value::Pointer(Pointer { target: Type { base, pointers: pointers - 1 }, ..pointer }))
            }
            (Value::Integer(value), Type { base: Base::Integer(scalar), pointers: 0 }) => {
                Ok(Value::Integer(wrapped(value, scalar)))
            }
            (value @ Value::Scalar(_), Type { base: Base::Integer(_), pointers: 0 }) => Ok(value),
            (Value::Vector(lanes, own), Type { base: Base::Vector(count, scalar), pointers: 0 })
                if lanes.len() == count && own.bits == scalar.bits =>
            {
                Ok(Value::Vector(lanes, scalar))
            }
            (Value::Accumulator(lanes, own), Type { base: Base::Accumulator(count, bits), pointers: 0 })
                if lanes.len() == count && own == bits =>
            {
                Ok(Value::Accumulator(lanes, own))
            }
            (_, ty) => unreadable(span, format!("{kind} where {} is expected", type_text(ty)), "this value"),
        }
    }

    /// The value of an expression that must be a known integer.
    pub(super) fn integer(&mut self, expression: &'a Expression) -> Result<i64, Stop> {
        match self.value(expression)? {
            Value::Integer(value) => Ok(value),
            Value::Scalar(_) => unreadable(
                expression.span,
                "this depends on data, and is not known before the code runs",
                "expected a constant",
            ),
            other => {
                unreadable(expression.span, format!("{} where an integer is expected", other.kind()), "here")
            }
        }
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, expression: &'a Expression) -> Result<Value, Stop> {
        let span = expression.span;
        match &expression.kind {
            Kind::Integer(value) => Ok(Value::Integer(*value)),
            Kind::Literal(text) => {
                unreadable(span, format!("`{text}` is not a 64-bit integer"), "expected an integer")
            }
            Kind::Lambda(_) | Kind::Apply(..) => unreadable(
                span,
                "lambdas are not supported",
                "expected an intrinsic or a function of the source",
            ),
            Kind::Name(name) => self.read(name, span),
            Kind::Call(name, arguments) => self.called(name, arguments, span),
            Kind::Unary(operator, operand) => self.unary(*operator, operand, span),
            Kind::Step(place, by, after) => {
                let old = self.value(place)?;
                let new = self.moved(old.clone(), *by, span)?;
                self.assign(place, new.clone())?;
                Ok(if *after { new } else { old })
            }
            Kind::Binary(operator, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                self.binary(*operator, left, right, span)
            }
            Kind::Choice(test, then, other) => {
                let chosen = if self.integer(test)? != 0 { then } else { other };
                self.value(chosen)
            }
            Kind::Assign(operator, place, value) => {
                let value = match operator {
                    None => self.assigned(place, value)?,
                    Some(operator) => {
                        let (old, value) = (self.value(place)?, self.value(value)?);
                        self.binary(*operator, old, value, span)?
                    }
                };
                self.assign(place, value.clone())?;
                Ok(value)
            }
            Kind::Cast(ty, operand) => {
                let value = self.value(operand)?;
                self.converted(value, *ty, span)
            }
            Kind::Index(base, index) => {
                let place = self.indexed(base, index)?;
                self.load(place, span)
            }
            Kind::List(values) | Kind::Sequence(values) => {
                let mut last = Value::Nothing;
                for value in values {
                    last = self.value(value)?;
                }
                Ok(last)
            }
        }
    }

    fn unary(&mut self, operator: Unary, operand: &'a Expression, span: Span) -> Result<Value, Stop> {
        match operator {
            Unary::Follow => {
                let place = self.pointer(operand)?;
                self.load(place, span)
            }
            Unary::Address => self.address(operand, span),
            _ => match (operator, self.value(operand)?) {
                (Unary::Plus, value) => Ok(value),
                (Unary::Minus, value @ Value::Scalar(_)) => self.scalars(Value::Integer(0), value, -1, span),
                (operator, Value::Integer(value)) => Ok(Value::Integer(match operator {
                    Unary::Minus => value.wrapping_neg(),
                    Unary::Not => i64::from(value == 0),
                    _ => !value,
                })),
                (_, other) => {
                    unreadable(span, format!("this operator does not take {}", other.kind()), "here")
                }
            },
        }
    }

    /// The address of an element or an array.
    fn address(&mut self, operand: &'a Expression, span: Span) -> Result<Value, Stop> {
        match &operand.kind {
            Kind::Unary(Unary::Follow, inner) => self.value(inner),
            Kind::Index(base, index) => Ok(Value::Pointer(self.indexed(base, index)?)),
            Kind::Name(name) => match self.variable(name) {
                Some(Variable { fixed: true, value, .. }) => Ok(value.clone()),
                _ => unreadable(span, "the address of a variable is not supported", "expected an array's"),
            },
            _ => unreadable(span, "the address of this is not supported", "expected that of an element"),
        }
    }

    fn read(&mut self, name: &str, span: Span) -> Result<Value, Stop> {
        match self.variable(name) {
            Some(Variable { value: Value::Nothing, .. }) | None => {}
            Some(variable) => return Ok(variable.value.clone()),
        }
        if let Some(value) = self.settings.defines.get(name) {
            return Ok(Value::Integer(*value));
        }
        let message = match self.variable(name) {
            Some(Variable { ty: Type { base: Base::Integer(_), pointers: 0 }, .. }) => {
                format!("`{name}` is not known before the code runs")
            }
            Some(_) => format!("nothing was written to `{name}`"),
            None => format!("`{name}` is not declared"),
        };
        let help = format!("--define {name}=N gives an integer its value");
        Err(Box::new(Diagnostic::error("unreadable", message).label(span, "used here").help(help)))
    }

    /// The value to assign. Adding to a sum does not copy it first.
    fn assigned(&mut self, place: &'a Expression, value: &'a Expression) -> Result<Value, Stop> {
        if let (Kind::Name(name), Kind::Call(called, arguments)) = (&place.kind, &value.kind)
            && let Some((Expression { kind: Kind::Name(first), span }, others)) = arguments.split_first()
            && first == name
            && !others.iter().any(|other| mentions(other, name))
            && self.function(called).is_none()
        {
            let mut values = vec![self.read(name, *span)?];
            for other in others {
                values.push(self.value(other)?);
            }
            if let Some(variable) = self.variable(name) {
                variable.value = Value::Nothing;
            }
            return self.intrinsic(called, values, value.span);
        }
        match &value.kind {
            Kind::List(values) if values.is_empty() => match &place.kind {
                Kind::Name(name) => match self.variable(name).and_then(|variable| zeros(variable.ty.base)) {
                    Some(zero) => Ok(zero),
                    None => unreadable(value.span, "this has no zero", "here"),
                },
                _ => unreadable(value.span, "this has no zero", "here"),
            },
            _ => self.value(value),
        }
    }

    fn assign(&mut self, place: &'a Expression, value: Value) -> Result<(), Stop> {
        match &place.kind {
            Kind::Name(name) => {
                let Some(variable) = self.variable(name) else {
                    return unreadable(place.span, format!("`{name}` is not declared"), "assigned to here");
                };
                if variable.fixed {
                    return unreadable(
                        place.span,
                        format!("the array `{name}` cannot be moved"),
                        "assigned to here",
                    );
                }
                let ty = variable.ty;
                let value = self.converted(value, ty, place.span)?;
                if let Some(variable) = self.variable(name) {
                    variable.value = value;
                }
                Ok(())
            }
            Kind::Unary(Unary::Follow, operand) => {
                let at = self.pointer(operand)?;
                self.store(at, value, place.span)
            }
            Kind::Index(base, index) => {
                let at = self.indexed(base, index)?;
                self.store(at, value, place.span)
            }
            _ => unreadable(place.span, "this cannot be assigned to", "expected a variable or an element"),
        }
    }

    fn pointer(&mut self, expression: &'a Expression) -> Result<Pointer, Stop> {
        match self.value(expression)? {
            Value::Pointer(pointer) => Ok(pointer),
            other => {
                unreadable(expression.span, format!("{} where a pointer is expected", other.kind()), "here")
            }
        }
    }

    fn indexed(&mut self, base: &'a Expression, index: &'a Expression) -> Result<Pointer, Stop> {
        let (base_value, by) = (self.value(base)?, self.integer(index)?);
        match self.moved(base_value, by, index.span)? {
            Value::Pointer(pointer) => Ok(pointer),
            _ => unreadable(base.span, "this has no elements", "expected an array or a pointer"),
        }
    }

    /// Moves a pointer or an integer by a number of elements.
    pub(super) fn moved(&mut self, value: Value, by: i64, span: Span) -> Result<Value, Stop> {
        match value {
            Value::Pointer(pointer) => {
                let bytes = by.checked_mul(pointer.stride());
                let byte = bytes
                    .and_then(|bytes| pointer.byte.checked_add(bytes))
                    .filter(|b| b.unsigned_abs() < 1 << 40);
                let Some(byte) = byte else {
                    return unreadable(span, "this pointer is too far from its array", "here");
                };
                let elements = (byte - pointer.byte).abs() / self.out.arrays[pointer.array].scalar.bytes();
                let steps = &mut self.out.steps[pointer.array];
                if elements > 0 && steps.len() < MAX_STEPS {
                    steps.insert(elements);
                }
                Ok(Value::Pointer(Pointer { byte, ..pointer }))
            }
            Value::Integer(value) => match value.checked_add(by) {
                Some(value) => Ok(Value::Integer(value)),
                None => unreadable(span, "this number does not fit in 64 bits", "here"),
            },
            other => {
                unreadable(span, format!("{} cannot be moved", other.kind()), "expected a pointer or integer")
            }
        }
    }

    fn called(&mut self, name: &str, arguments: &'a [Expression], span: Span) -> Result<Value, Stop> {
        if let Some(function) = self.function(name) {
            return self.inlined(function, arguments, span);
        }
        if let (
            Some((FunctionKind::Rounding { set: true }, _)),
            [Expression { kind: Kind::Name(mode), .. }],
        ) = (self.machine.function(name), arguments)
        {
            self.out.rounding = Some(mode.clone());
            return Ok(Value::Nothing);
        }
        let values = arguments.iter().map(|argument| self.value(argument)).collect::<Result<_, _>>()?;
        self.intrinsic(name, values, span)
    }

    fn function(&self, name: &str) -> Option<&'a Function> {
        self.code.functions.iter().skip(1).find(|function| function.name == name)
    }

    /// Follows a function that the kernel calls.
    fn inlined(
        &mut self,
        function: &'a Function,
        arguments: &'a [Expression],
        span: Span,
    ) -> Result<Value, Stop> {
        if self.frames.len() > MAX_CALLS {
            return unreadable(span, "calls are nested too deep", "no deeper than this");
        }
        if function.parameters.len() != arguments.len() {
            let message = format!(
                "`{}` takes {} arguments, found {}",
                function.name,
                function.parameters.len(),
                arguments.len()
            );
            return unreadable(span, message, "in this call");
        }
        let mut scope = BTreeMap::new();
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let pointers = parameter.ty.pointers + usize::from(!parameter.dimensions.is_empty());
            let ty = Type { pointers, ..parameter.ty };
            let value = self.value(argument)?;
            let value = self.converted(value, ty, argument.span)?;
            scope.insert(parameter.name.clone(), Variable { ty, fixed: false, value });
        }
        self.frames.push(vec![scope]);
        let flow = self.block(&function.body)?;
        self.frames.pop();
        Ok(match flow {
            Flow::Return(value) => value,
            Flow::Next => Value::Nothing,
        })
    }
}

/// Wraps an integer to its type.
pub(super) fn wrapped(value: i64, scalar: Scalar) -> i64 {
    match (scalar.bits, scalar.signed) {
        (8, true) => i64::from(value as i8),
        (8, false) => i64::from(value as u8),
        (16, true) => i64::from(value as i16),
        (16, false) => i64::from(value as u16),
        (32, true) => i64::from(value as i32),
        (32, false) => i64::from(value as u32),
        _ => value,
    }
}

/// The zero value of a type.
pub(super) fn zeros(base: Base) -> Option<Value> {
    match base {
        Base::Integer(_) => Some(Value::Integer(0)),
        Base::Vector(count, scalar) => Some(Value::Vector(zero_lanes(count), scalar)),
        Base::Accumulator(count, bits) => Some(Value::Accumulator(zero_lanes(count), bits)),
        Base::Nothing | Base::Deduced => None,
    }
}

fn type_text(ty: Type) -> String {
    let base = match ty.base {
        Base::Integer(scalar) => format!("{}int{}", if scalar.signed { "" } else { "u" }, scalar.bits),
        Base::Vector(lanes, scalar) => vector_name(lanes, scalar),
        Base::Accumulator(lanes, bits) => format!("v{lanes}acc{bits}"),
        Base::Nothing => "void".to_owned(),
        Base::Deduced => "auto".to_owned(),
    };
    base + &"*".repeat(ty.pointers)
}

/// Whether an expression reads or writes a variable.
fn mentions(expression: &Expression, name: &str) -> bool {
    let all = |parts: &[&Expression]| parts.iter().any(|part| mentions(part, name));
    match &expression.kind {
        Kind::Integer(_) | Kind::Literal(_) | Kind::Lambda(_) => false,
        Kind::Name(own) => own == name,
        Kind::Call(_, arguments) | Kind::List(arguments) | Kind::Sequence(arguments) => {
            arguments.iter().any(|a| mentions(a, name))
        }
        Kind::Apply(callee, arguments) => {
            mentions(callee, name) || arguments.iter().any(|a| mentions(a, name))
        }
        Kind::Unary(_, a) | Kind::Step(a, ..) | Kind::Cast(_, a) => mentions(a, name),
        Kind::Binary(_, a, b) | Kind::Assign(_, a, b) | Kind::Index(a, b) => all(&[a, b]),
        Kind::Choice(a, b, c) => all(&[a, b, c]),
    }
}
