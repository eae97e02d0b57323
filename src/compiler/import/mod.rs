//! Kernels from other formats, written as kernel files: the configurations of Cain, and matrices of numbers.

mod cain;
mod imported;
mod json;
mod matrix;
mod name;
mod number;

use imported::Imported;

use super::error::Error;
use crate::syntax::{BYTE_ORDER_MARK, Diagnostic, Diagnostics, Kind, Source, of_other_kind};
use crate::term::read_filter;

pub use name::filter_name;

/// Writes a file of another format as a kernel file: a configuration of Cain if it begins with `{`, otherwise a matrix.
/// Without a name, the filter has that of the source.
///
/// # Errors
/// What is wrong with the name, or with the file, and where.
pub fn import_kernels(source: &Source, name: Option<&str>) -> Result<String, Error> {
    let name = match name {
        Some(name) => filter_name(name).map_err(Error::usage)?,
        None => name::of_file(source.name()),
    };
    let refused = |source: &Source, wrong: Diagnostics| {
        Error::at(source, &of_other_kind(source, &[Kind::Matrix, Kind::Json], wrong))
    };
    if let Some(defect) = source.defect() {
        return Err(refused(source, defect.clone().into()));
    }
    let source = &with_line_feeds(source);
    let text = source.text();
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let is_cain = text.trim_start().starts_with('{');
    let read = if is_cain { cain::read(source, text) } else { matrix::read(source, text) };
    let imported = read.map_err(|wrong| refused(source, wrong.into()))?;
    let text = imported.print(source.name(), &name);
    // The names of inputs and outputs are checked by the reader, and so is the size.
    match read_filter(&Source::new(source.name(), text.as_str())) {
        Ok(_) => Ok(text),
        Err(wrong) => Err(Error::at(source, &in_place(&imported, &wrong))),
    }
}

/// The source with line feeds in place of carriage returns that end lines alone. Places stay the same.
fn with_line_feeds(source: &Source) -> Source {
    let mut ends = source.text().chars().peekable();
    let mut text = String::with_capacity(source.text().len());
    while let Some(end) = ends.next() {
        let is_alone = end == '\r' && ends.peek() != Some(&'\n');
        text.push(if is_alone { '\n' } else { end });
    }
    Source::new(source.name(), text)
}

/// What is wrong with the text that was made, as faults of the file that it was made from.
fn in_place(imported: &Imported, wrong: &Diagnostics) -> Diagnostics {
    let mut found = Diagnostics::new();
    for fault in wrong {
        found.push(
            Diagnostic::error(fault.id, fault.message.as_str()).label(imported.place, "read from here"),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imported(text: &str) -> Result<String, Error> {
        import_kernels(&Source::new("a", text), Some("f"))
    }

    #[test]
    fn matrices_in_brackets_are_those_without() {
        let plain = imported("1,2,1\n2,4,2\n").unwrap();
        for text in [
            "[[1, 2, 1], [2, 4, 2]]",
            "[[1 2 1]\n [2 4 2]]\n",
            "[1,2,1;\n 2,4,2]",
            "[[1., 2., 1.],\n[2., 4., 2.]]  # []",
        ] {
            assert_eq!(imported(text).ok().as_ref(), Some(&plain), "{text}");
        }
        for (text, wrong) in [
            ("[[[1]]]", "a:1:3"),
            ("[1]]", "a:1:4"),
            ("[[1, 2],\n[3, 4]\n", "a:2:1"),
            ("[1, é", "a:1:1"),
            ("[[1, 2], [x, 4]]", "a:1:11"),
            ("[[1, 2], [3]]", "a:1:8"),
        ] {
            let error = imported(text).unwrap_err().render(false);
            assert!(error.contains(wrong), "{error}");
        }
    }

    #[test]
    fn matrices_have_any_separators_and_exact_numbers() {
        let text = imported(
            "# a blur\n0.0625; 1/8 ;0.0625\n1.25e-1 2.500000000000000000e-01 0.125\n\n1/16\t1/8\t1/16\n",
        )
        .unwrap();
        assert!(text.contains("(kernel (1/16 1/8 1/16) (1/8 1/4 1/8) (1/16 1/8 1/16))"), "{text}");
        let ninth = imported("1.111111111111111049e-01 -2.2222222222222221e-01 0").unwrap();
        assert!(ninth.contains("(kernel (1/9 -2/9 .))"), "{ninth}");
    }

    #[test]
    fn matrices_have_any_line_ends_and_marks() {
        for text in
            ["1,2\r3,4\r", "1,2\r\n3,4\r\n", "\u{FEFF}1,2\n3,4", "1, 2;\n3, 4;", "1 2 ;\n3 4 ; % last"]
        {
            let text = imported(text).unwrap();
            assert!(text.contains("(kernel (1 2 .) (3 4 .) (. . .))"), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_matrix_has_its_place() {
        for (text, line, column, what) in [
            ("1 2 1\n1 x 1", 2, 3, "a number"),
            ("1 2 1\n1 2", 2, 1, "2 numbers"),
            ("# nothing\n", 1, 1, "no numbers"),
            ("1,5;2,5\n", 1, 1, "several kinds"),
            ("0\n1,5 2\n", 2, 1, "several kinds"),
            ("1,,2\n3,,4\n", 1, 3, "empty cell"),
            ("1,2,\n3,4,\n", 1, 5, "empty cell"),
            ("1;2;\n3;4;\n", 1, 5, "empty cell"),
            ("1,2\r,3", 2, 1, "empty cell"),
            ("\u{FEFF}1,x", 1, 3, "a number"),
            ("1,2\r\n1,x", 2, 3, "a number"),
            ("1 2\r1 x", 2, 3, "a number"),
            ("1 3.14159265358979311600 1", 1, 3, "small fraction"),
        ] {
            let error = imported(text).unwrap_err();
            let place = error.place().unwrap();
            assert_eq!((place.line, place.column), (line, column), "{error}");
            assert!(error.to_string().contains(what), "{error}");
        }
    }

    #[test]
    fn configurations_of_cain_keep_registers_scales_and_channels() {
        let text = r#"{"name": "two", "filter": {
            "B": {"scale": 0.5, "array": [[[1, 2]], [[0, -1]], [[3, 0]]]},
            "A": {"depth": -2, "array": [[[4, 0], [1, 0]]]}},
            "3d": true, "registerAllocator": {"initialRegisters": ["C", "D"]}}"#;
        let text = imported(text).unwrap();
        assert!(text.contains("(inputs C D)"), "{text}");
        assert!(text.contains("(output A (from C (kernel (1 1/4 .))))"), "{text}");
        assert!(text.contains("(from C (kernel (1/2) (.) (3/2)))"), "{text}");
        assert!(text.contains("(from D (kernel (1) (-1/2) (.)))"), "{text}");
    }

    #[test]
    fn coefficients_are_rounded_as_cain_does_and_the_error_is_stated() {
        let file = |depth: i32, error: f64| {
            format!(
                r#"{{"maxApproximationDepth": {depth}, "maxApproximationError": {error},
                "filter": {{"A": [[0.3, 0.4, 0.3]]}}}}"#
            )
        };
        let text = imported(&file(3, 0.0)).unwrap();
        assert!(text.contains("(kernel (1/4 3/8 1/4))") && text.contains("2^-3"), "{text}");
        let coarser = imported(&file(5, 0.3)).unwrap();
        assert!(coarser.contains("(kernel (1/4 1/2 1/4))"), "{coarser}");
    }

    #[test]
    fn what_is_wrong_with_a_configuration_is_said() {
        for (text, what) in [
            ("{\"filter\": {", "EOF"),
            ("{}", "no `filter`"),
            ("{\"filter\": {}}", "has no kernels"),
            ("{\"filter\": {\"A\": [[1, 2], [3]]}}", "row 2 has 1 coefficient, and the first has 2"),
            ("{\"filter\": {\"A\": [[[1, 2], [3]]]}}", "coefficients for 1 input, and the first is for 2"),
            ("{\"filter\": {\"A\": [[1]], \"A\": [[2]]}}", "`A` is given twice"),
            ("\u{FEFF}{\"filter\": {\"A\": [[1]],\n\"B\": x}}", "expected value"),
            ("{\"filter\": {\"A B\": [[1]]}}", "`A B` is not the name of a register"),
            ("{\"filter\": {\"A\": 3}}", "an array"),
            ("{\"filter\": {\"A\": [[\"x\"]]}}", "a number"),
            (
                "{\"filter\": {\"A\": [[[1, 2, 3]]]}, \"registerAllocator\": {\"initialRegisters\": [\"A\"]}}",
                "3 channels",
            ),
        ] {
            let error = imported(text).unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
            assert_eq!(error.place().unwrap().file, "a", "{error}");
        }
    }
}
