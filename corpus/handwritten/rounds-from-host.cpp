// How often the image is moved is known to the host alone.
void move(int steps, bool back) {
    scamp5_dynamic_kernel_begin();
        for (int i = 0; i < steps; i++) {
            movx(A, A, east);
        }
        if (back) {
            neg(B, A);
        } else {
            mov(B, A);
        }
    scamp5_dynamic_kernel_end();
}
