// The outer rows have the same taps: both are in one buffer, and are added before they are multiplied.
alignas(32) static const int16_t k[16] = {1, 2, 1, 0, 2, 4, 2, 0};
#define SLIDE 0x03020100, 0x07060504, 0x2110

void gauss3_symmetric(const int16_t *restrict north, const int16_t *restrict middle, const int16_t *restrict south,
                      int16_t *restrict out) {
    const v16int16 z = *(const v16int16 *)k;
    set_rnd(rnd_pos_inf);
    set_sat();
    for (int i = 0; i < 8; ++i) {
        v32int16 n = concat(*(const v16int16 *)north, *(const v16int16 *)(north + 16));
        v32int16 m = concat(*(const v16int16 *)middle, *(const v16int16 *)(middle + 16));
        v32int16 s = concat(*(const v16int16 *)south, *(const v16int16 *)(south + 16));
        v64int16 outer = concat(n, s);
        v16acc48 sum = mul16_sym(outer, 0, SLIDE, 32, 0x2110, z, 0, 0, 0, 1);
        sum = mac16_sym(sum, outer, 2, SLIDE, 34, 0x2110, z, 2, 0, 0, 1);
        sum = mac16(sum, m, 0, SLIDE, z, 4, 0, 0, 1);
        sum = mac16(sum, m, 2, SLIDE, z, 6, 0, 0, 1);
        *(v16int16 *)out = srs(sum, 4);
        north += 16; middle += 16; south += 16; out += 16;
    }
}
