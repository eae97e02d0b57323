//! The host's side of a design: C that sends tiles of pictures through it by a DMA, with a descriptor for each row.

use std::fmt::Write as _;
use std::iter::zip;

use super::design::Design;
use super::frame::{Frame, Margin};
use super::netlist::{Port, common_multiple};
use crate::backend::builtin::DRIVER;
use crate::backend::names::word;
use crate::pipeline::Border;

/// The driver of a design as one C99 file. Frames have `height` rows; `border` continues pictures where margins are sent.
pub fn driver(design: &Design, border: Border, height: usize) -> String {
    let writer = Writer { design, frame: design.frame, height };
    let parts = [
        ("/* SIZES */\n", writer.sizes()),
        ("/* DECLARATIONS */\n", writer.declarations()),
        ("/* DEFINITIONS */\n", writer.definitions(border)),
    ];
    let mut text = writer.head() + DRIVER;
    for (place, part) in parts {
        text = text.replace(place, &part);
    }
    named(&text, &design.name)
}

/// A text with the name of a design in place of that in the template.
fn named(text: &str, name: &str) -> String {
    text.replace("pipeline_", &format!("{name}_")).replace("PIPELINE_", &format!("{}_", name.to_uppercase()))
}

/// A port in the words of its side.
struct Place<'p> {
    port: &'p Port,
    name: String,
    /// `in` or `out`.
    side: &'static str,
    /// The bits of a pixel below its own.
    shift: u32,
    /// The results from one pixel of it to the next.
    results: [usize; 2],
}

impl Place<'_> {
    fn get(&self) -> String {
        let Place { side, name, .. } = self;
        let (whole, _) = self.whole();
        format!(
            "int64_t pipeline_get_{side}_{name}(const struct pipeline_buffer *{whole}, ptrdiff_t x, ptrdiff_t y)"
        )
    }

    fn put(&self) -> String {
        let Place { side, name, .. } = self;
        let (whole, _) = self.whole();
        format!(
            "void pipeline_put_{side}_{name}(const struct pipeline_buffer *{whole}, ptrdiff_t x, ptrdiff_t y, int64_t value)"
        )
    }

    /// The buffer, and the lowest bit of the sample in its word.
    fn whole(&self) -> (&'static str, String) {
        match self.side {
            "in" => (
                "input",
                format!(
                    "(unsigned)((size_t)(x + PIPELINE_WEST) % PIPELINE_LANES * PIPELINE_INPUT_BITS + {})",
                    self.shift
                ),
            ),
            _ => (
                "output",
                format!(
                    "(unsigned)((size_t)x % PIPELINE_RESULT_LANES * PIPELINE_OUTPUT_BITS + {})",
                    self.shift
                ),
            ),
        }
    }
}

struct Writer<'d> {
    design: &'d Design,
    frame: Frame,
    height: usize,
}

impl Writer<'_> {
    /// Whether a picture can be computed in tiles: these begin at whole words and periods, and nothing around them is made up.
    fn is_tiled(&self) -> bool {
        let frame = self.frame;
        let [columns, rows] = self.unit();
        let alone = frame.sides == [0, 0] && frame.ends == [0, 0];
        (frame.margin == Margin::Sent || alone)
            && frame.pixels().is_multiple_of(columns)
            && self.height.is_multiple_of(rows)
    }

    /// The columns and rows that tiles begin at multiples of.
    fn unit(&self) -> [usize; 2] {
        let Frame { lanes, hold, period: [columns, rows], .. } = self.frame;
        [common_multiple(lanes, columns / hold), rows]
    }

    /// The columns west and east, and the rows north and south, that are sent with a picture.
    fn margins(&self) -> [usize; 4] {
        let Frame { margin, ends, .. } = self.frame;
        let sides = self.frame.side_pixels();
        if margin == Margin::Sent { [sides[0], sides[1], ends[0], ends[1]] } else { [0; 4] }
    }

    /// The names of inputs and of outputs as words, which differ in the finished text.
    fn words(&self) -> [Vec<String>; 2] {
        self.design.netlist.words(|name| named(&word(name), &self.design.name))
    }

    fn places(&self) -> Vec<Place<'_>> {
        let inputs = self.design.netlist.inputs.iter();
        let outputs = self.design.netlist.outputs.iter().map(|(port, _)| port);
        let mut shifts = [0, 0];
        let ports = inputs.map(|port| (0, port)).chain(outputs.map(|port| (1, port)));
        zip(ports, self.words().concat())
            .map(|((side, port), name)| {
                let shift = shifts[side];
                shifts[side] += port.bits;
                let results = if side == 0 { [1, 1] } else { port.results(self.frame.every) };
                Place { port, name, side: ["in", "out"][side], shift, results }
            })
            .collect()
    }

    /// What the file is.
    fn head(&self) -> String {
        let frame = self.frame;
        let [west, east, north, south] = self.margins();
        let pictures = if self.is_tiled() {
            format!(
                "Pictures of at least {} by {} pixels are computed in tiles of that size",
                frame.pixels(),
                self.height
            )
        } else {
            format!("Pictures have {} by {} pixels", frame.pixels(), self.height)
        };
        format!(
            "/* The host's side of {0}: C99, for a DMA that PG021 describes (AXI DMA 7.1, scatter/gather), between memory and the two\n   \
             streams of the design. {pictures}, with\n   {west}, {east}, {north} and {south} pixels around them (west, east, north, south). \
             Compile it once; files that only call it define\n   PIPELINE_DECLARATIONS and include it as a header. It needs no other file, no \
             library and no dynamic memory.\n\n   A word has its pixels from west to east, the first in the lowest bits of the first byte, and \
             of each its samples in the order of\n   the ports. Where the DMA has no stream as wide as a word, the vendor's converter of \
             widths stands between. */\n",
            self.design.name
        )
    }

    fn sizes(&self) -> String {
        let frame = self.frame;
        let [west, east, north, south] = self.margins();
        let [_, result_lanes] = frame.result_word();
        let input: usize = self.design.netlist.inputs.iter().map(|port| port.bits as usize).sum();
        let output: usize = self.design.netlist.outputs.iter().map(|(port, _)| port.bits as usize).sum();
        let [columns, rows] = self.unit();
        let bytes = |bits: usize, lanes: usize| (bits * lanes).div_ceil(8);
        let all = [
            ("TILE_WIDTH", frame.pixels(), "pixels of the input for which the design has results"),
            ("TILE_HEIGHT", self.height, ""),
            ("WEST", west, "pixels that it reads around them"),
            ("EAST", east, ""),
            ("NORTH", north, ""),
            ("SOUTH", south, ""),
            ("EVERY_COLUMNS", frame.every[0] / frame.hold, "columns from one result to the next"),
            ("EVERY_ROWS", frame.every[1], "rows from one result to the next"),
            ("IS_TILED", usize::from(self.is_tiled()), "whether pictures may be larger than a tile"),
            ("UNIT_COLUMNS", columns, "tiles begin at multiples of these, and larger pictures end there"),
            ("UNIT_ROWS", rows, ""),
            ("LANES", frame.lanes, "pixels of a word that goes in"),
            ("RESULT_LANES", result_lanes, "and of one that comes out"),
            ("INPUT_BITS", input, "bits of a pixel"),
            ("OUTPUT_BITS", output, ""),
            ("INPUT_WORD", bytes(input, frame.lanes), "bytes of a word"),
            ("OUTPUT_WORD", bytes(output, result_lanes), ""),
        ];
        let mut text = "enum {\n".to_owned();
        for (number, (name, value, about)) in all.iter().enumerate() {
            let comma = if number + 1 == all.len() { "" } else { "," };
            let about = if about.is_empty() { String::new() } else { format!(" /* {about} */") };
            let _ = writeln!(text, "  PIPELINE_{name} = {value}{comma}{about}");
        }
        text + "};\n"
    }

    fn declarations(&self) -> String {
        let mut text =
            "/* A sample, of the pixel in this column and row of the picture; pixels of margins have places beyond it. */\n".to_owned();
        for place in self.places() {
            let _ = writeln!(text, "{};\n{};", place.get(), place.put());
        }
        if self.frame.margin == Margin::Sent {
            text += "\n/* Fills the margins of an input, as the pipeline continues pictures. */\nvoid pipeline_border(const struct \
                     pipeline_buffer *input);\n";
        }
        text
    }

    fn definitions(&self, border: Border) -> String {
        let mut text = String::new();
        for place in self.places() {
            let Place { port, side, .. } = place;
            let (whole, at) = place.whole();
            let moved: String = ["x", "y"]
                .iter()
                .zip(place.results)
                .filter(|(_, results)| *results > 1)
                .map(|(axis, results)| format!("  {axis} *= {results};\n"))
                .collect();
            let Port { bits, signed, .. } = port;
            let mask = u64::MAX >> (64 - bits);
            let value = if *signed {
                format!("value >> {} ? -(int64_t)(UINT64_C({mask}) - value) - 1 : (int64_t)value", bits - 1)
            } else {
                "(int64_t)value".to_owned()
            };
            let _ = writeln!(
                text,
                "{} {{\n{moved}  const uint64_t value = sample_({side}_word_({whole}, x, y), {at}, {bits});\n  return {value};\n}}\n",
                place.get()
            );
            let _ = writeln!(
                text,
                "{} {{\n{moved}  set_sample_({side}_word_({whole}, x, y), {at}, {bits}, (uint64_t)value);\n}}\n",
                place.put()
            );
        }
        if self.frame.margin == Margin::Sent {
            text += &self.border(border);
        }
        text.trim_end().to_owned() + "\n"
    }

    /// The function that fills margins.
    fn border(&self, border: Border) -> String {
        let [inputs, _] = self.words();
        let mut text = String::new();
        let place = match border {
            Border::Constant(_) => None,
            Border::Replicate => Some("return at < 0 ? 0 : at >= size ? size - 1 : at;".to_owned()),
            Border::Wrap => Some("return (at % size + size) % size;".to_owned()),
            Border::Reflect => Some(reflected("2 * size", "2 * size - 1")),
            Border::Reflect101 => Some(reflected("size == 1 ? 1 : 2 * size - 2", "period")),
        };
        let fill: String = match (&place, border) {
            (None, Border::Constant(value)) => {
                let value = value as u64;
                inputs
                    .iter()
                    .map(|port| {
                        format!("      pipeline_put_in_{port}(input, x, y, (int64_t)UINT64_C({value}));\n")
                    })
                    .collect()
            }
            _ => {
                let one = |port: &String| {
                    format!(
                        "      pipeline_put_in_{port}(input, x, y, pipeline_get_in_{port}(input, place_(x, width), place_(y, height)));\n"
                    )
                };
                inputs.iter().map(one).collect()
            }
        };
        if let Some(place) = place {
            let _ =
                writeln!(text, "static ptrdiff_t place_(ptrdiff_t at, ptrdiff_t size) {{\n  {place}\n}}\n");
        }
        let _ = write!(
            text,
            "void pipeline_border(const struct pipeline_buffer *input) {{\n  const ptrdiff_t width = (ptrdiff_t)input->width, \
             height = (ptrdiff_t)input->height;\n  for (ptrdiff_t y = -PIPELINE_NORTH; y < height + PIPELINE_SOUTH; y++) {{\n    \
             for (ptrdiff_t x = -PIPELINE_WEST; x < width + PIPELINE_EAST; x++) {{\n      \
             if (x >= 0 && x < width && y >= 0 && y < height) x = width;\n      \
             if (x == width + PIPELINE_EAST) break;\n{fill}    }}\n  }}\n}}\n"
        );
        text
    }
}

/// C for a reflection with this period.
fn reflected(period: &str, last: &str) -> String {
    format!(
        "const ptrdiff_t period = {period}, within = (at % period + period) % period, other = {last} - within;\n  \
         return within < other ? within : other;"
    )
}
