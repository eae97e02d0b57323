//! The language of the e-graph: n-ary canonical sums, and compositions, of kernels modulo translation, sign and powers
//! of two.
//!
//! Every e-node denotes exactly one canonical [`Shape`]; the group elements that place the parts are on the edges of
//! sums. E-nodes know nothing about rules or about the table from denotations to e-classes; for both, see `saturate`.

use std::fmt;
use std::sync::Arc;

use egg::{Id, Language};

use crate::algebra::{Arithmetic, Label, Placed, Rational, Shape};

/// An e-node. Two e-nodes with the same denotation belong to the same e-class, independently of any rules.
///
/// A composition needs no label: the product of two canonical shapes is canonical. Its box starts at the sum of the
/// boxes' corners, its first coefficient is the product of the first coefficients, and its content is the product of the
/// contents (Gauss's lemma), so it is not even where neither factor is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Node {
    /// The identity kernel on one of the input channels. If there is only one channel, it is the identity `(id)`.
    Channel {
        /// The input channel.
        channel: u16,
        /// The number of input channels.
        channels: u16,
        /// The arithmetic of the coefficients.
        arithmetic: Arithmetic,
    },
    /// A kernel given by its taps: the term before any decomposition.
    Taps(Arc<Shape>),
    /// Σ label · child in canonical order; see [`Sum`].
    Sum(Sum),
    /// `outer ∘ inner`: the outer e-class has one channel, and the inner one has the channels of the e-node's e-class.
    Compose([Id; 2]),
}

/// Labels and children of a sum, sorted by child and offset; no two entries share both, and none is zero.
///
/// The order is restored whenever egg updates the children, so associativity and commutativity cost nothing. As rules
/// on binary sums they would cost 3^n e-nodes for n taps.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sum {
    children: Box<[Id]>,
    labels: Box<[Label]>,
    arithmetic: Arithmetic,
}

/// The key by which e-matching indexes e-nodes: operator and arity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    /// [`Node::Channel`].
    Channel,
    /// [`Node::Taps`].
    Taps,
    /// [`Node::Sum`] with this many terms.
    Sum(usize),
    /// [`Node::Compose`].
    Compose,
}

impl Sum {
    /// The canonical sum of `terms`: like terms are merged and zeros dropped. Two scales whose sum overflows stay
    /// separate.
    pub fn new(arithmetic: Arithmetic, terms: impl IntoIterator<Item = (Label, Id)>) -> Self {
        let mut sum = Self { children: Box::default(), labels: Box::default(), arithmetic };
        sum.assign(terms.into_iter().collect());
        sum
    }

    /// The arithmetic of the coefficients.
    pub fn arithmetic(&self) -> Arithmetic {
        self.arithmetic
    }

    /// The terms in canonical order.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = (Label, Id)> + '_ {
        self.labels.iter().copied().zip(self.children.iter().copied())
    }

    /// Restores the canonical order after a change of the children.
    fn canonicalize(&mut self) {
        let key = |i: usize| (self.children[i], self.labels[i].offset);
        let strictly_sorted = (1..self.children.len()).all(|i| key(i - 1) < key(i));
        if !strictly_sorted {
            self.assign(self.terms().collect());
        }
    }

    fn assign(&mut self, mut terms: Vec<(Label, Id)>) {
        terms.sort_unstable_by_key(|(label, child)| (*child, label.offset, label.scale, label.weight));
        let mut merged: Vec<(Label, Id)> = Vec::with_capacity(terms.len());
        for (label, child) in terms {
            let like = merged.last_mut().filter(|(l, c)| *c == child && l.offset == label.offset);
            match like.and_then(|(l, _)| Some((l.plus(label, self.arithmetic)?, l))) {
                Some((sum, like)) => *like = sum,
                None => merged.push((label, child)),
            }
        }
        merged.retain(|(label, _)| !label.scale.is_zero());
        self.children = merged.iter().map(|(_, child)| *child).collect();
        self.labels = merged.iter().map(|(label, _)| *label).collect();
    }
}

impl Node {
    /// The leaf that denotes `shape`: a channel if the shape is one, otherwise its taps.
    pub fn leaf(shape: &Arc<Shape>) -> Self {
        match shape.taps().next() {
            Some((channel, _, _)) if shape.is_delta() => {
                Self::Channel { channel, channels: shape.channels(), arithmetic: shape.arithmetic() }
            }
            _ => Self::Taps(Arc::clone(shape)),
        }
    }

    /// The kernel that the e-node denotes, given the kernels of its children.
    ///
    /// `None` on overflow, for a sum of kernels over different channels, and for an outer kernel with several channels.
    pub fn denote<'a>(&'a self, child: impl Fn(Id) -> &'a Shape) -> Option<Placed> {
        match self {
            Self::Channel { channel, channels, arithmetic } => {
                let shape = Shape::delta_in(*arithmetic, *channel, *channels);
                Some(Placed { label: Label::IDENTITY, shape })
            }
            Self::Taps(shape) => Some(Placed { label: Label::IDENTITY, shape: Shape::clone(shape) }),
            Self::Sum(sum) => sum_of(&sum.terms().map(|(label, id)| (label, child(id))).collect::<Vec<_>>()),
            Self::Compose([outer, inner]) => compose_of(child(*outer), child(*inner)),
        }
    }
}

/// Σ label · shape; `None` on overflow, for an empty sum, and if the numbers of channels differ.
pub fn sum_of(terms: &[(Label, &Shape)]) -> Option<Placed> {
    let channels = terms.first()?.1.channels();
    if terms.iter().any(|(_, shape)| shape.channels() != channels) {
        return None;
    }
    Placed::sum(channels, terms.iter().copied())
}

/// `outer ∘ inner`; `None` on overflow and for an outer kernel with several channels.
pub fn compose_of(outer: &Shape, inner: &Shape) -> Option<Placed> {
    let placed = |shape: &Shape| Placed { label: Label::IDENTITY, shape: shape.clone() };
    if outer.channels() != 1 {
        return None;
    }
    Placed::compose(&placed(outer), &placed(inner))
}

impl Language for Node {
    type Discriminant = Operator;

    fn discriminant(&self) -> Operator {
        match self {
            Self::Channel { .. } => Operator::Channel,
            Self::Taps(_) => Operator::Taps,
            Self::Sum(sum) => Operator::Sum(sum.children.len()),
            Self::Compose(_) => Operator::Compose,
        }
    }

    fn matches(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Channel { .. }, Self::Channel { .. }) | (Self::Taps(_), Self::Taps(_)) => self == other,
            (Self::Sum(a), Self::Sum(b)) => a.labels == b.labels && a.arithmetic == b.arithmetic,
            (Self::Compose(_), Self::Compose(_)) => true,
            _ => false,
        }
    }

    fn children(&self) -> &[Id] {
        match self {
            Self::Channel { .. } | Self::Taps(_) => &[],
            Self::Sum(sum) => &sum.children,
            Self::Compose(parts) => parts,
        }
    }

    fn children_mut(&mut self) -> &mut [Id] {
        match self {
            Self::Channel { .. } | Self::Taps(_) => &mut [],
            Self::Sum(sum) => &mut sum.children,
            Self::Compose(parts) => parts,
        }
    }

    /// Maps the children and restores the canonical order of a sum. egg 0.11 calls this function in `add`, `lookup` and
    /// `rebuild`. The positional features of egg (its patterns and its explanations) are not used.
    fn update_children<F: FnMut(Id) -> Id>(&mut self, mut f: F) {
        for child in self.children_mut() {
            *child = f(*child);
        }
        if let Self::Sum(sum) = self {
            sum.canonicalize();
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Channel { channels: 1, .. } => f.write_str("id"),
            Self::Channel { channel, .. } => write!(f, "channel-{channel}"),
            Self::Taps(shape) => write!(f, "taps-{}", shape.tap_count()),
            Self::Sum(sum) => {
                f.write_str("add")?;
                sum.labels.iter().try_for_each(|label| write!(f, "{}", Edge(sum.arithmetic, *label)))
            }
            Self::Compose(_) => f.write_str("compose"),
        }
    }
}

/// A label as written on an edge: `[2*(1,0)]`.
struct Edge(Arithmetic, Label);

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.1.offset;
        let factor = self.1.number(self.0).unwrap_or(self.1.scale);
        write!(f, "[{factor}*({x},{y}")?;
        if z != 0 {
            write!(f, ",{z}")?;
        }
        f.write_str(")]")
    }
}

/// A factor as a sum of few signed powers of two (over its denominator), largest first: 3 = 2 + 1, 7 = 8 − 1.
///
/// The digits are those of the non-adjacent form, except that 2 + 1 replaces 4 − 1 if both have two digits, because it
/// needs one doubling less. `None` if a digit leaves the range of [`Rational`].
pub fn signed_digits(scale: Rational) -> Option<Vec<Rational>> {
    let unit = Rational::new(1, scale.denominator())?;
    let (mut rest, mut digits, mut power) = (i128::from(scale.numerator().unsigned_abs()), Vec::new(), 0u32);
    let sign = if scale.is_negative() { -1 } else { 1 };
    while rest != 0 {
        if rest == 3 {
            digits.extend([1i128 << power, 2i128 << power]);
            break;
        }
        if rest & 1 == 1 {
            let digit = 2 - (rest & 3);
            digits.push(digit << power);
            rest -= digit;
        }
        rest >>= 1;
        power += 1;
    }
    digits.iter().rev().map(|d| Rational::new(i64::try_from(d * sign).ok()?, 1)?.mul(unit)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn label(scale: i64, x: i32) -> Label {
        Label::new(Rational::integer(scale), [x, 0, 0])
    }

    #[test]
    fn like_terms_merge_and_zeros_drop() {
        let [a, b] = [0, 1].map(Id::from);
        let sum = Sum::new(
            Arithmetic::LINEAR,
            [(label(1, 0), b), (label(2, 0), a), (label(1, 0), a), (label(1, 1), a), (label(-1, 0), b)],
        );
        assert_eq!(sum.terms().collect::<Vec<_>>(), [(label(3, 0), a), (label(1, 1), a)]);
    }

    #[test]
    fn like_terms_are_chosen_from_where_sums_choose() {
        let a = Id::from(0);
        let weighing = |weight| (Label { weight, ..Label::IDENTITY }, a);
        let least = Arithmetic::named("min-plus").unwrap();
        assert_eq!(Sum::new(least, [weighing(4), weighing(-1)]).terms().collect::<Vec<_>>(), [weighing(-1)]);
    }

    #[test]
    fn merging_never_wraps() {
        let a = Id::from(0);
        let sum = Sum::new(Arithmetic::LINEAR, [(label(i64::MAX, 0), a), (label(i64::MAX, 0), a)]);
        assert_eq!(sum.terms().len(), 2);
    }

    #[test]
    fn signed_digits_are_few_and_prefer_two_plus_one() {
        let digits = |n, d| signed_digits(Rational::new(n, d).unwrap()).unwrap();
        let integers = |ds: &[i64]| ds.iter().map(|d| Rational::integer(*d)).collect::<Vec<_>>();
        assert_eq!(digits(3, 1), integers(&[2, 1]));
        assert_eq!(digits(-6, 1), integers(&[-4, -2]));
        assert_eq!(digits(7, 1), integers(&[8, -1]));
        assert_eq!(digits(3, 8), [Rational::new(1, 4).unwrap(), Rational::new(1, 8).unwrap()]);
        assert_eq!(digits(8, 1), integers(&[8]));
        // 2^63 − 1 and its negation need a digit that does not fit in a coefficient.
        assert_eq!(signed_digits(Rational::integer(i64::MAX)), None);
        assert_eq!(signed_digits(Rational::integer(-i64::MAX)), None);
    }

    proptest! {
        #[test]
        fn update_children_is_idempotent_and_ignores_order(
            terms in prop::collection::vec((-3i64..=3, 0i32..3, 0usize..5), 0..12),
            map in prop::collection::vec(0usize..3, 5),
        ) {
            let find = |id: Id| Id::from(map[usize::from(id)]);
            let terms: Vec<_> = terms.into_iter().map(|(s, x, c)| (label(s, x), Id::from(c))).collect();
            let forward = Node::Sum(Sum::new(Arithmetic::LINEAR, terms.iter().copied())).map_children(find);
            let backward = Node::Sum(Sum::new(Arithmetic::LINEAR, terms.iter().rev().copied())).map_children(find);
            prop_assert_eq!(&forward, &backward);
            prop_assert_eq!(&forward, &forward.clone().map_children(|id| id));
            let at_once = Node::Sum(Sum::new(Arithmetic::LINEAR, terms.iter().map(|(l, c)| (*l, find(*c)))));
            prop_assert_eq!(forward, at_once);
        }

        #[test]
        fn signed_digits_add_up(n in -100_000i64..100_000, exponent in 0u32..6) {
            let scale = Rational::new(n, 1 << exponent).unwrap();
            let sum = signed_digits(scale).unwrap().iter().try_fold(Rational::ZERO, |s, d| s.add(*d));
            prop_assert_eq!(sum, Some(scale));
        }

        #[test]
        fn a_product_of_canonical_kernels_is_canonical(
            outer in prop::collection::vec(-4i64..=4, 6),
            inner in prop::collection::vec(-4i64..=4, 12),
        ) {
            let outer = Placed::from_dense(1, [0; 3], [3, 2, 1], &outer, Rational::ONE).unwrap();
            let inner = Placed::from_dense(2, [0; 3], [2, 3, 1], &inner, Rational::ONE).unwrap();
            prop_assume!(!outer.shape.is_zero() && !inner.shape.is_zero());
            prop_assert_eq!(compose_of(&outer.shape, &inner.shape).unwrap().label, Label::IDENTITY);
        }
    }
}
