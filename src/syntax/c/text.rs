//! The first translation phases of C: removing the byte order mark and joining continued lines.

use std::borrow::Cow;

use crate::syntax::{BYTE_ORDER_MARK, Span};

/// A text with its continued lines joined: every `\` at the end of a line is removed together with the line break, even
/// inside words, literals and comments.
#[derive(Clone, Debug)]
pub(crate) struct Text<'s> {
    text: Cow<'s, str>,
    /// The places where bytes were removed, as byte offsets in `text`, and the total number of bytes removed up to each
    /// place.
    removed: Vec<(usize, usize)>,
}

impl<'s> Text<'s> {
    /// Joins the lines of a source.
    pub(crate) fn of(source: &'s str) -> Self {
        let body = source.strip_prefix(BYTE_ORDER_MARK).unwrap_or(source);
        let mark = source.len() - body.len();
        let mut removed = Vec::new();
        if mark > 0 {
            removed.push((0, mark));
        }
        let (mut joined, mut copied, mut looked) = (String::new(), 0, 0);
        while let Some(found) = body[looked..].find('\\') {
            let at = looked + found;
            looked = at + 1;
            if let Some(length) = continuation(&body[at..]) {
                joined.push_str(&body[copied..at]);
                copied = at + length;
                looked = copied;
                removed.push((joined.len(), mark + copied - joined.len()));
            }
        }
        let text = match copied {
            0 => Cow::Borrowed(body),
            _ => Cow::Owned(joined + &body[copied..]),
        };
        Self { text, removed }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The span in the source of the bytes from `begin` up to `end` (exclusive).
    pub(super) fn span(&self, begin: usize, end: usize) -> Span {
        if self.removed.is_empty() {
            return Span::new(begin, end);
        }
        let place = |at: usize| {
            let before = self.removed.partition_point(|(from, _)| *from <= at);
            at + before.checked_sub(1).map_or(0, |last| self.removed[last].1)
        };
        // Bytes removed after the last byte do not belong to the span.
        Span::new(place(begin), if end > begin { place(end - 1) + 1 } else { place(begin) })
    }
}

/// The length of a `\` and the end of its line. White space may come between the two: some editors leave it there.
fn continuation(text: &str) -> Option<usize> {
    let blank = text[1..].len() - text[1..].trim_start_matches([' ', '\t', '\r']).len();
    text[1 + blank..].starts_with('\n').then_some(blank + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_joined_and_places_are_those_of_the_source() {
        let source = "\u{FEFF}ab\\\nc \\ d\\ \r\n\\\ne";
        let text = Text::of(source);
        assert_eq!(text.as_str(), "abc \\ de");
        let slice = |begin: usize, end: usize| &source[text.span(begin, end).range()];
        assert_eq!((slice(0, 3), slice(0, 2), slice(2, 3)), ("ab\\\nc", "ab", "c"));
        assert_eq!((slice(4, 5), slice(6, 7), slice(7, 8)), ("\\", "d", "e"));
        assert_eq!(text.span(3, 3).range().len(), 0);
    }

    #[test]
    fn a_text_without_continued_lines_is_the_source() {
        assert!(matches!(Text::of("a \\ b\n").text, Cow::Borrowed(_)));
        assert_eq!(Text::of("a\\").as_str(), "a\\");
    }
}
