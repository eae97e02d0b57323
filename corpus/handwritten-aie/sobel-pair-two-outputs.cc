// Both Sobel filters from one set of loads: two accumulators, two outputs.
alignas(32) static const int32_t k[8] = {1, 2, -1, -2};

void sobel_pair(const int32_t *in, int32_t *gx, int32_t *gy) {
    v8int32 z = *(v8int32 *)k;
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 16; x += 8) {
            v16int32 n = concat(*(v8int32 *)(in + 24 * y + x), *(v8int32 *)(in + 24 * y + x + 8));
            v16int32 m = concat(*(v8int32 *)(in + 24 * y + x + 24), *(v8int32 *)(in + 24 * y + x + 32));
            v16int32 s = concat(*(v8int32 *)(in + 24 * y + x + 48), *(v8int32 *)(in + 24 * y + x + 56));
            v8acc80 a = lmul8(n, 0, 0x76543210, z, 0, 0);
            a = lmsc8(a, n, 2, 0x76543210, z, 0, 0);
            a = lmac8(a, m, 0, 0x76543210, z, 1, 0);
            a = lmsc8(a, m, 2, 0x76543210, z, 1, 0);
            a = lmac8(a, s, 0, 0x76543210, z, 0, 0);
            a = lmsc8(a, s, 2, 0x76543210, z, 0, 0);
            v8acc80 b = lmul8_antisym(n, 0, 0x76543210, s, 0, z, 0, 0);
            b = lmac8_antisym(b, n, 1, 0x76543210, s, 1, z, 1, 0);
            b = lmac8_antisym(b, n, 2, 0x76543210, s, 2, z, 0, 0);
            *(v8int32 *)(gx + 16 * y + x) = srs(a, 0);
            *(v8int32 *)(gy + 16 * y + x) = srs(b, 0);
        }
}
