//! Filters as symbolic expressions, in the format of the crate that users of egg read and write their terms with.

use symbolic_expressions::Sexp as Symbolic;

use super::FilterSource;
use super::print::{filter_sexp, header_sexps};
use crate::syntax::{Sexp, SexpKind};

/// Prints a filter and its decomposition as one symbolic expression: `(equal (filter …) (filter …))`. `forms` are the
/// `(let …)` and `(output …)` forms of the second filter. [`read_filter`](super::read_filter) reads the result back.
///
/// Symbolic expressions have no escapes, so the text of the filter is left out.
pub fn print_equal(filter: &FilterSource, forms: &[Sexp]) -> String {
    let given = FilterSource { doc: None, ..filter.clone() };
    let found = header_sexps(&given).into_iter().chain(forms.iter().cloned());
    let equal = Sexp::form("equal", [filter_sexp(&given), Sexp::form("filter", found)]);
    format!("{}\n", symbolic(&equal))
}

fn symbolic(sexp: &Sexp) -> Symbolic {
    match &sexp.kind {
        SexpKind::Atom(text) | SexpKind::Text(text) => Symbolic::String(text.to_string()),
        SexpKind::List(items) => Symbolic::List(items.iter().map(symbolic).collect()),
    }
}
