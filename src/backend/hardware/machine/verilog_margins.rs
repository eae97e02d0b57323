//! The margins of pictures in SystemVerilog, and words that are held for several clocks.

use super::expression::literal;
use super::frame::Margin;
use super::verilog::{Writer, counter_bits};

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
        let Held { incoming, advance, column, words, want, take } = self.held(&port, bits);
        let parameters = format!(
            "#(\n    .PIXEL({pixel}), .LANES(LANES), .LEFT({}), .WORDS({words}), .TOP({}), .HEIGHT(HEIGHT),\n    \
             .COLUMN_BITS(COLUMN_BITS), .ROW_BITS(ROW_BITS)",
            frame.side_pixels()[0] / frame.lanes,
            frame.ends[0]
        );
        let ports = format!("    .s({incoming}), {want}, {take}, .word\n  );");
        let text = match frame.margin {
            Margin::Sent => {
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
        let clock = counter_bits(frame.hold - 1);
        let text = format!(
            "
  // Of the CLOCKS clocks of a pixel, its word comes in with the first, and is held.
  localparam int CLOCKS = {clocks};
  logic [{clock_top}:0] clock;
  logic [COLUMN_BITS-1:0] pixel;
  logic [{top}:0] held;
  wire first_clock = clock == '0;
  wire last_clock = clock == {clock_bits}'(CLOCKS - 1);
  wire [{top}:0] present = first_clock ? {port} : held;
  always_ff @(posedge clk) begin
    if (rst || (advance && frame_is_over)) begin
      clock <= '0;
      pixel <= '0;
    end else if (advance) begin
      clock <= last_clock ? '0 : clock + 1'b1;
      if (last_clock) pixel <= column_is_last ? '0 : pixel + 1'b1;
    end
    if (advance && first_clock) held <= {port};
  end",
            clocks = frame.hold,
            clock_top = clock - 1,
            clock_bits = clock,
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
