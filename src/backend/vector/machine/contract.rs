//! The contract between emitted code and its caller: buffer layouts, and the other elements that the code accesses.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::cpp::function_name;
use super::{Address, Array, Operation, Program, Role, VliwMachine};
use crate::backend::vector::workload::{Dim, Operand, Placement, TensorPlacements, Workload};

/// The elements of the array of weights that are printed on a line.
const TAPS_IN_A_LINE: usize = 16;
/// The maximum number of such lines.
const LINES_OF_TAPS: usize = 32;

/// The contract of a function and its buffers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contract {
    /// The name of the function.
    pub function: String,
    /// Its arguments, as names of buffers. Each is a `__restrict` pointer: no two buffers overlap.
    pub arguments: Vec<String>,
    /// All buffers, including those that are part of the code.
    pub buffers: Vec<Buffer>,
    /// The input pixels before and after those under the outputs, along `x y z`.
    pub halo: [[i64; 2]; 3],
}

/// The purpose of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// Outputs, written.
    Output,
    /// Pixels, read.
    Input,
    /// Weights of the run, read.
    Weights,
    /// Coefficients, part of the code.
    Table,
    /// Scratch memory between two passes, part of the code. Two calls cannot run at the same time.
    Scratch,
}

/// A buffer. Numbers count elements, not bytes, unless stated otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buffer {
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub purpose: Purpose,
    /// The type of its elements.
    pub element: String,
    /// The minimum number of elements.
    pub elements: usize,
    /// The alignment of its address in bytes.
    pub alignment: usize,
    /// Its address in the local memory, as assumed in the cycle count. `None` if it has no place.
    pub address: Option<usize>,
    /// The layout of its elements. `None` for tables and scratch.
    pub layout: Option<Indexed>,
    /// For weights without a dimension order: the tap of each element, numbered from 0 in the order `k c t s r`, `r`
    /// innermost. `null` is a zero.
    pub taps: Option<Vec<Option<u32>>>,
    /// The elements that are read, as first and last of each range. Elements that are not pixels or weights may have
    /// any value, but weights without a tap must be zero.
    pub read: Vec<[usize; 2]>,
    /// The elements that are written but are not outputs, as first and last of each range.
    pub written_beside: Vec<[usize; 2]>,
}

/// The layout of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indexed {
    /// The index of the first pixel, output or weight.
    pub first: usize,
    /// The numbers of elements along `x y z` and channels, or for weights, along `r s t c k`.
    pub extents: Vec<usize>,
    /// The distance between rows, if `y` adds the same everywhere.
    pub pitch: Option<usize>,
    /// The distance between planes of a volume.
    pub plane: Option<usize>,
    /// The distance between channels.
    pub channel: Option<usize>,
    /// The contribution of each coordinate to the index.
    pub terms: Vec<Term>,
}

/// `coordinate / divisor % modulus * stride`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    /// The coordinate: `x y z`, the channel `c` of inputs and weights and `k` of outputs and weights, or `r s t` of weights.
    pub coordinate: String,
    /// The divisor, rounding down.
    pub divisor: usize,
    /// The number of steps.
    pub modulus: usize,
    /// The distance between steps.
    pub stride: usize,
}

impl Contract {
    /// Creates the contract of a program whose tensors are laid out as `placed` says.
    pub fn new(
        machine: &VliwMachine,
        workload: &Workload,
        placed: &TensorPlacements,
        program: &Program,
    ) -> Self {
        let of = |(index, array): (usize, &Array)| buffer(machine, workload, placed, program, index, array);
        let buffers: Vec<Buffer> = program.arrays.iter().enumerate().map(of).collect();
        let passed = |b: &&Buffer| !matches!(b.purpose, Purpose::Table | Purpose::Scratch);
        let [x, y] = workload.centre;
        let halo = [x, y, 0].into_iter().zip(workload.filter);
        let halo: Vec<[i64; 2]> = halo.map(|(before, size)| [before, size as i64 - 1 - before]).collect();
        Self {
            function: function_name(&program.name),
            arguments: buffers.iter().filter(passed).map(|b| b.name.clone()).collect(),
            halo: [halo[0], halo[1], halo[2]],
            buffers,
        }
    }

    /// Returns the first buffer with a purpose.
    pub fn buffer(&self, purpose: Purpose) -> Option<&Buffer> {
        self.buffers.iter().find(|buffer| buffer.purpose == purpose)
    }

    /// The contract in sentences, one per line.
    pub fn describe(&self) -> Vec<String> {
        let mut lines = vec![format!("{}({})", self.function, self.arguments.join(", "))];
        lines.extend(
            self.buffers.iter().flat_map(|buffer| [vec![buffer.describe()], buffer.order()].concat()),
        );
        let sides = [("west", "east"), ("north", "south"), ("before", "behind")];
        let around: Vec<String> = self.halo[..if self.halo[2] == [0, 0] { 2 } else { 3 }]
            .iter()
            .zip(sides)
            .map(|([before, after], (west, east))| format!("{before} {west} and {after} {east}"))
            .collect();
        lines.push(format!(
            "halo: the input reaches {} of the pixels under the outputs; rows go south",
            around.join(", ")
        ));
        lines.push(format!(
            "aliases: {} are `__restrict`, no two of them may overlap",
            self.arguments.join(", ")
        ));
        lines
    }

    /// The contract as a C++ comment, with the model of the banks and the command that checks the code.
    pub fn comment(&self, banks: &str, check: Option<&str>) -> String {
        let mut lines = self.describe();
        lines.push(format!("banks: {banks}"));
        lines.extend(check.map(|command| format!("check: {command}")));
        lines.iter().map(|line| format!("// {line}\n")).collect()
    }
}

impl Buffer {
    fn describe(&self) -> String {
        let Self { name, element, elements, alignment, .. } = self;
        let mut parts = vec![format!(
            "{name}: {}, {elements} elements of {element}, at a multiple of {alignment} bytes",
            match self.purpose {
                Purpose::Output => "outputs",
                Purpose::Input => "pixels",
                Purpose::Weights => "weights of the run",
                Purpose::Table => "coefficients, part of the code",
                Purpose::Scratch => "scratch, part of the code, so two calls cannot run at once",
            }
        )];
        if let Some(address) = self.address {
            parts.push(format!("counted at byte {address} of the memory"));
        }
        if let Some(layout) = &self.layout {
            parts.push(layout.describe());
        }
        if self.taps.is_some() {
            parts.push("taps as listed below".to_owned());
        } else if self.purpose == Purpose::Weights {
            parts.push("those between the weights are zero".to_owned());
        }
        let ends = |ranges: &[[usize; 2]]| Some((ranges.first()?[0], ranges.last()?[1]));
        if let (Some((first, last)), false) = (ends(&self.read), self.purpose == Purpose::Scratch) {
            parts.push(format!("elements {first} to {last} are read"));
        }
        if self.purpose == Purpose::Output {
            parts.push(self.beside());
        }
        parts.join("; ")
    }

    /// Lists the taps of the weights, if these have no dimension order.
    fn order(&self) -> Vec<String> {
        let Some(taps) = &self.taps else { return Vec::new() };
        let tap = |tap: &Option<u32>| tap.map_or(".".to_owned(), |number| number.to_string());
        let lines = taps.chunks(TAPS_IN_A_LINE).take(LINES_OF_TAPS);
        let mut text = vec!["  taps in the order k c t s r, r innermost, from 0; . is zero".to_owned()];
        text.extend(lines.map(|line| format!("  {}", line.iter().map(tap).collect::<Vec<_>>().join(" "))));
        if taps.len() > TAPS_IN_A_LINE * LINES_OF_TAPS {
            text.push(format!("  … {} elements; `--json` has all of them", taps.len()));
        }
        text
    }

    /// The elements written in addition to the outputs, in words.
    fn beside(&self) -> String {
        const SHOWN: usize = 3;
        let ranges = &self.written_beside;
        let count: usize = ranges.iter().map(|[first, last]| last - first + 1).sum();
        if count == 0 {
            return "nothing else is written".to_owned();
        }
        let shown: Vec<String> =
            ranges.iter().take(SHOWN).map(|[first, last]| format!("{first} to {last}")).collect();
        let more = match (ranges.len().checked_sub(SHOWN + 1), ranges.last()) {
            (Some(more), Some([first, last])) => {
                let others = if more == 0 { "" } else { ", …" };
                format!("{others} and {first} to {last}")
            }
            _ => String::new(),
        };
        format!(
            "{count} elements that are not outputs are overwritten, in {} ranges: {}{more}",
            ranges.len(),
            shown.join(", ")
        )
    }
}

impl Indexed {
    fn new(placement: &Placement, names: &[(Dim, usize)]) -> Option<Self> {
        let (first, terms) = placement.terms()?;
        // A coordinate that is always zero adds nothing.
        let varies = |dim: Dim| names.iter().any(|(other, extent)| *other == dim && *extent > 1);
        let terms: Vec<(Dim, [usize; 3])> = terms.filter(|(dim, _)| varies(*dim)).collect();
        let whole = |wanted: Dim| {
            let mut of = terms.iter().filter(|(dim, _)| *dim == wanted);
            match (of.next(), of.next()) {
                (Some((_, [1, _, stride])), None) => Some(*stride),
                _ => None,
            }
        };
        let image = names.iter().any(|(dim, _)| *dim == Dim::X);
        let of_image = |dim: Dim| whole(dim).filter(|_| image);
        Some(Self {
            first,
            extents: names.iter().map(|(_, extent)| *extent).collect(),
            pitch: of_image(Dim::Y),
            plane: of_image(Dim::Z),
            channel: of_image(Dim::K).or(of_image(Dim::C)),
            terms: terms
                .iter()
                .map(|(dim, [divisor, modulus, stride])| Term {
                    coordinate: dim.name().to_owned(),
                    divisor: *divisor,
                    modulus: *modulus,
                    stride: *stride,
                })
                .collect(),
        })
    }

    fn describe(&self) -> String {
        let mut text = format!("the first at element {}", self.first);
        let plain = |wanted: &str| -> Option<usize> {
            let mut of = self.terms.iter().filter(|term| term.coordinate == wanted);
            of.next().filter(|term| term.divisor == 1 && of.next().is_none()).map(|term| term.stride)
        };
        let along_x = plain("x").is_none_or(|stride| stride == 1);
        let regular = |name: &str, stride: Option<usize>| {
            stride.is_some() || self.terms.iter().all(|term| term.coordinate != name)
        };
        let channels = regular("k", self.channel) && regular("c", self.channel);
        if along_x && channels && regular("y", self.pitch) && regular("z", self.plane) {
            let named =
                [("pitch", self.pitch), ("plane offset", self.plane), ("channel offset", self.channel)];
            for (name, elements) in named {
                if let Some(elements) = elements {
                    // Writing to a string cannot fail.
                    let _ = write!(text, ", {name} {elements}");
                }
            }
            return text;
        }
        let term = |term: &Term| {
            let Term { coordinate, divisor, modulus, stride } = term;
            let several = self.terms.iter().filter(|other| other.coordinate == *coordinate).count() > 1;
            let divided = if *divisor > 1 { format!("{coordinate}/{divisor}") } else { coordinate.clone() };
            let part = match *divisor == 1 && several {
                true => format!("{divided}%{modulus}"),
                false => divided,
            };
            format!("{stride}·{part}")
        };
        let terms: Vec<String> = self.terms.iter().map(term).collect();
        format!("{text}, the others {} further on", terms.join(" + "))
    }
}

fn buffer(
    machine: &VliwMachine,
    workload: &Workload,
    placed: &TensorPlacements,
    program: &Program,
    index: usize,
    array: &Array,
) -> Buffer {
    let purpose = match array.role {
        Role::Output => Purpose::Output,
        Role::Input => Purpose::Input,
        Role::Weights => Purpose::Weights,
        Role::Constants(_) => Purpose::Table,
        Role::Scratch => Purpose::Scratch,
    };
    let dims = |dims: &[Dim], extents: &[usize]| -> Vec<(Dim, usize)> {
        dims.iter().copied().zip(extents.iter().copied()).collect()
    };
    let layout = match purpose {
        Purpose::Output => Indexed::new(&placed.output, &dims(&Dim::OUTPUT, &workload.output)),
        Purpose::Input => {
            Indexed::new(&placed.input, &dims(&[Dim::X, Dim::Y, Dim::Z, Dim::C], &workload.pixels()))
        }
        Purpose::Weights => {
            let [r, s, t, c] = workload.filter;
            let extents = [r, s, t, c, workload.output[3]];
            Indexed::new(&placed.weights, &dims(&[Dim::R, Dim::S, Dim::T, Dim::C, Dim::K], &extents))
                .filter(|_| placed.copies.is_empty())
        }
        Purpose::Table | Purpose::Scratch => None,
    };
    let taps = (purpose == Purpose::Weights && layout.is_none()).then(|| {
        let taps = placed.taps(workload).into_iter();
        taps.map(|tap| tap.and_then(|tap| u32::try_from(tap).ok())).collect()
    });
    let mut written = program.touched(machine, index, true);
    if purpose == Purpose::Output {
        for [x, y, z, k] in workload.outputs() {
            written[placed.place(Operand::Output, &[x, y, z, k, 0, 0, 0, 0])] = false;
        }
    }
    Buffer {
        name: array.name.clone(),
        purpose,
        element: array.element.name().to_owned(),
        elements: array.length,
        alignment: machine.vector_bits / 8,
        address: program.places.get(index).copied(),
        layout,
        taps,
        read: ranges(&program.touched(machine, index, false)),
        written_beside: if purpose == Purpose::Output { ranges(&written) } else { Vec::new() },
    }
}

/// The first and last element of each run of touched elements.
fn ranges(touched: &[bool]) -> Vec<[usize; 2]> {
    let mut found: Vec<[usize; 2]> = Vec::new();
    for (element, _) in touched.iter().enumerate().filter(|(_, touched)| **touched) {
        match found.last_mut() {
            Some([_, last]) if *last + 1 == element => *last = element,
            _ => found.push([element, element]),
        }
    }
    found
}

impl Program {
    /// Marks the elements of an array that any iteration writes, or reads.
    fn touched(&self, machine: &VliwMachine, array: usize, written: bool) -> Vec<bool> {
        let mut touched = vec![false; self.arrays[array].length];
        let bytes = self.arrays[array].element.bytes();
        let mut touch = |at: &Address, operation: &Operation, iterations: usize| {
            let count = self.moved(machine, operation) / bytes;
            for entry in 0..self.entries() {
                let indices = self.indices(entry);
                let outer: i64 = at.strides.iter().zip(&indices).map(|(s, i)| s * *i as i64).sum();
                for iteration in 0..iterations {
                    let first = at.offset + outer + at.step * iteration as i64;
                    let elements = usize::try_from(first).ok().and_then(|f| touched.get_mut(f..f + count));
                    elements.into_iter().for_each(|elements| elements.fill(true));
                }
            }
        };
        for operation in &self.resident {
            match operation {
                Operation::Load { at, .. } if !written && at.array == array => touch(at, operation, 1),
                _ => {}
            }
        }
        for timed in &self.body {
            match &timed.operation {
                Operation::Load { at, .. } if !written && at.array == array => {
                    touch(at, &timed.operation, self.inner.count);
                }
                Operation::Store { at, .. } if written && at.array == array => {
                    touch(at, &timed.operation, self.inner.count);
                }
                _ => {}
            }
        }
        touched
    }
}
