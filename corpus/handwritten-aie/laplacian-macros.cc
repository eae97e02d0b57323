// The four neighbours less four times the pixel, with macros for what repeats and a function for a row's window.
alignas(32) static const int32_t coefficients[8] = {1, -4};
#define TAP(SUM, ROW, START, Z) SUM = lmac8(SUM, ROW, START, 0x76543210, z, Z, 0)

static inline v16int32 window(const int32_t *row, int x) {
    v16int32 both = undef_v16int32();
    both = upd_w(both, 0, *(const v8int32 *)(row + x));
    return upd_w(both, 1, *(const v8int32 *)(row + x + 8));
}

void laplacian(const int32_t *north, const int32_t *middle, const int32_t *south, int32_t *out) {
    v8int32 z = *(const v8int32 *)coefficients;
    int x = 0;
    while (x < 32) {
        v16int32 row = window(north, x);
        v8acc80 sum = lmul8(row, 1, 0x76543210, z, 0, 0);
        row = window(middle, x);
        TAP(sum, row, 0, 0);
        TAP(sum, row, 1, 1);
        TAP(sum, row, 2, 0);
        row = window(south, x);
        TAP(sum, row, 1, 0);
        *(v8int32 *)(out + x) = srs(sum, 0);
        x += 8;
    }
}
