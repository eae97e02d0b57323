//! Exhaustive search for the cheapest program, by iterative deepening on cost: it finds optima and proves them.
//!
//! It searches forwards from the inputs, on fingerprints. It covers every program up to the given cost, modulo the order
//! of instructions, symmetries of the grid that fix the outputs, and unused results. The number of registers is checked on the
//! programs found. Every computed value must be used, which keeps the tree small.

use std::sync::OnceLock;

use smallvec::SmallVec;

use super::endgame::Endgame;
use super::extent::Extent;
use super::fingerprint::{Element, of_value};
use super::growth::Growth;
use super::held::{Held, MachineState, Registers, WIDE, leave};
use super::linear::{Linear, linear};
use super::lookahead::{self, Lookahead, Wanted};
use super::pixels::{Pixels, Shown, Size};
use super::progress::{Progress, Proofs};
use super::spread::Spread;
use super::symmetry::{Symmetries, Turns};
use crate::backend::array::search::program::divisions::{Exponents, Quotient};
use crate::backend::array::search::program::recipe::Recipes;
use crate::backend::array::search::program::step::{Need, ValueStep, left_by};
use crate::backend::array::search::program::value::{Shapes, Value};

/// The register (an index into `general`, or `WIDE`) of every read slot of a form.
type Reads = SmallVec<[usize; 5]>;

/// One instruction of a path: its form, the registers that it reads, and the results that are kept.
#[derive(Clone, Debug)]
struct Action {
    form: usize,
    reads: Reads,
    kept: u32,
}

/// The number of states entered between two checks of the stop flag; reading the clock takes longer than entering a state.
const STATES_PER_LOOK: u64 = 64;

/// The maximum number of instructions, besides those that must divide, over which sizes are bounded: more exceed any realistic output.
const MAX_GROWING_STEPS: usize = 8;

/// The size of the transposition table, in states, beyond which it takes no more states with two instructions to go: about 150 MB.
const MAX_SEEN: usize = 1 << 23;

/// States with fewer instructions to go are not compared up to symmetry, because entering them takes less time.
const MIN_TURNED_STEPS: usize = 3;

/// The caller's conditions, and the program found.
struct Run<'a> {
    /// Whether the registers suffice for a program.
    fits: &'a dyn Fn(&[ValueStep]) -> bool,
    stop: &'a dyn Fn() -> bool,
    found: Option<Vec<ValueStep>>,
}

/// A candidate for the next form, while its operands are chosen.
#[derive(Clone, Copy)]
struct Next<'a> {
    /// Its index in [`Exhaustive::linear`].
    index: usize,
    machine: &'a MachineState,
    /// The remaining cost, including its own.
    left: u32,
    /// Whether it is the last instruction.
    last: bool,
    /// The missing output, which the last instruction must leave.
    wanted: Option<Element>,
}

/// The result of the search for one cost.
pub(crate) enum Answer {
    /// A program of that cost: its steps, in order.
    Found(Vec<ValueStep>),
    /// There is no program of that cost.
    None,
    /// The budget was used up first.
    Unknown,
}

/// An exhaustive search for programs from `start` to `goal`.
pub(crate) struct Exhaustive<'a> {
    recipes: &'a Recipes,
    shapes: &'a mut Shapes,
    start: &'a [Need],
    goal: &'a [Need],
    /// The initial contents of the registers.
    inputs: Registers<Held>,
    targets: Vec<Element>,
    /// The footprint and size of each output.
    shows: Vec<Shown>,
    /// The exponents of each output.
    exponents: Vec<Exponents>,
    /// The extent of all outputs together.
    wanted: Extent,
    spread: Spread,
    symmetries: Symmetries,
    growth: Growth,
    linear: Vec<Linear>,
    least: u32,
    max_results: usize,
    max_reads: usize,
    progress: Progress,
    path: Vec<Action>,
    lookahead: Lookahead,
    /// The endgames of the proofs.
    endgames: [OnceLock<Option<Endgame>>; 2],
    /// Whether instructions that divide may be used.
    divisions: bool,
    /// The number of states entered.
    entered: u64,
    /// The number of states that may still be entered; other work is converted to states.
    pub(crate) budget: u64,
    /// Whether to enter known states again, for ablation.
    pub(crate) without_table: bool,
}

impl<'a> Exhaustive<'a> {
    /// Returns `None` if inputs, outputs and operands are not all in one general and one wide file.
    pub(crate) fn new(
        recipes: &'a Recipes,
        shapes: &'a mut Shapes,
        start: &'a [Need],
        goal: &'a [Need],
    ) -> Option<Self> {
        let general = usize::from(start.first().or(goal.first())?.file);
        let wide = recipes.capacity.iter().position(|c| *c == 1).filter(|w| *w != general);
        if recipes.capacity.len() > 2 || goal.iter().any(|n| usize::from(n.file) != general) {
            return None;
        }
        let linear: Vec<Linear> =
            (0..recipes.forms.len()).map(|form| linear(recipes, form, wide)).collect::<Option<_>>()?;
        let input = |need: &Need| Held {
            value: of_value(need.value, shapes),
            extent: Extent::of(need.value, shapes),
            shows: Shown { pixels: Pixels::of(need.value, shapes), size: Size::ONE },
            exponents: Exponents::of(need.value),
            idle: false,
        };
        let inputs = start.iter().map(input).collect();
        let targets = goal.iter().map(|n| of_value(n.value, shapes)).collect();
        let shows = goal.iter().map(|n| Shown::of(n.value, shapes)).collect();
        let exponents = goal.iter().map(|n| Exponents::of(n.value)).collect();
        let wanted = goal.iter().map(|n| Extent::of(n.value, shapes)).reduce(Extent::join)?;
        let least = linear.iter().map(|l| l.cost).min()?.max(1);
        Some(Self {
            recipes,
            start,
            goal,
            inputs,
            targets,
            shows,
            exponents,
            wanted,
            spread: Spread::new(&linear),
            symmetries: Symmetries::new(recipes, shapes, &[start, goal]),
            growth: Growth::new(&linear),
            least,
            max_results: linear.iter().map(|l| l.results.len()).max()?,
            max_reads: linear.iter().map(|l| l.reads.len()).max()?,
            linear,
            shapes,
            progress: Progress::default(),
            path: Vec::new(),
            lookahead: Lookahead::default(),
            endgames: Default::default(),
            divisions: true,
            entered: 0,
            budget: 0,
            without_table: false,
        })
    }

    /// Whether a separate search for programs without division is useful: the outputs are integers, and some instructions divide.
    pub(crate) fn may_do_without_divisions(&self) -> bool {
        let whole = self.goal.iter().all(|n| n.value.factor.twos >= 0 && n.value.factor.threes >= 0);
        whole && self.linear.iter().any(Linear::divides)
    }

    /// Decides whether there is a program of the least cost not yet ruled out by `proofs`, among all programs or, which is much faster,
    /// among those that do not divide. `fits` says whether the registers suffice. Continues where the last search stopped.
    pub(crate) fn decide(
        &mut self,
        proofs: &mut Proofs,
        divisions: bool,
        fits: &dyn Fn(&[ValueStep]) -> bool,
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        self.divisions = divisions;
        let kind = usize::from(!divisions);
        if !divisions {
            proofs.kinds[kind].raise(proofs.floor());
        }
        self.progress = std::mem::take(&mut proofs.kinds[kind]);
        self.endgames = std::mem::take(&mut proofs.endgames);
        let cost = self.progress.floor;
        let mut run = Run { fits, stop, found: None };
        let start = MachineState { general: self.inputs.clone(), wide: None, fixed: self.symmetries.all() };
        let complete = self.descend(&start, cost, &mut run);
        let found = run.found;
        let none = complete && found.is_none() && !self.progress.infeasible;
        if none {
            self.progress.raise(cost + 1);
        }
        proofs.kinds[kind] = std::mem::take(&mut self.progress);
        proofs.endgames = std::mem::take(&mut self.endgames);
        match found {
            Some(steps) => Answer::Found(steps),
            None if none => Answer::None,
            None => Answer::Unknown,
        }
    }

    /// Searches below `machine` and returns whether it was complete; stops at the first program.
    fn descend(&mut self, machine: &MachineState, left: u32, run: &mut Run<'_>) -> bool {
        self.entered += 1;
        if self.budget == 0 || (self.entered.is_multiple_of(STATES_PER_LOOK) && (run.stop)()) {
            self.budget = 0;
            return false;
        }
        self.budget -= 1;
        let missing = self.missing(machine);
        let quotient = self.quotient(machine, &missing);
        let Some(steps) = self.recipes.divisions.steps(left, quotient) else { return true };
        let idle = self.idle(machine);
        if missing.is_empty() && idle == 0 {
            self.arrive(run);
            return true;
        }
        if steps == 0 || self.denies(machine, (steps, quotient), &missing, idle) {
            return true;
        }
        // Only states that take long are worth space in the table.
        let room = steps >= MIN_TURNED_STEPS || (steps > 1 && self.progress.seen.len() < MAX_SEEN);
        let state = (room && !self.without_table).then(|| self.digest(machine, left));
        if state.is_some_and(|state| !self.progress.seen.insert(state)) {
            return true;
        }
        let complete = self.expand(machine, (left, quotient), &missing, run);
        // A later call searches the rest.
        if let Some(state) = state.filter(|_| !complete) {
            self.progress.seen.remove(&state);
        }
        complete
    }

    /// Takes the path as the program, if it is one.
    fn arrive(&mut self, run: &mut Run<'_>) {
        let Some(program) = self.replay() else { return };
        if self.recipes.allow_all(&program, self.shapes) && (run.fits)(&program) {
            run.found = Some(program);
        } else {
            self.progress.infeasible = true;
        }
    }

    /// Whether no program of so many more instructions, at least one, makes the missing targets and uses all values. `true` is certain.
    fn denies(
        &self,
        machine: &MachineState,
        (steps, quotient): (usize, Quotient),
        missing: &[Element],
        idle: usize,
    ) -> bool {
        // Each instruction uses at most `max_reads` idle values, and every one but the last leaves one.
        if missing.len() > steps * self.max_results
            || idle > self.max_reads + (steps - 1) * (self.max_reads - 1)
        {
            return true;
        }
        let sizes = self.targets.iter().zip(&self.shows).filter(|(target, _)| missing.contains(target));
        let wanted = sizes.fold(Size::default(), |all, (_, shows)| all.or(shows.size));
        let divisions = self.recipes.divisions.count(quotient);
        let small = steps <= MAX_GROWING_STEPS + divisions
            && !self.growth.most(machine, steps, divisions).reaches(wanted);
        small || self.spread.denies(machine, self.wanted, steps)
    }

    /// Searches below each candidate for the next instruction.
    fn expand(
        &mut self,
        machine: &MachineState,
        (left, quotient): (u32, Quotient),
        missing: &[Element],
        run: &mut Run<'_>,
    ) -> bool {
        let may_end = missing.iter().all(|target| self.may_end(machine, *target, left, missing.len() > 1));
        for index in 0..self.linear.len() {
            let form = &self.linear[index];
            if form.cost > left
                || (form.divides() && !self.divisions)
                || self.recipes.divisions.steps(left - form.cost, quotient.after(form.quotient)).is_none()
                || (form.cost == self.least && !may_end)
                || (form.reads.is_empty() && !self.targets.contains(&Element::ZERO))
                || !self.symmetries.is_first(machine.fixed, index)
            {
                continue;
            }
            let last = left < form.cost + self.least;
            let wanted = (last && missing.len() == 1).then(|| missing[0]);
            let next = Next { index, machine, left, last, wanted };
            if !self.choose(next, &mut SmallVec::new(), run) {
                return false;
            }
            if run.found.is_some() {
                return true;
            }
        }
        true
    }

    /// A hash of the state and the remaining cost. It is the same for images under symmetries, if comparing those is worth the time.
    fn digest(&self, machine: &MachineState, left: u32) -> u128 {
        let steps = (left / self.least) as usize;
        let turns = if steps < MIN_TURNED_STEPS { Turns::default() } else { self.symmetries.all() };
        let images = self.symmetries.images_by(turns).map(|(_, images)| self.turned(machine, images));
        images.map(|turned| turned.digest(left)).fold(machine.digest(left), u128::min)
    }

    /// The state if every instruction were replaced by its image.
    fn turned(&self, machine: &MachineState, images: &[usize]) -> MachineState {
        let mut general: Registers<Element> = self.inputs.iter().map(|held| held.value).collect();
        let mut wide = None;
        for Action { form, reads, kept } in &self.path {
            let form = &self.linear[images[*form]];
            let value_of =
                |register: usize| if register == WIDE { wide.unwrap_or_default() } else { general[register] };
            let values = form.values(reads, value_of);
            leave(form, reads, *kept, &mut general, &mut wide, |result| values[result]);
        }
        let mut turned = machine.clone();
        for (held, value) in turned.general.iter_mut().zip(general) {
            held.value = value;
        }
        turned.wide = machine.wide.zip(wide).map(|(held, value)| Held { value, ..held });
        turned
    }

    /// Whether programs that continue with instructions of the least cost may make `target`, which is missing: with all of them or,
    /// if `others` are missing, with some.
    fn may_end(&mut self, machine: &MachineState, target: Element, left: u32, others: bool) -> bool {
        let endgame = self.endgames[usize::from(!self.divisions)]
            .get_or_init(|| Endgame::new(&self.linear, self.least, self.divisions));
        let Some(endgame) = endgame else { return true };
        let shows = self.targets.iter().zip(&self.shows).find(|(value, _)| **value == target);
        let Some((_, shows)) = shows else { return true };
        let wanted = Wanted { value: target, shows: *shows };
        let view = lookahead::View { endgame, linear: &self.linear, machine };
        let lookahead = &mut self.lookahead;
        let sooner = |lookahead: &mut Lookahead, steps: u32| {
            others
                && (lookahead.may_end_in_one(view, wanted)
                    || steps == 3 && lookahead.may_end_in_two(view, wanted))
        };
        let may_end = match left / self.least {
            2 if left == 2 * self.least => sooner(lookahead, 2) || lookahead.may_end_in_two(view, wanted),
            3 if left == 3 * self.least && !endgame.uneven => {
                sooner(lookahead, 3) || lookahead.may_end_in_three(view, wanted)
            }
            _ => true,
        };
        self.budget = self.budget.saturating_sub(self.lookahead.charge());
        may_end
    }

    /// The number of idle values that are neither targets nor among `reads`. The last instruction must use them all.
    fn unread(&self, machine: &MachineState, reads: &[usize]) -> usize {
        let unread = |(register, held): &(usize, &Held)| {
            held.idle && !reads.contains(register) && !self.targets.contains(&held.value)
        };
        let wide = machine.wide.is_some_and(|w| w.idle) && !reads.contains(&WIDE);
        machine.general.iter().enumerate().filter(unread).count() + usize::from(wide)
    }

    /// Chooses registers for the reads of a form one by one, then searches below each choice.
    fn choose(&mut self, next: Next<'_>, reads: &mut Reads, run: &mut Run<'_>) -> bool {
        let Next { index, machine, last, .. } = next;
        let form = &self.linear[index];
        let at = reads.len();
        if last && self.unread(machine, reads) > form.reads.len() - at {
            return true;
        }
        if at == form.reads.len() {
            return self.carry_out(next, reads, run);
        }
        if form.reads[at].1 {
            if machine.wide.is_none() {
                return true;
            }
            reads.push(WIDE);
            let complete = self.choose(next, reads, run);
            reads.pop();
            return complete;
        }
        let from = form.after[at].map_or(0, |earlier| reads[earlier] + 1);
        let needed = self.needed(next, reads);
        for register in from..machine.general.len() {
            let form = &self.linear[index];
            if needed.is_some_and(|(sum, c)| machine.general[register].value.times(c) != sum) {
                continue;
            }
            let clash = form.apart.iter().any(|(a, b)| {
                (*b == at && reads.get(*a) == Some(&register))
                    || (*a == at && reads.get(*b) == Some(&register))
            });
            if clash {
                continue;
            }
            reads.push(register);
            let complete = self.choose(next, reads, run);
            reads.pop();
            if !complete || run.found.is_some() {
                return complete;
            }
        }
        true
    }

    /// The last operand of the last instruction is determined: it must complete the sum. Returns that operand times its coefficient, and
    /// the coefficient.
    fn needed(&self, next: Next<'_>, reads: &Reads) -> Option<(Element, Element)> {
        let (form, at) = (&self.linear[next.index], reads.len());
        let target = next.wanted.filter(|_| at + 1 == form.reads.len() && form.results.len() == 1)?;
        let coefficients = &form.results[0].3;
        let others = reads.iter().zip(coefficients);
        let value_of = |register: usize| next.machine.read(register).value;
        Some((others.fold(target, |rest, (r, c)| rest.sub(value_of(*r).times(*c))), coefficients[at]))
    }

    /// The results of a form for these operands.
    fn made(&self, index: usize, machine: &MachineState, reads: &Reads) -> SmallVec<[Held; 3]> {
        let form = &self.linear[index];
        let values = form.values(reads, |register| machine.read(register).value);
        let of = |(i, value): (usize, Element)| {
            let extents = reads.iter().zip(&form.reaches[i]);
            let extents = extents.filter_map(|(r, by)| Some(machine.read(*r).extent.moved((*by)?)));
            let seen = reads.iter().zip(&form.views[i]).map(|(r, by)| machine.read(*r).shows.through(*by));
            let exponents = reads.iter().zip(&form.exponents[i]);
            let exponents = exponents.map(|(r, by)| machine.read(*r).exponents.times(*by));
            let over = form.results[i].2.map(|read| machine.read(reads[read]).value);
            Held {
                value,
                extent: extents.reduce(Extent::join).unwrap_or(Extent::HERE),
                shows: seen.fold(Shown::NOTHING, Shown::and),
                exponents: Exponents::common(exponents),
                idle: over != Some(value),
            }
        };
        values.into_iter().enumerate().map(of).collect()
    }

    /// Searches below for each choice of results to keep.
    fn carry_out(&mut self, next: Next<'_>, reads: &Reads, run: &mut Run<'_>) -> bool {
        let Next { index, machine, left, .. } = next;
        let fixed = self.symmetries.after(machine.fixed, index);
        let made = self.made(index, machine, reads);
        let wide_idle = machine.wide.is_some_and(|w| w.idle) && !reads.contains(&WIDE);
        if wide_idle && self.linear[index].writes_wide() {
            return true;
        }
        for kept in 1..1u32 << made.len() {
            let form = &self.linear[index];
            // Of equal results in interchangeable registers the first are kept.
            let redundant = (1..made.len()).any(|i| {
                let same = made[i].value == made[i - 1].value
                    && form.results[i].1 == form.results[i - 1].1
                    && form.results[i].2.is_none()
                    && form.results[i - 1].2.is_none();
                same && kept >> i & 1 == 1 && kept >> (i - 1) & 1 == 0
            });
            if redundant {
                continue;
            }
            let mut below = MachineState { fixed, ..machine.clone() };
            for register in reads.iter() {
                match *register {
                    WIDE => below.wide = below.wide.map(|w| Held { idle: false, ..w }),
                    register => below.general[register].idle = false,
                }
            }
            leave(form, reads, kept, &mut below.general, &mut below.wide, |i| made[i]);
            let cost = form.cost;
            self.path.push(Action { form: index, reads: reads.clone(), kept });
            let complete = self.descend(&below, left - cost, run);
            self.path.pop();
            if !complete || run.found.is_some() {
                return complete;
            }
        }
        true
    }

    /// The divisions that the missing targets need.
    fn quotient(&self, machine: &MachineState, missing: &[Element]) -> Quotient {
        let held = machine.general.iter().chain(&machine.wide).map(|held| held.exponents);
        let wanted = self.targets.iter().zip(&self.exponents).filter(|(target, _)| missing.contains(target));
        Exponents::common(held).down_to(Exponents::common(wanted.map(|(_, exponents)| *exponents)))
    }

    /// The targets that no register holds; each register counts for one target.
    fn missing(&self, machine: &MachineState) -> SmallVec<[Element; 4]> {
        let mut taken = [false; 64];
        let mut missing = SmallVec::new();
        for target in &self.targets {
            let at = machine
                .general
                .iter()
                .enumerate()
                .position(|(i, h)| i < 64 && !taken[i] && h.value == *target);
            match at {
                Some(at) => taken[at] = true,
                None => missing.push(*target),
            }
        }
        missing
    }

    /// The number of unused values that are not targets.
    fn idle(&self, machine: &MachineState) -> usize {
        let general = machine.general.iter().filter(|h| h.idle && !self.targets.contains(&h.value)).count();
        general + usize::from(machine.wide.is_some_and(|w| w.idle))
    }

    /// Replays the path on exact kernels; `None` if it does not lead to the goal, for instance because fingerprints collide.
    fn replay(&mut self) -> Option<Vec<ValueStep>> {
        let mut general: Registers<Value> = self.start.iter().map(|n| n.value).collect();
        let mut wide: Option<Value> = None;
        let mut steps = Vec::new();
        for Action { form, reads, kept } in &self.path {
            let form = &self.linear[*form];
            let compiled = &self.recipes.forms[form.form];
            let value_of =
                |register: usize| if register == WIDE { wide } else { general.get(register).copied() };
            let mut sources: SmallVec<[(u8, Value); 4]> = SmallVec::new();
            for ((slot, ..), register) in form.reads.iter().zip(reads) {
                sources.push((*slot as u8, value_of(*register)?));
            }
            let mut values: SmallVec<[(u8, Value); 3]> = SmallVec::new();
            for (slot, ..) in &form.results {
                let (_, terms) = compiled.results.iter().find(|(s, _)| s == slot)?;
                values.push((*slot as u8, left_by(terms, &sources, self.shapes)?));
            }
            leave(form, reads, *kept, &mut general, &mut wide, |result| values[result].1);
            let produced = (0..values.len()).filter(|i| kept >> i & 1 == 1).map(|i| values[i]).collect();
            steps.push(ValueStep { form: form.form as u16, sources, produced });
        }
        let mut left = general;
        for need in self.goal {
            let at = left.iter().position(|v| *v == need.value)?;
            left.remove(at);
        }
        Some(steps)
    }
}
