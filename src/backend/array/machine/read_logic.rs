//! Reads the clauses of a descriptor on one-bit registers, sources that are set from outside, and instructions that are not
//! linear.

use std::mem::discriminant;

use super::descriptor::{DirectionSet, Given, Register, RegisterFile, RegisterId};
use super::ids::BitId;
use super::instruction::Operand;
use super::logic::{
    Bit, BitKind, BitRef, Logic, Parameter, ParameterKind, SetKind, SourceRef, Step, StepOperand, Term,
};
use super::operation::Violation;
use super::read::{MAX_REGISTERS, Reader};
use crate::syntax::{Diagnostic, Form, Sexp};

const USAGE: &str = "(instruction NAME ((KIND OPERAND)…) STEP…)";

/// The heads of steps, and `means`, which states what they compute.
const STEPS: [&str; 10] =
    ["do", "set", "update", "flood", "number", "lost", "inexact", "choose", "wait", "means"];

/// The kinds of operands.
const KINDS: [&str; 6] = ["result", "results", "source", "sources", "directions", "number"];

/// The kinds of terms.
const TERMS: [&str; 6] = ["not", "and", "or", "at", "has", "positive"];

/// The maximum number of operands that one parameter stands for.
const MAX_SEVERAL: i64 = 16;

/// The greatest magnitude of a number given as an operand.
const MAX_NUMBER: i64 = 1 << 15;

impl Reader {
    /// `(bits NAME…)` or `(bits (NAME ALIAS…)…)`: one-bit registers.
    pub(super) fn bits(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 1..=MAX_REGISTERS, "(bits NAME…), with (NAME ALIAS…) for other names")?;
        for sexp in form.arguments {
            let (name, aliases) = self.named(sexp)?;
            self.bit(name, BitKind::Register)?;
            for alias in aliases {
                let alias = self.operand_name("another name of a bit", alias)?;
                let bit = self.target.bits.last_mut().expect("a bit was declared above");
                bit.aliases.push(alias);
            }
        }
        Some(())
    }

    fn bit(&mut self, name: &Sexp, kind: BitKind) -> Option<()> {
        let name = self.operand_name("a bit's name", name)?;
        self.target.bits.push(Bit { name, aliases: Vec::new(), kind, gate: None });
        Some(())
    }

    /// `(flag NAME)`: analogue registers are written only where it is 1.
    pub(super) fn flag(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 1..=1, "(flag NAME)")?;
        if self.target.flag().is_some() {
            self.repeated("clause", "flag", form.span);
            return None;
        }
        self.bit(&form.arguments[0], BitKind::Flag)
    }

    /// `(gated BIT GATE)`: the bit is written only where the gate is 1.
    pub(super) fn gated(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 2..=2, "(gated BIT GATE)")?;
        let bit = self.known_bit(&form.arguments[0])?;
        let gate = self.known_bit(&form.arguments[1])?;
        let mut gates = std::iter::successors(Some(gate), |gate| self.target.bits[gate.0].gate);
        if gates.any(|gate| gate == bit) {
            return self.expect.mismatch("a gate that this bit does not gate", &form.arguments[1]);
        }
        self.target.bits[bit.0].gate = Some(gate);
        Some(())
    }

    /// `(given NAME image|number|bits)`: a source that programs cannot write.
    pub(super) fn given(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 2..=2, "(given NAME image|number|bits)")?;
        let what = self.expect.atom("what the source holds", &form.arguments[1])?;
        let given = match what {
            "bits" => return self.bit(&form.arguments[0], BitKind::Given),
            "image" => Given::Image,
            "number" => Given::Number,
            other => {
                let known = ["image", "number", "bits"];
                return self.expect.unknown("unknown-kind", "kind", other, form.arguments[1].span, known);
            }
        };
        let name = self.operand_name("a source's name", &form.arguments[0])?;
        let file = self.target.files.len();
        let register = RegisterId(self.target.registers.len());
        let registers = vec![register];
        self.target.files.push(RegisterFile { name: name.clone(), registers, given: Some(given) });
        self.target.registers.push(Register { name, file });
        Some(())
    }

    /// `(directions NAME DIRECTION…)`: a name for a set of directions.
    pub(super) fn directions(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 2..=usize::MAX, "(directions NAME DIRECTION…)")?;
        let name = self.operand_name("a name for a set of directions", &form.arguments[0])?;
        let mut set = 0;
        for sexp in &form.arguments[1..] {
            let direction = self.known_direction(sexp)?;
            if direction.0 >= 32 {
                return self.expect.mismatch("one of the first 32 directions", sexp);
            }
            set |= 1 << direction.0;
        }
        self.target.direction_sets.push(DirectionSet { name, set });
        Some(())
    }

    fn known_bit(&mut self, sexp: &Sexp) -> Option<BitId> {
        let name = self.expect.name("a bit", sexp)?;
        let known = self.target.bits.iter().map(|bit| bit.name.as_str());
        let unknown = || self.expect.unknown("unknown-register", "bit", name, sexp.span, known);
        self.target.bit(name).or_else(unknown)
    }

    /// `(instruction NAME (OPERAND…) STEP…)`.
    pub(super) fn instruction_clause(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 2..=usize::MAX, USAGE)?;
        let name = self.expect.name("an instruction's name", &form.arguments[0])?.to_owned();
        let operands = self.parameters(&form.arguments[1])?;
        let mut logic = Logic { name, operands, steps: Vec::new(), means: Vec::new() };
        self.check_free(&logic, form)?;
        for sexp in &form.arguments[2..] {
            let part = self.expect.form("a step", sexp)?;
            if part.head == "means" {
                for sexp in part.arguments {
                    let pair = self.expect.list("(OPERAND TERM)", sexp)?;
                    let [result, term] = pair else { return self.expect.mismatch("(OPERAND TERM)", sexp) };
                    let formal = self.parameter(&logic.operands, result, "a digital result", |kind| {
                        matches!(kind, ParameterKind::Bit { writes: true, count: None })
                    })?;
                    logic.means.push((formal, self.term(&logic.operands, term)?));
                }
            } else {
                let step = self.step(&logic.operands, &part)?;
                logic.steps.push(step);
            }
        }
        self.target.logic.push(logic);
        Some(())
    }

    /// Reports an instruction of the same name that could be given the same operands.
    fn check_free(&mut self, logic: &Logic, form: &Form<'_>) -> Option<()> {
        let [least, most] = logic.operand_count();
        let (target, name) = (&self.target, &logic.name);
        let overlaps = |other: &Logic| {
            let [from, to] = other.operand_count();
            let mut pairs = logic.operands.iter().zip(&other.operands);
            let apart = pairs.any(|(one, two)| discriminant(&one.kind) != discriminant(&two.kind));
            other.name == *name && from <= most && least <= to && !apart
        };
        let macros = target.macros.iter();
        let taken = target.primitives.iter().any(|p| p.name == *name)
            || macros.clone().any(|m| m.name == *name && (least..=most).contains(&m.operands.len()))
            || target.logic.iter().any(overlaps);
        if !taken {
            return Some(());
        }
        let message = format!("an instruction `{name}` of as many operands is already declared");
        let label =
            "instructions of one name must differ in the number of their operands, or in the kind of one";
        self.expect.report(Diagnostic::error("repeated-name", message).label(form.arguments[0].span, label))
    }

    fn parameters(&mut self, sexp: &Sexp) -> Option<Vec<Parameter>> {
        let mut found: Vec<Parameter> = Vec::new();
        for sexp in self.expect.list("a list of operands", sexp)? {
            let part = self.expect.form("an operand", sexp)?;
            if found.last().is_some_and(|last| last.kind.count().is_some()) {
                let expected = "no operand behind one that stands for several";
                return self.expect.mismatch(expected, sexp);
            }
            let parameter = self.parameter_clause(&part)?;
            if found.iter().any(|p| p.name == parameter.name)
                || self.target.operand(&parameter.name).is_some()
            {
                self.repeated("operand", &parameter.name, part.span);
                return None;
            }
            found.push(parameter);
        }
        Some(found)
    }

    /// `(result d bits)`, `(sources a FILE LEAST MOST)`, `(directions w)`, `(number n LEAST MOST)`.
    fn parameter_clause(&mut self, part: &Form<'_>) -> Option<Parameter> {
        let usage = "(result|source NAME FILE), (results|sources NAME FILE LEAST MOST), (directions NAME) or (number NAME LEAST MOST)";
        if !KINDS.contains(&part.head) {
            return self.expect.unknown_form(part, KINDS);
        }
        let operands = match part.head {
            "directions" => 1,
            "result" | "source" => 2,
            "number" => 3,
            _ => 4,
        };
        self.expect.arity(part, operands..=operands, usage)?;
        let name = self.expect.name("an operand's name", &part.arguments[0])?.to_owned();
        if part.head == "directions" {
            return Some(Parameter { name, kind: ParameterKind::Directions });
        }
        if part.head == "number" {
            let least = self.expect.integer("a number", &part.arguments[1], -MAX_NUMBER..=MAX_NUMBER)?;
            let most = self.expect.integer("a number", &part.arguments[2], least..=MAX_NUMBER)?;
            return Some(Parameter { name, kind: ParameterKind::Number(least, most) });
        }
        let writes = part.head.starts_with("result");
        let count = match part.arguments.get(2..4) {
            None => None,
            Some(bounds) => {
                let least = self.expect.integer("a number of operands", &bounds[0], 0..=MAX_SEVERAL)?;
                let most = self.expect.integer("a number of operands", &bounds[1], least..=MAX_SEVERAL)?;
                Some([least as usize, most as usize])
            }
        };
        let wanted = self.expect.name("a register file", &part.arguments[1])?;
        let known = self.target.files.iter().map(|file| file.name.as_str()).chain(["bits", "any"]);
        let place = (wanted, part.arguments[1].span);
        let file = self.expect.index_of("unknown-file", "register file", place, known)?;
        let kind = match wanted {
            "bits" => ParameterKind::Bit { writes, count },
            "any" => ParameterKind::Register { file: None, count },
            _ => ParameterKind::Register { file: Some(file), count },
        };
        Some(Parameter { name, kind })
    }

    /// The operand that an atom names, which must be of this kind.
    fn parameter(
        &mut self,
        operands: &[Parameter],
        sexp: &Sexp,
        what: &str,
        is: fn(ParameterKind) -> bool,
    ) -> Option<usize> {
        let name = self.expect.name("an operand of the instruction", sexp)?;
        let known = operands.iter().map(|p| p.name.as_str());
        let index = self.expect.index_of("unknown-operand", "operand", (name, sexp.span), known)?;
        if is(operands[index].kind) { Some(index) } else { self.expect.mismatch(what, sexp) }
    }

    fn number(&mut self, operands: &[Parameter], sexp: &Sexp) -> Option<usize> {
        self.parameter(operands, sexp, "a number operand", |kind| matches!(kind, ParameterKind::Number(..)))
    }

    fn step(&mut self, operands: &[Parameter], part: &Form<'_>) -> Option<Step> {
        match part.head {
            "do" => {
                self.expect.arity(part, 1..=usize::MAX, "(do INSTRUCTION OPERAND…)")?;
                let name = self.expect.name("an instruction", &part.arguments[0])?.to_owned();
                self.check_above(&name, &part.arguments[0])?;
                let operands = self.step_operands(operands, &part.arguments[1..])?;
                Some(Step::Call { name, operands })
            }
            "set" | "update" | "flood" => {
                let usage = format!("({} CYCLES (BIT TERM)…)", part.head);
                self.expect.arity(part, 2..=usize::MAX, &usage)?;
                let cycles = self.cycles(&part.arguments[0])?;
                let mut sets = Vec::new();
                for sexp in &part.arguments[1..] {
                    let pair = self.expect.list("(BIT TERM)", sexp)?;
                    let [bit, term] = pair else { return self.expect.mismatch("(BIT TERM)", sexp) };
                    sets.push((self.bit_ref(operands, bit)?, self.term(operands, term)?));
                }
                let how = match part.head {
                    "set" => SetKind::Once,
                    "update" => SetKind::Update,
                    _ => SetKind::Flood,
                };
                Some(Step::Set { sets, how, cycles })
            }
            "number" => {
                self.expect.arity(part, 2..=2, "(number REGISTER OPERAND)")?;
                let register = self.step_operand(operands, &part.arguments[0])?;
                let number = self.number(operands, &part.arguments[1])?;
                Some(Step::Number { register, number })
            }
            "lost" => Some(Step::Lost(self.step_operands(operands, part.arguments)?)),
            "inexact" => {
                let usage = "(inexact CYCLES \"WHAT\" REGISTER…), with (CYCLES EACH COUNT) for cycles for each unit of a number";
                self.expect.arity(part, 3..=usize::MAX, usage)?;
                let cycles = self.counted_cycles(operands, &part.arguments[0])?;
                let what = self.expect.text("what it is", &part.arguments[1])?.to_owned();
                let registers = self.step_operands(operands, &part.arguments[2..])?;
                Some(Step::Inexact { what, registers, cycles })
            }
            "choose" => self.choose(operands, part),
            "wait" => {
                self.expect.arity(part, 1..=1, "(wait CYCLES)")?;
                Some(Step::Wait(self.cycles(&part.arguments[0])?))
            }
            _ => self.expect.unknown_form(part, STEPS),
        }
    }

    /// Reports an instruction that is not declared above: so none is a step of its own.
    fn check_above(&mut self, name: &str, place: &Sexp) -> Option<()> {
        let primitives = self.target.primitives.iter().map(|primitive| &primitive.name);
        let macros = self.target.macros.iter().map(|template| &template.name);
        let known = primitives.chain(macros).chain(self.target.logic.iter().map(|logic| &logic.name));
        let known = known.map(String::as_str);
        let what = "instruction, above this one,";
        self.expect.index_of("unknown-instruction", what, (name, place.span), known).map(drop)
    }

    /// `(choose COUNT STEP…)`, with a step for each number that the operand can be.
    fn choose(&mut self, operands: &[Parameter], part: &Form<'_>) -> Option<Step> {
        self.expect.arity(part, 2..=usize::MAX, "(choose COUNT STEP…)")?;
        let [count, steps @ ..] = part.arguments else { return None };
        let number = self.number(operands, count)?;
        if let ParameterKind::Number(least, most) = operands[number].kind
            && most - least + 1 != steps.len() as i64
        {
            let numbers = most - least + 1;
            let message = format!("{} steps for the {numbers} numbers from {least} to {most}", steps.len());
            let wrong = Diagnostic::error("bad-choice", message).label(part.span, "one step for each number");
            return self.expect.report(wrong);
        }
        let mut among = Vec::new();
        for sexp in steps {
            let inner = self.expect.form("a step", sexp)?;
            among.push(self.step(operands, &inner)?);
        }
        Some(Step::Choose { number, among })
    }

    fn cycles(&mut self, sexp: &Sexp) -> Option<u32> {
        self.expect.integer("a number of cycles", sexp, 0..=1 << 20).map(|cycles| cycles as u32)
    }

    fn counted_cycles(&mut self, operands: &[Parameter], sexp: &Sexp) -> Option<(u32, Option<(u32, usize)>)> {
        if sexp.as_atom().is_some() {
            return Some((self.cycles(sexp)?, None));
        }
        let parts = self.expect.list("(CYCLES EACH COUNT)", sexp)?;
        let [fixed, each, count] = parts else { return self.expect.mismatch("(CYCLES EACH COUNT)", sexp) };
        let count = self.number(operands, count)?;
        Some((self.cycles(fixed)?, Some((self.cycles(each)?, count))))
    }

    fn step_operands(&mut self, operands: &[Parameter], sexps: &[Sexp]) -> Option<Vec<StepOperand>> {
        sexps.iter().map(|sexp| self.step_operand(operands, sexp)).collect()
    }

    fn step_operand(&mut self, operands: &[Parameter], sexp: &Sexp) -> Option<StepOperand> {
        let name = self.expect.atom("an operand", sexp)?;
        if let Some(index) = operands.iter().position(|p| p.name == name) {
            return Some(StepOperand::Formal(index));
        }
        match self.target.operand(name) {
            Some(operand) => Some(StepOperand::Fixed(operand)),
            None => self.unknown_part(operands, name, sexp),
        }
    }

    fn unknown_part<T>(&mut self, operands: &[Parameter], name: &str, sexp: &Sexp) -> Option<T> {
        let target = &self.target;
        let machine = target.registers.iter().map(|r| r.name.as_str());
        let bits = target.bits.iter().map(|b| b.name.as_str());
        let known: Vec<&str> = operands.iter().map(|p| p.name.as_str()).chain(machine).chain(bits).collect();
        self.expect.unknown("unknown-register", "register or operand", name, sexp.span, known)
    }

    fn bit_ref(&mut self, operands: &[Parameter], sexp: &Sexp) -> Option<BitRef> {
        let bit = |kind: ParameterKind| matches!(kind, ParameterKind::Bit { .. });
        match self.step_operand(operands, sexp)? {
            StepOperand::Formal(index) if bit(operands[index].kind) => Some(BitRef::Formal(index)),
            StepOperand::Fixed(Operand::Bit(bit)) => Some(BitRef::Fixed(bit)),
            _ => self.expect.mismatch("a bit", sexp),
        }
    }

    fn term(&mut self, operands: &[Parameter], sexp: &Sexp) -> Option<Term> {
        match sexp.as_atom() {
            Some("0") => return Some(Term::Constant(false)),
            Some("1") => return Some(Term::Constant(true)),
            Some(_) => return self.single(operands, sexp).map(Term::Bit),
            None => {}
        }
        let form = self.expect.form("a term", sexp)?;
        match form.head {
            "not" => {
                self.expect.arity(&form, 1..=1, "(not TERM)")?;
                Some(Term::Not(Box::new(self.term(operands, &form.arguments[0])?)))
            }
            "and" => Some(Term::And(self.terms(operands, form.arguments)?)),
            "or" => Some(Term::Or(self.terms(operands, form.arguments)?)),
            "at" => {
                self.expect.arity(&form, 3..=3, "(at BIT DIRECTION BEYOND), with 0 or 1 beyond the edge")?;
                let bit = self.single(operands, &form.arguments[0])?;
                let direction = self.known_direction(&form.arguments[1])?;
                let beyond = self.expect.integer("0 or 1", &form.arguments[2], 0..=1)? == 1;
                Some(Term::At(bit, direction, beyond))
            }
            "has" => {
                self.expect.arity(&form, 2..=2, "(has OPERAND DIRECTION)")?;
                let set = |kind| kind == ParameterKind::Directions;
                let formal = self.parameter(operands, &form.arguments[0], "an operand of directions", set)?;
                Some(Term::Has(formal, self.known_direction(&form.arguments[1])?))
            }
            "positive" => {
                self.expect.arity(&form, 1..=usize::MAX, "(positive SOURCE…)")?;
                let mut sources = Vec::new();
                for sexp in form.arguments {
                    sources.push(self.source_ref(operands, sexp)?);
                }
                Some(Term::Positive(sources))
            }
            _ => self.expect.unknown_form(&form, TERMS),
        }
    }

    /// The terms below `and` and `or`, where an operand may stand for several.
    fn terms(&mut self, operands: &[Parameter], sexps: &[Sexp]) -> Option<Vec<Term>> {
        let several = |sexp: &Sexp| operands.iter().any(|p| Some(p.name.as_str()) == sexp.as_atom());
        let mut terms = Vec::new();
        for sexp in sexps {
            terms.push(match several(sexp) {
                true => Term::Bit(self.bit_ref(operands, sexp)?),
                false => self.term(operands, sexp)?,
            });
        }
        Some(terms)
    }

    /// A single bit, not an operand that stands for several.
    fn single(&mut self, operands: &[Parameter], sexp: &Sexp) -> Option<BitRef> {
        match self.bit_ref(operands, sexp)? {
            BitRef::Formal(index) if operands[index].kind.count().is_some() => {
                self.expect.mismatch("one bit; several can stand below `and` and `or`", sexp)
            }
            bit => Some(bit),
        }
    }

    fn source_ref(&mut self, operands: &[Parameter], sexp: &Sexp) -> Option<SourceRef> {
        let register = |kind: ParameterKind| matches!(kind, ParameterKind::Register { .. });
        match self.step_operand(operands, sexp)? {
            StepOperand::Formal(index) if register(operands[index].kind) => Some(SourceRef::Formal(index)),
            StepOperand::Fixed(Operand::Register(register)) => Some(SourceRef::Register(register)),
            StepOperand::Fixed(Operand::View(view)) => Some(SourceRef::View(view)),
            _ => self.expect.mismatch("an analogue register", sexp),
        }
    }

    /// Checks an instruction once everything is declared: with a different register for each operand the machine allows every
    /// step, and the steps leave what is stated.
    pub(super) fn check_instruction(&mut self, index: usize, form: &Form<'_>) -> Option<()> {
        let logic = self.target.logic[index].clone();
        for instruction in self.target.logic_examples(&logic) {
            if let Err(violation) = self.target.check_instruction(&instruction) {
                let label = format!("in the instruction `{}`", logic.name);
                let (id, message) = match &violation {
                    Violation::ChangedByAlias { register, .. } => {
                        let written = |operand: &Operand| self.target.operand_text(*operand) == *register;
                        let operand = instruction.operands.iter().position(written).unwrap_or(0);
                        let name =
                            logic.operands.get(operand).map_or("", |parameter| parameter.name.as_str());
                        (
                            "bad-meaning",
                            format!("the steps do not leave in `{name}` what `{}` states", logic.name),
                        )
                    }
                    other => ("bad-expansion", other.to_string()),
                };
                return self.expect.report(Diagnostic::error(id, message).label(form.span, label));
            }
        }
        Some(())
    }
}
