//! Matrices of numbers as text: values separated by spaces, tabs, commas or semicolons; `#` and `%` begin comments.

use super::imported::Imported;
use super::number::number;
use crate::syntax::{Diagnostic, Source, Span};

/// Reads one kernel of one input.
pub(super) fn read(source: &Source) -> Result<Imported, Diagnostic> {
    if let Some(defect) = source.defect() {
        return Err(defect.clone());
    }
    let mut rows = Vec::new();
    let mut offset = 0;
    for line in source.text().split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let content = line.split(['#', '%']).next().unwrap_or_default();
        let mut row = Vec::new();
        let mut at = start;
        for word in content.split(|c: char| c.is_whitespace() || c == ',' || c == ';') {
            if !word.is_empty() {
                let span = Span::new(at, at + word.len());
                let wrong = |expected| Diagnostic::error("not-a-number", expected).label(span, "here");
                row.push(number(word).map_err(wrong)?);
            }
            // Every separator has one byte but for spaces that are not ASCII.
            at += word.len();
            at += source.text()[at..].chars().next().map_or(0, char::len_utf8);
        }
        if row.is_empty() {
            continue;
        }
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
