//! The program as code to paste: a header comment, then the instructions, each with a comment on the values that it computes.

use super::parts::ports;
use super::{OptimizeRecord, equation};

/// The program in the target's syntax, with `//` comments; empty if there is no program.
pub fn code(record: &OptimizeRecord) -> String {
    let Some(program) = &record.program else { return String::new() };
    let mut text = format!(
        "// {}: {} -> {}; {} instructions, {} division; checked by kalg {}\n",
        record.filter,
        ports(&record.inputs),
        ports(&record.outputs),
        record.isa,
        record.division,
        record.version,
    );
    for line in annotated(record, program) {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// The instructions, each with a comment that shows the computed values.
pub(super) fn annotated(record: &OptimizeRecord, program: &[String]) -> Vec<String> {
    let width = program.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let mut computed: Vec<Vec<String>> = vec![Vec::new(); program.len()];
    for (i, step) in record.decomposition.iter().enumerate() {
        if let Some(values) = step.line.and_then(|line| computed.get_mut(line)) {
            values.push(match step.outputs.as_slice() {
                [] => equation(record, i),
                outputs => format!("{} -> {}", equation(record, i), outputs.join(", ")),
            });
        }
    }
    let annotate = |(i, line): (usize, &String)| match computed[i].join(";  ") {
        comment if comment.is_empty() => line.clone(),
        comment => format!("{line:<width$}  // {comment}"),
    };
    program.iter().enumerate().map(annotate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn code_says_what_it_is_and_what_each_line_computes() {
        insta::assert_snapshot!(code(&sample::sobel()), @r"
        // sobel-x: image in A -> out in D; bus instructions, quick division; checked by kalg 0.1.0
        bus(NEWS, A);          // v1 = -image
        bus(B, NEWS, XN, XS);  // v2 = -(v1 + v1[north] + v1[south])
        bus(NEWS, A, B);       // v3 = -(image + v2)
        bus(C, XE);            // v4 = -v3[east]
        bus(D, C, XW);         // v5 = -(v4 + v3[west]) -> out
        ");
        assert_eq!(code(&sample::none()), "");
    }
}
