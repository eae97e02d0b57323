//! The reader of S-expressions.

use super::{BYTE_ORDER_MARK, Diagnostic, Diagnostics, Sexp, SexpKind, Source, Span};

/// The maximum nesting depth of lists. No hand-written file comes near it, and it makes recursion over a tree safe.
pub const MAX_DEPTH: usize = 200;

/// Reads all S-expressions of a source.
///
/// White space is defined as in Unicode, tabs included. `;` starts a comment up to the end of the line. Texts are
/// written in double quotes, may span lines and use the escapes `\"`, `\\`, `\n` and `\t`. Everything else up to white
/// space, a parenthesis, a quote or a semicolon is one atom. The reader does not recurse and takes time linear in the
/// length of the text.
///
/// # Errors
/// The source's [defect](Source::defect), parentheses that do not match, a text that is never closed, an unknown escape,
/// a control character, or lists nested deeper than [`MAX_DEPTH`].
pub fn read(source: &Source) -> Result<Vec<Sexp>, Diagnostics> {
    match source.defect() {
        Some(defect) => Err(defect.clone().into()),
        None => Reader::new(source.text()).run(),
    }
}

/// A list that is not closed yet.
struct Open {
    start: usize,
    items: Vec<Sexp>,
    /// The byte column of the opening parenthesis if only white space precedes it on its line.
    indent: Option<usize>,
}

struct Reader<'s> {
    text: &'s str,
    at: usize,
    line_start: usize,
    /// Whether only white space was read on this line so far.
    blank: bool,
    stack: Vec<Open>,
    top: Vec<Sexp>,
    diagnostics: Diagnostics,
    /// The first open list that should have ended, judging by the indentation after it.
    suspect: Option<usize>,
    /// Whether a surplus `)` was reported and no list has begun since.
    surplus: bool,
    control: bool,
}

impl<'s> Reader<'s> {
    fn new(text: &'s str) -> Self {
        Self {
            text,
            at: if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 },
            line_start: 0,
            blank: true,
            stack: Vec::new(),
            top: Vec::new(),
            diagnostics: Diagnostics::new(),
            suspect: None,
            surplus: false,
            control: false,
        }
    }

    fn run(mut self) -> Result<Vec<Sexp>, Diagnostics> {
        while let Some(c) = self.text[self.at..].chars().next() {
            match c {
                '\n' => {
                    self.at += 1;
                    self.line_start = self.at;
                    self.blank = true;
                    continue;
                }
                ';' => self.at = self.text[self.at..].find('\n').map_or(self.text.len(), |n| self.at + n),
                '(' => {
                    if self.stack.len() == MAX_DEPTH {
                        return Err(self.too_deep());
                    }
                    self.open();
                }
                ')' => self.close(),
                '"' => {
                    if !self.quoted() {
                        return Err(self.diagnostics.sorted());
                    }
                }
                c if c.is_whitespace() => {
                    self.at += c.len_utf8();
                    continue;
                }
                _ => self.atom(),
            }
            self.blank = false;
        }
        self.unclosed();
        self.diagnostics.or(self.top)
    }

    fn add(&mut self, start: usize, kind: SexpKind) {
        let sexp = Sexp { span: Span::new(start, self.at), kind };
        self.stack.last_mut().map_or(&mut self.top, |open| &mut open.items).push(sexp);
    }

    fn open(&mut self) {
        let indent = self.blank.then_some(self.at - self.line_start);
        if let (Some(column), None) = (indent, self.suspect) {
            let outer = self.stack.iter().find(|open| open.indent.is_some_and(|indent| indent >= column));
            self.suspect = outer.map(|open| open.start);
        }
        self.stack.push(Open { start: self.at, items: Vec::new(), indent });
        self.surplus = false;
        self.at += 1;
    }

    fn close(&mut self) {
        self.at += 1;
        if let Some(open) = self.stack.pop() {
            self.add(open.start, SexpKind::List(open.items));
        } else if !self.surplus {
            self.surplus = true;
            let mut diagnostic = Diagnostic::error("surplus-parenthesis", "surplus `)`")
                .label(Span::new(self.at - 1, self.at), "there is no `(` left for it to close");
            if let Some(before) = self.top.last().filter(|sexp| sexp.as_list().is_some()) {
                let end = before.span.end as usize;
                diagnostic = diagnostic.label(Span::new(end - 1, end), "the last list ended here");
            }
            self.diagnostics.push(diagnostic);
        }
    }

    fn atom(&mut self) {
        let start = self.at;
        let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"' | ';');
        self.at = self.text[start..].find(ends).map_or(self.text.len(), |n| start + n);
        let text = &self.text[start..self.at];
        if let Some((i, c)) = text.char_indices().find(|(_, c)| c.is_control()).filter(|_| !self.control) {
            self.control = true;
            let span = Span::new(start + i, start + i + c.len_utf8());
            self.diagnostics.push(
                Diagnostic::error(
                    "control-character",
                    format!("control character U+{:04X} in the text", c as u32),
                )
                .label(span, "expected printable text")
                .help("is this a text file?"),
            );
        }
        self.add(start, SexpKind::Atom(text.into()));
    }

    /// Reads a quoted text; `false` if it does not end.
    fn quoted(&mut self) -> bool {
        let start = self.at;
        let mut value = String::new();
        let mut chars = self.text[start..].char_indices().skip(1);
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at = start + i + 1;
                    self.line_start =
                        self.text[..self.at].rfind('\n').map_or(0, |n| n + 1).max(self.line_start);
                    self.add(start, SexpKind::Text(value.into_boxed_str()));
                    return true;
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => value.push('\n'),
                    Some((_, 't')) => value.push('\t'),
                    Some((_, c @ ('"' | '\\'))) => value.push(c),
                    Some((j, other)) => {
                        let shown = super::sexp::cut(&other.to_string());
                        self.diagnostics.push(
                            Diagnostic::error("unknown-escape", format!("unknown escape `\\{shown}`")).label(
                                Span::new(start + i, start + j + other.len_utf8()),
                                "expected `\\\"`, `\\\\`, `\\n` or `\\t`",
                            ),
                        );
                    }
                    None => break,
                },
                c => value.push(c),
            }
        }
        self.diagnostics.push(
            Diagnostic::error("unclosed-text", "a text that is never closed")
                .label(Span::new(start, start + 1), "expected another `\"` after this one"),
        );
        false
    }

    fn too_deep(mut self) -> Diagnostics {
        self.diagnostics.push(
            Diagnostic::error("too-deep", format!("lists are nested deeper than {MAX_DEPTH}")).label(
                Span::new(self.at, self.at + 1),
                format!("this `(` would be number {}", MAX_DEPTH + 1),
            ),
        );
        self.diagnostics.sorted()
    }

    /// Reports all lists that are still open at the end as one mistake, at the innermost list.
    fn unclosed(&mut self) {
        let Some(open) = self.stack.last() else { return };
        let count = self.stack.len();
        let message = if count == 1 {
            "a parenthesis is never closed".to_owned()
        } else {
            format!("{count} parentheses are never closed")
        };
        let text =
            if count == 1 { "no `)` closes this one" } else { "no `)` closes the innermost, this one" };
        let mut diagnostic = Diagnostic::error("unclosed-parenthesis", message);
        match self.suspect.filter(|suspect| *suspect != open.start) {
            Some(suspect) => {
                let place = Span::new(suspect, suspect + 1);
                diagnostic = diagnostic
                    .label(Span::new(open.start, open.start + 1), text)
                    .label(place, "going by the indentation, a `)` is missing in this list");
            }
            None => diagnostic = diagnostic.label(Span::new(open.start, open.start + 1), text),
        }
        self.diagnostics.push(diagnostic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Sexp> {
        read(&Source::new("test", text)).unwrap()
    }

    fn first_error(text: &str) -> (&'static str, usize) {
        let diagnostics = read(&Source::new("test", text)).unwrap_err();
        let first = diagnostics.iter().next().unwrap();
        (first.id, first.place().start as usize)
    }

    #[test]
    fn atoms_texts_lists_comments_and_tabs() {
        let atom = |text: &str| Sexp::atom(text);
        let expected = vec![
            Sexp::list(vec![atom("a"), atom("-3"), atom("1/16"), Sexp::text("x \"y\"\n; z")]),
            atom("b"),
            Sexp::list(vec![]),
        ];
        assert_eq!(kinds("\u{FEFF}(a\t-3 1/16;comment ) (\n\"x \\\"y\\\"\\n; z\") b()"), expected);
    }

    #[test]
    fn spans_hold_the_text() {
        let source = Source::new("test", " (é (b)) ");
        let top = read(&source).unwrap();
        assert_eq!(source.slice(top[0].span), "(é (b))");
        assert_eq!(source.slice(top[0].as_list().unwrap()[1].span), "(b)");
    }

    #[test]
    fn mismatched_parentheses_are_reported_where_they_stand() {
        assert_eq!(first_error("(a (b)"), ("unclosed-parenthesis", 0));
        assert_eq!(first_error("(a (b"), ("unclosed-parenthesis", 3));
        assert_eq!(first_error("(a))"), ("surplus-parenthesis", 3));
        assert_eq!(read(&Source::new("test", "(a)))) (b))")).unwrap_err().len(), 2);
        assert_eq!(first_error("(a \"b)"), ("unclosed-text", 3));
    }

    #[test]
    fn the_indentation_tells_which_list_lacks_its_end() {
        let text = "(f\n  (g (1 2)\n     (3 4)\n  (h 1))\n";
        let diagnostics = read(&Source::new("test", text)).unwrap_err();
        let first = diagnostics.iter().next().unwrap();
        let places: Vec<_> = first.labels.iter().map(|(span, _)| span.start as usize).collect();
        assert_eq!(places, [0, 5]);
    }

    #[test]
    fn a_million_parentheses_do_not_overflow_the_stack() {
        assert_eq!(first_error(&"(".repeat(1_000_000)), ("too-deep", MAX_DEPTH));
        assert_eq!(first_error(&")".repeat(1_000_000)), ("surplus-parenthesis", 0));
        let deepest = "(".repeat(MAX_DEPTH) + &")".repeat(MAX_DEPTH);
        assert_eq!(kinds(&deepest).len(), 1);
    }

    #[test]
    fn control_characters_are_no_text() {
        assert_eq!(first_error("(a b\u{0}c \u{1})"), ("control-character", 4));
    }
}
