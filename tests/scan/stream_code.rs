//! The C and Rust emitted for plans, compiled with the system's compilers and compared with the executor.

#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use kalg::backend::scan::machine::{Border, CodeOptions, Overflow, Pixel, Plan, ScanMachine, c, rust};
use kalg::backend::scan::{StreamRequest, Streamed, apply, optimize_stream};
use kalg::budget::Budget;
use kalg::picture::{Image, Pattern};
use kalg::rule::RuleSet;
use kalg::syntax::Source;

use crate::native;
use crate::scratch::Scratch;

/// A filter to compile, with its options.
struct Case {
    streamed: Streamed,
    options: CodeOptions,
}

fn compiled(file: &str, pixel: Pixel, output: Option<Pixel>, machine: &str) -> Streamed {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(file);
    let text = if file.starts_with('(') { file.as_bytes().to_vec() } else { std::fs::read(path).unwrap() };
    let request = StreamRequest {
        source: Source::from_bytes(file, text),
        machine: Arc::new(ScanMachine::builtin(machine).unwrap()),
        chosen_by: None,
        pixel,
        values: None,
        output,
        border: None,
        overflow: Overflow::Saturate,
        rules: RuleSet::builtin(),
        float_recurrences: true,
        budget: Budget::of_work(50),
        seed: 3,
    };
    optimize_stream(&request).unwrap()
}

/// Every kind of step, every border (with every second filter), both kinds of overflow, integers of several sizes and single precision. Plans of all
/// machines take turns.
static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let named = |name: &str| Pixel::named(name).unwrap();
    // A filter that reads nothing, a sum that is negated at the end, and a least value of three inputs of which one is lowered first.
    const NOTHING: &str = "(filter f (inputs a b) (output out (from a (kernel (0)))))";
    const NEGATED: &str = "(filter f (output out (scale -1/16 (kernel (1 2 1)))))";
    const LOWERED: &str = "(filter f (inputs a b c) (semiring min-plus) (output out \
        (add (from c (kernel (4 4 0))) (from a (kernel (0 0 0))) (from b (kernel (0 0 0))))))";
    let files = [
        ("papers/halide-hls-blur.sexp", named("uint8")),
        ("classic/box-7.sexp", named("uint16")),
        ("classic/laplacian-4.sexp", named("uint8")),
        ("classic/gauss-5.sexp", named("uint8")),
        ("classic/sobel-pair.sexp", named("int16")),
        ("classic/motion-blur.sexp", named("int8")),
        ("classic/unsharp-5.sexp", named("float32")),
        ("scan-order/box-15-mean.sexp", named("float32")),
        ("papers/halide-hls-gray.sexp", named("int32")),
        ("scan-order/rising-9.sexp", named("uint8")),
        ("scan-order/volume-binomial.sexp", named("int16")),
        ("scan-order/dilate-15.sexp", named("uint8")),
        ("scan-order/erode-4.sexp", named("int16")),
        ("scan-order/disc-or.sexp", named("uint8")),
        ("scan-order/knight.sexp", named("uint16")),
        (LOWERED, named("uint8")),
        (LOWERED, named("uint8")),
        ("scan-order/integral-map.sexp", named("uint8")),
        ("scan-order/integral-map.sexp", named("uint32")),
        ("scan-order/integral-map.sexp", named("float32")),
        (NOTHING, named("uint8")),
    ];
    let converting = [
        ("classic/sobel-pair.sexp", named("uint8"), named("int16")),
        ("classic/gauss-5-binomial.sexp", named("uint8"), named("float32")),
        ("scan-order/erode-4.sexp", named("int16"), named("uint8")),
        ("scan-order/box-15-mean.sexp", named("uint16"), named("uint8")),
        ("classic/laplacian-8.sexp", named("int16"), named("int32")),
        (NEGATED, named("uint8"), named("float32")),
        (NEGATED, named("int8"), named("float32")),
    ];
    let files = files.into_iter().map(|(file, pixel)| (file, pixel, None));
    let files = files.chain(converting.map(|(file, pixel, output)| (file, pixel, Some(output))));
    let mut cases = Vec::new();
    for (number, (file, pixel, output)) in files.enumerate() {
        let each =
            ScanMachine::builtin_names().into_iter().map(|machine| compiled(file, pixel, output, machine));
        let each: Vec<Streamed> = each.collect();
        for (place, border) in each[0].plan.borders().into_iter().enumerate() {
            if (number + place) % 2 == 1 {
                continue;
            }
            let overflow = Overflow::ALL[(number + place / 2) % 2].1;
            let streamed = each[(number / 2 + place / 2) % each.len()].clone();
            let size = streamed.size;
            cases.push(Case { streamed, options: CodeOptions { border, overflow, size } });
        }
    }
    cases
});

impl Case {
    /// Images whose size no block length divides, and images smaller than the reach of some filters.
    fn images(&self, size: [usize; 2]) -> Vec<Image> {
        let pixel = self.streamed.plan.pixel;
        let range = if pixel.float { [-1000, 1000] } else { pixel.range() };
        let noise = |seed| Image::synthetic(Pattern::Noise, size, range, seed);
        (0..self.streamed.plan.inputs.len() as u64).map(noise).collect()
    }

    fn expected(&self, images: &[Image]) -> Option<Vec<f64>> {
        let CodeOptions { border, overflow, .. } = self.options;
        let outputs = apply(&self.streamed, images, border, overflow, &|output| output.pixel.range()).ok()?;
        Some(outputs.iter().flat_map(|output| from_north(&output.image)).collect())
    }

    /// The plan under a name of its own.
    fn plan(&self, number: usize) -> Plan {
        Plan { name: format!("case-{number}"), ..self.streamed.plan.clone() }
    }

    /// The greatest error of single precision: 2^-24 for every operation, of the sum of absolute products.
    fn tolerance(&self) -> f64 {
        let sum = |direct: &kalg::backend::scan::verify::Direct| {
            let weights = direct.taps.iter().flatten().map(|tap| tap.2.abs() as f64);
            (weights.sum::<f64>(), direct.taps.iter().flatten().count() as f64, direct.denominator as f64)
        };
        let [least, most] = self.streamed.plan.pixel.range().map(|end| end as f64);
        let range = if self.streamed.plan.pixel.float { 1000.0 } else { most.max(-least) };
        let each = self.streamed.direct.iter().map(sum);
        let pixels = if self.streamed.plan.has_recurrence() { 41.0 * 37.0 } else { 1.0 };
        each.map(|(sum, taps, down)| range * pixels * sum / down * (taps + 2.0) / f64::from(1 << 24))
            .fold(1e-9, f64::max)
    }

    fn outputs(&self) -> usize {
        self.streamed.plan.outputs.len()
    }
}

/// Pixels in the order of files and functions: the northern row first.
fn from_north(image: &Image) -> Vec<f64> {
    (0..image.height()).rev().flat_map(|y| image.row(y).to_vec()).collect()
}

/// Runs one case of a program on images.
fn run(program: &Path, case: usize, size: [usize; 2], images: &[Image]) -> Vec<f64> {
    native::run(program, case, size, images.iter().flat_map(from_north))
}

/// Runs every case on a large image and a tiny one.
fn check(program: &Path, language: &str) {
    let mut compared = 0;
    for (number, case) in CASES.iter().enumerate() {
        for size in [[41, 37], [3, 2], [1, 1], [2, 9]] {
            let images = case.images(size);
            let Some(expected) = case.expected(&images) else { continue };
            let found = run(program, number, size, &images);
            let name = &case.streamed.plan.name;
            let place = format!("{name} in {language}, {:?}, {size:?}", case.options);
            if case.streamed.plan.outputs.iter().any(|output| output.pixel.float) {
                // Sums are added up in another order.
                let differs = |(a, b): (&f64, &f64)| (a - b).abs() > case.tolerance();
                assert_eq!(
                    found.iter().zip(&expected).position(differs),
                    None,
                    "{place}: {found:?} {expected:?}"
                );
                assert_eq!(found.len(), expected.len());
            } else {
                assert_eq!(found, expected, "{place}");
            }
            compared += found.len();
        }
    }
    assert!(compared > 25_000, "only {compared} pixels were compared");
}

#[test]
fn whoever_does_not_wait_gets_the_direct_plan() {
    let rows = vec![format!("({})", "1 ".repeat(31)); 31].join(" ");
    let text = format!("(filter box (inputs image) (output out (kernel {rows})))");
    let machine = Arc::new(ScanMachine::builtin(ScanMachine::builtin_names()[0]).unwrap());
    let budget = Budget::unlimited().interrupted_by(&Arc::new(true.into()));
    let request = StreamRequest::new(Source::new("box.sexp", text), machine, RuleSet::builtin());
    let request = StreamRequest { budget, ..request };
    let found = optimize_stream(&request).unwrap();
    assert_eq!((found.record.method.as_str(), found.record.plans), ("direct", 1));
    assert_eq!(found.record.cost.additions, 960);
}

#[test]
fn c_computes_what_the_executor_does() {
    let mut text = "#include <stdio.h>\n#include <stdlib.h>\n".to_owned();
    let mut main = String::new();
    for (number, case) in CASES.iter().enumerate() {
        let plan = &case.plan(number);
        text.push_str(&c(plan, case.options));
        let type_of =
            |pixel: Pixel| if pixel.float { "float".to_owned() } else { format!("{}_t", pixel.name()) };
        let [pixel, result] = [plan.pixel, plan.outputs[0].pixel].map(type_of);
        let (inputs, outputs) = (plan.inputs.len(), case.outputs());
        let list = |count: usize, each: &dyn Fn(usize) -> String| (0..count).map(each).collect::<String>();
        let ins = list(inputs, &|i| format!("in[{i}], width + 3, "));
        let outs = list(outputs, &|i| format!("out[{i}] + y0 * (columns + 2), columns + 2, "));
        let [west, east, south, north] = plan.reach;
        let (lost_x, lost_y) =
            if case.options.border == Border::Valid { (west + east, south + north) } else { (0, 0) };
        let _ = write!(
            main,
            "    if (number == {number}) {{
        {pixel} *in[{inputs}];
        {result} *out[{outputs}];
        for (int i = 0; i < {inputs}; i++) {{
            in[i] = malloc((width + 3) * height * sizeof **in);
            for (ptrdiff_t p = 0; p < (width + 3) * height; p++) {{ double v = 77; if (p % (width + 3) < width && scanf(\"%lf\", &v) != 1) return 1; in[i][p] = ({pixel})v; }}
        }}
        const ptrdiff_t columns = width - {lost_x}, rows = height - {lost_y};
        for (int i = 0; i < {outputs}; i++) out[i] = malloc((columns + 2) * rows * sizeof **out);
        /* Two bands: rows do not depend on where their band begins. */
        for (int band = 0; band < 2; band++) {{
            const ptrdiff_t y0 = band * (rows / 3), y1 = band ? rows : rows / 3;
            void *work = malloc(case_{number}({ins}{outs}width, height, y0, y1, NULL));
            case_{number}({ins}{outs}width, height, y0, y1, work);
            free(work);
        }}
        for (int i = 0; i < {outputs}; i++)
            for (ptrdiff_t p = 0; p < (columns + 2) * rows; p++) if (p % (columns + 2) < columns) printf(\"%.17g\\n\", (double)out[i][p]);
        return 0;
    }}
"
        );
    }
    let _ = write!(
        text,
        "int main(int count, char **words)\n{{\n    if (count != 4) return 2;\n    const int number = atoi(words[1]);\n    \
         const ptrdiff_t width = atoi(words[2]), height = atoi(words[3]);\n{main}    return 3;\n}}\n"
    );
    let scratch = Scratch::new("c");
    let program = native::compile_c(&scratch, &text);
    check(&program, "C");
}

#[test]
fn rust_computes_what_the_executor_does() {
    let (mut text, mut main) = (String::new(), String::new());
    for (number, case) in CASES.iter().enumerate() {
        let plan = &case.plan(number);
        text.push_str(&rust(plan, case.options));
        let type_of =
            |pixel: Pixel| pixel.name().replace("uint", "u").replace("int", "i").replace("float", "f");
        let [pixel, result] = [plan.pixel, plan.outputs[0].pixel].map(type_of);
        let (inputs, outputs) = (plan.inputs.len(), case.outputs());
        let ins: String = (0..inputs).map(|i| format!("&images[{i}], width, ")).collect();
        let outs: String = (0..outputs).map(|i| format!("&mut out{i}[y0 * columns..], columns, ")).collect();
        let [west, east, south, north] = plan.reach;
        let (lost_x, lost_y) =
            if case.options.border == Border::Valid { (west + east, south + north) } else { (0, 0) };
        let _ = writeln!(
            main,
            "    if number == {number} {{\n        let images = images::<f64>(width * height).into_iter().map(|i| i.into_iter().map(|v| v as {pixel}).collect::<Vec<_>>()).collect::<Vec<_>>();"
        );
        let _ = writeln!(
            main,
            "        let (columns, rows) = (width.saturating_sub({lost_x}), height.saturating_sub({lost_y}));\n        let size = columns * rows;"
        );
        for i in 0..outputs {
            let _ = writeln!(main, "        let mut out{i} = vec![0 as {result}; size];");
        }
        let _ = writeln!(
            main,
            "        for (y0, y1) in [(0, rows / 3), (rows / 3, rows)] {{ case_{number}({ins}{outs}width, height, y0, y1); }}"
        );
        for i in 0..outputs {
            let _ = writeln!(main, "        for v in out{i} {{ println!(\"{{}}\", v as f64); }}");
        }
        let _ = writeln!(main, "    }}");
    }
    let _ = write!(
        text,
        "fn images<T: std::str::FromStr>(size: usize) -> Vec<Vec<T>> {{
    let text = std::io::read_to_string(std::io::stdin()).unwrap();
    let values: Vec<T> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let mut values = values.into_iter();
    let mut images = Vec::new();
    while values.len() > 0 {{ images.push(values.by_ref().take(size).collect()); }}
    images
}}
fn main() {{
    let words: Vec<usize> = std::env::args().skip(1).map(|word| word.parse().unwrap()).collect();
    let (number, width, height) = (words[0], words[1], words[2]);
{main}}}
"
    );
    let scratch = Scratch::new("rust");
    let program = native::compile_rust(&scratch, &text);
    check(&program, "Rust");
}

#[test]
fn code_for_a_torus_takes_images_of_its_size_alone() {
    let text = "(filter p (space torus 6 4) (output out (shift 4 0 (id))))";
    for name in ScanMachine::builtin_names() {
        let machine = Arc::new(ScanMachine::builtin(name).unwrap());
        let request = StreamRequest::new(Source::new("p.sexp", text), machine, RuleSet::builtin());
        let Streamed { plan, border, size, .. } = optimize_stream(&request).unwrap();
        let options = CodeOptions { border, overflow: Overflow::Saturate, size };
        let scratch = Scratch::new("torus");
        let (in_c, in_rust) = (c(&plan, options), rust(&plan, options));
        let said = "images of width 6 and height 4, the torus of the filter";
        assert!(in_c.contains(said) && in_rust.contains(said), "{in_c}{in_rust}");
        let main = "#include <stdio.h>\nint main(void)\n{\n    printf(\"%d %d\\n\", \
                    p(NULL, 0, NULL, 0, 6, 4, 0, 4, NULL) > 0, (int)p(NULL, 0, NULL, 0, 8, 1, 0, 1, NULL));\n    return 0;\n}\n";
        let program = native::compile_c(&scratch, &format!("{in_c}{main}"));
        assert_eq!(run(&program, 0, [6, 4], &[]), [1.0, 0.0]);
        let main = "fn main() {\n    let (image, mut own, mut other) = ([7; 24], [9; 24], [9; 8]);\n    \
                    p(&image, 6, &mut own, 6, 6, 4, 0, 4);\n    p(&image, 8, &mut other, 8, 8, 1, 0, 1);\n    \
                    println!(\"{} {}\", own[0], other[0]);\n}\n";
        let program = native::compile_rust(&scratch, &format!("{in_rust}{main}"));
        assert_eq!(run(&program, 0, [6, 4], &[]), [7.0, 9.0]);
    }
}
