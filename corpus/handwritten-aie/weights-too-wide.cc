// The middle coefficient is no int16_t: a compiler refuses it, or stores another number.
alignas(32) static const int16_t k[16] = {1, 40000, 1};
void filter(const int16_t *in, int16_t *out) {
    v32int16 x = {};
    x = upd_w(x, 0, *(const v16int16 *)in);
    x = upd_w(x, 1, *(const v16int16 *)(in + 16));
    v16int16 z = *(const v16int16 *)k;
    v16acc48 acc = mul16(x, 0, 0x03020100, 0x07060504, 0x2110, z, 0, 0, 0, 1);
    acc = mac16(acc, x, 2, 0x03020100, 0x07060504, 0x2110, z, 2, 0, 0, 1);
    *(v16int16 *)out = srs(acc, 16);
}
