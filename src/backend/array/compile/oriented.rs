//! The orientation in which a filter is searched for.
//!
//! Where the instructions look the same under a turn of the grid, so do programs: a program for a filter, turned, is one for the turned
//! filter, and costs the same. So filters that are each other's images are searched for in one orientation, and get the same program
//! but for directions, whether or not it is found anew. Negation, scaling and translation change what a program costs.

use std::cmp::Reverse;

use super::choose::Compiled;
use super::instructions::Instructions;
use super::request::{Aims, Keep, OptimizeRequest};
use super::solved::Solved;
use super::variant::Variant;
use crate::algebra::{Placed, Rational, Turn};
use crate::rule::Rule;
use crate::term::{Definition, FilterSource};

/// A filter in the orientation in which it is searched for.
pub(super) struct Oriented {
    /// The turn back to what was asked for.
    pub(super) back: Turn,
    /// The turns that may be asked for.
    pub(super) turns: Vec<Turn>,
    pub(super) outputs: Vec<(String, Placed)>,
    pub(super) written: Vec<Definition>,
}

impl Oriented {
    /// The least of the images of a filter under the turns that map instructions to instructions. As it is if the request depends on
    /// directions otherwise, or if a kernel is too large to turn.
    pub(super) fn of(
        request: &OptimizeRequest,
        instructions: &Instructions,
        outputs: &[(String, Placed)],
        written: &[Definition],
    ) -> Self {
        let turns = if is_isotropic(request) { instructions.turns() } else { Vec::new() };
        let least = least(&turns, outputs, written);
        least.map_or_else(
            || Self {
                back: Turn::IDENTITY,
                turns: vec![Turn::IDENTITY],
                outputs: outputs.to_vec(),
                written: written.to_vec(),
            },
            |(there, outputs, written)| Self {
                back: there.inverse(),
                turns: turns.clone(),
                outputs,
                written,
            },
        )
    }

    /// The name of the search in the orientation: what it depends on, apart from the request's settings.
    pub(super) fn name(&self, filter: &FilterSource) -> Option<String> {
        let Self { turns, outputs, written, .. } = self;
        (turns.len() > 1).then(|| format!("{:?} {outputs:?} {written:?}", filter.inputs))
    }
}

/// Whether the request says the same in all orientations. Noise is predicted on one picture.
fn is_isotropic(request: &OptimizeRequest) -> bool {
    let Aims { noise_weight, front, .. } = &request.aims;
    // Graphs of arrays leave out rules with scans.
    let mut rules = request.rules.rules().iter().filter(|rule| rule.is_finite());
    noise_weight.is_none()
        && !front
        && request.given.is_none()
        && request.keep == Keep::default()
        && rules.all(Rule::is_isotropic)
}

type Image = (Turn, Vec<(String, Placed)>, Vec<Definition>);

/// For each output, the western and the southern end of its box, those farther to the west and to the north first, and whether its first
/// tap is negative. As they are written, kernels of even sizes mostly reach farther to the west and to the north, so few are turned.
fn usual(outputs: &[(String, Placed)]) -> Vec<(i32, Reverse<i32>, bool)> {
    let of = |(_, Placed { label, .. }): &(String, Placed)| {
        let [x, y, _] = label.offset;
        (x, Reverse(y), label.scale < Rational::ZERO)
    };
    outputs.iter().map(of).collect()
}

/// The least image of a filter, with the first turn that leads to it; `None` if some image does not exist, or there is only one.
fn least(turns: &[Turn], outputs: &[(String, Placed)], written: &[Definition]) -> Option<Image> {
    if turns.len() < 2 {
        return None;
    }
    let image = |turn: Turn| {
        let turned = |(name, kernel): &(String, Placed)| Some((name.clone(), kernel.turned(turn)?));
        let outputs = outputs.iter().map(turned).collect::<Option<Vec<_>>>()?;
        let written = written.iter().map(|all| all.turned(turn)).collect::<Option<Vec<_>>>()?;
        Some((turn, outputs, written))
    };
    let images = turns.iter().map(|turn| image(*turn)).collect::<Option<Vec<Image>>>()?;
    images.into_iter().min_by(|a, b| (usual(&a.1), &a.1, &a.2).cmp(&(usual(&b.1), &b.1, &b.2)))
}

impl Solved {
    /// The result for the filter that was asked for; `None` if it has no image, which would be a bug in kalg.
    pub(super) fn turned(&self, back: Turn, asked: &OptimizeRequest) -> Option<Vec<Compiled>> {
        self.compiled.iter().map(|compiled| compiled.turned(back, asked)).collect()
    }
}

impl Compiled {
    /// The result for the turned filter, as the result of another request that has the same settings.
    fn turned(&self, turn: Turn, asked: &OptimizeRequest) -> Option<Self> {
        let Self { variant, ports, found, .. } = self;
        let images = ports.instructions.images(turn)?;
        let turned = |(name, kernel): &(String, Placed)| Some((name.clone(), kernel.turned(turn)?));
        let outputs = variant.outputs.iter().map(turned).collect::<Option<_>>()?;
        Some(Self {
            variant: Variant { outputs, ..variant.clone() },
            request: OptimizeRequest { division: variant.division, ..asked.clone() },
            ports: ports.clone(),
            found: found.turned(turn, images)?,
        })
    }
}
