//! The tokens of C and C++ sources. Comments count as white space.

use super::text::Text;
use crate::syntax::Span;

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name.
    Word,
    /// A number.
    Number,
    /// A string or character literal.
    Literal,
    /// Any other single character.
    Mark,
}

/// The separator between a token and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Nothing.
    None,
    /// White space, or the edge of a macro's expansion.
    Space,
    /// The end of a line, or the beginning of the text.
    Line,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    /// The text as written.
    pub(crate) text: &'a str,
    /// The place to report; for a token from a macro, the place where the macro is used.
    pub(crate) span: Span,
    pub(crate) gap: Gap,
    /// Whether this is the name of a macro inside the expansion of that macro, which is not expanded again.
    pub(super) painted: bool,
}

impl<'a> Token<'a> {
    /// A token that no source contains.
    pub(crate) fn made(kind: Kind, text: &'a str, span: Span) -> Self {
        Self { kind, text, span, gap: Gap::Space, painted: false }
    }

    /// Whether this is the punctuation mark or the word `text`.
    pub(crate) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Mark | Kind::Word) && self.text == text
    }
}

/// Whether the tokens begin with the characters of `text`, as punctuation marks with no space between them.
pub(crate) fn marks(tokens: &[Token<'_>], text: &str) -> bool {
    let mut count = 0;
    let alike = tokens.iter().zip(text.chars()).all(|(token, c)| {
        count += 1;
        let joined = count == 1 || token.gap == Gap::None;
        joined && token.kind == Kind::Mark && token.text.chars().eq(std::iter::once(c))
    });
    alike && count == text.chars().count()
}

/// Splits a text into tokens.
///
/// # Errors
/// The place of a comment that does not end.
pub(super) fn tokens<'a>(text: &'a Text<'_>) -> Result<Vec<Token<'a>>, Span> {
    scan(text.as_str(), &|begin, end| text.span(begin, end))
}

/// Splits a text that is not a source into tokens. An unterminated comment ends the list.
pub(super) fn tokens_of(text: &str) -> Vec<Token<'_>> {
    scan(text, &|begin, end| Span::new(begin, end)).unwrap_or_default()
}

fn scan<'a>(text: &'a str, place: &dyn Fn(usize, usize) -> Span) -> Result<Vec<Token<'a>>, Span> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut gap = Gap::Line;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() {
            gap = if c == '\n' || gap == Gap::Line { Gap::Line } else { Gap::Space };
            at += c.len_utf8();
            continue;
        }
        if let Some(length) = comment(rest) {
            gap = if gap == Gap::Line { Gap::Line } else { Gap::Space };
            at += length.ok_or_else(|| place(at, at + 2))?;
            continue;
        }
        let (kind, length) = match c {
            '"' | '\'' => (Kind::Literal, literal(rest, c)),
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => (Kind::Number, number(rest)),
            c if c.is_ascii_digit() => (Kind::Number, number(rest)),
            c if c.is_alphabetic() || c == '_' => match (run(rest), raw(rest)) {
                (_, Some(length)) => (Kind::Literal, length),
                (length, None) => (Kind::Word, length),
            },
            c => (Kind::Mark, c.len_utf8()),
        };
        let span = place(at, at + length);
        found.push(Token { kind, text: &rest[..length], span, gap, painted: false });
        gap = Gap::None;
        at += length;
    }
    Ok(found)
}

/// The length of the comment at the beginning of a text: `None` if there is none, `Some(None)` if it does not end. The
/// end of the line is not part of a comment.
fn comment(text: &str) -> Option<Option<usize>> {
    if text.starts_with("//") {
        return Some(Some(text.find('\n').unwrap_or(text.len())));
    }
    let inner = text.strip_prefix("/*")?;
    Some(inner.find("*/").map(|length| length + 4))
}

/// The length of a word.
fn run(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// The length of a number as the preprocessor of C defines it: `1'000u`, `0x1F`, `1.5e-3`.
fn number(text: &str) -> usize {
    let mut before = ' ';
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map(|(_, c)| *c);
        let part = c.is_alphanumeric()
            || matches!(c, '_' | '.')
            || c == '\'' && next.is_some_and(char::is_alphanumeric)
            || matches!(c, '+' | '-') && matches!(before, 'e' | 'E' | 'p' | 'P') && !text.starts_with("0x");
        if !part {
            return at;
        }
        before = c;
    }
    text.len()
}

/// The length of a literal. An unterminated literal ends at the end of its line.
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

/// The length of a raw string literal such as `R"(text)"`, in which quotes and `/*` have no meaning.
fn raw(text: &str) -> Option<usize> {
    let prefix = ["R\"", "u8R\"", "uR\"", "UR\"", "LR\""].into_iter().find(|p| text.starts_with(p))?;
    let (delimiter, inner) = text[prefix.len()..].split_once('(')?;
    if delimiter.len() > 16
        || delimiter.contains(|c: char| c.is_whitespace() || matches!(c, ')' | '\\' | '"'))
    {
        return None;
    }
    let end = format!("){delimiter}\"");
    Some(text.len() - inner.len() + inner.find(&end)? + end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens_of(text).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn words_numbers_literals_and_comments() {
        let text = "mov ( B,A );/* a\n; */\"x;\\\"\" 'c' n2 0x1F 1'000u .5 1e-3 0xe+1 x.y R\"a(\"/*)a\" '";
        let expected = [
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
            "1'000u",
            ".5",
            "1e-3",
            "0xe",
            "+",
            "1",
            "x",
            ".",
            "y",
            "R\"a(\"/*)a\"",
            "'",
        ];
        assert_eq!(texts(text), expected);
        assert_eq!(tokens(&Text::of("a\\\nb /* c")), Err(Span::new(5, 7)));
    }

    #[test]
    fn comments_do_not_end_lines_and_continued_ones_go_on() {
        let gaps = |text: &str| {
            let text = Text::of(text);
            tokens(&text).unwrap().iter().map(|t| (t.text.to_owned(), t.gap)).collect::<Vec<_>>()
        };
        let expected =
            |list: &[(&str, Gap)]| list.iter().map(|(t, g)| ((*t).to_owned(), *g)).collect::<Vec<_>>();
        assert_eq!(
            gaps("a/*\n*/b // c \\\n d\ne\nf(x"),
            expected(&[
                ("a", Gap::Line),
                ("b", Gap::Space),
                ("e", Gap::Line),
                ("f", Gap::Line),
                ("(", Gap::None),
                ("x", Gap::None)
            ])
        );
    }

    #[test]
    fn odd_characters_are_marks_and_nothing_is_lost() {
        assert_eq!(texts("é £ \\ x # z"), ["é", "£", "\\", "x", "#", "z"]);
        assert_eq!(texts("'\n\"abc"), ["'", "\"abc"]);
        assert!(
            marks(&tokens_of("<= 1"), "<=")
                && !marks(&tokens_of("< = 1"), "<=")
                && !marks(&tokens_of("<"), "<=")
        );
    }
}
