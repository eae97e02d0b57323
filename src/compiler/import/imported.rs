//! A filter of another format, and how it is written as a kernel file.

use crate::algebra::Rational;
use crate::syntax::Span;

/// A plane of coefficients, rows from the north; rows may differ in length.
pub(super) type Plane = Vec<Vec<Rational>>;

/// A filter that was read from another format.
pub(super) struct Imported {
    /// What is said of it in the first lines of the kernel file.
    pub(super) notes: Vec<String>,
    pub(super) inputs: Vec<String>,
    /// For each output, its name and a plane for each input.
    pub(super) outputs: Vec<(String, Vec<Plane>)>,
    /// Where the file describes it.
    pub(super) place: Span,
}

impl Imported {
    /// Prints the kernel file.
    pub(super) fn print(&self, file: &str, name: &str) -> String {
        let mut text = format!("; From {}.\n", file.replace(['\n', '\r'], " "));
        for note in &self.notes {
            text += &format!("; {note}\n");
        }
        text += &format!("(filter {name}\n  (inputs {})", self.inputs.join(" "));
        for (output, planes) in &self.outputs {
            let mut terms: Vec<String> = Vec::new();
            for (input, plane) in self.inputs.iter().zip(planes) {
                if plane.iter().flatten().any(|value| *value != Rational::ZERO) {
                    let kernel = kernel(plane);
                    terms.push(if self.inputs.len() == 1 {
                        kernel
                    } else {
                        format!("(from {input} {kernel})")
                    });
                }
            }
            let term = match terms.as_slice() {
                [] => "(kernel (.))".to_owned(),
                [term] => term.clone(),
                terms => format!("(add {})", terms.join("\n               ")),
            };
            text += &format!("\n  (output {output} {term})");
        }
        text + ")\n"
    }
}

/// A kernel whose middle is the pixel itself; that of an even number is the second of its two. Zeros are not read.
fn kernel(plane: &Plane) -> String {
    let odd = |count: usize| count + 1 - count % 2;
    let width = odd(plane.iter().map(Vec::len).max().unwrap_or(0));
    let height = odd(plane.len());
    let row = |y: usize| {
        let value = |x: usize| match plane.get(y).and_then(|row| row.get(x)) {
            Some(value) if *value != Rational::ZERO => value.to_string(),
            _ => ".".to_owned(),
        };
        format!("({})", (0..width).map(value).collect::<Vec<_>>().join(" "))
    };
    format!("(kernel {})", (0..height).map(row).collect::<Vec<_>>().join(" "))
}
