// Any 3×3 filter: the weights come when it runs, row by row, each row padded to four.
void filter3(const int16_t *restrict weights, const int16_t *restrict in, int16_t *restrict out, int shift) {
    v16int16 z = *(const v16int16 *)weights;
    for (int x = 0; x < 32; x += 16) {
        v16acc48 sum;
        for (int row = 0; row < 3; row++) {
            const int16_t *p = in + 48 * row + x;
            v32int16 data = concat(*(const v16int16 *)p, *(const v16int16 *)(p + 16));
            if (row == 0)
                sum = mul16(data, 0, 0x03020100, 0x07060504, 0x2110, z, 4 * row, 0, 0, 1);
            else
                sum = mac16(sum, data, 0, 0x03020100, 0x07060504, 0x2110, z, 4 * row, 0, 0, 1);
            sum = mac16(sum, data, 2, 0x03020100, 0x07060504, 0x2110, z, 4 * row + 2, 0, 0, 1);
        }
        *(v16int16 *)(out + x) = srs(sum, shift);
    }
}
