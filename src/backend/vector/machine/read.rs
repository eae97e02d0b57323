//! The reader of the descriptor of a vector VLIW machine, `(machine NAME CLAUSE…)`. rules/aie/target.sexp explains the clauses.

use super::descriptor::{Mode, Timing, VliwMachine};
use super::multiplication::{self, USAGE as MULTIPLICATION};
use super::{Banks, Effect, Function, Multiplication, PreAdd, function};
use crate::backend::vector::workload::{Element, element};
use crate::syntax::{Diagnostic, Diagnostics, Expect, Form, Sexp, Source};

/// The clauses in reading order: later ones refer to declarations of earlier ones.
const CLAUSES: [&str; 29] = [
    "doc",
    "clock",
    "memory",
    "banks",
    "program-memory",
    "slot",
    "vectors",
    "buffer",
    "coefficients",
    "accumulators",
    "scalars",
    "configurations",
    "load",
    "store",
    "round",
    "multiply",
    "move",
    "widen",
    "accumulate",
    "mode",
    "pre-add",
    "pre-subtract",
    "multiplication",
    "function",
    "functions-help",
    "loads-per-pointer",
    "loop-set-up",
    "call",
    "header",
];
/// The optional clauses. [`SEVERAL`] lists those that may be repeated.
const OPTIONAL: [&str; 7] =
    ["banks", "buffer", "widen", "pre-add", "pre-subtract", "function", "functions-help"];
const SEVERAL: [&str; 6] = ["buffer", "mode", "pre-add", "pre-subtract", "multiplication", "function"];
/// The maximum number of cycles of anything, and of registers of a kind.
const MOST: i64 = 1 << 10;

/// Reads a machine descriptor.
///
/// # Errors
/// Everything that is wrong with it, in file order.
pub fn read_machine(source: &Source) -> Result<VliwMachine, Diagnostics> {
    let sexps = crate::syntax::read(source)?;
    let mut reader = Reader { expect: Expect::new(), machine: VliwMachine::default() };
    if let Some(forms) = reader.open(&sexps) {
        for name in CLAUSES {
            for form in forms.iter().filter(|form| form.head == name) {
                // If a clause yields nothing, its error is already reported.
                let _read: Option<()> = reader.clause(form);
            }
        }
        reader.modes_are_declared(&forms);
    }
    reader.expect.diagnostics.or(reader.machine)
}

struct Reader {
    expect: Expect,
    machine: VliwMachine,
}

impl Reader {
    fn open<'a>(&mut self, sexps: &'a [Sexp]) -> Option<Vec<Form<'a>>> {
        let (name, form, clauses) = self.expect.descriptor("machine", "machine", sexps)?;
        self.machine.name = name.to_owned();
        let forms = self.expect.clauses(clauses, &CLAUSES, &SEVERAL);
        for required in CLAUSES.iter().filter(|c| !OPTIONAL.contains(c)) {
            if forms.iter().all(|f| f.head != *required) {
                self.expect.missing_clause::<()>("machine", &form, required);
            }
        }
        Some(forms)
    }

    fn clause(&mut self, form: &Form<'_>) -> Option<()> {
        match form.head {
            "doc" => self.machine.doc = self.text(form)?,
            "header" => {
                self.expect.arity(form, 1..=1, "(header \"FILE\")")?;
                let file = self.expect.file_below("a file's name in quotes", &form.arguments[0])?;
                self.machine.header = file.to_owned();
            }
            "clock" => {
                self.expect.arity(form, 1..=1, "(clock GHZ)")?;
                let clock = self.expect.fraction("a clock in GHz", &form.arguments[0])?;
                self.machine.clock = clock.to_f64();
            }
            "memory" => {
                self.expect.arity(form, 2..=2, "(memory BYTES ALIGNMENT)")?;
                self.machine.memory = self.number("a size in bytes", &form.arguments[0], 1 << 30)?;
                self.machine.alignment = self.number("an alignment in bytes", &form.arguments[1], MOST)?;
            }
            "banks" => self.banks(form)?,
            "program-memory" => self.machine.program_memory = self.single(form, 1 << 24)?,
            "scalars" => self.machine.scalars = self.single(form, MOST)?,
            "configurations" => self.machine.configurations = self.single(form, MOST)?,
            "accumulate" => self.machine.accumulate = self.single(form, MOST)?,
            "loads-per-pointer" => self.machine.loads_per_pointer = self.single(form, MOST)?,
            "loop-set-up" => self.machine.loop_set_up = self.single(form, MOST)?,
            "call" => self.machine.call = self.single(form, MOST)?,
            "slot" => self.machine.slots = self.names(form, form.arguments)?,
            "accumulators" => self.machine.accumulators = self.names(form, form.arguments)?,
            "vectors" => self.vectors(form)?,
            "buffer" => self.buffer(form)?,
            "coefficients" => {
                self.machine.coefficients = self.vector_list(form, form.arguments)?;
            }
            "load" => self.machine.load = self.timing(form)?,
            "store" => self.machine.store = self.timing(form)?,
            "round" => self.machine.round = self.timing(form)?,
            "multiply" => self.machine.multiply = self.timing(form)?,
            "move" => self.machine.scalar_move = self.timing(form)?,
            "widen" => self.widen(form)?,
            "mode" => self.mode(form)?,
            // A mode that could not be read would be reported missing again.
            "pre-add" | "pre-subtract" if !self.expect.diagnostics.is_empty() => {}
            "multiplication" => {
                let multiplication = multiplication::read(&mut self.expect, form)?;
                self.add_multiplication(form, multiplication)?;
            }
            "function" => {
                let function = function::read(&mut self.expect, form)?;
                self.add_function(form, function)?;
            }
            "functions-help" => self.machine.functions_help = Some(self.text(form)?),
            _ => self.pre_add(form)?,
        }
        Some(())
    }

    /// Checks that the intrinsics of all modes are declared, if everything could be read.
    fn modes_are_declared(&mut self, forms: &[Form<'_>]) {
        if !self.expect.diagnostics.is_empty() {
            return;
        }
        for form in forms {
            let how = match form.head {
                "mode" => None,
                "pre-add" => Some(PreAdd::Sum),
                "pre-subtract" => Some(PreAdd::Difference),
                _ => continue,
            };
            let mode = form.arguments.first().and_then(Sexp::as_atom).unwrap_or_default();
            let _checked: Option<()> = check_mode(&mut self.expect, &self.machine, form, mode, how);
        }
    }

    /// Adds a form of a name. Forms of one name must have elements of different sizes.
    fn add_multiplication(&mut self, form: &Form<'_>, new: Multiplication) -> Option<()> {
        let machine = &self.machine;
        let same = |name: &&str| machine.multiplication(name, new.x.bits(), new.z.bits()).is_some();
        if let Some(name) = new.names.iter().map(|(name, _)| name.as_str()).find(same) {
            let message = format!("`{name}` is declared twice for {} by {}", new.x, new.z);
            return self.repeated(message, form);
        }
        let differs = |(name, effect): &&(String, Effect)| machine.effect(name).is_some_and(|e| e != *effect);
        if let Some((name, _)) = new.names.iter().find(differs) {
            let message = format!("`{name}` does something else with the sum in another declaration");
            return self.repeated(message, form);
        }
        self.machine.multiplications.push(new);
        Some(())
    }

    fn add_function(&mut self, form: &Form<'_>, new: Function) -> Option<()> {
        let is_known = self.machine.functions.iter().any(|known| known.name == new.name)
            || self.machine.effect(&new.name).is_some();
        if is_known {
            return self.repeated(format!("`{}` is declared twice", new.name), form);
        }
        self.machine.functions.push(new);
        Some(())
    }

    fn repeated(&mut self, message: String, form: &Form<'_>) -> Option<()> {
        self.expect.report(Diagnostic::error("repeated-name", message).label(form.span, "again here"))
    }

    fn text(&mut self, form: &Form<'_>) -> Option<String> {
        self.expect.arity(form, 1..=1, &format!("({} \"TEXT\")", form.head))?;
        Some(self.expect.text("a text", &form.arguments[0])?.to_owned())
    }

    fn number(&mut self, what: &str, sexp: &Sexp, most: i64) -> Option<usize> {
        self.expect.integer(what, sexp, 1..=most).map(|n| n as usize)
    }

    fn single(&mut self, form: &Form<'_>, most: i64) -> Option<usize> {
        self.expect.arity(form, 1..=1, &format!("({} N)", form.head))?;
        self.number("a number", &form.arguments[0], most)
    }

    fn names(&mut self, form: &Form<'_>, sexps: &[Sexp]) -> Option<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        if sexps.is_empty() {
            self.expect.arity(form, 1..=usize::MAX, &format!("({} NAME…)", form.head))?;
        }
        for sexp in sexps {
            let name = self.expect.name("a name", sexp)?;
            if names.iter().any(|n| n == name) {
                let message = format!("`{name}` appears twice");
                return self
                    .expect
                    .report(Diagnostic::error("repeated-name", message).label(sexp.span, "again here"));
            }
            names.push(name.to_owned());
        }
        Some(names)
    }

    fn banks(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 4..=4, "(banks N (words N) (bits N) (interleaved N))")?;
        let count = self.number("a number of banks", &form.arguments[0], MOST)?;
        let mut part = |head: &str, at: usize| -> Option<usize> {
            let clause = self.expect.form_named(head, &form.arguments[at])?;
            self.single(&clause, 1 << 20)
        };
        let (words, bits, interleaved) = (part("words", 1)?, part("bits", 2)?, part("interleaved", 3)?);
        let banks = Banks { count, words, word_bytes: bits.div_ceil(8), interleaved };
        let memory = self.machine.memory;
        let whole = bits.is_multiple_of(8) && count.is_multiple_of(interleaved);
        if !whole || (memory > 0 && banks.bytes() != memory) {
            let message = format!("the banks hold {} bytes, the memory {memory}", banks.bytes());
            let label = "expected as many banks as the memory has, in whole groups of words of whole bytes";
            return self.expect.report(Diagnostic::error("bank-size", message).label(form.span, label));
        }
        self.machine.banks = Some(banks);
        Some(())
    }

    fn vectors(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 2..=65, "(vectors BITS NAME…)")?;
        self.machine.vector_bits = self.number("a width in bits", &form.arguments[0], 1 << 14)?;
        self.machine.vectors = self.names(form, &form.arguments[1..])?;
        Some(())
    }

    fn vector_list(&mut self, form: &Form<'_>, sexps: &[Sexp]) -> Option<Vec<usize>> {
        self.names(form, sexps)?;
        let mut found = Vec::new();
        for sexp in sexps {
            let name = self.expect.name("a vector register", sexp)?;
            let known = self.machine.vectors.iter().map(String::as_str);
            let place = (name, sexp.span);
            found.push(self.expect.index_of("unknown-register", "vector register", place, known)?);
        }
        Some(found)
    }

    fn buffer(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 2..=17, "(buffer NAME VECTOR…)")?;
        let name = self.expect.name("a name", &form.arguments[0])?.to_owned();
        let parts = self.vector_list(form, &form.arguments[1..])?;
        if !parts.len().is_power_of_two() {
            // Places in a buffer count modulo its length, so the length must be a power of two.
            return self.expect.report(
                Diagnostic::error(
                    "buffer-size",
                    format!("the buffer `{name}` has {} registers", parts.len()),
                )
                .label(form.span, "expected a power of two"),
            );
        }
        self.machine.buffers.push((name, parts));
        Some(())
    }

    fn widen(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 2..=3, "(widen (slots NAME…) (latency N) (assumed \"TEXT\"))")?;
        self.machine.widen = self.slots_and_latency(form)?;
        if let Some(assumed) = form.arguments.get(2) {
            let assumed = self.expect.form_named("assumed", assumed)?;
            self.machine.widen_assumed = Some(self.text(&assumed)?);
        }
        Some(())
    }

    fn timing(&mut self, form: &Form<'_>) -> Option<Timing> {
        self.expect.arity(form, 2..=2, &format!("({} (slots NAME…) (latency N))", form.head))?;
        self.slots_and_latency(form)
    }

    fn slots_and_latency(&mut self, form: &Form<'_>) -> Option<Timing> {
        let slots = self.expect.form_named("slots", &form.arguments[0])?;
        let latency = self.expect.form_named("latency", &form.arguments[1])?;
        let mut found = Vec::new();
        for sexp in slots.arguments {
            let name = self.expect.name("a slot", sexp)?;
            let known = self.machine.slots.iter().map(String::as_str);
            found.push(self.expect.index_of("unknown-slot", "slot", (name, sexp.span), known)?);
        }
        if found.is_empty() {
            self.expect.arity(&slots, 1..=usize::MAX, "(slots NAME…)")?;
        }
        Some(Timing { slots: found, latency: self.single(&latency, MOST)? })
    }

    fn mode(&mut self, form: &Form<'_>) -> Option<()> {
        let usage = "(mode NAME START (x TYPE) (z TYPE) (lanes N) (columns N) (accumulator BITS))";
        self.expect.arity(form, 7..=7, usage)?;
        let name = self.expect.name("the name of an intrinsic", &form.arguments[0])?.to_owned();
        let start = self.expect.name("the name of an intrinsic", &form.arguments[1])?.to_owned();
        let mut typed = |head: &str, at: usize| -> Option<Element> {
            let clause = self.expect.form_named(head, &form.arguments[at])?;
            self.expect.arity(&clause, 1..=1, &format!("({head} TYPE)"))?;
            element(&mut self.expect, &clause.arguments[0])
        };
        let (x, z) = (typed("x", 2)?, typed("z", 3)?);
        let mut count = |head: &str, at: usize| -> Option<usize> {
            let clause = self.expect.form_named(head, &form.arguments[at])?;
            self.single(&clause, 128)
        };
        let (lanes, columns, accumulator_bits) =
            (count("lanes", 4)?, count("columns", 5)?, count("accumulator", 6)?);
        let known = [
            (Element::Int32, Element::Int32, 1),
            (Element::Int16, Element::Int16, 2),
            (Element::Int16, Element::Int8, 4),
            (Element::Int8, Element::Int8, 8),
        ];
        // For bytes, offsets are eight nibbles: two per four lanes.
        let selectable = known.contains(&(x, z, columns)) && lanes <= 16;
        if !selectable {
            let message = format!("unknown lane selection: {columns} columns of {x} by {z} in {lanes} lanes");
            return self.expect.report(Diagnostic::error("unknown-selection", message).label(
                form.span,
                "expected int32 in 1 column, int16 in 2, int16 by int8 in 4 or int8 in 8, and at most 16 lanes",
            ));
        }
        let (pre_add, pre_subtract) = (None, None);
        self.machine.modes.push(Mode {
            name,
            start,
            pre_add,
            pre_subtract,
            x,
            z,
            lanes,
            columns,
            accumulator_bits,
        });
        Some(())
    }

    fn pre_add(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 3..=3, &format!("({} MODE NAME START)", form.head))?;
        let mode = (self.expect.name("a mode", &form.arguments[0])?, form.arguments[0].span);
        let name = self.expect.name("the name of an intrinsic", &form.arguments[1])?.to_owned();
        let start = self.expect.name("the name of an intrinsic", &form.arguments[2])?.to_owned();
        let known = self.machine.modes.iter().map(|m| m.name.as_str());
        let mode = self.expect.index_of("unknown-mode", "mode", mode, known)?;
        let mode = &mut self.machine.modes[mode];
        let pair = if form.head == "pre-add" { &mut mode.pre_add } else { &mut mode.pre_subtract };
        *pair = Some([name, start]);
        Some(())
    }
}

/// Checks that the intrinsics of a mode's clause are declared, with operands that the machine's registers can form.
fn check_mode(
    expect: &mut Expect,
    machine: &VliwMachine,
    form: &Form<'_>,
    mode: &str,
    how: Option<PreAdd>,
) -> Option<()> {
    let mode = machine.mode(mode)?;
    let mut refuse = |id, message: String, label: &str| {
        let help = format!("the form is `{MULTIPLICATION}`");
        expect.report(Diagnostic::error(id, message).label(form.span, label).help(help))
    };
    for begins in [false, true] {
        let name = mode.intrinsic(begins, how);
        let declared = machine.multiplication(name, mode.x.bits(), mode.z.bits());
        let effect = Effect { begins, negative: false };
        let Some(declared) = declared.filter(|m| m.effect(name) == Some(effect)) else {
            let does = if begins { "begins" } else { "adds to" };
            let message = format!(
                "no multiplication `{name}` that {does} a sum is declared for {} by {}",
                mode.x, mode.z
            );
            return refuse("missing-multiplication", message, "this clause names it");
        };
        let sizes = |m: &Multiplication| (m.lanes, m.columns, m.accumulator_bits, m.pre_add);
        if sizes(declared) != (mode.lanes, mode.columns, mode.accumulator_bits, how) {
            let message = format!("`{name}` is declared with other lanes, columns, accumulators or data");
            return refuse("other-multiplication", message, "this clause names it");
        }
        let is_buffer = |bits: &usize| (0..machine.buffers.len()).any(|b| machine.buffer_bits(b) == *bits);
        let most = if how.is_some() { 2 } else { 1 };
        let formed = |bits: &&Vec<usize>| bits.len() <= most && bits.iter().all(is_buffer);
        if !declared.data.iter().any(|bits| formed(&bits)) || declared.z_bits != machine.vector_bits {
            let message = format!("`{name}` takes {declared}, but the machine has no such registers");
            return refuse("unknown-shape", message, "this clause names it");
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(from: &str, to: &str) -> Vec<(&'static str, String)> {
        let (_, path, text) = super::super::BUILTIN[0];
        assert!(text.contains(from), "{from}");
        let diagnostics = read_machine(&Source::new(path, text.replacen(from, to, 1))).unwrap_err();
        diagnostics.iter().map(|d| (d.id, d.message.clone())).collect()
    }

    #[test]
    fn mistakes_are_found_where_they_stand() {
        let only = |from: &str, to: &str, id: &str| {
            let found = wrong(from, to);
            assert_eq!(found.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [id], "{found:?}");
        };
        only("(buffer xa wr0 wr1)", "(buffer xa wr0 wr9)", "unknown-register");
        only("(buffer xa wr0 wr1)", "(buffer xa wr0 wr1 wd0)", "buffer-size");
        only("(slots lda ldb)", "(slots lda ldc)", "unknown-slot");
        only("(call 20)", "", "missing-clause");
        only("kalg_vector.hpp", "/etc/passwd", "leads-out");
        only("(banks 32", "(banks 16", "bank-size");
        only("(interleaved 2)", "(interleaved 3)", "bank-size");
        only("(words 256)", "(word 256)", "unexpected");
        only("(x int32)", "(x int24)", "unknown-type");
        only("(x int16)", "(x int8)", "unknown-selection");
        only("(latency 8)", "(latency 0)", "out-of-range");
        only("(assumed \"`", "(supposed \"`", "unexpected");
        only("(pre-add mac16", "(pre-add mac61", "unknown-mode");
        only("(add mac16_sym)", "(add mac16_symm)", "missing-multiplication");
        only("(data 512 512)", "(data 512 512 512)", "wrong-arity");
        only("(add lmac4)", "(adds lmac4)", "unknown-form");
        only("(z int8 256 (pairs 4))", "(z int8 256 (pears 4))", "unexpected");
        only("(x int8 (granules 2))", "(x int8 (granules 0))", "out-of-range");
        only("(operands x xstart xoffsets z ", "(operands x xstart z ", "operands");
        only("(operands x xstart xoffsets z ", "(operands x xstart xoffset z ", "unknown-operand");
        only("(begin mul16)", "(begin mac16)", "repeated-name");
        only("(begin lmul8_sym)", "(subtract lmul8_sym)", "missing-multiplication");
        only(
            "(mode mac16:int8 mul16 (x int16) (z int8) (lanes 16)",
            "(mode mac16:int8 mul16 (x int16) (z int8) (lanes 8)",
            "other-multiplication",
        );
        only("(function ups widen", "(function srs widen", "repeated-name");
        only("(function upd_w replace 256)", "(function upd_w replaces 256)", "unknown-kind");
        only("(function upd_w replace 256)", "(function upd_w replace)", "wrong-arity");
        only("(function null_* zeros)", "(function null zeros)", "function-name");
        only("(48 int16)", "(48 int24)", "unknown-type");
        only("set_sat saturation on", "set_sat saturation up", "unexpected");
        only("(scalars 14)", "(scalars 14) (scalars 14)", "repeated-clause");
    }
}
