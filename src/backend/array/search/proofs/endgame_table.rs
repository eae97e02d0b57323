//! Computes the ways in which the last instructions of a program can fit together (`endgame.rs`).

use rustc_hash::FxHashMap;

use super::endgame::{
    Alike, Both, Chain, Endgame, Known, Last, Lasts, Look, Looked, Made, Pair, Pairs, Template,
};
use super::fingerprint::Element;
use super::linear::{Lever, Linear};
use super::pixels::{Pixels, Seen, Weight};

/// The results of an instruction: their files, and their factors relative to the first result.
#[derive(Clone, PartialEq, Debug)]
struct Kind {
    /// For each result: whether it is in the wide register, its factor, and how it sees the first one.
    members: Vec<(bool, Element, Seen)>,
    /// Whether the wide register is overwritten.
    writes_wide: bool,
}

impl Kind {
    /// The results in general registers.
    fn in_general(&self) -> Self {
        let members = self.members.iter().filter(|member| !member.0).copied().collect();
        Self { members, ..self.clone() }
    }
}

/// The results of the first new instruction that a sum reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Uses {
    general: bool,
    wide: bool,
    /// Two results in general registers.
    twice: bool,
}

impl Uses {
    /// Whether the two sums together need several results.
    fn take_several(self, other: Self) -> bool {
        self.twice || other.twice || (self.general || other.general) && (self.wide || other.wide)
    }
}

/// A combined result: the held part, the factors of the new values, how they are seen, and the results of the first instruction
/// that are read.
struct Way {
    held: usize,
    factors: [Element; 2],
    seen: [Seen; 2],
    uses: Uses,
}

/// Ways with the same factors and uses, with their held parts.
struct Group {
    factors: [Element; 2],
    seen: [Seen; 2],
    uses: Uses,
    held: Vec<usize>,
}

impl Group {
    /// Turns ways with one new value into ways with two, of which the second is that value.
    fn of_second(self) -> Self {
        let ([factor, _], [seen, _]) = (self.factors, self.seen);
        Self { factors: [Element::ZERO, factor], seen: [Seen::NOT, seen], uses: Uses::default(), ..self }
    }
}

/// The kinds of results of the instructions with the least cost.
#[derive(Default)]
struct Kinds {
    kinds: Vec<Kind>,
    /// For each kind, the sums that its first result can be, and the forms that have it.
    sums: Vec<Vec<usize>>,
    forms: Vec<Vec<usize>>,
    /// The kinds of the first of three instructions: one result, or several, each with its index in `opening`.
    begun: Vec<(Kind, usize)>,
    /// The sums of each of these.
    opening: Vec<Vec<usize>>,
}

impl Kinds {
    /// Returns `None` if the results of an instruction are not multiples of each other.
    fn new(build: &mut Builder<'_>) -> Option<Self> {
        let mut found = Self::default();
        let mut alone: Vec<(Kind, usize)> = Vec::new();
        for form in build.usable.clone() {
            let kind = kind_of(&build.linear[form])?;
            let place = intern(&kind, &mut found.kinds);
            found.sums.resize(found.kinds.len(), Vec::new());
            found.forms.resize(found.kinds.len(), Vec::new());
            found.sums[place].push(build.template(form, 0, 0));
            found.forms[place].push(form);
            for (result, (wide, ..)) in kind.members.iter().enumerate() {
                let single =
                    Kind { members: vec![(*wide, Element::ONE, AS_IT_IS)], writes_wide: kind.writes_wide };
                alone.push((single, build.template(form, result, 0)));
            }
        }
        let mut singles: Vec<Kind> = Vec::new();
        let gentler = |kind: &Kind, template: usize| {
            let other = (Kind { writes_wide: false, ..kind.clone() }, template);
            kind.writes_wide && alone.contains(&other)
        };
        for (kind, template) in alone.iter().filter(|(kind, template)| !gentler(kind, *template)) {
            let place = intern(kind, &mut singles);
            found.opening.resize(singles.len(), Vec::new());
            found.opening[place].push(*template);
        }
        found.sums.iter_mut().chain(&mut found.opening).for_each(|templates| {
            templates.sort_unstable();
            templates.dedup();
        });
        found.begun = singles.into_iter().zip(0..).collect();
        for (kind, sums) in found.kinds.iter().zip(&found.sums).filter(|(kind, _)| kind.members.len() > 1) {
            found.begun.push((kind.clone(), intern(sums, &mut found.opening)));
        }
        Some(found)
    }
}

/// Two instructions before the last one: the kinds of their results, with indices into `opening` and `all`.
#[derive(Clone, Copy)]
struct Two<'a> {
    before: &'a Kind,
    first: usize,
    after: &'a Kind,
    second: usize,
}

impl Two<'_> {
    /// Whether this use of the first instruction's results needs several of them; the use of one result is a separate case.
    fn uses_all(self, one: Uses, other: Uses) -> bool {
        self.before.members.len() == 1 || one.take_several(other)
    }

    /// Whether the wide register is overwritten.
    fn is_wide_gone(self) -> bool {
        self.before.writes_wide || self.after.writes_wide
    }
}

impl Endgame {
    /// Returns `None` if the results of an instruction are not multiples of each other.
    pub(crate) fn new(linear: &[Linear], least: u32, divisions: bool) -> Option<Self> {
        let allowed = |form: &Linear| divisions || !form.divides();
        // An empty sum adds nothing.
        let of_use = |form: &Linear| form.cost == least && allowed(form) && !form.reads.is_empty();
        let usable: Vec<usize> = (0..linear.len()).filter(|form| of_use(&linear[*form])).collect();
        let uneven = linear.iter().any(|f| allowed(f) && f.cost > least && f.cost <= 2 * least);
        let mut build =
            Builder { linear, usable, templates: Vec::new(), looks: Vec::new(), index: FxHashMap::default() };
        let Kinds { kinds, sums, forms, begun, opening } = Kinds::new(&mut build)?;
        let mut endgame = Self {
            templates: Vec::new(),
            looks: Vec::new(),
            lists: Known::default(),
            firsts: Known::default(),
            seconds: Known::default(),
            besides: Known::default(),
            all: sums.into_iter().map(|templates| build.made(templates)).collect(),
            opening: opening.into_iter().map(|templates| build.made(templates)).collect(),
            last: Vec::new(),
            pairs: Vec::new(),
            chains: Vec::new(),
            finals: build.finals(),
            cancelled: Vec::new(),
            uneven,
        };
        for kind in &kinds {
            let last = endgame.lasts(&mut build, kind);
            endgame.last.push(last);
        }
        let (mut pairs, mut chains) = (Vec::new(), Vec::new());
        for (before, first) in &begun {
            for (second, after) in kinds.iter().enumerate() {
                let two = Two { before, first: *first, after, second };
                // The second instruction may overwrite the first one's result in the wide register.
                let left = if after.writes_wide { before.in_general() } else { before.clone() };
                let both = by_factors(build.last(&[&left, after], two.is_wide_gone()));
                endgame.add_pairs(two, &both, &mut pairs);
                let middle = by_factors(build.middle(&forms[second], before));
                let only =
                    by_factors(build.last(&[after], two.is_wide_gone())).into_iter().map(Group::of_second);
                endgame.add_chains(two, only.chain(both), &middle, &mut chains);
            }
        }
        endgame.pairs = endgame.pairs_in_groups(pairs);
        endgame.chains = endgame.chains_in_groups(chains);
        endgame.cancelled.sort_unstable();
        endgame.cancelled.dedup();
        (endgame.templates, endgame.looks) = (build.templates, build.looks);
        Some(endgame)
    }

    /// The ways in which one more instruction can follow a kind.
    fn lasts(&mut self, build: &mut Builder<'_>, kind: &Kind) -> Vec<Lasts> {
        let mut last: Vec<Lasts> = Vec::new();
        for Group { factors: [factor, _], seen: [seen, _], held, .. } in
            by_factors(build.last(&[kind], kind.writes_wide))
        {
            if factor == Element::ZERO {
                self.cancelled.extend(held);
                continue;
            }
            let (held, way) = (self.lists.number(held), Last { factor: factor.inverse(), seen });
            match last.iter_mut().find(|lasts| lasts.held == held) {
                Some(lasts) => {
                    lasts.seen = lasts.seen.or(seen);
                    lasts.ways.push(way);
                }
                None => last.push(Lasts { held, seen, ways: vec![way] }),
            }
        }
        last
    }

    /// Adds last instructions that read both of two results, neither of which is made from the other.
    fn add_pairs(&mut self, two: Two<'_>, both: &[Group], pairs: &mut Vec<(usize, Pair)>) {
        for Group { factors: [one, other], seen, uses, held } in both {
            if !two.uses_all(*uses, Uses::default()) {
                continue;
            }
            if *one == Element::ZERO {
                self.cancelled.extend(held);
                continue;
            }
            let factor = one.inverse();
            let (ratio, held) = (other.times(factor), self.lists.number(held.clone()));
            let both = Both {
                first: self.firsts.number((two.first, seen[0].pixels)),
                second: self.seconds.number((two.second, seen[1].pixels)),
                weights: seen.map(|seen| seen.weight),
            };
            pairs.push((held, Pair { both, factor, ratio }));
        }
    }

    /// Adds last instructions that read the second of two results, which is made from the first (`middle`).
    fn add_chains(
        &mut self,
        two: Two<'_>,
        ends: impl Iterator<Item = Group>,
        middle: &[Group],
        chains: &mut Vec<(usize, usize, Chain)>,
    ) {
        for Group { factors: [direct, by_second], seen: [directly, through], uses, held } in ends {
            let held = self.lists.number(held);
            for Group { factors: [inner, _], seen: [within, _], uses: before, held: beside } in middle {
                if !two.uses_all(uses, *before) {
                    continue;
                }
                let seen = directly.and(within.within(through));
                let sum = by_second.times(*inner).add(direct);
                let (first, factor) = match sum == Element::ZERO {
                    true => (None, Element::ONE),
                    false => (Some(self.firsts.number((two.first, seen.pixels))), sum.inverse()),
                };
                let beside = self.lists.number(beside.clone());
                let beside = self.besides.number((beside, through.pixels));
                let ratio = by_second.times(factor);
                let looked = Looked { first, weights: [seen.weight, through.weight] };
                chains.push((held, beside, Chain { looked, factor, ratio }));
            }
        }
    }

    /// Groups pairs, each with its index in `lists`, by their common parts.
    fn pairs_in_groups(&mut self, mut pairs: Vec<(usize, Pair)>) -> Vec<Pairs> {
        let (firsts, seconds) = (&mut self.firsts, &mut self.seconds);
        let kinds = |known: [&Known<(usize, Pixels)>; 2], both: Both| {
            [known[0][both.first].0, known[1][both.second].0]
        };
        pairs.sort_by_key(|(held, pair)| (*held, kinds([firsts, seconds], pair.both)));
        let mut groups: Vec<Pairs> = Vec::new();
        for (held, pair) in pairs {
            let alike = |group: &&mut Pairs| {
                group.held == held
                    && kinds([firsts, seconds], group.both) == kinds([firsts, seconds], pair.both)
            };
            match groups.last_mut().filter(alike) {
                Some(group) => {
                    let Both { first, second, weights } = &mut group.both;
                    *first = join(firsts, *first, pair.both.first);
                    *second = join(seconds, *second, pair.both.second);
                    *weights = std::array::from_fn(|i| weights[i].or(pair.both.weights[i]));
                    group.ways.push(pair);
                }
                None => groups.push(Pairs { held, both: pair.both, ways: vec![pair] }),
            }
        }
        groups
    }

    /// Groups chains, each with its indices in `lists` and `besides`, by their common parts.
    fn chains_in_groups(&mut self, chains: Vec<(usize, usize, Chain)>) -> Vec<Alike<Alike<Chain>>> {
        let of = |(held, beside, chain): (usize, usize, Chain)| {
            let kind = chain.looked.first.map(|first| self.firsts[first].0);
            ((held, self.besides[beside].0, kind), beside, chain)
        };
        let mut chains: Vec<_> = chains.into_iter().map(of).collect();
        chains.sort_by_key(|(of, beside, chain)| (*of, *beside, chain.looked.first));
        let mut groups = Vec::new();
        for group in chains.chunk_by(|a, b| a.0 == b.0) {
            let held = group[0].0.0;
            let ways = group.chunk_by(|a, b| a.1 == b.1).map(|ways| {
                let chains = ways.iter().map(|(.., chain)| *chain).collect();
                self.alike(held, chains, |chain| (ways[0].1, chain.looked))
            });
            let ways: Vec<Alike<Chain>> = ways.collect();
            groups.push(self.alike(held, ways, |alike| (alike.beside, alike.looked)));
        }
        groups
    }

    /// Joins ways with the same list of values beside the first one and the same kind of first value.
    fn alike<T>(&mut self, held: usize, ways: Vec<T>, of: impl Fn(&T) -> (usize, Looked)) -> Alike<T> {
        let all = ways.iter().map(&of).reduce(|(beside, looked), (other, by)| {
            let beside = join(&mut self.besides, beside, other);
            let first = looked.first.zip(by.first).map(|(first, other)| join(&mut self.firsts, first, other));
            let weights = std::array::from_fn(|i| looked.weights[i].or(by.weights[i]));
            (beside, Looked { first, weights })
        });
        let (beside, looked) = all.expect("a group holds something");
        Alike { held, beside, looked, ways }
    }
}

/// Joins the offsets of the same value.
fn join(known: &mut Known<(usize, Pixels)>, one: usize, other: usize) -> usize {
    let ((of, pixels), (_, also)) = (known[one], known[other]);
    known.number((of, pixels.join(also)))
}

/// How a value sees itself.
const AS_IT_IS: Seen = Seen { pixels: Pixels::HERE, weight: Weight::ONE };

/// The index of an item, which is added if it is new.
fn intern<T: PartialEq + Clone>(item: &T, known: &mut Vec<T>) -> usize {
    known.iter().position(|other| other == item).unwrap_or_else(|| {
        known.push(item.clone());
        known.len() - 1
    })
}

/// The kind of a form; `None` if its results are not multiples of the first.
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
    let writes_wide = form.writes_wide();
    Some(Kind { members: members?, writes_wide })
}

/// Groups ways with equal factors and uses, in the order of first occurrence.
fn by_factors(mut ways: Vec<Way>) -> Vec<Group> {
    ways.sort_by_key(|way| (way.factors, way.uses, way.held));
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

struct Builder<'a> {
    linear: &'a [Linear],
    usable: Vec<usize>,
    templates: Vec<Template>,
    looks: Vec<Look>,
    index: FxHashMap<TemplateKey, usize>,
}

impl Builder<'_> {
    /// The sum over the reads outside `mask`; forms with the same sum share a number.
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
        let look = intern(&Look { plain: of(false), wide: of(true), lever }, &mut self.looks);
        let templates = &mut self.templates;
        *self.index.entry((terms, apart, after, look)).or_insert_with(|| {
            templates.push(Template { form, result, mask, reads_wide, look });
            templates.len() - 1
        })
    }

    /// The sums of held values that instructions leave in general registers.
    fn finals(&mut self) -> Vec<usize> {
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

    /// The ways in which a last instruction combines these new values, each of which it reads, into the wanted one. `gone` says that the
    /// wide register may have been overwritten.
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

    /// The ways in which an instruction among `forms` combines `new` into its first result.
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
            let (mut mask, mut met, mut uses) = (0, [false; 2], Uses::default());
            for (read, member) in chosen.iter().enumerate() {
                let Some(member) = *member else { continue };
                let ((which, wide), (_, factor, as_seen)) = (files[member], *members[member]);
                let coefficient = self.linear[form].results[result].3[read];
                factors[which] = factors[which].add(coefficient.times(factor));
                seen[which] = seen[which].and(as_seen.within(self.linear[form].views[result][read]));
                (mask, met[which]) = (mask | 1 << read, true);
                if which == 0 {
                    uses.twice |= uses.general && !wide;
                    *(if wide { &mut uses.wide } else { &mut uses.general }) = true;
                }
            }
            if (0..new.len()).any(|which| !met[which]) {
                continue;
            }
            let template = self.template(form, result, mask);
            if !(gone && self.templates[template].reads_wide) {
                ways.push(Way { held: template, factors, seen, uses });
            }
        }
    }
}

/// Every assignment of new values to the reads of a form: for each read the new value, or `None` for a held one.
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
    // Among interchangeable reads, new values take the first ones.
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
