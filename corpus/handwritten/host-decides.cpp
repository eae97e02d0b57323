// What the host decides while the program runs: an early return, a frame that is left out, a number of steps.
void steps(int n) {
    while (n > 0) {
        scamp5_kernel_begin();
            movx(A, A, east);
        scamp5_kernel_end();
        n--;
    }
}

void sharpen(int enabled) {
    if (!enabled) {
        return;
    }
    scamp5_kernel_begin();
        mov(B, A);
        subx(C, B, east, A);
        sub(B, B, C);
    scamp5_kernel_end();
}

// Recorded with the first registers that it is given.
void keep(AREG y, AREG x) {
    scamp5_kernel_begin();
        mov(y, x);
    scamp5_kernel_end();
}

void both() {
    keep(B, A);
    keep(D, C);
    network_from_another_file();
}
