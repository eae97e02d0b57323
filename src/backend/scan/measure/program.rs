//! The C program that measures functions which compute the same pictures.

use std::fmt::Write;

/// Pictures that a function reads or writes.
pub(in crate::backend::scan) struct Buffer {
    /// The C type of samples.
    pub(super) of: String,
    /// The least and the greatest sample.
    pub(super) samples: [i64; 2],
    /// Columns and rows.
    pub(super) size: [i64; 2],
}

/// A function in C. Its parameters are pointers and strides of inputs and outputs, then width, height, the first row, the row after
/// the last, and memory; with null pointers it returns the size of that memory.
pub(in crate::backend::scan) struct Function {
    pub(super) name: String,
    /// The file that defines it.
    pub(super) code: String,
    pub(super) inputs: Vec<Buffer>,
    pub(super) outputs: Vec<Buffer>,
    /// Width and height.
    pub(super) size: [i64; 2],
    /// The number of rows to compute.
    pub(super) rows: i64,
}

/// The number of nanoseconds for which functions run, for each of them.
const NANOSECONDS: u64 = 200_000_000;

/// The files of a program that prints, for each of these functions, its least time in picoseconds for each pixel of the width and
/// the height. All have the same parameters. They take turns.
pub(super) fn program(functions: &[Function]) -> Vec<(String, String)> {
    let Some(first) = functions.first() else { return Vec::new() };
    let mut files = Vec::new();
    let (mut declared, mut calls, mut sizes) = (String::new(), String::new(), String::new());
    let [width, height] = first.size;
    for (number, function) in functions.iter().enumerate() {
        let name = format!("kalg_timed_{number}");
        // Of several files, each defines the function by another name.
        let code = format!("#define {} {name}\n{}", function.name, function.code);
        files.push((format!("plan{number}.c"), code));
        let _ = writeln!(
            declared,
            "size_t {name}({}ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t, void *);",
            parameters(first)
        );
        let nothing = "NULL, 0, ".repeat(first.buffers().count());
        let rows = format!("{width}, {height}, 0, {}", first.rows);
        let _ = writeln!(sizes, "    reserve({name}({nothing}{rows}, NULL));");
        let given: String = first
            .buffers()
            .enumerate()
            .map(|(index, buffer)| format!("b{index}, {}, ", buffer.size[0]))
            .collect();
        let _ = writeln!(
            calls,
            "        t = now(); {name}({given}{rows}, work); t = now() - t; if (t < best[{number}]) best[{number}] = t;"
        );
    }
    files.push(("main.c".to_owned(), main(first, functions.len(), &declared, &sizes, &calls)));
    files
}

/// The file of the main program, with the statements for each function.
fn main(first: &Function, count: usize, declared: &str, sizes: &str, calls: &str) -> String {
    let [width, height] = first.size;
    let buffers = buffers(first);
    let (end, pixels) = (NANOSECONDS * count as u64, width * height);
    format!(
        "#define _POSIX_C_SOURCE 199309L
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
{declared}
static size_t most;
static void reserve(size_t bytes)
{{
    if (bytes == 0) {{
        fputs(\"pictures of {width} x {height} pixels do not fit its rates\", stderr);
        exit(3);
    }}
    if (bytes > most) most = bytes;
}}
static double now(void)
{{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}}
int main(void)
{{
    uint32_t state = 1;
{buffers}{sizes}    void *const work = malloc(most);
    if (!work) return 2;
    double best[{count}], t;
    for (int k = 0; k < {count}; k++) best[k] = 1e30;
    const double start = now();
    for (int i = 0; i < 5 || (i < 500 && now() - start < {end}.0); i++) {{
{calls}    }}
    for (int k = 0; k < {count}; k++) printf(\"%.3f\\n\", best[k] * 1e3 / {pixels}.0);
    return 0;
}}
"
    )
}

impl Function {
    /// Inputs, then outputs.
    fn buffers(&self) -> impl Iterator<Item = &Buffer> {
        self.inputs.iter().chain(&self.outputs)
    }
}

fn parameters(function: &Function) -> String {
    let inputs = function.inputs.iter().map(|input| format!("const {} *, ptrdiff_t, ", input.of));
    let outputs = function.outputs.iter().map(|output| format!("{} *, ptrdiff_t, ", output.of));
    inputs.chain(outputs).collect()
}

/// The buffers, with random samples.
fn buffers(function: &Function) -> String {
    let mut text = String::new();
    for (index, Buffer { of, samples: [low, high], size: [width, height] }) in function.buffers().enumerate()
    {
        let count = width * height;
        // One more than the greatest sample may be too much for its type.
        let many = (i128::from(*high) - i128::from(*low) + 1).min(1 << 31);
        let _ = writeln!(
            text,
            "    {of} *const b{index} = malloc({count} * sizeof({of}));\n    if (!b{index}) return 2;\n    \
             for (ptrdiff_t i = 0; i < {count}; i++) {{ state = state * 1664525u + 1013904223u; \
             b{index}[i] = ({of})((int64_t){low} + (int64_t)(state >> 1) % {many}); }}"
        );
    }
    text
}
