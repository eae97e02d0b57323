//! The decompositions that the terms of a file state.

use std::collections::BTreeSet;

use crate::algebra::{Kernel, Label, Placed, PlusTimes, Rational, Semiring, Shape, in_semiring};
use crate::syntax::Diagnostics;

use super::denote::{Finite, Linear, placed_series};
use super::evaluate::{Made, Trace, traced};
use super::{Decomposition, FilterSource, IndexSpace};

/// A decomposition that a term states.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Definition {
    /// The kernel being decomposed.
    pub whole: Shape,
    /// Its decomposition.
    pub way: Decomposition,
    /// The label of each part in the file, in the order of [`Decomposition::parts`].
    pub labels: Vec<Label>,
}

impl Definition {
    /// Whether neither the kernel nor a part of it has a scan.
    pub fn is_finite(&self) -> bool {
        self.whole.is_finite() && self.way.parts().into_iter().all(Shape::is_finite)
    }
}

/// The decompositions that the terms of a filter state, each once, wholes before their parts. Names, channels and
/// instructions are followed. On a torus the result is empty, because terms denote more than the outputs show.
///
/// # Errors
/// As [`super::denote`]; with plus-times, as [`super::denote_linear`].
pub fn written(filter: &FilterSource) -> Result<Vec<Definition>, Diagnostics> {
    if matches!(filter.space, IndexSpace::Torus(_)) {
        return Ok(Vec::new());
    }
    if filter.semiring == PlusTimes::NAME {
        let (trace, outputs) = traced(Linear::<PlusTimes>::new(), filter)?;
        return Ok(definitions(&trace, &outputs, |at| placed_series(&trace.kernels(at))));
    }
    in_semiring!(&filter.semiring, |S| written_in::<S>(filter)).unwrap_or_else(|| Ok(Vec::new()))
}

/// The decompositions that the terms of a file state in `S`.
fn written_in<S: Semiring>(filter: &FilterSource) -> Result<Vec<Definition>, Diagnostics> {
    let (trace, outputs) = traced(Finite::<S>::new(), filter)?;
    Ok(definitions(&trace, &outputs, |at| {
        let kernels =
            trace.kernels(at).into_iter().map(|kernel| kernel.cloned().unwrap_or_else(Kernel::zero));
        Placed::from_kernels(&kernels.collect::<Vec<_>>()).ok()
    }))
}

/// The decompositions that the values behind `outputs` state, each once; `placed` returns the kernel of a value.
fn definitions<K: Clone>(
    trace: &Trace<K>,
    outputs: &[usize],
    placed: impl Fn(usize) -> Option<Placed>,
) -> Vec<Definition> {
    let mut known = BTreeSet::new();
    let stated = trace.parts(outputs).into_iter().filter_map(|at| definition(trace.made(at), at, &placed));
    stated.filter(|definition| known.insert(definition.clone())).collect()
}

/// The decomposition that the value at a place states; `None` if it is written out, zero, or equal to one of its parts.
fn definition(made: &Made, at: usize, placed: impl Fn(usize) -> Option<Placed>) -> Option<Definition> {
    if *made == Made::WrittenOut {
        return None;
    }
    let Placed { label, shape: whole } = placed(at)?;
    let back = label.inverse()?;
    let mut parts = match made {
        Made::WrittenOut => return None,
        Made::Moved(inner) => vec![placed(*inner)?],
        Made::Sum(terms) => terms.iter().map(|term| placed(*term)).collect::<Option<_>>()?,
        Made::Compose(outer, inner) => vec![placed(*outer)?, placed(*inner)?],
    };
    parts.retain(|part| !part.shape.is_zero());
    let labels = parts.iter().map(|part| part.label).collect();
    let way = match (made, &parts[..]) {
        (Made::Moved(_), [Placed { shape, .. }]) => {
            let label = Label::scaled(ratio(&whole, shape)?);
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

/// The factor between two canonical kernels, one a multiple of the other.
fn ratio(whole: &Shape, part: &Shape) -> Option<Rational> {
    let first = |shape: &Shape| shape.taps().next().map(|(_, _, tap)| tap);
    Rational::new(first(whole)?, first(part)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::Source;
    use crate::term::{decomposition_text, kernel_text, read_filter};

    /// The decompositions of a file, one per line; each is exact.
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
