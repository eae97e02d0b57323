//! A plan as loops: for each step a nest that fills a row of its buffer, and for each output a nest that scales a row.
//! The C and Rust emitters print the same nests.

use super::{Border, Fold, Layout, Output, Overflow, Plan, PlanStep, Storage, Term};
use crate::algebra::Offset;

/// The treatment of pixels beyond the image, and of results beyond their type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeOptions {
    /// The values beyond the image.
    pub border: Border,
    /// The treatment of results that do not fit.
    pub overflow: Overflow,
}

/// A plan as loops over the rows of its output and, within, over the columns.
pub(super) struct Loops<'a> {
    pub(super) plan: &'a Plan,
    pub(super) options: CodeOptions,
    /// The columns and rows by which the output is smaller than the image.
    pub(super) lost: [i32; 2],
    /// The column and row of the image at the first pixel of the output.
    pub(super) corner: [i32; 2],
    /// The buffers, widest values first, so that each is aligned for its type.
    pub(super) buffers: Vec<Buffer>,
    /// The row of the output, or before it, at which the loops begin.
    pub(super) first_row: i32,
    pub(super) nests: Vec<Nest>,
    pub(super) results: Vec<Scaled<'a>>,
}

/// A buffer of rows: `n` followed by the number of the step, or `h` and `g` for the blocks of its windows.
pub(super) struct Buffer {
    pub(super) name: String,
    pub(super) storage: Storage,
    /// The number of rows.
    pub(super) depth: i32,
    /// The row length, less the columns of the output.
    pub(super) excess: i32,
}

/// A row of a step: for row r, the row (r + phase) modulo the depth of its buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Row {
    pub(super) source: usize,
    pub(super) storage: Storage,
    phase: i32,
    pub(super) depth: i32,
    /// The row length of its buffer, less the columns of the output.
    pub(super) excess: i32,
    /// Whether this is the row being written.
    pub(super) own: bool,
}

impl Row {
    /// The index of the row in its buffer. `row` is the variable with the row number.
    pub(super) fn slot(&self, row: &str) -> String {
        if self.depth == 1 { "0".to_owned() } else { format!("(({row} + {}) % {})", self.phase, self.depth) }
    }
}

/// The element that is read for column x: column x + `column` of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Element {
    pub(super) row: Row,
    pub(super) column: i32,
}

/// The loops that fill a row of a step.
pub(super) struct Nest {
    /// The step, as in the listing of the plan.
    pub(super) comment: String,
    /// The number of rows by which it is ahead of the output.
    pub(super) lead: i32,
    /// Its first row, and its last row less that of the output.
    pub(super) rows: [i32; 2],
    /// Its first column, and its last column less that of the output.
    pub(super) columns: [i32; 2],
    /// The position of column 0 in its row.
    pub(super) base: i32,
    pub(super) own: Row,
    pub(super) body: Body,
}

/// The work for each column.
pub(super) enum Body {
    /// Copies a pixel of this input, or a value beyond the image.
    Input(usize),
    /// Folds weighted values.
    Fold(Folded),
    /// Computes van Herk's windows along a row.
    Flat(Windows),
    /// Computes van Herk's windows down a column.
    Tall(Windows),
}

/// A fold of weighted values.
pub(super) struct Folded {
    /// The values. The step's own value comes first in a recurrence.
    pub(super) reads: Vec<(Element, i64)>,
    /// Whether the step reads itself.
    pub(super) recurs: bool,
    /// Whether the step is a sum that continues from the pixel just computed. That value is in a variable and is not read.
    pub(super) at_hand: bool,
}

/// Van Herk's windows: prefixes `g` and suffixes `h` of blocks as long as a window. Every window takes one of each.
pub(super) struct Windows {
    /// The start of the first block; in a column of windows, column 0.
    pub(super) from: Element,
    pub(super) length: i32,
    /// The number of values of a row that they read, less the columns of the output.
    pub(super) count: i32,
}

/// A row of an output: (value · up + added) / down, rounded down.
pub(super) struct Scaled<'a> {
    pub(super) output: &'a Output,
    pub(super) read: Element,
    pub(super) up: i64,
    pub(super) down: i64,
    /// The bias, plus the constant that turns rounding down into rounding to the nearest, halves up.
    pub(super) added: i64,
    /// Whether the dividend can be negative.
    pub(super) negative: bool,
    /// Whether the value is kept modulo the size of the accumulator and read as signed.
    pub(super) modular: bool,
    /// Whether a result needs more than 32 bits between the accumulator and the pixel.
    pub(super) wide: bool,
    /// The limits of pixels, or `None` if upper bits are lost.
    pub(super) limits: Option<[i64; 2]>,
}

impl<'a> Loops<'a> {
    pub(super) fn of(plan: &'a Plan, options: CodeOptions) -> Self {
        let layout = Layout::of(plan);
        let [west, east, south, north] = plan.reach;
        let whole = options.border != Border::Valid;
        let lowering = Lowering { plan, options, layout: &layout };
        Self {
            plan,
            options,
            lost: if whole { [0, 0] } else { [west + east, south + north] },
            corner: if whole { [0, 0] } else { [west, north] },
            buffers: lowering.buffers(),
            first_row: layout.first_row(),
            nests: (0..plan.steps.len())
                .zip(plan.listing())
                .map(|(number, text)| lowering.nest(number, text))
                .collect(),
            results: plan.outputs.iter().map(|output| lowering.scaled(output)).collect(),
        }
    }

    /// The type in which a step is computed: unsigned (modulo a power of two) for sums, otherwise signed.
    pub(super) fn working(&self) -> Storage {
        let accumulator = self.plan.accumulator;
        Storage { signed: accumulator.float || self.plan.fold != Fold::Sum, ..accumulator }
    }

    /// Whether values beyond the image are zero or never read.
    pub(super) fn ends(&self) -> bool {
        matches!(self.options.border, Border::Valid | Border::Zero)
    }
}

impl Scaled<'_> {
    /// The result in double precision, as an expression of `value`.
    pub(super) fn real(&self, value: &str) -> String {
        let (scale, bias) = (self.output.scale, self.output.bias);
        let part = |number: i64, neutral: i64, operator: &str| {
            if number == neutral { String::new() } else { format!(" {operator} {number}.0") }
        };
        let [up, down] = [part(scale.numerator(), 1, "*"), part(scale.denominator(), 1, "/")];
        format!("{value}{up}{down}{}", part(bias, 0, "+"))
    }
}

/// Lowers a plan to loops.
struct Lowering<'a, 'l> {
    plan: &'a Plan,
    options: CodeOptions,
    layout: &'l Layout,
}

impl<'a> Lowering<'a, '_> {
    fn buffers(&self) -> Vec<Buffer> {
        let mut buffers = Vec::new();
        for (number, step) in self.plan.steps.iter().enumerate() {
            let storage = self.plan.storage[number];
            let mut add = |name: &str, depth: i32, more: i32| {
                let excess = self.excess(number) + more;
                buffers.push(Buffer { name: format!("{name}{number}"), storage, depth, excess });
            };
            add("n", self.layout.depths[number], 0);
            if let PlanStep::Window { step, length, .. } = step {
                let length = *length as i32;
                let [depth, more] = if step[0] != 0 { [1, length - 1] } else { [length, 0] };
                add("h", depth, more);
                add("g", 1, more);
            }
        }
        buffers.sort_by_key(|buffer| std::cmp::Reverse(buffer.storage.bits));
        buffers
    }

    /// The row length of a step's buffer, less the columns of the output.
    fn excess(&self, number: usize) -> i32 {
        self.layout.extents[number].edge - self.layout.extents[number].base
    }

    /// The row that a reader finds at an offset. `reader` is `None` for outputs, whose rows begin at 0.
    fn row(&self, reader: Option<usize>, source: usize, offset: Offset) -> Row {
        let first = reader.map_or(0, |reader| self.layout.extents[reader].north);
        let depth = self.layout.depths[source];
        let own = reader == Some(source) && (depth == 1 || offset[1] % depth == 0);
        // Counted from the first row of the source, and never negative.
        let phase = -offset[1] - self.layout.extents[source].north;
        let short = (-(first + phase)).max(0);
        let phase = phase + (short + depth - 1) / depth * depth;
        Row { source, storage: self.plan.storage[source], phase, depth, excess: self.excess(source), own }
    }

    fn element(&self, reader: Option<usize>, source: usize, offset: Offset) -> Element {
        let column = offset[0] - self.layout.extents[source].base;
        Element { row: self.row(reader, source, offset), column }
    }

    fn nest(&self, number: usize, comment: String) -> Nest {
        let extent = self.layout.extents[number];
        let body = match &self.plan.steps[number] {
            PlanStep::Input(channel) => Body::Input(*channel),
            PlanStep::Fold { terms, back } => Body::Fold(self.fold(number, terms, *back)),
            PlanStep::Window { source, step, length } => {
                let length = *length as i32;
                let count = extent.east - extent.west + length - 1;
                let flat = step[0] != 0;
                let first = if flat { [extent.west, 0, 0] } else { [0; 3] };
                let windows = Windows { from: self.element(Some(number), *source, first), length, count };
                if flat { Body::Flat(windows) } else { Body::Tall(windows) }
            }
        };
        Nest {
            comment,
            lead: self.layout.leads[number],
            rows: [extent.north, extent.south],
            columns: [extent.west, extent.east],
            base: -extent.base,
            own: self.row(Some(number), number, [0; 3]),
            body,
        }
    }

    fn fold(&self, number: usize, terms: &[Term], back: Option<Offset>) -> Folded {
        let at_hand = back == Some([-1, 0, 0]) && self.plan.fold == Fold::Sum;
        let neutral = self.plan.fold.neutral_weight();
        let own = back.filter(|_| !at_hand).map(|back| (number, back, neutral));
        let terms = terms.iter().map(|term| (term.source, term.offset, term.weight));
        let read = |(source, offset, weight)| (self.element(Some(number), source, offset), weight);
        Folded { reads: own.into_iter().chain(terms).map(read).collect(), recurs: back.is_some(), at_hand }
    }

    fn scaled(&self, output: &'a Output) -> Scaled<'a> {
        let Output { source, scale, bias, .. } = *output;
        let (up, down) = (scale.numerator(), scale.denominator());
        let (storage, pixel) = (self.plan.storage[source], output.pixel);
        let small = up.unsigned_abs() < 1 << 14 && down < 1 << 29 && bias.unsigned_abs() < 1 << 29;
        Scaled {
            output,
            read: self.element(None, source, output.offset),
            up,
            down,
            added: bias * down + down / 2,
            negative: storage.signed || up < 0,
            modular: storage.bits == self.plan.accumulator.bits,
            wide: storage.bits > 16 || !small || pixel.bits == 32,
            limits: (output.overflow(self.options.overflow) == Overflow::Saturate).then(|| pixel.range()),
        }
    }
}

/// Makes a name valid as the end of another name in C and Rust.
pub(super) fn ending(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Makes a name valid in C and Rust.
pub(super) fn identifier(name: &str) -> String {
    let mut found = ending(name);
    if !found.starts_with(|c: char| c.is_ascii_alphabetic()) {
        found.insert_str(0, "filter_");
    }
    // No keyword of either language ends in an underscore.
    if RESERVED.contains(&found.as_str()) {
        found.push('_');
    }
    found
}

/// The keywords of C and Rust, and the names that the emitted code uses.
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
