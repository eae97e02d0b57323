// A separable filter in two passes over memory: columns first, into a buffer, then rows of the buffer.
constexpr int WIDTH = 32, HEIGHT = 4, PITCH = 48;
alignas(32) static const int16_t k[16] = {1, 4, 6, 4, 1, 0};

void gauss5(const int16_t *restrict in, int16_t *restrict out) {
    alignas(32) int16_t columns[HEIGHT * PITCH];
    const v16int16 z = *(const v16int16 *)k;
    // Two rows in one register: lane i takes element i of both.
    for (int i = 0; i < HEIGHT * PITCH; i += 16) {
        const int16_t *p = in + i;
        v32int16 pair = concat(*(const v16int16 *)p, *(const v16int16 *)(p + PITCH));
        v16acc48 sum = mul16(pair, 0, 0x73727170, 0x77767574, 0x3120, z, 0, 0, 0, 1);
        pair = concat(*(const v16int16 *)(p + 2 * PITCH), *(const v16int16 *)(p + 3 * PITCH));
        sum = mac16(sum, pair, 0, 0x73727170, 0x77767574, 0x3120, z, 2, 0, 0, 1);
        pair = concat(*(const v16int16 *)(p + 4 * PITCH), null_v16int16());
        sum = mac16(sum, pair, 0, 0x73727170, 0x77767574, 0x3120, z, 4, 0, 0, 1);
        *(v16int16 *)(columns + i) = srs(sum, 0);
    }
    for (int y = 0; y < HEIGHT; ++y)
        for (int x = 0; x < WIDTH; x += 16) {
            const int16_t *p = columns + y * PITCH + x;
            v32int16 row = concat(*(const v16int16 *)p, *(const v16int16 *)(p + 16));
            v16acc48 sum = mul16(row, 0, 0x03020100, 0x07060504, 0x2110, z, 0, 0, 0, 1);
            sum = mac16(sum, row, 2, 0x03020100, 0x07060504, 0x2110, z, 2, 0, 0, 1);
            sum = mac16(sum, row, 4, 0x03020100, 0x07060504, 0x2110, z, 4, 0, 0, 1);
            *(v16int16 *)(out + y * WIDTH + x) = srs(sum, 8);
        }
}
