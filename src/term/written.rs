//! What a file says about its kernels: the decompositions that its terms state.

use std::collections::BTreeSet;

use crate::algebra::{Kernel, Label, Placed, PlusTimes, Rational, Semiring, Shape};
use crate::syntax::Diagnostics;

use super::denote::{Finite, Linear};
use super::evaluate::{Made, Trace, traced};
use super::{Decomposition, FilterSource, IndexSpace, Series};

/// A decomposition that a term states.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Definition {
    /// The kernel that is made.
    pub whole: Shape,
    /// What it is made of.
    pub way: Decomposition,
    /// Where the file has each part, and with which factor: the labels of the parts, those of [`Decomposition::parts`] in
    /// order.
    pub labels: Vec<Label>,
}

impl Definition {
    /// Whether neither the kernel nor a part of it has a scan.
    pub fn is_finite(&self) -> bool {
        self.whole.is_finite() && self.way.parts().into_iter().all(Shape::is_finite)
    }
}

/// The decompositions that the terms of a filter state, wholes before their parts; each once. Names, channels and
/// instructions are followed. On a torus terms denote more than outputs show: there nothing is stated.
///
/// # Errors
/// As [`super::denote_linear`].
pub fn written(filter: &FilterSource) -> Result<Vec<Definition>, Diagnostics> {
    if matches!(filter.space, IndexSpace::Torus(_)) {
        return Ok(Vec::new());
    }
    let (trace, outputs) = traced(Linear::<PlusTimes>::new(), filter)?;
    let mut known = BTreeSet::new();
    let stated = trace.parts(&outputs).into_iter().filter_map(|at| definition(&trace, at));
    Ok(stated.filter(|definition| known.insert(definition.clone())).collect())
}

/// A decomposition that a term states, over any semiring: all its kernels are applied to one channel.
#[derive(Clone, Debug)]
pub struct Statement<S: Semiring> {
    /// The kernel that is made.
    pub whole: Kernel<S>,
    /// What it is made of.
    pub parts: Vec<Kernel<S>>,
    /// How.
    pub kind: StatementKind,
}

/// What a statement does with its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// Adds them.
    Sum,
    /// Applies the first after the second.
    Compose,
}

/// The decompositions of kernels on one channel that the terms of a filter state, wholes before their parts. On a torus
/// nothing is stated.
///
/// # Errors
/// As [`super::denote`].
pub fn statements<S: Semiring>(filter: &FilterSource) -> Result<Vec<Statement<S>>, Diagnostics> {
    if matches!(filter.space, IndexSpace::Torus(_)) {
        return Ok(Vec::new());
    }
    let (trace, outputs) = traced(Finite::<S>::new(), filter)?;
    let alone = |at: usize| {
        let mut kernels = trace.kernels(at).into_iter().flatten();
        kernels.next().filter(|_| kernels.next().is_none()).cloned()
    };
    let stated = trace.parts(&outputs).into_iter().filter_map(|at| {
        let (kind, parts) = match trace.made(at) {
            Made::WrittenOut | Made::Moved(_) => return None,
            Made::Sum(terms) => (StatementKind::Sum, terms.clone()),
            Made::Compose(outer, inner) => (StatementKind::Compose, vec![*outer, *inner]),
        };
        let parts = parts.into_iter().map(alone).collect::<Option<Vec<_>>>()?;
        Some(Statement { whole: alone(at)?, parts, kind })
    });
    Ok(stated.collect())
}

/// What the value at a place states; `None` if it is written out, zero, or one of its parts elsewhere.
fn definition(trace: &Trace<Series<PlusTimes>>, at: usize) -> Option<Definition> {
    let made = trace.made(at);
    if *made == Made::WrittenOut {
        return None;
    }
    let Placed { label, shape: whole } = placed(trace, at)?;
    let back = label.inverse()?;
    let mut parts = match made {
        Made::WrittenOut => return None,
        Made::Moved(inner) => vec![placed(trace, *inner)?],
        Made::Sum(terms) => terms.iter().map(|term| placed(trace, *term)).collect::<Option<_>>()?,
        Made::Compose(outer, inner) => vec![placed(trace, *outer)?, placed(trace, *inner)?],
    };
    parts.retain(|part| !part.shape.is_zero());
    let labels = parts.iter().map(|part| part.label).collect();
    let way = match (made, &parts[..]) {
        (Made::Moved(_), [Placed { shape, .. }]) => {
            let label = Label { scale: ratio(&whole, shape)?, ..Label::IDENTITY };
            Decomposition::Sum(vec![(label, shape.clone())])
        }
        (Made::Compose(..), [outer, inner]) => {
            let label = outer.label.then(inner.label)?.then(back)?;
            Decomposition::Compose { label, outer: outer.shape.clone(), inner: inner.shape.clone() }
        }
        _ => {
            let terms = parts.iter().map(|part| Some((part.label.then(back)?, part.shape.clone())));
            Decomposition::Sum(terms.collect::<Option<_>>()?)
        }
    };
    let states = !whole.is_zero() && !way.parts().is_empty() && !way.parts().contains(&&whole);
    states.then_some(Definition { whole, way, labels })
}

/// The factor that carries one canonical kernel to a multiple of it.
fn ratio(whole: &Shape, part: &Shape) -> Option<Rational> {
    let first = |shape: &Shape| shape.taps().next().map(|(_, _, tap)| tap);
    Rational::new(first(whole)?, first(part)?)
}

/// The kernel of a value over all channels; `None` if it leaves the exact range.
fn placed(trace: &Trace<Series<PlusTimes>>, at: usize) -> Option<Placed> {
    let kernels = trace.kernels(at);
    let channels = kernels.len();
    let mut sum: Vec<Placed> = Vec::new();
    for (channel, kernel) in kernels.into_iter().enumerate() {
        let Some(kernel) = kernel else { continue };
        let scan = kernel.to_scan();
        let mut numerators = vec![Kernel::zero(); channels];
        numerators[channel] = scan.numerator().clone();
        let numerator = Placed::from_kernels(&numerators).ok()?;
        sum.push(
            scan.factors()
                .iter()
                .try_fold(numerator, |rest, step| Placed::compose(&Placed::scan(*step)?, &rest))?,
        );
    }
    Placed::sum(u16::try_from(channels).ok()?, sum.iter().map(|part| (part.label, &part.shape)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::Source;
    use crate::term::{decomposition_text, kernel_text, read_filter};

    /// What a file states, a line each; each is exact.
    fn stated(text: &str) -> String {
        let filter = read_filter(&Source::new("test.sexp", text.to_owned())).unwrap();
        let mut lines = Vec::new();
        for Definition { whole, way, .. } in written(&filter).unwrap() {
            let placed = Placed { label: Label::IDENTITY, shape: whole.clone() };
            assert_eq!(way.denote(whole.channels()), Some(placed.clone()), "{}", decomposition_text(&way));
            lines.push(format!("{} = {}", kernel_text(&placed), decomposition_text(&way)));
        }
        lines.join("\n")
    }

    #[test]
    fn compositions_sums_and_names_are_stated_wholes_first() {
        insta::assert_snapshot!(stated(
            "(filter f (inputs in) (let b (kernel (1 1 .)))
               (output out (add (compose b b b) (shift 2 0 (scale 3 b)))))"
        ));
    }

    #[test]
    fn channels_of_inner_filters_and_instructions_are_followed() {
        insta::assert_snapshot!(stated(
            "(filter f (inputs red green)
               (let both (combine (output a (add (from red (kernel (1 2 1))) (from green (kernel (1 1 .)))))
                                  (output b (from green (compose (kernel (1 1 .)) (kernel (1 -1 .)))))))
               (output out (compose (add (from a (kernel (1 3 .))) (from b (kernel (5 1 .)))) both)))"
        ));
    }

    #[test]
    fn the_same_kernel_elsewhere_states_nothing() {
        assert_eq!(
            stated("(filter f (inputs in) (output out (shift 1 0 (neg (scale 2 (kernel (1 2 1)))))))"),
            ""
        );
    }
}
