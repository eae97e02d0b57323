//! The labels of the parts of a composition that is matched. The parts have the label of the whole together, so each gets what the other
//! leaves: what the variables and kernels in them need decides.

use egg::Id;

use super::{Binding, Matcher};
use crate::algebra::{Label, Shape};
use crate::rule::{Expression, Pattern, VariableId, share_a_variable};
use crate::term::lang::Node;

/// Where a variable or a kernel of a pattern can be found below an e-class.
struct Leaf<'a> {
    pattern: &'a Pattern,
    places: Vec<(Label, Id)>,
}

impl Matcher<'_> {
    /// The labels of the outer and of the inner part of a composition. If nothing decides, the outer part gets none, or the inner part if
    /// it is a variable that occurs again: then its occurrences can agree.
    pub(super) fn splits(
        &self,
        label: Label,
        (outer, outer_class): (&Pattern, Id),
        (inner, inner_class): (&Pattern, Id),
    ) -> Vec<[Label; 2]> {
        let [mut above, mut below] = [Vec::new(), Vec::new()];
        if share_a_variable(outer, inner) || self.has_known(outer) || self.has_known(inner) {
            self.leaves(outer, &[(Label::IDENTITY, outer_class)], &mut above);
            self.leaves(inner, &[(label, inner_class)], &mut below);
        }
        // The outer part is matched at `given`, the inner one at the rest.
        let needed = |leaf: &Leaf<'_>| self.needed(leaf);
        let mut given: Vec<Label> = if let Some(needed) = above.iter().find_map(needed) {
            needed
        } else if let Some(needed) = below.iter().find_map(needed) {
            needed.into_iter().filter_map(Label::inverse).collect()
        } else if let Some(roots) = self.roots(&above, &below) {
            roots
        } else if self.is_repeated(inner) && !self.is_repeated(outer) {
            vec![label]
        } else {
            vec![Label::IDENTITY]
        };
        given.sort_unstable();
        given.dedup();
        given.into_iter().filter_map(|given| Some([given, label.then(given.inverse()?)?])).collect()
    }

    /// Whether something in the pattern is known before it is matched.
    fn has_known(&self, pattern: &Pattern) -> bool {
        match pattern {
            Pattern::Variable(variable) => self.bindings[variable.0] != Binding::Unbound,
            _ => pattern.parts().is_empty() || pattern.parts().iter().any(|part| self.has_known(part)),
        }
    }

    /// Adds the leaves of a pattern that is matched at any of the places. Parts of compositions could have any label, and are left out.
    fn leaves<'a>(&self, pattern: &'a Pattern, places: &[(Label, Id)], found: &mut Vec<Leaf<'a>>) {
        match pattern {
            Pattern::Compose(_) | Pattern::Scaled(Expression::Variable(_), _) => {}
            Pattern::Moved(..) | Pattern::Negated(_) | Pattern::Scaled(..) => {
                let Some((own, body)) = pattern.label(self.graph.arithmetic()) else { return };
                let without = |&(label, class): &(Label, Id)| Some((label.then(own.inverse()?)?, class));
                self.leaves(body, &places.iter().filter_map(without).collect::<Vec<_>>(), found);
            }
            Pattern::Sum { terms, .. } => {
                let mut below = Vec::new();
                for &(label, class) in places {
                    for node in self.graph.nodes(class) {
                        let Node::Sum(sum) = node else { continue };
                        below
                            .extend(sum.terms().filter_map(|(edge, child)| Some((edge.then(label)?, child))));
                    }
                }
                below.sort_unstable();
                below.dedup();
                terms.iter().for_each(|term| self.leaves(term, &below, found));
            }
            _ => found.push(Leaf { pattern, places: places.to_vec() }),
        }
    }

    /// The labels that a part lacks for this leaf to match, if the leaf is known: none if it is nowhere.
    fn needed(&self, leaf: &Leaf<'_>) -> Option<Vec<Label>> {
        let lacks = |is_it: &dyn Fn(Id) -> bool, known: Label| {
            let places = leaf.places.iter().filter(|(_, class)| is_it(*class));
            places.filter_map(|(label, _)| known.then(label.inverse()?)).collect()
        };
        let has_shape = |class: Id, is_it: &dyn Fn(&Shape) -> bool| is_it(self.graph.shape(class));
        match leaf.pattern {
            Pattern::Variable(variable) => match self.bindings[variable.0] {
                Binding::One(known, class) => Some(lacks(&|found| found == class, known)),
                _ => None,
            },
            // `(id)` and channels match only without a label.
            Pattern::Identity | Pattern::Channel(_) => {
                Some(lacks(&|class| has_shape(class, &Shape::is_delta), Label::IDENTITY))
            }
            pattern => {
                let Some(kernel) = pattern.kernel(self.graph.arithmetic()) else { return Some(Vec::new()) };
                Some(lacks(&|class| has_shape(class, &|shape| *shape == kernel.shape), kernel.label))
            }
        }
    }

    /// The labels for the outer part with which the first variable that both parts have is the same kernel in both.
    fn roots(&self, above: &[Leaf<'_>], below: &[Leaf<'_>]) -> Option<Vec<Label>> {
        let mut variables = above.iter().filter(|leaf| matches!(leaf.pattern, Pattern::Variable(_)));
        let (outer, inner) = variables
            .find_map(|outer| Some((outer, below.iter().find(|inner| inner.pattern == outer.pattern)?)))?;
        let mut ratios: Vec<Label> = Vec::new();
        for (label, class) in &outer.places {
            let same = inner.places.iter().filter(|(_, other)| other == class);
            ratios.extend(same.filter_map(|(other, _)| other.then(label.inverse()?)));
        }
        ratios.sort_unstable();
        ratios.dedup();
        let is_linear = self.graph.arithmetic().is_linear();
        let both = |root: Label| {
            let opposite = Label { scale: root.scale.negate(), ..root };
            std::iter::once(root).chain(is_linear.then_some(opposite))
        };
        Some(ratios.into_iter().filter_map(Label::root).flat_map(both).collect())
    }

    fn is_repeated(&self, pattern: &Pattern) -> bool {
        matches!(pattern, Pattern::Variable(VariableId(variable)) if self.occurrences[*variable] > 1)
    }
}
