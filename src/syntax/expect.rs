//! Parsing of S-expressions with the same messages for every format.

use std::ops::RangeInclusive;

use super::{
    Diagnostic, Diagnostics, Form, Fraction, NumberError, Sexp, SexpKind, Source, Span, closest, leads_out,
    sexp::cut,
};

/// Takes S-expressions apart and collects diagnostics.
///
/// Each method returns the value it reads, or reports one diagnostic and returns `None`. The caller then continues with
/// the rest, so one run reports every mistake in a file once.
#[derive(Debug, Default)]
pub struct Expect {
    /// The diagnostics so far.
    pub diagnostics: Diagnostics,
}

impl Expect {
    /// A parser without diagnostics.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a file with `parse`, which reports why if it returns `None`.
    ///
    /// # Errors
    /// Everything that is wrong with the file, in file order.
    pub fn file<T>(
        source: &Source,
        parse: impl FnOnce(&mut Self, &[Sexp]) -> Option<T>,
    ) -> Result<T, Diagnostics> {
        let sexps = super::read(source)?;
        let mut expect = Self::new();
        match parse(&mut expect, &sexps) {
            Some(value) => expect.diagnostics.or(value),
            None => Err(expect.diagnostics.sorted()),
        }
    }

    /// Reports `diagnostic` and returns `None`.
    pub fn report<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.diagnostics.push(diagnostic);
        None
    }

    /// Reports that `what` was expected instead of `found`.
    pub fn mismatch<T>(&mut self, what: &str, found: &Sexp) -> Option<T> {
        let message = format!("expected {what}, found {}", found.describe());
        self.report(Diagnostic::error("unexpected", message).label(found.span, format!("expected {what}")))
    }

    /// Expects a form with any head; `what` names what was expected.
    pub fn form<'a>(&mut self, what: &str, sexp: &'a Sexp) -> Option<Form<'a>> {
        sexp.as_form().or_else(|| self.mismatch(what, sexp))
    }

    /// Expects a form with this head.
    pub fn form_named<'a>(&mut self, head: &str, sexp: &'a Sexp) -> Option<Form<'a>> {
        sexp.as_form()
            .filter(|form| form.head == head)
            .or_else(|| self.mismatch(&format!("`({head} …)`"), sexp))
    }

    /// Expects a file with one form `(HEAD NAME CLAUSE…)`, which describes what `what` says. Returns its name, the form and the
    /// clauses.
    pub fn descriptor<'a>(
        &mut self,
        what: &str,
        head: &str,
        sexps: &'a [Sexp],
    ) -> Option<(&'a str, Form<'a>, &'a [Sexp])> {
        let usage = format!("({head} NAME CLAUSE…)");
        let Some(first) = sexps.first() else {
            let message = format!("expected `{usage}`, found nothing");
            return self
                .report(Diagnostic::error("unexpected", message).label(Span::at(0), "the file is empty"));
        };
        if let Some(second) = sexps.get(1) {
            self.mismatch::<()>(&format!("one {what} in a file"), second);
        }
        let form = self.form_named(head, first)?;
        self.arity(&form, 1..=usize::MAX, &usage)?;
        let (name, clauses) = form.arguments.split_first()?;
        Some((self.name(&format!("the {what}'s name"), name)?, form, clauses))
    }

    /// Expects a form with one of these heads; `what` names what was expected.
    pub fn known_form<'a>(&mut self, what: &str, sexp: &'a Sexp, known: &[&str]) -> Option<Form<'a>> {
        let form = self.form(what, sexp)?;
        let known = known.iter().copied();
        if known.clone().any(|head| head == form.head) { Some(form) } else { self.unknown_form(&form, known) }
    }

    /// Returns the only form with this head, and reports repeated ones. Their messages show `usage`, if there is one.
    pub fn once<'f, 'a>(
        &mut self,
        forms: &'f [Form<'a>],
        head: &str,
        usage: Option<&str>,
    ) -> Option<&'f Form<'a>> {
        let usage = usage.map_or_else(String::new, |usage| format!(" `{usage}`"));
        let mut found = forms.iter().filter(|form| form.head == head);
        let first = found.next()?;
        for more in found {
            self.report::<()>(
                Diagnostic::error("repeated-form", format!("a second `({head} …)`"))
                    .label(more.head_span, format!("expected at most one{usage}"))
                    .label(first.head_span, "the first one"),
            );
        }
        Some(first)
    }

    /// Expects clauses with these heads, each once but for those of `several`.
    pub fn clauses<'a>(&mut self, sexps: &'a [Sexp], known: &[&str], several: &[&str]) -> Vec<Form<'a>> {
        let mut clauses: Vec<Form<'a>> = Vec::new();
        for clause in sexps {
            let Some(clause) = self.known_form("a clause", clause, known) else { continue };
            if !several.contains(&clause.head) && clauses.iter().any(|one| one.head == clause.head) {
                let message = format!("the clause `{}` appears twice", clause.head);
                let again = Diagnostic::error("repeated-clause", message).label(clause.span, "again here");
                self.report::<()>(again);
            } else {
                clauses.push(clause);
            }
        }
        clauses
    }

    /// Reports that a descriptor lacks a clause; `what` says what it describes.
    pub fn missing_clause<T>(&mut self, what: &str, descriptor: &Form<'_>, head: &str) -> Option<T> {
        let message = format!("a {what} needs a clause `({head} …)`");
        let missing = Diagnostic::error("missing-clause", message);
        self.report(missing.label(descriptor.head_span, "this one has none"))
    }

    /// Reports a form whose head is not one of `known`, and suggests the closest known head.
    pub fn unknown_form<'k, T>(
        &mut self,
        form: &Form<'_>,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Option<T> {
        self.unknown("unknown-form", "form", form.head, form.head_span, known)
    }

    /// Reports a name that is not one of `known`. `what` describes the kind of name, and `id` is the id of the
    /// diagnostic.
    pub fn unknown<'k, T>(
        &mut self,
        id: &'static str,
        what: &str,
        found: &str,
        span: Span,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Option<T> {
        let known: Vec<&str> = known.into_iter().collect();
        self.report(unknown(id, what, (found, span), &known))
    }

    /// The index of a name among the known ones; reports one that is [`unknown`](Self::unknown).
    pub fn index_of<'k>(
        &mut self,
        id: &'static str,
        what: &str,
        (found, span): (&str, Span),
        known: impl IntoIterator<Item = &'k str>,
    ) -> Option<usize> {
        let known: Vec<&str> = known.into_iter().collect();
        let index = known.iter().position(|name| *name == found);
        index.or_else(|| self.unknown(id, what, found, span, known))
    }

    /// Looks a name up in a table, and reports one that is [`unknown`](Self::unknown).
    pub fn one_of<T: Copy>(
        &mut self,
        id: &'static str,
        what: &str,
        found: (&str, Span),
        table: &[(&'static str, T)],
    ) -> Option<T> {
        let index = self.index_of(id, what, found, table.iter().map(|(name, _)| *name))?;
        Some(table[index].1)
    }

    /// Checks that the number of arguments of the form is in `count`; `usage` shows how to write the form, as in
    /// `(scale NUMBER TERM)`.
    pub fn arity(&mut self, form: &Form<'_>, count: RangeInclusive<usize>, usage: &str) -> Option<()> {
        let found = form.arguments.len();
        if count.contains(&found) {
            return Some(());
        }
        let (low, high) = (*count.start(), *count.end());
        let expected = match (low, high) {
            (low, high) if low == high => plural(low),
            (low, usize::MAX) => format!("at least {}", plural(low)),
            (low, high) => format!("{low} to {}", plural(high)),
        };
        let message = format!("`{}` takes {expected}, found {found}", cut(form.head));
        let diagnostic = Diagnostic::error("wrong-arity", message);
        self.report(match form.arguments.get(high) {
            Some(surplus) => {
                diagnostic.label(surplus.span, "this one is too many").help(format!("write `{usage}`"))
            }
            None => diagnostic.label(form.span, format!("expected `{usage}`")),
        })
    }

    /// Expects an atom.
    pub fn atom<'a>(&mut self, what: &str, sexp: &'a Sexp) -> Option<&'a str> {
        sexp.as_atom().or_else(|| self.mismatch(what, sexp))
    }

    /// Expects an atom that can be a name: it does not look like a number and is neither `.` nor `+`.
    pub fn name<'a>(&mut self, what: &str, sexp: &'a Sexp) -> Option<&'a str> {
        sexp.as_atom().filter(|text| is_name(text)).or_else(|| self.mismatch(what, sexp))
    }

    /// Expects the name of a channel: a name other than `_`, or a whole number, because papers number channels.
    pub fn channel<'a>(&mut self, what: &str, sexp: &'a Sexp) -> Option<&'a str> {
        sexp.as_atom()
            .filter(|text| *text != "_" && (is_name(text) || is_whole(text)))
            .or_else(|| self.mismatch(what, sexp))
    }

    /// Expects a quoted text.
    pub fn text<'a>(&mut self, what: &str, sexp: &'a Sexp) -> Option<&'a str> {
        match &sexp.kind {
            SexpKind::Text(text) => Some(text),
            _ => self.mismatch(what, sexp),
        }
    }

    /// Expects a quoted path to another file. The path must be relative and must not leave the folder of the file being
    /// read. The code that opens the file must check that no link leads out of the folder.
    pub fn file_below<'a>(&mut self, what: &str, sexp: &'a Sexp) -> Option<&'a str> {
        let path = self.text(what, sexp)?;
        let Some(why) = leads_out(path) else { return Some(path) };
        let message = format!("{path:?} does not name a file below the folder of this file");
        let diagnostic = Diagnostic::error("leads-out", message).label(sexp.span, why);
        self.report(diagnostic.help("a file may only name files in its own folder or below"))
    }

    /// Expects a list.
    pub fn list<'a>(&mut self, what: &str, sexp: &'a Sexp) -> Option<&'a [Sexp]> {
        sexp.as_list().or_else(|| self.mismatch(what, sexp))
    }

    /// Expects an exact number: `-3`, `1/16` or `0.25`.
    pub fn fraction(&mut self, what: &str, sexp: &Sexp) -> Option<Fraction> {
        let Some(text) = sexp.as_atom() else { return self.mismatch(what, sexp) };
        match Fraction::parse(text) {
            Ok(fraction) => Some(fraction),
            Err(error) => self.bad_number(error, what, sexp),
        }
    }

    /// Reports why an atom is not a number; `what` names what was expected.
    pub fn bad_number<T>(&mut self, error: NumberError, what: &str, sexp: &Sexp) -> Option<T> {
        let text = sexp.as_atom().unwrap_or_default();
        let shown = cut(text);
        let diagnostic = match error {
            NumberError::Malformed => {
                let help = if text.contains(['\u{2212}', '\u{2013}', '\u{2014}']) {
                    Some("this is a typographic dash: write the sign as an ASCII `-`".to_owned())
                } else if text.contains(',') {
                    Some("separate values by spaces; the decimal sign is a point".to_owned())
                } else {
                    None
                };
                Diagnostic::error("not-a-number", format!("expected {what}, found `{shown}`"))
                    .label(sexp.span, "a number is written `-3`, `1/16` or `0.25`")
                    .help_if(help)
            }
            NumberError::ZeroDenominator => {
                Diagnostic::error("zero-denominator", format!("zero denominator in `{shown}`"))
                    .label(sexp.span, format!("expected {what} with a denominator other than 0"))
            }
            NumberError::TooLarge => Diagnostic::error(
                "number-too-large",
                format!("the number `{shown}` is too large or too fine"),
            )
            .label(sexp.span, format!("expected a numerator and a denominator of at most {}", i64::MAX)),
        };
        self.report(diagnostic)
    }

    /// Expects a number from 0 to `most`, in thousandths: the nearest number of them.
    pub fn thousandths(&mut self, what: &str, sexp: &Sexp, most: u64) -> Option<u64> {
        let value = self.fraction(what, sexp)?.thousandths(most);
        value.or_else(|| self.out_of_range(what, sexp, &format!("0, or 0.001 to {most}")))
    }

    /// Expects an integer within `range`.
    pub fn integer(&mut self, what: &str, sexp: &Sexp, range: RangeInclusive<i64>) -> Option<i64> {
        let fraction = self.fraction(what, sexp)?;
        if fraction.numerator % fraction.denominator != 0 {
            return self.mismatch(what, sexp);
        }
        let value = fraction.numerator / fraction.denominator;
        if range.contains(&value) {
            return Some(value);
        }
        self.out_of_range(what, sexp, &format!("{} to {}", range.start(), range.end()))
    }

    fn out_of_range<T>(&mut self, what: &str, sexp: &Sexp, range: &str) -> Option<T> {
        let message = format!("expected {what}, found {}", sexp.describe());
        let label = format!("expected {range}");
        self.report(Diagnostic::error("out-of-range", message).label(sexp.span, label))
    }
}

/// Whether an atom is a name rather than a value.
pub fn is_name(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    !unsigned.is_empty() && !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

/// Whether an atom is a whole number without a sign or leading zeros.
fn is_whole(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'))
}

fn plural(count: usize) -> String {
    match count {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        n => format!("{n} arguments"),
    }
}

/// The diagnostic for a name, with its place, that is not one of `known`.
fn unknown(id: &'static str, what: &str, (found, span): (&str, Span), known: &[&str]) -> Diagnostic {
    let list = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let label = match known.len() {
        0 => format!("there is no {what} here"),
        1 => format!("expected {list}"),
        2..=20 => format!("expected one of {list}"),
        _ => format!("not a known {what}"),
    };
    Diagnostic::error(id, format!("unknown {what} `{}`", cut(found)))
        .label(span, label)
        .help_if(closest(found, known.iter().copied()).map(|name| format!("did you mean `{name}`?")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Source, read};

    fn sexp(text: &str) -> Sexp {
        read(&Source::new("test", text)).unwrap().remove(0)
    }

    fn message(check: impl FnOnce(&mut Expect) -> bool) -> String {
        let mut expect = Expect::new();
        assert!(!check(&mut expect));
        assert_eq!(expect.diagnostics.len(), 1);
        expect.diagnostics.iter().next().unwrap().message.clone()
    }

    #[test]
    fn names_what_was_expected_and_what_was_found() {
        let list = sexp("(scale 1 2 3)");
        assert_eq!(message(|e| e.name("a name", &list).is_some()), "expected a name, found `(scale …)`");
        let form = list.as_form().unwrap();
        assert_eq!(
            message(|e| e.arity(&form, 2..=2, "(scale NUMBER TERM)").is_some()),
            "`scale` takes 2 arguments, found 3"
        );
        assert_eq!(message(|e| e.unknown_form::<()>(&form, ["shift"]).is_some()), "unknown form `scale`");
        assert_eq!(
            message(|e| e.integer("a size", &sexp("1/2"), 0..=9).is_some()),
            "expected a size, found `1/2`"
        );
        assert_eq!(
            message(|e| e.integer("a size", &sexp("10"), 0..=9).is_some()),
            "expected a size, found `10`"
        );
        assert_eq!(message(|e| e.name("a name", &sexp("-3")).is_some()), "expected a name, found `-3`");
        for wrong in ["-3", "+3", "03", "1/2", "0.5", "_", "."] {
            assert!(message(|e| e.channel("a channel", &sexp(wrong)).is_some()).contains(wrong));
        }
        for right in ["0", "3", "10", "red", "_1"] {
            assert_eq!(Expect::new().channel("a channel", &sexp(right)), Some(right));
        }
    }

    #[test]
    fn named_files_lie_below() {
        assert_eq!(Expect::new().file_below("a file", &sexp("\"sub/a.rules\"")), Some("sub/a.rules"));
        let out = message(|e| e.file_below("a file", &sexp("\"../a.rules\"")).is_some());
        assert_eq!(out, "\"../a.rules\" does not name a file below the folder of this file");
    }

    #[test]
    fn takes_forms_apart() {
        let mut expect = Expect::new();
        let list = sexp("(scale 4/2 \"doc\")");
        let form = expect.form_named("scale", &list).unwrap();
        assert_eq!(expect.integer("a number", &form.arguments[0], -9..=9), Some(2));
        assert_eq!(expect.text("a text", &form.arguments[1]), Some("doc"));
        assert!(expect.diagnostics.is_empty());
    }
}
