//! Decides whether a system of linear inequalities has a solution, and finds one, by Fourier–Motzkin elimination in exact arithmetic.
//! (See Schrijver, Theory of Linear and Integer Programming, 12.2.)

use super::affine::{Affine, Place};
use super::diagram::Trouble;
use crate::algebra::Rational;

/// The maximum number of inequalities at any time.
const MAX_INEQUALITIES: usize = 1_500;

/// `left > 0`, or `left ≥ 0` if it is not strict.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Inequality {
    /// The left side.
    pub(super) left: Affine,
    /// Whether equality is excluded.
    pub(super) strict: bool,
}

/// A solution, with whole numbers near 0 where possible; `None` if there is none. Places without a value are free.
///
/// # Errors
/// [`Trouble`] if the elimination takes too long or a number does not fit.
pub(super) fn solution(system: &[Inequality]) -> Result<Option<Vec<(Place, Rational)>>, Trouble> {
    let mut now: Vec<Inequality> = Vec::new();
    for inequality in system {
        if !keep(&mut now, inequality.clone())? {
            return Ok(None);
        }
    }
    let mut eliminated: Vec<(Place, Vec<Inequality>)> = Vec::new();
    while let Some(place) = cheapest(&now) {
        let (own, others): (Vec<_>, Vec<_>) =
            now.into_iter().partition(|inequality| !coefficient(&inequality.left, place).is_zero());
        now = others;
        let (lower, upper): (Vec<&Inequality>, Vec<&Inequality>) =
            own.iter().partition(|inequality| !coefficient(&inequality.left, place).is_negative());
        for low in &lower {
            for high in &upper {
                let (a, b) = (coefficient(&low.left, place), coefficient(&high.left, place));
                let one = low.left.scale(b.negate()).ok_or(Trouble::Overflow)?;
                let other = high.left.scale(a).ok_or(Trouble::Overflow)?;
                let left = one.add(&other).ok_or(Trouble::Overflow)?;
                if !keep(&mut now, Inequality { left, strict: low.strict || high.strict })? {
                    return Ok(None);
                }
                if now.len() > MAX_INEQUALITIES {
                    return Err(Trouble::Large);
                }
            }
        }
        eliminated.push((place, own));
    }
    let mut found: Vec<(Place, Rational)> = Vec::new();
    for (place, own) in eliminated.iter().rev() {
        let value = chosen(*place, own, &found)?;
        found.push((*place, value));
    }
    Ok(Some(found))
}

/// A bound of a value, and whether it is excluded itself.
type Bound = Option<(Rational, bool)>;

fn coefficient(function: &Affine, place: Place) -> Rational {
    let tap = function.taps().binary_search_by_key(&place, |(own, _)| *own);
    tap.map_or(Rational::ZERO, |index| function.taps()[index].1)
}

/// Adds an inequality unless it follows from another; returns whether it can hold.
fn keep(system: &mut Vec<Inequality>, new: Inequality) -> Result<bool, Trouble> {
    if let Some(number) = new.left.number() {
        let fails = number.is_negative() || new.strict && number.is_zero();
        return Ok(!fails);
    }
    // Divided by the magnitude of its first coefficient, it can be compared with others.
    let (_, first) = new.left.taps()[0];
    let factor = Rational::ONE.div(first.abs()).ok_or(Trouble::Overflow)?;
    let new = Inequality { left: new.left.scale(factor).ok_or(Trouble::Overflow)?, strict: new.strict };
    let twin = system.iter_mut().find(|own| own.left.taps() == new.left.taps());
    match twin {
        Some(own) => {
            let (old, now) = (own.left.offset(), new.left.offset());
            if now < old || now == old && new.strict {
                *own = new;
            }
        }
        None => system.push(new),
    }
    Ok(true)
}

/// The place whose elimination leaves the fewest inequalities.
fn cheapest(system: &[Inequality]) -> Option<Place> {
    let mut counts: Vec<(Place, usize, usize)> = Vec::new();
    let mut signs: Vec<(Place, bool)> = system
        .iter()
        .flat_map(|inequality| inequality.left.taps())
        .map(|(place, k)| (*place, k.is_negative()))
        .collect();
    signs.sort_unstable();
    for (place, negative) in signs {
        if counts.last().is_none_or(|(last, ..)| *last != place) {
            counts.push((place, 0, 0));
        }
        if let Some((_, lower, upper)) = counts.last_mut() {
            *(if negative { upper } else { lower }) += 1;
        }
    }
    counts.into_iter().min_by_key(|(place, lower, upper)| (lower * upper, *place)).map(|(place, ..)| place)
}

/// A value within the bounds that inequalities set, given the values of all other places.
fn chosen(place: Place, own: &[Inequality], found: &[(Place, Rational)]) -> Result<Rational, Trouble> {
    let known = |at: Place| found.iter().find(|(own, _)| *own == at).map_or(Rational::ZERO, |(_, v)| *v);
    let (mut low, mut high): (Bound, Bound) = (None, None);
    for inequality in own {
        let k = coefficient(&inequality.left, place);
        let rest = |at: Place| if at == place { Rational::ZERO } else { known(at) };
        let rest = inequality.left.value(&rest).ok_or(Trouble::Overflow)?;
        let bound = rest.negate().div(k).ok_or(Trouble::Overflow)?;
        let side = if k.is_negative() { &mut high } else { &mut low };
        let tighter = side.is_none_or(|(own, strict)| match k.is_negative() {
            false => bound > own || bound == own && inequality.strict && !strict,
            true => bound < own || bound == own && inequality.strict && !strict,
        });
        if tighter {
            *side = Some((bound, inequality.strict));
        }
    }
    let fits = |value: Rational| {
        low.is_none_or(|(bound, strict)| value > bound || value == bound && !strict)
            && high.is_none_or(|(bound, strict)| value < bound || value == bound && !strict)
    };
    let whole = |bound: Bound, step: i64| {
        let bound = bound?.0;
        let down = Rational::integer(bound.floor());
        [Some(down), down.add(Rational::integer(1)), down.add(Rational::integer(step))]
            .into_iter()
            .flatten()
            .filter(|value| fits(*value))
            .min_by_key(|value| value.abs())
    };
    if fits(Rational::ZERO) {
        return Ok(Rational::ZERO);
    }
    let near = whole(low, 2).into_iter().chain(whole(high, -1)).min_by_key(|value| value.abs());
    let half = Rational::new(1, 2).expect("one half is a number");
    let middle = || match (low, high) {
        (Some((low, _)), Some((high, _))) => low.add(high).and_then(|sum| sum.mul(half)),
        (Some((bound, _)), None) => bound.add(Rational::ONE),
        (None, Some((bound, _))) => bound.sub(Rational::ONE),
        (None, None) => Some(Rational::ZERO),
    };
    near.or_else(middle).ok_or(Trouble::Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(index: i32) -> Place {
        (0, [index, 0, 0])
    }

    /// Σ k · x_i + c > 0 (or ≥ 0).
    fn inequality(terms: &[(i32, i64)], constant: i64, strict: bool) -> Inequality {
        let taps = terms.iter().map(|(index, k)| (at(*index), Rational::integer(*k)));
        Inequality { left: Affine::from_taps(taps, Rational::integer(constant)).unwrap(), strict }
    }

    fn holds(system: &[Inequality], point: &[(Place, Rational)]) -> bool {
        let value = |place| point.iter().find(|(own, _)| *own == place).map_or(Rational::ZERO, |(_, v)| *v);
        system.iter().all(|own| {
            let left = own.left.value(&value).unwrap();
            let fails = left.is_negative() || own.strict && left.is_zero();
            !fails
        })
    }

    #[test]
    fn orders_that_are_cycles_have_no_solution() {
        let mut system = vec![
            inequality(&[(0, 1), (1, -1)], 0, true),
            inequality(&[(1, 1), (2, -1)], 0, true),
            inequality(&[(2, 1), (0, -1)], 0, false),
        ];
        assert_eq!(solution(&system), Ok(None));
        system.pop();
        let found = solution(&system).unwrap().unwrap();
        assert!(holds(&system, &found));
    }

    #[test]
    fn solutions_satisfy_every_inequality_of_random_systems() {
        let mut random = crate::algebra::Random::stream(7, 0);
        let (mut solved, mut impossible) = (0, 0);
        for _ in 0..300 {
            let mut number = |from: i64, to: i64| from + (random.next() % (to - from + 1) as u64) as i64;
            let system: Vec<Inequality> = (0..number(1, 6))
                .map(|_| {
                    let terms: Vec<(i32, i64)> = (0..3).map(|i| (i, number(-3, 3))).collect();
                    inequality(&terms, number(-4, 4), number(0, 1) == 1)
                })
                .collect();
            match solution(&system).unwrap() {
                Some(found) => {
                    solved += 1;
                    assert!(holds(&system, &found), "{system:?} {found:?}");
                }
                None => {
                    impossible += 1;
                    // No small whole numbers solve it either.
                    for index in 0..7i64.pow(3) {
                        let digit = |i: u32| Rational::integer(index / 7i64.pow(i) % 7 - 3);
                        let point: Vec<(Place, Rational)> =
                            (0..3).map(|i| (at(i as i32), digit(i))).collect();
                        assert!(!holds(&system, &point), "{system:?} {point:?}");
                    }
                }
            }
        }
        assert!(solved > 20 && impossible > 20, "both cases are tried: {solved} {impossible}");
    }
}
