// Not allowed: vectors begin at multiples of 16 bytes, and the second and third one begin one and two pixels further on.
alignas(32) static const int16_t k[16] = {1, 2, 1};

void row121(const int16_t *in, int16_t *out) {
    v16int16 z = *(const v16int16 *)k;
    for (int x = 0; x < 32; x += 16) {
        v32int16 pair = concat(*(v16int16 *)(in + x), *(v16int16 *)(in + x + 1));
        v16acc48 sum = mul16(pair, 0, 0x73727170, 0x77767574, 0x3120, z, 0, 0, 0, 1);
        pair = concat(*(v16int16 *)(in + x + 2), null_v16int16());
        sum = mac16(sum, pair, 0, 0x73727170, 0x77767574, 0x3120, z, 2, 0, 0, 1);
        *(v16int16 *)(out + x) = srs(sum, 2);
    }
}
