// The difference of a new frame and the one before, both analogue, as an absolute value, where a region is chosen by the host.
int left = 10, top = 20;

void difference() {
    scamp5_kernel_begin();
        get_image(A, F);
        scamp5_load_rect(R6, top, left, top + 100, left + 100);
        sub(C, A, B);
        abs(D, C);
        NOT(R7, R6);
        WHERE(R7);
            res(D);
        all();
        mov(B, A);
        scamp5_scan_events(R6, buffer, 100);
    scamp5_kernel_end();
}
