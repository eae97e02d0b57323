// Exclusive or without the macro.
void changes() {
    scamp5_kernel_begin();
        NOT(R8, S0);
        NOT(R9, S1);
        AND(R10, S0, R9);
        AND(R11, S1, R8);
        OR(S2, R10, R11);
    scamp5_kernel_end();
}
