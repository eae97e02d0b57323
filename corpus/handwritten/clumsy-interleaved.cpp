// A row of three above a level, where the last mask or its surroundings were 1. Linear and digital instructions stand in turn.
void track() {
    scamp5_kernel_begin();
        movx(B, A, east);
        MOV(R6, R5);
        add(B, B, A);
        DNEWS(R7, R6, alldir);
        movx(C, A, west);
        OR(R8, R6, R7);
        add(B, B, C);
        sub(D, B, E);
        where(D);
            MOV(R9, FLAG);
        all();
        AND(R5, R8, R9);
    scamp5_kernel_end();
}
