// Weak pixels count if they are connected with strong ones: two levels, and a flood from the one through the other.
void level(AREG x, int value, DREG d) {
    scamp5_in(E, value);
    sub(F, x, E);
    where(F);
    MOV(d, FLAG);
    all();
}

void hysteresis() {
    scamp5_kernel_begin();
        level(A, 60, S1);
        level(A, 20, S2);
        SET(R0);
        MOV(R12, S1);
        MOV(R0, S2);
        PROP0();
        MOV(S4, RP);
        AND(S3, S4, S2);
    scamp5_kernel_end();
}
