//! The reader of terms in rule files, whose variables stand for kernels, for terms of sums, or for factors.

use super::{Reader, Scope};
use crate::algebra::Placed;
use crate::rule::{Constant, Expression, Pattern, Sort, Variable, VariableId};
use crate::syntax::{Diagnostic, Expect, Form, Sexp, Span};
use crate::term::{Cell, Grid, Name, Read, TermKind, TermReader, Usage, read_grid};

/// The maximum reach of a shift or scan: rules are checked on kernels that store every place in this range.
const FARTHEST: i32 = 256;

/// A term, or a sequence in place of a term.
enum Part {
    Pattern(Pattern),
    /// `?name...`, and its place.
    Sequence(VariableId, Span),
}

/// Reads the terms of one side of a rule.
struct Side<'r, 'a> {
    reader: &'r mut Reader<'a>,
    scope: &'r mut Scope,
    /// Whether this is a left side, where factors are numbers or variables, never computed.
    is_left: bool,
}

impl TermReader for Side<'_, '_> {
    type Term = Part;
    type Factor = Expression;

    const OWN: &'static [Usage] = &[("from", 2, 2, "(from ?CHANNEL TERM)")];

    fn expect(&mut self) -> &mut Expect {
        &mut self.reader.expect
    }

    fn dimensions(&self) -> u8 {
        3
    }

    fn reach(&self) -> i32 {
        FARTHEST
    }

    /// Reads a variable or another atom.
    fn atom(&mut self, text: &str, sexp: &Sexp) -> Option<Part> {
        let id = self.reader.variable(sexp, self.scope, None)?;
        match self.scope.variables[id.0].sort {
            Sort::Kernel => Some(Part::Pattern(Pattern::Variable(id))),
            Sort::Sequence => Some(Part::Sequence(id, sexp.span)),
            Sort::Channel => {
                let message = format!("`{text}` is a channel, not a kernel");
                self.reader.expect.report(
                    Diagnostic::error("channel-as-term", message)
                        .label(sexp.span, "expected a kernel")
                        .help(format!("the channel itself is `(from {text} (id))`")),
                )
            }
            Sort::Number => {
                let message = format!("`{text}` is a number, not a kernel");
                self.reader.expect.report(
                    Diagnostic::error("number-as-term", message)
                        .label(sexp.span, "expected a kernel")
                        .help(format!("the kernel that multiplies by it is `(scale {text} (id))`")),
                )
            }
        }
    }

    fn factor(&mut self, sexp: &Sexp) -> Option<Expression> {
        let factor = self.reader.number(sexp, self.scope)?;
        if self.is_left && matches!(factor, Expression::Apply(..)) {
            return self.reader.expect.report(
                Diagnostic::error("computed-left", "a computed number on the left side")
                    .label(sexp.span, "expected a number or a variable")
                    .help("match `(scale ?c …)` and constrain `?c` in `(when …)`"),
            );
        }
        if matches!(&factor, Expression::Literal(number) if number.is_zero()) {
            self.reader.zeros.push(sexp.span);
        }
        Some(factor)
    }

    fn kernel(&mut self, form: &Form<'_>) -> Option<Grid> {
        read_grid(&mut self.reader.expect, form)
    }

    /// Reads `(from ?c TERM)`, where the variable always stands for a channel.
    fn own(&mut self, form: &Form<'_>) -> Option<Read<Self>> {
        let [channel, term] = form.arguments else { return None };
        let known = self.reader.variable(channel, self.scope, Some(Sort::Channel));
        let term = self.term(term);
        let text = self.scope.variables[known?.0].name.clone();
        Some(TermKind::From(Name { text, span: channel.span }, Box::new(term?)))
    }

    fn build(&mut self, form: &Form<'_>, kind: Read<Self>) -> Option<Part> {
        let pattern = match kind {
            TermKind::Kernel(grid) => Pattern::Constant(Box::new(self.constant(form, &grid)?)),
            TermKind::Identity => Pattern::Identity,
            TermKind::Scan(direction) => Pattern::Scan(direction),
            TermKind::Scale(factor, part) => Pattern::Scaled(factor, Box::new(self.single(*part)?)),
            TermKind::Negate(part) => Pattern::Negated(Box::new(self.single(*part)?)),
            TermKind::Shift(by, part) => Pattern::Moved(by, Box::new(self.single(*part)?)),
            TermKind::Add(parts) => sum(parts),
            TermKind::Subtract(a, b) => {
                let (a, b) = (self.single(*a), self.single(*b));
                let terms = vec![a?, Pattern::Negated(Box::new(b?))];
                Pattern::Sum { terms, rests: Vec::new() }
            }
            TermKind::Compose(parts) => {
                self.expect().arity(form, 2..=usize::MAX, "(compose TERM TERM…)")?;
                let parts: Vec<_> = parts.into_iter().map(|part| self.single(part)).collect();
                let mut parts = parts.into_iter().collect::<Option<Vec<_>>>()?;
                let last = parts.pop()?;
                let nest = |inner, outer| Pattern::Compose(Box::new([outer, inner]));
                parts.into_iter().rev().fold(last, nest)
            }
            TermKind::From(channel, part) => {
                let index = self.scope.variables.iter().position(|variable| variable.name == channel.text)?;
                match (self.single(*part)?, Pattern::Channel(VariableId(index))) {
                    (Pattern::Identity, channel) => channel,
                    both => Pattern::Compose(Box::new(both.into())),
                }
            }
            // Rule terms have no other forms of their own.
            _ => return None,
        };
        Some(Part::Pattern(pattern))
    }
}

impl Side<'_, '_> {
    /// Returns the pattern of a part, or reports a sequence.
    fn single(&mut self, part: Part) -> Option<Pattern> {
        let (id, span) = match part {
            Part::Pattern(pattern) => return Some(pattern),
            Part::Sequence(id, span) => (id, span),
        };
        let message = format!("the sequence `{}` is outside a sum", self.scope.variables[id.0]);
        self.reader.expect.report(
            Diagnostic::error("sequence-outside-sum", message)
                .label(span, "only `(add …)` may have a sequence among its terms"),
        )
    }

    fn constant(&mut self, form: &Form<'_>, grid: &Grid) -> Option<Constant> {
        let mut taps = Vec::new();
        for (offset, cell) in grid.places() {
            match cell {
                Cell::Empty => {}
                Cell::Value(value) => taps.push((offset, value.0.parse().ok()?)),
                Cell::Stored => {
                    return self.reader.expect.report(
                        Diagnostic::error(
                            "stored-outside-instruction",
                            "`+` in a kernel outside an instruction",
                        )
                        .label(form.span, "rules have no instructions"),
                    );
                }
            }
        }
        let placed =
            Placed::from_taps(1, &taps.iter().map(|(at, value)| (0, *at, *value)).collect::<Vec<_>>());
        let Some(placed) = placed else {
            let message = "the coefficients have no common denominator that fits";
            let diagnostic = Diagnostic::error("no-shape", message).label(form.span, "in this kernel");
            return self.reader.expect.report(diagnostic);
        };
        Some(Constant { taps, placed })
    }
}

fn sum(parts: Vec<Part>) -> Pattern {
    let (mut terms, mut rests) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Part::Pattern(pattern) => terms.push(pattern),
            Part::Sequence(id, _) => rests.push(id),
        }
    }
    Pattern::Sum { terms, rests }
}

impl Reader<'_> {
    /// Reads a side of a rule or of an example.
    pub(super) fn pattern(&mut self, sexp: &Sexp, scope: &mut Scope, is_left: bool) -> Option<Pattern> {
        let mut side = Side { reader: self, scope, is_left };
        let part = side.term(sexp)?;
        side.single(part)
    }

    /// Reads `?name` or `?name...`. A new variable gets the sort `sort` or that of its form; a known variable keeps its
    /// sort.
    pub(super) fn variable(
        &mut self,
        sexp: &Sexp,
        scope: &mut Scope,
        sort: Option<Sort>,
    ) -> Option<VariableId> {
        let text = sexp.as_atom().unwrap_or_default();
        let Some(name) = text.strip_prefix('?').filter(|name| !name.is_empty() && *name != "...") else {
            let diagnostic =
                Diagnostic::error("unexpected", format!("expected a term, found {}", sexp.describe()))
                    .label(sexp.span, "expected a variable, such as `?x`, or a form, such as `(add …)`");
            return self.expect.report(diagnostic.help("variables begin with `?`"));
        };
        let (name, own) =
            name.strip_suffix("...").map_or((name, Sort::Kernel), |name| (name, Sort::Sequence));
        let id = match scope.variables.iter().position(|variable| variable.name == name) {
            Some(index) => {
                let known = scope.variables[index].sort;
                let is_sequence = own == Sort::Sequence;
                if (known == Sort::Sequence) != is_sequence
                    || sort.is_some_and(|sort| sort != known && known != Sort::Sequence)
                {
                    let among = match sort {
                        _ if is_sequence => Sort::Sequence,
                        Some(Sort::Channel) => Sort::Channel,
                        _ => known,
                    };
                    return self.mixed(VariableId(index), among, sexp, scope);
                }
                VariableId(index)
            }
            None if !self.is_short(name, sexp.span) => return None,
            None => {
                scope.variables.push(Variable { name: name.to_owned(), sort: sort.unwrap_or(own) });
                VariableId(scope.variables.len() - 1)
            }
        };
        scope.uses.push((id, sexp.span));
        Some(id)
    }

    /// Reports a variable used in two ways; `among` is one of them, and a sequence if either is.
    fn mixed<T>(&mut self, id: VariableId, among: Sort, sexp: &Sexp, scope: &Scope) -> Option<T> {
        let name = &scope.variables[id.0].name;
        let message = match among {
            Sort::Sequence => format!("`?{name}` is used both as a sequence and as something else"),
            Sort::Channel => format!("`?{name}` is used both as a channel and as something else"),
            Sort::Kernel | Sort::Number => format!("`?{name}` is used both as a number and as a kernel"),
        };
        let mut diagnostic = Diagnostic::error("mixed-variable", message).label(sexp.span, "this use");
        if let Some((_, before)) = scope.uses.iter().find(|(used, _)| *used == id) {
            diagnostic = diagnostic.label(*before, "differs from this one");
        }
        self.expect.report(diagnostic)
    }
}
