//! Backward steps: from what the registers must hold after an instruction to what they must hold before it.

use crate::backend::array::search::program::step::{Need, State, ValueStep, left_by};
use smallvec::SmallVec;

use crate::backend::array::machine::form::FileId;
use crate::backend::array::search::heuristics::decompositions::{Decompositions, multiples};
use crate::backend::array::search::program::recipe::{Recipe, Recipes};
use crate::backend::array::search::program::value::{ShapeId, Shapes, Value, View, ZERO, gap};

/// Operands that add up to what a recipe has to leave.
struct Proposal {
    /// As the instruction sees them.
    values: SmallVec<[Value; 4]>,
    /// Widths and heights of their boxes.
    sizes: SmallVec<[[i32; 2]; 4]>,
    /// Whether the kernel of any of them is needed anyway.
    met: bool,
    /// Whether to try instructions that move them: they are needed anyway, or not all are at the pixel where they are used.
    movable: bool,
}

impl Proposal {
    /// Whether a step that moves its operands brings them nearer to the pixel that computes them, or moves none; operand i
    /// is read as value `order[i]`.
    fn comes_nearer(&self, recipe: &Recipe, order: &[usize]) -> bool {
        let mut nearer = 0;
        for ((_, view), at) in recipe.plain.iter().zip(order) {
            let (value, [width, height]) = (self.values[*at], self.sizes[*at]);
            let [dx, dy] = [value.dx, value.dy].map(i32::from);
            nearer += gap(dx, width) - gap(dx - i32::from(view.dx), width);
            nearer += gap(dy, height) - gap(dy - i32::from(view.dy), height);
        }
        nearer > 0 || !recipe.moves
    }

    /// Whether an operand comes nearer to a value of the same kernel that is needed anyway.
    fn approaches(&self, recipe: &Recipe, order: &[usize], others: &[Value]) -> bool {
        let apart = |a: i8, b: i8| i32::from(a).abs_diff(i32::from(b));
        recipe.plain.iter().zip(order).any(|((_, view), at)| {
            let value = self.values[*at];
            let (dx, dy) = (value.dx - view.dx, value.dy - view.dy);
            others.iter().filter(|other| other.shape == value.shape).any(|other| {
                apart(dx, other.dx) + apart(dy, other.dy)
                    < apart(value.dx, other.dx) + apart(value.dy, other.dy)
            })
        })
    }
}

/// A need that the last step has to leave, and the others that the registers must hold after it.
#[derive(Clone, Copy)]
struct Aim<'a> {
    state: &'a State,
    need: Need,
    /// Values of the others, and the inputs: operands that are needed anyway.
    others: &'a [Value],
}

/// Receives every step, with the state before it.
type Sink<'a, E> = &'a mut dyn FnMut(&mut E, ValueStep, State);

/// Generates the predecessors of states.
pub(crate) struct Expander<'a, 'b> {
    pub(crate) recipes: &'a Recipes,
    pub(crate) shapes: &'a mut Shapes,
    pub(crate) decompositions: &'a mut Decompositions<'b>,
    /// Registers of each file.
    pub(crate) capacity: &'a [usize],
    /// The values of the inputs.
    pub(crate) inputs: &'a [Value],
    /// Lowest exponent of two that a value may have.
    pub(crate) lowest: i8,
    /// Highest exponent of two that a value may have.
    pub(crate) highest: i8,
}

impl<'b> Expander<'_, 'b> {
    /// The same for a part of a program, with other inputs and perhaps fewer registers.
    pub(crate) fn within<'c>(&'c mut self, capacity: &'c [usize], inputs: &'c [Value]) -> Expander<'c, 'b> {
        Expander {
            recipes: self.recipes,
            shapes: &mut *self.shapes,
            decompositions: &mut *self.decompositions,
            capacity,
            inputs,
            lowest: self.lowest,
            highest: self.highest,
        }
    }

    /// Calls `sink` with every step that could come last before `state`, and with the state before that step.
    pub(crate) fn expand(&mut self, state: &State, sink: &mut dyn FnMut(&mut Self, ValueStep, State)) {
        let recipes = self.recipes;
        let held =
            recipes.wide_file.and_then(|f| state.iter().find(|n| usize::from(n.file) == f)).map(|n| n.value);
        for (index, need) in state.iter().enumerate() {
            if state[..index].contains(need) {
                continue;
            }
            let mut others: SmallVec<[Value; 8]> = state
                .iter()
                .enumerate()
                .filter(|(i, n)| *i != index && Some(usize::from(n.file)) != recipes.wide_file)
                .map(|(_, n)| n.value)
                .collect();
            // Inputs may be used even if nothing else needs them.
            for input in self.inputs {
                if !others.contains(input) && need.value != *input {
                    others.push(*input);
                }
            }
            let aim = Aim { state, need: *need, others: &others };
            self.sums(aim, &recipes.narrow, None, need.value, sink);
            if Some(usize::from(need.file)) == recipes.wide_file {
                continue;
            }
            match held {
                Some(content) => self.read_wide(aim, content, true, sink),
                None => {
                    for content in self.wide_candidates(need.value, &others) {
                        self.read_wide(aim, content, false, sink);
                    }
                }
            }
        }
    }

    /// Candidates for the wide register, for a step that reads it to make `goal`.
    fn wide_candidates(&mut self, goal: Value, others: &[Value]) -> Vec<Value> {
        let recipes = self.recipes;
        if recipes.wide_file.is_none() || goal.shape == ZERO {
            return Vec::new();
        }
        let label = View { dx: goal.dx, dy: goal.dy, factor: goal.factor };
        let mut found: Vec<Value> = self
            .decompositions
            .offers(goal.shape, self.shapes, recipes)
            .wides
            .iter()
            .filter_map(|v| v.seen(label))
            .collect();
        for other in others {
            for view in &recipes.into_wide {
                if let Some(content) = other.seen(*view)
                    && !found.contains(&content)
                {
                    found.push(content);
                }
            }
        }
        // The goal itself, moved or halved.
        for view in &recipes.wide_views {
            if let Some(content) = goal.unseen(*view)
                && !found.contains(&content)
            {
                found.push(content);
            }
        }
        found
    }

    /// Steps that see `content` through some of the wide views, those that bring the goal closer.
    fn read_wide(&mut self, aim: Aim<'_>, content: Value, held: bool, sink: Sink<'_, Self>) {
        let recipes = self.recipes;
        let goal = aim.need.value;
        let before = self.shapes.size_of(&[(goal, View::PLAIN)]);
        let mut helpful: SmallVec<[View; 8]> = SmallVec::new();
        for view in &recipes.wide_views {
            let minus = View { factor: view.factor.times(View::MINUS.factor), ..*view };
            let after = self.shapes.size_of(&[(goal, View::PLAIN), (content, minus)]);
            if after < before || (held && after <= before) {
                helpful.push(*view);
            }
        }
        for (views, group) in &recipes.wide {
            if group[0].file != usize::from(aim.need.file) || !views.iter().all(|v| helpful.contains(v)) {
                continue;
            }
            let mut terms: SmallVec<[(Value, View); 8]> = SmallVec::from_slice(&[(goal, View::PLAIN)]);
            terms.extend(
                views.iter().map(|v| (content, View { factor: v.factor.times(View::MINUS.factor), ..*v })),
            );
            if views.len() > 1 && self.shapes.size_of(&terms) >= before {
                continue;
            }
            let Some(rest) = self.shapes.sum(&terms) else { continue };
            self.sums(aim, group, Some(content), rest, sink);
        }
    }

    /// Steps by the recipes of a group, whose plain operands must add up to `rest`.
    fn sums(
        &mut self,
        aim: Aim<'_>,
        group: &[Recipe],
        wide: Option<Value>,
        rest: Value,
        sink: Sink<'_, Self>,
    ) {
        // Those that may be moved come first.
        let mut proposals: Option<(Vec<Proposal>, usize)> = None;
        for recipe in group.iter().filter(|r| r.file == usize::from(aim.need.file)) {
            let plain = &recipe.plain;
            if rest.shape == ZERO || plain.is_empty() {
                if rest.shape == ZERO && plain.is_empty() {
                    self.finish(aim, recipe, wide, &[], sink);
                }
                continue;
            }
            if plain.len() == 1 {
                let proposal = self.proposal(SmallVec::from_slice(&[rest]), aim.others);
                self.place(aim, recipe, wide, &proposal, sink);
                continue;
            }
            let (proposals, movable) = proposals.get_or_insert_with(|| {
                let mut proposals = self.proposals(aim, wide, rest);
                proposals.sort_by_key(|proposal| !proposal.movable);
                let movable = proposals.partition_point(|proposal| proposal.movable);
                (proposals, movable)
            });
            let any = wide.is_some() || !recipe.moves;
            let proposals = if any { &proposals[..] } else { &proposals[..*movable] };
            for proposal in proposals.iter().filter(|p| p.values.len() == plain.len()) {
                self.place(aim, recipe, wide, proposal, sink);
            }
            self.sums_with(aim, recipe, wide, rest, sink);
        }
    }

    /// The ways to split `rest` that do not depend on what else is needed.
    fn proposals(&mut self, aim: Aim<'_>, wide: Option<Value>, rest: Value) -> Vec<Proposal> {
        let Aim { state, others, .. } = aim;
        let mut found: Vec<SmallVec<[Value; 4]>> = Vec::new();
        // Splits from the e-graph, except for what is left beside new content of the wide register: that would replace one
        // value by three or more new ones.
        let fresh = wide.is_some_and(|w| {
            !state.iter().any(|n| Some(usize::from(n.file)) == self.recipes.wide_file && n.value == w)
        });
        let label = View { dx: rest.dx, dy: rest.dy, factor: rest.factor };
        if !fresh {
            let offers = self.decompositions.offers(rest.shape, self.shapes, self.recipes);
            found.extend(
                offers.splits.iter().filter_map(|split| split.iter().map(|v| v.seen(label)).collect()),
            );
            self.add_common_parts(&mut found, rest, others);
        }
        found.extend(multiples(rest, self.shapes).into_iter().map(|pair| pair.into_iter().collect()));
        // Halves, if an operand can be used twice.
        let half = View {
            factor: crate::backend::array::search::program::value::Factor { twos: -1, ..View::PLAIN.factor },
            ..View::PLAIN
        };
        found.extend(rest.seen(half).map(|half| SmallVec::from_slice(&[half, half])));
        found.into_iter().map(|values| self.proposal(values, others)).collect()
    }

    /// Splits that leave what something else needs, or what the rest needs once more.
    fn add_common_parts(&mut self, found: &mut Vec<SmallVec<[Value; 4]>>, rest: Value, others: &[Value]) {
        if !self.decompositions.is_diverse() || self.shapes.is_delta(rest.shape) {
            return;
        }
        let label = View { dx: rest.dx, dy: rest.dy, factor: rest.factor };
        let mut shapes: SmallVec<[ShapeId; 8]> = others.iter().map(|other| other.shape).collect();
        shapes.push(rest.shape);
        shapes.retain(|shape| *shape != ZERO && !self.shapes.is_delta(*shape));
        shapes.sort_unstable();
        shapes.dedup();
        for shape in shapes {
            for split in self.decompositions.common(rest.shape, shape, self.shapes).iter() {
                let split: Option<SmallVec<[Value; 4]>> = split.iter().map(|v| v.seen(label)).collect();
                found.extend(split.filter(|split| !found.contains(split)));
            }
        }
    }

    fn proposal(&self, values: SmallVec<[Value; 4]>, others: &[Value]) -> Proposal {
        let size = |value: &Value| {
            let data = self.shapes.get(value.shape);
            [i32::from(data.width), i32::from(data.height)]
        };
        let sizes = values.iter().map(size).collect();
        let met = values.iter().any(|value| others.iter().any(|other| other.shape == value.shape));
        let movable = met || values.iter().any(|value| self.shapes.distance(*value) > 0);
        Proposal { values, sizes, met, movable }
    }

    /// Steps by one recipe that add to what is needed anyway.
    fn sums_with(
        &mut self,
        aim: Aim<'_>,
        recipe: &Recipe,
        wide: Option<Value>,
        rest: Value,
        sink: Sink<'_, Self>,
    ) {
        let plain = &recipe.plain;
        let alike = plain.iter().all(|(_, v)| *v == plain[0].1);
        let before = self.shapes.size_of(&[(rest, View::PLAIN)]);
        for (index, other) in aim.others.iter().enumerate() {
            for slot in 0..if alike { 1 } else { plain.len() } {
                let minus = |v: View| View { factor: v.factor.times(View::MINUS.factor), ..v };
                let terms = [(rest, View::PLAIN), (*other, minus(plain[slot].1))];
                if plain.len() == 2 {
                    if self.shapes.size_of(&terms) < before {
                        let last = self.shapes.sum(&terms).and_then(|v| v.unseen(plain[1 - slot].1));
                        if let Some(last) = last.filter(|v| v.shape != ZERO) {
                            let pair = if slot == 0 { [*other, last] } else { [last, *other] };
                            self.finish(aim, recipe, wide, &pair, sink);
                        }
                    }
                } else if plain.len() == 3 && alike {
                    for second in &aim.others[index + 1..] {
                        let terms = [terms[0], terms[1], (*second, minus(plain[1].1))];
                        if self.shapes.size_of(&terms) < before {
                            let last = self.shapes.sum(&terms).and_then(|v| v.unseen(plain[2].1));
                            if let Some(last) = last.filter(|v| v.shape != ZERO) {
                                self.finish(aim, recipe, wide, &[*other, *second, last], sink);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Assigns the terms of a split to the operands, in every order that makes a difference.
    fn place(
        &mut self,
        aim: Aim<'_>,
        recipe: &Recipe,
        wide: Option<Value>,
        proposal: &Proposal,
        sink: Sink<'_, Self>,
    ) {
        let values = &proposal.values;
        let alike = values.iter().all(|v| *v == values[0])
            || recipe.plain.iter().all(|(_, view)| *view == recipe.plain[0].1);
        let orders: &[&[usize]] = match (alike, values.len()) {
            (false, 2) => &[&[0, 1], &[1, 0]],
            (false, 3) => &[&[0, 1, 2], &[1, 0, 2], &[2, 0, 1]],
            _ => &[&[0, 1, 2, 3]],
        };
        for order in orders {
            // A step that moves its operands must bring them nearer to the pixel, or one of them to a value of its kernel. Most
            // steps do neither, so this is checked before the operands are computed.
            let nearer = recipe.wide.is_some() || proposal.comes_nearer(recipe, order);
            let approaches = || proposal.met && proposal.approaches(recipe, order, aim.others);
            if !nearer && !approaches() {
                continue;
            }
            let sources: SmallVec<[Value; 4]> = recipe
                .plain
                .iter()
                .zip(order.iter())
                .filter_map(|((_, view), at)| values[*at].unseen(*view))
                .collect();
            if sources.len() == recipe.plain.len() {
                self.finish(aim, recipe, wide, &sources, sink);
            }
        }
    }

    /// Completes a step with other results that are needed; passes it on if registers and exponents allow it.
    fn finish(
        &mut self,
        aim: Aim<'_>,
        recipe: &Recipe,
        wide: Option<Value>,
        plain: &[Value],
        sink: Sink<'_, Self>,
    ) {
        let form = &self.recipes.forms[recipe.form];
        let mut sources: SmallVec<[(u8, Value); 4]> = SmallVec::new();
        if let (Some((slot, _)), Some(value)) = (&recipe.wide, wide) {
            sources.push((*slot as u8, value));
        }
        for ((slot, _), value) in recipe.plain.iter().zip(plain) {
            if value.factor.twos < self.lowest || value.factor.twos > self.highest || value.shape == ZERO {
                return;
            }
            sources.push((*slot as u8, *value));
        }
        let mut survivors = aim.state.clone();
        if let Some(at) = survivors.iter().position(|n| *n == aim.need) {
            survivors.remove(at);
        }
        let mut produced: SmallVec<[(u8, Value); 3]> =
            SmallVec::from_slice(&[(form.results[recipe.result].0 as u8, aim.need.value)]);
        for (index, (slot, terms)) in form.results.iter().enumerate() {
            if index == recipe.result {
                continue;
            }
            let Some(value) = left_by(terms, &sources, self.shapes) else { return };
            let file = form.slots[*slot].0 as u8;
            if let Some(at) = survivors.iter().position(|n| n.file == file && n.value == value) {
                survivors.remove(at);
                produced.push((*slot as u8, value));
            }
        }
        if survivors.iter().any(|n| form.clobbers.contains(&usize::from(n.file))) {
            return;
        }
        if !self.recipes.allow(recipe.form, &sources, self.shapes) {
            return;
        }
        let form_index = recipe.form;
        if let Some(before) = self.before(form_index, &survivors, &sources) {
            let step = ValueStep { form: form_index as u16, sources, produced };
            sink(self, step, before);
        }
    }

    /// The state before the step, if the registers suffice.
    pub(crate) fn before(&self, form: usize, survivors: &State, sources: &[(u8, Value)]) -> Option<State> {
        let form = &self.recipes.forms[form];
        let mut before = survivors.clone();
        // Registers that a source is read from: `None` for one that also survives.
        let mut dying: SmallVec<[(u8, FileId, Value); 4]> = SmallVec::new();
        let mut used: SmallVec<[usize; 8]> = SmallVec::new();
        for (slot, value) in sources {
            let (file, _, writes) = form.slots[usize::from(*slot)];
            let surviving = survivors
                .iter()
                .enumerate()
                .find(|(i, n)| usize::from(n.file) == file && n.value == *value && !used.contains(i));
            if let (Some((at, _)), false) = (surviving, writes) {
                used.push(at);
                continue;
            }
            let shared = dying.iter().any(|(s, f, v)| {
                *f == file && v == value && !form.differs(usize::from(*s), usize::from(*slot))
            });
            if !shared {
                dying.push((*slot, file, *value));
            }
        }
        for (file, capacity) in self.capacity.iter().enumerate() {
            let surviving = survivors.iter().filter(|n| usize::from(n.file) == file).count();
            let going = dying.iter().filter(|(_, f, _)| *f == file).count();
            let mut free: SmallVec<[u8; 4]> =
                dying.iter().filter(|(_, f, _)| *f == file).map(|(s, _, _)| *s).collect();
            let mut extra = 0;
            for (slot, (of, _, writes)) in form.slots.iter().enumerate() {
                if *of == file && *writes {
                    // A result may take the place of an operand that dies here.
                    let place = free
                        .iter()
                        .position(|s| usize::from(*s) == slot || !form.differs(usize::from(*s), slot));
                    match place {
                        Some(at) => {
                            free.remove(at);
                        }
                        None => extra += 1,
                    }
                }
            }
            if surviving + going + extra > *capacity {
                return None;
            }
        }
        before.extend(dying.iter().map(|(_, file, value)| Need { file: *file as u8, value: *value }));
        before.sort_unstable();
        Some(before)
    }
}
