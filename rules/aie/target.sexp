; AI Engine (AIE1, Versal VC1902): one core, a VLIW processor with a two-dimensional vector datapath and an exposed pipeline.
; Sources: AM009 and UG1079 (AMD), the scheduling model of llvm-aie (AIE1Schedule.td, AIE1InstrInfo.td, AIE1RegisterInfo.td),
; Chatarasi et al., Vyasa (2020). To describe a variant of the core, write another such file.
;
; (memory BYTES ALIGNMENT)         the local memory; vector accesses begin at multiples of ALIGNMENT bytes
; (banks N (words N) (bits N) (interleaved N))
;                                  the single-port banks of that memory: words, bits per word, and how many banks share a range of addresses, word by word.
;                                  A bank serves one access of a bundle per cycle; the others wait, and so does everything that issues later. Without
;                                  this clause no access waits
; (program-memory BUNDLES)         of 16 bytes; every bundle counts as a whole one
; (slot NAME…)                     the slots of a bundle, one operation each
; (vectors BITS NAME…)             the smallest vector registers that operations write
; (buffer NAME VECTOR…)            registers that together hold an operand of the datapath, lowest first
; (coefficients VECTOR…)           the registers that can hold the second operand of a multiplication
; (accumulators NAME…)             one output vector each
; (scalars N), (configurations N)  registers for the starts, and for the offsets and modes, of selections
; (OPERATION (slots …) (latency N))  load, store, round, multiply, move: cycles from issue to an issue that can read the result
; (widen (slots …) (latency N) (assumed "TEXT"))  a vector into an accumulator, shifted left; may be left out. The report of every
;                                  program that uses it states what is assumed about it and not documented
; (accumulate N)                   cycles from the issue of a multiplication to its read of the accumulator
; (mode NAME START (x TYPE) (z TYPE) (lanes N) (columns N) (accumulator BITS))
;                                  a multiply-accumulate intrinsic, and the one that begins a sum.
;                                  A colon and a word after NAME distinguish it from other modes of that intrinsic
; (pre-add MODE NAME START)        the same with the sum of two selections as the first operand
; (pre-subtract MODE NAME START)   the same with their difference
; (multiplication (EFFECT INTRINSIC…)… (y add|subtract) (x TYPE SELECTION) (z TYPE BITS SELECTION) (data BITS)… (data BITS BITS)…
;                 (lanes N) (columns N) (accumulator BITS) (operands OPERAND…))
;                                  multiplying intrinsics with the same operands. Code that `kalg check` reads may call all of them; modes name those that
;                                  kalg emits. EFFECT says what happens to the sum of a lane's products: add, subtract (both take the accumulator
;                                  as the first operand), begin, begin-negated. With (y …) a pre-adder combines a second selection of data with the first.
;                                  Coefficients are BITS in size; data come from one buffer, from which a pre-adder takes both its
;                                  selections, or from X and Y. No other sizes are emitted or accepted.
;                                  SELECTION of X (and Y): each — lane l of column c takes start + nibble l of the offsets + c · step;
;                                  (granules U) — a pair of groups of U lanes takes two granules of 2U elements, at start + 2U · nibble 2p and
;                                  2U · (nibble 2p+1, plus 1) further on; the square hands out their halves to groups and columns; pairs of columns are step apart.
;                                  Starts and steps are multiples of 2U.
;                                  SELECTION of Z: each; (pairs L) — L lanes take two pairs of elements, at start + 2 · nibble 2p and 2p+1 of the offsets,
;                                  which the square hands out to even and odd lanes and columns; pairs of columns are step apart.
;                                  OPERAND: x xstart xoffsets xoffsets_hi xstep xsquare, likewise for y and z, in the order of the signature, x first. The
;                                  selections decide which exist. Y has the offsets and the step of X, and is left out where X holds the data of both
; (function NAME KIND PARAMETER…)  an intrinsic without multiplication that code read by `kalg check` may call:
;   round (BITS TYPE)…             an accumulator with lanes of BITS, shifted right, to elements of TYPE
;   widen (BITS BITS)…             elements of the first BITS, shifted left, to accumulators with lanes of the second
;   replace BITS, extract BITS     a part of BITS of a vector, by its index; place WHOLE BITS: a vector of WHOLE bits of which only that part is defined
;   join BITS                      vectors of one type to one of BITS at most
;   replace-element, extract-element  by index
;   zeros, undefined               of a type; `*` at the end of NAME stands for the type
;   saturation on|off, rounding set|clear  the mode from here on
; (functions-help "TEXT")          what to say of any other function
; (loads-per-pointer N)            per cycle: the compiler does not issue two loads through one pointer at once
; (loop-set-up CYCLES), (call CYCLES)  before each run of the innermost loop; once per program
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
  (multiplication (add lmac8) (begin lmul8) (subtract lmsc8) (begin-negated lnegmul8)
    (x int32 each) (z int32 256 each) (data 1024) (data 512) (lanes 8) (columns 1) (accumulator 80)
    (operands x xstart xoffsets z zstart zoffsets))
  (multiplication (add lmac4) (begin lmul4) (subtract lmsc4) (begin-negated lnegmul4)
    (x int32 each) (z int32 256 each) (data 1024) (data 512) (lanes 4) (columns 2) (accumulator 80)
    (operands x xstart xoffsets xstep z zstart zoffsets zstep))
  (multiplication (add lmac8) (begin lmul8) (subtract lmsc8) (begin-negated lnegmul8)
    (x int32 each) (z int16 256 each) (data 1024) (data 512) (lanes 8) (columns 2) (accumulator 80)
    (operands x xstart xoffsets xstep z zstart zoffsets zstep))
  (multiplication (add mac16) (begin mul16) (subtract msc16) (begin-negated negmul16)
    (x int32 each) (z int16 256 each) (data 1024) (lanes 16) (columns 1) (accumulator 48)
    (operands x xstart xoffsets xoffsets_hi z zstart zoffsets zoffsets_hi))
  (multiplication (add mac16) (begin mul16) (subtract msc16) (begin-negated negmul16)
    (x int16 (granules 1)) (z int16 256 each) (data 1024) (data 512) (lanes 16) (columns 2) (accumulator 48)
    (operands x xstart xoffsets xoffsets_hi xsquare z zstart zoffsets zoffsets_hi zstep))
  (multiplication (add mac8) (begin mul8) (subtract msc8) (begin-negated negmul8)
    (x int16 (granules 1)) (z int16 256 each) (data 1024) (data 512) (lanes 8) (columns 4) (accumulator 48)
    (operands x xstart xoffsets xstep xsquare z zstart zoffsets zstep))
  (multiplication (add mac16) (begin mul16) (subtract msc16) (begin-negated negmul16)
    (x int16 (granules 1)) (z int8 256 (pairs 2)) (data 1024) (data 512) (lanes 16) (columns 4) (accumulator 48)
    (operands x xstart xoffsets xoffsets_hi xstep xsquare z zstart zoffsets zoffsets_hi zstep zsquare))
  (multiplication (add mac16) (begin mul16) (subtract msc16) (begin-negated negmul16)
    (x int8 (granules 2)) (z int8 256 (pairs 4)) (data 1024) (data 512) (lanes 16) (columns 8) (accumulator 48)
    (operands x xstart xoffsets xstep xsquare z zstart zoffsets zstep zsquare))
  (multiplication (add lmac8_sym) (begin lmul8_sym) (subtract lmsc8_sym) (begin-negated lnegmul8_sym) (y add)
    (x int32 each) (z int32 256 each) (data 1024) (data 512) (data 512 512) (lanes 8) (columns 1) (accumulator 80)
    (operands x xstart xoffsets y ystart z zstart zoffsets))
  (multiplication (add mac16_sym) (begin mul16_sym) (subtract msc16_sym) (begin-negated negmul16_sym) (y add)
    (x int16 (granules 1)) (z int16 256 each) (data 1024) (data 512) (data 512 512) (lanes 16) (columns 2) (accumulator 48)
    (operands x xstart xoffsets xoffsets_hi xsquare y ystart ysquare z zstart zoffsets zoffsets_hi zstep))
  (multiplication (add lmac8_antisym) (begin lmul8_antisym) (subtract lmsc8_antisym) (begin-negated lnegmul8_antisym) (y subtract)
    (x int32 each) (z int32 256 each) (data 1024) (data 512) (data 512 512) (lanes 8) (columns 1) (accumulator 80)
    (operands x xstart xoffsets y ystart z zstart zoffsets))
  (multiplication (add mac16_antisym) (begin mul16_antisym) (subtract msc16_antisym) (begin-negated negmul16_antisym) (y subtract)
    (x int16 (granules 1)) (z int16 256 each) (data 1024) (data 512) (data 512 512) (lanes 16) (columns 2) (accumulator 48)
    (operands x xstart xoffsets xoffsets_hi xsquare y ystart ysquare z zstart zoffsets zoffsets_hi zstep))

  (function srs round (48 int16) (80 int32))
  (function bsrs round (48 int8) (80 int8))
  (function ubsrs round (48 uint8) (80 uint8))
  (function lsrs round (48 int32) (80 int32))
  (function ups widen (8 48) (16 48) (32 80))
  (function lups widen (8 80) (16 80) (32 80))
  (function upd_v replace 128)
  (function upd_w replace 256)
  (function upd_x replace 512)
  (function upd_elem replace-element)
  (function ext_v extract 128)
  (function ext_w extract 256)
  (function ext_x extract 512)
  (function ext_elem extract-element)
  (function wset_v place 256 128)
  (function xset_v place 512 128)
  (function xset_w place 512 256)
  (function yset_v place 1024 128)
  (function yset_w place 1024 256)
  (function yset_x place 1024 512)
  (function concat join 1024)
  (function null_* zeros)
  (function undef_* undefined)
  (function set_sat saturation on)
  (function clr_sat saturation off)
  (function set_rnd rounding set)
  (function clr_rnd rounding clear)
  (functions-help "read are mul, mac, msc and negmul of 16 and 8 lanes, lmul… of 8 and 4, with _sym and _antisym; srs, ups, upd_v/w/x, ext_v/w/x, concat, null_…, undef_…")

  (loads-per-pointer 1)
  (loop-set-up 24) ; fitted to Vyasa's table VI: the one constant of this model that is not documented
  (call 20)
  (header "kalg_vector.hpp"))
