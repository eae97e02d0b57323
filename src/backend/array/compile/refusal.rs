//! Says why an instruction of a listing is not allowed.

use crate::backend::array::machine::{Listing, Violation};
use crate::syntax::Diagnostic;

/// The diagnostic for a broken rule, at the place of the instruction with this index.
pub(super) fn refusal(violation: &Violation, listing: &Listing, index: usize, lenient: bool) -> Diagnostic {
    let diagnostic = Diagnostic::error(violation.rule(), violation.to_string());
    let diagnostic = diagnostic.label(listing.spans[index], "the machine does not allow this");
    let help = "--lenient evaluates what a simulator without this rule computes";
    if violation.is_operand_rule() && !lenient { diagnostic.help(help) } else { diagnostic }
}
