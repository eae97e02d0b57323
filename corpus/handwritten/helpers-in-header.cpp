// A box of three rows of three pixels; the sum of a row is a function of the header.
#include "helpers.hpp"

void box() {
    blur_row(AREG_sum, AREG_frame, C);
    scamp5_kernel_begin();
        movx(C, AREG_sum, north);
        add(AREG_frame, AREG_sum, C);
        movx(C, AREG_sum, south);
        add(AREG_frame, AREG_frame, C);
    scamp5_kernel_end();
}
