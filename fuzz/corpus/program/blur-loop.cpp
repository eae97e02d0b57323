// [1 2 1]/4 by averaging a pixel with a neighbour, twice: a loop that is unrolled.
#include <scamp5.hpp>
using namespace SCAMP5_PE;

const int ROUNDS = 1;
#define AVERAGE(X, DIR) { divq(C, X); movx(D, C, DIR); add(X, C, D); }

int main() {
    vs_init();
    while (1) {
        vs_frame_loop_control();
        scamp5_kernel_begin();
            get_image(A, F); // a new frame
            for (int i = 0; i < ROUNDS; i++) {
                AVERAGE(A, east);
                AVERAGE(A, west);
            }
        scamp5_kernel_end();
        scamp5_output_image(A, display);
    }
}
