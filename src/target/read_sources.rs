//! The clause of a descriptor that says what sources hold beside instructions.

use super::descriptor::Alias;
use super::read::Reader;
use crate::syntax::{Form, Sexp};

/// The parts of the clause, with how each is written.
const PARTS: [(&str, &str); 6] = [
    ("brackets", "(brackets BEGIN END)"),
    ("masks", "(masks NAME…)"),
    ("unmasks", "(unmasks NAME…)"),
    ("loads", "(loads NAME…)"),
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
                "loads" => {
                    let names = self.names(part.arguments)?;
                    self.target.sources.loads.extend(names);
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
