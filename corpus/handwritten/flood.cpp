// What is connected with a seed through a mask: the seed spreads at once, or step by step.
void flood(DREG seed, DREG mask) {
    scamp5_dynamic_kernel_begin();
        SET(RF);
        MOV(RP, seed);
        MOV(RF, mask);
        PROP0();
        MOV(S6, RP);
    scamp5_dynamic_kernel_end();
}

void spread(DREG seed, DREG mask, int steps) {
    scamp5_dynamic_kernel_begin();
        MOV(S5, seed);
        for (int i = 0; i < steps; i++) {
            DNEWS(S4, S5, alldir);
            OR(S5, S4);
            AND(S4, S5, mask);
            MOV(S5, S4);
        }
    scamp5_dynamic_kernel_end();
}
