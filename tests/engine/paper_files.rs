//! The files of `corpus/papers/` that state examples from the kernel algebra's paper, compared with the paper's results,
//! and the page of the book that lists them.

#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::fs;
use std::path::Path;

use kalg::algebra::{Kernel, MinPlus, PlusTimes};
use kalg::syntax::Source;
use kalg::term::{FilterSource, denote, denote_linear, denote_series, read_filter};

fn read(path: &str) -> FilterSource {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    read_filter(&Source::new(path, text)).unwrap()
}

/// The only kernel of a file of `corpus/papers/`.
fn denoted(name: &str) -> Kernel<PlusTimes> {
    let filter = denote_linear(&read(&format!("corpus/papers/{name}.sexp"))).unwrap();
    let (_, kernels) = filter.rows().next().unwrap();
    kernels[0].clone()
}

/// The lines of a kernel's matrix, joined by ` / `.
fn shown(kernel: &Kernel<PlusTimes>) -> String {
    let text = kernel.to_string();
    let rows = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    rows.collect::<Vec<_>>().join(" / ")
}

#[test]
fn equations_38_48_57_and_58_state_sobel() {
    let sobel = "1 0 -1 / 2 0 -2 / 1 0 -1";
    assert_eq!(shown(&denoted("algebra-sobel-factors")), sobel);
    // The difference of two moved copies does not read the middle.
    let copies = "1 . -1 / 2 . -2 / 1 . -1";
    assert_eq!(shown(&denoted("algebra-sobel-filters")), copies);
    // Instructions store at the pixel itself.
    assert_eq!(shown(&denoted("algebra-sobel-program")), "1 . -1 / 2 0 -2 / 1 . -1");
}

#[test]
fn section_4_6_down_and_up_again_leaves_a_zero() {
    assert_eq!(shown(&denoted("algebra-down-up")), ". / 1 / 0");
}

#[test]
fn section_5_devito_factors_and_extracts() {
    assert_eq!(shown(&denoted("algebra-devito-factors")), ". 3 . / 3 1 3 / . 3 .");
    assert_eq!(shown(&denoted("algebra-devito-extract")), "1 5 1 / . . . / 1 5 1");
}

#[test]
fn section_6_windows_and_tables_are_boxes() {
    for name in ["algebra-sliding-window", "algebra-sliding-window-recursion"] {
        assert_eq!(shown(&denoted(name)), "1 1 1 1 1", "{name}");
    }
    let row = "1 1 1 1 1";
    assert_eq!(shown(&denoted("algebra-summed-area-box")), [row; 5].join(" / "));
}

#[test]
fn section_6_three_moves_of_a_knight() {
    let filter = denote::<MinPlus>(&read("corpus/scan-order/knight.sexp")).unwrap();
    let (_, kernels) = filter.rows().next().unwrap();
    let thrice = kernels[0].power(3).unwrap();
    let moves = |x, y| thrice.coefficient([x, y, 0]).to_string();
    assert_eq!([moves(0, 0), moves(1, 2), moves(1, 1), moves(1, 0)], ["0", "1", "2", "3"]);
    assert_eq!(moves(2, 2), "inf", "it takes four");
}

#[test]
fn section_on_integral_maps_the_infinite_kernel() {
    // The kernel with a one at every place to the north-west: 1/((1 − x⁻¹)(1 − y)).
    let series = denote_series(&read("corpus/scan-order/integral-map.sexp")).unwrap();
    let table = series[0][0].to_scan();
    assert_eq!(table.numerator(), &Kernel::identity());
    assert_eq!(table.factors(), [[-1, 0, 0], [0, 1, 0]]);
}

#[test]
fn the_page_on_the_paper_lists_every_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/paper.md")).unwrap();
    let mut files = 0;
    for entry in fs::read_dir(root.join("corpus/papers")).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("algebra-") {
            assert!(page.contains(&format!("corpus/papers/{name}")), "{name}");
            files += 1;
        }
    }
    assert!(files >= 9, "{files} files");
}
