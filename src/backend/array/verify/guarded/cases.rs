//! The cases of a function, one by one: the conditions under which it is one linear function, or one truth value.

use super::affine::Affine;
use super::diagram::{Cut, Diagrams, Id, Node, Trouble};
use super::inequalities::{Inequality, solution};
use super::space::Space;
use crate::algebra::Rational;

/// A condition of a case: bounds of a form. For a bit, 0 is excluded or 1 is.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// The form.
    pub form: Affine,
    /// What it is above; with `closed`, strictly.
    pub low: Option<Cut>,
    /// What it is below; without `closed`, strictly.
    pub high: Option<Cut>,
}

/// One case.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The conditions, all of which hold.
    pub conditions: Vec<Bounds>,
    /// The function in this case.
    pub function: Leaf,
}

/// The function of a case.
#[derive(Clone, Debug, PartialEq)]
pub enum Leaf {
    /// A truth value.
    Truth(bool),
    /// A linear function.
    Linear(Affine),
}

/// The possible cases of a function, in order; `None` if there are more than `most`.
///
/// # Errors
/// [`Trouble`] if the inequalities of a case cannot be solved.
pub fn cases(space: &Space, id: Id, most: usize) -> Result<Option<Vec<Case>>, Trouble> {
    let mut walk = Walk { diagrams: &space.diagrams, space, most, found: Vec::new() };
    let all = walk.walk(id, &mut Vec::new())?;
    Ok(all.then_some(walk.found))
}

struct Walk<'a> {
    diagrams: &'a Diagrams,
    space: &'a Space,
    most: usize,
    found: Vec<Case>,
}

impl Walk<'_> {
    fn walk(&mut self, id: Id, path: &mut Vec<Bounds>) -> Result<bool, Trouble> {
        let function = match self.diagrams.node(id) {
            Node::Truth(truth) => Leaf::Truth(*truth),
            Node::Linear(function) => Leaf::Linear(function.clone()),
            Node::Split { form, cuts, parts } => {
                for (index, part) in parts.iter().enumerate() {
                    let low = index.checked_sub(1).map(|below| cuts[below]);
                    let form = self.diagrams.form(*form).clone();
                    path.push(Bounds { form, low, high: cuts.get(index).copied() });
                    let all = !self.possible(path)? || self.walk(*part, path)?;
                    path.pop();
                    if !all {
                        return Ok(false);
                    }
                }
                return Ok(true);
            }
        };
        if self.found.len() >= self.most {
            return Ok(false);
        }
        self.found.push(Case { conditions: path.clone(), function });
        Ok(true)
    }

    /// Whether the conditions that are not about bits have a solution.
    fn possible(&self, path: &[Bounds]) -> Result<bool, Trouble> {
        let mut system = Vec::new();
        for Bounds { form, low, high } in path {
            if form.taps().iter().any(|(place, _)| self.space.channel(*place).bit) {
                continue;
            }
            let beyond = |at: Rational, sign: i64| {
                let left = form.add(&Affine::constant(at.negate())).ok_or(Trouble::Overflow)?;
                left.scale(Rational::integer(sign)).ok_or(Trouble::Overflow)
            };
            if let Some(cut) = low {
                system.push(Inequality { left: beyond(cut.at, 1)?, strict: cut.closed });
            }
            if let Some(cut) = high {
                system.push(Inequality { left: beyond(cut.at, -1)?, strict: !cut.closed });
            }
        }
        Ok(solution(&system)?.is_some())
    }
}
