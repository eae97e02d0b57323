//! Where identities match values of a pipeline.

use crate::pipeline::build::Builder;
use crate::pipeline::id::NodeId;
use crate::pipeline::{Operation, PixelType, Rounding};

use super::statement::Identity;
use super::term::{Meaning, Operator, Term, Word};

/// One way in which a left side matches a value.
#[derive(Clone, Debug)]
pub(in crate::pipeline) struct Match {
    /// What unknowns stand for.
    pub(in crate::pipeline) meanings: Vec<Option<Meaning<NodeId>>>,
    /// The values within the left side that it takes apart.
    pub(in crate::pipeline) inner: Vec<NodeId>,
}

impl Match {
    /// What unknowns stand for, where each value is another one.
    pub(in crate::pipeline) fn mapped(
        &self,
        with: &dyn Fn(NodeId) -> NodeId,
    ) -> Vec<Option<Meaning<NodeId>>> {
        let of = |meaning: &Meaning<NodeId>| match meaning {
            Meaning::Value(id) => Meaning::Value(with(*id)),
            Meaning::Sequence(list) => Meaning::Sequence(list.iter().map(|id| with(*id)).collect()),
            word => word.clone(),
        };
        self.meanings.iter().map(|meaning| meaning.as_ref().map(of)).collect()
    }
}

/// The most ways in which a left side is matched with one value; operands of sums stand in any order.
const MOST: usize = 4096;

/// All ways in which the left side of an identity matches a value, and intervals prove the conditions.
pub(in crate::pipeline) fn matches(builder: &Builder, identity: &Identity, root: NodeId) -> Vec<Match> {
    let start = Match { meanings: vec![None; identity.unknowns.len()], inner: Vec::new() };
    let mut search = Search { builder, found: Vec::new() };
    search.solve(vec![(&identity.lhs, root)], start);
    let mut found = search.found;
    found.retain(|found| identity.conditions.iter().all(|one| one.is_proved(builder, &found.meanings)));
    found.iter_mut().for_each(|found| found.inner.retain(|id| *id != root));
    found
}

struct Search<'b> {
    builder: &'b Builder,
    found: Vec<Match>,
}

impl<'b> Search<'b> {
    /// Matches all pairs of terms and values, the last one first.
    fn solve(&mut self, mut goals: Vec<(&'b Term, NodeId)>, mut so_far: Match) {
        let Some((term, node)) = goals.pop() else {
            if self.found.len() < MOST {
                self.found.push(so_far);
            }
            return;
        };
        match term {
            Term::Unknown(number) => {
                if self.is_exact(node) && assign(&mut so_far.meanings[*number], Meaning::Value(node)) {
                    self.solve(goals, so_far);
                }
            }
            Term::Number(value) => {
                if *self.builder.operation(node) == Operation::Constant(*value) {
                    self.solve(goals, so_far);
                }
            }
            Term::Apply(operator, terms, rest) => {
                let Some(operands) = self.operands(*operator, node, &mut so_far) else { return };
                so_far.inner.push(node);
                if operator.is_commutative() {
                    self.arrange(terms, *rest, operands, goals, so_far);
                } else if terms.len() == operands.len() {
                    goals.extend(terms.iter().zip(operands).rev());
                    self.solve(goals, so_far);
                }
            }
        }
    }

    /// Matches the terms with operands in any order; a sequence stands for the others.
    fn arrange(
        &mut self,
        terms: &'b [Term],
        rest: Option<usize>,
        operands: Vec<NodeId>,
        goals: Vec<(&'b Term, NodeId)>,
        mut so_far: Match,
    ) {
        let Some((first, others)) = terms.split_first() else {
            let fits = match rest {
                Some(rest) => {
                    operands.iter().all(|id| self.is_exact(*id))
                        && assign(&mut so_far.meanings[rest], Meaning::Sequence(operands))
                }
                None => operands.is_empty(),
            };
            if fits {
                self.solve(goals, so_far);
            }
            return;
        };
        if operands.len() < terms.len() || self.found.len() >= MOST {
            return;
        }
        for index in 0..operands.len() {
            let mut left = operands.clone();
            let operand = left.remove(index);
            let mut goals = goals.clone();
            goals.push((first, operand));
            self.arrange(others, rest, left, goals, so_far.clone());
        }
    }

    fn is_exact(&self, id: NodeId) -> bool {
        self.builder.facts(id).range().is_some()
    }

    /// The operands of a value if the operator makes it; its words are bound.
    fn operands(&self, operator: Operator, id: NodeId, so_far: &mut Match) -> Option<Vec<NodeId>> {
        let operation = self.builder.operation(id);
        let fits = match (operator, operation) {
            (Operator::Add, Operation::Add(_))
            | (Operator::Multiply, Operation::Multiply(_))
            | (Operator::Quotient, Operation::Quotient(..))
            | (Operator::Absolute, Operation::Absolute(_))
            | (Operator::Minimum, Operation::Minimum(_))
            | (Operator::Maximum, Operation::Maximum(_))
            | (Operator::Select, Operation::Select(..))
            | (Operator::Root, Operation::Root(_)) => true,
            (Operator::Compare(a), Operation::Compare(b, ..)) => a == *b,
            (Operator::Round(word), Operation::Round(rounding, _)) => {
                word_fits(word, *rounding, so_far, Meaning::Rounding as fn(Rounding) -> _)
            }
            (Operator::Wrap(word), Operation::Wrap(pixel, _)) => {
                word_fits(word, *pixel, so_far, Meaning::Type as fn(PixelType) -> _)
            }
            _ => false,
        };
        (fits && self.is_exact(id)).then(|| operation.operands())
    }
}

fn word_fits<T: PartialEq>(
    word: Word<T>,
    found: T,
    so_far: &mut Match,
    meaning: fn(T) -> Meaning<NodeId>,
) -> bool {
    match word {
        Word::Is(word) => word == found,
        Word::Unknown(number) => assign(&mut so_far.meanings[number], meaning(found)),
    }
}

/// Whether an unknown may stand for this: it stands for nothing yet, or for the same.
fn assign(slot: &mut Option<Meaning<NodeId>>, meaning: Meaning<NodeId>) -> bool {
    match slot {
        Some(before) => *before == meaning,
        None => {
            *slot = Some(meaning);
            true
        }
    }
}
