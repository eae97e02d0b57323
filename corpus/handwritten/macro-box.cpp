// Programs inside macros, which call macros.
#define SUM3(Y, X, T, D0, D1) movx(T, X, D0); movx(Y, X, D1); add(Y, Y, X, T);
#define BOX(Y, X, T) {          \
    scamp5_kernel_begin();      \
        SUM3(Y, X, T, north, south) \
        SUM3(T, Y, C, east, west)   \
        mov(Y, T);              \
    scamp5_kernel_end();        \
}

void process() {
    BOX(B, A, D);
}
