//! Short programs on a few values, found by one search and reused on other values.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::backend::array::search::beams::beam::{BeamLimits, search};
use crate::backend::array::search::beams::expand::Expander;
use crate::backend::array::search::heuristics::decompositions::{BREADTH, Decompositions};
use crate::backend::array::search::program::recipe::Recipes;
use crate::backend::array::search::program::step::{Need, State, ValueStep, state_of};
use crate::backend::array::search::program::value::{Shapes, Value};

/// The cost limit of an idiom: several times the cost of a sum of two values, moved by a pixel and halved or doubled.
const MAX_IDIOM_COST: u32 = 40;

/// The task of an idiom: its results, the initial channels, and the number of registers.
type Task = (State, SmallVec<[usize; 4]>, usize);

/// Short programs whose values are kernels over abstract channels.
pub(crate) struct Idioms<'a> {
    recipes: &'a Recipes,
    /// The file of the values.
    file: u8,
    /// The kernels over these channels.
    pub(crate) over: Shapes,
    known: FxHashMap<Task, Option<Vec<ValueStep>>>,
}

impl<'a> Idioms<'a> {
    /// Creates an empty set of idioms over at most `channels` values.
    pub(crate) fn new(recipes: &'a Recipes, file: u8, channels: usize) -> Self {
        Self { recipes, file, over: Shapes::new(channels as u16), known: FxHashMap::default() }
    }

    /// Appends the cheapest steps found that compute `results`, kernels over `channels`, in this many registers of the file.
    /// Channel i stands for image i. `None` if no steps are found or a value has no image.
    pub(crate) fn append(
        &mut self,
        (results, channels, registers): (&[Value], &[usize], usize),
        images: &[Value],
        shapes: &mut Shapes,
        steps: &mut Vec<ValueStep>,
    ) -> Option<()> {
        let task = self.task(results, channels, registers);
        self.learn(&task);
        let over = &self.over;
        let mut image = |value: Value| shapes.sum(&over.substitute(value, images)?);
        for step in self.known.get(&task)?.as_ref()? {
            steps.push(step.map(&mut image)?);
        }
        Some(())
    }

    /// The cost of the steps that [`append`](Self::append) appends; `None` if none are found.
    pub(crate) fn cost(&mut self, results: &[Value], channels: &[usize], registers: usize) -> Option<u32> {
        let task = self.task(results, channels, registers);
        self.learn(&task);
        Some(self.recipes.cost_of(self.known.get(&task)?.as_ref()?))
    }

    fn task(&self, results: &[Value], channels: &[usize], registers: usize) -> Task {
        let need = |value| Need { file: self.file, value };
        let goal: Vec<_> = results.iter().map(|value| (need(*value), None)).collect();
        (state_of(&goal), SmallVec::from_slice(channels), registers)
    }

    fn learn(&mut self, task: &Task) {
        if !self.known.contains_key(task) {
            let found = self.search(task);
            self.known.insert(task.clone(), found);
        }
    }

    fn search(&mut self, (goal, channels, registers): &Task) -> Option<Vec<ValueStep>> {
        let inputs: SmallVec<[Value; 4]> = channels.iter().map(|channel| Shapes::delta(*channel)).collect();
        let start: Vec<Need> = inputs.iter().map(|value| Need { file: self.file, value: *value }).collect();
        let mut capacity = self.recipes.capacity.clone();
        capacity[usize::from(self.file)] = *registers;
        let nothing = FxHashMap::default();
        let mut decompositions = Decompositions::new(&nothing, BREADTH, true);
        let mut expander = Expander {
            recipes: self.recipes,
            shapes: &mut self.over,
            decompositions: &mut decompositions,
            capacity: &capacity,
            inputs: &inputs,
            lowest: -2,
            highest: 3,
        };
        let limits = BeamLimits::fragment(MAX_IDIOM_COST);
        search(&mut expander, goal, &start, &limits, &|| false).found.map(|(_, steps)| steps)
    }
}
