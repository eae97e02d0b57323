// Digital registers beside analogue ones, and a loop whose bound is known when it runs only.
void mixed(int rounds) {
    scamp5_kernel_begin();
        mov(B, A);
        MOV(S0, FLAG);
        for (int i = 0; i < rounds; i++) {
            movx(B, B, east);
        }
        if (rounds > 3) {
            neg(C, B);
        }
        add(C, reg, B);
    scamp5_kernel_end();
}
