// Calls of the host between kernels, and the registers that they use up: what stood in them is gone.
int count_moved(AREG scratch) {
    scamp5_shift(R5, 2, 0);
    return scamp5_global_count(R5, scratch, 1);
}

int main() {
    scamp5_kernel_begin();
        where(A);
        MOV(R5, FLAG);
        MOV(R1, FLAG);
        all();
        mov(B, A);
        mov(D, A);
    scamp5_kernel_end();
    if (count_moved(B) > 100) {
        vs_post_text("many\n");
    }
    scamp5_kernel_begin();
        MOV(R8, R1);
        neg(C, B);
        neg(E, D);
    scamp5_kernel_end();
}
