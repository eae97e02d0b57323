// Pixels between two levels, which stand in IN one after the other.
void band() {
    scamp5_kernel_begin();
        scamp5_load_in(-30);
        sub(B, A, IN);
        where(B);
            MOV(S1, FLAG);
        all();
        scamp5_load_in(40);
        sub(B, A, IN);
        where(B);
            MOV(S2, FLAG);
        all();
        NOT(S3, S2);
        AND(S0, S1, S3);
    scamp5_kernel_end();
}
