//! Right sides before they are added. Their kernels are computed and compared first, so an unsound or useless right side
//! leaves no trace in the graph.

use egg::Id;

use super::graph::{Added, Graph, Origin};
use super::matcher::{Binding, number};
use crate::algebra::{Arithmetic, Label, Placed, Rational, Shape};
use crate::rule::{Pattern, Rewrite};
use crate::syntax::Sexp;
use crate::term::Decomposition;
use crate::term::lang::{Node, Sum, compose_of, signed_digits, sum_of};
use crate::term::text as print;

/// A kernel, `label · shape`, with a way to make it.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    label: Label,
    shape: Shape,
    make: Make,
}

#[derive(Clone, Debug)]
enum Make {
    /// An existing e-class.
    Class(Id),
    /// A kernel whose e-class, if new, starts with only its taps.
    Taps,
    /// Σ label · part, which denotes exactly the shape of the plan.
    Sum(Vec<Plan>),
    /// outer ∘ inner.
    Compose(Box<[Plan; 2]>),
}

/// Why a plan cannot be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoPlan {
    /// The term denotes nothing: an empty sum, a sum over different channels, or an outer kernel with several channels.
    Undefined,
    /// A coefficient leaves the exact range.
    Overflow,
}

/// The operations of a term per pixel without sharing, on a machine without a multiplier.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Operations {
    /// Additions and subtractions of two values.
    pub additions: usize,
    /// Steps of one pixel.
    pub moves: usize,
    /// Doublings and halvings.
    pub scalings: usize,
}

impl Operations {
    /// The operations of a sum of values with these labels. A factor is a sum of its signed digits, and a weight is an addition.
    pub(super) fn of_sum(terms: impl Iterator<Item = Label>) -> Self {
        let mut count = Self::default();
        let (mut summands, mut weights) = (0, 0);
        for Label { scale, offset, weight } in terms {
            let digits = signed_digits(scale).unwrap_or_default();
            summands += digits.len().max(1);
            weights += usize::from(weight != 0);
            let scaled = |digit: &Rational| {
                let exponent = digit.numerator().unsigned_abs().max(1).ilog2()
                    + digit.denominator().unsigned_abs().ilog2();
                exponent as usize
            };
            count.scalings += digits.iter().map(scaled).sum::<usize>();
            count.moves += offset.iter().map(|c| c.unsigned_abs() as usize).sum::<usize>();
        }
        Self { additions: summands.saturating_sub(1) + weights, ..count }
    }

    /// The operations of a kernel made tap by tap. A scan is an addition.
    pub(super) fn of_taps(shape: &Shape) -> Self {
        let taps = Self::of_sum(shape.taps().map(|(_, offset, tap)| match shape.arithmetic() {
            Arithmetic::LINEAR => Label::new(Rational::integer(tap), offset),
            _ => Label { offset, weight: tap, ..Label::IDENTITY },
        }));
        taps.and(Self { additions: shape.scan_count(), ..Self::default() })
    }

    /// The sum of both.
    pub fn and(self, other: Self) -> Self {
        Self {
            additions: self.additions + other.additions,
            moves: self.moves + other.moves,
            scalings: self.scalings + other.scalings,
        }
    }
}

impl Plan {
    /// The right side of a rewrite with its variables substituted, for the e-class that the left side matched.
    pub(super) fn of_rewrite(graph: &Graph, rewrite: &Rewrite, bindings: &[Binding]) -> Result<Self, NoPlan> {
        // The label at which the e-class was matched.
        let label = match rewrite.lhs.fixed_label(graph.arithmetic()) {
            Some(label) => label,
            None if rewrite.lhs.has_square() => Self::of_pattern(graph, &rewrite.lhs, bindings)?.label,
            None => Label::IDENTITY,
        };
        Self::of_output(graph, rewrite, bindings, label)
    }

    /// The right side of a rewrite for an output, `label · e-class`.
    pub(super) fn of_output(
        graph: &Graph,
        rewrite: &Rewrite,
        bindings: &[Binding],
        label: Label,
    ) -> Result<Self, NoPlan> {
        Self::of_pattern(graph, &rewrite.rhs, bindings)?.moved(label.inverse().ok_or(NoPlan::Overflow)?)
    }

    /// The pattern with its variables substituted.
    pub(super) fn of_pattern(graph: &Graph, pattern: &Pattern, bindings: &[Binding]) -> Result<Self, NoPlan> {
        let class = |label: Label, id: Id| Self {
            label,
            shape: Shape::clone(graph.shape(id)),
            make: Make::Class(id),
        };
        match pattern {
            Pattern::Variable(variable) | Pattern::Channel(variable) => match &bindings[variable.0] {
                Binding::One(label, id) => Ok(class(*label, *id)),
                _ => unreachable!("the reader binds every single variable of a right side"),
            },
            Pattern::Identity => {
                let shape = Shape::delta_in(graph.arithmetic(), 0, 1);
                Ok(Self { label: Label::IDENTITY, shape, make: Make::Taps })
            }
            Pattern::Constant(_) | Pattern::Scan(_) => {
                let Placed { label, shape } =
                    pattern.kernel(graph.arithmetic()).ok_or(NoPlan::Overflow)?.into_owned();
                Ok(Self { label, shape, make: Make::Taps })
            }
            Pattern::Moved(offset, body) => {
                let label = Label::at(*offset);
                Self::of_pattern(graph, body, bindings)?.moved(label)
            }
            Pattern::Negated(body) => {
                let label = Label::scaled(Rational::integer(-1));
                Self::of_pattern(graph, body, bindings)?.moved(label)
            }
            Pattern::Scaled(factor, body) => {
                let arithmetic = graph.arithmetic();
                let factor = factor.number(arithmetic, &|variable| number(bindings, variable));
                let label = factor.and_then(|factor| Label::of_number(arithmetic, factor));
                Self::of_pattern(graph, body, bindings)?.moved(label.ok_or(NoPlan::Undefined)?)
            }
            Pattern::Sum { terms, rests } => {
                let mut parts = Vec::new();
                for term in terms {
                    parts.push(Self::of_pattern(graph, term, bindings)?);
                }
                for rest in rests {
                    let Binding::Many(terms) = &bindings[rest.0] else {
                        unreachable!("the reader binds every sequence variable of a right side")
                    };
                    parts.extend(terms.iter().map(|(label, id)| class(*label, *id)));
                }
                match &parts[..] {
                    // A sum of one term is an e-class of its own, as it is where such a pattern matches.
                    [part] if rests.is_empty() && !part.shape.is_zero() => Self::multiple(part.clone()),
                    _ => Self::sum(parts),
                }
            }
            Pattern::Compose(parts) => {
                let outer = Self::of_pattern(graph, &parts[0], bindings)?;
                Self::compose(outer, Self::of_pattern(graph, &parts[1], bindings)?)
            }
        }
    }

    /// The plan for a proposed decomposition.
    pub(super) fn of_decomposition(decomposition: &Decomposition) -> Result<Self, NoPlan> {
        let part = |label: Label, shape: &Shape| Self { label, shape: shape.clone(), make: Make::Taps };
        match decomposition {
            Decomposition::Sum(terms) => {
                Self::sum(terms.iter().map(|(label, shape)| part(*label, shape)).collect())
            }
            Decomposition::Compose { label, outer, inner } => {
                Self::compose(part(Label::IDENTITY, outer), part(Label::IDENTITY, inner))?.moved(*label)
            }
        }
    }

    /// The plan for the shape alone, without its label.
    pub(super) fn unmoved(&self) -> Self {
        Self { label: Label::IDENTITY, ..self.clone() }
    }

    /// The plan for an e-class that stands for `whole` without its label, as a match of `whole` does.
    pub(super) fn relative_to(self, whole: &Self) -> Result<Self, NoPlan> {
        self.moved(whole.label.inverse().ok_or(NoPlan::Overflow)?)
    }

    fn moved(self, label: Label) -> Result<Self, NoPlan> {
        Ok(Self { label: self.label.then(label).ok_or(NoPlan::Overflow)?, ..self })
    }

    fn sum(mut parts: Vec<Self>) -> Result<Self, NoPlan> {
        parts.retain(|part| !part.shape.is_zero());
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        Self::added(parts)
    }

    /// The sum of one term, unless that is in the e-class of the term.
    fn multiple(part: Self) -> Result<Self, NoPlan> {
        let own = part.shape.clone();
        let multiple = Self::added(vec![part.clone()])?;
        Ok(if multiple.shape == own { part } else { multiple })
    }

    fn added(parts: Vec<Self>) -> Result<Self, NoPlan> {
        let channels = parts.first().ok_or(NoPlan::Undefined)?.shape.channels();
        if parts.iter().any(|part| part.shape.channels() != channels) {
            return Err(NoPlan::Undefined);
        }
        let terms: Vec<_> = parts.iter().map(|part| (part.label, &part.shape)).collect();
        let Placed { label, shape } = sum_of(&terms).ok_or(NoPlan::Overflow)?;
        let back = label.inverse().ok_or(NoPlan::Overflow)?;
        let parts = parts.into_iter().map(|part| part.moved(back)).collect::<Result<_, _>>()?;
        Ok(Self { label, shape, make: Make::Sum(parts) })
    }

    /// The labels of the parts are factored out: see [`Node`] for why the product of the shapes needs none.
    fn compose(outer: Self, inner: Self) -> Result<Self, NoPlan> {
        if outer.shape.channels() != 1 {
            return Err(NoPlan::Undefined);
        }
        let product = compose_of(&outer.shape, &inner.shape).ok_or(NoPlan::Overflow)?;
        let label =
            outer.label.then(inner.label).and_then(|l| product.label.then(l)).ok_or(NoPlan::Overflow)?;
        Ok(Self { label, shape: product.shape, make: Make::Compose(Box::new([outer, inner])) })
    }

    /// The kernel that the plan denotes; `None` on overflow.
    pub(super) fn kernel(&self) -> Option<Placed> {
        Placed { label: self.label, shape: self.shape.clone() }.apply(Label::IDENTITY)
    }

    /// Whether the plan for `whole` only states that `whole` is `whole`.
    pub(super) fn is_trivial(&self, whole: &Shape) -> bool {
        matches!(self.make, Make::Class(_) | Make::Taps) && self.shape == *whole
    }

    /// Whether all parts of the plan for `whole` come before it, so that the plan may become an e-node of its e-class.
    pub(super) fn descends(&self, graph: &Graph, whole: &Shape) -> bool {
        if self.shape != *whole {
            // An odd multiple of another kernel: that kernel is the only part.
            return graph.precedes(&self.shape, whole);
        }
        match &self.make {
            Make::Class(_) | Make::Taps => false,
            Make::Sum(parts) => parts.iter().all(|part| graph.precedes(&part.shape, whole)),
            Make::Compose(parts) => parts.iter().all(|part| graph.precedes(&part.shape, whole)),
        }
    }

    /// Adds the e-node of the plan to the e-class `whole`, whose kernel it denotes, and the e-classes of its parts. The plan
    /// of a part that does not descend is dropped: such a part starts with its taps.
    pub(super) fn add_to(&self, graph: &mut Graph, whole: Id, origin: Origin) -> Added {
        let node = if self.shape == **graph.shape(whole) {
            match self.node(graph, origin) {
                Some(node) => node,
                None => return Added::Known,
            }
        } else {
            let part = self.class(graph, origin);
            Node::Sum(Sum::new(graph.arithmetic(), [(self.label, part)]))
        };
        graph.add(whole, node, origin)
    }

    /// The e-class of the shape, with the e-nodes of the plan and of its parts, whether they descend or not. It is for
    /// graphs on which rules are tried and from which nothing is extracted. `None` on overflow.
    pub(super) fn build(&self, graph: &mut Graph, origin: Origin) -> Option<Id> {
        let id = match self.make {
            Make::Class(id) => return Some(id),
            _ => graph.class_of(&self.shape, None),
        };
        let node = match &self.make {
            Make::Class(_) | Make::Taps => return Some(id),
            Make::Sum(parts) => {
                let terms = parts.iter().map(|part| Some((part.label, part.build(graph, origin)?)));
                let terms: Vec<_> = terms.collect::<Option<_>>()?;
                Node::Sum(Sum::new(graph.arithmetic(), terms))
            }
            Make::Compose(parts) => {
                Node::Compose([parts[0].build(graph, origin)?, parts[1].build(graph, origin)?])
            }
        };
        match graph.add(id, node, origin) {
            Added::New | Added::Known => Some(id),
            Added::Overflow | Added::Mismatch(_) => None,
        }
    }

    /// The e-nodes of the graph for this plan in the e-class `whole`, as far as saturation would add them; `None` if one of
    /// them is missing.
    pub(super) fn nodes_in(&self, graph: &Graph, whole: Id) -> Option<Vec<Node>> {
        let mut nodes = self.own_nodes_in(graph)?;
        if self.shape != **graph.shape(whole) {
            // An odd multiple of another kernel: see `add_to`.
            let node = Node::Sum(Sum::new(graph.arithmetic(), [(self.label, self.class_in(graph)?)]));
            nodes.push(graph.nodes(whole).contains(&node).then_some(node)?);
        }
        Some(nodes)
    }

    /// As [`Plan::nodes_in`], in the e-class of the shape of the plan.
    fn own_nodes_in(&self, graph: &Graph) -> Option<Vec<Node>> {
        let id = self.class_in(graph)?;
        let (node, parts) = match &self.make {
            Make::Class(_) | Make::Taps => return Some(Vec::new()),
            _ if !self.descends(graph, &self.shape) => return Some(Vec::new()),
            Make::Sum(parts) => {
                let terms = parts.iter().map(|part| Some((part.label, part.class_in(graph)?)));
                (Node::Sum(Sum::new(graph.arithmetic(), terms.collect::<Option<Vec<_>>>()?)), &parts[..])
            }
            Make::Compose(parts) => {
                (Node::Compose([parts[0].class_in(graph)?, parts[1].class_in(graph)?]), &parts[..])
            }
        };
        if !graph.nodes(id).contains(&node) {
            return None;
        }
        let mut nodes = vec![node];
        for part in parts {
            nodes.extend(part.own_nodes_in(graph)?);
        }
        Some(nodes)
    }

    /// The e-class of the shape, if it is in the graph.
    fn class_in(&self, graph: &Graph) -> Option<Id> {
        match self.make {
            Make::Class(id) => Some(id),
            _ => graph.find(&self.shape),
        }
    }

    /// Whether both plans state the same: the same kernel made of the same parts in any order. A part that one plan takes
    /// as a whole may be decomposed in the other.
    pub(super) fn says(&self, other: &Self) -> bool {
        self.label == other.label && self.makes(other)
    }

    fn makes(&self, other: &Self) -> bool {
        if self.shape != other.shape {
            return false;
        }
        match (&self.make, &other.make) {
            (Make::Sum(a), Make::Sum(b)) => {
                let mut left: Vec<&Self> = b.iter().collect();
                a.len() == b.len()
                    && a.iter().all(|part| match left.iter().position(|other| part.says(other)) {
                        Some(i) => {
                            left.remove(i);
                            true
                        }
                        None => false,
                    })
            }
            // The labels of a composition are factored out.
            (Make::Compose(a), Make::Compose(b)) => a.iter().zip(b.iter()).all(|(a, b)| a.makes(b)),
            (Make::Class(_) | Make::Taps, _) | (_, Make::Class(_) | Make::Taps) => true,
            _ => false,
        }
    }

    /// The operations of the plan and its parts, without sharing.
    pub(super) fn operations(&self) -> Operations {
        match &self.make {
            Make::Class(_) | Make::Taps => Operations::of_taps(&self.shape),
            Make::Sum(parts) => {
                let own = Operations::of_sum(parts.iter().map(|part| part.label));
                parts.iter().fold(own, |sum, part| sum.and(part.operations()))
            }
            Make::Compose(parts) => parts[0].operations().and(parts[1].operations()),
        }
    }

    /// The operations of the factors of its compositions, each made tap by tap.
    pub(super) fn applied(&self) -> Operations {
        match &self.make {
            Make::Compose(parts) => parts[0].applied().and(parts[1].applied()),
            _ => Operations::of_taps(&self.shape),
        }
    }

    /// The plan as a term of kernel files.
    pub(super) fn text(&self) -> String {
        print::flat(&self.sexp())
    }

    fn sexp(&self) -> Sexp {
        let kernel = |label: Label| {
            print::kernel_sexp(
                &Placed { label, shape: self.shape.clone() },
                &print::default_inputs(self.shape.channels()),
            )
        };
        let own = match &self.make {
            Make::Class(_) | Make::Taps => return kernel(self.label),
            Make::Sum(parts) => Sexp::form("add", parts.iter().map(Self::sexp)),
            Make::Compose(parts) => Sexp::form("compose", parts.iter().map(|part| part.unmoved().sexp())),
        };
        print::labelled(self.shape.arithmetic(), self.label, own)
    }

    /// The e-class of the shape, with the e-node of the plan if it descends.
    fn class(&self, graph: &mut Graph, origin: Origin) -> Id {
        if let Make::Class(id) = self.make {
            return id;
        }
        let id = graph.class_of(&self.shape, Some(origin));
        let unmoved = self.unmoved();
        if unmoved.descends(graph, &self.shape)
            && let Some(node) = unmoved.node(graph, origin)
        {
            let added = graph.add(id, node, origin);
            debug_assert!(
                !matches!(added, Added::Mismatch(_)),
                "a plan denotes what it was computed to: {added:?}"
            );
        }
        id
    }

    fn node(&self, graph: &mut Graph, origin: Origin) -> Option<Node> {
        match &self.make {
            Make::Class(_) | Make::Taps => None,
            Make::Sum(parts) => {
                let terms: Vec<_> =
                    parts.iter().map(|part| (part.label, part.class(graph, origin))).collect();
                Some(Node::Sum(Sum::new(graph.arithmetic(), terms)))
            }
            Make::Compose(parts) => {
                Some(Node::Compose([parts[0].class(graph, origin), parts[1].class(graph, origin)]))
            }
        }
    }
}
