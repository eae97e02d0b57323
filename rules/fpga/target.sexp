; Programmable hardware that computes pipelines of stages on a stream of pixels. Sizes are those of the 7 series of Xilinx; prices
; are in look-up tables, and only compare ways to compute the same.
;
;   (block-ram BITS SHAPE…)     the bits of a block RAM, and its shapes (WORDS BITS), from deep to wide
;   (memory-from CLOCKS)        delays from this length on are memory, shorter ones are registers
;   (multiplier BITS BITS)      the widths of the signed operands of a hard multiplier
;   (multiplier-clocks N)       the clocks of a product
;   (multiplier-price N)        the price of a hard multiplier
;   (levels N)                  the greatest number of adders, or of what takes as long, between two registers
;   (adder-bit N)               the price of a bit of an adder
;   (buffer-bit N)              the price of a bit that is kept
(stream-hardware fpga
  (doc "Line-buffered hardware on a stream of pixels")
  (block-ram 18432 (16384 1) (8192 2) (4096 4) (2048 9) (1024 18) (512 36))
  (memory-from 48)
  (multiplier 25 18)
  (multiplier-clocks 2)
  (multiplier-price 100)
  (levels 2)
  (adder-bit 1)
  (buffer-bit 1/64))
