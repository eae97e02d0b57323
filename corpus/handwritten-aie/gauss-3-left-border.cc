// The first sixteen columns of a row: the pixel to the west of the first is that pixel again. There the coefficients are the
// data operand and the image the other one, of which every lane picks its own element.
alignas(32) static const int16_t coefficients[16] = {1, 2, 0, 1, 0, 2, 4, 0, 2, 0, 1, 2, 0, 1, 0, 0};

void gauss3_west(v16int16 *restrict row0, v16int16 *restrict row1, v16int16 *restrict row2, v16int16 *restrict out) {
    v16int16 taps = *(const v16int16 *)coefficients;
    v32int16 wide = concat(taps, null_v16int16());
    v16acc48 acc = mul16(wide, 0, 0x70707070, 0x70707070, 0x3020, *row0, 0, 0x65432100, 0xedcba987, 0);
    acc = mac16(acc, wide, 0, 0x72727272, 0x72727272, 0x3121, *row1, 0, 0x65432100, 0xedcba987, 0);
    acc = mac16(acc, wide, 0, 0x75757575, 0x75757575, 0x3020, *row2, 0, 0x65432100, 0xedcba987, 0);
    acc = mac16(acc, concat(*row0, *(row0 + 1)), 0, 0x03020100, 0x07060504, 0x2110, taps, 1, 0, 0, 2);
    acc = mac16(acc, concat(*row1, *(row1 + 1)), 0, 0x03020100, 0x07060504, 0x2110, taps, 6, 0, 0, 2);
    acc = mac16(acc, concat(*row2, *(row2 + 1)), 0, 0x03020100, 0x07060504, 0x2110, taps, 11, 0, 0, 2);
    *out = srs(acc, 4);
}
