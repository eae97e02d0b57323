// Names that mean something else than they seem to: a parameter that is called as a register is, a constant that a
// parameter hides, one of a later function.
const int n = 2;
const areg_t image = B;
void blur(AREG A, int n) {
    scamp5_kernel_begin();
        newsblur(C, image, 2);
        newsblur(D, A, n);
        newsblur(E, image, m);
    scamp5_kernel_end();
}
void later() {
    const int m = 3;
}
