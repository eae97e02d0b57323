; A machine with memory that goes over images in scan order: row by row from the north, each row from the west.
; For every pixel it executes the same operations. What it computed before lies in delay lines: the value d pixels back is
; read from a line of d places. Costs are for one output pixel in the steady state, in any unit.
;
;   (addition N)        an addition or subtraction; a maximum, minimum or disjunction
;   (multiplication N)  a multiplication by a constant that is no power of two; a division by one, which is by its reciprocal
;   (shift N)           a multiplication or division by a power of two; of integers also the end of a division by another constant
;   (load N)            a value from a delay line, or a pixel; what the same pixel's operations computed is at hand, and so
;                       is what the operation itself computed for the pixel before
;   (kibibyte N)        1024 bytes of delay lines
;   (width N)           the row length that delay lines are counted for
;   (input streamed)    the pixels of the image come once and are kept in delay lines, which cost memory;
;   (input resident)    or the whole image can be read at any time
;
; Multiplications are made of shifts and additions where that costs less.
(stream-machine ops
  (doc "Operations per pixel on a machine with memory, in scan order")
  (addition 1)
  (multiplication 3)
  (shift 1/2)
  (load 1/2)
  (kibibyte 1/100)
  (width 1920)
  (input streamed))
