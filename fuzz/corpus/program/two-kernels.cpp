// Two programs among other code, the second one with the calls for dynamic kernels.
#include <scamp5.hpp>

void edges(bool show) {
    scamp5_kernel_begin();
        movx(B, A, north); // rows
        movx(C, A, south);
        add(B, A, B, C);
        movx(C, B, east);
        subx(B, B, west, C);
    scamp5_kernel_end();
    if (show) { output(B); }
}

void box() {
    scamp5_dynamic_kernel_begin();
        movx(B, A, north);  movx(C, A, south);  add(A, A, B, C);
        movx(B, A, east);   movx(C, A, west);   add(A, A, B, C);
    scamp5_dynamic_kernel_end();
}
