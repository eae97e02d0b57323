//! The e-graph: egg's e-graph with the kernel of an e-class as its analysis, and one e-class per kernel.
//!
//! E-classes are keyed by their denotation, so congruence closure has little left to do. egg provides hash-consing, the
//! class structure and its invariants. No other module names egg's graph types, so another table could replace egg.

use std::cmp::Ordering;
use std::sync::Arc;

use egg::{Analysis, DidMerge, EGraph, Id, Language};
use rustc_hash::FxHashMap;

use crate::algebra::{Arithmetic, Label, Placed, Shape};
use crate::term::Measure;
use crate::term::lang::Node;

/// The origin of an e-node or an e-class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Origin {
    /// The index of the rule in the run; `None` for what the file states.
    pub(super) rule: Option<usize>,
    /// The e-class to which the rule was applied.
    pub(super) class: Id,
    /// The iteration, counted from 0.
    pub(super) iteration: usize,
}

/// An e-class without its e-nodes.
#[derive(Debug)]
pub(super) struct Class {
    /// Its id, which never changes: see [`Graph::insert`].
    pub(super) id: Id,
    /// The number of decompositions between the e-class and the nearest root when the e-class was created.
    pub(super) depth: u32,
    /// The rule application that created it; `None` for a root.
    pub(super) origin: Option<Origin>,
    /// The measure of its kernel.
    measure: Measure,
}

/// The result of adding an e-node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Added {
    /// The e-class has a new e-node.
    New,
    /// The e-class already had the e-node.
    Known,
    /// A coefficient left the exact range; the graph is unchanged.
    Overflow,
    /// The e-node denotes a kernel other than that of the e-class; the graph is unchanged.
    Mismatch(Placed),
}

/// A union of two e-classes that denote different kernels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Conflict {
    /// The kernel of the e-class that was kept.
    pub(super) kept: Arc<Shape>,
    /// The kernel of the e-class that was merged into it.
    pub(super) lost: Arc<Shape>,
}

/// The analysis: the datum of an e-class is the kernel that each of its e-nodes denotes.
#[derive(Default, Debug)]
pub(super) struct Denotations {
    ids: FxHashMap<Arc<Shape>, Id>,
    /// The kernel of the e-node being added, so that it is not computed twice.
    fresh: Option<Arc<Shape>>,
    conflicts: Vec<Conflict>,
}

impl Analysis<Node> for Denotations {
    type Data = Arc<Shape>;

    fn make(egraph: &mut EGraph<Node, Self>, node: &Node, _id: Id) -> Arc<Shape> {
        egraph.analysis.fresh.take().unwrap_or_else(|| {
            let placed = node.denote(|child| &egraph[child].data);
            Arc::new(placed.expect("a node is added only after its denotation was computed").shape)
        })
    }

    fn merge(&mut self, kept: &mut Arc<Shape>, lost: Arc<Shape>) -> DidMerge {
        if *kept != lost {
            self.conflicts.push(Conflict { kept: Arc::clone(kept), lost });
        }
        DidMerge(false, false)
    }

    /// Merges an e-class with an older e-class of the same kernel, which makes congruence free.
    fn modify(egraph: &mut EGraph<Node, Self>, id: Id) {
        let shape = Arc::clone(&egraph[id].data);
        match egraph.analysis.ids.get(&shape) {
            // The older e-class keeps its id: a new one has no parents, and egg keeps the one with more, or the first.
            Some(&known) => drop(egraph.union(known, id)),
            None => drop(egraph.analysis.ids.insert(shape, id)),
        }
    }
}

/// E-classes of kernels, and their decompositions.
pub(super) struct Graph {
    egraph: EGraph<Node, Denotations>,
    classes: Vec<Class>,
    index: FxHashMap<Id, usize>,
    origins: FxHashMap<Node, Origin>,
    changed: Vec<Id>,
    /// The level of each kernel that is not on level 0.
    levels: FxHashMap<Shape, u32>,
    arithmetic: Arithmetic,
}

impl Graph {
    /// A graph of kernels with these coefficients.
    pub(super) fn new(arithmetic: Arithmetic) -> Self {
        Self {
            arithmetic,
            egraph: EGraph::new(Denotations::default()),
            classes: Vec::new(),
            index: FxHashMap::default(),
            origins: FxHashMap::default(),
            changed: Vec::new(),
            levels: FxHashMap::default(),
        }
    }

    /// The arithmetic of coefficients.
    pub(super) fn arithmetic(&self) -> Arithmetic {
        self.arithmetic
    }

    /// The e-classes, oldest first.
    pub(super) fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// The information about the e-class `id`.
    pub(super) fn class(&self, id: Id) -> &Class {
        &self.classes[self.index[&id]]
    }

    /// The e-class of a kernel, if there is one.
    pub(super) fn find(&self, shape: &Shape) -> Option<Id> {
        self.egraph.analysis.ids.get(shape).copied()
    }

    /// The kernel that an e-class denotes.
    pub(super) fn shape(&self, id: Id) -> &Arc<Shape> {
        &self.egraph[id].data
    }

    /// Compares the kernels of two e-classes: see [`Graph::precedes`].
    pub(super) fn order(&self, a: Id, b: Id) -> Ordering {
        let rank = |id: Id| (self.level(self.shape(id)), self.class(id).measure);
        rank(a).cmp(&rank(b)).then_with(|| self.shape(a).cmp(self.shape(b)))
    }

    /// Whether `part` may be used to make `whole`: it is on a lower level, or it is on the same level and comes before it by
    /// [`crate::term::precedes`]. This order is well-founded because there are finitely many levels.
    pub(super) fn precedes(&self, part: &Shape, whole: &Shape) -> bool {
        let levels = self.level(part).cmp(&self.level(whole));
        levels.then_with(|| crate::term::order(part, whole)) == Ordering::Less
    }

    fn level(&self, shape: &Shape) -> u32 {
        if self.levels.is_empty() { 0 } else { self.levels.get(shape).copied().unwrap_or(0) }
    }

    /// Raises a kernel to a level on which all of `parts` precede it. No e-node may use it yet.
    pub(super) fn raise(&mut self, whole: &Shape, parts: &[&Shape]) {
        let lowest =
            parts.iter().map(|part| self.level(part) + u32::from(crate::term::order(part, whole).is_ge()));
        let level = lowest.max().unwrap_or(0).max(self.level(whole));
        if level > 0 {
            self.levels.insert(whole.clone(), level);
        }
    }

    /// The e-nodes of an e-class, its leaf included; in egg's order after [`Graph::rebuild`].
    pub(super) fn nodes(&self, id: Id) -> &[Node] {
        &self.egraph[id].nodes
    }

    /// The e-classes with an e-node that has the e-class `id` as a child, in ascending order.
    pub(super) fn parents(&self, id: Id) -> Vec<Id> {
        let mut parents: Vec<Id> = self.egraph[id].parents().map(|parent| self.egraph.find(parent)).collect();
        parents.sort_unstable();
        parents.dedup();
        parents
    }

    /// The origin of an e-node; `None` for the leaf of an e-class.
    pub(super) fn origin(&self, node: &Node) -> Option<Origin> {
        self.origins.get(node).copied()
    }

    /// The number of e-nodes, leaves included.
    pub(super) fn node_count(&self) -> usize {
        self.egraph.total_size()
    }

    /// The number of e-classes.
    pub(super) fn class_count(&self) -> usize {
        self.classes.len()
    }

    /// The first union of different kernels, if there was one. After it, no result of the graph may be used.
    pub(super) fn conflict(&self) -> Option<&Conflict> {
        self.egraph.analysis.conflicts.first()
    }

    /// The e-class of `shape`, created with its leaf if it does not exist. The e-class is a root if `origin` is `None`.
    pub(super) fn class_of(&mut self, shape: &Shape, origin: Option<Origin>) -> Id {
        if let Some(id) = self.find(shape) {
            if origin.is_none() {
                let index = self.index[&id];
                self.classes[index].depth = 0;
            }
            return id;
        }
        let depth = origin.map_or(0, |o| self.class(o.class).depth + 1);
        let measure = Measure::of(shape);
        let shape = Arc::new(shape.clone());
        let leaf = Node::leaf(&shape);
        let id = self.insert(leaf, shape);
        self.index.insert(id, self.classes.len());
        self.classes.push(Class { id, depth, origin, measure });
        id
    }

    /// Adds `node`, which a rule claims to denote the kernel of the e-class `whole`, after computing its denotation.
    pub(super) fn add(&mut self, whole: Id, node: Node, origin: Origin) -> Added {
        if let Some(id) = self.egraph.lookup(node.clone()) {
            return if id == whole { Added::Known } else { Added::Mismatch(self.placed(id)) };
        }
        let Some(denoted) = node.denote(|child| &self.egraph[child].data) else { return Added::Overflow };
        let shape = self.shape(whole);
        if denoted.label != Label::IDENTITY || denoted.shape != **shape {
            return Added::Mismatch(denoted);
        }
        let shape = Arc::clone(shape);
        let id = self.insert(node.clone(), shape);
        debug_assert_eq!(id, whole, "equal kernels, one class");
        self.origins.insert(node, origin);
        self.changed.push(whole);
        Added::New
    }

    /// Returns the e-classes that gained e-nodes since the last call, in ascending order.
    pub(super) fn take_changed(&mut self) -> Vec<Id> {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// Restores egg's invariants. Call it between iterations.
    pub(super) fn rebuild(&mut self) {
        self.egraph.rebuild();
    }

    fn insert(&mut self, node: Node, shape: Arc<Shape>) -> Id {
        debug_assert!(
            !node.children().iter().any(|id| self.egraph.find(*id) != *id),
            "ids of classes never change"
        );
        self.egraph.analysis.fresh = Some(shape);
        self.egraph.add(node)
    }

    fn placed(&self, id: Id) -> Placed {
        Placed { label: Label::IDENTITY, shape: Shape::clone(self.shape(id)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Rational;
    use crate::term::lang::Sum;

    fn row(taps: &[i64]) -> Shape {
        Placed::from_dense(1, [0; 3], [taps.len(), 1, 1], taps, Rational::ONE).unwrap().shape
    }

    fn moved(x: i32) -> Label {
        Label::at([x, 0, 0])
    }

    #[test]
    fn equal_kernels_are_one_class_without_any_rule() {
        let mut graph = Graph::new(Arithmetic::LINEAR);
        let whole = graph.class_of(&row(&[1, 2, 1]), None);
        let pair = graph.class_of(&row(&[1, 1]), None);
        let origin = Origin { rule: Some(0), class: whole, iteration: 0 };
        assert_eq!(graph.add(whole, Node::Compose([pair, pair]), origin), Added::New);
        let twice = Node::Sum(Sum::new(Arithmetic::LINEAR, [(moved(0), pair), (moved(1), pair)]));
        assert_eq!(graph.add(whole, twice.clone(), origin), Added::New);
        assert_eq!(graph.add(whole, twice, origin), Added::Known);
        graph.rebuild();
        assert_eq!((graph.nodes(whole).len(), graph.class_count(), graph.node_count()), (3, 2, 4));
    }

    #[test]
    fn a_node_of_another_kernel_is_not_added() {
        let mut graph = Graph::new(Arithmetic::LINEAR);
        let whole = graph.class_of(&row(&[1, 3, 1]), None);
        let pair = graph.class_of(&row(&[1, 1]), None);
        let origin = Origin { rule: Some(0), class: whole, iteration: 0 };
        let Added::Mismatch(found) = graph.add(whole, Node::Compose([pair, pair]), origin) else {
            panic!("1 3 1 is no square")
        };
        assert_eq!(found.shape, row(&[1, 2, 1]));
        assert_eq!(graph.node_count(), 2);
    }

    #[test]
    fn egg_itself_reports_a_union_of_different_kernels() {
        let mut graph = Graph::new(Arithmetic::LINEAR);
        let a = graph.class_of(&row(&[1, 3, 1]), None);
        let b = graph.class_of(&row(&[1, 1]), None);
        assert!(graph.conflict().is_none());
        graph.egraph.union(a, b);
        assert!(graph.conflict().is_some());
    }
}
