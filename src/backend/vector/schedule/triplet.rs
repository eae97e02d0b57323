//! Vyasa's triplets: for each statement of the unrolled loop body its output, its vector operand and its scalar operand.
//! Also lazy stores, the reuse graph, and the fusion of one-dimensional operations for the columns of the datapath.

use super::Infeasible;

/// The symbolic statement `output += scalar · vector`. Places are those of the first iteration, in elements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Triplet {
    /// The output vector, by its number in the unrolled body.
    pub output: usize,
    /// The place of the vector operand's first lane.
    pub vector: usize,
    /// The place of the scalar operand.
    pub scalar: usize,
}

/// A vector load that covers a connected component of the reuse graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cover {
    /// Its aligned start.
    pub start: usize,
    /// Its vector registers.
    pub vectors: usize,
}

/// The statements of one operation of the datapath, one per column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fused {
    /// The output vector.
    pub output: usize,
    /// The cover of the vector operands, by number.
    pub cover: usize,
    /// The cover of the scalar operands, by number.
    pub scalars: usize,
    /// The statements, column by column.
    pub columns: Vec<Triplet>,
}

/// The lanes, registers and alignment that the passes need to know, in elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tensors {
    /// The lanes of a vector operation.
    pub lanes: usize,
    /// The columns of the datapath.
    pub columns: usize,
    /// The distance between adjacent lanes of the vector operand.
    pub lane_stride: usize,
    /// The elements of a vector register.
    pub per_vector: usize,
    /// The alignment of loads.
    pub alignment: usize,
    /// The maximum number of vector registers of an operand.
    pub widest: usize,
    /// Whether adjacent accesses are also joined, up to the width of an operand, because columns come from several of them.
    pub joined: bool,
}

/// The triplets of a body, with the places that `operands` gives for each output and each place of the filter. All
/// statements of an output are together (lazy stores).
pub fn triplets<T: Copy>(
    outputs: usize,
    taps: &[T],
    operands: impl Fn(usize, T) -> (usize, usize),
) -> Vec<Triplet> {
    let of = |output| {
        let operands = &operands;
        taps.iter().map(move |tap| {
            let (vector, scalar) = operands(output, *tap);
            Triplet { output, vector, scalar }
        })
    };
    (0..outputs).flat_map(of).collect()
}

/// The connected components of the reuse graph of accesses that each span `span` elements. Two accesses are joined if
/// they share an element.
///
/// # Errors
/// A component is wider than the widest register.
pub fn covers(
    starts: impl IntoIterator<Item = usize>,
    span: usize,
    tensors: &Tensors,
) -> Result<Vec<Cover>, Infeasible> {
    let mut starts: Vec<usize> = starts.into_iter().collect();
    starts.sort_unstable();
    starts.dedup();
    let mut intervals: Vec<(usize, usize)> = Vec::new();
    for start in starts {
        match intervals.last_mut() {
            Some((_, end)) if start < *end => *end = start + span,
            Some((from, end))
                if tensors.joined
                    && start == *end
                    && start + span - *from <= tensors.widest * tensors.per_vector =>
            {
                *end = start + span;
            }
            _ => intervals.push((start, start + span)),
        }
    }
    let cover = |(from, to): (usize, usize)| {
        let start = from / tensors.alignment * tensors.alignment;
        let vectors = (to - start).div_ceil(tensors.per_vector);
        if vectors > tensors.widest {
            return Err(Infeasible::TooWide { vectors, most: tensors.widest });
        }
        Ok(Cover { start, vectors })
    };
    intervals.into_iter().map(cover).collect()
}

/// Covers of single elements. Adjacent elements share one vector load.
pub fn scalar_covers(places: impl IntoIterator<Item = usize>, tensors: &Tensors) -> Vec<Cover> {
    let mut places: Vec<usize> = places.into_iter().collect();
    places.sort_unstable();
    let mut found: Vec<Cover> = Vec::new();
    for place in places {
        if found.last().is_none_or(|cover| place >= cover.start + tensors.per_vector) {
            found.push(Cover { start: place / tensors.alignment * tensors.alignment, vectors: 1 });
        }
    }
    found
}

/// The cover that contains a place.
fn holding(covers: &[Cover], place: usize) -> usize {
    covers.partition_point(|cover| cover.start <= place).saturating_sub(1)
}

/// Fuses the statements of an output that use the same registers, in the order of their scalars. The result is in the
/// preferred issue order: by vector operand, so that each is loaded once, then by output.
///
/// # Errors
/// The number of statements is not a multiple of the columns. The caller pads the filter or drops the schedule.
pub fn fuse(
    triplets: &[Triplet],
    vectors: &[Cover],
    scalars: &[Cover],
    columns: usize,
) -> Result<Vec<Fused>, Infeasible> {
    let mut keyed: Vec<(usize, usize, usize, usize, Triplet)> = triplets
        .iter()
        .map(|t| (holding(vectors, t.vector), t.output, holding(scalars, t.scalar), t.scalar, *t))
        .collect();
    keyed.sort_unstable();
    let mut found = Vec::new();
    for group in keyed.chunk_by(|a, b| (a.0, a.1, a.2) == (b.0, b.1, b.2)) {
        if !group.len().is_multiple_of(columns) {
            return Err(Infeasible::Unfused { left: group.len() % columns, columns });
        }
        for columns in group.chunks(columns) {
            let (cover, output, scalars, ..) = columns[0];
            let columns = columns.iter().map(|key| key.4).collect();
            found.push(Fused { output, cover, scalars, columns });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: Tensors = Tensors {
        lanes: 16,
        columns: 2,
        lane_stride: 1,
        per_vector: 16,
        alignment: 8,
        widest: 4,
        joined: false,
    };

    /// The running example of the paper: a 4×3 filter, sixteen lanes, rows of 264 elements.
    fn example() -> Vec<Triplet> {
        let taps: Vec<(usize, usize)> = (0..3).flat_map(|s| (0..4).map(move |r| (r, s))).collect();
        triplets(1, &taps, |_, (r, s)| (264 * s + r, 4 * s + r))
    }

    #[test]
    fn the_papers_example_has_three_larger_loads_and_six_fused_operations() {
        let triplets = example();
        assert_eq!(triplets.len(), 12);
        let vectors = covers(triplets.iter().map(|t| t.vector), 16, &WORDS).unwrap();
        let starts: Vec<usize> = vectors.iter().map(|cover| cover.start).collect();
        assert_eq!(starts, [0, 264, 528]);
        assert!(vectors.iter().all(|cover| cover.vectors == 2));
        let scalars = scalar_covers(triplets.iter().map(|t| t.scalar), &WORDS);
        assert_eq!(scalars, [Cover { start: 0, vectors: 1 }]);
        let fused = fuse(&triplets, &vectors, &scalars, 2).unwrap();
        let taps: Vec<Vec<usize>> =
            fused.iter().map(|f| f.columns.iter().map(|t| t.scalar).collect()).collect();
        assert_eq!(taps, [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let wide = covers((0..60).step_by(4), 16, &WORDS);
        assert_eq!(wide, Err(Infeasible::TooWide { vectors: 5, most: 4 }));
        let odd: Vec<Triplet> = example().into_iter().filter(|t| t.scalar % 4 < 3).collect();
        let vectors = covers(odd.iter().map(|t| t.vector), 16, &WORDS).unwrap();
        let scalars = scalar_covers(odd.iter().map(|t| t.scalar), &WORDS);
        assert_eq!(fuse(&odd, &vectors, &scalars, 2), Err(Infeasible::Unfused { left: 1, columns: 2 }));
    }
}
