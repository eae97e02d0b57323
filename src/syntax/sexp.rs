//! S-expressions with positions.

use super::Span;

/// An S-expression and where it stands. Built by [`super::read`]; two are equal where they say the same, wherever they stand.
#[derive(Clone, Debug)]
pub struct Sexp {
    /// The whole expression, parentheses included.
    pub span: Span,
    /// What it is.
    pub kind: SexpKind,
}

/// The kinds of S-expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SexpKind {
    /// A symbol or number, as written.
    Atom(Box<str>),
    /// A text in double quotes, with its escapes resolved.
    Text(Box<str>),
    /// A parenthesised list.
    List(Vec<Sexp>),
}

/// A list headed by an atom: `(HEAD arguments…)`.
#[derive(Clone, Copy, Debug)]
pub struct Form<'a> {
    /// The whole list.
    pub span: Span,
    /// Its head.
    pub head: &'a str,
    /// Where the head stands.
    pub head_span: Span,
    /// What follows the head.
    pub arguments: &'a [Sexp],
}

impl PartialEq for Sexp {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Sexp {}

impl Sexp {
    /// An atom that stands nowhere, for printing.
    pub fn atom(text: impl Into<String>) -> Self {
        Self { span: Span::default(), kind: SexpKind::Atom(text.into().into_boxed_str()) }
    }

    /// A quoted text that stands nowhere, for printing.
    pub fn text(text: impl Into<String>) -> Self {
        Self { span: Span::default(), kind: SexpKind::Text(text.into().into_boxed_str()) }
    }

    /// A list that stands nowhere, for printing.
    pub fn list(items: Vec<Self>) -> Self {
        Self { span: Span::default(), kind: SexpKind::List(items) }
    }

    /// `(HEAD items…)`, for printing.
    pub fn form(head: &str, items: impl IntoIterator<Item = Self>) -> Self {
        Self::list(std::iter::once(Self::atom(head)).chain(items).collect())
    }

    /// The atom's text.
    pub fn as_atom(&self) -> Option<&str> {
        match &self.kind {
            SexpKind::Atom(text) => Some(text),
            _ => None,
        }
    }

    /// The list's items.
    pub fn as_list(&self) -> Option<&[Self]> {
        match &self.kind {
            SexpKind::List(items) => Some(items),
            _ => None,
        }
    }

    /// The expression as a form: a list whose first item is an atom, its head.
    pub fn as_form(&self) -> Option<Form<'_>> {
        let (head, arguments) = self.as_list()?.split_first()?;
        Some(Form { span: self.span, head: head.as_atom()?, head_span: head.span, arguments })
    }

    /// What to call it in a message: `` `atom` ``, `the text "…"`, `` `(head …)` ``; long ones are cut.
    pub fn describe(&self) -> String {
        match &self.kind {
            SexpKind::Atom(text) => format!("`{}`", cut(text)),
            SexpKind::Text(text) => format!("the text \"{}\"", cut(text)),
            SexpKind::List(items) => match items.first().map(|first| &first.kind) {
                None => "`()`".to_owned(),
                Some(SexpKind::Atom(head)) if items.len() == 1 => format!("`({})`", cut(head)),
                Some(SexpKind::Atom(head)) => format!("`({} …)`", cut(head)),
                Some(_) => "a list".to_owned(),
            },
        }
    }
}

/// At most 40 characters of `text` on one line, control characters as escapes, `…` where something was left out.
pub(super) fn cut(text: &str) -> String {
    let mut shown = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == 40 {
            shown.push('…');
            break;
        }
        if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}
