// Where a smoothed image is above a level. The smoothing keeps copies that nothing reads, and one level is loaded for nothing.
void smooth(AREG y, AREG x, AREG t) {
    mov(t, x);
    movx(y, t, east);
    add(y, y, t);
    movx(t, y, west);
    add(y, y, t);
    mov(t, y);
}

void bright() {
    scamp5_kernel_begin();
        smooth(B, A, C);
        scamp5_load_in(10);
        scamp5_load_in(80);
        sub(D, B, IN);
        all();
        where(D);
            MOV(R5, FLAG);
        all();
        NOT(R6, R5);
        NOT(R6, R5);
    scamp5_kernel_end();
}
