//! Register allocation for straight-line code: values become webs with live ranges, and each web gets a register of its file.

use super::recipe::Recipes;
use super::step::{Need, ValueStep};
use super::value::Value;

/// A value in a register, from the step that writes it to the last step that needs it.
///
/// Times: step i reads at 2i + 1 and writes at 2i + 2; inputs are written at 0.
#[derive(Clone, Debug)]
struct Web {
    file: usize,
    value: Value,
    birth: usize,
    death: usize,
    /// The required register, if it is fixed, as an index into its file.
    fixed: Option<usize>,
    /// The slot that first writes it, and the slots that last read it.
    born_in: Option<usize>,
    dies_in: Vec<usize>,
    /// The web whose register it takes over, because an instruction reads and writes the same operand.
    follows: Option<usize>,
}

/// The registers of every step's slots, and of the outputs in the order of the goal.
pub(crate) struct Assignment {
    pub(crate) slots: Vec<Vec<usize>>,
    pub(crate) goal: Vec<usize>,
}

/// Assigns registers, as indices into their files, to `steps`. `start` and `goal` hold needs, with the register if it is
/// fixed. `None` if no assignment satisfies all.
pub(crate) fn assign(
    recipes: &Recipes,
    steps: &[ValueStep],
    start: &[(Need, Option<usize>)],
    goal: &[(Need, Option<usize>)],
) -> Option<Assignment> {
    let mut webs = Webs {
        recipes,
        webs: Vec::new(),
        live: Vec::new(),
        of_slot: steps.iter().map(|s| vec![None; recipes.forms[usize::from(s.form)].slots.len()]).collect(),
    };
    for (need, fixed) in goal {
        webs.live.push(webs.webs.len());
        webs.webs.push(Web::new(*need, 2 * steps.len() + 3, *fixed));
    }
    for (index, step) in steps.iter().enumerate().rev() {
        webs.end_results(index, step)?;
        webs.begin_operands(index, step)?;
    }
    webs.fix_start(start)?;
    let chosen = Colouring::new(recipes, steps, &webs.webs).run()?;
    let slots = webs
        .of_slot
        .iter()
        .map(|slots| slots.iter().map(|web| web.map(|w| chosen[w])).collect::<Option<Vec<usize>>>())
        .collect::<Option<_>>()?;
    Some(Assignment { slots, goal: chosen[..goal.len()].to_vec() })
}

impl Web {
    /// A web that lives until `death`; its birth is still unknown.
    fn new(need: Need, death: usize, fixed: Option<usize>) -> Self {
        Self {
            file: usize::from(need.file),
            value: need.value,
            birth: 0,
            death,
            fixed,
            born_in: None,
            dies_in: Vec::new(),
            follows: None,
        }
    }
}

/// The webs of a program, built from the last step to the first.
struct Webs<'a> {
    recipes: &'a Recipes,
    webs: Vec<Web>,
    /// The webs that are live before the steps visited so far.
    live: Vec<usize>,
    /// The web that each slot of each step reads or writes.
    of_slot: Vec<Vec<Option<usize>>>,
}

impl Webs<'_> {
    /// Records the births of the webs that a step writes.
    fn end_results(&mut self, index: usize, step: &ValueStep) -> Option<()> {
        let form = &self.recipes.forms[usize::from(step.form)];
        for (slot, value) in &step.produced {
            let slot = usize::from(*slot);
            let same = |w: &usize| self.webs[*w].file == form.slots[slot].0 && self.webs[*w].value == *value;
            // A value that existed before is read from its register.
            let Some(at) = self.live.iter().position(same) else { continue };
            let web = self.live.remove(at);
            (self.webs[web].birth, self.webs[web].born_in) = (2 * index + 2, Some(slot));
            self.of_slot[index][slot] = Some(web);
        }
        // An unneeded result still occupies a register for a moment.
        for (slot, (file, _, writes)) in form.slots.iter().enumerate() {
            if *writes && self.of_slot[index][slot].is_none() {
                let value = step.sources.first().or(step.produced.first()).map(|(_, v)| *v)?;
                let mut web = Web::new(Need { file: *file as u8, value }, 2 * index + 2, None);
                (web.birth, web.born_in) = (2 * index + 2, Some(slot));
                self.of_slot[index][slot] = Some(self.webs.len());
                self.webs.push(web);
            }
        }
        Some(())
    }

    /// Records the webs that a step reads: those that stay live, and those that end here.
    fn begin_operands(&mut self, index: usize, step: &ValueStep) -> Option<()> {
        let form = &self.recipes.forms[usize::from(step.form)];
        let surviving = self.live.len();
        for (slot, value) in &step.sources {
            let slot = usize::from(*slot);
            let (file, _, writes) = form.slots[slot];
            let read_by =
                |w: usize, s: usize| s != slot && form.slots[s].1 && self.of_slot[index][s] == Some(w);
            let apart = |w: usize| (0..form.slots.len()).any(|s| read_by(w, s) && form.differs(s, slot));
            let found = self.live.iter().enumerate().position(|(i, w)| {
                let web = &self.webs[*w];
                web.file == file && web.value == *value && !apart(*w) && !(writes && i < surviving)
            });
            let web = match found {
                Some(at) => self.live[at],
                None => {
                    self.live.push(self.webs.len());
                    self.webs.push(Web::new(Need { file: file as u8, value: *value }, 2 * index + 1, None));
                    self.webs.len() - 1
                }
            };
            if self.webs[web].death == 2 * index + 1 {
                self.webs[web].dies_in.push(slot);
            }
            if writes {
                let result = self.of_slot[index][slot]?;
                self.webs[result].follows = Some(web);
            } else {
                self.of_slot[index][slot] = Some(web);
            }
        }
        Some(())
    }

    /// Fixes the webs live before the first step to the registers of the inputs.
    fn fix_start(&mut self, start: &[(Need, Option<usize>)]) -> Option<()> {
        for web in &self.live {
            let web = &mut self.webs[*web];
            let input = |(need, _): &&(Need, Option<usize>)| {
                usize::from(need.file) == web.file && need.value == web.value
            };
            let (_, fixed) = start.iter().find(input)?;
            if web.fixed.zip(*fixed).is_some_and(|(a, b)| a != b) {
                return None;
            }
            web.fixed = web.fixed.or(*fixed);
        }
        Some(())
    }
}

/// The maximum number of choices for the registers of one program; nearly all programs take one per web. The limit ends searches of
/// exponential time.
const MAX_CHOICES: usize = 200_000;

/// Depth-first choice of a register for each web, in the order of birth.
struct Colouring<'a> {
    recipes: &'a Recipes,
    steps: &'a [ValueStep],
    webs: &'a [Web],
    order: Vec<usize>,
    /// Webs with a fixed register.
    fixed: Vec<usize>,
    chosen: Vec<Option<usize>>,
    /// The webs of each register of each file, in the order of birth. Their live ranges are disjoint, so only the last one can
    /// conflict.
    held: Vec<Vec<Vec<usize>>>,
}

impl<'a> Colouring<'a> {
    fn new(recipes: &'a Recipes, steps: &'a [ValueStep], webs: &'a [Web]) -> Self {
        let mut order: Vec<usize> = (0..webs.len()).collect();
        order.sort_by_key(|w| (webs[*w].birth, *w));
        Self {
            recipes,
            steps,
            webs,
            order,
            fixed: (0..webs.len()).filter(|web| webs[*web].fixed.is_some()).collect(),
            chosen: vec![None; webs.len()],
            held: recipes.capacity.iter().map(|registers| vec![Vec::new(); *registers]).collect(),
        }
    }

    /// The register of each web; `None` if there is no assignment, or if none is found within the limit.
    fn run(mut self) -> Option<Vec<usize>> {
        let mut tries = vec![0usize; self.order.len()];
        let mut at = 0;
        let mut choices = 0usize;
        while at < self.order.len() {
            choices += 1;
            if choices > MAX_CHOICES {
                return None;
            }
            let web = self.order[at];
            let file = self.webs[web].file;
            if let Some(register) = self.chosen[web].take() {
                self.held[file][register].pop();
            }
            match (tries[at]..self.recipes.capacity[file]).find(|register| self.may_have(web, *register)) {
                Some(register) => {
                    tries[at] = register + 1;
                    self.chosen[web] = Some(register);
                    self.held[file][register].push(web);
                    at += 1;
                }
                None => {
                    tries[at] = 0;
                    at = at.checked_sub(1)?;
                }
            }
        }
        self.chosen.into_iter().collect()
    }

    fn may_have(&self, web: usize, register: usize) -> bool {
        let own = &self.webs[web];
        let forced = own.follows.and_then(|w| self.chosen[w]);
        if own.fixed.is_some_and(|f| f != register) || forced.is_some_and(|f| f != register) {
            return false;
        }
        // A register that another web is fixed to is free only if their live ranges are disjoint.
        let awaited = self.fixed.iter().filter(|other| {
            **other != web && self.chosen[**other].is_none() && self.webs[**other].fixed == Some(register)
        });
        let mut others = self.held[own.file][register].last().into_iter().chain(awaited);
        !others.any(|other| own.follows != Some(*other) && self.conflict(own, &self.webs[*other]))
    }

    /// Whether two webs cannot share a register.
    fn conflict(&self, a: &Web, b: &Web) -> bool {
        if a.file != b.file {
            return false;
        }
        let (first, second) = if a.birth <= b.birth { (a, b) } else { (b, a) };
        if second.birth != first.death + 1 || first.death % 2 == 0 {
            return second.birth <= first.death;
        }
        // The first web dies in the step that writes the second.
        let form = self.steps.get((first.death - 1) / 2).map(|s| &self.recipes.forms[usize::from(s.form)]);
        form.zip(second.born_in)
            .is_some_and(|(form, born)| first.dies_in.iter().any(|slot| form.differs(*slot, born)))
    }
}
