//! Decides whether two functions are the same, and finds values of the inputs where they differ.
//!
//! The difference of two functions is one function, whose cases are walked. A case is possible if the inequalities on its path have
//! a solution; they are linear, so this is decided, not guessed.

use super::affine::{Affine, Place};
use super::diagram::{Cut, Diagrams, Id, Node, TRUTHS, Trouble};
use super::inequalities::{Inequality, solution};
use super::space::Space;
use crate::algebra::Rational;

/// The maximum number of systems of inequalities that one question may take.
const MAX_SYSTEMS: usize = 4_000;

/// Values of the inputs, by place; all others are 0.
pub(super) type Point = Vec<(Place, Rational)>;

/// Whether a function is 0 (or false) everywhere.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Zero {
    /// It is.
    Always,
    /// It is not at this point.
    Not(Point),
    /// It depends on values that nothing exact is known of: these channels.
    Depends(Vec<u16>),
    /// It cannot be told.
    Trouble(Trouble),
}

/// What a difference may be about.
struct Question<'a> {
    space: &'a Space,
    /// Whether a place may have a value other than 0.
    inside: &'a dyn Fn(Place) -> bool,
    systems: usize,
    unknown: Vec<u16>,
}

/// The difference of two functions: linear or 0 where both are numbers, a truth value where both are.
///
/// # Errors
/// [`Trouble`].
pub(super) fn difference(diagrams: &mut Diagrams, one: Id, other: Id, bits: bool) -> Result<Id, Trouble> {
    if bits {
        let opposite = diagrams.not(other)?;
        return diagrams.choose(one, opposite, other);
    }
    let negative = diagrams.scale(other, Rational::integer(-1))?;
    diagrams.add(one, negative)
}

/// Where a condition holds, the function; elsewhere 0.
///
/// # Errors
/// [`Trouble`].
pub(super) fn within(diagrams: &mut Diagrams, function: Id, condition: Id) -> Result<Id, Trouble> {
    let zero = diagrams.linear(Affine::constant(Rational::ZERO))?;
    diagrams.choose(condition, function, zero)
}

/// Decides whether a function is 0 (or false) wherever only places that are `inside` have values.
pub(super) fn zero(space: &Space, function: Id, inside: &dyn Fn(Place) -> bool) -> Zero {
    let mut question = Question { space, inside, systems: 0, unknown: Vec::new() };
    let mut path = Path::default();
    match question.walk(function, &mut path) {
        Ok(Some(point)) => Zero::Not(point),
        Ok(None) if question.unknown.is_empty() => Zero::Always,
        Ok(None) => {
            question.unknown.sort_unstable();
            question.unknown.dedup();
            Zero::Depends(question.unknown)
        }
        Err(trouble) => Zero::Trouble(trouble),
    }
}

/// The way to a case.
#[derive(Default)]
struct Path {
    inequalities: Vec<Inequality>,
    bits: Vec<(Place, bool)>,
    /// Channels that nothing exact is known of.
    unknown: Vec<u16>,
}

impl Question<'_> {
    /// A point where the function is not 0; cases that depend on unknown values are noted instead.
    fn walk(&mut self, id: Id, path: &mut Path) -> Result<Option<Point>, Trouble> {
        match self.space.diagrams.node(id) {
            Node::Truth(false) => Ok(None),
            Node::Truth(true) => self.point(path, None),
            Node::Linear(function) => {
                if function.number().is_some_and(Rational::is_zero) {
                    return Ok(None);
                }
                for sign in [Rational::ONE, Rational::integer(-1)] {
                    let side = function.scale(sign).ok_or(Trouble::Overflow)?;
                    if let Some(point) = self.point(path, Some(side))? {
                        return Ok(Some(point));
                    }
                }
                Ok(None)
            }
            Node::Split { form, cuts, parts } => {
                let form = self.space.diagrams.form(*form);
                let only = match form.taps() {
                    [(place, k)] if *k == Rational::ONE && self.space.channel(*place).bit => Some(*place),
                    _ => None,
                };
                let unknown = self.unknown_in(form);
                let kept = path.unknown.len();
                path.unknown.extend(unknown);
                let found = match only {
                    Some(place) => self.bit(place, parts, path),
                    None => self.intervals(form, cuts, parts, path),
                };
                path.unknown.truncate(kept);
                found
            }
        }
    }

    fn unknown_in(&self, function: &Affine) -> Vec<u16> {
        let unknown = |place: &Place| {
            matches!(self.space.channel(*place).kind, super::space::Kind::Unknown(..)).then_some(place.0)
        };
        function.taps().iter().filter_map(|(place, _)| unknown(place)).collect()
    }

    fn bit(&mut self, place: Place, parts: &[Id], path: &mut Path) -> Result<Option<Point>, Trouble> {
        for (value, part) in [false, true].into_iter().zip(parts) {
            if value && !(self.inside)(place) {
                break;
            }
            path.bits.push((place, value));
            let found = self.walk(*part, path);
            path.bits.pop();
            if let Some(point) = found? {
                return Ok(Some(point));
            }
        }
        Ok(None)
    }

    fn intervals(
        &mut self,
        form: &Affine,
        cuts: &[Cut],
        parts: &[Id],
        path: &mut Path,
    ) -> Result<Option<Point>, Trouble> {
        for (index, part) in parts.iter().enumerate() {
            if *part == TRUTHS[0] {
                continue;
            }
            let kept = path.inequalities.len();
            if let Some(cut) = index.checked_sub(1).map(|below| cuts[below]) {
                let left = beyond(form, cut.at, Rational::ONE)?;
                path.inequalities.push(Inequality { left, strict: cut.closed });
            }
            if let Some(cut) = cuts.get(index) {
                let left = beyond(form, cut.at, Rational::integer(-1))?;
                path.inequalities.push(Inequality { left, strict: !cut.closed });
            }
            let found = match self.solved(&path.inequalities)? {
                Some(_) => self.walk(*part, path),
                None => Ok(None),
            };
            path.inequalities.truncate(kept);
            if let Some(point) = found? {
                return Ok(Some(point));
            }
        }
        Ok(None)
    }

    /// A point on a path, where this function, if any, is greater than 0.
    fn point(&mut self, path: &Path, function: Option<Affine>) -> Result<Option<Point>, Trouble> {
        let mut system = path.inequalities.clone();
        let mut unknown = path.unknown.clone();
        if let Some(function) = function {
            unknown.extend(self.unknown_in(&function));
            system.push(Inequality { left: function, strict: true });
        }
        let Some(mut point) = self.solved(&system)? else { return Ok(None) };
        if !unknown.is_empty() {
            self.unknown.extend(unknown);
            return Ok(None);
        }
        let one = |(place, value): &(Place, bool)| value.then_some((*place, Rational::ONE));
        point.extend(path.bits.iter().filter_map(one));
        point.retain(|(_, value)| !value.is_zero());
        point.sort_unstable();
        Ok(Some(point))
    }

    /// A solution in which places outside are 0.
    fn solved(&mut self, system: &[Inequality]) -> Result<Option<Point>, Trouble> {
        self.systems += 1;
        if self.systems > MAX_SYSTEMS {
            return Err(Trouble::Large);
        }
        let inside = |function: &Affine| {
            let taps = function.taps().iter().filter(|(place, _)| (self.inside)(*place)).copied();
            Affine::from_taps(taps, function.offset()).ok_or(Trouble::Overflow)
        };
        let mut own = Vec::with_capacity(system.len());
        for inequality in system {
            own.push(Inequality { left: inside(&inequality.left)?, strict: inequality.strict });
        }
        solution(&own)
    }
}

/// sign · (form − at).
fn beyond(form: &Affine, at: Rational, sign: Rational) -> Result<Affine, Trouble> {
    let moved = form.add(&Affine::constant(at.negate())).ok_or(Trouble::Overflow)?;
    moved.scale(sign).ok_or(Trouble::Overflow)
}
