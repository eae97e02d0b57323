//! The reader of `(when CONDITION…)`.

use super::{Reader, Scope};
use crate::rule::condition::{Argument, Parameter};
use crate::rule::{Condition, PREDICATES, Sort};
use crate::syntax::{Diagnostic, Sexp};

impl Reader<'_> {
    /// Reads `(PREDICATE ARGUMENT…)`, over variables of the left side.
    pub(super) fn condition(&mut self, sexp: &Sexp, scope: &mut Scope, bound: usize) -> Option<Condition> {
        let form = self.expect.form("a condition, such as `(fewer-taps ?a ?b)`", sexp)?;
        let (head, known) = ((form.head, form.head_span), PREDICATES.iter().map(|predicate| predicate.name));
        let predicate = &PREDICATES[self.expect.index_of("unknown-condition", "condition", head, known)?];
        let words = predicate.parameters.iter().map(|parameter| match parameter {
            Parameter::Kernel => " ?x",
            Parameter::Number => " NUMBER",
            Parameter::Count => " COUNT",
        });
        let usage = format!("({}{})", predicate.name, words.collect::<String>());
        let count = predicate.parameters.len();
        self.expect.arity(&form, count..=count, &usage)?;
        let arguments =
            predicate.parameters.iter().zip(form.arguments).map(|(parameter, item)| match parameter {
                Parameter::Kernel => self.kernel_argument(item, scope, bound),
                Parameter::Number | Parameter::Count => {
                    let before = scope.uses.len();
                    let number = self.number(item, scope)?;
                    let uses = scope.uses[before..].to_vec();
                    for (id, span) in uses {
                        if !scope.uses[..bound].iter().any(|(used, _)| *used == id) {
                            let name = scope.variables[id.0].name.clone();
                            return self.unbound(&name, span, scope, bound);
                        }
                    }
                    Some(Argument::Number(number))
                }
            });
        let arguments: Vec<Option<Argument>> = arguments.collect();
        Some(Condition { predicate, arguments: arguments.into_iter().collect::<Option<_>>()? })
    }

    fn kernel_argument(&mut self, item: &Sexp, scope: &mut Scope, bound: usize) -> Option<Argument> {
        let id = self.variable(item, scope, None)?;
        match scope.variables[id.0].sort {
            Sort::Kernel => {}
            Sort::Sequence => {
                let diagnostic =
                    Diagnostic::error("sequence-in-condition", "a condition asks about single kernels");
                return self.expect.report(diagnostic.label(item.span, "this is a sequence"));
            }
            Sort::Channel => {
                let diagnostic = Diagnostic::error("channel-in-condition", "a condition asks about kernels");
                return self.expect.report(diagnostic.label(item.span, "this is a channel"));
            }
            Sort::Number => {
                let diagnostic =
                    Diagnostic::error("number-in-condition", "this condition asks about kernels");
                return self.expect.report(diagnostic.label(item.span, "this is a number"));
            }
        }
        if !scope.uses[..bound].iter().any(|(used, _)| *used == id) {
            let name = scope.variables[id.0].name.clone();
            return self.unbound(&name, item.span, scope, bound);
        }
        Some(Argument::Kernel(id))
    }
}
