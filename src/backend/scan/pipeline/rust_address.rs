//! Where the Rust of a pipeline finds rows: in pictures, in rings, in layers for the values of variables.

use std::fmt::Write;

use crate::backend::scan::machine::{added, rust_inside};
use crate::pipeline::{Border, NodeId};

use super::address::Casts;
use super::coordinate::Coordinate;
use super::expression::{Body, Extent, From};
use super::loops::Loops;

/// The casts of addresses.
pub(super) const CASTS: Casts = ["", " as isize"];

/// Prints loops.
pub(super) struct Printer<'l> {
    pub(super) loops: &'l Loops<'l>,
}

impl Printer<'_> {
    /// What a function is given besides its target, for row y of the band, which is row `of_picture` of the picture, and n columns.
    pub(super) fn arguments(&self, body: &Body, [y, of_picture, n]: [&str; 3]) -> String {
        let mut text = String::new();
        for (number, read) in body.code.reads.iter().enumerate() {
            let start = self.start(body, number);
            match (read.from, read.extent) {
                (From::Pattern(pattern), _) => {
                    let [columns, rows] = self.loops.pattern(pattern);
                    let row = coordinate(&read.row, of_picture);
                    let _ = write!(
                        text,
                        ", &PATTERN_{pattern}[(({row}).rem_euclid({rows}) * {columns}) as usize..]"
                    );
                }
                (From::Picture(index), _) => {
                    let name = &self.loops.ports.inputs[index];
                    let _ = write!(
                        text,
                        ", &in_{name}[({of_picture}) as usize * in_{name}_stride..][..({n}) as usize]"
                    );
                }
                (From::Value(id), Extent::Row(z)) => {
                    let _ = write!(text, ", {}", self.row_argument(body, number, (id, z), [y, n]));
                }
                (From::Value(id), Extent::Planes) => {
                    let row = self.planes(id, &coordinate(&read.row, y));
                    let _ = write!(text, ", &{row}[({start}) as usize..], s{}", id.index());
                }
                (From::Value(id), Extent::Rows) => {
                    let buffer = &self.loops.buffers[&id];
                    let n = id.index();
                    let row = buffer.row(&coordinate(&read.row, y));
                    let (depth, layers) = (buffer.rows(), self.loops.layers(buffer));
                    let layer = self.loops.layer(id, CASTS);
                    let _ = write!(text, ", &b{n}, [s{n}, {layers} * s{n}, {row}, {depth}, {start}{layer}]");
                }
            }
        }
        body.code.variables().iter().for_each(|id| {
            let _ = write!(text, ", d{}", id.0);
        });
        text
    }

    /// The columns that a body reads of a row of a value, in the plane at distance z: zeros where there is no such plane.
    fn row_argument(&self, body: &Body, number: usize, (id, z): (NodeId, i32), [y, n]: [&str; 2]) -> String {
        let (read, start) = (&body.code.reads[number], self.start(body, number));
        let [least, greatest] = body.code.columns(number);
        let length = if read.is_dense() {
            format!("[..({n} + {}) as usize]", greatest - least)
        } else {
            String::new()
        };
        let row = format!("{}[({start}) as usize..]{length}", self.row(id, &coordinate(&read.row, y), z));
        if z == 0 {
            return format!("&{row}");
        }
        let planes = self.loops.buffers[&id].planes;
        let zeros = format!("zeros{}[({start}) as usize..]{length}", id.index());
        format!("if (0..{planes}).contains(&({})) {{ &{row} }} else {{ &{zeros} }}", added("z", z))
    }

    /// The place in a row of the first column that a body reads.
    fn start(&self, body: &Body, read: usize) -> String {
        let read_of = &body.code.reads[read];
        let Coordinate { times, plus, varying, down } = &read_of.column;
        let west = match read_of.from {
            From::Value(id) => self.west(id),
            From::Picture(_) | From::Pattern(_) => 0,
        };
        if *down != 1 {
            return (west + (times * body.first + plus).div_euclid(*down)).to_string();
        }
        let mut text = (west + times * body.first + body.code.columns(read)[0]).to_string();
        for (id, factor) in varying {
            let _ = write!(text, " + ({factor}) * d{} as isize", id.0);
        }
        text
    }

    /// The place of column 0 in a row.
    pub(super) fn west(&self, id: NodeId) -> i64 {
        let buffer = &self.loops.buffers[&id];
        if buffer.image.is_some() { 0 } else { buffer.margin[0] }
    }

    /// The place in memory of a row of a value that is not a picture: that of all its planes, for the present values of variables.
    pub(super) fn place(&self, id: NodeId, y: &str) -> String {
        let (n, buffer) = (id.index(), &self.loops.buffers[&id]);
        let layers = self.loops.layers(buffer);
        let row = buffer.row(y);
        let slot = match buffer.depth {
            Some(1) => "0".to_owned(),
            Some(depth) => format!("({row}) % {depth} * {layers} * s{n}"),
            None => format!("({row}) * {layers} * s{n}"),
        };
        slot + &self.loops.layer(id, CASTS)
    }

    /// The planes of a value at row y.
    fn planes(&self, id: NodeId, y: &str) -> String {
        let buffer = &self.loops.buffers[&id];
        if let Some(image) = buffer.image {
            let pipeline = &self.loops.compiled.pipeline;
            let name = &self.loops.ports.inputs[image];
            let place = format!("{y} + f{}", buffer.size);
            let is_inside = buffer.margin[2..] == [0; 2];
            let place =
                if is_inside { place } else { inside(pipeline.border, &place, &format!("h{}", buffer.size)) };
            return format!("in_{name}[({place}) as usize * in_{name}_stride..]");
        }
        format!("b{}[({}) as usize..]", id.index(), self.place(id, y))
    }

    /// A row of a value: of the plane that is computed, or of one at a distance.
    pub(super) fn row(&self, id: NodeId, y: &str, plane: i32) -> String {
        let row = self.planes(id, y);
        if self.loops.buffers[&id].planes == 1 {
            return row;
        }
        format!("{row}[(({}) * s{}) as usize..]", added("z", plane), id.index())
    }
}

pub(super) fn coordinate(coordinate: &Coordinate, y: &str) -> String {
    let floor = |above: String, below: i64| format!("({above}).div_euclid({below})");
    coordinate.text(y, &|id| format!("d{} as isize", id.0), &floor)
}

/// The place within n pixels that stands for place i. A constant has none.
pub(super) fn inside(border: Border, i: &str, n: &str) -> String {
    match border {
        Border::Constant(_) => i.to_owned(),
        _ => format!("{border}({i}, {n})"),
    }
}

/// The functions of [`inside`] that the text uses.
pub(super) fn places(text: &str) -> String {
    let mut found = String::new();
    for border in [Border::Replicate, Border::Wrap, Border::Reflect, Border::Reflect101] {
        if let Some(body) = rust_inside(border)
            && text.contains(&format!("{border}("))
        {
            let _ = write!(
                found,
                "    /// The place of index i beyond n pixels.\n    fn {border}(i: isize, n: isize) -> isize {{\n        {body}\n    }}\n"
            );
        }
    }
    found
}
