// A copy of bright pixels only: what is computed depends on the image.
void bright() {
    scamp5_kernel_begin();
        sub(F, A, C);
        where(F);
            mov2x(B, A, north, east);
        all();
    scamp5_kernel_end();
}
