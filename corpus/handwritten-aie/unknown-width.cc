// The bounds of the loop come when it runs.
void halves(const int32_t *in, int32_t *out, int width) {
    int32_t weights[8] = {1};
    for (int x = 0; x < width; x += 8)
        *(v8int32 *)(out + x) = srs(lmul8(concat(*(v8int32 *)(in + x), null_v8int32()), 0, 0x76543210, *(v8int32 *)weights, 0, 0), 1);
}
