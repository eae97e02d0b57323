//! The SystemVerilog that is emitted, run by Icarus Verilog and looked at by Verilator, where these are installed.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write as _;
use std::process::Command;

use kalg::algebra::Random;
use kalg::backend::option::OptionValues;
use kalg::pipeline::{Border, Data, Image, Pipeline, PixelType, execute, read_pipeline};
use kalg::syntax::Source;

use crate::designs::{
    THINNED, TOYS, compiled_with, corpus, in_clocks, kept_for_nothing, options, toy, with_border,
};
use crate::scratch::Scratch;

/// Whether a program is there; says so if not.
#[expect(clippy::print_stdout, reason = "what is not checked must be said")]
pub(crate) fn is_there(program: &str, argument: &str) -> bool {
    let found = Command::new(program).arg(argument).output().is_ok();
    if !found {
        println!("`{program}` is not installed: what it would check is not checked");
    }
    found
}

pub(crate) fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}:\n{said}{errors}");
    said + &errors
}

/// A pipeline with the frames that go in and should come out.
pub(crate) struct Case {
    pub(crate) pipeline: Pipeline,
    text: String,
    /// The C++ for synthesis.
    pub(crate) hls: String,
    pub(crate) lanes: usize,
    pub(crate) result_lanes: usize,
    rows: usize,
    pub(crate) words: Vec<u128>,
    pub(crate) wanted: Vec<u128>,
    /// The bits of words of results that mean something.
    meant: Vec<u128>,
    bits: [u32; 2],
}

fn bits(pixel: PixelType) -> u32 {
    pixel.bits()
}

/// The words of pictures: pixel by pixel, of each the pictures from low bits on.
pub(crate) fn words(pictures: &[Image], bits: &[u32], lanes: usize) -> Vec<u128> {
    let count = pictures[0].width * pictures[0].height;
    let word = |start: usize| {
        let (mut word, mut at) = (0u128, 0);
        for pixel in start..start + lanes {
            for (picture, bits) in pictures.iter().zip(bits) {
                let Data::Exact(values) = &picture.data else { panic!("integers only") };
                word |= values[pixel].rem_euclid(1 << bits).unsigned_abs() << at;
                at += bits;
            }
        }
        word
    };
    (0..count / lanes).map(|number| word(number * lanes)).collect()
}

/// A picture of a lower rate among results of this size, and where it has pixels, as all ones.
pub(crate) fn among(picture: &Image, [width, height]: [usize; 2]) -> [Image; 2] {
    let Data::Exact(values) = &picture.data else { panic!("integers only") };
    let [x, y] = [width / picture.width, height / picture.height];
    let places = (0..width * height).map(|at| (at % width, at / width));
    let value = |(column, row): (usize, usize)| values[row / y * picture.width + column / x];
    let is_one = |(column, row): (usize, usize)| column % x == 0 && row % y == 0;
    let image = |values: Vec<i128>| Image { width, height, data: Data::Exact(values) };
    [
        image(places.clone().map(value).collect()),
        image(places.map(|place| -i128::from(is_one(place))).collect()),
    ]
}

/// A picture with the pixels around it that are sent with it.
fn with_margins(
    picture: &Image,
    border: Border,
    window: &serde_json::Value,
    corner: &serde_json::Value,
) -> Image {
    let [width, height] = [0, 1].map(|axis| window[axis].as_u64().unwrap() as usize);
    let [west, north] = [0, 1].map(|axis| corner[axis].as_u64().unwrap() as usize);
    let Data::Exact(values) = &picture.data else { panic!("integers only") };
    let outside = if let Border::Constant(value) = border { value.into() } else { 0 };
    let mut all = Vec::new();
    for row in 0..height {
        for column in 0..width {
            let x = border.place(column as i64 - west as i64, picture.width as i64);
            let y = border.place(row as i64 - north as i64, picture.height as i64);
            let at = |(x, y): (i64, i64)| values[y as usize * picture.width + x as usize];
            all.push(x.zip(y).map_or(outside, at));
        }
    }
    Image { width, height, data: Data::Exact(all) }
}

impl Case {
    pub(crate) fn new(text: &str, size: [usize; 2], lanes: usize, halo: bool) -> Self {
        Self::with(text, options(size, lanes, halo), size, lanes)
    }

    /// A design whose pixels take several clocks.
    pub(crate) fn in_clocks(text: &str, size: [usize; 2], clocks: usize, halo: bool) -> Self {
        Self::with(text, in_clocks(size, clocks, halo), size, 1)
    }

    pub(crate) fn with(text: &str, options: OptionValues, size: [usize; 2], lanes: usize) -> Self {
        let halo = options.has("halo");
        let pipeline = read_pipeline(&Source::new("p.sexp", text)).unwrap();
        let record = compiled_with(text, options).unwrap_or_else(|why| panic!("{why}"));
        let json: serde_json::Value = serde_json::from_str(&record.emit("json").unwrap()).unwrap();
        let [text, hls] = ["systemverilog", "hls"].map(|form| record.emit(form).unwrap());
        let result_lanes = (lanes / json["every"][0].as_u64().unwrap() as usize).max(1);
        let mut random = Random::new(lanes as u64);
        let of = |list: Vec<PixelType>| list.into_iter().map(bits).collect::<Vec<u32>>();
        let inputs = of(pipeline.inputs.iter().map(|input| input.pixel).collect());
        let outputs = of(pipeline.outputs.iter().map(|output| output.pixel).collect());
        let (mut sent, mut wanted, mut meant) = (Vec::new(), Vec::new(), Vec::new());
        let every = [0, 1].map(|axis| json["every"][axis].as_u64().unwrap() as usize);
        let grid = [0, 1].map(|axis| size[axis] / every[axis]);
        for _ in 0..2 {
            let picture = |input: &kalg::pipeline::Input| {
                let [least, greatest] = input.pixel.limits().unwrap();
                let (least, greatest) = (least as i64, greatest as i64);
                let values = (0..size[0] * size[1]).map(|_| random.integer(least, greatest).into()).collect();
                Image { width: size[0], height: size[1], data: Data::Exact(values) }
            };
            let pictures: Vec<Image> = pipeline.inputs.iter().map(picture).collect();
            let results = execute(&pipeline, &pictures).unwrap();
            let [of, ones]: [Vec<Image>; 2] =
                [0, 1].map(|part| results.iter().map(|one| among(one, grid)[part].clone()).collect());
            wanted.extend(words(&of, &outputs, result_lanes));
            meant.extend(words(&ones, &outputs, result_lanes));
            let padded = pictures.into_iter().map(|one| {
                if halo { with_margins(&one, pipeline.border, &json["padded"], &json["corner"]) } else { one }
            });
            sent.extend(words(&padded.collect::<Vec<_>>(), &inputs, lanes));
        }
        let bytes =
            |bits: &[u32], lanes: usize| (bits.iter().sum::<u32>() * lanes as u32).next_multiple_of(8);
        let bits = [bytes(&inputs, lanes), bytes(&outputs, result_lanes)];
        Self { pipeline, text, hls, lanes, result_lanes, rows: size[1], words: sent, wanted, meant, bits }
    }

    /// How many of these words differ in bits that mean something. Digits that are not known are none of these, whatever they are.
    pub(crate) fn wrong(&self, words: &[&str]) -> usize {
        assert_eq!(words.len(), self.wanted.len(), "{}: {words:?}", self.pipeline.name);
        let is_wrong = |(word, (wanted, meant)): (&&str, (&u128, &u128))| {
            ["0", "f"].iter().any(|digit| {
                let known = word.to_lowercase().replace(['x', 'z'], digit);
                (u128::from_str_radix(&known, 16).unwrap() ^ wanted) & meant != 0
            })
        };
        words.iter().zip(self.wanted.iter().zip(&self.meant)).filter(|word| is_wrong(*word)).count()
    }

    /// Runs the text with stalls on both sides and compares what comes out.
    fn run(&self, scratch: &Scratch, number: usize) {
        let name = &self.pipeline.name;
        let design = scratch.file(&format!("{name}{number}.sv"), &self.text);
        let mut words = String::new();
        self.words.iter().for_each(|word| writeln!(words, "{word:x}").unwrap());
        let words = scratch.file(&format!("{name}{number}.hex"), &words);
        let compiled = scratch.path(&format!("{name}{number}.vvp"));
        let bench = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hardware/stream.sv");
        let [input, output] = self.bits;
        let file = format!("-DFILE=\"{words}\"");
        let defines = [
            format!("-DDESIGN={}_stream", name.replace('-', "_")),
            format!("-DIN_BITS={input}"),
            format!("-DOUT_BITS={output}"),
            format!("-DWORDS={}", self.words.len()),
            format!("-DRESULTS={}", self.wanted.len()),
            format!("-DROWS={}", self.rows),
            file,
        ];
        let mut arguments = vec!["-g2012", "-o", &compiled, bench, &design];
        arguments.extend(defines.iter().map(String::as_str));
        run("iverilog", &arguments);
        let said = run("vvp", &["-n", &compiled]);
        let rows: Vec<(&str, &str)> = said.lines().filter_map(|line| line.split_once(' ')).collect();
        let found: Vec<&str> = rows.iter().map(|(word, _)| *word).collect();
        let lanes = self.lanes;
        assert_eq!(self.wrong(&found), 0, "{name} with {lanes} lanes: of {} words", found.len());
        let last: Vec<usize> = (0..rows.len()).filter(|at| rows[*at].1 == "1").collect();
        assert_eq!(last, [rows.len() / 2 - 1, rows.len() - 1], "{name}: the last words of frames");
    }
}

/// Designs whose margins mirror pictures: windows that reach further on one side than on the other, words of several pixels, changes
/// of the rate, and pixels of several clocks.
pub(crate) fn mirrored() -> Vec<Case> {
    let named = |text: String, border: &str| {
        with_border(&text, border).replacen("(pipeline ", "(pipeline mirrored_", 1)
    };
    let of = |text: String, border: &str, size: [usize; 2], lanes: usize| {
        Case::new(&named(text, border), size, lanes, false)
    };
    vec![
        of(toy("fanout"), "reflect", [12, 6], 1),
        of(toy("matched"), "reflect101", [12, 7], 3),
        of(toy("pooled"), "reflect101", [12, 6], 2),
        of(toy("halved"), "reflect", [24, 24], 4),
        of(corpus("gaussian"), "reflect101", [108, 5], 1),
        of(corpus("harris"), "reflect", [32, 6], 8),
        Case::in_clocks(&named(toy("sought"), "reflect101"), [12, 6], 3, false),
    ]
}

/// Designs whose extremes are made in blocks: blocks that do not divide the picture, rows in registers and in memory, margins that are sent.
pub(crate) fn in_blocks() -> Vec<Case> {
    let of = |(number, size, halo): (usize, [usize; 2], bool)| {
        let text = toy("opened").replacen("(pipeline ", &format!("(pipeline blocks{number}_"), 1);
        let case = Case::with(&text, kept_for_nothing(size, halo), size, 1);
        assert_eq!(case.text.matches("kalg_backwards #(.WIDTH").count(), 4, "columns and rows");
        case
    };
    [(0, [12, 6], false), (1, [24, 23], false), (2, [108, 4], true)].into_iter().map(of).collect()
}

/// Designs whose rows are one word, with every border that is made: rows north and south of a pixel, columns beside it, and pixels of several
/// clocks. With columns, `reflect101` needs a second word. And what is kept or summed along such rows, in words of 128 bits at most.
pub(crate) fn in_one_word() -> Vec<Case> {
    const ROWS: [(&str, usize, usize); 4] = [
        ("(+ a (at a 0 2))", 1, 1),
        ("(+ a (at a 0 2))", 4, 1),
        ("(+ a (at a 0 -2))", 1, 1),
        ("(+ a (at a 0 -2))", 4, 1),
    ];
    const COLUMNS: [(&str, usize, usize); 3] = [
        ("(at a -2 3)", 4, 1),
        ("(filter (kernel (1 0 2) (0 0 0) (3 0 4) (0 5 0) (6 0 0)) a)", 4, 1),
        ("(fold max (d -1 3) (* (at a 0 d) (+ 2 d)))", 1, 2),
    ];
    let mut cases = Vec::new();
    for border in ["replicate", "zero", "constant 5", "reflect", "reflect101"] {
        let columns = if border == "reflect101" { &[][..] } else { &COLUMNS };
        for (body, lanes, clocks) in ROWS.iter().chain(columns).copied() {
            let text = format!(
                "(pipeline word{} (inputs (a uint8)) (border {border}) (output o {body}) (output same a))",
                cases.len()
            );
            cases.push(match clocks {
                1 => Case::new(&text, [lanes, 6], lanes, false),
                _ => Case::in_clocks(&text, [1, 6], clocks, false),
            });
        }
    }
    for (name, lanes) in [("bayer", 4), ("pooled", 6), ("thinned", 4), ("held", 4), ("table", 1)] {
        let text = toy(name).replacen("(pipeline ", "(pipeline word_", 1);
        cases.push(Case::new(&text, [lanes, 6], lanes, false));
    }
    cases
}

/// Runs designs, and looks for what Verilator warns of. Designs are read one by one: of many that are read together, Verilator 5.006
/// takes the parameters of one for those of another.
fn check(folder: &str, cases: &[Case]) {
    let scratch = Scratch::new(folder);
    if is_there("iverilog", "-V") {
        cases.iter().enumerate().for_each(|(number, case)| case.run(&scratch, number));
    }
    if is_there("verilator", "--version") {
        for (number, case) in cases.iter().enumerate() {
            let name = &case.pipeline.name;
            let path = scratch.file(&format!("{name}{number}.sv"), &case.text);
            let top = format!("{}_stream", name.replace('-', "_"));
            let arguments = ["--lint-only", "-Wall", "-Wno-DECLFILENAME", "--top-module", &top, &path];
            assert_eq!(run("verilator", &arguments), "", "{name}");
        }
    }
}

/// The pyramid of the corpus, without its two coarsest levels: those reach a hundred pixels around a result.
fn pyramid() -> String {
    let text = corpus("pyramid");
    let coarse = ["gauss-3", "gauss-4", "laplace-2", "laplace-3"];
    let fine = text.lines().filter(|line| !coarse.iter().any(|level| line.contains(level)));
    fine.collect::<Vec<_>>().join("\n") + ")"
}

#[test]
fn the_text_computes_what_the_pipeline_says() {
    let mut cases = Vec::new();
    for (number, (name, _)) in TOYS.iter().enumerate().filter(|(_, (name, _))| !THINNED.contains(name)) {
        if number % 3 != 1 {
            cases.push(Case::new(&toy(name), [12, 6], 1, false));
        }
        // Two of three numbers of pixels for each.
        if number % 3 > 0 {
            cases.push(Case::new(&toy(name), [12, 6], 2, false));
        }
        if number % 3 < 2 {
            cases.push(Case::new(&toy(name), [12, 6], 3, true));
        }
    }
    for (name, lanes) in [("harris", 2), ("unsharp", 1), ("gaussian", 4)] {
        cases.push(Case::new(&corpus(name), [24, 6], lanes, false));
    }
    cases.push(Case::new(&corpus("gaussian"), [16, 5], 8, true));
    cases.push(Case::new(&corpus("camera"), [24, 6], 2, true));
    cases.push(Case::new(&pyramid(), [32, 8], 1, true));
    cases.push(Case::new(&corpus("local-contrast"), [24, 6], 2, true));
    // Of a word of results, one lane in eight matters.
    cases.push(Case::new(&corpus("histogram"), [64, 16], 8, false));
    cases.extend(mirrored());
    cases.extend(in_blocks());
    // Rows that are long enough for memory.
    for (text, lanes) in [
        (corpus("binomial"), 2),
        (corpus("harris"), 1),
        (toy("pooled"), 1),
        (toy("binned"), 1),
        (toy("summed"), 1),
    ] {
        let case = Case::new(&text, [108, 6], lanes, false);
        assert!(case.text.contains("kalg_memory #(.WIDTH"), "{}", case.pipeline.name);
        cases.push(case);
    }
    for (clocks, halo) in [(2, false), (3, true), (6, false)] {
        cases.push(Case::in_clocks(&toy("sought"), [12, 6], clocks, halo));
    }
    // Held words in memory, and a row that is repeated.
    cases.push(Case::in_clocks(&toy("sought"), [108, 4], 2, false));
    for lanes in [1, 4, 8] {
        cases.push(Case::new(&toy("quarter"), [16, 6], lanes, lanes == 4));
    }
    for (name, lanes) in [("multiples", 2), ("sparse", 1), ("sparse", 2)] {
        cases.push(Case::new(&toy(name), [12, 6], lanes, false));
    }
    // A table with more entries than its index has values, a maximum of which one value is known, and a place that is.
    for (name, pixel, value) in [
        ("long-table", "uint2", "(table (1 2 3 9 17) a)"),
        ("known-place", "int5", "(gather a (wrap int3 (max a 15)) 0)"),
        ("known-least", "uint12", "(fold max (i 0 2) (absdiff a (at a i 0)))"),
    ] {
        let text = format!("(pipeline {name} (inputs (a {pixel})) (border zero) (output o {value}))");
        cases.push(Case::new(&text, [12, 6], 1, false));
    }
    check("verilog", &cases);
}

#[test]
fn designs_are_compiled_together() {
    if is_there("iverilog", "-V") {
        let scratch = Scratch::new("together");
        let text =
            ["unsharp", "gaussian"].map(|name| Case::new(&corpus(name), [24, 6], 1, false).text).concat();
        let path = scratch.file("together.sv", &text);
        assert_eq!(run("iverilog", &["-g2012", "-o", &scratch.path("together"), &path]), "");
    }
}

#[test]
fn rows_of_one_word_have_all_borders() {
    check("words", &in_one_word());
}
