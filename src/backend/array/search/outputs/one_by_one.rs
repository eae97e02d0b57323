//! Several outputs, each searched for by itself: their programs, one after the other, are a program for all.
//!
//! A search for all outputs at once finds what a few outputs share. For many outputs it finds less than separate searches.

use rayon::prelude::*;

use crate::backend::array::search::problem::{Budget, Code, Extracted, Infeasible, OutputSpec, Problem};
use crate::backend::array::search::proofs::progress::Proofs;

/// Registers that must be left beside those of the outputs. The last output has only these and its own; with
/// fewer, its search would be that for a much smaller machine.
const FREE_REGISTERS: usize = 6;

/// The whole search for a filter of one output.
type Search =
    fn(&Problem<'_>, &Budget<'_>, &mut Proofs, &mut dyn FnMut(&Code)) -> Result<Extracted, Infeasible>;

/// The best programs of single outputs.
pub(crate) struct Singles<'a> {
    extract: Search,
    problems: Vec<Problem<'a>>,
    found: Vec<Single>,
}

#[derive(Default)]
struct Single {
    code: Option<Code>,
    proofs: Proofs,
    nodes: u64,
}

impl<'a> Singles<'a> {
    /// `None` where there is one output, or where the registers are too few to keep what others may use.
    pub(crate) fn new(problem: &Problem<'a>, extract: Search) -> Option<Self> {
        let count = problem.outputs.len();
        let registers = problem.registers[problem.general];
        if count < 2 || registers < count + FREE_REGISTERS {
            return None;
        }
        let alone = |done: usize| {
            let mut own = problem.clone();
            own.outputs = vec![OutputSpec { register: None, ..problem.outputs[done].clone() }];
            for (register, input) in own.inputs.iter_mut().enumerate() {
                input.register = register;
            }
            // Those before it stay where they are, and those after it need the inputs.
            own.registers[own.general] = registers - done;
            own.keep_inputs |= done + 1 < count;
            own
        };
        let problems = (0..count).map(alone).collect();
        Some(Self { extract, problems, found: (0..count).map(|_| Single::default()).collect() })
    }

    /// One round of the schedule for each output, beside each other; the states expanded, of `nodes` at most.
    pub(crate) fn round(&mut self, round: usize, budget: &Budget<'_>, nodes: u64) -> u64 {
        let (share, extract) = (nodes / self.found.len() as u64, self.extract);
        let Budget { task, stop, seed, without, .. } = *budget;
        let one = |(own, single): (&Problem<'_>, &mut Single)| {
            let budget = Budget {
                nodes: share,
                task,
                stop,
                seconds: &|| 0.0,
                seed,
                rounds: round..round + 1,
                best: single.code.as_ref(),
                wish: None,
                is_long: false,
                without,
            };
            // What cannot be had by itself may be had together with others.
            let Ok(found) = extract(own, &budget, &mut single.proofs, &mut |_| {}) else { return };
            single.nodes = found.nodes;
            if found.code.is_some() {
                single.code = found.code;
            }
        };
        self.found.iter_mut().for_each(|single| single.nodes = 0);
        self.problems.par_iter().zip(&mut self.found).for_each(one);
        self.found.iter().map(|single| single.nodes).sum()
    }

    /// The programs of those outputs that have one, in order.
    pub(crate) fn codes(&self) -> Vec<&Code> {
        self.found.iter().filter_map(|single| single.code.as_ref()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Placed;
    use crate::backend::array::search::problem::InputSpec;
    use crate::backend::array::search::program::recipe::Objective;

    #[test]
    fn outputs_are_searched_for_alone_where_registers_are_left_over() {
        let output = OutputSpec { kernel: Placed::delta(0, 1), register: Some(0) };
        let of = |outputs: usize, registers: usize| {
            let problem = Problem {
                forms: &[],
                coarse: &[],
                registers: vec![registers, 1],
                general: 0,
                objective: Objective::Instructions,
                channels: 1,
                inputs: vec![InputSpec { channel: 0, register: registers - 1 }],
                outputs: vec![output.clone(); outputs],
                keep_inputs: false,
                bounds: None,
                decompositions: Vec::new(),
                other_decompositions: Vec::new(),
            };
            Singles::new(&problem, |_, _, _, _| unreachable!("nothing is searched for")).map(|singles| {
                let of = |own: &Problem<'_>| (own.registers[0], own.inputs[0].register, own.keep_inputs);
                singles.problems.iter().map(of).collect::<Vec<_>>()
            })
        };
        assert_eq!(of(1, 18), None);
        assert_eq!(of(3, 3 + FREE_REGISTERS - 1), None);
        assert_eq!(of(3, 18).unwrap(), [(18, 0, true), (17, 0, true), (16, 0, false)]);
    }
}
