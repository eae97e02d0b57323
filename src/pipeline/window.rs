//! Windows: which pixels of other values a value reads.

use std::collections::BTreeMap;

use crate::algebra::Rational;

use super::id::NodeId;
use super::{Operation, Pipeline};

/// What a value at column c and row r reads of another: columns from ratio · c + west to ratio · c + east, and rows from
/// ratio · r − north to ratio · r − south.
///
/// Borders are left out: beyond the edges of a picture other pixels stand in for these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// The samples of the other for each column and row of the value.
    pub ratio: [Rational; 2],
    /// The least offsets, east and north.
    pub low: [Rational; 2],
    /// The greatest offsets.
    pub high: [Rational; 2],
}

impl Window {
    /// The pixel itself.
    const ITSELF: Self =
        Self { ratio: [Rational::ONE; 2], low: [Rational::ZERO; 2], high: [Rational::ZERO; 2] };

    /// The greatest number of columns and of rows that a pixel reads.
    pub fn size(&self) -> [i64; 2] {
        [0, 1].map(|axis| {
            self.high[axis].sub(self.low[axis]).map_or(i64::MAX, |d| d.numerator() / d.denominator() + 1)
        })
    }

    /// The offsets in whole pixels along an axis: those that are read at some pixel.
    pub fn whole(&self, axis: usize) -> [i64; 2] {
        let (low, high) = (self.low[axis], self.high[axis]);
        let ceiling = |r: Rational| -r.negate().floor();
        if self.ratio[axis].is_integer() {
            [ceiling(low), high.floor()]
        } else {
            [low.floor(), ceiling(high)]
        }
    }

    /// What is read through a value that reads by `inner`. `None` beyond the range of rationals.
    fn through(&self, inner: &Self) -> Option<Self> {
        let along = |axis: usize| {
            let scale = |distance: Rational, own: Rational| inner.ratio[axis].mul(distance)?.add(own);
            Some((
                self.ratio[axis].mul(inner.ratio[axis])?,
                scale(self.low[axis], inner.low[axis])?,
                scale(self.high[axis], inner.high[axis])?,
            ))
        };
        let ([x, y], [l, m], [h, i]) = {
            let (a, b) = (along(0)?, along(1)?);
            ([a.0, b.0], [a.1, b.1], [a.2, b.2])
        };
        Some(Self { ratio: [x, y], low: [l, m], high: [h, i] })
    }

    /// The smallest window that contains both.
    fn union(self, other: &Self) -> Self {
        let low = [0, 1].map(|axis| self.low[axis].min(other.low[axis]));
        let high = [0, 1].map(|axis| self.high[axis].max(other.high[axis]));
        Self { low, high, ..self }
    }
}

/// For each node of a pipeline what it reads of the nodes in `ends`, through any nodes between. What reads nothing of an end,
/// or too far to say, has no entry for it.
pub fn windows(pipeline: &Pipeline, ends: &[NodeId]) -> Vec<BTreeMap<NodeId, Window>> {
    let mut all: Vec<BTreeMap<NodeId, Window>> = Vec::with_capacity(pipeline.nodes.len());
    for id in pipeline.ids() {
        let mut own: BTreeMap<NodeId, Window> = BTreeMap::new();
        let operation = &pipeline.node(id).operation;
        for (number, operand) in operation.operands().into_iter().enumerate() {
            let Some(step) = step(pipeline, operation, number) else { continue };
            let itself = BTreeMap::from([(operand, Window::ITSELF)]);
            let inner = if ends.contains(&operand) { &itself } else { &all[operand.index()] };
            for (end, window) in inner {
                let Some(through) = step.through(window) else { continue };
                own.entry(*end).and_modify(|before| *before = before.union(&through)).or_insert(through);
            }
        }
        all.push(own);
    }
    all
}

/// What an operation reads of the operand with this number; `None` if it reads nothing.
fn step(pipeline: &Pipeline, operation: &Operation, number: usize) -> Option<Window> {
    let itself = Window::ITSELF;
    let between = |[x, y]: [[i64; 2]; 2]| Window {
        low: [x[0], y[0]].map(Rational::integer),
        high: [x[1], y[1]].map(Rational::integer),
        ..itself
    };
    Some(match operation {
        Operation::Filter(stencil, _) => {
            let offsets = stencil.offsets(number);
            let ends = |axis: usize| {
                let along = || offsets.iter().map(|offset| i64::from(offset[axis]));
                Some([along().min()?, along().max()?])
            };
            between([ends(0)?, ends(1)?])
        }
        Operation::At(distances, _) => {
            let [x, y] = distances.each_ref().map(|d| d.limits(&pipeline.variables));
            between([x, y])
        }
        Operation::Gather { by, .. } if number == 0 => {
            let limits = by.map(|id| pipeline.facts(id).range().map(|r| [r.least as i64, r.greatest as i64]));
            between([limits[0]?, limits[1]?])
        }
        Operation::Down { period, phase, .. } => {
            let at = [i64::from(phase[0]), -i64::from(phase[1])].map(Rational::integer);
            Window { ratio: period.map(|p| Rational::integer(p.into())), low: at, high: at }
        }
        Operation::Histogram { cell, .. } => {
            let [p, q] = cell.map(i64::from);
            Window { ratio: [p, q].map(Rational::integer), ..between([[0, p - 1], [1 - q, 0]]) }
        }
        Operation::Up(period, _) | Operation::Interleave(period, _) => {
            // ⌊c / p⌋ is c / p less at most (p − 1) / p; rows count south, offsets north.
            let [p, q] = period.map(i64::from);
            let rest = |p: i64| Rational::new(p - 1, p);
            Window {
                ratio: [Rational::new(1, p)?, Rational::new(1, q)?],
                low: [rest(p)?.negate(), Rational::ZERO],
                high: [Rational::ZERO, rest(q)?],
            }
        }
        _ => itself,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::read_pipeline;
    use crate::syntax::Source;

    /// What an expression reads of the input: ratio along x, offsets and sizes along both axes.
    fn window(expression: &str) -> (String, [[i64; 2]; 2], [i64; 2]) {
        let text = format!("(pipeline p (inputs (a uint8)) (output o {expression}))");
        let read = read_pipeline(&Source::new("test.sexp", text)).unwrap();
        let input = NodeId::new(0);
        let window = windows(&read, &[input])[read.outputs[0].node.index()][&input];
        (window.ratio[0].to_string(), [window.whole(0), window.whole(1)], window.size())
    }

    #[test]
    fn windows_add_up_and_are_united() {
        let twice = "(abs (filter (kernel (1 1 1)) (abs (filter (kernel (1) (1) (1)) (at (neg a) 2 0)))))";
        assert_eq!(window(twice), ("1".to_owned(), [[1, 3], [-1, 1]], [3, 3]));
        assert_eq!(window("(max a (abs (at a -3 1)))"), ("1".to_owned(), [[-3, 0], [0, 1]], [4, 2]));
        assert_eq!(
            window("(fold min (d 0 8) (at a (* 2 d) 0))"),
            ("1".to_owned(), [[0, 14], [0, 0]], [15, 1])
        );
    }

    #[test]
    fn windows_scale_with_rates() {
        let down = "(down 2 2 (abs (filter (kernel (1 1 1)) a)))";
        assert_eq!(window(down), ("2".to_owned(), [[-1, 1], [0, 0]], [3, 1]));
        assert_eq!(window("(phase a 1 1)"), ("2".to_owned(), [[1, 1], [-1, -1]], [1, 1]));
        let cell = "(gather (histogram 4 4 1 0 a) 0 0 0)";
        assert_eq!(window(cell), ("4".to_owned(), [[0, 3], [-3, 0]], [4, 4]));
        // A pixel of the doubled picture reads one pixel of the half, and that one reads two.
        let up = "(abs (up 2 1 (max (down 2 1 a) (phase a 1 0 2 1))))";
        assert_eq!(window(up), ("1".to_owned(), [[-1, 1], [0, 0]], [3, 1]));
    }
}
