//! Reads a target descriptor and checks it: every name is declared, every expansion obeys the operand rules, and every stated
//! meaning agrees with the expansion.

use super::descriptor::{
    Direction, DirectionId, Division, Isa, Membership, NO_NOISE, Noise, Primitive, Register, RegisterFile,
    RegisterId, Target, View,
};
use super::quantities::{Quantities, Quantity};
use crate::algebra::Rational;
use crate::syntax::{Diagnostic, Diagnostics, Expect, Form, Fraction, Sexp, Source, Span};

/// The clauses of a descriptor in three stages. Later stages use the declarations of earlier ones, and are read only if those
/// have no errors, so each error is reported once.
const STAGES: [&[&str]; 3] = [
    &[
        "doc",
        "image",
        "range",
        "cycle",
        "brackets",
        "direction",
        "registers",
        "bits",
        "operand-rules",
        "isa",
        "noise",
    ],
    &["view", "operation", "directions", "given", "flag", "gated"],
    &["macro", "instruction", "sources"],
];

/// Clauses that must occur exactly once.
const REQUIRED: [&str; 7] = ["doc", "image", "range", "cycle", "brackets", "operand-rules", "registers"];

/// A standard deviation of a noise model, as messages name it.
const DEVIATION: &str = "a deviation of 0 or more";

/// The maximum number of destinations of an operation, and of sources with individual weights. Their order matters: with ten views
/// and files there are ten thousand choices of four.
const MAX_ORDERED: usize = 4;

/// The maximum number of sources with a common weight: an element and its eight neighbours. Their order does not matter.
const MAX_SOURCES: i64 = 9;

/// The maximum number of registers of a target: more than any pixel processor has, and few enough to keep a value of each.
pub(super) const MAX_REGISTERS: usize = 256;

/// Reads a target descriptor: one `(target NAME CLAUSE…)`.
///
/// # Errors
/// All errors in it, in the order of the file.
pub fn read_target(source: &Source) -> Result<Target, Diagnostics> {
    let sexps = crate::syntax::read(source)?;
    let mut reader = Reader { expect: Expect::new(), target: Target::default() };
    let forms = reader.open(&sexps).unwrap_or_default();
    for stage in STAGES {
        if reader.expect.diagnostics.is_empty() {
            for form in stage.iter().flat_map(|kind| forms.iter().filter(move |form| form.head == *kind)) {
                reader.clause(form);
            }
        }
    }
    if reader.expect.diagnostics.is_empty() {
        for (index, form) in forms.iter().filter(|form| form.head == "macro").enumerate() {
            reader.check_macro(index, form);
        }
        for (index, form) in forms.iter().filter(|form| form.head == "instruction").enumerate() {
            reader.check_instruction(index, form);
        }
    }
    reader.expect.diagnostics.or(reader.target)
}

/// A descriptor while it is read.
pub(super) struct Reader {
    pub(super) expect: Expect,
    pub(super) target: Target,
}

impl Reader {
    /// The clauses of the file's only target.
    fn open<'a>(&mut self, sexps: &'a [Sexp]) -> Option<Vec<Form<'a>>> {
        let (name, form, clauses) = self.expect.descriptor("target", "target", sexps)?;
        self.target.name = name.to_owned();
        let known = STAGES.concat();
        let is_several = |clause: &&str| !REQUIRED.contains(clause) || *clause == "registers";
        let several: Vec<&str> = known.iter().copied().filter(is_several).collect();
        let forms = self.expect.clauses(clauses, &known, &several);
        for required in REQUIRED.iter().filter(|r| forms.iter().all(|form| form.head != **r)) {
            self.expect.missing_clause::<()>("target", &form, required);
        }
        Some(forms)
    }

    fn clause(&mut self, form: &Form<'_>) {
        // A clause without a result has been reported.
        let _read: Option<()> = match form.head {
            "doc" => self.doc(form),
            "image" => self.image(form),
            "range" => self.range(form),
            "cycle" => self.cycle(form),
            "brackets" => self.brackets(form),
            "direction" => self.direction(form),
            "registers" => self.registers(form),
            "bits" => self.bits(form),
            "directions" => self.directions(form),
            "given" => self.given(form),
            "flag" => self.flag(form),
            "gated" => self.gated(form),
            "instruction" => self.instruction_clause(form),
            "view" => self.view(form),
            "operand-rules" => self.operand_rules(form),
            "isa" => self.isa(form),
            "operation" => self.operation(form),
            "macro" => self.macro_clause(form),
            "sources" => self.sources(form),
            _ => self.noise(form),
        };
    }

    pub(super) fn repeated(&mut self, what: &str, name: &str, span: Span) {
        let diagnostic = Diagnostic::error("repeated-name", format!("the {what} `{name}` is declared twice"));
        self.expect.report::<()>(diagnostic.label(span, "declared again"));
    }

    /// Reads a name, which must not be that of a register, view or direction: all three can be operands.
    pub(super) fn operand_name(&mut self, what: &str, sexp: &Sexp) -> Option<String> {
        let name = self.expect.name(what, sexp)?;
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return self.expect.mismatch(&format!("{what} of letters, digits and underscores"), sexp);
        }
        if self.target.operand(name).is_some() {
            self.repeated("name", name, sexp.span);
            return None;
        }
        Some(name.to_owned())
    }

    fn doc(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 1..=1, "(doc \"TEXT\")")?;
        self.target.doc = self.expect.text("a text", &form.arguments[0])?.to_owned();
        Some(())
    }

    fn image(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 2..=2, "(image WIDTH HEIGHT)")?;
        for (axis, sexp) in form.arguments.iter().enumerate() {
            self.target.image[axis] = self.expect.integer("a size in elements", sexp, 1..=1 << 14)? as usize;
        }
        Some(())
    }

    fn range(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 2..=2, "(range LEAST GREATEST)")?;
        for (end, sexp) in form.arguments.iter().enumerate() {
            let Fraction { numerator, denominator } = self.expect.fraction("a value", sexp)?;
            self.target.range[end] = Rational::new(numerator, denominator)?;
        }
        if self.target.range[0] >= self.target.range[1] {
            return self.expect.mismatch("a greatest value above the least", &form.arguments[1]);
        }
        Some(())
    }

    fn cycle(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 2..=2, "(cycle (microseconds NUMBER) (microjoules NUMBER))")?;
        for sexp in form.arguments {
            let known = ["microseconds", "microjoules"];
            let part = self.expect.known_form("a part of the cost", sexp, &known)?;
            let value = self.positive(&part)?;
            if part.head == "microseconds" {
                self.target.cycle_us = value
            } else {
                self.target.cycle_uj = value
            }
        }
        Some(())
    }

    fn positive(&mut self, part: &Form<'_>) -> Option<f64> {
        self.expect.arity(part, 1..=1, &format!("({} NUMBER)", part.head))?;
        let number = self.expect.fraction("a positive number", &part.arguments[0])?;
        if number.numerator <= 0 {
            return self.expect.mismatch("a positive number", &part.arguments[0]);
        }
        Some(number.to_f64())
    }

    fn brackets(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 2..=2, "(brackets BEGIN END)")?;
        for (end, sexp) in form.arguments.iter().enumerate() {
            self.target.brackets[end] = self.expect.name("the name of a call", sexp)?.to_owned();
        }
        Some(())
    }

    fn direction(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 3..=4, "(direction NAME DX DY [DZ])")?;
        let name = self.operand_name("a direction's name", &form.arguments[0])?;
        let mut offset = [0; 3];
        for (axis, sexp) in form.arguments[1..].iter().enumerate() {
            offset[axis] = self.expect.integer("a displacement", sexp, -64..=64)? as i32;
        }
        if offset == [0; 3] {
            return self.expect.mismatch("a displacement that is not 0", &form.arguments[1]);
        }
        self.target.directions.push(Direction { name, offset });
        Some(())
    }

    fn registers(&mut self, form: &Form<'_>) -> Option<()> {
        self.expect.arity(form, 2..=MAX_REGISTERS + 1, "(registers FILE NAME…)")?;
        let name = self.expect.name("a register file's name", &form.arguments[0])?;
        if self.target.files.iter().any(|file| file.name == name) {
            self.repeated("register file", name, form.arguments[0].span);
            return None;
        }
        let file = self.target.files.len();
        self.target.files.push(RegisterFile { name: name.to_owned(), registers: Vec::new(), given: None });
        for sexp in &form.arguments[1..] {
            let Some(name) = self.operand_name("a register's name", sexp) else { continue };
            self.target.files[file].registers.push(RegisterId(self.target.registers.len()));
            self.target.registers.push(Register { name, file });
        }
        if self.target.registers.len() > MAX_REGISTERS {
            return self
                .expect
                .mismatch(&format!("at most {MAX_REGISTERS} registers in all"), &form.arguments[0]);
        }
        Some(())
    }

    fn view(&mut self, form: &Form<'_>) -> Option<()> {
        let usage = "(view NAME REGISTER DIRECTION), with (NAME ALIAS…) for other names";
        self.expect.arity(form, 3..=3, usage)?;
        let (name, others) = self.named(&form.arguments[0])?;
        let name = self.operand_name("a view's name", name)?;
        let aliases = others.iter().map(|other| self.operand_name("another name of a view", other));
        let aliases = aliases.collect::<Option<_>>()?;
        let register = self.known_register(&form.arguments[1])?;
        let direction = self.known_direction(&form.arguments[2])?;
        if self.target.files[self.target.registers[register.0].file].registers.len() > 1 {
            let expected = "a register that is the only one of its file, as one with views must be";
            return self.expect.mismatch(expected, &form.arguments[1]);
        }
        self.target.views.push(View { name, aliases, register, direction });
        Some(())
    }

    /// A name, or a list of it and its other names.
    pub(super) fn named<'s>(&mut self, sexp: &'s Sexp) -> Option<(&'s Sexp, &'s [Sexp])> {
        let names = match sexp.as_atom() {
            Some(_) => std::slice::from_ref(sexp),
            None => self.expect.list("(NAME ALIAS…)", sexp)?,
        };
        match names.split_first() {
            Some(named) => Some(named),
            None => self.expect.mismatch("(NAME ALIAS…)", sexp),
        }
    }

    pub(super) fn known_register(&mut self, sexp: &Sexp) -> Option<RegisterId> {
        let name = self.expect.name("a register", sexp)?;
        let known = self.target.registers.iter().map(|r| r.name.as_str());
        self.expect.index_of("unknown-register", "register", (name, sexp.span), known).map(RegisterId)
    }

    pub(super) fn known_direction(&mut self, sexp: &Sexp) -> Option<DirectionId> {
        let name = self.expect.name("a direction", sexp)?;
        let known = self.target.directions.iter().map(|d| d.name.as_str());
        self.expect.index_of("unknown-direction", "direction", (name, sexp.span), known).map(DirectionId)
    }

    fn operand_rules(&mut self, form: &Form<'_>) -> Option<()> {
        for sexp in form.arguments {
            match self.expect.atom("an operand rule", sexp)? {
                "each-operand-once" => self.target.operand_rules.each_operand_once = true,
                "written-not-read" => self.target.operand_rules.written_not_read = true,
                other => {
                    let known = ["each-operand-once", "written-not-read"];
                    return self.expect.unknown("unknown-rule", "operand rule", other, sexp.span, known);
                }
            }
        }
        Some(())
    }

    fn isa(&mut self, form: &Form<'_>) -> Option<()> {
        let usage =
            "(isa NAME quick|compensated \"TEXT\"), with (estimate (QUANTITY WEIGHT)…) behind it if wished";
        self.expect.arity(form, 3..=4, usage)?;
        let name = self.expect.name("the name of an instruction set", &form.arguments[0])?.to_owned();
        let division = self.division(&form.arguments[1])?;
        let doc = self.expect.text("a text", &form.arguments[2])?.to_owned();
        if self.target.isa(&name).is_some() {
            self.repeated("instruction set", &name, form.arguments[0].span);
            return None;
        }
        let estimate = match form.arguments.get(3) {
            Some(sexp) => Some(self.estimate(sexp)?),
            None => None,
        };
        self.target.isas.push(Isa { name, doc, division, estimate });
        Some(())
    }

    /// `(estimate (QUANTITY WEIGHT)…)`: the weights of the search's estimate of the cost to go; 0 for what is not named.
    fn estimate(&mut self, sexp: &Sexp) -> Option<Quantities> {
        let usage = "(estimate (QUANTITY WEIGHT)…)";
        let form = self.expect.known_form(usage, sexp, &["estimate"])?;
        let mut weights = Quantities::default();
        for sexp in form.arguments {
            let part = self.expect.form("(QUANTITY WEIGHT)", sexp)?;
            self.expect.arity(&part, 1..=1, "(QUANTITY WEIGHT)")?;
            let weight = self.not_negative("a weight of 0 or more", &part.arguments[0])?;
            match Quantity::ALL.into_iter().find(|(_, name)| *name == part.head) {
                Some((quantity, _)) => weights[quantity] = weight as f32,
                None => return self.expect.unknown_form(&part, Quantity::ALL.map(|(_, name)| name)),
            }
        }
        Some(weights)
    }

    fn division(&mut self, sexp: &Sexp) -> Option<Division> {
        let name = self.expect.atom("a way of dividing", sexp)?;
        self.expect.one_of("unknown-division", "way of dividing", (name, sexp.span), &Division::ALL)
    }

    /// `(in ISA…)`: the name of an instruction set, or `(ISA DIVISION…)` for membership under some ways of dividing only.
    pub(super) fn member(&mut self, form: &Form<'_>) -> Option<Membership> {
        let mut member = Membership::new();
        for sexp in form.arguments {
            let (name, span, divisions) = match sexp.as_form() {
                Some(part) => (part.head, part.head_span, part.arguments),
                None => (self.expect.name("an instruction set", sexp)?, sexp.span, &[][..]),
            };
            let known = self.target.isas.iter().map(|isa| isa.name.as_str());
            self.expect.index_of("unknown-isa", "instruction set", (name, span), known)?;
            if divisions.is_empty() {
                member.extend(Division::ALL.map(|(_, division)| (name.to_owned(), division)));
            }
            for division in divisions {
                member.push((name.to_owned(), self.division(division)?));
            }
        }
        Some(member)
    }

    fn operation(&mut self, form: &Form<'_>) -> Option<()> {
        let usage =
            "(operation NAME (destinations N) (sources LEAST MOST) (weights W…) (cycles N) (in ISA…))";
        self.expect.arity(form, 5..=6, usage)?;
        let name = self.expect.name("an operation's name", &form.arguments[0])?.to_owned();
        if self.target.primitives.iter().any(|p| p.name == name) {
            self.repeated("operation", &name, form.arguments[0].span);
            return None;
        }
        let mut parts = OperationParts::default();
        for sexp in &form.arguments[1..] {
            let part = self.expect.form("a part of an operation", sexp)?;
            self.operation_part(&part, &mut parts)?;
        }
        let OperationParts { destinations, sources, weights, cycles, member } = parts;
        let (Some(destinations), Some(sources), Some(weights), Some(cycles)) =
            (destinations, sources, weights, cycles)
        else {
            let diagnostic = Diagnostic::error("missing-clause", format!("`{name}` is incomplete"));
            return self.expect.report(diagnostic.label(form.span, format!("expected `{usage}`")));
        };
        if weights.len() > 1 && sources != [weights.len(); 2] {
            let [least, most] = sources;
            let message = format!("`{name}` has {} weights, but {least} to {most} sources", weights.len());
            let label = "give one weight for all sources, or one for each";
            return self.expect.report(Diagnostic::error("bad-weights", message).label(form.span, label));
        }
        self.target.primitives.push(Primitive { name, destinations, sources, weights, cycles, member });
        Some(())
    }

    /// One clause of an operation.
    fn operation_part(&mut self, part: &Form<'_>, parts: &mut OperationParts) -> Option<()> {
        let operands = "a number of operands";
        match part.head {
            "destinations" => {
                self.expect.arity(part, 1..=1, "(destinations N)")?;
                let count = self.expect.integer(operands, &part.arguments[0], 1..=MAX_ORDERED as i64)?;
                parts.destinations = Some(count as usize);
            }
            "sources" => {
                self.expect.arity(part, 2..=2, "(sources LEAST MOST)")?;
                let least = self.expect.integer(operands, &part.arguments[0], 0..=MAX_SOURCES)?;
                let most = self.expect.integer(operands, &part.arguments[1], least..=MAX_SOURCES)?;
                parts.sources = Some([least as usize, most as usize]);
            }
            "weights" => parts.weights = Some(self.weights(part)?),
            "cycles" => {
                self.expect.arity(part, 1..=1, "(cycles N)")?;
                let cycles = self.expect.integer("a number of cycles", &part.arguments[0], 1..=1 << 20)?;
                parts.cycles = Some(cycles as u32);
            }
            "in" => parts.member = self.member(part)?,
            _ => {
                let known = ["destinations", "sources", "weights", "cycles", "in"];
                return self.expect.unknown_form(part, known);
            }
        }
        Some(())
    }

    fn weights(&mut self, part: &Form<'_>) -> Option<Vec<Rational>> {
        self.expect.arity(part, 1..=MAX_ORDERED, "(weights W…)")?;
        let mut weights = Vec::new();
        for sexp in part.arguments {
            let weight = self.rational("a factor other than 0", sexp)?;
            if weight.is_zero() {
                return self.expect.mismatch("a factor other than 0", sexp);
            }
            weights.push(weight);
        }
        Some(weights)
    }

    pub(super) fn rational(&mut self, what: &str, sexp: &Sexp) -> Option<Rational> {
        let fraction = self.expect.fraction(what, sexp)?;
        match Rational::new(fraction.numerator, fraction.denominator) {
            Some(value) => Some(value),
            None => self.expect.mismatch(what, sexp),
        }
    }

    fn not_negative(&mut self, what: &str, sexp: &Sexp) -> Option<f64> {
        let value = self.expect.fraction(what, sexp)?.to_f64();
        if value < 0.0 { self.expect.mismatch(what, sexp) } else { Some(value) }
    }

    fn noise(&mut self, form: &Form<'_>) -> Option<()> {
        let usage = "(noise NAME (source \"TEXT\") (gain X) (fixed-pattern X) (temporal X) (relative X))";
        self.expect.arity(form, 6..=6, usage)?;
        let name = self.expect.name("a noise model's name", &form.arguments[0])?.to_owned();
        if name == NO_NOISE {
            return self.expect.mismatch("another name than that of no noise at all", &form.arguments[0]);
        }
        if self.target.noise(&name).is_some() {
            self.repeated("noise model", &name, form.arguments[0].span);
            return None;
        }
        let mut noise = Noise {
            name,
            source: String::new(),
            gain: 1.0,
            fixed_pattern: 0.0,
            temporal: 0.0,
            relative: 0.0,
        };
        for sexp in &form.arguments[1..] {
            let part = self.expect.form("a part of a noise model", sexp)?;
            self.expect.arity(&part, 1..=1, usage)?;
            let value = &part.arguments[0];
            match part.head {
                "source" => {
                    noise.source = self.expect.text("where the constants are from", value)?.to_owned()
                }
                "gain" => noise.gain = self.expect.fraction("a factor", value)?.to_f64(),
                "fixed-pattern" => noise.fixed_pattern = self.not_negative(DEVIATION, value)?,
                "temporal" => noise.temporal = self.not_negative(DEVIATION, value)?,
                "relative" => noise.relative = self.not_negative(DEVIATION, value)?,
                _ => {
                    let known = ["source", "gain", "fixed-pattern", "temporal", "relative"];
                    return self.expect.unknown_form(&part, known);
                }
            }
        }
        self.target.noise.push(noise);
        Some(())
    }
}

/// The clauses of an operation read so far.
#[derive(Default)]
struct OperationParts {
    destinations: Option<usize>,
    sources: Option<[usize; 2]>,
    weights: Option<Vec<Rational>>,
    cycles: Option<u32>,
    member: Membership,
}
