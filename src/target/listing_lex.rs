//! Tokens of C++ sources, as far as kernels need them: comments are skipped, a preprocessor line is one token.

use crate::syntax::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name.
    Word,
    /// A number.
    Number,
    /// A text or character literal.
    Literal,
    /// A preprocessor line, from `#` to the end of its last continued line.
    Directive,
    /// Anything else, one character at a time.
    Mark,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    /// As it is written.
    pub(super) text: &'a str,
    /// Where it is reported: for a token out of a macro, where the macro is used.
    pub(super) span: Span,
}

impl Token<'_> {
    /// Whether this is the mark or word `text`.
    pub(super) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Mark | Kind::Word) && self.text == text
    }
}

/// The tokens of a text that begins at `base` of its source, and where a comment begins that does not end.
pub(super) fn tokens(text: &str, base: usize) -> (Vec<Token<'_>>, Option<Span>) {
    let mut found = Vec::new();
    let mut at = 0;
    let mut line_begins = true;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() {
            line_begins |= c == '\n';
            at += c.len_utf8();
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            match comment.find("*/") {
                Some(length) => at += length + 4,
                None => return (found, Some(Span::new(base + at, base + at + 2))),
            }
            continue;
        }
        let (kind, length) = match c {
            '#' if line_begins => (Kind::Directive, directive(rest)),
            '"' | '\'' => (Kind::Literal, literal(rest, c)),
            c if c.is_ascii_digit() => (Kind::Number, run(rest)),
            c if c.is_alphabetic() || c == '_' => (Kind::Word, run(rest)),
            // A line that is continued without being a preprocessor line.
            '\\' if rest[1..].trim_start_matches([' ', '\t', '\r']).starts_with('\n') => {
                at += 1;
                continue;
            }
            c => (Kind::Mark, c.len_utf8()),
        };
        line_begins = false;
        let span = Span::new(base + at, base + at + length);
        found.push(Token { kind, text: &rest[..length], span });
        at += length;
    }
    (found, None)
}

/// The length of a word or number.
fn run(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// The length of a preprocessor line with the lines that continue it; a comment at its end belongs to it.
fn directive(text: &str) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        length += line.len();
        if !line.trim_end().ends_with('\\') {
            return length - (line.len() - line.trim_end_matches(['\n', '\r']).len());
        }
    }
    length
}

/// The length of a literal; one that does not end, ends with its line.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return i,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return i + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text, 0).0.into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn code_comments_literals_and_directives() {
        let text = "#define two(X) \\\n  {mov(X,\tA);} // both\nmov ( B,A );/* a\n; */\"x;\\\"\" 'c' n2 0x1F";
        let expected = [
            "#define two(X) \\\n  {mov(X,\tA);} // both",
            "mov",
            "(",
            "B",
            ",",
            "A",
            ")",
            ";",
            "\"x;\\\"\"",
            "'c'",
            "n2",
            "0x1F",
        ];
        assert_eq!(texts(text), expected);
        assert_eq!(
            tokens("a /* b", 3),
            (vec![Token { kind: Kind::Word, text: "a", span: Span::new(3, 4) }], Some(Span::new(5, 7)))
        );
    }

    #[test]
    fn odd_characters_are_marks_and_nothing_is_lost() {
        assert_eq!(texts("é £ \\ x\\\ny # z"), ["é", "£", "\\", "x", "y", "#", "z"]);
        assert_eq!(texts("'\n\"abc"), ["'", "\"abc"]);
    }
}
