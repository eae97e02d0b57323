//! The denotation of rules, derived from their text alone: nothing here uses the program's code.
//!
//! Kernels are maps from places to fractions, terms are evaluated tap by tap, conditions are evaluated by counting. The oracle is
//! slow and small, and shares neither reader, nor arithmetic, nor polynomials with the code that it judges.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;

/// An S-expression.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Sexp {
    Atom(String),
    List(Vec<Sexp>),
}

impl Sexp {
    /// All expressions of a text with comments but without quoted parentheses.
    pub(super) fn all(text: &str) -> Vec<Self> {
        let mut stack: Vec<Vec<Self>> = vec![Vec::new()];
        for line in text.lines() {
            let line = line.split(';').next().unwrap().replace('(', " ( ").replace(')', " ) ");
            for word in line.split_whitespace() {
                match word {
                    "(" => stack.push(Vec::new()),
                    ")" => {
                        let list = stack.pop().unwrap();
                        stack.last_mut().unwrap().push(Self::List(list));
                    }
                    _ => stack.last_mut().unwrap().push(Self::Atom(word.to_owned())),
                }
            }
        }
        stack.pop().unwrap()
    }

    pub(super) fn atom(&self) -> &str {
        match self {
            Self::Atom(text) => text,
            Self::List(_) => "",
        }
    }

    pub(super) fn items(&self) -> &[Self] {
        match self {
            Self::Atom(_) => &[],
            Self::List(items) => items,
        }
    }

    pub(super) fn head(&self) -> &str {
        self.items().first().map_or("", Self::atom)
    }
}

impl std::fmt::Display for Sexp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Atom(text) => f.write_str(text),
            Self::List(items) => {
                let texts: Vec<String> = items.iter().map(Self::to_string).collect();
                write!(f, "({})", texts.join(" "))
            }
        }
    }
}

/// A fraction in lowest terms; the denominator is positive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Q(i128, i128);

impl Q {
    pub(super) fn new(n: i128, d: i128) -> Option<Self> {
        let (mut a, mut b) = (n.abs(), d.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let by = a * d.signum();
        (d != 0).then(|| Self(n / by, d / by)).filter(|q| q.0.abs() < 1 << 60 && q.1 < 1 << 60)
    }

    pub(super) fn whole(n: i128) -> Self {
        Self(n, 1)
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let (n, d) = text.split_once('/').unwrap_or((text, "1"));
        Self::new(n.parse().ok()?, d.parse().ok()?)
    }

    fn plus(self, other: Self) -> Option<Self> {
        Self::new(self.0 * other.1 + other.0 * self.1, self.1 * other.1)
    }

    fn times(self, other: Self) -> Option<Self> {
        Self::new(self.0 * other.0, self.1 * other.1)
    }

    fn is_whole(self) -> bool {
        self.1 == 1
    }

    fn is_power_of_two(self) -> bool {
        self.0 != 0 && self.0.unsigned_abs().is_power_of_two() && self.1.unsigned_abs().is_power_of_two()
    }
}

impl PartialOrd for Q {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some((self.0 * other.1).cmp(&(other.0 * self.1)))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ring {
    PlusTimes,
    MinPlus,
    MaxPlus,
    OrAnd,
}

/// The semirings by name.
pub(super) const RINGS: [(&str, Ring); 4] = [
    ("plus-times", Ring::PlusTimes),
    ("min-plus", Ring::MinPlus),
    ("max-plus", Ring::MaxPlus),
    ("or-and", Ring::OrAnd),
];

impl Ring {
    pub(super) fn named(name: &str) -> Self {
        RINGS.iter().find(|(known, _)| *known == name).unwrap().1
    }

    fn add(self, a: Q, b: Q) -> Option<Q> {
        match self {
            Self::PlusTimes => a.plus(b),
            Self::MinPlus => Some(if a < b { a } else { b }),
            Self::MaxPlus | Self::OrAnd => Some(if a < b { b } else { a }),
        }
    }

    fn mul(self, a: Q, b: Q) -> Option<Q> {
        match self {
            Self::PlusTimes | Self::OrAnd => a.times(b),
            Self::MinPlus | Self::MaxPlus => a.plus(b),
        }
    }

    pub(super) fn one(self) -> Q {
        Q::whole(i128::from(!self.is_tropical()))
    }

    pub(super) fn is_tropical(self) -> bool {
        matches!(self, Self::MinPlus | Self::MaxPlus)
    }

    /// Whether a number is neutral for addition; no number is in the tropical semirings, where the neutral element is infinite.
    pub(super) fn is_zero(self, a: Q) -> bool {
        !self.is_tropical() && a.0 == 0
    }

    fn inverse(self, a: Q) -> Option<Q> {
        match self {
            Self::PlusTimes | Self::OrAnd => Q::new(a.1, a.0),
            Self::MinPlus | Self::MaxPlus => Some(Q(-a.0, a.1)),
        }
    }

    /// Whether the semiring contains the number.
    fn has(self, a: Q) -> bool {
        self != Self::OrAnd || a == Q::whole(0) || a == Q::whole(1)
    }
}

/// A kernel; missing entries are the semiring's zero.
pub(super) type Kernel = BTreeMap<(i32, i32), Q>;

#[derive(Clone, Debug)]
pub(super) enum Value {
    One(Kernel),
    Many(Vec<Kernel>),
    Number(Q),
}

/// The values of the variables, by name without dots.
pub(super) type Env = BTreeMap<String, Value>;

/// A rule in one semiring.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) ring: Ring,
    pub(super) lhs: Sexp,
    pub(super) rhs: Sexp,
    pub(super) conditions: Vec<Sexp>,
}

/// The length of a scan's expansion, and the distance from the origin within which results with scans are compared.
const SCANNED: i32 = 40;
const COMPARED: i32 = 9;

impl Rule {
    /// The variables with their kinds: `k`ernel, `s`equence or `n`umber.
    pub(super) fn variables(&self) -> BTreeMap<String, char> {
        let mut found = BTreeMap::new();
        collect(&self.lhs, false, &mut found);
        collect(&self.rhs, false, &mut found);
        found
    }

    /// Whether it uses only numbers and operators of its semiring.
    pub(super) fn has_meaning(&self) -> bool {
        let all = [&self.lhs, &self.rhs].into_iter().chain(&self.conditions);
        all.into_iter().all(|sexp| self.is_written(sexp, true))
    }

    fn is_written(&self, sexp: &Sexp, counted: bool) -> bool {
        if self.ring == Ring::PlusTimes {
            return true;
        }
        let skipped = match sexp.head() {
            "sub" | "neg" | "scan" | "-" => return false,
            "shift" => sexp.items().len() - 2,
            "taps-at-least" | "taps-at-most" => 2,
            _ => 0,
        };
        if let Some(number) = Q::read(sexp.atom()) {
            return !counted || self.ring.has(number);
        }
        sexp.items()
            .iter()
            .enumerate()
            .all(|(i, item)| self.is_written(item, counted && (i == 0 || i > skipped)))
    }

    fn has_scan(&self) -> bool {
        [&self.lhs, &self.rhs].iter().any(|side| side.to_string().contains("(scan "))
    }

    /// Whether the sides are equal for these values; `None` if the question does not arise: a condition does not
    /// hold, a side denotes nothing, or a number grows too large.
    pub(super) fn holds(&self, env: &Env) -> Option<bool> {
        for condition in &self.conditions {
            if !self.condition(condition, env)? {
                return None;
            }
        }
        let near = |kernel: Kernel| -> Kernel {
            let is_near = |(x, y): &(i32, i32)| x.abs() <= COMPARED && y.abs() <= COMPARED;
            kernel.into_iter().filter(|(at, _)| !self.has_scan() || is_near(at)).collect()
        };
        Some(near(self.term(&self.lhs, env)?) == near(self.term(&self.rhs, env)?))
    }

    fn normal(&self, kernel: Kernel) -> Kernel {
        kernel.into_iter().filter(|(_, value)| !self.ring.is_zero(*value)).collect()
    }

    fn sum<'k>(&self, kernels: impl IntoIterator<Item = &'k Kernel>) -> Option<Kernel> {
        self.gathered(kernels.into_iter().flatten().map(|(at, value)| Some((*at, *value))))
    }

    fn product(&self, a: &Kernel, b: &Kernel) -> Option<Kernel> {
        let pairs = a.iter().flat_map(|left| b.iter().map(move |right| (left, right)));
        self.gathered(pairs.map(|((p, x), (q, y))| Some(((p.0 + q.0, p.1 + q.1), self.ring.mul(*x, *y)?))))
    }

    fn gathered(&self, taps: impl Iterator<Item = Option<((i32, i32), Q)>>) -> Option<Kernel> {
        let mut sum = Kernel::new();
        for tap in taps {
            let (at, value) = tap?;
            let value = match sum.get(&at) {
                Some(before) => self.ring.add(*before, value)?,
                None => value,
            };
            sum.insert(at, value);
        }
        Some(self.normal(sum))
    }

    pub(super) fn scaled(&self, kernel: &Kernel, by: Q) -> Option<Kernel> {
        let scaled = kernel.iter().map(|(at, value)| Some((*at, self.ring.mul(by, *value)?)));
        Some(self.normal(scaled.collect::<Option<_>>()?))
    }

    fn term(&self, sexp: &Sexp, env: &Env) -> Option<Kernel> {
        if let Some(name) = sexp.atom().strip_prefix('?') {
            let Value::One(kernel) = env.get(name)? else { return None };
            return Some(kernel.clone());
        }
        let items = &sexp.items()[1..];
        match sexp.head() {
            "id" => Some(Kernel::from([((0, 0), self.ring.one())])),
            "kernel" => Some(self.normal(matrix(items))),
            "neg" => self.scaled(&self.term(&items[0], env)?, Q::whole(-1)),
            "sub" => {
                let minus = self.scaled(&self.term(&items[1], env)?, Q::whole(-1))?;
                self.sum([&self.term(&items[0], env)?, &minus])
            }
            "scale" => {
                let by = self.number(&items[0], env)?;
                if self.ring.is_zero(by) { None } else { self.scaled(&self.term(&items[1], env)?, by) }
            }
            "shift" => {
                let by = [0, 1].map(|i| items[i].atom().parse::<i32>().unwrap());
                let kernel = self.term(items.last()?, env)?;
                Some(kernel.into_iter().map(|((x, y), value)| ((x + by[0], y + by[1]), value)).collect())
            }
            "compose" => {
                let parts = items.iter().map(|item| self.term(item, env)).collect::<Option<Vec<_>>>()?;
                let (first, others) = parts.split_first()?;
                others.iter().try_fold(first.clone(), |product, part| self.product(&product, part))
            }
            "add" => {
                let mut terms = Vec::new();
                for item in items {
                    match item.atom().strip_prefix('?').and_then(|name| name.strip_suffix("...")) {
                        Some(name) => match env.get(name)? {
                            Value::Many(kernels) => terms.extend(kernels.iter().cloned()),
                            _ => return None,
                        },
                        None => terms.push(self.term(item, env)?),
                    }
                }
                if terms.is_empty() { None } else { self.sum(&terms) }
            }
            "scan" => {
                let (x, y) = step(items);
                Some((0..SCANNED).map(|i| ((i * x, i * y), Q::whole(1))).collect())
            }
            other => panic!("no term: {other}"),
        }
    }

    pub(super) fn number(&self, sexp: &Sexp, env: &Env) -> Option<Q> {
        if let Some(name) = sexp.atom().strip_prefix('?') {
            let Value::Number(number) = env.get(name)? else { return None };
            return Some(*number);
        }
        if let Some(number) = Q::read(sexp.atom()) {
            return Some(number);
        }
        let operands = sexp.items()[1..].iter().map(|item| self.number(item, env));
        let values = operands.collect::<Option<Vec<_>>>()?;
        let minus = |a: Q| a.times(Q::whole(-1));
        let ring = self.ring;
        match (sexp.head(), &values[..]) {
            ("eval", [value]) => Some(*value),
            ("-", [value]) => minus(*value),
            ("/", [value]) => ring.inverse(*value),
            (operation, [first, others @ ..]) => others.iter().try_fold(*first, |a, b| match operation {
                "+" => ring.add(a, *b),
                "-" => ring.add(a, minus(*b)?),
                "*" => ring.mul(a, *b),
                "/" => ring.mul(a, ring.inverse(*b)?),
                _ => panic!("no operation: {operation}"),
            }),
            _ => None,
        }
    }

    fn condition(&self, sexp: &Sexp, env: &Env) -> Option<bool> {
        let items = &sexp.items()[1..];
        let kernel = |i: usize| self.term(&items[i], env);
        let number = |i: usize| self.number(&items[i], env);
        Some(match sexp.head() {
            "equal" => number(0)? == number(1)?,
            "different" => number(0)? != number(1)?,
            "less" => number(0)? < number(1)?,
            "divisible" => self.ring.mul(number(0)?, self.ring.inverse(number(1)?)?)?.is_whole(),
            "one-channel" => true,
            "single-tap" => kernel(0)?.len() == 1,
            "fewer-taps" => kernel(0)?.len() < kernel(1)?.len(),
            "taps-at-least" => kernel(0)?.len() as i128 >= Q::read(items[1].atom())?.0,
            "taps-at-most" => kernel(0)?.len() as i128 <= Q::read(items[1].atom())?.0,
            "same-shape" => self.alike(&kernel(0)?, &kernel(1)?),
            other => panic!("no condition: {other}"),
        })
    }

    /// Whether one kernel is the other, moved; over the rationals also negated or multiplied by a power of two.
    fn alike(&self, a: &Kernel, b: &Kernel) -> bool {
        let (Some((p, x)), Some((q, y))) = (a.first_key_value(), b.first_key_value()) else { return false };
        let ratio = match self.ring {
            Ring::PlusTimes => x.times(Q(y.1, y.0)).and_then(|q| Q::new(q.0, q.1)),
            _ => Some(Q::whole(1)),
        };
        let Some(ratio) = ratio.filter(|ratio| ratio.is_power_of_two()) else { return false };
        let moved =
            b.iter().map(|((u, v), value)| Some(((u + p.0 - q.0, v + p.1 - q.1), value.times(ratio)?)));
        moved.collect::<Option<Kernel>>().as_ref() == Some(a)
    }
}

/// Rows from the north, with the origin in the middle unless stated otherwise.
fn matrix(items: &[Sexp]) -> Kernel {
    let (origin, rows): (Vec<&Sexp>, Vec<&Sexp>) = items.iter().partition(|item| item.head() == "origin");
    let (width, height) = (rows[0].items().len(), rows.len());
    let place = |i: usize| origin[0].items()[i + 1].atom().parse::<i32>().unwrap();
    let (column, row) =
        if origin.is_empty() { ((width / 2) as i32, (height / 2) as i32) } else { (place(0), place(1)) };
    let mut kernel = Kernel::new();
    for (y, cells) in rows.iter().enumerate() {
        for (x, cell) in cells.items().iter().enumerate() {
            if let Some(value) = Q::read(cell.atom()) {
                kernel.insert((x as i32 - column, row - y as i32), value);
            }
        }
    }
    kernel
}

fn step(items: &[Sexp]) -> (i32, i32) {
    match items[0].atom() {
        "x" | "east" => (1, 0),
        "west" => (-1, 0),
        "y" | "north" => (0, 1),
        "south" => (0, -1),
        number => (number.parse().unwrap(), items[1].atom().parse().unwrap()),
    }
}

fn collect(sexp: &Sexp, numeric: bool, found: &mut BTreeMap<String, char>) {
    if let Some(name) = sexp.atom().strip_prefix('?') {
        match name.strip_suffix("...") {
            Some(name) => found.insert(name.to_owned(), 's'),
            None if numeric => found.insert(name.to_owned(), 'n'),
            None => found.insert(name.to_owned(), 'k'),
        };
    }
    let head = sexp.head();
    for (i, item) in sexp.items().iter().enumerate() {
        collect(item, numeric || head == "eval" || (head == "scale" && i == 1), found);
    }
}
