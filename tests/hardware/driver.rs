//! The C driver, compiled against a model of its DMA: pictures of several tiles beside the reference executor.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use kalg::algebra::Random;
use kalg::backend::option::OptionValues;
use kalg::pipeline::{Data, Image, Pipeline, execute, read_pipeline};
use kalg::syntax::Source;

use crate::designs::{compiled_with, corpus, in_clocks, options, toy};
use crate::emitted::{among, is_there, run, words};
use crate::scratch::Scratch;
use crate::waves::pictures;

/// What the statuses are called, in their order in the text.
const OK: &str = "OK";

/// A pipeline with its driver, for tiles of some size.
struct Case {
    pipeline: Pipeline,
    text: String,
    tile: [usize; 2],
    padded: [usize; 2],
    corner: [usize; 2],
    every: [usize; 2],
    lanes: usize,
    statuses: Vec<String>,
}

impl Case {
    fn new(text: &str, tile: [usize; 2], lanes: usize, halo: bool) -> Self {
        Self::with(text, options(tile, lanes, halo), tile, lanes)
    }

    fn with(text: &str, options: OptionValues, tile: [usize; 2], lanes: usize) -> Self {
        let halo = options.has("halo");
        let pipeline = read_pipeline(&Source::new("p.sexp", text)).unwrap();
        let record = compiled_with(text, options).unwrap_or_else(|why| panic!("{why}"));
        let json: serde_json::Value = serde_json::from_str(&record.emit("json").unwrap()).unwrap();
        let pair = |name: &str| [0, 1].map(|axis| json[name][axis].as_u64().unwrap() as usize);
        let text = record.emit("driver").unwrap();
        let upper = format!("{}_", pipeline.name.to_uppercase());
        let statuses = text.split_once("_status {").unwrap().1.split_once("};").unwrap().0;
        let statuses = statuses.lines().filter_map(|line| {
            let name = line.trim().strip_prefix(&upper)?;
            Some(name.split([' ', ',']).next().unwrap().to_owned())
        });
        let (padded, corner) = if halo { (pair("padded"), pair("corner")) } else { (tile, [0, 0]) };
        let statuses = statuses.collect();
        Self { every: pair("every"), pipeline, text, tile, padded, corner, lanes, statuses }
    }

    fn bits(&self) -> [Vec<(u32, bool)>; 2] {
        let of = |pixel: kalg::pipeline::PixelType| (pixel.bits(), pixel.limits().unwrap()[0] < 0);
        [
            self.pipeline.inputs.iter().map(|port| of(port.pixel)).collect(),
            self.pipeline.outputs.iter().map(|port| of(port.pixel)).collect(),
        ]
    }

    /// The driver with the model around it, as a program.
    fn program(&self, scratch: &Scratch, driver: &str) -> String {
        let name = &self.pipeline.name;
        let before = "#include <stdint.h>\nuint32_t model_read(uint32_t offset);\nvoid model_write(uint32_t offset, uint32_t value);\n\
                      void model_pause(void);\nstatic unsigned alignment = 1;\n#define PIPELINE_SPINS 100\n#define PIPELINE_ALIGNMENT alignment\n\
                      #define PIPELINE_READ(registers, offset) ((void)(registers), model_read(offset))\n\
                      #define PIPELINE_WRITE(registers, offset, value) ((void)(registers), model_write(offset, value))\n\
                      #define PIPELINE_PAUSE() model_pause()\n";
        let mut driven =
            "static void read_pictures(const struct pipeline_buffer *input) {\n  long long value;\n"
                .to_owned();
        let every =
            "  for (size_t y = 0; y < picture->height; y++)\n    for (size_t x = 0; x < picture->width; x++)";
        for port in &self.pipeline.inputs {
            let _ = writeln!(
                driven,
                "{}\n      if (scanf(\"%lld\", &value) == 1) pipeline_put_in_{}(input, (ptrdiff_t)x, (ptrdiff_t)y, value);",
                every.replace("picture", "input"),
                port.name
            );
        }
        if driver.contains(&format!("{name}_border(")) {
            driven += "  pipeline_border(input);\n";
        }
        driven += "}\nstatic void write_pictures(const struct pipeline_buffer *output) {\n";
        for port in &self.pipeline.outputs {
            let [x, y] = self.results(port);
            let every = every.replace("y <", &format!("y * {y} <")).replace("x <", &format!("x * {x} <"));
            let _ = writeln!(
                driven,
                "{}\n      printf(\"pixel %lld\\n\", (long long)pipeline_get_out_{}(output, (ptrdiff_t)x, (ptrdiff_t)y));",
                every.replace("picture", "output"),
                port.name
            );
        }
        let model = include_str!("dma.c").replace("/* DRIVEN */", &(driven + "}"));
        let named = |text: &str| {
            text.replace("pipeline_", &format!("{name}_"))
                .replace("PIPELINE_", &format!("{}_", name.to_uppercase()))
        };
        let text = named(before) + driver + &named(&model);
        let source = scratch.file(&format!("{name}.c"), &text);
        let program = scratch.path(name);
        compile(&["-fsanitize=undefined,address", "-fno-sanitize-recover"], &source, &program);
        program
    }

    /// What the design makes of the words of a tile.
    fn answered(&self, packet: &str) -> Vec<u128> {
        let [inputs, outputs] = self.bits();
        let bits: u32 = inputs.iter().map(|(bits, _)| bits).sum();
        let bytes = (bits as usize * self.lanes).div_ceil(8);
        let word = |hex: &[u8]| {
            let bytes = hex.chunks(2).rev();
            bytes.fold(0, |word, byte| {
                word << 8 | u128::from_str_radix(std::str::from_utf8(byte).unwrap(), 16).unwrap()
            })
        };
        let sent: Vec<u128> = packet.as_bytes().chunks(2 * bytes).map(word).collect();
        assert_eq!(sent.len() * self.lanes, self.padded[0] * self.padded[1], "{}", self.pipeline.name);
        let [width, height] = self.padded;
        let mut tile = pictures(&sent, &inputs, self.lanes, self.padded);
        // Rows below all that is read make whole periods.
        for picture in &mut tile {
            let Data::Exact(values) = &mut picture.data else { panic!("integers only") };
            picture.height = height.next_multiple_of(12);
            values.resize(width * picture.height, 0);
        }
        let all = execute(&self.pipeline, &tile).unwrap();
        let grid = [0, 1].map(|axis| self.tile[axis] / self.every[axis]);
        let cut: Vec<Image> = all
            .iter()
            .zip(&self.pipeline.outputs)
            .map(|(picture, output)| among(&self.cut(picture, self.results(output)), grid)[0].clone())
            .collect();
        let lanes = (self.lanes / self.every[0]).max(1);
        words(&cut, &outputs.iter().map(|(bits, _)| *bits).collect::<Vec<_>>(), lanes)
    }

    /// The results from one pixel of an output to the next.
    fn results(&self, output: &kalg::pipeline::Output) -> [usize; 2] {
        [0, 1].map(|axis| output.rate[axis].denominator() as usize / self.every[axis])
    }

    /// The results of the tile itself.
    fn cut(&self, picture: &Image, results: [usize; 2]) -> Image {
        let every = [0, 1].map(|axis| self.every[axis] * results[axis]);
        let [west, north] = [0, 1].map(|axis| self.corner[axis] / every[axis]);
        let [width, height] = [0, 1].map(|axis| self.tile[axis] / every[axis]);
        let Data::Exact(values) = &picture.data else { panic!("integers only") };
        let row = |row: usize| values[(row + north) * picture.width + west..][..width].to_vec();
        Image { width, height, data: Data::Exact((0..height).flat_map(row).collect()) }
    }

    /// Random pictures of this size.
    fn random(&self, [width, height]: [usize; 2]) -> Vec<Image> {
        let mut random = Random::new(7);
        let picture = |input: &kalg::pipeline::Input| {
            let [least, greatest] = input.pixel.limits().unwrap().map(|limit| limit as i64);
            let values = (0..width * height).map(|_| random.integer(least, greatest).into()).collect();
            Image { width, height, data: Data::Exact(values) }
        };
        self.pipeline.inputs.iter().map(picture).collect()
    }

    /// Runs the program on pictures of this size with a fault; what it says, with names of statuses, and the pixels of results.
    fn drive(&self, program: &str, size: [usize; 2], fault: &str) -> (Vec<String>, Vec<i128>) {
        let mut child = Command::new(program)
            .env("ASAN_OPTIONS", "detect_leaks=0")
            .args([size[0].to_string(), size[1].to_string(), fault.to_owned()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut answers = child.stdin.take().unwrap();
        let mut samples = String::new();
        for picture in self.random(size) {
            let Data::Exact(values) = picture.data else { panic!("integers only") };
            values.iter().for_each(|value| writeln!(samples, "{value}").unwrap());
        }
        // A program that stops early reads no more.
        let _ = answers.write_all(samples.as_bytes());
        let bits: u32 = self.bits()[1].iter().map(|(bits, _)| bits).sum();
        let bytes = (bits as usize * (self.lanes / self.every[0]).max(1)).div_ceil(8);
        let (mut said, mut pixels) = (Vec::new(), Vec::new());
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            match line.split_once(' ').unwrap() {
                ("packet", packet) => {
                    let results = self.answered(packet);
                    let mut answer = format!("{}", results.len() * bytes);
                    for word in results {
                        word.to_le_bytes()[..bytes]
                            .iter()
                            .for_each(|byte| write!(answer, " {byte:02x}").unwrap());
                    }
                    answers.write_all((answer + "\n").as_bytes()).unwrap();
                }
                ("pixel", value) => pixels.push(value.parse().unwrap()),
                ("wrong" | "moves" | "packets", _) => said.push(line),
                (what, number) => {
                    said.push(format!("{what} {}", self.statuses[number.parse::<usize>().unwrap()]))
                }
            }
        }
        assert!(child.wait().unwrap().success(), "{}", self.pipeline.name);
        (said, pixels)
    }

    /// The pixels that the reference executor has.
    fn wanted(&self, size: [usize; 2]) -> Vec<i128> {
        let all = execute(&self.pipeline, &self.random(size)).unwrap();
        all.into_iter()
            .flat_map(|picture| match picture.data {
                Data::Exact(values) => values,
                Data::Float(_) => panic!("integers only"),
            })
            .collect()
    }
}

fn compile(more: &[&str], source: &str, program: &str) {
    let flags = ["-std=c99", "-O0", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o"];
    run("cc", &[more, &flags[..], &[program, source]].concat());
}

/// What is refused before anything is sent.
const REFUSED: [&str; 9] = [
    "small BAD_MEMORY",
    "apart BAD_MEMORY",
    "open OK",
    "nothing NOTHING_STARTED",
    "stride BAD_STRIDE",
    "size BAD_SIZE",
    "place BAD_SIZE",
    "buffer BAD_BUFFER",
    "alignment BAD_ALIGNMENT",
];

#[test]
fn pictures_of_many_tiles_go_through_the_driver() {
    if !is_there("cc", "--version") {
        return;
    }
    let bordered = |name: &str, border: &str| {
        toy(name)
            .replace("border replicate", &format!("border {border}"))
            .replace(name, &format!("{name}_{border}"))
    };
    let cases = [
        (Case::new(&toy("fanout"), [12, 6], 1, true), [40, 15], 12),
        (Case::new(&bordered("fanout", "reflect"), [8, 4], 2, true), [8, 11], 3),
        (Case::new(&bordered("fanout", "reflect101"), [8, 4], 1, true), [17, 4], 3),
        (Case::new(&bordered("fanout", "wrap"), [8, 4], 4, true), [16, 8], 4),
        (Case::new(&toy("gradient"), [12, 6], 3, true), [27, 13], 9),
        (Case::new(&toy("bayer"), [12, 6], 1, true), [14, 10], 4),
        (Case::new(&toy("pooled"), [12, 6], 2, true), [26, 18], 9),
        (Case::new(&toy("quarter"), [16, 6], 2, true), [32, 12], 4),
        (Case::new(&toy("rates"), [12, 6], 2, true), [26, 18], 9),
        (Case::new(&toy("point"), [12, 6], 2, false), [24, 9], 4),
        (Case::new(&toy("signs"), [12, 6], 2, false), [12, 6], 1),
        (Case::new(&corpus("harris"), [24, 6], 2, true), [50, 14], 9),
        (Case::with(&toy("sought"), in_clocks([12, 6], 3, true), [12, 6], 1), [26, 12], 6),
    ];
    let scratch = Scratch::new("driver");
    for (case, size, tiles) in &cases {
        let name = &case.pipeline.name;
        let program = case.program(&scratch, &case.text);
        let (said, pixels) = case.drive(&program, *size, "none");
        assert_eq!(said[..9], REFUSED, "{name}");
        assert_eq!(said[9..], ["run OK".to_owned(), format!("moves {tiles}")], "{name}");
        assert!(pixels == case.wanted(*size), "{name}");
    }
}

#[test]
fn what_goes_wrong_is_said() {
    if !is_there("cc", "--version") {
        return;
    }
    let case = Case::new(&toy("fanout"), [12, 6], 1, true);
    let scratch = Scratch::new("driver-faults");
    let program = case.program(&scratch, &case.text);
    let size = [25, 7];
    for (fault, wanted) in [
        ("registers", &["open NO_SCATTER_GATHER"][..]),
        ("dead", &["run TIMEOUT", "moves 2"]),
        ("short", &["run BAD_FRAME", "moves 2"]),
        ("decode", &["run DMA_DECODE", "moves 2"]),
        // After an error, opening the device begins anew.
        ("slave", &["run DMA_SLAVE", "moves 3", "again OK", "run OK"]),
        // Two tiles are on their way before the first is waited for; no third is taken.
        (
            "queue",
            &[
                "start OK",
                "start OK",
                "start NOT_IDLE",
                "busy NOT_IDLE",
                "packets 0",
                "wait OK",
                "wait OK",
                "wait NOTHING_STARTED",
            ],
        ),
    ] {
        let (said, pixels) = case.drive(&program, size, fault);
        let from = if fault == "registers" { 2 } else { 9 };
        assert_eq!(said[from..], *wanted, "{fault}");
        assert!(fault != "slave" || pixels == case.wanted(size));
    }
    // Drivers with faults are seen: a wrong stride, margins of another width, a frame that ends with the wrong descriptor.
    for (right, wrong) in [
        ("row * stride", "row * (stride - 1)"),
        ("x / FANOUT_LANES * FANOUT_INPUT_WORD", "(x + 1) / FANOUT_LANES * FANOUT_INPUT_WORD"),
        ("row == rows - 1 ? LAST_", "row == rows - 2 ? LAST_"),
        ("own[STATUS_] = 0;", ""),
    ] {
        assert!(case.text.contains(right), "{right}");
        let program = case.program(&scratch, &case.text.replace(right, wrong));
        let seen = std::panic::catch_unwind(|| case.drive(&program, size, "none"));
        let is_right =
            seen.is_ok_and(|(said, pixels)| said[9] == format!("run {OK}") && pixels == case.wanted(size));
        assert!(!is_right, "{wrong}");
    }
}

#[test]
fn the_driver_is_one_file_and_its_own_header() {
    if !is_there("cc", "--version") {
        return;
    }
    let case = Case::new(&toy("gradient"), [12, 6], 3, false);
    let scratch = Scratch::new("driver-header");
    let driver = scratch.file("gradient.c", &case.text);
    // With its own access to registers, which are memory here: nothing answers, and what is not larger than a tile needs no more.
    let caller = "#define GRADIENT_DECLARATIONS\n#include \"gradient.c\"\n#include \"gradient.c\"\n\
                  int main(void) {\n  static uint32_t registers[24], memory[4096];\n  struct gradient_device device;\n  \
                  const size_t skip = (64 - (uintptr_t)memory % 64) % 64 / 4;\n  \
                  return gradient_open(&device, registers, memory + skip, 0, sizeof memory - 64) != GRADIENT_TIMEOUT;\n}\n";
    let caller = scratch.file("caller.c", caller);
    let program = scratch.path("caller");
    compile(&["-DGRADIENT_SPINS=3", &driver], &caller, &program);
    run(&program, &[]);
    assert!(case.text.contains("Pictures have 12 by 6 pixels"));
}
