//! The memory of a pipeline in C, and the passes of its regions over rows.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::backend::scan::machine::{
    ALIGNMENT, Pass, Place, Ring, Row, Storage, Target, added, aligned, type_name,
};
use crate::pipeline::{Fold, NodeId};

use super::c_address::{CASTS, Printer};
use super::columns::Language;
use super::expression::{Extent, From};
use super::loops::{self, Kind, Unit, Work};

/// The length of a row at a rate, with `more` columns and padding that aligns the next row.
fn stride(size: usize, more: i64, bytes: i64) -> String {
    let unit = ALIGNMENT / bytes;
    format!("(w{size} + {}) / {unit} * {unit}", more + unit - 1)
}

/// The declarations of memory.
#[derive(Default)]
struct Memory {
    /// The lengths of rows.
    lengths: String,
    /// The sum of bytes, as addends.
    size: String,
    pointers: String,
}

impl Memory {
    /// Adds rows of a length in values, from `before` their first on. `count` is their number.
    fn add(&mut self, name: &str, (of, bytes): (&str, i64), (stride, before): (&str, i64), count: &str) {
        let bytes = format!("(size_t)({stride} * {count} * {bytes})");
        let _ = write!(self.size, " + {bytes}");
        let _ = writeln!(
            self.pointers,
            "    {of} *const {name} = ({of} *)(void *)place + {before};\n    place += {bytes};"
        );
    }
}

impl Printer<'_> {
    /// The strides, the size of memory and the pointers.
    pub(super) fn memory(&self) -> String {
        let mut zeroed = Memory::default();
        for unit in &self.loops.units {
            if let Work::Region(number) = unit.work {
                let layers = self.loops.layers(&self.loops.buffers[&self.loops.output_of(number)]);
                for ring in &self.loops.regions[number].rings {
                    self.ring(unit, (number, layers), ring, &mut zeroed);
                }
            }
        }
        for (id, buffer) in &self.loops.buffers {
            let (n, bytes) = (id.index(), buffer.of.bytes() as i64);
            if buffer.image.is_none() || self.zeros().contains(id) {
                let [west, east, ..] = buffer.margin;
                let length = stride(buffer.size, aligned(west, bytes) + east, bytes);
                let _ = writeln!(zeroed.lengths, "    const ptrdiff_t s{n} = {length};");
            }
            if self.zeros().contains(id) {
                let before = aligned(buffer.margin[0], bytes);
                zeroed.add(
                    &format!("zeros{n}"),
                    (&type_name(buffer.of), bytes),
                    (&format!("s{n}"), before),
                    "1",
                );
            }
        }
        let mut memory = Memory::default();
        for (id, buffer) in self.loops.buffers.iter().filter(|(_, buffer)| buffer.image.is_none()) {
            let (n, bytes) = (id.index(), buffer.of.bytes() as i64);
            let count = format!("{} * {}", self.loops.layers(buffer), buffer.rows());
            let before = aligned(buffer.margin[0], bytes);
            memory.add(&format!("b{n}"), (&type_name(buffer.of), bytes), (&format!("s{n}"), before), &count);
        }
        for (id, of) in self.best() {
            let (n, bytes) = (id.index(), of.bytes() as i64);
            let buffer = &self.loops.buffers[&id];
            let length = format!("({})", stride(buffer.size, buffer.margin[0] + buffer.margin[1], bytes));
            memory.add(&format!("best{n}"), (&type_name(of), bytes), (&length, 0), "1");
        }
        format!(
            "{}    const size_t zeroed = 0{}, bytes = {} + zeroed{};\n    if (work == NULL) return bytes;\n    \
             unsigned char *place = (unsigned char *)work;\n    \
             place += ({ALIGNMENT} - (uintptr_t)place % {ALIGNMENT}) % {ALIGNMENT};\n    \
             for (size_t i = 0; i < zeroed; i++) place[i] = 0;\n{}{}    (void)place;\n",
            zeroed.lengths,
            zeroed.size,
            ALIGNMENT - 1,
            memory.size,
            zeroed.pointers,
            memory.pointers
        )
    }

    fn ring(&self, unit: &Unit, (number, layers): (usize, i64), ring: &Ring, memory: &mut Memory) {
        let Ring { step, storage, depth, base, excess } = ring;
        let bytes = storage.bytes() as i64;
        let before = aligned((*base).into(), bytes) - i64::from(*base);
        let more = before + i64::from(*excess) + unit.margin[0] + unit.margin[1];
        let length = format!("l{number}_{step}");
        let _ =
            writeln!(memory.lengths, "    const ptrdiff_t {length} = {};", stride(unit.size, more, bytes));
        let count = (layers * i64::from(*depth)).to_string();
        memory.add(&format!("g{number}_{step}"), (&type_name(*storage), bytes), (&length, before), &count);
    }

    /// The values of which a row of zeros is read.
    fn zeros(&self) -> BTreeSet<NodeId> {
        let mut found = BTreeSet::new();
        for unit in &self.loops.units {
            match &unit.work {
                Work::Region(number) if self.loops.regions[*number].zeros => {
                    found.extend(&self.loops.compiled.values.regions[*number].sources);
                }
                Work::Rows(_, _, bodies) => {
                    for read in bodies.iter().flat_map(|body| &body.code.reads) {
                        if let (From::Value(id), Extent::Row(z)) = (read.from, read.extent)
                            && z != 0
                        {
                            found.insert(id);
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The values for which the least value so far is kept, with its type.
    fn best(&self) -> Vec<(NodeId, Storage)> {
        let best = |unit: &Unit| match &unit.work {
            Work::Rows(loops::Target::Value(id), Kind::Folds(Fold::ArgumentOfMinimum, _, of), _) => {
                Some((*id, *of))
            }
            _ => None,
        };
        self.loops.units.iter().filter_map(best).collect()
    }

    /// The passes of a region for its row t.
    pub(super) fn region(&self, unit: &Unit, number: usize) -> String {
        let rows = &self.loops.regions[number];
        let [west, east, north, south] = unit.margin;
        let mut text = format!(
            "                const ptrdiff_t t = {}, rows = {}, columns = {};\n                (void)rows;\n",
            added("y", north),
            added(&format!("r{}", unit.size), north + south),
            added(&format!("w{}", unit.size), west + east)
        );
        for pass in &rows.passes {
            text += &self.pass(unit, number, pass);
        }
        text
    }

    fn pass(&self, unit: &Unit, number: usize, pass: &Pass) -> String {
        let region = &self.loops.compiled.values.regions[number];
        let t = |by: i32| added("t", by);
        let mut reads = String::new();
        for row in &pass.reads {
            let _ = write!(reads, "{}, ", self.source(unit, number, (pass.lead, row)));
        }
        let n = added("columns", pass.more);
        let name = format!("{}_{}_{}", self.name, unit.name, pass.name);
        match &pass.target {
            Target::Output(index, _) => {
                let to = added(&self.row(region.outputs[*index], "y", 0), -unit.margin[0]);
                format!("                if (t >= 0) {name}({to}, {reads}{n});\n")
            }
            Target::Step { row, .. } => format!(
                "                if ({} >= 0 && {} < rows) {name}({}, {reads}{n});\n",
                t(pass.lead - pass.rows[0]),
                t(pass.lead - pass.rows[1]),
                self.source(unit, number, (pass.lead, row))
            ),
        }
    }

    /// The first value of a row that a pass `lead` rows ahead reads or writes.
    fn source(&self, unit: &Unit, number: usize, (lead, row): (i32, &Row)) -> String {
        match row.place {
            Place::Ring { step, phase, depth } => {
                let ring = format!("g{number}_{step}");
                let layer = match self.loops.layer_number(self.loops.output_of(number), CASTS) {
                    layer if layer.is_empty() => String::new(),
                    layer => format!(" + {layer} * {depth} * l{number}_{step}"),
                };
                let slot = match depth {
                    1 => String::new(),
                    _ => format!(" + ({}) % {depth} * l{number}_{step}", added("t", lead + phase)),
                };
                added(&format!("{ring}{layer}{slot}"), row.start)
            }
            Place::Image { channel, down, north } => {
                let rows = &self.loops.regions[number];
                let id = self.loops.compiled.values.regions[number].sources[channel];
                let reach = i64::from(rows.plan.reach[0]);
                let pointer = self.row(id, &added("y", lead + down), 0);
                let pointer = if rows.zeros {
                    let first = added("t", lead + down - north);
                    format!("({first} < 0 ? zeros{} : {pointer})", id.index())
                } else {
                    pointer
                };
                added(&pointer, i64::from(row.start) - unit.margin[0] - reach)
            }
        }
    }

    /// The tables and patterns.
    pub(super) fn tables(&self) -> String {
        let lists = self.loops.constants.lists().into_iter();
        lists.map(|(what, number, of, values)| self.list(what, number, of, values)).collect()
    }

    fn list(&self, what: &str, number: usize, of: Storage, values: &[i64]) -> String {
        let list: Vec<String> = values.iter().map(|value| self.number((*value).into(), of)).collect();
        let lines: Vec<String> = list.chunks(24).map(|line| line.join(", ")).collect();
        format!(
            "static const {} {}_{what}_{number}[{}] = {{\n    {}\n}};\n\n",
            type_name(of),
            self.name,
            values.len(),
            lines.join(",\n    ")
        )
    }
}
