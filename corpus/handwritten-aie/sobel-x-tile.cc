// A tile of 64×4 outputs: one pointer, rows of 80 pixels, every row of taps padded to four.
alignas(32) static const int16_t k[16] = {1, 0, -1, 0, 2, 0, -2, 0, 1, 0, -1, 0};
constexpr int WIDTH = 64, HEIGHT = 4, PITCH = 80;

extern "C" void sobel_x(const int16_t *__restrict in, int16_t *__restrict out) {
    const v16int16 z = *(const v16int16 *)k;
    for (int y = 0; y < HEIGHT; ++y)
        for (int x = 0; x < WIDTH; x += 16) {
            const int16_t *p = in + y * PITCH + x;
            v32int16 a = concat(*(const v16int16 *)p, *(const v16int16 *)(p + 16));
            p += PITCH;
            v32int16 b = concat(*(const v16int16 *)p, *(const v16int16 *)(p + 16));
            p += PITCH;
            v32int16 c = concat(*(const v16int16 *)p, *(const v16int16 *)(p + 16));
            v16acc48 sum = mul16(a, 0, 0x03020100, 0x07060504, 0x2110, z, 0, 0, 0, 1);
            sum = mac16(sum, a, 2, 0x03020100, 0x07060504, 0x2110, z, 2, 0, 0, 1);
            sum = mac16(sum, b, 0, 0x03020100, 0x07060504, 0x2110, z, 4, 0, 0, 1);
            sum = mac16(sum, b, 2, 0x03020100, 0x07060504, 0x2110, z, 6, 0, 0, 1);
            sum = mac16(sum, c, 0, 0x03020100, 0x07060504, 0x2110, z, 8, 0, 0, 1);
            sum = mac16(sum, c, 2, 0x03020100, 0x07060504, 0x2110, z, 10, 0, 0, 1);
            *(v16int16 *)(out + y * WIDTH + x) = srs(sum, 0);
        }
}
