// Two helpers of one name, told apart by what they are given; default arguments.
enum Order { FIRST = 1, SECOND = FIRST * 2 };

inline void accumulate(AREG sum, AREG x, int times = FIRST) {
    for (int i = 0; i < times; i++) { add(sum, sum, x); }
}

inline void accumulate(AREG sum, news_t a, news_t b, int times) {
    for (int i = 0; i < times; i++) { add2x(D, A, C, a, b); add(sum, sum, D); }
}

void emboss() {
    scamp5_kernel_begin();
        res(C);
        mov(B, A);                        // centre
        accumulate(B, south, east, SECOND);
        movx(E, A, east);
        accumulate(B, E);
        movx(E, A, south);
        accumulate(B, E);
        add2x(D, A, C, north, west);      // what is taken away
        sub(B, B, D); sub(B, B, D);
        movx(E, A, west);  sub(B, B, E);
        movx(E, A, north); sub(B, B, E);
    scamp5_kernel_end();
}
