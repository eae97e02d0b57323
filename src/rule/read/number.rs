//! Numbers in rule files: `3/4`, `?c` and `(eval EXPRESSION)`.

use super::{Reader, Scope};
use crate::algebra::Rational;
use crate::rule::{Expression, Operation, Sort};
use crate::syntax::{Diagnostic, Sexp};

impl Reader<'_> {
    /// Reads `3/4`, `?c` or `(eval EXPRESSION)`.
    pub(super) fn number(&mut self, sexp: &Sexp, scope: &mut Scope) -> Option<Expression> {
        match sexp.as_form() {
            Some(form) if form.head == "eval" => {
                self.expect.arity(&form, 1..=1, "(eval EXPRESSION)")?;
                self.expression(&form.arguments[0], scope)
            }
            Some(form) if Operation::ALL.iter().any(|(name, _)| *name == form.head) => {
                let diagnostic = Diagnostic::error("unexpected", "a computed number outside `eval`");
                let help = format!("write `(eval {})`", self.source.slice(sexp.span));
                self.expect.report(diagnostic.label(sexp.span, "expected a number, or `(eval …)`").help(help))
            }
            Some(_) => self.expect.mismatch("a number, a variable or `(eval …)`", sexp),
            None => self.operand(sexp, scope),
        }
    }

    fn expression(&mut self, sexp: &Sexp, scope: &mut Scope) -> Option<Expression> {
        let Some(form) = sexp.as_form() else { return self.operand(sexp, scope) };
        let found = (form.head, form.head_span);
        let operation = self.expect.one_of("unknown-operation", "operation", found, &Operation::ALL)?;
        self.expect.arity(&form, 1..=usize::MAX, &format!("({} NUMBER…)", form.head))?;
        let operands: Vec<_> = form.arguments.iter().map(|item| self.expression(item, scope)).collect();
        Some(Expression::Apply(operation, operands.into_iter().collect::<Option<_>>()?))
    }

    /// Reads a number or a number variable.
    fn operand(&mut self, sexp: &Sexp, scope: &mut Scope) -> Option<Expression> {
        if sexp.as_atom().is_some_and(|atom| atom.starts_with('?')) {
            return self.variable(sexp, scope, Some(Sort::Number)).map(Expression::Variable);
        }
        let number = self.expect.fraction("a factor", sexp)?;
        Rational::new(number.numerator, number.denominator).map(Expression::Literal)
    }
}
