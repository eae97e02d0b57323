// A delay of LENGTH clocks in registers.
module kalg_registers #(
  parameter int WIDTH = 8,
  parameter int LENGTH = 1
) (
  input  wire clk,
  input  wire advance,
  input  wire [WIDTH-1:0] d,
  output wire [WIDTH-1:0] q
);
  logic [WIDTH*LENGTH-1:0] line;
  if (LENGTH == 1) begin : single
    always_ff @(posedge clk) if (advance) line <= d;
  end else begin : several
    always_ff @(posedge clk) if (advance) line <= {line[WIDTH*(LENGTH-1)-1:0], d};
  end
  assign q = line[WIDTH*LENGTH-1 -: WIDTH];
endmodule

// The place in rings of PLACES words. All rings of one length go around together.
module kalg_ring #(
  parameter int PLACES = 63,
  parameter int BITS = 6
) (
  input  wire clk,
  input  wire rst,
  input  wire advance,
  output logic [BITS-1:0] place
);
  always_ff @(posedge clk) begin
    if (rst) place <= '0;
    else if (advance) place <= (place == BITS'(PLACES - 1)) ? '0 : place + 1'b1;
  end
endmodule

// A delay of LENGTH clocks, at least 3, in memory: a ring of LENGTH - 1 words whose oldest word is read before it is overwritten, and
// a register behind it.
module kalg_memory #(
  parameter int WIDTH = 8,
  parameter int LENGTH = 64
) (
  input  wire clk,
  input  wire advance,
  input  wire [$clog2(LENGTH-1)-1:0] place,
  input  wire [WIDTH-1:0] d,
  output logic [WIDTH-1:0] q
);
  (* ram_style = "block" *) logic [WIDTH-1:0] words [0:LENGTH-2];
  always_ff @(posedge clk) begin
    if (advance) begin
      q <= words[place];
      words[place] <= d;
    end
  end
endmodule

// Where in memories of PERIOD rows of WORDS words a word is read and written, so that each period is read backwards, row by row, while the next
// one takes its places: up in one period, down in the next. `begins` is set in the first row of a period, and `row` changes with each row. The
// same for the word before is `late`.
module kalg_turn #(
  parameter int PERIOD = 8,
  parameter int WORDS = 1,
  parameter int BITS = 3,
  parameter int ROW_BITS = 1
) (
  input  wire clk,
  input  wire restart,
  input  wire advance,
  input  wire begins,
  /* verilator lint_off UNUSEDSIGNAL */ // Of columns, each word is a row.
  input  wire [ROW_BITS-1:0] row,
  /* verilator lint_on UNUSEDSIGNAL */
  output wire [BITS-1:0] place,
  output logic [BITS-1:0] late,
  output logic late_begins
);
  logic is_up;
  wire starts;
  if (WORDS == 1) begin : word
    assign starts = 1'b1;
  end else begin : words
    logic is_new;
    logic [ROW_BITS-1:0] last_row;
    always_ff @(posedge clk) begin
      if (restart) is_new <= 1'b1;
      else if (advance) is_new <= 1'b0;
      if (advance) last_row <= row;
    end
    assign starts = is_new || row != last_row;
  end
  wire turns = starts && begins;
  wire goes_up = turns ? !is_up : is_up;
  assign place = turns ? (goes_up ? '0 : BITS'((PERIOD - 1) * WORDS))
               : starts && !goes_up ? late - BITS'(2 * WORDS - 1)
               : late + 1'b1;
  always_ff @(posedge clk) begin
    if (restart) is_up <= 1'b0;
    else if (advance) is_up <= goes_up;
    if (advance) begin
      late <= place;
      late_begins <= begins;
    end
  end
endmodule

// A memory of which each word is read before it is overwritten, and a register behind it.
module kalg_backwards #(
  parameter int WIDTH = 8,
  parameter int PLACES = 8,
  parameter int BITS = 3
) (
  input  wire clk,
  input  wire advance,
  input  wire [BITS-1:0] place,
  input  wire [WIDTH-1:0] d,
  output logic [WIDTH-1:0] q
);
  logic [WIDTH-1:0] words [0:PLACES-1];
  always_ff @(posedge clk) begin
    if (advance) begin
      q <= words[place];
      words[place] <= d;
    end
  end
endmodule

// The quotient of non-negative numbers by long division, a bit in each of QUOTIENT clocks. It fits in QUOTIENT bits.
module kalg_division #(
  parameter int DIVISOR = 8,
  parameter int QUOTIENT = 8
) (
  input  wire clk,
  input  wire advance,
  input  wire [QUOTIENT+DIVISOR-1:0] numerator,
  input  wire [DIVISOR-1:0] divisor,
  output wire [QUOTIENT-1:0] quotient
);
  for (genvar i = 0; i < QUOTIENT; i++) begin : stage
    // The remainder so far; the bits that are left, followed by those of the quotient; and the divisor.
    wire [DIVISOR-1:0] rest_in, divisor_in;
    wire [QUOTIENT-1:0] bits_in;
    /* verilator lint_off UNUSEDSIGNAL */ // The last remainder is not used.
    logic [DIVISOR-1:0] rest, by;
    /* verilator lint_on UNUSEDSIGNAL */
    logic [QUOTIENT-1:0] bits;
    if (i == 0) begin : first
      assign rest_in = numerator[QUOTIENT +: DIVISOR];
      assign bits_in = numerator[QUOTIENT-1:0];
      assign divisor_in = divisor;
    end else begin : next
      assign rest_in = stage[i-1].rest;
      assign bits_in = stage[i-1].bits;
      assign divisor_in = stage[i-1].by;
    end
    wire [DIVISOR:0] trial = {rest_in, bits_in[QUOTIENT-1]};
    wire [DIVISOR-1:0] less = trial[DIVISOR-1:0] - divisor_in;
    wire fits = trial >= {1'b0, divisor_in};
    always_ff @(posedge clk) begin
      if (advance) begin
        rest <= fits ? less : trial[DIVISOR-1:0];
        bits <= QUOTIENT'({bits_in, fits});
        by <= divisor_in;
      end
    end
  end
  assign quotient = stage[QUOTIENT-1].bits;
endmodule

// The root of a non-negative number, rounded down, a bit in each of ROOT clocks. It fits in ROOT bits.
module kalg_root #(
  parameter int ROOT = 8
) (
  input  wire clk,
  input  wire advance,
  input  wire [2*ROOT-1:0] square,
  output wire [ROOT-1:0] root
);
  for (genvar i = 0; i < ROOT; i++) begin : stage
    // The root so far, what its square leaves, and the bits that are left.
    wire [ROOT-1:0] found_in, rest_in;
    wire [2*ROOT-1:0] bits_in;
    logic [ROOT-1:0] found;
    /* verilator lint_off UNUSEDSIGNAL */ // The last of these are not used.
    logic [ROOT-1:0] rest;
    logic [2*ROOT-1:0] bits;
    /* verilator lint_on UNUSEDSIGNAL */
    if (i == 0) begin : first
      assign found_in = '0;
      assign rest_in = '0;
      assign bits_in = square;
    end else begin : next
      assign found_in = stage[i-1].found;
      assign rest_in = stage[i-1].rest;
      assign bits_in = stage[i-1].bits;
    end
    wire [ROOT+1:0] trial = {rest_in, bits_in[2*ROOT-1 -: 2]};
    wire [ROOT+1:0] by = {found_in, 2'b01};
    wire fits = trial >= by;
    always_ff @(posedge clk) begin
      if (advance) begin
        rest <= ROOT'(fits ? trial - by : trial);
        found <= ROOT'({found_in, fits});
        bits <= bits_in << 2;
      end
    end
  end
  assign root = stage[ROOT-1].found;
endmodule

// The margins of a picture by its nearest pixels. ROW counts the rows of the padded picture and COLUMN the words of a row; words
// come from the port `s` when `want` is set, and are used up when `take` is.
module kalg_replicate #(
  parameter int PIXEL = 8,
  parameter int LANES = 1,
  parameter int LEFT = 1,
  parameter int WORDS = 640,
  parameter int TOP = 1,
  parameter int HEIGHT = 480,
  parameter int COLUMN_BITS = 10,
  parameter int ROW_BITS = 10
) (
  input  wire clk,
  input  wire advance,
  input  wire [COLUMN_BITS-1:0] column,
  /* verilator lint_off UNUSEDSIGNAL */ // Rows of one word do without.
  input  wire column_is_last,
  /* verilator lint_on UNUSEDSIGNAL */
  input  wire [ROW_BITS-1:0] row,
  input  wire [PIXEL*LANES-1:0] s,
  output wire want,
  output wire take,
  output wire [PIXEL*LANES-1:0] word
);
  /* verilator lint_off UNSIGNED */ // There may be no margin on a side.
  /* verilator lint_off CMPCONST */
  wire fresh = row == '0 || (row > ROW_BITS'(TOP) && row < ROW_BITS'(TOP + HEIGHT));
  wire interior = column >= COLUMN_BITS'(LEFT) && column < COLUMN_BITS'(LEFT + WORDS);
  wire is_west = column < COLUMN_BITS'(LEFT);
  assign want = fresh && (is_west || interior);
  assign take = fresh && interior;

  // The row that came last, to be repeated beyond the first and the last row.
  logic [PIXEL*LANES-1:0] again;
  logic [PIXEL-1:0] last;
  if (WORDS == 1) begin : word_row
    always_ff @(posedge clk) if (advance && take) again <= s;
  end else begin : words_row
    localparam int BITS = $clog2(WORDS);
    logic [PIXEL*LANES-1:0] kept [0:WORDS-1];
    wire [COLUMN_BITS-1:0] next = column_is_last ? '0 : column + 1'b1;
    wire [BITS-1:0] next_place =
      next < COLUMN_BITS'(LEFT) ? '0 : next < COLUMN_BITS'(LEFT + WORDS) ? BITS'(next - COLUMN_BITS'(LEFT)) : BITS'(WORDS - 1);
    wire [BITS-1:0] place = BITS'(column - COLUMN_BITS'(LEFT));
    always_ff @(posedge clk) begin
      if (advance) begin
        again <= kept[next_place];
        if (take) kept[place] <= s;
      end
    end
  end
  wire [PIXEL*LANES-1:0] here = fresh ? s : again;
  always_ff @(posedge clk) if (advance && interior) last <= here[PIXEL*LANES-1 -: PIXEL];
  assign word = is_west ? {LANES{here[PIXEL-1:0]}}
              : interior ? here
              : {LANES{last}};
  /* verilator lint_on CMPCONST */
  /* verilator lint_on UNSIGNED */
endmodule

// Words within margins that mirror the picture. A ring of SLOTS rows, with a memory for each lane, takes words as long as there is room, and
// the word after the one that is there is read from it. Every row but those at the edges is one up or one down from the row before it, and so
// is the first row of a frame in the ring: SLOTS - 1 rows after the last one of the frame before.
module kalg_mirror #(
  parameter int PIXEL = 8,
  parameter int LANES = 1,
  parameter int LEFT = 1,
  parameter int WORDS = 640,
  parameter int RIGHT = 1,
  parameter int TOP = 1,
  parameter int HEIGHT = 480,
  parameter int BOTTOM = 1,
  parameter int TWICE = 0 // 1: the outermost pixels are there twice.
) (
  input  wire clk,
  input  wire rst,
  input  wire [PIXEL*LANES-1:0] s,
  input  wire s_valid,
  output wire room,
  input  wire step,
  output logic there,
  output wire [PIXEL*LANES-1:0] word
);
  /* verilator lint_off UNSIGNED */ // There may be no margin on a side.
  /* verilator lint_off CMPCONST */
  localparam int COLUMNS = LEFT + WORDS + RIGHT;
  localparam int ROWS = TOP + HEIGHT + BOTTOM;
  localparam int FIRST = TOP > TWICE ? TOP - TWICE : 0;
  localparam int AGAIN = BOTTOM > TWICE ? BOTTOM - TWICE : 0;
  localparam int SLOTS = FIRST + AGAIN + 2;
  localparam int DEPTH = SLOTS * WORDS;
  localparam int C = $clog2(LEFT + 2 * WORDS + RIGHT + 1);
  localparam int R = $clog2(ROWS + SLOTS + 1);
  localparam int A = $clog2(DEPTH);

  // What is taken: `filled` rows since the frame began that is read, and some words of the next.
  logic [R-1:0] filled;
  logic [C-1:0] taken;
  logic [A-1:0] write_base;
  // What is read next: a place in the frame, the row of the picture that is there, and where that begins in the ring.
  logic [C-1:0] column;
  logic [R-1:0] row, line;
  logic [A-1:0] base;

  wire column_is_last = column == C'(COLUMNS - 1);
  wire row_is_last = row == R'(ROWS - 1);
  wire is_west = column < C'(LEFT);
  wire is_east = column >= C'(LEFT + WORDS);
  wire [C-1:0] west = C'(LEFT - 1) - column;
  wire [C-1:0] east = C'(2 * WORDS + LEFT - 1) - column;
  wire [C-1:0] here = is_west ? west : is_east ? east : column - C'(LEFT);
  wire [C-1:0] greatest = is_west && TWICE == 0 ? here + 1'b1 : here;
  wire was_taken = line < filled || (line == filled && greatest < taken);
  wire read = (!there || step) && was_taken;

  // The oldest row that is still to be read.
  wire [R-1:0] oldest = row <= R'(TOP) ? '0 : row >= R'(ROWS - BOTTOM - AGAIN - 1) ? R'(HEIGHT - 1 - AGAIN) : row - R'(TOP);
  assign room = filled < oldest + R'(SLOTS);
  wire write = s_valid && room;
  wire row_is_taken = write && taken == C'(WORDS - 1);

  // Whether the next row is the one before in the ring, or the same.
  wire stays = TWICE == 1 && !row_is_last && (row + 1'b1 == R'(TOP) || row == R'(TOP + HEIGHT - 1));
  wire down = row_is_last || row < R'(TOP) || row >= R'(TOP + HEIGHT - 1);
  wire [A-1:0] below = base == '0 ? A'(DEPTH - WORDS) : base - A'(WORDS);
  wire [A-1:0] above = base == A'(DEPTH - WORDS) ? '0 : base + A'(WORDS);
  always_ff @(posedge clk) begin
    if (rst) begin
      filled <= '0;
      taken <= '0;
      write_base <= '0;
      column <= '0;
      row <= '0;
      line <= R'(FIRST);
      base <= A'(FIRST * WORDS);
      there <= 1'b0;
    end else begin
      if (!there || step) there <= read;
      if (read) column <= column_is_last ? '0 : column + 1'b1;
      if (read && column_is_last) begin
        row <= row_is_last ? '0 : row + 1'b1;
        if (row_is_last) line <= R'(FIRST);
        else if (!stays) line <= down ? line - 1'b1 : line + 1'b1;
        if (!stays) base <= down ? below : above;
      end
      if (write) taken <= row_is_taken ? '0 : taken + 1'b1;
      if (row_is_taken) write_base <= write_base == A'(DEPTH - WORDS) ? '0 : write_base + A'(WORDS);
      filled <= filled + R'(row_is_taken) - (read && column_is_last && row_is_last ? R'(HEIGHT) : '0);
    end
  end

  // The lanes of a mirrored word are in reverse order. Those that follow the outermost pixel, which is there once, are one further.
  logic was_west, was_east;
  always_ff @(posedge clk) if (read) {was_west, was_east} <= {is_west, is_east};
  logic [PIXEL-1:0] again [0:LANES-1];
  for (genvar lane = 0; lane < LANES; lane++) begin : lanes
    logic [PIXEL-1:0] kept [0:DEPTH-1];
    /* verilator lint_off UNUSEDSIGNAL */ // A ring of few words has fewer bits.
    wire [C-1:0] place = TWICE == 0 && lane == 0 && is_west ? here + 1'b1
                       : TWICE == 0 && lane == LANES - 1 && is_east ? here - 1'b1
                       : here;
    /* verilator lint_on UNUSEDSIGNAL */
    always_ff @(posedge clk) begin
      if (read) again[lane] <= kept[base + A'(place)];
      if (write) kept[write_base + A'(taken)] <= s[lane*PIXEL +: PIXEL];
    end
    localparam int WEST = TWICE == 1 ? LANES - 1 - lane : (LANES - lane) % LANES;
    localparam int EAST = TWICE == 1 ? LANES - 1 - lane : (2 * LANES - 2 - lane) % LANES;
    assign word[lane*PIXEL +: PIXEL] = was_west ? again[WEST] : was_east ? again[EAST] : again[lane];
  end
  /* verilator lint_on CMPCONST */
  /* verilator lint_on UNSIGNED */
endmodule

// The margins of a picture with one value. See above for the ports.
module kalg_constant #(
  parameter int PIXEL = 8,
  parameter int LANES = 1,
  parameter int LEFT = 1,
  parameter int WORDS = 640,
  parameter int TOP = 1,
  parameter int HEIGHT = 480,
  parameter int COLUMN_BITS = 10,
  parameter int ROW_BITS = 10,
  parameter logic [PIXEL-1:0] VALUE = '0
) (
  input  wire [COLUMN_BITS-1:0] column,
  input  wire [ROW_BITS-1:0] row,
  input  wire [PIXEL*LANES-1:0] s,
  output wire want,
  output wire take,
  output wire [PIXEL*LANES-1:0] word
);
  /* verilator lint_off UNSIGNED */ // There may be no margin on a side.
  /* verilator lint_off CMPCONST */
  wire interior = column >= COLUMN_BITS'(LEFT) && column < COLUMN_BITS'(LEFT + WORDS)
             && row >= ROW_BITS'(TOP) && row < ROW_BITS'(TOP + HEIGHT);
  assign want = interior;
  assign take = interior;
  assign word = interior ? s : {LANES{VALUE}};
  /* verilator lint_on CMPCONST */
  /* verilator lint_on UNSIGNED */
endmodule

// Where words are in their periods. COLUMN is the number of a word in COLUMN_PERIOD words of a row, ROW that of its row in ROW_PERIOD
// rows, NEXT_ROW that of the row of the next word. A frame begins at word FIRST_COLUMN of row FIRST_ROW.
module kalg_place #(
  parameter int COLUMNS = 640,
  parameter int COLUMN_BITS = 10,
  parameter int COLUMN_PERIOD = 2,
  parameter int ROW_PERIOD = 2,
  parameter int PLACE_BITS = 1,
  parameter int ROW_BITS = 1,
  parameter int FIRST_COLUMN = 0,
  parameter int FIRST_ROW = 0
) (
  input  wire clk,
  input  wire restart,
  input  wire advance,
  output logic [PLACE_BITS-1:0] column,
  output logic [ROW_BITS-1:0] row,
  output wire [ROW_BITS-1:0] next_row
);
  logic [COLUMN_BITS-1:0] word;
  wire is_last = word == COLUMN_BITS'(COLUMNS - 1);
  wire [ROW_BITS-1:0] row_after = row == ROW_BITS'(ROW_PERIOD - 1) ? '0 : row + 1'b1;
  assign next_row = is_last ? row_after : row;
  always_ff @(posedge clk) begin
    if (restart) begin
      word <= COLUMN_BITS'(FIRST_COLUMN);
      column <= PLACE_BITS'(FIRST_COLUMN % COLUMN_PERIOD);
      row <= ROW_BITS'(FIRST_ROW);
    end else if (advance) begin
      word <= is_last ? '0 : word + 1'b1;
      column <= column == PLACE_BITS'(COLUMN_PERIOD - 1) ? '0 : column + 1'b1;
      row <= next_row;
    end
  end
endmodule
