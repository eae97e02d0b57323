//! An identity: both sides, and its conditions.

use super::condition::Condition;
use super::term::{Term, Unknown};

/// A point-wise identity. Its unknowns stand for exact values; it holds wherever the conditions hold and the left side is defined.
#[derive(Clone, PartialEq, Debug)]
pub struct Identity {
    /// The name of the rule.
    pub name: String,
    /// The unknowns, in the order of their first occurrence.
    pub unknowns: Vec<Unknown>,
    /// What is replaced.
    pub lhs: Term,
    /// What replaces it. It has no other unknowns than the left side.
    pub rhs: Term,
    /// What must hold.
    pub conditions: Vec<Condition>,
}

impl Identity {
    /// Both sides and the conditions as rule files write them. Forms that stand for others, such as `clamp`, are written out.
    pub fn print(&self) -> String {
        let side = |term: &Term| format!("(pixel {})", term.print(&self.unknowns));
        let conditions: Vec<String> =
            self.conditions.iter().map(|condition| condition.print(&self.unknowns)).collect();
        let when =
            if conditions.is_empty() { String::new() } else { format!(" (when {})", conditions.join(" ")) };
        format!("{} => {}{when}", side(&self.lhs), side(&self.rhs))
    }
}
