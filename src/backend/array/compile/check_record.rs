//! Fills the record of a check.

use super::check_request::CheckRequest;
use super::measured::{noise_record, range_record};
use super::meter::Meter;
use crate::algebra::{Footprint, Mismatch, Placed, Relation};
use crate::backend::array::machine::{Broken, Listing, RegisterId, Transfer, Value, Violation};
use crate::backend::array::verify::{
    Context, Counterexample, Finding, Review, Trace, Wanted, amplitude, review, uninitialised,
};
use crate::backend::error::CheckError;
use crate::picture::Image;
use crate::report::{
    Answer, CheckRecord, CheckedOutput, CounterexampleRecord, Figure, Kernel, Lost, NoiseRecord, Port,
    RegisterRecord, Remark, Tap, TapDifference, VERSION,
};
use crate::syntax::{Source, Span};

/// The maximum length of a program, in instructions, whose noise is predicted by default. The prediction simulates it on a picture,
/// which takes a fifth of a millisecond per instruction.
const MAX_PREDICTED: usize = 1000;

/// The results of a check, from which the record is made.
pub(super) struct Evidence<'a> {
    pub(super) request: &'a CheckRequest,
    pub(super) listing: &'a Listing,
    pub(super) trace: &'a Trace,
    pub(super) inputs: &'a [String],
    pub(super) wanted: &'a [Wanted],
    pub(super) findings: &'a [Finding],
}

/// The record of a check.
///
/// # Errors
/// See [`record_of`].
pub(super) fn record(evidence: &Evidence<'_>) -> Result<CheckRecord, CheckError> {
    let Evidence { request, listing, trace, inputs, wanted, findings } = evidence;
    let line = |index: usize| request.source.line_number(listing.spans[index].start as usize);
    let names = Names { evidence };
    let outputs: Vec<CheckedOutput> =
        findings.iter().zip(*wanted).map(|(f, w)| names.output(f, w.register.is_none(), &line)).collect();
    let first = findings.iter().find_map(|f| Some((f, f.counterexample.as_ref()?)));
    let left_out = too_long_for_noise(evidence).then(|| Remark {
        id: "noise-left-out".to_owned(),
        line: 1,
        message: format!(
            "noise is predicted for programs of up to {MAX_PREDICTED} instructions, or where --noise names a model"
        ),
    });
    Ok(CheckRecord {
        inputs: inputs
            .iter()
            .zip(&trace.inputs)
            .map(|(name, register)| Port { name: name.clone(), register: Some(names.register(*register)) })
            .collect(),
        uninitialised: names.registers(&trace.unknowns),
        registers: if request.against.is_some() { Vec::new() } else { names.written() },
        counterexample: first.map(|(finding, example)| names.counterexample(finding, example)),
        range: amplitude(&request.target, trace).map(|amplitude| range_record(&request.target, &amplitude)),
        noise: noise(evidence),
        warnings: warnings(evidence, &line),
        notes: notes(request, listing, &trace.lenient, left_out),
        ..record_of(request, listing, outputs)?
    })
}

/// The record of a program with these outputs, without what differs between linear programs and others.
///
/// # Errors
/// [`CheckError::Usage`] if the program has no cost; programs that were traced or followed have one.
pub(super) fn record_of(
    request: &CheckRequest,
    listing: &Listing,
    outputs: Vec<CheckedOutput>,
) -> Result<CheckRecord, CheckError> {
    let (target, program) = (&request.target, &listing.program);
    let no_cost = |violation: Violation| CheckError::Usage(violation.to_string());
    let worst = outputs.iter().map(|output| output.verdict).max().unwrap_or(Answer::Equal);
    Ok(CheckRecord {
        file: request.source.name().to_owned(),
        against: request.against.as_ref().map(|source| source.name().to_owned()),
        target: target.name.clone(),
        block: request.reading.block.filter(|_| listing.blocks > 1),
        verdict: request.against.as_ref().map(|_| worst),
        instructions: program.instructions.len() as u32,
        cycles: program.cycles(target).map_err(no_cost)?,
        time_us: Figure::new(program.time_us(target).map_err(no_cost)?),
        energy_uj: Figure::new(program.energy_uj(target).map_err(no_cost)?),
        program: program.instructions.iter().map(|i| format!("{};", target.instruction_text(i))).collect(),
        lines: lines(&request.source, listing),
        inputs: Vec::new(),
        uninitialised: Vec::new(),
        outputs,
        registers: Vec::new(),
        counterexample: None,
        range: None,
        noise: None,
        warnings: Vec::new(),
        notes: Vec::new(),
        error: None,
        version: VERSION.to_owned(),
    })
}

/// The line in the file of each instruction.
pub(super) fn lines(source: &Source, listing: &Listing) -> Vec<usize> {
    listing.spans.iter().map(|span| source.line_number(span.start as usize)).collect()
}

/// Whether noise is left out because the program is long and the options name no model.
fn too_long_for_noise(evidence: &Evidence<'_>) -> bool {
    evidence.request.noise.is_none() && evidence.trace.lines.len() > MAX_PREDICTED
}

/// The predicted noise of the outputs, or of the register written last if there are none; `None` also if a value is uninitialised.
fn noise(evidence: &Evidence<'_>) -> Option<NoiseRecord> {
    let Evidence { request, trace, findings, inputs, .. } = evidence;
    let target = &request.target;
    if !trace.unknowns.is_empty() || too_long_for_noise(evidence) {
        return None;
    }
    let mut results: Vec<(&str, RegisterId)> =
        findings.iter().map(|f| (f.name.as_str(), f.register)).collect();
    if results.is_empty() {
        let last = trace.last_written(target)?;
        results.push((target.register_name(last), last));
    }
    let meter = Meter::new(target, request.noise.as_ref(), request.input_range, inputs.len())?;
    let transfers: Vec<Transfer> = trace.transfers().cloned().collect();
    let (names, registers): (Vec<&str>, Vec<RegisterId>) = results.into_iter().unzip();
    let predicted = meter.predict(&transfers, &trace.inputs, &registers, &trace.reaches())?;
    Some(noise_record(&meter, &names, &predicted))
}

/// The lints.
fn warnings(evidence: &Evidence<'_>, line: &dyn Fn(usize) -> usize) -> Vec<Remark> {
    let Evidence { request, listing, trace, findings, .. } = evidence;
    let results = (!findings.is_empty()).then(|| findings.iter().map(|f| f.register).collect());
    let context = Context { results, input_range: request.input_range, masked: listing.masked.clone() };
    let remark = |review: Review| Remark {
        id: review.id.to_owned(),
        line: line(review.instruction),
        message: format!(
            "`{}`: {}",
            request.target.instruction_text(&listing.program.instructions[review.instruction]),
            review.message
        ),
    };
    review(&request.target, trace, &context).into_iter().map(remark).collect()
}

/// Notes about code that was read or evaluated differently from how it is written, and another one.
pub(super) fn notes(
    request: &CheckRequest,
    listing: &Listing,
    lenient: &Broken,
    other: Option<Remark>,
) -> Vec<Remark> {
    let line = |span: Span| request.source.line_number(span.start as usize);
    let read = listing.notes.iter().map(|note| Remark {
        id: note.id.to_owned(),
        line: line(note.place()),
        message: note.message.clone(),
    });
    let evaluated = lenient.iter().map(|(index, violation)| Remark {
        id: violation.rule().to_owned(),
        line: line(listing.spans[*index]),
        message: format!("{violation}; evaluated as a simulator without this rule does"),
    });
    let mut notes: Vec<Remark> = read.chain(evaluated).chain(other).collect();
    notes.sort_by_key(|note| note.line);
    notes
}

/// Names for the numbers in the evidence.
struct Names<'a> {
    evidence: &'a Evidence<'a>,
}

impl Names<'_> {
    fn register(&self, register: RegisterId) -> String {
        self.evidence.request.target.register_name(register).to_owned()
    }

    fn registers(&self, registers: &[RegisterId]) -> Vec<String> {
        registers.iter().map(|register| self.register(*register)).collect()
    }

    /// The name of an input; for an uninitialised register, the register's name.
    fn channel(&self, channel: u16) -> String {
        match self.evidence.inputs.get(channel as usize) {
            Some(name) => name.clone(),
            None => self.register(self.evidence.trace.register_of(channel)),
        }
    }

    /// The final value of every register that the program writes.
    fn written(&self) -> Vec<RegisterRecord> {
        let trace = self.evidence.trace;
        let (reaches, end) = (trace.reaches(), trace.end());
        let mut written = trace.written();
        written.sort();
        let of = |register: RegisterId| {
            let value = end.value(register);
            RegisterRecord {
                register: self.register(register),
                kernels: self.kernels(value),
                cases: Some(Vec::new()),
                reason: None,
                uninitialised: self.registers(&uninitialised(trace, value)),
                valid_border: reaches[register.0].as_ref().map(|reach| reach.border.into()),
            }
        };
        written.into_iter().map(of).collect()
    }

    fn kernels(&self, value: &Value) -> Option<Vec<Kernel>> {
        match value {
            Value::Known(kernel) => self.kernels_of(kernel),
            Value::Undefined(_) => Some(Vec::new()),
            Value::Overflow => None,
        }
    }

    fn kernels_of(&self, kernel: &Placed) -> Option<Vec<Kernel>> {
        let taps = kernel.taps()?;
        let mut channels: Vec<u16> = taps.iter().map(|tap| tap.0).collect();
        channels.sort_unstable();
        channels.dedup();
        let of = |channel: u16| {
            let own = taps.iter().filter(|tap| tap.0 == channel);
            let mut taps: Vec<Tap> =
                own.map(|(_, offset, k)| Tap { offset: *offset, coefficient: k.to_string() }).collect();
            taps.sort_by_key(|tap| [tap.offset[2], -tap.offset[1], tap.offset[0]]);
            Kernel { input: self.channel(channel), taps }
        };
        Some(channels.into_iter().map(of).collect())
    }

    fn output(&self, finding: &Finding, chosen: bool, line: &dyn Fn(usize) -> usize) -> CheckedOutput {
        let (verdict, differs_at, up_to) = match &finding.relation {
            Relation::Equal => (Answer::Equal, &[][..], None),
            Relation::UpTo(label) => (Answer::EqualUpTo, &[][..], Some((*label).into())),
            Relation::Different(differences) => (Answer::Different, differences.as_slice(), None),
            Relation::Undecided => (Answer::Undecided, &[][..], None),
        };
        let difference = |d: &Mismatch| TapDifference {
            input: self.channel(d.channel),
            offset: d.offset,
            expected: d.expected.to_string(),
            found: d.found.to_string(),
        };
        let footprint = |reach: &Footprint| reach.iter().collect();
        CheckedOutput {
            name: finding.name.clone(),
            register: self.register(finding.register),
            chosen,
            verdict,
            expected: self.kernels_of(&finding.expected).unwrap_or_default(),
            found: self.kernels(&finding.found).unwrap_or_default(),
            differs_at: differs_at.iter().map(difference).collect(),
            up_to,
            condition: None,
            reason: None,
            expected_cases: Some(Vec::new()),
            cases: Some(Vec::new()),
            uninitialised: self.registers(&finding.uninitialised),
            footprint: finding.reach.as_ref().map(|reach| footprint(&reach.footprint)),
            valid_border: finding.reach.as_ref().map(|reach| reach.border.into()),
            lost: finding.lost_at.map(|index| Lost { instruction: index, line: line(index) }),
        }
    }

    fn counterexample(&self, finding: &Finding, example: &Counterexample) -> CounterexampleRecord {
        let [width, height] = example.size;
        let mut lit = vec![0.0; width * height];
        lit[example.bright[1] * width + example.bright[0]] = 1.0;
        let image = Image::from_pixels(width, height, lit);
        let channel = (0..self.evidence.trace.channels())
            .find(|channel| self.evidence.trace.register_of(*channel) == example.register);
        CounterexampleRecord {
            output: finding.name.clone(),
            input: channel.map_or_else(String::new, |channel| self.channel(channel)),
            image: image.as_ref().map(rows).unwrap_or_default(),
            others: Vec::new(),
            expected: rows(&example.expected),
            found: rows(&example.found),
            pixel: [example.pixel[0], height - 1 - example.pixel[1]],
            smallest: example.smallest,
        }
    }
}

/// An image's rows from north to south.
pub(super) fn rows(image: &Image) -> Vec<Vec<Figure>> {
    (0..image.height()).rev().map(|y| image.row(y).iter().map(|v| Figure::new(*v)).collect()).collect()
}
