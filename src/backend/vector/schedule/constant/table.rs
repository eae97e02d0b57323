//! The table of coefficients in memory, in the order in which operations need them.

use super::super::body::{Body, Origin, Use, Vector};
use super::super::lower::Held;
use super::plan::Inapplicable;
use crate::backend::vector::machine::{Address, Role};
use crate::backend::vector::workload::Operand;

/// Puts run-time coefficients, numbered from one in `tuples` (zero is a zero), into vectors: each tuple once, the most
/// recently used vectors in registers. Returns the place of each coefficient.
pub(super) fn place_run_time(
    body: &mut Body,
    tuples: &[Vec<i64>],
    per_vector: usize,
    room: usize,
) -> Vec<usize> {
    let columns = tuples.iter().map(Vec::len).max().unwrap_or(1);
    let each = per_vector / columns;
    let mut distinct: Vec<&Vec<i64>> = Vec::new();
    let mut places = Vec::new();
    for (index, tuple) in tuples.iter().enumerate() {
        let at = distinct.iter().position(|t| *t == tuple).unwrap_or_else(|| {
            distinct.push(tuple);
            distinct.len() - 1
        });
        body.products[index].z_elements = (0..columns).map(|c| at % each * columns + c).collect();
        places.push(at / each);
    }
    let kept = distinct.len() <= room * each;
    let mut held = Held::new(room);
    for (index, cover) in places.into_iter().enumerate() {
        let strides = vec![0; body.outer.len()];
        let (vectors, offset) = (&mut body.vectors, (cover * per_vector) as i64);
        body.products[index].z = held.hold(cover, || {
            let at = Address { array: Operand::Weights as usize, pointer: 0, offset, strides, step: 0 };
            let origin = if kept { Origin::Resident(at) } else { Origin::Memory(at) };
            vectors.push(Vector::new(origin, Use::Coefficient));
            vectors.len() - 1
        });
    }
    let count = distinct.iter().flat_map(|tuple| tuple.iter()).max().copied().unwrap_or(0);
    let mut found = vec![0; count as usize];
    for (at, tuple) in distinct.iter().enumerate() {
        for (column, number) in tuple.iter().enumerate().filter(|(_, number)| **number > 0) {
            found[*number as usize - 1] = at / each * per_vector + at % each * columns + column;
        }
    }
    let array = &mut body.arrays[Operand::Weights as usize];
    array.length = distinct.len().div_ceil(each) * per_vector;
    array.role = Role::Weights;
    found
}

/// Puts the coefficients of each product of a body into vectors. If the distinct tuples fit `room` vectors, each is
/// stored once and kept in registers. Otherwise they are stored in order of use and loaded in every iteration.
///
/// # Errors
/// A coefficient that does not fit the type of the array.
pub(super) fn place(
    body: &mut Body,
    tuples: &[Vec<i64>],
    per_vector: usize,
    room: usize,
    alignment: usize,
) -> Result<(), Inapplicable> {
    let element = body.arrays[Operand::Weights as usize].element;
    if let Some(large) = tuples.iter().find_map(|tuple| element.beyond(tuple)) {
        return Err(Inapplicable::Coefficient(large, element));
    }
    let columns = tuples.iter().map(Vec::len).max().unwrap_or(1);
    let each = per_vector / columns;
    let mut distinct: Vec<&Vec<i64>> = Vec::new();
    for tuple in tuples {
        if !distinct.contains(&tuple) {
            distinct.push(tuple);
        }
    }
    let kept = distinct.len() <= room * each;
    let listed: Vec<&Vec<i64>> = if kept { distinct } else { tuples.iter().collect() };
    debug_assert!(per_vector.is_multiple_of(alignment), "vectors begin at aligned places");
    let mut values = vec![0; listed.len().div_ceil(each) * per_vector];
    let first = body.vectors.len();
    for start in (0..values.len()).step_by(per_vector) {
        let at = Address {
            array: Operand::Weights as usize,
            pointer: 0,
            offset: start as i64,
            strides: vec![0; body.outer.len()],
            step: 0,
        };
        let origin = if kept { Origin::Resident(at) } else { Origin::Memory(at) };
        body.vectors.push(Vector::new(origin, Use::Coefficient));
    }
    for (index, tuple) in listed.iter().enumerate() {
        let at = index / each * per_vector + index % each * columns;
        values[at..at + tuple.len()].copy_from_slice(tuple);
    }
    for (index, tuple) in tuples.iter().enumerate() {
        let place = if kept { listed.iter().position(|t| *t == tuple).unwrap_or(0) } else { index };
        body.products[index].z = first + place / each;
        body.products[index].z_elements = (0..columns).map(|c| place % each * columns + c).collect();
    }
    let array = &mut body.arrays[Operand::Weights as usize];
    array.length = values.len();
    array.role = Role::Constants(values);
    Ok(())
}
