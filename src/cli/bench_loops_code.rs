//! The filters of `kalg bench --set cpu`, and the program that compares and times their code.

use std::fmt::Write as _;

use crate::backend::scan::Streamed;
use crate::backend::scan::machine::{Fold, Pixel};

/// A filter to time.
pub(super) struct Filter {
    pub(super) name: String,
    /// The kernel file.
    pub(super) text: String,
    pub(super) pixel: Pixel,
    pub(super) output: Pixel,
}

/// The most taps that the naive loop writes out; more are a loop of their own.
const WRITTEN_OUT: usize = 49;

/// The filters: boxes, binomials, derivatives, a kernel without structure, dilations; and some with other types.
pub(super) fn filters() -> Vec<Filter> {
    let [uint8, int16, float32] =
        [Pixel::UINT8, Pixel { bits: 16, signed: true, float: false }, Pixel::FLOAT32];
    let list = |weights: &[i64], open: &str, close: &str| {
        weights.iter().map(|weight| format!("{open}{weight}{close}")).collect::<Vec<_>>().join(" ")
    };
    let product = |row: &[i64], column: &[i64]| {
        format!("(compose (kernel ({})) (kernel {}))", list(row, "", ""), list(column, "(", ")"))
    };
    let mean = |size: usize| format!("(scale 1/{} {})", size * size, product(&vec![1; size], &vec![1; size]));
    let binomial = |weights: &[i64]| {
        let sum: i64 = weights.iter().sum();
        format!("(scale 1/{} {})", sum * sum, product(weights, weights))
    };
    let sobel = product(&[-1, 0, 1], &[1, 2, 1]);
    let dense = "(scale 1/64 (kernel (1 -2 3 1 2) (2 3 -5 4 1) (-1 7 11 6 2) (3 2 5 -4 1) (1 3 2 1 5)))";
    let linear: Vec<(String, String, [Pixel; 2])> = vec![
        ("mean-3".into(), mean(3), [uint8; 2]),
        ("mean-7".into(), mean(7), [uint8; 2]),
        ("mean-15".into(), mean(15), [uint8; 2]),
        ("mean-31".into(), mean(31), [uint8; 2]),
        ("gauss-3".into(), binomial(&[1, 2, 1]), [uint8; 2]),
        ("gauss-5".into(), binomial(&[1, 4, 6, 4, 1]), [uint8; 2]),
        ("gauss-7".into(), binomial(&[1, 6, 15, 20, 15, 6, 1]), [uint8; 2]),
        ("sobel".into(), sobel.clone(), [uint8; 2]),
        ("sobel".into(), sobel, [uint8, int16]),
        ("laplacian".into(), "(kernel (0 1 0) (1 -4 1) (0 1 0))".into(), [uint8; 2]),
        ("sharpen".into(), "(kernel (0 -1 0) (-1 5 -1) (0 -1 0))".into(), [uint8; 2]),
        ("dense-5".into(), dense.into(), [uint8; 2]),
        ("mean-3".into(), mean(3), [float32; 2]),
        ("mean-15".into(), mean(15), [float32; 2]),
        ("gauss-5".into(), binomial(&[1, 4, 6, 4, 1]), [float32; 2]),
        ("dense-5".into(), dense.into(), [float32; 2]),
    ];
    let dilations = [3, 7, 15, 31]
        .map(|size| (format!("dilate-{size}"), product(&vec![0; size], &vec![0; size]), [uint8; 2]));
    let named = |semiring: &'static str| {
        move |(name, kernel, [pixel, output]): (String, String, [Pixel; 2])| Filter {
            text: format!("(filter {name} {semiring} (inputs image) (output out {kernel}))"),
            name,
            pixel,
            output,
        }
    };
    let linear = linear.into_iter().map(named(""));
    linear.chain(dilations.into_iter().map(named("(semiring max-plus)"))).collect()
}

impl Filter {
    /// The Rust of a plan, callable from C.
    pub(super) fn rust(&self, streamed: &Streamed) -> String {
        let name = self.name.replace('-', "_");
        let [pixel, output] = [self.pixel, self.output]
            .map(|pixel| pixel.name().replace("uint", "u").replace("int", "i").replace("float", "f"));
        format!(
            "{}
/// # Safety
/// Both images have the size given.
#[no_mangle]
pub unsafe extern \"C\" fn rust_filter(from: *const {pixel}, to: *mut {output}, width: usize, height: usize) {{
    let from = std::slice::from_raw_parts(from, width * height);
    let to = std::slice::from_raw_parts_mut(to, width * height);
    {name}(from, width, to, width, width, height, 0, height);
}}
",
            streamed.record.rust
        )
    }

    fn types(&self) -> [String; 2] {
        [self.pixel, self.output]
            .map(|pixel| if pixel.float { "float".to_owned() } else { format!("{}_t", pixel.name()) })
    }

    /// Direct convolution as a C function. It reads an image with its border, whose rows are `stride` pixels apart.
    fn naive(&self, streamed: &Streamed) -> String {
        let direct = &streamed.direct[0];
        let [from, to] = self.types();
        let sum = streamed.plan.fold == Fold::Sum;
        let of = if self.pixel.float { "float" } else { "int32_t" };
        let taps = &direct.taps[0];
        let body = if taps.len() <= WRITTEN_OUT {
            written_out(taps, sum, of)
        } else {
            looped(&streamed.plan.reach, sum, of)
        };
        let down = direct.denominator;
        let (low, high) = (self.output.range()[0], self.output.range()[1]);
        let result = match (self.output.float, down) {
            (true, 1) => "v".to_owned(),
            (true, _) => format!("v * {:?}f", 1.0 / down as f32),
            (false, 1) => "v < LOW ? LOW : v > HIGH ? HIGH : v".to_owned(),
            // The output is unsigned wherever a sum is divided.
            (false, _) => {
                format!("v + {0} < 0 ? 0 : (v + {0}) / {down} > HIGH ? HIGH : (v + {0}) / {down}", down / 2)
            }
        };
        let result = result.replace("LOW", &low.to_string()).replace("HIGH", &high.to_string());
        format!(
            "static void naive(const {from} *restrict in, ptrdiff_t stride, {to} *restrict out, ptrdiff_t width, ptrdiff_t height)
{{
    for (ptrdiff_t y = 0; y < height; y++)
        for (ptrdiff_t x = 0; x < width; x++) {{
            const {from} *const p = in + y * stride + x;
{body}            out[y * width + x] = ({to})({result});
        }}
}}
"
        )
    }
}

/// The statements that add up the taps, or take the greatest value, one after the other.
fn written_out(taps: &[(i64, i64, i64)], sum: bool, of: &str) -> String {
    if !sum {
        let mut text = format!("            {of} v = 0;\n");
        for (x, y, _) in taps {
            let _ = writeln!(text, "            v = p[{y} * stride + {x}] > v ? p[{y} * stride + {x}] : v;");
        }
        return text;
    }
    let terms = taps.iter().map(|(x, y, weight)| format!("{weight} * p[{y} * stride + {x}]"));
    format!("            {of} v = {};\n", terms.collect::<Vec<_>>().join(" + "))
}

/// The same for a full window of equal weights, as a loop.
fn looped([west, east, south, north]: &[i32; 4], sum: bool, of: &str) -> String {
    let keep = if sum { "v += u;" } else { "if (u > v) v = u;" };
    format!(
        "            {of} v = 0;
            for (ptrdiff_t j = -{north}; j <= {south}; j++)
                for (ptrdiff_t i = -{west}; i <= {east}; i++) {{ const {of} u = p[j * stride + i]; {keep} }}
"
    )
}

/// The program: for every size it compares the results and prints the fastest times of the naive loop, of C and of Rust.
pub(super) fn program(filter: &Filter, streamed: &Streamed, rust: bool, sizes: &[(usize, usize)]) -> String {
    let [from, to] = filter.types();
    let name = filter.name.replace('-', "_");
    let [west, east, south, north] = streamed.plan.reach;
    let tolerance = if filter.output.float { 0.01 } else { 0.0 };
    let [declared, called] = if rust {
        [
            format!("void rust_filter(const {from} *from, {to} *to, size_t width, size_t height);\n"),
            "rust_filter(in, c, (size_t)n, (size_t)n);".to_owned(),
        ]
    } else {
        [String::new(), format!("memcpy(c, b, (size_t)(n * n) * sizeof({to}));")]
    };
    let runs: String =
        sizes.iter().map(|(size, runs)| format!("    if (run({size}, {runs})) return 1;\n")).collect();
    format!(
        "#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
{}
{}{declared}
static double now(void)
{{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}}
static ptrdiff_t mirrored(ptrdiff_t i, ptrdiff_t n) {{ return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i; }}
static int run(ptrdiff_t n, int runs)
{{
    const ptrdiff_t stride = n + {west} + {east};
    {from} *in = malloc((size_t)(n * n) * sizeof *in), *wide = malloc((size_t)(stride * (n + {north} + {south})) * sizeof *in);
    {to} *a = malloc((size_t)(n * n) * sizeof *a), *b = malloc((size_t)(n * n) * sizeof *a), *c = malloc((size_t)(n * n) * sizeof *a);
    void *work = malloc({name}(NULL, 0, NULL, 0, n, n, 0, n, NULL));
    uint32_t state = 1;
    if (!in || !wide || !a || !b || !c || !work) return 2;
    for (ptrdiff_t i = 0; i < n * n; i++) {{ state = state * 1664525u + 1013904223u; in[i] = ({from})(state >> 24); }}
    for (ptrdiff_t y = 0; y < n + {north} + {south}; y++)
        for (ptrdiff_t x = 0; x < stride; x++)
            wide[y * stride + x] = in[mirrored(y - {north}, n) * n + mirrored(x - {west}, n)];
    double best[3] = {{1e30, 1e30, 1e30}};
    for (int i = 0; i < runs; i++) {{
        double t = now();
        if (i < 2 || best[0] < 10) {{
            naive(wide + {north} * stride + {west}, stride, a, n, n);
            t = now() - t; if (t < best[0]) best[0] = t;
        }}
        t = now(); {name}(in, n, b, n, n, n, 0, n, work); t = now() - t; if (t < best[1]) best[1] = t;
        t = now(); {called} t = now() - t; if (t < best[2]) best[2] = t;
    }}
    for (ptrdiff_t i = 0; i < n * n; i++) {{
        const double d = (double)a[i] - (double)b[i], e = (double)a[i] - (double)c[i];
        if (d > {tolerance} || -d > {tolerance} || e > {tolerance} || -e > {tolerance}) {{ printf(\"pixel %d is %g, %g in Rust, not %g\\n\", (int)i, (double)b[i], (double)c[i], (double)a[i]); return 1; }}
    }}
    printf(\"%f %f %f\\n\", best[0], best[1], best[2]);
    free(in); free(wide); free(a); free(b); free(c); free(work);
    return 0;
}}
int main(void)
{{
{runs}    return 0;
}}
",
        streamed.record.c,
        filter.naive(streamed)
    )
}
