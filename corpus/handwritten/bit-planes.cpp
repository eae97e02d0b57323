// The three upper bits of an analogue value, from the highest to the lowest, and the value made of them again.
const dreg_t planes[] = { R7, R6, R5 };

void to_bits(AREG x, AREG t) {
    scamp5_dynamic_kernel_begin();
        int weight = 64;
        mov(t, x);
        for (const dreg_t& plane : planes) {
            scamp5_in(F, weight);
            where(t);
                MOV(plane, FLAG);
                sub(t, t, F);
            all();
            NOT(R8, plane);
            WHERE(R8);
                add(t, t, F);
            all();
            weight /= 2;
        }
    scamp5_dynamic_kernel_end();
}

void from_bits() {
    scamp5_kernel_begin();
        scamp5_in(B, 0);
        for (int i = 0; i < 3; i++) {
            scamp5_in(C, 64 >> i);
            WHERE(planes[i]);
                add(B, B, C);
            all();
        }
    scamp5_kernel_end();
}
