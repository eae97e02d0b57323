//! Joins the stages of a run: executes a checked program on images, with and without noise.

use super::check::Judged;
use super::guarded::named_cell;
use crate::algebra::Rational;
use crate::backend::array::machine::{Cell, Effect, Noise, Target, Transfer};
use crate::backend::array::simulate::{Code, Fit, Options, Run, SimError};
use crate::backend::error::CheckError;
use crate::picture::{Image, rms, ssim};

/// How to execute a program.
#[derive(Clone, Debug)]
pub struct ExecuteRequest {
    /// The input images, by channel.
    pub images: Vec<Image>,
    /// The results, by name and register. If empty, the general register that is written last.
    pub results: Vec<(String, String)>,
    /// How images are fitted to the array.
    pub fit: Fit,
    /// The noise model and its seed.
    pub noise: Option<(Noise, u64)>,
    /// Whether registers saturate like the machine's.
    pub saturate: bool,
}

/// A result.
#[derive(Clone, Debug, PartialEq)]
pub struct Executed {
    /// Its name.
    pub name: String,
    /// The register or bit that held it.
    pub cell: Cell,
    /// Its values; a bit's are black and white.
    pub image: Image,
    /// The RMS error of the values and the similarity (SSIM) of the pictures, both against the result without noise; `None`
    /// without noise.
    pub quality: Option<(f64, Option<f64>)>,
}

/// Executes a program.
///
/// # Errors
/// [`CheckError::Usage`] if images do not fit the array, or if a register does not exist.
pub fn execute(
    target: &Target,
    checking: &Judged,
    request: &ExecuteRequest,
) -> Result<Vec<Executed>, CheckError> {
    let results = results(target, checking, &request.results)?;
    let cells: Vec<Cell> = results.iter().map(|(_, cell)| *cell).collect();
    let border = border(target, checking, &cells);
    if border.is_none() && request.fit == Fit::Tile {
        let message = "a result depends on the whole image, which --fit tile would cut into parts";
        return Err(CheckError::Usage(message.to_owned()));
    }
    let cells_of_inputs = input_cells(checking);
    let inputs: Vec<(Cell, &Image)> = cells_of_inputs.into_iter().zip(&request.images).collect();
    let (transfers, effects): (Vec<Transfer>, Vec<Effect>) = match checking {
        Judged::Linear(checking) => (checking.trace.transfers().cloned().collect(), Vec::new()),
        Judged::Guarded(checking) => (Vec::new(), checking.steps.effects.concat()),
    };
    let (code, registers) = match checking {
        Judged::Linear(checking) => (Code::Linear(&transfers), checking.trace.registers),
        Judged::Guarded(checking) => (Code::Any(target, &effects), checking.steps.registers),
    };
    let run = |noise: Option<(Noise, u64)>| {
        let options =
            Options { saturation: request.saturate.then_some(target.range.map(Rational::to_f64)), noise };
        let run = Run {
            code,
            registers,
            array: target.image,
            fit: request.fit,
            border: border.unwrap_or_default(),
            options,
        };
        run.execute(&inputs, &cells).map_err(|error| cannot_run(&error))
    };
    let ideal = run(None)?;
    let noisy = match &request.noise {
        Some(noise) => Some(run(Some(noise.clone()))?),
        None => None,
    };
    let executed = |(index, (name, cell)): (usize, (String, Cell))| match &noisy {
        None => Executed { name, cell, image: ideal[index].clone(), quality: None },
        Some(noisy) => {
            let (image, reference) = (&noisy[index], &ideal[index]);
            let similarity = ssim(&image.shown(), &reference.shown());
            let quality = Some((rms(image, reference), similarity));
            Executed { name, cell, image: image.clone(), quality }
        }
    };
    Ok(results.into_iter().enumerate().map(executed).collect())
}

fn cannot_run(error: &SimError) -> CheckError {
    CheckError::Usage(match error {
        SimError::ImageSize { .. } => format!(
            "{error}; --fit tile cuts the image into parts, --fit resize changes its size, --fit grow simulates an array of its size"
        ),
        SimError::Instruction(violation) => violation.to_string(),
        SimError::Inexact { .. } => format!("the program cannot be run: {error}"),
    })
}

/// The registers or bits of the inputs.
pub fn input_cells(checking: &Judged) -> Vec<Cell> {
    match checking {
        Judged::Linear(checking) => checking.trace.inputs.iter().copied().map(Cell::Register).collect(),
        Judged::Guarded(checking) => checking.steps.inputs.clone(),
    }
}

/// The number of invalid pixels on each side of any of these results: west, east, south, north; `None` if all are.
fn border(target: &Target, checking: &Judged, cells: &[Cell]) -> Option<[usize; 4]> {
    let mut sides: Vec<[u32; 4]> = Vec::new();
    match checking {
        Judged::Linear(checking) => {
            let reaches = checking.trace.reaches();
            for cell in cells {
                let Cell::Register(register) = cell else { continue };
                if let Some(reach) = &reaches[register.0] {
                    let b = reach.border;
                    sides.push([b.west, b.east, b.south, b.north]);
                }
            }
        }
        Judged::Guarded(checking) => {
            let reaches = checking.steps.reaches(target);
            for cell in cells {
                sides.push(reaches.of(*cell)?.border());
            }
        }
    }
    let most = |side: usize| sides.iter().map(|own| own[side]).max().unwrap_or(0) as usize;
    Some([0, 1, 2, 3].map(most))
}

/// The results by name, with their registers or bits.
fn results(
    target: &Target,
    checking: &Judged,
    asked: &[(String, String)],
) -> Result<Vec<(String, Cell)>, CheckError> {
    let mut found = Vec::new();
    for (name, register) in asked {
        let cell = match checking {
            Judged::Linear(_) => super::check::register_named(target, register).map(Cell::Register)?,
            Judged::Guarded(_) => named_cell(target, register)?,
        };
        found.push((if name.is_empty() { register.clone() } else { name.clone() }, cell));
    }
    if found.is_empty() {
        let last = match checking {
            Judged::Linear(checking) => checking.trace.last_written(target).map(Cell::Register),
            Judged::Guarded(checking) => checking.written.first().copied(),
        };
        let last =
            last.ok_or_else(|| CheckError::Usage("the program writes no register to show".to_owned()))?;
        found.push((target.cell_name(last).to_owned(), last));
    }
    Ok(found)
}
