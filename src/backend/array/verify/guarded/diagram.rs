//! Piecewise linear functions as decision diagrams in canonical form.
//!
//! An inner node splits the values of one linear form into intervals; a leaf is a truth value or a linear function. Forms have 1 as
//! their first coefficient, so that comparisons of a value, its negative and its multiples with any numbers are cuts of one form.
//! Forms stand in a fixed order on every path, equal parts are merged and equal nodes are one node, so two functions that make the
//! same cuts are equal exactly if they are one node. Functions that cut different forms may be equal all the same: see
//! [`super::decide`].

use rustc_hash::FxHashMap;

use super::affine::{Affine, Place};
use crate::algebra::{Offset, Rational};

/// The maximum number of nodes, and of steps per node: about a second.
const MAX_NODES: usize = 60_000;
const MAX_STEPS: usize = 1_000_000;

/// A node of a diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(u32);

/// Why a function cannot be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It has too many cases.
    Large,
    /// A coefficient does not fit.
    Overflow,
    /// Two values that are no numbers are multiplied.
    Product,
}

/// A place where a form's values are cut in two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cut {
    /// The value.
    pub at: Rational,
    /// Whether the value itself belongs to the lower part.
    pub closed: bool,
}

/// One case of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A truth value.
    Truth(bool),
    /// A linear function.
    Linear(Affine),
    /// The parts of a form's values, from the lowest to the highest, and the cuts between them.
    Split {
        /// The form, by its number.
        form: u32,
        /// The cuts, in order.
        cuts: Vec<Cut>,
        /// One more part than cuts.
        parts: Vec<Id>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Operation {
    Choose,
    Add,
    Multiply,
    Scale(Rational),
    Move(Offset),
    Positive,
}

/// All nodes of some functions.
pub struct Diagrams {
    nodes: Vec<Node>,
    index: FxHashMap<Node, Id>,
    forms: Vec<Affine>,
    numbers: FxHashMap<Affine, u32>,
    known: FxHashMap<(Operation, [Id; 3]), Id>,
    steps: usize,
    /// Channels that are the same in all elements.
    uniform: Vec<bool>,
}

/// False and true.
pub const TRUTHS: [Id; 2] = [Id(0), Id(1)];

impl Default for Diagrams {
    fn default() -> Self {
        Self::new()
    }
}

impl Diagrams {
    /// No functions but the truth values.
    pub fn new() -> Self {
        let mut own = Self {
            nodes: Vec::new(),
            index: FxHashMap::default(),
            forms: Vec::new(),
            numbers: FxHashMap::default(),
            known: FxHashMap::default(),
            steps: 0,
            uniform: Vec::new(),
        };
        for truth in [false, true] {
            let id = Id(own.nodes.len() as u32);
            own.nodes.push(Node::Truth(truth));
            own.index.insert(Node::Truth(truth), id);
        }
        own
    }

    /// Adds a channel and returns its number.
    pub fn channel(&mut self, uniform: bool) -> u16 {
        self.uniform.push(uniform);
        u16::try_from(self.uniform.len() - 1).unwrap_or(u16::MAX)
    }

    /// A node.
    pub fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// A form, by its number.
    pub fn form(&self, number: u32) -> &Affine {
        &self.forms[number as usize]
    }

    fn made(&mut self, node: Node) -> Result<Id, Trouble> {
        if let Some(id) = self.index.get(&node) {
            return Ok(*id);
        }
        if self.nodes.len() >= MAX_NODES {
            return Err(Trouble::Large);
        }
        let id = Id(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.index.insert(node, id);
        Ok(id)
    }

    /// A linear function.
    pub fn linear(&mut self, function: Affine) -> Result<Id, Trouble> {
        self.made(Node::Linear(function))
    }

    /// A form and its parts; equal neighbours are merged.
    fn split(&mut self, form: u32, cuts: &[Cut], parts: &[Id]) -> Result<Id, Trouble> {
        let (mut own, mut merged) = (Vec::new(), vec![parts[0]]);
        for (cut, part) in cuts.iter().zip(&parts[1..]) {
            if merged.last() != Some(part) {
                own.push(*cut);
                merged.push(*part);
            }
        }
        if own.is_empty() {
            return Ok(merged[0]);
        }
        self.made(Node::Split { form, cuts: own, parts: merged })
    }

    fn number(&mut self, form: Affine) -> u32 {
        let next = self.forms.len() as u32;
        let forms = &mut self.forms;
        *self.numbers.entry(form).or_insert_with_key(|form| {
            forms.push(form.clone());
            next
        })
    }

    /// Whether a channel that holds bits is 1 here.
    pub fn bit(&mut self, channel: u16) -> Result<Id, Trouble> {
        let form = self.number(Affine::channel(channel));
        self.split(form, &[Cut { at: Rational::ZERO, closed: true }], &TRUTHS)
    }

    fn step(&mut self) -> Result<(), Trouble> {
        self.steps += 1;
        if self.steps > MAX_STEPS { Err(Trouble::Large) } else { Ok(()) }
    }

    /// One function where a condition holds, another elsewhere.
    pub fn choose(&mut self, condition: Id, yes: Id, no: Id) -> Result<Id, Trouble> {
        match self.node(condition) {
            Node::Truth(true) => return Ok(yes),
            Node::Truth(false) => return Ok(no),
            _ if yes == no => return Ok(yes),
            _ if [no, yes] == TRUTHS => return Ok(condition),
            _ => {}
        }
        self.apart(Operation::Choose, [condition, yes, no])
    }

    /// The sum of two functions.
    pub fn add(&mut self, one: Id, other: Id) -> Result<Id, Trouble> {
        if let (Node::Linear(one), Node::Linear(other)) = (self.node(one), self.node(other)) {
            let sum = one.add(other).ok_or(Trouble::Overflow)?;
            return self.linear(sum);
        }
        self.apart(Operation::Add, [one.min(other), one.max(other), TRUTHS[0]])
    }

    /// The product of two functions; `None` if two parts meet that are both no numbers.
    ///
    /// # Errors
    /// [`Trouble`].
    pub fn product(&mut self, one: Id, other: Id) -> Result<Option<Id>, Trouble> {
        match self.multiplied(one, other) {
            Err(Trouble::Product) => Ok(None),
            made => made.map(Some),
        }
    }

    fn multiplied(&mut self, one: Id, other: Id) -> Result<Id, Trouble> {
        if let (Node::Linear(one), Node::Linear(other)) = (self.node(one), self.node(other)) {
            let product = match (one.number(), other.number()) {
                (Some(number), _) => other.scale(number),
                (_, Some(number)) => one.scale(number),
                (None, None) => return Err(Trouble::Product),
            };
            return self.linear(product.ok_or(Trouble::Overflow)?);
        }
        self.apart(Operation::Multiply, [one.min(other), one.max(other), TRUTHS[0]])
    }

    /// Applies an operation part by part of the first form of its operands.
    fn apart(&mut self, operation: Operation, operands: [Id; 3]) -> Result<Id, Trouble> {
        if let Some(known) = self.known.get(&(operation, operands)) {
            return Ok(*known);
        }
        self.step()?;
        let top = |id: &Id| match self.node(*id) {
            Node::Split { form, .. } => Some(*form),
            _ => None,
        };
        let form = operands.iter().filter_map(top).min().expect("operations on leaves are done at once");
        let mut cuts: Vec<Cut> = Vec::new();
        for operand in &operands {
            if let Node::Split { form: own, cuts: more, .. } = self.node(*operand)
                && *own == form
            {
                cuts.extend(more);
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        let mut parts = Vec::with_capacity(cuts.len() + 1);
        for index in 0..=cuts.len() {
            let [a, b, c] =
                operands.map(|operand| self.part(operand, form, index.checked_sub(1).map(|i| cuts[i])));
            parts.push(match operation {
                Operation::Choose => self.choose(a, b, c)?,
                Operation::Multiply => self.multiplied(a, b)?,
                _ => self.add(a, b)?,
            });
        }
        let made = self.split(form, &cuts, &parts)?;
        self.known.insert((operation, operands), made);
        Ok(made)
    }

    /// The part of a node directly above a cut of a form; the lowest without a cut.
    fn part(&self, id: Id, form: u32, above: Option<Cut>) -> Id {
        match self.node(id) {
            Node::Split { form: own, cuts, parts } if *own == form => {
                parts[above.map_or(0, |cut| cuts.iter().take_while(|own| **own <= cut).count())]
            }
            _ => id,
        }
    }

    /// A form's parts, whatever forms they split themselves.
    fn case(&mut self, form: u32, cuts: &[Cut], parts: &[Id]) -> Result<Id, Trouble> {
        let mut made = *parts.last().expect("a split has parts");
        for (cut, part) in cuts.iter().zip(parts).rev() {
            let below = self.split(form, &[*cut], &[TRUTHS[1], TRUTHS[0]])?;
            made = self.choose(below, *part, made)?;
        }
        Ok(made)
    }

    /// Applies an operation to every leaf, and moves forms.
    fn every(&mut self, operation: Operation, id: Id) -> Result<Id, Trouble> {
        let key = (operation, [id, TRUTHS[0], TRUTHS[0]]);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        self.step()?;
        let made = match self.node(id).clone() {
            Node::Truth(_) => id,
            Node::Linear(function) => match operation {
                Operation::Scale(factor) => {
                    let scaled = function.scale(factor).ok_or(Trouble::Overflow)?;
                    self.linear(scaled)?
                }
                Operation::Move(by) => {
                    let moved = function.moved(by, &self.uniform).ok_or(Trouble::Overflow)?;
                    self.linear(moved)?
                }
                _ => self.sign(&function)?,
            },
            Node::Split { form, cuts, parts } => {
                let mut own = Vec::with_capacity(parts.len());
                for part in parts {
                    own.push(self.every(operation, part)?);
                }
                match operation {
                    Operation::Scale(_) => self.split(form, &cuts, &own)?,
                    Operation::Move(by) => {
                        let moved = self.form(form).moved(by, &self.uniform).ok_or(Trouble::Overflow)?;
                        let form = self.number(moved);
                        self.case(form, &cuts, &own)?
                    }
                    _ => self.case(form, &cuts, &own)?,
                }
            }
        };
        self.known.insert(key, made);
        Ok(made)
    }

    /// Whether a linear function is greater than 0.
    fn sign(&mut self, function: &Affine) -> Result<Id, Trouble> {
        if let Some(number) = function.number() {
            return Ok(TRUTHS[usize::from(!number.is_negative() && !number.is_zero())]);
        }
        let (scale, form) = function.normal().ok_or(Trouble::Overflow)?;
        let at = function.offset().negate().div(scale).ok_or(Trouble::Overflow)?;
        let form = self.number(form);
        match scale.is_negative() {
            false => self.split(form, &[Cut { at, closed: true }], &TRUTHS),
            true => self.split(form, &[Cut { at, closed: false }], &[TRUTHS[1], TRUTHS[0]]),
        }
    }

    /// Whether a function is greater than 0.
    pub fn positive(&mut self, id: Id) -> Result<Id, Trouble> {
        self.every(Operation::Positive, id)
    }

    /// A multiple of a function.
    pub fn scale(&mut self, id: Id, factor: Rational) -> Result<Id, Trouble> {
        if factor == Rational::ONE { Ok(id) } else { self.every(Operation::Scale(factor), id) }
    }

    /// A function as the element at an offset has it.
    pub fn moved(&mut self, id: Id, by: Offset) -> Result<Id, Trouble> {
        if by == [0; 3] { Ok(id) } else { self.every(Operation::Move(by), id) }
    }

    /// The opposite of a condition.
    pub fn not(&mut self, condition: Id) -> Result<Id, Trouble> {
        self.choose(condition, TRUTHS[0], TRUTHS[1])
    }

    /// Whether both conditions hold.
    pub fn and(&mut self, one: Id, other: Id) -> Result<Id, Trouble> {
        self.choose(one, other, TRUTHS[0])
    }

    /// Whether one of two conditions holds.
    pub fn or(&mut self, one: Id, other: Id) -> Result<Id, Trouble> {
        self.choose(one, TRUTHS[1], other)
    }

    /// The case of a function where the places have these values; `None` if a value does not fit.
    pub fn leaf(&self, id: Id, at: &dyn Fn(Place) -> Rational) -> Option<&Node> {
        let mut node = self.node(id);
        while let Node::Split { form, cuts, parts } = node {
            let value = self.form(*form).value(at)?;
            let above = |cut: &&Cut| value > cut.at || value == cut.at && !cut.closed;
            node = self.node(parts[cuts.iter().take_while(above).count()]);
        }
        Some(node)
    }

    /// The places that a function depends on, in order.
    pub fn places(&self, id: Id) -> Vec<Place> {
        self.places_unless(id, &|_| false)
    }

    /// The places that conditions depend on, and values other than some.
    pub fn places_unless(&self, id: Id, not: &dyn Fn(&Affine) -> bool) -> Vec<Place> {
        let (mut found, mut seen, mut open) = (Vec::new(), vec![false; self.nodes.len()], vec![id]);
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id.0 as usize], true) {
                continue;
            }
            match self.node(id) {
                Node::Truth(_) => {}
                Node::Linear(function) if not(function) => {}
                Node::Linear(function) => found.extend(function.taps().iter().map(|(place, _)| *place)),
                Node::Split { form, parts, .. } => {
                    found.extend(self.form(*form).taps().iter().map(|(place, _)| *place));
                    open.extend(parts);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
