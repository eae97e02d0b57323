//! Applies peephole rules to a program, after proving them on the machine.

use std::cell::OnceCell;
use std::collections::HashMap;

use crate::backend::array::machine::{Instruction, Operand, Program, Target};
use crate::backend::array::verify::{PeepholeVerdict, check_peephole, instantiate, slot_operand};
use crate::rule::{Action, Peephole, RuleSet, Slot, Step};

/// The maximum number of replacements in one program.
const MAX_REPLACEMENTS: usize = 1 << 10;

/// A rule, and whether it holds on the machine; it is proved before its first use.
struct Candidate<'r> {
    name: &'r str,
    rule: &'r Peephole,
    holds: OnceCell<bool>,
}

/// The program with every window replaced that a rule makes cheaper with instructions that `has` accepts, and the names of the rules;
/// `None` if there is no such window.
pub(super) fn shortened(
    target: &Target,
    has: &dyn Fn(&str) -> bool,
    rules: &RuleSet,
    program: &Program,
) -> Option<(Program, Vec<String>)> {
    let rules: Vec<Candidate<'_>> = rules
        .rules()
        .iter()
        .filter(|rule| rule.is_for(&target.name))
        .filter_map(|rule| match &rule.action {
            Action::Peephole(peephole) => {
                Some(Candidate { name: &rule.name, rule: peephole, holds: OnceCell::new() })
            }
            _ => None,
        })
        .filter(|candidate| candidate.rule.rhs.iter().all(|step| has(&step.name)))
        .collect();
    let holds = |candidate: &Candidate<'_>| {
        let prove = || matches!(check_peephole(target, candidate.rule), PeepholeVerdict::Proved(_));
        *candidate.holds.get_or_init(prove)
    };
    let (mut best, mut names) = (program.clone(), Vec::new());
    for _ in 0..MAX_REPLACEMENTS {
        let mut places = (0..best.instructions.len()).flat_map(|at| rules.iter().map(move |rule| (at, rule)));
        let next = places.find_map(|(at, candidate)| {
            let next = replaced(target, &best, at, candidate.rule).filter(|_| holds(candidate))?;
            Some((next, candidate.name))
        });
        let Some((next, name)) = next else { break };
        best = next;
        names.push(name.to_owned());
    }
    (!names.is_empty()).then_some((best, names))
}

/// The program with the rule applied at one place, if it gets cheaper.
fn replaced(target: &Target, program: &Program, at: usize, rule: &Peephole) -> Option<Program> {
    let window = program.instructions.get(at..at + rule.lhs.len())?;
    let mut bound = HashMap::new();
    for (step, instruction) in rule.lhs.iter().zip(window) {
        bind(target, step, instruction, &mut bound)?;
    }
    let value = |slot: &Slot| slot_operand(target, slot, &bound);
    let rest = &program.instructions[at + rule.lhs.len()..];
    if !rule.dead.iter().all(|slot| value(slot).is_some_and(|operand| is_dead(target, rest, operand))) {
        return None;
    }
    let made = instantiate(target, &rule.rhs, &bound)?;
    let mut next = program.clone();
    next.instructions.splice(at..at + rule.lhs.len(), made);
    let cheaper =
        next.violations(target).is_empty() && next.cycles(target).ok()? < program.cycles(target).ok()?;
    cheaper.then_some(next)
}

/// Binds the variables of a step to the operands of an instruction.
fn bind<'r>(
    target: &Target,
    step: &'r Step,
    instruction: &Instruction,
    bound: &mut HashMap<&'r str, Operand>,
) -> Option<()> {
    if step.name != instruction.name || step.operands.len() != instruction.operands.len() {
        return None;
    }
    for (slot, operand) in step.operands.iter().zip(&instruction.operands) {
        let fits = match slot {
            Slot::Variable(name) => *bound.entry(name.as_str()).or_insert(*operand) == *operand,
            Slot::Literal(word) => target.operand(word) == Some(*operand),
        };
        if !fits {
            return None;
        }
    }
    Some(())
}

/// Whether nothing reads a register before it is written again. Reads after the end are ignored: a program that lost an output
/// this way is not adopted.
fn is_dead(target: &Target, rest: &[Instruction], operand: Operand) -> bool {
    let Operand::Register(register) = operand else { return false };
    for instruction in rest {
        let Ok(transfers) = target.transfers(instruction) else { return false };
        for transfer in transfers {
            if transfer.reads.iter().any(|(read, _)| read.register == register) {
                return false;
            }
            if transfer.writes.iter().any(|write| write.register == register) {
                return true;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::machine::builtin_names;
    use crate::syntax::Source;

    fn made(rule: &str, program: &str) -> Option<usize> {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let text = format!("(rule r (group peephole) {rule})");
        let rules =
            RuleSet::from_sources(vec![Source::new("t.rules", text)]).map_err(|e| e.render(false)).unwrap();
        let program = target.parse(&Source::new("t", program)).unwrap().program;
        shortened(&target, &|_| true, &rules, &program).map(|(program, _)| program.instructions.len())
    }

    const COPY: &str = "(|> (mov ?b ?a) (add ?c ?b ?d)) => (|> (add ?c ?a ?d)) (when (dead ?b))";

    #[test]
    fn a_copy_that_is_only_added_goes() {
        assert_eq!(made(COPY, "mov(B, A); add(C, B, D); neg(E, C);"), Some(2));
    }

    #[test]
    fn no_instruction_comes_from_another_set() {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let program = target.parse(&Source::new("t", "movx(B, A, west); movx(B, B, west);")).unwrap().program;
        let made = |has: &dyn Fn(&str) -> bool| shortened(&target, has, &RuleSet::builtin(), &program);
        let (shorter, names) = made(&|_| true).unwrap();
        assert_eq!((shorter.instructions.len(), names.len()), (1, 1));
        assert!(made(&|name| name != "mov2x").is_none());
    }

    #[test]
    fn a_register_that_is_read_later_is_not_dead() {
        assert_eq!(made(COPY, "mov(B, A); add(C, B, D); neg(E, B);"), None);
    }

    #[test]
    fn a_rule_that_does_not_hold_is_not_applied() {
        assert_eq!(made(&COPY.replace("(when (dead ?b))", ""), "mov(B, A); add(C, B, D);"), None);
    }
}
