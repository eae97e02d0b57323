//! Fills the record of a check of a program with conditions or digital registers.

use super::steps::{Steps, trouble_text};
use super::words::Words;
use crate::algebra::Rational;
use crate::backend::array::compile::check_record::{notes, record_of, rows};
use crate::backend::array::compile::check_request::CheckRequest;
use crate::backend::array::compile::measured::range_record;
use crate::backend::array::machine::Cell;
use crate::backend::array::verify::Amplitude;
use crate::backend::array::verify::guarded::{
    Finding, Followed, Kind, Range, TRUTHS, Unknown, Value, Verdict,
};
use crate::backend::error::CheckError;
use crate::picture::Image;
use crate::report::{
    Answer, Border, CheckRecord, CheckedOutput, CounterexampleRecord, InputImage, Port, RegisterRecord,
    Remark,
};

/// The results of a check, from which the record is made.
pub(super) struct Answered<'a> {
    pub(super) request: &'a CheckRequest,
    pub(super) words: Words<'a>,
    pub(super) steps: &'a Steps,
    pub(super) followed: &'a Followed,
    pub(super) findings: &'a [Finding],
    /// The inputs for which nothing overflows, whichever cases occur.
    pub(super) range: Option<Range>,
    /// The registers and bits that the program names as results.
    pub(super) written: &'a [Cell],
}

/// The record of a check.
///
/// # Errors
/// See [`record_of`].
pub(super) fn record(answered: &Answered<'_>) -> Result<CheckRecord, CheckError> {
    let Answered { request, words, findings, .. } = answered;
    let outputs: Vec<CheckedOutput> = findings.iter().map(|finding| answered.output(finding)).collect();
    Ok(CheckRecord {
        inputs: answered.inputs(),
        uninitialised: answered.uninitialised(),
        registers: if request.against.is_some() { Vec::new() } else { answered.registers() },
        counterexample: findings.iter().find_map(|finding| answered.example(finding)),
        range: match &answered.range {
            Some(Range::Within(amplitude)) => Some(range_record(&request.target, amplitude)),
            _ => None,
        },
        warnings: answered.warnings(),
        notes: notes(request, words.own.listing, &answered.steps.lenient, answered.without_noise()),
        ..record_of(request, words.own.listing, outputs)?
    })
}

impl Answered<'_> {
    fn cell(&self, cell: Cell) -> String {
        self.request.target.cell_name(cell).to_owned()
    }

    /// The inputs. A program that depends on none has none, unless something names them; for `kalg run` a picture then only says how
    /// large the array is.
    fn inputs(&self) -> Vec<Port> {
        let space = self.words.space;
        let is_input = |channel: &u16| matches!(space.channels[usize::from(*channel)].kind, Kind::Input(_));
        let used = |cell: &Cell| {
            let value = self.followed.end.value(*cell);
            value.map_or(true, |id| space.uses(id, *cell).iter().any(is_input))
        };
        let named = self.request.against.is_some() || !self.request.inputs.is_empty();
        if !named && self.words.own.listing.load.is_none() && !self.written.iter().any(used) {
            return Vec::new();
        }
        let port =
            |(name, cell): (&String, &Cell)| Port { name: name.clone(), register: Some(self.cell(*cell)) };
        self.words.names.iter().zip(&self.steps.inputs).map(port).collect()
    }

    /// What registers and bits depend on although nothing is known of it: contents that are not documented, and what is set from outside.
    pub(super) fn assumed(&self) -> Vec<(Cell, Vec<String>)> {
        let space = self.words.space;
        let open = |channel: u16| match space.channels[usize::from(channel)].kind {
            Kind::Given => Some(self.words.channel(channel)),
            Kind::Unknown(origin, Unknown::Unspecified) | Kind::Unknown(_, Unknown::Flood(Some(origin))) => {
                Some(self.words.left(origin))
            }
            _ => None,
        };
        let of = |cell: &Cell| {
            let mut found: Vec<String> = match self.followed.end.value(*cell) {
                Ok(id) => space.depends(id).into_iter().filter_map(open).collect(),
                Err(_) => {
                    let origin = self.followed.end.undocumented(space, *cell);
                    origin.into_iter().map(|origin| self.words.left(origin)).collect()
                }
            };
            found.dedup();
            (*cell, found)
        };
        self.written.iter().map(of).filter(|(_, open)| !open.is_empty()).collect()
    }

    /// Registers and bits, other than inputs, that results depend on.
    fn uninitialised(&self) -> Vec<String> {
        let shown: Vec<Cell> = match self.findings.is_empty() {
            true => self.written.to_vec(),
            false => self.findings.iter().map(|finding| finding.cell).collect(),
        };
        let mut found = Vec::new();
        for cell in shown {
            found.extend(self.before(self.followed.end.value(cell)));
        }
        found.sort();
        found.dedup();
        found
    }

    fn before(&self, value: Value) -> Vec<String> {
        let Ok(id) = value else { return Vec::new() };
        let before = |channel: &u16| self.words.space.channels[usize::from(*channel)].kind == Kind::Before;
        self.words
            .space
            .depends(id)
            .into_iter()
            .filter(before)
            .map(|channel| self.words.channel(channel))
            .collect()
    }

    fn border(&self, cell: Cell) -> Option<Border> {
        let reach = self.steps.reaches(&self.request.target).of(cell)?;
        let [west, east, south, north] = reach.border();
        Some(Border { west, east, south, north, down: 0, up: 0 })
    }

    fn output(&self, finding: &Finding) -> CheckedOutput {
        let target = &*self.request.target;
        let flag = target.flag().map(|flag| target.bit_name(flag)).unwrap_or_default();
        let (verdict, condition, reason) = match &finding.verdict {
            Verdict::Equal => (Answer::Equal, None, None),
            Verdict::Where(instruction) => {
                let text = format!("{flag} is 1 after {}", self.words.quoted(*instruction));
                (Answer::EqualWhere, Some(text), None)
            }
            Verdict::Different => (Answer::Different, None, None),
            Verdict::Depends(channels) => (Answer::Unknown, None, Some(self.reason(channels))),
            Verdict::Trouble(trouble) => (Answer::Unknown, None, Some(trouble_text(*trouble).to_owned())),
        };
        let kernels = |value: Value| self.words.linear(value).unwrap_or_default();
        CheckedOutput {
            name: finding.name.clone(),
            register: self.cell(finding.cell),
            chosen: !self.request.outputs.iter().any(|(_, register)| *register == self.cell(finding.cell)),
            verdict,
            condition,
            reason,
            expected: kernels(finding.expected),
            found: kernels(finding.found),
            expected_cases: self.words.cases(finding.expected),
            cases: self.words.cases(finding.found),
            differs_at: Vec::new(),
            up_to: None,
            uninitialised: self.before(finding.found),
            footprint: None,
            valid_border: self.border(finding.cell),
            lost: None,
        }
    }

    /// Why nothing exact is known of channels: the first one.
    fn reason(&self, channels: &[u16]) -> String {
        let Some(first) = channels.first() else { return String::new() };
        let Kind::Unknown(origin, why) = &self.words.space.channels[usize::from(*first)].kind else {
            return String::new();
        };
        let (origin, why) = match why {
            Unknown::Unspecified => (origin, "that is not documented".to_owned()),
            Unknown::Flood(Some(undocumented)) => (undocumented, "that is not documented".to_owned()),
            Unknown::Inexact(what) => (origin, format!("{what} depends on timing and on the machine")),
            Unknown::Flood(None) => {
                let why = "flooding is executed, not proved; images that were tried show no difference";
                (origin, why.to_owned())
            }
        };
        format!("it depends on what {} leaves: {why}", self.words.origin(*origin))
    }

    /// What every register and bit that the program names as a result holds at the end.
    fn registers(&self) -> Vec<RegisterRecord> {
        let mut written = self.written.to_vec();
        written.sort();
        // Programs are meant to leave the flag as it is at the start.
        let flag = self.request.target.flag().map(Cell::Bit);
        written.extend(flag.filter(|flag| self.followed.end.value(*flag) != Ok(TRUTHS[1])));
        let of = |cell: Cell| {
            let value = self.followed.end.value(cell);
            RegisterRecord {
                register: self.cell(cell),
                kernels: self.words.linear(value),
                cases: self.words.cases(value),
                reason: value.err().map(|trouble| trouble_text(trouble).to_owned()),
                uninitialised: self.before(value),
                valid_border: self.border(cell),
            }
        };
        written.into_iter().map(of).collect()
    }

    fn example(&self, finding: &Finding) -> Option<CounterexampleRecord> {
        let example = finding.example.as_ref()?;
        let height = example.found.height();
        let mut inputs: Vec<InputImage> = example
            .images
            .iter()
            .map(|(channel, image)| InputImage { input: self.words.channel(*channel), image: rows(image) })
            .collect();
        if inputs.is_empty() {
            let input = self.words.names.first().cloned().unwrap_or_default();
            let blank = Image::filled(example.found.width(), height, 0.0);
            inputs.push(InputImage { input, image: rows(&blank) });
        }
        let first = inputs.remove(0);
        Some(CounterexampleRecord {
            output: finding.name.clone(),
            input: first.input,
            image: first.image,
            others: inputs,
            expected: rows(&shown(&example.expected, finding.cell)),
            found: rows(&shown(&example.found, finding.cell)),
            pixel: [example.pixel[0], height - 1 - example.pixel[1]],
            smallest: example.smallest,
        })
    }

    /// A register may overflow, whatever the inputs are or for inputs of the range in the request.
    fn warnings(&self) -> Vec<Remark> {
        let asked = self.request.input_range;
        let inputs = asked.map(|range| range.map(Rational::to_f64));
        let inputs = inputs.map(|[low, high]| format!("inputs of {low} to {high}")).unwrap_or_default();
        let (limit, message) = match &self.range {
            Some(Range::Beyond(at, register, value)) => {
                let (quoted, register) = (self.words.quoted(*at), self.cell(Cell::Register(*register)));
                let left = format!("if all inputs are 0, it leaves {value} in {register}");
                (Some(*at), format!("{quoted} may overflow: {left}"))
            }
            Some(Range::Within(known)) if asked.is_none_or(|asked| known.covers(asked)) => return Vec::new(),
            Some(Range::Within(Amplitude { symmetric: a, limit: (at, register), .. })) => {
                let what = match at {
                    Some(at) => self.words.quoted(*at),
                    None => format!("the input in {}", self.cell(Cell::Register(*register))),
                };
                let known = format!("it is known to fit for inputs of -{a} to {a}, whichever cases occur");
                (*at, format!("{what} may overflow for {inputs}: {known}"))
            }
            None if asked.is_none() => return Vec::new(),
            None => (None, format!("nothing is known of overflows for {inputs}")),
        };
        let line = limit.and_then(|at| self.words.own.lines.get(at).copied()).unwrap_or(1);
        vec![Remark { id: "overflow".to_owned(), line, message }]
    }

    /// The remark that a noise model in the request is not used.
    fn without_noise(&self) -> Option<Remark> {
        let model = self.request.noise.as_ref()?;
        let message = format!(
            "the noise of programs with conditions is not predicted, so `{}` is not used",
            model.name
        );
        Some(Remark { id: "no-noise".to_owned(), line: 1, message })
    }
}

/// The values of a register; of a bit, 0 and 1.
fn shown(image: &Image, cell: Cell) -> Image {
    match cell {
        Cell::Register(_) => image.clone(),
        Cell::Bit(_) => {
            let bits = image.pixels().iter().map(|value| f64::from(u8::from(*value > 0.0))).collect();
            Image::from_pixels(image.width(), image.height(), bits).unwrap_or_else(|| image.clone())
        }
    }
}
