// A program in a lambda, with a lambda of its own; weights in a table.
#include <scamp5.hpp>

static const int8_t centre[] = {-1, 2, -4};

scamp5_kernel laplacian([]{
    using namespace scamp5_kernel_api;
    auto plus = [&](news_t d) {
        movx(C, A, d);
        add(B, B, C);
    };
    res(B);
    for (news_t d : {east, west, north, south}) {
        plus(d);
    }
    for (int i = centre[2]; i < 0; i++) {
        sub(B, B, A);
    }
});

int main() {
    while (1) {
        scamp5_get_image(A, F);
        scamp5_launch_kernel(laplacian);
    }
}
