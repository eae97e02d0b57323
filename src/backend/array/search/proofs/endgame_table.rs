//! Computes the ways in which the last instructions of a program can fit together (`endgame.rs`).

use super::endgame::{Alike, Both, Chain, Endgame, Known, Last, Lasts, Looked, Pair, Pairs};
use super::endgame_ways::{AS_IT_IS, Builder, Group, Kind, Uses, by_factors, intern, kind_of};
use super::fingerprint::Element;
use super::linear::Linear;
use super::pixels::Pixels;

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
        let mut build = Builder::new(linear, usable);
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
                endgame.add_pairs(&mut build, two, &both, &mut pairs);
                let middle = by_factors(build.middle(&forms[second], before));
                let only =
                    by_factors(build.last(&[after], two.is_wide_gone())).into_iter().map(Group::of_second);
                endgame.add_chains(&mut build, two, only.chain(both), &middle, &mut chains);
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
            let (held, way) = (self.lists.number(held), Last { factor: build.inverse(factor), seen });
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
    fn add_pairs(
        &mut self,
        build: &mut Builder<'_>,
        two: Two<'_>,
        both: &[Group],
        pairs: &mut Vec<(usize, Pair)>,
    ) {
        for Group { factors: [one, other], seen, uses, held } in both {
            if !two.uses_all(*uses, Uses::default()) {
                continue;
            }
            if *one == Element::ZERO {
                self.cancelled.extend(held);
                continue;
            }
            let factor = build.inverse(*one);
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
        build: &mut Builder<'_>,
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
                    false => (Some(self.firsts.number((two.first, seen.pixels))), build.inverse(sum)),
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
