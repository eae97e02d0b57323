//! Recursive definitions K = A·K + B. With negation, they are solved from the values of the term at K = 0 and at K = identity; where
//! sums choose, from those at K = 0 and at K = B.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::algebra::{AlgebraError, NoSolution};
use crate::syntax::{Diagnostic, Span};
use crate::term::{Name, Term, TermKind};

use super::{Context, Domain, Evaluator, Made, One, Single, Step, Value};

impl<D: Domain> Evaluator<'_, D> {
    /// Evaluates `(fix NAME TERM)`.
    pub(super) fn fix(
        &mut self,
        name: &Name,
        inner: &Term,
        span: Span,
        context: &Context,
    ) -> Option<Rc<Value<D::Kernel>>> {
        if self.defined.is_some() {
            return self.report(
                Diagnostic::error("nested-fix", "a recursion inside another")
                    .label(name.span, "expected a term without `fix`")
                    .help("a recursion that does not use the outer one can be named before it: `(let NAME (fix …))`"),
            );
        }
        if let Err(place) = is_affine(inner, &name.text) {
            let message = format!("`{}` is multiplied by itself", name.text);
            return self.report(
                Diagnostic::error("not-affine", message)
                    .label(place, "this is composed with another term that uses the name")
                    .help("a recursion has the form K = A·K + B: at most one term of a composition may use the name"),
            );
        }
        let (start, unit) = if self.reads_channels(inner) {
            let mut row = vec![None; context.scope.len()];
            let start = Single::Row(row.clone());
            row[0] = Some(self.domain.identity());
            (start, Single::Row(row))
        } else {
            (Single::Plain(self.domain.zero()), Single::Plain(self.domain.identity()))
        };
        let constant = self.with(name, start, inner, context)?;
        if D::CHOOSES {
            let step = self.second_step(name, &constant, inner, context)?;
            return self.done(span, least(constant, step)).map(|one| Rc::new(Value::One(one)));
        }
        let whole = self.with(name, unit, inner, context)?;
        let factor = self.factor(&constant.single, &whole.single);
        let factor = self.done(span, factor)?;
        let solved = constant.map(&|kernel| self.domain.recursion(&factor, kernel));
        let single = self.done(span, solved)?.single;
        let made = match self.domain.recursion(&factor, &self.domain.identity()) {
            Ok(inverse) => Made::Compose(self.written_out(Single::Plain(inverse)).at, constant.at),
            Err(_) => Made::WrittenOut,
        };
        let at = self.trace.push(&single, made);
        Some(Rc::new(Value::One(One::new(single, at))))
    }

    /// How the value of the term at `first` differs from `first`, its value at zero.
    fn second_step(
        &mut self,
        name: &Name,
        first: &One<D::Kernel>,
        inner: &Term,
        context: &Context,
    ) -> Option<Step> {
        let second = self.with(name, first.single.clone(), inner, context)?;
        let zero = self.domain.zero();
        let kernels = |one: &One<D::Kernel>| match &one.single {
            Single::Plain(kernel) => vec![kernel.clone()],
            Single::Row(row) => row.iter().map(|kernel| kernel.as_ref().unwrap_or(&zero).clone()).collect(),
        };
        let pairs = kernels(first).into_iter().zip(kernels(&second));
        pairs.map(|(first, second)| self.domain.step(&first, &second)).max()
    }

    /// Evaluates the term with the name bound to `value`.
    fn with(
        &mut self,
        name: &Name,
        value: Single<D::Kernel>,
        inner: &Term,
        context: &Context,
    ) -> Option<One<D::Kernel>> {
        let is_plain = matches!(value, Single::Plain(_));
        self.defined = Some((name.text.clone(), Rc::new(Value::One(self.written_out(value)))));
        let found = self.term(inner, context);
        self.defined = None;
        match &*found? {
            Value::One(one) if is_plain => Some(one.clone()),
            value => self.row(value, context, inner.span),
        }
    }

    /// A, from B and A + B: the difference on the first channel, where the name stands for that channel.
    fn factor(
        &self,
        constant: &Single<D::Kernel>,
        whole: &Single<D::Kernel>,
    ) -> Result<D::Kernel, AlgebraError> {
        let zero = self.domain.zero();
        let [constant, whole] = [constant, whole].map(|single| match single {
            Single::Plain(kernel) => kernel,
            Single::Row(row) => row[0].as_ref().unwrap_or(&zero),
        });
        self.domain.sum(&[whole, &self.domain.negate(constant)?])
    }

    /// Whether a term, or the term of a name in it, names the channels it reads.
    fn reads_channels(&self, term: &Term) -> bool {
        let mut known = BTreeSet::new();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            match &term.kind {
                TermKind::From(..) | TermKind::Combine { .. } => return true,
                TermKind::Variable(name) => {
                    let named = self.lets.get(name.as_str()).filter(|i| known.insert(**i));
                    open.extend(named.map(|i| &self.filter.lets[*i].term));
                }
                _ => open.extend(term.parts()),
            }
        }
        false
    }
}

/// The least solution of K = A·K + B where every sum is one of its terms, from B and how A·B + B differs from it.
///
/// No tap vanishes in a sum or product. So if A has a tap besides the origin and B has any, A·K has a tap further out than K for every
/// finite K. Otherwise the taps stay where they are, and they stay what they are if A is no better than one.
fn least<K>(constant: K, step: Step) -> Result<K, AlgebraError> {
    match step {
        Step::Solved => Ok(constant),
        Step::Better => Err(AlgebraError::NoSolution { why: NoSolution::Unbounded }),
        Step::Larger => Err(AlgebraError::NoSolution { why: NoSolution::Infinite }),
    }
}

/// Whether a term uses a name. `Err` is the place of a second use in one composition, which is not affine.
fn is_affine(term: &Term, name: &str) -> Result<bool, Span> {
    if let TermKind::Variable(known) = &term.kind {
        return Ok(known == name);
    }
    let is_product = matches!(term.kind, TermKind::Compose(_) | TermKind::Instruct { .. });
    let mut has_it = false;
    for part in term.parts() {
        if is_affine(part, name)? {
            if is_product && has_it {
                return Err(part.span);
            }
            has_it = true;
        }
    }
    Ok(has_it)
}
