//! The steps shared by all candidate plans. Steps that are equal up to a translation and a factor are stored once.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::NoPlan;
use crate::algebra::{Label, Offset, Rational, add_offsets, gcd, negate_offset};
use crate::backend::scan::machine::{
    Fold, Meaning, Output, Pixel, Plan, PlanStep, ScanMachine, Storage, Term, bounds, linear_step,
};

/// The value of a step at an offset, with a weight.
pub(super) type View = Term;

/// The steps, with the known properties of their values.
pub(super) struct Arena<'m> {
    pub(super) machine: &'m ScanMachine,
    fold: Fold,
    pixel: Pixel,
    /// The least and the greatest value of pixels.
    values: [i64; 2],
    /// The number of inputs, which are the first steps.
    channels: usize,
    steps: Vec<PlanStep>,
    known: FxHashMap<PlanStep, usize>,
    /// The kernels of the steps, if these are sums.
    meanings: Vec<Meaning>,
    /// The least and the greatest value, or `None` if there is no bound.
    ranges: Vec<Option<[i128; 2]>>,
    /// Whether the values end to the west and to the east. A recurrence can begin only at such an end.
    ends: Vec<[bool; 2]>,
}

/// A result: a view and its factor.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Goal {
    pub(super) name: String,
    pub(super) view: View,
    pub(super) scale: Rational,
}

impl<'m> Arena<'m> {
    /// Creates the arena of plans over `channels` inputs.
    pub(super) fn new(
        machine: &'m ScanMachine,
        fold: Fold,
        (pixel, values): (Pixel, [i64; 2]),
        channels: usize,
    ) -> Self {
        let mut arena = Self {
            machine,
            fold,
            pixel,
            values,
            channels,
            steps: Vec::new(),
            known: FxHashMap::default(),
            meanings: Vec::new(),
            ranges: Vec::new(),
            ends: Vec::new(),
        };
        for channel in 0..channels {
            arena.step(PlanStep::Input(channel));
        }
        arena
    }

    /// Views of the inputs.
    pub(super) fn inputs(&self) -> Vec<View> {
        (0..self.channels).map(|channel| self.plain(channel)).collect()
    }

    /// Whether pixels are of single precision.
    pub(super) fn is_real(&self) -> bool {
        self.pixel.float
    }

    /// A view of a step without offset or weight.
    pub(super) fn plain(&self, source: usize) -> View {
        View { source, offset: [0; 3], weight: self.fold.neutral_weight() }
    }

    /// Moves a view by an offset.
    pub(super) fn moved(&self, view: View, by: Offset) -> Option<View> {
        add_offsets(view.offset, by).ok().map(|offset| View { offset, ..view })
    }

    /// Multiplies a view by a weight. In idempotent semirings, the weight is added.
    pub(super) fn weighed(&self, view: View, by: i64) -> Option<View> {
        let weight = if self.fold == Fold::Sum {
            view.weight.checked_mul(by)?
        } else {
            view.weight.checked_add(by)?
        };
        Some(View { weight, ..view })
    }

    /// Moves and weights a view by a label. `None` if a number leaves the exact range.
    pub(super) fn labelled(&self, view: View, label: Label) -> Option<View> {
        let view = self.moved(view, label.offset)?;
        match self.fold {
            Fold::Sum => self.weighed(view, label.scale.is_integer().then(|| label.scale.numerator())?),
            _ => self.weighed(view, label.weight),
        }
    }

    /// The number of a step, which is added if it is new. `None` if a number leaves the exact range, or for a recurrence that has
    /// nowhere to begin.
    fn step(&mut self, step: PlanStep) -> Option<usize> {
        if let Some(known) = self.known.get(&step) {
            return Some(*known);
        }
        let pixel = self.values;
        let meaning = match self.fold {
            Fold::Sum => Some(linear_step(&step, &self.meanings, self.channels).ok()?),
            _ => None,
        };
        let range = match &meaning {
            Some(meaning) => bounds(meaning, pixel),
            None => Some(match &step {
                PlanStep::Input(_) => pixel.map(i128::from),
                PlanStep::Window { source, .. } => self.ranges[*source]?,
                PlanStep::Fold { terms, .. } => {
                    let ranges = terms.iter().map(|term| {
                        let [low, high] = self.ranges[term.source]?;
                        Some([low + i128::from(term.weight), high + i128::from(term.weight)])
                    });
                    let ranges: Vec<[i128; 2]> = ranges.collect::<Option<_>>()?;
                    let all = ranges.into_iter().reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]);
                    all.unwrap_or([self.fold.nothing(self.pixel).into(); 2])
                }
            }),
        };
        let ends = self.ends(&step, range.is_some())?;
        self.meanings.extend(meaning);
        self.ends.push(ends);
        self.ranges.push(range);
        self.known.insert(step.clone(), self.steps.len());
        self.steps.push(step);
        Some(self.steps.len() - 1)
    }

    /// Whether a step's values end to the west and to the east. `None` for a recurrence that has nowhere to begin.
    fn ends(&self, step: &PlanStep, finite: bool) -> Option<[bool; 2]> {
        let read = step.reads().map(|(source, _)| self.ends[source]);
        let [west, east] = read.fold([true; 2], |all, own| [all[0] && own[0], all[1] && own[1]]);
        let back = if let PlanStep::Fold { back: Some([x, ..]), .. } = step { x.signum() } else { 0 };
        if back < 0 && !west || back > 0 && !east {
            return None;
        }
        Some(if finite { [true; 2] } else { [west && back <= 0, east && back >= 0] })
    }

    /// The fold of views, and of the step itself at p + `back`. `None` if a number leaves the exact range.
    pub(super) fn fold(&mut self, views: &[View], back: Option<Offset>) -> Option<View> {
        let terms = merged(self.fold, views)?;
        let Some(first) = terms.first() else { return self.folded(terms, 1, back) };
        let weight = if self.fold == Fold::Sum {
            // The newest term is added, so that a window adds the values that enter it.
            let newest = terms.iter().max_by_key(|term| [-term.offset[1], term.offset[0]]);
            content(&terms)? * newest.map_or(1, |term| term.weight.signum())
        } else if back.is_none() {
            first.weight
        } else {
            self.fold.neutral_weight()
        };
        self.folded(terms, weight, back)
    }

    /// A sum as given: views of the same place, such as the digits of a weight, stay separate and keep their signs.
    pub(super) fn sum(&mut self, mut terms: Vec<View>, back: Option<Offset>) -> Option<View> {
        terms.sort_unstable_by_key(|term| (term.source, term.offset, term.weight));
        let weight = if terms.is_empty() { 1 } else { content(&terms)? };
        self.folded(terms, weight, back)
    }

    /// The fold of terms. The offset of the first term and a weight are left to its readers.
    fn folded(&mut self, mut terms: Vec<Term>, weight: i64, back: Option<Offset>) -> Option<View> {
        let Some(first) = terms.first().copied() else {
            return self.step(PlanStep::Fold { terms, back: None }).map(|source| self.plain(source));
        };
        for term in &mut terms {
            term.offset = add_offsets(term.offset, negate_offset(first.offset)).ok()?;
            term.weight = if self.fold == Fold::Sum {
                term.weight / weight
            } else {
                term.weight.checked_sub(weight)?
            };
        }
        if let ([only], None) = (&terms[..], back) {
            return Some(View {
                source: only.source,
                offset: first.offset,
                weight: if self.fold == Fold::Sum { weight * only.weight } else { weight },
            });
        }
        terms = if self.fold == Fold::Sum { self.multiplied(terms)? } else { self.raised(terms)? };
        let source = self.step(PlanStep::Fold { terms, back })?;
        Some(View { source, offset: first.offset, weight })
    }

    /// y(p) = y(p + `back`) + the value of the view. The terms of a plain sum become terms of the recurrence.
    pub(super) fn recurrence(&mut self, view: View, back: Offset) -> Option<View> {
        let terms = match &self.steps[view.source] {
            PlanStep::Fold { terms, back: None } => terms
                .iter()
                .map(|term| {
                    self.moved(View { weight: term.weight.checked_mul(view.weight)?, ..*term }, view.offset)
                })
                .collect::<Option<Vec<_>>>()?,
            _ => vec![view],
        };
        self.fold(&terms, Some(back))
    }

    /// Moves the added constant of a view into the terms of its step if that saves an addition.
    fn settled(&mut self, view: View) -> Option<View> {
        let PlanStep::Fold { terms, back: None } = &self.steps[view.source] else { return Some(view) };
        if self.fold == Fold::Sum || view.weight == 0 {
            return Some(view);
        }
        let additions = |terms: &[Term]| terms.iter().filter(|term| term.weight != 0).count();
        let raised = terms.iter().map(|t| Some(Term { weight: t.weight.checked_add(view.weight)?, ..*t }));
        let raised: Vec<Term> = raised.collect::<Option<_>>()?;
        if additions(&raised) > additions(terms) {
            return Some(view);
        }
        let source = self.step(PlanStep::Fold { terms: raised, back: None })?;
        Some(View { source, weight: 0, ..view })
    }

    /// The window of `length` values of a view from p on, in steps of one pixel.
    pub(super) fn window(&mut self, view: View, step: Offset, length: usize) -> Option<View> {
        let source = self.step(PlanStep::Window { source: view.source, step, length })?;
        Some(View { source, ..view })
    }

    /// The terms of a maximum or minimum. Terms of equal weight are grouped first, so that the weight is added once.
    fn raised(&mut self, terms: Vec<Term>) -> Option<Vec<Term>> {
        let mut groups: BTreeMap<i64, Vec<Term>> = BTreeMap::new();
        for term in &terms {
            groups.entry(term.weight).or_default().push(*term);
        }
        if groups.len() == 1 {
            return Some(terms);
        }
        let mut arranged = Vec::new();
        for (weight, group) in groups {
            match group.len() {
                1 => arranged.extend(group),
                _ if weight == 0 => arranged.extend(group),
                _ => arranged.push(self.fold(&group, None)?),
            }
        }
        arranged.sort_by_key(|term| (term.source, term.offset));
        Some(arranged)
    }

    /// The terms of a sum with their multiplications arranged. Terms of equal weight are added first. A weight becomes
    /// signed digits if shifts and additions cost less than the multiplication.
    fn multiplied(&mut self, terms: Vec<Term>) -> Option<Vec<Term>> {
        let mut groups: BTreeMap<u64, Vec<Term>> = BTreeMap::new();
        for term in terms {
            groups.entry(term.weight.unsigned_abs()).or_default().push(term);
        }
        let mut arranged = Vec::new();
        let single = groups.len() == 1;
        for (weight, mut group) in groups {
            if weight > 1 && group.len() > 1 && !single {
                let inner =
                    group.iter().map(|t| View { weight: t.weight.signum(), ..*t }).collect::<Vec<_>>();
                let view = self.fold(&inner, None)?;
                group = vec![View { weight: view.weight.checked_mul(i64::try_from(weight).ok()?)?, ..view }];
            }
            for term in group {
                arranged.extend(self.digits(term));
            }
        }
        arranged.sort_by_key(|term| (term.source, term.offset, -term.weight));
        Some(arranged)
    }

    /// The term itself, or one term per signed digit of its weight.
    fn digits(&self, term: Term) -> Vec<Term> {
        let weight = term.weight.unsigned_abs();
        if weight.is_power_of_two() {
            return vec![term];
        }
        let digits = crate::algebra::approximate::signed_digits(term.weight);
        if digits.len() > 62 {
            return vec![term];
        }
        let places = digits.iter().enumerate().filter(|(_, digit)| **digit != 0);
        let parts: Vec<Term> =
            places.map(|(place, digit)| Term { weight: i64::from(*digit) << place, ..term }).collect();
        let shifts = parts.iter().filter(|part| part.weight.unsigned_abs() > 1).count() as u64;
        let additions = parts.len() as u64 - 1;
        let cost = additions * self.machine.addition + shifts * self.machine.shift;
        if cost < self.machine.multiplication { parts } else { vec![term] }
    }

    /// Computes the factor of a result in a step of shifts and additions if these cost less than the multiplication.
    pub(super) fn scaled(&mut self, goal: Goal) -> Option<Goal> {
        if self.fold != Fold::Sum {
            return Some(Goal { view: self.settled(goal.view)?, ..goal });
        }
        let factor = goal.scale.mul(Rational::integer(goal.view.weight))?;
        let digits = self.digits(Term { weight: factor.numerator(), ..self.plain(goal.view.source) });
        if digits.len() < 2 {
            return Some(goal);
        }
        let source = self.step(PlanStep::Fold { terms: digits, back: None })?;
        let scale = Rational::new(1, factor.denominator())?;
        Some(Goal { view: View { source, weight: 1, ..goal.view }, scale, ..goal })
    }

    /// The same result from the step with its terms negated, or `None` if the step is not a fold.
    pub(super) fn negated(&mut self, goal: &Goal) -> Option<Goal> {
        let PlanStep::Fold { terms, back } = &self.steps[goal.view.source] else { return None };
        let negated = terms.iter().map(|t| Some(Term { weight: t.weight.checked_neg()?, ..*t }));
        let (terms, back) = (negated.collect::<Option<Vec<_>>>()?, *back);
        let source = self.step(PlanStep::Fold { terms, back })?;
        let view = View { source, weight: goal.view.weight.checked_neg()?, ..goal.view };
        Some(Goal { view, ..goal.clone() })
    }

    /// Whether a multiplication by a weight costs less than the additions of its digits.
    pub(super) fn multiplies(&self, weight: i64) -> bool {
        !weight.unsigned_abs().is_power_of_two()
            && self.digits(Term { source: 0, offset: [0; 3], weight }).len() == 1
    }

    /// Marks the steps that the results need.
    fn needed(&self, results: &[Goal]) -> Vec<bool> {
        let mut needed = vec![false; self.steps.len()];
        for result in results {
            needed[result.view.source] = true;
        }
        for number in (0..self.steps.len()).rev() {
            if needed[number] {
                self.steps[number].reads().for_each(|(source, _)| needed[source] = true);
            }
        }
        needed
    }

    /// The plan of the results, with the steps that they need.
    pub(super) fn plan(
        &self,
        name: &str,
        inputs: &[String],
        results: &[Goal],
        reach: [i32; 4],
    ) -> Result<Plan, NoPlan> {
        let needed = self.needed(results);
        let accumulator = self.accumulator(results, &needed)?;
        let mut numbers = vec![usize::MAX; self.steps.len()];
        let (mut steps, mut storage, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
        for number in (0..self.steps.len()).filter(|number| needed[*number]) {
            numbers[number] = steps.len();
            let mut step = self.steps[number].clone();
            match &mut step {
                PlanStep::Input(_) => {}
                PlanStep::Fold { terms, .. } => {
                    terms.iter_mut().for_each(|term| term.source = numbers[term.source])
                }
                PlanStep::Window { source, .. } => *source = numbers[*source],
            }
            let held = self.ranges[number].and_then(|[low, high]| Storage::holding(low.min(0), high.max(0)));
            storage.push(match (&step, self.pixel.float) {
                (PlanStep::Input(_), _) => self.pixel.storage(),
                (_, true) => accumulator,
                (_, false) => held.filter(|held| held.bits <= accumulator.bits).unwrap_or(accumulator),
            });
            let ends = self.ranges[number].map(|ends| ends.map(i64::try_from));
            ranges.push(ends.and_then(|[low, high]| Some([low.ok()?, high.ok()?])));
            steps.push(step);
        }
        let outputs = results.iter().map(|result| {
            let weight = Rational::integer(result.view.weight);
            let sum = self.fold == Fold::Sum;
            let scale = if sum { result.scale.mul(weight) } else { Some(Rational::ONE) };
            Ok(Output {
                name: result.name.clone(),
                source: numbers[result.view.source],
                offset: result.view.offset,
                scale: scale.ok_or_else(|| NoPlan::Overflow(result.name.clone()))?,
                bias: if sum { 0 } else { result.view.weight },
                pixel: if self.is_bounded(result) { self.pixel } else { self.pixel.of_tables() },
                is_table: !self.is_bounded(result),
            })
        });
        Ok(Plan {
            name: name.to_owned(),
            inputs: inputs.to_vec(),
            fold: self.fold,
            outputs: outputs.collect::<Result<_, _>>()?,
            steps,
            storage,
            ranges,
            accumulator,
            pixel: self.pixel,
            values: self.values,
            reach,
        })
    }

    /// Whether a result has a least and a greatest value, or is of single precision. Infinite sums have neither.
    fn is_bounded(&self, result: &Goal) -> bool {
        self.ranges[result.view.source].is_some()
    }

    /// The storage in which sums are computed: 32 bits if all results fit before they are scaled. Infinite sums are
    /// kept modulo its size.
    fn accumulator(&self, results: &[Goal], needed: &[bool]) -> Result<Storage, NoPlan> {
        if self.pixel.float {
            let recurs = |step: &PlanStep| matches!(step, PlanStep::Fold { back: Some(_), .. });
            let recurs = self.steps.iter().zip(needed).any(|(step, needed)| *needed && recurs(step));
            return Ok(if recurs { Storage::DOUBLE } else { self.pixel.storage() });
        }
        let mut bits = 32;
        for result in results {
            let wide = || NoPlan::Wide(result.name.clone());
            let Some([low, high]) = self.ranges[result.view.source] else {
                let scale = result.scale.mul(Rational::integer(result.view.weight)).ok_or_else(wide)?;
                if !scale.is_integer() {
                    return Err(NoPlan::DividedTable(result.name.clone()));
                }
                if scale.numerator().unsigned_abs() >= 1 << 31 {
                    return Err(wide());
                }
                continue;
            };
            let signed = Storage::holding(low.min(-1), high).ok_or_else(wide)?;
            bits = bits.max(signed.bits);
            // The numerator of the scale is multiplied in 64 bits, and the rounding constant is added in 64 bits.
            let scale = result.scale.mul(Rational::integer(result.view.weight)).ok_or_else(wide)?;
            let most = low.unsigned_abs().max(high.unsigned_abs());
            let scaled = most.checked_mul(u128::from(scale.numerator().unsigned_abs())).ok_or_else(wide)?;
            if scaled >= 1 << 61 || scale.denominator() >= 1 << 60 {
                return Err(wide());
            }
        }
        Ok(Storage { bits, signed: true, float: false })
    }
}

/// The sorted terms. Terms of the same place are merged, and neutral terms dropped.
fn merged(fold: Fold, views: &[View]) -> Option<Vec<Term>> {
    let place = |view: &View| (view.source, view.offset);
    let mut sorted = views.to_vec();
    sorted.sort_by_key(place);
    let mut terms: Vec<Term> = Vec::with_capacity(sorted.len());
    for view in sorted {
        let Some(term) = terms.last_mut().filter(|term| place(term) == place(&view)) else {
            terms.push(view);
            continue;
        };
        term.weight = match fold {
            Fold::Sum => term.weight.checked_add(view.weight)?,
            Fold::Greatest | Fold::Either => term.weight.max(view.weight),
            Fold::Least => term.weight.min(view.weight),
        };
    }
    if fold == Fold::Sum {
        terms.retain(|term| term.weight != 0);
    }
    Some(terms)
}

/// The greatest common divisor of the weights.
fn content(terms: &[Term]) -> Option<i64> {
    i64::try_from(terms.iter().fold(0, |content, term| gcd(content, term.weight.unsigned_abs()))).ok()
}
