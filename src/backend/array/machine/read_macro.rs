//! Reads the macros of a descriptor, and checks their expansions.

use super::descriptor::{
    DirectionId, Expression, Formal, FormalKind, Macro, Membership, Template, TemplateOperand,
};
use super::instruction::{Instruction, Operand};
use super::meaning::{fixed_registers, registers_needed};
use super::operation::Transfer;
use super::read::Reader;
use crate::algebra::Rational;
use crate::syntax::{Diagnostic, Form, Sexp, Span};

const USAGE: &str = "(macro NAME ((KIND OPERAND)…) (expansion LINE…) [(means (OPERAND VALUE)…)] [(distinct OPERAND…)] [(in ISA…)])";

/// The maximum of a count operand, which keeps expansions short enough to evaluate.
const MAX_ROUNDS: i64 = 1000;

impl Reader {
    pub(super) fn macro_clause(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 3..=6, USAGE)?;
        let name = self.expect.name("a macro's name", &form.arguments[0])?.to_owned();
        let operands = self.formals(&form.arguments[1])?;
        let taken = self.target.macros.iter().any(|m| m.name == name && m.operands.len() == operands.len())
            || self.target.primitives.iter().any(|p| p.name == name);
        if taken {
            let message =
                format!("an instruction `{name}` of {} operands is already declared", operands.len());
            let label = "instructions of one name must differ in the number of their operands";
            return self
                .expect
                .report(Diagnostic::error("repeated-name", message).label(form.arguments[0].span, label));
        }
        let mut found = Macro {
            name,
            operands,
            expansion: Vec::new(),
            means: Vec::new(),
            distinct: Vec::new(),
            member: Membership::new(),
        };
        for sexp in &form.arguments[2..] {
            let part = self.expect.form("a part of a macro", sexp)?;
            match part.head {
                "expansion" => found.expansion = self.lines(&found.operands, part.arguments)?,
                "means" => found.means = self.means(&found.operands, &part)?,
                "distinct" => {
                    for sexp in part.arguments {
                        found.distinct.push(self.formal(&found.operands, sexp)?);
                    }
                }
                "in" => found.member = self.member(&part)?,
                _ => return self.expect.unknown_form(&part, ["expansion", "means", "distinct", "in"]),
            }
        }
        self.target.macros.push(found);
        Some(())
    }

    fn formals(&mut self, sexp: &Sexp) -> Option<Vec<Formal>> {
        let mut formals: Vec<Formal> = Vec::new();
        for sexp in self.expect.list("a list of operands", sexp)? {
            let part = self.expect.form("an operand", sexp)?;
            let (name, kind) = self.formal_clause(&part)?;
            if formals.iter().any(|f| f.name == name) || self.target.operand(&name).is_some() {
                self.repeated("operand", &name, part.span);
                return None;
            }
            formals.push(Formal { name, kind });
        }
        Some(formals)
    }

    fn formal_clause(&mut self, part: &Form<'_>) -> Option<(String, FormalKind)> {
        let (reads, writes) = match part.head {
            "result" => (false, true),
            "source" => (true, false),
            "in-out" => (true, true),
            "direction" => {
                self.expect.arity(part, 1..=1, "(direction OPERAND)")?;
                return Some((
                    self.expect.name("an operand's name", &part.arguments[0])?.to_owned(),
                    FormalKind::Direction,
                ));
            }
            "count" => {
                self.expect.arity(part, 3..=3, "(count OPERAND LEAST MOST)")?;
                let name = self.expect.name("an operand's name", &part.arguments[0])?.to_owned();
                let least = self.expect.integer("a count", &part.arguments[1], 0..=MAX_ROUNDS)?;
                let most = self.expect.integer("a count", &part.arguments[2], least..=MAX_ROUNDS)?;
                return Some((name, FormalKind::Count(least as u32, most as u32)));
            }
            _ => return self.expect.unknown_form(part, ["result", "source", "in-out", "direction", "count"]),
        };
        self.expect.arity(part, 1..=2, &format!("({} OPERAND [FILE])", part.head))?;
        let name = self.expect.name("an operand's name", &part.arguments[0])?.to_owned();
        let file = match part.arguments.get(1) {
            None => 0,
            Some(sexp) => {
                let wanted = (self.expect.name("a register file", sexp)?, sexp.span);
                let known = self.target.files.iter().map(|f| f.name.as_str());
                self.expect.index_of("unknown-file", "register file", wanted, known)?
            }
        };
        Some((name, FormalKind::Register { file, reads, writes }))
    }

    /// The operand that an atom names.
    fn formal(&mut self, formals: &[Formal], sexp: &Sexp) -> Option<usize> {
        let name = self.expect.name("an operand of the macro", sexp)?;
        let known = formals.iter().map(|f| f.name.as_str());
        self.expect.index_of("unknown-operand", "operand", (name, sexp.span), known)
    }

    /// The operand that an atom names, which must be of this kind.
    fn formal_of(
        &mut self,
        formals: &[Formal],
        sexp: &Sexp,
        what: &str,
        is: fn(FormalKind) -> bool,
    ) -> Option<usize> {
        let index = self.formal(formals, sexp)?;
        if is(formals[index].kind) { Some(index) } else { self.expect.mismatch(what, sexp) }
    }

    fn lines(&mut self, formals: &[Formal], sexps: &[Sexp]) -> Option<Vec<Template>> {
        let mut lines = Vec::new();
        for sexp in sexps {
            let line = self.expect.form("an operation", sexp)?;
            if line.head == "repeat" {
                let usage = "(repeat COUNT OPERATION…) or (repeat (less COUNT N) OPERATION…)";
                self.expect.arity(&line, 2..=usize::MAX, usage)?;
                let (count, less) = match line.arguments[0].as_form() {
                    Some(part) if part.head == "less" && part.arguments.len() == 2 => (
                        &part.arguments[0],
                        self.expect.integer("a count", &part.arguments[1], 0..=MAX_ROUNDS)? as u32,
                    ),
                    _ => (&line.arguments[0], 0),
                };
                let formal = self
                    .formal_of(formals, count, "a count operand", |k| matches!(k, FormalKind::Count(..)))?;
                if matches!(formals[formal].kind, FormalKind::Count(least, _) if least < less) {
                    return self
                        .expect
                        .mismatch("a number of rounds that is never below 0", &line.arguments[0]);
                }
                lines.push(Template::Repeat {
                    formal,
                    less,
                    body: self.lines(formals, &line.arguments[1..])?,
                });
                continue;
            }
            let known = self.target.primitives.iter().map(|p| p.name.as_str()).chain(["repeat"]);
            let head = (line.head, line.head_span);
            let primitive = self.expect.index_of("unknown-operation", "operation", head, known)?;
            let mut operands = Vec::new();
            for sexp in line.arguments {
                operands.push(self.template_operand(formals, sexp)?);
            }
            lines.push(Template::Operation { primitive, operands });
        }
        Some(lines)
    }

    fn template_operand(&mut self, formals: &[Formal], sexp: &Sexp) -> Option<TemplateOperand> {
        if let Some(part) = sexp.as_form().filter(|part| part.head == "at") {
            self.expect.arity(
                &part,
                2..=2,
                "(at REGISTER DIRECTION) or (at REGISTER (opposite DIRECTION))",
            )?;
            let register = self.known_register(&part.arguments[0])?;
            let (direction, opposite) = match part.arguments[1].as_form() {
                Some(inner) if inner.head == "opposite" && inner.arguments.len() == 1 => {
                    (&inner.arguments[0], true)
                }
                _ => (&part.arguments[1], false),
            };
            let formal =
                self.formal_of(formals, direction, "a direction operand", |k| k == FormalKind::Direction)?;
            let missing = (0..self.target.directions.len())
                .find(|d| self.target.view_of(register, DirectionId(*d), opposite).is_none());
            if let Some(missing) = missing {
                let (register, way) =
                    (self.target.register_name(register), if opposite { "against" } else { "in" });
                let message = format!(
                    "`{register}` has no view {way} the direction `{}`",
                    self.target.directions[missing].name
                );
                return self
                    .expect
                    .report(Diagnostic::error("missing-view", message).label(part.span, "needed here"));
            }
            return Some(TemplateOperand::At { register, formal, opposite });
        }
        let name = self.expect.name("an operand", sexp)?;
        if let Some(index) = formals.iter().position(|f| f.name == name) {
            let register = |k: FormalKind| matches!(k, FormalKind::Register { .. });
            return self
                .formal_of(formals, sexp, "a register operand", register)
                .map(|_| TemplateOperand::Formal(index));
        }
        match self.target.operand(name) {
            Some(Operand::Register(register)) => Some(TemplateOperand::Register(register)),
            Some(Operand::View(view)) => Some(TemplateOperand::View(view)),
            _ => {
                let target = &self.target;
                let machine =
                    target.registers.iter().map(|r| &r.name).chain(target.views.iter().map(|v| &v.name));
                let known: Vec<&str> =
                    formals.iter().map(|f| f.name.as_str()).chain(machine.map(String::as_str)).collect();
                self.expect.unknown("unknown-register", "register or operand", name, sexp.span, known)
            }
        }
    }

    fn means(&mut self, formals: &[Formal], part: &Form<'_>) -> Option<Vec<(usize, Expression)>> {
        let mut means = Vec::new();
        for sexp in part.arguments {
            let pair = self.expect.list("(OPERAND VALUE)", sexp)?;
            let [result, value] = pair else { return self.expect.mismatch("(OPERAND VALUE)", sexp) };
            let writes = |k: FormalKind| matches!(k, FormalKind::Register { writes: true, .. });
            let index = self.formal_of(formals, result, "an operand that holds a result", writes)?;
            means.push((index, self.expression(formals, value)?));
        }
        Some(means)
    }

    fn expression(&mut self, formals: &[Formal], sexp: &Sexp) -> Option<Expression> {
        if sexp.as_atom() == Some("0") {
            return Some(Expression::Sum(Vec::new()));
        }
        let Some(form) = sexp.as_form() else {
            let reads = |k: FormalKind| matches!(k, FormalKind::Register { reads: true, .. });
            return self.formal_of(formals, sexp, "an operand that is read", reads).map(Expression::Formal);
        };
        match form.head {
            "sum" => {
                let mut terms = Vec::new();
                for term in form.arguments {
                    terms.push((Rational::ONE, self.expression(formals, term)?));
                }
                Some(Expression::Sum(terms))
            }
            "sub" => {
                self.expect.arity(&form, 2..=2, "(sub VALUE VALUE)")?;
                let plus = self.expression(formals, &form.arguments[0])?;
                let minus = self.expression(formals, &form.arguments[1])?;
                Some(Expression::Sum(vec![(Rational::ONE, plus), (Rational::ONE.negate(), minus)]))
            }
            "scale" => {
                self.expect.arity(&form, 2..=2, "(scale NUMBER VALUE)")?;
                let factor = self.rational("a factor", &form.arguments[0])?;
                Some(Expression::Sum(vec![(factor, self.expression(formals, &form.arguments[1])?)]))
            }
            "at" => {
                self.expect.arity(&form, 2..=usize::MAX, "(at VALUE DIRECTION…)")?;
                let inner = self.expression(formals, &form.arguments[0])?;
                let mut directions = Vec::new();
                for sexp in &form.arguments[1..] {
                    let direction = |k| k == FormalKind::Direction;
                    directions.push(self.formal_of(formals, sexp, "a direction operand", direction)?);
                }
                Some(Expression::At(Box::new(inner), directions))
            }
            _ => self.expect.unknown_form(&form, ["sum", "sub", "scale", "at"]),
        }
    }

    /// Checks a macro once everything is declared: each operation is legal, operands are used according to their kinds, and the
    /// stated meaning agrees with the expansion.
    pub(super) fn check_macro(&mut self, index: usize, form: &Form<'_>) -> Option<()> {
        let template = self.target.macros[index].clone();
        let name = template.name.clone();
        let bad = |message: String| {
            Diagnostic::error("bad-expansion", message).label(form.span, format!("in the macro `{name}`"))
        };
        let needed = registers_needed(&template, self.target.files.len());
        for (file, needed) in self.target.files.iter().zip(&needed) {
            if *needed > file.registers.len() {
                let message =
                    format!("`{name}` needs {needed} registers of `{}`, which has fewer", file.name);
                return self.expect.report(bad(message));
            }
        }
        for register in fixed_registers(&self.target, &template.expansion) {
            let file = self.target.registers[register.0].file;
            if needed[file] > 0 || self.target.files[file].registers.len() > 1 {
                let register = self.target.register_name(register);
                let message = format!(
                    "`{register}` is fixed in the expansion, but belongs to a file that operands are chosen from"
                );
                return self.expect.report(bad(message));
            }
        }
        for instruction in self.target.choices(&template) {
            if let Err(message) = self.check_choice(&template, &instruction) {
                return self.expect.report(bad(message));
            }
        }
        if let Some((operand, stated, found)) = self.target.contradiction(&template) {
            let message = format!(
                "the expansion does not leave in `{}` the value that `{name}` states",
                template.operands[operand].name
            );
            let label: (Span, String) =
                (form.span, format!("stated: {stated}; the expansion leaves: {found}"));
            return self.expect.report(Diagnostic::error("bad-meaning", message).label(label.0, label.1));
        }
        Some(())
    }

    /// Checks one choice of a macro's immediates, with a different register for each register operand.
    fn check_choice(&self, template: &Macro, instruction: &Instruction) -> Result<(), String> {
        let mut transfers: Vec<Transfer> = Vec::new();
        for operation in self.target.expand(instruction).map_err(|v| v.to_string())? {
            let primitive = self.target.primitive_of(&operation);
            let transfer = self.target.transfer(primitive, &operation).map_err(|v| v.to_string())?;
            self.target.check_operands(&operation, &transfer).map_err(|v| v.to_string())?;
            transfers.push(transfer);
        }
        for (formal, operand) in template.operands.iter().zip(&instruction.operands) {
            let (FormalKind::Register { reads, writes, .. }, Operand::Register(register)) =
                (formal.kind, operand)
            else {
                continue;
            };
            let written = transfers.iter().position(|s| s.writes.iter().any(|w| w.register == *register));
            let read = transfers.iter().position(|s| s.reads.iter().any(|(r, _)| r.register == *register));
            match (reads, writes, read, written) {
                (_, false, _, Some(_)) => return Err(format!("the source `{}` is overwritten", formal.name)),
                (_, true, _, None) => return Err(format!("nothing is written to `{}`", formal.name)),
                (true, _, None, _) => return Err(format!("`{}` is never read", formal.name)),
                (false, _, Some(read), Some(written)) if read <= written => {
                    return Err(format!("the result `{}` is read before it is written", formal.name));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
