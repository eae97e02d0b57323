//! Decompositions of turned kernels.

use super::{Decomposition, Definition};
use crate::algebra::{Label, Placed, Shape, Turn};

impl Decomposition {
    /// The same decomposition of the turned kernel, listed under its shape; `None` where [`Placed::turned`] has none.
    pub fn turned(&self, whole: &Shape, turn: Turn) -> Option<(Shape, Self)> {
        let Placed { label, shape: whole } = turned(Label::IDENTITY, whole, turn)?;
        let back = label.inverse()?;
        let way = match self {
            Self::Sum(terms) => {
                let part = |(label, shape): &(Label, Shape)| {
                    let part = turned(*label, shape, turn)?;
                    Some((part.label.then(back)?, part.shape))
                };
                Self::Sum(terms.iter().map(part).collect::<Option<_>>()?)
            }
            Self::Compose { label, outer, inner } => {
                let [outer, inner] = [outer, inner].map(|part| turned(Label::IDENTITY, part, turn));
                let (outer, inner, label) = (outer?, inner?, label.turned(turn));
                let label = outer.label.then(inner.label)?.then(label)?.then(back)?;
                Self::Compose { label, outer: outer.shape, inner: inner.shape }
            }
        };
        Some((whole, way))
    }
}

impl Definition {
    /// What the turned filter states; `None` where [`Placed::turned`] has no turned kernel.
    pub fn turned(&self, turn: Turn) -> Option<Self> {
        let (whole, way) = self.way.turned(&self.whole, turn)?;
        let parts = self.labels.iter().zip(self.way.parts());
        let labels =
            parts.map(|(label, part)| Some(turned(*label, part, turn)?.label)).collect::<Option<_>>()?;
        Some(Self { whole, way, labels })
    }
}

fn turned(label: Label, shape: &Shape, turn: Turn) -> Option<Placed> {
    Placed { label, shape: shape.clone() }.turned(turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::Source;
    use crate::term::{filter_placed, read_filter, written};

    const TEXT: &str = "(filter f (inputs red green)
        (let b (kernel (1 2 -3) (. 4 .) (5 . .)))
        (output out (add (from red (compose b (shift 1 2 b) (kernel (1 -1 .)))) (from green (scale 3/2 (sub b (id)))))))";

    #[test]
    fn what_a_turned_filter_states_is_true_of_it() {
        let filter = read_filter(&Source::new("test.sexp", TEXT.to_owned())).unwrap();
        let stated = written(&filter).unwrap();
        let (_, output) = &filter_placed(&filter).unwrap()[0];
        assert!(stated.len() > 3);
        for turn in Turn::ALL {
            let turned: Vec<Definition> = stated.iter().map(|all| all.turned(turn).unwrap()).collect();
            assert!(turned.iter().any(|all| all.whole == output.turned(turn).unwrap().shape));
            for (Definition { whole, way, labels }, before) in turned.iter().zip(&stated) {
                let placed = Placed { label: Label::IDENTITY, shape: whole.clone() };
                assert_eq!(way.denote(whole.channels()), Some(placed));
                assert_eq!(labels.len(), before.labels.len());
            }
        }
    }
}
