//! The text and name of one input, and the conversion of byte offsets to lines and columns.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Diagnostic, Span};

/// The maximum size of a source in bytes: 16 MiB. A kernel file of that size holds millions of coefficients, and the
/// tree read from it stays within a few hundred megabytes.
pub const MAX_BYTES: usize = 16 << 20;

/// What some editors put before the text of a file. It is no part of the text: readers skip it, and it is no column.
pub const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// A line and a column, both counted from one; columns count characters, and a tab is one character.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}

/// One input: its name (a path, or another name to show the user) and its text.
///
/// A source can always be constructed, even from bytes that are not text or exceed the maximum size. Such a source has
/// a [`defect`](Self::defect), which whatever reads the source reports. So every diagnostic can be rendered against a `Source`.
///
/// The texts of files that it includes stand behind its own, so that one offset says where something stands. Lines are counted
/// within each file.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<u32>,
    defect: Option<Box<Diagnostic>>,
    included: Vec<Included>,
    /// For each directive that includes a file, by its offset, the number of that file.
    directives: BTreeMap<usize, usize>,
}

/// A file that a source includes.
#[derive(Clone, Debug)]
struct Included {
    name: String,
    /// Where its text begins.
    start: usize,
    /// The lines of the whole text before its first one.
    rows: usize,
}

impl Source {
    /// A source with this text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let (mut text, mut defect) = (text.into(), None);
        if text.len() > MAX_BYTES {
            defect = Some(Box::new(too_large()));
            text.clear();
        }
        let line_starts = line_starts(&text);
        Self {
            name: name.into(),
            text,
            line_starts,
            defect,
            included: Vec::new(),
            directives: BTreeMap::new(),
        }
    }

    /// Adds the text of a file that it includes. Returns its number in [`files`](Self::files).
    ///
    /// # Errors
    /// All texts together would be longer than [`MAX_BYTES`].
    pub fn include(&mut self, name: impl Into<String>, text: &str) -> Result<usize, Box<Diagnostic>> {
        if self.text.len() + text.len() >= MAX_BYTES {
            return Err(Box::new(too_large()));
        }
        self.text.push('\n');
        let (start, rows) = (self.text.len(), self.line_starts.len());
        self.text.push_str(text);
        self.line_starts = line_starts(&self.text);
        self.included.push(Included { name: name.into(), start, rows });
        Ok(self.included.len())
    }

    /// Says which file the directive at an offset includes.
    pub fn set_included(&mut self, directive: usize, file: usize) {
        self.directives.insert(directive, file);
    }

    /// The texts of the files, its own first, as places in [`text`](Self::text).
    pub fn files(&self) -> Vec<Range<usize>> {
        let starts = std::iter::once(0).chain(self.included.iter().map(|file| file.start));
        let ends = self.included.iter().map(|file| file.start - 1).chain([self.text.len()]);
        starts.zip(ends).map(|(start, end)| start..end).collect()
    }

    /// The file, as a number in [`files`](Self::files), that the directive at an offset includes.
    pub(crate) fn included_by(&self, directive: usize) -> Option<usize> {
        self.directives.get(&directive).copied()
    }

    /// The directives that include files: the offset of each, and the number of its file in [`files`](Self::files).
    pub fn directives(&self) -> impl Iterator<Item = (usize, usize)> {
        self.directives.iter().map(|(offset, file)| (*offset, *file))
    }

    /// Whether an offset is in the source's own text, not in that of a file that it includes.
    pub(crate) fn is_own(&self, offset: usize) -> bool {
        self.file_at(offset).is_none()
    }

    /// The file with an offset; `None` for the source's own text.
    fn file_at(&self, offset: usize) -> Option<&Included> {
        self.included.iter().rfind(|file| file.start <= offset)
    }

    /// A source from the bytes of a file. Bytes that are not UTF-8 are shown as U+FFFD and make the source defective.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        if bytes.len() > MAX_BYTES {
            let mut source = Self::new(name, "");
            source.defect = Some(Box::new(too_large()));
            return source;
        }
        match String::from_utf8(bytes) {
            Ok(text) => Self::new(name, text),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let byte = error.as_bytes()[at];
                let mut source = Self::new(name, String::from_utf8_lossy(error.as_bytes()));
                let end = at + '\u{FFFD}'.len_utf8();
                source.defect.get_or_insert_with(|| {
                    Box::new(
                        Diagnostic::error("invalid-utf8", "the file is not UTF-8 text")
                            .label(
                                Span::new(at, end),
                                format!("byte 0x{byte:02X}, {at} bytes into the file, is not valid here"),
                            )
                            .help("save the file as UTF-8"),
                    )
                });
                source
            }
        }
    }

    /// The name to show.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name to show of the file with an offset.
    pub fn name_at(&self, offset: usize) -> &str {
        self.file_at(offset).map_or(&self.name, |file| &file.name)
    }

    /// The whole text, with those of the files that it includes.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The reason why this source cannot be read at all: it is not UTF-8, or it is longer than 16 MiB.
    pub fn defect(&self) -> Option<&Diagnostic> {
        self.defect.as_deref()
    }

    /// The text of a span; empty if the span is not in this source.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// The line (from 1) of a byte offset in its file; offsets beyond the end count as the end. Fast even for very long lines.
    pub fn line_number(&self, offset: usize) -> usize {
        self.row(offset) - self.rows_before(offset)
    }

    /// The line (from 1) of a byte offset in the whole text.
    pub(super) fn row(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        self.line_starts.partition_point(|start| *start as usize <= offset)
    }

    /// The lines of the whole text before the file with an offset.
    pub(super) fn rows_before(&self, offset: usize) -> usize {
        self.file_at(offset).map_or(0, |file| file.rows)
    }

    /// The line and column of a byte offset; offsets beyond the end count as the end.
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let start = self.line_starts[self.row(offset) - 1] as usize;
        let before = String::from_utf8_lossy(&self.text.as_bytes()[start..offset]);
        let column = 1 + before.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&before).chars().count();
        Position { line: self.line_number(offset), column }
    }

    /// The span of a line (from 1) of the whole text without its line break and a byte order mark before it; empty at the end
    /// for lines that do not exist.
    pub fn line(&self, row: usize) -> Span {
        let Some(start) = row.checked_sub(1).and_then(|i| self.line_starts.get(i)) else {
            return Span::at(self.text.len());
        };
        let end = self.line_starts.get(row).map_or(self.text.len(), |next| *next as usize - 1);
        let text = &self.text[*start as usize..end];
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let start = end - text.len();
        Span::new(start, start + text.strip_suffix('\r').unwrap_or(text).len())
    }
}

/// The offsets at which the lines of a text begin.
fn line_starts(text: &str) -> Vec<u32> {
    let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(i, _)| i as u32 + 1);
    std::iter::once(0).chain(newlines).collect()
}

fn too_large() -> Diagnostic {
    Diagnostic::error("file-too-large", format!("the file is larger than the maximum of {MAX_BYTES} bytes"))
        .label(Span::at(0), "the file was not read")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let source = Source::new("a", "é\tx\r\n\nlast");
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.position(3), Position { line: 1, column: 3 });
        assert_eq!(source.position(6), Position { line: 2, column: 1 });
        assert_eq!(source.position(99), Position { line: 3, column: 5 });
        assert_eq!(source.slice(source.line(1)), "é\tx");
        assert_eq!(source.slice(source.line(2)), "");
        assert_eq!(source.slice(source.line(3)), "last");
        assert_eq!(source.slice(source.line(9)), "");
    }

    #[test]
    fn a_byte_order_mark_is_no_column() {
        let source = Source::new("a", "\u{FEFF}ab\nc");
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.position(4), Position { line: 1, column: 2 });
        assert_eq!(source.position(6), Position { line: 2, column: 1 });
        assert_eq!(source.slice(source.line(1)), "ab");
    }

    #[test]
    fn the_first_bad_byte_is_the_defect() {
        let source = Source::from_bytes("a", b"(a\n b\xFFc \xFE)".to_vec());
        let defect = source.defect().unwrap();
        assert_eq!(defect.id, "invalid-utf8");
        assert_eq!(source.position(defect.labels[0].0.start as usize), Position { line: 2, column: 3 });
    }

    #[test]
    fn a_source_over_the_limit_is_refused_before_it_is_read() {
        for source in
            [Source::from_bytes("a", vec![b' '; MAX_BYTES + 1]), Source::new("a", " ".repeat(MAX_BYTES + 1))]
        {
            assert_eq!(source.defect().unwrap().id, "file-too-large");
            assert_eq!(source.text(), "");
        }
        assert!(Source::from_bytes("a", vec![b' '; MAX_BYTES]).defect().is_none());
    }
}
