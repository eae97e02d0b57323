//! The placement of a program's tensors in local memory, so that few accesses of one cycle conflict in a bank.

use crate::backend::vector::machine::{Program, VliwMachine};

/// The number of places tried within a group of banks, for a tensor whose own accesses conflict.
const SHIFTS: usize = 8;
/// The maximum number of tensors for which all orders are tried.
const MAX_ORDERED: usize = 5;

/// The start address of each tensor in bytes: of the places tried, the first with the fewest stalls. Empty if the
/// tensors do not fit.
///
/// Tensors in separate groups of banks never conflict. Accesses to one tensor may still conflict, depending on where it
/// begins. If there is no room for separate groups, tensors share them, in the order and at the boundaries with the
/// fewest stalls.
pub(super) fn places(machine: &VliwMachine, program: &Program) -> Vec<usize> {
    let sizes: Vec<usize> = program.arrays.iter().map(|array| array.bytes(machine)).collect();
    let in_order: Vec<usize> = (0..sizes.len()).collect();
    let vector = machine.vector_bits / 8;
    let fits = |places: &[usize]| {
        places.iter().zip(&sizes).all(|(place, size)| place + size <= machine.memory).then(|| places.to_vec())
    };
    let Some(banks) = machine.banks else {
        return fits(&packed(&sizes, &in_order, &vec![vector; sizes.len()])).unwrap_or_default();
    };
    let group = banks.group_bytes();
    match fits(&packed(&sizes, &in_order, &vec![group; sizes.len()])) {
        Some(apart) => shifted(machine, program, &sizes, apart, group),
        None => {
            let orders = if sizes.len() <= MAX_ORDERED { orders(&in_order) } else { vec![in_order] };
            let boundaries = |choice: usize| -> Vec<usize> {
                (0..sizes.len()).map(|i| if choice >> i & 1 == 1 { group } else { vector }).collect()
            };
            let choices = 1usize << sizes.len().min(MAX_ORDERED);
            let tried = orders.iter().flat_map(|order| {
                (0..choices).map(|choice| packed(&sizes, order, &boundaries(choice))).collect::<Vec<_>>()
            });
            fewest(machine, program, tried.filter_map(|places| fits(&places))).unwrap_or_default()
        }
    }
}

/// The places with the fewest stalls, the first of equals.
fn fewest(
    machine: &VliwMachine,
    program: &Program,
    tried: impl Iterator<Item = Vec<usize>>,
) -> Option<Vec<usize>> {
    let mut best: Option<(usize, Vec<usize>)> = None;
    for places in tried {
        let stalls = program.stalls_at(machine, &places);
        if best.as_ref().is_none_or(|(least, _)| stalls < *least) {
            best = Some((stalls, places));
        }
        if stalls == 0 {
            break;
        }
    }
    best.map(|(_, places)| places)
}

/// Packs tensors in an order, each at the next multiple of its boundary.
fn packed(sizes: &[usize], order: &[usize], boundaries: &[usize]) -> Vec<usize> {
    let mut places = vec![0; sizes.len()];
    let mut next: usize = 0;
    for tensor in order {
        places[*tensor] = next.next_multiple_of(boundaries[*tensor]);
        next = places[*tensor] + sizes[*tensor];
    }
    places
}

/// Places tensors in separate groups of banks, each at the offset into its first group that costs the fewest stalls.
fn shifted(
    machine: &VliwMachine,
    program: &Program,
    sizes: &[usize],
    apart: Vec<usize>,
    group: usize,
) -> Vec<usize> {
    let mut best = apart;
    for tensor in 0..sizes.len() {
        let tried = (0..SHIFTS).filter_map(|eighth| {
            let mut places = best.clone();
            places[tensor] += eighth * group / SHIFTS;
            // Later tensors move to the next free group.
            for behind in tensor + 1..sizes.len() {
                let free = (places[behind - 1] + sizes[behind - 1]).next_multiple_of(group);
                places[behind] = free;
            }
            let end = places.last()? + sizes.last()?;
            (end <= machine.memory).then_some(places)
        });
        best = fewest(machine, program, tried).unwrap_or(best.clone());
    }
    best
}

/// All permutations, in lexical order.
fn orders(of: &[usize]) -> Vec<Vec<usize>> {
    if of.is_empty() {
        return vec![Vec::new()];
    }
    let mut found = Vec::new();
    for first in of {
        let rest: Vec<usize> = of.iter().copied().filter(|other| other != first).collect();
        found.extend(orders(&rest).into_iter().map(|mut order| {
            order.insert(0, *first);
            order
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::vector::machine::{Address, Array, Banks, Counted, Operation, Role, Timed};
    use crate::backend::vector::workload::Element;

    /// A machine with four pairs of banks of 64 words of 16 bytes: 2 KiB each.
    fn machine() -> VliwMachine {
        let builtin = VliwMachine::builtin(VliwMachine::builtin_names()[0]).unwrap();
        let banks = Banks { count: 8, words: 64, word_bytes: 16, interleaved: 2 };
        VliwMachine { memory: banks.bytes(), banks: Some(banks), ..builtin }
    }

    /// Loads of two tensors in every cycle, vector by vector, the second from an offset.
    fn program(machine: &VliwMachine, lengths: [usize; 2], second: (usize, i64)) -> Program {
        let array =
            |length| Array { name: "a".to_owned(), role: Role::Input, element: Element::Int16, length };
        let load = |slot: usize, (array, offset): (usize, i64)| Timed {
            operation: Operation::Load {
                to: slot,
                at: Address { array, pointer: slot, offset, strides: Vec::new(), step: 16 },
            },
            time: 0,
            slot,
        };
        Program {
            name: "p".to_owned(),
            mode: machine.modes[0].name.clone(),
            element: Element::Int16,
            arrays: lengths.map(array).to_vec(),
            outer: Vec::new(),
            inner: Counted { name: "x".to_owned(), count: 16 },
            resident: Vec::new(),
            body: vec![load(0, (0, 0)), load(1, second)],
            interval: 1,
            places: Vec::new(),
        }
    }

    #[test]
    fn tensors_lie_apart_where_there_is_room() {
        let machine = machine();
        let program = program(&machine, [1024, 256], (1, 0));
        let found = places(&machine, &program);
        assert_eq!((found.clone(), program.stalls_at(&machine, &found)), (vec![0, 2048], 0));
        // In sequence, they conflict.
        assert_eq!(program.stalls_at(&machine, &[0, 512]), 16);
        let plain = VliwMachine { banks: None, ..machine.clone() };
        assert_eq!(places(&plain, &program), [0, 2048]);
        assert_eq!(program.stalls_at(&plain, &[0, 512]), 0);
    }

    #[test]
    fn tensors_share_pairs_where_that_costs_least_and_have_no_places_where_they_do_not_fit() {
        let machine = machine();
        // 6144 and 2048 bytes fill the memory in separate pairs; 6176 and 2016 only together.
        for (lengths, fits) in [([3072, 1024], true), ([3088, 1008], true), ([3088, 1024], false)] {
            let program = program(&machine, lengths, (1, 0));
            let found = places(&machine, &program);
            assert_eq!(!found.is_empty(), fits, "{lengths:?}");
            assert_eq!(program.stalls_at(&machine, &found), 0);
        }
    }

    #[test]
    fn a_tensor_that_meets_itself_begins_where_it_does_least() {
        let machine = machine();
        // Vectors 1536 bytes apart: in one pair of banks, except for those across the end of a pair.
        let program = program(&machine, [1024, 16], (0, 768));
        let found = places(&machine, &program);
        let [least, unshifted] = [&found[..], &[0, 2048]].map(|places| program.stalls_at(&machine, places));
        assert!(least < unshifted, "{least} of {unshifted} at {found:?}");
        assert_eq!(places(&machine, &program), found);
    }
}
