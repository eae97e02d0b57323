// Sums over lists of directions; the corners are reached in two steps.
void laplacian() {
    scamp5_kernel_begin();
        mov(B, A);
        for (int n = 1; n < 8; n *= 2) {
            mov(C, B);
            add(B, B, C);
        }
        const news_t sides[] = {east, west};
        for (news_t d : sides) {
            movx(D, A, d);
            sub(B, B, D);
            for (news_t e : {north, south}) {
                movx(E, D, e);
                sub(B, B, E);
                if (d == east) {
                    movx(E, A, e);
                    sub(B, B, E);
                }
            }
        }
    scamp5_kernel_end();
}
