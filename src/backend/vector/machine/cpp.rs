//! The C++ emitter: vector intrinsics with iterations in sequence, for a compiler that does its own scheduling.
//!
//! Operations are in the order in which they take effect. Variables are the registers of the schedule: the allocation sees to it that
//! two vectors that share a register are never live at once where iterations follow one another either. A result that only its store
//! reads has a variable of its own. An accumulator is rounded right after its last product, because it takes part in the next sum
//! while that product is still in flight.

use std::fmt::Write;

use super::{Address, Array, Mode, Multiply, Operation, Program, Role, Square, Timed, VliwMachine};
use crate::backend::names::function;
use crate::backend::vector::workload::Element;

/// Returns the program as a function of its non-constant tensors, in the order of the arrays. Empty if the machine
/// lacks the mode of the program.
pub fn cpp(machine: &VliwMachine, program: &Program) -> String {
    let Some(mode) = machine.mode(&program.mode) else { return String::new() };
    let emitter = Emitter { machine, program, mode };
    emitter.function()
}

/// The `zsquare` that gives both lanes of a pair the same two bytes of coefficients, in order.
const BYTES_IN_ORDER: &str = "0x1010";

/// The name of a vector type.
fn vector_type(count: usize, element: Element) -> String {
    format!("v{count}{}", element.name())
}

/// The name of the function of a filter. It is none of the header's: its namespace, a way of rounding, or the type of a vector.
pub(super) fn function_name(filter: &str) -> String {
    function(filter, |found| {
        let rest = found.strip_prefix('v').unwrap_or_default();
        let of = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_vector = of.len() < rest.len() && ["int8", "int16", "int32", "acc48", "acc80"].contains(&of);
        let is_rounding = found.starts_with("rnd_") && !found.ends_with('_');
        found == "kalg" || is_rounding || is_vector
    })
}

struct Emitter<'a> {
    machine: &'a VliwMachine,
    program: &'a Program,
    mode: &'a Mode,
}

/// The type of an array's elements.
fn scalar(array: &Array) -> String {
    format!("{}_t", array.element.name())
}

impl Emitter<'_> {
    fn function(&self) -> String {
        let program = self.program;
        let name = function_name(&program.name);
        let mut text = format!("#include \"{}\"\n\n", self.machine.header);
        let parameters = self.arrays(&mut text, &name);
        let _ = writeln!(text, "void {name}({}) {{", parameters.join(", "));
        self.array_pointers(&mut text, &name);
        text.push_str("    set_rnd(rnd_pos_inf);\n    set_sat();\n");
        let iteration = self.iteration();
        self.declarations(&mut text, &iteration);
        let mut indent = "    ".to_owned();
        for counted in &program.outer {
            let (loop_name, count) = (&counted.name, counted.count);
            let _ =
                writeln!(text, "{indent}for (int {loop_name} = 0; {loop_name} < {count}; ++{loop_name}) {{");
            indent.push_str("    ");
        }
        for operation in &program.resident {
            if let Operation::Load { to, at } = operation {
                let _ = writeln!(text, "{indent}{}", self.load(*to, at));
            }
        }
        let (loop_name, count) = (&program.inner.name, program.inner.count);
        let _ = writeln!(text, "{indent}for (int {loop_name} = 0; {loop_name} < {count}; ++{loop_name})");
        let _ = writeln!(text, "{indent}    chess_prepare_for_pipelining chess_loop_range({count},) {{");
        for line in iteration {
            let _ = writeln!(text, "{indent}    {line}");
        }
        let _ = writeln!(text, "{indent}}}");
        for _ in &program.outer {
            indent.truncate(indent.len() - 4);
            let _ = writeln!(text, "{indent}}}");
        }
        text.push_str("}\n");
        text
    }

    /// Writes the arrays that are part of the code, and returns the parameters for the others.
    fn arrays(&self, text: &mut String, name: &str) -> Vec<String> {
        let mut parameters = Vec::new();
        for array in &self.program.arrays {
            let scalar = scalar(array);
            match &array.role {
                Role::Constants(values) => {
                    let values = values.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
                    // Writing to a string cannot fail.
                    let _ = writeln!(
                        text,
                        "alignas(32) static const {scalar} {name}_{}[] = {{{values}}};\n",
                        array.name
                    );
                }
                Role::Scratch => {
                    let length = array.length;
                    let _ = writeln!(text, "alignas(32) static {scalar} {name}_{}[{length}];\n", array.name);
                }
                Role::Output => parameters.push(format!("{scalar} *__restrict {}", array.name)),
                Role::Input | Role::Weights => {
                    parameters.push(format!("const {scalar} *__restrict {}", array.name));
                }
            }
        }
        parameters
    }

    /// Writes pointers to the arrays that are part of the code, and the additional pointers to any array.
    fn array_pointers(&self, text: &mut String, name: &str) {
        for array in &self.program.arrays {
            let constant = match array.role {
                Role::Constants(_) => "const ",
                Role::Scratch => "",
                _ => continue,
            };
            let _ = writeln!(
                text,
                "    {constant}{} *__restrict {} = {name}_{};",
                scalar(array),
                array.name,
                array.name
            );
        }
        for (array, pointer) in self.pointers() {
            let Array { name, role, .. } = &self.program.arrays[array];
            // Loads from read-only arrays do not wait for any store.
            let (restrict, says) = match role {
                Role::Scratch | Role::Output => ("", format!("reads what is stored through `{name}`")),
                _ => ("__restrict ", format!("the same elements as `{name}`, which are only read")),
            };
            let scalar = scalar(&self.program.arrays[array]);
            let _ = writeln!(text, "    const {scalar} *{restrict}{name}_{pointer} = {name};  // {says}");
        }
    }

    /// The additional pointers of the arrays, as (array, pointer).
    fn pointers(&self) -> Vec<(usize, usize)> {
        let of = |operation: &Operation| match operation {
            Operation::Load { at, .. } if at.pointer > 0 => Some((at.array, at.pointer)),
            _ => None,
        };
        let mut found: Vec<(usize, usize)> =
            self.program.body.iter().filter_map(|timed| of(&timed.operation)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The variable of a vector register, and the half of it if the register is part of a pair.
    fn variable(&self, register: usize) -> (&str, Option<usize>) {
        let pairs = self.machine.buffers.iter().filter(|(_, parts)| parts.len() == 2);
        for (name, parts) in pairs {
            if let Some(half) = parts.iter().position(|part| *part == register) {
                return (name, Some(half));
            }
        }
        (&self.machine.vectors[register], None)
    }

    /// Declares the registers that the statements of an iteration use.
    fn declarations(&self, text: &mut String, statements: &[String]) {
        let used = |name: &str| statements.iter().any(|line| line.contains(name));
        let mut seen: Vec<&str> = Vec::new();
        for register in 0..self.machine.vectors.len() {
            let (name, half) = self.variable(register);
            if !seen.contains(&name) && used(name) {
                seen.push(name);
                let second = self.machine.coefficients.contains(&register);
                let element = if second { self.mode.z } else { self.mode.x };
                let per_vector = self.machine.per_vector(element);
                let count = if half.is_some() { 2 * per_vector } else { per_vector };
                let _ = writeln!(text, "    {} {name} = {{}};", vector_type(count, element));
            }
        }
        let accumulator = format!("v{}acc{}", self.mode.lanes, self.mode.accumulator_bits);
        let names = self.machine.accumulators.iter().filter(|name| used(name));
        let names = names.map(|name| format!("{name} = {{}}"));
        let _ = writeln!(text, "    {accumulator} {};", names.collect::<Vec<_>>().join(", "));
    }

    /// Whether this many elements of the program's type fill half of a vector register, not all of it.
    fn is_half(&self, count: usize) -> bool {
        2 * count == self.machine.per_vector(self.program.element)
    }

    fn load(&self, to: usize, at: &Address) -> String {
        let count = self.machine.per_vector(self.program.arrays[at.array].element);
        let value = self.access(at, count);
        match self.variable(to) {
            (name, Some(half)) => format!("{name} = upd_w({name}, {half}, {value});"),
            (name, None) => format!("{name} = {value};"),
        }
    }

    /// Puts elements into a register, or into its lower half if they fill only half.
    fn assign(&self, register: usize, value: &str, count: usize) -> String {
        match (self.variable(register), self.is_half(count)) {
            ((name, half), true) => format!("{name} = upd_v({name}, {}, {value});", 2 * half.unwrap_or(0)),
            ((name, Some(half)), false) => format!("{name} = upd_w({name}, {half}, {value});"),
            ((name, None), false) => format!("{name} = {value};"),
        }
    }

    fn read(&self, register: usize, count: usize) -> String {
        match (self.variable(register), self.is_half(count)) {
            ((name, half), true) => format!("ext_v({name}, {})", 2 * half.unwrap_or(0)),
            ((name, Some(half)), false) => format!("ext_w({name}, {half})"),
            ((name, None), false) => name.to_owned(),
        }
    }

    fn access(&self, at: &Address, count: usize) -> String {
        let program = self.program;
        let array = &program.arrays[at.array];
        let pointer =
            if at.pointer == 0 { array.name.clone() } else { format!("{}_{}", array.name, at.pointer) };
        let mut place = pointer;
        let counted = program.outer.iter().map(|c| &c.name).zip(&at.strides);
        for (name, stride) in counted.chain(std::iter::once((&program.inner.name, &at.step))) {
            if *stride != 0 {
                let _ = write!(place, " + {stride} * {name}");
            }
        }
        match at.offset {
            0 => {}
            offset if offset < 0 => drop(write!(place, " - {}", -offset)),
            offset => drop(write!(place, " + {offset}")),
        }
        let written = matches!(array.role, Role::Output | Role::Scratch);
        let qualifier = if written { "" } else { "const " };
        let vector = vector_type(count, array.element);
        format!("*({qualifier}{vector} *)({place})")
    }

    /// The statements of an iteration in the order in which they take effect.
    fn iteration(&self) -> Vec<String> {
        let machine = self.machine;
        let mut found: Vec<(i64, u8, usize, String)> = Vec::new();
        for (index, timed) in self.program.body.iter().enumerate() {
            let time = timed.time as i64;
            match &timed.operation {
                Operation::Load { to, at } => {
                    let arrives = time + machine.load.latency as i64;
                    found.push((arrives, 0, index, self.load(*to, at)));
                }
                Operation::Multiply(multiply) => found.push((time, 1, index, self.multiply(multiply))),
                Operation::Round { to, from, shift, is_read } => {
                    let vector = vector_type(self.mode.lanes, self.program.element);
                    let srs = if self.program.element == Element::Int8 { "bsrs" } else { "srs" };
                    let (value, sum) = (format!("rounded_{index}"), &machine.accumulators[*from]);
                    let last = time - machine.multiply.latency as i64;
                    found.push((last, 2, index, format!("{vector} {value} = {srs}({sum}, {shift});")));
                    if *is_read {
                        let arrives = time + machine.round.latency as i64;
                        found.push((arrives, 0, index, self.assign(*to, &value, self.mode.lanes)));
                    }
                }
                Operation::Widen { to, from, shift } => {
                    let Mode { lanes, accumulator_bits: bits, .. } = *self.mode;
                    let ups = if bits > 48 { "lups" } else { "ups" };
                    let value = format!("{ups}({}, {shift})", self.read(*from, lanes));
                    let sum = &machine.accumulators[*to];
                    // After the last product of the previous sum is read, and after all arrivals of this cycle.
                    match machine.widen.latency.saturating_sub(machine.multiply.latency) as i64 {
                        0 => found.push((time, 3, index, format!("{sum} = {value};"))),
                        late => {
                            let statement = format!("v{lanes}acc{bits} widened_{index} = {value};");
                            found.push((time, 3, index, statement));
                            found.push((time + late, 3, index, format!("{sum} = widened_{index};")));
                        }
                    }
                }
                Operation::Store { from, at } => {
                    let stored = self.access(at, self.mode.lanes);
                    let value = self.rounded(*from, time);
                    let value = value.unwrap_or_else(|| self.read(*from, self.mode.lanes));
                    found.push((time, 1, index, format!("{stored} = {value};")));
                }
                Operation::Move { .. } => {}
            }
        }
        found.sort();
        found.into_iter().map(|(.., line)| line).collect()
    }

    /// The variable of the result that is in a register at this cycle, if nothing but a store reads it.
    fn rounded(&self, register: usize, time: i64) -> Option<String> {
        let arrived = |(index, timed): (usize, &Timed)| match timed.operation {
            Operation::Round { to, is_read, .. } if to == register => {
                let arrives = timed.time as i64 + self.machine.round.latency as i64;
                (arrives <= time).then_some((arrives, index, is_read))
            }
            _ => None,
        };
        let (_, index, is_read) = self.program.body.iter().enumerate().filter_map(arrived).max()?;
        (!is_read).then(|| format!("rounded_{index}"))
    }

    /// A buffer as an expression: one variable, or two concatenated.
    fn buffer(&self, buffer: usize) -> String {
        let (name, parts) = &self.machine.buffers[buffer];
        if parts.len() <= 2 {
            return name.clone();
        }
        let halves: Vec<&str> = parts.chunks(2).map(|pair| self.variable(pair[0]).0).collect();
        format!("concat({})", halves.join(", "))
    }

    fn multiply(&self, m: &Multiply) -> String {
        let accumulator = &self.machine.accumulators[m.accumulator];
        let mut arguments = Vec::new();
        if !m.begins {
            arguments.push(accumulator.clone());
        }
        let squares = m.selection.square.is_some();
        // Sixteen lanes take two words of offsets. Bytes take one, because an offset serves a pair of lanes.
        let high = squares && m.selection.unit == 1;
        arguments.push(self.buffer(m.x));
        arguments.push(m.selection.start.to_string());
        arguments.push(format!("{:#010x}", m.selection.low()));
        if high {
            arguments.push(format!("{:#010x}", m.selection.high()));
        }
        arguments.extend(m.selection.step.map(|step| step.to_string()));
        arguments.extend(m.selection.square.map(|Square(square)| format!("{square:#06x}")));
        if let Some((buffer, selection, _)) = m.y {
            // If both selections use one buffer, it appears once.
            arguments.extend((buffer != m.x).then(|| self.buffer(buffer)));
            arguments.push(selection.start.to_string());
            arguments.extend(selection.square.map(|Square(square)| format!("{square:#06x}")));
        }
        arguments.push(self.machine.vectors[m.z].clone());
        arguments.push(m.z_start.to_string());
        arguments.push(if m.z_offsets == 0 { "0".to_owned() } else { format!("{:#010x}", m.z_offsets) });
        arguments.extend(high.then(|| "0".to_owned()));
        arguments.extend(squares.then(|| m.z_step.to_string()));
        if self.mode.z == Element::Int8 {
            arguments.push(BYTES_IN_ORDER.to_owned());
        }
        let name = self.mode.intrinsic(m.begins, m.y.map(|(.., how)| how));
        format!("{accumulator} = {name}({});", arguments.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_function_has_a_name_of_the_header() {
        assert_eq!(
            ["blur-3", "v1", "v16int16", "rnd-floor", "int8_t", "3x3"].map(function_name),
            ["blur_3", "v1", "v16int16_", "rnd_floor_", "int8_t_", "filter_3x3"]
        );
    }
}
