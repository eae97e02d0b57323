//! Rendering of diagnostics for the user.

use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, Diagnostics, Severity, Source, Span};

/// Longer lines are cut to a window of about this many characters around the marked part.
const WINDOW: usize = 120;

/// Marked lines at most this far apart are shown in one excerpt.
const NEAR: usize = 4;

/// Renders the diagnostics as text, each with file, line, column, the lines concerned and the help; `color` adds ANSI
/// colours.
pub fn render(source: &Source, diagnostics: &Diagnostics, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for diagnostic in diagnostics {
        out.push_str(&renderer.render(&[report(source, diagnostic)]));
        out.push_str("\n\n");
    }
    if diagnostics.omitted() > 0 {
        out.push_str(&format!("… and {} more\n", diagnostics.omitted()));
    }
    out
}

fn report<'a>(source: &'a Source, diagnostic: &'a Diagnostic) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut marks: Vec<Mark<'a>> = diagnostic
        .labels
        .iter()
        .enumerate()
        .map(|(i, (span, text))| Mark::new(source, i == 0, *span, text))
        .collect();
    marks.sort_by_key(|mark| (mark.row, mark.start));
    let near = |a: &Mark<'_>, b: &Mark<'_>| {
        b.row - a.row <= NEAR && source.rows_before(a.start) == source.rows_before(b.start)
    };
    let mut excerpts: Vec<&[Mark<'a>]> = marks.chunk_by(near).collect();
    excerpts.sort_by_key(|marks| !marks.iter().any(|mark| mark.primary));
    let mut elements: Vec<Element<'a>> = Vec::new();
    for marks in excerpts {
        let (snippet, cut) = excerpt(source, marks);
        if cut {
            // The columns of a cut line differ from those of the file, so the true place is shown here.
            let start = marks.iter().find(|mark| mark.primary).unwrap_or(&marks[0]).start;
            let (place, name) = (source.position(start), source.name_at(start));
            elements.push(Origin::path(name).line(place.line).char_column(place.column).into());
            elements.push(snippet.into());
        } else {
            elements.push(snippet.path(source.name_at(marks[0].start)).into());
        }
    }
    if elements.is_empty() {
        elements.push(Origin::path(source.name()).into());
    }
    if let Some(help) = &diagnostic.help {
        elements.push(Level::HELP.message(help.as_str()).into());
    }
    level.primary_title(diagnostic.message.as_str()).id(diagnostic.id).elements(elements)
}

/// A label, cut to the first line of its span and to whole characters.
struct Mark<'a> {
    primary: bool,
    /// The line in the whole text.
    row: usize,
    /// Byte offsets in the source.
    start: usize,
    end: usize,
    text: &'a str,
}

impl<'a> Mark<'a> {
    fn new(source: &Source, primary: bool, span: Span, text: &'a str) -> Self {
        let row = source.row(span.start as usize);
        let within = source.line(row).range();
        let whole = |mut offset: usize| {
            while !source.text().is_char_boundary(offset) {
                offset -= 1;
            }
            offset
        };
        let start = whole((span.start as usize).clamp(within.start, within.end));
        let end = whole((span.end as usize).clamp(start, within.end));
        Self { primary, row, start, end, text }
    }
}

/// An excerpt of the source with `marks` and the lines between them, and whether a line was cut.
fn excerpt<'a>(source: &'a Source, marks: &[Mark<'a>]) -> (Snippet<'a, Annotation<'a>>, bool) {
    let mut cut = false;
    let (first, last) = (marks[0].row, marks[marks.len() - 1].row);
    let mut text = String::new();
    let mut annotations = Vec::new();
    for row in first..=last {
        let here: Vec<&Mark<'a>> = marks.iter().filter(|mark| mark.row == row).collect();
        let window = window(source, row, &here);
        cut |= window.cut_before || window.cut_after;
        if window.cut_before {
            text.push('…');
        }
        let shift = text.len();
        text.push_str(&source.text()[window.start..window.end]);
        for mark in here {
            let at = |offset: usize| shift + offset.clamp(window.start, window.end) - window.start;
            let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            annotations.push(kind.span(at(mark.start)..at(mark.end)).label(mark.text));
        }
        if window.cut_after {
            text.push('…');
        }
        text.push('\n');
    }
    let line = source.line_number(marks[0].start);
    (Snippet::source(text).line_start(line).annotations(annotations), cut)
}

struct Window {
    start: usize,
    end: usize,
    cut_before: bool,
    cut_after: bool,
}

/// The part of a line to show: all of it, or [`WINDOW`] characters around its first mark.
fn window(source: &Source, row: usize, marks: &[&Mark<'_>]) -> Window {
    let whole = source.line(row).range();
    let text = &source.text()[whole.clone()];
    if text.len() <= WINDOW {
        return Window { start: whole.start, end: whole.end, cut_before: false, cut_after: false };
    }
    let centre = marks.first().map_or(whole.start, |mark| mark.start);
    let before = source.text()[whole.start..centre].char_indices().rev().nth(WINDOW / 2 - 1);
    let start = before.map_or(whole.start, |(i, _)| whole.start + i);
    let end =
        source.text()[start..whole.end].char_indices().nth(WINDOW).map_or(whole.end, |(i, _)| start + i);
    Window { start, end, cut_before: start > whole.start, cut_after: end < whole.end }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &Source, diagnostic: Diagnostic) -> String {
        render(source, &diagnostic.into(), false)
    }

    #[test]
    fn shows_place_lines_and_help() {
        let source = Source::new("k.sexp", "(a\n  (kernal 1)\n)\n");
        let diagnostic = Diagnostic::error("unknown-form", "unknown form `kernal`")
            .label(Span::new(6, 12), "not a term")
            .label(Span::new(0, 2), "in this form")
            .help("did you mean `kernel`?");
        insta::assert_snapshot!(shown(&source, diagnostic));
    }

    #[test]
    fn a_line_of_ten_megabytes_is_cut_to_a_window() {
        let text = "é1 ".repeat(2_500_000);
        let at = 5_000_000;
        let source = Source::new("long.sexp", text);
        let shown = shown(&source, Diagnostic::error("x", "here").label(Span::new(at, at + 2), "this"));
        assert!(shown.contains("--> long.sexp:1:3750001"), "{shown}");
        assert!(shown.len() < 1000, "{shown}");
    }

    #[test]
    fn spans_outside_the_text_and_empty_texts_are_shown() {
        for text in ["", "a", "\n"] {
            let source = Source::new("e.sexp", text);
            assert!(
                shown(&source, Diagnostic::error("x", "empty").label(Span::new(7, 9), "end"))
                    .contains("e.sexp:")
            );
        }
    }
}
