// A 3×3 binomial filter of 32-bit pixels: one pointer for each row, eight outputs a round, windows of nine from 16.
#include <cstdint>

alignas(32) static const int32_t taps[16] = {1, 2, 1, 2, 4, 2, 1, 2, 1};

void gauss3(const int32_t *restrict north, const int32_t *restrict middle, const int32_t *restrict south,
            int32_t *restrict out) {
    v8int32 first = *(const v8int32 *)taps;
    v8int32 last = *(const v8int32 *)(taps + 8);
    v16int32 row;
    for (int x = 0; x < 64; x += 8) chess_prepare_for_pipelining chess_loop_range(8, ) {
        row = upd_w(row, 0, *(const v8int32 *)(north + x));
        row = upd_w(row, 1, *(const v8int32 *)(north + x + 8));
        v8acc80 sum = lmul8(row, 0, 0x76543210, first, 0, 0);
        sum = lmac8(sum, row, 1, 0x76543210, first, 1, 0);
        sum = lmac8(sum, row, 2, 0x76543210, first, 2, 0);
        row = upd_w(row, 0, *(const v8int32 *)(middle + x));
        row = upd_w(row, 1, *(const v8int32 *)(middle + x + 8));
        sum = lmac8(sum, row, 0, 0x76543210, first, 3, 0);
        sum = lmac8(sum, row, 1, 0x76543210, first, 4, 0);
        sum = lmac8(sum, row, 2, 0x76543210, first, 5, 0);
        row = upd_w(row, 0, *(const v8int32 *)(south + x));
        row = upd_w(row, 1, *(const v8int32 *)(south + x + 8));
        sum = lmac8(sum, row, 0, 0x76543210, first, 6, 0);
        sum = lmac8(sum, row, 1, 0x76543210, first, 7, 0);
        sum = lmac8(sum, row, 2, 0x76543210, last, 0, 0);
        *(v8int32 *)(out + x) = srs(sum, 4);
    }
}
