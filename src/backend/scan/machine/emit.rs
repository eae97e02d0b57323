//! What the code of a plan is made of, whatever the language.

use std::fmt::Write as _;

use super::{Border, Fold, Layout, Output, Overflow, Plan, Step, Storage, Term};
use crate::algebra::Offset;

/// How code treats what does not fit: pixels beyond the image, and results beyond their type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeOptions {
    /// What is beyond the image.
    pub border: Border,
    /// What happens to results that do not fit.
    pub overflow: Overflow,
}

/// A buffer of rows.
pub(super) struct Buffer {
    pub(super) name: String,
    pub(super) storage: Storage,
    /// How many rows it has.
    pub(super) depth: i32,
    /// Its row length, less the columns of the output.
    pub(super) excess: i32,
}

/// A row of a step as another step reads it: in row r, the row (r + phase) modulo the depth of its buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RowRead {
    pub(super) source: usize,
    pub(super) phase: i32,
    /// Whether it is the row that is being written.
    pub(super) own: bool,
}

/// How an integer becomes a pixel: (value · up + added) / down, rounded down.
pub(super) struct Scaling {
    pub(super) up: i64,
    pub(super) down: i64,
    /// The bias, and what makes rounding down rounding to the nearest, halves up.
    pub(super) added: i64,
    /// Whether what is divided can be negative.
    pub(super) negative: bool,
    /// Whether the value is kept modulo the accumulator's size, to be read with its sign.
    pub(super) modular: bool,
    /// What pixels are limited to; `None` where upper bits are lost.
    pub(super) limits: Option<[i64; 2]>,
}

/// Van Herk's windows: prefixes `g` and suffixes `h` of blocks as long as a window, and one of each for every window.
pub(super) struct Windows {
    /// The column of the source's row where the first block begins; in a column of windows, that of column 0.
    pub(super) from: i32,
    /// How many values of a row they read, less the columns of the output.
    pub(super) count: i32,
    /// The length, less one.
    pub(super) last: i32,
    /// The column of the step's own row where the first result goes.
    pub(super) place: i32,
    /// Where column 0 of the step's own row is.
    pub(super) base: i32,
}

/// A plan with all that its code needs to know.
pub(super) struct Code<'a> {
    pub(super) plan: &'a Plan,
    pub(super) options: CodeOptions,
    pub(super) layout: Layout,
}

impl<'a> Code<'a> {
    pub(super) fn new(plan: &'a Plan, options: CodeOptions) -> Self {
        Self { plan, options, layout: Layout::of(plan) }
    }

    /// What a step is computed in: sums modulo a power of two, all else with its sign.
    pub(super) fn working(&self) -> Storage {
        let accumulator = self.plan.accumulator;
        let signed = accumulator.float || self.plan.fold != Fold::Sum;
        Storage { signed, ..accumulator }
    }

    /// What a fold reads, the step itself first where it is a recurrence: source, offset and weight. A sum that goes on from the
    /// pixel just computed (`true`) has it at hand, and does not read it.
    pub(super) fn reads(
        &self,
        number: usize,
        terms: &[Term],
        back: Option<Offset>,
    ) -> (bool, Vec<(usize, Offset, i64)>) {
        let at_hand = back == Some([-1, 0, 0]) && self.plan.fold == Fold::Sum;
        let neutral = self.plan.fold.neutral_weight();
        let own = back.filter(|_| !at_hand).map(|back| (number, back, neutral));
        let terms = terms.iter().map(|term| (term.source, term.offset, term.weight));
        (at_hand, own.into_iter().chain(terms).collect())
    }

    /// The buffers, those of the widest values first, so that each begins where its type may: the rows of step n are `n`,
    /// and what windows keep besides is `h` and `g`.
    pub(super) fn buffers(&self) -> Vec<Buffer> {
        let mut buffers = Vec::new();
        for (number, step) in self.plan.steps.iter().enumerate() {
            let (extent, storage) = (self.layout.extents[number], self.plan.storage[number]);
            let excess = extent.edge - extent.base;
            buffers.push(Buffer {
                name: format!("n{number}"),
                storage,
                depth: self.layout.depths[number],
                excess,
            });
            if let Step::Window { step, length, .. } = step {
                let [depth, more] = if step[0] != 0 { [1, *length as i32 - 1] } else { [*length as i32, 0] };
                for (name, depth) in [("h", depth), ("g", 1)] {
                    buffers.push(Buffer {
                        name: format!("{name}{number}"),
                        storage,
                        depth,
                        excess: excess + more,
                    });
                }
            }
        }
        buffers.sort_by_key(|buffer| std::cmp::Reverse(buffer.storage.bits));
        buffers
    }

    /// The row length of a step's buffer, less the columns of the output.
    pub(super) fn excess(&self, number: usize) -> i32 {
        self.layout.extents[number].edge - self.layout.extents[number].base
    }

    /// The row that a reader finds at an offset; `reader` is `None` for outputs, whose rows begin at 0.
    pub(super) fn row(&self, reader: Option<usize>, source: usize, offset: Offset) -> RowRead {
        let first = reader.map_or(0, |reader| self.layout.extents[reader].north);
        let depth = self.layout.depths[source];
        let own = reader == Some(source) && (depth == 1 || offset[1] % depth == 0);
        // From the first row of the source, and never negative.
        let phase = -offset[1] - self.layout.extents[source].north;
        let short = (-(first + phase)).max(0);
        RowRead { source, phase: phase + (short + depth - 1) / depth * depth, own }
    }

    /// Where column 0 of a row at an offset is in its buffer.
    pub(super) fn column(&self, source: usize, offset: Offset) -> i32 {
        offset[0] - self.layout.extents[source].base
    }

    /// How many columns and rows the output is smaller than the image by.
    pub(super) fn lost(&self) -> [i32; 2] {
        let [west, east, south, north] = self.plan.reach;
        if self.options.border == Border::Valid { [west + east, south + north] } else { [0, 0] }
    }

    /// The column and row of the image where the output's first pixel is.
    pub(super) fn corner(&self) -> [i32; 2] {
        let [west, _, _, north] = self.plan.reach;
        if self.options.border == Border::Valid { [west, north] } else { [0, 0] }
    }

    /// How an output is made of the value of its step.
    pub(super) fn scaling(&self, output: usize) -> Scaling {
        let Output { source, scale, bias, .. } = self.plan.outputs[output];
        let (up, down) = (scale.numerator(), scale.denominator());
        let limits = (self.options.overflow == Overflow::Saturate).then(|| self.plan.pixel.range());
        let storage = self.plan.storage[source];
        // What is kept modulo the accumulator's size is read with its sign.
        let modular = storage.bits == self.plan.accumulator.bits;
        Scaling {
            up,
            down,
            added: bias * down + down / 2,
            negative: storage.signed || up < 0,
            modular,
            limits,
        }
    }

    /// The same in double precision, of a value that is written as `value`.
    pub(super) fn scaled_real(&self, output: usize, value: &str) -> String {
        let Output { scale, bias, .. } = self.plan.outputs[output];
        let mut text = value.to_owned();
        if scale.numerator() != 1 {
            let _ = write!(text, " * {}.0", scale.numerator());
        }
        if scale.denominator() != 1 {
            let _ = write!(text, " / {}.0", scale.denominator());
        }
        if bias != 0 {
            let _ = write!(text, " + {bias}.0");
        }
        text
    }

    /// Where van Herk's windows of a step begin and end.
    pub(super) fn windows(&self, number: usize, source: usize, step: Offset, length: usize) -> Windows {
        let extent = self.layout.extents[number];
        let last = length as i32 - 1;
        Windows {
            from: self.column(source, if step[0] == 0 { [0; 3] } else { [extent.west, 0, 0] }),
            count: extent.east - extent.west + last,
            last,
            place: extent.west - extent.base,
            base: -extent.base,
        }
    }

    /// Whether a result needs more than 32 bits on its way from the accumulator to a pixel.
    pub(super) fn is_wide(&self, output: usize) -> bool {
        let output = &self.plan.outputs[output];
        let scale = output.scale;
        let small = scale.numerator().unsigned_abs() < 1 << 14 && scale.denominator() < 1 << 29;
        let source = self.plan.storage[output.source];
        !(source.bits <= 16 && small && output.bias.unsigned_abs() < 1 << 29) || self.plan.pixel.bits == 32
    }
}

/// A name as the end of another that C and Rust take.
pub(super) fn ending(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// A name that C and Rust take.
pub(super) fn identifier(name: &str) -> String {
    let mut found = ending(name);
    if !found.starts_with(|c: char| c.is_ascii_alphabetic()) {
        found.insert_str(0, "filter_");
    }
    // No keyword of either language has an underscore at its end.
    if RESERVED.contains(&found.as_str()) {
        found.push('_');
    }
    found
}

/// Keywords of C and Rust, and the names that the code itself uses.
const RESERVED: [&str; 60] = [
    "as", "async", "auto", "await", "box", "break", "case", "char", "columns", "const", "continue", "crate",
    "default", "do", "double", "dyn", "else", "enum", "extern", "false", "float", "fn", "for", "goto",
    "height", "if", "impl", "in", "int", "let", "long", "loop", "main", "match", "mod", "move", "mut", "out",
    "pub", "ref", "register", "return", "rows", "self", "short", "signed", "sizeof", "static", "struct",
    "super", "switch", "trait", "true", "type", "union", "unsafe", "use", "while", "width", "work",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_to_fit() {
        assert_eq!(identifier("box-15"), "box_15");
        assert_eq!(identifier("3x3"), "filter_3x3");
        assert_eq!(identifier("width"), "width_");
    }
}
