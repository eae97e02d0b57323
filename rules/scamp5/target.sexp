; SCAMP-5: 256 × 256 processing elements, each with analogue registers, on the image sensor.
; Operations, macros and operand rules follow the vendor's kernel API headers (SCAMP Vision Chip Development System
; Library, 2020).
;
; The format of a target file. To describe another array, write another such file: `--target FILE`.
; (image WIDTH HEIGHT)          elements of the array
; (range LEAST GREATEST)        what a register holds
; (cycle (microseconds X) (microjoules X))
; (brackets BEGIN END)          the calls around a program: BEGIN(); … END();
; (direction NAME DX DY)        a step to a neighbour: seen in it, p reads p + (DX, DY)
; (registers FILE NAME…)        a file of interchangeable registers
; (view NAME REGISTER DIRECTION)  as a source, that neighbour's REGISTER; as a destination, a write into it; such a
;                               register is the only one of its file
; (operand-rules RULE…)         each-operand-once: no register or view appears twice in an operation;
;                               written-not-read: a register written in any view is not read in any view
; (isa NAME DIVISION "TEXT")    an instruction set, and its default division: quick or compensated
; (operation NAME (destinations N) (sources LEAST MOST) (weights W…) (cycles N) (in ISA…))
;                               each destination := Σ weight · source; one weight for all sources, or one per source;
;                               (in ISA) or (in (ISA DIVISION)): where it may be used by itself
; (macro NAME (OPERAND…) (expansion OPERATION…) (means (OPERAND VALUE)…) (distinct OPERAND…) (in ISA…))
;                               operands: (result y) (source x) (in-out x) (direction d) (count n LEAST MOST), registers
;                               of the first file, or (source x FILE); in the expansion (at REGISTER d) and
;                               (at REGISTER (opposite d)) are views, (repeat n …) and (repeat (less n 1) …) rounds
; (noise NAME (source "TEXT") (gain X) (fixed-pattern X) (temporal X) (relative X))
; (sources PART…)               what source programs hold besides instructions, for `kalg check` and `kalg run`:
;                               (brackets BEGIN END) further calls around a program; (masks NAME…) and (unmasks NAME…)
;                               calls between which only some elements execute; (foreign "WHAT" NAME…) calls that act on
;                               no register; (alias NAME (OPERAND…) "INSTRUCTIONS") names that other compilers print
; (load NAME (RESULT…) (clobbers REGISTER…))  a part of sources: a call that takes a new image; a result is (image y),
;                               (scaled h FACTOR) for a multiple of the image, or (rubbish h)
;
; A macro's meaning and cycles, and which of its operands may be one register, are derived from its expansion. `means`
; is compared with that, in every direction. Operands in `distinct` may be one register in programs that kalg reads, if the
; expansion allows it; searches keep them apart.

(target scamp5
  (doc "SCAMP-5 focal-plane sensor-processor, 256 × 256 elements, 10 MHz")
  (image 256 256)
  (range -128 127)
  (cycle (microseconds 0.1) (microjoules 0.123)) ; 10 MHz; 1.23 W for the whole array
  (brackets scamp5_kernel_begin scamp5_kernel_end)

  (direction east 1 0)
  (direction north 0 1)
  (direction west -1 0)
  (direction south 0 -1)

  ; The first file is the one that macro operands belong to unless they say otherwise.
  (registers general A B C D E F)
  (registers news NEWS)
  (view XN NEWS north)
  (view XE NEWS east)
  (view XS NEWS south)
  (view XW NEWS west)

  (operand-rules each-operand-once written-not-read)

  (isa basic compensated "the macros that AUKE uses: copies, sums of two, differences, negations, halvings, one step")
  (isa macro compensated "the vendor's macros for convolution: what Cain calls `all`")
  (isa bus quick "every bus operation that the operand rules allow")

  ; Every destination := weight · (sum of the sources); one instruction code word and one cycle each.
  ; bus2 and bus3 split a charge: they divide with an error, which div and diva cancel.
  (operation bus (destinations 1) (sources 0 4) (weights -1) (cycles 1) (in bus))
  (operation bus2 (destinations 2) (sources 0 2) (weights -1/2) (cycles 1) (in (bus quick)))
  (operation bus3 (destinations 3) (sources 1 1) (weights -1/3) (cycles 1) (in (bus quick)))

  (macro res ((result a))
    (expansion (bus NEWS) (bus a NEWS))
    (means (a 0))
    (in basic macro))
  (macro res ((result a) (result b))
    (expansion (bus NEWS) (bus a NEWS) (bus b NEWS))
    (means (a 0) (b 0))
    (in basic macro))
  (macro mov ((result y) (source x))
    (expansion (bus NEWS x) (bus y NEWS))
    (means (y x))
    (in basic macro))
  (macro add ((result y) (source x0) (source x1))
    (expansion (bus NEWS x0 x1) (bus y NEWS))
    (means (y (sum x0 x1)))
    (in basic macro))
  (macro add ((result y) (source x0) (source x1) (source x2))
    (expansion (bus NEWS x0 x1 x2) (bus y NEWS))
    (means (y (sum x0 x1 x2)))
    (in macro))
  (macro sub ((result y) (source x0) (source x1))
    (expansion (bus NEWS x0) (bus y NEWS x1))
    (means (y (sub x0 x1)))
    (in basic macro))
  (macro neg ((result y) (source x))
    (expansion (bus NEWS) (bus y NEWS x))
    (means (y (scale -1 x)))
    (in basic macro))
  (macro divq ((result y) (source x))
    (expansion (bus2 y NEWS x) (bus y NEWS))
    (means (y (scale 1/2 x)))
    (in (basic quick) (macro quick)))

  ; Error-compensated halvings.
  (macro div ((result y0) (result y1) (in-out y2))
    (expansion (bus2 y0 y1 y2) (bus NEWS y2 y1) (bus y2 NEWS y0) (bus2 y0 y1 y2) (bus y0 y1))
    (means (y0 (scale 1/2 y2)) (y1 (scale -1/2 y2)) (y2 y2))
    (in basic macro (bus compensated)))
  (macro div ((result y0) (result y1) (result y2) (source x))
    (expansion (bus2 y0 y1 x) (bus NEWS x y1) (bus y2 NEWS y0) (bus2 y0 y1 y2) (bus y0 y1))
    (means (y0 (scale 1/2 x)) (y1 (scale -1/2 x)) (y2 x))
    (distinct y0 y1 y2 x) ; with y2 = x it is the form above
    (in basic macro (bus compensated)))
  (macro diva ((in-out y0) (result y1) (result y2))
    (expansion (bus2 y1 y2 y0) (bus NEWS y1 y0) (bus y0 NEWS y2) (bus2 y1 y2 y0) (bus y0 y1))
    (means (y0 (scale 1/2 y0)) (y1 (scale -1/2 y0)) (y2 (scale -1/2 y0)))
    (in basic macro (bus compensated)))

  ; Neighbours: (at x d) is x of the neighbour in direction d.
  (macro movx ((result y) (source x) (direction d))
    (expansion (bus (at NEWS (opposite d)) x) (bus y NEWS))
    (means (y (at x d)))
    (in basic macro))
  (macro mov2x ((result y) (source x) (direction d) (direction e))
    (expansion (bus (at NEWS (opposite d)) x) (bus y (at NEWS e)))
    (means (y (at x d e)))
    (in macro))
  (macro addx ((result y) (source x0) (source x1) (direction d))
    (expansion (bus (at NEWS (opposite d)) x0 x1) (bus y NEWS))
    (means (y (at (sum x0 x1) d)))
    (in macro))
  (macro add2x ((result y) (source x0) (source x1) (direction d) (direction e))
    (expansion (bus (at NEWS (opposite d)) x0 x1) (bus y (at NEWS e)))
    (means (y (at (sum x0 x1) d e)))
    (in macro))
  (macro subx ((result y) (source x0) (direction d) (source x1))
    (expansion (bus (at NEWS (opposite d)) x0) (bus y NEWS x1))
    (means (y (sub (at x0 d) x1)))
    (in macro))
  (macro sub2x ((result y) (source x0) (direction d) (direction e) (source x1))
    (expansion (bus (at NEWS (opposite d)) x0) (bus y (at NEWS e) x1))
    (means (y (sub (at x0 d e) x1)))
    (in macro))

  ; Older spellings of movx and subx.
  (macro mov ((result y) (source x) (direction d))
    (expansion (bus (at NEWS (opposite d)) x) (bus y NEWS))
    (means (y (at x d)))
    (in macro))
  (macro sub ((result y) (source x0) (direction d) (source x1))
    (expansion (bus NEWS x0) (bus y (at NEWS d) x1))
    (means (y (sub (at x0 d) x1)))
    (in macro))

  ; n rounds of a sum over neighbours; in no instruction set, but programs may hold them. 31 rounds of the four
  ; neighbours have coefficients that still fit 64 bits.
  (macro newsblur ((result y) (source x) (count n 1 31))
    (expansion (bus NEWS x) (bus y XE XW XN XS) (repeat (less n 1) (bus NEWS y) (bus y XE XW XN XS))))
  (macro newsblurh ((result y) (source x) (count n 1 31))
    (expansion (bus NEWS x) (bus y XE XW) (repeat (less n 1) (bus NEWS y) (bus y XE XW))))
  (macro newsblurv ((result y) (source x) (count n 1 31))
    (expansion (bus NEWS x) (bus y XN XS) (repeat (less n 1) (bus NEWS y) (bus y XN XS))))

  ; v := gain · v + fixed pattern + temporal + relative · (sum of |weight · source|), each deviation Gaussian.
  (noise cpa-sim (source "Debrunner's cpa-sim, signal in -128…127")
    (gain 0.93) (fixed-pattern 0.05) (temporal 0.09) (relative 0))
  (noise cain (source "the emulator of Stow's Cain: 0.5 % of the magnitude of what was summed")
    (gain 1) (fixed-pattern 0) (temporal 0) (relative 0.005))

  (sources
    (brackets scamp5_dynamic_kernel_begin scamp5_dynamic_kernel_end)
    (masks where WHERE)
    (unmasks all ALL)
    ; The pixels are read by way of NEWS; the second form fetches the image at its full range, as two halves.
    (load get_image ((image y)) (clobbers NEWS))
    (load get_image ((image y) (scaled h -1/2)) (clobbers NEWS))

    ; Known, so that a refusal can say why: none of these leaves a linear function of analogue registers.
    (foreign "digital registers" MOV NOT OR NOR SET CLR AND NAND ANDX NANDX IMP NIMP XOR XORX MUX CLR_IF
      DNEWS DNEWS0 DNEWS1 PROP0 PROP1 REFRESH)
    (foreign "the light sensor" respix getpix rpix)
    (foreign "the sign of values" abs)
    (foreign "squares of values" sq)
    (foreign "asynchronous blurs, which depend on timing" blur blurh blurv blurset gauss gaussh gaussv)
    (foreign "the host's side" scamp5_in scamp5_load_in scamp5_load_dac scamp5_get_image scamp5_output_image)

    ; What AUKE prints: `B = south (A)`, or `south(A, B)` to be compiled with definitions like these. Halving and negation in
    ; place are right in AUKE's own simulator only.
    (alias north (y x) "movx(y, x, north);")
    (alias east (y x) "movx(y, x, east);")
    (alias south (y x) "movx(y, x, south);")
    (alias west (y x) "movx(y, x, west);")
    (alias div2 (y x) "divq(y, x);")
    (alias div2_inplace (y x) "divq(y, x);")
    (alias sneg (y x) "neg(y, x);")
    (alias neg_inplace (y x) "neg(y, x);")
    (alias add_twice (y x0 x1) "add(y, x0, x1);")
    (alias sub_inplace (y x0 x1) "sub(y, x0, x1);")))
