// An intrinsic whose meaning kalg does not know.
void minimum(const int16_t *in, int16_t *out) {
    v32int16 data = concat(*(v16int16 *)in, *(v16int16 *)(in + 16));
    *(v16int16 *)out = min16(data, 0, 0x03020100, 0x07060504, data, 2, 0x03020100, 0x07060504);
}
