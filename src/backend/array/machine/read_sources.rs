//! Reads the `sources` clause of a descriptor: what sources contain besides instructions.

use super::descriptor::{Alias, Load};
use super::host_forms::{HostCall, HostEffect, Stands};
use super::read::Reader;
use crate::algebra::Rational;
use crate::syntax::{Form, Sexp};

/// The parts of the clause, with their syntax.
const PARTS: [(&str, &str); 13] = [
    ("brackets", "(brackets BEGIN END)"),
    ("recorded", "(recorded BEGIN…)"),
    ("masks", "(masks NAME…)"),
    ("unmasks", "(unmasks NAME…)"),
    (
        "load",
        "(load NAME ((image OPERAND) (scaled OPERAND FACTOR)… (rubbish OPERAND)…) [(clobbers REGISTER…)])",
    ),
    ("numbers", "(numbers (DIRECTION NUMBER)…)"),
    ("foreign", "(foreign \"WHAT\" NAME…)"),
    ("alias", "(alias NAME (OPERAND…) \"INSTRUCTIONS\")"),
    ("spelling", "(spelling OTHER USUAL)"),
    ("types", "(types FILE|bits|directions NAME…)"),
    ("lambdas", "(lambdas NAME…)"),
    ("host", "(host (nothing)|(instruction OPERAND…)|(unknown OPERAND…)|(runs OPERAND) NAME…)"),
    ("unknown", "(unknown FILE|bits NAME)"),
];

impl Reader {
    /// `(sources PART…)`.
    pub(super) fn sources(&mut self, form: &Form<'_>) -> Option<()> {
        for sexp in form.arguments {
            let part = self.expect.form("a part of the sources", sexp)?;
            let Some((_, usage)) = PARTS.iter().find(|(name, _)| *name == part.head) else {
                return self.expect.unknown_form(&part, PARTS.map(|(name, _)| name));
            };
            match part.head {
                "brackets" => {
                    self.expect.arity(&part, 2..=2, usage)?;
                    let names = self.names(part.arguments)?;
                    if let [begin, end] = &names[..] {
                        self.target.sources.brackets.push([begin.clone(), end.clone()]);
                    }
                }
                "masks" | "unmasks" => self.list(&part)?,
                "load" => {
                    self.expect.arity(&part, 2..=3, usage)?;
                    let load = self.load(&part)?;
                    self.target.sources.loads.push(load);
                }
                "numbers" => {
                    for sexp in part.arguments {
                        let pair = self.expect.list("(DIRECTION NUMBER)", sexp)?;
                        let [direction, number] = pair else {
                            return self.expect.mismatch("(DIRECTION NUMBER)", sexp);
                        };
                        let direction = self.known_direction(direction)?;
                        let number = self.expect.integer("a number", number, 1..=1 << 30)?;
                        self.target.sources.numbers.push((direction, number as u32));
                    }
                }
                "foreign" => {
                    self.expect.arity(&part, 2..=usize::MAX, usage)?;
                    let what = self.expect.text("what such a call works on", &part.arguments[0])?.to_owned();
                    let names = self.names(&part.arguments[1..])?;
                    let named = names.into_iter().map(|name| (name, what.clone()));
                    self.target.sources.foreign.extend(named);
                }
                "spelling" | "types" | "lambdas" | "recorded" | "host" | "unknown" => {
                    self.host_part(&part, usage)?
                }
                _ => {
                    self.expect.arity(&part, 3..=3, usage)?;
                    let alias = self.alias(part.arguments)?;
                    self.target.sources.aliases.push(alias);
                }
            }
        }
        Some(())
    }

    /// A call that loads an image.
    fn load(&mut self, part: &Form<'_>) -> Option<Load> {
        let name = self.expect.name("the name of a call", &part.arguments[0])?.to_owned();
        let mut found = Load { name, image: 0, results: Vec::new(), clobbers: Vec::new() };
        let mut images = 0;
        for sexp in self.expect.list("the operands of a call", &part.arguments[1])? {
            let operand = self.expect.form("an operand", sexp)?;
            let result = match operand.head {
                "image" => {
                    self.expect.arity(&operand, 1..=1, "(image OPERAND)")?;
                    found.image = found.results.len();
                    images += 1;
                    Some(Rational::ONE)
                }
                "scaled" => {
                    self.expect.arity(&operand, 2..=2, "(scaled OPERAND FACTOR)")?;
                    Some(self.rational("a factor of the image", &operand.arguments[1])?)
                }
                "rubbish" => {
                    self.expect.arity(&operand, 1..=1, "(rubbish OPERAND)")?;
                    None
                }
                _ => return self.expect.unknown_form(&operand, ["image", "scaled", "rubbish"]),
            };
            self.expect.name("an operand's name", &operand.arguments[0])?;
            found.results.push(result);
        }
        if images != 1 {
            return self.expect.mismatch("operands of which one takes the image", &part.arguments[1]);
        }
        let loads = &self.target.sources.loads;
        if loads.iter().any(|l| l.name == found.name && l.results.len() == found.results.len()) {
            self.repeated("call", &found.name, part.span);
            return None;
        }
        if let Some(sexp) = part.arguments.get(2) {
            let clobbers = self.expect.form_named("clobbers", sexp)?;
            for sexp in clobbers.arguments {
                found.clobbers.push(self.known_register(sexp)?);
            }
        }
        Some(found)
    }

    fn alias(&mut self, arguments: &[Sexp]) -> Option<Alias> {
        let name = self.expect.name("the name of an alias", &arguments[0])?.to_owned();
        let operands = self.expect.list("the operands of an alias", &arguments[1])?;
        let operands = self.names(operands)?;
        let body = self.expect.text("instructions in quotes", &arguments[2])?.to_owned();
        Some(Alias { name, operands, body })
    }

    /// A part on what sources contain around programs.
    fn host_part(&mut self, part: &Form<'_>, usage: &str) -> Option<()> {
        self.expect.arity(part, 1..=usize::MAX, usage)?;
        match part.head {
            "spelling" => {
                self.expect.arity(part, 2..=2, usage)?;
                let names = self.names(part.arguments)?;
                if let [other, usual] = &names[..] {
                    self.target.sources.host.spellings.push([other.clone(), usual.clone()]);
                }
            }
            "types" => {
                let stands = self.stands(&part.arguments[0])?;
                let names = self.names(&part.arguments[1..])?;
                let types = names.into_iter().map(|name| (name, stands.clone()));
                self.target.sources.host.types.extend(types);
            }
            "unknown" => {
                self.expect.arity(part, 2..=2, usage)?;
                let stands = self.stands(&part.arguments[0])?;
                let name = self.expect.name("the name of an instruction", &part.arguments[1])?.to_owned();
                self.target.sources.host.unknown.push((stands, name));
            }
            "recorded" | "lambdas" => self.list(part)?,
            _ => {
                self.expect.arity(part, 2..=usize::MAX, usage)?;
                let effect = self.effect(&part.arguments[0])?;
                let names = self.names(&part.arguments[1..])?;
                let calls = names.into_iter().map(|name| HostCall { name, effect: effect.clone() });
                self.target.sources.host.calls.extend(calls);
            }
        }
        Some(())
    }

    /// A part that adds to a list of names.
    fn list(&mut self, part: &Form<'_>) -> Option<()> {
        let names = self.names(part.arguments)?;
        let sources = &mut self.target.sources;
        let list = match part.head {
            "masks" => &mut sources.masks,
            "unmasks" => &mut sources.unmasks,
            "recorded" => &mut sources.host.recorded,
            _ => &mut sources.host.lambdas,
        };
        list.extend(names);
        Some(())
    }

    /// What a parameter stands for.
    fn stands(&mut self, sexp: &Sexp) -> Option<Stands> {
        const EXPECTED: &str = "a file of registers, `bits` or `directions`";
        match self.expect.name(EXPECTED, sexp)? {
            "bits" => Some(Stands::Bit),
            "directions" => Some(Stands::Direction),
            name if self.target.files.iter().any(|file| file.name == name) => {
                Some(Stands::Register(name.to_owned()))
            }
            _ => self.expect.mismatch(EXPECTED, sexp),
        }
    }

    /// The effect of a call of the host. Operands are counted from 1.
    fn effect(&mut self, sexp: &Sexp) -> Option<HostEffect> {
        let form = self.expect.form("an effect", sexp)?;
        let mut operands = Vec::new();
        for sexp in form.arguments {
            let number = self.expect.integer("the number of an operand", sexp, 1..=100)?;
            operands.push(number as usize - 1);
        }
        match (form.head, operands.as_slice()) {
            ("nothing", []) => Some(HostEffect::Nothing),
            ("instruction", _) => Some(HostEffect::Instruction(operands)),
            ("unknown", [_, ..]) => Some(HostEffect::Unknown(operands)),
            ("runs", [program]) => Some(HostEffect::Runs(*program)),
            ("nothing" | "unknown" | "runs", _) => {
                self.expect.mismatch("an effect with its operands, counted from 1", sexp)
            }
            _ => self.expect.unknown_form(&form, ["nothing", "instruction", "unknown", "runs"]),
        }
    }

    fn names(&mut self, sexps: &[Sexp]) -> Option<Vec<String>> {
        sexps.iter().map(|sexp| self.expect.name("a name", sexp).map(str::to_owned)).collect()
    }
}
