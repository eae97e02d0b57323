; AI Engine (AIE1, Versal VC1902): one core, a VLIW processor with a two-dimensional vector datapath and an exposed pipeline.
; Sources: AM009 and UG1079 (AMD), the scheduling model of llvm-aie (AIE1Schedule.td, AIE1InstrInfo.td, AIE1RegisterInfo.td),
; Chatarasi et al., Vyasa (2020). A variant of the core is described by another file of this form.
;
; (memory BYTES ALIGNMENT)         the local memory; vector accesses begin at multiples of ALIGNMENT bytes
; (banks N (words N) (bits N) (interleaved N))
;                                  the single-port banks of that memory: words of so many bits, and how many banks share a range of addresses, word by word.
;                                  A bank serves one access of a bundle in a cycle; the others wait, and all that issues later with them. Without this
;                                  clause no access waits
; (program-memory BUNDLES)         of 16 bytes; every bundle is counted as a whole one
; (slot NAME…)                     what a bundle has room for, one operation each
; (vectors BITS NAME…)             the vector registers of the least size that operations write
; (buffer NAME VECTOR…)            registers that an operand of the datapath can be taken from, as one, least first
; (coefficients VECTOR…)           the registers that the second operand of a multiplication can be taken from
; (accumulators NAME…)             one output vector each
; (scalars N), (configurations N)  registers for starts of selections, and for offsets and modes of selections
; (OPERATION (slots …) (latency N))  load, store, round, multiply, move: cycles from issue to an issue that can read the result
; (widen (slots …) (latency N) (assumed "TEXT"))  a vector into an accumulator, shifted left; may be left out. What is assumed of it,
;                                  and not documented, is told with every program that uses it
; (accumulate N)                   cycles from the issue of a multiplication to its reading of the accumulator
; (mode NAME START (x TYPE) (z TYPE) (lanes N) (columns N) (accumulator BITS))
;                                  a multiply-accumulate intrinsic, and the one that begins a sum
;                                  NAME may go on with a colon and a word that tells it from other modes of that intrinsic
; (pre-add MODE NAME START)        the same with the sum of two selections in the place of the first operand
; (pre-subtract MODE NAME START)   the same with their difference
; (shapes (INTRINSIC…) (x TYPE) (z TYPE BITS) (data BITS)… (data BITS BITS)…)
;                                  the operands that intrinsics are documented with for data and coefficients of these types: coefficients
;                                  of BITS, data from one buffer, from which a pre-adder takes both its selections, or from X and Y. No other
;                                  shapes are emitted, and none are accepted; intrinsics that `kalg check` reads stand here, too
; (loads-per-pointer N)            in one cycle: the compiler does not issue two loads through one pointer at once
; (loop-set-up CYCLES), (call CYCLES)  before each run of the innermost loop, and once
; (header "FILE")                  what emitted code includes: our statement of what the intrinsics do

(machine aie
  (doc "AI Engine core of the VC1902: 128 8-bit, 32 16-bit or 8 32-bit multiply-accumulates a cycle, two loads and a store beside them")
  (clock 1.0) ; GHz at 0.70 V
  (memory 131072 16)
  (banks 32 (words 256) (bits 128) (interleaved 2)) ; four memories in reach of eight banks each (AM009, UG1079); what issues together meets in them
  (program-memory 1024)

  (slot lda ldb st alu vec)
  (vectors 256 wr0 wr1 wr2 wr3 wc0 wc1 wd0 wd1)
  (buffer xa wr0 wr1)
  (buffer xb wr2 wr3)
  (buffer xd wd0 wd1)
  (buffer ya wr0 wr1 wr2 wr3)
  (buffer yd wd0 wd1 wr2 wr3)
  (coefficients wc0 wc1)
  (accumulators bm0 bm1 bm2 bm3)
  (scalars 14)
  (configurations 8)

  (load (slots lda ldb) (latency 8))
  (store (slots st) (latency 1))
  (round (slots st) (latency 3))
  (multiply (slots vec) (latency 6))
  (move (slots alu) (latency 2))
  (widen (slots lda) (latency 6)
    (assumed "`ups` is taken to issue in slot lda with the latency of a multiplication: the sources say 1 to 3 cycles, without certainty"))
  (accumulate 5)

  (mode lmac8 lmul8 (x int32) (z int32) (lanes 8) (columns 1) (accumulator 80))
  (mode mac16 mul16 (x int16) (z int16) (lanes 16) (columns 2) (accumulator 48))
  (mode mac16:int8 mul16 (x int16) (z int8) (lanes 16) (columns 4) (accumulator 48))
  (mode mac16:bytes mul16 (x int8) (z int8) (lanes 16) (columns 8) (accumulator 48))
  (pre-add lmac8 lmac8_sym lmul8_sym)
  (pre-add mac16 mac16_sym mul16_sym)
  (pre-subtract lmac8 lmac8_antisym lmul8_antisym)
  (pre-subtract mac16 mac16_antisym mul16_antisym)

  ; AI Engine Intrinsics User Guide, the pages of groups vect_mult, vect_mult_sym and vect_mult_antisym.
  (shapes (lmac8 lmul8 lmsc8 lnegmul8 lmac4 lmul4 lmsc4 lnegmul4) (x int32) (z int32 256) (data 1024) (data 512))
  (shapes (lmac8 lmul8 lmsc8 lnegmul8) (x int32) (z int16 256) (data 1024) (data 512))
  (shapes (mac16 mul16 msc16 negmul16) (x int32) (z int16 256) (data 1024))
  (shapes (mac16 mul16 msc16 negmul16 mac8 mul8 msc8 negmul8) (x int16) (z int16 256) (data 1024) (data 512))
  (shapes (mac16 mul16 msc16 negmul16) (x int16) (z int8 256) (data 1024) (data 512))
  (shapes (mac16 mul16 msc16 negmul16) (x int8) (z int8 256) (data 1024) (data 512))
  (shapes (lmac8_sym lmul8_sym lmsc8_sym lnegmul8_sym lmac8_antisym lmul8_antisym lmsc8_antisym lnegmul8_antisym)
    (x int32) (z int32 256) (data 1024) (data 512) (data 512 512))
  (shapes (mac16_sym mul16_sym msc16_sym negmul16_sym mac16_antisym mul16_antisym msc16_antisym negmul16_antisym)
    (x int16) (z int16 256) (data 1024) (data 512) (data 512 512))

  (loads-per-pointer 1)
  (loop-set-up 24) ; fitted to Vyasa's table VI: the one constant of this model that is not documented
  (call 20)
  (header "kalg_vector.hpp"))
