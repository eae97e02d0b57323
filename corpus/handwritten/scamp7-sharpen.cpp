// For SCAMP-7: other beginnings of names, and no semicolon behind the first call.
#include <scamp7.hpp>
using namespace SCAMP7_PE;

const areg_t AREG_image = A;
const areg_t AREG_sharp = AREG_image;

void sharpen() {
    scamp7_kernel_begin()
        mov(B, AREG_image);
        add(B, B, AREG_image);
        mov(C, B);
        add(B, B, C, AREG_image);
        const news_t around[4] = { north, east, south, west };
        for (int i = 0; i < 4; i++) {
            movx(C, AREG_image, around[i]);
            sub(B, B, C);
        }
        mov(AREG_sharp, B);
    scamp7_kernel_end();
}
