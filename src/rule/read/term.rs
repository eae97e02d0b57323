//! Terms of rule files: patterns and numbers.

use super::{Reader, Scope};
use crate::algebra::Rational;
use crate::rule::{Constant, Expression, Operation, Pattern, Sort, Variable, VariableId};
use crate::syntax::{Diagnostic, Form, Sexp};
use crate::term::{read_direction, read_kernel};

/// How far a shift or a scan may go: rules are checked on kernels that store all places which these span.
const FARTHEST: i64 = 256;

const OPERATORS: &[&str] = &["add", "sub", "scale", "neg", "shift", "compose", "id", "kernel", "scan"];

impl Reader<'_> {
    /// A term over variables; on a left side factors are numbers or variables, as nothing else can be looked for.
    pub(super) fn pattern(&mut self, sexp: &Sexp, scope: &mut Scope, is_left: bool) -> Option<Pattern> {
        if sexp.as_atom().is_some() {
            let id = self.variable(sexp, scope, None)?;
            return match scope.variables[id.0].sort {
                Sort::Kernel => Some(Pattern::Variable(id)),
                Sort::Sequence => {
                    let message = format!("a sequence, {}, stands outside of a sum", sexp.describe());
                    self.expect.report(
                        Diagnostic::error("sequence-outside-sum", message)
                            .label(sexp.span, "only `(add …)` may have a sequence among its terms"),
                    )
                }
                Sort::Number => {
                    let message = format!("a number, {}, stands in the place of a kernel", sexp.describe());
                    let help =
                        format!("the kernel that multiplies by it is `(scale {} (id))`", sexp.as_atom()?);
                    self.expect.report(
                        Diagnostic::error("number-as-term", message)
                            .label(sexp.span, "expected a kernel")
                            .help(help),
                    )
                }
            };
        }
        let form = self.expect.form("a term", sexp)?;
        match form.head {
            "add" => self.sum(&form, scope, is_left),
            "sub" => {
                self.expect.arity(&form, 2..=2, "(sub TERM TERM)")?;
                let minuend = self.pattern(&form.arguments[0], scope, is_left);
                let subtrahend = self.pattern(&form.arguments[1], scope, is_left);
                let negated = Pattern::Negated(Box::new(subtrahend?));
                Some(Pattern::Sum { terms: vec![minuend?, negated], rests: Vec::new() })
            }
            "scale" => self.scaled(&form, scope, is_left),
            "neg" => {
                self.expect.arity(&form, 1..=1, "(neg TERM)")?;
                Some(Pattern::Negated(Box::new(self.pattern(&form.arguments[0], scope, is_left)?)))
            }
            "shift" => {
                self.expect.arity(&form, 3..=4, "(shift DX DY [DZ] TERM)")?;
                let (body, coordinates) = form.arguments.split_last()?;
                let mut offset = [0; 3];
                for (axis, sexp) in coordinates.iter().enumerate() {
                    let range = -FARTHEST..=FARTHEST;
                    offset[axis] =
                        i32::try_from(self.expect.integer("a number of pixels", sexp, range)?).ok()?;
                }
                let body = self.pattern(body, scope, is_left)?;
                Some(Pattern::Moved(offset, Box::new(body)))
            }
            "compose" => {
                self.expect.arity(&form, 2..=usize::MAX, "(compose TERM TERM…)")?;
                let parts: Vec<_> =
                    form.arguments.iter().map(|item| self.pattern(item, scope, is_left)).collect();
                let mut parts = parts.into_iter().collect::<Option<Vec<_>>>()?;
                let last = parts.pop()?;
                let nest = |inner, outer| Pattern::Compose(Box::new([outer, inner]));
                Some(parts.into_iter().rev().fold(last, nest))
            }
            "id" => {
                self.expect.arity(&form, 0..=0, "(id)")?;
                Some(Pattern::Identity)
            }
            "kernel" => {
                let (taps, placed) = read_kernel(&mut self.expect, &form)?;
                Some(Pattern::Constant(Box::new(Constant { taps, placed })))
            }
            "scan" => {
                self.expect.arity(&form, 1..=3, "(scan DIRECTION)")?;
                let direction = read_direction(&mut self.expect, &form)?;
                if direction.step().iter().any(|along| i64::from(along.abs()) > FARTHEST) {
                    let message = format!("a scan in steps of more than {FARTHEST} pixels");
                    let label = format!("expected -{FARTHEST} to {FARTHEST}");
                    return self
                        .expect
                        .report(Diagnostic::error("out-of-range", message).label(form.span, label));
                }
                Some(Pattern::Scan(direction))
            }
            _ => self.expect.unknown(
                "unknown-operator",
                "operator",
                form.head,
                form.head_span,
                OPERATORS.iter().copied(),
            ),
        }
    }

    fn sum(&mut self, form: &Form<'_>, scope: &mut Scope, is_left: bool) -> Option<Pattern> {
        self.expect.arity(form, 1..=usize::MAX, "(add TERM… ?rest...)")?;
        let (mut terms, mut rests, mut fine) = (Vec::new(), Vec::new(), true);
        for item in form.arguments {
            if item.as_atom().is_some_and(|atom| atom.ends_with("...")) {
                match self.variable(item, scope, None) {
                    Some(id) => rests.push(id),
                    None => fine = false,
                }
            } else {
                match self.pattern(item, scope, is_left) {
                    Some(term) => terms.push(term),
                    None => fine = false,
                }
            }
        }
        fine.then_some(Pattern::Sum { terms, rests })
    }

    /// `(scale NUMBER TERM)`.
    fn scaled(&mut self, form: &Form<'_>, scope: &mut Scope, is_left: bool) -> Option<Pattern> {
        self.expect.arity(form, 2..=2, "(scale NUMBER TERM)")?;
        let factor = &form.arguments[0];
        let number = self.number(factor, scope);
        let body = self.pattern(&form.arguments[1], scope, is_left);
        let number = number?;
        if number == Expression::Literal(Rational::ZERO) {
            self.zeros.push(factor.span);
        }
        match number {
            Expression::Apply(..) if is_left => {
                let diagnostic = Diagnostic::error("computed-left", "a left side computes nothing");
                self.expect.report(
                    diagnostic
                        .label(factor.span, "expected a number or a variable")
                        .help("look for `(scale ?c …)`, and say in `(when …)` what `?c` must be"),
                )
            }
            factor => Some(Pattern::Scaled(factor, Box::new(body?))),
        }
    }

    /// `3/4`, `?c` or `(eval EXPRESSION)`.
    pub(super) fn number(&mut self, sexp: &Sexp, scope: &mut Scope) -> Option<Expression> {
        match sexp.as_form() {
            Some(form) if form.head == "eval" => {
                self.expect.arity(&form, 1..=1, "(eval EXPRESSION)")?;
                self.expression(&form.arguments[0], scope)
            }
            Some(form) if Operation::ALL.iter().any(|(name, _)| *name == form.head) => {
                let diagnostic =
                    Diagnostic::error("unexpected", "a computed number stands outside of `eval`");
                let help = format!("write `(eval {})`", self.source.slice(sexp.span));
                self.expect.report(diagnostic.label(sexp.span, "expected a number, or `(eval …)`").help(help))
            }
            Some(_) => self.expect.mismatch("a number, a variable or `(eval …)`", sexp),
            None => self.operand(sexp, scope),
        }
    }

    fn expression(&mut self, sexp: &Sexp, scope: &mut Scope) -> Option<Expression> {
        let Some(form) = sexp.as_form() else { return self.operand(sexp, scope) };
        let operation = Operation::ALL.iter().find(|(name, _)| *name == form.head);
        let Some((_, operation)) = operation else {
            let known = Operation::ALL.iter().map(|(name, _)| *name);
            return self.expect.unknown("unknown-operation", "operation", form.head, form.head_span, known);
        };
        self.expect.arity(&form, 1..=usize::MAX, &format!("({} NUMBER…)", form.head))?;
        let operands: Vec<_> = form.arguments.iter().map(|item| self.expression(item, scope)).collect();
        Some(Expression::Apply(*operation, operands.into_iter().collect::<Option<_>>()?))
    }

    /// A number or a number variable.
    fn operand(&mut self, sexp: &Sexp, scope: &mut Scope) -> Option<Expression> {
        if sexp.as_atom().is_some_and(|atom| atom.starts_with('?')) {
            return self.variable(sexp, scope, Some(Sort::Number)).map(Expression::Variable);
        }
        let number = self.expect.fraction("a factor", sexp)?;
        Rational::new(number.numerator, number.denominator).map(Expression::Literal)
    }

    /// `?name` or `?name...`. One that is new has the sort `sort`, or that of its form; a known one keeps its own.
    pub(super) fn variable(
        &mut self,
        sexp: &Sexp,
        scope: &mut Scope,
        sort: Option<Sort>,
    ) -> Option<VariableId> {
        let text = sexp.as_atom().unwrap_or_default();
        let Some(name) = text.strip_prefix('?').filter(|name| !name.is_empty() && *name != "...") else {
            let diagnostic =
                Diagnostic::error("unexpected", format!("expected a term, found {}", sexp.describe()))
                    .label(sexp.span, "expected a variable, such as `?x`, or a form, such as `(add …)`");
            return self.expect.report(diagnostic.help("variables begin with `?`"));
        };
        let (name, is_sequence) = name.strip_suffix("...").map_or((name, false), |name| (name, true));
        let index = match scope.variables.iter().position(|variable| variable.name == name) {
            Some(index) => {
                let known = scope.variables[index].sort;
                if (known == Sort::Sequence) != is_sequence
                    || sort.is_some_and(|sort| sort != known && known != Sort::Sequence)
                {
                    return self.mixed(name, index, sexp, scope, known, is_sequence);
                }
                index
            }
            None if !self.is_short(name, sexp.span) => return None,
            None => {
                let own = if is_sequence { Sort::Sequence } else { Sort::Kernel };
                scope.variables.push(Variable { name: name.to_owned(), sort: sort.unwrap_or(own) });
                scope.variables.len() - 1
            }
        };
        scope.uses.push((VariableId(index), sexp.span));
        Some(VariableId(index))
    }

    /// Reports a variable that is two things.
    fn mixed<T>(
        &mut self,
        name: &str,
        index: usize,
        sexp: &Sexp,
        scope: &Scope,
        known: Sort,
        is_sequence: bool,
    ) -> Option<T> {
        let message = match (known, is_sequence) {
            (Sort::Sequence, _) | (_, true) => format!("`?{name}` is one kernel here and a sequence there"),
            _ => format!("`?{name}` is a number here and a kernel there"),
        };
        let before = scope.uses.iter().find(|(id, _)| id.0 == index).map(|(_, span)| *span);
        let mut diagnostic = Diagnostic::error("mixed-variable", message).label(sexp.span, "this use");
        if let Some(span) = before {
            diagnostic = diagnostic.label(span, "differs from this one");
        }
        self.expect.report(diagnostic)
    }
}
