//! The stages of a check of code in vector intrinsics: the code is read, followed, and compared with a filter.

use std::collections::{BTreeMap, BTreeSet};

use super::claims::{Claims, CodeRequest, array, claims, divide, layout, planes_are_apart, sought};
use crate::algebra::{Label, Mismatch, Offset, Rational, Relation};
use crate::backend::error::{CheckError, Whose};
use crate::backend::vector::read::read_code;
use crate::backend::vector::report::{
    CodeCheckRecord, GroupRecord, LayoutRecord, WeightRecord, WitnessRecord,
};
use crate::backend::vector::verify::lanes;
use crate::backend::vector::verify::lanes::{
    Comparison, Execution, FoundTap, Group, Judged, Layout, Role, Settings, compare, follow, output_arrays,
};
use crate::report::{
    Answer, CheckedOutput, Kernel, Port, RegisterRecord, Remark, Tap, TapDifference, VERSION,
};
use crate::syntax::{Diagnostic, Diagnostics, Kind, Span, of_other_kind};

/// Checks code in vector intrinsics.
///
/// # Errors
/// [`CheckError`].
pub fn check_code(request: &CodeRequest) -> Result<CodeCheckRecord, CheckError> {
    let code = [Kind::VectorCode, Kind::Code];
    checked(request).map_err(|error| match error {
        CheckError::Source(Whose::Program, wrong) => {
            CheckError::Source(Whose::Program, of_other_kind(&request.source, &code, wrong))
        }
        other => other,
    })
}

fn checked(request: &CodeRequest) -> Result<CodeCheckRecord, CheckError> {
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
    let mut run = follow(&request.machine, &code, &settings).map_err(of_program)?;
    divide(request, &mut run)?;
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
    planes_are_apart(&run, &layout, &sought)?;
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
        let anchors = self.comparison.outputs.iter().map(|judged| self.anchor_note(layout, judged));
        let mut anchors: Vec<Option<Remark>> = anchors.collect();
        anchors.dedup_by(|a, b| a.as_ref().map(|note| &note.message) == b.as_ref().map(|note| &note.message));
        // Another place of the first output makes all of them equal, or it is no remedy.
        if let [Some(_)] = anchors[..] {
            notes.extend(anchors.into_iter().flatten());
        }
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
