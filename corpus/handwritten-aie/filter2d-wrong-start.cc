// As filter2d-style.cc, with the weights of sobel-x, and the second row starts two elements too early.
void filter2d(int16_t *__restrict img_out, const int16_t *__restrict img_in) {
    v16int16 *restrict row0 = (v16int16 *)(img_in);
    v16int16 *restrict row1 = (v16int16 *)(img_in + 80);
    v16int16 *restrict row2 = (v16int16 *)(img_in + 160);
    v16int16 *restrict out = (v16int16 *)(img_out);
    alignas(32) static const int16_t kcoeff[16] = {1, 0, -1, 0, 2, 0, -2, 0, 1, 0, -1, 0};
    v16int16 kernel = *(const v16int16 *)kcoeff;
    v64int16 data = undef_v64int16();
    v16acc48 acc;
    for (int i = 0; i < 4; i++)
        chess_prepare_for_pipelining
        chess_loop_range(4,)
    {
        data = upd_w(data, 0, *row0++);
        data = upd_w(data, 1, *row0);
        acc = mul16(data, 6, 0x03020100, 0x07060504, 0x3221, kernel, 0, 0, 0, 1);
        acc = mac16(acc, data, 8, 0x03020100, 0x07060504, 0x3221, kernel, 2, 0, 0, 1);
        data = upd_w(data, 0, *row1++);
        data = upd_w(data, 1, *row1);
        acc = mac16(acc, data, 4, 0x03020100, 0x07060504, 0x3221, kernel, 4, 0, 0, 1);
        acc = mac16(acc, data, 8, 0x03020100, 0x07060504, 0x3221, kernel, 6, 0, 0, 1);
        data = upd_w(data, 0, *row2++);
        data = upd_w(data, 1, *row2);
        acc = mac16(acc, data, 6, 0x03020100, 0x07060504, 0x3221, kernel, 8, 0, 0, 1);
        acc = mac16(acc, data, 8, 0x03020100, 0x07060504, 0x3221, kernel, 10, 0, 0, 1);
        *out++ = srs(acc, 0);
    }
}
