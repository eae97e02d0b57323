//! Matrices of numbers as text: values separated by spaces, tabs, commas or semicolons; `#` and `%` begin comments.
//! A semicolon may end a row; no other cell may be empty. A row has one kind of separators, so that decimal commas are not taken for them.
//! Rows may stand in brackets, as JSON and NumPy print them.

use super::imported::Imported;
use super::number::number;
use crate::algebra::Rational;
use crate::syntax::{Diagnostic, Source, Span};

/// Reads one kernel of one input from the end of the source's text.
pub(super) fn read(source: &Source, text: &str) -> Result<Imported, Diagnostic> {
    let mut rows = Vec::new();
    let mut offset = source.text().len() - text.len();
    for line in without_brackets(text, offset)?.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let content = line.split(['#', '%']).next().unwrap_or_default();
        if content.trim().is_empty() {
            continue;
        }
        let row = row(content, start)?;
        if let Some(first) = rows.first().map(Vec::len).filter(|first| *first != row.len()) {
            let message = format!("this row has {} numbers, and the first has {first}", row.len());
            let span = Span::new(start, start + content.trim_end().len());
            return Err(Diagnostic::error("uneven-rows", message).label(span, "here"));
        }
        rows.push(row);
    }
    if rows.is_empty() {
        return Err(
            Diagnostic::error("no-kernel", "there are no numbers in this file").label(Span::at(0), "here")
        );
    }
    let (notes, inputs) = (Vec::new(), vec!["image".to_owned()]);
    Ok(Imported { notes, inputs, outputs: vec![("out".to_owned(), vec![rows])], place: Span::at(0) })
}

/// The text with a line for each row that stands in brackets. Every character keeps its place.
fn without_brackets(text: &str, start: usize) -> Result<String, Diagnostic> {
    let mut lines = String::with_capacity(text.len());
    let (mut depth, mut ended, mut comment) = (0_u32, false, false);
    let wrong = |at: usize, message: &str| {
        let wrong =
            Diagnostic::error("brackets", message).label(Span::new(start + at, start + at + 1), "here");
        Err(wrong.help("a matrix in brackets is `[[1, 2], [3, 4]]`"))
    };
    for (at, c) in text.char_indices() {
        comment = c != '\n' && (comment || ['#', '%'].contains(&c));
        match c {
            _ if comment => lines.push(c),
            '[' if depth == 2 => return wrong(at, "brackets in more than two levels"),
            ']' if depth == 0 => return wrong(at, "a bracket that nothing opens"),
            '[' => {
                depth += 1;
                lines.push(' ');
            }
            ']' => {
                depth -= 1;
                ended = true;
                lines.push('\n');
            }
            // What divides rows.
            ',' | ';' if ended => {
                ended = false;
                lines.push(' ');
            }
            c => {
                ended &= c.is_whitespace();
                lines.push(c);
            }
        }
    }
    match text.rfind('[') {
        Some(last) if depth > 0 => wrong(last, "a bracket that is never closed"),
        _ => Ok(lines),
    }
}

/// Reads a row that begins at this offset.
fn row(content: &str, start: usize) -> Result<Vec<Rational>, Diagnostic> {
    let content = content.trim_end();
    let mut row = Vec::new();
    // In a row without other semicolons, the last one ends the row.
    let cells = content.strip_suffix(';').filter(|cells| !cells.contains(';')).unwrap_or(content);
    let several = |cell: &str| cell.split_whitespace().nth(1).is_some();
    let is_mixed = match (cells.contains(','), cells.contains(';')) {
        (false, false) => false,
        (comma, semicolon) => comma && semicolon || cells.split([',', ';']).any(several),
    };
    if is_mixed {
        let mixed = Diagnostic::error("mixed-separators", "this row has separators of several kinds");
        return Err(mixed
            .label(Span::new(start, start + content.len()), "here")
            .help("write decimal points, and only commas, semicolons or blanks between numbers"));
    }
    let mut at = start;
    for cell in cells.split([',', ';']) {
        let mut words = cell.split_whitespace().peekable();
        if words.peek().is_none() {
            let empty = Diagnostic::error("empty-cell", "an empty cell: every place needs a number");
            let indent = cell.len() - cell.trim_start().len();
            return Err(empty
                .label(Span::at(at + indent), "here")
                .help("write 0 where the kernel reads nothing"));
        }
        let mut from = 0;
        for word in words {
            from += cell[from..].find(word).unwrap_or(0);
            let span = Span::new(at + from, at + from + word.len());
            let wrong = |expected| Diagnostic::error("not-a-number", expected).label(span, "here");
            row.push(number(word).map_err(wrong)?);
            from += word.len();
        }
        at += cell.len() + 1;
    }
    Ok(row)
}
