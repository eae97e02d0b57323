//! The reason why there is no program, and the place in the file that is at fault.

use crate::backend::OptimizeError;
use crate::backend::vector::machine::VliwMachine;
use crate::backend::vector::schedule::Infeasible;
use crate::backend::vector::schedule::constant::Inapplicable;
use crate::backend::vector::workload::{Element, Workload};
use crate::syntax::{Diagnostic, Span};

/// The name of a filter's output, and its place in the file.
pub(super) type Named = (String, Span);

/// The reason why there is no program: that of the plainest plan.
#[derive(Debug)]
pub(super) struct Refusal {
    why: String,
    /// The coefficient that is too large for the machine, and the type that it should fit.
    coefficient: Option<(i64, Element)>,
}

impl From<Inapplicable> for Refusal {
    fn from(why: Inapplicable) -> Self {
        let coefficient = match why {
            Inapplicable::Coefficient(value, element)
            | Inapplicable::Infeasible(Infeasible::Coefficient { value, element }) => Some((value, element)),
            _ => None,
        };
        Self { why: why.to_string(), coefficient }
    }
}

impl From<Infeasible> for Refusal {
    fn from(why: Infeasible) -> Self {
        Inapplicable::from(why).into()
    }
}

impl Refusal {
    /// The message to the user.
    pub(super) fn error(
        &self,
        machine: &VliwMachine,
        workload: &Workload,
        outputs: &[Named],
    ) -> OptimizeError {
        let (span, label) = self.place(workload, outputs);
        let why = self.text(workload, outputs);
        let message = format!("`{}` cannot be compiled for `{}`: {why}", workload.name, machine.name);
        OptimizeError::NoProgram(Diagnostic::error("no-vector-program", message).label(span, label).into())
    }

    /// The output that has the coefficient.
    fn output<'o>(&self, workload: &Workload, outputs: &'o [Named]) -> Option<&'o Named> {
        let (value, _) = self.coefficient?;
        let at = workload.kernels().position(|kernel| kernel.contains(&value))?;
        outputs.get(at)
    }

    fn text(&self, workload: &Workload, outputs: &[Named]) -> String {
        match (self.coefficient, self.output(workload, outputs)) {
            (Some((value, element)), Some((name, _))) => {
                format!("the coefficient {value} of the output `{name}` does not fit in {element}")
            }
            _ => self.why.clone(),
        }
    }

    fn place(&self, workload: &Workload, outputs: &[Named]) -> (Span, &'static str) {
        match self.output(workload, outputs) {
            Some((_, span)) => (*span, "in this output"),
            None => (Span::at(0), "this file"),
        }
    }
}
