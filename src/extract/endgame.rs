//! The ways in which the last two or three instructions of a program can fit together, worked out once for an instruction set.
//!
//! An instruction is a sum, and what several instructions of a row leave is one, too: what is held already makes up one part of
//! it, the new values, each with a factor, the other. Where the last instructions read one value that is yet to be made, that
//! value is therefore known: what is wanted, less a sum of what is held, times a factor that does not depend on the state.

use rustc_hash::FxHashMap;

use super::field::Element;
use super::linear::{Lever, Linear};
use super::pixels::{Pixels, Seen, Weight};

/// What an instruction leaves: in which files, and with which factors, as compared with its first result.
#[derive(Clone, PartialEq, Debug)]
struct Kind {
    /// For each result whether it is in the wide register, its factor, and how the first one is seen in it.
    members: Vec<(bool, Element, Seen)>,
    /// Whether what was in the wide register is gone.
    writes_wide: bool,
}

/// A sum of values that are held: the reads of a form that are not in the mask, with the coefficients of a result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Template {
    pub(super) form: usize,
    pub(super) result: usize,
    /// Reads that new values stand in.
    pub(super) mask: u32,
    reads_wide: bool,
    /// How general registers and the wide one are seen: a place in [`Endgame::looks`].
    pub(super) look: usize,
}

/// How what is held is seen in a sum: from where general registers and the wide one are, and how heavily.
#[derive(PartialEq)]
pub(super) struct Look {
    pub(super) plain: Pixels,
    /// Nothing where the wide register is not read.
    pub(super) wide: Pixels,
    pub(super) lever: Lever,
}

/// What one instruction makes of values held.
#[derive(Default)]
pub(super) struct Made {
    pub(super) templates: Vec<usize>,
    /// From where it sees general registers and the wide one, for every way in which it moves what it makes.
    pub(super) moves: Vec<[Pixels; 2]>,
    /// How it sees what is held.
    pub(super) looks: Vec<usize>,
}

/// Kept lists of things that are met again and again: each has a number.
pub(super) struct Known<T>(Vec<T>);

impl<T: PartialEq> Known<T> {
    fn number(&mut self, item: T) -> usize {
        self.0.iter().position(|known| *known == item).unwrap_or_else(|| {
            self.0.push(item);
            self.0.len() - 1
        })
    }
}

impl<T> std::ops::Deref for Known<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

/// A last instruction that reads one new value: `value = (wanted − held) · factor`.
pub(super) struct Last {
    pub(super) factor: Element,
    /// How the value is seen in what is wanted.
    pub(super) seen: Seen,
    /// What of the values held may stand beside it: a place in [`Endgame::lists`].
    pub(super) held: usize,
}

/// Two new values, of which neither is made of the other: `first = (wanted − held) · factor − second · ratio`.
pub(super) struct Pair {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) factor: Element,
    pub(super) ratio: Element,
    /// How both are seen in what is wanted.
    pub(super) seen: [Seen; 2],
    pub(super) held: usize,
}

/// Two new values, the second made of the first: `first = (wanted − held) · factor − beside · ratio`, where `beside` are values
/// held that the second one is made of.
pub(super) struct Chain {
    /// The kind of the first value, and from where it is seen in what is wanted: a place in [`Endgame::firsts`]. `None`
    /// where it cancels: then nothing must be left.
    pub(super) first: Option<usize>,
    pub(super) factor: Element,
    pub(super) ratio: Element,
    pub(super) held: usize,
    /// What is beside the first value, and from where that is seen: a place in [`Endgame::besides`].
    pub(super) beside: usize,
    /// How heavily both weigh.
    pub(super) weights: [Weight; 2],
}

/// All ways in which the last two or three instructions, each of the least cost, can fit together.
pub(super) struct Endgame {
    pub(super) templates: Vec<Template>,
    /// How sums see what is held.
    pub(super) looks: Known<Look>,
    /// Sums that go with the same new values.
    pub(super) lists: Known<Vec<usize>>,
    /// Kinds of single results, and from where they are seen.
    pub(super) firsts: Known<(usize, Pixels)>,
    /// Lists, and from where they are seen.
    pub(super) besides: Known<(usize, Pixels)>,
    /// What an instruction makes of values held, by the kind of all that it leaves.
    pub(super) all: Vec<Made>,
    /// The same by the kind of one result, of which no other is used.
    pub(super) single: Vec<Made>,
    /// For each kind of `all` how one more instruction ends it.
    pub(super) last: Vec<Vec<Last>>,
    pub(super) pairs: Vec<Pair>,
    pub(super) chains: Vec<Chain>,
    /// Sums of values held in which a new value cancels.
    pub(super) cancelled: Vec<usize>,
    /// Whether there are instructions between one and two times the least cost, so that three may not be of the least.
    pub(super) uneven: bool,
}

/// A result that is put together: the part that is held, the factors of the new values, and how they are seen.
type Way = (usize, [Element; 2], [Seen; 2]);

/// Ways with the same factors: these, how the new values are seen, and the parts that are held.
type Group = ([Element; 2], [Seen; 2], Vec<usize>);

impl Endgame {
    /// `None` where the results of an instruction are not multiples of one another.
    pub(super) fn new(linear: &[Linear], least: u32, divisions: bool) -> Option<Self> {
        let allowed = |form: &Linear| divisions || !form.divides;
        let usable: Vec<usize> =
            (0..linear.len()).filter(|f| linear[*f].cost == least && allowed(&linear[*f])).collect();
        let uneven = linear.iter().any(|f| allowed(f) && f.cost > least && f.cost <= 2 * least);
        let mut build = Builder {
            linear,
            usable,
            templates: Vec::new(),
            looks: Known(Vec::new()),
            index: FxHashMap::default(),
        };
        let (mut kinds, mut singles): (Vec<Kind>, Vec<Kind>) = (Vec::new(), Vec::new());
        let (mut all, mut of_kind): (Vec<Vec<usize>>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        let mut alone: Vec<(Kind, usize)> = Vec::new();
        for form in build.usable.clone() {
            let kind = kind_of(&linear[form])?;
            let place = intern(&kind, &mut kinds);
            all.resize(kinds.len(), Vec::new());
            of_kind.resize(kinds.len(), Vec::new());
            all[place].push(build.template(form, 0, 0));
            of_kind[place].push(form);
            for (result, (wide, ..)) in kind.members.iter().enumerate() {
                let single =
                    Kind { members: vec![(*wide, Element::ONE, AS_IT_IS)], writes_wide: kind.writes_wide };
                alone.push((single, build.template(form, result, 0)));
            }
        }
        let mut single: Vec<Vec<usize>> = Vec::new();
        let gentler = |kind: &Kind, template: usize| {
            let other = (Kind { writes_wide: false, ..kind.clone() }, template);
            kind.writes_wide && alone.contains(&other)
        };
        for (kind, template) in alone.iter().filter(|(kind, template)| !gentler(kind, *template)) {
            let place = intern(kind, &mut singles);
            single.resize(singles.len(), Vec::new());
            single[place].push(*template);
        }
        all.iter_mut().chain(&mut single).for_each(|templates| {
            templates.sort_unstable();
            templates.dedup();
        });
        let mut endgame = Self {
            templates: Vec::new(),
            looks: Known(Vec::new()),
            lists: Known(Vec::new()),
            firsts: Known(Vec::new()),
            besides: Known(Vec::new()),
            all: all.into_iter().map(|templates| build.made(templates)).collect(),
            single: single.into_iter().map(|templates| build.made(templates)).collect(),
            last: Vec::new(),
            pairs: Vec::new(),
            chains: Vec::new(),
            cancelled: Vec::new(),
            uneven,
        };
        for kind in &kinds {
            let ways = build.last(&[kind], kind.writes_wide);
            let mut last = Vec::new();
            for ([factor, _], [seen, _], held) in by_factors(ways) {
                if factor == Element::ZERO {
                    endgame.cancelled.extend(held);
                } else {
                    let held = endgame.lists.number(held);
                    last.push(Last { factor: factor.inverse(), seen, held });
                }
            }
            endgame.last.push(last);
        }
        for (first, before) in singles.iter().enumerate() {
            for (second, after) in kinds.iter().enumerate() {
                let gone = before.writes_wide || after.writes_wide;
                // What the first one left in the wide register is gone where the second one writes it.
                let both = match (before.members[0].0, after.writes_wide) {
                    (true, true) => Vec::new(),
                    _ => by_factors(build.last(&[before, after], gone)),
                };
                for ([one, other], seen, held) in &both {
                    if *one != Element::ZERO {
                        let factor = one.inverse();
                        let (ratio, held) = (other.times(factor), endgame.lists.number(held.clone()));
                        endgame.pairs.push(Pair { first, second, factor, ratio, seen: *seen, held });
                    } else {
                        endgame.cancelled.extend(held);
                    }
                }
                let middle = by_factors(build.middle(&of_kind[second], before));
                let only = by_factors(build.last(&[after], gone));
                let only = only
                    .into_iter()
                    .map(|([factor, _], [seen, _], held)| ([Element::ZERO, factor], [Seen::NOT, seen], held));
                for ([direct, by_second], [directly, through], held) in only.chain(both) {
                    let held = endgame.lists.number(held);
                    for ([inner, _], [within, _], beside) in &middle {
                        let seen = directly.and(within.within(through));
                        let sum = by_second.times(*inner).add(direct);
                        let (first, factor) = match sum == Element::ZERO {
                            true => (None, Element::ONE),
                            false => (Some(endgame.firsts.number((first, seen.pixels))), sum.inverse()),
                        };
                        let beside = endgame.lists.number(beside.clone());
                        let beside = endgame.besides.number((beside, through.pixels));
                        let ratio = by_second.times(factor);
                        let weights = [seen.weight, through.weight];
                        endgame.chains.push(Chain { first, factor, ratio, held, beside, weights });
                    }
                }
            }
        }
        endgame.cancelled.sort_unstable();
        endgame.cancelled.dedup();
        (endgame.templates, endgame.looks) = (build.templates, build.looks);
        Some(endgame)
    }
}

/// How a value is seen in itself.
const AS_IT_IS: Seen = Seen { pixels: Pixels::HERE, weight: Weight::ONE };

/// The place of a kind among those known; it is added where it is new.
fn intern(kind: &Kind, known: &mut Vec<Kind>) -> usize {
    known.iter().position(|other| other == kind).unwrap_or_else(|| {
        known.push(kind.clone());
        known.len() - 1
    })
}

/// `None` where the results are not multiples of the first.
fn kind_of(form: &Linear) -> Option<Kind> {
    let first = &form.results.first()?.3;
    let pivot = first.iter().position(|c| *c != Element::ZERO);
    let member = |result: usize| {
        let (_, wide, _, coefficients) = &form.results[result];
        let factor = pivot.map_or(Element::ONE, |at| coefficients[at].times(first[at].inverse()));
        let multiple = coefficients.iter().zip(first).all(|(c, f)| *c == f.times(factor));
        let seen = pivot.map_or(Some(AS_IT_IS), |at| {
            let (here, there) = (form.views[0][at], form.views[result][at]);
            let pixels = there.pixels.against(here.pixels)?;
            Some(Seen { pixels, weight: there.weight.against(here.weight) })
        });
        multiple.then_some((*wide, factor, seen?))
    };
    let members: Option<Vec<(bool, Element, Seen)>> = (0..form.results.len()).map(member).collect();
    let writes_wide = form.clobbers_wide || form.results.iter().any(|result| result.1);
    Some(Kind { members: members?, writes_wide })
}

/// Ways with equal factors together, in the order in which they were met.
fn by_factors(mut ways: Vec<Way>) -> Vec<Group> {
    ways.sort_by_key(|(template, factors, _)| (*factors, *template));
    let mut groups: Vec<Group> = Vec::new();
    for (template, factors, seen) in ways {
        match groups.last_mut() {
            Some((known, as_seen, templates)) if *known == factors => {
                *as_seen = [as_seen[0].or(seen[0]), as_seen[1].or(seen[1])];
                if templates.last() != Some(&template) {
                    templates.push(template);
                }
            }
            _ => groups.push((factors, seen, vec![template])),
        }
    }
    groups
}

/// What makes two sums of held values one: coefficients and files of the reads, and which of them exclude each other.
type TemplateKey = (Vec<(Element, bool)>, Vec<(usize, usize)>, Vec<Option<usize>>, usize);

struct Builder<'a> {
    linear: &'a [Linear],
    usable: Vec<usize>,
    templates: Vec<Template>,
    looks: Known<Look>,
    index: FxHashMap<TemplateKey, usize>,
}

impl Builder<'_> {
    /// The sum over the reads outside of `mask`; one number for all forms in which it is the same.
    fn template(&mut self, form: usize, result: usize, mask: u32) -> usize {
        let Linear { reads, results, apart, after, views, .. } = &self.linear[form];
        let mut place = vec![None; reads.len()];
        let mut count = 0;
        for (read, place) in place.iter_mut().enumerate() {
            if mask >> read & 1 == 0 {
                *place = Some(count);
                count += 1;
            }
        }
        let kept = || (0..reads.len()).filter(|read| mask >> read & 1 == 0);
        let terms = kept().map(|read| (results[result].3[read], reads[read].1)).collect();
        let apart = apart.iter().filter_map(|(a, b)| Some((place[*a]?, place[*b]?))).collect();
        let after = kept().map(|read| after[read].and_then(|earlier| place[earlier])).collect();
        let reads_wide = kept().any(|read| reads[read].1);
        let of = |wide: bool| {
            let reads = kept().filter(|read| reads[*read].1 == wide);
            reads.map(|read| views[result][read].pixels).fold(Pixels::NONE, Pixels::join)
        };
        let lever = Lever::new(&self.linear[form], result, |read| mask >> read & 1 == 0);
        let look = self.looks.number(Look { plain: of(false), wide: of(true), lever });
        let templates = &mut self.templates;
        *self.index.entry((terms, apart, after, look)).or_insert_with(|| {
            templates.push(Template { form, result, mask, reads_wide, look });
            templates.len() - 1
        })
    }

    /// What these sums see, those together that move general registers by the same.
    fn made(&self, templates: Vec<usize>) -> Made {
        let mut made = Made { templates, ..Made::default() };
        for template in &made.templates {
            let place = self.templates[*template].look;
            let Look { plain, wide, .. } = self.looks[place];
            let alike = |known: &&mut [Pixels; 2]| {
                known[0] == plain || known[0] == Pixels::NONE || plain == Pixels::NONE
            };
            match made.moves.iter_mut().find(alike) {
                Some(known) => *known = [known[0].join(plain), known[1].join(wide)],
                None => made.moves.push([plain, wide]),
            }
            if !made.looks.contains(&place) {
                made.looks.push(place);
            }
        }
        made
    }

    /// How a last instruction puts the wanted value together from these new values, each of which it reads. What was in the
    /// wide register may be `gone`.
    fn last(&mut self, new: &[&Kind], gone: bool) -> Vec<Way> {
        let mut ways = Vec::new();
        for form in self.usable.clone() {
            for result in 0..self.linear[form].results.len() {
                if !self.linear[form].results[result].1 {
                    self.arrange(form, result, new, gone, &mut ways);
                }
            }
        }
        ways
    }

    /// How an instruction among `forms` puts its first result together from `new`.
    fn middle(&mut self, forms: &[usize], new: &Kind) -> Vec<Way> {
        let mut ways = Vec::new();
        for form in forms {
            self.arrange(*form, 0, &[new], new.writes_wide, &mut ways);
        }
        ways
    }

    fn arrange(&mut self, form: usize, result: usize, new: &[&Kind], gone: bool, ways: &mut Vec<Way>) {
        let mut found = Vec::new();
        let of = |(which, kind): (usize, &&Kind)| {
            kind.members.iter().map(|(wide, ..)| (which, *wide)).collect::<Vec<_>>()
        };
        let files: Vec<(usize, bool)> = new.iter().enumerate().flat_map(of).collect();
        let members: Vec<&(bool, Element, Seen)> = new.iter().flat_map(|kind| &kind.members).collect();
        stand(&self.linear[form], &files, &mut Vec::new(), &mut found);
        for chosen in found {
            let (mut factors, mut seen) = ([Element::ZERO; 2], [Seen::NOT; 2]);
            let (mut mask, mut met) = (0, [false; 2]);
            for (read, member) in chosen.iter().enumerate() {
                let Some(member) = *member else { continue };
                let ((which, _), (_, factor, as_seen)) = (files[member], *members[member]);
                let coefficient = self.linear[form].results[result].3[read];
                factors[which] = factors[which].add(coefficient.times(factor));
                seen[which] = seen[which].and(as_seen.within(self.linear[form].views[result][read]));
                (mask, met[which]) = (mask | 1 << read, true);
            }
            if (0..new.len()).any(|which| !met[which]) {
                continue;
            }
            let template = self.template(form, result, mask);
            if !(gone && self.templates[template].reads_wide) {
                ways.push((template, factors, seen));
            }
        }
    }
}

/// Every way for new values to stand in the reads of a form: for each read the member, or `None` for what is held.
fn stand(
    form: &Linear,
    members: &[(usize, bool)],
    chosen: &mut Vec<Option<usize>>,
    found: &mut Vec<Vec<Option<usize>>>,
) {
    let at = chosen.len();
    if at == form.reads.len() {
        found.push(chosen.clone());
        return;
    }
    // Of reads that are interchangeable, new values stand in the first ones.
    let most = form.after[at].map(|earlier| chosen[earlier]);
    let in_order = |member: Option<usize>| most.is_none_or(|most| member.is_none() || member < most);
    for member in std::iter::once(None).chain((0..members.len()).map(Some)) {
        let file = member.is_none_or(|member| members[member].1 == form.reads[at].1);
        let clash = form.apart.iter().any(|(a, b)| {
            (*b == at && *a < at && member.is_some() && chosen[*a] == member)
                || (*a == at && *b < at && member.is_some() && chosen[*b] == member)
        });
        if file && !clash && in_order(member) {
            chosen.push(member);
            stand(form, members, chosen, found);
            chosen.pop();
        }
    }
}
