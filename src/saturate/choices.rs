//! The choices of several outputs of a filter, in an order in which a visit can be interrupted.

use egg::Id;

use crate::algebra::Label;

/// The choices that a rule has begun to visit, in the order of [`choice`].
#[derive(Clone, Default, Debug)]
pub(super) struct Visit {
    /// The outputs that had changed when the visit began: only choices with one of them are new.
    pub(super) changed: Vec<Id>,
    /// The number of the first choice that was not visited.
    pub(super) next: usize,
}

impl Visit {
    /// Whether nothing is left to visit.
    pub(super) fn is_over(&self) -> bool {
        self.changed.is_empty()
    }
}

/// The choice with this number among all ways to choose `count` outputs of different e-classes, in order.
pub(super) fn choice(outputs: &[(Label, Id)], count: usize, number: usize) -> Option<Vec<(Label, Id)>> {
    let mut left = outputs.to_vec();
    // The number has one digit per output, the first of which is the most significant.
    let (mut digits, mut rest) = (Vec::new(), number);
    for place in (0..count).rev() {
        let base = outputs.len().checked_sub(place).filter(|base| *base > 0)?;
        digits.push(rest % base);
        rest /= base;
    }
    if rest > 0 {
        return None;
    }
    Some(digits.into_iter().rev().map(|digit| left.remove(digit)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_has_a_number() {
        let outputs: Vec<_> = (0..5).map(|id| (Label::IDENTITY, Id::from(id))).collect();
        let all: Vec<Vec<usize>> = (0..)
            .map_while(|number| choice(&outputs, 3, number))
            .map(|choice| choice.into_iter().map(|(_, id)| id.into()).collect())
            .collect();
        assert!(all.len() == 5 * 4 * 3 && all.windows(2).all(|pair| pair[0] < pair[1]), "{all:?}");
        let different = |ids: &Vec<usize>| ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2];
        assert!(all.iter().all(different));
        assert!(choice(&outputs, 6, 0).is_none() && choice(&[], 1, 0).is_none());
    }
}
