//! Columns and rows that a loop reads, as functions of the column or row that it computes.

use crate::backend::scan::machine::added;
use crate::pipeline::{Distance, Variable, VariableId};

/// ⌊(times · i + plus + Σ factor · variable) / down⌋ for the column or row i.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Coordinate {
    pub(super) times: i64,
    pub(super) plus: i64,
    /// The variables of folds, with their factors.
    pub(super) varying: Vec<(VariableId, i64)>,
    pub(super) down: i64,
}

impl Coordinate {
    /// The column or row itself.
    pub(super) fn itself() -> Self {
        Self { times: 1, plus: 0, varying: Vec::new(), down: 1 }
    }

    /// This one, moved.
    pub(super) fn moved(&self, by: i64) -> Self {
        Self { plus: self.plus + by * self.down, ..self.clone() }
    }

    /// This one, moved by a distance, `sign` times.
    pub(super) fn far(&self, distance: &Distance, sign: i64) -> Self {
        let mut far = self.moved(sign * i64::from(distance.constant));
        for (id, factor) in &distance.factors {
            let factor = sign * i64::from(*factor) * self.down;
            match far.varying.iter_mut().find(|(own, _)| own == id) {
                Some((_, own)) => *own += factor,
                None => far.varying.push((*id, factor)),
            }
        }
        far.varying.retain(|(_, factor)| *factor != 0);
        far.varying.sort_unstable();
        far
    }

    /// `period` times this one, and the phase. `None` after a division.
    pub(super) fn multiplied(&self, period: u32, phase: u32) -> Option<Self> {
        (self.down == 1).then(|| {
            let period = i64::from(period);
            Self {
                times: self.times * period,
                plus: self.plus * period + i64::from(phase),
                varying: self.varying.iter().map(|(id, factor)| (*id, factor * period)).collect(),
                down: 1,
            }
        })
    }

    /// This one by a period, rounded down.
    pub(super) fn divided(&self, period: u32) -> Self {
        Self { down: self.down * i64::from(period), ..self.clone() }
    }

    /// The least and the greatest value at i, whatever the variables are.
    pub(super) fn limits(&self, i: i64, variables: &[Variable]) -> [i64; 2] {
        let mut limits = [self.times * i + self.plus; 2];
        for (id, factor) in &self.varying {
            let ends = [variables[id.0].first, variables[id.0].end - 1].map(|v| i64::from(v) * factor);
            limits = [limits[0] + ends[0].min(ends[1]), limits[1] + ends[0].max(ends[1])];
        }
        limits.map(|limit| limit.div_euclid(self.down))
    }

    /// The coordinate of `of` as C and Rust write it. `floor` writes a division that rounds down, `variable` a variable.
    pub(super) fn text(
        &self,
        of: &str,
        variable: &dyn Fn(VariableId) -> String,
        floor: &dyn Fn(String, i64) -> String,
    ) -> String {
        let mut text = if self.times == 1 { of.to_owned() } else { format!("{} * ({of})", self.times) };
        for (id, factor) in &self.varying {
            text += &match factor {
                1 => format!(" + {}", variable(*id)),
                -1 => format!(" - {}", variable(*id)),
                factor => format!(" + {factor} * {}", variable(*id)),
            };
        }
        text = added(&text, self.plus);
        if self.down == 1 { text } else { floor(text, self.down) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_follow_changes_of_rate_and_moves() {
        let variables = [Variable { name: "d".to_owned(), first: 0, end: 4 }];
        let far = Distance { constant: 20, factors: vec![(VariableId(0), 2)] };
        let of = |coordinate: &Coordinate, i: i64| coordinate.limits(i, &variables);
        let half = Coordinate::itself().multiplied(2, 1).unwrap();
        assert_eq!([of(&half, -1), of(&half, 3)], [[-1, -1], [7, 7]]);
        let double = Coordinate::itself().moved(-1).divided(2).moved(5);
        assert_eq!([of(&double, 0), of(&double, 1)], [[4, 4], [5, 5]]);
        assert_eq!(of(&Coordinate::itself().far(&far, 1), 1), [21, 27]);
        assert_eq!(of(&Coordinate::itself().far(&far, -1), 1), [-25, -19]);
        assert_eq!(double.multiplied(2, 0), None);
        let text = double.text("x", &|_| String::new(), &|above, below| format!("down({above}, {below})"));
        assert_eq!(text, "down(x + 9, 2)");
    }
}
