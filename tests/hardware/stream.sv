// Sends the words of a file through a design with random stalls on both sides, and prints what comes out.
module bench;
  localparam int IN = `IN_BITS;
  localparam int OUT = `OUT_BITS;
  reg clk = 0, rst = 1, valid = 0, ready = 0, offered = 0, taken = 0;
  reg [IN-1:0] words [0:`WORDS-1];
  reg [IN-1:0] data = 0;
  wire [OUT-1:0] result;
  wire tready, tvalid, tlast;
  integer next = 0, count = 0, seed = 1;
  `DESIGN #(.HEIGHT(`ROWS)) dut (
    .clk(clk), .rst(rst),
    .s_axis_tdata(data), .s_axis_tvalid(valid), .s_axis_tready(tready),
    .m_axis_tdata(result), .m_axis_tvalid(tvalid), .m_axis_tlast(tlast), .m_axis_tready(ready));
  always #5 clk = ~clk;
  initial begin
    $readmemh(`FILE, words);
    #22 rst = 0;
    #10000000 $display("no end");
    $finish;
  end
  // The ports change between the edges at which they are looked at.
  always @(negedge clk) if (!rst) begin
    if (taken) begin
      next = next + 1;
      offered = 0;
    end
    taken = 0;
    if (!offered && next < `WORDS) offered = $unsigned($random(seed)) % 3 != 0;
    valid = offered;
    data = words[next < `WORDS ? next : 0];
    ready = $unsigned($random(seed)) % 3 != 0;
  end
  always @(posedge clk) if (!rst) begin
    if (valid && tready) taken = 1;
    if (tvalid && ready) begin
      $display("%h %b", result, tlast);
      count = count + 1;
      if (count == `RESULTS) $finish;
    end
  end
endmodule
