; Median of 3×3 pixels: each column is sorted; the median is that of the greatest least, the middle of the middles, and the least
; greatest.
; Source: Smith, Implementing median filters in XC4000E FPGAs (1996).
(pipeline median
  (inputs (image uint8))
  (border replicate)
  (let north (at image 0 1))
  (let south (at image 0 -1))
  (let low (min north image south))
  (let high (max north image south))
  (let middle (max (min north image) (min (max north image) south)))
  (let lows (max (at low -1 0) low (at low 1 0)))
  (let highs (min (at high -1 0) high (at high 1 0)))
  (let west (at middle -1 0))
  (let east (at middle 1 0))
  (let middles (max (min west middle) (min (max west middle) east)))
  (output out uint8 (max (min lows middles) (min (max lows middles) highs))))
