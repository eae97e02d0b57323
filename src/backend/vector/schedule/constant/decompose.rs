//! Splits of a filter from the decompositions in the e-graph.
//!
//! The e-graph chooses the parts: this module takes its decompositions as they are, and skips those that the datapath
//! cannot use. The e-graph writes a product of a column and a row in two ways: as a composition, or, in a sum that is
//! smaller than the product, as moved multiples of the row or of the column.

use std::collections::BTreeSet;

use super::range::{divided, narrowed};
use super::split::{Output, Rest, Split};
use super::technique::Technique;
use crate::algebra::{Label, Placed, Rational, Shape};
use crate::backend::vector::workload::{Weights, Workload};
use crate::term::Decomposition;

/// The decompositions of a kernel, cheapest first.
pub type Ways<'a> = dyn Fn(&Shape) -> Vec<Decomposition> + Sync + 'a;

/// The maximum number of splits of a filter that are tried.
const MAX_SPLITS: usize = 4;
/// The maximum number of splits of one kernel that are considered.
const MAX_OF_KERNEL: usize = 12;
/// The number of times that the remainder of a kernel is split again, and the maximum number of terms of a sum, each product
/// counted as one.
const DEPTH: usize = 3;

/// The kernels of a workload, output by output and channel by channel, in memory order: `x` is the column, `y` the row.
pub fn kernels(workload: &Workload) -> Vec<Placed> {
    let Weights::Known(values) = &workload.weights else { return Vec::new() };
    let [columns, rows, ..] = workload.filter;
    let placed = |values: &[i64]| Placed::from_dense(1, [0; 3], [columns, rows, 1], values, Rational::ONE);
    values.chunks((columns * rows).max(1)).filter_map(placed).collect()
}

/// The splits of a workload's filter without the given techniques, fewest multiplications first. The last split leaves
/// everything as it is.
pub fn splits(workload: &Workload, ways: &Ways<'_>, without: &[Technique]) -> Vec<Split> {
    let mut found = candidates(workload, ways, !without.contains(&Technique::Shared));
    let direct = found.iter().find(|split| split.columns.is_empty()).cloned();
    let most = direct.as_ref().map_or(usize::MAX, Split::taps);
    found.retain(|split| !split.columns.is_empty());
    let infeasible = found.extract_if(.., |split| narrowed(workload, split).is_err()).collect::<Vec<_>>();
    for divided in infeasible.iter().filter_map(|split| divided(workload, split)) {
        if divided.taps() < most && !found.contains(&divided) {
            found.push(divided);
        }
    }
    if found.is_empty() {
        // Their plans give the reason.
        found = infeasible;
    }
    found.retain(|split| split.techniques().iter().all(|technique| !without.contains(technique)));
    found.sort_by_key(Split::taps);
    // No schedule makes up for half as many multiplications again.
    let least = found.first().map_or(0, Split::taps);
    found.retain(|split| 2 * split.taps() < 3 * least);
    found.truncate(MAX_SPLITS);
    found.extend(direct);
    found
}

/// The splits of a workload's filter by the ways of its kernels, and the one that leaves everything as it is. Columns are
/// `shared` or made for each output.
fn candidates(workload: &Workload, ways: &Ways<'_>, shared: bool) -> Vec<Split> {
    let kernels = kernels(workload);
    let [width, height, _, inputs] = workload.filter;
    let parts: Vec<Vec<Parts>> = kernels.iter().map(|kernel| alternatives(kernel, ways, DEPTH)).collect();
    let most = parts.iter().map(Vec::len).max().unwrap_or(1);
    let mut found: Vec<Split> = Vec::new();
    // The first way of every kernel, then the second way of every kernel, and so on. Finally, no kernel is split.
    for choice in (0..most).map(Some).chain([None]) {
        let mut split = Split::default();
        for (index, ways) in parts.iter().enumerate() {
            let channel = index % inputs.max(1);
            if channel == 0 {
                split.outputs.push(Output::default());
            }
            let whole = || Parts { products: Vec::new(), rest: kernels[index].clone() };
            let chosen = match choice {
                Some(choice) => ways.get(choice.min(ways.len().saturating_sub(1))).cloned(),
                None => None,
            };
            let chosen = chosen.unwrap_or_else(whole);
            let lines: Option<Vec<(Vec<i64>, Vec<i64>)>> =
                chosen.products.iter().map(|product| product.lines(width, height)).collect();
            let (lines, rest) = match lines {
                Some(lines) => (lines, chosen.rest),
                None => (Vec::new(), kernels[index].clone()),
            };
            for (column, row) in lines {
                let piece = split.push(channel, column, row, shared);
                split.outputs.last_mut().expect("begun with its first channel").pieces.push(piece);
            }
            if let Some(rows) =
                dense(&rest, width, height).filter(|rows| rows.iter().flatten().any(|c| *c != 0))
            {
                split
                    .outputs
                    .last_mut()
                    .expect("begun with its first channel")
                    .rest
                    .push(Rest { channel, rows });
            }
        }
        if !found.contains(&split) {
            found.push(split);
        }
    }
    found
}

/// A product of a column and a row, in either order of discovery.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Product {
    label: Label,
    column: Shape,
    row: Shape,
}

impl Product {
    /// The coefficients of column and row within the filter, or `None` if they are not integers.
    fn lines(&self, width: usize, height: usize) -> Option<(Vec<i64>, Vec<i64>)> {
        let scale = self.label.scale;
        if scale.denominator() != 1 {
            return None;
        }
        let [x, y, _] = self.label.offset.map(|at| usize::try_from(at).ok());
        let place = |shape: &Shape, axis: usize, at: usize, length: usize, scale: i64| {
            let mut line = vec![0i64; length];
            for (_, offset, coefficient) in shape.taps() {
                *line.get_mut(at + offset[axis] as usize)? = coefficient.checked_mul(scale)?;
            }
            Some(line)
        };
        // The factor goes to the row, so columns that differ only by a factor are equal.
        Some((place(&self.column, 1, y?, height, 1)?, place(&self.row, 0, x?, width, scale.numerator())?))
    }
}

/// A kernel as products of columns and rows, and a remainder.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Parts {
    products: Vec<Product>,
    rest: Placed,
}

impl Parts {
    fn taps(&self) -> usize {
        let of = |product: &Product| product.column.tap_count() + product.row.tap_count();
        self.products.iter().map(of).sum::<usize>() + self.rest.shape.tap_count()
    }

    fn moved(&self, label: Label) -> Option<Self> {
        let moved =
            |product: &Product| Some(Product { label: product.label.then(label)?, ..product.clone() });
        let products = self.products.iter().map(moved).collect::<Option<_>>()?;
        Some(Self { products, rest: self.rest.apply(label)? })
    }
}

/// The ways to write a kernel with at least one product, fewest taps first.
fn alternatives(kernel: &Placed, ways: &Ways<'_>, depth: usize) -> Vec<Parts> {
    let mut found: BTreeSet<(usize, Parts)> = BTreeSet::new();
    let of_ways = ways(&kernel.shape).into_iter().flat_map(|way| of_way(&way, ways, depth));
    for parts in of_ways.filter(|parts| !parts.products.is_empty()) {
        found.extend(parts.moved(kernel.label).map(|parts| (parts.taps(), parts)));
    }
    found.into_iter().take(MAX_OF_KERNEL).map(|(_, parts)| parts).collect()
}

fn nothing() -> Placed {
    Placed { label: Label::IDENTITY, shape: Shape::zero(1) }
}

fn of_way(way: &Decomposition, ways: &Ways<'_>, depth: usize) -> Vec<Parts> {
    match way {
        Decomposition::Compose { label, outer, inner } => {
            let line = |shape: &Shape, across: usize| shape.size()[across] == 1 && shape.size()[2] == 1;
            let product = |column: &Shape, row: &Shape| {
                let products = vec![Product { label: *label, column: column.clone(), row: row.clone() }];
                vec![Parts { products, rest: nothing() }]
            };
            match () {
                () if line(outer, 0) && line(inner, 1) => product(outer, inner),
                () if line(inner, 0) && line(outer, 1) => product(inner, outer),
                () => Vec::new(),
            }
        }
        Decomposition::Sum(terms) if depth > 0 => {
            let Some((products, terms)) = merged(terms).and_then(products_of_lines) else {
                return Vec::new();
            };
            if products.len() + terms.len() > DEPTH {
                return Vec::new();
            }
            let mut sums = vec![Parts { products, rest: nothing() }];
            for (label, shape) in &terms {
                let placed = Placed { label: *label, shape: shape.clone() };
                let mut of_term = alternatives(&placed, ways, depth - 1);
                of_term.truncate(2);
                of_term.push(Parts { products: Vec::new(), rest: placed });
                sums = sums.iter().flat_map(|sum| of_term.iter().filter_map(|term| add(sum, term))).collect();
            }
            sums
        }
        Decomposition::Sum(_) => Vec::new(),
    }
}

/// Merges terms of one part at one place, because the e-graph writes multiples as sums of signed digits. `None` on overflow.
fn merged(terms: &[(Label, Shape)]) -> Option<Vec<(Label, Shape)>> {
    let mut found: Vec<(Label, Shape)> = Vec::new();
    for (label, shape) in terms {
        match found.iter_mut().find(|(other, part)| other.offset == label.offset && part == shape) {
            Some((other, _)) => other.scale = other.scale.add(label.scale)?,
            None => found.push((*label, shape.clone())),
        }
    }
    found.retain(|(label, _)| !label.scale.is_zero());
    Some(found)
}

/// The terms of a sum.
type Terms = Vec<(Label, Shape)>;

/// The products among the terms of a sum, and the other terms: moved multiples of a row, one above another, are the row
/// after a column, and likewise those of a column. `None` on overflow.
fn products_of_lines(terms: Terms) -> Option<(Vec<Product>, Terms)> {
    let (mut products, mut others) = (Vec::new(), Vec::new());
    let mut groups: Vec<(usize, Terms)> = Vec::new();
    for term in terms {
        let (label, shape) = &term;
        let Some(along) = axis(shape) else {
            others.push(term);
            continue;
        };
        let alike =
            |(other, part): &(Label, Shape)| part == shape && other.offset[along] == label.offset[along];
        match groups.iter_mut().find(|(_, group)| alike(&group[0])) {
            Some((_, group)) => group.push(term),
            None => groups.push((along, vec![term])),
        }
    }
    for (along, group) in groups {
        if group.len() == 1 {
            others.extend(group);
            continue;
        }
        let line = group[0].1.clone();
        let across: Vec<_> = group.iter().map(|(label, _)| (0, label.offset, label.scale)).collect();
        let across = Placed::from_taps(1, &across)?;
        let (column, row) = if along == 0 { (across.shape, line) } else { (line, across.shape) };
        products.push(Product { label: across.label, column, row });
    }
    Some((products, others))
}

/// The direction of a line of taps: 0 for a row, 1 for a column.
fn axis(shape: &Shape) -> Option<usize> {
    match shape.size() {
        [_, 1, 1] if shape.tap_count() > 1 => Some(0),
        [1, _, 1] if shape.tap_count() > 1 => Some(1),
        _ => None,
    }
}

fn add(a: &Parts, b: &Parts) -> Option<Parts> {
    let products = a.products.iter().chain(&b.products).cloned().collect();
    let rest = Placed::sum(1, [(a.rest.label, &a.rest.shape), (b.rest.label, &b.rest.shape)])?;
    Some(Parts { products, rest })
}

/// A kernel's coefficients in rows of the filter's size. `None` if they are not integers within it.
fn dense(kernel: &Placed, width: usize, height: usize) -> Option<Vec<Vec<i64>>> {
    let mut rows = vec![vec![0; width]; height];
    for (_, [x, y, _], value) in kernel.taps()? {
        if value.denominator() != 1 {
            return None;
        }
        let row = rows.get_mut(usize::try_from(y).ok()?)?;
        *row.get_mut(usize::try_from(x).ok()?)? = value.numerator();
    }
    Some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::vector::workload::Element;
    use crate::budget::Budget;
    use crate::rule::propose::registry;

    #[test]
    fn kernels_of_low_rank_are_sums_of_products() {
        // [1 4 6 4 1]ᵀ[1 4 6 4 1] − 16 · [1 2 1]ᵀ[1 2 1]: lighter than its first product.
        let values = [1, 4, 6, 4, 1, 4, 0, -8, 0, 4, 6, -8, -28, -8, 6, 4, 0, -8, 0, 4, 1, 4, 6, 4, 1];
        let workload = Workload {
            range: [0, 255],
            ..Workload::known("filter", Element::Int16, [32, 2], [5, 5], [1, 1], values.to_vec())
        };
        let proposers = registry();
        let low_rank = proposers.iter().find(|proposer| proposer.name() == "low-rank").unwrap();
        let ways = |shape: &Shape| low_rank.propose(shape, 4, &Budget::unlimited());
        let found = splits(&workload, &ways, &[]);
        let sums = |split: &Split| {
            let mut sum = vec![0; values.len()];
            for piece in &split.outputs[0].pieces {
                let column = &split.columns[piece.column].coefficients;
                for (at, sum) in sum.iter_mut().enumerate() {
                    *sum += column[at / 5] * piece.coefficients[at % 5];
                }
            }
            sum
        };
        let (direct, low_rank) = found.split_last().unwrap();
        assert!(!low_rank.is_empty() && direct.columns.is_empty());
        for split in low_rank {
            assert_eq!((split.outputs[0].pieces.len(), split.has_rest()), (2, false));
            assert_eq!(sums(split), values);
            assert!(split.techniques().contains(&Technique::LowRank));
        }
        assert!(low_rank[0].taps() <= 14, "{low_rank:?}");
        let without = splits(&workload, &ways, &[Technique::LowRank]);
        assert!(without.iter().all(|split| split.columns.is_empty()), "{without:?}");
    }

    #[test]
    fn multiples_of_one_part_are_one_term() {
        let part = Placed::from_dense(1, [0; 3], [2, 1, 1], &[1, 5], Rational::ONE).unwrap().shape;
        let at = |scale, x| (Label::new(Rational::integer(scale), [x, 0, 0]), part.clone());
        assert_eq!(merged(&[at(4, 0), at(1, 2), at(-1, 0)]), Some(vec![at(3, 0), at(1, 2)]));
        assert_eq!(merged(&[at(4, 0), at(-4, 0)]), Some(Vec::new()));
    }
}
