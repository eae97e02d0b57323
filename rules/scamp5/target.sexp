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
; (registers FILE NAME…)        a file of interchangeable registers; inputs and results are in the largest file, of equal ones the first
; (view NAME REGISTER DIRECTION)  (NAME ALIAS…) for one with further names: as a source, that neighbour's REGISTER; as a destination, a write into it; such a
;                               register is the only one of its file
; (operand-rules RULE…)         each-operand-once: no register or view appears twice in an operation;
;                               written-not-read: a register written in any view is not read in any view
; (isa NAME DIVISION "TEXT")    an instruction set, and its default division: quick or compensated; behind it may stand
;                               (estimate (QUANTITY WEIGHT)…), the weights of the search's estimate (docs/heuristic.md)
; (operation NAME (destinations N) (sources LEAST MOST) (weights W…) (cycles N) (in ISA…))
;                               each destination := Σ weight · source; one weight for all sources, or one per source;
;                               (in ISA) or (in (ISA DIVISION)): where it may be used by itself
; (macro NAME (OPERAND…) (expansion OPERATION…) (means (OPERAND VALUE)…) (distinct OPERAND…) (in ISA…))
;                               operands: (result y) (source x) (in-out x) (direction d) (count n LEAST MOST), registers
;                               of the first file, or (source x FILE); in the expansion (at REGISTER d) and
;                               (at REGISTER (opposite d)) are views, (repeat n …) and (repeat (less n 1) …) rounds
; (bits NAME…)                  one-bit registers; (NAME ALIAS…) for one with further names
; (flag NAME)                   the bit that says where analogue registers are written; it is 1 everywhere at the start
; (gated BIT GATE)              the bit is written only where the gate is 1
; (given NAME image|number|bits)  a source that is set from outside: an image, one number for all elements, one bit for each
; (directions NAME DIRECTION…)  a name for a set of directions; in programs, sets are also written east|north
; (instruction NAME (OPERAND…) STEP…)
;                               an instruction that is not a linear function of registers. Operands: (result d FILE),
;                               (source s FILE), (results d FILE LEAST MOST), (sources s FILE LEAST MOST), (directions w),
;                               (number n LEAST MOST); FILE is a register file, `bits`, or `any` for what an operation may read.
;   (set CYCLES (BIT TERM)…)    bits take the values of terms, all at once. No bit may be both read and written.
;   (update CYCLES (BIT TERM)…) the same, where a bit may be read and written
;   (flood CYCLES (BIT TERM)…)  the same, repeated until nothing changes
;   (do INSTRUCTION OPERAND…)   another instruction, at its cost
;   (choose NUMBER STEP…)       the first step if the number is the least it can be, the second if it is one more, …
;   (number REGISTER NUMBER)    a number, in all elements
;   (inexact CYCLES "WHAT" REGISTER…)  what no exact rule describes; CYCLES or (CYCLES EACH NUMBER), so many more for each unit
;   (lost REGISTER…)            what it destroys besides, with values that are not documented
;   (wait CYCLES)               nothing
;   (means (BIT TERM)…)         what it leaves in results, whatever operands share a register; compared with the steps
;                               terms: 0 1 BIT (not T) (and T…) (or T…) (at BIT DIRECTION BEYOND), the neighbour's, BEYOND
;                               the edge 0 or 1; (has DIRECTIONS DIRECTION); (positive REGISTER…), their sum is above 0.
;                               A (sources …) or (results …) operand stands for each of its registers
; (noise NAME (source "TEXT") (gain X) (fixed-pattern X) (temporal X) (relative X))
; (sources PART…)               what source programs hold besides instructions, for `kalg check` and `kalg run`:
;                               (brackets BEGIN END) further calls around a program; (masks NAME…) and (unmasks NAME…)
;                               calls between which only some elements execute; (foreign "WHAT" NAME…) calls that act on
;                               no register; (alias NAME (OPERAND…) "INSTRUCTIONS") names that other compilers print
; (numbers (DIRECTION NUMBER)…) a part of sources: numbers for directions; sums of them are sets
; further parts of sources: (spelling OTHER USUAL), names that begin with OTHER are read as if they began with USUAL;
;                               (types FILE NAME…), the types of parameters, where FILE is a register file, `bits` or
;                               `directions`; (lambdas NAME…) words that mark a lambda as a program; (host EFFECT NAME…) calls
;                               between programs, where EFFECT is (nothing), (instruction N…): the instruction of that name
;                               with these operands of the call, (unknown N…): these operands take contents that depend on
;                               more than the program, (runs N): a program by name; a NAME that ends in * stands for all that begin
;                               so; (unknown FILE NAME) the instruction that stands for such calls; (recorded BEGIN…) calls that
;                               begin a program which is recorded when it first runs, and then repeated as it is
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
  ; PIX is the light measured by the pixel, relative to its reset level; IN is set by the host.
  (given PIX image)
  (given IN number)
  ; Old libraries call the neighbours' registers NORTH and so on.
  (view (XN NORTH) NEWS north)
  (view (XE EAST) NEWS east)
  (view (XS SOUTH) NEWS south)
  (view (XW WEST) NEWS west)

  ; R1 to R4 choose the neighbours that DNEWS reads, R0 where R12 is written, and FLAG where analogue registers are.
  (bits (R0 RF) (R1 RS) (R2 RW) (R3 RN) (R4 RE) (R5 S0) (R6 S1) (R7 S2) (R8 S3) (R9 S4) (R10 S5) (R11 S6) (R12 RP))
  (flag FLAG)
  (gated R12 R0)
  (given SELECT bits)
  (given RECT bits)
  (directions alldir east north west south)

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

  ; Digital operations, one cycle each. A bit cannot be read and written in one of them.
  (instruction where ((sources a any 1 3)) (set 1 (FLAG (positive a))))
  (instruction all () (set 1 (FLAG 1)))
  (instruction ALL () (set 1 (FLAG 1)))
  (instruction WHERE ((sources s bits 1 3)) (set 1 (FLAG (or s))))
  (instruction SET ((results d bits 1 4)) (set 1 (d 1)))
  (instruction CLR ((results d bits 1 4)) (set 1 (d 0)))
  (instruction MOV ((result d bits) (source s bits)) (set 1 (d s)))
  (instruction NOT ((result d bits) (source s bits)) (set 1 (d (not s))))
  (instruction OR ((result d bits) (sources s bits 2 4)) (set 1 (d (or s))))
  (instruction NOR ((result d bits) (sources s bits 2 4)) (set 1 (d (not (or s)))))
  (instruction DNEWS0 ((result d bits) (source s bits))
    (set 1 (d (or (and R1 (at s south 0)) (and R2 (at s west 0)) (and R3 (at s north 0)) (and R4 (at s east 0))))))
  (instruction DNEWS1 ((result d bits) (source s bits))
    (set 1 (d (or (and R1 (at s south 1)) (and R2 (at s west 1)) (and R3 (at s north 1)) (and R4 (at s east 1))))))
  (instruction nop () (wait 1))

  ; Digital macros. R0 is the scratch register of most; where its final value is not documented, it is lost.
  (instruction NOT ((result d bits)) (update 2 (d (not d))) (lost R0))
  (instruction OR ((result d bits) (source s bits)) (update 2 (d (or d s))) (lost R0))
  (instruction NOR ((result d bits) (source s bits)) (update 2 (d (not (or d s)))) (lost R0))
  (instruction AND ((result d bits) (source x bits) (source y bits))
    (do SET R0) (do NOT R12 x) (do NOT R0 y) (do NOR d R12 R0)
    (means (d (and x y))))
  (instruction NAND ((result d bits) (source x bits) (source y bits))
    (do SET R0) (do NOT R12 x) (do NOT R0 y) (do OR d R12 R0)
    (means (d (not (and x y)))))
  (instruction ANDX ((result d bits) (result b bits) (source x bits))
    (do NOT R0 b) (do NOT b x) (do NOR d R0 b)
    (means (d (and b x)) (b (not x))))
  (instruction NANDX ((result d bits) (result b bits) (source x bits))
    (do NOT R0 b) (do NOT b x) (do OR d R0 b)
    (means (d (not (and b x))) (b (not x))))
  (instruction IMP ((result d bits) (source x bits) (source y bits))
    (do NOT R0 y) (do OR d x R0)
    (means (d (or x (not y)))))
  (instruction NIMP ((result d bits) (source x bits) (source y bits))
    (do NOT R0 y) (do NOR d x R0)
    (means (d (and (not x) y))))
  (instruction XORX ((result d bits) (result x bits) (source y bits))
    (do NOT R0 y) (do NOR d x R0) (do NOT R0 x) (do NOR x y R0) (do OR d x)
    (means (d (or (and x (not y)) (and y (not x)))))
    (lost x R0))
  ; What libraries before that of 2020 call it.
  (instruction XOR ((result d bits) (result x bits) (source y bits)) (do XORX d x y)
    (means (d (or (and x (not y)) (and y (not x)))))
    (lost x R0))
  (instruction MUX ((result d bits) (source x bits) (source y bits) (source z bits))
    (do SET R0) (do MOV R12 z) (do MOV R0 x) (do MOV R12 y) (do MOV d R12)
    (means (d (or (and x y) (and (not x) z))))
    (lost R0 R12))
  (instruction CLR_IF ((result d bits) (source x bits))
    (do NOT R0 d) (do NOR d R0 x)
    (means (d (and d (not x))))
    (lost R0))
  (instruction DNEWS ((result d bits) (source s bits) (directions w))
    (set 2 (R1 (has w south)) (R2 (has w west)) (R3 (has w north)) (R4 (has w east)))
    (do DNEWS0 d s)
    (means (d (or (and (has w south) (at s south 0)) (and (has w west) (at s west 0))
                  (and (has w north) (at s north 0)) (and (has w east) (at s east 0))))))
  (instruction DNEWS ((result d bits) (source s bits) (directions w) (number boundary 0 1))
    (set 2 (R1 (has w south)) (R2 (has w west)) (R3 (has w north)) (R4 (has w east)))
    (choose boundary (do DNEWS0 d s) (do DNEWS1 d s))
    (means (d (or (and (has w south) (at s south 0)) (and (has w west) (at s west 0))
                  (and (has w north) (at s north 0)) (and (has w east) (at s east 0))))))
  ; R12 spreads through the elements where R0 is 1.
  (instruction PROP0 ()
    (flood 2 (R12 (or R12 (at R12 south 0) (at R12 west 0) (at R12 north 0) (at R12 east 0)))))
  (instruction PROP1 ()
    (flood 2 (R12 (or R12 (at R12 south 1) (at R12 west 1) (at R12 north 1) (at R12 east 1)))))
  (instruction REFRESH ((result d bits)) (wait 2) (lost R0))

  (instruction abs ((result y general) (source x general))
    (do bus NEWS) (do bus y NEWS x) (do bus NEWS x) (do where x) (do bus y NEWS) (do all))

  ; The light sensor. After a reset, PIX is another image.
  (instruction rpix () (wait 1) (lost PIX))
  (instruction respix () (wait 3) (lost PIX))
  (instruction respix ((result y general)) (wait 5) (lost PIX y NEWS))
  (instruction getpix ((result y general) (source r general)) (do bus NEWS PIX) (do bus y NEWS))
  (instruction getpix ((result y general) (result h general) (source r general))
    (do bus NEWS PIX) (do bus y NEWS) (do bus2 h NEWS PIX))
  (instruction get_image ((result y general)) (do bus NEWS PIX) (do bus y NEWS) (wait 3) (lost PIX NEWS))
  (instruction get_image ((result y general) (result h general))
    (do bus NEWS PIX) (do bus y NEWS) (do bus2 h NEWS PIX) (wait 3) (lost PIX NEWS))

  ; Analogue processes whose results depend on timing and on the machine. Where `sq` leaves its square is not documented.
  (instruction sq ((sources s any 1 2)) (inexact 1 "the square of a value" A B C D E F NEWS))
  (instruction blur ((results y general 1 3)) (inexact 1 "an asynchronous blur" y NEWS))
  (instruction blurh ((results y general 1 3)) (inexact 1 "an asynchronous blur" y NEWS))
  (instruction blurv ((results y general 1 3)) (inexact 1 "an asynchronous blur" y NEWS))
  (instruction blurset () (inexact 1 "an asynchronous blur" NEWS))
  (instruction gauss ((result y general) (source x general) (number n 0 1000))
    (inexact (1 2 n) "an asynchronous blur" y NEWS) (lost R1 R2))
  (instruction gaussh ((result y general) (source x general) (number n 0 1000))
    (inexact (1 2 n) "an asynchronous blur" y NEWS) (lost R1 R2))
  (instruction gaussv ((result y general) (source x general) (number n 0 1000))
    (inexact (1 2 n) "an asynchronous blur" y NEWS) (lost R1 R2))

  ; Numbers from the host. They reach a register by way of IN and a temporary register, NEWS unless the call names another. Without its
  ; numbers an instruction stands for a call of which not all numbers are known.
  (instruction scamp5_in ((result a general)) (lost a IN NEWS))
  (instruction scamp5_in ((result a general) (number v -128 127)) (number a v) (lost IN NEWS))
  (instruction scamp5_in ((result a general) (result t any)) (lost a IN t))
  (instruction scamp5_in ((result a general) (number v -128 127) (result t any)) (number a v) (lost IN t))
  (instruction scamp5_load_in () (lost IN))
  (instruction scamp5_load_in ((number v -128 127)) (number IN v))
  (instruction scamp5_load_in ((result a general)) (lost a IN NEWS))
  (instruction scamp5_load_in ((result a general) (number v -128 127)) (number a v) (lost IN NEWS))
  (instruction scamp5_load_in ((result a general) (result t any)) (lost a IN t))
  (instruction scamp5_load_in ((result a general) (number v -128 127) (result t any)) (number a v) (lost IN t))
  ; What value a setting of the converter stands for is not documented.
  (instruction scamp5_load_dac () (lost IN))
  (instruction scamp5_load_dac ((number v 0 4095)) (lost IN))
  (instruction scamp5_load_dac ((result a general)) (lost a IN NEWS))
  (instruction scamp5_load_dac ((result a general) (number v 0 4095)) (lost a IN NEWS))
  (instruction scamp5_load_dac ((result a general) (result t any)) (lost a IN t))
  (instruction scamp5_load_dac ((result a general) (number v 0 4095) (result t any)) (lost a IN t))

  ; Instructions that the host sends by calls of its own.
  (instruction scamp5_kernel_all () (set 1 (FLAG 1)))
  (instruction scamp5_kernel_refresh_dreg () (lost R0))

  ; Patterns from the host, whose places its code computes by way of SELECT and RECT; readout, after which a register is not documented
  ; to be as it was; and calls of other functions.
  (instruction scamp5_select_point () (lost SELECT))
  (instruction scamp5_select_pattern () (lost SELECT))
  (instruction scamp5_select_row () (lost SELECT))
  (instruction scamp5_select_col () (lost SELECT))
  (instruction scamp5_select_rowx () (lost SELECT))
  (instruction scamp5_select_colx () (lost SELECT))
  (instruction scamp5_select_rect () (lost SELECT RECT))
  (instruction scamp5_load_point ((result d bits)) (lost d SELECT))
  (instruction scamp5_load_rect ((result d bits)) (lost d SELECT RECT))
  (instruction scamp5_load_region ((result d bits)) (lost d SELECT RECT))
  (instruction scamp5_load_pattern ((result d bits)) (lost d SELECT))
  (instruction scamp5_scan_events ((result d bits)) (lost d))
  (instruction scamp5_draw_begin ((result d bits)) (lost d SELECT RECT))
  ; These work by the array's own operations, whose registers they take.
  (instruction scamp5_shift ((result d bits)) (lost d R0 R1 R2 R3 R4))
  (instruction scamp5_shift ((result a general)) (lost a NEWS))
  (instruction scamp5_flood ((result d bits)) (lost d R0 R1 R2 R3 R4 R12))
  (instruction scamp5_diffuse ((result a general)) (lost a NEWS R1 R2))
  (instruction scamp5_diffuse ((result a general) (number n 0 32768)) (lost a NEWS R1 R2))
  (instruction scamp5_diffuse ((result a general) (result t any)) (lost a t NEWS R1 R2))
  (instruction scamp5_diffuse ((result a general) (number n 0 32768) (number v 0 1)) (lost a NEWS R1 R2))
  (instruction scamp5_diffuse ((result a general) (number n 0 32768) (number v 0 1) (number h 0 1)) (lost a NEWS R1 R2))
  (instruction scamp5_diffuse ((result a general) (number n 0 32768) (number v 0 1) (number h 0 1) (result t any))
    (lost a t NEWS R1 R2))
  ; The exposure, which is then in PIX no more; the gain of the call is part of the image.
  (instruction scamp5_get_image ((result y general) (result h general)) (do get_image y h) (lost h))
  (instruction scamp5_global_count ((source d bits) (result t any)) (lost t NEWS IN))
  (instruction unknown_values ((results a general 1 6)) (lost a))
  (instruction unknown_bits ((results d bits 1 8)) (lost d))

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

    (numbers (east 1) (west 2) (north 4) (south 8))
    ; Known, so that a refusal can say why.
    (foreign "control lines, not on registers" icw)

    ; SCAMP-7 sources are alike but for these beginnings.
    (spelling scamp7_ scamp5_)
    (brackets scamp5_kernel_begin_print scamp5_kernel_end)
    (recorded scamp5_kernel_begin scamp5_kernel_begin_print)
    (types general AREG ASRC areg_t aref_t)
    (types bits DREG DSRC dreg_t dref_t)
    (types directions news_t)
    (lambdas scamp5_kernel scamp5_kernel_api scamp7_kernel scamp7_kernel_api)
    (host (runs 1) scamp5_launch_kernel)
    (host (instruction 1 2 3) scamp5_in scamp5_load_in scamp5_load_dac)
    (host (instruction) scamp5_kernel_all scamp5_kernel_refresh_dreg scamp5_select_point scamp5_select_pattern
      scamp5_select_row scamp5_select_col scamp5_select_rowx scamp5_select_colx scamp5_select_rect)
    (host (instruction 1) scamp5_load_point scamp5_load_rect scamp5_load_region scamp5_load_pattern scamp5_scan_events)
    (host (instruction 1) scamp5_shift scamp5_flood scamp5_draw_begin)
    (host (instruction 1 2 3 4 5) scamp5_diffuse)
    (host (instruction 1 2) scamp5_global_count scamp5_get_image)
    (host (nothing) scamp5_draw_end scamp5_draw_pixel scamp5_draw_point scamp5_draw_line scamp5_draw_rect scamp5_draw_circle
      scamp5_draw_negate)
    (host (unknown 1) scamp5_load_image)
    (unknown general unknown_values)
    (unknown bits unknown_bits)
    (host (nothing) scamp5_output_image scamp5_output_areg scamp5_output_dreg scamp5_output_analog scamp5_output_digital
      scamp5_output_boundingbox scamp5_output_events scamp5_output_bitstack_begin scamp5_output_bitstack_bit
      scamp5_output_bitstack_end scamp5_display_image scamp5_display_events scamp5_display_boundingbox
      scamp5_global_or scamp5_global_sum_16 scamp5_global_sum_64 scamp5_global_sum_256 scamp5_global_sum_fast
      scamp5_global_sum_sparse scamp5_scan_areg scamp5_scan_areg_8x8 scamp5_scan_areg_16x16
      scamp5_scan_areg_mean_8x8 scamp5_scan_boundingbox scamp5_scan_dreg scamp5_read_areg scamp5_read_dreg scamp5_print_areg
      scamp5_bind_io_agent)
    ; The system's calls and the C library's.
    (host (nothing) vs_* printf sprintf snprintf puts memset memcpy sizeof usleep rand srand time)

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
