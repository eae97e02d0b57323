// R5 spreads to its four neighbours, twice.
void dilate() {
    scamp5_kernel_begin();
        for (int i = 0; i < 2; i++) {
            DNEWS(S2, S0, alldir);
            OR(S3, S0, S2);
            MOV(S0, S3);
        }
    scamp5_kernel_end();
}
