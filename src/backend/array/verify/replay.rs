//! Replays a certificate with a separate evaluator: it keeps one kernel per channel, parses instructions from their text, and
//! takes expansions and stated meanings from the descriptor. It shares only the algebra's kernels and the descriptor's data
//! with the evaluator that wrote the certificate.

use super::certificate::FORMAT;
use crate::algebra::{Kernel, PlusTimes, Rational};
use crate::backend::array::machine::{
    Expression, FormalKind, Load, Macro, Target, Template, TemplateOperand,
};
use crate::backend::error::ReplayError;
use crate::syntax::{Diagnostic, Expect, Form, Sexp, Source, Span, read};

/// The value of a register: a kernel for each channel.
type Content = Vec<Kernel<PlusTimes>>;

/// A certificate that was replayed to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The number of instructions evaluated.
    pub steps: usize,
    /// The outputs found, with their registers.
    pub outputs: Vec<(String, String)>,
}

/// Evaluates every step of a certificate, and compares the stated register values with the actual ones.
///
/// # Errors
/// [`ReplayError`] at the first mismatch.
pub fn replay(target: &Target, source: &Source) -> Result<Replayed, ReplayError> {
    let sexps = read(source).map_err(ReplayError::Unreadable)?;
    let mut expect = Expect::new();
    let forms = forms(&mut expect, &sexps, target);
    if !expect.diagnostics.is_empty() {
        return Err(ReplayError::Unreadable(expect.diagnostics));
    }
    let channels = forms.iter().filter(|form| form.head == "channel").count();
    if channels > target.registers.len() {
        let message = format!("{channels} channels, and the target has {} registers", target.registers.len());
        let diagnostic =
            Diagnostic::error("too-many-channels", message).label(sexps[0].span, "in this certificate");
        return Err(ReplayError::Unreadable(diagnostic.into()));
    }
    let mut replayer = Replayer { target, expect, channels, registers: vec![None; target.registers.len()] };
    let mut replayed = Replayed { steps: 0, outputs: Vec::new() };
    let mut channel = 0;
    for form in &forms {
        let followed = match form.head {
            "channel" => {
                channel += 1;
                replayer.begin(form, channel - 1)
            }
            "step" => {
                replayed.steps += 1;
                replayer.step(form)
            }
            "output" => replayer.output(form).map(|output| replayed.outputs.push(output)),
            _ => Ok(()),
        };
        if let Err(Stop(wrong)) = followed {
            return Err(match wrong {
                Some(diagnostic) => ReplayError::Wrong((*diagnostic).into()),
                None => ReplayError::Unreadable(replayer.expect.diagnostics),
            });
        }
    }
    Ok(replayed)
}

/// The clauses of the file's only certificate.
fn forms<'a>(expect: &mut Expect, sexps: &'a [Sexp], target: &Target) -> Vec<Form<'a>> {
    let Some(first) = sexps.first() else {
        let message = "expected `(certificate …)`, found nothing";
        let diagnostic = Diagnostic::error("unexpected", message);
        expect.report::<()>(diagnostic.label(Span::at(0), "the file is empty"));
        return Vec::new();
    };
    let Some(form) = expect.form_named("certificate", first) else { return Vec::new() };
    let known = ["version", "target", "channel", "step", "output"];
    let mut found = Vec::new();
    for sexp in form.arguments {
        let Some(clause) = expect.form("a clause of a certificate", sexp) else { continue };
        if !known.contains(&clause.head) {
            expect.unknown_form::<()>(&clause, known);
        }
        let stated = clause.arguments.first().and_then(Sexp::as_atom);
        let needed = match clause.head {
            "version" => Some(FORMAT),
            "target" => Some(target.name.as_str()),
            _ => None,
        };
        if let Some(needed) = needed.filter(|needed| stated != Some(*needed)) {
            expect.mismatch::<()>(&format!("`({} {needed})`", clause.head), sexp);
        }
        found.push(clause);
    }
    for needed in ["version", "target"] {
        if !found.iter().any(|clause| clause.head == needed) {
            let message = format!("the certificate has no `({needed} …)`");
            expect
                .report::<()>(Diagnostic::error("missing-clause", message).label(form.head_span, "this one"));
        }
    }
    found
}

/// Why a replay stops: a mismatch, or nothing if a reading error was already reported.
struct Stop(Option<Box<Diagnostic>>);

fn wrong<T>(id: &'static str, message: String, span: Span, label: impl Into<String>) -> Result<T, Stop> {
    Err(Stop(Some(Box::new(Diagnostic::error(id, message).label(span, label)))))
}

/// An operand of a primitive operation: a register, seen at an offset.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    register: usize,
    offset: [i32; 3],
}

struct Replayer<'a> {
    target: &'a Target,
    expect: Expect,
    channels: usize,
    registers: Vec<Option<Content>>,
}

impl Replayer<'_> {
    fn begin(&mut self, form: &Form<'_>, channel: usize) -> Result<(), Stop> {
        let register = self.register(form, 0)?;
        let mut content = vec![Kernel::zero(); self.channels];
        content[channel] = Kernel::identity();
        self.registers[register] = Some(content);
        Ok(())
    }

    fn register(&mut self, form: &Form<'_>, index: usize) -> Result<usize, Stop> {
        let Some(sexp) = form.arguments.get(index) else {
            self.expect.arity(form, index + 1..=usize::MAX, &format!("({} REGISTER …)", form.head));
            return Err(Stop(None));
        };
        self.register_at(sexp)
    }

    fn register_at(&mut self, sexp: &Sexp) -> Result<usize, Stop> {
        let name = self.expect.atom("a register", sexp).ok_or(Stop(None))?;
        let found = self.target.registers.iter().position(|register| register.name == name);
        found.ok_or_else(|| {
            self.expect.mismatch::<()>("a register", sexp);
            Stop(None)
        })
    }

    /// A kernel for each channel, from taps.
    fn content(&mut self, taps: &[Sexp], span: Span) -> Result<Content, Stop> {
        let mut by_channel = vec![Vec::new(); self.channels];
        for tap in taps {
            let numbers = self.expect.list("a tap", tap).filter(|items| items.len() == 5);
            let Some([channel, place @ .., coefficient]) = numbers else {
                self.expect.mismatch::<()>("a tap `(CHANNEL DX DY DZ COEFFICIENT)`", tap);
                return Err(Stop(None));
            };
            let most = self.channels as i64 - 1;
            let channel = self.expect.integer("a channel", channel, 0..=most).ok_or(Stop(None))?;
            let mut offset = [0; 3];
            for (axis, sexp) in place.iter().enumerate() {
                let reach = i64::from(crate::algebra::MAX_REACH);
                offset[axis] =
                    self.expect.integer("an offset", sexp, -reach..=reach).ok_or(Stop(None))? as i32;
            }
            let value = self.expect.fraction("a coefficient", coefficient).ok_or(Stop(None))?;
            let Some(value) = Rational::new(value.numerator, value.denominator) else {
                self.expect.mismatch::<()>("a coefficient", coefficient);
                return Err(Stop(None));
            };
            by_channel[channel as usize].push((offset, value));
        }
        let kernels = by_channel.iter().map(|taps| Kernel::from_taps(taps)).collect::<Result<Content, _>>();
        kernels.or_else(|error| wrong("too-large", error.to_string(), span, "this kernel"))
    }

    /// `(step "INSTRUCTION" (REGISTER TAP…)…)`.
    fn step(&mut self, form: &Form<'_>) -> Result<(), Stop> {
        let Some((text, stated)) = form.arguments.split_first() else {
            self.expect.arity(form, 1..=usize::MAX, "(step \"INSTRUCTION\" (REGISTER TAP…)…)");
            return Err(Stop(None));
        };
        let span = text.span;
        let text = self.expect.text("an instruction in quotes", text).ok_or(Stop(None))?;
        let before = self.registers.clone();
        self.execute(text, span)?;
        let mut listed = Vec::new();
        for sexp in stated {
            let Some((register, taps)) =
                self.expect.list("a register with its taps", sexp).and_then(<[_]>::split_first)
            else {
                return Err(Stop(None));
            };
            let id = self.register_at(register)?;
            let content = self.content(taps, sexp.span)?;
            if !self.holds(id, &content) {
                let name = &self.target.registers[id].name;
                let message = format!("`{text}` does not leave this in {name}");
                return wrong("wrong-step", message, sexp.span, format!("{name} holds {}", self.shown(id)));
            }
            listed.push(id);
        }
        for (id, old) in before.iter().enumerate().filter(|(id, _)| !listed.contains(id)) {
            let same = match (old, &self.registers[id]) {
                (Some(old), Some(new)) => old.iter().zip(new).all(|(old, new)| old.equal_values(new)),
                (None, None) => true,
                _ => false,
            };
            if !same {
                let name = &self.target.registers[id].name;
                let message = format!("`{text}` changes {name}, which the step does not mention");
                return wrong("wrong-step", message, span, "in this step");
            }
        }
        Ok(())
    }

    /// `(output NAME REGISTER TAP…)`.
    fn output(&mut self, form: &Form<'_>) -> Result<(String, String), Stop> {
        let usage = "(output NAME REGISTER TAP…)";
        self.expect.arity(form, 2..=usize::MAX, usage).ok_or(Stop(None))?;
        let name = self.expect.atom("an output's name", &form.arguments[0]).ok_or(Stop(None))?.to_owned();
        let id = self.register(form, 1)?;
        let content = self.content(&form.arguments[2..], form.span)?;
        let register = self.target.registers[id].name.clone();
        if self.holds(id, &content) {
            return Ok((name, register));
        }
        let message = format!("the output `{name}` is not what {register} holds at the end");
        wrong("wrong-output", message, form.span, format!("{register} holds {}", self.shown(id)))
    }

    fn holds(&self, register: usize, content: &Content) -> bool {
        let held = self.registers[register].as_ref();
        held.is_some_and(|held| held.iter().zip(content).all(|(held, stated)| held.equal_values(stated)))
    }

    fn shown(&self, register: usize) -> String {
        let Some(content) = &self.registers[register] else { return "nothing".to_owned() };
        let tap =
            |channel: usize, ([x, y, z], k): ([i32; 3], Rational)| format!("({channel} {x} {y} {z} {k})");
        let taps = content.iter().enumerate().flat_map(|(c, k)| k.nonzero_taps().map(move |t| tap(c, t)));
        let taps: Vec<String> = taps.collect();
        if taps.is_empty() { "zero".to_owned() } else { taps.join(" ") }
    }

    /// Executes an instruction, operation by operation. For a macro, also compares the result with the meaning stated in the
    /// descriptor.
    fn execute(&mut self, text: &str, span: Span) -> Result<(), Stop> {
        let parts = text.trim_end_matches(')').split_once('(');
        let Some((name, operands)) = parts else {
            return wrong("wrong-step", format!("`{text}` is not an instruction"), span, "in this step");
        };
        let operands: Vec<&str> = operands.split(',').map(str::trim).filter(|o| !o.is_empty()).collect();
        if self.target.primitives.iter().any(|p| p.name == name) {
            let places = operands.iter().enumerate().map(|(i, o)| self.place(o, i, name));
            let Some(places) = places.collect::<Option<Vec<Place>>>() else {
                return wrong(
                    "wrong-step",
                    format!("`{text}` has an operand that is not a register"),
                    span,
                    "here",
                );
            };
            return self.operation(name, &places, span);
        }
        if let Some(load) =
            self.target.sources.loads.iter().find(|l| l.name == name && l.results.len() == operands.len())
        {
            return self.load(load, &operands, span);
        }
        let fits = |m: &&Macro| m.name == name && m.operands.len() == operands.len();
        let Some(template) = self.target.macros.iter().find(fits) else {
            return wrong(
                "wrong-step",
                format!("`{text}` is not an instruction of the target"),
                span,
                "in this step",
            );
        };
        let template = template.clone();
        if let Some(odd) =
            (0..operands.len()).find(|i| !self.is_kind(template.operands[*i].kind, operands[*i]))
        {
            let message = format!("`{}` cannot be an operand of `{name}` there", operands[odd]);
            return wrong("wrong-step", message, span, "in this step");
        }
        let before = self.registers.clone();
        self.lines(&template.expansion, &operands, span)?;
        for (formal, meaning) in &template.means {
            let meant = self.meaning(meaning, &operands, &before);
            let register = self.target.registers.iter().position(|r| r.name == operands[*formal]);
            let (Some(meant), Some(register)) = (meant, register) else { continue };
            if !self.holds(register, &meant) {
                let message = format!("`{text}` does not leave its stated result in {}", operands[*formal]);
                return wrong("wrong-step", message, span, "its operands do not allow it");
            }
        }
        Ok(())
    }

    /// Executes a call that loads an image: its register holds the image from the start, and others now hold multiples of it.
    fn load(&mut self, load: &Load, operands: &[&str], span: Span) -> Result<(), Stop> {
        let register = |name: &&str| self.target.registers.iter().position(|r| r.name == *name);
        let Some(registers) = operands.iter().map(register).collect::<Option<Vec<usize>>>() else {
            return wrong("wrong-step", format!("`{}` needs registers", load.name), span, "in this step");
        };
        let Some(image) = self.registers[registers[load.image]].clone() else {
            return wrong(
                "wrong-step",
                format!("the image register of `{}` holds no channel", load.name),
                span,
                "in this step",
            );
        };
        for (register, factor) in registers.iter().zip(&load.results) {
            let Some(factor) = factor else { continue };
            let scaled = image.iter().map(|kernel| kernel.scale(*factor)).collect::<Result<Content, _>>();
            self.registers[*register] =
                Some(scaled.or_else(|error| wrong("too-large", error.to_string(), span, "in this step"))?);
        }
        Ok(())
    }

    /// Whether a macro's operand may have this value.
    fn is_kind(&self, kind: FormalKind, text: &str) -> bool {
        match kind {
            FormalKind::Register { file, .. } => {
                self.target.registers.iter().any(|register| register.name == text && register.file == file)
            }
            FormalKind::Direction => self.target.directions.iter().any(|direction| direction.name == text),
            FormalKind::Count(least, most) => {
                text.parse::<u32>().is_ok_and(|count| (least..=most).contains(&count))
            }
        }
    }

    /// The register that an operand names, directly or in a neighbour; a destination in a neighbour is written from the opposite side.
    fn place(&self, text: &str, index: usize, operation: &str) -> Option<Place> {
        let target = self.target;
        if let Some(register) = target.registers.iter().position(|r| r.name == text) {
            return Some(Place { register, offset: [0; 3] });
        }
        let view = target.views.iter().find(|v| v.name == text)?;
        let seen = target.directions[view.direction.0].offset;
        let written = target.primitives.iter().any(|p| p.name == operation && index < p.destinations);
        let offset = if written { seen.map(|o| -o) } else { seen };
        Some(Place { register: view.register.0, offset })
    }

    /// The operations of an expansion, with the actual operands.
    fn lines(&mut self, lines: &[Template], operands: &[&str], span: Span) -> Result<(), Stop> {
        for line in lines {
            match line {
                Template::Repeat { formal, less, body } => {
                    let count: u32 = operands[*formal].parse().unwrap_or(0);
                    for _ in *less..count {
                        self.lines(body, operands, span)?;
                    }
                }
                Template::Operation { primitive, operands: inner } => {
                    let name = self.target.primitives[*primitive].name.clone();
                    let texts: Vec<Option<String>> =
                        inner.iter().map(|operand| self.filled(operand, operands)).collect();
                    let places = texts.iter().enumerate().map(|(i, t)| self.place(t.as_deref()?, i, &name));
                    let Some(places) = places.collect::<Option<Vec<Place>>>() else {
                        return wrong(
                            "wrong-step",
                            format!("operands of `{name}` are not registers"),
                            span,
                            "here",
                        );
                    };
                    self.operation(&name, &places, span)?;
                }
            }
        }
        Ok(())
    }

    fn filled(&self, operand: &TemplateOperand, operands: &[&str]) -> Option<String> {
        let target = self.target;
        Some(match operand {
            TemplateOperand::Formal(index) => operands[*index].to_owned(),
            TemplateOperand::Register(id) => target.registers[id.0].name.clone(),
            TemplateOperand::View(id) => target.views[id.0].name.clone(),
            TemplateOperand::At { register, formal, opposite } => {
                let direction = target.directions.iter().find(|d| d.name == operands[*formal])?;
                let wanted = if *opposite { direction.offset.map(|o| -o) } else { direction.offset };
                let fits = |v: &&crate::backend::array::machine::View| {
                    v.register == *register && target.directions[v.direction.0].offset == wanted
                };
                target.views.iter().find(fits)?.name.clone()
            }
        })
    }

    /// Every destination := Σ weight · source, under the target's operand rules.
    fn operation(&mut self, name: &str, places: &[Place], span: Span) -> Result<(), Stop> {
        let target = self.target;
        let Some(primitive) = target.primitives.iter().find(|p| p.name == name) else {
            return wrong("wrong-step", format!("there is no operation `{name}`"), span, "in this step");
        };
        let Some(sources) = places.len().checked_sub(primitive.destinations) else {
            return wrong("wrong-step", format!("`{name}` has too few operands"), span, "in this step");
        };
        if !(primitive.sources[0]..=primitive.sources[1]).contains(&sources) {
            return wrong(
                "wrong-step",
                format!("`{name}` does not take {sources} sources"),
                span,
                "in this step",
            );
        }
        let (written, read) = places.split_at(primitive.destinations);
        let rules = target.operand_rules;
        let twice = (1..places.len()).any(|i| places[..i].contains(&places[i]));
        let both = written.iter().any(|w| read.iter().any(|r| r.register == w.register));
        if rules.each_operand_once && twice || rules.written_not_read && both {
            return wrong(
                "wrong-step",
                format!("the operands of `{name}` break a rule"),
                span,
                "in this step",
            );
        }
        let mut sum: Content = vec![Kernel::zero(); self.channels];
        for (index, source) in read.iter().enumerate() {
            let weight =
                if primitive.weights.len() == 1 { primitive.weights[0] } else { primitive.weights[index] };
            let Some(content) = &self.registers[source.register] else {
                let name = &target.registers[source.register].name;
                return wrong(
                    "wrong-step",
                    format!("{name} is read but holds no channel"),
                    span,
                    "in this step",
                );
            };
            for (sum, kernel) in sum.iter_mut().zip(content) {
                let term = kernel.trimmed().scale(weight).and_then(|k| k.shift(source.offset));
                match term.and_then(|term| sum.add(&term)) {
                    Ok(added) => *sum = added,
                    Err(error) => return wrong("too-large", error.to_string(), span, "in this step"),
                }
            }
        }
        for destination in written {
            let moved =
                sum.iter().map(|kernel| kernel.shift(destination.offset)).collect::<Result<Content, _>>();
            match moved {
                Ok(content) => self.registers[destination.register] = Some(content),
                Err(error) => return wrong("too-large", error.to_string(), span, "in this step"),
            }
        }
        Ok(())
    }

    /// The value of a stated meaning, given the registers before the instruction; `None` if one was uninitialised.
    fn meaning(
        &self,
        meaning: &Expression,
        operands: &[&str],
        before: &[Option<Content>],
    ) -> Option<Content> {
        match meaning {
            Expression::Formal(index) => {
                let register = self.target.registers.iter().position(|r| r.name == operands[*index])?;
                before[register].clone()
            }
            Expression::Sum(terms) => {
                let mut sum: Content = vec![Kernel::zero(); self.channels];
                for (weight, term) in terms {
                    let term = self.meaning(term, operands, before)?;
                    for (sum, kernel) in sum.iter_mut().zip(&term) {
                        *sum = sum.add(&kernel.trimmed().scale(*weight).ok()?).ok()?;
                    }
                }
                Some(sum)
            }
            Expression::At(inner, directions) => {
                let mut content = self.meaning(inner, operands, before)?;
                for formal in directions {
                    let direction = self.target.directions.iter().find(|d| d.name == operands[*formal])?;
                    content =
                        content.iter().map(|k| k.shift(direction.offset).ok()).collect::<Option<_>>()?;
                }
                Some(content)
            }
        }
    }
}
