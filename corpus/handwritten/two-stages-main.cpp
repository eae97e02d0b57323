// Programs in loops of the host, with other code of the host between them: read as one with --function.
#include <scamp5.hpp>
using namespace SCAMP5_PE;

void sum(AREG y, AREG x, news_t d) {
    scamp5_dynamic_kernel_begin();
        movx(F, x, d);
        add(y, x, F);
    scamp5_dynamic_kernel_end();
}

int main() {
    vs_init();
    int show = 1, level = 3;
    vs_gui_add_slider("level", 0, 10, level, &level);
    auto display = vs_gui_add_display("box", 0, 0);
    int steps = 1;
    steps += 1;

    while (1) {
        vs_frame_loop_control();
        if (level > 5) {
            vs_post_text("level %d\n", level);
            show = 0;
        }
        mov_to_a_good_place();
        for (int i = 0; i < steps; i++) {
            if (i == 0) {
                sum(B, A, east);
            } else {
                sum(B, B, north);
            }
        }
        scamp5_kernel_begin();
            mov(C, B);
        scamp5_kernel_end();
        scamp5_output_image(C, display);
    }
}
