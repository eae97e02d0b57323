//! Diagnostics: what is wrong with an input, and where.

use std::fmt;

use super::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The input is rejected.
    Error,
    /// The input is accepted, but something in it is probably a mistake.
    Warning,
}

/// One problem in an input.
///
/// Messages are lower case without a final stop, name the offending text in backquotes, and say what was expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// A stable kebab-case name for this kind of mistake.
    pub id: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// The places concerned, each with a text; the diagnostic is reported at the first.
    pub labels: Vec<(Span, String)>,
    /// How to fix it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without labels.
    pub fn error(id: &'static str, message: impl Into<String>) -> Self {
        Self { id, severity: Severity::Error, message: message.into(), labels: Vec::new(), help: None }
    }

    /// A warning without labels.
    pub fn warning(id: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(id, message) }
    }

    /// Adds a label. The diagnostic is reported at the first label added.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push((span, text.into()));
        self
    }

    /// Sets the help text, replacing an earlier one.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Sets the help text if there is one.
    pub fn help_if(mut self, text: Option<String>) -> Self {
        self.help = text.or(self.help);
        self
    }

    /// The place where the diagnostic is reported: its first label, or the start of the source.
    pub fn place(&self) -> Span {
        self.labels.first().map_or(Span::default(), |(span, _)| *span)
    }
}

impl fmt::Display for Diagnostic {
    /// The message and the help on one line; errors of the library also show the places.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, " ({help})"))
    }
}

impl std::error::Error for Diagnostic {}

/// The diagnostics of one source, in source order once [`sorted`](Self::sorted).
///
/// At most [`Diagnostics::LIMIT`] diagnostics are kept and the rest are only counted, so a file with a million bad rows
/// gets a short answer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    omitted: usize,
}

impl Diagnostics {
    /// The maximum number of diagnostics kept: what fits on a few screens.
    pub const LIMIT: usize = 20;

    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < Self::LIMIT {
            self.list.push(diagnostic);
        } else {
            self.omitted += 1;
        }
    }

    /// Adds all diagnostics of `other`.
    pub fn append(&mut self, other: Self) {
        for diagnostic in other.list {
            self.push(diagnostic);
        }
        self.omitted += other.omitted;
    }

    /// Whether there are no diagnostics.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The number of diagnostics kept.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The number of diagnostics found but not kept.
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// The diagnostics kept.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// The diagnostics sorted by place.
    pub fn sorted(mut self) -> Self {
        self.list.sort_by_key(Diagnostic::place);
        self
    }

    /// Returns `value` if there are no diagnostics; otherwise the diagnostics in source order.
    pub fn or<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() { Ok(value) } else { Err(self.sorted()) }
    }
}

impl fmt::Display for Diagnostics {
    /// One line for each diagnostic.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.list.iter().enumerate() {
            write!(f, "{}{diagnostic}", if i > 0 { "\n" } else { "" })?;
        }
        if self.omitted > 0 {
            write!(f, "\n… and {} more", self.omitted)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { list: vec![diagnostic], omitted: 0 }
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
