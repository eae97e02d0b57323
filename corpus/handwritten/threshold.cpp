// R5 marks the pixels above the number in IN.
void threshold() {
    scamp5_kernel_begin();
        mov(E, IN);
        sub(F, A, E);
        where(F);
            MOV(R5, FLAG);
        all();
    scamp5_kernel_end();
}
