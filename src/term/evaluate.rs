//! The evaluation of terms, for any kind of kernel value.
//!
//! One evaluator serves all meanings of a term. A [`Domain`] defines plain kernels and how they are added and composed.
//! This module handles names, channels, rows and filters, and reports their misuse.

mod trace;
mod value;
mod apply;
mod fix;
mod record;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::algebra::{AlgebraError, Footprint, Offset};
use crate::syntax::{Diagnostic, Diagnostics, Span, closest};

use super::{Coefficient, Direction, FilterSource, Grid, OutputSource, Term, TermKind};

use trace::Single;
pub(super) use trace::{Made, Row, Trace};

/// The maximum nesting depth of terms after names are replaced by their terms. The reader bounds the depth of one term,
/// and a chain of names is evaluated from its first name, so only chains inside the channels of other filters come near
/// this limit.
const MAX_NESTING: usize = 400;

/// A kind of kernel value.
pub(super) trait Domain {
    /// A plain kernel.
    type Kernel: Clone;

    /// Whether filters may be incomplete. If so, a name without a term has already been reported by the reader.
    const INCOMPLETE: bool = false;

    /// Whether every sum is one of its terms. If so, there is no negation.
    const CHOOSES: bool = false;

    /// The value of a matrix, and the places it stores to.
    fn grid(&self, grid: &Grid) -> Result<(Self::Kernel, Footprint), AlgebraError>;
    /// The kernel of `(id)`.
    fn identity(&self) -> Self::Kernel;
    /// The kernel of `(scan …)`.
    fn scan(&self, direction: Direction) -> Result<Self::Kernel, AlgebraError>;
    /// The sum of at least one kernel.
    fn sum(&self, kernels: &[&Self::Kernel]) -> Result<Self::Kernel, AlgebraError>;
    /// The negation of a kernel.
    fn negate(&self, kernel: &Self::Kernel) -> Result<Self::Kernel, AlgebraError>;
    /// `factor` times the kernel.
    fn scale(&self, factor: &Coefficient, kernel: &Self::Kernel) -> Result<Self::Kernel, AlgebraError>;
    /// The kernel translated by `by`.
    fn shift(&self, by: Offset, kernel: &Self::Kernel) -> Result<Self::Kernel, AlgebraError>;
    /// The composition of two kernels.
    fn compose(&self, outer: &Self::Kernel, inner: &Self::Kernel) -> Result<Self::Kernel, AlgebraError>;
    /// The zero kernel.
    fn zero(&self) -> Self::Kernel;
    /// The solution of K = `a`·K + `b`.
    fn recursion(&self, a: &Self::Kernel, b: &Self::Kernel) -> Result<Self::Kernel, AlgebraError>;
    /// How the second of two steps of a recursion differs from the first, if the domain chooses.
    fn step(&self, _first: &Self::Kernel, _second: &Self::Kernel) -> Step {
        Step::Solved
    }
    /// The kernel with these places touched as well.
    fn touch(&self, kernel: &Self::Kernel, places: &Footprint) -> Result<Self::Kernel, AlgebraError>;
}

/// How one step of a recursion differs from the step before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// In nothing: both are the least solution.
    Solved,
    /// Some coefficients are better.
    Better,
    /// It has more taps.
    Larger,
}

/// The channels that terms can name.
type Scope = Rc<[String]>;

/// One value; for an instruction, also the places it stores to.
#[derive(Clone)]
struct One<K> {
    single: Single<K>,
    stores: Footprint,
    /// Its place in the trace.
    at: usize,
}

#[derive(Clone)]
enum Value<K> {
    One(One<K>),
    Filter(Vec<(String, One<K>)>),
}

/// The value of a term, or what is wrong with it.
type Evaluated<K> = Result<Rc<Value<K>>, Diagnostics>;

/// The context in which a term is evaluated: its channels, and whether it is an instruction, where `+` is allowed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Context {
    scope: Scope,
    instruction: bool,
}

/// The rows of all outputs of `filter`, over its inputs.
///
/// # Errors
/// Every wrong use of names and channels, and every operation without a result, in source order.
pub(super) fn rows<D: Domain>(domain: D, filter: &FilterSource) -> Result<Vec<Row<D::Kernel>>, Diagnostics> {
    let (ones, _) = evaluated(domain, filter, false)?;
    let rows = ones.into_iter().map(|one| match one.single {
        Single::Row(row) => row,
        Single::Plain(kernel) => vec![Some(kernel)],
    });
    Ok(rows.collect())
}

/// The trace of all outputs of `filter`, and the place of each output in it.
///
/// # Errors
/// As for [`rows`].
pub(super) fn traced<D: Domain>(
    domain: D,
    filter: &FilterSource,
) -> Result<(Trace<D::Kernel>, Vec<usize>), Diagnostics> {
    let (ones, trace) = evaluated(domain, filter, true)?;
    Ok((trace, ones.iter().map(|one| one.at).collect()))
}

/// Values, and their trace if it was recorded.
type Outputs<K> = (Vec<One<K>>, Trace<K>);

/// The values of all outputs, and their trace if `records` is set.
fn evaluated<D: Domain>(
    domain: D,
    filter: &FilterSource,
    records: bool,
) -> Result<Outputs<D::Kernel>, Diagnostics> {
    let lets = filter.lets.iter().enumerate().map(|(i, binding)| (binding.name.as_str(), i)).collect();
    let mut evaluator = Evaluator {
        domain,
        filter,
        lets,
        known: BTreeMap::new(),
        trace: Trace::new(records),
        diagnostics: Diagnostics::new(),
        reported: BTreeSet::new(),
        depth: 0,
        defined: None,
    };
    let context = Context { scope: filter.inputs.as_slice().into(), instruction: false };
    for i in used(filter) {
        // In order, so that chains of names cause no recursion. Mistakes are reported where a name is used.
        let _ = evaluator.binding(i, &context);
    }
    let ones: Vec<_> =
        filter.outputs.iter().filter_map(|output| evaluator.output(output, &context)).collect();
    let Evaluator { diagnostics, trace, .. } = evaluator;
    diagnostics.or((ones, trace))
}

/// The `let`s on which the outputs depend, in order.
fn used(filter: &FilterSource) -> Vec<usize> {
    let mut index: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wanted = BTreeSet::new();
    index.extend(filter.lets.iter().enumerate().map(|(i, binding)| (binding.name.as_str(), i)));
    let mut open: Vec<&Term> = filter.outputs.iter().map(|output| &output.term).collect();
    while let Some(term) = open.pop() {
        if let TermKind::Variable(name) = &term.kind
            && let Some(i) = index.get(name.as_str()).copied().filter(|i| wanted.insert(*i))
        {
            open.push(&filter.lets[i].term);
        }
        open.extend(term.parts());
    }
    wanted.into_iter().collect()
}

struct Evaluator<'f, D: Domain> {
    domain: D,
    filter: &'f FilterSource,
    lets: BTreeMap<&'f str, usize>,
    /// The value of each `let` in each context, or its diagnostics.
    known: BTreeMap<(usize, Context), Evaluated<D::Kernel>>,
    trace: Trace<D::Kernel>,
    diagnostics: Diagnostics,
    reported: BTreeSet<(&'static str, Span)>,
    depth: usize,
    /// The name bound by the innermost `fix`, and its value.
    defined: Option<(String, Rc<Value<D::Kernel>>)>,
}

impl<D: Domain> Evaluator<'_, D> {
    fn report<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        if self.reported.insert((diagnostic.id, diagnostic.place())) {
            self.diagnostics.push(diagnostic);
        }
        None
    }

    /// The result of an operation of the domain; an error is reported at `span`.
    fn done<T>(&mut self, span: Span, result: Result<T, AlgebraError>) -> Option<T> {
        let error = match result {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        let id = match error {
            AlgebraError::Overflow { .. } => "coefficient-overflow",
            AlgebraError::TooLarge { .. } | AlgebraError::TooMuchWork { .. } => "kernel-too-large",
            AlgebraError::TooFar { .. } => "too-far",
            AlgebraError::OpposedScans { .. } => "opposed-scans",
            AlgebraError::NoSolution { .. } => "no-solution",
            _ => "no-result",
        };
        self.report(Diagnostic::error(id, error.to_string()).label(span, "this term has no exact result"))
    }

    fn output(&mut self, output: &OutputSource, context: &Context) -> Option<One<D::Kernel>> {
        let value = self.term(&output.term, context)?;
        self.row(&value, context, output.term.span)
    }

    /// Evaluates a `let` in a context, once. Every term that uses its name receives its diagnostics.
    fn binding(&mut self, i: usize, context: &Context) -> Evaluated<D::Kernel> {
        let key = (i, context.clone());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let outer = (std::mem::take(&mut self.diagnostics), std::mem::take(&mut self.reported));
        let filter = self.filter;
        let defined = self.defined.take();
        let value = self.term(&filter.lets[i].term, context);
        self.defined = defined;
        let inner = std::mem::replace(&mut self.diagnostics, outer.0);
        self.reported = outer.1;
        let result = value.ok_or(inner);
        self.known.insert(key, result.clone());
        result
    }

    fn term(&mut self, term: &Term, context: &Context) -> Option<Rc<Value<D::Kernel>>> {
        if self.depth == MAX_NESTING {
            let message = format!("after names are expanded, terms are nested deeper than {MAX_NESTING}");
            return self.report(
                Diagnostic::error("too-deep", message).label(term.span, "evaluated inside too many others"),
            );
        }
        self.depth += 1;
        let value = self.form(term, context);
        self.depth -= 1;
        value
    }

    fn form(&mut self, term: &Term, context: &Context) -> Option<Rc<Value<D::Kernel>>> {
        let span = term.span;
        // `+` passes only through sums, scales and names; other operations would have to move it.
        let outside = || Context { scope: context.scope.clone(), instruction: false };
        let value = match &term.kind {
            TermKind::Kernel(grid) => self.grid(grid, span, context)?,
            TermKind::Identity => Value::One(self.written_out(Single::Plain(self.domain.identity()))),
            TermKind::Scan(direction) => {
                let scan = self.domain.scan(*direction);
                let scan = self.done(span, scan)?;
                Value::One(self.written_out(Single::Plain(scan)))
            }
            TermKind::Variable(name) => return self.variable(name, span, context),
            TermKind::Scale(factor, inner) => {
                let inner = self.term(inner, context)?;
                self.moved(span, &inner, |domain, kernel| domain.scale(factor, kernel))?
            }
            TermKind::Negate(inner) => {
                let inner = self.term(inner, context)?;
                self.moved(span, &inner, D::negate)?
            }
            TermKind::Shift(by, inner) => {
                let inner = self.term(inner, &outside())?;
                self.moved(span, &inner, |domain, kernel| domain.shift(*by, kernel))?
            }
            TermKind::Add(terms) => {
                let values: Vec<_> = terms.iter().map(|term| self.term(term, context)).collect();
                let values: Vec<_> = values.into_iter().collect::<Option<_>>()?;
                self.sum(span, terms.iter().map(|term| term.span).zip(values).collect(), context)?
            }
            TermKind::Subtract(a, b) => {
                let (first, second) = (self.term(a, context), self.term(b, context));
                let (first, second) = (first?, second?);
                let second = Rc::new(self.moved(span, &second, D::negate)?);
                self.sum(span, vec![(a.span, first), (b.span, second)], context)?
            }
            TermKind::Compose(terms) => return self.composition(terms, &outside()),
            TermKind::From(channel, kernel) => self.from(&channel.text, channel.span, kernel, context)?,
            TermKind::Combine { outputs, passes } => return self.combination(outputs, *passes, context),
            TermKind::Fix(name, inner) => return self.fix(name, inner, span, &outside()),
            TermKind::Instruct { program, instructions } => {
                return self.program(program, instructions, &outside());
            }
        };
        Some(Rc::new(value))
    }

    fn variable(&mut self, name: &str, span: Span, context: &Context) -> Option<Rc<Value<D::Kernel>>> {
        if let Some((_, value)) = self.defined.as_ref().filter(|(known, _)| known == name) {
            return Some(value.clone());
        }
        let Some(i) = self.lets.get(name).copied() else {
            if D::INCOMPLETE {
                return None;
            }
            return self.report(
                Diagnostic::error("unknown-variable", format!("unknown variable `{name}`"))
                    .label(span, "names no term"),
            );
        };
        match self.binding(i, context) {
            Ok(value) => Some(value),
            Err(diagnostics) => {
                for diagnostic in &diagnostics {
                    self.report::<()>(diagnostic.clone());
                }
                None
            }
        }
    }

    fn grid(&mut self, grid: &Grid, span: Span, context: &Context) -> Option<Value<D::Kernel>> {
        let result = self.domain.grid(grid);
        let (kernel, stores) = self.done(span, result)?;
        if !context.instruction && !stores.is_empty() {
            return self.report(
                Diagnostic::error("stored-outside-instruction", "`+` in a kernel outside an instruction")
                    .label(span, "this kernel stores to places marked `+`")
                    .help("only the instructions of `(|> PROGRAM INSTRUCTION…)` store; a zero that is touched is written `0`"),
            );
        }
        Some(Value::One(One { stores, ..self.written_out(Single::Plain(kernel)) }))
    }

    fn from(
        &mut self,
        channel: &str,
        place: Span,
        kernel: &Term,
        context: &Context,
    ) -> Option<Value<D::Kernel>> {
        let value = self.term(kernel, context);
        let Some(index) = context.scope.iter().position(|name| name == channel) else {
            let known =
                context.scope.iter().take(20).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            return self.report(
                Diagnostic::error("unknown-channel", format!("unknown channel `{channel}`"))
                    .label(place, format!("the channels here are {known}"))
                    .help_if(
                        closest(channel, context.scope.iter().map(String::as_str))
                            .map(|name| format!("did you mean `{name}`?")),
                    ),
            );
        };
        match &*value? {
            Value::One(one @ One { single: Single::Plain(kernel), .. }) => {
                Some(Value::One(self.on_channel(one, kernel, index, context.scope.len())))
            }
            _ => self.report(
                Diagnostic::error("not-plain", "`from` takes a kernel that names no channels itself")
                    .label(kernel.span, "this term already names what it reads")
                    .help("to choose an output of a filter, write `(compose (from NAME (id)) FILTER)`"),
            ),
        }
    }

    /// Turns `value` into a single value that names the channels it reads.
    fn row(&mut self, value: &Value<D::Kernel>, context: &Context, span: Span) -> Option<One<D::Kernel>> {
        match value {
            Value::One(one @ One { single: Single::Plain(kernel), .. }) if context.scope.len() == 1 => {
                Some(One { single: Single::Row(vec![Some(kernel.clone())]), ..one.clone() })
            }
            Value::One(One { single: Single::Plain(_), .. }) => self.report(
                Diagnostic::error("no-channel", "a kernel that does not say which channel it reads")
                    .label(span, format!("there are {} channels here", context.scope.len()))
                    .help_if(
                        context
                            .scope
                            .first()
                            .map(|name| format!("write `(from {name} …)`, or name another channel")),
                    ),
            ),
            Value::One(one) => Some(one.clone()),
            Value::Filter(_) => self.report(
                Diagnostic::error("filter-as-value", "a filter where one value is expected")
                    .label(span, "this term gives named values")
                    .help("to choose one of them, write `(compose (from NAME (id)) FILTER)`"),
            ),
        }
    }

    /// Applies `operation`, which translates, scales or negates, to every kernel of a value.
    fn moved(
        &mut self,
        span: Span,
        value: &Value<D::Kernel>,
        operation: impl Fn(&D, &D::Kernel) -> Result<D::Kernel, AlgebraError>,
    ) -> Option<Value<D::Kernel>> {
        self.map(span, value, operation, Made::Moved)
    }

    /// Applies `operation` to every kernel of a value; `made` records how the result is made.
    fn map(
        &mut self,
        span: Span,
        value: &Value<D::Kernel>,
        operation: impl Fn(&D, &D::Kernel) -> Result<D::Kernel, AlgebraError>,
        made: impl Fn(usize) -> Made,
    ) -> Option<Value<D::Kernel>> {
        let result = value.map(&|kernel| operation(&self.domain, kernel));
        let mut value = self.done(span, result)?;
        for one in value.ones() {
            one.at = self.trace.push(&one.single, made(one.at));
        }
        Some(value)
    }

    fn sum(
        &mut self,
        span: Span,
        values: Vec<(Span, Rc<Value<D::Kernel>>)>,
        context: &Context,
    ) -> Option<Value<D::Kernel>> {
        if let Value::Filter(first) = &*values[0].1 {
            let names = |outputs: &[(String, One<D::Kernel>)]| {
                outputs.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
            };
            let mut filters = Vec::new();
            for (place, value) in &values {
                match &**value {
                    Value::Filter(outputs) if names(outputs) == names(first) => filters.push(outputs),
                    _ => {
                        return self.report(
                            Diagnostic::error("mixed-sum", "a sum of filters and something else")
                                .label(
                                    *place,
                                    "expected a filter with the outputs of the first, in the same order",
                                )
                                .label(values[0].0, "the first is a filter"),
                        );
                    }
                }
            }
            let mut sums = Vec::new();
            for (i, (name, _)) in first.iter().enumerate() {
                let ones: Vec<&One<D::Kernel>> = filters.iter().map(|outputs| &outputs[i].1).collect();
                sums.push((name.clone(), self.sum_of(span, &ones, context)?));
            }
            return Some(Value::Filter(sums));
        }
        let is_plain =
            |value: &Value<D::Kernel>| matches!(value, Value::One(One { single: Single::Plain(_), .. }));
        let all_plain = values.iter().all(|(_, value)| is_plain(value));
        let mut ones = Vec::new();
        for (place, value) in &values {
            match &**value {
                Value::One(one) if all_plain => ones.push(one.clone()),
                value => ones.push(self.row(value, context, *place)?),
            }
        }
        self.sum_of(span, &ones.iter().collect::<Vec<_>>(), context).map(Value::One)
    }

    /// The sum of values that are all plain or all rows.
    fn sum_of(&mut self, span: Span, ones: &[&One<D::Kernel>], context: &Context) -> Option<One<D::Kernel>> {
        let result = One::sum(&self.domain, ones, context.scope.len());
        let mut sum = self.done(span, result)?;
        sum.at = self.trace.push(&sum.single, Made::Sum(ones.iter().map(|one| one.at).collect()));
        Some(sum)
    }
}
