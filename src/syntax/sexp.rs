//! S-expressions with positions.

use super::Span;

/// An S-expression and its place, as built by [`super::read`]. Equality ignores the places.
#[derive(Clone, Debug)]
pub struct Sexp {
    /// The whole expression, parentheses included.
    pub span: Span,
    /// The kind of expression.
    pub kind: SexpKind,
}

/// The kinds of S-expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SexpKind {
    /// A symbol or number, as written.
    Atom(Box<str>),
    /// A text in double quotes, with its escapes resolved.
    Text(Box<str>),
    /// A list in parentheses.
    List(Vec<Sexp>),
}

/// A list whose first item is an atom: `(HEAD arguments…)`.
#[derive(Clone, Copy, Debug)]
pub struct Form<'a> {
    /// The place of the whole list.
    pub span: Span,
    /// The head.
    pub head: &'a str,
    /// The place of the head.
    pub head_span: Span,
    /// The items after the head.
    pub arguments: &'a [Sexp],
}

impl PartialEq for Sexp {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Sexp {}

impl Sexp {
    /// An atom without a place, for printing.
    pub fn atom(text: impl Into<String>) -> Self {
        Self { span: Span::default(), kind: SexpKind::Atom(text.into().into_boxed_str()) }
    }

    /// A quoted text without a place, for printing.
    pub fn text(text: impl Into<String>) -> Self {
        Self { span: Span::default(), kind: SexpKind::Text(text.into().into_boxed_str()) }
    }

    /// A list without a place, for printing.
    pub fn list(items: Vec<Self>) -> Self {
        Self { span: Span::default(), kind: SexpKind::List(items) }
    }

    /// `(HEAD items…)`, for printing.
    pub fn form(head: &str, items: impl IntoIterator<Item = Self>) -> Self {
        Self::list(std::iter::once(Self::atom(head)).chain(items).collect())
    }

    /// The text of an atom.
    pub fn as_atom(&self) -> Option<&str> {
        match &self.kind {
            SexpKind::Atom(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list.
    pub fn as_list(&self) -> Option<&[Self]> {
        match &self.kind {
            SexpKind::List(items) => Some(items),
            _ => None,
        }
    }

    /// The expression as a form: a list whose first item, its head, is an atom.
    pub fn as_form(&self) -> Option<Form<'_>> {
        let (head, arguments) = self.as_list()?.split_first()?;
        Some(Form { span: self.span, head: head.as_atom()?, head_span: head.span, arguments })
    }

    /// A description for messages: `` `atom` ``, `the text "…"` or `` `(head …)` ``. Long ones are cut.
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

/// At most 40 characters of `text` on one line, with control characters escaped and `…` where something was left out.
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
