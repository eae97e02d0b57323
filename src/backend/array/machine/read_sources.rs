//! Reads the `sources` clause of a descriptor: what sources contain besides instructions.

use super::descriptor::{Alias, Load};
use super::read::Reader;
use crate::algebra::Rational;
use crate::syntax::{Form, Sexp};

/// The parts of the clause, with their syntax.
const PARTS: [(&str, &str); 7] = [
    ("brackets", "(brackets BEGIN END)"),
    ("masks", "(masks NAME…)"),
    ("unmasks", "(unmasks NAME…)"),
    (
        "load",
        "(load NAME ((image OPERAND) (scaled OPERAND FACTOR)… (rubbish OPERAND)…) [(clobbers REGISTER…)])",
    ),
    ("numbers", "(numbers (DIRECTION NUMBER)…)"),
    ("foreign", "(foreign \"WHAT\" NAME…)"),
    ("alias", "(alias NAME (OPERAND…) \"INSTRUCTIONS\")"),
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
                "masks" => {
                    let names = self.names(part.arguments)?;
                    self.target.sources.masks.extend(names);
                }
                "unmasks" => {
                    let names = self.names(part.arguments)?;
                    self.target.sources.unmasks.extend(names);
                }
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
            self.repeated("call", &found.name, part.span, None);
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

    fn names(&mut self, sexps: &[Sexp]) -> Option<Vec<String>> {
        sexps.iter().map(|sexp| self.expect.name("a name", sexp).map(str::to_owned)).collect()
    }
}
