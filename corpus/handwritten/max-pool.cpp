// The greatest of two by two pixels, by a helper that keeps the greater of two registers.
namespace pool {
    inline void greater(AREG y, AREG x, AREG t) {
        sub(t, x, y);
        where(t);
            mov(y, x);
        all();
    }
}

void pooling() {
    scamp5_kernel_begin();
        mov(B, A);
        movx(C, A, east);
        pool::greater(B, C, F);
        movx(C, B, north);
        pool::greater(B, C, F);
    scamp5_kernel_end();
}
