// A class with registers and a direction as members; the method that others call stands behind the program that calls it.
#include <scamp5.hpp>
using namespace SCAMP5_PE;

class SobelX {
public:
    explicit SobelX(int gain) : gain(gain) {}

    void run(AREG out, AREG in) {
        scamp5_kernel_begin();
            this->column(out, in);
            movx(scratch, out, toward);
            subx(out, out, west, scratch);
        scamp5_kernel_end();
    }

private:
    // [1 2 1] upwards.
    void column(areg_t const& y, areg_t const& x) {
        movx(scratch, x, north);
        add(y, x, scratch);
        movx(scratch, y, south);
        add(y, y, scratch);
    }

    const areg_t scratch = E;
    const news_t toward = east;
    int gain;
};

int main() {
    vs_init();
    SobelX sobel(1);
    while (true) {
        vs_frame_loop_control();
        sobel.run(B, A);
        scamp5_output_image(B, display);
    }
}
