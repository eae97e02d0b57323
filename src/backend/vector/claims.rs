//! What code in vector intrinsics is checked against, and which of its arrays are the images.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::algebra::{Placed, Rational};
use crate::backend::error::{CheckError, Whose};
use crate::backend::option::place;
use crate::backend::vector::machine::VliwMachine;
use crate::backend::vector::verify::lanes;
use crate::backend::vector::verify::lanes::{Execution, Layout, Role, Sought, output_arrays};
use crate::syntax::Source;
use crate::term::{DEFAULT_INPUT, filter_placed, is_kernel_file, read_filter};

/// The maximum element of an array at which an image begins.
const MAX_FIRST: i64 = (1 << 40) - 1;

/// Code to check, and the settings of the check.
#[derive(Clone, Debug)]
pub struct CodeRequest {
    /// The source.
    pub source: Source,
    /// The kernel file to compare with, or `None` for no comparison.
    pub against: Option<Source>,
    /// The machine.
    pub machine: Arc<VliwMachine>,
    /// The number of the function in the source, counted from 1.
    pub block: Option<usize>,
    /// The arrays of inputs, as (input, array). The name is empty for a single input; the same holds for outputs. An array `out+N` is
    /// what begins at element `N` of `out`.
    pub inputs: Vec<(String, String)>,
    /// The arrays of outputs.
    pub outputs: Vec<(String, String)>,
    /// The pointers to the rows of the only input, from north to south.
    pub rows: Vec<String>,
    /// The elements from one row of the inputs to the next. Inferred if `None`.
    pub pitch: Option<i64>,
    /// The same for outputs.
    pub output_pitch: Option<i64>,
    /// The column and row of the input element below the first output. `None` if the first window begins with the input.
    pub anchor: Option<[i64; 2]>,
    /// The width and height of the outputs. `None` for everything that is written.
    pub tile: Option<[usize; 2]>,
    /// The arrays of weights, with their values if known.
    pub weights: Vec<(String, Option<Vec<i64>>)>,
    /// Values of integers that the source does not define.
    pub defines: Vec<(String, i64)>,
    /// The least and the greatest input, for checks that values fit.
    pub input_range: Option<[Rational; 2]>,
    /// Whether to follow code that the machine does not allow.
    pub lenient: bool,
}

/// The claims to check: the names of the inputs, and the expected outputs.
pub(super) struct Claims {
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<(String, Placed)>,
}

/// The claims of a request.
///
/// # Errors
/// The file to compare with is no kernel file, or has mistakes.
pub(super) fn claims(request: &CodeRequest) -> Result<Claims, CheckError> {
    let Some(against) = &request.against else {
        let named = request.inputs.iter().map(|(name, _)| name.clone()).filter(|name| !name.is_empty());
        let mut inputs: Vec<String> = named.collect();
        if inputs.is_empty() {
            inputs.push(DEFAULT_INPUT.to_owned());
        }
        return Ok(Claims { inputs, outputs: Vec::new() });
    };
    if !is_kernel_file(against) {
        let message = format!(
            "`{}` is not a kernel file; code in intrinsics can only be compared with a kernel file",
            against.name()
        );
        return Err(CheckError::Usage(message));
    }
    let of_against = |diagnostics| CheckError::Source(Whose::Against, diagnostics);
    let filter = read_filter(against).map_err(of_against)?;
    let outputs = filter_placed(&filter).map_err(of_against)?;
    Ok(Claims { inputs: filter.inputs, outputs })
}

/// The array that the caller supplies under this name, or the part of it that begins at `NAME+N`.
pub(super) fn array(run: &Execution, asked: &str) -> Result<usize, CheckError> {
    let outside = || run.arrays.iter().enumerate().filter(|(_, array)| array.role == Role::Given);
    let name = match place_in(asked)? {
        Some((array, first)) if first > 0 => format!("{array}+{first}"),
        Some((array, _)) => array.to_owned(),
        None => asked.to_owned(),
    };
    outside().find(|(_, array)| array.name == name).map(|(index, _)| index).ok_or_else(|| {
        let whole = outside().filter(|(_, array)| array.part_of.is_none());
        let known = whole.map(|(_, array)| array.name.as_str()).collect::<Vec<_>>().join(", ");
        CheckError::Usage(format!("the code takes no array `{name}`; it takes {known}"))
    })
}

/// The array and the element of `POINTER+N`. `None` if there is no `+`.
fn place_in(asked: &str) -> Result<Option<(&str, i64)>, CheckError> {
    let Some((name, first)) = asked.split_once('+') else { return Ok(None) };
    match first.parse().ok().filter(|first| (0..=MAX_FIRST).contains(first)) {
        Some(first) => Ok(Some((name, first))),
        None => Err(CheckError::Usage(format!(
            "`{asked}`: an image begins at a pointer, or at an element up to {MAX_FIRST} after it, as in `{name}+16`"
        ))),
    }
}

/// Divides arrays where the options have images begin after their first element, as `POINTER+N`.
///
/// # Errors
/// There is no such array, or no such number.
pub(super) fn divide(request: &CodeRequest, run: &mut Execution) -> Result<(), CheckError> {
    let mut firsts: BTreeMap<usize, BTreeSet<i64>> = BTreeMap::new();
    let named = request.inputs.iter().chain(&request.outputs).map(|(_, asked)| asked);
    for asked in named.chain(&request.rows) {
        if let Some((name, first)) = place_in(asked)? {
            firsts.entry(array(run, name)?).or_default().insert(first);
        }
    }
    for (array, mut firsts) in firsts {
        firsts.remove(&0);
        run.divide(array, &firsts);
    }
    Ok(())
}

/// The layout of the images: as the options say, or else in the pointers of the code, in order.
pub(super) fn layout(
    request: &CodeRequest,
    run: &Execution,
    claims: &Claims,
    weights: &BTreeSet<usize>,
) -> Result<Layout, CheckError> {
    let mut inputs = named_inputs(request, run, claims)?;
    let mut free = unnamed_arrays(request, run, weights);
    free.retain(|array| !inputs.iter().flatten().any(|taken| taken == array));
    match &mut inputs[..] {
        [only] if only.is_empty() => {
            // Arrays after the last one that is read are not rows.
            let read = free.iter().rposition(|array| run.arrays[*array].loaded).map_or(0, |last| last + 1);
            free.truncate(read.max(1));
            *only = free;
        }
        [_] => {}
        several => {
            for (rows, name) in several.iter_mut().zip(&claims.inputs).filter(|(rows, _)| rows.is_empty()) {
                let named = free.iter().position(|array| run.arrays[*array].name == *name);
                if free.is_empty() {
                    return Err(CheckError::Usage(format!(
                        "no pointer is left for the input `{name}`: {PLANES}"
                    )));
                }
                rows.push(free.remove(named.unwrap_or(0)));
            }
        }
    }
    if inputs.len() > 1
        && let Some(twice) = repeated(inputs.iter().flatten())
    {
        let name = &run.arrays[twice].name;
        return Err(CheckError::Usage(format!("`{name}` is given for several inputs: {PLANES}")));
    }
    let window = || claims.outputs.iter().filter_map(|(_, kernel)| kernel.taps()).flatten();
    let columns = || window().map(|(_, [x, ..], _)| i64::from(x));
    let [west, east] = [columns().min(), columns().max()].map(|end| end.unwrap_or(0));
    let north = window().map(|(_, [_, y, _], _)| i64::from(y)).max().unwrap_or(0);
    Ok(Layout {
        inputs,
        pitch: request.pitch,
        output_pitch: request.output_pitch,
        anchor: request.anchor.unwrap_or([-west, north]),
        middle: (west + east).div_euclid(2),
        anchored: request.anchor.is_some(),
        tile: request.tile,
    })
}

/// The arrays of each input that the options name.
fn named_inputs(
    request: &CodeRequest,
    run: &Execution,
    claims: &Claims,
) -> Result<Vec<Vec<usize>>, CheckError> {
    let mut inputs: Vec<Vec<usize>> = vec![Vec::new(); claims.inputs.len()];
    for (name, asked) in &request.inputs {
        let place = place("input", name, &claims.inputs).map_err(CheckError::Usage)?;
        inputs[place].push(array(run, asked)?);
    }
    if let ([only], false) = (&mut inputs[..], request.rows.is_empty()) {
        *only = request.rows.iter().map(|row| array(run, row)).collect::<Result<_, _>>()?;
    } else if !request.rows.is_empty() {
        return Err(CheckError::Usage("--rows is for filters of one input".to_owned()));
    }
    Ok(inputs)
}

/// The arrays supplied by the caller that may be inputs: neither written nor weights, nor parts of an array.
fn unnamed_arrays(request: &CodeRequest, run: &Execution, weights: &BTreeSet<usize>) -> Vec<usize> {
    let known: BTreeSet<&str> = request.weights.iter().map(|(name, _)| name.as_str()).collect();
    let parts = parts(run);
    let may_be_input = |(index, array): &(usize, &lanes::Array)| {
        array.role == Role::Given
            && !parts.contains(index)
            && array.stores.is_empty()
            && !weights.contains(index)
            && !known.contains(array.name.as_str())
    };
    run.arrays.iter().enumerate().filter(may_be_input).map(|(index, _)| index).collect()
}

/// The arrays that are parts of a divided array; the first part keeps its number.
fn parts(run: &Execution) -> BTreeSet<usize> {
    let later = run.arrays.iter().enumerate().filter_map(|(part, array)| Some([array.part_of?, part]));
    later.flatten().collect()
}

/// The outputs to look for, with their arrays where options name these.
pub(super) fn sought(
    request: &CodeRequest,
    run: &Execution,
    claims: &Claims,
) -> Result<Vec<Sought>, CheckError> {
    let outputs = claims.outputs.iter();
    let mut sought: Vec<Sought> = outputs
        .map(|(name, kernel)| Sought { name: name.clone(), array: None, kernel: kernel.clone() })
        .collect();
    let names: Vec<String> = claims.outputs.iter().map(|(name, _)| name.clone()).collect();
    for (name, asked) in &request.outputs {
        let place = place("output", name, &names).map_err(CheckError::Usage)?;
        if sought[place].array.is_some() {
            return Err(CheckError::Usage(format!("the output `{}` has two arrays", sought[place].name)));
        }
        let found = array(run, asked)?;
        if run.arrays[found].stores.is_empty() {
            return Err(CheckError::Usage(format!("nothing is stored in `{asked}`")));
        }
        sought[place].array = Some(found);
    }
    if let Some(twice) = repeated(sought.iter().filter_map(|sought| sought.array.as_ref())) {
        let name = &run.arrays[twice].name;
        return Err(CheckError::Usage(format!("`{name}` is given for several outputs: {PLANES}")));
    }
    let stored = output_arrays(run).len();
    if sought.len() > stored {
        return Err(CheckError::Usage(format!(
            "the filter has {} outputs, and the code stores through {}: {PLANES}",
            sought.len(),
            if stored == 1 { "one pointer".to_owned() } else { format!("{stored} pointers") }
        )));
    }
    Ok(sought)
}

/// Checks that no image of a divided array is written over another one that is read: results in place, but at another distance from the
/// beginning of the array, are in two parts of it.
///
/// # Errors
/// Names the input that is written.
pub(super) fn planes_are_apart(
    run: &Execution,
    layout: &Layout,
    sought: &[Sought],
) -> Result<(), CheckError> {
    let parts = parts(run);
    let is_written = |array: &usize| !run.arrays[*array].stores.is_empty();
    let is_output = |array: &usize| sought.iter().any(|sought| sought.array == Some(*array));
    let mut inputs = layout.inputs.iter().flatten();
    match inputs.find(|array| parts.contains(array) && is_written(array) && !is_output(array)) {
        None => Ok(()),
        Some(&input) => Err(CheckError::Usage(format!(
            "the code writes into the input `{}`: images that begin at different places of an array can be checked where they do not overlap",
            run.arrays[input].name
        ))),
    }
}

/// What to do about several images in one array.
const PLANES: &str =
    "each image needs a pointer of its own, or a place after one, as in `--outputs north=out,south=out+4096`";

/// The first array that occurs twice.
fn repeated<'a>(arrays: impl Iterator<Item = &'a usize>) -> Option<usize> {
    let mut seen = BTreeSet::new();
    arrays.copied().find(|array| !seen.insert(*array))
}
