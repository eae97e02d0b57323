//! The instructions of a request, and the turns of the grid that map them to each other.

use std::sync::{Arc, OnceLock};

use super::request::OptimizeRequest;
use crate::algebra::Turn;
use crate::backend::array::machine::form::Form;
use crate::backend::array::machine::{Division, Target};
use crate::backend::array::search::{Objective, images, uncovered};

/// The instructions that programs for a request consist of.
pub(super) struct Instructions {
    pub(super) forms: Vec<Form>,
    /// Coarser instructions, each of which replaces several of those.
    pub(super) coarse: Vec<Form>,
    /// The images of `forms` under each turn, in the order of [`Turn::ALL`], computed on first use.
    images: [OnceLock<Option<Vec<usize>>>; 8],
    /// What the search does not cover for each objective, computed on first use.
    uncovered: [OnceLock<Vec<String>>; 2],
}

impl Instructions {
    /// The instructions of a request with this way of dividing; requests for the same machine share them.
    pub(super) fn of(request: &OptimizeRequest, division: Division) -> Arc<Self> {
        let name = format!("instructions {} {} {}", request.isa, division.name(), request.local);
        let make = || {
            let mut forms = request.target.forms(&request.isa, division);
            let mut coarse = coarse(&request.target, &request.isa, division);
            for all in [&mut forms, &mut coarse] {
                all.retain(|form| !request.local || form.is_local());
            }
            let made = Self { forms, coarse, images: Default::default(), uncovered: Default::default() };
            Ok::<_, std::convert::Infallible>((made, true))
        };
        let Ok(made) = request.memo.get(&name, make);
        made
    }

    /// The names of instructions that the search does not cover: what it proves does not hold for programs with them.
    pub(super) fn uncovered(&self, objective: Objective) -> &[String] {
        self.uncovered[objective as usize].get_or_init(|| uncovered(&self.forms, objective))
    }

    /// The image of each instruction under a turn; `None` if one has none.
    pub(super) fn images(&self, turn: Turn) -> Option<&[usize]> {
        self.images[turn.index()].get_or_init(|| images(&self.forms, turn)).as_deref()
    }

    /// The turns under which every instruction has an image, the identity first.
    pub(super) fn turns(&self) -> Vec<Turn> {
        Turn::ALL.into_iter().filter(|turn| self.images(*turn).is_some()).collect()
    }
}

/// The largest set of macros that expand to an instruction set of primitive operations.
fn coarse(target: &Target, isa: &str, division: Division) -> Vec<Form> {
    if !target.has_primitives(isa) {
        return Vec::new();
    }
    let macros = target.isas.iter().filter(|isa| !target.has_primitives(&isa.name));
    macros.map(|isa| target.forms(&isa.name, division)).max_by_key(Vec::len).unwrap_or_default()
}
