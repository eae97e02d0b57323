// A macro of two meanings: which one holds is not known here.
#ifdef SIMULATOR
#define SHIFT(Y, X) movx(Y, X, east)
#else
#define SHIFT(Y, X) movx(Y, X, west)
#endif
void shift() {
    scamp5_kernel_begin();
        SHIFT(B, A);
    scamp5_kernel_end();
}
