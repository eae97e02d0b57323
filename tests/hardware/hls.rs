//! The C++ for high-level synthesis, compiled with stand-ins for the vendor's headers and run with a thread for each process.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use kalg::pipeline::PixelType;

use crate::designs::{corpus, toy};
use crate::emitted::{Case, in_blocks, in_one_word, is_there, mirrored, run};
use crate::scratch::Scratch;

/// C++ that takes the fields of pixels from a word or puts them there, from low bits on.
fn fields(ports: &[(String, PixelType)], prefix: &str, statement: &dyn Fn(&str, u32) -> String) -> String {
    ports.iter().map(|(name, pixel)| statement(&format!("{prefix}_{name}"), pixel.bits())).collect()
}

/// A function that sends the words of a case through its design and prints what comes out.
fn driver(case: &Case) -> String {
    let pipeline = &case.pipeline;
    let (name, lanes, results) = (&pipeline.name, case.lanes, case.result_lanes);
    let inputs: Vec<_> = pipeline.inputs.iter().map(|port| (port.name.clone(), port.pixel)).collect();
    let outputs: Vec<_> = pipeline.outputs.iter().map(|port| (port.name.clone(), port.pixel)).collect();
    let put = fields(&inputs, "in", &|field, bits| {
        format!(
            "      word.data.lane[lane].{field} = (__int128)(all >> at & (((unsigned __int128)1 << {bits}) - 1)); at += {bits};\n"
        )
    });
    let take = fields(&outputs, "out", &|field, bits| {
        format!(
            "      all |= ((unsigned __int128)(__int128)word.data.lane[lane].{field} & (((unsigned __int128)1 << {bits}) - 1)) << at; at += {bits};\n"
        )
    });
    let mut words = String::new();
    for word in &case.words {
        let _ = write!(words, "{{{}ULL, {}ULL}}, ", word >> 64, word & u128::from(u64::MAX));
    }
    format!(
        "static void drive_{name}() {{
  static const unsigned long long words[][2] = {{{words}}};
  hls::stream<hls::axis<{name}_input, 0, 0, 0> > in;
  hls::stream<hls::axis<{name}_output, 0, 0, 0> > out;
  for (const auto &halves : words) {{
    unsigned __int128 all = (unsigned __int128)halves[0] << 64 | halves[1];
    hls::axis<{name}_input, 0, 0, 0> word;
    int at = 0;
    for (int lane = 0; lane < {lanes}; lane++) {{
{put}    }}
    in.write(word);
  }}
  {name}(in, out);
  {name}(in, out);
  while (!out.empty()) {{
    const hls::axis<{name}_output, 0, 0, 0> word = out.read();
    unsigned __int128 all = 0;
    int at = 0;
    for (int lane = 0; lane < {results}; lane++) {{
{take}    }}
    std::printf(\"{name} %016llx%016llx %d\\n\", (unsigned long long)(all >> 64), (unsigned long long)all, word.last);
  }}
  if (!in.empty()) std::printf(\"{name} has words left\\n\");
}}
"
    )
}

/// The names of kalg's templates that a text uses without their definitions. What is compiled with others may find theirs.
fn undefined(text: &str) -> BTreeSet<&str> {
    let name =
        |rest: &'_ str| rest.find(|of: char| !(of.is_alphanumeric() || of == '_')).unwrap_or(rest.len());
    let used = text.split("kalg::").skip(1).map(|rest| &rest[..name(rest)]);
    let defined =
        |used: &&str| text.contains(&format!("struct {used} ")) || text.contains(&format!(" {used}("));
    used.filter(|used| !defined(used)).collect()
}

#[test]
fn the_cpp_for_synthesis_computes_what_the_pipeline_says() {
    if !is_there("g++", "--version") {
        return;
    }
    let mut cases = Vec::new();
    for (name, lanes, halo) in [
        ("fanout", 1, false),
        ("erosion", 2, false),
        ("gradient", 3, true),
        ("signs", 2, false),
        ("rounds", 1, false),
        ("table", 3, false),
        ("point", 2, false),
        ("bayer", 1, false),
        ("pooled", 2, false),
        ("quarter", 2, false),
        ("matched", 2, false),
        ("binned", 1, false),
        ("warped", 3, false),
        ("roots", 2, false),
        ("summed", 1, false),
        ("halved", 1, false),
        ("thinned", 1, false),
        ("rates", 2, false),
        ("multiples", 2, false),
        ("held", 2, false),
        ("sparse", 1, false),
        ("patterns", 2, false),
        ("fractions", 1, false),
    ] {
        cases.push(Case::new(&toy(name), [12, 6], lanes, halo));
    }
    cases.push(Case::new(&corpus("harris"), [24, 6], 2, false));
    cases.push(Case::new(&corpus("unsharp"), [24, 6], 1, false));
    cases.push(Case::new(&corpus("gaussian"), [16, 5], 8, true));
    cases.push(Case::in_clocks(&toy("sought"), [108, 4], 2, false));
    cases.extend(mirrored());
    cases.extend(in_blocks());
    cases.extend(in_one_word());
    let scratch = Scratch::new("hls");
    let mut text = String::new();
    for case in &cases {
        assert_eq!(undefined(&case.hls), BTreeSet::new(), "{}", case.pipeline.name);
        text += &case.hls;
        text += &driver(case);
    }
    let calls: String = cases.iter().map(|case| format!("  drive_{}();\n", case.pipeline.name)).collect();
    let _ = write!(text, "int main() {{\n{calls}}}\n");
    let source = scratch.file("designs.cpp", &text);
    let program = scratch.path("designs");
    let stand_ins = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/fpga/stand-in");
    let flags = ["-std=c++14", "-O0", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-pthread"];
    run("g++", &[&flags[..], &["-I", stand_ins, "-o", &program, &source]].concat());
    let said = run(&program, &[]);
    for case in &cases {
        let name = &case.pipeline.name;
        let own: Vec<Vec<&str>> = said
            .lines()
            .map(|line| line.split(' ').collect())
            .filter(|line: &Vec<&str>| line[0] == name)
            .collect();
        let found: Vec<&str> = own.iter().map(|line| line[1]).collect();
        assert_eq!(case.wrong(&found), 0, "{name}");
        let last: Vec<usize> = (0..own.len()).filter(|at| own[*at][2] == "1").collect();
        assert_eq!(last, [own.len() / 2 - 1, own.len() - 1], "{name}: the last words of frames");
    }
}
