//! The stages of a check of code in vector intrinsics: the code is read, followed, and compared with a filter.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::algebra::{Label, Mismatch, Offset, Placed, Rational, Relation};
use crate::backend::error::{CheckError, Whose};
use crate::backend::vector::machine::VliwMachine;
use crate::backend::vector::read::read_code;
use crate::backend::vector::report::{
    CodeCheckRecord, GroupRecord, LayoutRecord, WeightRecord, WitnessRecord,
};
use crate::backend::vector::verify::lanes;
use crate::backend::vector::verify::lanes::{
    Comparison, Execution, FoundTap, Group, Judged, Layout, Role, Settings, Sought, compare, follow,
    output_arrays,
};
use crate::report::{
    Answer, CheckedOutput, Kernel, Port, RegisterRecord, Remark, Tap, TapDifference, VERSION,
};
use crate::syntax::{Diagnostic, Diagnostics, Source, Span};
use crate::term::{filter_placed, is_kernel_file, read_filter};

/// The input name if nothing gives one.
const DEFAULT_INPUT: &str = "image";

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
    /// The arrays of inputs, as (input, array). The name is empty for a single input; the same holds for outputs.
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
struct Claims {
    inputs: Vec<String>,
    outputs: Vec<(String, Placed)>,
}

/// Checks code in vector intrinsics.
///
/// # Errors
/// [`CheckError`].
pub fn check_code(request: &CodeRequest) -> Result<CodeCheckRecord, CheckError> {
    let of_program = |diagnostic: Diagnostic| CheckError::Source(Whose::Program, diagnostic.into());
    let claims = claims(request)?;
    let (code, count) = read_code(&request.source, request.block, &request.defines)
        .map_err(|diagnostics| CheckError::Source(Whose::Program, diagnostics))?;
    let whole = |bound: Rational| bound.to_f64() as i128;
    let settings = Settings {
        defines: request.defines.iter().cloned().collect(),
        contents: request
            .weights
            .iter()
            .filter_map(|(name, values)| Some((name.clone(), values.clone()?)))
            .collect(),
        range: request.input_range.map(|range| range.map(whole)),
        lenient: request.lenient,
    };
    let run = follow(&request.machine, &code, &settings).map_err(of_program)?;
    if output_arrays(&run).is_empty() {
        let message = "nothing is stored through a pointer that is given from outside";
        let place = code.functions.first().and_then(|f| f.parameters.last()).map_or(Span::at(0), |p| p.span);
        return Err(of_program(
            Diagnostic::error("no-result", message).label(place, "expected a store of results"),
        ));
    }
    let mut weights = lanes::weights(&run);
    for (name, _) in &request.weights {
        weights.insert(array(&run, name)?);
    }
    let layout = layout(request, &run, &claims, &weights)?;
    let sought = sought(request, &run, &claims)?;
    let Some(comparison) = compare(&run, &layout, &weights, &sought) else {
        let message = "a coefficient does not fit in 64 bits";
        return Err(of_program(
            Diagnostic::error("number-too-large", message).label(Span::at(0), "in this code"),
        ));
    };
    let function =
        code.functions.first().map(|function| function.name.clone()).filter(|name| !name.is_empty());
    let names = Names { request, decided: &code.notes, run: &run, claims: &claims, comparison: &comparison };
    Ok(names.record(&layout, function, request.block.filter(|_| count > 1)))
}

fn claims(request: &CodeRequest) -> Result<Claims, CheckError> {
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

/// The array of this name that the caller supplies.
fn array(run: &Execution, name: &str) -> Result<usize, CheckError> {
    let outside = || run.arrays.iter().enumerate().filter(|(_, array)| array.role == Role::Given);
    outside().find(|(_, array)| array.name == name).map(|(index, _)| index).ok_or_else(|| {
        let known: Vec<&str> = outside().map(|(_, array)| array.name.as_str()).collect();
        CheckError::Usage(format!("the code takes no array `{name}`; it takes {}", known.join(", ")))
    })
}

/// The layout of the images: as the options say, or else in the pointers of the code, in order.
fn layout(
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
    let west = window().map(|(_, [x, ..], _)| i64::from(x)).min().unwrap_or(0);
    let north = window().map(|(_, [_, y, _], _)| i64::from(y)).max().unwrap_or(0);
    Ok(Layout {
        inputs,
        pitch: request.pitch,
        output_pitch: request.output_pitch,
        anchor: request.anchor.unwrap_or([-west, north]),
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
        let place = match name.is_empty() && claims.inputs.len() == 1 {
            true => Some(0),
            false => claims.inputs.iter().position(|input| input == name),
        };
        let Some(place) = place else {
            let message = format!("there is no input `{name}`; the inputs are {}", claims.inputs.join(", "));
            return Err(CheckError::Usage(message));
        };
        inputs[place].push(array(run, asked)?);
    }
    if let ([only], false) = (&mut inputs[..], request.rows.is_empty()) {
        *only = request.rows.iter().map(|row| array(run, row)).collect::<Result<_, _>>()?;
    } else if !request.rows.is_empty() {
        return Err(CheckError::Usage("--rows is for filters of one input".to_owned()));
    }
    Ok(inputs)
}

/// The arrays supplied by the caller that may be inputs: neither written nor weights.
fn unnamed_arrays(request: &CodeRequest, run: &Execution, weights: &BTreeSet<usize>) -> Vec<usize> {
    let known: BTreeSet<&str> = request.weights.iter().map(|(name, _)| name.as_str()).collect();
    let may_be_input = |(index, array): &(usize, &lanes::Array)| {
        array.role == Role::Given
            && array.stores.is_empty()
            && !weights.contains(index)
            && !known.contains(array.name.as_str())
    };
    run.arrays.iter().enumerate().filter(may_be_input).map(|(index, _)| index).collect()
}

fn sought(request: &CodeRequest, run: &Execution, claims: &Claims) -> Result<Vec<Sought>, CheckError> {
    let outputs = claims.outputs.iter();
    let mut sought: Vec<Sought> = outputs
        .map(|(name, kernel)| Sought { name: name.clone(), array: None, kernel: kernel.clone() })
        .collect();
    for (name, asked) in &request.outputs {
        let only = name.is_empty() && sought.len() == 1;
        let place = if only { Some(0) } else { sought.iter().position(|sought| sought.name == *name) };
        let Some(place) = place else {
            let known: Vec<&str> = sought.iter().map(|sought| sought.name.as_str()).collect();
            let message = match known.is_empty() {
                true => "outputs can be named only if there is something to compare with".to_owned(),
                false => format!("there is no output `{name}`; the outputs are {}", known.join(", ")),
            };
            return Err(CheckError::Usage(message));
        };
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

/// Why images in one array are refused.
const PLANES: &str =
    "each image needs a pointer of its own; images that are planes of one array cannot be checked";

/// The first array that occurs twice.
fn repeated<'a>(arrays: impl Iterator<Item = &'a usize>) -> Option<usize> {
    let mut seen = BTreeSet::new();
    arrays.copied().find(|array| !seen.insert(*array))
}

fn layout_record(judged: &Judged) -> LayoutRecord {
    LayoutRecord {
        output: judged.name.clone(),
        size: judged.size,
        pitch: judged.pitches[0],
        output_pitch: judged.pitches[1],
        outside: judged.outside,
    }
}

/// Maps numbers to names.
struct Names<'a> {
    request: &'a CodeRequest,
    /// The decisions of the preprocessor.
    decided: &'a Diagnostics,
    run: &'a Execution,
    claims: &'a Claims,
    comparison: &'a Comparison,
}

impl Names<'_> {
    fn line(&self, span: Span) -> usize {
        self.request.source.line_number(span.start as usize)
    }

    fn array(&self, array: usize) -> String {
        self.run.arrays[array].name.clone()
    }

    fn element(&self, (array, index): (usize, i64)) -> String {
        format!("{}[{index}]", self.array(array))
    }

    fn channel(&self, channel: u16) -> String {
        let inputs = &self.claims.inputs;
        match inputs.get(channel as usize) {
            Some(name) => name.clone(),
            None => match self.comparison.others.get(channel as usize - inputs.len()).copied().flatten() {
                Some(array) => self.array(array),
                None => "the number 1".to_owned(),
            },
        }
    }

    /// The arrays among the channels of these taps that are read without having been written.
    fn unset(&self, taps: &[FoundTap]) -> Vec<String> {
        let first = self.claims.inputs.len();
        let mut found: Vec<String> = Vec::new();
        for (channel, ..) in taps {
            let other =
                (*channel as usize).checked_sub(first).and_then(|at| self.comparison.others.get(at).copied());
            if let Some(Some(array)) = other
                && self.run.arrays[array].role != Role::Given
                && !found.contains(&self.run.arrays[array].name)
            {
                found.push(self.array(array));
            }
        }
        found
    }

    /// The kernels by channel. The coefficients of one place are summed.
    fn kernels(&self, taps: &[FoundTap]) -> Vec<Kernel> {
        // The number and the named weights at each place.
        type Found = (Option<Rational>, Vec<String>);
        let mut places: BTreeMap<(u16, [i32; 3]), Found> = BTreeMap::new();
        for (channel, offset, value, weight) in taps {
            let place =
                places.entry((*channel, order(*offset))).or_insert((Some(Rational::ZERO), Vec::new()));
            match weight {
                None => place.0 = place.0.and_then(|sum| sum.add(*value)),
                Some(weight) => {
                    let name = self.element((weight.array, weight.index));
                    let minus = Rational::ZERO.sub(Rational::ONE);
                    place.1.push(match *value {
                        Rational::ONE => name,
                        value if Some(value) == minus => format!("-{name}"),
                        value => format!("{value}·{name}"),
                    });
                }
            }
        }
        let mut kernels: Vec<Kernel> = Vec::new();
        for ((channel, place), (sum, weights)) in places {
            let number = match sum {
                Some(Rational::ZERO) if !weights.is_empty() => None,
                Some(sum) => Some(sum.to_string()),
                None => Some("too large".to_owned()),
            };
            let text: Vec<String> = number.into_iter().chain(weights).collect();
            let tap = Tap { offset: order(place), coefficient: text.join("+") };
            let input = self.channel(channel);
            match kernels.iter_mut().find(|kernel| kernel.input == input) {
                Some(kernel) => kernel.taps.push(tap),
                None => kernels.push(Kernel { input, taps: vec![tap] }),
            }
        }
        kernels
    }

    /// The arrays that any output reads without having been written.
    fn uninitialised(&self) -> Vec<String> {
        let groups = self.comparison.outputs.iter().flat_map(|judged| &judged.groups);
        let taps = groups.filter_map(|group| group.taps.as_deref());
        taps.flat_map(|taps| self.unset(taps)).collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn witness(&self, witness: &lanes::Witness) -> WitnessRecord {
        WitnessRecord {
            input: self.element(witness.input),
            output: self.element(witness.output),
            expected: witness.expected.to_string(),
            found: witness.found.to_string(),
        }
    }

    fn record(&self, layout: &Layout, function: Option<String>, block: Option<usize>) -> CodeCheckRecord {
        let (request, run) = (self.request, self.run);
        let judged = &self.comparison.outputs;
        let asked = request.against.is_some();
        let outputs: Vec<CheckedOutput> =
            judged.iter().filter(|_| asked).map(|judged| self.output(judged)).collect();
        let rows: Vec<Vec<String>> =
            layout.inputs.iter().map(|rows| rows.iter().map(|array| self.array(*array)).collect()).collect();
        CodeCheckRecord {
            file: request.source.name().to_owned(),
            against: request.against.as_ref().map(|source| source.name().to_owned()),
            target: request.machine.name.clone(),
            block,
            function,
            verdict: asked
                .then(|| outputs.iter().map(|output| output.verdict).max().unwrap_or(Answer::Equal)),
            instructions: run.multiplications + run.loads + run.stores,
            cycles: None,
            time_us: None,
            energy_uj: None,
            multiplications: run.multiplications,
            loads: run.loads,
            stores: run.stores,
            inputs: self
                .claims
                .inputs
                .iter()
                .zip(&rows)
                .map(|(name, rows)| Port { name: name.clone(), register: rows.first().cloned() })
                .collect(),
            rows,
            anchor: judged.first().map_or(layout.anchor, |judged| judged.anchor),
            shifts: run.shifts.iter().copied().collect(),
            rounding: rounding(run.rounding.as_deref()),
            uninitialised: self.uninitialised(),
            registers: judged.iter().filter(|_| !asked).map(|judged| self.register(judged)).collect(),
            layouts: judged.iter().map(layout_record).collect(),
            groups: judged
                .iter()
                .flat_map(|judged| judged.groups.iter().map(|g| self.group(judged, g)))
                .collect(),
            weights: self.weights(),
            witness: judged.iter().find_map(|judged| judged.witness.as_ref()).map(|w| self.witness(w)),
            counterexample: None,
            outputs,
            warnings: self.remarks(&run.warnings),
            notes: self.notes(layout),
            error: None,
            version: VERSION.to_owned(),
        }
    }

    fn output(&self, judged: &Judged) -> CheckedOutput {
        let first = judged.groups.iter().find_map(|group| group.taps.as_deref()).unwrap_or_default();
        let (verdict, differs_at, carried) = answer(judged.relation.as_ref());
        let arrays = output_arrays(self.run);
        let asked = self.request.outputs.iter().any(|(name, _)| *name == judged.name || name.is_empty());
        let expected = judged.expected.taps().unwrap_or_default();
        let expected: Vec<FoundTap> = expected.into_iter().map(|(c, o, k)| (c, o, k, None)).collect();
        CheckedOutput {
            name: judged.name.clone(),
            register: self.array(judged.array),
            chosen: arrays.len() > 1 && !asked && self.array(judged.array) != judged.name,
            verdict,
            expected: self.kernels(&expected),
            found: self.kernels(first),
            differs_at: differs_at
                .iter()
                .map(|d: &Mismatch| TapDifference {
                    input: self.channel(d.channel),
                    offset: d.offset,
                    expected: d.expected.to_string(),
                    found: d.found.to_string(),
                })
                .collect(),
            up_to: carried,
            condition: None,
            reason: None,
            expected_cases: Some(Vec::new()),
            cases: Some(Vec::new()),
            uninitialised: self.unset(first),
            footprint: None,
            valid_border: None,
            lost: None,
        }
    }

    fn register(&self, judged: &Judged) -> RegisterRecord {
        let first = judged.groups.iter().find_map(|group| group.taps.as_deref()).unwrap_or_default();
        RegisterRecord {
            register: self.array(judged.array),
            kernels: Some(self.kernels(first)),
            cases: Some(Vec::new()),
            reason: None,
            uninitialised: self.unset(first),
            valid_border: None,
        }
    }

    fn group(&self, judged: &Judged, group: &Group) -> GroupRecord {
        let (verdict, _, carried) = answer(group.relation.as_ref());
        GroupRecord {
            output: judged.name.clone(),
            verdict: group.relation.as_ref().map(|_| verdict),
            up_to: carried,
            count: group.count,
            place: group.place.clone(),
            first: group.first,
            line: group.span.map(|span| self.line(span)),
            kernels: group.taps.as_deref().map(|taps| self.kernels(taps)),
        }
    }

    fn weights(&self) -> Vec<WeightRecord> {
        let mut all: Vec<_> = self.comparison.outputs.iter().flat_map(|judged| &judged.weights).collect();
        all.sort_by_key(|(symbol, _)| *symbol);
        all.dedup();
        let record = |(symbol, value): &&(lanes::Symbol, Rational)| WeightRecord {
            array: self.array(symbol.array),
            index: symbol.index,
            value: value.to_string(),
        };
        all.iter().map(record).collect()
    }

    fn remarks(&self, remarks: &[lanes::Remark]) -> Vec<Remark> {
        let remark = |remark: &lanes::Remark| Remark {
            id: remark.id.to_owned(),
            line: self.line(remark.span),
            message: remark.message.clone(),
        };
        let mut found: Vec<Remark> = remarks.iter().map(remark).collect();
        found.sort_by_key(|remark| remark.line);
        found
    }

    /// A note on the input element under the first output, if `--anchor` is not given and the default is wrong.
    fn anchor_note(&self, layout: &Layout, judged: &Judged) -> Option<Remark> {
        let found = judged.anchor != layout.anchor;
        let [x, y] = match judged.relation {
            _ if layout.anchored => return None,
            Some(Relation::UpTo(label @ Label { offset: [east, north, 0], .. }))
                if label == Label::at(label.offset) =>
            {
                [judged.anchor[0] + i64::from(east), judged.anchor[1] - i64::from(north)]
            }
            _ if found => judged.anchor,
            _ => return None,
        };
        let span = judged.groups.iter().find_map(|group| group.span).unwrap_or_default();
        let message = match found {
            true => format!(
                "the first output is taken to lie on column {x} of row {y} of the input, which comes nearest; `--anchor` sets it"
            ),
            false => format!(
                "`--anchor {x},{y}` says that the first output lies on column {x} of row {y} of the input: then \
                 the code is equal"
            ),
        };
        Some(Remark { id: "anchor".to_owned(), line: self.line(span), message })
    }

    /// The notes: where the check departs from the machine, and where values are rounded before the last step.
    fn notes(&self, layout: &Layout) -> Vec<Remark> {
        let decided = self.decided.iter().map(|note| Remark {
            id: note.id.to_owned(),
            line: self.line(note.place()),
            message: note.message.clone(),
        });
        let mut notes: Vec<Remark> = decided.chain(self.remarks(&self.run.notes)).collect();
        notes.extend(self.comparison.outputs.iter().filter_map(|judged| self.anchor_note(layout, judged)));
        for judged in &self.comparison.outputs {
            let Some(begins) = judged.begins else { continue };
            let span = judged.groups.iter().find_map(|group| group.span).unwrap_or_default();
            let begins = self.element((judged.array, begins));
            notes.push(Remark {
                id: "begins-later".to_owned(),
                line: self.line(span),
                message: format!("the tile begins at `{begins}`: elements written outside it are ignored"),
            });
        }
        for judged in self.comparison.outputs.iter().filter(|judged| judged.early) {
            let span = judged.groups.iter().find_map(|group| group.span).unwrap_or_default();
            notes.push(Remark {
                id: "rounded-early".to_owned(),
                line: self.line(span),
                message: format!(
                    "`{}` is computed from values that were rounded before: the kernel is right up to that rounding",
                    self.array(judged.array)
                ),
            });
        }
        notes
    }
}

/// Maps an offset to its sort key: rows from north to south. The map is its own inverse.
fn order([x, y, z]: Offset) -> [i32; 3] {
    [z, -y, x]
}

fn answer(relation: Option<&Relation>) -> (Answer, &[Mismatch], Option<crate::report::UpTo>) {
    match relation {
        None | Some(Relation::Equal) => (Answer::Equal, &[], None),
        Some(Relation::UpTo(label)) => (Answer::EqualUpTo, &[], Some((*label).into())),
        Some(Relation::Different(differences)) => (Answer::Different, differences, None),
        Some(Relation::Undecided) => (Answer::Undecided, &[], None),
    }
}

fn rounding(mode: Option<&str>) -> String {
    match mode {
        None => "down, as no `set_rnd` says otherwise".to_owned(),
        Some("rnd_floor") => "down".to_owned(),
        Some("rnd_pos_inf") => "to the nearest, halves up".to_owned(),
        Some("rnd_neg_inf") => "to the nearest, halves down".to_owned(),
        Some("rnd_conv_even") => "to the nearest, halves to even".to_owned(),
        Some(other) => format!("as `{other}` says"),
    }
}
