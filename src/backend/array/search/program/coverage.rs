//! Which instructions the search covers. It holds factors of ±2^a/3^b, and no register that holds 0 unless 0 is wanted. Where programs
//! could gain by anything else, nothing is proved.

use super::recipe::{CompiledForm, Objective, compile_form};
use super::value::View;
use crate::backend::array::machine::form::Form;

/// The names of instructions with forms that the search leaves out or does not use as they could be, sorted: those with other
/// factors, and those that do with an operand of 0 what no other form does at their cost.
pub fn uncovered(forms: &[Form], objective: Objective) -> Vec<String> {
    let compiled = |(index, form): (usize, &Form)| {
        let compiled = compile_form(index, form, objective.cost(form));
        compiled.filter(|form| form.views().all(|view| view.factor.threes <= 0))
    };
    let compiled: Vec<Option<CompiledForm>> = forms.iter().enumerate().map(compiled).collect();
    let known: Vec<CompiledForm> = compiled.iter().flatten().map(relabelled).collect();
    let is_covered = |form: &CompiledForm| {
        let mut reads = (0..form.slots.len()).filter(|slot| form.reads(*slot));
        reads.all(|slot| with_zero(form, slot).is_none_or(|less| does(&known, &less)))
    };
    let wrong = forms.iter().zip(&compiled).filter(|(_, form)| !form.as_ref().is_some_and(is_covered));
    let mut names: Vec<String> = wrong.map(|(form, _)| form.instruction.clone()).collect();
    names.sort();
    names.dedup();
    names
}

fn does(known: &[CompiledForm], form: &CompiledForm) -> bool {
    known.iter().any(|known| known.serves_for(form))
}

/// What a form does if one of its operands is 0; `None` if that is 0, too.
fn with_zero(form: &CompiledForm, zero: usize) -> Option<CompiledForm> {
    let mut less = form.clone();
    let left = less.results.iter_mut().map(|(_, terms)| terms).chain(&mut less.passing);
    left.for_each(|terms| terms.retain(|(slot, _)| *slot != zero));
    less.results.retain(|(_, terms)| !terms.is_empty());
    for slot in 0..less.slots.len() {
        let written = less.results.iter().any(|(of, _)| *of == slot);
        let (reads, writes) = (less.reads(slot), less.slots[slot].2);
        less.slots[slot] = (less.slots[slot].0, reads, writes && (written || slot != zero));
    }
    (!less.results.is_empty()).then(|| relabelled(&less))
}

/// The form with its slots in an order that does not depend on how operands are written, without those that it does not use.
fn relabelled(form: &CompiledForm) -> CompiledForm {
    let role = |slot: usize| {
        let views = |terms: &[(usize, View)]| {
            let mut views: Vec<View> =
                terms.iter().filter(|(of, _)| *of == slot).map(|(_, view)| *view).collect();
            views.sort_unstable();
            views
        };
        let results: Vec<(bool, Vec<View>)> =
            form.results.iter().map(|(of, terms)| (*of == slot, views(terms))).collect();
        (form.slots[slot], results)
    };
    let mut order: Vec<usize> =
        (0..form.slots.len()).filter(|slot| form.slots[*slot].1 || form.slots[*slot].2).collect();
    order.sort_by_cached_key(|slot| role(*slot));
    let new = |slot: usize| order.iter().position(|old| *old == slot);
    let terms = |terms: &[(usize, View)]| -> Vec<(usize, View)> {
        terms.iter().filter_map(|(slot, view)| Some((new(*slot)?, *view))).collect()
    };
    CompiledForm {
        slots: order.iter().map(|slot| form.slots[*slot]).collect(),
        results: form.results.iter().filter_map(|(slot, of)| Some((new(*slot)?, terms(of)))).collect(),
        passing: form.passing.iter().map(|of| terms(of)).filter(|of| !of.is_empty()).collect(),
        differ: form.differ.iter().filter_map(|(a, b)| Some((new(*a)?, new(*b)?))).collect(),
        ..form.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::machine::{Division, Target};

    #[test]
    fn the_search_covers_the_built_in_machine() {
        let target = Target::builtin("scamp5").unwrap();
        for isa in &target.isas {
            for (_, division) in Division::ALL {
                for objective in [Objective::Cycles, Objective::Instructions] {
                    let left = uncovered(&target.forms(&isa.name, division), objective);
                    assert_eq!(left, [""; 0], "{} {} {objective:?}", isa.name, division.name());
                }
            }
        }
    }
}
