//! The margins of pictures in SystemVerilog, and words that are held for several clocks.

use super::expression::literal;
use super::frame::Margin;
use super::verilog::{Writer, counter_bits};
use crate::pipeline::Border;

/// How the module that makes margins is joined to a port whose words are held for several clocks.
struct Held {
    /// The word that came in, as long as it is held.
    incoming: String,
    /// Connections of the module.
    advance: &'static str,
    column: &'static str,
    words: &'static str,
    want: &'static str,
    take: &'static str,
}

impl Writer<'_> {
    /// The words of the frame with its margins.
    pub(super) fn margins(&mut self) {
        let frame = self.design.frame;
        let [pixel, _] = self.pixel_bits();
        let bits = pixel * frame.lanes;
        self.say(&format!(
            "\n  // The pixels of all inputs, margins among them.\n  wire [{}:0] word;",
            bits - 1
        ));
        let port = format!("s_axis_tdata[{}:0]", bits - 1);
        if let Some(border) = frame.mirror() {
            return self.mirrored(&port, border == Border::Reflect);
        }
        let Held { incoming, advance, column, words, want, take } = self.held(&port, bits);
        let parameters = format!(
            "#(\n    .PIXEL({pixel}), .LANES(LANES), .LEFT({}), .WORDS({words}), .TOP({}), .HEIGHT(HEIGHT),\n    \
             .COLUMN_BITS(COLUMN_BITS), .ROW_BITS(ROW_BITS)",
            frame.side_pixels()[0] / frame.lanes,
            frame.ends[0]
        );
        let ports = format!("    .s({incoming}), {want}, {take}, .word\n  );");
        let text = match frame.margin {
            Margin::Sent | Margin::Mirrored { .. } => {
                let always = if frame.hold == 1 { "1'b1" } else { "first_clock" };
                format!("  assign want = {always};\n  assign take = {always};\n  assign word = {incoming};")
            }
            Margin::Replicated => {
                self.modules.insert("kalg_replicate");
                format!(
                    "  kalg_replicate {parameters}\n  ) margins (\n    .clk, {advance}, {column}, .column_is_last, .row,\n{ports}"
                )
            }
            Margin::Constant(value) => {
                self.modules.insert("kalg_constant");
                let inputs = self.design.netlist.inputs.iter().rev();
                let all: Vec<String> = inputs.map(|port| literal(value.into(), port.bits)).collect();
                let all = all.join(", ");
                format!(
                    "  kalg_constant {parameters}, .VALUE({{{all}}})\n  ) margins (\n    {column}, .row,\n{ports}"
                )
            }
        };
        self.say(&text);
    }

    /// The words of a frame with margins that mirror the picture.
    fn mirrored(&mut self, port: &str, twice: bool) {
        let frame = self.design.frame;
        let [pixel, _] = self.pixel_bits();
        let [left, right] = frame.side_pixels().map(|side| side / frame.lanes);
        self.modules.insert("kalg_mirror");
        let step = if frame.hold == 1 { "advance && incoming" } else { "advance && incoming && last_clock" };
        if frame.hold > 1 {
            self.pixel_clocks();
        }
        let text = format!(
            "  kalg_mirror #(
    .PIXEL({pixel}), .LANES(LANES), .LEFT({left}), .WORDS({words}), .RIGHT({right}), .TOP({top}), .HEIGHT(HEIGHT),
    .BOTTOM({bottom}), .TWICE({twice})
  ) margins (
    .clk, .rst, .s({port}), .s_valid(s_axis_tvalid), .room, .step({step}), .there, .word
  );",
            words = frame.pixels() / frame.lanes,
            top = frame.ends[0],
            bottom = frame.ends[1],
            twice = u8::from(twice),
        );
        self.say(&text);
    }

    /// The counter of the clocks of a pixel.
    fn pixel_clocks(&mut self) {
        let clocks = self.design.frame.hold;
        let bits = counter_bits(clocks - 1);
        let text = format!(
            "
  // Each pixel has CLOCKS clocks.
  localparam int CLOCKS = {clocks};
  logic [{top}:0] clock;
  wire last_clock = clock == {bits}'(CLOCKS - 1);
  always_ff @(posedge clk) begin
    if (rst || (advance && frame_is_over)) clock <= '0;
    else if (advance) clock <= last_clock ? '0 : clock + 1'b1;
  end",
            top = bits - 1,
        );
        self.say(&text);
    }

    /// The counter of the clocks of a pixel and the register of its word, if it has several clocks.
    fn held(&mut self, port: &str, bits: usize) -> Held {
        let frame = self.design.frame;
        if frame.hold == 1 {
            return Held {
                incoming: port.to_owned(),
                advance: ".advance",
                column: ".column",
                words: "RESULT_COLUMNS",
                want: ".want",
                take: ".take",
            };
        }
        self.pixel_clocks();
        let text = format!(
            "  // The word of a pixel comes in with its first clock, and is held.
  logic [COLUMN_BITS-1:0] pixel;
  logic [{top}:0] held;
  wire first_clock = clock == '0;
  wire [{top}:0] present = first_clock ? {port} : held;
  always_ff @(posedge clk) begin
    if (rst || (advance && frame_is_over)) pixel <= '0;
    else if (advance && last_clock) pixel <= column_is_last ? '0 : pixel + 1'b1;
    if (advance && first_clock) held <= {port};
  end",
            top = bits - 1,
        );
        self.say(&text);
        if frame.margin != Margin::Sent {
            self.say("  wire want_pixel, take_pixel;\n  assign want = first_clock && want_pixel;\n  assign take = first_clock && take_pixel;");
        }
        Held {
            incoming: "present".to_owned(),
            advance: ".advance(advance && last_clock)",
            column: ".column(pixel)",
            words: "RESULT_COLUMNS / CLOCKS",
            want: ".want(want_pixel)",
            take: ".take(take_pixel)",
        }
    }
}
