//! The reader of point-wise rules: `(pixel TERM) => (pixel TERM)`.

use super::Reader;
use crate::algebra::Rational;
use crate::pipeline::identity::{Condition, Identity, Operator, Sort, Term, Unknown, Word};
use crate::pipeline::{PixelType, Rounding};
use crate::syntax::{Diagnostic, Form, Fraction, Sexp, Span};

/// The head of both sides.
const HEAD: &str = "pixel";

/// The forms of terms, with the least and the greatest number of arguments, and how to write them.
const FORMS: [(&str, usize, usize, &str); 26] = [
    ("+", 1, usize::MAX, "(+ TERM… ?rest...)"),
    ("*", 1, usize::MAX, "(* TERM… ?rest...)"),
    ("min", 1, usize::MAX, "(min TERM… ?rest...)"),
    ("max", 1, usize::MAX, "(max TERM… ?rest...)"),
    ("and", 1, usize::MAX, "(and TERM… ?rest...)"),
    ("or", 1, usize::MAX, "(or TERM… ?rest...)"),
    ("-", 1, 2, "(- TERM TERM)"),
    ("neg", 1, 1, "(neg TERM)"),
    ("not", 1, 1, "(not TERM)"),
    ("abs", 1, 1, "(abs TERM)"),
    ("absdiff", 2, 2, "(absdiff TERM TERM)"),
    ("sqrt", 1, 1, "(sqrt TERM)"),
    ("quotient", 2, 2, "(quotient TERM TERM)"),
    ("clamp", 3, 3, "(clamp LOW HIGH TERM)"),
    ("select", 3, 3, "(select CONDITION TERM TERM)"),
    ("<", 2, 2, "(< TERM TERM)"),
    ("<=", 2, 2, "(<= TERM TERM)"),
    (">", 2, 2, "(> TERM TERM)"),
    (">=", 2, 2, "(>= TERM TERM)"),
    ("=", 2, 2, "(= TERM TERM)"),
    ("!=", 2, 2, "(!= TERM TERM)"),
    ("round", 2, 2, "(round WAY TERM)"),
    ("wrap", 2, 2, "(wrap TYPE TERM)"),
    ("floor-shift", 2, 2, "(floor-shift N TERM)"),
    ("shift-left", 2, 2, "(shift-left N TERM)"),
    // The whole of a side, to tell it from a misspelt form.
    (HEAD, 1, 1, "(pixel TERM)"),
];

/// The most operands on a left side that are matched in any order.
const MAX_TERMS: usize = 3;

/// Whether a side is a term over pixels.
pub(super) fn is_pixel(side: &Sexp) -> bool {
    side.as_form().is_some_and(|form| form.head == HEAD)
}

/// The unknowns of a rule, and whether new ones may occur.
#[derive(Default)]
struct Unknowns {
    all: Vec<Unknown>,
    closed: bool,
}

impl Reader<'_> {
    /// Reads both sides of a point-wise rule, and its conditions.
    pub(super) fn identity(
        &mut self,
        name: &str,
        lhs: &Sexp,
        rhs: &Sexp,
        conditions: &[&Sexp],
    ) -> Option<Identity> {
        let mut unknowns = Unknowns::default();
        let left = self.pixel_side(lhs, &mut unknowns)?;
        if !matches!(left, Term::Apply(..)) {
            let diagnostic = Diagnostic::error("matches-everything", "the left side is no operation")
                .label(lhs.span, "expected an operation, such as `(pixel (min ?a ?b))`");
            return self.expect.report(diagnostic);
        }
        if let Some(count) = most_in_any_order(&left).filter(|count| *count > MAX_TERMS) {
            let message = format!("a left side with {count} operands in any order");
            let label = format!("expected at most {MAX_TERMS}, and a sequence");
            return self.expect.report(Diagnostic::error("many-terms", message).label(lhs.span, label));
        }
        unknowns.closed = true;
        let right = self.pixel_side(rhs, &mut unknowns);
        let conditions: Vec<Option<Condition>> =
            conditions.iter().map(|sexp| self.pixel_condition(sexp, &mut unknowns)).collect();
        let conditions = conditions.into_iter().collect::<Option<_>>();
        Some(Identity {
            name: name.to_owned(),
            unknowns: unknowns.all,
            lhs: left,
            rhs: right?,
            conditions: conditions?,
        })
    }

    fn pixel_side(&mut self, side: &Sexp, unknowns: &mut Unknowns) -> Option<Term> {
        let form = self.expect.form_named(HEAD, side)?;
        self.expect.arity(&form, 1..=1, "(pixel TERM)")?;
        self.pixel_term(&form.arguments[0], unknowns)
    }

    fn pixel_term(&mut self, sexp: &Sexp, unknowns: &mut Unknowns) -> Option<Term> {
        if let Some(atom) = sexp.as_atom() {
            if atom.starts_with('?') {
                return self.unknown(sexp, Sort::Value, unknowns).map(Term::Unknown);
            }
            let Fraction { numerator, denominator } = self.expect.fraction("a variable or a number", sexp)?;
            return Rational::new(numerator, denominator).map(Term::Number);
        }
        let form = self.expect.form("a term", sexp)?;
        let Some((_, low, high, usage)) =
            FORMS.into_iter().find(|(head, ..)| *head == form.head && *head != HEAD)
        else {
            return self.expect.unknown_form(&form, FORMS.map(|(head, ..)| head));
        };
        self.expect.arity(&form, low..=high, usage)?;
        match form.head {
            "round" | "wrap" | "floor-shift" | "shift-left" => self.pixel_worded(&form, unknowns),
            "+" | "*" | "min" | "max" | "and" | "or" => self.pixel_list(&form, unknowns),
            _ => {
                let terms: Vec<Option<Term>> =
                    form.arguments.iter().map(|item| self.pixel_term(item, unknowns)).collect();
                Term::written(form.head, terms.into_iter().collect::<Option<Vec<_>>>()?)
            }
        }
    }

    /// An operation on any number of operands, the last of which may be a sequence.
    fn pixel_list(&mut self, form: &Form<'_>, unknowns: &mut Unknowns) -> Option<Term> {
        let is_sequence = |item: &Sexp| item.as_atom().is_some_and(|atom| atom.ends_with("..."));
        let (terms, rest) = match form.arguments.split_last() {
            Some((last, terms)) if is_sequence(last) => {
                (terms, Some(self.unknown(last, Sort::Sequence, unknowns)?))
            }
            _ => (form.arguments, None),
        };
        let terms: Vec<Option<Term>> = terms.iter().map(|item| self.pixel_term(item, unknowns)).collect();
        Some(Term::Apply(Operator::of_many(form.head)?, terms.into_iter().collect::<Option<_>>()?, rest))
    }

    /// An operation whose first argument is a word or a number of bits.
    fn pixel_worded(&mut self, form: &Form<'_>, unknowns: &mut Unknowns) -> Option<Term> {
        let [word, term] = form.arguments else { return None };
        let operator = match form.head {
            "round" => Operator::Round(self.rounding_word(word, unknowns)?),
            "wrap" => Operator::Wrap(self.type_word(word, unknowns)?),
            head => {
                let bits = self.expect.integer("a number of bits", word, 0..=62)? as i32;
                let term = self.pixel_term(term, unknowns)?;
                let down = head == "floor-shift";
                let factor = Rational::power_of_two(if down { -bits } else { bits })?;
                let product = Term::Apply(Operator::Multiply, vec![Term::Number(factor), term], None);
                let floor = Operator::Round(Word::Is(Rounding::Floor));
                return Some(if down { Term::Apply(floor, vec![product], None) } else { product });
            }
        };
        Some(Term::Apply(operator, vec![self.pixel_term(term, unknowns)?], None))
    }

    fn rounding_word(&mut self, sexp: &Sexp, unknowns: &mut Unknowns) -> Option<Word<Rounding>> {
        let word = self.expect.atom("a way to round", sexp)?;
        if word.starts_with('?') {
            return self.unknown(sexp, Sort::Rounding, unknowns).map(Word::Unknown);
        }
        let found = (word, sexp.span);
        self.expect.one_of("unknown-rounding", "way to round", found, &Rounding::ALL).map(Word::Is)
    }

    fn type_word(&mut self, sexp: &Sexp, unknowns: &mut Unknowns) -> Option<Word<PixelType>> {
        let word = self.expect.atom("a type", sexp)?;
        if word.starts_with('?') {
            return self.unknown(sexp, Sort::Type, unknowns).map(Word::Unknown);
        }
        match PixelType::named(word).filter(|pixel| *pixel != PixelType::Float32) {
            Some(pixel) => Some(Word::Is(pixel)),
            None => self.expect.mismatch("a type of integers, such as `uint8`", sexp),
        }
    }

    /// The number of an unknown of this sort.
    fn unknown(&mut self, sexp: &Sexp, sort: Sort, unknowns: &mut Unknowns) -> Option<usize> {
        let atom = sexp.as_atom().unwrap_or_default();
        let name = atom.trim_start_matches('?').trim_end_matches("...");
        let is_one =
            atom.starts_with('?') && !name.is_empty() && atom.ends_with("...") == (sort == Sort::Sequence);
        if !is_one {
            return self.expect.mismatch(
                if sort == Sort::Sequence { "a sequence, `?rest...`" } else { "a variable, `?a`" },
                sexp,
            );
        }
        match unknowns.all.iter().position(|unknown| unknown.name == name) {
            Some(number) if unknowns.all[number].sort == sort => Some(number),
            Some(_) => {
                let message = format!("`{atom}` is used for two kinds of things");
                let label = "values, sequences, types and ways to round have names of their own";
                self.expect.report(Diagnostic::error("two-sorts", message).label(sexp.span, label))
            }
            None if unknowns.closed => self.no_unknown(name, sexp.span, unknowns),
            None => {
                unknowns.all.push(Unknown { name: name.to_owned(), sort });
                Some(unknowns.all.len() - 1)
            }
        }
    }

    fn no_unknown(&mut self, name: &str, span: Span, unknowns: &Unknowns) -> Option<usize> {
        let known = unknowns.all.iter().map(|unknown| unknown.name.as_str());
        let help = crate::syntax::closest(name, known).map(|near| format!("did you mean `?{near}`?"));
        let diagnostic = Diagnostic::error("unbound-variable", format!("unbound variable `?{name}`"))
            .label(span, "the left side does not bind it");
        self.expect.report(diagnostic.help_if(help))
    }

    /// Reads a condition on values.
    fn pixel_condition(&mut self, sexp: &Sexp, unknowns: &mut Unknowns) -> Option<Condition> {
        let form = self.expect.form("a condition, such as `(at-most ?a ?b)`", sexp)?;
        let head = (form.head, form.head_span);
        let usage = self.expect.one_of("unknown-condition", "condition", head, &Condition::USAGES)?;
        let count = if matches!(form.head, "at-most" | "below" | "fits") { 2 } else { 1 };
        self.expect.arity(&form, count..=count, usage)?;
        let first = &form.arguments[0];
        if form.head == "integer" && first.as_atom().is_some_and(|atom| atom.ends_with("...")) {
            return self.unknown(first, Sort::Sequence, unknowns).map(Condition::Integers);
        }
        if let Some(wrong) = form.arguments.iter().find(|item| item.as_atom().is_none()) {
            return self.expect.mismatch("a variable or a number", wrong);
        }
        let term = self.pixel_term(first, unknowns)?;
        Some(match (form.head, form.arguments) {
            ("at-most", [_, second]) => Condition::AtMost(term, self.pixel_term(second, unknowns)?),
            ("below", [_, second]) => Condition::Below(term, self.pixel_term(second, unknowns)?),
            ("fits", [_, word]) => Condition::Fits(term, self.type_word(word, unknowns)?),
            ("integer", _) => Condition::Integer(term),
            ("known", _) => Condition::Known(term),
            _ => Condition::UnitFraction(term),
        })
    }
}

/// The most terms of an operation whose operands stand in any order.
fn most_in_any_order(term: &Term) -> Option<usize> {
    let Term::Apply(operator, terms, _) = term else { return None };
    let own = operator.is_commutative().then_some(terms.len());
    terms.iter().filter_map(most_in_any_order).chain(own).max()
}
