//! The data flow of a program as a picture: every value with its kernel, shaded by weight.

use std::fmt::Write;

use super::dot::{edge_label, edges};
use super::grid::{Grid, magnitude};
use super::{FlowValue, OptimizeRecord};

/// Sizes in pixels: a box, the gap between boxes, a line of text, and the largest cell of a kernel.
const BOX_WIDTH: f64 = 190.0;
const GAP: [f64; 2] = [36.0, 56.0];
const LINE: f64 = 16.0;
const CELL: f64 = 16.0;
/// The side of the square in which a kernel is drawn; larger kernels get smaller cells.
const PICTURE: f64 = 112.0;

/// The arrowhead.
const TIP: &str = "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
                   <polygon points=\"0,0 8,4 0,8\" fill=\"#888\"/></marker></defs>\n";
/// The space beside the boxes for edges that bypass rows.
const MARGIN: f64 = 90.0;

/// A box: its value, its row, its upper left corner and its height.
struct PlacedBox<'a> {
    step: &'a FlowValue,
    row: usize,
    x: f64,
    y: f64,
    height: f64,
}

/// The decomposition as a standalone SVG document; each value is below all values that it depends on.
pub fn svg(record: &OptimizeRecord) -> String {
    let rows = rows(record);
    let widest = rows.iter().map(Vec::len).max().unwrap_or(1).max(1) as f64;
    let width = widest * (BOX_WIDTH + GAP[0]) + GAP[0] + 2.0 * MARGIN;
    let mut boxes: Vec<Option<PlacedBox<'_>>> = record.decomposition.iter().map(|_| None).collect();
    let mut y = GAP[1] / 2.0;
    for (number, row) in rows.iter().enumerate() {
        let left = (width - row.len() as f64 * (BOX_WIDTH + GAP[0]) + GAP[0]) / 2.0;
        let mut lowest = y;
        for (i, index) in row.iter().enumerate() {
            let step = &record.decomposition[*index];
            let height = 2.6 * LINE + picture_size(step).map_or(0.0, |[_, h]| h + LINE / 2.0);
            let x = left + i as f64 * (BOX_WIDTH + GAP[0]);
            boxes[*index] = Some(PlacedBox { step, row: number, x, y, height });
            lowest = f64::max(lowest, y + height);
        }
        y = lowest + GAP[1];
    }
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{y:.0}\" viewBox=\"0 0 {width:.0} {y:.0}\" \
         font-family=\"monospace\" font-size=\"12\">\n<title>{}</title>\n{TIP}<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        escaped(&record.filter)
    );
    for to in boxes.iter().flatten() {
        for (from, terms) in edges(to.step) {
            if let Some(from) = boxes.get(from).and_then(Option::as_ref) {
                edge(&mut text, from, to, &edge_label(&terms));
            }
        }
    }
    for placed in boxes.iter().flatten() {
        draw(&mut text, record, placed);
    }
    text.push_str("</svg>\n");
    text
}

/// The values by depth: inputs first, every other value one row below the lowest value that it reads. Within a row, values
/// follow the order of the values that they read, to reduce crossings.
fn rows(record: &OptimizeRecord) -> Vec<Vec<usize>> {
    let mut depth = vec![0usize; record.decomposition.len()];
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for (i, step) in record.decomposition.iter().enumerate() {
        depth[i] = step.terms.iter().map(|term| depth[term.step] + 1).max().unwrap_or(0);
        if rows.len() <= depth[i] {
            rows.resize(depth[i] + 1, Vec::new());
        }
        rows[depth[i]].push(i);
    }
    let mut position = vec![0.0; record.decomposition.len()];
    for row in &mut rows {
        row.sort_by(|a, b| {
            f64::total_cmp(&centre(record, &position, *a), &centre(record, &position, *b)).then(a.cmp(b))
        });
        for (place, index) in row.iter().enumerate() {
            position[*index] = place as f64 - (row.len() - 1) as f64 / 2.0;
        }
    }
    rows
}

/// The mean position of the values that a value reads.
fn centre(record: &OptimizeRecord, position: &[f64], index: usize) -> f64 {
    let terms = &record.decomposition[index].terms;
    let sum: f64 = terms.iter().map(|term| position[term.step]).sum();
    if terms.is_empty() { 0.0 } else { sum / terms.len() as f64 }
}

/// An edge, with its label beside the arrowhead: straight down to the next row, around the side to rows further down.
fn edge(text: &mut String, from: &PlacedBox<'_>, to: &PlacedBox<'_>, label: &str) {
    let rows = to.row.saturating_sub(from.row);
    let (path, [x, y]) = if rows > 1 {
        let ([x0, y0], [x1, y1]) =
            ([from.x + BOX_WIDTH, from.y + from.height / 2.0], [to.x + BOX_WIDTH, to.y + LINE]);
        let bow = x0.max(x1) + (20.0 + 10.0 * rows as f64).min(MARGIN);
        (
            format!("M{x0:.1} {y0:.1} C{bow:.1} {y0:.1} {bow:.1} {y1:.1} {x1:.1} {y1:.1}"),
            [x1 + 8.0, y1 + LINE],
        )
    } else {
        let ([x0, y0], [x1, y1]) =
            ([from.x + BOX_WIDTH / 2.0, from.y + from.height], [to.x + BOX_WIDTH / 2.0, to.y]);
        let (down, up) = (y0 + GAP[1] / 2.0, y1 - GAP[1] / 2.0);
        (
            format!("M{x0:.1} {y0:.1} C{x0:.1} {down:.1} {x1:.1} {up:.1} {x1:.1} {y1:.1}"),
            [x1 + 4.0, y1 - LINE / 2.0],
        )
    };
    let _ = writeln!(text, "<path d=\"{path}\" fill=\"none\" stroke=\"#888\" marker-end=\"url(#tip)\"/>");
    let _ = writeln!(
        text,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"10\" fill=\"#555\">{}</text>",
        escaped(label)
    );
}

/// One box with its name, its instruction and its kernel, as a group that names the line of the program.
fn draw(text: &mut String, record: &OptimizeRecord, placed: &PlacedBox<'_>) {
    let PlacedBox { step, x, y, height, .. } = placed;
    let (fill, stroke) = match (step.line, step.outputs.is_empty()) {
        (None, _) => ("#eef6ee", 1.0),
        (_, false) => ("#fff4dd", 2.0),
        _ => ("#f6f6f6", 1.0),
    };
    text.push_str(&step.line.map_or("<g>".to_owned(), |line| format!("<g data-line=\"{line}\">")));
    let _ = writeln!(
        text,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{BOX_WIDTH}\" height=\"{height:.1}\" rx=\"5\" fill=\"{fill}\" stroke=\"#444\" stroke-width=\"{stroke}\"/>"
    );
    let output =
        if step.outputs.is_empty() { String::new() } else { format!(" → {}", step.outputs.join(", ")) };
    let title = format!("{} · {}{output}", step.name, step.register);
    let instruction = match (step.line, &record.program) {
        (Some(line), Some(program)) => program[line].as_str(),
        _ => "input",
    };
    for (i, line) in [title.as_str(), instruction].into_iter().enumerate() {
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            x + BOX_WIDTH / 2.0,
            y + (i as f64 + 1.0) * LINE,
            escaped(line)
        );
    }
    if let (Some(grid), Some([width, _])) = (picture(step), picture_size(step)) {
        draw_grid(text, &grid, x + (BOX_WIDTH - width) / 2.0, y + 2.6 * LINE);
    }
    text.push_str("</g>\n");
}

/// The kernel to draw in a box: that of a value with one input and no extent in z.
fn picture(step: &FlowValue) -> Option<Grid> {
    match step.kernels.as_slice() {
        [kernel] if !kernel.taps.is_empty() => Grid::new(kernel),
        _ => None,
    }
}

/// The side of a cell of `grid`.
fn cell(grid: &Grid) -> f64 {
    let longest = grid.rows.len().max(grid.rows.first().map_or(0, Vec::len)).max(1);
    CELL.min(PICTURE / longest as f64)
}

/// The width and height of a box's kernel.
fn picture_size(step: &FlowValue) -> Option<[f64; 2]> {
    let grid = picture(step)?;
    let side = cell(&grid);
    Some([grid.rows.first().map_or(0, Vec::len) as f64 * side, grid.rows.len() as f64 * side])
}

/// The cells of a kernel: blue for positive, red for negative, shaded by magnitude, with a frame around the pixel itself.
fn draw_grid(text: &mut String, grid: &Grid, x: f64, y: f64) {
    let side = cell(grid);
    let largest = grid.rows.iter().flatten().flatten().map(|c| magnitude(c).abs()).fold(0.0, f64::max);
    for (row, cells) in grid.rows.iter().enumerate() {
        for (column, value) in cells.iter().enumerate() {
            let Some(value) = value else { continue };
            let size = magnitude(value);
            let share = if largest == 0.0 { 0.0 } else { (size / largest).abs() };
            let pale = 255.0 - share * 175.0;
            let colour = if size < 0.0 { [255.0, pale, pale] } else { [pale, pale, 255.0] };
            let [r, g, b] = if size == 0.0 { [236.0; 3] } else { colour };
            let (left, top) = (x + column as f64 * side, y + row as f64 * side);
            let _ = writeln!(
                text,
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{side:.1}\" height=\"{side:.1}\" fill=\"rgb({r:.0},{g:.0},{b:.0})\" stroke=\"#bbb\" stroke-width=\"0.5\"><title>{}</title></rect>",
                escaped(value)
            );
        }
    }
    let _ = writeln!(
        text,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{side:.1}\" height=\"{side:.1}\" fill=\"none\" stroke=\"#000\"/>",
        x + grid.origin.0 as f64 * side,
        y + grid.origin.1 as f64 * side
    );
}

/// Text escaped for XML.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn every_value_is_drawn_once_below_what_it_reads() {
        let record = sample::sobel();
        assert_eq!(rows(&record), [vec![0], vec![1], vec![2], vec![3], vec![4], vec![5]]);
        let picture = svg(&record);
        for step in &record.decomposition {
            assert_eq!(
                picture.matches(&format!(">{} · {}", step.name, step.register)).count(),
                1,
                "{}",
                step.name
            );
        }
        assert_eq!(
            picture.matches("<path ").count(),
            record.decomposition.iter().map(|step| edges(step).len()).sum::<usize>()
        );
    }

    #[test]
    fn tags_are_balanced_and_text_is_escaped() {
        let mut record = sample::sobel();
        record.filter = "a<b>&\"c\"".to_owned();
        let picture = svg(&record);
        assert!(picture.contains("<title>a&lt;b&gt;&amp;&quot;c&quot;</title>"));
        for tag in ["text", "title", "svg"] {
            let opened =
                picture.matches(&format!("<{tag} ")).count() + picture.matches(&format!("<{tag}>")).count();
            assert_eq!(opened, picture.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }

    #[test]
    fn a_record_without_a_program_is_an_empty_picture() {
        assert!(svg(&sample::none()).ends_with("fill=\"white\"/>\n</svg>\n"));
    }
}
