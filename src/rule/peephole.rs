//! Peephole rules replace one sequence of instructions by another. They are syntax here; a back end gives them meaning.

use std::fmt::Write as _;

/// A peephole rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Peephole {
    /// The instructions to match.
    pub lhs: Vec<Step>,
    /// Their replacement.
    pub rhs: Vec<Step>,
    /// The operands whose registers are not read afterwards.
    pub dead: Vec<Slot>,
}

/// One instruction, as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Its name.
    pub name: String,
    /// Its operands.
    pub operands: Vec<Slot>,
    /// Its place as `FILE:LINE:COLUMN`.
    pub place: String,
}

/// An operand of an instruction.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Slot {
    /// `?a`: any operand of the instruction; the same one at every occurrence.
    Variable(String),
    /// A word of the machine.
    Literal(String),
}

impl Peephole {
    /// Whether the instructions name no register and no direction.
    pub fn is_general(&self) -> bool {
        let mut slots = self.lhs.iter().chain(&self.rhs).flat_map(|step| &step.operands);
        slots.all(|slot| matches!(slot, Slot::Variable(_)))
    }

    /// The variables in the order of their first occurrence.
    pub fn variables(&self) -> Vec<&str> {
        let mut found = Vec::new();
        for slot in self.lhs.iter().flat_map(|step| &step.operands) {
            if let Slot::Variable(name) = slot
                && !found.contains(&name.as_str())
            {
                found.push(name.as_str());
            }
        }
        found
    }

    /// The rule's two sides as text.
    pub fn print(&self) -> String {
        print_steps(&self.lhs) + " => " + &print_steps(&self.rhs)
    }
}

fn print_steps(steps: &[Step]) -> String {
    let mut text = "(|>".to_owned();
    for step in steps {
        let _ = write!(text, " ({}", step.name);
        for operand in &step.operands {
            let _ = match operand {
                Slot::Variable(name) => write!(text, " ?{name}"),
                Slot::Literal(word) => write!(text, " {word}"),
            };
        }
        text.push(')');
    }
    text + ")"
}
