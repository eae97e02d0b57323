// Wrong: no sum is begun, and every round adds to the one before.
alignas(32) static const int16_t k[16] = {1, 2, 1, 0, 2, 4, 2, 0, 1, 2, 1, 0};

void gauss3(v16int16 *restrict row0, v16int16 *restrict row1, v16int16 *restrict row2, v16int16 *restrict out) {
    v16int16 z = *(const v16int16 *)k;
    v32int16 data;
    v16acc48 acc;
    for (int x = 0; x < 64; x += 16) {
        data = upd_w(data, 0, *row0++);
        data = upd_w(data, 1, *row0);
        acc = mac16(acc, data, 0, 0x03020100, 0x07060504, 0x2110, z, 0, 0, 0, 1);
        acc = mac16(acc, data, 2, 0x03020100, 0x07060504, 0x2110, z, 2, 0, 0, 1);
        data = upd_w(data, 0, *row1++);
        data = upd_w(data, 1, *row1);
        acc = mac16(acc, data, 0, 0x03020100, 0x07060504, 0x2110, z, 4, 0, 0, 1);
        acc = mac16(acc, data, 2, 0x03020100, 0x07060504, 0x2110, z, 6, 0, 0, 1);
        data = upd_w(data, 0, *row2++);
        data = upd_w(data, 1, *row2);
        acc = mac16(acc, data, 0, 0x03020100, 0x07060504, 0x2110, z, 8, 0, 0, 1);
        acc = mac16(acc, data, 2, 0x03020100, 0x07060504, 0x2110, z, 10, 0, 0, 1);
        *out++ = srs(acc, 4);
    }
}
