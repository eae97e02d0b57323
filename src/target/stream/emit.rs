//! What the code of a plan is made of, whatever the language.

use super::{Border, Layout, Overflow, Plan, Step, Storage};
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

    /// The buffers, those of the widest values first, so that each begins where its type may: the rows of step n are `n`,
    /// and what windows keep besides is `h` and `g`.
    pub(super) fn buffers(&self) -> Vec<Buffer> {
        let mut buffers = Vec::new();
        for (number, step) in self.plan.steps.iter().enumerate() {
            let (extent, storage) = (self.layout.extents[number], self.plan.storage[number]);
            let excess = extent.east - extent.base;
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
        self.layout.extents[number].east - self.layout.extents[number].base
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
