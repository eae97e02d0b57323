; A machine with memory that goes over images in scan order: row by row from the north, each row from the west.
; It executes the same operations for every pixel. Earlier results lie in delay lines: the value d pixels back is
; read from a line of d places. Costs are for one output pixel in the steady state, in any unit, to three decimals.
;
;   (addition N)        an addition or subtraction; a maximum, minimum or disjunction
;   (multiplication N)  a multiplication by a constant that is not a power of two; a division by one, done by its reciprocal
;   (shift N)           a multiplication or division by a power of two; for integers also the end of a division by another constant
;   (load N)            a value from a delay line, or a pixel; results for the same pixel are free, and so is the
;                       operation's own result for the previous pixel
;   (kibibyte N)        1024 bytes of delay lines
;   (width N)           the row length that delay lines are counted for
;   (input streamed)    the pixels of the image arrive once and are kept in delay lines, which cost memory;
;   (input resident)    or the whole image can be read at any time
;
; Multiplications are expanded into shifts and additions where that costs less.
(stream-machine ops
  (doc "Operations per pixel on a machine with memory, in scan order")
  (addition 1)
  (multiplication 3)
  (shift 1/2)
  (load 1/2)
  (kibibyte 1/100)
  (width 1920)
  (input streamed))
