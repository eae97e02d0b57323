//! Rules with scans, as machines with memory use them: a kernel becomes a finite rest between recurrences.

use super::interpret::{Canonical, interpret};
use super::{Action, Example, Pattern, Rewrite, Rule};
use crate::algebra::{Label, Offset, Placed, Shape};

/// A rule `K => scans ∘ R ∘ scans`, where K is any kernel or a constant one.
#[derive(Clone, Debug)]
pub struct Recurrence {
    /// The rule's name.
    pub name: String,
    /// The steps of the scans applied after R, each 1/(1 − x^step).
    pub after: Vec<Offset>,
    /// The steps of the scans applied before R.
    pub before: Vec<Offset>,
    /// R without the label of the whole right side.
    rest: Pattern,
    label: Label,
    rewrite: Rewrite,
}

impl Recurrence {
    /// The recurrence that a rule states; `None` if it states something else, or if it does not hold over the
    /// rationals.
    pub fn of(rule: &Rule) -> Option<Self> {
        let Action::Rewrite(rewrite) = &rule.action else { return None };
        let known = matches!(rewrite.lhs, Pattern::Variable(_)) || rewrite.lhs.fixed_label().is_some();
        if !known || rewrite.is_finite() || rule.semirings.iter().all(|s| s != Rule::PLUS_TIMES) {
            return None;
        }
        let (mut label, mut factors) = (Label::IDENTITY, Vec::new());
        flatten(&rewrite.rhs, &mut label, &mut factors)?;
        let step = |pattern: &&Pattern| match pattern {
            Pattern::Scan(direction) => Some(direction.step()),
            _ => None,
        };
        let after: Vec<Offset> = factors.iter().map_while(step).collect();
        let before: Vec<Offset> = factors[after.len()..].iter().rev().map_while(step).collect();
        let rest = &factors[after.len()..factors.len() - before.len()];
        let rest = rest.iter().copied().cloned().rev();
        let rest = rest.reduce(|inner, outer| Pattern::Compose(Box::new([outer, inner])))?;
        if rest.has_scan() {
            return None;
        }
        Some(Self { name: rule.name.clone(), after, before, rest, label, rewrite: rewrite.clone() })
    }

    /// Whether all scans stay within a plane.
    pub fn is_in_plane(&self) -> bool {
        self.after.iter().chain(&self.before).all(|step| step[2] == 0)
    }

    /// The recurrence that the right side of an example states; `None` if its scans differ from those of the rule.
    pub fn stated(&self, example: &Example) -> Option<Self> {
        let rewrite = example.rewrite()?;
        let stated = Self::of(&Rule::new(&self.name, Action::Rewrite(rewrite)))?;
        (stated.after == self.after && stated.before == self.before).then_some(stated)
    }

    /// The finite rest of a kernel between the scans; `None` if the rule does not apply to it.
    pub fn rest(&self, shape: &Shape) -> Option<Placed> {
        let mut label = self.label;
        if let Some(place) = self.rewrite.lhs.fixed_label() {
            let whole = self.rewrite.lhs.constant()?;
            if whole.shape != *shape {
                return None;
            }
            label = label.then(place.inverse()?)?;
        }
        let holds = |condition: &super::Condition| condition.holds(|_| shape, |_| None);
        if !self.rewrite.conditions.iter().all(holds) {
            return None;
        }
        let kernels = |_| Some(vec![Placed { label: Label::IDENTITY, shape: shape.clone() }]);
        interpret(&self.rest, &Canonical { kernels: &kernels, number: &|_| None })?.apply(label)
    }
}

impl Pattern {
    /// The kernel that a term without variables and scans denotes; `None` for other terms, and on overflow.
    pub fn constant(&self) -> Option<Placed> {
        interpret(self, &Canonical { kernels: &|_| None, number: &|_| None })
    }
}

impl Example {
    /// The example as a rule of its own, if it has a right side.
    pub fn rewrite(&self) -> Option<Rewrite> {
        let rhs = self.rhs.clone()?;
        Some(Rewrite { variables: Vec::new(), lhs: self.lhs.clone(), rhs, conditions: Vec::new() })
    }
}

/// Collects the factors of a composition, outermost first, and multiplies their labels into `label`.
fn flatten<'a>(pattern: &'a Pattern, label: &mut Label, factors: &mut Vec<&'a Pattern>) -> Option<()> {
    match pattern {
        Pattern::Compose(parts) => parts.iter().try_for_each(|part| flatten(part, label, factors)),
        _ => {
            if let Some((own, body)) = pattern.label().filter(|(_, body)| body.has_scan()) {
                *label = label.then(own)?;
                return flatten(body, label, factors);
            }
            factors.push(pattern);
            Some(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Rational;
    use crate::rule::RuleSet;
    use crate::syntax::Source;

    fn recurrence(text: &str) -> Option<Recurrence> {
        let rules = RuleSet::from_dir(vec![Source::new("r.rules", text)]).unwrap();
        Recurrence::of(&rules.rules()[0])
    }

    fn row(taps: &[i64]) -> Placed {
        Placed::from_dense(1, [0; 3], [taps.len(), 1, 1], taps, Rational::ONE).unwrap()
    }

    #[test]
    fn scans_on_both_sides_are_told_from_what_is_between() {
        let text =
            "(rule r ?k => (neg (compose (scan west) (scan -2 1) (sub (shift -1 0 ?k) ?k) (scan north))))";
        let found = recurrence(text).unwrap();
        assert_eq!(
            (found.after.clone(), found.before.clone()),
            (vec![[-1, 0, 0], [-2, 1, 0]], vec![[0, 1, 0]])
        );
        let window = row(&[1, 1, 1, 1]);
        let ends = Placed::from_dense(1, [-1, 0, 0], [5, 1, 1], &[-1, 0, 0, 0, 1], Rational::ONE).unwrap();
        assert_eq!(found.rest(&window.shape), Some(ends));
    }

    #[test]
    fn a_kernel_that_is_written_out_is_found_wherever_it_stands() {
        let text = "(rule r (kernel (1 1 1)) => (compose (scan west) (kernel (-1 . . 1 .) )))";
        let found = recurrence(text).unwrap();
        let ends = Placed::from_dense(1, [-1, 0, 0], [4, 1, 1], &[-1, 0, 0, 1], Rational::ONE).unwrap();
        assert_eq!(found.rest(&row(&[1, 1, 1]).shape), Some(ends));
        assert_eq!(found.rest(&row(&[1, 1]).shape), None);
    }

    #[test]
    fn other_rules_are_none() {
        assert!(recurrence("(rule r (kernel (1 2 1)) => (kernel (1 2 1)))").is_none());
        assert!(
            recurrence("(rule r ?k => (add (compose (scan x) ?k) (neg (compose (scan x) ?k)) ?k))").is_none()
        );
        assert!(
            recurrence("(rule r (compose ?k ?l) => (compose (scan x) (sub ?k (shift 1 0 ?k)) ?l))").is_none()
        );
    }
}
