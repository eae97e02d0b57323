//! The state of a machine during an exhaustive search: fingerprints, and data for bounds.

use smallvec::SmallVec;

use super::extent::Extent;
use super::fingerprint::Element;
use super::linear::Linear;
use super::pixels::Shown;
use super::symmetry::Turns;
use crate::backend::array::search::program::divisions::Exponents;

/// Denotes the wide register among the registers that an instruction reads.
pub(crate) const WIDE: usize = usize::MAX;

/// A value in a register, and whether anything has used it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Held {
    pub(crate) value: Element,
    /// The extent of a superset of its footprint.
    pub(crate) extent: Extent,
    /// Its footprint, exact near the centre, and its size.
    pub(crate) shows: Shown,
    pub(crate) exponents: Exponents,
    pub(crate) idle: bool,
}

/// The contents of the general file's registers.
pub(crate) type Registers<T> = SmallVec<[T; 12]>;

/// The contents of all registers: the general file, and the wide register.
#[derive(Clone, Debug)]
pub(crate) struct MachineState {
    pub(crate) general: Registers<Held>,
    pub(crate) wide: Option<Held>,
    /// Symmetries of the grid that fix all held values.
    pub(crate) fixed: Turns,
}

impl MachineState {
    /// The contents of a register; zero for an empty wide register.
    pub(crate) fn read(&self, register: usize) -> Held {
        if register != WIDE {
            return self.general[register];
        }
        let nothing = Held {
            value: Element::ZERO,
            extent: Extent::HERE,
            shows: Shown::NOTHING,
            exponents: Exponents::ZERO,
            idle: false,
        };
        self.wide.unwrap_or(nothing)
    }

    /// A hash of the contents, independent of the order of registers, and of the remaining cost. It is wide enough that no two states
    /// of a search collide in practice.
    pub(crate) fn digest(&self, left: u32) -> u128 {
        let of = |held: &Held, salt: u64| mix(held.value.bits() ^ (u64::from(held.idle) << 62), salt);
        let general = self.general.iter().map(|held| of(held, 0));
        let wide = self.wide.iter().map(|held| of(held, IN_WIDE));
        general.chain(wide).fold(mix(left.into(), LEFT), u128::wrapping_add)
    }
}

/// Updates the registers after a form with the results `made`, some of which are kept.
pub(crate) fn leave<T: Copy>(
    form: &Linear,
    reads: &[usize],
    kept: u32,
    general: &mut Registers<T>,
    wide: &mut Option<T>,
    made: impl Fn(usize) -> T,
) {
    if form.writes_wide() {
        *wide = None;
    }
    // A register that is both read and written then holds the result, or nothing useful.
    let mut gone: SmallVec<[usize; 2]> = SmallVec::new();
    for (i, (_, to_wide, over, _)) in form.results.iter().enumerate() {
        match (kept >> i & 1 == 1, *to_wide, over) {
            (true, true, _) => *wide = Some(made(i)),
            (true, false, Some(read)) => general[reads[*read]] = made(i),
            (true, false, None) => general.push(made(i)),
            (false, false, Some(read)) => gone.push(reads[*read]),
            (false, ..) => {}
        }
    }
    gone.sort_unstable_by(|a, b| b.cmp(a));
    for register in gone {
        general.remove(register);
    }
}

/// Salts of the hash that distinguish the wide register and the remaining cost from general registers.
const IN_WIDE: u64 = 0x5bd1_e995_0000_0001;
const LEFT: u64 = 0x27d4_eb2f_0000_0001;

fn mix(number: u64, salt: u64) -> u128 {
    let x = number ^ salt;
    let spread = |seed: u64| {
        let y = (x ^ (x >> 31)).wrapping_mul(seed);
        (y ^ (y >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    };
    u128::from(spread(0x9e37_79b9_7f4a_7c15)) << 64 | u128::from(spread(0x94d0_49bb_1331_11eb))
}
