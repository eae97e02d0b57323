//! The C and Rust emitted for pipelines, compiled and compared with the reference executor.

#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kalg::backend::Record as _;
use kalg::backend::scan::StreamRequest;
use kalg::backend::scan::machine::ScanMachine;
use kalg::backend::scan::pipeline::optimize_pipeline;
use kalg::budget::Budget;
use kalg::pipeline::{Data, Image, Pipeline, PixelType, execute, read_pipeline};
use kalg::rule::RuleSet;
use kalg::syntax::Source;

use crate::native;
use crate::scratch::Scratch;

/// A small deterministic generator.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len() as u64) as usize]
    }
}

/// A pipeline with its code.
struct Case {
    pipeline: Pipeline,
    c: String,
    rust: String,
}

fn request(source: Source, machine: &str, nodes: u64) -> StreamRequest {
    let machine = Arc::new(ScanMachine::builtin(machine).unwrap());
    StreamRequest {
        budget: Budget::of_work(nodes),
        ..StreamRequest::new(source, machine, RuleSet::builtin())
    }
}

/// Compiles a pipeline under another name; `None` if it has no code.
fn case(name: &str, text: &str, number: usize) -> Option<Case> {
    let text = text.replacen(&format!("(pipeline {name}"), &format!("(pipeline case-{number}"), 1);
    let source = Source::new(name, text);
    let pipeline = read_pipeline(&source).ok()?;
    let piped = optimize_pipeline(&request(source, "cpu", 10)).unwrap();
    assert!(piped.record.regions.iter().all(|region| region.verified.symbolic && region.verified.executed));
    Some(Case { pipeline, c: piped.emit("c")?, rust: piped.emit("rust")? })
}

/// The bits that stand for all that is not a number.
const NAN: u32 = 0x7fc0_0000;

/// The statement that prints a sample in C: of single precision, its bits.
fn print_in_c(pixel: PixelType, sample: &str) -> String {
    if pixel == PixelType::Float32 {
        format!(
            "{{ uint32_t bits; memcpy(&bits, &{sample}, 4); if ({sample} != {sample}) bits = {NAN}; printf(\"%lld\\n\", (long long)bits); }}"
        )
    } else {
        format!("printf(\"%lld\\n\", (long long){sample});")
    }
}

/// The integers that stand for samples where programs read and write them: of single precision, eighths, and the bits.
fn integers(image: &Image, is_result: bool) -> Vec<i128> {
    match &image.data {
        Data::Exact(values) => values.clone(),
        Data::Float(values) if is_result => {
            let bits = |value: &f32| if value.is_nan() { NAN } else { value.to_bits() };
            values.iter().map(|value| bits(value).into()).collect()
        }
        Data::Float(values) => values.iter().map(|value| (value * 8.0) as i128).collect(),
    }
}

fn in_c(pixel: PixelType) -> String {
    let PixelType::Integer { bits, signed } = pixel else { return "float".to_owned() };
    let bits = [8, 16, 32, 64].into_iter().find(|wide| *wide >= bits).unwrap();
    format!("{}int{bits}_t", if signed { "" } else { "u" })
}

/// The program that runs any case: its arguments are the case, width and height of the base grid; samples come from standard input.
fn program(cases: &[Case]) -> String {
    let mut text = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n".to_owned();
    let mut main = String::new();
    for (number, Case { pipeline, c, .. }) in cases.iter().enumerate() {
        text += c;
        let _ = writeln!(main, "    if (number == {number}) {{");
        let [mut arguments, mut after, mut band, mut again, mut equal] = [const { String::new() }; 5];
        for (i, input) in pipeline.inputs.iter().enumerate() {
            let (of, [x, y]) = (in_c(input.pixel), input.rate);
            let _ = writeln!(
                main,
                "        const ptrdiff_t iw{i} = width * {} / {}, ih{i} = height * {} / {};\n        {of} *in{i} = malloc((iw{i} + 3) * ih{i} * sizeof *in{i});
        for (ptrdiff_t p = 0; p < (iw{i} + 3) * ih{i}; p++) {{ long long v = 77; if (p % (iw{i} + 3) < iw{i} && scanf(\"%lld\", &v) != 1) return 1; in{i}[p] = ({of})v{}; }}",
                x.numerator(), x.denominator(), y.numerator(), y.denominator(), if of == "float" { " / 8" } else { "" }
            );
            let _ = write!(arguments, "in{i}, iw{i} + 3, ");
            let _ = write!(band, "in{i}, iw{i} + 3, ");
        }
        for (i, output) in pipeline.outputs.iter().enumerate() {
            let (of, [x, y]) = (in_c(output.pixel), output.rate);
            let _ = writeln!(
                main,
                "        const ptrdiff_t ow{i} = width * {} / {}, oh{i} = height * {} / {};\n        {of} *out{i} = malloc((ow{i} + 2) * oh{i} * sizeof *out{i});",
                x.numerator(),
                x.denominator(),
                y.numerator(),
                y.denominator()
            );
            let _ = write!(arguments, "out{i}, ow{i} + 2, ");
            let _ = writeln!(again, "        {of} *again{i} = malloc((ow{i} + 2) * oh{i} * sizeof *out{i});");
            let _ = write!(band, "again{i} + oh{i} * FROM / height * (ow{i} + 2), ow{i} + 2, ");
            let _ = writeln!(
                equal,
                "        for (ptrdiff_t p = 0; p < (ow{i} + 2) * oh{i}; p++) if (p % (ow{i} + 2) < ow{i} && memcmp(again{i} + p, out{i} + p, sizeof *out{i})) return 6;"
            );
            let _ = writeln!(
                after,
                "        for (ptrdiff_t p = 0; p < (ow{i} + 2) * oh{i}; p++) if (p % (ow{i} + 2) < ow{i}) {}",
                print_in_c(output.pixel, &format!("out{i}[p]"))
            );
        }
        let bands = band.replace("FROM", "0");
        let rest = band.replace("FROM", "middle");
        // The function is given a buffer of the size it asks for, and computes the picture again in two bands.
        let _ = write!(
            main,
            "        void *work = malloc(case_{number}({arguments}width, height, 0, height, NULL));
        if (case_{number}({arguments}width, height, 0, height, work) == 0) return 4;
        free(work);
        ptrdiff_t middle = 1;
        while (middle < height && case_{number}({arguments}width, height, middle, height, NULL) == 0) middle++;
        if (middle < height) {{
{again}        work = malloc(case_{number}({arguments}width, height, 0, middle, NULL));
        if (case_{number}({bands}width, height, 0, middle, work) == 0) return 5;
        free(work);
        work = malloc(case_{number}({arguments}width, height, middle, height, NULL));
        if (case_{number}({rest}width, height, middle, height, work) == 0) return 5;
        free(work);
{equal}        }}
{after}        return 0;
    }}
"
        );
    }
    let _ = write!(
        text,
        "int main(int count, char **words)\n{{\n    if (count != 4) return 2;\n    const int number = atoi(words[1]);\n    \
         const ptrdiff_t width = atoi(words[2]), height = atoi(words[3]);\n{main}    return 3;\n}}\n"
    );
    text
}

/// The same program in Rust.
fn program_in_rust(cases: &[Case]) -> String {
    let mut text = String::new();
    let mut main = String::new();
    for (number, Case { pipeline, rust, .. }) in cases.iter().enumerate() {
        text += rust;
        let _ = writeln!(main, "    if number == {number} {{");
        let [mut inputs, mut outputs, mut bands, mut print] = [const { String::new() }; 4];
        let of = |pixel| {
            let of = in_c(pixel).trim_end_matches("_t").replace("uint", "u").replace("int", "i");
            of.replace("float", "f32")
        };
        let size = |[x, y]: [kalg::Rational; 2]| {
            let along = |side: &str, by: kalg::Rational| {
                format!("{side} * {} / {}", by.numerator(), by.denominator())
            };
            format!("({}, {})", along("width", x), along("height", y))
        };
        for (i, input) in pipeline.inputs.iter().enumerate() {
            let (of, size) = (of(input.pixel), size(input.rate));
            let _ = writeln!(
                main,
                "        let (iw, ih) = {size};\n        let mut in{i} = vec![77{of}; (iw + 3) * ih];
        for row in in{i}.chunks_mut(iw + 3) {{ for v in &mut row[..iw] {{ *v = samples.next().unwrap() as {of}{}; }} }}\n        let is{i} = iw + 3;",
                if of == "f32" { " / 8.0" } else { "" }
            );
            let _ = write!(inputs, "&in{i}, is{i}, ");
        }
        for (i, output) in pipeline.outputs.iter().enumerate() {
            let (of, size) = (of(output.pixel), size(output.rate));
            let _ = writeln!(
                main,
                "        let (ow{i}, oh{i}) = {size};\n        let mut out{i} = vec![0{of}; (ow{i} + 2) * oh{i}];\n        let mut again{i} = out{i}.clone();"
            );
            let _ = write!(outputs, "&mut out{i}, ow{i} + 2, ");
            let _ = write!(bands, "&mut again{i}[oh{i} * from / height * (ow{i} + 2)..], ow{i} + 2, ");
            let value = if output.pixel == PixelType::Float32 {
                format!("if v.is_nan() {{ {NAN} }} else {{ v.to_bits() }}")
            } else {
                "v".to_owned()
            };
            let _ = writeln!(
                print,
                "        let text = |out: &[{}]| out.chunks(ow{i} + 2).flat_map(|row| &row[..ow{i}]).map(|v| format!(\"{{}}\\n\", {value})).collect::<String>();
        assert!(!banded || text(&out{i}) == text(&again{i}));\n        print!(\"{{}}\", text(&out{i}));",
                of
            );
        }
        let _ = write!(
            main,
            "        assert!(case_{number}({inputs}{outputs}width, height, 0, height));
        let mut banded = false;
        for middle in 1..height {{
            let from = middle;
            if case_{number}({inputs}{bands}width, height, middle, height) {{
                let from = 0;
                banded = case_{number}({inputs}{bands}width, height, 0, middle);
                break;
            }}
        }}
{print}        return;
    }}
"
        );
    }
    format!(
        "{text}fn main() {{
    let words: Vec<usize> = std::env::args().skip(1).map(|word| word.parse().unwrap()).collect();
    let [number, width, height] = words[..] else {{ panic!() }};
    let text = std::io::read_to_string(std::io::stdin()).unwrap();
    let mut samples = text.split_whitespace().map(|word| word.parse::<i64>().unwrap());
{main}    panic!();
}}
"
    )
}

/// Random pictures, with many samples at the ends of their range.
fn pictures(pipeline: &Pipeline, [width, height]: [usize; 2], numbers: &mut Numbers) -> Option<Vec<Image>> {
    let along = |size: usize, rate: kalg::Rational| {
        let samples = size as i64 * rate.numerator();
        (samples % rate.denominator() == 0).then(|| (samples / rate.denominator()) as usize)
    };
    let mut images = Vec::new();
    for input in &pipeline.inputs {
        let [width, height] = [along(width, input.rate[0])?, along(height, input.rate[1])?];
        let is_float = input.pixel == PixelType::Float32;
        let [least, greatest] = input.pixel.limits().unwrap_or([-2000, 2000]);
        let sample = |numbers: &mut Numbers| match numbers.below(4) {
            0 => least,
            1 => greatest,
            _ => least + i128::from(numbers.below(1 << 31)) % (greatest - least + 1),
        };
        let values: Vec<i128> = (0..width * height).map(|_| sample(numbers)).collect();
        let data = if is_float {
            Data::Float(values.into_iter().map(|value| value as f32 / 8.0).collect())
        } else {
            Data::Exact(values)
        };
        images.push(Image { width, height, data });
    }
    Some(images)
}

/// Compiles all cases into one program in C and some into one in Rust, runs each on pictures of several sizes, and compares.
/// Returns the pixels compared.
fn compare(name: &str, cases: &[Case], in_rust: usize) -> usize {
    let scratch = Scratch::new(name);
    let c = native::compile_c(&scratch, &program(cases));
    // Compilers must not join products and sums in single precision.
    let is_single = cases.iter().any(|case| case.c.contains("#include <math.h>"));
    let fast = is_single.then(|| native::compile_fast_c(&scratch, &program(cases)));
    let rust = native::compile_rust(&scratch, &program_in_rust(&cases[..in_rust]));
    let (mut numbers, mut compared) = (Numbers(7), 0);
    for (number, Case { pipeline, .. }) in cases.iter().enumerate() {
        for size in [[1, 1], [3, 2], [37, 29], [16, 32]] {
            let Some(images) = pictures(pipeline, size, &mut numbers) else { continue };
            let Ok(expected) = execute(pipeline, &images) else { continue };
            // The code wants sizes that all stages divide.
            let whole =
                |rate: kalg::Rational, size: usize| size as i64 * rate.numerator() % rate.denominator() == 0;
            let mut rates = pipeline.nodes.iter().filter_map(|node| node.facts.rate);
            if !rates.all(|[x, y]| whole(x, size[0]) && whole(y, size[1])) {
                continue;
            }
            let expected: Vec<i128> = expected.iter().flat_map(|image| integers(image, true)).collect();
            let samples: Vec<i128> = images.iter().flat_map(|image| integers(image, false)).collect();
            let own = [(&c, &cases[number].c), (&rust, &cases[number].rust)];
            let fast = fast.iter().map(|program| (program, &cases[number].c));
            for (program, code) in own[..1 + usize::from(number < in_rust)].iter().copied().chain(fast) {
                let found: Vec<i128> = native::run(program, number, size, samples.iter().copied());
                assert_eq!(found.len(), expected.len());
                let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
                assert_eq!(differs, None, "{number}, {size:?}: {:?}\n{code}", pipeline.doc);
            }
            compared += expected.len();
        }
    }
    compared
}

#[test]
fn pipelines_of_the_corpus_compute_in_code_what_the_executor_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/pipelines");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut cases, mut refused) = (Vec::new(), Vec::new());
    for file in &files {
        let name = file.file_stem().unwrap().to_str().unwrap();
        match case(name, &std::fs::read_to_string(file).unwrap(), cases.len()) {
            Some(case) => cases.push(case),
            None => refused.push(name),
        }
    }
    assert_eq!(refused, [""; 0]);
    for file in files.iter().step_by(3) {
        let source = Source::new(file.to_string_lossy(), std::fs::read_to_string(file).unwrap());
        let record = optimize_pipeline(&request(source, "ops", 5)).unwrap().record;
        let [written, compiled] = [record.written, record.compiled].map(|operations| operations.total());
        assert!(compiled <= written + 1e-9, "{}: {compiled} for {written}", file.display());
    }
    let compared = compare("pipelines-corpus", &cases, cases.len());
    assert!(compared > 20_000, "only {compared} pixels were compared");
}

/// A random stage that reads two others at offsets.
type Stage = fn(&mut Numbers, [&str; 2], [i64; 4]) -> String;

/// A pipeline of random stages on random stages, with these inputs; `of` is the type of its first output, if it is given.
fn random(numbers: &mut Numbers, inputs: &str, of: &str, stage: Stage) -> String {
    let mut names = vec!["a".to_owned(), "b".to_owned()];
    let border = numbers.pick(&["zero", "constant 9", "replicate", "reflect", "reflect101", "wrap"]);
    let mut text = format!("(pipeline p (inputs {inputs}) (border {border})\n");
    for number in 0..4 + numbers.below(4) {
        let mut e = || {
            let name = names[numbers.below(names.len() as u64) as usize].clone();
            (name, numbers.below(5) as i64 - 2, numbers.below(5) as i64 - 2)
        };
        let ((e, x, y), (f, u, v)) = (e(), e());
        let body = stage(numbers, [&e, &f], [x, y, u, v]);
        let _ = writeln!(text, "  (let s{number} {body})");
        names.push(format!("s{number}"));
    }
    let last = names.len() - 1;
    let doc = text.replace('\n', " ");
    let _ =
        write!(text, "  (doc \"{doc}\")\n  (output o {of} {}) (output q {}))", names[last], names[last - 1]);
    text
}

/// Compares 25 random pipelines.
fn compare_random(name: &str, seed: u64, text: impl Fn(&mut Numbers) -> String) {
    let mut numbers = Numbers(seed);
    let mut cases = Vec::new();
    for _ in 0..25 {
        let text = text(&mut numbers);
        cases.extend(case("p", &text, cases.len()));
    }
    assert!(cases.len() > 15, "only {} pipelines were compiled", cases.len());
    let compared = compare(name, &cases, 10);
    assert!(compared > 20_000, "only {compared} pixels were compared");
}

/// A stage of integers.
fn stage(numbers: &mut Numbers, [e, f]: [&str; 2], [x, y, u, v]: [i64; 4]) -> String {
    let body = match numbers.below(26) {
        0 => format!("(+ {e} (at {f} {x} {y}) 3)"),
        1 => format!("(- (* 3 {e}) (at {f} {x} {y}))"),
        2 => format!("(filter (kernel (1 2 1) (2 {x} 2) (1 2 1)) {e})"),
        3 => format!("(filter (compose (kernel (1 {u} 1)) (kernel (1) (1) (1))) {e})"),
        4 => format!(
            "(filter (add (from {e} (kernel (1 . {x}))) (from 2 (kernel (1) (2) (1)))) {e} (neg {f}))"
        ),
        5 => format!("(filter (semiring max-plus) (kernel (0 0 0) (0 . 1) (0 0 0)) {e})"),
        6 => format!("(filter (semiring min-plus) (kernel (0 0 0 0 0)) {e})"),
        7 => format!(
            "(round {} (* 1/{} {e}))",
            numbers.pick(&["floor", "ceiling", "zero", "up", "even"]),
            2 + numbers.below(4)
        ),
        8 => format!("(quotient {e} {})", numbers.pick(&["3", "-4", "(max 1 a)"])),
        9 => format!("(select (< {e} {f}) (abs {e}) (min {f} 7))"),
        10 => format!("(wrap {} {e})", numbers.pick(&["uint8", "int8", "int5"])),
        11 => format!("(border {} {e})", numbers.pick(&["replicate", "zero", "wrap", "reflect101"])),
        12 => format!("(up 2 1 (phase {e} 1 0 2 1))"),
        13 => format!("(interleave ((phase {e} 0 0) (phase {f} 1 0)) ((phase {f} 0 1) (phase {e} 1 1)))"),
        14 => format!("(table-of t (- 9 (* t t)) (clamp -4 5 {e}))"),
        15 => format!("(sqrt (max 0 {e}))"),
        16 => format!("(filter (kernel (origin 1 0) (1 3 3 1)) (up 2 1 (down 2 1 {e})))"),
        17 => format!(
            "(fold {} (i -1 2) (j 0 3) (* (absdiff {e} (at {f} (+ i {x}) (- j i))) (+ i 2)))",
            numbers.pick(&["add", "min", "max"])
        ),
        18 => format!(
            "(fold argmin (d 0 5) (filter (kernel (origin 1 0) (1 2 1) (1 2 1)) (absdiff {e} (at {f} (+ d {x}) {y}))))"
        ),
        19 => format!("(fold add (d 0 3) (fold max (e -1 1) (max (at {e} d e) (* d {f}))))"),
        20 => format!("(gather {e} (clamp -2 3 {f}) (clamp -1 2 (- {f} {e})))"),
        21 => {
            let planes = format!("(histogram 2 2 4 (clamp 0 3 {f}) (clamp -99 99 {e}))");
            let spread = format!(
                "(filter (kernel (plane (1)) (plane (2)) (plane (1))) (filter (kernel (1 {x} 1)) {planes}))"
            );
            format!("(gather (up 2 2 (at {spread} {u} {v})) 0 0 (clamp 0 3 {e}))")
        }
        22 => format!("(+ (* {e} (interleave (1 {x} 3))) (interleave ({u}) (2)))"),
        23 => {
            let pattern = format!("(up 2 1 (interleave (1 {x}) ({u} 3)))");
            format!("(+ {e} (filter (kernel (1 2 1)) (gather {pattern} {y} 1)))")
        }
        24 => format!("(floor-shift {} (* {e} {f}))", 20 + numbers.below(30)),
        _ => format!("(absdiff (filter (kernel (1 0 -1)) {e}) (at {f} {u} {v}))"),
    };
    if numbers.below(3) == 0 { format!("(clamp -300 300 {body})") } else { body }
}

/// A stage that is mostly in single precision.
fn stage_in_single_precision(numbers: &mut Numbers, [e, f]: [&str; 2], [x, y, u, v]: [i64; 4]) -> String {
    match numbers.below(20) {
        0 => format!("(+ {e} (at {f} {x} {y}) 7/3)"),
        1 => format!("(- (* 2/7 {e} b) (at {f} {x} {y}))"),
        2 => format!("(filter (kernel (1 2 1) (2 {x} 2) (1 2 1)) (float {e}))"),
        3 => format!("(filter (scale 1/9 (compose (kernel (1 {u} 1)) (kernel (1) (1) (1)))) {e})"),
        4 => format!(
            "(filter (add (from {e} (kernel (1 . {x}))) (from 2 (kernel (1) (2) (1)))) {e} (neg (float {f})))"
        ),
        5 => format!("(filter (semiring max-plus) (kernel (0 0 0) (0 . 1) (0 0 0)) (float {e}))"),
        6 => format!("(filter (semiring min-plus) (kernel (0 1/2 0 3/4 0)) (+ b {e}))"),
        7 => format!(
            "(round {} (* 1/{} (float {e})))",
            numbers.pick(&["floor", "ceiling", "zero", "up", "even"]),
            2 + numbers.below(4)
        ),
        8 => format!("(quotient {e} (+ (float {f}) {}))", numbers.pick(&["3", "-4", "0"])),
        9 => format!("(select (< {e} {f}) (abs (float {e})) (min {f} b 7))"),
        10 => {
            format!("(saturate {} (float {e}))", numbers.pick(&["uint8", "int16", "int5", "int32", "uint32"]))
        }
        11 => format!(
            "(border {} {e})",
            numbers.pick(&["replicate", "zero", "constant -3", "wrap", "reflect101"])
        ),
        12 => format!("(up 2 1 (phase {e} 1 0 2 1))"),
        13 => format!("(interleave ((phase {e} 0 0) (phase {f} 1 0)) ((phase {f} 0 1) (phase {e} 1 1)))"),
        14 => format!("(max b (max (sqrt (float {e})) (at {f} {x} {y})) -1/3)"),
        15 => format!("(sqrt (+ b (abs {e})))"),
        16 => format!("(filter (kernel (origin 1 0) (1 3 3 1)) (up 2 1 (down 2 1 {e})))"),
        17 => format!(
            "(fold add (i -1 2) (j 0 3) (* (absdiff {e} (at {f} (+ i {x}) (- j i))) (float (+ i 2))))"
        ),
        18 => format!("(gather (float {e}) (clamp -2 3 a) (clamp -1 2 (- 4 a)))"),
        _ => format!("(absdiff (filter (kernel (1 0 -1)) (float {e})) (at {f} {u} {v}))"),
    }
}

/// Compares pipelines of one output of this value.
fn compare_values(name: &str, values: &[&str]) {
    let text = |value: &str| format!("(pipeline values (inputs (a int16) (b int16)) (output o {value}))");
    let case = |(number, value): (usize, &&str)| {
        case("values", &text(value), number).unwrap_or_else(|| panic!("{value} has no code"))
    };
    let cases: Vec<Case> = values.iter().enumerate().map(case).collect();
    compare(name, &cases, cases.len());
}

#[test]
fn numbers_that_repeat_are_moved_repeated_and_thinned() {
    compare_values(
        "patterns",
        &[
            "(filter (kernel (0)) a)",
            "(+ a (up 2 1 (interleave (1 5))))",
            "(+ a (up 2 3 (up 1 2 (interleave (1 5 7) (2 -9 4)))))",
            "(+ a (sqrt (up 1 2 (interleave (16 5) (1 81)))))",
            "(+ a (down 2 1 (interleave (1 2 3) (4 5 6))))",
            "(+ a (round (* 1/3 (interleave (1 5)) (interleave (2) (7) (1)))))",
            "(+ a (gather (interleave (1 2 9)) 1 -2))",
            "(+ a (at (up 2 1 (interleave (1 2 9))) -3 2))",
            "(+ a (filter (kernel (1 2 3)) (interleave (1 0) (0 5))))",
            "(+ a (filter (kernel (1 1 1)) (up 99 99 (interleave (1 2)))))",
            "(fold max (i 0 2) (filter (kernel (1 2 1)) (+ a i)))",
            "(fold max (i 0 2) (min (at (filter (kernel (6 -6 6)) (wrap uint2 a)) i 0) (+ (filter (kernel (6 -6 6)) (wrap uint2 a)) i)))",
            "(+ a (fold add (d 0 3) (at (interleave (1 5 7)) d 0)))",
            "(+ a (table (5 7 2) (up 3 1 (interleave (0 2 1)))))",
            "(+ (up 2 1 (+ (* 0 (down 2 1 a)) (interleave (1 5)))) b)",
            // Halves add up in the columns that are left.
            "(down 2 1 (+ (* 1/2 (up 2 1 a)) (* 1/2 (at (up 2 1 a) 1 0)) (at (up 2 1 a) 2 0)))",
            "(down 2 2 (interleave (b (* 1/3 b))))",
            // A constant of one sign is its own magnitude.
            "(border constant 12 (absdiff a a))",
            "(interleave (a (up 2 1 (interleave (1 5)))))",
            "(+ a (up 99 99 (interleave (1 2) (3 4))))",
            "(saturate int16 (* 1/3 (up 2 1 (float (interleave (1 50))))))",
            "(saturate int16 (filter (kernel (1 1 1)) (+ (float a) (interleave (1 50)))))",
        ],
    );
}

#[test]
fn great_shifts_leave_the_sign() {
    compare_values(
        "shifts",
        &[
            "(floor-shift 33 (* a b))",
            "(floor-shift 17 (floor-shift 16 (* a b)))",
            "(quotient a 8589934592)",
            "(floor-shift 40 a)",
            "(floor-shift 62 (* a b a))",
        ],
    );
}

/// A multiple that is read at two rates: at the lower one it is a multiple of a smaller fraction than its operand.
#[test]
fn multiples_keep_their_factors_across_rates() {
    let stages = [
        ("(* 2 a)", "(min v 7)", "(down 2 1 (floor-shift 2 v))"),
        ("(* 2 a)", "(min v 7)", "(down 2 1 (quotient v 6))"),
        ("(* 6 a)", "(sqrt v)", "(down 2 1 (round (* 1/4 v)))"),
        ("(filter (kernel (origin 0 1) (2 2) (2 2) (2 2)) a)", "(sqrt v)", "(down 2 2 (quotient v 12))"),
        ("(* 4 (+ a (at a 1 0)))", "(max v 7)", "(down 2 1 (floor-shift 3 v))"),
        ("(* 2 a)", "(min v 7)", "(up 2 1 (floor-shift 2 (down 2 1 v)))"),
    ];
    let text = |number: usize| {
        let (v, o, p) = stages[number];
        format!("(pipeline multiples (inputs (a uint8)) (let v {v}) (output o {o}) (output p {p}))")
    };
    let cases: Vec<Case> =
        (0..stages.len()).map(|number| case("multiples", &text(number), number).unwrap()).collect();
    compare("multiples", &cases, cases.len());
}

#[test]
fn random_pipelines_compute_in_code_what_the_executor_does() {
    compare_random("pipelines-random", 2026, |numbers| random(numbers, "(a uint8) (b int10)", "", stage));
}

#[test]
fn pipelines_in_single_precision_compute_in_code_bit_by_bit_what_the_executor_does() {
    compare_random("pipelines-single", 26, |numbers| {
        random(numbers, "(a int16) (b float32)", "float32", stage_in_single_precision)
    });
}

#[test]
fn rates_that_together_repeat_too_late_have_no_code() {
    let down =
        |factors: &[u64]| factors.iter().fold("a".to_owned(), |of, by| format!("(down {by} {by} {of})"));
    let refused = |outputs: &[&str]| {
        let outputs = outputs.iter().enumerate().map(|(number, of)| format!("(output o{number} {of})"));
        let text = format!(
            "(pipeline p (inputs (a uint8)) (border zero) {})",
            outputs.collect::<Vec<_>>().join(" ")
        );
        optimize_pipeline(&request(Source::new("p", text), "cpu", 10)).unwrap().record.c_refused
    };
    let [a, b] = [down(&[4093, 4091, 4079]), down(&[4073, 4057, 4051])];
    let far = format!("(filter (kernel (origin 0 0) (1 1 1 1 1 1 1 1 1)) {})", down(&[4096; 5]));
    for outputs in [&[&*a, &*b][..], &[&far]] {
        let why = refused(outputs).unwrap();
        assert!(why.contains("a period of more than 2147483648 columns or rows"), "{why}");
    }
    assert_eq!(refused(&[&down(&[4093]), &down(&[4091])]), None);
}
