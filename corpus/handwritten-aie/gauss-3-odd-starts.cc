// The inside of an image, 16 outputs a round, in the style of vendors' libraries: a window that starts at an odd place is
// taken from the even place before it with the square 0x3221, and a zero stands behind every third coefficient.
#define LANES 16
#define SHIFT 4

void gauss3_inside(v16int16 *restrict image, v16int16 *restrict result, const int width, const int stride) {
    static const int16_t coefficients[16] = {1, 2, 0, 1, 0, 2, 4, 0, 2, 0, 1, 2, 0, 1, 0, 0};
    v16int16 taps = *(v16int16 *)(&coefficients[0]);
    v16int16 *restrict row0 = image;
    v16int16 *restrict row1 = image + 1 * stride / LANES;
    v16int16 *restrict row2 = image + 2 * stride / LANES;
    v16acc48 acc;

    for (int x = 0; x < width - 2 * LANES; x += LANES)
        chess_prepare_for_pipelining {
            v32int16 data;
            data = upd_w(data, 0, *(row0++));
            data = upd_w(data, 1, *(row0));
            acc = mul16(data, 6, 0x03020100, 0x07060504, 0x3221, taps, 0, 0, 0, 1);
            acc = mac16(acc, data, 8, 0x03020100, 0x07060504, 0x3221, taps, 3, 0, 0, 1);

            data = upd_w(data, 0, *(row1++));
            data = upd_w(data, 1, *(row1));
            acc = mac16(acc, data, 6, 0x03020100, 0x07060504, 0x3221, taps, 5, 0, 0, 1);
            acc = mac16(acc, data, 8, 0x03020100, 0x07060504, 0x3221, taps, 8, 0, 0, 1);

            data = upd_w(data, 0, *(row2++));
            data = upd_w(data, 1, *(row2));
            acc = mac16(acc, data, 6, 0x03020100, 0x07060504, 0x3221, taps, 10, 0, 0, 1);
            acc = mac16(acc, data, 8, 0x03020100, 0x07060504, 0x3221, taps, 13, 0, 0, 1);

            *(result++) = srs(acc, SHIFT);
        }
}
