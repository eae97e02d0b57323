//! Lane selection: the elements of a wide register that the lanes and columns of the datapath multiply.
//!
//! The network moves 32-bit granules. An operand of 32-bit elements picks freely: lane `l` takes
//! `start + nibble(offsets, l)`. An operand of 16-bit elements picks two granules for a pair of lanes. The first is at
//! `start + 2 · nibble(2k)`, the second `2 · (nibble(2k + 1) + 1)` further on. A square of four nibbles assigns the
//! four elements to lanes and columns of the pair. All places are modulo the length of the register. Further pairs of
//! columns take the same places, a step further on. An operand of bytes picks granules for four lanes. Lanes and
//! columns take pairs of bytes, which feed two adjacent lanes. (UG1079, "MAC intrinsics"; UG1078, "Multiply
//! accumulate".)

use crate::backend::vector::workload::Element;

/// The four nibbles of `xsquare`: nibble `2b + c` is the place, among four elements, of lane `b` and column `c` of a pair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(pub u16);

/// A setting of the network for the first operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Selection {
    /// The place from which offsets count, in elements: the beginning of a granule.
    pub start: usize,
    /// One nibble per lane, lane 0 lowest.
    pub offsets: u64,
    /// The distance between pairs of columns, in elements, if there are more than two columns. A whole number of granules.
    pub step: Option<usize>,
    /// The permutation within a pair of lanes, for 16-bit elements, or of pairs of lanes, for bytes.
    pub square: Option<Square>,
    /// The number of elements that go together to as many lanes: two for bytes, otherwise one.
    pub unit: usize,
}

/// The elements that lanes and columns want: `wanted[lane][column]`, as places in a register of `length` elements.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Want {
    /// The length of the register in elements.
    pub length: usize,
    /// For each lane, the places that its columns take.
    pub places: Vec<Vec<usize>>,
}

fn nibble(word: u64, at: usize) -> usize {
    (word >> (4 * at) & 15) as usize
}

impl Selection {
    /// The place that a lane and column take, in a register of `length` elements.
    pub fn place(&self, length: usize, lane: usize, column: usize) -> usize {
        let (further, column) = (self.step.unwrap_or(0) * (column / 2), column % 2);
        let (unit, part, lane) = (self.unit, lane % self.unit, lane / self.unit);
        let Some(Square(square)) = self.square else {
            return (self.start + nibble(self.offsets, lane)) % length;
        };
        let (even, odd) = (nibble(self.offsets, lane & !1), nibble(self.offsets, lane | 1));
        let first = self.start + further + 2 * unit * even;
        let second = first + 2 * unit * (odd + 1);
        let at = nibble(square.into(), 2 * (lane & 1) + column);
        let place = if at < 2 { first + unit * at } else { second + unit * (at - 2) };
        (place + part) % length
    }

    /// The low half of the offsets, as an operand of the intrinsics.
    pub fn low(&self) -> u32 {
        self.offsets as u32
    }

    /// The high half of the offsets.
    pub fn high(&self) -> u32 {
        (self.offsets >> 32) as u32
    }
}

/// Returns a setting of the network that selects the wanted elements, or `None` if there is none.
pub fn select(element: Element, want: &Want) -> Option<Selection> {
    let found = match element {
        Element::Int32 => select_words(want),
        Element::Int16 => select_pairs(want),
        Element::Int8 => select_bytes(want),
    }?;
    let right = want.places.iter().enumerate().all(|(lane, columns)| {
        columns.iter().enumerate().all(|(column, place)| found.place(want.length, lane, column) == *place)
    });
    right.then_some(found)
}

/// The candidate starts: first that of the first lane, which gives the usual offsets, then all others.
fn starts(first: usize, length: usize, step: usize) -> impl Iterator<Item = usize> {
    std::iter::once(first).chain((0..length).step_by(step))
}

fn select_words(want: &Want) -> Option<Selection> {
    let first = *want.places.first()?.first()?;
    starts(first, want.length, 1).find_map(|start| {
        let mut offsets = 0u64;
        for (lane, columns) in want.places.iter().enumerate() {
            let offset = (columns[0] + want.length - start) % want.length;
            if offset > 15 {
                return None;
            }
            offsets |= (offset as u64) << (4 * lane);
        }
        Some(Selection { start, offsets, step: None, square: None, unit: 1 })
    })
}

/// Pairs of bytes go through the network as 16-bit elements do. All columns but the first two repeat them.
fn select_bytes(want: &Want) -> Option<Selection> {
    let first = want.places.first()?;
    let step = match first[..] {
        [one, _, third, ..] => (third + want.length - one) % want.length,
        _ => 0,
    };
    let halves = |columns: &Vec<usize>| columns.iter().take(2).map(|place| place / 2).collect();
    let places = want.places.iter().step_by(2).map(halves).collect();
    let of_halves = select_pairs(&Want { length: want.length / 2, places })?;
    let start = 2 * of_halves.start;
    Some(Selection { start, step: Some(step), unit: 2, ..of_halves }).filter(|_| step.is_multiple_of(4))
}

/// A way to serve a pair of lanes: its two granules (`None` for any) and the square.
type PairChoice = (Option<usize>, Option<usize>, u16);

fn select_pairs(want: &Want) -> Option<Selection> {
    let first = want.places.first()?;
    if first.len() > 2 {
        // Columns beyond the second repeat the first two, further on.
        let step = (first[2] + want.length - first[0]) % want.length;
        let places = want.places.iter().map(|columns| columns[..2].to_vec()).collect();
        let two = select_pairs(&Want { length: want.length, places })?;
        return Some(Selection { step: Some(step), ..two }).filter(|_| step.is_multiple_of(2));
    }
    let pairs: Vec<Vec<PairChoice>> = want.places.chunks(2).map(pair_choices).collect::<Option<_>>()?;
    for (_, _, square) in pairs.first()? {
        let chosen: Option<Vec<&PairChoice>> =
            pairs.iter().map(|choices| choices.iter().find(|choice| choice.2 == *square)).collect();
        let Some(chosen) = chosen else { continue };
        let first = chosen[0].0.or(chosen[0].1)?;
        let found = starts(first, want.length, 2).find_map(|start| {
            let offsets = pair_offsets(&chosen, start, want.length)?;
            Some(Selection { start, offsets, step: None, square: Some(Square(*square)), unit: 1 })
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The ways to serve a pair of lanes. `None` if it wants more than two granules.
fn pair_choices(lanes: &[Vec<usize>]) -> Option<Vec<PairChoice>> {
    let wanted: Vec<usize> = lanes.iter().flatten().copied().collect();
    let mut granules: Vec<usize> = wanted.iter().map(|place| place & !1).collect();
    granules.sort_unstable();
    granules.dedup();
    let square = |first: Option<usize>, second: Option<usize>| {
        wanted.iter().enumerate().fold(0u16, |square, (at, place)| {
            let granule = Some(place & !1);
            let base = if granule == first { 0 } else { 2 };
            debug_assert!(granule == first || granule == second);
            square | (((base + (place & 1)) as u16) << (4 * at))
        })
    };
    let choice = |first, second| (first, second, square(first, second));
    match granules[..] {
        [one] => Some(vec![choice(Some(one), None), choice(None, Some(one))]),
        [one, other] => Some(vec![choice(Some(one), Some(other)), choice(Some(other), Some(one))]),
        _ => None,
    }
}

fn pair_offsets(chosen: &[&PairChoice], start: usize, length: usize) -> Option<u64> {
    let steps = |from: usize, to: usize| (to + length - from) % length / 2;
    let mut offsets = 0u64;
    for (pair, (first, second, _)) in chosen.iter().enumerate() {
        let (even, odd) = match (*first, *second) {
            (Some(first), Some(second)) => {
                (steps(start, first), (steps(first, second) + length / 2 - 1) % (length / 2))
            }
            (Some(first), None) => (steps(start, first), 0),
            // The first granule is unused. It is the one just before the second.
            (None, Some(second)) => (steps(start, (second + length - 2) % length), 0),
            (None, None) => (0, 0),
        };
        if even > 15 || odd > 15 {
            return None;
        }
        offsets |= ((even | odd << 4) as u64) << (8 * pair);
    }
    Some(offsets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn want(length: usize, lanes: usize, places: impl Fn(usize) -> Vec<usize>) -> Want {
        Want { length, places: (0..lanes).map(places).collect() }
    }

    fn words(selection: Selection) -> (usize, u32, u32, u16) {
        (selection.start, selection.low(), selection.high(), selection.square.map_or(0, |Square(s)| s))
    }

    #[test]
    fn published_settings_are_found() {
        // 32-bit sliding window, tap 3.
        let found = select(Element::Int32, &want(16, 8, |l| vec![3 + l])).unwrap();
        assert_eq!(words(found), (3, 0x7654_3210, 0, 0));
        // A 16-bit sliding window at an even and at an odd start (Vitis vision: start one less, square 0x3221).
        let slide = |start: usize| want(32, 16, move |l| vec![start + l, start + l + 1]);
        assert_eq!(words(select(Element::Int16, &slide(4)).unwrap()), (4, 0x0302_0100, 0x0706_0504, 0x2110));
        assert_eq!(words(select(Element::Int16, &slide(7)).unwrap()), (6, 0x0302_0100, 0x0706_0504, 0x3221));
        // Adjacent channel pairs (Vyasa's layout (C/2)Y'X'(2)).
        let pairs = want(64, 16, |l| vec![4 + 2 * l, 5 + 2 * l]);
        assert_eq!(words(select(Element::Int16, &pairs).unwrap()), (4, 0x0604_0200, 0x0E0C_0A08, 0x3210));
        // Two rows in one register, and one tap of two rows in a register of 1024 bits.
        let rows = want(32, 16, |l| vec![l, 16 + l]);
        assert_eq!(words(select(Element::Int16, &rows).unwrap()), (0, 0x7372_7170, 0x7776_7574, 0x3120));
        let fused = want(64, 16, |l| vec![2 + l, 34 + l]);
        assert_eq!(words(select(Element::Int16, &fused).unwrap()), (2, 0xF3F2_F1F0, 0xF7F6_F5F4, 0x3120));
    }

    #[test]
    fn what_the_network_cannot_do_is_refused() {
        // An odd tap of two rows takes four granules for a pair of lanes.
        assert_eq!(select(Element::Int16, &want(64, 16, |l| vec![1 + l, 33 + l])), None);
        // More than fifteen places from any start.
        assert_eq!(select(Element::Int32, &want(32, 8, |l| vec![4 * l])), None);
        // Sliding windows of bytes, at an odd and at an even start.
        let slide = |start: usize| want(64, 16, move |l| (0..8).map(|c| start + l + c).collect());
        assert_eq!(select(Element::Int8, &slide(1)), None);
        assert_eq!(select(Element::Int8, &slide(0)), None);
    }

    #[test]
    fn bytes_are_selected_in_pairs() {
        let found = |places: &dyn Fn(usize, usize) -> usize| {
            let all = |lane| (0..8).map(|column| places(lane, column)).collect();
            let found = select(Element::Int8, &want(64, 16, all)).unwrap();
            (found.start, found.low(), found.step, found.square.map_or(0, |Square(square)| square))
        };
        // UG1079, "MAC on 8x8 bits": products of matrices, rows of eight elements and of four.
        let eight = found(&|lane, column| 8 * column + lane % 8);
        assert_eq!(eight, (0, 0x1110_1110, Some(16), 0x3120));
        let four = found(&|lane, column| 4 * column + lane % 4);
        assert_eq!(four, (0, 0, Some(8), 0x3120));
        // Each row of coefficients twice, the second time two bytes later, in a table of pairs.
        let table = found(&|lane, column| 16 + 2 * column - 4 * (lane % 4 / 2) + lane % 2);
        assert_eq!(table, (12, 0, Some(4), 0x1032));
    }

    #[test]
    fn windows_wrap_around_the_register() {
        for start in 0..32 {
            let ring = want(32, 16, |l| vec![(start + l) % 32, (start + l + 1) % 32]);
            assert!(select(Element::Int16, &ring).is_some(), "start {start}");
        }
        // Eight words whose second half is eight words further on.
        let split = want(32, 8, |l| vec![if l < 4 { 12 + l } else { 20 + l }]);
        assert!(select(Element::Int32, &split).is_some());
    }
}
