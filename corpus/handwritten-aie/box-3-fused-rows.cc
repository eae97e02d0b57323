// No column is padded: the third taps of the first two rows are one operation on a register that holds both rows.
v64int16 rows;
const int16_t *restrict in;
int16_t *restrict out;
alignas(32) const int16_t ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 0};

v16int16 z = *(const v16int16 *)ones;
for (int x = 0; x < 48; x += 16) {
    rows = upd_w(rows, 0, *(const v16int16 *)(in + x));
    rows = upd_w(rows, 1, *(const v16int16 *)(in + x + 16));
    rows = upd_w(rows, 2, *(const v16int16 *)(in + x + 64));
    rows = upd_w(rows, 3, *(const v16int16 *)(in + x + 80));
    v32int16 third = concat(*(const v16int16 *)(in + x + 128), *(const v16int16 *)(in + x + 144));
    v16acc48 sum = mul16(rows, 0, 0x03020100, 0x07060504, 0x2110, z, 0, 0, 0, 1);
    sum = mac16(sum, rows, 32, 0x03020100, 0x07060504, 0x2110, z, 2, 0, 0, 1);
    sum = mac16(sum, rows, 2, 0xf3f2f1f0, 0xf7f6f5f4, 0x3120, z, 4, 0, 0, 1);
    sum = mac16(sum, third, 0, 0x03020100, 0x07060504, 0x2110, z, 6, 0, 0, 1);
    sum = mac16(sum, third, 2, 0x03020100, 0x07060504, 0x2110, z, 8, 0, 0, 1);
    *(v16int16 *)(out + x) = srs(sum, 0);
}
