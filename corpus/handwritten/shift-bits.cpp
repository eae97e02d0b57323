// A plane of bits, moved by a loop around the program's operations; the direction registers are set once.
enum { STEPS = 1 << 2 };

void shift() {
    scamp5_kernel_begin();
        CLR(RN, RS, RE, RW);
        SET(RW);
        for (int i = 0; i < STEPS; i++) {
            DNEWS0(S6, S1);
            MOV(S1, S6);
        }
    scamp5_kernel_end();
}
