//! Where the C of a pipeline finds rows: in pictures, in rings, in layers for the values of variables.

use std::fmt::Write;

use crate::algebra::Rational;
use crate::backend::scan::machine::added;
use crate::pipeline::{Border, NodeId};

use super::address::Casts;
use super::coordinate::Coordinate;
use super::expression::{Body, Extent, From};
use super::loops::Loops;

/// The casts of addresses.
pub(super) const CASTS: Casts = ["(ptrdiff_t)", ""];

/// Prints loops.
pub(super) struct Printer<'l> {
    pub(super) loops: &'l Loops<'l>,
    pub(super) name: &'l str,
}

impl Printer<'_> {
    /// What a function is given besides its target and length, for row y of the band, which is row `of_picture` of the picture.
    pub(super) fn arguments(&self, body: &Body, y: &str, of_picture: &str) -> String {
        let mut text = String::new();
        for (number, read) in body.code.reads.iter().enumerate() {
            let start = self.start(body, number);
            match (read.from, read.extent) {
                (From::Pattern(pattern), _) => {
                    let [columns, rows] = self.loops.pattern(pattern);
                    let row =
                        format!("{}_phase({}, {rows})", self.name, self.coordinate(&read.row, of_picture));
                    let _ = write!(text, "{}_pattern_{pattern} + {row} * {columns}, ", self.name);
                }
                (From::Picture(index), _) => {
                    let name = &self.loops.ports.inputs[index];
                    let _ = write!(text, "in_{name} + ({of_picture}) * in_{name}_stride, ");
                }
                (From::Value(id), Extent::Row(z)) => {
                    let row = self.row(id, &self.coordinate(&read.row, y), z);
                    let row = if z == 0 {
                        row
                    } else {
                        let planes = self.loops.buffers[&id].planes;
                        format!("({0} >= 0 && {0} < {planes} ? {row} : zeros{1})", added("z", z), id.index())
                    };
                    let _ = write!(text, "{row}{start}, ");
                }
                (From::Value(id), Extent::Planes) => {
                    let _ = write!(
                        text,
                        "{}{start}, s{}, ",
                        self.layers(id, &self.coordinate(&read.row, y)),
                        id.index()
                    );
                }
                (From::Value(id), Extent::Rows) => {
                    let buffer = &self.loops.buffers[&id];
                    let n = id.index();
                    let row = buffer.row(&self.coordinate(&read.row, y));
                    let (depth, layers) = (buffer.rows(), self.loops.layers(buffer));
                    let layer = self.loops.layer(id, CASTS);
                    let _ = write!(text, "b{n}{layer}{start}, s{n}, {layers} * s{n}, {row}, {depth}, ");
                }
            }
        }
        body.code.variables().iter().for_each(|id| {
            let _ = write!(text, "d{}, ", id.0);
        });
        text
    }

    /// The first column that a body reads of a row, as an addend.
    pub(super) fn start(&self, body: &Body, read: usize) -> String {
        let Coordinate { times, plus, varying, down } = &body.code.reads[read].column;
        if *down != 1 {
            return added("", (times * body.first + plus).div_euclid(*down));
        }
        let mut text = String::new();
        for (id, factor) in varying {
            let _ = write!(text, " + ({factor}) * d{}", id.0);
        }
        added(&text, times * body.first + body.code.columns(read)[0])
    }

    pub(super) fn coordinate(&self, coordinate: &Coordinate, y: &str) -> String {
        let floor = |above: String, below: i64| format!("{}_down({above}, {below})", self.name);
        coordinate.text(y, &|id| format!("d{}", id.0), &floor)
    }

    /// The place within n pixels that stands for place i. A constant has none.
    pub(super) fn inside(&self, border: Border, i: &str, n: &str) -> String {
        format!("{}_{border}_inside({i}, {n})", self.name)
    }

    /// The planes of a value at row y: column 0 of the first.
    pub(super) fn layers(&self, id: NodeId, y: &str) -> String {
        let buffer = &self.loops.buffers[&id];
        let n = id.index();
        if let Some(image) = buffer.image {
            let pipeline = &self.loops.compiled.pipeline;
            let name = &self.loops.ports.inputs[image];
            let place = format!("{y} + f{}", buffer.size);
            let is_inside = buffer.margin[2..] == [0; 2];
            let place = if is_inside {
                format!("({place})")
            } else {
                self.inside(pipeline.border, &place, &format!("h{}", buffer.size))
            };
            return format!("in_{name} + {place} * in_{name}_stride");
        }
        let layers = self.loops.layers(buffer);
        let stride = if layers == 1 { format!("s{n}") } else { format!("({layers} * s{n})") };
        let row = buffer.row(y);
        let slot = match buffer.depth {
            Some(1) => String::new(),
            Some(depth) => format!(" + ({row}) % {depth} * {stride}"),
            None => format!(" + ({row}) * {stride}"),
        };
        format!("b{n}{slot}{}", self.loops.layer(id, CASTS))
    }

    /// Column 0 of a row of a value: of the plane that is computed, or of one at a distance.
    pub(super) fn row(&self, id: NodeId, y: &str, plane: i32) -> String {
        let planes = self.loops.buffers[&id].planes;
        let plane =
            if planes > 1 { format!(" + ({}) * s{}", added("z", plane), id.index()) } else { String::new() };
        self.layers(id, y) + &plane
    }
}

/// A side of the picture at a rate.
pub(super) fn scaled(side: &str, along: Rational) -> String {
    match (along.numerator(), along.denominator()) {
        (1, 1) => side.to_owned(),
        (up, 1) => format!("{side} * {up}"),
        (1, down) => format!("{side} / {down}"),
        (up, down) => format!("{side} * {up} / {down}"),
    }
}
