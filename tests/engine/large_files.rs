//! Kernel files of ten megabytes are read, or refused with a short message.

use crate::kernel_file::{denoted, short_and_soon};
use kalg::syntax::{Source, render};
use kalg::term::filter_placed;

#[test]
fn ten_megabytes() {
    const SIZE: usize = 10_000_000;
    let row = format!("({})", "1 ".repeat(SIZE / 2));
    short_and_soon("one-row", format!("(filter f (output a (kernel {row})))"), "kernel-too-large");
    short_and_soon(
        "ragged",
        format!("(filter f (output a (kernel (1) {})))", "(1 2) ".repeat(SIZE / 6)),
        "ragged-kernel",
    );
    short_and_soon("words", format!("(filter f {})", "x ".repeat(SIZE / 2)), "unexpected");
    short_and_soon(
        "outputs",
        format!("(filter f {})", "(output a (id))".repeat(SIZE / 15)),
        "repeated-output",
    );
    short_and_soon("text", format!("(filter f (doc \"{}", "x".repeat(SIZE)), "unclosed-text");
    short_and_soon("too-large", " ".repeat(20_000_000), "file-too-large");
}

#[test]
fn ten_megabytes_that_are_a_filter() {
    let row = format!("({})\n", "123 ".repeat(999));
    let text = format!("(filter f (output a (kernel {})))", row.repeat(2499));
    assert!(text.len() > 9_900_000);
    let source = Source::new("big", text);
    let filter = denoted(&source).unwrap_or_else(|found| panic!("{}", render(&source, &found, false)));
    assert_eq!(filter_placed(&filter).unwrap()[0].1.shape.size(), [999, 2499, 1]);
}
