//! Compositions and programs.

use std::rc::Rc;

use crate::algebra::AlgebraError;
use crate::syntax::{Diagnostic, Span};
use crate::term::{OutputSource, Term};

use super::{Context, Domain, Evaluator, Made, One, Row, Single, Value};

/// Named values: the outputs of a filter.
type Named<K> = Vec<(String, One<K>)>;

impl<D: Domain> Evaluator<'_, D> {
    /// Composes `terms` from the last to the first. The channels of each term are those of the value it is applied to.
    pub(super) fn composition(&mut self, terms: &[Term], context: &Context) -> Option<Rc<Value<D::Kernel>>> {
        let (last, outer) = terms.split_last()?;
        let mut inner = self.term(last, context)?;
        for term in outer.iter().rev() {
            let value = self.term(term, &inside(&inner, context, false))?;
            inner = Rc::new(self.apply(&value, &inner, context, term.span)?);
        }
        Some(inner)
    }

    /// Evaluates `outer ∘ inner`, where `inner` reads the channels of the context.
    fn apply(
        &mut self,
        outer: &Value<D::Kernel>,
        inner: &Value<D::Kernel>,
        context: &Context,
        span: Span,
    ) -> Option<Value<D::Kernel>> {
        match (outer, inner) {
            (Value::One(outer), Value::One(inner)) => {
                self.one_after_one(outer, inner, context, span).map(Value::One)
            }
            (Value::One(One { single: Single::Plain(kernel), at, .. }), Value::Filter(_)) => self.map(
                span,
                inner,
                |domain, each| domain.compose(kernel, each),
                |inner| Made::Compose(*at, inner),
            ),
            (Value::One(One { single: Single::Row(row), at, .. }), Value::Filter(outputs)) => {
                let channels = context.scope.len();
                let result = combine(&self.domain, row, outputs, channels);
                let single = Single::Row(self.done(span, result)?);
                Some(Value::One(match self.over(*at, outputs, channels) {
                    Some(at) => One::new(single, at),
                    None => self.written_out(single),
                }))
            }
            (Value::Filter(outer), inner) => {
                let mut outputs = Vec::new();
                for (name, one) in outer {
                    let applied = self.apply(&Value::One(one.clone()), inner, context, span)?;
                    outputs.push((name.clone(), self.row(&applied, context, span)?));
                }
                Some(Value::Filter(outputs))
            }
        }
    }

    fn one_after_one(
        &mut self,
        outer: &One<D::Kernel>,
        inner: &One<D::Kernel>,
        context: &Context,
        span: Span,
    ) -> Option<One<D::Kernel>> {
        let result = match (&outer.single, &inner.single) {
            (Single::Plain(kernel), _) => inner.map(&|each| self.domain.compose(kernel, each)),
            (Single::Row(_), Single::Plain(kernel)) => outer.map(&|each| self.domain.compose(each, kernel)),
            (Single::Row(row), Single::Row(_)) if context.scope.len() == 1 => match &row[0] {
                Some(kernel) => inner.map(&|each| self.domain.compose(kernel, each)),
                None => return Some(self.written_out(Single::Row(vec![None]))),
            },
            (Single::Row(_), Single::Row(_)) => {
                return self.report(
                    Diagnostic::error(
                        "channels-read-twice",
                        "a term that names channels, applied to a single value",
                    )
                    .label(span, "the value that it is applied to has no channel names")
                    .help("only the last term of a composition names the filter's inputs"),
                );
            }
        };
        let single = self.done(span, result)?.single;
        // A plain kernel commutes with everything: it counts as the one applied last.
        let made = match (&outer.single, &inner.single) {
            (Single::Row(_), Single::Plain(_)) => Made::Compose(inner.at, outer.at),
            _ => Made::Compose(outer.at, inner.at),
        };
        let at = self.trace.push(&single, made);
        Some(One::new(single, at))
    }

    /// Evaluates `program ⊳ instruction ⊳ …`.
    pub(super) fn program(
        &mut self,
        program: &Term,
        steps: &[Term],
        context: &Context,
    ) -> Option<Rc<Value<D::Kernel>>> {
        let mut state = self.term(program, context)?;
        for step in steps {
            let instruction = self.term(step, &inside(&state, context, true))?;
            state = Rc::new(self.step(&instruction, &state, context, step.span)?);
        }
        Some(state)
    }

    /// Executes one instruction. The channels it names are computed from the state and touched where they are stored; the
    /// others keep their values.
    fn step(
        &mut self,
        instruction: &Value<D::Kernel>,
        state: &Value<D::Kernel>,
        context: &Context,
        span: Span,
    ) -> Option<Value<D::Kernel>> {
        let written = match (instruction, state) {
            (Value::One(one), Value::One(_)) => {
                let applied = self.apply(&Value::One(one.clone()), state, context, span)?;
                let result = applied.touching(&self.domain, one);
                return self.done(span, result);
            }
            (Value::Filter(written), _) => written,
            (Value::One(_), Value::Filter(_)) => {
                return self.report(
                    Diagnostic::error("unnamed-instruction", "an instruction that does not say which channel it writes")
                        .label(span, "the program has several channels")
                        .help("write `(combine (output CHANNEL TERM)…)`: channels that are not named keep their values"),
                );
            }
        };
        let mut channels = self.channels(state, context, span)?;
        let before = Value::Filter(channels.clone());
        for (name, one) in written {
            let applied = self.apply(&Value::One(one.clone()), &before, context, span)?;
            let result = applied.touching(&self.domain, one);
            let value = self.done(span, result)?;
            let value = match value {
                Value::One(value) => value,
                Value::Filter(_) => self.row(&value, context, span)?,
            };
            match channels.iter_mut().find(|(known, _)| known == name) {
                Some((_, slot)) => *slot = value,
                None => channels.push((name.clone(), value)),
            }
        }
        Some(Value::Filter(channels))
    }

    /// A filter of these outputs and, if it `passes` them on, all other channels of the context.
    pub(super) fn combination(
        &mut self,
        outputs: &[OutputSource],
        passes: bool,
        context: &Context,
    ) -> Option<Rc<Value<D::Kernel>>> {
        let rows: Vec<_> = outputs.iter().map(|output| self.output(output, context)).collect();
        let rows = rows.into_iter().collect::<Option<Vec<_>>>()?;
        let named = outputs.iter().map(|output| output.name.clone()).zip(rows).collect();
        Some(Rc::new(Value::Filter(if passes { self.passing(named, context) } else { named })))
    }

    /// `named`, followed by all other channels of the context, unchanged.
    fn passing(&mut self, mut named: Named<D::Kernel>, context: &Context) -> Named<D::Kernel> {
        let identity = self.domain.identity();
        let one = self.written_out(Single::Plain(identity.clone()));
        let mut rest = self.on_channels(&one, &identity, context);
        rest.retain(|(name, _)| named.iter().all(|(known, _)| known != name));
        named.append(&mut rest);
        named
    }

    /// The plain kernel `one` applied to every channel of the context.
    fn on_channels(
        &mut self,
        one: &One<D::Kernel>,
        kernel: &D::Kernel,
        context: &Context,
    ) -> Named<D::Kernel> {
        let names = context.scope.iter().cloned().enumerate();
        names.map(|(i, name)| (name, self.on_channel(one, kernel, i, context.scope.len()))).collect()
    }

    /// The channels of a state. A plain kernel applies to every channel of the context.
    fn channels(
        &mut self,
        state: &Value<D::Kernel>,
        context: &Context,
        span: Span,
    ) -> Option<Named<D::Kernel>> {
        let count = context.scope.len();
        match state {
            Value::Filter(channels) => Some(channels.clone()),
            Value::One(one @ One { single: Single::Plain(kernel), .. }) => {
                Some(self.on_channels(one, kernel, context))
            }
            Value::One(one) if count == 1 => Some(vec![(context.scope[0].clone(), one.clone())]),
            Value::One(_) => self.report(
                Diagnostic::error("unnamed-state", "an instruction with named channels after a single value")
                    .label(span, "the value before it has no name")
                    .help("give it one: `(combine (output CHANNEL TERM))`"),
            ),
        }
    }
}

impl<K: Clone> Value<K> {
    /// The value with the places that `instruction` stores to touched as well.
    fn touching<D: Domain<Kernel = K>>(
        &self,
        domain: &D,
        instruction: &One<K>,
    ) -> Result<Self, AlgebraError> {
        match self {
            Self::One(one) => one.touching(domain, &instruction.stores).map(Self::One),
            Self::Filter(_) => Ok(self.clone()),
        }
    }
}

/// The context of a term that reads `inner`: the outputs of a filter are its channels.
fn inside<K>(inner: &Value<K>, context: &Context, instruction: bool) -> Context {
    let scope = match inner {
        Value::Filter(outputs) => outputs.iter().map(|(name, _)| name.clone()).collect(),
        Value::One(_) => context.scope.clone(),
    };
    Context { scope, instruction }
}

/// Computes Σ row[i] ∘ outputs[i], channel by channel.
pub(super) fn combine<D: Domain>(
    domain: &D,
    row: &Row<D::Kernel>,
    outputs: &[(String, One<D::Kernel>)],
    channels: usize,
) -> Result<Row<D::Kernel>, AlgebraError> {
    let mut result = Vec::with_capacity(channels);
    for channel in 0..channels {
        let mut parts = Vec::new();
        for (kernel, (_, output)) in row.iter().zip(outputs) {
            let Single::Row(inner) = &output.single else { continue };
            if let (Some(kernel), Some(inner)) = (kernel, &inner[channel]) {
                parts.push(domain.compose(kernel, inner)?);
            }
        }
        let parts: Vec<&D::Kernel> = parts.iter().collect();
        result.push(if parts.is_empty() { None } else { Some(domain.sum(&parts)?) });
    }
    Ok(result)
}
