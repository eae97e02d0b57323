//! The printer of S-expressions.

use super::{Sexp, SexpKind};

/// The layout of printed S-expressions.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    /// The maximum width, in characters, of a list on one line.
    pub width: usize,
    /// Heads of forms that always take several lines, one item per line.
    pub broken: &'a [&'a str],
}

impl Default for Layout<'_> {
    fn default() -> Self {
        Self { width: 100, broken: &[] }
    }
}

impl Layout<'_> {
    /// Prints `sexp` without a final line break. Reading the text back gives an equal S-expression.
    ///
    /// A list stays on one line if it fits. Otherwise its head and the atoms after the head stay on the first line, and
    /// the other items follow on lines of their own, indented by two columns. Rows of numbers are aligned in columns to
    /// the right. The function recurses as deep as the tree; trees from [`super::read`] are never too deep.
    pub fn print(&self, sexp: &Sexp) -> String {
        let mut out = String::new();
        self.write(sexp, 0, &mut out);
        out
    }

    fn write(&self, sexp: &Sexp, indent: usize, out: &mut String) {
        let SexpKind::List(items) = &sexp.kind else { return write_flat(sexp, out) };
        let table = rows(items);
        if !self.must_break(sexp) {
            let mut flat = String::new();
            write_flat(sexp, &mut flat);
            if indent + flat.chars().count() <= self.width {
                out.push_str(&flat);
                return;
            }
        }
        out.push('(');
        let leading = items.iter().take_while(|item| !matches!(item.kind, SexpKind::List(_))).count();
        for (i, item) in items[..leading].iter().enumerate() {
            if i > 0 {
                out.push(' ');
            }
            write_flat(item, out);
        }
        let head_width = out.chars().rev().take_while(|c| *c != '\n').count();
        let widths = table.map(|first| column_widths(&items[first..]));
        for (i, item) in items.iter().enumerate().skip(leading) {
            let in_table = table.is_some_and(|first| i >= first);
            let first_row = in_table && Some(i) == table && i == leading;
            let column = match table {
                Some(first) if in_table && first == leading => head_width + 1,
                _ => indent + if i == 0 { 1 } else { 2 },
            };
            if first_row && leading > 0 {
                out.push(' ');
            } else if i > 0 {
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', column));
            }
            match &widths {
                Some(widths) if in_table => write_row(item, widths, out),
                _ => self.write(item, column, out),
            }
        }
        out.push(')');
    }

    /// Whether a list must be broken into lines whatever its width.
    fn must_break(&self, sexp: &Sexp) -> bool {
        let SexpKind::List(items) = &sexp.kind else { return false };
        rows(items).is_some()
            || items.first().and_then(Sexp::as_atom).is_some_and(|head| self.broken.contains(&head))
            || items.iter().any(|item| self.must_break(item))
    }
}

/// A text in quotes, with escapes.
pub fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn write_flat(sexp: &Sexp, out: &mut String) {
    match &sexp.kind {
        SexpKind::Atom(text) => out.push_str(text),
        SexpKind::Text(text) => out.push_str(&quote(text)),
        SexpKind::List(items) => {
            out.push('(');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(' ');
                }
                write_flat(item, out);
            }
            out.push(')');
        }
    }
}

/// The index of the first row of numbers, if the form ends with at least two such rows.
fn rows(items: &[Sexp]) -> Option<usize> {
    let count = items.iter().rev().take_while(|item| is_row(item)).count();
    let first = items.len() - count;
    (count >= 2 && first > 0).then_some(first)
}

fn is_row(sexp: &Sexp) -> bool {
    let is_cell = |item: &Sexp| {
        item.as_atom()
            .is_some_and(|t| t.starts_with(|c: char| c.is_ascii_digit() || "-+.".contains(c)) || t == "inf")
    };
    sexp.as_list().is_some_and(|items| !items.is_empty() && items.iter().all(is_cell))
}

fn cells(row: &Sexp) -> impl Iterator<Item = &str> {
    row.as_list().unwrap_or_default().iter().filter_map(Sexp::as_atom)
}

fn column_widths(rows: &[Sexp]) -> Vec<usize> {
    let mut widths = Vec::new();
    for row in rows {
        for (i, cell) in cells(row).enumerate() {
            let width = cell.chars().count();
            match widths.get_mut(i) {
                Some(widest) => *widest = width.max(*widest),
                None => widths.push(width),
            }
        }
    }
    widths
}

fn write_row(row: &Sexp, widths: &[usize], out: &mut String) {
    out.push('(');
    for (i, (cell, width)) in cells(row).zip(widths).enumerate() {
        if i > 0 {
            out.push(' ');
        }
        out.push_str(&format!("{cell:>width$}"));
    }
    out.push(')');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Source, read};

    fn printed(layout: Layout<'_>, text: &str) -> String {
        let sexps = read(&Source::new("test", text)).unwrap();
        let printed = layout.print(&sexps[0]);
        assert_eq!(read(&Source::new("again", printed.as_str())).unwrap(), sexps, "{printed}");
        printed
    }

    #[test]
    fn rows_of_numbers_are_aligned() {
        let text = "(filter s (inputs a) (output g (kernel (1 0 -1) (2 0 -2) (1 . 1/16))))";
        let expected = "\
(filter s
  (inputs a)
  (output g
    (kernel (1 0   -1)
            (2 0   -2)
            (1 . 1/16))))";
        assert_eq!(printed(Layout::default(), text), expected);
    }

    #[test]
    fn lists_break_where_they_do_not_fit() {
        assert_eq!(printed(Layout::default(), "(a (b c) \"d\\n\")"), "(a (b c) \"d\\n\")");
        assert_eq!(
            printed(Layout { width: 10, broken: &[] }, "(add one (mul x y) (z))"),
            "(add one\n  (mul x y)\n  (z))"
        );
        assert_eq!(printed(Layout { width: 99, broken: &["a"] }, "(a (b))"), "(a\n  (b))");
        assert_eq!(printed(Layout { width: 3, broken: &[] }, "((a b) (c d))"), "((a b)\n  (c d))");
    }
}
