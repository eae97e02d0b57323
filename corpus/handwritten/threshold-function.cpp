// Bright pixels of a frame as bits: the level comes from the host.
#include <scamp5.hpp>
using namespace SCAMP5_PE;

const dreg_t DREG_bright = S0;

void threshold(AREG image, AREG level, AREG scratch, DREG bright) {
    scamp5_dynamic_kernel_begin();
        sub(scratch, image, level);
        where(scratch);
            MOV(bright, FLAG);
        all();
    scamp5_dynamic_kernel_end();
}

int main() {
    vs_init();
    while (1) {
        vs_frame_loop_control();
        scamp5_in(C, 20);
        threshold(A, C, F, DREG_bright);
        scamp5_output_image(DREG_bright, display);
    }
}
