//! The sums that instructions form of held values, and tables of them.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::fingerprint::Element;
use super::held::MachineState;
use super::linear::Linear;

/// The size of the filter in front of a table of values, in bits: 4 KiB, which stay in the first-level cache.
const FILTER_BITS: usize = 1 << 15;

/// A set of values, fast for lookups that mostly fail.
pub(crate) struct Values {
    filter: Vec<u64>,
    exact: FxHashSet<Element>,
    pub(crate) list: Vec<Element>,
}

impl Default for Values {
    fn default() -> Self {
        Self { filter: vec![0; FILTER_BITS / 64], exact: FxHashSet::default(), list: Vec::new() }
    }
}

impl Values {
    pub(crate) fn fill<'a>(&mut self, sums: impl Iterator<Item = &'a [Element]>) {
        for value in self.list.drain(..) {
            self.filter[place(value) / 64] = 0;
        }
        self.exact.clear();
        for value in sums.flatten() {
            if self.exact.insert(*value) {
                self.filter[place(*value) / 64] |= 1 << (place(*value) % 64);
                self.list.push(*value);
            }
        }
    }

    pub(crate) fn has(&self, value: Element) -> bool {
        self.filter[place(value) / 64] >> (place(value) % 64) & 1 == 1 && self.exact.contains(&value)
    }

    pub(crate) fn has_difference(&self, of: &[Element], less: &[Element]) -> bool {
        of.iter().any(|of| less.iter().any(|less| self.has(of.sub(*less))))
    }
}

/// The filter's bit for a value. Except for a few small ones, values are spread evenly over the field.
fn place(value: Element) -> usize {
    (value.bits() >> 20) as usize % FILTER_BITS
}

/// Calls `sink` with the sum of every choice of operands for the reads outside `mask`.
pub(crate) fn each_sum(
    form: &Linear,
    coefficients: &[Element],
    mask: u32,
    machine: &MachineState,
    sink: &mut dyn FnMut(Element),
) {
    let choice = Choice { form, coefficients, mask, machine };
    choice.each(&mut SmallVec::new(), Element::ZERO, sink);
}

/// Marks a read without a choice: one in the mask, or of the wide register.
const UNCHOSEN: usize = usize::MAX;

/// A sum while its operands are chosen.
struct Choice<'a> {
    form: &'a Linear,
    coefficients: &'a [Element],
    mask: u32,
    machine: &'a MachineState,
}

impl Choice<'_> {
    /// Chooses the operands of the remaining reads one by one.
    fn each(&self, reads: &mut SmallVec<[usize; 5]>, sum: Element, sink: &mut dyn FnMut(Element)) {
        let Self { form, coefficients, mask, machine } = *self;
        let at = reads.len();
        if at == form.reads.len() {
            sink(sum);
            return;
        }
        let is_new = mask >> at & 1 == 1;
        if is_new || form.reads[at].1 {
            let seen = match machine.wide {
                _ if is_new => Element::ZERO,
                Some(wide) => wide.value.times(coefficients[at]),
                None => return,
            };
            reads.push(UNCHOSEN);
            self.each(reads, sum.add(seen), sink);
            reads.pop();
            return;
        }
        let from = form.after[at].map_or(0, |earlier| reads[earlier].wrapping_add(1));
        for register in from..machine.general.len() {
            let clash = form.apart.iter().any(|(a, b)| {
                (*b == at && reads.get(*a) == Some(&register))
                    || (*a == at && reads.get(*b) == Some(&register))
            });
            if clash {
                continue;
            }
            reads.push(register);
            let seen = machine.general[register].value.times(coefficients[at]);
            self.each(reads, sum.add(seen), sink);
            reads.pop();
        }
    }
}
