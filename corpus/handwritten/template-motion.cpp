// Templates with numbers and directions as arguments: the pixels of a diagonal, added one after the other.
template <int N, news_t D>
inline void shift(AREG y, AREG x) {
    movx(y, x, D);
    if constexpr (N > 1) {
        for (int i = 1; i < N; i++) movx(y, y, D);
    }
}

template <int LENGTH>
void motion(AREG sum, AREG ray) {
    for (int i = 0; i < LENGTH; ++i) {
        shift<1, east>(ray, ray);
        shift<1, south>(ray, ray);
        add(sum, sum, ray);
    }
}

void blur() {
    scamp5_kernel_begin();
        // Begin two pixels to the north-west.
        shift<2, west>(B, A);
        shift<2, north>(B, B);
        mov(C, B);
        motion<4>(C, B);
    scamp5_kernel_end();
}
