//! The ways in which one instruction combines new values with held ones (`endgame_table.rs` puts them together).

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::endgame::{Look, Made, Template};
use super::fingerprint::Element;
use super::linear::{Lever, Linear};
use super::pixels::{Pixels, Seen, Weight};

/// The results of an instruction: their files, and their factors relative to the first result.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Kind {
    /// For each result: whether it is in the wide register, its factor, and how it sees the first one.
    pub(super) members: Vec<(bool, Element, Seen)>,
    /// Whether the wide register is overwritten.
    pub(super) writes_wide: bool,
}

impl Kind {
    /// The results in general registers.
    pub(super) fn in_general(&self) -> Self {
        let members = self.members.iter().filter(|member| !member.0).copied().collect();
        Self { members, ..self.clone() }
    }
}

/// The results of the first new instruction that a sum reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Uses {
    general: bool,
    wide: bool,
    /// Two results in general registers.
    twice: bool,
}

impl Uses {
    /// Whether the two sums together need several results.
    pub(super) fn take_several(self, other: Self) -> bool {
        self.twice || other.twice || (self.general || other.general) && (self.wide || other.wide)
    }
}

/// A combined result: the held part, the factors of the new values, how they are seen, and the results of the first instruction
/// that are read.
pub(super) struct Way {
    held: usize,
    factors: [Element; 2],
    seen: [Seen; 2],
    uses: Uses,
}

/// Ways with the same factors and uses, with their held parts.
pub(super) struct Group {
    pub(super) factors: [Element; 2],
    pub(super) seen: [Seen; 2],
    pub(super) uses: Uses,
    pub(super) held: Vec<usize>,
}

impl Group {
    /// Turns ways with one new value into ways with two, of which the second is that value.
    pub(super) fn of_second(self) -> Self {
        let ([factor, _], [seen, _]) = (self.factors, self.seen);
        Self { factors: [Element::ZERO, factor], seen: [Seen::NOT, seen], uses: Uses::default(), ..self }
    }
}

/// How a value sees itself.
pub(super) const AS_IT_IS: Seen = Seen { pixels: Pixels::HERE, weight: Weight::ONE };

/// The index of an item, which is added if it is new.
pub(super) fn intern<T: PartialEq + Clone>(item: &T, known: &mut Vec<T>) -> usize {
    known.iter().position(|other| other == item).unwrap_or_else(|| {
        known.push(item.clone());
        known.len() - 1
    })
}

/// The kind of a form; `None` if its results are not multiples of the first.
pub(super) fn kind_of(form: &Linear) -> Option<Kind> {
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
    let writes_wide = form.writes_wide();
    Some(Kind { members: members?, writes_wide })
}

/// Groups ways with equal factors and uses, in the order of these.
pub(super) fn by_factors(mut ways: Vec<Way>) -> Vec<Group> {
    ways.sort_unstable_by_key(|way| (way.factors, way.uses, way.held));
    let mut groups: Vec<Group> = Vec::new();
    for Way { held, factors, seen, uses } in ways {
        match groups.last_mut() {
            Some(group) if group.factors == factors && group.uses == uses => {
                group.seen = [group.seen[0].or(seen[0]), group.seen[1].or(seen[1])];
                if group.held.last() != Some(&held) {
                    group.held.push(held);
                }
            }
            _ => groups.push(Group { factors, seen, uses, held: vec![held] }),
        }
    }
    groups
}

/// The identity of a sum of held values: coefficients and files of the reads, and which reads exclude each other.
type TemplateKey = (Vec<(Element, bool)>, Vec<(usize, usize)>, Vec<Option<usize>>, usize);

#[derive(Default)]
pub(super) struct Builder<'a> {
    pub(super) linear: &'a [Linear],
    pub(super) usable: Vec<usize>,
    pub(super) templates: Vec<Template>,
    pub(super) looks: Vec<Look>,
    index: FxHashMap<TemplateKey, usize>,
    /// The templates by form, result and mask.
    numbers: FxHashMap<(usize, usize, u32), usize>,
    /// The assignments of new values to a form's reads, by form and files.
    assigned: FxHashMap<(usize, Files), Rc<[Chosen]>>,
    inverses: FxHashMap<Element, Element>,
}

impl<'a> Builder<'a> {
    /// `usable` are the forms that may be among the last instructions.
    pub(super) fn new(linear: &'a [Linear], usable: Vec<usize>) -> Self {
        Self { linear, usable, ..Self::default() }
    }

    /// The sum over the reads outside `mask`; forms with the same sum share a number.
    pub(super) fn template(&mut self, form: usize, result: usize, mask: u32) -> usize {
        if let Some(known) = self.numbers.get(&(form, result, mask)) {
            return *known;
        }
        let number = self.new_template(form, result, mask);
        self.numbers.insert((form, result, mask), number);
        number
    }

    fn new_template(&mut self, form: usize, result: usize, mask: u32) -> usize {
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
        let look = intern(&Look { plain: of(false), wide: of(true), lever }, &mut self.looks);
        let templates = &mut self.templates;
        *self.index.entry((terms, apart, after, look)).or_insert_with(|| {
            templates.push(Template { form, result, mask, reads_wide, look });
            templates.len() - 1
        })
    }

    /// The sums of held values that instructions leave in general registers.
    pub(super) fn finals(&mut self) -> Vec<usize> {
        let mut finals = Vec::new();
        for form in self.usable.clone() {
            for result in 0..self.linear[form].results.len() {
                if !self.linear[form].results[result].1 {
                    finals.push(self.template(form, result, 0));
                }
            }
        }
        finals.sort_unstable();
        finals.dedup();
        finals
    }

    /// The values of these sums, with the offsets joined for sums that move general registers alike.
    pub(super) fn made(&self, templates: Vec<usize>) -> Made {
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

    /// The ways in which a last instruction combines these new values, each of which it reads, into the wanted one. `gone` says that the
    /// wide register may have been overwritten.
    pub(super) fn last(&mut self, new: &[&Kind], gone: bool) -> Vec<Way> {
        let (mut ways, members) = (Vec::new(), members_of(new));
        // The wide register may have been the only result.
        if new.iter().any(|kind| kind.members.is_empty()) {
            return ways;
        }
        for form in self.usable.clone() {
            for result in 0..self.linear[form].results.len() {
                if !self.linear[form].results[result].1 {
                    self.arrange([form, result], &members, gone, &mut ways);
                }
            }
        }
        ways
    }

    /// The ways in which an instruction among `forms` combines `new` into its first result.
    pub(super) fn middle(&mut self, forms: &[usize], new: &Kind) -> Vec<Way> {
        let (mut ways, members) = (Vec::new(), members_of(&[new]));
        for form in forms {
            self.arrange([*form, 0], &members, new.writes_wide, &mut ways);
        }
        ways
    }

    /// The assignments of new values to the reads of a form in which every new instruction is read.
    fn assignments(&mut self, form: usize, members: &[Member]) -> Rc<[Chosen]> {
        let files: Files = members.iter().map(|member| (member.which, member.wide)).collect();
        let find = |(form, files): &(usize, Files)| {
            let mut found = Vec::new();
            assign(&self.linear[*form], files, &mut Chosen::new(), &mut found);
            found.into()
        };
        Rc::clone(self.assigned.entry((form, files)).or_insert_with_key(find))
    }

    fn arrange(&mut self, [form, result]: [usize; 2], members: &[Member], gone: bool, ways: &mut Vec<Way>) {
        for chosen in self.assignments(form, members).iter() {
            let (mut factors, mut seen) = ([Element::ZERO; 2], [Seen::NOT; 2]);
            let (mut mask, mut uses) = (0, Uses::default());
            for (read, member) in chosen.iter().enumerate() {
                let Some(member) = *member else { continue };
                let Member { which, wide, factor, seen: as_seen } = members[member];
                let Linear { results, views, .. } = &self.linear[form];
                factors[which] = factors[which].add(results[result].3[read].times(factor));
                seen[which] = seen[which].and(as_seen.within(views[result][read]));
                mask |= 1 << read;
                if which == 0 {
                    uses.twice |= uses.general && !wide;
                    *(if wide { &mut uses.wide } else { &mut uses.general }) = true;
                }
            }
            let template = self.template(form, result, mask);
            if !(gone && self.templates[template].reads_wide) {
                ways.push(Way { held: template, factors, seen, uses });
            }
        }
    }

    /// The inverse, which takes a hundred products the first time.
    pub(super) fn inverse(&mut self, element: Element) -> Element {
        *self.inverses.entry(element).or_insert_with(|| element.inverse())
    }
}

/// A result of a new instruction.
#[derive(Clone, Copy)]
struct Member {
    /// The instruction.
    which: usize,
    wide: bool,
    factor: Element,
    seen: Seen,
}

/// The results of new instructions.
fn members_of(new: &[&Kind]) -> Vec<Member> {
    let of = |(which, kind): (usize, &Kind)| {
        let member = |(wide, factor, seen)| Member { which, wide, factor, seen };
        kind.members.iter().copied().map(member).collect::<Vec<_>>()
    };
    new.iter().copied().enumerate().flat_map(of).collect()
}

/// For each new value its instruction, and whether it is in the wide register.
type Files = Vec<(usize, bool)>;

/// For each read of a form the new value, or `None` for a held one.
type Chosen = SmallVec<[Option<usize>; 6]>;

/// Adds the assignments that begin with this one and in which every new instruction is read.
fn assign(form: &Linear, files: &[(usize, bool)], chosen: &mut Chosen, found: &mut Vec<Chosen>) {
    let at = chosen.len();
    if at == form.reads.len() {
        let met = |which| chosen.iter().flatten().any(|member| files[*member].0 == which);
        if files.iter().all(|(which, _)| met(*which)) {
            found.push(chosen.clone());
        }
        return;
    }
    // Among interchangeable reads, new values take the first ones.
    let most = form.after[at].map(|earlier| chosen[earlier]);
    let in_order = |member: Option<usize>| most.is_none_or(|most| member.is_none() || member < most);
    for member in std::iter::once(None).chain((0..files.len()).map(Some)) {
        let file = member.is_none_or(|member| files[member].1 == form.reads[at].1);
        let clash = form.apart.iter().any(|(a, b)| {
            (*b == at && *a < at && member.is_some() && chosen[*a] == member)
                || (*a == at && *b < at && member.is_some() && chosen[*b] == member)
        });
        if file && !clash && in_order(member) {
            chosen.push(member);
            assign(form, files, chosen, found);
            chosen.pop();
        }
    }
}
