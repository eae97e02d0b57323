// The median of three neighbours in a row, by comparing and exchanging under WHERE.
#define EXCHANGE(lo, hi, t, d) {        \
    sub(t, lo, hi);                     \
    where(t);                           \
        MOV(d, FLAG);                   \
    all();                              \
    WHERE(d);                           \
        mov(t, lo);                     \
        mov(lo, hi);                    \
        mov(hi, t);                     \
    all();                              \
}

void median() {
    scamp5_kernel_begin();
        movx(B, A, west);
        movx(C, A, east);
        mov(D, A);
        EXCHANGE(B, D, F, R9)
        EXCHANGE(D, C, F, R9)
        EXCHANGE(B, D, F, R9)
    scamp5_kernel_end();
}
