//! Pairs the inputs of two programs where no option does.

use crate::backend::array::machine::{Cell, Loaded, Target};
use crate::backend::error::CheckError;
use crate::term::DEFAULT_INPUT;

/// The values that a program takes from outside.
#[derive(Clone, Copy)]
pub(super) struct Reads<'r> {
    /// The registers and bits whose values before the program matter, that of a loaded image among them.
    pub(super) cells: &'r [Cell],
    /// The call that loads an image.
    pub(super) load: Option<&'r Loaded>,
}

/// The inputs of two programs, by name, and the registers and bits that hold them in each.
pub(super) type Paired = (Vec<String>, [Vec<Cell>; 2]);

/// Pairs the inputs of two programs. Each of them is the same register or bit in both, but for images that both take. `None` if
/// neither reads more than one, of the same kind: that is one input, wherever it is.
///
/// # Errors
/// Images that are taken overwrite what the other program reads.
pub(super) fn paired(target: &Target, programs: [Reads<'_>; 2]) -> Result<Option<Paired>, CheckError> {
    let [own, theirs] = programs.map(|program| program.cells);
    let is_bit = |cell: &Cell| matches!(cell, Cell::Bit(_));
    match (own, theirs) {
        ([] | [_], []) | ([], [_]) => return Ok(None),
        ([one], [other]) if is_bit(one) == is_bit(other) => return Ok(None),
        _ => {}
    }
    let images = programs.map(|program| program.load.map(|load| Cell::Register(load.register)));
    let images = images[0].zip(images[1]).filter(|(one, other)| one != other);
    let (mut names, mut cells) = (Vec::new(), [Vec::new(), Vec::new()]);
    if let Some((one, other)) = images {
        names.push(DEFAULT_INPUT.to_owned());
        cells = [vec![one], vec![other]];
    }
    for cell in own.iter().chain(theirs.iter().filter(|cell| !own.contains(cell))) {
        let is_image = |side: usize| cells[side].first() == Some(cell) && images.is_some();
        let reads = programs.map(|program| program.cells.contains(cell));
        if (is_image(0) && !reads[1]) || (is_image(1) && !reads[0]) {
            continue;
        }
        let lost = |program: &Reads<'_>| program.load.is_some_and(|load| load.overwrites(*cell));
        if is_image(0) || is_image(1) || programs.iter().any(lost) {
            let name = target.cell_name(*cell);
            return Err(CheckError::Usage(format!(
                "`{name}` is an input of one program, and the image that the other one takes overwrites it"
            )));
        }
        names.push(target.cell_name(*cell).to_owned());
        cells.iter_mut().for_each(|own| own.push(*cell));
    }
    Ok(Some((names, cells)))
}
