//! The reader of peephole rules: `(|> (INSTRUCTION OPERAND…)…) => (|> …)`.

use super::Reader;
use crate::rule::peephole::{Peephole, Slot, Step};
use crate::syntax::{Diagnostic, Sexp};

/// The head of a sequence of instructions.
const HEAD: &str = "|>";

/// Whether a side is a sequence of instructions.
pub(super) fn is_sequence(side: &Sexp) -> bool {
    side.as_form().is_some_and(|form| form.head == HEAD)
}

impl Reader<'_> {
    /// Reads both sides of a peephole rule, and the operands it declares dead.
    pub(super) fn peephole(&mut self, lhs: &Sexp, rhs: &Sexp, conditions: &[&Sexp]) -> Option<Peephole> {
        let lhs_steps = self.steps(lhs);
        let rhs_steps = self.steps(rhs);
        let mut rule = Peephole { lhs: lhs_steps?, rhs: rhs_steps?, dead: Vec::new() };
        if rule.lhs.is_empty() {
            let diagnostic = Diagnostic::error("no-instruction", "a left side without instructions");
            return self.expect.report(diagnostic.label(lhs.span, "expected `(|> (INSTRUCTION OPERAND…)…)`"));
        }
        let known: Vec<String> = rule.variables().into_iter().map(str::to_owned).collect();
        let mut fine = self.bound(rhs, &known).is_some();
        for condition in conditions {
            let form = self.expect.form("a condition, such as `(dead ?a)`", condition)?;
            let head = (form.head, form.head_span);
            self.expect.index_of("unknown-condition", "condition", head, ["dead"])?;
            self.expect.arity(&form, 1..=usize::MAX, "(dead REGISTER…)")?;
            fine &= self.bound(condition, &known).is_some();
            for operand in form.arguments {
                rule.dead.push(self.slot(operand)?);
            }
        }
        fine.then_some(rule)
    }

    fn steps(&mut self, side: &Sexp) -> Option<Vec<Step>> {
        let form = self.expect.form("a sequence of instructions, `(|> …)`", side)?;
        if form.head != HEAD {
            let diagnostic = Diagnostic::error("no-sequence", "only one side is a sequence of instructions");
            return self.expect.report(diagnostic.label(side.span, "expected `(|> …)`"));
        }
        form.arguments.iter().map(|item| self.step(item)).collect()
    }

    fn step(&mut self, item: &Sexp) -> Option<Step> {
        let form = self.expect.form("an instruction, such as `(mov ?b ?a)`", item)?;
        let operands = form.arguments.iter().map(|operand| self.slot(operand)).collect::<Option<_>>()?;
        Some(Step { name: form.head.to_owned(), operands, place: self.place(item.span) })
    }

    fn slot(&mut self, item: &Sexp) -> Option<Slot> {
        let word = self.expect.atom("a variable, a register or a direction", item)?;
        Some(match word.strip_prefix('?') {
            Some(name) => Slot::Variable(name.to_owned()),
            None => Slot::Literal(word.to_owned()),
        })
    }

    /// Reports the variables that do not occur on the left side.
    fn bound(&mut self, item: &Sexp, known: &[String]) -> Option<()> {
        if let Some(name) = item.as_atom().and_then(|atom| atom.strip_prefix('?'))
            && !known.iter().any(|other| other == name)
        {
            let message = format!("`?{name}` does not occur on the left side");
            let diagnostic = Diagnostic::error("unbound-variable", message);
            return self.expect.report(diagnostic.label(item.span, "it is not bound"));
        }
        item.as_list().unwrap_or_default().iter().try_for_each(|part| self.bound(part, known))
    }
}
