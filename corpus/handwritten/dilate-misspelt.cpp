// Registers of the wrong kind, and an instruction that there is not.
void mistakes(DREG x) {
    scamp5_kernel_begin();
        DNEWS(B, x, alldir);
        DNEWS(R5, x, eastwards);
        ORR(R5, x);
        MOV(R5, 3);
        where(R5);
        WHERE(R1, R2, R3, R4);
    scamp5_kernel_end();
}
