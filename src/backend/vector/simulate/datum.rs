//! The data in registers and memory: numbers, or any other data that can be multiplied and summed.

use std::fmt::Display;

use crate::backend::vector::machine::PreAdd;
use crate::backend::vector::workload::Element;

/// An element in registers and memory.
pub trait Datum: Clone + Display {
    /// The empty sum.
    fn zero() -> Self;
    /// A constant of the program.
    fn constant(value: i64) -> Self;
    /// Combines two elements before a multiplication.
    fn combine(&self, other: &Self, how: PreAdd) -> Self;
    /// Adds a product to a sum.
    fn accumulate(&mut self, x: &Self, z: &Self);
    /// Adds another sum.
    fn add(&mut self, other: &Self);
    /// Whether it is an element of the type, for all values of the inputs and weights in it.
    fn within(&self, element: Element) -> bool;
    /// Whether a sum fits an accumulator with lanes of `bits`.
    fn fits(&self, bits: usize) -> bool;
    /// Shifts a sum right, rounds halves up, and saturates to the type.
    fn round(&self, shift: u32, element: Element) -> Self;
}

/// Numbers. They are wider than the accumulators of any machine, so an overflow is detected.
impl Datum for i128 {
    fn zero() -> Self {
        0
    }

    fn constant(value: i64) -> Self {
        value.into()
    }

    fn combine(&self, other: &Self, how: PreAdd) -> Self {
        match how {
            PreAdd::Sum => self + other,
            PreAdd::Difference => self - other,
        }
    }

    fn accumulate(&mut self, x: &Self, z: &Self) {
        *self = self.saturating_add(x.saturating_mul(*z));
    }

    fn add(&mut self, other: &Self) {
        *self = self.saturating_add(*other);
    }

    fn within(&self, element: Element) -> bool {
        let [least, greatest] = element.range().map(Self::from);
        (least..=greatest).contains(self)
    }

    fn fits(&self, bits: usize) -> bool {
        let half = 1 << (bits - 1);
        (-half..half).contains(self)
    }

    fn round(&self, shift: u32, element: Element) -> Self {
        let half = if shift == 0 { 0 } else { 1 << (shift - 1) };
        let [least, greatest] = element.range().map(Self::from);
        ((self + half) >> shift).clamp(least, greatest)
    }
}
