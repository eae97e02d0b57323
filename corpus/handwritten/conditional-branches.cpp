// Lines that count and lines that do not: `#if 0`, a name that is defined, one that is not. This comment goes on: \
   neg(A, A); is part of it.
#define STEPS 010
void row() {
    scamp5_kernel_begin();
#if 0
        neg(C, A);
#elif STEPS == 8
        movx(B, A, west);
        movx(C, A, east);
#endif
        add(B, B, C);
#ifdef WITHOUT_CENTRE
        mov(C, B);
#else
        add(C, B, A);
        add(C, C, A);
#endif
    scamp5_kernel_end();
}
