//! The counters of a frame in SystemVerilog, and when words come in and results go out.

use super::verilog::{Writer, counter_bits};

/// When words are taken and given.
const IN_STEP: &str = "
  // Everything advances together: when a word is there, if one is wanted, and the last results are taken.
  wire want, take;
  wire free = !m_axis_tvalid || m_axis_tready;
  wire wanted = incoming && want;
  wire advance = free && (!wanted || s_axis_tvalid);
  assign s_axis_tready = free && incoming && take;";

/// The same, where words are taken ahead of the frame.
const AHEAD: &str = "
  // Words are taken as long as there is room for them. Everything else advances together: when the word of the frame with its margins
  // is there, and the last results are taken.
  wire there, room;
  wire free = !m_axis_tvalid || m_axis_tready;
  wire advance = free && (!incoming || there);
  assign s_axis_tready = room;";

/// How the counters go on.
const ADVANCE: &str = "  always_ff @(posedge clk) begin
    if (rst || (advance && frame_is_over)) begin
      column <= '0;
      row <= '0;
      result_column <= '0;
      result_row <= '0;
      waited <= '0;
      incoming <= 1'b1;
      finished <= 1'b0;
    end else if (advance) begin
      column <= column_is_last ? '0 : column + 1'b1;
      if (column_is_last) row <= row + 1'b1;
      if (last_word) incoming <= 1'b0;
      if (waiting) waited <= waited + 1'b1;
      else begin
        result_column <= result_column == COLUMN_BITS'(COLUMNS - 1) ? '0 : result_column + 1'b1;
        if (result_column == COLUMN_BITS'(COLUMNS - 1)) result_row <= result_row + 1'b1;
      end
      if (last_result) finished <= 1'b1;
    end
  end";

impl Writer<'_> {
    /// The place of the word that comes in, and that of the results.
    pub(super) fn raster(&mut self) {
        let frame = self.design.frame;
        let first = frame.first_result(self.design.sink);
        let [step, _] = frame.result_word();
        let (bits, wait) = (counter_bits(frame.row_words()), counter_bits(first));
        let text = format!(
            "
  // The frame with its margins: ROWS rows of COLUMNS words. Results begin WAIT words after their frame.
  localparam int COLUMNS = {columns};
  localparam int ROWS = HEIGHT + {margin};
  localparam int RESULT_COLUMNS = {results};
  localparam int WAIT = {first};
  localparam int COLUMN_BITS = {bits};
  localparam int ROW_BITS = $clog2(ROWS + 1);
  localparam int WAIT_BITS = {wait};
  logic [COLUMN_BITS-1:0] column, result_column;
  logic [ROW_BITS-1:0] row, result_row;
  logic [WAIT_BITS-1:0] waited;
  logic incoming, finished;
  wire column_is_last = column == COLUMN_BITS'(COLUMNS - 1);
  wire last_word = incoming && column_is_last && row == ROW_BITS'(ROWS - 1);
  wire waiting = waited != WAIT_BITS'(WAIT);
  wire is_result = !waiting && !finished && result_column < COLUMN_BITS'(RESULT_COLUMNS){lattice};
  wire last_result = is_result && result_column == COLUMN_BITS'(RESULT_COLUMNS - {step}) && result_row == ROW_BITS'(HEIGHT - {rows});
  wire frame_is_over = (last_word || !incoming) && (last_result || finished);",
            columns = frame.row_words(),
            margin = frame.ends[0] + frame.ends[1],
            results = frame.width / frame.lanes,
            rows = frame.every[1],
            lattice = match (step, frame.every[1]) {
                (1, 1) => "",
                (1, _) => " && result_rest == '0",
                (_, 1) => " && result_skip == '0",
                _ => " && result_skip == '0 && result_rest == '0",
            },
        );
        self.skips();
        self.say(&text);
        self.say(if frame.mirror().is_some() { AHEAD } else { IN_STEP });
        self.say(ADVANCE);
        self.skipped();
    }

    /// The counters of the clocks of which lines keep one.
    pub(super) fn clocks(&mut self) {
        for every in self.design.kept() {
            let bits = counter_bits(every as usize - 1);
            self.say(&format!(
                "\n  // Clocks of a frame, modulo {every}.\n  logic [{}:0] of{every};\n  always_ff @(posedge clk) begin\n    \
                 if (rst || (advance && frame_is_over)) of{every} <= '0;\n    \
                 else if (advance) of{every} <= of{every} == {bits}'d{} ? '0 : of{every} + 1'b1;\n  end",
                bits - 1,
                every - 1
            ));
        }
    }

    /// The counters of words and rows between results, where there are any.
    fn skips(&mut self) {
        let frame = self.design.frame;
        let [step, _] = frame.result_word();
        if step > 1 {
            let bits = counter_bits(step - 1);
            self.say(&format!(
                "\n  // The words since the last one with results.\n  logic [{}:0] result_skip;",
                bits - 1
            ));
        }
        if frame.every[1] > 1 {
            let bits = counter_bits(frame.every[1] - 1);
            self.say(&format!(
                "\n  // The rows since the last one with results.\n  logic [{}:0] result_rest;",
                bits - 1
            ));
        }
    }

    /// Counts the words and rows between results, where there are any.
    fn skipped(&mut self) {
        let frame = self.design.frame;
        let [step, _] = frame.result_word();
        let mut count = |name: &str, when: &str, most: usize| {
            let bits = counter_bits(most - 1);
            self.say(&format!(
                "  always_ff @(posedge clk) begin\n    if (rst || (advance && frame_is_over)) {name} <= '0;\n    \
                 else if (advance && !waiting{when}) {name} <= {name} == {bits}'d{} ? '0 : {name} + 1'b1;\n  end",
                most - 1
            ));
        };
        if step > 1 {
            count("result_skip", "", step);
        }
        if frame.every[1] > 1 {
            count("result_rest", " && result_column == COLUMN_BITS'(COLUMNS - 1)", frame.every[1]);
        }
    }
}
