//! Says why instructions of a listing are not allowed.

use crate::backend::array::machine::{Broken, Listing};
use crate::syntax::{Diagnostic, Diagnostics};

/// The diagnostics for broken rules, each at the place of its instruction.
pub(super) fn refusals(refused: &Broken, listing: &Listing, lenient: bool) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    for (index, violation) in refused {
        let diagnostic = Diagnostic::error(violation.rule(), violation.to_string());
        let help = (violation.is_operand_rule() && !lenient)
            .then(|| "--lenient evaluates what a simulator without this rule computes".to_owned());
        let place = listing.spans[*index];
        diagnostics.push(diagnostic.label(place, "the machine does not allow this").help_if(help));
    }
    diagnostics
}
