//! Functions of the inputs in words: kernels, cases and their conditions.

use crate::algebra::{Offset, Rational};
use crate::backend::array::machine::{Cell, Listing, Target};
use crate::backend::array::verify::guarded::{
    Affine, Bounds, Case, Id, Kind, Leaf, Origin, Place, Space, Value, cases,
};
use crate::report::{CaseRecord, Kernel, Tap};

/// The maximum number of cases that are listed.
const MAX_CASES: usize = 12;

/// A program whose instructions are quoted.
#[derive(Clone, Copy)]
pub(in crate::backend::array::compile) struct Quoted<'a> {
    pub(in crate::backend::array::compile) listing: &'a Listing,
    /// The line in the file of each instruction.
    pub(in crate::backend::array::compile) lines: &'a [usize],
    /// The name of the file, where that is said.
    pub(in crate::backend::array::compile) file: Option<&'a str>,
}

impl Quoted<'_> {
    /// An instruction with its line.
    fn text(&self, target: &Target, instruction: usize) -> String {
        let line = self.lines.get(instruction).or(self.lines.last()).copied().unwrap_or(1);
        let file = self.file.map_or_else(String::new, |file| format!(" of {file}"));
        let own = self.listing.program.instructions.get(instruction);
        let text = own.map(|own| target.instruction_text(own)).unwrap_or_default();
        let stand_in = |name: &str| target.sources.host.unknown.iter().any(|(_, own)| own == name);
        match own.filter(|own| stand_in(&own.name)) {
            Some(_) => format!("the call in line {line}{file}"),
            None => format!("`{text}` in line {line}{file}"),
        }
    }

    /// Which time an instruction is executed, if its line holds it several times: ` the second time`.
    fn time(&self, instruction: usize) -> String {
        let all = &self.listing.program.instructions;
        let same = |at: &usize| {
            all.get(*at) == all.get(instruction) && self.lines.get(*at) == self.lines.get(instruction)
        };
        let earlier = (0..instruction).filter(same).count();
        let later = (instruction + 1..all.len()).any(|at| same(&at));
        match earlier {
            0 if !later => String::new(),
            0 => " the first time".to_owned(),
            1 => " the second time".to_owned(),
            n => format!(" at time {}", n + 1),
        }
    }
}

/// What functions are about.
pub(in crate::backend::array::compile) struct Words<'a> {
    pub(in crate::backend::array::compile) target: &'a Target,
    /// The program, which was followed first.
    pub(in crate::backend::array::compile) own: Quoted<'a>,
    /// The program that it is compared with, if that is one.
    pub(in crate::backend::array::compile) other: Option<Quoted<'a>>,
    /// The names of the inputs.
    pub(in crate::backend::array::compile) names: &'a [String],
    pub(in crate::backend::array::compile) space: &'a Space,
}

impl Words<'_> {
    /// An instruction of the program with its line.
    pub(super) fn quoted(&self, instruction: usize) -> String {
        self.own.text(self.target, instruction)
    }

    /// The program in which a value comes from an instruction.
    fn program(&self, origin: Origin) -> Quoted<'_> {
        self.other.filter(|_| origin.program > 0).unwrap_or(self.own)
    }

    /// The instruction from which a value comes, with its line.
    pub(super) fn origin(&self, origin: Origin) -> String {
        self.program(origin).text(self.target, origin.instruction)
    }

    /// A value that nothing exact is known of, by its origin.
    pub(super) fn left(&self, origin: Origin) -> String {
        let (quoted, cell) = (self.origin(origin), self.target.cell_name(origin.cell));
        format!("what {quoted} leaves in {cell}{}", self.program(origin).time(origin.instruction))
    }

    /// The name of a channel.
    pub(super) fn channel(&self, channel: u16) -> String {
        let own = &self.space.channels[usize::from(channel)];
        match (&own.kind, own.cell) {
            (Kind::Input(index), _) => self.names.get(*index).cloned().unwrap_or_default(),
            (Kind::Unknown(origin, _), _) => self.left(*origin),
            // Registers behind those of the machine hold what lenient evaluation puts aside.
            (_, Some(Cell::Register(register))) if register.0 >= self.target.registers.len() => {
                "what was put aside".to_owned()
            }
            (_, Some(cell)) => self.target.cell_name(cell).to_owned(),
            (_, None) => String::new(),
        }
    }

    /// The kernels of a function that has one case and no constant.
    pub(in crate::backend::array::compile) fn linear(&self, value: Value) -> Option<Vec<Kernel>> {
        match self.listed(value)?.as_slice() {
            [Case { function: Leaf::Linear(function), .. }] if function.offset().is_zero() => {
                Some(self.kernels(function))
            }
            _ => None,
        }
    }

    fn listed(&self, value: Value) -> Option<Vec<Case>> {
        let id: Id = value.ok()?;
        cases(self.space, id, MAX_CASES).ok().flatten()
    }

    /// The cases of a function that is not one kernel; `None` if there are too many to list.
    pub(in crate::backend::array::compile) fn cases(&self, value: Value) -> Option<Vec<CaseRecord>> {
        if self.linear(value).is_some() {
            return Some(Vec::new());
        }
        Some(self.listed(value)?.iter().map(|case| self.case(case)).collect())
    }

    fn case(&self, case: &Case) -> CaseRecord {
        let conditions = case.conditions.iter().map(|bounds| self.condition(bounds)).collect();
        match &case.function {
            Leaf::Truth(truth) => {
                CaseRecord { conditions, bit: Some(*truth), kernels: Vec::new(), constant: None }
            }
            Leaf::Linear(function) => CaseRecord {
                conditions,
                bit: None,
                kernels: self.kernels(function),
                constant: Some(function.offset().to_string())
                    .filter(|_| !function.offset().is_zero() || function.taps().is_empty()),
            },
        }
    }

    fn condition(&self, Bounds { form, low, high }: &Bounds) -> String {
        if let [(place, _)] = form.taps()
            && self.space.channel(*place).bit
        {
            return format!("{} is {}", self.place(*place), u8::from(low.is_some()));
        }
        let form = self.sum(form);
        match (low, high) {
            (Some(low), Some(high)) if low.at == high.at => format!("{form} = {}", low.at),
            (Some(low), None) => format!("{form} {} {}", if low.closed { ">" } else { "≥" }, low.at),
            (None, Some(high)) => format!("{form} {} {}", if high.closed { "≤" } else { "<" }, high.at),
            (Some(low), Some(high)) => format!(
                "{} {} {form} {} {}",
                low.at,
                if low.closed { "<" } else { "≤" },
                if high.closed { "≤" } else { "<" },
                high.at
            ),
            (None, None) => String::new(),
        }
    }

    /// A linear form in words: `image(1, 0) − 2·image`.
    fn sum(&self, form: &Affine) -> String {
        let mut text = String::new();
        for (index, (place, k)) in form.taps().iter().enumerate() {
            text.push_str(match (index, k.is_negative()) {
                (0, false) => "",
                (0, true) => "−",
                (_, false) => " + ",
                (_, true) => " − ",
            });
            if k.abs() != Rational::ONE {
                text.push_str(&format!("{}·", k.abs()));
            }
            text.push_str(&self.place(*place));
        }
        text
    }

    fn place(&self, (channel, [x, y, _]): Place) -> String {
        let name = self.channel(channel);
        if [x, y] == [0, 0] { name } else { format!("{name}({x}, {y})") }
    }

    fn kernels(&self, function: &Affine) -> Vec<Kernel> {
        let mut found: Vec<Kernel> = Vec::new();
        let mut taps: Vec<(u16, Offset, Rational)> =
            function.taps().iter().map(|((channel, offset), k)| (*channel, *offset, *k)).collect();
        taps.sort_by_key(|(channel, [x, y, z], _)| (*channel, *z, -*y, *x));
        for (channel, offset, coefficient) in taps {
            let input = self.channel(channel);
            if found.last().is_none_or(|last| last.input != input) {
                found.push(Kernel { input, taps: Vec::new() });
            }
            if let Some(last) = found.last_mut() {
                last.taps.push(Tap { offset, coefficient: coefficient.to_string() });
            }
        }
        found
    }
}
