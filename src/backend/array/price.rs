//! The prices of an array's instructions.

use super::machine::Target;
use crate::algebra::Rational;
use crate::backend::Price;

/// A term of an instruction: the magnitude of its factor, and its distance.
type Term = (Rational, i32);

/// The prices with the richest instruction set, derived from the instructions' meanings; `None` if no instruction adds two values.
pub(super) fn price(target: &Target) -> Option<Price> {
    let isa = target.isas.last()?;
    let forms = target.forms(&isa.name, isa.division);
    // The fewest cycles of an instruction with such terms.
    let cheapest = |fits: &dyn Fn(&[Term]) -> bool| {
        let cycles = forms.iter().filter_map(|form| {
            let [result] = &form.results[..] else { return None };
            let distance = |offset: [i32; 3]| offset.iter().map(|c| c.abs()).sum();
            let terms = result.taps.iter().map(|tap| (tap.coefficient.abs(), distance(tap.offset)));
            fits(&terms.collect::<Vec<_>>()).then_some(form.cycles)
        });
        cycles.min().map(f64::from)
    };
    Some(Price {
        memory: false,
        addition: cheapest(&|terms| matches!(terms, [(Rational::ONE, 0), (Rational::ONE, 0)]))?,
        step: cheapest(&|terms| matches!(terms, [(Rational::ONE, 1)])).unwrap_or(0.0),
        scaling: cheapest(&|terms| matches!(terms, [(factor, 0)] if *factor != Rational::ONE)).unwrap_or(0.0),
    })
}
