//! Joins the stages of a run: executes a checked program on images, with and without noise.

use super::check::Checking;
use crate::backend::array::machine::{Noise, RegisterId, Target, Transfer};
use crate::backend::array::simulate::{Fit, Options, Run, SimError};
use crate::backend::error::CheckError;
use crate::picture::{Image, rms, ssim};

/// How to execute a program.
#[derive(Clone, Debug)]
pub struct ExecuteRequest {
    /// The input images, by channel.
    pub images: Vec<Image>,
    /// The results, by name and register. If empty, the register of the first file that is written last.
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
    /// The register that held it.
    pub register: RegisterId,
    /// The register's values.
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
    checking: &Checking,
    request: &ExecuteRequest,
) -> Result<Vec<Executed>, CheckError> {
    let results = results(target, checking, &request.results)?;
    let registers: Vec<RegisterId> = results.iter().map(|(_, register)| *register).collect();
    let transfers: Vec<Transfer> = checking.trace.transfers().cloned().collect();
    let reaches = checking.trace.reaches();
    let mut border = [0; 4];
    for reach in registers.iter().filter_map(|register| reaches[register.0].as_ref()) {
        let b = reach.border;
        for (own, side) in border.iter_mut().zip([b.west, b.east, b.south, b.north]) {
            *own = side.max(*own as u32) as usize;
        }
    }
    let inputs: Vec<(RegisterId, &Image)> =
        checking.trace.inputs.iter().copied().zip(&request.images).collect();
    let run = |noise: Option<(Noise, u64)>| {
        let options = Options { saturation: request.saturate.then_some(target.range), noise };
        let (registers_named, array) = (checking.trace.registers, target.image);
        let run = Run {
            transfers: &transfers,
            registers: registers_named,
            array,
            fit: request.fit,
            border,
            options,
        };
        run.execute(&inputs, &registers).map_err(|error| cannot_run(&error))
    };
    let ideal = run(None)?;
    let noisy = match &request.noise {
        Some(noise) => Some(run(Some(noise.clone()))?),
        None => None,
    };
    let executed = |(index, (name, register)): (usize, (String, RegisterId))| match &noisy {
        None => Executed { name, register, image: ideal[index].clone(), quality: None },
        Some(noisy) => {
            let (image, reference) = (&noisy[index], &ideal[index]);
            let similarity = ssim(&image.shown(), &reference.shown());
            let quality = Some((rms(image, reference), similarity));
            Executed { name, register, image: image.clone(), quality }
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
    })
}

/// The results by name, with their registers.
fn results(
    target: &Target,
    checking: &Checking,
    asked: &[(String, String)],
) -> Result<Vec<(String, RegisterId)>, CheckError> {
    let mut found = Vec::new();
    for (name, register) in asked {
        let Some(id) = target.register(register) else {
            let known: Vec<&str> = target.registers.iter().map(|r| r.name.as_str()).collect();
            let message =
                format!("`{}` has no register `{register}`; it has {}", target.name, known.join(", "));
            return Err(CheckError::Usage(message));
        };
        found.push((if name.is_empty() { register.clone() } else { name.clone() }, id));
    }
    if found.is_empty() {
        let general = target.files.first().map(|file| file.registers.as_slice()).unwrap_or_default();
        let last = checking.trace.written().into_iter().find(|register| general.contains(register));
        let last =
            last.ok_or_else(|| CheckError::Usage("the program writes no register to show".to_owned()))?;
        found.push((target.register_name(last).to_owned(), last));
    }
    Ok(found)
}
