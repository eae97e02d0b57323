// The names of registers stand in a header that is not here.
#include "registers.hpp"

void row() {
    scamp5_kernel_begin();
        divq(AREG_half, AREG_image);
        movx(AREG_out, AREG_half, east);
        add(AREG_out, AREG_out, AREG_half);
        divq(AREG_half, AREG_out);
        movx(AREG_out, AREG_half, west);
        add(AREG_out, AREG_out, AREG_half);
    scamp5_kernel_end();
}
