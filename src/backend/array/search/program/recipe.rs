//! Instruction forms, prepared for backward search: which sums of operands each leaves in which file.

use smallvec::SmallVec;

use super::bounds::Bounds;
use super::divisions::{Divisions, Exponents, Quotient};
use super::step::{ValueStep, operands};
use super::value::{Factor, Shapes, Value, View};
use crate::backend::array::machine::Quantities;
use crate::backend::array::machine::form::{FileId, Form, ReadTap};

/// The objective of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Objective {
    /// Cycles of the expanded program.
    Cycles,
    /// Printed instructions, each with cost one.
    Instructions,
}

impl Objective {
    /// What a form costs.
    pub(super) fn cost(self, form: &Form) -> u32 {
        match self {
            Self::Cycles => form.cycles,
            Self::Instructions => 1,
        }
    }
}

/// One result of a form, with its operands.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    /// Index into [`Recipes::forms`].
    pub(crate) form: usize,
    /// Index into the form's results.
    pub(crate) result: usize,
    /// The file of the result.
    pub(crate) file: FileId,
    /// Operands in files of several registers, each seen once: (slot, view).
    pub(crate) plain: SmallVec<[(usize, View); 4]>,
    /// The operand in a file of one register, which may be seen several times: slot and views.
    pub(crate) wide: Option<(usize, SmallVec<[View; 5]>)>,
    /// Whether any plain operand is displaced.
    pub(crate) moves: bool,
}

/// A form with its linear functions in the search's representation.
#[derive(Clone, Debug)]
pub(crate) struct CompiledForm {
    /// Index into the compiled list.
    pub(crate) source: usize,
    pub(crate) cost: u32,
    pub(crate) slots: Vec<(FileId, bool, bool)>,
    /// Slot and terms of each result.
    pub(crate) results: Vec<(usize, Vec<(usize, View)>)>,
    /// The intermediate values that it writes.
    pub(crate) passing: Vec<Vec<(usize, View)>>,
    pub(crate) differ: Vec<(usize, usize)>,
    pub(crate) clobbers: Vec<FileId>,
}

impl CompiledForm {
    /// Whether some result or intermediate value depends on a slot.
    pub(crate) fn reads(&self, slot: usize) -> bool {
        let written = self.results.iter().map(|(_, terms)| terms).chain(&self.passing);
        written.flatten().any(|(read, _)| *read == slot)
    }

    /// How its results see their operands.
    pub(super) fn views(&self) -> impl Iterator<Item = &View> {
        self.results.iter().flat_map(|(_, terms)| terms).map(|(_, view)| view)
    }

    /// The most divisions on the way from an operand to a result.
    pub(crate) fn quotient(&self) -> Quotient {
        let one = Exponents::of_factor(Factor::ONE);
        let terms = self.results.iter().flat_map(|(_, terms)| terms);
        one.down_to(terms.map(|(_, view)| Exponents::of_factor(view.factor)).fold(one, Exponents::and))
    }

    /// Whether two slots must be different registers.
    pub(crate) fn differs(&self, a: usize, b: usize) -> bool {
        self.differ.contains(&(a, b)) || self.differ.contains(&(b, a))
    }

    /// Whether this form computes what the other does, wherever the other can be used, and costs no more: a step north and one east
    /// are the same as a step east and one north.
    pub(crate) fn serves_for(&self, other: &Self) -> bool {
        let sorted = |terms: &[(usize, View)]| {
            let mut terms = terms.to_vec();
            terms.sort_unstable();
            terms
        };
        // Only the size of intermediate values matters.
        let passing = |form: &Self| {
            let sizes = |terms: &Vec<(usize, View)>| {
                sorted(&terms.iter().map(|(s, v)| (*s, View { dx: 0, dy: 0, ..*v })).collect::<Vec<_>>())
            };
            form.passing.iter().map(sizes).collect::<Vec<_>>()
        };
        self.cost <= other.cost
            && self.slots == other.slots
            && self.results.len() == other.results.len()
            && self
                .results
                .iter()
                .zip(&other.results)
                .all(|(a, b)| a.0 == b.0 && sorted(&a.1) == sorted(&b.1))
            && self.differ.iter().all(|(a, b)| other.differs(*a, *b))
            && self.clobbers.iter().all(|file| other.clobbers.contains(file))
            && passing(self) == passing(other)
    }
}

/// Displaced copies of one value that an instruction adds up, wherever they are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Divisor {
    /// The copies relative to the first, which is the value itself; factors are 1 or -1.
    pub(crate) terms: SmallVec<[View; 5]>,
    /// What instructions see as the first copy.
    pub(crate) seen: SmallVec<[View; 4]>,
}

/// The divisors of recipes with these views of a wide operand.
fn divisors(wide: &[(SmallVec<[View; 5]>, Vec<Recipe>)]) -> Vec<Divisor> {
    let mut found: Vec<Divisor> = Vec::new();
    for (views, _) in wide.iter().filter(|(views, _)| views.len() > 1) {
        let first = views[0];
        let relative = |view: &View| {
            Some(View {
                dx: view.dx.checked_sub(first.dx)?,
                dy: view.dy.checked_sub(first.dy)?,
                factor: view.factor.times(first.factor.inverse()),
            })
        };
        let Some(terms) = views.iter().map(relative).collect::<Option<SmallVec<[View; 5]>>>() else {
            continue;
        };
        if terms.iter().any(|term| (term.factor.twos, term.factor.threes) != (0, 0)) {
            continue;
        }
        match found.iter_mut().find(|divisor| divisor.terms == terms) {
            Some(divisor) => divisor.seen.push(first),
            None => found.push(Divisor { terms, seen: SmallVec::from_slice(&[first]) }),
        }
    }
    found
}

/// The instruction set, indexed by the form of a result.
pub(crate) struct Recipes {
    pub(crate) forms: Vec<CompiledForm>,
    /// Recipes without a wide operand.
    pub(crate) narrow: Vec<Recipe>,
    /// Recipes with a wide operand, grouped by views.
    pub(crate) wide: Vec<(SmallVec<[View; 5]>, Vec<Recipe>)>,
    /// What instructions add up of a wide operand that they see more than once.
    pub(crate) divisors: Vec<Divisor>,
    /// All single views of a wide operand.
    pub(crate) wide_views: Vec<View>,
    pub(crate) wide_file: Option<FileId>,
    /// Views through which a single plain operand reaches the wide file.
    pub(crate) into_wide: Vec<View>,
    /// Registers per file.
    pub(crate) capacity: Vec<usize>,
    /// The maximum number of operands of one result.
    pub(crate) max_terms: usize,
    /// The greatest distance by which one instruction moves a value from register to register.
    pub(crate) stride: u8,
    /// Whether a sum can displace one operand against the others.
    pub(crate) aligns: bool,
    /// The bounds on the contents of registers, if any.
    pub(crate) bounds: Option<Bounds>,
    /// What divisions cost.
    pub(crate) divisions: Divisions,
    /// The weights of the estimate, if they are not the usual ones.
    pub(crate) weights: Option<Quantities>,
}

impl Recipes {
    /// Compiles `forms`, except those with a factor that is not ±2^a·3^b or with a displacement out of the plane.
    pub(crate) fn compile(forms: &[Form], registers: &[usize], objective: Objective) -> Self {
        let mut compiled = Self {
            forms: Vec::new(),
            narrow: Vec::new(),
            wide: Vec::new(),
            divisors: Vec::new(),
            wide_views: Vec::new(),
            wide_file: None,
            into_wide: Vec::new(),
            capacity: registers.to_vec(),
            max_terms: 1,
            stride: 1,
            aligns: false,
            bounds: None,
            divisions: Divisions::new(&[]),
            weights: None,
        };
        for (source, form) in forms.iter().enumerate() {
            if let Some(form) = compile_form(source, form, objective.cost(form))
                && !compiled.forms.iter().any(|known| known.serves_for(&form))
            {
                compiled.add(form);
            }
        }
        compiled.divisors = divisors(&compiled.wide);
        let divided: Vec<_> = compiled.forms.iter().map(|form| (form.cost, form.quotient())).collect();
        compiled.divisions = Divisions::new(&divided);
        compiled
    }

    /// The compiled form for `form`, which has this index: itself, or one that serves for it.
    pub(crate) fn form_for(&self, form: &Form, index: usize) -> Option<u16> {
        let itself = self.forms.iter().position(|known| known.source == index);
        let known = itself.or_else(|| {
            // Only the effect matters: the form that was kept costs no more.
            let form = compile_form(index, form, u32::MAX)?;
            self.forms.iter().position(|known| known.serves_for(&form))
        });
        u16::try_from(known?).ok()
    }

    /// The cost of a program.
    pub(crate) fn cost_of(&self, steps: &[ValueStep]) -> u32 {
        steps.iter().map(|step| self.forms[usize::from(step.form)].cost).sum()
    }

    /// Whether all values that an instruction writes for these operands, used or not, stay within bounds.
    pub(crate) fn allow(&self, form: usize, sources: &[(u8, Value)], shapes: &mut Shapes) -> bool {
        let (Some(bounds), form) = (self.bounds, &self.forms[form]) else { return true };
        let results = form.results.iter().map(|(_, terms)| terms);
        let mut written = results.chain(&form.passing);
        written.all(|terms| operands(terms, sources).is_some_and(|terms| bounds.hold(&terms, shapes)))
    }

    /// Whether every instruction of a program stays within bounds.
    pub(crate) fn allow_all(&self, steps: &[ValueStep], shapes: &mut Shapes) -> bool {
        steps.iter().all(|step| self.allow(usize::from(step.form), &step.sources, shapes))
    }

    fn add(&mut self, form: CompiledForm) {
        let index = self.forms.len();
        for (result, (slot, terms)) in form.results.iter().enumerate() {
            let mut recipe = Recipe {
                form: index,
                result,
                file: form.slots[*slot].0,
                plain: SmallVec::new(),
                wide: None,
                moves: false,
            };
            let mut expressible = true;
            for (slot, view) in terms {
                if self.capacity[form.slots[*slot].0] == 1 {
                    match &mut recipe.wide {
                        None => recipe.wide = Some((*slot, SmallVec::from_slice(&[*view]))),
                        Some((s, views)) if s == slot => views.push(*view),
                        Some(_) => expressible = false,
                    }
                } else if recipe.plain.iter().any(|(s, _)| s == slot) {
                    expressible = false;
                } else {
                    recipe.plain.push((*slot, *view));
                }
            }
            if expressible {
                self.max_terms = self.max_terms.max(terms.len());
                recipe.moves = recipe.plain.iter().any(|(_, view)| (view.dx, view.dy) != (0, 0));
                self.index(&form, recipe);
            }
        }
        self.forms.push(form);
    }

    fn index(&mut self, form: &CompiledForm, mut recipe: Recipe) {
        match &mut recipe.wide {
            Some((slot, views)) => {
                views.sort();
                self.wide_file = Some(form.slots[*slot].0);
                for view in views.iter() {
                    if !self.wide_views.contains(view) {
                        self.wide_views.push(*view);
                    }
                }
                let views = views.clone();
                match self.wide.iter_mut().find(|(v, _)| *v == views) {
                    Some((_, recipes)) => recipes.push(recipe),
                    None => self.wide.push((views, vec![recipe])),
                }
            }
            None => {
                let place = |(_, view): &(usize, View)| (view.dx, view.dy);
                let reach = recipe.plain.iter().map(|(_, v)| v.dx.unsigned_abs() + v.dy.unsigned_abs());
                self.stride = self.stride.max(reach.max().unwrap_or(0));
                self.aligns |= recipe.plain.iter().any(|term| place(term) != place(&recipe.plain[0]));
                if self.capacity[recipe.file] == 1
                    && let [(_, view)] = recipe.plain[..]
                    && !self.into_wide.contains(&view)
                {
                    self.into_wide.push(view);
                }
                self.narrow.push(recipe);
            }
        }
    }
}

pub(super) fn compile_form(source: usize, form: &Form, cost: u32) -> Option<CompiledForm> {
    let results =
        form.results.iter().map(|r| Some((r.slot, compile_taps(&r.taps)?))).collect::<Option<_>>()?;
    Some(CompiledForm {
        source,
        cost,
        slots: form.slots.iter().map(|s| (s.file, s.reads, s.writes)).collect(),
        results,
        passing: form.passing.iter().map(|taps| compile_taps(taps)).collect::<Option<_>>()?,
        differ: form.differ.clone(),
        clobbers: form.clobbers.clone(),
    })
}

fn compile_taps(taps: &[ReadTap]) -> Option<Vec<(usize, View)>> {
    let compiled = |tap: &ReadTap| {
        let [dx, dy, dz] = tap.offset;
        let view = View {
            dx: i8::try_from(dx).ok()?,
            dy: i8::try_from(dy).ok()?,
            factor: Factor::of(tap.coefficient)?,
        };
        (dz == 0).then_some((tap.slot, view))
    };
    taps.iter().map(compiled).collect()
}
