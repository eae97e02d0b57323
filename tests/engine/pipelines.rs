//! The pipelines of `corpus/pipelines/`: they are read, and compute what they did.
//!
//! `notebooks/pipelines.py` compares them with independent programs, pixel by pixel, on the same pictures.

#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::fs;
use std::path::PathBuf;

use kalg::pipeline::{Data, Image, Pipeline, execute, read_pipeline};
use kalg::syntax::{Source, render};

fn corpus() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus/pipelines");
    let files = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == "sexp")).collect();
    files.sort();
    files
}

fn pipeline(source: &Source) -> Pipeline {
    read_pipeline(source).unwrap_or_else(|found| panic!("{}", render(source, &found, false)))
}

/// The samples of an input: a hash of the place, so that another program can compute the same picture.
pub(crate) fn picture(pipeline: &Pipeline, index: usize, base: [usize; 2]) -> Image {
    let input = &pipeline.inputs[index];
    let along = |axis: usize| {
        let rate = input.rate[axis];
        base[axis] * rate.numerator() as usize / rate.denominator() as usize
    };
    let (width, height) = (along(0), along(1));
    let limits = input.pixel.limits().map_or(256, |[low, high]| high - low + 1);
    let least = input.pixel.limits().map_or(0, |[low, _]| low);
    let sample = |x: usize, y: usize| {
        // Blocks with a little noise, so that there are edges and flat parts.
        let block = mixed(((x / 5) * 8191 + (y / 4) * 131 + index * 7) as u64) % 256;
        let noise = mixed((x * 65_537 + y * 257 + index * 17 + 1) as u64) % 16;
        least + i128::from(block * 16 + noise) * limits / 4096
    };
    let values = (0..height).flat_map(|y| (0..width).map(move |x| sample(x, y))).collect();
    Image { width, height, data: Data::Exact(values) }
}

/// The upper half of a product with an odd constant: a simple hash.
fn mixed(value: u64) -> u64 {
    let value = (value + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (value ^ (value >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40
}

/// A digest of a picture: FNV-1a over the samples as 64-bit integers.
fn digest(image: &Image) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325u64;
    let mut add = |value: u64| {
        for byte in value.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    };
    match &image.data {
        Data::Exact(values) => values.iter().for_each(|value| add(*value as u64)),
        Data::Float(values) => values.iter().for_each(|value| add(value.to_bits().into())),
    }
    hash
}

#[test]
fn applications_compute_what_they_did() {
    let mut lines = Vec::new();
    for path in corpus() {
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let source = Source::from_bytes(path.display().to_string(), fs::read(&path).unwrap());
        let read = pipeline(&source);
        assert!(read.warnings.is_empty(), "{}", render(&source, &read.warnings, false));
        assert_eq!(read.name, stem, "a file is named as its pipeline");
        assert!(source.text().starts_with("; ") && source.text().contains("\n; Source: "), "{stem}");
        let pictures: Vec<Image> =
            (0..read.inputs.len()).map(|index| picture(&read, index, [32, 32])).collect();
        let results = execute(&read, &pictures).unwrap_or_else(|error| panic!("{stem}: {error}"));
        for (output, result) in read.outputs.iter().zip(&results) {
            let [width, height] = [result.width, result.height];
            lines.push(format!(
                "{stem} {}: {} {width}×{height} {:016x}",
                output.name,
                output.pixel,
                digest(result)
            ));
        }
    }
    insta::assert_snapshot!(lines.join("\n"));
}
