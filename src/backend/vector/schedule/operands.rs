//! The operands of products: buffers of sizes that the intrinsic accepts, and lane selections.

use std::collections::HashMap;

use super::body::{Body, Place, Product};
use crate::backend::vector::machine::{Mode, PreAdd, Selection, VliwMachine, Want, select};

/// A buffer and the selection from it.
pub(super) type Operand = (usize, Selection);

/// The data of a product, and the data combined with it.
pub(super) type Operands = (Operand, Option<Operand>);

/// Selects lanes for the products of a body. The selection of a product depends only on the registers of its vectors,
/// so each answer is cached.
pub(super) struct Selector<'a> {
    machine: &'a VliwMachine,
    mode: Option<&'a Mode>,
    body: &'a Body,
    /// The distinct data vectors of each product.
    vectors: Vec<Vec<usize>>,
    known: HashMap<(usize, Vec<usize>), Option<Operands>>,
}

impl<'a> Selector<'a> {
    pub(super) fn new(machine: &'a VliwMachine, body: &'a Body) -> Self {
        let vectors = |product: &Product| {
            let mut found: Vec<usize> = product.data().map(|(vector, _)| vector).collect();
            found.sort_unstable();
            found.dedup();
            found
        };
        Self {
            machine,
            mode: machine.mode(&body.mode),
            body,
            vectors: body.products.iter().map(vectors).collect(),
            known: HashMap::new(),
        }
    }

    /// The distinct data vectors of a product.
    pub(super) fn vectors(&self, product: usize) -> &[usize] {
        &self.vectors[product]
    }

    /// The operands of a product for these registers. `None` if a vector has no register or no buffer fits.
    pub(super) fn operands(&mut self, product: usize, register: &[Option<usize>]) -> Option<Operands> {
        let of: Vec<usize> =
            self.vectors[product].iter().map(|vector| register[*vector]).collect::<Option<_>>()?;
        let key = (product, of);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let found = self.select(&self.body.products[product], register);
        self.known.insert(key, found);
        found
    }

    fn select(&self, product: &Product, register: &[Option<usize>]) -> Option<Operands> {
        let Some((y, how)) = &product.y else {
            let x = self.buffers(&product.x, register).find(|x| self.takes(None, x.0, None))?;
            return Some((x, None));
        };
        // Both selections take their offsets from one register.
        for x in self.buffers(&product.x, register) {
            let takes = |y: &Operand| y.1.offsets == x.1.offsets && self.takes(Some(*how), x.0, Some(y.0));
            if let Some(y) = self.buffers(y, register).find(takes) {
                return Some((x, Some(y)));
            }
        }
        None
    }

    /// Whether the multiplication accepts these buffers, both when it begins a sum and when it adds to one.
    fn takes(&self, how: Option<PreAdd>, x: usize, y: Option<usize>) -> bool {
        let bits = |buffer| self.machine.buffer_bits(buffer);
        self.mode.is_some_and(|mode| {
            [false, true].into_iter().all(|begins| {
                let name = mode.intrinsic(begins, how);
                let declared = self.machine.multiplication(name, mode.x.bits(), mode.z.bits());
                declared.is_some_and(|form| form.lists(bits(x), y.filter(|y| *y != x).map(bits)))
            })
        })
    }

    /// The buffers that hold the elements of all lanes and allow the selection, smallest first.
    fn buffers<'s>(
        &'s self,
        lanes: &'s [Vec<Place>],
        register: &'s [Option<usize>],
    ) -> impl Iterator<Item = Operand> + 's {
        let per_vector = self.machine.per_vector(self.body.element);
        self.machine.buffers.iter().enumerate().filter_map(move |(buffer, (_, parts))| {
            let place = |place: &Place| {
                let register = register[place.vector]?;
                let part = parts.iter().position(|part| *part == register)?;
                Some(part * per_vector + place.element)
            };
            let places =
                lanes.iter().map(|columns| columns.iter().map(place).collect()).collect::<Option<_>>()?;
            let want = Want { length: parts.len() * per_vector, places };
            select(self.body.element, &want).map(|selection| (buffer, selection))
        })
    }
}
